"""The plain recurrent cell: one step and its derivative.

    h = f(zx + r)      zx = W x + bW + bR      r = R h_before

with f tanh or relu in cuDNN, and any of `activations` in ONNX. The derivative needs the output
alone, so a step saves nothing of its own, unless f needs its input. relu'(0) is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.activations import Function
from rnn_compiler.lowering.ops.cells.cell import Derivative, PlainCell, StepResult, Times

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["RNN"]


@dataclass(frozen=True)
class RNN(PlainCell):
    """The `Cell` of rnn_tanh and rnn_relu, and of ONNX's RNN.

    Attributes:
        name: As of any cell.
        f: The function.
    """

    name: str
    f: Function

    @property
    def saved(self) -> Sequence[str]:
        """The input of the function, if it has to be kept."""
        return ("z",) if self.f.keeps_input else ()

    @property
    def reads(self) -> frozenset[str]:
        """The output, if that is kept."""
        return frozenset() if self.f.keeps_input else frozenset({"h"})

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """Emits one step."""
        b.formula("z = zx + r")
        z = self.f.clipped(b, x + r)
        b.formula(f"h = {self.f.of.name}(z)")
        return StepResult(self.f.apply(b, z), None, (z,) if self.f.keeps_input else ())

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """Emits its derivative."""
        b.formula("dz = dh * f'(z)")
        kept = reads["z" if self.f.keeps_input else "h"]
        return Derivative(self.f.gradient(b, kept, self.f.value(b, kept), dh), None, None, None)
