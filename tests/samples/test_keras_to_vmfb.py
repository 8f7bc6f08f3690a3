"""A Keras model becomes one module, as the sample's README shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "samples" / "keras_to_vmfb"
NEEDED = ("keras", "tensorflow", "tf2onnx", "onnx")
MISSING = [name for name in NEEDED if find_spec(name) is None]


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
def test_the_script_prints_what_its_readme_shows(tmp_path: Path) -> None:
    command = [sys.executable, str(SAMPLE / "convert.py"), str(tmp_path / "tagger")]
    env = {**os.environ, "KERAS_BACKEND": "tensorflow"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    (shown,) = re.findall(
        r"prints:\n\n```\n(.*?)```", (SAMPLE / "README.md").read_text(), re.DOTALL
    )
    assert done.stdout.endswith(shown)
    assert {each.name for each in (tmp_path / "tagger").iterdir()} >= {"tagger.vmfb", "tagger.irpa"}
