"""The detector's README leads from the model's wheel to a program with the output shown there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import processes
import pytest
from samples.readme import SAMPLES, blocks, follow

SAMPLE = SAMPLES / "detect_speech"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler"),
]


def test_from_the_wheel_to_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    for file in (*SAMPLE.glob("*.c"), *SAMPLE.glob("*.py")):
        shutil.copy(file, tmp_path)
    *commands, shown = blocks("detect_speech")
    assert follow(commands, tmp_path, STRICT) == shown
    assert os.path.getsize("vad/silero_vad.o") < 1_400_000  # 1.24 MB of which are weights


def test_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program around a function that is not called."""
    monkeypatch.chdir(tmp_path)
    header = (
        "#include <stdint.h>\n#define SILERO_VAD_ALIGNMENT 64\n#define SILERO_VAD_SCRATCH_SIZE 64\n"
        "struct silero_vad_arguments { const float *input, *state; };\n"
        "struct silero_vad_results { float *output, *stateN; };\n"
        "static int silero_vad(const struct silero_vad_arguments *a,\n"
        "    const struct silero_vad_results *r, void *s) { return !a || !r || !s; }\n"
        'static const char *silero_vad_error(int code) { return code ? "" : 0; }\n'
    )
    (tmp_path / "silero_vad.h").write_text(header)
    processes.run("cc", *STRICT, "-I.", SAMPLE / "detect.c", "-o", "detect")
    head = b"RIFF\0\0\0\0WAVE"
    for content in (b"", b"RIFF", head + b"data\0\0\0\0", head + b"fmt \x10\0\0\0"):
        (tmp_path / "a.wav").write_bytes(content)
        done = processes.run("./detect", "a.wav", code=2)
        assert done.stderr.startswith("usage: ")
