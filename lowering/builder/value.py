"""StableHLO values that read as formulas do on paper: ``o * (1 - o) * h_grad``.

A `Value` wraps an SSA value. Binary operators broadcast as numpy does, along leading axes only (a
row vector against a batch). They emit ops through the value's `builder.Builder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.mlir.bindings import contraction, ir, sizes_in_mlir
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES
from rnn_compiler.schema.open_sizes import Open, Size, is_static, product, static, static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder

__all__ = ["Type", "Value"]


_INNER_TYPES = {"bool": "i1", "uint32": "ui32", "uint64": "ui64"}
"""Element types that no op takes or returns."""


@dataclass(frozen=True)
class Type:
    """A tensor type: a shape and the name of an element type (``"float32"``, ``"bool"``).

    Sizes may be open (`schema.open_sizes`).
    """

    shape: tuple[Size, ...]
    dtype: str

    @property
    def mlir(self) -> ir.RankedTensorType:
        """The MLIR type, in the current context."""
        element = _INNER_TYPES.get(self.dtype) or DTYPES[self.dtype].mlir
        return ir.RankedTensorType.get(sizes_in_mlir(self.shape), ir.Type.parse(element))

    @property
    def is_open(self) -> bool:
        """Whether a size is open."""
        return not is_static(*self.shape)

    @property
    def is_float(self) -> bool:
        """Whether its elements are floating point numbers."""
        return self.dtype in FLOAT_DTYPES


class Value:
    """An SSA value of tensor type.

    Attributes:
        type: Its shape and dtype.
        ssa: The MLIR value.
    """

    __slots__ = ("builder", "ssa", "type")

    is_int8 = False
    """Whether it is a matrix in int8, with its scales (`builder.int8`)."""

    def __init__(self, builder: Builder, ssa: ir.Value, type: Type) -> None:
        self.builder = builder
        self.ssa = ssa
        self.type = type

    @property
    def shape(self) -> tuple[Size, ...]:
        """Its shape."""
        return self.type.shape

    @property
    def dtype(self) -> str:
        """Name of its element type."""
        return self.type.dtype

    def binary(self, op: str, other: Value | float | Open, swap: bool = False) -> Value:
        """A StableHLO op on two operands, broadcast to one shape."""
        b = self.builder
        lhs, rhs = b.broadcast_together(self, other)
        if swap:
            lhs, rhs = rhs, lhs
        return b.op(op, [lhs, rhs], lhs.type)

    def __add__(self, other: Value | float | Open) -> Value:
        return self.binary("add", other)

    def __radd__(self, other: float | Open) -> Value:
        return self.binary("add", other, swap=True)

    def __sub__(self, other: Value | float | Open) -> Value:
        return self.binary("subtract", other)

    def __rsub__(self, other: float | Open) -> Value:
        return self.binary("subtract", other, swap=True)

    def __mul__(self, other: Value | float | Open) -> Value:
        return self.binary("multiply", other)

    def __rmul__(self, other: float | Open) -> Value:
        return self.binary("multiply", other, swap=True)

    def __truediv__(self, other: Value | float | Open) -> Value:
        return self.binary("divide", other)

    def __neg__(self) -> Value:
        return self.builder.op("negate", [self], self.type)

    def compare(self, direction: str, other: Value | float | Open) -> Value:
        """Elementwise comparison; `direction` is EQ, NE, LT, LE, GT or GE."""
        b = self.builder
        lhs, rhs = b.broadcast_together(self, other)
        kind = "UNSIGNED" if lhs.dtype.startswith("uint") else "SIGNED"
        kind = "FLOAT" if lhs.type.is_float else kind
        attributes = {
            "comparison_direction": ir.Attribute.parse(
                f"#stablehlo<comparison_direction {direction}>"
            ),
            "compare_type": ir.Attribute.parse(f"#stablehlo<comparison_type {kind}>"),
        }
        return b.op("compare", [lhs, rhs], Type(lhs.shape, "bool"), attributes)

    def select_rows(self, on_true: Value, on_false: Value) -> Value:
        """A choice between rows of two ``[B, N]``, by this ``[B]``."""
        mask = self.broadcast_in_dim(on_true.shape, (0,))
        return self.builder.select(mask, on_true, on_false)

    def masked(self, mask: Value) -> Value:
        """This sequence ``[T, B, ...]``, with 0 for the rows that are not in a mask ``[T, B]``.

        Such rows may hold NaN, which a product with 0 would leak into a sum.
        """
        mask, b = mask.broadcast_in_dim(self.shape, (0, 1)), self.builder
        return b.select(mask, self, b.full(0, self.shape, self.dtype))

    def to(self, dtype: str) -> Value:
        """The same numbers in another element type."""
        if dtype == self.dtype:
            return self
        return self.builder.op("convert", [self], Type(self.shape, dtype))

    def bitcast(self, dtype: str) -> Value:
        """The same bits as another element type of the same width."""
        return self.builder.op("bitcast_convert", [self], Type(self.shape, dtype))

    def reshape(self, *shape: Size) -> Value:
        """The same elements in another shape."""
        if shape == self.shape:
            return self
        return self.builder.sized("reshape", [self], Type(shape, self.dtype))

    def flat(self) -> Value:
        """The same elements as a vector."""
        return self.reshape(product(self.shape))

    def broadcast_to(self, shape: tuple[Size, ...]) -> Value:
        """Repeated along new leading axes."""
        if shape == self.shape:
            return self
        first = len(shape) - len(self.shape)
        return self.broadcast_in_dim(shape, range(first, len(shape)))

    def broadcast_in_dim(self, shape: tuple[Size, ...], axes: Sequence[int]) -> Value:
        """Repeated so that axis k of this value becomes axis `axes[k]` of the result."""
        attributes = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get(list(axes))}
        return self.builder.sized("broadcast_in_dim", [self], Type(shape, self.dtype), attributes)

    def transpose(self, *permutation: int) -> Value:
        """Axes reordered: axis k of the result is axis `permutation[k]` of this value."""
        attributes = {"permutation": ir.DenseI64ArrayAttr.get(list(permutation))}
        shape = tuple(self.shape[axis] for axis in permutation)
        return self.builder.op("transpose", [self], Type(shape, self.dtype), attributes)

    def slice(self, axis: int, start: Size, stop: Size) -> Value:
        """The part from `start` to `stop` along one axis."""
        if (start, stop) == (0, self.shape[axis]):
            return self
        starts: list[Size] = [0] * len(self.shape)
        limits = list(self.shape)
        starts[axis], limits[axis] = start, stop
        shape = tuple(stop - start for start, stop in zip(starts, limits, strict=True))
        if not is_static(*starts, *limits):
            return self._span(starts, shape)
        attributes = {
            "start_indices": ir.DenseI64ArrayAttr.get(static(starts)),
            "limit_indices": ir.DenseI64ArrayAttr.get(static(limits)),
            "strides": ir.DenseI64ArrayAttr.get([1] * len(self.shape)),
        }
        return self.builder.op("slice", [self], Type(shape, self.dtype), attributes)

    def _span(self, starts: Sequence[Value | Size], sizes: Sequence[Size]) -> Value:
        """A part with given starts and sizes, one of which is open."""
        b = self.builder
        ends = [start + size for start, size in zip(starts, sizes, strict=True)]
        operands = [self, b.vector(starts), b.vector(ends), b.vector([1] * len(sizes))]
        return b.op("real_dynamic_slice", operands, Type(tuple(sizes), self.dtype))

    def split(self, axis: int, parts: int) -> tuple[Value, ...]:
        """Split into equal parts along one axis."""
        return tuple(self.part(axis, number, parts) for number in range(parts))

    def part(self, axis: int, number: int, parts: int) -> Value:
        """One of equal parts along one axis, whose size is known."""
        size = static_size(self.shape[axis]) // parts
        return self.slice(axis, number * size, (number + 1) * size)

    def region(self, offset: Size, shape: Sequence[Size]) -> Value:
        """An array of a given shape inside a vector, at an offset."""
        return self.slice(0, offset, offset + product(shape)).reshape(*shape)

    def operands(self, name: str) -> dict[str, Value]:
        """The operands, by name, of a composite that reads this value."""
        return {name: self}

    def inside(self, name: str, given: Mapping[str, Value]) -> Value:
        """This value inside that composite, given the composite's operands."""
        return given[name]

    def row(self, index: Value) -> Value:
        """Element `index` of the first axis, ``self[index]``; the index is clamped to the range."""
        b = self.builder
        if not is_static(*self.shape[1:]):
            rest, index = self.shape[1:], b.clamp(0, index, self.shape[0] - 1)
            return self._span([index, *[0] * len(rest)], (1, *rest)).reshape(*rest)
        indices = [index] + [b.constant(0, index.dtype)] * (len(self.shape) - 1)
        attributes = {"slice_sizes": ir.DenseI64ArrayAttr.get([1, *static(self.shape[1:])])}
        row = b.op(
            "dynamic_slice", [self, *indices], Type((1, *self.shape[1:]), self.dtype), attributes
        )
        return row.reshape(*self.shape[1:])

    def with_row(self, index: Value, row: Value) -> Value:
        """A copy in which element `index` of the first axis is `row`."""
        b = self.builder
        indices = [index] + [b.constant(0, index.dtype)] * (len(self.shape) - 1)
        update = row.reshape(1, *row.shape)
        return b.op("dynamic_update_slice", [self, update, *indices], self.type)

    def with_rows(self, first: Value, rows: Value) -> Value:
        """A copy with other elements along the first axis from `first` on."""
        b = self.builder
        starts = [first, *[b.constant(0, first.dtype)] * (len(self.shape) - 1)]
        return b.op("dynamic_update_slice", [self, rows, *starts], self.type)

    def with_part(self, offset: Size, part: Value) -> Value:
        """A copy of a vector with the elements from `offset` on replaced by those of another."""
        operands = [self, part, self.builder.constant(offset, "int64")]
        return self.builder.op("dynamic_update_slice", operands, self.type)

    def dot(self, other: Value, axes: tuple[int, int], dtype: str | None = None) -> Value:
        """Contraction of axis ``axes[0]`` of this value with axis ``axes[1]`` of the other.

        Args:
            other: The right-hand side.
            axes: The contracted axis of each side.
            dtype: Element type of the products, the sums and the result; default: this value's.
        """
        return other.product_of(self, axes, dtype or self.dtype)

    def product_of(self, lhs: Value, axes: tuple[int, int], dtype: str) -> Value:
        """The result of `dot` for a left-hand side and this value."""
        shape = tuple(n for axis, n in enumerate(lhs.shape) if axis != axes[0])
        shape += tuple(n for axis, n in enumerate(self.shape) if axis != axes[1])
        result = Type(shape, dtype)
        if lhs.shape[axes[0]] == 0:  # an empty sum
            return self.builder.full(0, shape, result.dtype)
        if lhs.shape[axes[0]] == 1 and (axes[0] == 0 or {lhs.dtype, self.dtype} != {dtype}):
            # An outer product. IREE rewrites the contraction into it, and forgets to widen. Rows of
            # one number stay a contraction, which passes can move into a step.
            rank = len(lhs.shape) - 1
            left = lhs.to(result.dtype).reshape(*shape[:rank])
            right = self.to(result.dtype).reshape(*shape[rank:])
            return left.broadcast_in_dim(shape, range(rank)) * right.broadcast_to(shape)
        return self.builder.op("dot_general", [lhs, self], result, contraction(axes))

    def product_of_parts(self, parts: Sequence[Value], dtype: str) -> Value:
        """The product of rows, given as groups of columns, and this ``[K, N]``."""
        return self.builder.concatenate(parts, 1).dot(self, (1, 0), dtype)

    def sum(self, *axes: int) -> Value:
        """The sum over some axes."""
        return self._reduce("add", axes)

    def max(self, *axes: int) -> Value:
        """The maximum of 0 and the elements over some axes."""
        return self._reduce("maximum", axes)

    def _reduce(self, combine: str, axes: Sequence[int]) -> Value:
        """A reduction over some axes, starting with 0."""
        b = self.builder
        shape = tuple(n for axis, n in enumerate(self.shape) if axis not in axes)
        result = Type(shape, self.dtype)
        if 0 in self.shape:  # nothing to combine
            return b.full(0, shape, self.dtype)
        op = b.create(
            "stablehlo.reduce",
            [self, b.constant(0, self.dtype)],
            [result],
            {"dimensions": ir.DenseI64ArrayAttr.get(list(axes))},
            regions=1,
        )
        scalar = Type((), self.dtype)
        with b.block(op.regions[0], [scalar, scalar], ["lhs", "rhs"]) as (lhs, rhs):
            b.terminate("stablehlo.return", [b.op(combine, [lhs, rhs], scalar)])
        b.verify(op)
        return Value(b, op.results[0], result)
