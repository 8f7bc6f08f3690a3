"""The plain recurrent cell: one step and its derivative.

    h = f(zx + r)      f = tanh or relu      zx = W x + bW + bR      r = R h_before

    tanh: dz = dh * (1 - h*h)      relu: dz = dh where h > 0, else 0

The derivative needs the output alone, so a step saves nothing of its own. relu'(0) is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.direction import Derivative, StepResult
from rnn_compiler.schema.cudnn_reserve import SAVED

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["RNNRelu", "RNNTanh"]


class RNNTanh:
    """The `Cell` of rnn_tanh."""

    name = "rnn_tanh"
    saved = SAVED["rnn_tanh"]
    has_cell_state = False
    reads = frozenset({"h"})
    splits_recurrent = False

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits their sum; the step needs none."""
        b.formula("b = bW + bR")
        return input + recurrent, {}

    def step(self, b: Builder, x: Value, r: Value, state: Values, biases: Values) -> StepResult:
        """Emits one step."""
        b.formula("z = zx + r")
        z = x + r
        return StepResult(self._activation(b, z), None, ())

    def derivative(self, b: Builder, reads: Values, dh: Value, dc: Value | None) -> Derivative:
        """Emits its derivative."""
        return Derivative(self._activation_gradient(b, reads["h"], dh), None, None, None)

    def _activation(self, b: Builder, z: Value) -> Value:
        b.formula("h = tanh(z)")
        return b.tanh(z)

    def _activation_gradient(self, b: Builder, h: Value, dh: Value) -> Value:
        b.formula("dz = dh * (1 - h*h)")
        return dh * (1.0 - h * h)


class RNNRelu(RNNTanh):
    """The `Cell` of rnn_relu."""

    name = "rnn_relu"
    saved = SAVED["rnn_relu"]

    def _activation(self, b: Builder, z: Value) -> Value:
        b.formula("h = max(z, 0)")
        return b.relu(z)

    def _activation_gradient(self, b: Builder, h: Value, dh: Value) -> Value:
        b.formula("dz = dh where h > 0, else 0")
        return b.select(h.compare("GT", 0.0), dh, b.full(0, dh.shape, dh.dtype))
