"""cuDNN's GRU cell, which resets after the matrix product: one step and its derivative.

Gate order r, z, n; zx = W x + bW with the recurrent biases of r and z, r_k = R_k h_before, ``s``
the logistic function:

    r = s(zx_r + r_r)    z = s(zx_z + r_z)    u = r_n + bR_n    n = tanh(zx_n + r*u)
    h = (1 - z)*n + z*h_before

A step saves r, z, n and u. The gates' gradients as the input projection sees them
are a_r, a_z, a_n; as the recurrent product sees them a_r, a_z, r*a_n:

    a_n = dh * (1-z) * (1 - n*n)    a_r = a_n * u * r*(1-r)
    a_z = dh * (h_before - n) * z*(1-z)
    dh_before = dh * z, besides what passes through R

GRUBlockCell, which resets before the product, is another cell (`gru_block_cell`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.direction import Derivative, StepResult
from rnn_compiler.schema.cudnn_reserve import SAVED

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["GRU"]


class GRU:
    """The `Cell` of gru."""

    name = "gru"
    saved = SAVED["gru"]
    has_cell_state = False
    reads = frozenset({"h_before"})
    splits_recurrent = True

    def biases(self, b: Builder, input: Value, recurrent: Value) -> tuple[Value, Values]:
        """Emits the bias outside, which lacks bR_n; the step adds that inside the reset."""
        b.formula("b = bW + [bR_r, bR_z, 0]")
        r, z, n = recurrent.split(0, 3)
        outside = b.concatenate([r, z, b.full(0, n.shape, n.dtype)], 0)
        return input + outside, {"b_n": n}

    def step(self, b: Builder, x: Value, r: Value, state: Values, biases: Values) -> StepResult:
        """Emits one step."""
        b.formula("x_k = block k of zx")
        x_r, x_z, x_n = x.split(1, 3)
        b.formula("r_k = block k of r")
        r_r, r_z, r_n = r.split(1, 3)
        b.formula("r = s(zx_r + r_r)")
        reset = b.sigmoid(x_r + r_r)
        b.formula("z = s(zx_z + r_z)")
        z = b.sigmoid(x_z + r_z)
        b.formula("u = r_n + bR_n")
        u = r_n + biases["b_n"]
        b.formula("n = tanh(zx_n + r*u)")
        n = b.tanh(x_n + reset * u)
        b.formula("h = (1 - z)*n + z*h_before")
        h = (1.0 - z) * n + z * state["h"]
        return StepResult(h, None, (reset, z, n, u))

    def derivative(self, b: Builder, reads: Values, dh: Value, dc: Value | None) -> Derivative:
        """Emits its derivative."""
        r, z, n = reads["r"], reads["z"], reads["n"]
        b.formula("a_n = dh * (1-z) * (1 - n*n)")
        a_n = dh * (1.0 - z) * (1.0 - n * n)
        b.formula("a_r = a_n * u * r*(1-r)")
        a_r = a_n * reads["u"] * r * (1.0 - r)
        b.formula("a_z = dh * (h_before - n) * z*(1-z)")
        a_z = dh * (reads["h_before"] - n) * z * (1.0 - z)
        b.formula("dx_gates = [a_r, a_z, a_n]")
        dx_gates = b.concatenate([a_r, a_z, a_n], 1)
        b.formula("dr_gates = [a_r, a_z, r*a_n]")
        dr_gates = b.concatenate([a_r, a_z, r * a_n], 1)
        b.formula("dh_before = dh * z")
        return Derivative(dx_gates, dr_gates, dh * z, None)
