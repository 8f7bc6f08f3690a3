"""The interface of a cell: one step of a recurrence, and its derivative.

`direction` emits the loops of a cell over time, and `ops.layers.gradient` the gradients of its
weights. `cudnn_gru` is an example, and `gru_reset_before` one with two products in a row. These
tables name the cells:

    rnn_mode     `CELLS` in `ops.cudnn.network`, `schema.cudnn_layout`, and `_CELLS` in
    of CudnnRNN  `rnn_compiler.torch.formulas` for second derivatives
    ONNX's ops   `KINDS` in `ops.onnx.kinds`, `_CUDNN` in `rnn_compiler.model_import.layer`
    layers of    `rnn_compiler.torch.modules`; the readers of models in `rnn_compiler.model_import`
    frameworks

Buffers, the orders of gates and the forms of biases follow from `schema.cudnn_layout`; functions,
streams and the nodes of a network from the signature of an op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rnn_compiler.lowering.builder.time_loop import Values

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


Times = Callable[[str, "Value"], "Value"]
"""Multiplies rows, ``[B, N]`` in any type, by the weights of a name."""


class StepResult(NamedTuple):
    """The result of one step, in the compute type.

    Attributes:
        h: The new output, before any projection, ``[B, H]``.
        c: The new cell state, ``[B, H]``; None if the cell has none.
        saved: The values that the derivative needs, each ``[B, H]``, in the order of `Cell.saved`.
    """

    h: Value
    c: Value | None
    saved: Sequence[Value]


class Derivative(NamedTuple):
    """The result of the derivative of a step, in the compute type.

    Attributes:
        input: Gradient of the input projection, ``[B, gH]``.
        recurrent: Gradient of the first recurrent product; None if it equals `input`.
        h: The part of the previous output's gradient that does not pass through R; None if there
            is no such part.
        c: Gradient of the previous cell state; None if the cell has none.
        vectors: Gradients of the direction's vectors, for each row, by name.
    """

    input: Value
    recurrent: Value | None
    h: Value | None
    c: Value | None
    vectors: Values = MappingProxyType({})


class Cell(Protocol):
    """One step of a cell, and its derivative.

    Attributes:
        name: The name of its loops, such as its rnn_mode.
        saved: The names of the values that a step saves; "c" is the cell state.
        has_cell_state: Whether it has a state ``c`` in addition to ``h``.
        reads: Other values that its derivative reads: "h", the step's output; "h_before", the
            previous one.
        splits_recurrent: Whether `Derivative.recurrent` covers all gates; the gradient of R is then
            computed from it.
        is_direct_apart: Whether `Derivative.h` needs products of its own. The loop then carries it
            separately from the gradient that passes through R, because a sum would need both
            products at the same level.
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
        """The bias of the input projection, and the biases that the step adds, by name."""
        ...

    def weights(self, b: Builder, recurrent: Value) -> Values:
        """The matrices that a step multiplies by, by name, ``w_r`` first."""
        ...

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """One step.

        `x` is the input projection with its bias, and `r` the previous output times ``w_r``, both
        ``[B, gH]``; `times` multiplies by the transpose of other matrices.
        """
        ...

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """The derivative of a step; `times` multiplies by other matrices than ``w_r``.

        `reads` has the values that the step saved; ``c_before`` if the cell has a state c; the
        values that `reads` of the class names; the direction's vectors. `dh` is before any
        projection.
        """
        ...

    def factors(
        self, b: Builder, gates: Value, before: Value, saved: Value | None
    ) -> Sequence[tuple[int, Value, Value]]:
        """The products that make up the gradient of R.

        For each block of rows of R: the first row, the gradients of its gates ``[n, B, gH]``, and
        the values that it was multiplied by. `before` has the previous outputs ``[n, B, h]``.
        """
        ...

    def outputs(self, b: Builder, saved: Value) -> Value:
        """The outputs of all steps before a projection, ``[T, B, H]``, from the saved values.

        A cell without it, which raises NotImplementedError, has no projection.
        """
        ...


class PlainCell:
    """The defaults, which suit most cells."""

    splits_recurrent = False
    is_direct_apart = False
    has_cell_state = False

    def factors(
        self, b: Builder, gates: Value, before: Value, saved: Value | None
    ) -> Sequence[tuple[int, Value, Value]]:
        """All gates, and the previous output."""
        return [(0, gates, before)]

    def outputs(self, b: Builder, saved: Value) -> Value:
        """Not defined: of all cells, only the LSTM may have a projection."""
        raise NotImplementedError

    @property
    def reads(self) -> frozenset[str]:
        """Nothing but the saved values."""
        return frozenset()

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits their sum; the step needs none."""
        b.formula("b = bW + bR")
        return input + recurrent, {}

    def weights(self, b: Builder, recurrent: Value) -> Values:
        """R as one matrix."""
        return {"w_r": recurrent}
