"""A time loop, read off the decomposition that `time_loop` emits.

What a rewrite needs to know: which arrays the steps write a row of (outputs), what one step hands
to the next (states), and the values both are computed from. Everything a step computes is
elementwise, a product with a matrix that no step changes, or a row of an array; that is checked.

The levels of a step. A product needs whole rows of its left-hand side, so what a step computes
falls into levels: at level 0 are the values for which the state before the step is enough, at level
k+1 those that need a product with a row computed at level k. Within a level every column (unit) can
be computed on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.moves import check_move, kind, sources, starts
from rnn_compiler.lowering.analysis.values import (
    contracted_axes,
    defining,
    element,
    is_constant,
    is_splat,
    operand_at,
    rank,
    shape,
)
from rnn_compiler.lowering.codegen.arithmetic import ELEMENTWISE
from rnn_compiler.lowering.codegen.attributes import DYNAMIC
from rnn_compiler.lowering.mlir import block_of, ir, ops_of
from rnn_compiler.lowering.refused import Refused

__all__ = ["Lengths", "Output", "Product", "State", "TimeLoop", "is_time_loop"]

_SHAPING = {
    *("constant", "broadcast_in_dim", "slice", "concatenate", "reshape", "dynamic_slice"),
    "get_dimension_size",
}


@dataclass(frozen=True)
class Output:
    """An array that every step writes one row of.

    Attributes:
        shape: Its shape, ``(T, B, N)``; `DYNAMIC` for what is open.
        element: Its element type.
        row: What a step writes, ``[B, N]``.
        time: Where: the index of the row, a scalar.
    """

    shape: tuple[int, ...]
    element: str
    row: ir.Value
    time: ir.Value


@dataclass(frozen=True)
class State:
    """What one step hands to the next.

    Attributes:
        initial: The function's argument that holds it before the first step, ``[B, N]``.
        value: What a step reads.
        next: What a step makes of it.
    """

    initial: ir.Value
    value: ir.Value
    next: ir.Value


@dataclass(frozen=True)
class Product:
    """A matrix product of a step: ``lhs [B, K] @ weight``.

    Attributes:
        value: The product, ``[B, N]``.
        lhs: Its left-hand side, ``[B, K]``.
        weight: The function's argument on the other side, ``[K, N]`` or ``[N, K]``.
        transposed: Whether that is ``[N, K]``.
    """

    value: ir.Value
    lhs: ir.Value
    weight: ir.Value
    transposed: bool


@dataclass(frozen=True)
class Lengths:
    """How many steps each row of the batch has; the others leave its state and write 0.

    Attributes:
        steps: The function's argument that holds them, int64 ``[B]``.
        start: The argument with the time of row 0 of every output, a scalar; None for 0.
        late: Whether time runs backward: short rows then come in late, else they leave early.
    """

    steps: ir.Value
    start: ir.Value | None
    late: bool

    @classmethod
    def of(
        cls,
        attributes: ir.DictAttr,
        arguments: Sequence[ir.Value],
        outputs: Sequence[Output],
        states: Sequence[State],
    ) -> Lengths | None:
        """What a composite's attributes say, given what its decomposition has.

        Raises:
            Refused: The steps do not select as the attributes say.
        """
        if "lengths" not in attributes:
            return None
        steps, start = (
            arguments[ir.IntegerAttr(attributes[name]).value] if name in attributes else None
            for name in ("lengths", "start")
        )
        assert steps is not None
        rows = [_selected(output.row) for output in outputs]
        kept = [_selected(state.next) for state in states]
        if (
            len({mask for mask, _ in (*rows, *kept)}) > 1
            or not all(is_splat(otherwise, 0) for _, otherwise in rows)
            or [otherwise for _, otherwise in kept] != [state.value for state in states]
        ):
            raise Refused("rows that change past their lengths")
        return cls(steps, start, ir.BoolAttr(attributes["reverse"]).value)


@dataclass
class TimeLoop:
    """A time loop.

    Attributes:
        function: The function that holds it.
        arguments: The function's arguments; the first is the number of steps.
        counter: The number of the step within the loop's body, from 0.
        outputs: The arrays that the steps write.
        states: What they hand on.
        products: Their matrix products, by the SSA value of the result.
        lengths: How many steps each row has; None if all have all, or it is not known.
        room: The argument that is as long as the outputs and is not read; None if there is none.
    """

    function: ir.Operation
    arguments: list[ir.Value]
    counter: ir.Value
    outputs: list[Output]
    states: list[State]
    products: dict[ir.Value, Product]
    lengths: Lengths | None = None
    room: ir.Value | None = None
    _levels: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])

    @classmethod
    def read(cls, function: ir.Operation, composite: ir.Operation | None = None) -> TimeLoop:
        """Reads a decomposition.

        Args:
            function: The decomposition.
            composite: The composite that it is of; None if what its attributes say is of no use.

        Raises:
            Refused: It is not a loop of the form that `time_loop` emits.
        """
        block = block_of(function)
        loops = [op for op in ops_of(block) if op.name == "stablehlo.while"]
        if len(loops) != 1:
            raise Refused("no single loop")
        loop = loops[0]
        arguments: list[ir.Value] = list(block.arguments)
        body = loop.regions[1].blocks[0]
        carried: list[ir.Value] = list(body.arguments)
        yielded = ops_of(body)[-1].operands
        if not _counts(loop, arguments[0]):
            raise Refused("a loop that does not count the steps from 0 to n - 1")
        outputs: list[Output] = []
        states: list[State] = []
        for start, value, new in list(zip(loop.operands, carried, yielded, strict=True))[1:]:
            if start in arguments:
                states.append(State(start, value, new))
            elif states or not is_splat(start, 0):
                raise Refused("a carried array that is neither a state nor zeros at first")
            else:
                outputs.append(_output(value, new))
        if list(ops_of(block)[-1].operands) != list(loop.results)[1:]:
            raise Refused("the results are not those of the loop")
        products = {
            product.value: product
            for op in ops_of(body)
            if op.name == "stablehlo.dot_general"
            for product in [_product(op, arguments)]
        }
        lengths = room = None
        if composite is not None:
            known = ir.DictAttr(composite.attributes["composite_attributes"])
            lengths = Lengths.of(known, arguments, outputs, states)
            room = arguments[ir.IntegerAttr(known["room"]).value] if "room" in known else None
        time_loop = cls(function, arguments, carried[0], outputs, states, products, lengths, room)
        for root in time_loop.roots():
            time_loop.level(root)
        return time_loop

    @property
    def batch_size(self) -> int:
        """The batch size; `DYNAMIC` if it is open.

        Raises:
            Refused: Its states have several, or an output has no batch axis.
        """
        sizes = {shape(state.value)[0] for state in self.states}
        if len(sizes) != 1 or any(len(output.shape) != 3 for output in self.outputs):
            raise Refused("states of different batch sizes")
        return sizes.pop()

    @property
    def seq_length(self) -> int:
        """How many steps there are at most, `DYNAMIC` if open; if no output tells, a sequence."""
        if self.outputs:
            return self.outputs[0].shape[0]
        sizes = [shape(each)[0] for each in self.arguments if rank(each) == 3]
        return DYNAMIC if DYNAMIC in sizes else max(sizes, default=1)

    def roots(self) -> list[ir.Value]:
        """Everything a step has to compute: rows, states, and left-hand sides of products."""
        computed = [product.lhs for product in self.products.values() if self.is_computed(product)]
        return [
            *(output.row for output in self.outputs),
            *(state.next for state in self.states),
            *computed,
        ]

    def is_computed(self, product: Product) -> bool:
        """Whether a product's left-hand side is computed within the step."""
        return not isinstance(product.lhs.owner, ir.Block)

    def level(self, value: ir.Value) -> int:
        """The level of a value of the step; see the module's docstring.

        Raises:
            Refused: It is computed by an op that is none of a recurrence's.
        """
        if isinstance(value.owner, ir.Block):
            return 0
        if value not in self._levels:
            self._levels[value] = self._compute_level(value)
        return self._levels[value]

    def products_of_gate(self, value: ir.Value, column: int) -> list[tuple[ir.Value, int]]:
        """The products that a gate of a value needs at its own level.

        Args:
            value: The value, ``[B, N]``.
            column: Where the gate begins.

        Returns:
            The products, each with the column at which what is needed of it begins.
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
            return self.level(product.lhs) + self.is_computed(product)
        op = defining(value)
        if op.name not in ELEMENTWISE and kind(op) not in _SHAPING:
            raise Refused(f"{op.name} in a step")
        check_move(op)
        return max((self.level(operand) for operand in sources(op)), default=0)


def is_time_loop(op: ir.Operation) -> bool:
    """Whether an op is a composite that `builder.time_loop` made."""
    if op.name != "stablehlo.composite":
        return False
    if not ir.StringAttr(op.attributes["name"]).value.startswith("rnn_compiler."):
        return False
    return "reverse" in ir.DictAttr(op.attributes["composite_attributes"])


def _counts(loop: ir.Operation, length: ir.Value) -> bool:
    """Whether the first of what a loop carries counts its iterations, which are 0..length-1."""
    condition, body = (region.blocks[0] for region in loop.regions)
    test, more = defining(ops_of(condition)[-1].operands[0]), defining(ops_of(body)[-1].operands[0])
    return (
        is_splat(loop.operands[0], 0)
        and test.name == "stablehlo.compare"
        and "LT" in str(test.attributes["comparison_direction"])
        and list(test.operands) == [condition.arguments[0], length]
        and more.name == "stablehlo.add"
        and more.operands[0] == body.arguments[0]
        and is_splat(more.operands[1], 1)
    )


def _selected(value: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The mask of the rows for which a value is new, and what it is for others.

    Without a mask, the value itself, twice.
    """
    op = defining(value)
    if op.name == "stablehlo.select":
        mask = defining(op.operands[0])
        if kind(mask) == "broadcast_in_dim":
            return mask.operands[0], op.operands[2]
    return value, value


def _output(carried: ir.Value, new: ir.Value) -> Output:
    update = defining(new)
    if update.name != "stablehlo.dynamic_update_slice" or update.operands[0] != carried:
        raise Refused("a carried array of which no row is written")
    reshape = defining(update.operands[1])
    if kind(reshape) != "reshape" or shape(update.operands[1])[1:] != shape(carried)[1:]:
        raise Refused("a written part that is not a row")
    return Output(shape(carried), element(carried), reshape.operands[0], update.operands[2])


def _product(op: ir.Operation, arguments: list[ir.Value]) -> Product:
    lhs, weight = op.operands
    axes = contracted_axes(op)
    if axes is None or axes[0] != 1:
        raise Refused("a product that is not one of matrices")
    if weight not in arguments:
        raise Refused("a product with a matrix that the step computes")
    return Product(op.results[0], lhs, weight, transposed=axes[1] == 1)
