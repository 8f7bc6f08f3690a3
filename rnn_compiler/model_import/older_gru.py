"""The GRU whose reset gate acts before the matrix product: GRUBlockCell, one step per call.

    r, u = sigmoid([x, h] w_ru + b_ru)    c = tanh([x, r * h] w_c + b_c)    h' = u * h + (1 - u) * c

In Keras this is reset_after=False, in ONNX linear_before_reset=0; both call u z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rnn_compiler.model_import.layer import Layer

__all__ = ["MADE_OF", "older_gru"]

MADE_OF = (
    "w_ru = [W_r W_z; R_r R_z], b_ru = [b_r b_z], w_c = [W_h; R_h], b_c = b_h, each W_k and R_k "
    "transposed, each b_k the sum of both"
)
"""How to form the weights from ONNX' inputs if they are arguments."""

_ONE_STEP = (
    "its reset gate acts before the matrix product, so a layer is one step per call: h_prev "
    "is the h of the previous step, zeros at first"
)


def older_gru(
    name: str,
    kernel: Any,
    recurrent: Any,
    bias: Any = None,
    *,
    batch: int | None,
    notes: Sequence[str],
) -> Layer:
    """The layer of a GRU of the older kind.

    Args:
        name: The layer's.
        kernel: ``[input_size, 3 * num_units]``, gates r, z, h.
        recurrent: ``[num_units, 3 * num_units]``.
        bias: ``[3 * num_units]``; None for zeros.
        batch: The batch size; None if it is open.
        notes: Further notes.
    """
    units = recurrent.shape[0]
    bias = np.zeros(3 * units, kernel.dtype) if bias is None else bias
    both = np.concatenate([kernel, recurrent])
    cut = 2 * units
    weights = {
        "w_ru": np.ascontiguousarray(both[:, :cut]),
        "w_c": np.ascontiguousarray(both[:, cut:]),
        "b_ru": bias[:cut].copy(),
        "b_c": bias[cut:].copy(),
    }
    dims = {"batch_size": batch, "input_size": kernel.shape[0], "num_units": units}
    return Layer(name, "GRUBlockCell", {}, dims, kernel.dtype.name, weights, (_ONE_STEP, *notes))
