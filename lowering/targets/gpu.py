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


@dataclass(frozen=True)
class Tiling:
    """The tiles of a product for a GPU's threads.

    Attributes:
        pipeline: IREE's pipeline for its dispatch.
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
    """A GPU."""

    warp: int = 32

    def product(self, rows: int, columns: int, inner: int, element: str) -> Tiling | None:
        """The tiling of ``[rows, inner] @ [inner, columns]``; None to leave it to IREE.

        The weights of a product of one row must lie transposed, ``[columns, inner]``.
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


# The CUDA architectures that code is compiled for, and common names for them.
#
# Code for a GPU is PTX, which the driver translates for the GPU it finds when a module is loaded.
# PTX for one architecture runs on that and on every later one, so a GPU that IREE has no code for
# is served by an earlier one's. IREE's compiler must not see other names: it has no code for
# ``sm_90`` and ``sm_100`` (`tests/traps/test_cuda_targets.py`), and does not survive some others.
# For Volta and Turing it would write tensor-core instructions that only later GPUs have; so they
# get the code for sm_60, which uses none.
#
# Sources: NVIDIA's table of compute capabilities (https://developer.nvidia.com/cuda-gpus); CUDA
# C++ Programming Guide, "PTX compatibility".

DEFAULT = "sm_80"
"""The architecture for ``cuda`` alone: it suits every data-centre GPU since 2020."""

ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "sm_60": (
        *("pascal", "p100", "sm_61", "sm_62", "gtx1080"),
        *("volta", "sm_70", "v100", "titanv", "sm_72"),
        *("turing", "sm_75", "t4", "rtx2060", "rtx2070", "rtx2080", "rtx2080ti"),
    ),
    "sm_80": (
        *("ampere", "a100", "a30", "sm_87", "orin"),
        *("hopper", "h100", "h200", "gh200", "sm_90", "sm_90a"),
        *("b100", "b200", "gb200", "sm_100", "sm_100a", "sm_103"),
    ),
    "sm_86": (
        *("a2", "a10", "a10g", "a16", "a40", "a6000"),
        *("rtx3060", "rtx3070", "rtx3080", "rtx3090", "rtx3090ti"),
    ),
    "sm_89": ("ada", "l4", "l40", "l40s", "rtx4060", "rtx4070", "rtx4080", "rtx4090"),
    "sm_120": ("rtx5060", "rtx5070", "rtx5080", "rtx5090", "sm_121"),
}
"""The architectures that code is compiled for: other names of each, and later ones it serves."""

_BY_NAME = {
    name: architecture for architecture, names in ARCHITECTURES.items() for name in names
} | {architecture: architecture for architecture in ARCHITECTURES}


def architecture_of(name: str) -> str | None:
    """The architecture to compile for; None if the name is unknown.

    Example:
        >>> architecture_of("sm_86"), architecture_of("h100"), architecture_of("k80")
        ('sm_86', 'sm_80', None)
    """
    return _BY_NAME.get(name)
