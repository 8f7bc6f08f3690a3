"""How a processor multiplies int8 numbers and sums the products in int32.

| | numbers in a lane | instruction |
|---|---|---|
| avx512vnni, avxvnni | 4 | `vpdpbusd`, of weights with 128 added: they are unsigned |
| other x86 | 2, widened to 16 bits | `pmaddwd`, whose sums of two cannot overflow |
| dotprod, of aarch64 | 4 | `sdot` |
| other | 1, widened to 32 bits | multiplication |

x86's `vpmaddubsw` is not used: its 16-bit sums saturate.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["OFFSET", "Int8Dot"]

OFFSET = 128
"""The number added to weights that an instruction takes as unsigned."""


@dataclass(frozen=True)
class Int8Dot:
    """The products of a vector unit.

    Attributes:
        group: The number of adjacent numbers that a lane sums.
        names: LLVM's names of the instruction, by the bits of a register.
        is_offset: Whether `OFFSET` is added to weights.
    """

    group: int = 1
    names: tuple[tuple[int, str], ...] = ()
    is_offset: bool = False

    @classmethod
    def of(cls, architecture: str, features: Collection[str]) -> Int8Dot:
        """The products of a processor."""
        known = {*features}
        for needed, dot in _DOTS.get(architecture, []):
            if needed <= known:
                return dot
        return cls()

    @property
    def lhs(self) -> str:
        """The element type of the left-hand side."""
        return f"i{32 // self.group}"

    def groups(self, count: int) -> int:
        """The number of groups for `count` numbers; at least 2, since IREE drops axes of 1."""
        return max(2, -(-count // self.group))

    def instruction(self, lanes: int) -> str:
        """LLVM's name of the instruction for a number of lanes."""
        return dict(self.names)[32 * lanes]


_VNNI = Int8Dot(
    4, tuple((bits, f"llvm.x86.avx512.vpdpbusd.{bits}") for bits in (128, 256, 512)), is_offset=True
)
_MADD = Int8Dot(
    2,
    (
        (128, "llvm.x86.sse2.pmadd.wd"),
        (256, "llvm.x86.avx2.pmadd.wd"),
        (512, "llvm.x86.avx512.pmaddw.d.512"),
    ),
)
_SDOT = Int8Dot(4, ((128, "llvm.aarch64.neon.sdot.v4i32.v16i8"),))

_DOTS: dict[str, list[tuple[set[str], Int8Dot]]] = {
    "x86_64": [
        ({"avx512f", "avx512vl", "avx512vnni"}, _VNNI),
        ({"avx512f", "avx512bw"}, _MADD),
        ({"avxvnni"}, _VNNI),
        ({"avx512f"}, Int8Dot()),
        (set(), _MADD),
    ],
    "aarch64": [({"dotprod"}, _SDOT)],
}
"""The products by the features that they need, best first."""
