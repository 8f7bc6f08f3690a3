"""Whole networks, exported from PyTorch, learn as they do there, step by step."""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import torch
from execution import ways
from onnx import helper
from quick import SWEEP, every

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES
from tests.network_import.graphs import model, saved, weight
from tests.network_import.learners import (
    CASES,
    OPTIMIZERS,
    Case,
    T,
    exported,
    learned,
    with_optimizers,
)


@functools.cache
def trained(name: str, optimizer: str, is_open: bool = False) -> tuple[rc.Module, dict[str, Any]]:
    """The training step of a case's network, perhaps with open axes, and its first states."""
    torch.manual_seed(0)
    case = CASES[name]
    inputs = case.inputs(np.random.default_rng(1))
    axes = {key: each for key, each in OPEN[name].items() if key in inputs} if is_open else {}
    given = {"dynamic_axes": axes} if is_open else {}
    with tempfile.TemporaryDirectory() as folder:
        path = exported(case.network().eval(), inputs, Path(folder) / "m.onnx", **given)
        module = rc.training_step(path, loss=case.loss, optimizer=OPTIMIZERS[optimizer].ours)
    return module, dict(module.initial)


OPEN: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "tagger": {key: {0: "batch", 1: "time"} for key in ("x", "target")},
    "both": {"x": {0: "batch", 1: "time"}, "target": {0: "batch"}},
    "wakeword": {"x": {0: "batch"}, "target": {0: "batch"}},
    "captcha": {name: {0: "batch"} for name in ("x", "target", "input_lengths", "target_lengths")},
    "packed": {
        "x": {0: "batch", 1: "longest"},
        "lengths": {0: "batch"},
        "target": {0: "batch"},
    },
    "attentive": {key: {0: "batch", 1: "time"} for key in ("x", "mask", "target")},
    "residual": {"x": {0: "batch", 2: "time"}, "target": {0: "batch", 1: "time"}},
    "translator": {
        "x": {0: "time", 1: "batch"},
        "before": {0: "steps", 1: "batch"},
        "target": {0: "steps", 1: "batch"},
    },
    "hourglass": {"x": {0: "batch"}, "target": {0: "batch"}},
}
"""Axes that stay open in a training step; strided windows need the lengths of theirs."""

SIZES = {"batch": 2, "time": 5, "steps": 3, "longest": T}
"""Other sizes than those of the export."""


def smaller(case: Case, axes: Mapping[str, Mapping[int, str]]) -> Case:
    """A case whose arrays have other sizes along open axes."""

    def cut(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: cut_axes(array, axes.get(key, {})) for key, array in arrays.items()}

    def cut_axes(array: Any, names: Mapping[int, str]) -> Any:
        for axis, key in names.items():
            array = array.take(range(SIZES[key]), axis)
        return array

    return case._replace(
        inputs=lambda rng: cut(case.inputs(rng)), target=lambda rng: cut(case.target(rng))
    )


ELSEWHERE = {
    *("chars", "tagger"),  # below, in several languages
    "both",  # "words" has plain RNNs, "hourglass" a GRU in both directions
    "attentive",  # "translator" attends, too
}
"""Networks whose parts learn in others; `test_training_rules.py` has each of their operators."""


def kinds_of_sizes(name: str) -> list[bool]:
    """Whether a network learns with open axes: four that have each kind of them do, or with known
    sizes as well if all is asked for; `test_training_ctc.py` has open sizes of CTC."""
    some = every(OPEN, "packed", "residual", "translator", "wakeword")
    return [True] * (name in some) + [False] * (SWEEP or name not in some)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "optimizer", "is_open"),
    [
        (name, optimizer, is_open)
        for name, optimizer in with_optimizers(CASES)
        if SWEEP or name not in ELSEWHERE
        for is_open in kinds_of_sizes(name)
    ],
)
def test_networks_learn(name: str, optimizer: str, is_open: bool) -> None:
    """For 40 steps, perhaps at other sizes than those of the export; then they give the same."""
    axes = OPEN[name] if is_open else {}
    case = smaller(CASES[name], axes)
    module, states = trained(name, optimizer, is_open)
    session = rc.runtime.load(rc.compile(module)).session()

    def step(**given: Any) -> Mapping[str, Any]:
        made = session.train(**{each: given[each] for each in given if each not in states})
        return {**made._asdict(), **session.state}

    states = learned(case, OPTIMIZERS[optimizer], step, states, 40)
    torch.manual_seed(0)
    network, inputs = case.network().eval(), case.inputs(np.random.default_rng(5))
    with torch.no_grad():
        for key, parameter in network.named_parameters():
            parameter.copy_(torch.tensor(states[key.replace(".", "_")]))
        wanted = network(*map(torch.tensor, inputs.values()))
    np.testing.assert_allclose(session.infer(**inputs).y, wanted, 1e-4, 1e-5)


@ways("c", "js", quick=())
def test_every_language(execute: Any) -> None:
    """What networks learn in Python, above, one learns in C and JavaScript."""
    module, states = trained("chars", "adam")
    step = functools.partial(execute, module)
    learned(CASES["chars"], OPTIMIZERS["adam"], lambda **given: step(given), states, 10)


@ways("direct", "c", "js", quick=())
def test_any_batch_and_any_length(execute: Any) -> None:
    """With a target of the same open sizes."""
    sizes = itertools.cycle([(3, 8), (1, 5), (4, 1), (2, 12), (1, 1)])
    current = itertools.chain.from_iterable((size, size) for size in sizes)
    open_case = CASES["tagger"]._replace(
        inputs=lambda rng: {"x": rng.integers(0, 11, next(current)).astype(np.int64)},
        target=lambda rng: {"target": rng.integers(0, 4, next(current)).astype(np.int32)},
    )
    module, states = trained("tagger", "sgd", is_open=True)
    learned(open_case, OPTIMIZERS["sgd"], lambda **given: execute(module, given), states, 10)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_other_floats(dtype: str, tmp_path: Path) -> None:
    """Weights that are inputs of a layer have its dtype; smaller floats have moments in float32."""
    kind = DTYPES[dtype].numpy
    wide = np.float64 if dtype == "float64" else np.float32
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["z"]),
        helper.make_node("LSTM", ["z", "W", "R"], ["Y", "", ""], hidden_size=5),
        helper.make_node("Squeeze", ["Y", "axis"], ["y"]),
    ]
    shapes = {"w": (4, 6), "W": (1, 20, 6), "R": (1, 20, 5)}
    weights = {name: weight(*shape).astype(kind) for name, shape in shapes.items()}
    element = helper.np_dtype_to_tensor_dtype(kind)
    kinds = {"x": element, "y": element}
    made = model(nodes, {"x": [7, 3, 4]}, ["y"], {**weights, "axis": np.array([1])}, dtypes=kinds)
    path = saved(made, tmp_path / "m.onnx")
    module = rc.training_step(path, loss="mean_squared_error", optimizer="adam")
    dtypes = {each.name: each.dtype for each in module.functions[0].arguments}
    assert dtypes["w"] == dtype
    assert dtypes["w_m"] == dtypes["target"] == np.dtype(wide).name
    session = rc.runtime.load(rc.compile(module)).session()
    given = {"x": weight(7, 3, 4).astype(kind), "target": np.zeros((7, 3, 5), wide)}
    losses = [float(session.train(**given, learning_rate=wide(0.05)).loss) for _ in range(10)]
    assert losses[-1] < 0.5 * losses[0]
