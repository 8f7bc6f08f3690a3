"""The whole step: from the network's inputs to its loss and the next values of its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.network_import.graph import Graph, onnx
from rnn_compiler.network_import.graph.gradients.chain_rule import depending, gradients, needed_by
from rnn_compiler.network_import.graph.gradients.recurrent import note_shapes
from rnn_compiler.network_import.graph.gradients.values import INT32, ShapedValue, Values
from rnn_compiler.network_import.graph.open_axes import Opened
from rnn_compiler.network_import.graph.recurrent import import_domain, replace_recurrent
from rnn_compiler.network_import.graph.training.dropout import with_dropout, without_dropout
from rnn_compiler.network_import.graph.training.losses import inside, loss_of
from rnn_compiler.network_import.graph.training.optimizers import next_states
from rnn_compiler.schema.open_sizes import Size


class EntryPoint(NamedTuple):
    """A function of a module.

    Attributes:
        graph: What it computes.
        inputs: What its inputs are called, by name, in order.
        outputs: Its outputs, each with what it is called; the same may be there twice.
        shapes: The shapes of those of open sizes, by name.
        ranges: The least and the largest number of inputs that only this function has, by name.
        continued: The inputs that outputs are the next values of, by the names of these.
    """

    graph: Graph
    inputs: Mapping[str, str]
    outputs: Sequence[tuple[str, str]]
    shapes: Mapping[str, Sequence[Size]]
    ranges: Mapping[str, tuple[Size, Size]] = {}
    continued: Mapping[str, str] = {}

    @staticmethod
    def of(graph: Graph, shapes: Mapping[str, Sequence[Size]]) -> EntryPoint:
        """The function of a graph, whose inputs and outputs are called as there."""
        inputs = {each.name: each.name for each in graph.proto.input}
        outputs = [(each.name, each.name) for each in graph.proto.output]
        same = {name: name for name, _ in outputs if name in inputs}
        return EntryPoint(graph, inputs, outputs, shapes, continued=same)


def trained_network(
    graph: Graph, opened: Opened, weights: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[dict[str, EntryPoint], dict[str, Any]]:
    """The functions of a network that is trained, and the first values of its states.

    The trained weights are the graph's last inputs.
    """
    output = _chosen_output(graph, options["output"])
    copy = onnx.ModelProto()
    copy.CopyFrom(graph.model)
    alone = Graph(copy, graph.path)
    alone.is_open = graph.is_open
    active = depending(graph, [*weights]) & needed_by(graph, [output])
    replace_recurrent(graph, active)
    replace_recurrent(alone)
    without_dropout(alone)
    train, states = _with_step(graph, opened, weights, {**options, "output": output})
    inputs = [each.name for each in alone.proto.input if each.name not in weights]
    _set_inputs(alone, [*inputs, *(name for name in weights if name in states)], weights)
    return {"train": train, "infer": EntryPoint.of(alone, opened.shapes)}, states


def _chosen_output(graph: Graph, name: str | None) -> str:
    """The output that the loss is of."""
    known = [each.name for each in graph.proto.output]
    if name is None and len(known) == 1:
        return known[0]
    if name is None or name not in known:
        expected = f"one of the outputs {', '.join(known)}"
        got = "none, of several" if name is None else describe(name)
        remedy = "" if name is None else did_you_mean(name, known)
        raise InvalidArgumentError("training_step", "output", expected, got, remedy)
    return name


def _with_step(
    graph: Graph, opened: Opened, weights: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[EntryPoint, dict[str, Any]]:
    """A graph with loss, gradients and next values, and the first values of the states."""
    values = Values(graph, opened.values, opened.axes)
    note_shapes(values)
    own = [each for each in graph.proto.input if each.name not in weights]
    step = None
    if options["dropout"] is None:
        without_dropout(graph)
    else:
        values.begin("dropout")
        step = values.input("step", INT32, [])
        with_dropout(values, options["dropout"], step)
    outputs = [each.name for each in graph.proto.output]
    output = values[options["output"]]
    loss = loss_of(values, output, options["loss"])
    found = gradients(values, {loss.of.name: loss.gradient}, [*weights])
    if not found:
        raise InvalidArgumentError(
            "training_step", "train", "weights on which the loss depends", ", ".join(weights)
        )
    values.begin("optimizer")
    rate = values.input("learning_rate", inside(loss.value.kind), [])
    states = next_states(values, options["optimizer"], found, rate, step)
    after = [_renamed(values, each.next, f"{each.title}.next") for each in states]
    given = {value.name: title for title, value in loss.inputs.items()}
    given |= {rate.name: "learning_rate"} | {each.value.name: each.title for each in states}
    _set_inputs(graph, [*(each.name for each in own), *given], weights)
    made = [(loss.value.name, "loss"), *((name, name) for name in outputs)]
    continued = {value.name: each.value.name for value, each in zip(after, states, strict=True)}
    made += [(name, name) for name in continued]
    names = [name for name, _ in made]
    _set_outputs(values, names)
    graph.set_nodes([*graph.proto.node, *values.made])
    import_domain(graph)
    graph.remove_unused()
    known = {name: values[name].sizes for name in (*(each.name for each in own), *given, *names)}
    first = {each.value.name: weights.get(each.title, _zeros(each.value)) for each in states}
    ranges = {loss.inputs[title].name: range for title, range in loss.ranges.items()}
    inputs = {each.name: each.name for each in own} | given
    return EntryPoint(graph, inputs, made, known, ranges, continued), first


def _renamed(values: Values, value: ShapedValue, name: str) -> ShapedValue:
    """A value as a result of its own, even if others are equal to it."""
    values.begin(name)
    return value.apply("Identity")


def _zeros(value: ShapedValue) -> Any:
    """The first value of a moment."""
    sizes = [size for size in value.sizes if isinstance(size, int)]
    return np.zeros(sizes, onnx.helper.tensor_dtype_to_np_dtype(value.kind))


def _set_inputs(graph: Graph, names: Sequence[str], weights: Mapping[str, Any]) -> None:
    """Orders a graph's inputs; weights that are not among them are constants again."""
    known = {each.name: each for each in graph.proto.input}
    copies = [onnx.ValueInfoProto() for _ in names]
    for copy, name in zip(copies, names, strict=True):
        copy.CopyFrom(known[name])
    del graph.proto.input[:]
    graph.proto.input.extend(copies)
    frozen = [onnx.numpy_helper.from_array(weights[n], n) for n in weights if n not in names]
    graph.proto.initializer.extend(frozen)


def _set_outputs(values: Values, names: Sequence[str]) -> None:
    """Sets a graph's outputs."""
    del values.graph.proto.output[:]
    for name in names:
        value = values[name]
        known = [size if isinstance(size, int) else None for size in value.shape]
        made = onnx.helper.make_tensor_value_info(name, value.kind, known)
        values.graph.proto.output.append(made)
