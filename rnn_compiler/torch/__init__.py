"""PyTorch: layers that train, and the ops as functions with autograd.

LSTM, GRU, RNN   torch.nn's layers: their arguments, state dicts and inputs
block_lstm_v2    and the other ops: TensorFlow's arguments by TensorFlow's names, torch's tensors

Needs torch 2.13 or newer. ``import rnn_compiler`` does not import this module. docs/training.md
lists which features of torch are supported.
"""

from __future__ import annotations

from importlib import util as _util
from typing import Any as _Any

from rnn_compiler.base.installation import install_extra as _install_extra
from rnn_compiler.errors import UnsupportedError as _UnsupportedError

if _util.find_spec("torch") is None:
    raise _UnsupportedError(
        "rnn_compiler.torch needs the package torch, which is not installed; "
        f"{_install_extra('torch')}"
    )

from rnn_compiler.op_functions import found as _found
from rnn_compiler.torch.functions import FUNCTIONS as _FUNCTIONS
from rnn_compiler.torch.modules import GRU, LSTM, RNN

__all__ = ["GRU", "LSTM", "RNN", *_FUNCTIONS]  # pyright: ignore[reportUnsupportedDunderAll]

_KNOWN: dict[str, _Any] = {"GRU": GRU, "LSTM": LSTM, "RNN": RNN, **_FUNCTIONS}


def __getattr__(name: str) -> _Any:
    return _found("torch", _KNOWN, name)


def __dir__() -> list[str]:
    return __all__
