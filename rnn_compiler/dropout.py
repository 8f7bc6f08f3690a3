"""The dropout mask that a CudnnRNN call used, extracted from its `reserve_space`."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.schema.attributes import dimension
from rnn_compiler.schema.cudnn_layout import Layout, ReserveLayout
from rnn_compiler.schema.dtypes import FLOAT_DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import host_array

__all__ = ["dropout_mask"]


def dropout_mask(
    reserve_space: object,
    *,
    rnn_mode: str,
    seq_length: int,
    batch_size: int,
    num_units: int,
    num_layers: int,
    direction: str = "unidirectional",
    num_proj: int = 0,
) -> npt.NDArray[Any]:
    """The multipliers that a call of CudnnRNN, V2 or V3 put between its layers.

    The call must have had ``is_training=True``, a positive `dropout`, more than one layer, and the
    sizes given here.

    Args:
        reserve_space: The result of the call, rank 1, as an array or still on the device.
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        seq_length: T.
        batch_size: B.
        num_units: H.
        num_layers: L.
        direction: "unidirectional" (D = 1) or "bidirectional" (D = 2).
        num_proj: P, if there is a projection.

    Returns:
        ``[L-1, T, B, D*h]`` in the dtype of the call, h = P with a projection and H without: 0
        where the output of layer k was dropped, ``1 / (1 - dropout)`` where it was kept. Time comes
        first regardless of `time_major`. A copy.

    Raises:
        InvalidArgumentError: The sizes are inconsistent, or `reserve_space` has another size.

    Example:
        >>> import numpy as np
        >>> reserve_space = np.zeros(480, np.float32)  # of two layers that dropped everything
        >>> dropout_mask(reserve_space, rnn_mode="lstm", seq_length=5, batch_size=2, num_units=4,
        ...              num_layers=2).shape
        (1, 5, 2, 4)
    """
    op = "dropout_mask"
    layout = Layout.checked(
        op,
        rnn_mode=rnn_mode,
        num_layers=dimension(op, "num_layers", num_layers, 2),  # dropout is between layers
        num_units=dimension(op, "num_units", num_units, 1),
        input_size=0,
        direction=direction,
        num_proj=dimension(op, "num_proj", num_proj, 0),
    )
    T = dimension(op, "seq_length", seq_length, 1)
    B = dimension(op, "batch_size", batch_size, 0)
    reserve = ReserveLayout(layout, T, B, dropout=1.0)
    array = host_array(op, "reserve_space", reserve_space, "float32")
    if array.shape != (reserve.size,) or canonical_name(array.dtype) not in FLOAT_DTYPES:
        raise InvalidArgumentError(
            op,
            "reserve_space",
            f"floats of shape [{reserve.size}], by these sizes and with dropout",
            f"{array.dtype} of shape {list(array.shape)}",
        )
    return reserve.mask.of(array).copy()
