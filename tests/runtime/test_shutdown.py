"""Processes that end while other libraries' objects keep arrays, programs and their memory."""

from __future__ import annotations

import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest
from quick import first

import rnn_compiler as rc

START = """
import sys
import ctypes
import numpy as np
import rnn_compiler as rc

def keep(thing):
    "As an object in C does: what it holds, Python can not free."
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))

program = rc.runtime.load(sys.argv[1], sys.argv[2])
arguments = {a.name: np.ones(a.shape, a.dtype) for a in program.block_lstm_v2.spec.arguments}
"""

DEVICES = pytest.mark.parametrize("device", ["local-sync", "local-task"])


def end(artifact: rc.Artifact, folder: Path, device: str, script: str) -> str:
    """What a process says that runs a script; it has to end well, and without complaint."""
    path = artifact.save(folder / "lstm.vmfb")
    command = [sys.executable, "-W", "error", "-c", START + script, str(path), device]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@DEVICES
@pytest.mark.parametrize(
    "kept",
    first(
        [
            "program.block_lstm_v2(**arguments, to_host=False)",
            "program.to_device(np.ones(3))",
            "program.block_lstm_v2(**arguments)",
            "program.to_device(np.ones(3)).to_host()",
            "np.from_dlpack(program.to_device(np.ones(3)))",
            "program",
            "program.block_lstm_v2",
        ],
        quick=2,
    ),
)
def test_what_is_kept_in_c_is_no_leak(
    artifact: rc.Artifact, tmp_path: Path, device: str, kept: str
) -> None:
    end(artifact, tmp_path, device, f"keep({kept})")


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
    assert end(artifact, tmp_path, device, script) == "True\n"


@pytest.mark.slow
@DEVICES
@pytest.mark.skipif(util.find_spec("torch") is None, reason="takes torch")
def test_torchs_graph_of_gradients_may_keep_results(
    artifact: rc.Artifact, tmp_path: Path, device: str
) -> None:
    script = """
import torch

class Layer(torch.autograd.Function):
    @staticmethod
    def forward(context, w):
        context.out = program.block_lstm_v2(**arguments | {"w": w.detach()}, to_host=False)
        return torch.from_dlpack(context.out.h)

    @staticmethod
    def backward(context, gradient):
        return torch.ones(9, 20)

w = torch.nn.Parameter(torch.ones(9, 20))
loss = Layer.apply(w).sum()
loss.backward()
print(w.grad.sum().item())
"""
    assert end(artifact, tmp_path, device, script) == "180.0\n"
