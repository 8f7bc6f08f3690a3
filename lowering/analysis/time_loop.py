"""Reads a time loop from its composite (`builder.time_loop`).

A rewrite needs the arrays that each step writes a row of (outputs), the values that one step passes
to the next (states), and the function of a step. That function may contain elementwise ops,
products with matrices that no step changes, and reads of rows of arrays; this is checked.

The levels of a step: a product needs whole rows of its left-hand side, so the values of a step fall
into levels. Those of level 0 need only the previous state; those of level k+1 need a product with a
row computed at level k. Within a level every column (unit) can
be computed on its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rnn_compiler.lowering.analysis.products import MatrixProduct
from rnn_compiler.lowering.analysis.values import (
    check_movement,
    defining,
    element,
    ints,
    is_constant,
    kind,
    operand_at,
    rank,
    row_number,
    shape,
    sources,
    starts,
)
from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE, cast, elementwise, splat
from rnn_compiler.lowering.mlir.bindings import UNNAMED, block_of, end_of, ir, ops_of
from rnn_compiler.lowering.mlir.composites import composite_name, decomposition_of, loop_attributes
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.schema.open_sizes import Size, is_static, static

_SHAPING = {
    *("constant", "broadcast_in_dim", "slice", "concatenate", "reshape", "dynamic_slice"),
    "get_dimension_size",
}


@dataclass(frozen=True)
class Columns:
    """The columns of a wider array that are a loop's output. The array is ``[T, B, M]``."""

    array: ir.Value
    start: int


@dataclass(frozen=True)
class LoopOutput:
    """An array that every step writes one row of.

    Attributes:
        row: The value that a step writes, ``[B, N]``.
        columns: If it is a part of another array, which; the loop's result is then that array.
    """

    shape: tuple[Size, ...]
    element: str
    row: ir.Value
    columns: Columns | None = None


@dataclass(frozen=True)
class LoopState:
    """A value that one step passes to the next.

    Attributes:
        value: The step's argument, ``[B, N]``; as an argument of the loop, the initial state.
        next: The value after the step.
    """

    value: ir.Value
    next: ir.Value


@dataclass(frozen=True)
class StepProduct:
    """A matrix product of a step: ``lhs [B, K] @ weight``.

    Attributes:
        value: The product, ``[B, N]``.
        lhs: Its left-hand side, ``[B, K]``; or an argument ``[T, B, K]`` that has it for each time.
        weight: The argument on the other side, ``[K, N]`` or ``[N, K]``.
        transposed: Whether that is ``[N, K]``.
        scale: Of weights in int8, the argument that has the scales, ``[N]``; None for others.
    """

    value: ir.Value
    lhs: ir.Value
    weight: ir.Value
    transposed: bool
    scale: ir.Value | None = None


