"""The reader's README leads from the model's wheel to a program that learns to read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from samples.readme import SAMPLES, blocks, follow

SAMPLE = SAMPLES / "read_captchas"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_from_the_wheel_to_a_program_that_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tenth of the captchas, one epoch."""
    pytest.importorskip("onnx")
    pytest.importorskip("PIL.Image", reason="captchas are drawn with Pillow")
    monkeypatch.chdir(tmp_path)
    for file in (*SAMPLE.glob("*.c"), *SAMPLE.glob("*.py")):
        shutil.copy(file, tmp_path)
    *commands, shown = blocks("read_captchas")
    fewer = {"new 3200": "new 480", "test 320": "test 64", "./main 3": "./main 1"}
    text = "".join(commands)
    for old, new in fewer.items():
        assert old in text
        text = text.replace(old, new)
    before, after = read_of(follow([text], tmp_path, STRICT))
    assert before < 20
    assert after > before + 20
    first, *_, last = read_of(shown)
    assert first < 20 < 80 < last  # what the page says


def read_of(printed: str) -> list[float]:
    """How many captchas in a hundred are read, before and after each epoch."""
    return [float(each) for each in re.findall(r"([\d.]+) % are read", printed)]
