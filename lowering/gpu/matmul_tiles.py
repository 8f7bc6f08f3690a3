"""A matrix product in tiles for a GPU (`targets.gpu`)."""

from __future__ import annotations

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import gpu_tiles
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.targets.gpu import Tiling

__all__ = ["tiled_matmul"]


def tiled_matmul(
    body: Body, lhs: Array, rhs: Array, axes: tuple[int, int], element: str, tiling: Tiling
) -> Array:
    """Emits a matrix product in given tiles.

    Args:
        body: The body that gets the ops.
        lhs: The left-hand side.
        rhs: The right-hand side.
        axes: The contracted axis of each.
        element: The element type of the result.
        tiling: The result of `Gpu.product`.
    """
    type = ArrayType((lhs.shape[1 - axes[0]], rhs.shape[1 - axes[1]]), element)
    attributes = gpu_tiles(tiling.pipeline, tiling.threads, tiling.warp, tiling.levels)
    return linalg.matmul(body, lhs, rhs, linalg.zeros(body, type), attributes, axes)
