"""The samples that import models run as in their READMEs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import processes
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
    done = processes.run(
        sys.executable, "-W", "error", path, new, variables={"RNN_COMPILER_LOG": "error"}
    )
    assert done.stderr == ""
    text = (path.parent / "README.md").read_text()
    shown = re.findall(r"prints:\n\n```\n(.*?)```", text, re.DOTALL)[0]

    def without_figures(lines: str) -> str:
        return re.sub(r"[\d.]+e-\d+|[\d,]+ bytes", "...", lines).strip()

    assert without_figures(done.stdout) == without_figures(shown)
    for name, expected in functions.items():
        assert list(load(new / name).functions) == expected
