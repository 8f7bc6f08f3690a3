"""Training steps in TensorFlow.js: a process of Node.js, which makes a step for each line it reads.

The packages are those in `node_modules` of the current folder. Of the backends that need no other
packages, WebAssembly has no gradient of convolutions, and plain JavaScript has all. None has CTC.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import steps
from benchmarks.peers import Variant
from benchmarks.rows import Case
from benchmarks.steps import AGREEING, Step, step_of

__all__ = ["start", "variants"]

_SCRIPT = Path(steps.__file__).with_suffix(".mjs")


def start(cpus: Sequence[int]) -> None:
    """Its WebAssembly runs on one thread, whatever the processors."""


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a process."""
    process.kill()
    process.communicate()


class _Process:
    """A training step in a process of its own."""

    def __init__(self, step: Step, backend: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            command = ["node", str(_SCRIPT), str(_written(step, backend, Path(name)))]
            pipe = subprocess.PIPE
            self._node = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
            self.stop = weakref.finalize(self, _end, self._node)
            self._first: float | None = self._made()  # it has read its files

    def __call__(self) -> float:
        """Makes a step and returns its loss."""
        value, self._first = self._first, None
        return self._made() if value is None else value

    def _made(self) -> float:
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.write("\n")
        line = self._node.stdout.readline()
        if not line:
            raise RuntimeError("node ended: see its message above")
        return float(line)


def _written(step: Step, backend: str, folder: Path) -> Path:
    """Writes the files of a step."""
    arrays: dict[str, Any] = {
        f"{layer}.{name}": array
        for layer, of in step.parameters().items()
        for name, array in of.items()
    }
    described: dict[str, Any] = {"parameters": [*arrays]}
    rows: dict[str, Any] = {}
    whole: dict[str, Any] = arrays | step.batch()
    for name, array in whole.items():
        array.tofile(folder / name)
        rows[name] = {"shape": array.shape, "dtype": array.dtype.name, "file": str(folder / name)}
    optimizer = {"rate": steps.RATE, "period": steps.PERIOD, "moments": steps.MOMENTS}
    optimizer |= {"epsilon": steps.EPSILON, "decay": steps.DECAY}
    described |= {"network": step.network, "arrays": rows, "optimizer": optimizer}
    file = folder / "step.json"
    described |= {"backend": backend, "packages": str(Path.cwd())}
    file.write_text(json.dumps(described))
    return file


class _Lazy:
    """The process of a variant, which begins with its first call."""

    def __init__(self, step: Step, backend: str) -> None:
        self._given, self._process = (step, backend), None

    def __call__(self) -> float:
        self._process = self._process or _Process(*self._given)
        return self._process()


def variants(case: Case) -> list[Variant]:
    """By WebAssembly, and by JavaScript."""
    step = step_of(case)

    def made(name: str, backend: str) -> Variant:
        def fetch(_: Any) -> dict[str, Any]:
            anew = _Process(step, backend)
            losses = np.array([anew() for _ in range(AGREEING)])
            anew.stop()
            return {"losses": losses}

        return Variant(name, _Lazy(step, backend), fetch)

    return [made("WebAssembly", "wasm"), made("JavaScript", "cpu")]
