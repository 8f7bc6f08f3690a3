"""The ops as JAX functions with gradients; they support jit, grad, vmap, scan, remat and export.

Each op is a function named after the op in snake case. It takes TensorFlow's arguments in
TensorFlow's order and returns a named tuple: ``block_lstm_v2(seq_len_max, x, ...).h``. XLA runs
the ops as portable StableHLO on any of its devices. In modules from `jax.export`, each is a custom
call, which `rnn_compiler.link` compiles.

block_lstm, block_lstm_v2, lstm_block_cell, gru_block_cell, cudnn_rnn, cudnn_rnn_v2, cudnn_rnn_v3
    the forward ops, differentiable once, backwards
block_lstm_grad_v2, ...
    the gradient ops by themselves, not differentiable
export
    `jax.export.export` for functions with such calls
fuse_scans
    scans over LSTM, GRU and plain cells of any framework run the ops
ctc_loss
    the CTC loss, with the arguments of optax

This needs JAX 0.10; no other part of the package imports it.

primitives      one JAX primitive per op: its arguments, its rules, how it is lowered
functions       the functions, their gradients, and their export for `rnn_compiler.link`
equations       what JAX's primitives compute in the body of a scan, as sums of terms
cells           cells: recognized by these sums, run by ops
scans           the scans that become ops where a function is traced
ctc             the CTC loss
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from rnn_compiler.base.installation import install_extra

try:
    importlib.import_module("jax")
except ImportError as error:
    remedy = install_extra("jax")
    if sys.version_info < (3, 11):
        running = ".".join(map(str, sys.version_info[:2]))
        remedy = f"JAX needs Python 3.11 or newer, and this is {running}"
    message = f"rnn_compiler.jax needs JAX 0.10 or newer; {remedy}"
    raise ImportError(message, name="jax") from error

from rnn_compiler.jax.ctc import ctc_loss
from rnn_compiler.jax.functions import CUSTOM_CALLS, FUNCTIONS, export
from rnn_compiler.jax.scans import Scans, fuse_scans
from rnn_compiler.op_functions import found

__all__ = ["CUSTOM_CALLS", "Scans", "ctc_loss", "export", "fuse_scans", *FUNCTIONS]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    return found("jax", FUNCTIONS, name)


def __dir__() -> list[str]:
    return __all__
