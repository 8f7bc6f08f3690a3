"""Training steps by ours: exported from JAX with our ops, and kept by a session.

With one thread on local-sync. With several, on local-sync or on local-task, whichever is faster.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rnn_compiler as rc
from benchmarks.peers import PEERS, Variant
from benchmarks.peers.steps_c import run_in_c
from benchmarks.rows import OURS, Case
from benchmarks.steps import AGREEING, MEASURED, Step, peak, step_of

__all__ = ["first_way", "module_of", "step_memory", "variants"]

_SECONDS_IN_C = 1.0
"""Seconds for which each C program makes steps."""


def module_of(step: Step) -> rc.Module:
    """The step as a module, with its first parameters."""
    import jax

    import rnn_compiler.jax as rj
    from benchmarks.peers.steps_jax import Layers, step_function, zero_moments

    def ctc(logits: Any, labels: Any) -> Any:
        return rj.ctc_loss(logits.swapaxes(0, 1), None, labels, None)

    layers = Layers(before=False, ctc=ctc)
    jitted = jax.jit(step_function(step, layers), donate_argnums=(0, 1))
    params = step.parameters()
    moments = zero_moments(params)
    with rj.fuse_scans():
        exported = rj.export(jitted)(params, moments, step.batch())
    states = {"params": params, "moments": jax.tree.map(np.asarray, moments)}
    return rc.link_module(exported.mlir_module(), states=states)


def _begin(program: rc.Program, step: Step) -> Callable[[], Any]:
    """A function that makes a step and returns its loss."""
    session = program.session()
    batch = {f"batch_{name}": array for name, array in step.batch().items()}
    return lambda: session(**batch)[0]


def first_way(step: Step, file: Path) -> Callable[[], Any]:
    """The step that was compiled to a file."""
    return _begin(rc.runtime.load(file, "local-sync"), step)


def variants(case: Case, devices: Sequence[str]) -> list[Variant]:
    """The step on each device."""
    step = step_of(case)
    artifact = rc.compile(module_of(step))

    def on(device: str) -> Variant:
        program = rc.runtime.load(artifact, device)

        def fetch(_: Any) -> dict[str, Any]:
            anew = _begin(program, step)
            return {"losses": np.array([anew() for _ in range(AGREEING)])}

        return Variant(device, _begin(program, step), fetch)

    return [on(device) for device in devices]


def step_memory(case: Case) -> dict[str, float]:
    """The time and size of the compilation, `peak` for us and each peer, and the step in C."""
    step = step_of(case)
    in_c = run_in_c(module_of(step), step.batch(), _SECONDS_IN_C)
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        artifact = rc.compile(module_of(step))
        values = {"compilation": time.perf_counter() - start, "bytes": len(artifact.payload)}
        values |= {f"c {name}": value for name, value in in_c.items()}
        file = Path(name) / "step.vmfb"
        artifact.save(file)
        for peer in MEASURED:
            if PEERS[peer].missing is None:
                found = peak(peer, step, file if peer == OURS else None)
                values |= {f"{peer} {what}": value for what, value in found.items()}
    return values
