"""PyTorch: layers that train, and the ops as functions with autograd.

LSTM, GRU, RNN   torch.nn's layers: their arguments, state dicts and inputs
block_lstm_v2    and the other ops: TensorFlow's arguments by TensorFlow's names, torch's tensors

Needs torch, which ``pip install 'rnn-compiler[torch]'`` brings. ``import rnn_compiler`` does not
import this. docs/training.md says what works with which part of torch.
"""

from __future__ import annotations

from importlib import util as _util

from rnn_compiler.errors import UnsupportedError as _UnsupportedError

if _util.find_spec("torch") is None:
    raise _UnsupportedError(
        "rnn_compiler.torch needs the package torch, which is not installed: "
        "pip install 'rnn-compiler[torch]'"
    )

from rnn_compiler.torch.functions import (
    block_lstm,
    block_lstm_v2,
    cudnn_rnn,
    cudnn_rnn_v2,
    cudnn_rnn_v3,
    gru_block_cell,
    lstm_block_cell,
)
from rnn_compiler.torch.modules import GRU, LSTM, RNN

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "block_lstm",
    "block_lstm_v2",
    "cudnn_rnn",
    "cudnn_rnn_v2",
    "cudnn_rnn_v3",
    "gru_block_cell",
    "lstm_block_cell",
]
