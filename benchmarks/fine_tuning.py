"""Training steps of ONNX files: ten networks, each with a loss and Adam, against PyTorch.

The networks are PyTorch's, exported as an application would. A call is one step; the weights and
the batch stay where a framework keeps them. Before any timing, the losses of the first steps agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.rows import OURS, Case, Contest, Entrant, Size, Workload

__all__ = ["AGREEING", "NETWORKS", "RATE", "FineTuning", "fine_tuning_contests", "fine_tuning_of"]

RATE, AGREEING = 1e-3, 4
"""The learning rate, and the number of steps whose losses must agree."""


@dataclass(frozen=True)
class FineTuning:
    """A network and its batch.

    Attributes:
        title: What it is.
        network: Its name in `benchmarks.peers.trained_networks`.
        x: The shape of its input.
        symbols: The number of symbols that the input consists of; 0 for numbers.
        loss: As `rnn_compiler.training_step` takes it.
        target: The shape of the target.
        classes: The number of classes; 0 for numbers.
    """

    title: str
    network: str
    x: tuple[int, ...]
    symbols: int
    loss: Mapping[str, Any]
    target: tuple[int, ...]
    classes: int

    def batch(self) -> Arrays:
        """The arguments of a step but for the learning rate."""
        random = np.random.default_rng(0)
        x: Any = random.standard_normal(self.x).astype(np.float32)
        if self.symbols:
            x = random.integers(0, self.symbols, self.x)
        target: Any = random.random(self.target).astype(np.float32)
        if self.classes:
            target = random.integers(1, self.classes, self.target).astype(np.int32)
        given: Arrays = {"x": x, "target": target}
        if self.loss["name"] == "ctc":
            rows, labels = self.target
            given["input_lengths"] = np.full(rows, STEPS[self.network], np.int32)
            given["target_lengths"] = np.full(rows, labels, np.int32)
        return given


STEPS = {"speech": 98, "reader": 24}
"""The steps of the outputs of networks that end in CTC."""

_CLASSES: Mapping[str, Any] = {"name": "cross_entropy"}


def _ctc(labels: int) -> dict[str, Any]:
    return {"name": "ctc", "time_major": False, "labels": labels}


_SQUARES: Mapping[str, Any] = {"name": "mean_squared_error"}
_BINARY: Mapping[str, Any] = {"name": "binary_cross_entropy"}

NETWORKS = MappingProxyType(
    {
        name: FineTuning(title, name, *others)
        for name, title, *others in (
            ("words", "20,000 words, LSTM both ways, tags", (16, 40), 20000, _CLASSES, (16, 40), 9),
            ("characters", "two LSTMs", (8, 64), 64, _CLASSES, (8, 64), 64),
            ("opinion", "GRU both ways, its maximum", (16, 60), 5000, _BINARY, (16, 1), 0),
            ("keyword", "GRU on a spectrogram", (8, 98, 40), 0, _CLASSES, (8,), 12),
            ("sounds", "two convolutions, GRU", (8, 40, 98), 0, _CLASSES, (8,), 12),
            ("speech", "convolution, LSTM both ways, CTC", (4, 40, 198), 0, _ctc(20), (4, 20), 29),
            ("reader", "2-D convolutions, LSTM, CTC", (8, 1, 32, 96), 0, _ctc(5), (8, 5), 37),
            ("gesture", "LSTM, layer normalization", (16, 64, 6), 0, _CLASSES, (16,), 8),
            ("forecast", "LSTM on one number", (32, 48, 1), 0, _SQUARES, (32, 1), 0),
            ("machine", "LSTMs that repeat their input", (16, 64, 6), 0, _SQUARES, (16, 64, 6), 0),
        )
    }
)
"""The networks by name."""


def fine_tuning_contests(peers: Iterable[str]) -> list[Contest]:
    """Each network against PyTorch."""
    chosen = [peer for peer in ("torch",) if peer in set(peers)]
    cases = [
        Case(Workload(name, each.title, (), "fine-tuning", 0, {"network": each}), Size(1, 1, 1, 1))
        for name, each in NETWORKS.items()
    ]
    return [
        Contest(
            "fine-tuning",
            "fine-tuning",
            case.workload.name,
            tuple(Entrant(peer, peer, case) for peer in (OURS, *chosen)),
            True,
        )
        for case in cases
    ]


def fine_tuning_of(case: Case) -> FineTuning:
    """The network of a case."""
    return case.workload.attributes["network"]
