"""Training steps: six networks with a loss and an optimizer, and what a step needs of memory.

A call is one step: loss, gradients, clipping by their norm, and AdamW. Parameters and moments stay
where a framework keeps them, and so does the batch. Before any timing, the losses of the first
steps must agree, each of which depends on the update before.

    python -m benchmarks.steps PEER NETWORK SIZES [FILE]   # peak of a process that makes steps
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.rows import OURS, Case, Contest, Entrant, Size, Workload

__all__ = [
    "AGREEING",
    "DECAY",
    "EPSILON",
    "MEASURED",
    "MOMENTS",
    "PEERS_OF_STEPS",
    "PERIOD",
    "RATE",
    "STEPS",
    "Parameters",
    "Step",
    "peak",
    "step_cases",
    "step_contests",
    "step_of",
]

PEERS_OF_STEPS = ("jax", "torch", "tensorflow", "tfjs")

Parameters: TypeAlias = "dict[str, dict[str, np.ndarray]]"
"""The arrays of each layer, named and laid out as in torch."""

RATE, PERIOD = 1e-2, 1000
"""The learning rate at the first step, and the number of steps in which it falls to 0: a cosine."""

MOMENTS, EPSILON, DECAY = (0.9, 0.999), 1e-8, 1e-4
"""The numbers of AdamW."""

AGREEING = 4
"""The number of steps whose losses must agree."""


@dataclass(frozen=True)
class Step:
    """A network and its batch.

    Attributes:
        title: What it is.
        sizes: Steps, batch, inputs (or symbols), units and classes.
        network: The function in each peer's module that computes the loss.
    """

    title: str
    sizes: tuple[int, int, int, int, int]
    network: str

    def parameters(self) -> Parameters:
        """The parameters at the first step."""
        random = np.random.default_rng(0)
        _, _, inputs, units, classes = self.sizes
        shapes = _SHAPES[self.network](inputs, units, classes)
        return {
            layer: {k: (0.2 * random.standard_normal(v)).astype(np.float32) for k, v in of.items()}
            for layer, of in shapes.items()
        }

    def batch(self) -> Arrays:
        """The batch: x, time first, its targets y and, where the loss has one, a mask."""
        random = np.random.default_rng(1)
        steps, rows, inputs, _, classes = self.sizes
        x: Any = random.standard_normal((steps, rows, inputs)).astype(np.float32)
        if self.network == "characters":
            x = random.integers(0, inputs, (steps, rows)).astype(np.int32)
            mask = np.ones((steps, rows), np.float32)
            mask[steps * 3 // 4 :, 1:] = 0
            return {"x": x, "y": np.roll(x, -1, 0), "mask": mask}
        if self.network == "regression":
            return {"x": x, "y": x.sum(0)[:, :classes]}
        if self.network == "readers":
            return {"x": x, "y": random.integers(1, classes, (rows, steps // 6)).astype(np.int32)}
        shape = (steps, rows) if self.network == "tagger" else (rows,)
        return {"x": x, "y": random.integers(0, classes, shape).astype(np.int32)}


def _layer(gates: int, inputs: int, units: int) -> dict[str, tuple[int, ...]]:
    rows = gates * units
    return {"w": (rows, inputs), "r": (rows, units), "bw": (rows,), "br": (rows,)}


def _dense(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {"w": (outputs, inputs), "b": (outputs,)}


_CHANNELS, _WIDTH = 16, 5
"""Of the convolution."""

_SHAPES: Mapping[str, Callable[[int, int, int], dict[str, dict[str, tuple[int, ...]]]]]
_SHAPES = MappingProxyType(
    {
        "characters": lambda symbols, units, classes: {
            "embedding": {"w": (symbols, units // 2)},
            "gru": _layer(3, units // 2, units),
            "dense": _dense(units, classes),
        },
        "tagger": lambda inputs, units, classes: {
            "first": _layer(4, inputs, units),
            "second": _layer(4, units, units),
            "dense": _dense(units, classes),
        },
        "convolution": lambda inputs, units, classes: {
            "convolution": {"w": (_CHANNELS, inputs, _WIDTH), "b": (_CHANNELS,)},
            "lstm": _layer(4, _CHANNELS, units),
            "dense": _dense(units, classes),
        },
        "readers": lambda inputs, units, classes: {
            "forward": _layer(4, inputs, units),
            "backward": _layer(4, inputs, units),
            "dense": _dense(2 * units, classes),
        },
        "regression": lambda inputs, units, classes: {
            "lstm": _layer(4, inputs, units),
            "dense": _dense(units, classes),
        },
    }
)
"""The shapes of each network's parameters, by inputs, units and classes."""

