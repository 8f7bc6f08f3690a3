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

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.products import MatrixProduct
from rnn_compiler.lowering.analysis.values import (
    check_movement,
    defining,
    element,
    is_constant,
    kind,
    operand_at,
    rank,
    shape,
    sources,
    starts,
)
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE
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
