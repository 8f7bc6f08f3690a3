"""Replaces ops whose result has an open size by ops that IREE supports.

Requires: a module whose time loops have been rewritten; the target is a CPU. Matches: outside of
dispatches, the ops of StableHLO that `builder.builder` emits where a size is open: those whose
result's shape is an operand, slices of values with an open size, elementwise ops, products with an
axis of 1. Each becomes an op of `tensor`, `linalg` or `flow`, whose sizes are indices.
Decompositions of `builder.products` that contain such ops are removed, except for plain ones:
`products` replaces these composites at any size. IREE does not support `stablehlo.dynamic_reshape`
and `stablehlo.dynamic_update_slice` of open sizes, and reads the shape of an elementwise op's
operand by the `shape` dialect, which it then rejects (`tests/traps/test_open_sizes.py`). Ensures:
the same numbers; a public function fails if its arguments disagree on a size.

Sizes are traced back to those of the function's arguments: they are polynomials of these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rnn_compiler.lowering.analysis.products import MatrixProduct
from rnn_compiler.lowering.analysis.values import (
    array_of,
    constant_int,
    contracted_axes,
    defining,
    element,
    elements,
    ints,
    is_constant,
    is_splat,
    rank,
    shape,
    tie_results,
)
from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Index,
    Number,
    bits,
    element_type,
    larger,
    smaller,
)
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE
from rnn_compiler.lowering.codegen.whole_arrays import own_zeros, reshape
from rnn_compiler.lowering.mlir.bindings import block_of, ir, ops_of, remove_unused, symbol_of
from rnn_compiler.lowering.mlir.composites import decomposition_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    sizes_are_indices,
    time_loops_are_rewritten,
)
from rnn_compiler.lowering.rewriting.edits import opaque, pointwise_op, replace
from rnn_compiler.schema.open_sizes import Open, bound, is_static, open_dimension
from rnn_compiler.schema.specs import FunctionSpec


@pass_with(requires=(time_loops_are_rewritten,), ensures=(sizes_are_indices,))
def open_sizes(context: PassContext) -> None:
    """Rewrites the ops of all functions; UnsupportedError if a loop over open sizes stays plain."""
    symbols = ir.SymbolTable(context.module.operation)
    for op in context.ops():
        product = MatrixProduct.of(op)
        is_replaced = product and (product.is_scaled or not product.is_plain)
        if product and product.is_composite and product.is_open and is_replaced:
            symbols[decomposition_of(op)].operation.erase()
    for function in context.defined_functions():
        sizes, block = _OpenSizes(function), block_of(function)
        found = False
        for op in reversed(ops_of(block)):  # users of a size before its sources
            if op.name == "stablehlo.while" and any(map(_is_open, op.results)):
                raise context.not_open("a plain loop")
            if op.name == "stablehlo.optimization_barrier":
                tie_results(op)
            made = _rewritten(op, sizes)
            if made is not None:
                replace(op, made)
                found = True
        if found:
            remove_unused(block)
    by_name = {spec.function: spec for spec in context.request.functions if spec.open_dims}
    for function in context.defined_functions():
        if symbol_of(function) in by_name:
            _check(function, by_name[symbol_of(function)])


def _check(function: ir.Operation, spec: FunctionSpec) -> None:
    """Makes a function fail if its arguments disagree on a size.

    IREE checks known sizes. Our programs check all sizes before a call; other callers may not.
    """
    body, known = Body.before(ops_of(block_of(function))[0]), dict[str, Number]()
    given = list(zip(spec.arguments, block_of(function).arguments, strict=True))
    positions = [
        (tensor.name, size, body.size(value, axis))
        for tensor, value in given
        for axis, size in enumerate(tensor.shape)
        if isinstance(size, Open)
    ]
    for name in spec.open_dims:
        known[name] = next(n for _, size, n in positions if size == open_dimension(name))
        if spec.least(name):
            right = body.compare("sge", known[name], body.index(spec.least(name)))
            _assert(body, right, f"{spec.op}: {name}: expected {spec.least(name)} or more")
    for name, size, found in positions:
        expected = bound(size, known)
        assert not isinstance(expected, Open)
        right = body.compare("eq", found, body.index(expected))
        _assert(body, right, f"{spec.op}: {name}: expected a size of {size}")


def _assert(body: Body, condition: Number, message: str) -> None:
    body.op("cf.assert", [condition], attributes={"msg": ir.StringAttr.get(message)})


def _at(body: Body, size: Index) -> Index:
    """A size from which others are computed at some position."""
    return size if isinstance(size, int) else Number(body, size.value, size.element)


def _quotient(number: Any, by: Any) -> Any:
    return number // by


def _clamped(low: Index, size: Index, high: Index) -> Index:
    return smaller(larger(size, low), high)


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": _quotient,
    "minimum": smaller,
    "maximum": larger,
    "clamp": _clamped,
}
"""Ops that compute sizes; at least one of the operands is computed."""


_SAME = ("convert", "broadcast_in_dim")
"""Ops that leave a scalar size unchanged."""


class _OpenSizes:
    """The open sizes of a function, as indices: each is computed once, where the function begins.

    Only values of the original function are looked up, so that no address is used again.
    """

    def __init__(self, function: ir.Operation) -> None:
        self._first = ops_of(block_of(function))[0]
        self._known: dict[ir.Value, Index] = {}
        self._read: dict[tuple[ir.Value, int], Number] = {}
        self._are: dict[ir.Value, bool] = {}

    def has(self, op: ir.Operation) -> bool:
        """Whether an op's result is a scalar computed from sizes alone."""
        if len(op.results) != 1:
            return False
        value = op.results[0]
        if value not in self._are:
            self._are[value] = self._is_size(op)
        return self._are[value]

    def _is_size(self, op: ir.Operation) -> bool:
        name = op.name.removeprefix("stablehlo.")
        if name == "get_dimension_size":
            return True
        if name not in (*_ARITHMETIC, *_SAME) or rank(op.results[0]):
            return False
        makers = [each for each in op.operands if not is_constant(each)]
        return bool(makers) and all(
            not isinstance(each.owner, ir.Block) and self.has(defining(each)) for each in makers
        )

    def read(self, value: ir.Value, axis: int) -> Number:
        """The size of an argument."""
        if (value, axis) not in self._read:
            self._read[value, axis] = Body.before(self._first).size(value, axis)
        return self._read[value, axis]

    def vector(self, body: Body, value: ir.Value) -> list[Index]:
        """The elements of a vector of sizes or positions."""
        return [self.scalar(body, each) for each in elements(value)]

    def scalar(self, body: Body, value: ir.Value) -> Index:
        """A size or position, as a value in a body."""
        if value not in self._known:
            self._known[value] = self._computed(Body.before(self._first), value)
        return _at(body, self._known[value])

    def _computed(self, body: Body, value: ir.Value) -> Index:
        op = defining(value)
        match op.name.removeprefix("stablehlo."):
            case "constant":
                return constant_int(value)
            case "get_dimension_size":
                return self.read(op.operands[0], ir.IntegerAttr(op.attributes["dimension"]).value)
            case name if name in _SAME:
                return self.scalar(body, op.operands[0])
            case name if name in _ARITHMETIC:
                operands = [self.scalar(body, operand) for operand in op.operands]
                if all(isinstance(each, int) for each in operands):
                    operands = [body.index(each) for each in operands]
                return _ARITHMETIC[name](*operands)
            case _:
                raise TypeError(f"{op.name} as a size")


