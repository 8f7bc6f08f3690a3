"""Gradients of small ONNX models, by the rules and by differences, and their training steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.folding import fold
from rnn_compiler.network_import.graph.gradients.chain_rule import gradients
from rnn_compiler.network_import.graph.gradients.values import Values
from rnn_compiler.network_import.graph.open_axes import Opened
from rnn_compiler.network_import.graph.training.step import trained_network
from rnn_compiler.network_import.graph.training.trained import take_trained
from rnn_compiler.network_import.training import checked_options
from tests.network_import.graphs import folded, saved

_STEP = 1e-6


class Erf(OpRun):
    """In float64, unlike the reference implementation's."""

    def _run(self, x: Any) -> tuple[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return (np.vectorize(math.erf)(x).astype(x.dtype),)


class Gelu(OpRun):
    """The exact one, in float64."""

    def _run(self, x: Any, approximate: Any = None) -> tuple[Any]:  # pyright: ignore
        return ((x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2).astype(x.dtype),)


class MaxPoolGradient(OpRun):
    """Our op; the first largest number of each window."""

    op_domain = "rnn_compiler"

    def _run(self, x: Any, dy: Any, **_: Any) -> tuple[Any]:  # pyright: ignore
        T, high, columns, wide = x.shape
        windows = x.transpose(0, 2, 1, 3).reshape(T, columns, high * wide)
        is_first = windows.argmax(-1)[..., None] == np.arange(high * wide)
        of_windows = np.where(is_first, dy[..., None], 0).astype(x.dtype)
        return (of_windows.reshape(T, columns, high, wide).transpose(0, 2, 1, 3),)


class TableGradient(OpRun):
    """Our op: rows added to those of zeros."""

    op_domain = "rnn_compiler"

    def _run(self, x: Any, places: Any, dy: Any, **_: Any) -> tuple[Any]:  # pyright: ignore
        total = np.zeros_like(x)
        np.add.at(total, places, dy)
        return (total,)


_NEW: Any = [Erf, Gelu, MaxPoolGradient, TableGradient]


def results(model: Any, given: Mapping[str, Any]) -> list[Any]:
    """The results of a model, in its dtypes."""
    return ReferenceEvaluator(model, new_ops=_NEW).run(None, dict(given))


def backward(model: Any, wanted: Sequence[str], folder: Path) -> Any:
    """A model of the gradients of some inputs, given ``d`` and the name of each float output."""
    graph = folded(model, folder / "m.onnx")
    values = Values(graph, {}, [])
    values.begin("test")
    known = {
        each.name: values.typed(f"d{each.name}", values[each.name].kind, values[each.name].shape)
        for each in graph.proto.output
        if values[each.name].is_float
    }
    found = gradients(values, known, wanted)
    inputs = [*graph.proto.input]
    inputs += [helper.make_tensor_value_info(v.name, v.kind, v.shape) for v in known.values()]
    del graph.proto.output[:]
    for name in wanted:
        value = found[name]
        graph.proto.output.append(
            helper.make_tensor_value_info(value.name, value.kind, value.shape)
        )
    graph.set_nodes([*graph.proto.node, *values.made])
    graph.remove_unused()
    nodes, outputs = graph.proto.node, graph.proto.output
    made = helper.make_graph(nodes, "backward", inputs, outputs, graph.proto.initializer)
    of_ours = [
        values[name] for n in nodes if n.domain == MaxPoolGradient.op_domain for name in n.output
    ]
    made.value_info.extend(
        helper.make_tensor_value_info(v.name, v.kind, v.shape) for v in of_ours
    )  # which onnx does not infer
    own = helper.make_opsetid(MaxPoolGradient.op_domain, 1)
    opsets = [*graph.model.opset_import, own]
    imports = {"opset_imports": opsets, "ir_version": graph.model.ir_version}
    return onnx.shape_inference.infer_shapes(helper.make_model(made, **imports), strict_mode=True)


def by_differences(
    model: Any, given: Mapping[str, Any], upstream: Sequence[Any], wanted: Sequence[str]
) -> list[Any]:
    """The gradients of inputs in float64, by central differences of each element."""
    session = ReferenceEvaluator(model, new_ops=_NEW)

    def loss(changed: Mapping[str, Any]) -> float:
        made = session.run(None, {**given, **changed})
        floats = [each for each in made if each.dtype.kind == "f"]
        return sum(float(np.sum(y * dy)) for y, dy in zip(floats, upstream, strict=True))

    found: list[Any] = []
    for name in wanted:
        gradient = np.zeros_like(given[name])
        for place in np.ndindex(*gradient.shape):
            sides: list[float] = []
            for sign in (1, -1):
                changed = given[name].copy()
                changed[place] += sign * _STEP
                sides.append(loss({name: changed}))
            gradient[place] = (sides[0] - sides[1]) / (2 * _STEP)
        found.append(gradient)
    return found


class Trained:
    """A training step as a model of ONNX, which its reference implementation runs.

    Attributes:
        states: The states, by what they are called.
    """

    def __init__(self, model: Any, folder: Path, **options: Any) -> None:
        graph = Graph.read(saved(model, folder / "m.onnx"))
        plain = checked_options(**options)
        weights = take_trained(graph, plain["train"])
        fold(graph)
        opened = Opened({}, {}, {}, graph.shapes(), [])
        functions, states = trained_network(graph, opened, weights, plain)
        self._step = functions["train"]
        self._session = ReferenceEvaluator(self._step.graph.model, new_ops=_NEW)
        self.states = {self._step.inputs[name]: array for name, array in states.items()}

    def __call__(self, **given: Any) -> Any:
        """The loss of a step, which changes the states."""
        feeds = {name: {**given, **self.states}[title] for name, title in self._step.inputs.items()}
        made = dict(zip(self._session.output_names, self._session.run(None, feeds), strict=True))
        for output, name in self._step.continued.items():
            self.states[self._step.inputs[name]] = made[output]
        loss, _ = self._step.outputs[0]
        return made[loss]
