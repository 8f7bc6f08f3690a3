"""The samples that import models run as in their READMEs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rnn_compiler.runtime import load

pytest.importorskip("google.protobuf", reason="reads the models")
pytest.importorskip("google_crc32c", reason="checks SavedModels")

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "functions"),
    [
        ("migrate_savedmodel/migrate.py", {"speech.vmfb": ["speech"]}),
        ("torch_to_vmfb/convert.py", {"encoder.vmfb": ["lower", "upper"]}),
    ],
)
def test_a_script_prints_what_its_readme_shows(
    script: str, functions: dict[str, list[str]], tmp_path: Path
) -> None:
    path, new = SAMPLES / script, tmp_path / "new"
    command = [sys.executable, "-W", "error", str(path), str(new)]
    quiet = {**os.environ, "RNN_COMPILER_LOG": "error"}  # of compilations on a slow machine
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=quiet)
    assert (done.returncode, done.stderr) == (0, "")
    text = (path.parent / "README.md").read_text()
    shown = re.findall(r"prints:\n\n```\n(.*?)```", text, re.DOTALL)[0]

    def without_figures(lines: str) -> str:
        return re.sub(r"[\d.]+e-\d+|[\d,]+ bytes", "...", lines).strip()

    assert without_figures(done.stdout) == without_figures(shown)
    for name, expected in functions.items():
        assert list(load(new / name).functions) == expected
