"""The program of the page on training, on the other processors that it shows."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import processes
import pytest
from docs.pages import ROOT, Block, blocks

pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have

PAGE = "docs/train_anywhere.md"
HERE = "not run: tests/docs/test_train_anywhere.py runs it"


def commands(block: Block) -> list[list[str]]:
    """The commands of a block, which may have several lines."""
    return [shlex.split(line) for line in block.text.replace("\\\n", " ").splitlines()]


@pytest.mark.slow
def test_the_program_runs_on_other_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("board.c", "board.h", "board.ld"):
        shutil.copy(ROOT / "samples" / "learn_on_device" / name, name)
    found = blocks(PAGE)
    shown = [each for each in found if each.marker == HERE]
    assert len(shown) == 2
    names: dict[str, object] = {}
    for block in found[: found.index(shown[0])]:
        if block.language == "python":
            exec(block.text, names)
        elif block.marker == "file: main.c":
            Path("main.c").write_text(block.text)
    missing: list[str] = []
    for block in shown:
        lines = commands(block)
        if lacking := [line[0] for line in lines if not shutil.which(line[0])]:
            missing += lacking
            continue
        *_, said = [processes.run(*line).stdout for line in lines]
        loss, output = (float(part.split()[-1]) for part in said.split(","))
        assert loss < 1e-4
        assert abs(output - 0.5) < 0.01
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
