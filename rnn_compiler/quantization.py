"""Weights in int8: the numbers that replace float32 matrices."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.schema.int8 import BIAS, LARGEST, MAX_SUMMED, SCALE, Matrix

__all__ = ["check_frozen", "check_int8", "check_quantize", "quantized", "quantized_matrix"]

Array: TypeAlias = npt.NDArray[Any]


def check_quantize(value: object) -> bool:
    """Whether weights are to be stored in int8.

    Raises:
        InvalidArgumentError: The value is neither None nor ``"int8"``.
    """
    if value is not None and not (isinstance(value, str) and value == "int8"):
        raise InvalidArgumentError("freeze", "quantize", "'int8' or None", describe(value))
    return value is not None


def check_frozen(frozen: bool, quantize: str | None) -> None:
    """Checks that weights to be stored in int8 are frozen.

    Raises:
        InvalidArgumentError: They are not frozen.
    """
    if check_quantize(quantize) and not frozen:
        raise InvalidArgumentError(
            "build", "quantize", "None with frozen=False", describe(quantize), "leave frozen out"
        )


def check_int8(matrix: Matrix) -> None:
    """Checks that a matrix can be stored in int8.

    Raises:
        UnsupportedError: The op cannot multiply by int8 numbers.
    """
    spec, name, reason = matrix.spec, matrix.tensor.name, ""
    if spec.attributes.get("is_training"):
        reason = "training; build the op with is_training=False"
    elif name not in spec.weights:
        reason = f"its {name}: only inference has it in int8; freeze {name} without quantize before"
    elif spec.dtype != "float32":
        reason = f"weights of {spec.dtype}; build the op with float32"
    if reason:
        raise UnsupportedError(f"{spec.op}: quantize='int8' does not support {reason}")


def quantized(matrix: Matrix, array: Array) -> dict[str, Array]:
    """The arrays that replace an argument, by the suffix of its name (`schema.int8`).

    Raises:
        InvalidArgumentError: A number is not finite, or too many are summed.
    """
    if not np.isfinite(array).all():
        remedy = "find out where the NaN or infinity comes from, or leave the weights in float32"
        op, name = matrix.spec.op, matrix.tensor.name
        raise InvalidArgumentError(op, name, "finite numbers for int8", "NaN or inf", remedy)
    if blocks := matrix.blocks:
        parts = [_quantized_part(matrix, each.of(array)) for each in blocks]
        numbers = np.concatenate([part[0].ravel() for part in parts])
        scales = np.concatenate([part[1] for part in parts if part[0].size])
        return {"": numbers, SCALE: scales, BIAS: np.array(array[blocks[-1].stop :])}
    if matrix.height is not None:
        parts = [_quantized_part(matrix, each) for each in np.split(array, [matrix.height])]
        numbers = np.concatenate([part[0] for part in parts])
        return {"": numbers, SCALE: np.stack([part[1] for part in parts])}
    numbers, scales = _quantized_part(matrix, array)
    return {"": numbers, SCALE: scales}


def quantized_matrix(matrix: Array, axis: int) -> tuple[Array, Array]:
    """A matrix as int8 numbers and float32 scales; ``matrix = numbers * scales`` up to rounding.

    Args:
        matrix: float32.
        axis: The axis that products sum over: numbers that are summed share a scale.

    Example:
        >>> numbers, scales = quantized_matrix(np.array([[1, -2.54]], np.float32), 1)
        >>> numbers.tolist(), float(scales[0]).__round__(6)
        ([[50, -127]], 0.02)
    """
    largest = np.max(np.abs(matrix), axis=axis, initial=0).astype(np.float32)
    scales = largest / np.float32(LARGEST)
    divisors = np.where(scales > 0, scales, np.float32(1))
    numbers: Array = np.rint(matrix / np.expand_dims(divisors, axis))
    numbers = np.minimum(np.maximum(numbers, -LARGEST), LARGEST)  # for subnormal scales
    return numbers.astype(np.int8), scales


def _quantized_part(matrix: Matrix, part: Array) -> tuple[Array, Array]:
    """One of the matrices of an argument."""
    count = part.shape[matrix.axis]
    if count > MAX_SUMMED:
        expected = f"at most {MAX_SUMMED} products to be summed in int32"
        op, name = matrix.spec.op, matrix.tensor.name
        raise InvalidArgumentError(op, name, expected, str(count), "leave it in float32")
    return quantized_matrix(part, matrix.axis)
