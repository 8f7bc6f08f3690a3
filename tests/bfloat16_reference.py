"""Products of bfloat16 numbers, bit by bit: the order in which processors sum them in float32.

The product of two bfloat16 numbers is exact in float32, so adding one rounds once, like `fma`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]


def product(lhs: Matrix, rhs: Matrix, summed: int) -> Matrix:
    """The product in the order of a format whose `summed` is this (`targets.vector_unit`)."""
    return in_tiles(lhs, rhs, summed) if summed else in_pairs(lhs, rhs)


def in_pairs(lhs: Matrix, rhs: Matrix) -> Matrix:
    """As `vdpbf16ps`: the odd product of each pair, then the even one, added to the total."""
    x, w = (each.astype(np.float32) for each in (lhs, rhs))
    total = np.zeros((x.shape[0], w.shape[1]), np.float32)
    for k in range(0, x.shape[1], 2):
        for number in (k + 1, k):
            if number < x.shape[1]:
                total += x[:, number, None] * w[number]
    return total


def in_tiles(lhs: Matrix, rhs: Matrix, along: int) -> Matrix:
    """As `tdpbf16ps`: the even and the odd products of 32 numbers apart, then their sum."""
    x, w = (each.astype(np.float32) for each in (lhs, rhs))
    total = np.zeros((x.shape[0], w.shape[1]), np.float32)
    for first in range(0, x.shape[1], along):
        sums = np.zeros((2, *total.shape), np.float32)
        for k in range(first, min(first + along, x.shape[1])):
            sums[k % 2] += x[:, k, None] * w[k]
        total += sums[0] + sums[1]
    return total
