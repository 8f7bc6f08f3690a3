"""A whole network on a GPU: a convolution, an LSTM, a linear layer and a softmax."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from tests.network_import.graphs import B, I, T, expected, saved, tagger, weight


@pytest.mark.usefixtures("emulated")
def test_a_network(tmp_path: Path) -> None:
    onnx_model = tagger()
    path = saved(onnx_model, tmp_path / "tagger.onnx")
    module = rc.import_network(path, dims={"batch": B, "sequence": T})
    program = rc.runtime.load(rc.compile(module, "cuda"), "cuda")
    x = weight(B, I, T)
    (wanted,) = expected(onnx_model, {"x": x})
    np.testing.assert_allclose(program(x=x).tags, wanted, rtol=1e-5, atol=1e-6)
