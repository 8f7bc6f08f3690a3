"""Writes trained weights back into the ONNX file that they come from.

It needs the package onnx, and no compiler.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.base.files import open_regular, write_files
from rnn_compiler.base.installation import import_failure
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.runtime.states import States, file_path
from rnn_compiler.schema.manifest import SourceSpec

__all__ = ["write_trained"]

_CALLER = "save_onnx"


def write_trained(spec: SourceSpec | None, states: States, path: Any, source: Any = None) -> Path:
    """Writes a copy of the file of a training step, with other weights.

    Args:
        spec: The file, as the module's manifest describes it; None if there is none.
        states: The values of the states, the weights among them.
        path: The file to write.
        source: Where the file is now; None for where it was.

    Raises:
        InvalidArgumentError: There is no such file, or another one; or `path` is this file.
        OSError: A file cannot be read or written.
        UnsupportedError: The package onnx is not installed.
    """
    if spec is None:
        expected, got = "a session of a module from training_step", "one of another module"
        raise InvalidArgumentError(_CALLER, "session", expected, got)
    try:
        onnx: Any = importlib.import_module("onnx")
    except ImportError as error:
        raise import_failure(error, "onnx", extra="import") from error
    file = file_path(_CALLER, spec.path if source is None else source, "source")
    target = file_path(_CALLER, path)
    _check(spec, file)
    if target.exists() and target.samefile(file):
        expected = f"another file than {file}, without which the weights cannot be written again"
        raise InvalidArgumentError(_CALLER, "path", expected, "the same")
    model = onnx.load(file)
    weights = {name: states[state] for state, name in spec.initializers.items()}
    _replace(onnx, model.graph, weights)
    write_files((target, model.SerializeToString()))
    return target


def _check(spec: SourceSpec, file: Path) -> None:
    """Checks that the file, and those beside it, are what the module was made of."""
    digests = {file: spec.sha256, **{file.parent / k: v for k, v in spec.beside.items()}}
    for each, digest in digests.items():
        try:
            with open_regular(each) as opened:
                found = hashlib.sha256(opened.read()).hexdigest()
        except FileNotFoundError:
            found = None
        if found != digest:
            expected = f"the file that the module was made of, sha256 {digest[:16]}..."
            got = f"no {each}" if found is None else f"{each}, which is another, {found[:16]}..."
            raise InvalidArgumentError(
                _CALLER, "source", expected, got, "pass its path: save_onnx(path, source=...)"
            )


def _replace(onnx: Any, graph: Any, weights: Mapping[str, Any]) -> None:
    """Replaces the values of initializers, and of constants with these names."""
    tensors = {each.name: each for inner in _inside(graph) for each in inner.initializer}
    tensors |= {each.name: each for each in graph.initializer}
    for node in [*graph.node]:
        name = node.output[0] if node.output else ""
        if name in weights and node.op_type == "Constant":
            tensors[name] = node.attribute[0].t
        elif node.op_type == "Identity" and _is_apart(onnx, node, tensors, weights):
            tensors[name] = graph.initializer.add()
            tensors[name].CopyFrom(tensors[node.input[0]])
            tensors[name].name = name
            graph.node.remove(node)
    for name, value in weights.items():
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensors[name].data_type)
        array: Any = np.ascontiguousarray(value, dtype)
        tensors[name].CopyFrom(onnx.numpy_helper.from_array(array, name))


def _inside(graph: Any) -> Iterator[Any]:
    """The graphs inside the nodes of a graph, such as bodies of loops."""
    for attribute in (each for node in graph.node for each in node.attribute):
        for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
            yield inner
            yield from _inside(inner)


def _is_apart(onnx: Any, node: Any, tensors: Mapping[str, Any], weights: Mapping[str, Any]) -> bool:
    """Whether a node's copy of a weight is trained apart from the weight.

    The training step trains copies apart if all numbers of the weight are equal.
    """
    source, name = node.input[0], node.output[0]
    if name in weights or source not in weights:
        return name in weights
    array: Any = onnx.numpy_helper.to_array(tensors[source])
    return bool(array.size) and bool(np.all(array == array.flat[0]))
