"""Products with weights in int8 in numpy, bit by bit, as docs/int8.md defines them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def quantized_matrix(matrix: Array) -> tuple[Array, Array]:
    """The numbers and scales of a matrix ``[N, K]`` that is summed over its columns."""
    scales = np.abs(matrix).max(1) / np.float32(127)
    divisors = np.where(scales > 0, scales, np.float32(1))
    return np.rint(matrix / divisors[:, None]).astype(np.int64), scales


def product(rows: Array, matrix: Array) -> Array:
    """``rows @ matrix.T`` of float32, the matrix in int8."""
    weights, scales = quantized_matrix(matrix)
    largest = np.maximum(np.abs(rows).max(1), np.float32(2.0**-100))
    factors = np.float32(127 * 2**16) / largest
    fixed = np.trunc(rows * factors[:, None]).astype(np.int64)
    numbers = (fixed + 2**15) >> 16
    row_scales = largest / np.float32(127)
    sums = (numbers @ weights.T).astype(np.float32)
    return sums * (row_scales[:, None] * scales)


def stacked_product(parts: tuple[Array, Array], matrix: Array) -> Array:
    """``[x, h] @ matrix`` of a block op: each part has its own row scales and column scales."""
    x, h = parts
    w_x, w_h = np.split(matrix, [x.shape[1]])
    return product(x, w_x.T) + product(h, w_h.T)
