"""Numbers and arrays as values with operators, and the bodies that their code is written into."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from rnn_compiler.lowering.codegen.attributes import in_place, integer, integers, segments
from rnn_compiler.lowering.mlir.bindings import ir, sizes_in_mlir
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.schema.dtypes import ELEMENTS

# Scalars and vectors of numbers, as values with operators.
#
# A `Number` is an SSA value with the body in which its ops are emitted (`body.Body`) and its
# element type. Operators on numbers emit ops of the `arith` dialect. An `int` operand becomes a
# constant. An `Index` is an int or a number: sizes that are known at code generation stay ints,
# and are folded.
#
#     first = group * 48 + row            # arith.muli, arith.addi
#     (n - k) % 2                         # arith.subi, arith.remui


def bits(element: str) -> int:
    """Width of an element type."""
    return ELEMENTS[element].bits


def is_float(element: str) -> bool:
    """Whether an element type is one of floating point numbers."""
    return element in ELEMENTS and ELEMENTS[element].is_float


def element_type(element: str) -> ir.Type:
    """The MLIR type of an element type's name."""
    return ir.Type.parse(element)


def vector_type(element: str, lanes: int) -> ir.Type:
    """The type of a vector; that of a scalar if it has no lanes."""
    scalar = element_type(element)
    return ir.VectorType.get([lanes], scalar) if lanes else scalar


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A scalar (0 lanes), or a vector, of an element type; operators on it emit ops in its body."""

    body: Body
    value: ir.Value
    element: str
    lanes: int = 0

    def __add__(self, other: Number | float) -> Number:
        if other == 0:
            return self
        return self._with("add", other)

    def __radd__(self, other: float) -> Number:
        return self + other

    def __sub__(self, other: Number | float) -> Number:
        return self._with("sub", other)

    def __rsub__(self, other: float) -> Number:
        return self._like(other)._with("sub", self)

    def __mul__(self, other: Number | float) -> Number:
        return self._with("mul", other)

    def __rmul__(self, other: float) -> Number:
        return self * other

    def __truediv__(self, other: Number | float) -> Number:
        return self._with("div", other)

    def __rtruediv__(self, other: float) -> Number:
        return self._like(other)._with("div", self)

    def __neg__(self) -> Number:
        return self.body.number("arith.negf", [self], self.element, self.lanes)

    def __floordiv__(self, other: Number | int) -> Number:
        """The quotient of two nonnegative numbers."""
        return self._arith("divui", other)

    def __mod__(self, other: Number | int) -> Number:
        """The remainder of two nonnegative numbers."""
        return self._arith("remui", other)

    def __and__(self, other: Number | int) -> Number:
        return self._arith("andi", other)

    def __or__(self, other: Number | int) -> Number:
        return self._arith("ori", other)

    def __lshift__(self, other: Number | int) -> Number:
        return self._arith("shli", other)

    def __rshift__(self, other: Number | int) -> Number:
        """The bits shifted right; zeros come in from the left."""
        return self._arith("shrui", other)

    def __lt__(self, other: Number) -> Number:
        return self.body.compare("slt", self, other)

    def at_least(self, low: Index) -> Number:
        """The larger of two integers."""
        return self._arith("maxsi", self.body.integer(low, self.element))

    def at_most(self, high: Index) -> Number:
        """The smaller of two integers."""
        return self._arith("minsi", self.body.integer(high, self.element))

    def to_index(self) -> Number:
        """The integer as an index, which it may be already; a truth value as 0 or 1."""
        if self.element == "index":
            return self
        op = "arith.index_castui" if self.element == "i1" else "arith.index_cast"
        return self.body.number(op, [self], "index")

    def to_integer(self, element: str) -> Number:
        """The index as an integer."""
        return self.body.number("arith.index_cast", [self], element)

    def bitcast(self, element: str) -> Number:
        """The same bits as a number of another type of this width."""
        return self.body.number("arith.bitcast", [self], element, self.lanes)

    def _like(self, value: float) -> Number:
        return self.body.constant(value, self.element, self.lanes)

    def _with(self, op: str, other: Number | float) -> Number:
        return self._arith(f"{op}{'f' if is_float(self.element) else 'i'}", other)

    def _arith(self, op: str, other: Number | float) -> Number:
        other = self._like(other) if isinstance(other, int | float) else other
        return self.body.number(f"arith.{op}", [self, other], self.element, self.lanes)


Index: TypeAlias = int | Number
"""A size or a position: known at code generation, or computed."""


def product(sizes: Iterable[Index]) -> Index:
    """The product of sizes."""
    total: Index = 1
    for size in sizes:
        total = total if size == 1 else size if total == 1 else size * total
    return total


def smaller(first: Index, second: Index) -> Index:
    """The smaller of two; emitted if one of them is computed."""
    if isinstance(first, Number):
        return first.at_most(second)
    return second.at_most(first) if isinstance(second, Number) else min(first, second)


def larger(first: Index, second: Index) -> Index:
    """The larger of two; emitted if one of them is computed."""
    if isinstance(first, Number):
        return first.at_least(second)
    return second.at_least(first) if isinstance(second, Number) else max(first, second)


# Bodies of functions and dispatches, written op by op.
#
# A `Body` is an insertion point. The code inside a dispatch and the code around it are written at
# the same time, each in a body of its own. An `Array` is a tensor: a handle on its latest value,
# which writing a part of it replaces. Sizes and positions are of type `Index`: ints or computed
# numbers.
#
# Every op carries the body's source location, that of the formula it belongs to (`Body.located`).
# Compiler errors inside a dispatch name it, and printed modules name values after it.

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")
_FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
"""The predicates of `arith.cmpi` and `arith.cmpf`, by their numbers."""


@dataclass(frozen=True)
class ArrayType:
    """The type of an array."""

    shape: tuple[Index, ...]
    element: str

    @property
    def computed(self) -> list[Number]:
        """The sizes that are computed."""
        return [size for size in self.shape if isinstance(size, Number)]

    @property
    def mlir(self) -> ir.Type:
        """The tensor type."""
        return ir.RankedTensorType.get(sizes_in_mlir(self.shape), element_type(self.element))


class ArrayMemory:
    """The memory of an array in a dispatch, as a memref that is emitted if it is needed.

    Attributes:
        shape: The sizes of the array.
    """

    def __init__(self, shape: tuple[Index, ...], emit: Callable[[], ir.Operation]) -> None:
        self.shape, self._emit = shape, emit

    @cached_property
    def _op(self) -> ir.Operation:
        return self._emit()

    @property
    def memref(self) -> ir.Value:
        """The memory as a memref."""
        return self._op.results[0]

    @cached_property
    def address(self) -> Number:
        """The address of the first element, an i64."""
        body = Body.after(self._op)
        first = body.number("memref.extract_aligned_pointer_as_index", [self.memref], "index")
        return first.to_integer("i64")


@dataclass(frozen=True)
class Place:
    """Where an array is part of another.

    Attributes:
        starts: The indices of its first element: the sum of several, aligned at the last axis.
    """

    memory: ArrayMemory
    starts: tuple[Sequence[Index], ...] = ()

    def at(self, starts: Sequence[Index]) -> Place:
        """The place of a part."""
        return Place(self.memory, (*self.starts, starts))

    def indices(self) -> list[Index]:
        """Emits the indices of the first element."""
        made: list[Index] = [0] * len(self.memory.shape)
        for starts in self.starts:
            for axis in range(-len(starts), 0):
                made[axis] = made[axis] + starts[axis]
        return made


class Array:
    """A tensor that ops write parts of; its value is the latest.

    Attributes:
        place: Where it lies in memory; None if that is not known.
    """

    __slots__ = ("place", "type", "value")

    def __init__(
        self, value: ir.Value, shape: Sequence[Index], element: str, place: Place | None = None
    ) -> None:
        self.value, self.type, self.place = value, ArrayType(tuple(shape), element), place

    @property
    def shape(self) -> tuple[Index, ...]:
        """Its sizes."""
        return self.type.shape

    @property
    def element(self) -> str:
        """Its element type."""
        return self.type.element

    @property
    def is_memory(self) -> bool:
        """Whether its value is a memref, whose writes give it no new value."""
        return isinstance(self.value.type, ir.MemRefType)


def known(sizes: Iterable[Index]) -> tuple[int, ...]:
    """Sizes that must all be known when code is generated; Refused if one is computed."""
    values = tuple(sizes)
    numbers = tuple(size for size in values if isinstance(size, int))
    if len(numbers) < len(values):
        raise Refused("a size that is not known when code is generated")
    return numbers


def float_predicate(compare: ir.Operation) -> str:
    """The predicate of an `arith.cmpf`, by LLVM's name of it."""
    return _FLOAT_PREDICATES[ir.IntegerAttr(compare.attributes["predicate"]).value]


