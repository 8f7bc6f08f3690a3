"""Products by Intel's matrix unit, AMX: tiles of 16 rows, 16 columns and 64 bytes along K.

    for 16 or 32 rows of the left-hand side, for 64 bytes along K:
      left = 16 rows of 64 bytes, read in place                   # tileloadd, once for each 16 rows
      right = 16 groups of 16 columns of the panel, read in place      # tileloaddt1, for each half
      sums[left, right] += left @ right                                # tdpbf16ps or tdpbsud

A panel is the same as for registers: its row of 16 groups is a row of a tile. The last 16 rows
overlap the ones before, and compute some numbers again. What is left along K is multiplied by
smaller tiles. LLVM allocates the registers and writes their configuration at the beginning of the
function. It gives a register one shape in a function, and there are 8, so a dispatch keeps to those
of its first product (`MatrixUnit.takes`).

The blocks of an outer sum (`cpu.products.outer_sum`) are 16 rows of 64 bytes, one after the other.

Linux ends a process that uses the data of tiles without permission, which a new program never has.
So the code of each dispatch asks for it at its beginning, and branches to the tiles of registers
(`cpu.tiles`) where it is refused: a process with a signal stack that is too small for tiles is, and
so may be one in a sandbox.

`tdpbf16ps` sums the even and the odd products of 32 numbers along K apart, each in order and
rounded once, and adds both to each other and then to the total. Denormal numbers are zero. The
other tiles do the same (`cpu.tiles`), so neither permission nor the number of rows changes a bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rnn_compiler.lowering.codegen.attributes import segments
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    Number,
    Place,
    bits,
    known,
)
from rnn_compiler.lowering.codegen.executable import DispatchBuilder
from rnn_compiler.lowering.codegen.registers import accumulate
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.targets.vector_unit import WeightFormat

ROWS, COLUMNS, _BYTES = 16, 16, 64
"""The rows of a tile, its columns of 32 bits, and the bytes of a row."""

_FEWEST = 4
"""The fewest rows for the unit; with fewer, reading the weights takes longer than multiplying."""

_PANELS = (COLUMNS, 2 * COLUMNS)
"""The columns of panels that are one tile wide, or two."""

_ARCH_PRCTL, _REQUEST, _TILE_DATA = 158, 0x1023, 18
"""Linux's number of arch_prctl(2) on x86-64, its request for permission (ARCH_REQ_XCOMP_PERM), and
the number of the state."""


class MatrixUnit:
    """The matrix unit as the code of one dispatch uses it."""

    def __init__(self, executable: DispatchBuilder) -> None:
        self._executable = executable
        self._rows = self._high = 0
        self._rest: int | None = None
        self._stack: list[Array] = []

    def takes(self, format: WeightFormat, lhs: Array, panel: Array) -> bool:
        """Whether tiles multiply some rows and a panel; the dispatch then has their shapes.

        With two tiles of rows there is no register left for a shape of the rest along K.
        """
        if not format.tiles or len(lhs.shape) != 2 or lhs.place is None or panel.place is None:
            return False
        (rows, inner), (groups, width) = known(lhs.shape), known(panel.shape)
        if panel.element != format.panel_element or format.columns(width) not in _PANELS:
            return False
        if rows < _FEWEST or groups * format.group != inner:
            return False
        rest = inner * bits(lhs.element) // 8 % _BYTES
        height = min(rows, ROWS)
        if not self._rows:
            self._rows, self._high = height, 1 if rest or rows <= ROWS else 2
        if height != self._rows or (rest and (self._high == 2 or self._rest not in (None, rest))):
            return False
        self._rest = rest or self._rest
        return True

    @cached_property
    def permitted(self) -> Number:
        """Whether the system lets the process use tiles: the code asks at its beginning."""
        body = self._executable.beginning
        numbers = [body.constant(n, "i64") for n in (_ARCH_PRCTL, _REQUEST, _TILE_DATA)]
        attributes = {
            "asm_string": ir.StringAttr.get("syscall"),
            "constraints": ir.StringAttr.get("={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}"),
            "has_side_effects": ir.UnitAttr.get(),
        }
        refused = body.number("llvm.inline_asm", numbers, "i64", attributes=attributes)
        return body.compare("eq", refused, body.constant(0, "i64"))

    def stack(self, number: int, rows: int, columns: int, element: str) -> Array:
        """The memory for a product on the stack; products with other numbers have their own."""
        if number == len(self._stack):
            self._stack.append(self._executable.stack(ArrayType((rows, columns), element)))
        made = self._stack[number]
        high, wide = known(made.shape)
        if rows <= high and (columns, element) == (wide, made.element):
            return made
        self._stack[number] = self._executable.stack(ArrayType((rows, columns), element))
        return self._stack[number]

    def multiply(
        self,
        body: Body,
        format: WeightFormat,
        lhs: Array,
        panel: Array,
        to: tuple[Array, Sequence[Index]],
    ) -> None:
        """Emits the product of some rows and a panel that it takes, to a position of an array."""
        (rows, inner), (made, (row, column)) = known(lhs.shape), to
        wide = format.columns(known(panel.shape)[1])
        starts = [*range(0, rows - self._rows, self._rows), rows - self._rows]
        whole, rest = divmod(inner * bits(lhs.element) // 8, _BYTES)
        for first in range(0, len(starts), self._high):
            some = starts[first : first + self._high]
            _TileBlock(
                body,
                format,
                _TileSide(
                    [_address(body, lhs, [each, 0]) for each in some], _stride(body, lhs), _BYTES
                ),
                self._right(body, format, panel, wide),
                [
                    _address(body, made, [row + each, column + half])
                    for each in some
                    for half in range(0, wide, COLUMNS)
                ],
                _stride(body, made),
            ).emit(self._rows, whole, rest)

    def multiply_blocks(
        self, body: Body, format: WeightFormat, blocks: Array, panel: Array, count: Index, to: Array
    ) -> None:
        """Emits the product of some blocks ``[16, 16]`` of 16 rows, one after the other along K."""
        wide = format.columns(known(panel.shape[1:])[0])
        _TileBlock(
            body,
            format,
            _TileSide(
                [_address(body, blocks, [0, 0, 0])], body.constant(_BYTES, "i64"), ROWS * _BYTES
            ),
            self._right(body, format, panel, wide),
            [_address(body, to, [0, half]) for half in range(0, wide, COLUMNS)],
            _stride(body, to),
        ).emit(ROWS, count)

    @staticmethod
    def _right(body: Body, format: WeightFormat, panel: Array, wide: int) -> _TileSide:
        """The tiles of a panel: its halves, of 16 groups along K."""
        halves = range(0, wide, COLUMNS)
        addresses = [_address(body, panel, [0, format.width(half)]) for half in halves]
        row_bytes = format.width(wide) * bits(panel.element) // 8
        return _TileSide(addresses, _stride(body, panel), ROWS * row_bytes)


@dataclass(frozen=True)
class _TileSide:
    """The tiles of a side: their addresses, the bytes from row to row, and from step to step."""

    addresses: Sequence[Number]
    stride: Number
    step: int


@dataclass(frozen=True)
class _TileBlock:
    """The sums of one or two tiles on the left, and of one or two on the right.

    Attributes:
        to: The addresses of the sums, those of a left tile next to each other.
        stride: The bytes from row to row of the sums.
    """

    body: Body
    format: WeightFormat
    left: _TileSide
    right: _TileSide
    to: Sequence[Number]
    stride: Number

    def emit(self, rows: int, whole: Index, rest: int = 0) -> None:
        """Emits the products of some steps along K, and of a number of bytes after them."""
        body = self.body
        shape = [body.constant(rows, "i16"), body.constant(_BYTES, "i16")]
        sums = accumulate(
            body,
            whole,
            1,
            [_tile(body, "tilezero", shape) for _ in self.to],
            lambda inside, k, sums: self._add(inside, k, sums, shape, _BYTES),
        )
        if rest:
            sums = self._add(body, body.index(whole), sums, shape, rest)
        for address, total in zip(self.to, sums, strict=True):
            _run(body, "tilestored64", [*shape, _pointer(body, address), self.stride, total])

    def _add(
        self, body: Body, k: Number, sums: Sequence[Number], shape: Sequence[Number], count: int
    ) -> list[Number]:
        """Emits the sums after adding the products of some bytes along K, at most 64."""
        (rows, row_bytes), at = shape, k.to_integer("i64")
        left_bytes, groups = body.constant(count, "i16"), body.constant(count // 4, "i16")

        def load(name: str, of: _TileSide, address: Number, *shape: Number) -> Number:
            here = Number(body, address.value, "i64") + at * of.step
            return _tile(body, name, [*shape, _pointer(body, here), of.stride])

        lefts = [
            load("tileloadd64", self.left, each, rows, left_bytes) for each in self.left.addresses
        ]
        made = [*sums]
        for column, each in enumerate(self.right.addresses):
            weights = load("tileloaddt164", self.right, each, groups, row_bytes)
            for number, numbers in enumerate(lefts):
                which = number * len(self.right.addresses) + column
                operands = [rows, row_bytes, left_bytes, made[which], numbers, weights]
                made[which] = _tile(body, self.format.tiles, operands)
        return made


def _run(
    body: Body, name: str, operands: Sequence[Number | ir.Value], results: Sequence[ir.Type] = ()
) -> ir.Operation:
    """Emits an instruction of tiles, whose registers LLVM allocates."""
    attributes = {
        "intrin": ir.StringAttr.get(f"llvm.x86.{name}.internal"),
        "operandSegmentSizes": segments(len(operands), 0),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
    }
    return body.op("llvm.call_intrinsic", operands, results, attributes)


def _tile(body: Body, name: str, operands: Sequence[Number | ir.Value]) -> Number:
    """Emits an instruction whose result is a tile."""
    tile = ir.Type.parse("!llvm.x86_amx")
    return Number(body, _run(body, name, operands, [tile]).results[0], "x86_amx")


def _pointer(body: Body, address: Number) -> ir.Value:
    return body.op("llvm.inttoptr", [address], [ir.Type.parse("!llvm.ptr")]).results[0]


def _address(body: Body, array: Array, position: Sequence[Index]) -> Number:
    """Emits the address of an element."""
    place = _place(array).at(position)
    offset: Index = 0
    for start, size in zip(place.indices(), place.memory.shape, strict=True):
        offset = offset * size + start
    address = Number(body, place.memory.address.value, "i64")
    return address + body.integer(offset, "i64") * (bits(array.element) // 8)


def _stride(body: Body, array: Array) -> Number:
    """Emits the bytes from one row of an array to the next."""
    columns = _place(array).memory.shape[-1]
    return body.integer(columns, "i64") * (bits(array.element) // 8)


def _place(array: Array) -> Place:
    assert array.place is not None
    return array.place
