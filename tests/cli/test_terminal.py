"""Output is complete at any width, on a terminal and in a pipe; plain on request."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import processes
import pytest

from rnn_compiler.cli import main, terminal
from rnn_compiler.lowering.ops import OPS

WIDTHS = (40, 200)
"""With lines that are broken, and without."""

DIMS = "seq_length=0,batch_size=1,input_size=1,num_units=1"

VERBS = """
import sys
from rnn_compiler.cli import main

for arguments in sys.argv[1].split("|"):
    main(arguments.split())
"""


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache that other tests do not change, because its content is listed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An artifact in a folder whose name is longer than a narrow terminal."""
    folder = tmp_path_factory.mktemp("folder-of-a-name-that-needs-more-than-forty-columns") / "lstm"
    targets = ["--target=cpu", "--target=cpu:generic"]
    assert main(["compile", "BlockLSTMV2", "--dim", DIMS, *targets, "-o", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def verbs(bundle: Path) -> str:
    """The verbs that print facts, run in one process."""
    lines = ["ops", "ops CudnnRNNV3", "doctor", f"inspect {bundle}"]
    lines += [f"check {bundle}", f"run {bundle} --random", "cache dir", "cache ls", "cache stats"]
    return "|".join(lines)


def in_terminal(*command: str, width: int, **environment: str) -> str:
    """A command's output on a terminal, from standard output or standard error."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
    )
    os.close(theirs)
    written = b""
    with contextlib.suppress(OSError):  # EIO is the end of a terminal
        while data := os.read(ours, 1 << 16):
            written += data
    os.close(ours)
    assert process.wait(60) == 0, written.decode()
    return written.decode().replace("\r\n", "\n")


def in_pipe(*command: str, **environment: str) -> str:
    done = processes.run(*command, variables=environment)
    assert done.stderr == ""
    return done.stdout


def must_be_whole(bundle: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Text that users copy: paths, ops, targets, features, digests, commands."""
    capsys.readouterr()
    assert main(["inspect", str(bundle), "--json"]) == 0
    members: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    texts = [*OPS, str(bundle), os.environ["RNN_COMPILER_CACHE_DIR"], sys.executable]
    for member in members:
        target = member["target"]
        texts += [target["name"], *target["features"], member["payload_sha256"]]
        file = f"--module={bundle}/{target['name'].replace(':', '-')}.vmfb"
        command = member["run_commands"]["block_lstm_v2"].split()
        texts.append(" ".join([command[0], file, *command[2:]]) if target["name"] == "cpu" else "")
    assert main(["cache", "ls", "--json"]) == 0
    return texts + [entry["digest"][:12] for entry in json.loads(capsys.readouterr().out)]


@pytest.fixture(scope="module", params=WIDTHS)
def shown(request: pytest.FixtureRequest, verbs: str) -> tuple[int, str]:
    """The width of a terminal, and the verbs' output there."""
    return request.param, in_terminal(sys.executable, "-c", VERBS, verbs, width=request.param)


@pytest.mark.slow
def test_nothing_is_cut_on_a_terminal(
    shown: tuple[int, str], bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = shown
    whole = must_be_whole(bundle, capsys)
    assert len(whole) > 30
    assert [each for each in whole if each not in text] == []
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "\x1b[1m" in text, "names stand out"


@pytest.mark.slow
def test_lines_are_no_longer_than_the_terminal_but_for_single_words(shown: tuple[int, str]) -> None:
    """And for commands, in which a line break would not be copied as a blank."""
    width, text = shown
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).splitlines()
    long = [line for line in lines if len(line) > width]
    words = [line for line in long if len(line.split()) == 1]
    commands = [line for line in long if line.startswith("iree-run-module ")]
    assert sorted(words + commands) == sorted(long)
    assert commands


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}])
def test_a_plain_terminal_gets_plain_text(environment: dict[str, str], bundle: Path) -> None:
    """No escape sequence, not even for bold text or for progress."""
    compile_ = f"compile BlockLSTMV2 --dim {DIMS} -o {bundle.parent}/plain.vmfb"
    lines = f"ops|{compile_}|inspect {bundle}|bench BlockLSTMV2 --seconds 0.01 --dim {DIMS}"
    text = in_terminal(sys.executable, "-c", VERBS, lines, width=80, **environment)
    assert "BlockLSTMV2" in text
    assert "\x1b" not in text