def _rewritten(op: ir.Operation, sizes: _OpenSizes) -> ir.Value | None:
    """The replacement of an op's result; None if the op stays."""
    body = Body.before(op)
    match op.name.removeprefix("stablehlo."):
        case _ if sizes.has(op):
            number = sizes.scalar(body, op.results[0])
            scalar = body.index(number).to_integer(element(op.results[0]))
            return body.op("tensor.from_elements", [scalar], [op.results[0].type]).results[0]
        case "dynamic_reshape":
            array = array_of(body, op.operands[0])
            return reshape(body, array, sizes.vector(body, op.operands[1])).value
        case "dynamic_broadcast_in_dim":
            of = sizes.vector(body, op.operands[1])
            return _broadcast(body, op.operands[0], of, ints(op, "broadcast_dimensions"))
        case "dynamic_iota":
            axis = ir.IntegerAttr(op.attributes["iota_dimension"]).value
            of = sizes.vector(body, op.operands[0])
            return _iota(body, ArrayType(tuple(of), element(op.results[0])), axis)
        case "real_dynamic_slice":
            array = array_of(body, op.operands[0])
            starts, ends = (sizes.vector(body, operand) for operand in op.operands[1:3])
            span = [
                size if isinstance(size, int) else end - start if start else end
                for size, start, end in zip(shape(op.results[0]), starts, ends, strict=True)
            ]
            return body.extract(array, starts, span).value
        case "dynamic_update_slice" if _is_open(op.operands[0]):
            array = _begun(body, op.operands[0], sizes)
            part = array_of(body, op.operands[1])
            starts = [sizes.scalar(body, operand) for operand in op.operands[2:]]
            body.insert(part, array, starts)
            return array.value
        case "concatenate" if _is_open(op.results[0]):
            return _joined(body, op)
        case "dot_general" if any(map(_is_open, op.operands)) and _is_thin(op):
            return _multiplied(body, op)
        case _ if op.name in ELEMENTWISE and _is_open(op.results[0]):
            return pointwise_op(body, op)
        case _:
            return None


