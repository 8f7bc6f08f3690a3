"""A target's vector unit, and the sizes of tiles that suit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rnn_compiler.lowering.targets.weight_formats import (
    NO_INSTRUCTIONS,
    WeightFormat,
    plain,
    weight_formats,
)
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.manifest import TargetSpec

__all__ = ["VectorUnit", "divisor"]


def divisor(size: int, bound: int) -> int:
    """The largest divisor of a size that is not above a bound.

    Example:
        >>> divisor(24, 16), divisor(37, 32)
        (12, 1)
    """
    return next(d for d in range(min(size, bound), 0, -1) if size % d == 0)


_SCALAR = {"": (64, 16)}
"""Width in bits and number of the registers of processors without vectors, with 32 registers of 32
bits: two at a time, because the compiler takes vectors apart."""

_CODE = {2: 10, 5: 12, 3: 16, 4: 20}
"""Panels of units for processors without vectors and with little memory, with the size of their
code in relation to each other. Calls take as many instructions within 2 %. Units that are left
over have a panel of their own."""

_IN_AN_ENGINE: dict[str, Any] = {
    "row_sums": 12,
    "row_unrolled": 2,
    "row_loads": 16,
    "tile_unrolled": 1,
    "step_registers": 1,
    "has_threads": False,
    "widens_float16": False,
}
"""The differences if an engine compiles the code once more. V8 until 2024 moves all loads of an
iteration before its arithmetic, later versions write constants again in every block: short
iterations with few values at a time take a fourth to a half less time. More sums save more than
more rows of weights. There are no threads, and IREE's function that widens float16 is unusable
(`passes/widen_float16.py`)."""

_OPERATIONS, _BYTES = 100_000, 60_000
"""The multiplications and additions, and the bytes of weights, of a step of a microsecond."""


@dataclass(frozen=True)
class VectorUnit:
    """A vector unit.

    Attributes:
        bits: Width of a register.
        registers: The number of registers.
        formats: The formats of weights that it multiplies, beside plain ones.
        rounds_to_float16: Whether an instruction rounds float32 to float16.
        widens_float16: Whether an instruction, or a function of the compiler's, widens float16.
        float64_exponential: Whether the compiler has an exponential function of float64 for it.
        row_sums: Registers of sums of a single row.
        row_unrolled: The most rows of a matrix that an iteration multiplies a single row by.
        row_loads: The most registers of weights that it reads, if it takes several rows; 0 for any.
        tile_unrolled: The most rows of a matrix that an iteration multiplies several rows by.
        step_registers: Registers of each value in the elementwise arithmetic of a step.
        cache: The approximate size in bytes of a core's second-level cache.
        has_threads: Whether threads may share the work of a call.
        has_memory: Whether there is memory for scratch arrays that save time.
    """

    bits: int
    registers: int
    formats: tuple[WeightFormat, ...] = NO_INSTRUCTIONS
    rounds_to_float16: bool = True
    widens_float16: bool = True
    float64_exponential: bool = True
    row_sums: int = 8
    row_unrolled: int = 4
    row_loads: int = 0
    tile_unrolled: int = 4
    step_registers: int = 2
    cache: int = 2 << 20
    has_threads: bool = True
    has_memory: bool = True

    @classmethod
    def of(cls, target: TargetSpec) -> VectorUnit:
        """The vector unit of a target."""
        architecture = ARCHITECTURES[target.architecture]
        features = {*target.features, ""}
        rows = architecture.registers or _SCALAR
        bits, registers = next(rows[feature] for feature in rows if feature in features)
        return cls(
            *(bits, registers),
            formats=weight_formats(target.architecture, features, bits),
            rounds_to_float16=not features.isdisjoint(architecture.rounds_to_float16),
            float64_exponential=architecture.pointer == 8,
            has_memory=architecture.has_memory,
            **(_IN_AN_ENGINE if "js" in architecture.formats else {}),
        )

    def format(self, lhs: str, weight: str, result: str, *, inner: int, rows: int) -> WeightFormat:
        """The format of a product's weights.

        Args:
            lhs: The element type of the left-hand side.
            weight: The element type of the weights.
            result: The element type of the product.
            inner: The number of summed products.
            rows: The number of rows.
        """
        types = lhs, weight, result
        fitting = (each for each in self.formats if each.fits(*types, inner=inner, rows=rows))
        return next(fitting, plain(result))

    def fills_registers(self, *sizes: int, element: str) -> bool:
        """Whether some sizes, in numbers of an element type, each fill registers exactly."""
        return all(size % self.lanes(element) == 0 for size in sizes)

    def lanes(self, element: str) -> int:
        """Numbers in a register, or two; 16-bit types are computed in float32."""
        return max(2, self.bits // DTYPES[ELEMENTS[element].compute].bits)

    def width(self, element: str) -> int:
        """The columns to work on at once: two registers, or one where there are few."""
        return (2 if self.registers >= 16 else 1) * self.lanes(element)

    def step_lanes(self, units: int) -> int:
        """The number of a panel's units that the arithmetic of a step works on at once."""
        if self.step_registers == 1 and self.fills_registers(units, element="f32"):
            return self.lanes("f32")
        return units if units <= self.width("f32") else self.columns(units, "f32")

    def rows_unrolled(self, sums: int) -> int:
        """The rows of a matrix that an iteration multiplies a row by.

        Args:
            sums: The number of registers of sums.
        """
        if not self.row_loads:
            return self.row_unrolled
        return max(1, min(self.row_unrolled, self.row_loads // sums))

    @property
    def rows(self) -> int:
        """The rows of a product that are summed in registers at once."""
        return self.registers // 4

    @property
    def quantized_rows(self) -> int:
        """The most rows of a product that a workgroup quantizes at a time."""
        return 64 if self.has_memory else 4

    def tile_height(self, rows: int) -> int:
        """The rows of the tiles of a step, chosen so that the last tile repeats the fewest rows."""
        if rows <= self.rows:
            return rows
        sizes = range(self.rows, self.rows // 2, -1)
        return min(sizes, key=lambda size: -(-rows // size) * size)

    def cut(self, rows: int, panels: int, weights: int) -> tuple[int, int]:
        """The numbers of parts to cut the units and the rows of a step into, for threads to share.

        Up to eight in all, each of a microsecond or more (`_OPERATIONS`, `_BYTES`), so that sharing
        costs little. Units first: each part then needs its own weights only.

        Args:
            rows: The batch size.
            panels: The number of panels.
            weights: The number of weights that a step reads.
        """
        if not self.has_threads:
            return 1, 1
        time = max(4 * weights / _BYTES, 2 * weights * rows / _OPERATIONS)
        parts = 1
        while parts < 8 and parts * 2 <= time:
            parts *= 2
        units = 1
        while units * 2 <= min(parts, panels):
            units *= 2
        tiles = -(-rows // self.tile_height(rows))
        groups = 1
        while units * groups * 2 <= parts and groups * 2 <= tiles:
            groups *= 2
        return units, groups

    def cuts(self, panels: int, weights: int) -> list[tuple[int, tuple[int, int]]]:
        """The results of `cut` for any batch: pairs of a number of rows and the cut from there on.

        They change where there are operations for twice the parts, and where there are twice the
        tiles, the last of them more than half full.

        Example:
            >>> VectorUnit(512, 32).cuts(4, 4 * 128 * 128)
            [(1, (4, 1)), (13, (4, 2))]
        """
        found: list[tuple[int, tuple[int, int]]] = []
        timely = {-(-parts * _OPERATIONS // max(2 * weights, 1)) for parts in (2, 4, 8)}
        filled = {self.rows * tiles - self.rows // 2 + 1 for tiles in (2, 4, 8)}
        for rows in sorted({1, *timely, *filled}):
            cut = self.cut(rows, panels, weights)
            if not found or cut != found[-1][1]:
                found.append((rows, cut))
        return found

    def panel(
        self, gate_width: int, gates: int, element: str, rows: int = 2, least: int = 1
    ) -> int:
        """The number of units of each gate in a panel.

        Two registers wide. For a single row, about eight over all gates, so that enough sums are
        under way at once, or four, so that there are two panels to share. The rest, if the panels
        do not divide the units, is at least two where possible. Without vectors and with little
        memory, panels for which there is the least code.

        Args:
            gate_width: The number of units.
            gates: The number of gates.
            element: The element type of the sums.
            rows: The number of rows.
            least: The fewest units of a panel that is not the only one.
        """
        width = self.width(element)
        panels = max(1, self.row_sums // 2 // gates)  # per width, a power of two
        panel = width if rows > 1 else width << (panels.bit_length() - 1)
        if panel >= max(gate_width, 2 * width):
            panel //= 2
        if not self.has_memory and self.bits == _SCALAR[""][0]:
            small = [p for p in _CODE if least <= p <= gate_width and gate_width % p != 1]
            rests = {p: _CODE[p] + _CODE.get(gate_width % p, 0) for p in small}
            return min(rests, key=rests.__getitem__, default=gate_width)
        if gate_width <= width or (gate_width <= panel and gate_width % width == 0):
            return gate_width
        if gate_width % panel == 0:
            return panel
        quarter = max(1, width // 4)
        widths, otherwise = (width, 5 * quarter, 3 * quarter, 2 * quarter), width - 1
        if otherwise < least:
            widths, otherwise = range(least, gate_width), gate_width
        return next((p for p in widths if gate_width % p != 1 and p < gate_width), otherwise)

    def columns(self, size: int, element: str) -> int:
        """The width of the tiles that columns are divided into.

        The largest divisor that is at most two registers, and a power of two from half a register
        on if there is one, because code for other widths is slow.
        """
        width = self.width(element)
        divisors = [d for d in range(min(size, width), 0, -1) if size % d == 0]
        powers = [d for d in divisors if d & (d - 1) == 0 and d >= width // 4]
        return (powers or divisors)[0]
