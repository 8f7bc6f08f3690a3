"""The README tells the truth: its Python runs, its commands parse, its tables name what exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rnn_compiler.cli import main
from rnn_compiler.lowering.ops import OPS

README = Path(__file__).parents[2] / "README.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (source,) = _blocks("python")
    names: dict[str, object] = {}
    exec(compile(source, "README.md", "exec"), names)
    assert names["grads"].w_grad.shape == (32, 96)  # type: ignore[attr-defined]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "lstm.mlir",
        "lstm.vmfb",
        "lstm.vmfb.json",
    ]


def test_the_commands_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = next(block for block in _blocks("sh") if "rnn-compiler ops" in block)
    lines = text.replace("\\\n", "").splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    assert [command[0] for command in commands] == [
        "ops",
        "emit",
        "compile",
        "inspect",
        "check",
        "run",
        "cache",
        "doctor",
    ]
    for command in commands:
        random = ["--random"] if command[0] == "run" else []
        assert main([part for part in command if part != "in.npz"] + random) == 0


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \| .* \|$", README.read_text(), re.MULTILINE)
    assert dict(rows) == {name: " ".join(op.signature.dtypes) for name, op in OPS.items()}
