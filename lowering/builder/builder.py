"""A typed StableHLO builder: constants, control flow, functions.

`Builder` remembers which step of which formula is being emitted: every op carries that as its
source location, so that a compiler error names the formula and the printed module names its values
after it. Every op is verified as it is created. Its result is a `Value` (`value`).

Only portable StableHLO and `func` are emitted (https://openxla.org/stablehlo/spec).
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from rnn_compiler.lowering.mlir.bindings import SCATTER_OF_ROWS, contraction, ir, sizes_in_mlir
from rnn_compiler.lowering.mlir.composite_attributes import AttributeValues
from rnn_compiler.lowering.mlir.composites import attributes_in_mlir
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES
from rnn_compiler.schema.open_sizes import (
    Open,
    Size,
    bound,
    is_static,
    product,
    static,
    static_size,
)
from rnn_compiler.schema.specs import FunctionSpec, private_symbol

# StableHLO values that read as formulas do on paper: ``o * (1 - o) * h_grad``.
#
# A `Value` wraps an SSA value. Binary operators broadcast as numpy does, along leading axes only
# (a row vector against a batch). They emit ops through the value's `builder.Builder`.

_INNER_TYPES = {"bool": "i1", "uint32": "ui32", "uint64": "ui64"}
"""Element types that no op takes or returns."""


@dataclass(frozen=True)
class Type:
    """A tensor type: a shape, perhaps open (`schema.open_sizes`), and a dtype, ``"bool"``."""

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
    """An SSA value of tensor type."""

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

    def with_added_rows(self, places: Value, rows: Value) -> Value:
        """A copy of a matrix to whose rows at some places others are added, in their order."""
        b, scalar = self.builder, Type((), self.dtype)
        op = b.create(
            "stablehlo.scatter",
            [self, places.reshape(*places.shape, 1), rows],
            [self.type],
            {"scatter_dimension_numbers": ir.Attribute.parse(SCATTER_OF_ROWS)},
            regions=1,
        )
        with b.block(op.regions[0], [scalar, scalar], ["sum", "row"]) as (total, row):
            b.terminate("stablehlo.return", [total + row])
        b.verify(op)
        return Value(b, op.results[0], self.type)

    def with_part(self, offset: Size, part: Value) -> Value:
        """A copy of a vector with the elements from `offset` on replaced by those of another."""
        operands = [self, part, self.builder.constant(offset, "int64")]
        return self.builder.op("dynamic_update_slice", operands, self.type)

    def dot(self, other: Value, axes: tuple[int, int], dtype: str | None = None) -> Value:
        """Contraction of axis ``axes[0]`` of this value with axis ``axes[1]`` of the other.

        Products, sums and the result have the element type `dtype`, by default this value's.
        """
        return other.product_of(self, axes, dtype or self.dtype)

    def product_of(self, lhs: Value, axes: tuple[int, int], dtype: str) -> Value:
        """The result of `dot` for a left-hand side and this value."""
        shape = tuple(n for axis, n in enumerate(lhs.shape) if axis != axes[0])
        shape += tuple(n for axis, n in enumerate(self.shape) if axis != axes[1])
        result = Type(shape, dtype)
        if lhs.shape[axes[0]] == 0:  # an empty sum
            return self.builder.full(0, shape, result.dtype)
        if lhs.shape[axes[0]] == 1:
            # An outer product. IREE rewrites the contraction into it, and forgets to widen. Rows of
            # one number stay a contraction, which passes can move into a step.
            lhs, other = lhs.to(result.dtype), self.to(result.dtype)
            if axes[0] != 0:
                return self.builder.op("dot_general", [lhs, other], result, contraction(axes))
            rank = len(lhs.shape) - 1
            left, right = lhs.reshape(*shape[:rank]), other.reshape(*shape[rank:])
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

    def at_maxima(self, numbers: Value, window: Sequence[int]) -> Value:
        """Zeros, but for numbers where windows side by side have their first largest elements."""
        b, sizes, scalar = self.builder, ir.DenseI64ArrayAttr.get(window), Type((), self.dtype)
        op = b.create(
            "stablehlo.select_and_scatter",
            [self, numbers, b.constant(0, self.dtype)],
            [self.type],
            {"window_dimensions": sizes, "window_strides": sizes},
            regions=2,
        )
        names = ["first", "second"]
        with b.block(op.regions[0], [scalar, scalar], names) as (first, second):
            b.terminate("stablehlo.return", [first.compare("GE", second)])
        with b.block(op.regions[1], [scalar, scalar], names) as (first, second):
            b.terminate("stablehlo.return", [first + second])
        b.verify(op)
        return Value(b, op.results[0], self.type)


# Open sizes as values, computed from the sizes of a function's arguments.


def open_dims(b: Builder, values: Sequence[Value]) -> dict[str, Value]:
    """The open dimensions of some values, as int64 scalars, by name."""
    dims: dict[str, Value] = {}
    for value in values:
        for axis, size in enumerate(value.shape):
            name = str(size)
            if not isinstance(size, Open) or name in dims or bound(size, {name: 1}) != 1:
                continue
            b.formula(f"{name} = axis {axis}")
            attributes = {"dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)}
            number = b.op("get_dimension_size", [value], Type((), "int32"), attributes)
            dims[name] = number.to("int64")
    return dims


def evaluated(b: Builder, size: Open, dims: Mapping[str, Value]) -> Value:
    """A size as an int64 scalar, of the open dimensions that `open_dims` gives."""
    terms: list[Value] = []
    for names, factor in size.terms.items():
        values = [dims[name] for name in names]
        if factor != 1 or not names:
            values.append(b.constant(factor, "int64"))
        terms.append(functools.reduce(operator.mul, values))
    return functools.reduce(operator.add, terms)


# The hyperbolic tangent of float64, composed of other functions.
#
# IREE's CPU backend has no double-precision tanh to link, and its expm1 loses all digits near 0.
# So it is ``x + x*z*P(z)/Q(z)`` with ``z = x*x`` near 0, and ``sign(x) * (1 - 2 / (exp(2|x|) +
# 1))`` elsewhere, within a few units in the last place. The coefficients are those of the Cephes
# library (S. L. Moshier, tanh.c).


def tanh_of_float64(x: Value) -> Value:
    """Emits the hyperbolic tangent."""
    b, z = x.builder, x * x
    p = (z * -9.64399179425052238628e-1 - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491631932401e2) * z + 2.23548839060100448583e3) * z
    near = x + x * z * p / (q + 4.84406305325125486048e3)
    magnitude = b.op("abs", [x], x.type)
    exponential = b.op("exponential", [magnitude * 2.0], x.type)
    far = 1.0 - b.full(2.0, x.shape, x.dtype) / (exponential + 1.0)
    signed = b.select(x.compare("LT", 0.0), -far, far)
    return b.select(magnitude.compare("LT", 0.625), near, signed)


_FILLING = ("constant", "dynamic_broadcast_in_dim")
"""The arguments of `Builder.full`."""


class Builder:
    """Emits the ops of one function of a module, at MLIR's current insertion point."""

    def __init__(self, module: ir.Module, spec: FunctionSpec) -> None:
        self.module = module
        self.spec = spec
        self._location = ir.Location.name(spec.op)
        self._symbols: set[str] = set()
        self._dims: dict[str, Value] = {}  # the open ones, in the current function

    # Source locations.

    def formula(self, text: str) -> None:
        """Sets the formula of the following ops; its first word names values in printed modules."""
        self._location = self._named(text)

    def _named(self, formula: str) -> ir.Location:
        location = ir.Location.name(f"{self.spec.op}: {formula}")
        return ir.Location.name(re.split(r"\W", formula, maxsplit=1)[0], location)

    # Ops.

    def create(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        attributes: Mapping[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        """Creates an op by its full name; with regions, the caller fills them and then verifies."""
        op = ir.Operation.create(
            name,
            operands=[operand.ssa for operand in operands],
            results=[result.mlir for result in results],
            attributes=dict(attributes or {}),
            regions=regions,
            loc=self._location,
        )
        if not regions:
            self.verify(op)
        return op

    @staticmethod
    def verify(op: ir.Operation) -> None:
        """Verifies one op; ir.MLIRError names the step of the formula."""
        op.verify()

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        result: Type,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Value:
        """Creates a StableHLO op with one result.

        An empty result is emitted as a constant: IREE's CPU code generator does not take all ops
        with empty results.
        """
        if 0 in result.shape and name not in _FILLING:
            return self.full(0, result.shape, result.dtype)
        op = self.create(f"stablehlo.{name}", operands, [result], attributes)
        return Value(self, op.results[0], result)

    def terminate(self, name: str, operands: Sequence[Value]) -> None:
        """Creates the terminator of a block."""
        self.create(name, operands, [])

    @contextmanager
    def block(
        self, region: ir.Region, arguments: Sequence[Type], names: Sequence[str]
    ) -> Generator[tuple[Value, ...], None, None]:
        """Appends a block to a region and emits into it; yields the block's arguments."""
        block = region.blocks.append(
            *[argument.mlir for argument in arguments],
            arg_locs=[self._named(name) for name in names],
        )
        outside = self._location
        with ir.InsertionPoint(block):
            yield tuple(
                Value(self, ssa, type) for ssa, type in zip(block.arguments, arguments, strict=True)
            )
        self._location = outside

    # Constants and shapes.

    def sized(
        self,
        name: str,
        operands: Sequence[Value],
        result: Type,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Value:
        """Creates an op with a result of a given shape, which is an operand if it is open."""
        if not result.is_open:
            return self.op(name, operands, result, attributes)
        return self.op(
            f"dynamic_{name}", [*operands, self.vector(result.shape)], result, attributes
        )

    def vector(self, numbers: Sequence[Value | Size]) -> Value:
        """A vector of sizes or positions, int64."""
        values = [
            number if isinstance(number, Value) else self.constant(number, "int64")
            for number in numbers
        ]
        return self.concatenate([value.reshape(1) for value in values], 0)

    def constant(self, value: float | Open, dtype: str) -> Value:
        """A scalar constant; an open size is computed."""
        if isinstance(value, Open):
            return evaluated(self, value, self._dims).to(dtype)
        return self.full(value, (), dtype)

    def define(self, name: str, value: Value) -> None:
        """Sets the value of an open dimension, an int64 scalar, in the function being emitted.

        A composite gets it only from operands of that size.
        """
        self._dims = {**self._dims, name: value}

    def full(self, value: float | Open, shape: tuple[Size, ...], dtype: str) -> Value:
        """A tensor of equal elements."""
        type = Type(shape, dtype)
        if type.is_open or isinstance(value, Open):
            return self.constant(value, dtype).broadcast_in_dim(shape, [])
        element = type.mlir.element_type
        if type.is_float:
            with np.errstate(over="ignore"):  # a value too large for the type is its infinity
                rounded = float(np.array(value).astype(DTYPES[dtype].numpy))
            attribute = ir.FloatAttr.get(element, rounded)
        else:
            attribute = ir.IntegerAttr.get(element, int(value))
        dense = ir.DenseElementsAttr.get_splat(type.mlir, attribute)
        return self.op("constant", [], type, {"value": dense})

    def broadcast_together(self, lhs: Value, rhs: Value | float | Open) -> tuple[Value, Value]:
        """Both operands in the shape of the one of higher rank; numbers become constants."""
        if not isinstance(rhs, Value):
            return lhs, self.full(rhs, lhs.shape, lhs.dtype)
        if len(lhs.shape) < len(rhs.shape):
            return lhs.broadcast_to(rhs.shape), rhs
        return lhs, rhs.broadcast_to(lhs.shape)

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        """Values joined along an axis."""
        values = [value for value in values if value.shape[axis]] or values[:1]
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
        return self.op(
            "concatenate", values, Type(tuple(shape), values[0].dtype), {"dimension": dimension}
        )

    def assemble(self, parts: Sequence[tuple[Size, Value]], size: Size) -> Value:
        """A vector of values of one dtype, each at its offset; 0 elsewhere.

        The values are written in the order given, which should be that of their computation: IREE
        lets the producer of a value write it in place, and fails to compile if this changes the
        order ("operand does not dominate this use"), as it may in a concatenation.
        """
        if len(parts) == 1 and product(parts[0][1].shape) == size:
            return parts[0][1].flat()
        dtype = parts[0][1].dtype if parts else self.spec.dtype
        vector = self.full(0, (size,), dtype)
        for offset, value in parts:
            if product(value.shape):
                vector = vector.with_part(offset, value.flat())
        return vector

    def iota(self, shape: tuple[Size, ...], axis: int, dtype: str = "int64") -> Value:
        """Each element its own index along an axis."""
        dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
        return self.sized("iota", [], Type(shape, dtype), {"iota_dimension": dimension})

    # Elementwise functions.

    def sigmoid(self, x: Value) -> Value:
        """The logistic function ``1 / (1 + exp(-x))``."""
        return self.op("logistic", [x], x.type)

    def tanh(self, x: Value) -> Value:
        """The hyperbolic tangent."""
        if x.dtype == "float64":
            return tanh_of_float64(x)
        return self.op("tanh", [x], x.type)

    def relu(self, x: Value) -> Value:
        """The larger of a number and 0; NaN stays NaN."""
        return self.op("maximum", [x, self.full(0, x.shape, x.dtype)], x.type)

    def select(self, predicate: Value, on_true: Value, on_false: Value) -> Value:
        """``on_true`` where the predicate holds, else ``on_false``, even if the other is NaN."""
        return self.op("select", [predicate, on_true, on_false], on_true.type)

    def clamp(self, low: float, x: Value, high: float | Open) -> Value:
        """``min(max(x, low), high)``; NaN stays NaN."""
        bounds = [self.constant(bound, x.dtype) for bound in (low, high)]
        return self.op("clamp", [bounds[0], x, bounds[1]], x.type)

    # Control flow.

    def after(self, done: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """Makes `values` wait for `done`, so that the inputs of `done` can be freed first."""
        operands = [*values, *done]
        types = [operand.type for operand in operands]
        op = self.create("stablehlo.optimization_barrier", operands, types)
        results = list(op.results)[: len(values)]
        return [Value(self, ssa, value.type) for ssa, value in zip(results, values, strict=True)]

    def while_loop(
        self,
        carry: Mapping[str, Value],
        condition: Callable[..., Value],
        body: Callable[..., Sequence[Value]],
    ) -> tuple[Value, ...]:
        """``while condition(*carry): carry = body(*carry)``; the keys name the carried values."""
        types = [value.type for value in carry.values()]
        names = list(carry)
        op = self.create("stablehlo.while", list(carry.values()), types, regions=2)
        with self.block(op.regions[0], types, names) as values:
            self.terminate("stablehlo.return", [condition(*values)])
        with self.block(op.regions[1], types, names) as values:
            self.terminate("stablehlo.return", list(body(*values)))
        self.verify(op)
        return tuple(Value(self, ssa, type) for ssa, type in zip(op.results, types, strict=True))

    def unused_symbol(self, name: str) -> str:
        """A symbol for a private function of the function being emitted (`private_symbol`)."""
        symbol = private_symbol(self.spec.function, name)
        if symbol in self._symbols:  # another of the same kind
            symbol = f"{symbol}.{len(self._symbols)}"
        self._symbols.add(symbol)
        return symbol

    def composite(
        self,
        name: str,
        operands: Sequence[Value],
        attributes: AttributeValues,
        decomposition: Callable[..., Sequence[Value]],
        names: Sequence[str],
        symbol: str = "",
    ) -> tuple[Value, ...]:
        """A named op with its meaning, `decomposition`, spelled out in plain StableHLO.

        Any StableHLO consumer can inline the decomposition; one that knows the name may do better
        (https://openxla.org/stablehlo/spec#composite).
        """
        symbol = symbol or self.unused_symbol(name)
        types = [operand.type for operand in operands]
        results = self.function(symbol, types, names, decomposition, private=True)
        op = self.create(
            "stablehlo.composite",
            operands,
            results,
            {
                "name": ir.StringAttr.get(f"rnn_compiler.{name}"),
                "composite_attributes": attributes_in_mlir(attributes),
                "decomposition": ir.FlatSymbolRefAttr.get(symbol),
                "version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 1),
            },
        )
        return tuple(Value(self, ssa, type) for ssa, type in zip(op.results, results, strict=True))

    def declared(self, symbol: str, type: Type) -> Value:
        """The result of a private function whose body is added once the value is known."""
        if 0 in type.shape:
            return self.full(0, type.shape, type.dtype)
        with ir.InsertionPoint(self.module.body):
            function_type = ir.TypeAttr.get(ir.FunctionType.get([], [type.mlir]))
            attributes: dict[str, ir.Attribute] = {
                "sym_name": ir.StringAttr.get(symbol),
                "function_type": function_type,
                "sym_visibility": ir.StringAttr.get("private"),
            }
            self.verify(self.create("func.func", [], [], attributes, regions=1))
        return self.call(symbol, [], [type])[0]

    def call(self, symbol: str, operands: Sequence[Value], types: Sequence[Type]) -> list[Value]:
        """The results of a call of a function of the module, of given types."""
        callee = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
        op = self.create("func.call", operands, types, callee)
        return [Value(self, ssa, type) for ssa, type in zip(op.results, types, strict=True)]

    def function(
        self,
        symbol: str,
        arguments: Sequence[Type],
        names: Sequence[str],
        body: Callable[..., Sequence[Value]],
        private: bool = False,
    ) -> list[Type]:
        """Adds a function at the end of the module; returns the types of its results."""
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(symbol),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [])),  # until it is known
        }
        if private:
            attributes["sym_visibility"] = ir.StringAttr.get("private")
        with ir.InsertionPoint(self.module.body):
            op = self.create("func.func", [], [], attributes, regions=1)
        outside, location = self._dims, self._location
        with self.block(op.regions[0], arguments, names) as values:
            self._dims = open_dims(self, values)
            self._location = location
            results = list(body(*values))
            self.terminate("func.return", results)
        self._dims = outside
        types = [result.type for result in results]
        function_type = ir.FunctionType.get([t.mlir for t in arguments], [t.mlir for t in types])
        op.attributes["function_type"] = ir.TypeAttr.get(function_type)
        self.verify(op)
        return types
