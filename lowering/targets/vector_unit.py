"""A target's vector unit, and the sizes of tiles that suit it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.manifest import TargetSpec

# The formats of weights on a CPU: how they are stored in panels, and what multiplies them.
#
# | weights | processor | left-hand side | group | multiplied by |
# |---|---|---|---|---|
# | bfloat16 | amx-bf16 | bfloat16 | 2 | `tdpbf16ps`, or widened in registers in its order |
# | | amx-tile | float32 | 2 | widened in registers: Intel's `vdpbf16ps` is slower |
# | | avx512bf16 | bfloat16 | 2 | `vdpbf16ps` |
# | | bf16, of aarch64 | bfloat16 | 2 | `bfdot` |
# | | fma | float32 | 2 | widened in registers |
# | float16, for a single row | f16c | float32 | | widened in registers |
# | int8 | amx-int8 | int8 | 4 | `tdpbsud`, or `vpdpbusd` |
# | | avx512vnni, avxvnni | int8 | 4 | `vpdpbusd`, with 128 added: it takes them as unsigned |
# | | avx512bw, avx2, sse2 | int8, as 16 bits | 2 | `pmaddwd`, whose sums of two cannot overflow |
# | | dotprod, of aarch64 | int8 | 4 | `sdot` |
# | | other | int8, as 32 bits | 1 | multiplication |
# | other | any | the type of the product | | converted before packing |
#
# A group is some numbers of a column, adjacent in its panel, whose products an instruction sums
# in a lane. The instruction must exist for the widest registers that the features give. x86's
# `vpmaddubsw` is not used: its 16-bit sums saturate.


@dataclass(frozen=True)
class WeightFormat:
    """A format.

    Attributes:
        panel_element: The element type of panels of groups: of the integer that holds a group, or
            of its numbers; empty if panels have no groups.
        group: The numbers of a group.
        instructions: LLVM's names of the instruction that multiplies groups, by the bits of a
            register.
        accumulates: Whether the instruction also adds to the sums.
        is_unsigned: Whether the instruction takes weights as unsigned: half of their range is added
            to them (`offset`).
        quantized_lhs: The element type in which tiles read the left-hand side if its rows are
            quantized to int8 (`cpu.row_quantization`); otherwise empty.
        tiles: The instruction of a matrix unit that multiplies tiles (`cpu.matrix_unit`); empty if
            there is none. Where it does not suit a product, or the system refuses it, the tiles of
            registers give the same bits.
        summed: The numbers along K whose products are summed, the even and the odd ones apart,
            before they are added to the total; 0 if products are added to it one by one.
        per_float32: The number of weights that take the time of one in float32.
        given: The element type that the left-hand side must have; empty for any.
        max_rows: The most rows; 0 for any number.
    """

    weight: str
    lhs: str
    result: str
    panel_element: str = ""
    group: int = 1
    instructions: tuple[tuple[int, str], ...] = ()
    accumulates: bool = True
    is_unsigned: bool = False
    quantized_lhs: str = ""
    tiles: str = ""
    summed: int = 0
    per_float32: int = 1
    given: str = ""
    min_inner: int = 0
    max_rows: int = 0

    @property
    def is_grouped(self) -> bool:
        """Whether panels have groups, possibly of one number each."""
        return self.panel_element != ""

    @property
    def multiplies_groups(self) -> bool:
        """Whether an instruction multiplies groups; otherwise their numbers are taken apart."""
        return len(self.instructions) > 0

    @property
    def is_quantized(self) -> bool:
        """Whether rows of the left-hand side are quantized, and the sums of a tile scaled."""
        return self.quantized_lhs != ""

    @property
    def sums(self) -> str:
        """The element type of a tile's sums."""
        return "i32" if self.is_quantized else self.result

    @property
    def is_plain(self) -> bool:
        """Whether weights are converted to the type of the product before they are packed."""
        return self.weight == self.result

    def fits(self, lhs: str, weight: str, result: str, *, inner: int, rows: int) -> bool:
        """Whether it suits a product; the arguments are those of `VectorUnit.format`."""
        is_type = (weight, result) == (self.weight, self.result) and self.given in ("", lhs)
        return is_type and inner >= self.min_inner and (not self.max_rows or rows <= self.max_rows)

    @property
    def tile_rows(self) -> int:
        """The most rows that a matrix unit multiplies at once; 0 without one."""
        return 32 if self.tiles else 0

    @property
    def offset(self) -> int:
        """The number that is added to all weights: 128 to those of int8, by flipping the sign."""
        return 1 << (ELEMENTS[self.weight].bits - 1) if self.is_unsigned else 0

    def groups(self, count: int) -> int:
        """The number of groups for `count` numbers; at least 2, since IREE drops axes of 1."""
        return max(2, -(-count // self.group))

    def width(self, columns: int) -> int:
        """The elements of some columns in a row of a panel."""
        return columns * self._elements

    def columns(self, width: int) -> int:
        """The columns of a panel whose rows have some elements."""
        return width // self._elements

    @property
    def _elements(self) -> int:
        """The elements of a group."""
        element = ELEMENTS[self.panel_element or self.weight]
        return self.group * ELEMENTS[self.weight].bits // element.bits

    def instruction(self, lanes: int) -> str:
        """LLVM's name of the instruction for some lanes of 32 bits."""
        return dict(self.instructions)[32 * lanes]


def plain(element: str) -> WeightFormat:
    """The format of weights that are converted to the type of the product before packing."""
    return WeightFormat(element, element, element)


def weight_formats(
    architecture: str, features: Collection[str], bits: int
) -> tuple[WeightFormat, ...]:
    """The formats of a processor, the best for each element type, that fill its registers."""
    known, found = {*features}, dict[str, WeightFormat]()
    for needed, format in (*_FORMATS.get(architecture, ()), ((), _INT8)):
        fills = not format.instructions or bits in dict(format.instructions)
        if known.issuperset(needed) and fills:
            found.setdefault(format.weight, format)
    return (*found.values(),)


_WIDENED = WeightFormat(
    "bf16", "f32", "f32", panel_element="i32", group=2, given="bf16", min_inner=3
)
_DPBF16PS = replace(
    _WIDENED,
    lhs="bf16",
    instructions=tuple((size, f"llvm.x86.avx512bf16.dpbf16ps.{size}") for size in (128, 256, 512)),
)
_TDPBF16PS = replace(_WIDENED, lhs="bf16", tiles="tdpbf16ps", summed=32)
_BFDOT = replace(_DPBF16PS, instructions=((128, "llvm.aarch64.neon.bfdot"),))

_HALVES = WeightFormat("f16", "f32", "f32", max_rows=1)

_INT8 = WeightFormat("i8", "f32", "f32", panel_element="i8", quantized_lhs="i32", per_float32=4)
_VPDPBUSD = replace(
    _INT8,
    quantized_lhs="i8",
    group=4,
    instructions=tuple((size, f"llvm.x86.avx512.vpdpbusd.{size}") for size in (128, 256, 512)),
    is_unsigned=True,
)
_TDPBSUD = replace(_VPDPBUSD, tiles="tdpbsud")
_PMADDWD = replace(
    _INT8,
    quantized_lhs="i16",
    group=2,
    accumulates=False,
    instructions=(
        (128, "llvm.x86.sse2.pmadd.wd"),
        (256, "llvm.x86.avx2.pmadd.wd"),
        (512, "llvm.x86.avx512.pmaddw.d.512"),
    ),
)
_SDOT = replace(
    _INT8, quantized_lhs="i8", group=4, instructions=((128, "llvm.aarch64.neon.sdot.v4i32.v16i8"),)
)


def _up_to(bits: int, format: WeightFormat) -> WeightFormat:
    """A format without the instructions for wider registers."""
    few = tuple((size, name) for size, name in format.instructions if size <= bits)
    return replace(format, instructions=few)


# What else depends on the core. Neither changes a bit.
#
# On Intel's processors, which alone have amx-tile, a division of 512 bits issues once in 16 cycles.
# Steps of Newton's method are eleven instructions, of which two issue in a cycle. On AMD's Zen 4,
# where a division takes 10 cycles and one of these instructions a cycle, the steps are slower.
# A panel of more than 384 numbers along K does not fit Intel's first-level cache, and each tile of
# rows reads it from the second; on Zen 4 higher tiles gain nothing.

CORES: dict[str, tuple[tuple[tuple[str, ...], dict[str, Any]], ...]] = {
    "x86_64": (
        (("avx512f", "amx-tile"), {"logistic": "by_steps", "plain_rows": 13}),
        (("fma",), {"logistic": "divided"}),
    ),
}
"""The differences between cores, each with the features that it needs, best first."""


def _core(architecture: str, features: Collection[str]) -> dict[str, Any]:
    """The differences of a processor."""
    known = {*features}
    cores = CORES.get(architecture, ())
    fitting = (each for needed, each in cores if known.issuperset(needed))
    return next(fitting, dict[str, Any]())


NO_INSTRUCTIONS = (_INT8,)
"""The formats of any processor."""

_FORMATS: dict[str, tuple[tuple[tuple[str, ...], WeightFormat], ...]] = {
    "x86_64": (
        (("avx512f", "amx-bf16"), _TDPBF16PS),
        (("fma", "amx-tile"), _WIDENED),
        (("avx512f", "avx512bf16", "avx512vl"), _DPBF16PS),
        (("fma",), _WIDENED),
        (("f16c",), _HALVES),
        (("avx512f", "avx512vl", "avx512vnni", "amx-int8"), _TDPBSUD),
        (("avx512f", "avx512vl", "avx512vnni"), _VPDPBUSD),
        (("avx512bw",), _PMADDWD),
        (("avxvnni",), _up_to(256, _VPDPBUSD)),
        (("avx2",), _up_to(256, _PMADDWD)),
        ((), _up_to(128, _PMADDWD)),
    ),
    "aarch64": ((("bf16",), _BFDOT), (("dotprod",), _SDOT)),
}
"""The formats, each with the features that it needs, best first."""


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

_SMALLEST = 2
"""The units of a panel for which there is the least code, without vectors. Calls take as many
instructions with 2 to 5 within 2 %."""

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
(`passes/iree_faults/widen_float16.py`)."""

_OPERATIONS, _BYTES = 100_000, 60_000
"""The multiplications and additions, and the bytes of weights, of a step of a microsecond."""


@dataclass(frozen=True)
class VectorUnit:
    """A vector unit.

    Attributes:
        formats: The formats of weights that it multiplies, beside plain ones.
        rounds_to_float16: Whether an instruction rounds float32 to float16.
        widens_float16: Whether an instruction, or a function of the compiler's, widens float16.
        float64_exponential: Whether the compiler has an exponential function of float64 for it.
        logistic: How the logistic function of float32 is composed (`passes.logistic`): "divided",
            or "by_steps" where a division takes long; empty if it is left to the compiler.
        plain_rows: The most rows of a tile of weights in the type of the product; 0: `rows`.
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
    float64_unit: bool = True
    float64_exponential: bool = True
    logistic: str = ""
    plain_rows: int = 0
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
            float64_unit=not features.isdisjoint(architecture.float64_unit),
            float64_exponential=architecture.pointer == 8,
            **_core(target.architecture, features),
            has_memory=architecture.has_memory,
            **(_IN_AN_ENGINE if "js" in architecture.formats else {}),
        )

    def format(self, lhs: str, weight: str, result: str, *, inner: int, rows: int) -> WeightFormat:
        """The format of a product's weights."""
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
        """The rows of a matrix that an iteration multiplies a row by, for `sums` registers."""
        if not self.row_loads:
            return self.row_unrolled
        return max(1, min(self.row_unrolled, self.row_loads // sums))

    @property
    def overlaps_panels(self) -> bool:
        """Whether the last panel of units overlaps the one before it.

        Then no units are left over that need code of their own. Without vectors, because panels
        start anywhere, and with little memory.
        """
        return not self.has_memory and self.bits == _SCALAR[""][0]

    @property
    def rows(self) -> int:
        """The rows of a product that are summed in registers at once."""
        return self.registers // 4

    def tile_rows(self, format: WeightFormat) -> int:
        """The most rows of a tile of weights in a format."""
        return format.tile_rows or (self.plain_rows if format.is_plain else 0) or self.rows

    @property
    def quantized_rows(self) -> int:
        """The most rows of a product that a workgroup quantizes at a time."""
        return 64 if self.has_memory else 4

    def tile_height(self, rows: int, most: int = 0) -> int:
        """The rows of the tiles of a step, chosen so that the last tile repeats the fewest rows.

        They have at most `most` rows, or as many as are summed in registers at once. For higher
        tiles of plain weights, reading a panel again costs about as much as another row.
        """
        most = most or self.rows
        if rows <= most:
            return rows
        again = int(most == self.plain_rows)
        sizes = range(most, most // 2, -1)
        return min(sizes, key=lambda size: -(-rows // size) * (size + again))

    def cut(self, rows: int, panels: int, weights: int, most: int = 0) -> tuple[int, int]:
        """The numbers of parts to cut the units and the rows of a step into, for threads to share.

        Up to eight in all, each of a microsecond or more (`_OPERATIONS`, `_BYTES`), so that sharing
        costs little. Units first: each part then needs its own weights only. Tiles have at most
        `most` rows, as in `tile_height`.
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
        tiles = -(-rows // self.tile_height(rows, most))
        groups = 1
        while units * groups * 2 <= parts and groups * 2 <= tiles:
            groups *= 2
        return units, groups

    def cuts(self, panels: int, weights: int, most: int = 0) -> list[tuple[int, tuple[int, int]]]:
        """The results of `cut` for any batch: pairs of a number of rows and the cut from there on.

        They change where there are operations for twice the parts, and where there are twice the
        tiles, the last of them more than half full.

        Example:
            >>> VectorUnit(512, 32).cuts(4, 4 * 128 * 128)
            [(1, (4, 1)), (13, (4, 2))]
        """
        found: list[tuple[int, tuple[int, int]]] = []
        timely = {-(-parts * _OPERATIONS // max(2 * weights, 1)) for parts in (2, 4, 8)}
        high = most or self.rows
        filled = {high * tiles - high // 2 + 1 for tiles in (2, 4, 8)}
        for rows in sorted({1, *timely, *filled}):
            cut = self.cut(rows, panels, weights, most)
            if not found or cut != found[-1][1]:
                found.append((rows, cut))
        return found

    def panel(
        self, gate_width: int, gates: int, element: str, rows: int = 2, least: int = 1
    ) -> int:
        """The number of units of each gate in a panel: two registers wide.

        For a single row, about eight over all gates, so that enough sums are under way at once, or
        four, so that there are two panels to share. The rest, if the panels do not divide the
        units, is at least two where possible. If panels overlap, those for which there is the
        least code. No panel but the only one has fewer than `least` units.
        """
        width = self.width(element)
        panels = max(1, self.row_sums // 2 // gates)  # per width, a power of two
        panel = width if rows > 1 else width << (panels.bit_length() - 1)
        if panel >= max(gate_width, 2 * width):
            panel //= 2
        if self.overlaps_panels:
            return min(max(_SMALLEST, least), gate_width)
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
