"""The common form of all converters: one stack of gates per direction of each layer.

A converter only has to name, order and transpose these as its framework does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.attributes import dimension
from rnn_compiler.schema.cudnn_layout import RNN_MODES, Layout
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES, canonical_name
from rnn_compiler.schema.host_arrays import host_array

Array = npt.NDArray[Any]


class Stack(NamedTuple):
    """The weights of one pseudo-layer, gates in cuDNN's order, matrices ``[out, in]``.

    Attributes:
        input: W, ``[gH, in]``.
        recurrent: R, ``[gH, h]``.
        input_bias: bW, ``[gH]``; None for zeros.
        recurrent_bias: bR, ``[gH]``; None for zeros.
        projection: Wp, ``[P, H]``, or None.
    """

    input: Any
    recurrent: Any
    input_bias: Any = None
    recurrent_bias: Any = None
    projection: Any = None


class ArrayReader:
    """Reads the arrays of one call: floats, all of one dtype.

    Attributes:
        function: The converter, for messages.
    """

    def __init__(self, function: str) -> None:
        self.function = function
        self._dtype = ""
        self._first = ""

    def array(self, name: str, value: Any, formula: str, shape: Sequence[int] | None = None) -> Any:
        """One array, in native byte order."""
        array = as_host_array(self.function, name, value, self._dtype or "float32")
        dtype = canonical_name(array.dtype)
        expected = f"dtype {' or '.join(FLOAT_DTYPES)}"
        if self._first:
            expected = f"dtype {self._dtype}, as '{self._first}' has"
        if dtype not in FLOAT_DTYPES or dtype != (self._dtype or dtype):
            raise InvalidArgumentError(self.function, name, expected, f"dtype {array.dtype}")
        if not self._first:
            self._dtype, self._first = dtype, name
        rank = formula.count(",") + 1
        if shape is None and array.ndim != rank:
            expected = f"rank {rank}, shape {formula}"
        elif shape is not None and array.shape != tuple(shape):
            expected = f"shape {formula} = {list(shape)}"
        else:
            return array.astype(DTYPES[dtype].numpy, copy=False)
        raise InvalidArgumentError(self.function, name, expected, f"shape {list(array.shape)}")


def as_host_array(function: str, name: str, value: Any, dtype: str = "float32") -> Any:
    """Anything numpy can view, and torch tensors, as a numpy array."""
    if hasattr(value, "detach") and hasattr(
        value, "cpu"
    ):  # torch: numpy takes neither gradients, devices nor bfloat16
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float().numpy().astype(DTYPES["bfloat16"].numpy)
    return host_array(function, name, value, dtype)


def items_of(function: str, name: str, value: Any, what: str) -> list[Any]:
    """The items of a list or tuple."""
    if isinstance(value, (list, tuple)):
        return list(cast(Sequence[Any], value))
    raise InvalidArgumentError(function, name, f"a list of {what}", type(value).__name__)


def gates_of(function: str, rnn_mode: object) -> str:
    """The gates of an rnn_mode in cuDNN's order, one letter each."""
    if isinstance(rnn_mode, str) and rnn_mode in RNN_MODES:
        return RNN_MODES[rnn_mode].gates
    raise InvalidArgumentError(
        function, "rnn_mode", f"one of {', '.join(RNN_MODES)}", describe(rnn_mode)
    )


def rows_of(gates: str) -> str:
    """The length of an axis of stacked gates in words.

    Example:
        >>> rows_of("ifno"), rows_of("n")
        ('4 * num_units', 'num_units')
    """
    return f"{len(gates)} * num_units" if len(gates) > 1 else "num_units"


def units_of(function: str, name: str, gates: str, rows: int) -> int:
    """num_units, computed from the length of an axis of stacked gates."""
    if rows and rows % len(gates) == 0:
        return rows // len(gates)
    expected = f"{rows_of(gates)} rows and columns of gates, with num_units at least 1"
    raise InvalidArgumentError(function, name, expected, str(rows))


def checked_layout(
    function: str,
    *,
    rnn_mode: str,
    num_layers: object,
    num_units: object,
    input_size: object,
    bidirectional: object,
    num_proj: object = 0,
) -> Layout:
    """The layout of a call's sizes."""
    gates_of(function, rnn_mode)
    if not isinstance(bidirectional, (bool, np.bool_)):
        raise InvalidArgumentError(function, "bidirectional", "a bool", describe(bidirectional))
    return Layout.checked(
        function,
        rnn_mode=rnn_mode,
        num_layers=dimension(function, "num_layers", num_layers, 1),
        num_units=dimension(function, "num_units", num_units, 1),
        input_size=dimension(function, "input_size", input_size, 0),
        direction="bidirectional" if bidirectional else "unidirectional",
        num_proj=dimension(function, "num_proj", num_proj, 0),
    )


def pack(layout: Layout, stacks: Sequence[Stack]) -> Array:
    """The buffer of some stacks, one per pseudo-layer."""
    params = np.zeros(layout.size, stacks[0].input.dtype)
    for pseudo_layer, stack in zip(layout.pseudo_layers, stacks, strict=True):
        for name, array in stack._asdict().items():
            if array is not None:
                getattr(pseudo_layer, name).of(params)[...] = array
    return params


def unpack(function: str, layout: Layout, params: Any) -> list[Stack]:
    """The stacks of a buffer, one per pseudo-layer, as new arrays."""
    array = ArrayReader(function).array("params", params, "[params_size]", (layout.size,))
    blocks = [
        [getattr(pseudo_layer, name) for name in Stack._fields]
        for pseudo_layer in layout.pseudo_layers
    ]
    return [Stack(*(block and block.of(array).copy() for block in row)) for row in blocks]


def reorder_gates(array: Any, axis: int, given: str, wanted: str) -> Any:
    """Reorders the gates stacked along an axis of an array.

    Example:
        >>> reorder_gates(np.array([1, 1, 2, 2, 3, 3]), 0, "zrn", "rzn").tolist()
        [2, 2, 1, 1, 3, 3]
    """
    gates = dict(zip(given, np.split(array, len(given), axis), strict=True))
    return np.concatenate([gates[gate] for gate in wanted], axis)


def total_bias(stack: Stack) -> Any:
    """The sum of both biases, for frameworks that have only one."""
    return stack.input_bias + stack.recurrent_bias
