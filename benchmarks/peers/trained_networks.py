"""The networks of `benchmarks.fine_tuning`: in PyTorch, and exported and trained by ours."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import rnn_compiler as rc
from benchmarks.fine_tuning import AGREEING, RATE, FineTuning, fine_tuning_of
from benchmarks.peers import Variant
from benchmarks.rows import Case

__all__ = ["module_of", "ours", "peer"]


class Recurrent(nn.Module):
    """Layers around recurrent ones, whose input has the batch first."""

    def __init__(
        self, rnn: nn.Module, after: nn.Module, before: nn.Module | None = None, take: str = "all"
    ) -> None:
        super().__init__()
        self.before, self.rnn, self.after = before or nn.Identity(), rnn, after
        self.take = take

    def forward(self, x: Any) -> Any:
        """The output; of all steps, the last one, or their maximum."""
        x = self.rnn(self.before(x))[0]
        if self.take != "all":
            x = x[:, -1] if self.take == "last" else x.max(1).values
        return self.after(x)


class Columns(nn.Module):
    """The columns of images as steps; steps of a spectrogram before its channels."""

    def forward(self, x: Any) -> Any:
        """The steps."""
        return x.flatten(1, -2).transpose(1, 2)


def _conv(*sizes: int, **more: Any) -> list[nn.Module]:
    return [nn.Conv1d(*sizes, **more), nn.ReLU()]


def _images() -> nn.Module:
    """The layers of a reader before its LSTM: 24 steps of 512 numbers."""
    return nn.Sequential(
        *(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), Columns()),
    )


def _both(kind: type[nn.RNNBase], inputs: int, units: int) -> nn.Module:
    return kind(inputs, units, batch_first=True, bidirectional=True)


def _lstm(inputs: int, units: int, layers: int = 1) -> nn.Module:
    return nn.LSTM(inputs, units, layers, batch_first=True)


class Twice(nn.Module):
    """An LSTM after another."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = _lstm(6, 32), _lstm(32, 64)

    def forward(self, x: Any) -> Any:
        """The output, in a tuple as of a layer."""
        return self.second(self.first(x)[0])


_MADE: Mapping[str, Callable[[], nn.Module]] = MappingProxyType(
    {
        "words": lambda: Recurrent(
            _both(nn.LSTM, 64, 64), nn.Linear(128, 9), nn.Embedding(20000, 64)
        ),
        "characters": lambda: Recurrent(
            _lstm(32, 128, 2), nn.Linear(128, 64), nn.Embedding(64, 32)
        ),
        "opinion": lambda: Recurrent(
            _both(nn.GRU, 50, 64), nn.Linear(128, 1), nn.Embedding(5000, 50), "most"
        ),
        "keyword": lambda: Recurrent(
            nn.GRU(40, 64, batch_first=True), nn.Linear(64, 12), take="last"
        ),
        "sounds": lambda: Recurrent(
            nn.GRU(64, 64, batch_first=True),
            nn.Linear(64, 12),
            nn.Sequential(*_conv(40, 64, 5), *_conv(64, 64, 5, stride=2), Columns()),
            "last",
        ),
        "speech": lambda: Recurrent(
            _both(nn.LSTM, 64, 96),
            nn.Linear(192, 29),
            nn.Sequential(*_conv(40, 64, 4, stride=2), Columns()),
        ),
        "reader": lambda: Recurrent(_both(nn.LSTM, 512, 64), nn.Linear(128, 37), _images()),
        "gesture": lambda: Recurrent(
            _lstm(6, 64), nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 8)), take="last"
        ),
        "forecast": lambda: Recurrent(_lstm(1, 48), nn.Linear(48, 1), take="last"),
        "machine": lambda: Recurrent(Twice(), nn.Linear(64, 6)),
    }
)
"""The networks by name."""


def _network(of: FineTuning) -> nn.Module:
    """A network whose weights are the same each time."""
    torch.manual_seed(0)
    return _MADE[of.network]()


def module_of(of: FineTuning) -> rc.Module:
    """The training step of a network's ONNX file."""
    example = torch.from_numpy(of.batch()["x"])
    names: Any = {"input_names": ["x"], "output_names": ["y"], "do_constant_folding": False}
    training = torch.onnx.TrainingMode.PRESERVE
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = str(Path(folder) / "network.onnx")
        network = _network(of).eval()
        torch.onnx.export(network, (example,), path, dynamo=False, training=training, **names)
        return rc.training_step(path, loss=of.loss)


def _session(program: rc.Program, of: FineTuning) -> Callable[[], Any]:
    session, given = program.session(), of.batch()
    return lambda: session.train(**given, learning_rate=np.float32(RATE))[0]


def _eager(of: FineTuning) -> Callable[[], Any]:
    """A function that makes a step and returns its loss."""
    network = _network(of)
    given = {name: torch.from_numpy(array) for name, array in of.batch().items()}
    if of.classes:
        given["target"] = given["target"].long()
    optimizer = torch.optim.Adam(network.parameters(), RATE, fused=True)

    def one() -> Any:
        optimizer.zero_grad(set_to_none=True)
        value = _loss(of, network(given["x"]), given)
        value.backward()
        optimizer.step()
        return value.detach()

    return one


def _loss(of: FineTuning, y: Any, given: Mapping[str, Any]) -> Any:
    target = given["target"]
    if of.loss["name"] == "ctc":
        lengths = given["input_lengths"].tolist(), given["target_lengths"].tolist()
        logs = y.transpose(0, 1).log_softmax(-1)
        return functional.ctc_loss(logs, target, *lengths, reduction="none").mean()
    if of.loss["name"] == "cross_entropy":
        return functional.cross_entropy(y.reshape(-1, y.shape[-1]), target.flatten())
    binary = of.loss["name"] == "binary_cross_entropy"
    return (functional.binary_cross_entropy_with_logits if binary else functional.mse_loss)(
        y, target
    )


def _variant(name: str, begin: Callable[[], Callable[[], Any]]) -> Variant:
    def fetch(_: Any) -> dict[str, Any]:
        anew = begin()
        return {"losses": np.array([float(anew()) for _ in range(AGREEING)])}

    return Variant(name, begin(), fetch)


def ours(case: Case, devices: Sequence[str]) -> list[Variant]:
    """A session on each device."""
    of = fine_tuning_of(case)
    artifact = rc.compile(module_of(of))
    programs = {device: rc.runtime.load(artifact, device) for device in devices}
    return [_variant(device, lambda p=p: _session(p, of)) for device, p in programs.items()]


def peer(case: Case) -> list[Variant]:
    """PyTorch, eager."""
    of = fine_tuning_of(case)
    return [_variant("eager", lambda: _eager(of))]
