"""Chooses the op for a layer of ONNX or Keras that is described as ONNX's op with attributes.

It is CudnnRNNV3 if that computes the layer: with cuDNN's cells and no peepholes, forward or in both
directions. Any other layer is ONNX's op itself.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.ops.cells.direction import Cell
from rnn_compiler.lowering.ops.onnx.cells import cells_of

__all__ = ["CUDNN_NAMES", "ONNX_NAMES", "canonical", "cudnn_mode", "optional_inputs"]

CUDNN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **{"sequence_lens": "sequence_lengths", "initial_h": "input_h", "initial_c": "input_c"},
        **{"Y": "output", "Y_h": "output_h", "Y_c": "output_c"},
    }
)
"""CudnnRNNV3's names of the inputs and outputs of ONNX's ops."""

ONNX_NAMES: Mapping[str, str] = MappingProxyType({name: name for name in CUDNN_NAMES})

_CUDNN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "lstm": ("onnx.LSTM", {}),
    "gru": ("onnx.GRU", {"linear_before_reset": 1}),
    "rnn_tanh": ("onnx.RNN", {}),
    "rnn_relu": ("onnx.RNN", {"activations": "Relu"}),
}
"""The cells that CudnnRNNV3 computes, by its modes."""


def canonical(op: str, given: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """The attributes of one of ONNX's ops, checked.

    Args:
        op: ``"onnx.LSTM"``, ...
        given: The attributes that differ from their defaults.
        dtype: The op's dtype.

    Raises:
        InvalidArgumentError: A value is invalid, or they contradict each other.
    """
    attributes = OPS[op].signature.canonical(given, dtype)
    cells_of(op, attributes)
    return attributes


def optional_inputs(op: str) -> tuple[str, ...]:
    """The inputs that ONNX calls optional."""
    signature = OPS[op].signature
    return next(each.choices for each in signature.attributes if each.name == "inputs")


def cudnn_mode(op: str, attributes: Mapping[str, Any]) -> str | None:
    """The rnn_mode with which CudnnRNNV3 computes a layer; None if it does not.

    Args:
        op: ONNX's op.
        attributes: All of its attributes.

    Example:
        >>> attributes = canonical("onnx.GRU", {"linear_before_reset": 1}, "float32")
        >>> cudnn_mode("onnx.GRU", attributes)
        'gru'
        >>> cudnn_mode("onnx.GRU", {**attributes, "activations": "HardSigmoid Tanh"}) is None
        True
    """
    if attributes["direction"] == "reverse" or "P" in attributes["inputs"].split():
        return None
    cells = cells_of(op, attributes)
    modes = (mode for mode, (kind, _) in _CUDNN.items() if kind == op)
    return next((mode for mode in modes if all(cell == _cell(mode) for cell in cells)), None)


@functools.cache
def _cell(mode: str) -> Cell:
    """The cell of a mode."""
    op, given = _CUDNN[mode]
    return cells_of(op, OPS[op].signature.canonical(given, "float32"))[0]