@dataclass
class TimeLoop:
    """A time loop.

    Attributes:
        arguments: The value for each operand of the composite: the step's argument for operands
            that it reads and for states; the first is the number of steps.
        time: The step's argument for the time t.
        products: Their matrix products, by the SSA value of the result.
        lengths: The argument with the number of steps of each row, int64 ``[B]``. Past its end a
            row keeps its states and its outputs are 0. None if every row has every step.
        start: The argument with the time of row 0 of every output, a scalar; None for 0.
        like: The argument used only for its length, that of the outputs; None if there is none.
    """

    arguments: list[ir.Value]
    time: ir.Value
    outputs: list[LoopOutput]
    states: list[LoopState]
    products: dict[ir.Value, StepProduct]
    reverse: bool
    lengths: ir.Value | None
    start: ir.Value | None
    like: ir.Value | None
    _levels: dict[ir.Value, int] = field(init=False, default_factory=dict[ir.Value, int])

    @classmethod
    def of(cls, composite: ir.Operation, functions: Mapping[str, ir.Operation]) -> TimeLoop:
        """The time loop that a composite is; Refused if its step has an unsupported form."""
        known = loop_attributes(composite)
        step, roles = functions[known.step], known.roles
        time, *given = block_of(step).arguments
        made = list(end_of(step).operands)
        count = roles.count("state")
        arrays = [*composite.results][: len(made) - count]
        reads, states = given[: len(given) - count], given[len(given) - count :]
        arguments: list[ir.Value] = [*block_of(functions[decomposition_of(composite)]).arguments]
        arguments[1 : len(given) + 1] = given

        def named(name: str) -> ir.Value | None:
            return arguments[roles.index(name)] if name in roles else None

        time_loop = cls(
            arguments,
            time,
            [
                LoopOutput(shape(array), element(array), row)
                for array, row in zip(arrays, made[count:], strict=True)
            ],
            [LoopState(*each) for each in zip(states, made[:count], strict=True)],
            {
                op.results[0]: _product(op, reads)
                for op in ops_of(block_of(step))
                if op.name == "stablehlo.dot_general" or composite_name(op) == "product"
            },
            known.reverse,
            named("lengths"),
            named("start"),
            named("like"),
        )
        for root in time_loop.roots():
            time_loop.level(root)
        return time_loop

    @property
    def batch_size(self) -> Size:
        """The batch size; Refused if the states have several, or an output has no batch axis."""
        sizes = {shape(state.value)[0] for state in self.states}
        if len(sizes) != 1 or any(len(output.shape) != 3 for output in self.outputs):
            raise Refused("states of different batch sizes")
        return sizes.pop()

    @property
    def seq_length(self) -> Size:
        """The maximum number of steps."""
        return max_steps([output.shape for output in self.outputs], self.arguments)

    def roots(self) -> list[ir.Value]:
        """The values that a step computes: rows, states, and left-hand sides of products."""
        computed = [product.lhs for product in self.products.values() if self.is_computed(product)]
        return [
            *(output.row for output in self.outputs),
            *(state.next for state in self.states),
            *computed,
        ]

    def is_computed(self, product: StepProduct) -> bool:
        """Whether a product's left-hand side is computed within the step."""
        return product.lhs not in self.arguments

    def level(self, value: ir.Value) -> int:
        """The level of a value of the step; see the module's docstring."""
        if isinstance(value.owner, ir.Block):
            return 0
        if value not in self._levels:
            self._levels[value] = self._compute_level(value)
        return self._levels[value]

    def products_of_gate(self, value: ir.Value, column: int) -> list[tuple[ir.Value, int]]:
        """The products that the gate of a value from a column on needs at its own level.

        Each comes with the first column that is needed.
        """
        found: dict[tuple[ir.Value, int], None] = {}
        seen: set[tuple[ir.Value, int]] = set()

        def visit(value: ir.Value, column: int) -> None:
            if (value, column) in seen or rank(value) != 2 or isinstance(value.owner, ir.Block):
                return
            seen.add((value, column))
            op = defining(value)
            if value in self.products:
                found[value, column] = None
            elif kind(op) == "slice":
                visit(op.operands[0], column + starts(op)[1])
            elif op.name == "stablehlo.concatenate":
                visit(*operand_at(op, column))
            elif op.name in ELEMENTWISE:
                for operand in op.operands:
                    visit(operand, column)

        visit(value, column)
        return list(found)

    def scalars(self) -> list[ir.Value]:
        """Every scalar that a step computes, operands first."""
        seen: dict[ir.Value, None] = {}

        def visit(value: ir.Value) -> None:
            if value not in seen and not isinstance(value.owner, ir.Block):
                for operand in sources(defining(value)):
                    visit(operand)
                seen[value] = None

        for root in self.roots():
            visit(root)
        return [value for value in seen if rank(value) == 0 and not is_constant(value)]

    def _compute_level(self, value: ir.Value) -> int:
        product = self.products.get(value)
        if product is not None:
            return self.level(product.lhs) + 1 if self.is_computed(product) else 0
        op = defining(value)
        if op.name not in ELEMENTWISE and kind(op) not in _SHAPING:
            raise Refused(f"{op.name} in a step")
        check_movement(op)
        return max((self.level(operand) for operand in sources(op)), default=0)


def max_steps(outputs: Sequence[Sequence[Size]], arguments: Sequence[ir.Value]) -> Size:
    """The maximum number of steps of a time loop, from an output or else from a sequence."""
    if outputs:
        return outputs[0][0]
    sizes = [shape(each)[0] for each in arguments if rank(each) == 3]
    return max(static(sizes), default=1) if is_static(*sizes) else UNNAMED


def is_time_loop(op: ir.Operation) -> bool:
    """Whether an op is a composite that `builder.time_loop` made."""
    return composite_name(op) == "time_loop"


