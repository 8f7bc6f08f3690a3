"""The verbs under ``python -OO``, which has neither docstrings nor assertions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rnn_compiler.cli import main

DIMS = "seq_length=0,batch_size=1,input_size=1,num_units=1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("optimized")
    artifact = str(folder / "lstm.vmfb")
    assert main(["compile", "BlockLSTMV2", "--dim", DIMS, "-o", artifact]) == 0
    np.save(folder / "params.npy", np.zeros(36, np.float32))
    return folder


QUICK = ("run",)
"""Verbs that have to do with most of the package."""

COMMANDS = [
    ("--help", "doctor"),
    ("ops CudnnRNN", "rnn_mode"),
    (f"emit BlockLSTMV2 --dim {DIMS}", "func.func @block_lstm_v2("),
    # Another strategy, so that it compiles now.
    (f"compile BlockLSTMV2 --dim {DIMS} --strategy portable -o new.vmfb", "new.vmfb"),
    ("inspect lstm.vmfb", "BlockLSTMV2"),
    ("check lstm.vmfb", "optimal"),
    ("run lstm.vmfb --random", "float32"),
    ("weights --help", "from-torch"),
    ("weights from-torch --help", "lstm, gru, rnn_tanh or rnn_relu"),
    (
        "weights to-keras params.npy -o keras.npz --rnn-mode rnn_relu --num-units 4 --input-size 3",
        "arr_0",
    ),
    (f"bench BlockLSTMV2 --dim {DIMS} --seconds 0.01", "block_lstm_v2"),
    ("cache verify", "entries are intact"),
    ("doctor", "BlockLSTMV2 gave 0.231059"),
    ("demo --help", "FILE.png"),
]


@pytest.mark.parametrize(
    ("command", "part"),
    [
        pytest.param(*row, marks=[] if row[0].split()[0] in QUICK else pytest.mark.slow)
        for row in COMMANDS
    ],
)
def test_every_verb_works(command: str, part: str, folder: Path) -> None:
    python = [sys.executable, "-OO", "-W", "error", "-m", "rnn_compiler"]
    done = subprocess.run(
        [*python, *command.split()], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert part in done.stdout
