"""Dropout that drops nothing, as in inference; other random numbers are refused by name.

IREE's importer takes a Dropout with a first result and without `training_mode`, or with both that
and a ratio. What draws random numbers it takes too, but nothing compiles it.
"""

from __future__ import annotations

from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph, onnx, subgraphs
from rnn_compiler.network_import.graph.steps import RANDOM


def plain_dropouts(graph: Graph) -> bool:
    """Leaves out each `training_mode` that is false; returns whether there were any."""
    constants = graph.constants()
    changed = False
    for node in graph.proto.node:
        if node.op_type != "Dropout":
            continue
        if _mode(node) in constants and not onnx.numpy_helper.to_array(constants[_mode(node)]):
            del node.input[2:]
            if not node.input[-1]:
                del node.input[-1]
            changed = True
        if not node.output[0]:  # only the mask is read
            node.output[0] = f"{node.name}.output"
            changed = True
    return changed


def check_random(graph: Graph, *, trains: bool) -> None:
    """Checks that no node draws random numbers, but for Dropouts of what is trained."""
    for each in (graph.proto, *subgraphs(graph.proto)):
        for node in each.node:
            if node.op_type.startswith(RANDOM):
                raise UnsupportedError(
                    f"import_network: {graph.named(node)}: not supported, because modules draw no "
                    "random numbers; export the model with these numbers as an input"
                )
            is_trained = trains and each is graph.proto
            if node.op_type == "Dropout" and _mode(node) and not is_trained:
                raise _drops(graph, node)


def _mode(node: Any) -> str:
    """The name of a Dropout's `training_mode`; empty if there is none."""
    return node.input[2] if len(node.input) > 2 else ""


def _drops(graph: Graph, node: Any) -> UnsupportedError:
    """A Dropout that drops elements, or may."""
    name = _mode(node)
    got = "a computed one"
    remedy = "export the model for inference, in PyTorch after model.eval()"
    if name in graph.constants():
        got = "true"
    elif any(each.name == name for each in graph.proto.input):
        got, remedy = f"the input {name!r}", f"fix it with values={{{name!r}: False}}"
    return UnsupportedError(
        f"import_network: {graph.named(node)}: expected a training_mode that is false, with which "
        f"nothing is dropped, got {got}; {remedy}"
    )
