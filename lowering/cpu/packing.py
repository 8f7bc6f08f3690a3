"""Packs weights: copies a matrix into panels of columns, each contiguous.

A tile of a product reads all rows of a few columns. In a wide matrix these are far apart, and if
their distance is a power of two they compete for the same few cache lines.

IREE's `linalg.pack` is as fast as a copy (10 to 30 GB/s, odd sizes included). With a transpose it
is slow (2 to 6 GB/s; 0.5 if tiles do not divide), so transposing is a separate dispatch here, in
tiles that fill as many registers as they have columns: 7 to 35 GB/s.

Some formats have groups of numbers along K (`targets.vector_unit`): pairs of bfloat16 are
``i32``, with the even number low, and groups of int8 are bytes, ``P*group`` for P columns. Zeros
fill the last group.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles, integers, segments
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, bits, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.stablehlo import padded, transposed, with_flipped_bits
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand, seen_as
from rnn_compiler.lowering.cpu.row_copies import zeros_in_place
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat, divisor


def pack(
    outside: FunctionBuilder,
    vectors: VectorUnit,
    format: WeightFormat,
    matrix: Array,
    axis: int,
    panel: int,
    gates: int = 1,
    *,
    interleaved: bool = True,
    overlaps: bool = False,
) -> Array:
    """Emits the packing of ``[K, G*N]``, or ``[G*N, K]`` if `axis` is 0, by P columns of each gate.

    The result is ``[N/P, K, G*P]`` if `interleaved` (a panel holds the columns of all gates), else
    ``[G, N/P, K, P]``, with zeros after the last column, or with a last panel that ends there and
    `overlaps` the one before; in groups, with ``K/group`` instead of K, and as many elements
    instead of P as P groups have (`WeightFormat.width`).
    """
    if format.offset:
        matrix = with_flipped_bits(outside, matrix, format.offset)
    inner, columns = (known(matrix.shape)[k] for k in (1 - axis, axis))
    if inner == 1 and axis == 0:  # the same numbers in the same order
        flat = collapse(outside, matrix, [[0, 1]])
        matrix, axis = expand(outside, flat, [[0, 1]], (1, columns)), 1
    group, inner = format.group, format.groups(inner) if format.is_grouped else inner
    if axis == 1 and known(matrix.shape)[0] <= group * (inner - 1):  # a group would have only zeros
        axis, matrix = 0, transposed(outside, matrix)
    if axis == 0 or overlaps:
        if axis == 0 and format.is_grouped:
            matrix = _grouped(outside, matrix, group, inner)
        how = outside, vectors, matrix, axis, panel, gates
        made = _ByPanels(*how, interleaved=interleaved, overlaps=overlaps).emit()
        return _as_panels(outside, made, format)
    width, element = columns // gates, matrix.element
    count, grouped = -(-width // panel), [group] if group > 1 else []
    uneven = count * panel != width or matrix.shape[0] != inner * group
    padding = [outside.constant(0, element)] if uneven else []
    if gates == 1:
        source, tiles, order = matrix, (count, inner, panel), [1, 0]
    else:
        tiles = (count, inner, gates, panel) if interleaved else (gates, count, inner, panel)
        order = [2, 0, 1] if interleaved else [1, 2, 0]
        source = expand(outside, matrix, [[0], [1, 2]], (known(matrix.shape)[0], gates, width))
    type = ArrayType((*tiles, *grouped), element)
    packed = outside.array(
        "linalg.pack",
        [source, outside.empty(type), *padding],
        type,
        {
            "outer_dims_perm": integers(order),
            "inner_dims_pos": integers([len(source.shape) - 1, *(0 for _ in grouped)]),
            "static_inner_tiles": integers([panel, *grouped]),
            "operandSegmentSizes": segments(1, 1, len(padding), 0),
        },
    )
    if grouped:
        packed = seen_as(outside, packed, ArrayType(tiles, _group_type(element, group)))
    if gates > 1 and interleaved:
        packed = collapse(outside, packed, [[0], [1], [2, 3]])
    return _as_panels(outside, packed, format)


def _as_panels(outside: FunctionBuilder, packed: Array, format: WeightFormat) -> Array:
    """Emits groups in the element type of panels."""
    *lead, columns = known(packed.shape)
    type = ArrayType((*lead, format.width(columns)), format.panel_element or packed.element)
    return seen_as(outside, packed, type)


def _grouped(outside: FunctionBuilder, matrix: Array, group: int, count: int) -> Array:
    """Emits the groups of ``[N, K]`` numbers, which are adjacent already: ``[N, K/group]``."""
    type = ArrayType((known(matrix.shape)[0], count), _group_type(matrix.element, group))
    return seen_as(outside, padded(outside, matrix, 1, group * count), type)


def _group_type(element: str, group: int) -> str:
    """The integer type with the bits of a group."""
    return f"i{group * bits(element)}"


class _ByPanels:
    """The packing of ``[G*N, K]``, or of ``[K, G*N]`` without groups: a workgroup for each panel.

    The tiles of ``[G*N, K]``, which are transposed, are square.

    If tiles do not divide K, the last overlaps the previous one. Their heights are powers of two,
    because LLVM transposes some others wrongly (`tests/traps/test_transposed_tiles.py`). The last
    panel has the remaining columns, and zeros after them. Tiles of a single column would leave a
    dispatch of nothing but unit axes, which IREE does not compile.
    """

    def __init__(
        self,
        outside: FunctionBuilder,
        vectors: VectorUnit,
        matrix: Array,
        axis: int,
        panel: int,
        gates: int,
        *,
        interleaved: bool,
        overlaps: bool,
    ) -> None:
        self.vectors, self.axis, self.panel, self.gates = vectors, axis, panel, gates
        self.overlaps = overlaps
        sizes = known(matrix.shape)
        self.inner, self.width = sizes[1 - axis], sizes[axis] // gates
        count, of = -(-self.width // panel), matrix.element
        lanes = vectors.lanes(of)
        self.high = 1 << min(self.inner, lanes).bit_length() - 1 if axis == 0 else 1
        wide = divisor(panel, lanes) if count > 1 else min(panel, lanes)
        self.wide = panel if wide == 1 else wide
        self.rest = self.padding = 0
        if not overlaps:
            self.rest, self.padding = self.width % self.wide, count * panel - self.width
        self.executable = DispatchBuilder(outside, "pack", count)
        self.source = self.executable.read(outside.materialized(matrix))
        if interleaved or gates == 1:
            shape: tuple[int, ...] = (count, self.inner, gates * panel)
            self.sizes: tuple[int, ...] = (1, *shape[1:])
        else:
            shape = (gates, count, self.inner, panel)
            self.sizes = (gates, 1, *shape[2:])
        self.packed = self.executable.make(ArrayType(shape, of))
        self.body = self.executable.body

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        body, number = self.body, self.executable.workgroup()
        starts: list[Index] = [0] * len(self.sizes)
        starts[-3] = number
        self.part = body.extract(self.packed, starts, self.sizes)
        self.first = number * self.panel
        if self.overlaps:
            self.first = self.first.at_most(self.width - self.panel)
        self.full: Number
        self.end = self.full = body.index(self.panel)
        if self.padding:
            left = self.width - self.first
            self.end = self.full = left.at_most(self.end)
        if self.rest:
            self.full = self.end - self.end % self.wide
        body.loop(0, self.gates, 1, [self.part], self._gate)
        body.insert(self.part, self.packed, starts)
        self.executable.dispatch()
        return self.packed

    def _gate(self, gate: Number) -> None:
        self.body.loop(0, self.inner, self.high, [self.part], lambda k: self._columns(gate, k))

    def _columns(self, gate: Number, k: Number) -> None:
        """Emits some rows k of a gate's columns in the panel."""
        body, part = self.body, [self.part]
        if self.inner % self.high:
            k = k.at_most(self.inner - self.high)
        body.loop(0, self.full, self.wide, part, lambda n: self._tile(gate, k, n, self.wide))
        if self.rest:  # no iteration or one, like the padding
            body.loop(
                self.full, self.end, self.rest, part, lambda n: self._tile(gate, k, n, self.rest)
            )
        if self.padding:
            body.loop(self.end, self.panel, self.padding, part, lambda n: self._zeros(gate, k, n))

    def _position(self, gate: Number, k: Number, column: Number) -> list[Index]:
        """The position of a tile in the panel."""
        if len(self.sizes) == 4:
            return [gate, 0, k, column]
        return [0, k, gate * self.panel + column]

    def _tile(self, gate: Number, k: Number, column: Number, width: int) -> None:
        body = self.body
        row = gate * self.width + self.first + column
        to = self._position(gate, k, column)
        if self.axis == 1:
            body.write(body.read(self.source, [k, row], width), self.part, to)
            return
        small = body.extract(self.source, [row, k], (width, self.high))
        target = body.extract(self.part, to, (self.high, width))
        body.insert(_transpose(body, small, target), self.part, to)

    def _zeros(self, gate: Number, k: Number, column: Number) -> None:
        to = self._position(gate, k, column)
        target = self.body.extract(self.part, to, (self.high, self.padding))
        self.body.insert(zeros_in_place(self.body, self.vectors, target), self.part, to)


def _transpose(body: Body, tile: Array, target: Array) -> Array:
    """Emits the transpose of a tile into a target."""
    tiles = cpu_tiles(known(target.shape), (0, 0))
    return linalg.pointwise(body, [(tile, (1, 0))], target, lambda _, numbers: numbers[0], tiles)
