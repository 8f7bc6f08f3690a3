"""ONNX's default GRU, which resets before the matrix product: one step and its derivative.

Gate order z, r, n; zx = W x + bW + bR. R_zr is the rows of R for z and r, R_n those for n; f and g
are the activation functions:

    z = f(zx_z + R_z h_before)    r = f(zx_r + R_r h_before)    n = g(zx_n + R_n (r*h_before))
    h = (1 - z)*n + z*h_before

A step saves z, r and n, or the inputs of their functions (`activations`). Its derivative:

    a_n = dh * (1-z) * g'    q = a_n @ R_n    a_r = q * h_before * f'    a_z = dh*(h_before-n) * f'
    dh_before = dh*z + q*r, plus [a_z, a_r] @ R_zr
    dR_zr = [a_z, a_r]^T @ h_before           dR_n = a_n^T @ (r*h_before)

In 16-bit types r*h_before and a_n are rounded, like every operand of a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.activations import SIGMOID, TANH, GateFunction
from rnn_compiler.lowering.ops.cells.cell import Derivative, PlainCell, StepResult, Times
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


@dataclass(frozen=True)
class GRUResetBefore(PlainCell):
    """The `Cell` of ONNX's GRU with linear_before_reset=0."""

    f: GateFunction = SIGMOID
    g: GateFunction = TANH

    name = "gru_reset_before"
    is_direct_apart = True
    saved = ("z", "r", "n")

    @property
    def reads(self) -> frozenset[str]:
        """The previous output."""
        return frozenset({"h_before"})

    def weights(self, b: Builder, recurrent: Value) -> Values:
        """Emits R_zr and R_n."""
        rows, units = recurrent.shape
        b.formula("w_r = R_zr")
        w_r = recurrent.slice(0, 0, 2 * units)
        b.formula("w_n = R_n")
        return {"w_r": w_r, "w_n": recurrent.slice(0, 2 * units, rows)}

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """Emits one step."""
        b.formula("x_k = block k of zx")
        x_z, x_r, x_n = x.split(1, 3)
        b.formula("r_k = block k of r")
        r_z, r_r = r.split(1, 2)
        b.formula("z = f(zx_z + r_z)")
        z, saved_z = self.f.gate(b, x_z + r_z)
        b.formula("r = f(zx_r + r_r)")
        reset, saved_r = self.f.gate(b, x_r + r_r)
        b.formula("rh = r*h_before")
        rh = reset * state["h"]
        b.formula("n = g(zx_n + rh @ R_n^T)")
        n, saved_n = self.g.gate(b, x_n + times("w_n", rh))
        b.formula("h = (1 - z)*n + z*h_before")
        h = (1.0 - z) * n + z * state["h"]
        return StepResult(h, None, (saved_z, saved_r, saved_n))

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """Emits its derivative."""
        h_before = reads["h_before"]
        b.formula("z = value of the gate")
        z, r, n = (
            of.value(b, reads[name]) for of, name in ((self.f, "z"), (self.f, "r"), (self.g, "n"))
        )
        b.formula("a_n = dh * (1-z) * g'")
        a_n = self.g.gradient(b, reads["n"], n, dh * (1.0 - z))
        b.formula("q = a_n @ R_n")
        q = times("w_n", a_n)
        b.formula("a_r = q * h_before * f'")
        a_r = self.f.gradient(b, reads["r"], r, q * h_before)
        b.formula("a_z = dh * (h_before - n) * f'")
        a_z = self.f.gradient(b, reads["z"], z, dh * (h_before - n))
        b.formula("dx_gates = [a_z, a_r, a_n]")
        dx_gates = b.concatenate([a_z, a_r, a_n], 1)
        b.formula("dr_gates = [a_z, a_r]")
        dr_gates = b.concatenate([a_z, a_r], 1)
        b.formula("dh_before = dh*z + q*r")
        return Derivative(dx_gates, dr_gates, dh * z + q * r, None)

    def factors(
        self, b: Builder, gates: Value, before: Value, saved: Value | None
    ) -> Sequence[tuple[int, Value, Value]]:
        """R_zr was multiplied by the previous output, R_n by that times the reset gate."""
        assert saved is not None
        units = static_size(before.shape[2])
        b.formula("rh = r*h_before")
        _, saved_r, _ = saved.split(2, len(self.saved))
        wide = before.to(DTYPES[before.dtype].compute)
        rh = (self.f.value(b, saved_r.to(wide.dtype)) * wide).to(before.dtype)
        return [
            (0, gates.slice(2, 0, 2 * units), before),
            (2 * units, gates.slice(2, 2 * units, 3 * units), rh),
        ]
