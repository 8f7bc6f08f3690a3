"""Writes trained weights back into the ONNX file that they come from."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from rnn_compiler.base.files import write_files
from rnn_compiler.base.installation import import_failure
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, describe
from rnn_compiler.network_import import identifiers, onnx_file

_FUNCTION = "save_trained"
_OWN = ("_m", "_v")
"""The ends of the names of an optimizer's moments."""


def save_trained(
    source: str | os.PathLike[str], states: Mapping[str, Any], path: str | os.PathLike[str]
) -> Path:
    """Writes a copy of an ONNX file with the weights that a training step has learned.

    Args:
        source: The file that `training_step` was given.
        states: The states after training, ``session.state``; moments and the number of steps are
            left out.
        path: The file to write, weights included. It may be the same one.

    Returns:
        The path.

    Raises:
        ArtifactError: The source is damaged.
        InvalidArgumentError: It is another kind of file, or has no initializer of a state's name
            and shape.
        OSError: A file cannot be read or written.
        UnsupportedError: The package onnx is not installed.

    Example:
        >>> save_trained("model.h5", {}, "trained.onnx")
        Traceback (most recent call last):
        ...
        rnn_compiler.errors.InvalidArgumentError: save_trained: 'path': expected ...
    """
    file = onnx_file(source, _FUNCTION)
    if not isinstance(states, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        expected = "a mapping of names to arrays, such as session.state"
        raise InvalidArgumentError(_FUNCTION, "states", expected, describe(cast(object, states)))
    try:
        onnx: Any = importlib.import_module("onnx")
    except ImportError as error:
        raise import_failure(error, "onnx", extra="import") from error
    try:
        model = onnx.load(file)
    except OSError:
        raise
    except Exception as error:  # protobuf's own, which depends on the implementation
        raise ArtifactError(f"{file}: it is no ONNX model") from error
    _separate(onnx, model.graph, states)
    tensors = {identifiers([each.name])[0]: each for each in model.graph.initializer}
    for name, value in states.items():
        if name == "step" or (name[-2:] in _OWN and name[:-2] in states):
            continue
        tensor, array = tensors.get(name), np.asarray(value)
        if tensor is None or list(tensor.dims) != list(array.shape):
            expected = f"an initializer that becomes {name!r}, of shape {list(array.shape)}"
            got = f"one of {list(tensor.dims)}" if tensor is not None else "none"
            raise InvalidArgumentError(_FUNCTION, "source", expected, got)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        new = onnx.numpy_helper.from_array(np.ascontiguousarray(array, dtype), tensor.name)
        tensor.CopyFrom(new)
    target = Path(path)
    write_files((target, model.SerializeToString()))
    return target


def _separate(onnx: Any, graph: Any, states: Mapping[str, Any]) -> None:
    """Gives initializers of their own to repeated ones that are trained apart."""
    tensors = {each.name: each for each in graph.initializer}
    for node in [*graph.node]:
        if node.op_type == "Identity" and node.input[0] in tensors:
            name = node.output[0]
            if identifiers([name])[0] in states:
                own = onnx.TensorProto()
                own.CopyFrom(tensors[node.input[0]])
                own.name = name
                graph.initializer.append(own)
                graph.node.remove(node)
