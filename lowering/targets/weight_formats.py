"""The formats of weights on a CPU: how they are stored in panels, and what multiplies them.

| weights | processor | left-hand side | group | multiplied by |
|---|---|---|---|---|
| bfloat16 | avx512bf16 | bfloat16 | 2 | `vdpbf16ps` |
| | bf16, of aarch64 | bfloat16 | 2 | `bfdot` |
| | fma | float32 | 2 | widened in registers |
| float16, for a single row | f16c | float32 | | widened in registers |
| int8 | avx512vnni, avxvnni | int8 | 4 | `vpdpbusd`, with 128 added: it takes them as unsigned |
| | avx512bw, avx2, sse2 | int8, as 16 bits | 2 | `pmaddwd`, whose sums of two cannot overflow |
| | dotprod, of aarch64 | int8 | 4 | `sdot` |
| | other | int8, as 32 bits | 1 | multiplication |
| other | any | the type of the product | | converted before packing |

A group is some numbers of a column, adjacent in its panel, whose products an instruction sums in a
lane. The instruction must exist for the widest registers that the features give. x86's
`vpmaddubsw` is not used: its 16-bit sums saturate.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from rnn_compiler.schema.dtypes import ELEMENTS

__all__ = ["NO_INSTRUCTIONS", "WeightFormat", "plain", "weight_formats"]


@dataclass(frozen=True)
class WeightFormat:
    """A format.

    Attributes:
        weight: The element type of the weights.
        lhs: The element type of the left-hand side.
        result: The element type of the product.
        panel_element: The element type of panels of groups: of the integer that holds a group, or
            of its numbers; empty if panels have no groups.
        group: The numbers of a group.
        instructions: LLVM's names of the instruction that multiplies groups, by the bits of a
            register.
        accumulates: Whether the instruction also adds to the sums.
        is_unsigned: Whether the instruction takes weights as unsigned: half of their range is added
            to them (`offset`).
        quantized_lhs: The element type in which tiles read the left-hand side if its rows are
            quantized to int8 (`cpu.tiles.int8_rows`); otherwise empty.
        per_float32: The number of weights that take the time of one in float32.
        given: The element type that the left-hand side must have; empty for any.
        min_inner: The fewest summed products.
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
    """The formats of a processor, the best for each element type.

    Args:
        architecture: Its architecture.
        features: Its features.
        bits: The width of its registers, which an instruction must fill.

    Example:
        >>> [(each.weight, each.group) for each in weight_formats("x86_64", ["avx", "fma"], 256)]
        [('bf16', 2), ('i8', 1)]
    """
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


NO_INSTRUCTIONS = (_INT8,)
"""The formats of any processor."""

_FORMATS: dict[str, tuple[tuple[tuple[str, ...], WeightFormat], ...]] = {
    "x86_64": (
        (("avx512f", "avx512bf16", "avx512vl"), _DPBF16PS),
        (("fma",), _WIDENED),
        (("f16c",), _HALVES),
        (("avx512f", "avx512vl", "avx512vnni"), _VPDPBUSD),
        (("avx512bw",), _PMADDWD),
        (("avxvnni",), _up_to(256, _VPDPBUSD)),
        (("avx2",), _up_to(256, _PMADDWD)),
        ((), _up_to(128, _PMADDWD)),
    ),
    "aarch64": ((("bf16",), _BFDOT), (("dotprod",), _SDOT)),
}
"""The formats, each with the features that it needs, best first."""
