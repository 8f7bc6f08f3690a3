"""Handwritten TensorFlow graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.messages import parse

__all__ = ["add", "cell", "frozen", "graph", "tensor"]


def graph() -> Any:
    """An empty graph."""
    return parse("Graph", b"", Path())


def add(nodes: Any, op: str, name: str, *inputs: str, **attributes: Any) -> Any:
    """Adds a node with attributes that are messages, or numbers."""
    node = nodes.add(op=op, name=name, input=inputs)
    for key, value in attributes.items():
        held = node.attr.add(key=key).value
        kind = {bool: "b", int: "i", float: "f"}.get(type(value))
        if kind:
            setattr(held, kind, value)
        elif key == "value":
            held.tensor.CopyFrom(value)
        else:
            held.func.name = value
    return node


def tensor(array: Any) -> Any:
    """A tensor."""
    array = np.asarray(array)
    made = parse("Tensor", b"", Path())
    made.dtype = {"float32": 1, "int32": 3, "int64": 9}[array.dtype.name]
    for size in array.shape:
        made.shape.dim.add(size=size)
    made.content = array.tobytes()
    return made


def cell(nodes: Any, w: str) -> None:
    """An LSTMBlockCell whose weights are a node's."""
    names = ("x", "cs", "h", w, "p", "p", "p", "b")
    add(nodes, "LSTMBlockCell", "cell", *names)
    for name in ("x", "cs", "h"):
        add(nodes, "Placeholder", name)
    add(nodes, "Const", "p", value=tensor(np.zeros(2, np.float32)))
    add(nodes, "Const", "b", value=tensor(np.zeros(8, np.float32)))


def frozen(made: Any, folder: Path) -> Path:
    path = folder / "model.pb"
    path.write_bytes(made.SerializeToString())
    return path