def spare_block(types: Sequence[ir.Type] = ()) -> ir.Block:
    """A block without a parent op, for ops that are emitted before that op."""
    holder = ir.Operation.create("builtin.module", regions=1, loc=ir.Location.unknown(), ip=False)
    return holder.regions[0].blocks.append(*types)


class Body:
    """An insertion point: ops are emitted one after the other."""

    def __init__(self, block: ir.Block, location: ir.Location | None = None) -> None:
        """Starts at the end of a block."""
        self._at = ir.InsertionPoint(block)
        self.location = location or ir.Location.unknown()

    @classmethod
    def before(cls, op: ir.Operation) -> Body:
        """An insertion point before an op, with its source location."""
        body = cls(op.block, op.location)
        body._at = ir.InsertionPoint(op)
        return body

    @classmethod
    def after(cls, op: ir.Operation) -> Body:
        """An insertion point after an op, with its source location."""
        body = cls(op.block, op.location)
        body._at = ir.InsertionPoint.after(op)
        return body

    @classmethod
    def beginning(cls, block: ir.Block, location: ir.Location) -> Body:
        """An insertion point before all ops of a block."""
        body = cls(block, location)
        body._at = ir.InsertionPoint.at_block_begin(block)
        return body

    @contextmanager
    def located(self, location: ir.Location) -> Generator[None, None, None]:
        """Sets the source location of the ops emitted within."""
        before, self.location = self.location, location
        try:
            yield
        finally:
            self.location = before

    @contextmanager
    def _inside(self, block: ir.Block) -> Generator[None, None, None]:
        before, self._at = self._at, ir.InsertionPoint(block)
        try:
            yield
        finally:
            self._at = before

    # Ops.

    def op(
        self,
        name: str,
        operands: Sequence[Number | Array | ir.Value] = (),
        results: Sequence[ir.Type] = (),
        attributes: Mapping[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        """Emits an op by its full name."""
        return ir.Operation.create(
            name,
            results=list(results),
            operands=[
                each.value if isinstance(each, Number | Array) else each for each in operands
            ],
            attributes=dict(attributes or {}),
            regions=regions,
            loc=self.location,
            ip=self._at,
        )

    def number(
        self,
        name: str,
        operands: Sequence[Number | Array | ir.Value],
        element: str,
        lanes: int = 0,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Number:
        """Emits an op whose result is a number."""
        op = self.op(name, operands, [vector_type(element, lanes)], attributes)
        return Number(self, op.results[0], element, lanes)

    def array(
        self,
        name: str,
        operands: Sequence[Number | Array | ir.Value],
        type: ArrayType,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Array:
        """Emits an op whose result is an array."""
        op = self.op(name, operands, [type.mlir], attributes)
        return Array(op.results[0], type.shape, type.element)

    # Numbers.

    def constant(self, value: float | ir.Attribute, element: str, lanes: int = 0) -> Number:
        """Emits a constant, or a vector of it, from an int, a float or an attribute."""
        scalar = element_type(element)
        if isinstance(value, ir.Attribute):
            attribute = value
        elif element == "i1":
            attribute = ir.BoolAttr.get(bool(value))
        elif is_float(element):
            attribute = ir.FloatAttr.get(scalar, float(value))
        else:
            attribute = ir.IntegerAttr.get(scalar, int(value))
        if lanes:
            attribute = ir.DenseElementsAttr.get_splat(vector_type(element, lanes), attribute)
        return self.number("arith.constant", [], element, lanes, {"value": attribute})

    def index(self, value: Index) -> Number:
        """An index as a number; an int becomes a constant."""
        return self.constant(value, "index") if isinstance(value, int) else value

    def integer(self, value: Index, element: str) -> Number:
        """An index as an integer, which it may be already; an int becomes a constant."""
        if isinstance(value, int):
            return self.constant(value, element)
        return value.to_integer(element) if value.element == "index" != element else value

    def compare(self, predicate: str, first: Number, second: Index) -> Number:
        """Emits a comparison, by LLVM's name of it: "slt", "oeq"."""
        known, op = _PREDICATES, "arith.cmpi"
        if is_float(first.element):
            known, op = _FLOAT_PREDICATES, "arith.cmpf"
        code = {"predicate": integer(known.index(predicate))}
        return self.number(op, [first, self.index(second)], "i1", first.lanes, code)

    def select(self, condition: Number, first: Number, second: Number) -> Number:
        """Emits a choice between two numbers."""
        operands = [condition, first, second]
        return self.number("arith.select", operands, first.element, first.lanes)

    def broadcast(self, number: Number, lanes: int) -> Number:
        """Emits a vector of one number."""
        return self.number("vector.broadcast", [number], number.element, lanes)

    # Arrays.

    def size(self, value: ir.Value, axis: int) -> Number:
        """Emits the reading of an array's size."""
        return self.number("tensor.dim", [value, self.index(axis)], "index")

    def materialized(self, array: Array) -> Array:
        """Emits a clone: IREE then does not fuse the array's producer into its readers."""
        return self.array("flow.tensor.clone", [array, *array.type.computed], array.type)

    def opaque(self, array: Array) -> Array:
        """Emits a barrier that hides the array from the compiler's analyses."""
        return self.array("util.optimization_barrier", [array], array.type)

    def empty(self, type: ArrayType) -> Array:
        """Emits an uninitialized array."""
        return self.array("tensor.empty", type.computed, type)

    def element(self, array: Array, position: Sequence[Index] = ()) -> Number:
        """Emits the reading of one number."""
        indices = [self.index(each) for each in position]
        return self.number("tensor.extract", [array, *indices], array.element)

    def put(self, number: Number, array: Array, position: Sequence[Index]) -> None:
        """Emits the writing of one number."""
        indices = [self.index(each) for each in position]
        array.value = self.array("tensor.insert", [number, array, *indices], array.type).value

    def extract(self, array: Array, starts: Sequence[Index], sizes: Sequence[Index]) -> Array:
        """Emits a part of an array; if `sizes` is short, that many leading axes are dropped."""
        part = ArrayType(tuple(sizes), array.element)
        lacking = len(starts) - len(sizes)
        made = self.extract_as(array, starts, [*[1] * lacking, *sizes], part)
        made.place = array.place and array.place.at(starts)
        return made

    def extract_as(
        self, array: Array, starts: Sequence[Index], sizes: Sequence[Index], part: ArrayType
    ) -> Array:
        """Emits a part of an array without some of its axes of size 1."""
        numbers, attributes = _span(1, starts, sizes)
        return self.array("tensor.extract_slice", [array, *numbers], part, attributes)

    def insert(self, part: Array, array: Array, starts: Sequence[Index]) -> None:
        """Emits the writing of a part of an array."""
        lacking = len(starts) - len(part.shape)
        self.insert_as(part, array, starts, [*[1] * lacking, *part.shape])

    def insert_as(
        self, part: Array, array: Array, starts: Sequence[Index], sizes: Sequence[Index]
    ) -> None:
        """Emits the writing of a part that lacks some axes of size 1."""
        numbers, attributes = _span(2, starts, sizes)
        made = self.array("tensor.insert_slice", [part, array, *numbers], array.type, attributes)
        array.value = made.value

    def read(self, array: Array, starts: Sequence[Index], lanes: int) -> Number:
        """Emits the reading of a vector from the last axis of an array."""
        zero = self.constant(0, array.element)
        indices = [self.index(start) for start in starts]
        attributes = in_place(len(indices), [1, len(indices), 1, 0])
        operands = [array, *indices, zero]
        return self.number("vector.transfer_read", operands, array.element, lanes, attributes)

    def read_slice(self, array: Array, starts: Sequence[Index], lanes: int) -> Number:
        """Emits the same by way of a slice, for many reads of an array that is also written.

        IREE compares the indices of each read of an array with those of each write to it, which
        takes seconds; of a slice it does not, and the code that it generates is the same.
        """
        sizes = [*[1] * (len(starts) - 1), lanes]
        return self.read(self.extract(array, starts, sizes), [0] * len(starts), lanes)

    def write(self, vector: Number, array: Array, starts: Sequence[Index]) -> None:
        """Emits the writing of a vector to the last axis of an array, or of a memref."""
        indices = [self.index(start) for start in starts]
        attributes = in_place(len(indices), [1, 1, len(indices), 0])
        operands = [vector, array, *indices]
        if array.is_memory:
            self.op("vector.transfer_write", operands, [], attributes)
            return
        made = self.array("vector.transfer_write", operands, array.type, attributes)
        array.value = made.value

    # Control flow.

    def loop(
        self,
        low: Index,
        high: Index,
        stride: Index,
        carried: Sequence[Array],
        body: Callable[[Number], None],
    ) -> None:
        """Emits a loop; the arrays `carried`, which its body writes to, get new values."""
        bounds = [self.index(bound) for bound in (low, high, stride)]
        types = [array.value.type for array in carried]
        op = self.op("scf.for", [*bounds, *carried], types, regions=1)
        block = op.regions[0].blocks.append(ir.IndexType.get(), *types)
        induction, *inside = block.arguments
        hand_on(carried, inside)
        with self._inside(block):
            body(Number(self, induction, "index"))
            self.op("scf.yield", carried)
        hand_on(carried, op.results)

    def when(
        self,
        condition: Number,
        carried: Sequence[Array],
        body: Callable[[], None],
        otherwise: Callable[[], None] = lambda: None,
    ) -> None:
        """Emits code that runs under a condition, and other code otherwise; both change arrays."""
        before = [array.value for array in carried]
        op = self.op("scf.if", [condition], [value.type for value in before], regions=2)
        for region, do in zip(op.regions, (body, otherwise), strict=True):
            hand_on(carried, before)
            with self._inside(region.blocks.append()):
                do()
                self.op("scf.yield", carried)
        hand_on(carried, op.results)

    def wait_while(self, condition: Callable[[], Number]) -> None:
        """Emits a loop that only evaluates a condition, until it is false."""
        op = self.op("scf.while", regions=2)
        with self._inside(op.regions[0].blocks.append()):
            self.op("scf.condition", [condition()])
        with self._inside(op.regions[1].blocks.append()):
            self.op("scf.yield")


def _span(
    leading: int, starts: Sequence[Index], sizes: Sequence[Index]
) -> tuple[list[Number], dict[str, ir.Attribute]]:
    """The offsets and sizes of a slice as operands and attributes, after other operands."""
    numbers = [[each for each in values if isinstance(each, Number)] for values in (starts, sizes)]
    attributes: dict[str, ir.Attribute] = {
        "static_offsets": integers(sizes_in_mlir(starts)),
        "static_sizes": integers(sizes_in_mlir(sizes)),
        "static_strides": integers([1] * len(sizes)),
    }
    counts = [*[1] * leading, *map(len, numbers), 0]
    return [*numbers[0], *numbers[1]], {"operandSegmentSizes": segments(*counts), **attributes}


def hand_on(arrays: Sequence[Array], values: Iterable[ir.Value]) -> None:
    """Sets the latest values of arrays."""
    for array, value in zip(arrays, values, strict=True):
        array.value = value
