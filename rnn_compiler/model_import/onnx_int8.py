"""Weights that ONNX files store as integers, as floating-point numbers.

    DynamicQuantizeLSTM    ONNX Runtime's: an LSTM whose W and R are integers, [D, K, 4H], with a
                           scale and a zero point for each direction, or for each of its columns
    QuantizeLinear         converts a constant to integers
    DequantizeLinear       converts such integers back

The latter two have one scale for all elements, for each index of an axis, or for blocks along it.

Source: https://onnx.ai/onnx/operators (QuantizeLinear, DequantizeLinear), ONNX Runtime's
docs/ContribOperators.md (DynamicQuantizeLSTM).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.schema.int8 import LARGEST

__all__ = ["DYNAMIC", "LINEAR", "WEIGHTS", "float_lstm", "linear"]

DYNAMIC = "DynamicQuantizeLSTM"
"""The operator whose weights are integers."""

_PLAIN = 8
"""The number of inputs of a plain LSTM; they come first."""

WEIGHTS = {
    "W": 1,
    "R": 2,
    "W_scale": 8,
    "W_zero_point": 9,
    "R_scale": 10,
    "R_zero_point": 11,
}
"""The inputs that determine its matrices, by name."""


def float_lstm(arrays: Sequence[Any]) -> tuple[list[Any], str]:
    """The inputs of the LSTM that a `DynamicQuantizeLSTM` approximates, and a note about them.

    Args:
        arrays: The arrays of its inputs; None for those that are not constant.

    Raises:
        ValueError: Its weights are invalid.
    """
    made, kept = [*arrays[:_PLAIN]], True
    for name in "WR":
        parts = (arrays[WEIGHTS[f"{name}{part}"]] for part in ("", "_scale", "_zero_point"))
        numbers, scales = _matrix(*parts)
        most = np.abs(numbers).max(1, initial=0)
        kept &= bool(np.all((most == LARGEST) | (most == 0)))
        with np.errstate(all="ignore"):
            matrix = (numbers * scales).astype(np.float32)
        made[WEIGHTS[name]] = np.ascontiguousarray(matrix.transpose(0, 2, 1))
    which = "the same numbers" if kept else "numbers close to them, with a scale for each column"
    return made, f"W and R are integers in the model; quantize='int8' stores {which}"


def _matrix(numbers: Any, scales: Any, zeros: Any) -> tuple[Any, Any]:
    """A matrix as integers without zero points, and the scales to multiply it by."""
    if numbers.dtype.name not in ("int8", "uint8") or numbers.ndim != 3:
        raise ValueError(f"weights of {numbers.dtype} and {numbers.ndim} axes")
    directions, _, columns = numbers.shape
    known = ((directions,), (directions, columns))
    if scales.shape not in known or scales.dtype != np.float32 or zeros.shape != scales.shape:
        wanted = " or ".join(str(list(each)) for each in known)
        raise ValueError(
            f"scales {scales.dtype}{list(scales.shape)}, zero points {list(zeros.shape)}; "
            f"expected float32 scales and zero points {wanted}"
        )
    if zeros.dtype != numbers.dtype:
        raise ValueError(f"zero points of {zeros.dtype} for numbers of {numbers.dtype}")
    shape = (directions, 1, -1)
    return numbers.astype(np.int32) - zeros.reshape(shape), scales.reshape(shape)


LINEAR = ("QuantizeLinear", "DequantizeLinear")
"""The operators that convert constants."""

_OUTPUT_TYPES = {2: "uint8", 3: "int8", 4: "uint16", 5: "int16"}
"""Types of quantized numbers, by ONNX's number of each."""

_SCALE_TYPES = ("float16", "bfloat16", "float32", "float64")


def linear(operator: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """The result of one of them.

    Args:
        operator: Its name.
        inputs: The array, scales, and zero points; the last may be None or missing.
        attributes: Its attributes, as messages.

    Raises:
        ValueError: The scales or zero points do not fit the array.
        NotImplementedError: The type of the integers is not supported.
    """
    array, scale = inputs[:2]
    zero: Any = inputs[2] if len(inputs) > 2 else None
    kind = array.dtype if operator == "DequantizeLinear" else _result_type(zero, attributes)
    if kind.name not in (*_OUTPUT_TYPES.values(), "int32"):
        raise NotImplementedError(f"numbers of {kind}")
    if scale.dtype.name not in _SCALE_TYPES:
        raise ValueError(f"scales of {scale.dtype}")
    if zero is None:
        zero = np.zeros_like(scale, kind)
    if zero.dtype != kind:
        raise ValueError(f"zero points of {zero.dtype} for numbers of {kind}")
    axis = attributes["axis"].i if "axis" in attributes else min(1, array.ndim - 1)
    block = attributes["block_size"].i if "block_size" in attributes else 0
    scales, zeros = (_spread(each, array.shape, axis, block) for each in (scale, zero))
    with np.errstate(all="ignore"):
        if operator == "DequantizeLinear":
            return (array.astype(np.int64) - zeros).astype(scale.dtype) * scales
        rounded = np.nan_to_num(np.rint(array / scales) + zeros)
    limits = np.iinfo(kind)
    return np.minimum(np.maximum(rounded, limits.min), limits.max).astype(kind)


def _result_type(zero: Any, attributes: Mapping[str, Any]) -> Any:
    """The type of `QuantizeLinear`'s result."""
    if zero is not None:
        return zero.dtype
    number = attributes["output_dtype"].i if "output_dtype" in attributes else 0
    if number and number not in _OUTPUT_TYPES:
        raise NotImplementedError(f"output_dtype {number}")
    return np.dtype(_OUTPUT_TYPES[number or 2])


def _spread(part: Any, shape: Sequence[int], axis: int, block: int) -> Any:
    """Scales or zero points, broadcast to the elements of an array."""
    if block:
        part = part.take(np.arange(shape[axis]) // block, axis)
        if block < 0 or part.shape != tuple(shape):
            raise ValueError(f"scales of blocks {list(part.shape)} of {list(shape)}")
        return part
    if part.size == 1:
        return part.reshape(())
    if part.shape != (shape[axis],):
        raise ValueError(f"{part.size} scales of {shape[axis]} indices")
    return part.reshape([-1 if k == axis % len(shape) else 1 for k in range(len(shape))])
