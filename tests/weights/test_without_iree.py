"""Converting weights needs only numpy, not IREE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest
from cases import assert_same_bits

import rnn_compiler as rc
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.schema.specs import TensorSpec

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "iree":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import numpy as np
import rnn_compiler as rc
from rnn_compiler.cli import main
"""

LIBRARY = """
params = np.arange(200, dtype=np.float32)
sizes = dict(num_units=5, input_size=3)
w = rc.weights
lstm = dict(rnn_mode="lstm", num_layers=1)
for back in (
    w.from_torch(w.to_torch(params, **lstm, **sizes), **lstm),
    w.from_onnx(*w.to_onnx(params, **lstm, **sizes), rnn_mode="lstm"),
):
    assert back.tobytes() == params.tobytes()
w.from_keras(w.to_keras(params, rnn_mode="lstm", **sizes), rnn_mode="lstm")
w.from_block_lstm(*w.to_block_lstm(params, version=2, **sizes), version=2, input_size=3)
w.save("params.npz", {"params": params})
assert w.load("params.npz")["params"].tobytes() == params.tobytes()
reserve_space = np.ones(480, np.float32)
sizes = dict(seq_length=5, batch_size=2, num_units=4, num_layers=2)
print(rc.dropout_mask(reserve_space, rnn_mode="lstm", **sizes).shape)
"""

COMMAND = """
np.savez("k.npz", np.ones((3, 20)), np.ones((5, 20)), np.ones(20))
code = main(["weights", "from-keras", "k.npz", "-o", "p.npy", "--rnn-mode", "lstm"])
assert "rnn_compiler.runtime" not in sys.modules
print(code, np.load("p.npy").shape)
"""


def without_iree(script: str, folder: Path) -> str:
    """The last line that a script printed in a process that has no IREE."""
    done = processes.python(WITHOUT + script, flags=["-W", "error"], cwd=folder)
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_the_library_converts(tmp_path: Path) -> None:
    assert without_iree(LIBRARY, tmp_path) == "(1, 5, 2, 4)"


def test_the_command_line_converts(tmp_path: Path) -> None:
    assert without_iree(COMMAND, tmp_path) == "0 (200,)"


def on_a_device(array: npt.NDArray[Any]) -> rc.runtime.DeviceArray:
    return get_device("local-sync").put(array, TensorSpec("params", "float32", array.shape))


def test_an_array_on_a_device_is_taken() -> None:
    """Through numpy, like any other."""
    params = np.arange(200, dtype=np.float32)
    there = on_a_device(params)
    sizes = {"rnn_mode": "lstm", "num_units": 5, "input_size": 3}
    assert_same_bits(rc.weights.to_keras(there, **sizes), rc.weights.to_keras(params, **sizes))
    sizes = {"seq_length": 5, "batch_size": 2, "num_units": 4, "num_layers": 2}
    mask = rc.dropout_mask(on_a_device(np.ones(480, np.float32)), rnn_mode="lstm", **sizes)
    assert mask.shape == (1, 5, 2, 4)
