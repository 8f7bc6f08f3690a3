"""Converts cuDNN's opaque parameter buffer from and to the weights of other frameworks.

from_torch, to_torch            the state dict of torch.nn.LSTM, GRU or RNN
from_keras, to_keras            the weights of Keras' LSTM, GRU or SimpleRNN layers
from_onnx, to_onnx              W, R and B of ONNX's LSTM, GRU or RNN
from_block_lstm, to_block_lstm  w and b of TensorFlow's BlockLSTM and BlockLSTMV2
from_cell                       a cell of many other frameworks, as a layer; cells lists them
load, save                      files of named arrays: safetensors and npz

The other ``from_`` functions return the 1-D `params` of a CudnnRNN op with input_mode
"linear_input", and every ``to_`` function takes it; `rnn_compiler.schema.cudnn_layout` defines its
layout. Only numpy is needed. Arrays may be anything numpy can view, and torch tensors. Their dtype
is preserved.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rnn_compiler.weights.block_lstm import from_block_lstm, to_block_lstm
from rnn_compiler.weights.files import load, save
from rnn_compiler.weights.keras import from_keras, to_keras
from rnn_compiler.weights.onnx import OnnxWeights, from_onnx, to_onnx
from rnn_compiler.weights.torch import from_torch, to_torch

if TYPE_CHECKING:
    from rnn_compiler.model_import.cells import cells, from_cell

__all__ = [
    "OnnxWeights",
    "cells",
    "from_block_lstm",
    "from_cell",
    "from_keras",
    "from_onnx",
    "from_torch",
    "load",
    "save",
    "to_block_lstm",
    "to_keras",
    "to_onnx",
    "to_torch",
]


def __getattr__(name: str) -> Any:
    # Imported at first use: layers need the ops, which the conversions do not.
    if name in ("cells", "from_cell"):
        return getattr(importlib.import_module("rnn_compiler.model_import.cells"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
