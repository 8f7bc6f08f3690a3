"""What a cell is: one step of a recurrence, and its derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rnn_compiler.lowering.builder.time_loop import Values

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["Cell", "Derivative", "PlainCell", "StepResult", "Times"]

Times = Callable[[str, "Value"], "Value"]
"""A product of a step: with the weights of a name, of rows ``[B, N]`` in any type."""


class StepResult(NamedTuple):
    """What one step gives, in the compute type.

    Attributes:
        h: The new output, before any projection, ``[B, H]``.
        c: The new cell state, ``[B, H]``; None if the cell has none.
        saved: What the derivative will need, each ``[B, H]``, in the order of `Cell.saved`.
    """

    h: Value
    c: Value | None
    saved: Sequence[Value]


class Derivative(NamedTuple):
    """What the derivative of a step gives, in the compute type.

    Attributes:
        input: Gradients of the gates as the input projection sees them, ``[B, gH]``.
        recurrent: Those as the first recurrent product sees them; None if they are the same.
        h: Gradient of the previous output that does not pass through R; None if there is none.
        c: Gradient of the previous cell state; None if the cell has none.
        vectors: Gradients of the direction's vectors, of each row, by name.
    """

    input: Value
    recurrent: Value | None
    h: Value | None
    c: Value | None
    vectors: Values = MappingProxyType({})


class Cell(Protocol):
    """One step of a layer's cell and its derivative.

    Attributes:
        name: What the loops are called, such as its rnn_mode.
        saved: The names of what a step saves; "c" among them is the cell state.
        has_cell_state: Whether there is a ``c`` beside ``h``.
        reads: What the derivative reads besides: "h", its own output; "h_before", the previous one.
        splits_recurrent: Whether its derivative has a `Derivative.recurrent` of all gates, of which
            the gradient of R is then made.
        is_direct_apart: Whether `Derivative.h` needs products of its own, so that the loop hands it
            on beside the gradient that passes through R: a sum would need both at once.
    """

    @property
    def name(self) -> str:  # noqa: D102 - attributes, above
        ...

    @property
    def saved(self) -> Sequence[str]:  # noqa: D102
        ...

    @property
    def has_cell_state(self) -> bool:  # noqa: D102
        ...

    @property
    def reads(self) -> frozenset[str]:  # noqa: D102
        ...

    @property
    def splits_recurrent(self) -> bool:  # noqa: D102
        ...

    @property
    def is_direct_apart(self) -> bool:  # noqa: D102
        ...

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """The bias of the input projection, and those that the step needs by name."""
        ...

    def weights(self, b: Builder, recurrent: Value) -> Values:
        """The recurrent weights as the steps multiply with them, by name, ``w_r`` first."""
        ...

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """One step.

        Args:
            b: The builder.
            x: The gates' input side, ``[B, gH]``.
            r: The output before, multiplied with ``w_r``.
            state: The state before.
            parameters: What `biases` named, and other vectors that the direction has.
            times: Multiplies with other weights, transposed.
        """
        ...

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """The derivative of a step.

        Args:
            b: The builder.
            reads: What the step saved; ``c_before``, if there is one; what `reads` names; vectors
                that the direction has.
            dh: Gradient of the step's output, before any projection.
            dc: Gradient of the step's cell state.
            times: Multiplies with other weights than ``w_r``.
        """
        ...

    def factors(
        self, b: Builder, gates: Value, before: Value, saved: Value | None
    ) -> Sequence[tuple[int, Value, Value]]:
        """What the gradient of R is the sum of: first row, gates' gradients, what was multiplied.

        Args:
            b: The builder.
            gates: The gates' gradients as the recurrent products see them, ``[n, B, gH]``.
            before: The output before each step, ``[n, B, h]``.
            saved: What the steps saved, ``[n, B, kH]``; None if that is nothing.
        """
        ...


class PlainCell:
    """What most cells have in common."""

    splits_recurrent = False
    is_direct_apart = False
    has_cell_state = False

    def factors(
        self, b: Builder, gates: Value, before: Value, saved: Value | None
    ) -> Sequence[tuple[int, Value, Value]]:
        """All gates, and the output before."""
        return [(0, gates, before)]

    @property
    def reads(self) -> frozenset[str]:
        """Nothing besides what is saved."""
        return frozenset()

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits their sum; the step needs none."""
        b.formula("b = bW + bR")
        return input + recurrent, {}

    def weights(self, b: Builder, recurrent: Value) -> Values:
        """All of them at once."""
        return {"w_r": recurrent}
