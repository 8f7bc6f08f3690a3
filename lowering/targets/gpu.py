"""A GPU, and the tiles of a matrix product that its workgroups and threads compute.

IREE's choice of tensor cores for 16-bit products is good. For products in float32 and float64 its
threads load from memory on their own, for up to 128 columns each, and products of one row get one
warp for each 128 columns. So these get explicit tiles, if the tiles divide the sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.targets.vector_unit import divisor
from rnn_compiler.schema.dtypes import ELEMENTS

__all__ = ["Gpu", "Tiling"]


@dataclass(frozen=True)
class Tiling:
    """The tiles of a product for a GPU's threads.

    Attributes:
        pipeline: IREE's pipeline for its dispatch.
        threads: The number of threads of a workgroup.
        warp: The number of threads of a warp.
        levels: Tiles of the product's axes (rows, columns, inner), by level.
    """

    pipeline: str
    threads: int
    warp: int
    levels: Mapping[str, Sequence[int] | Sequence[Sequence[int]]]


_LARGE = 1 << 20
"""The fewest elements of a result with large tiles: from here on there are enough workgroups."""


@dataclass(frozen=True)
class Gpu:
    """A GPU.

    Attributes:
        warp: The number of threads of a warp, which run in lockstep.
    """

    warp: int = 32

    def product(self, rows: int, columns: int, inner: int, element: str) -> Tiling | None:
        """The tiling of a product ``[rows, inner] @ [inner, columns]``.

        The weights of a product of one row must lie transposed, ``[columns, inner]``.

        Returns:
            The tiling; None to leave it to IREE.
        """
        size = ELEMENTS[element].bits // 8
        if rows == 1:
            return self._row(columns, inner, size)
        if size < 4:
            return None
        return self._tiles(rows, columns, inner)

    def _row(self, columns: int, inner: int, size: int) -> Tiling | None:
        """One warp per column; its lanes read vectors of 16 bytes side by side."""
        lane = divisor(inner, 16 // size)
        while lane > 1 and inner % (lane * self.warp):
            lane //= 2
        if inner % (lane * self.warp):
            return None
        warps = divisor(columns, 4)
        levels: dict[str, list[int] | list[list[int]]] = {
            "lane_basis": [[1, 1, self.warp], [0, 1, 2]],
            "partial_reduction": [0, 0, lane * self.warp],
            "subgroup_basis": [[1, warps, 1], [0, 1, 2]],
            "thread": [0, 0, lane],
            "workgroup": [1, warps, 0],
        }
        return Tiling("VectorDistribute", self.warp * warps, self.warp, levels)

    def _tiles(self, rows: int, columns: int, inner: int) -> Tiling | None:
        """Both operands in shared memory, a few rows and columns of the result per thread."""
        step = divisor(inner, 32)
        if step < 8:
            return None
        if rows * columns >= _LARGE and rows % 128 == 0 and columns % 128 == 0:
            tile, thread, step = (128, 128), (8, 8), divisor(inner, 16)
        else:
            high = divisor(rows, 64)
            if high < min(rows, 8):  # IREE would pad such rows
                return None
            thread = (divisor(high, 4) if high > 16 else 1, divisor(columns, 4))
            wide = divisor(columns, max(32, 64 * thread[0] * thread[1] // high))
            tile = (high, wide)
        if tile[1] % thread[1]:
            return None
        threads = tile[0] * tile[1] // (thread[0] * thread[1])
        if not self.warp <= threads <= 1024:
            return None
        levels = {
            "promote_operands": [0, 1],
            "reduction": [0, 0, step],
            "thread": [*thread, 0],
            "workgroup": [*tile, 0],
        }
        return Tiling("TileAndFuse", threads, self.warp, levels)