def _product(op: ir.Operation, reads: Collection[ir.Value]) -> StepProduct:
    product = MatrixProduct.of(op)
    if product is None or not product.is_plain:
        raise Refused("a product that is not one of matrices")
    (lhs,), (weight,), scale = product.lhs, product.rhs, product.given.get("scale")
    if weight not in reads:
        raise Refused("a product with a matrix that the step computes")
    return StepProduct(op.results[0], lhs, weight, transposed=product.axis == 1, scale=scale)


# Traces the values of a step back to the arrays it reads, and emits code for them.
#
# Each value that a step writes is traced back through the step: a slice moves the column, a
# concatenation selects an operand, a broadcast drops an axis; products, states and rows of arrays
# are read. So every value is computed once, without intermediate arrays.
#
# How an element is read depends on the processor. `Walk` leaves that to its subclasses, one for
# the tiles of a CPU (`cpu.fused_loop.steps`), one for the elements of a GPU's dispatch
# (`gpu.pinned_loop`).

Coordinate: TypeAlias = tuple[str, int]
"""A position along an axis: ("row", 0), or ("column", offset from the tile's start)."""

Position: TypeAlias = tuple[Coordinate, ...]
"""The position of a number in a value."""

Lead: TypeAlias = Literal["time", "current", "next"]
"""Which row of an array's first axis a step uses:

    time        of an output or a sequence: the row of the step's time
    current     of a state's ring (`StateRing`): the row with the state before the step
    next        of a ring: the row that the step writes
"""


@dataclass(frozen=True)
class Write:
    """A value that a step stores, and its destination.

    Attributes:
        value: The value, ``[B, W]``.
        lead: The row of the array's first axis.
        state: The state that a row keeps past its end; None if it is 0 there.
    """

    value: ir.Value
    array: str
    lead: Lead
    column: int = 0
    state: ir.Value | None = None

    @property
    def is_output(self) -> bool:
        """Whether the array is an output of the loop, with a row for each time."""
        return self.lead == "time"


@dataclass
class StepContext:
    """The context of a step.

    Attributes:
        arrays: The arrays that steps write to, by key.
        rows: The array of each left-hand side of a product, and the row of its first axis.
        leads: The index of each `Lead` in the current step.
        length: The maximum number of steps; 0 where it is not needed.
        batch: The batch size; 0 where it is not needed.
        lengths: The number of steps of each row, if padding is computed too.
    """

    loop: TimeLoop
    body: Body
    arguments: dict[ir.Value, Array]
    arrays: dict[str, Array]
    states: Mapping[ir.Value, str]
    rows: Mapping[ir.Value, tuple[str, Lead]]
    leads: dict[Lead, Index] = field(default_factory=dict[Lead, Index])
    scalars: dict[ir.Value, Number] = field(default_factory=dict[ir.Value, Number])
    length: Index = 0
    batch: Index = 0
    lengths: ir.Value | None = None

    def begin(self, number: Number, leads: Mapping[Lead, Index]) -> None:
        """Begins a step: drops the scalars of the previous one, and emits its own."""
        loop = self.loop
        self.scalars = {
            value: self.scalars[value] for value in loop.arguments if value in self.scalars
        }
        row = self.scalars[loop.arguments[0]] - number - 1 if loop.reverse else number
        self.leads = dict(leads)
        if loop.outputs:
            self.leads["time"] = self.row_index(row, self.length)
        self.scalars[loop.time] = row if loop.start is None else row + self.scalars[loop.start]
        for value in loop.scalars():
            self.scalar(value)

    def lhs(self, value: ir.Value) -> tuple[Array, Index]:
        """The array of a left-hand side of products, and the row of its first axis to read."""
        if value not in self.rows:  # an argument with a row for each time
            return self.arguments[value], self.leads["time"]
        key, lead = self.rows[value]
        return self.arrays[key], self.leads[lead]

    def scalar(self, value: ir.Value) -> Number:
        """A scalar of the step, which is emitted where it is first needed."""
        if value not in self.scalars:
            op = defining(value)
            with self.body.located(op.location):
                if op.name == "stablehlo.constant":
                    self.scalars[value] = splat(self.body, op)
                elif op.name == "stablehlo.get_dimension_size":
                    axis = ir.IntegerAttr(op.attributes["dimension"]).value
                    size = self.arguments[op.operands[0]].shape[axis]
                    self.scalars[value] = self.body.index(size).to_integer("i32")
                elif kind(op) == "broadcast_in_dim":  # the broadcast of a scalar is the scalar
                    self.scalars[value] = self.scalar(op.operands[0])
                else:
                    operands = [self.scalar(operand) for operand in op.operands]
                    self.scalars[value] = elementwise(self.body, op, operands)
        return self.scalars[value]

    def row_index(self, number: Number, length: Index) -> Number:
        """The index of a row, clamped to the array as `dynamic_slice` does."""
        body = self.body
        index, end = cast(body, number, "i64"), length - 1
        zero = body.constant(0, "i64")
        last = body.integer(end, "i64")
        return index.at_least(zero).at_most(last).to_index()


