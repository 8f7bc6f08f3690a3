"""The plain recurrent cell: one step and its derivative.

    h = f(zx + r)      zx = W x + bW + bR      r = R h_before

with f tanh or relu in cuDNN, and any of `activations` in ONNX. The derivative reads only the
output; a step saves nothing else, unless f needs its input. relu'(0) is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.activations import GateFunction
from rnn_compiler.lowering.ops.cells.cell import Derivative, PlainCell, StepResult, Times

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


@dataclass(frozen=True)
class RNNCell(PlainCell):
    """The `Cell` of rnn_tanh and rnn_relu, and of ONNX's RNN."""

    name: str
    f: GateFunction

    @property
    def saved(self) -> Sequence[str]:
        """The input of the function, if the derivative needs it."""
        return ("z",) if self.f.keeps_input else ()

    @property
    def reads(self) -> frozenset[str]:
        """The output, if the derivative needs it."""
        return frozenset() if self.f.keeps_input else frozenset({"h"})

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """Emits one step."""
        b.formula("z = zx + r")
        z = x + r
        b.formula(f"h = {self.f.of.name}(z)")
        h, saved = self.f.gate(b, z)
        return StepResult(h, None, (saved,) if self.f.keeps_input else ())

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """Emits its derivative."""
        b.formula("dz = dh * f'(z)")
        saved = reads["z" if self.f.keeps_input else "h"]
        return Derivative(self.f.gradient(b, saved, self.f.value(b, saved), dh), None, None, None)
