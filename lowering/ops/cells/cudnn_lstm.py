"""cuDNN's LSTM as a cell of a layer: `lstm` in gate order i, f, n, o, without extras.

    z = zx + r      zx = W x + bW + bR      r = R h_before

A step saves the gates i, f, n, o after activation, and the cell state c; co = tanh(c) is computed
again. Cell clip, peepholes and forget bias are the block ops' alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells import lstm
from rnn_compiler.lowering.ops.cells.direction import Derivative, StepResult
from rnn_compiler.schema.cudnn_reserve import SAVED

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["LSTM", "output"]

_GATE_ORDER = "IFCO"


def output(b: Builder, activations: Value) -> Value:
    """The outputs before projection of all steps, ``[T, B, H]``, from what they saved."""
    b.formula("m = o * tanh(c)")
    *_, o, c = activations.split(2, len(LSTM.saved))
    return o * b.tanh(c)


class LSTM:
    """The `Cell` of lstm."""

    name = "lstm"
    saved = SAVED["lstm"]
    has_cell_state = True
    reads: frozenset[str] = frozenset()
    splits_recurrent = False

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits their sum; the step needs none."""
        b.formula("b = bW + bR")
        return input + recurrent, {}

    def step(self, b: Builder, x: Value, r: Value, state: Values, biases: Values) -> StepResult:
        """Emits one step."""
        b.formula("z = zx + r")
        z = x + r
        step = lstm.forward(b, z, state["c"], {}, gate_order=_GATE_ORDER, cell_clip=0.0)
        return StepResult(step.h, step.cs, (step.i, step.f, step.ci, step.o, step.cs))

    def derivative(self, b: Builder, reads: Values, dh: Value, dc: Value | None) -> Derivative:
        """Emits its derivative."""
        assert dc is not None
        b.formula("co = tanh(c)")
        saved = {name: reads[name] for name in ("i", "f", "o")}
        saved |= {"ci": reads["n"], "co": b.tanh(reads["c"])}
        gates, dc = lstm.backward(b, saved, reads["c_before"], dc, dh, {})
        return Derivative(gates.concatenate(b, _GATE_ORDER), None, None, dc)