class Walk(ABC):
    """Emits values of a step, one number (0 lanes) or one vector at a time."""

    def __init__(self, step: StepContext, body: Body, lanes: int = 0) -> None:
        self.step, self.body, self.lanes = step, body, lanes
        self._known: dict[tuple[ir.Value, Position], Number] = {}
        self._written: dict[tuple[ir.Value, ir.Value | None, Position], Number] = {}
        self._has_step: Number | None = None

    @abstractmethod
    def read(self, value: ir.Value, array: Array, lead: Index | None, at: Position) -> Number:
        """The numbers of a value, from position `at` in it, of an array or of its row `lead`."""

    @abstractmethod
    def product(self, value: ir.Value, at: Position) -> Number:
        """The numbers of a product."""

    @abstractmethod
    def scalar(self, number: Number) -> Number:
        """A scalar, broadcast to the lanes computed at once."""

    def emit(self, value: ir.Value, at: Position) -> Number:
        """The numbers of a value of the step at a position."""
        if (value, at) not in self._known:
            self._known[value, at] = self._compute(value, at)
        return self._known[value, at]

    def written(self, write: Write, at: Position) -> Number:
        """The numbers to write; past the end of a row, its state or 0."""
        lengths, key = self.step.lengths, (write.value, write.state, at)
        if lengths is None:
            return self.emit(write.value, at)
        if key not in self._written:
            if self._has_step is None:
                length, time = self.emit(lengths, (("row", 0),)), self.emit(self.step.loop.time, ())
                self._has_step = self.body.compare("sgt", length, time)
            new = self.emit(write.value, at)
            if write.state is None:
                before = self.body.constant(0, new.element, new.lanes)
            else:
                before = self.emit(write.state, at)
            self._written[key] = self.body.select(self._has_step, new, before)
        return self._written[key]

    def _compute(self, value: ir.Value, at: Position) -> Number:
        step = self.step
        if not at and not is_constant(value):
            return self.scalar(step.scalars[value])
        if value in step.states:
            ring = step.arrays[step.states[value]]
            before = self.read(value, ring, step.leads["current"], at)
            return cast(self.body, before, element(value))
        if value in step.arguments:
            return self.read(value, step.arguments[value], None, at)
        if value in step.loop.products:
            return self.product(value, at)
        op = defining(value)
        with self.body.located(op.location):
            return self._made(value, op, at)

    def _made(self, value: ir.Value, op: ir.Operation, at: Position) -> Number:
        match kind(op):
            case "constant":
                return splat(self.body, op, self.lanes)
            case "broadcast_in_dim":
                axes = ints(op, "broadcast_dimensions")
                return self.emit(op.operands[0], tuple(at[axis] for axis in axes))
            case "slice":
                return self.emit(op.operands[0], _moved(at, starts(op)))
            case "concatenate":
                operand, column = operand_at(op, at[1][1])
                return self.emit(operand, (at[0], ("column", column)))
            case "reshape":
                row, arguments = defining(op.operands[0]), self.step.arguments
                if kind(row) != "dynamic_slice" or row.operands[0] not in arguments:
                    raise Refused("a reshape in a step")
                array = arguments[row.operands[0]]
                lead = self.step.row_index(self.step.scalar(row_number(row)), array.shape[0])
                return self.read(value, array, lead, at)
            case _:
                operands = [self.emit(x, at if rank(x) else ()) for x in op.operands]
                return elementwise(self.body, op, operands)


def _moved(at: Position, starts: list[int]) -> Position:
    """Maps a position in a slice to one in the sliced value."""
    for (axis, _), start in zip(at, starts, strict=True):
        if axis == "row" and start:
            raise Refused("a slice of rows in a step")
    return tuple((axis, n + start) for (axis, n), start in zip(at, starts, strict=True))
