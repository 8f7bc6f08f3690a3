"""The verbs under ``python -OO``, which has neither docstrings nor assertions."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import processes
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


COMMANDS = [
    ("--help", "doctor"),
    ("ops CudnnRNN", "rnn_mode"),
    (f"emit BlockLSTMV2 --dim {DIMS}", "func.func @block_lstm_v2("),
    # Another strategy, so that it compiles now.
    (f"compile BlockLSTMV2 --dim {DIMS} --strategy portable -o new.vmfb", "new.vmfb"),
    ("inspect lstm.vmfb", "BlockLSTMV2"),
    ("check lstm.vmfb", "optimal"),
    ("weights --help", "from-torch"),
    ("weights from-torch --help", "rnn_relu, rnn_tanh, lstm, gru"),
    (
        "weights to-keras params.npy -o keras.npz --rnn-mode rnn_relu --num-units 4 --input-size 3",
        "arr_0",
    ),
    (f"bench BlockLSTMV2 --dim {DIMS} --seconds 0.01", "block_lstm_v2"),
    ("cache verify", "entries are intact"),
    ("doctor", "BlockLSTMV2 gave 0.231059"),
    ("demo --help", "FILE.png"),
]


END = "-- end of a command --"
SCRIPT = f"""
import sys
from rnn_compiler.cli import main

for command in sys.argv[1:]:
    try:
        code = main(command.split())
    except SystemExit as ended:
        code = ended.code
    print(code or 0, {END!r}, flush=True)
"""
"""Runs one command after the other: to start Python takes longer than most of them."""


@pytest.mark.slow
def test_every_verb_works(folder: Path) -> None:
    python = [sys.executable, "-OO", "-W", "error"]
    commands = [command for command, _ in COMMANDS]
    done = processes.run(*python, "-c", SCRIPT, *commands, cwd=folder)
    assert done.stderr == ""
    *printed, rest = done.stdout.split(f"0 {END}\n")
    assert rest == ""
    for (command, part), text in zip(COMMANDS, printed, strict=True):
        assert part in text, command


@pytest.mark.slow
def test_the_module_runs(folder: Path) -> None:
    python = [sys.executable, "-OO", "-W", "error", "-m", "rnn_compiler"]
    done = processes.run(*python, "run", "lstm.vmfb", "--random", cwd=folder)
    assert done.stderr == ""
    assert "float32" in done.stdout
