"""Models of Keras, TensorFlow and PyTorch become one module each, as the samples' READMEs show."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import processes
import pytest

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(script: str, *needed: str) -> object:
    missing = [name for name in ("onnx", *needed) if find_spec(name) is None]
    skip = pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")
    return pytest.param(script, marks=[pytest.mark.slow, skip], id=script.partition("_")[0])


@pytest.mark.parametrize(
    "script",
    [
        sample("keras_to_vmfb/convert.py", "keras", "tensorflow", "tf2onnx"),
        sample("tensorflow_to_vmfb/convert.py", "keras", "tensorflow", "tf2onnx"),
        sample("torch_to_vmfb/network.py", "torch"),
    ],
)
def test_a_script_prints_what_its_readme_shows(script: str, tmp_path: Path) -> None:
    path = SAMPLES / script
    done = processes.run(
        sys.executable, path, tmp_path / "tagger", variables={"KERAS_BACKEND": "tensorflow"}
    )
    readme = (path.parent / "README.md").read_text()
    shown = re.findall(r"prints:\n\n```\n(.*?)```", readme, re.DOTALL)[-1]
    assert done.stdout.endswith(shown)
    made = {each.name for each in (tmp_path / "tagger").iterdir()}
    assert made >= {"tagger.vmfb", "tagger.irpa"}
