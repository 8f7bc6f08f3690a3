"""The section `wasm`: layers in WebAssembly, against onnxruntime-web and TensorFlow.js.

Each row is a process of Node.js, in which the entrants take turns (`wasm.mjs`). The packages are
those of the current folder:

    npm install onnxruntime-web @tensorflow/tfjs @tensorflow/tfjs-backend-wasm

Weights are constant, inputs and states typed arrays, on one thread. TensorFlow.js has no GRU that
resets after its product, and takes part in the rows of lstm.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rnn_compiler as rc
from benchmarks.contests import TOLERANCES, Effort, Outcome, Track, check_equal
from benchmarks.inputs import Arrays, cell_of, draw, layer_weights
from benchmarks.processes import WorkerError
from benchmarks.quiet import Elsewhere
from benchmarks.rows import OURS, Case, Contest
from benchmarks.work import work_of

__all__ = ["run_wasm_contest"]

_SCRIPT = Path(__file__).with_suffix(".mjs")
_WARM_SECONDS = 0.3
"""Seconds that an entrant runs before it is measured."""


def run_wasm_contest(
    contest: Contest,
    folder: Path,
    effort: Effort,
    report: Callable[[str], None] = lambda state: None,
) -> Outcome:
    """Runs the rounds of a contest; see `contests.run_contest`.

    Args:
        contest: The contest; its entrants have the same case.
        folder: A folder for its files.
        effort: How much to measure; without waiting for idle processors.
        report: Called with each event.
    """
    outcome = Outcome(contest.section, contest.group, contest.name, 1)
    if shutil.which("node") is None:
        outcome.failures[OURS] = "needs node on PATH"
        return outcome
    case = contest.entrants[0].case
    report("prepare")
    row = _written(case, [each.peer for each in contest.entrants], folder, effort)
    report("measure")
    command = ["node", str(_SCRIPT), str(row)]
    watch, start, before = Elsewhere([]), time.perf_counter(), _seconds_of_children()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    own = (_seconds_of_children() - before) / (time.perf_counter() - start)
    outcome.elsewhere.append(max(0.0, watch.processors() - own))
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if re.match(r"\w*Error: ", line)]
        outcome.failures[OURS] = (errors or [f"node ended with {done.returncode}"])[0]
        return outcome
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    expected: Arrays | None = None
    for label, track in found.items():
        if "failure" in track:
            outcome.failures[label] = track["failure"]
            continue
        results = {"output": np.asarray(track["output"], np.float32)}
        expected = expected or results
        try:
            check_equal(results, expected, TOLERANCES[case.dtype])
        except WorkerError as failure:
            outcome.failures[label] = str(failure)
            continue
        work = work_of(case).operations / 1e9
        outcome.tracks[label] = Track(track["seconds"], "wasm", {}, work, track["tails"])
    return outcome


def _seconds_of_children() -> float:
    """Seconds of CPU time of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _written(case: Case, entrants: list[str], folder: Path, effort: Effort) -> Path:
    """Writes the files of a row."""
    arrays = draw(case)
    (weights,) = layer_weights(arrays["params"], case)
    if "onnxruntime-web" in entrants:
        from benchmarks.peers.onnx_graphs import layer_graph

        (folder / "layer.onnx").write_bytes(layer_graph(case, arrays).SerializeToString())
    given = {name: arrays[name] for name in ("input", "input_h", "input_c")}
    if cell_of(case) == "lstm":  # its gates are in Keras' order
        own: Any = weights
        given |= {
            "kernel": own["W"].T,
            "recurrent_kernel": own["R"].T,
            "bias": own["bW"] + own["bR"],
        }
    described: dict[str, Any] = {}
    for name, array in given.items():
        array.astype("<f4").tofile(folder / name)
        described[name] = {"shape": [*array.shape], "file": str(folder / name)}
    states = ["input_h", *(["input_c"] if cell_of(case) == "lstm" else [])]
    results = ["output", *(name.replace("input", "output") for name in states)]
    module = rc.compile_js(_frozen(case, results, arrays), name="layer")
    module.save(folder)
    row = folder / "row.json"
    row.write_text(
        json.dumps(
            {
                "module": str(folder / "layer.mjs"),
                "function": "cudnn_rnn_v3",
                "graph": str(folder / "layer.onnx"),
                "packages": str(Path.cwd()),
                "cell": cell_of(case),
                "size": [*case.size],
                "arrays": described,
                "entrants": entrants,
                "rounds": effort.rounds,
                "seconds": effort.turn_seconds,
                "warm": _WARM_SECONDS,
            }
        )
    )
    return row


def _frozen(case: Case, results: list[str], arrays: Arrays) -> rc.Module:
    """Our layer, with its weights."""
    size = case.size
    built = rc.build(
        "CudnnRNNV3",
        outputs=results,
        seq_length=size.T,
        batch_size=size.B,
        input_size=size.I,
        num_units=size.H,
        num_layers=1,
        **case.workload.attributes,
    )
    return rc.freeze(built, {"params": arrays["params"]})
