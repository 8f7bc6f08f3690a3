"""PyTorch: layers that train, and the ops as functions with autograd.

LSTM, GRU, RNN   torch.nn's layers: their arguments, state dicts and inputs
block_lstm_v2    and the other ops: TensorFlow's arguments by TensorFlow's names, torch's tensors

Needs torch 2.13 or newer. ``import rnn_compiler`` does not import this module. docs/training.md
lists which features of torch are supported.
"""

from __future__ import annotations

from importlib import util as _util
from typing import Any as _Any

from rnn_compiler.errors import UnsupportedError as _UnsupportedError
from rnn_compiler.installation import pip_install as _pip_install

if _util.find_spec("torch") is None:
    raise _UnsupportedError(
        "rnn_compiler.torch needs the package torch, which is not installed: "
        f"{_pip_install(extra='torch')}"
    )

from rnn_compiler.errors import with_hint as _with_hint
from rnn_compiler.torch.functions import FUNCTIONS as _FUNCTIONS
from rnn_compiler.torch.modules import GRU, LSTM, RNN

__all__ = ["GRU", "LSTM", "RNN", *_FUNCTIONS]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> _Any:
    try:
        return _FUNCTIONS[name]
    except KeyError:
        message = f"rnn_compiler.torch has no function {name!r}; it has {', '.join(__all__)}"
        raise AttributeError(_with_hint(message, name, __all__)) from None


def __dir__() -> list[str]:
    return __all__
