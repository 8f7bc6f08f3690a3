"""Networks are modules like any other: bundles, goldens, and other strategies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from tests.network_import.graphs import B, I, T, expected, saved, tagger, weight

pytestmark = pytest.mark.slow

TAGGER = tagger()


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    path = saved(TAGGER, tmp_path_factory.mktemp("models") / "tagger.onnx")
    return rc.import_network(path, dims={"batch": B, "sequence": T})


def check(program: Callable[..., Any]) -> None:
    x = weight(B, I, T)
    wanted = expected(TAGGER, {"x": x})[0]
    np.testing.assert_allclose(program(x=x).tags, wanted, rtol=1e-5, atol=1e-6)


def test_a_bundle_with_a_golden(module: rc.Module, tmp_path: Path) -> None:
    """The member that suits this machine is verified; the one for CUDA is compiled."""
    bundle = rc.compile(module, ["cpu:generic", "cuda:sm_80"])
    bundle.save(tmp_path / "tagger", golden=rc.golden(module, bundle))
    assert rc.runtime.verify(tmp_path / "tagger", "local-sync").is_equal
    check(rc.runtime.load(tmp_path / "tagger", device="local-sync"))


def test_the_portable_strategy(module: rc.Module) -> None:
    artifact = rc.compile(module, "cpu:generic", strategy="portable")
    check(rc.runtime.load(artifact, device="local-sync"))
