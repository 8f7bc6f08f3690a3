"""Progress of a compilation: stages are shown on a terminal only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rnn_compiler as rc
from rnn_compiler.base import stages
from rnn_compiler.base.stages import watching
from rnn_compiler.cli import main

pty = pytest.importorskip("pty")

SIZES = {"seq_length": 0, "batch_size": 1, "input_size": 1, "num_units": 1}
COMMAND = [
    *(sys.executable, "-m", "rnn_compiler", "compile", "BlockLSTMV2", "-o", "bundle"),
    *("--dim", ",".join(f"{name}={size}" for name, size in SIZES.items())),
    *("--target", "cpu", "--target", "cpu:generic"),
]


@pytest.fixture(autouse=True)
def _uncached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")


def test_stages_are_told_for_each_target() -> None:
    stages: list[str] = []
    module = rc.build("BlockLSTMV2", **SIZES)
    with watching(stages.append):
        rc.compile(module, ["cpu", "cpu:generic"])
    assert stages == [
        f"{stage} for {target}"
        for target in ("cpu", "cpu:generic")
        for stage in ("building", "lowering", "compiling")
    ]
    rc.compile(module, "cpu")
    assert len(stages) == 6, "nobody watches any more"


@pytest.mark.slow
def test_a_terminal_shows_stage_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))  # an empty one
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(COMMAND, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(ours)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"compiling for cpu +0:00:\d\d", text)
    assert re.search(r"compiling for cpu:generic +0:00:\d\d", text)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_before")
def test_a_pipe_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(COMMAND[3:]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "compiling" not in out


@pytest.mark.slow
@pytest.mark.usefixtures("compiler_runs_again")
def test_what_takes_long_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    module = rc.build("BlockLSTMV2", **SIZES)
    rc.compile(module, "cpu:generic")
    assert not caplog.messages
    monkeypatch.setattr(stages, "LONG", 0.01)
    rc.compile(module, "cpu:generic")
    record, done = caplog.records
    assert record.levelname == "WARNING", "so that it is seen by default"
    assert record.getMessage() == (
        "compiling BlockLSTMV2 float32, seq_length=0, batch_size=1, input_size=1, num_units=1 "
        "for cpu:generic takes more than 0.01 s"
    )
    assert re.search(r"for cpu:generic: done in \d+\.\d s$", done.getMessage())
    with watching(lambda stage: None):
        rc.compile(module, "cpu:generic")
    assert len(caplog.records) == 2, "who watches needs no log"
