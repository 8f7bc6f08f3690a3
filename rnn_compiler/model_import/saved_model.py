"""TensorFlow's SavedModel folders, and frozen graphs.

A SavedModel is ``saved_model.pb``, the graph, and ``variables/``, a checkpoint.

Sources: tensorflow/python/saved_model/README.md, tensorflow/cc/saved_model/loader.cc.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.checkpoint import Checkpoint
from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.messages import pairs, parse
from rnn_compiler.model_import.reading import Budget, damaged, read_bytes, stored_bytes
from rnn_compiler.model_import.saved_keras import keras_layers
from rnn_compiler.model_import.tensorflow_graph import Constants, TensorflowGraph
from rnn_compiler.model_import.tensorflow_layers import layers_of

_SERVING = "serve"


def read_saved_model(folder: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a SavedModel, and a description of its other content."""
    path = folder / "saved_model.pb"
    if not path.is_file():
        text = ", which has only saved_model.pbtxt" if path.with_suffix(".pbtxt").is_file() else ""
        raise InvalidArgumentError(
            "import_model", "path", "a folder with saved_model.pb", f"{folder}{text}"
        )
    data = read_bytes(path)
    model = parse("SavedModel", data, path)
    if not model.meta_graphs:
        raise damaged(path, "it has no graph")
    serving = [each for each in model.meta_graphs if _SERVING in each.info.tags]
    chosen = (serving or list(model.meta_graphs))[0]
    graph = TensorflowGraph(chosen.graph, path)
    index = folder / "variables" / "variables.index"
    checkpoint = Checkpoint(index.with_suffix(""), path) if os.path.lexists(index) else None
    stored = sum(map(stored_bytes, index.parent.glob("variables.data-*")))
    budget = Budget(path, len(data) + stored)
    constants = Constants(graph, checkpoint, budget)
    graph.bound = dict.fromkeys(pairs(chosen.objects.functions), ())
    if checkpoint is None:
        return layers_of(constants, budget), _ops_of(graph)
    nodes = {key: name for name, key in constants.keys.items()}
    saved = _saved(chosen.objects, checkpoint)
    graph.bound |= _bound(chosen.objects, saved, checkpoint, nodes)
    found = layers_of(constants)
    if not found or any(isinstance(each, RefusedLayer) for each in found):
        found = keras_layers(folder, chosen.objects, saved, checkpoint) or layers_of(
            constants, budget
        )
    return found, _ops_of(graph)


def read_frozen_graph(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a graph whose weights are constants, and a description of its other content."""
    data = read_bytes(path)
    message = parse("Graph", data, path)
    if not message.node:
        raise damaged(path, "it is not a GraphDef: it has no nodes")
    graph = TensorflowGraph(message, path)
    budget = Budget(path, len(data))
    return layers_of(Constants(graph, None, budget), budget), _ops_of(graph)


def _saved(objects: Any, checkpoint: Checkpoint) -> dict[int, int]:
    """The number in the checkpoint of each of a model's objects that it has.

    The graph and the checkpoint each list the objects of the model, in different orders. Objects
    with the same name in the same parent are the same.
    """
    same, waiting = {0: 0}, [0]
    while waiting and checkpoint.objects:
        here = waiting.pop()
        if here >= len(objects.nodes) or not 0 <= same[here] < len(checkpoint.objects):
            continue
        there = {each.name: each.node for each in checkpoint.objects[same[here]].children}
        for child in objects.nodes[here].children:
            if child.name in there and child.node not in same and child.node >= 0:
                same[child.node] = there[child.name]
                waiting.append(child.node)
    return same


def _bound(
    objects: Any, saved: Mapping[int, int], checkpoint: Checkpoint, nodes: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The nodes of the variables that a model's functions hold, by the functions' names."""

    def node_of(number: int) -> str:
        there = saved.get(number, -1)
        known = 0 <= there < len(checkpoint.objects)
        key = checkpoint.key_of(checkpoint.objects[there]) if known else None
        return nodes.get(key or "", "")

    found = pairs(objects.functions).items()
    return {name: tuple(map(node_of, bound.inputs)) for name, bound in found}


def _ops_of(graph: TensorflowGraph) -> str:
    """The ops of a graph that may belong to a recurrent layer, for a message."""
    bodies = [graph.main.body, *graph.functions.values()]
    ops = {node.op for body in bodies for node in body.nodes.values()}
    loops = sorted(ops & {"While", "StatelessWhile", "Enter", "TensorListReserve"})
    return f"loops of ordinary ops ({', '.join(loops)})" if loops else "no loop at all"
