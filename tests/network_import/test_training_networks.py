"""Whole networks, exported from PyTorch, learn as they do there, step by step."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import torch
from execution import each_language
from onnx import helper
from quick import first

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES
from tests.network_import.graphs import model, saved, weight

F: Any = torch.nn.functional
nn: Any = torch.nn
B, T = 3, 8
RATE = 0.005


class Chars(nn.Module):
    """Predicts characters: an embedding, a GRU, a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.gru = nn.GRU(6, 10)
        self.next = nn.Linear(10, 11)

    def forward(self, x: Any) -> Any:
        return self.next(self.gru(self.table(x))[0])


class Tagger(nn.Module):
    """An LSTM of two layers over words, with probabilities of tags."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True)
        self.tags = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        return torch.softmax(self.tags(self.lstm(self.table(x))[0]), -1)


class Wakeword(nn.Module):
    """Convolutions, a normalization, a pool and an LSTM, whose last state is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(5, 8, 3, padding=1)
        self.norm = nn.BatchNorm1d(8)
        self.deep = nn.Conv1d(8, 8, 3, stride=2, groups=2)
        self.lstm = nn.LSTM(8, 7, batch_first=True)
        self.out = nn.Linear(7, 1)

    def forward(self, x: Any) -> Any:
        y = F.max_pool1d(torch.relu(self.norm(self.conv(x))), 2)
        y = F.gelu(self.deep(y)).transpose(1, 2)
        return self.out(self.lstm(y)[0][:, -1])


class Both(nn.Module):
    """A plain RNN and a GRU in both directions, between layer normalizations."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(5, 6, batch_first=True, nonlinearity="relu")
        self.before = nn.LayerNorm(6)
        self.gru = nn.GRU(6, 4, batch_first=True, bidirectional=True)
        self.after = nn.LayerNorm(8)
        self.out = nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        y = self.before(self.rnn(x)[0])
        return self.out(self.after(self.gru(y)[0])).mean(1)


class Case(NamedTuple):
    """A network with what it learns.

    Attributes:
        network: Its class.
        inputs: An input, given a generator.
        target: A target for that input.
        loss: Our loss.
        theirs: The same of PyTorch's functions.
        optimizer: Our optimizer.
        their_optimizer: PyTorch's, given parameters.
    """

    network: Callable[[], Any]
    inputs: Callable[[Any], Any]
    target: Callable[[Any], Any]
    loss: Any
    theirs: Callable[[Any, Any], Any]
    optimizer: Any
    their_optimizer: Callable[[Any], Any]


def of_classes(y: Any, target: Any) -> Any:
    return F.cross_entropy(y.flatten(0, -2), target.long().flatten())


def of_probabilities(y: Any, target: Any) -> Any:
    return F.nll_loss(y.log().flatten(0, -2), target.long().flatten())


CASES = {
    "chars": Case(
        Chars,
        lambda rng: rng.integers(0, 11, (T, B)).astype(np.int32),
        lambda rng: rng.integers(0, 11, (T, B)).astype(np.int32),
        "cross_entropy",
        of_classes,
        "adam",
        torch.optim.Adam,
    ),
    "tagger": Case(
        Tagger,
        lambda rng: rng.integers(0, 11, (B, T)).astype(np.int64),
        lambda rng: rng.integers(0, 4, (B, T)).astype(np.int32),
        "cross_entropy",
        of_probabilities,
        {"name": "sgd", "momentum": 0.9, "nesterov": True},
        lambda p: torch.optim.SGD(p, momentum=0.9, nesterov=True),
    ),
    "wakeword": Case(
        Wakeword,
        lambda rng: rng.standard_normal((B, 5, 2 * T)).astype(np.float32),
        lambda rng: rng.integers(0, 2, (B, 1)).astype(np.float32),
        "binary_cross_entropy",
        F.binary_cross_entropy_with_logits,
        "adamw",
        torch.optim.AdamW,
    ),
    "both": Case(
        Both,
        lambda rng: rng.standard_normal((B, T, 5)).astype(np.float32),
        lambda rng: rng.standard_normal((B, 2)).astype(np.float32),
        "mean_squared_error",
        F.mse_loss,
        "rmsprop",
        torch.optim.RMSprop,
    ),
}


def exported(network: Any, x: Any, path: Path, **options: Any) -> Path:
    """Exports a network with its parameters' own names."""
    keep = {"do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE}
    names = {"input_names": ["x"], "output_names": ["y"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, (torch.tensor(x),), path, dynamo=False, **keep, **names, **options
        )
    return path


def learned(case: Case, step: Callable[..., Mapping[str, Any]], states: Any, steps: int) -> None:
    """Compares the losses and, at the end, the weights with those of PyTorch."""
    torch.manual_seed(0)
    network = case.network().eval()
    before = {name: each.detach().clone() for name, each in network.named_parameters()}
    optimizer = case.their_optimizer(network.parameters())
    optimizer.param_groups[0]["lr"] = RATE
    rng = np.random.default_rng(1)
    for _ in range(steps):
        x, target = case.inputs(rng), case.target(rng)
        optimizer.zero_grad()
        loss = case.theirs(network(torch.tensor(x)), torch.tensor(target))
        loss.backward()
        optimizer.step()
        made = step(x=x, target=target, learning_rate=np.float32(RATE), **states)
        states = {name: made[name] for name in states}
        np.testing.assert_allclose(made["loss"], loss.item(), rtol=1e-3)
    for name, each in network.named_parameters():
        moved = (each - before[name]).detach().abs().max().item()
        found, right = states[name.replace(".", "_")], each.detach().numpy()
        assert np.abs(found - right).max() <= 1e-3 * moved, name
        assert moved > 0, name


def trained(case: Case, folder: Path, **options: Any) -> tuple[rc.Module, dict[str, Any]]:
    """The training step of a case's network."""
    torch.manual_seed(0)
    x = case.inputs(np.random.default_rng(1))
    path = exported(case.network().eval(), x, folder / "m.onnx", **options)
    module = rc.training_step(path, loss=case.loss, optimizer=case.optimizer)
    return module, dict(module.initial)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) for n in CASES])
def test_networks_learn(name: str, tmp_path: Path) -> None:
    module, states = trained(CASES[name], tmp_path)
    program = rc.runtime.load(rc.compile(module))
    learned(CASES[name], lambda **given: program.train(**given)._asdict(), states, 100)


@each_language
def test_every_language(execute: Any, tmp_path: Path) -> None:
    """And what the network gives afterwards is what the network of PyTorch would."""
    module, states = trained(CASES["chars"], tmp_path)
    learned(CASES["chars"], lambda **given: execute(module, given), states, 10)


@each_language
def test_any_batch_and_any_length(execute: Any, tmp_path: Path) -> None:
    """With a target of the same open sizes."""
    case, sizes = CASES["tagger"], itertools.cycle([(3, 8), (1, 5), (4, 1), (2, 12), (1, 1)])
    current = itertools.chain.from_iterable((size, size) for size in sizes)
    open_case = case._replace(
        inputs=lambda rng: rng.integers(0, 11, next(current)).astype(np.int64),
        target=lambda rng: rng.integers(0, 4, next(current)).astype(np.int32),
    )
    module, states = trained(case, tmp_path, dynamic_axes={"x": {0: "batch", 1: "time"}})
    learned(open_case, lambda **given: execute(module, given), states, 10)


@pytest.mark.parametrize("dtype", first(["float64", "float16", "bfloat16"]))
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
