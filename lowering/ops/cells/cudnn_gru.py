"""cuDNN's GRU cell, which resets after the matrix product: one step and its derivative.

Gate order r, z, n; zx = W x + bW with the recurrent biases of r and z, r_k = R_k h_before, ``s``
the logistic function:

    r = s(zx_r + r_r)    z = s(zx_z + r_z)    u = r_n + bR_n    n = tanh(zx_n + r*u)
    h = (1 - z)*n + z*h_before

A step saves r, z, n and u. The gradients of the gates are a_r, a_z, a_n with respect to the input
projection, and a_r, a_z, r*a_n with respect to the recurrent product:

    a_n = dh * (1-z) * (1 - n*n)    a_r = a_n * u * r*(1-r)
    a_z = dh * (h_before - n) * z*(1-z)
    dh_before = dh * z, plus the gradient that passes through R

GRUBlockCell (`gru_block_cell`) and ONNX's default GRU (`gru_reset_before`) reset before the product
and are separate cells. ONNX's GRU with linear_before_reset is this one, in gate order z, r, n, with
its own functions f and g in place of s and tanh (`activations`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.activations import SIGMOID, TANH, GateFunction
from rnn_compiler.lowering.ops.cells.cell import Derivative, PlainCell, StepResult, Times
from rnn_compiler.schema.cudnn_layout import RNN_MODES

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


@dataclass(frozen=True)
class GRUCell(PlainCell):
    """The `Cell` of gru.

    Attributes:
        gate_order: The order of its gates, "rzn" or "zrn".
    """

    gate_order: str = "rzn"
    f: GateFunction = SIGMOID
    g: GateFunction = TANH

    name = "gru"
    saved = RNN_MODES["gru"].saved
    splits_recurrent = True

    @property
    def reads(self) -> frozenset[str]:
        """The previous output."""
        return frozenset({"h_before"})

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits the sum without bR_n, which the step adds before it applies the reset gate."""
        b.formula("b = bW + [bR_r, bR_z, 0]")
        first, second, n = recurrent.split(0, 3)
        outside = b.concatenate([first, second, b.full(0, n.shape, n.dtype)], 0)
        return input + outside, {"b_n": n}

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """Emits one step."""
        b.formula("x_k = block k of zx")
        xs = self._gates(x)
        b.formula("r_k = block k of r")
        rs = self._gates(r)
        b.formula("r = s(zx_r + r_r)")
        reset, saved_r = self.f.gate(b, xs["r"] + rs["r"])
        b.formula("z = s(zx_z + r_z)")
        z, saved_z = self.f.gate(b, xs["z"] + rs["z"])
        b.formula("u = r_n + bR_n")
        u = rs["n"] + parameters["b_n"]
        b.formula("n = tanh(zx_n + r*u)")
        n, saved_n = self.g.gate(b, xs["n"] + reset * u)
        b.formula("h = (1 - z)*n + z*h_before")
        h = (1.0 - z) * n + z * state["h"]
        return StepResult(h, None, (saved_r, saved_z, saved_n, u))

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """Emits its derivative."""
        b.formula("r = value of the gate")
        r, z, n = (
            of.value(b, reads[name]) for of, name in ((self.f, "r"), (self.f, "z"), (self.g, "n"))
        )
        b.formula("a_n = dh * (1-z) * (1 - n*n)")
        a_n = self.g.gradient(b, reads["n"], n, dh * (1.0 - z))
        b.formula("a_r = a_n * u * r*(1-r)")
        a_r = self.f.gradient(b, reads["r"], r, a_n * reads["u"])
        b.formula("a_z = dh * (h_before - n) * z*(1-z)")
        a_z = self.f.gradient(b, reads["z"], z, dh * (reads["h_before"] - n))
        b.formula("dx_gates = [a_r, a_z, a_n]")
        input = {"r": a_r, "z": a_z, "n": a_n}
        dx_gates = b.concatenate([input[gate] for gate in self.gate_order], 1)
        b.formula("dr_gates = [a_r, a_z, r*a_n]")
        recurrent = input | {"n": r * a_n}
        dr_gates = b.concatenate([recurrent[gate] for gate in self.gate_order], 1)
        b.formula("dh_before = dh * z")
        return Derivative(dx_gates, dr_gates, dh * z, None)

    def _gates(self, value: Value) -> dict[str, Value]:
        return dict(zip(self.gate_order, value.split(1, 3), strict=True))