STEPS = {
    "char-gru": Step("characters: embedding, GRU, dense", (64, 8, 64, 128, 64), "characters"),
    "char-gru-small": Step("the same, small", (20, 4, 30, 32, 30), "characters"),
    "tagger": Step("two LSTMs, a tag for each step", (32, 8, 32, 64, 12), "tagger"),
    "conv-lstm": Step("convolution, LSTM, a class", (128, 8, 9, 64, 6), "convolution"),
    "bilstm-ctc": Step("LSTM in both directions, CTC", (60, 4, 20, 64, 28), "readers"),
    "regression": Step("LSTM, the last step, squared error", (48, 16, 4, 32, 1), "regression"),
}

_ONE_CALL = Size(1, 1, 1, 1)


def step_cases() -> list[Case]:
    """A case for each network."""
    return [
        Case(Workload(name, step.title, (), "step", 0, {"step": step}), _ONE_CALL)
        for name, step in STEPS.items()
    ]


def step_contests(peers: Iterable[str]) -> list[Contest]:
    """Each step against the peers that train."""
    chosen = [peer for peer in PEERS_OF_STEPS if peer in set(peers)]
    return [
        Contest(
            "training-step",
            "steps",
            case.workload.name,
            tuple(Entrant(peer, peer, case) for peer in (OURS, *chosen)),
            True,
        )
        for case in step_cases()
    ]


def step_of(case: Case) -> Step:
    """The step of a case."""
    return case.workload.attributes["step"]


# Memory.

_MODULES = {
    OURS: "benchmarks.peers.steps_ours",
    "jax": "benchmarks.peers.steps_jax",
    "torch": "benchmarks.peers.steps_torch",
    "tensorflow": "benchmarks.peers.steps_tensorflow",
}

MEASURED = (*_MODULES,)
"""Those whose memory is measured: all that run in Python."""


def peak(peer: str, step: Step, file: Path | None = None) -> dict[str, float]:
    """Bytes of a new process: when its framework is imported, and at its peak over some steps.

    Empty if the peer cannot run it.

    Args:
        peer: Ourselves, or an installed peer.
        step: The step.
        file: Our compiled step; the others compile in the process, as users do.
    """
    sizes = ",".join(map(str, step.sizes))
    command = [sys.executable, "-m", "benchmarks.steps", peer, step.network, sizes]
    command += [str(file)] if file else []
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | _ENVIRONMENT
    )
    if done.returncode:
        return {}
    imported, most = map(float, done.stdout.split()[-2:])
    return {"imported": imported, "peak": most}


_ENVIRONMENT = {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}


def _main(peer: str, network: str, sizes: str, *file: str) -> None:
    steps, rows, inputs, units, classes = map(int, sizes.split(","))
    module = importlib.import_module(_MODULES[peer])
    imported = _bytes("VmRSS")
    step = Step("", (steps, rows, inputs, units, classes), network)
    way = module.first_way(step, *map(Path, file))
    for _ in range(AGREEING):
        way()
    print(imported, _bytes("VmHWM"))


def _bytes(what: str) -> int:
    """A number from the system about this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(what))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    _main(*sys.argv[1:])
