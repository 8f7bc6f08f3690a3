"""The peers: this project and the frameworks that can do the same, one file each.

A peer's module has two functions, which run in a separate process: ``start(cpus)`` limits the
framework to these processors, and ``variants(case)`` returns its ways of running a case, the
fastest of which is measured. Every framework gets its best honest configuration: weights and inputs
are laid out as it prefers and in place beforehand, results stay where they are, inference records
no gradients, and all graph optimisations are on. Results that do not exist (the state c of a cell
without one) are left out. Streaming (`chunked`) uses numpy arrays for input and output, as an
application would; the state stays wherever the framework keeps it.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import Arrays, chunks_of
from benchmarks.rows import MACHINE, OURS, OURS_IN_TORCH, Case

__all__ = ["PEERS", "Peer", "Variant", "chunked", "manifest_of", "reordered"]


@dataclass(frozen=True)
class Variant:
    """One way of running a case.

    Attributes:
        configuration: A description of it.
        call: Runs it once, waits until it is done, and leaves the results where they are.
        fetch: Converts such results to numpy arrays by TensorFlow's names.
    """

    configuration: str
    call: Callable[[], Any]
    fetch: Callable[[Any], Arrays]


def chunked(configuration: str, case: Case, begin: Callable[[], Callable[[Any], Any]]) -> Variant:
    """A way of processing a sequence in chunks, each from the state after the previous one.

    A call takes one chunk, and after the last one the first again. Results are compared for a
    whole sequence.

    Args:
        configuration: A description of it.
        case: The case.
        begin: Starts at the initial state; returns a function that takes a chunk, time-major, and
            returns its output, also time-major, in memory that the next chunk may overwrite.
    """
    chunks = chunks_of(case)
    endless = itertools.cycle(chunks)
    take = begin()

    def call() -> Any:
        return take(next(endless))

    def fetch(_: Any) -> Arrays:
        anew = begin()
        return {"output": np.concatenate([np.array(anew(chunk)) for chunk in chunks])}

    return Variant(configuration, call, fetch)


def reordered(directions: Sequence[Arrays], order: Sequence[int]) -> Arrays:
    """The parts of all directions, ``[D, ...]``, with their gates in another order."""

    def gates(part: Any) -> Any:
        split = np.split(part, len(order))
        return np.concatenate([split[gate] for gate in order])

    return {
        name: np.stack([gates(direction[name]) for direction in directions])
        for name in directions[0]
    }


def manifest_of(script: str) -> Path:
    """The file that describes a package of Node.js."""
    return Path("node_modules", script, "package.json")


@dataclass(frozen=True)
class Peer:
    """A peer.

    Attributes:
        module: Its module.
        packages: The distributions whose versions matter.
        imports: The modules that must be importable.
        scripts: The packages of Node.js, in `node_modules` of the current folder.
        environment: Variables that its process needs in addition to every worker's, given the
            number of threads.
    """

    module: str
    packages: tuple[str, ...]
    imports: tuple[str, ...]
    scripts: tuple[str, ...] = ()
    environment: Callable[[int], dict[str, str]] = field(default=lambda threads: {})

    @property
    def missing(self) -> str | None:
        """A message with the packages that are not installed; None if all are."""
        absent = [name for name in self.imports if importlib.util.find_spec(name) is None]
        absent += [name for name in self.scripts if not manifest_of(name).exists()]
        return f"not installed: {', '.join(absent)}" if absent else None


def _xla_environment(threads: int) -> dict[str, str]:
    flag = "" if threads > 1 else "--xla_cpu_multi_thread_eigen=false"
    own = os.environ.get("XLA_FLAGS", "")
    return {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"{own} {flag}".strip()}


PEERS = {
    OURS: Peer(
        "benchmarks.peers.ours",
        ("rnn-compiler", "iree-base-compiler", "iree-base-runtime"),
        (),
    ),
    OURS_IN_TORCH: Peer("benchmarks.peers.torch_layer", ("rnn-compiler", "torch"), ("torch",)),
    MACHINE: Peer("benchmarks.peers.machine", (), ()),
    "torch": Peer("benchmarks.peers.pytorch", ("torch",), ("torch",)),
    "onnxruntime": Peer(
        "benchmarks.peers.onnx_runtime", ("onnxruntime", "onnx"), ("onnxruntime", "onnx")
    ),
    "openvino": Peer("benchmarks.peers.openvino_sequence", ("openvino",), ("openvino",)),
    "jax": Peer("benchmarks.peers.jax_scan", ("jax", "jaxlib"), ("jax",), (), _xla_environment),
    "tensorflow": Peer(
        "benchmarks.peers.tensorflow_ops",
        ("tensorflow", "tensorflow-cpu"),
        ("tensorflow",),
        (),
        lambda threads: {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": str(threads)},
    ),
    "onnxruntime-web": Peer("", (), ("onnx",), ("onnxruntime-web",)),
    "tfjs": Peer(
        "benchmarks.peers.steps_tfjs", (), (), ("@tensorflow/tfjs", "@tensorflow/tfjs-backend-wasm")
    ),
}
