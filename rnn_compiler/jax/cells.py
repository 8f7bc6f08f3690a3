"""Runs cells that were recognized in a scan by our ops."""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any, TypeAlias

import jax.numpy as jnp

from rnn_compiler.jax.functions import FUNCTIONS
from rnn_compiler.jax.primitives import Array
from rnn_compiler.lowering.analysis.step_cells import ScanCell

_Run: TypeAlias = "tuple[list[Array | None], list[Array]]"
"""h and c of every step, or None for c; and of the last step."""


def run(cell: ScanCell, x: Array, h: Array, *c: Array, backwards: bool) -> _Run:
    """Runs a cell over a sequence ``[steps, batch, units]``, from h (and c) ``[batch, units]``.

    If it runs backwards, the first step is the last of the sequence.
    """
    if not cell.every_c:
        return _onnx(cell, x, h, *c, backwards=backwards)
    if not backwards:
        return _block_lstm(cell, x, h, *c)
    every, last = _block_lstm(cell, jnp.flip(x, 0), h, *c)
    return [None if each is None else jnp.flip(each, 0) for each in every], last


def _onnx(cell: ScanCell, x: Array, h: Array, *c: Array, backwards: bool) -> _Run:
    w, r, b = cell.onnx_weights(jnp, h.dtype, h.shape[-1])
    options: dict[str, Any] = {"activations": ",".join(cell.functions)}
    if backwards:
        options["direction"] = "reverse"
    if cell.op == "GRU":
        options["linear_before_reset"] = int(cell.linear_before_reset)
    options |= zip(("initial_h", "initial_c"), (each[None] for each in (h, *c)), strict=False)
    made = FUNCTIONS[f"onnx_{cell.op.lower()}"](x, w[None], r[None], b[None], **options)
    last = [made.Y_h[0], made.Y_c[0]] if c else [made.Y_h[0]]
    return [made.Y[:, 0], *(None for _ in c)], last


def _block_lstm(cell: ScanCell, x: Array, h: Array, c: Array) -> _Run:
    w, b = cell.block_lstm_weights(jnp, h.dtype, h.shape[-1])
    peephole = jnp.zeros(h.shape[-1], h.dtype)
    made = FUNCTIONS["block_lstm"](
        x.shape[0], x, c, h, w, peephole, peephole, peephole, b, forget_bias=0.0, cell_clip=0.0
    )
    return [made.h, made.cs], [made.h[-1], made.cs[-1]]
