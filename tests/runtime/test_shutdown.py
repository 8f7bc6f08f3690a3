"""Processes that end while objects of other libraries keep arrays, programs and their memory."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import processes
import pytest
from quick import first

import rnn_compiler as rc

START = """
import os, sys
import ctypes
import numpy as np
import rnn_compiler as rc
import rnn_compiler.runtime

def keep(thing):
    "As an object in C does: what it holds, Python can not free."
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
"""
LOAD = """
program = rc.runtime.load(sys.argv[1], sys.argv[2])
arguments = {a.name: np.ones(a.shape, a.dtype) for a in program.block_lstm_v2.spec.arguments}
"""

KEPT = (
    "program.block_lstm_v2(**arguments, to_host=False)",
    "program.to_device(np.ones(3))",
    "program.block_lstm_v2(**arguments)",
    "program.to_device(np.ones(3)).to_host()",
    "np.from_dlpack(program.to_device(np.ones(3)))",
    "program",
    "program.block_lstm_v2",
)

DEVICES = pytest.mark.parametrize("device", first(["local-sync", "local-task"]))


def end(artifact: rc.Artifact, folder: Path, device: str, script: str) -> str:
    """The output of a process that runs a script; it must succeed without messages."""
    path = artifact.save(folder / "lstm.vmfb")
    done = processes.python(START + script, path, device, flags=["-W", "error"])
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
@DEVICES
def test_what_is_kept_in_c_is_no_leak(artifact: rc.Artifact, tmp_path: Path, device: str) -> None:
    """Each in a separate forked process, since one may hide the faults of another."""
    script = f"""
for kept in {KEPT}:
    if os.fork() == 0:
        exec({LOAD!r})
        keep(eval(kept))
        sys.exit()
    print(kept, os.wait()[1], flush=True)  # or the next process prints it too
"""
    assert end(artifact, tmp_path, device, script).splitlines() == [f"{kept} 0" for kept in KEPT]


@DEVICES
def test_memory_outlives_everything_of_this_package(
    artifact: rc.Artifact, tmp_path: Path, device: str
) -> None:
    """Its device too: freed after that, it crashed the process."""
    script = """
import gc
from rnn_compiler.runtime.device import devices

with rc.target("cpu", device=sys.argv[2]):
    h = program.block_lstm_v2(**arguments, to_host=False).h
    views = [h.to_host(), np.from_dlpack(h), program.block_lstm_v2(**arguments).h]
values = [view.copy() for view in views]
devices.open_devices.clear()
del program, h
gc.collect()
print(all(np.array_equal(*pair) for pair in zip(views, values)))
del views
gc.collect()
"""
    assert end(artifact, tmp_path, device, LOAD + script) == "True\n"


@pytest.mark.slow
@pytest.mark.skipif(util.find_spec("torch") is None, reason="takes torch")
def test_torchs_graph_of_gradients_may_keep_results(artifact: rc.Artifact, tmp_path: Path) -> None:
    """Of both kinds of devices."""
    script = """
import torch

class Layer(torch.autograd.Function):
    @staticmethod
    def forward(context, w, device):
        program = rc.runtime.load(sys.argv[1], device)
        shapes = {a.name: (a.shape, a.dtype) for a in program.block_lstm_v2.spec.arguments}
        arguments = {name: np.ones(*each) for name, each in shapes.items()}
        context.out = program.block_lstm_v2(**arguments | {"w": w.detach()}, to_host=False)
        return torch.from_dlpack(context.out.h)

    @staticmethod
    def backward(context, gradient):
        return torch.ones(9, 20), None

kept = []
for device in sys.argv[2].split():
    w = torch.nn.Parameter(torch.ones(9, 20))
    kept.append(Layer.apply(w, device).sum())
    kept[-1].backward()
    print(w.grad.sum().item())
"""
    assert end(artifact, tmp_path, "local-sync local-task", script) == "180.0\n" * 2
