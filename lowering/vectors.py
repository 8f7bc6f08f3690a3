"""A target's vector unit, and the sizes of tiles that suit it."""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.manifest import TargetSpec

__all__ = ["VectorUnit"]

_BITS = {"f16": 32, "bf16": 32, "f32": 32, "f64": 64}  # 16-bit types are computed in f32


@dataclass(frozen=True)
class VectorUnit:
    """A vector unit.

    Attributes:
        bits: Width of a register.
        registers: How many there are.
    """

    bits: int
    registers: int

    @classmethod
    def of(cls, target: TargetSpec) -> VectorUnit:
        """That of a target."""
        if "avx512f" in target.features:
            return cls(512, 32)
        if "avx" in target.features:
            return cls(256, 16)
        return cls(128, 16 if target.architecture.startswith("x86") else 32)

    def lanes(self, element: str) -> int:
        """Numbers in a register."""
        return self.bits // _BITS[element]

    def width(self, element: str) -> int:
        """Columns that are worked on at once: two registers."""
        return 2 * self.lanes(element)

    @property
    def rows(self) -> int:
        """Rows of a product that are summed in registers at once."""
        return self.registers // 4

    def row_block(self, rows: int) -> int:
        """Rows of a block, such that blocks of it, the last overlapping, repeat the fewest."""
        if rows <= self.rows:
            return rows
        sizes = range(self.rows, self.rows // 2, -1)
        return min(sizes, key=lambda size: -(-rows // size) * size)

    def panel(self, unit: int, gates: int, element: str) -> int:
        """How many units of each gate make a panel.

        A panel is about eight registers wide over all gates, so that a single row has enough sums
        under way at once; its rest, if the units do not divide, is at least two.
        """
        width = self.width(element)
        panel = max(width, 4 * width // gates // width * width)
        if unit <= width or (unit <= panel and unit % width == 0):
            return unit
        if unit % panel:
            panel = width
        while unit % panel == 1:
            panel -= max(1, width // 8)
        return panel
