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

Linux ends a process that uses the data of tiles without permission, and processes inherit none. So
the code of each dispatch asks for it at its beginning (0.1 us if it is given already), and branches
to the tiles of registers (`cpu.tiles`) where it is refused: a process with a signal stack that is
too small for tiles is, and so may be one in a sandbox.

`tdpbf16ps` sums the even and the odd products of 32 numbers along K apart, each in order and
rounded once, and adds both to each other and then to the total. Denormal numbers are zero. The
other tiles do the same (`cpu.tiles`), so neither permission nor the number of rows changes a bit.
"""

from __future__ import annotations

from collections.abc import Sequence
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
"""The fewest rows for which tiles pay."""

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
        rows, inner = known(lhs.shape)
        wide = format.columns(known(panel.shape)[1]) // COLUMNS
        starts = [*range(0, rows - self._rows, self._rows), rows - self._rows]
        for first in range(0, len(starts), self._high):
            some = starts[first : first + self._high]
            _Block(body, format, lhs, panel, to, some, wide).emit(inner, self._rows)


class _Block:
    """Emits the sums of one or two tiles of rows, and of one or two of columns."""

    def __init__(
        self,
        body: Body,
        format: WeightFormat,
        lhs: Array,
        panel: Array,
        to: tuple[Array, Sequence[Index]],
        starts: Sequence[int],
        wide: int,
    ) -> None:
        self.body, self.format, self.wide = body, format, wide
        self.element_bytes = bits(lhs.element) // 8
        made, (row, column) = to
        halves = range(0, wide * COLUMNS, COLUMNS)
        self.left = [_address(body, lhs, start, 0) for start in starts]
        self.right = [_address(body, panel, 0, format.width(half)) for half in halves]
        self.sums = [
            _address(body, made, row + start, column + half) for start in starts for half in halves
        ]
        self.strides = [_stride(body, array) for array in (lhs, panel, made)]

    def emit(self, inner: int, rows: int) -> None:
        """Emits the loads, products and stores."""
        body, whole = self.body, inner * self.element_bytes // _BYTES
        rest = inner * self.element_bytes % _BYTES
        self.rows, self.row_bytes = body.constant(rows, "i16"), body.constant(_BYTES, "i16")
        zeros = [_tile(body, "tilezero", [self.rows, self.row_bytes]) for _ in self.sums]
        sums = accumulate(
            *(body, whole, 1, zeros), lambda inside, k, sums: self._add(inside, k, sums, _BYTES)
        )
        if rest:
            sums = self._add(body, body.index(whole), sums, rest)
        for address, total in zip(self.sums, sums, strict=True):
            to = [_pointer(body, address), self.strides[2], total]
            _run(body, "tilestored64", [self.rows, self.row_bytes, *to])

    def _add(self, body: Body, k: Number, sums: Sequence[Number], count: int) -> list[Number]:
        """Emits the sums after adding the products of some bytes along K, at most 64."""
        left, right, _ = self.strides
        at = Number(body, k.value, "index").to_integer("i64")
        left_bytes, groups = body.constant(count, "i16"), body.constant(count // 4, "i16")
        row = at * _BYTES
        lefts = [
            self._load(body, "tileloadd64", self.rows, left_bytes, address, row, left)
            for address in self.left
        ]
        made, row = [*sums], Number(body, right.value, "i64") * ROWS * at
        for column, address in enumerate(self.right):
            shape = groups, self.row_bytes
            weights = self._load(body, "tileloaddt164", *shape, address, row, right)
            for number, numbers in enumerate(lefts):
                which = number * self.wide + column
                operands = [self.rows, self.row_bytes, left_bytes, made[which], numbers, weights]
                made[which] = _tile(body, self.format.tiles, operands)
        return made

    def _load(
        self,
        body: Body,
        name: str,
        rows: Number,
        row_bytes: Number,
        address: Number,
        offset: Number,
        stride: Number,
    ) -> Number:
        """Emits the load of a tile."""
        at = _pointer(body, Number(body, address.value, "i64") + offset)
        return _tile(body, name, [rows, row_bytes, at, stride])


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


def _address(body: Body, array: Array, row: Index, column: Index) -> Number:
    """Emits the address of an element of an array of rows."""
    place = _place(array).at([row, column])
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
