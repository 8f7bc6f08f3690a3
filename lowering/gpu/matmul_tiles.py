"""A GPU's shares of a matrix product: which tiles a workgroup and a thread compute.

IREE chooses tensor cores for 16-bit products, and well. Products in float32 and float64 it leaves
to threads that read memory alone, up to 128 columns each, and products of one row to one warp for
each 128 columns; so these are told how to be shared out, where the tiles divide the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.kernel.body import Array, Text, divisor

__all__ = ["Gpu", "shared_matmul"]

_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}

_WARP = 32

_LARGE = 1 << 20
"""Elements of a result from which on its tiles are large: there are workgroups enough."""


@dataclass(frozen=True)
class Gpu:
    """A GPU that IREE compiles for by way of PTX."""

    def product(self, rows: int, columns: int, inner: int, element: str) -> str | None:
        """How a product ``[rows, inner] @ [inner, columns]`` is shared out.

        The weights of a product of one row must lie transposed, ``[columns, inner]``.

        Returns:
            An attribute of `linalg.matmul`; None where IREE is left to choose.
        """
        if rows == 1:
            return self._row(columns, inner, element)
        if _BYTES[element] < 4:
            return None
        return self._tiles(rows, columns, inner)

    def _row(self, columns: int, inner: int, element: str) -> str | None:
        """A warp for each column; its lanes read vectors of 16 bytes side by side."""
        lane = divisor(inner, 16 // _BYTES[element])
        while lane > 1 and inner % (lane * _WARP):
            lane //= 2
        if inner % (lane * _WARP):
            return None
        warps = divisor(columns, 4)
        return _info(
            "VectorDistribute",
            _WARP * warps,
            lane_basis=[[1, 1, _WARP], [0, 1, 2]],
            partial_reduction=[0, 0, lane * _WARP],
            subgroup_basis=[[1, warps, 1], [0, 1, 2]],
            thread=[0, 0, lane],
            workgroup=[1, warps, 0],
        )

    def _tiles(self, rows: int, columns: int, inner: int) -> str | None:
        """Both operands through shared memory, a few rows and columns of the result a thread."""
        step = divisor(inner, 32)
        if step < 8:
            return None
        if rows * columns >= _LARGE and rows % 128 == 0 and columns % 128 == 0:
            tile, thread, step = (128, 128), (8, 8), divisor(inner, 16)
        else:
            high = divisor(rows, 64)
            if high < min(rows, 8):  # IREE pads such rows
                return None
            thread = (divisor(high, 4) if high > 16 else 1, divisor(columns, 4))
            wide = divisor(columns, max(32, 64 * thread[0] * thread[1] // high))
            tile = (high, wide)
        if tile[1] % thread[1]:
            return None
        threads = tile[0] * tile[1] // (thread[0] * thread[1])
        if not _WARP <= threads <= 1024:
            return None
        return _info(
            "TileAndFuse",
            threads,
            promote_operands=[0, 1],
            reduction=[0, 0, step],
            thread=[*thread, 0],
            workgroup=[*tile, 0],
        )


def shared_matmul(
    text: Text, lhs: Array, rhs: Array, axes: tuple[int, int], element: str, shares: str
) -> Array:
    """Emits a matrix product that is shared out in a given way.

    Args:
        text: Where to.
        lhs: The left-hand side.
        rhs: The right-hand side.
        axes: The contracted axis of each.
        element: Element type of the result.
        shares: What `Gpu.product` gave.
    """
    result = Array("", (lhs.shape[1 - axes[0]], rhs.shape[1 - axes[1]]), element)
    left, right = ("(d2, d0)", "(d0, d2)")[axes[0]], ("(d2, d1)", "(d1, d2)")[axes[1]]
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> {m}>" for m in (left, right, "(d0, d1)"))
    zero = text(f"arith.constant 0.0 : {element}")
    empty = text(f"tensor.empty() : {result.type}")
    start = text(
        f"linalg.fill ins({zero} : {element}) outs({empty} : {result.type}) -> {result.type}"
    )
    result.name = text(
        f"linalg.matmul indexing_maps = [{maps}] {{compilation_info = {shares}}} "
        f"ins({lhs.name}, {rhs.name} : {lhs.type}, {rhs.type}) outs({start} : {result.type}) "
        f"-> {result.type}"
    )
    return result


def _info(pipeline: str, threads: int, **levels: Sequence[object]) -> str:
    config = ", ".join(f"{name} = {list(values)}" for name, values in levels.items())
    return (
        "#iree_codegen.compilation_info<"
        f"lowering_config = #iree_gpu.lowering_config<{{{config}}}>, "
        "translation_info = #iree_codegen.translation_info<"
        f"pipeline = #iree_gpu.pipeline<{pipeline}> "
        f"workgroup_size = [{threads}, 1, 1] subgroup_size = {_WARP}>>"
    )