@pytest.mark.slow
def test_a_notebook_gets_no_frames(bundle: Path) -> None:
    """It runs commands on a terminal, and saves whatever is written there."""
    command = f"compile BlockLSTMV2 --dim {DIMS} -o {bundle.parent}/notebook.vmfb"
    kernel = {"TERM": "xterm-color", "PAGER": "cat", "CLICOLOR_FORCE": "1"}
    text = in_terminal(sys.executable, "-c", VERBS, command, width=80, **kernel)
    assert "notebook.vmfb" in text
    assert "\r" not in text
    assert "\x1b[2K" not in text


@pytest.mark.slow
def test_columns_go_before_the_terminals_own_width(verbs: str) -> None:
    command = [sys.executable, "-c", VERBS, "ops"]
    narrow = in_terminal(*command, width=200, COLUMNS="60", NO_COLOR="1")
    assert max(map(len, narrow.splitlines())) in range(50, 61)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [None, 40])
def test_a_pipe_gets_plain_text_without_trailing_blanks(
    columns: int | None, bundle: Path, verbs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {} if columns is None else {"COLUMNS": str(columns)}
    text = in_pipe(sys.executable, "-c", VERBS, verbs, **environment)
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert "\x1b" not in text
    assert [each for each in must_be_whole(bundle, capsys) if each not in text] == []


@pytest.mark.slow
def test_a_pipe_gets_a_line_for_each_row(bundle: Path) -> None:
    lines = in_pipe(sys.executable, "-c", VERBS, f"ops|check {bundle}").splitlines()
    assert [line.split()[0] for line in lines[1 : len(OPS) + 1]] == list(OPS)
    lines = lines[-4:]
    assert [line.split()[0] for line in lines] == ["target", "cpu", "cpu:generic", "best"]


def test_progress_is_for_terminals_and_for_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
import sys
from rnn_compiler.cli import terminal
sys.modules.update({name: None for name in sys.argv[1:]})
with terminal.status("compiling"):
    print("inside", file=sys.stderr)
with terminal.progress("training", 1) as advance:
    advance("loss 1")
"""
    shown = in_terminal(sys.executable, "-c", script, width=80)
    assert "compiling" in shown
    assert "training" in shown
    assert "loss 1" in shown
    without = in_terminal(sys.executable, "-c", script, "rich.console", "rich.progress", width=80)
    assert without == "inside\n"
    done = processes.python(script)
    assert (done.stdout, done.stderr) == ("", "inside\n")


def test_a_table_wraps_between_words_or_goes_below_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        columns, rows = ("op", "size", "says"), [("Cell", "9 KB", "one two three")]
        terminal.print_table(columns, rows, title="T", right=["size"])
        return capsys.readouterr().out.splitlines()

    assert printed(30) == ["T", "op    size  says", "Cell  9 KB  one two three"]
    assert printed(20) == ["T", "op    size  says", "Cell  9 KB  one two", "            three"]
    assert printed(16) == ["T", "op Cell", "  size  9 KB", "  says  one two", "        three"]
    assert printed(9) == [
        *("T", "op Cell", "  size", "    9 KB", "  says"),
        *("    one", "    two", "    three"),
    ]


def test_names_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """Names of files and folders may contain any characters."""
    name = "a\x1b[2Jb\nc\udcff"
    terminal.print_line(name)
    terminal.print_facts([("file", name)])
    terminal.print_table(("file", ""), [(name, name)])
    out = capsys.readouterr().out
    assert out.splitlines()[0] == r"a\x1b[2Jb c\udcff"
    assert out.count(r"a\x1b[2Jb c\udcff") == 4
    assert out.replace("\n", "").isprintable()