def _is_open(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and not is_static(*shape(value))


def _begun(body: Body, value: ir.Value, sizes: _OpenSizes) -> Array:
    """Emits an array that parts are written to; an array of zeros gets its own buffer.

    IREE merges arrays with equal initial values, and writes the parts of both to one buffer
    (`tests/traps/test_equal_arrays.py`).
    """
    if not is_splat(value, 0):
        return array_of(body, value)
    of = element_type(f"i{bits(element(value))}")
    zero = opaque(ir.IntegerAttr.get(of, 0), defining(value).block)
    shape = sizes.vector(body, defining(value).operands[1])
    return own_zeros(body, ArrayType(tuple(shape), element(value)), zero)


def _joined(body: Body, op: ir.Operation) -> ir.Value:
    """Emits a concatenation of arrays.

    Each is materialized: IREE would compute them all in the dispatch that joins them, on its stack.
    """
    axis = ir.IntegerAttr(op.attributes["dimension"]).value
    parts = [body.materialized(array_of(body, operand)) for operand in op.operands]
    starts: list[Index] = [0]
    for part in parts:
        starts.append(starts[-1] + part.shape[axis])
    sizes = list(parts[0].shape)
    sizes[axis] = starts[-1]
    whole = body.empty(ArrayType(tuple(sizes), parts[0].element))
    for part, start in zip(parts, starts, strict=False):
        positions: list[Index] = [0] * len(sizes)
        positions[axis] = start
        body.insert(part, whole, positions)
    return whole.value


def _is_thin(product: ir.Operation) -> bool:
    """Whether a product of matrices has an axis of known size 1, which IREE reshapes."""
    matrices = (*product.operands, product.results[0])
    return contracted_axes(product) is not None and any(1 in shape(each) for each in matrices)


def _multiplied(body: Body, op: ir.Operation) -> ir.Value:
    """Emits a product of two matrices."""
    axes = contracted_axes(op)
    assert axes is not None
    lhs, rhs = (array_of(body, operand) for operand in op.operands)
    sizes = (lhs.shape[1 - axes[0]], rhs.shape[1 - axes[1]])
    start = linalg.zeros(body, ArrayType(sizes, element(op.results[0])))
    return linalg.matmul(body, lhs, rhs, start, {}, axes).value


def _broadcast(
    body: Body, value: ir.Value, sizes: Sequence[Index], axes: Sequence[int]
) -> ir.Value:
    """Emits a broadcast of a value to an array, given the array's axes that it has."""
    source = array_of(body, value)
    target = body.empty(ArrayType(tuple(sizes), source.element))
    kept = [k for k, size in enumerate(source.shape) if size != 1]  # axes of size 1 are repeated
    if len(kept) < len(source.shape):
        source = reshape(body, source, [source.shape[k] for k in kept])
    inputs = [(source, [axes[k] for k in kept])]
    return linalg.pointwise(body, inputs, target, lambda _, numbers: numbers[0]).value


def _iota(body: Body, type: ArrayType, axis: int) -> ir.Value:
    """Emits an array in which each element is its index along an axis."""

    def index(inside: Body, _: Sequence[Number]) -> Number:
        position = inside.number("linalg.index", [], "index", attributes={"dim": integer(axis)})
        return position.to_integer(type.element)

    return linalg.pointwise(body, [], body.empty(type), index).value
