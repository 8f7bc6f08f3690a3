"""Channels that become pixels, in both of ONNX' orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import helper
from quick import first

from tests.network_import.graphs import expected, model, saved, weight


@pytest.mark.parametrize("mode", first(["CRD", "DCR"]))
@pytest.mark.parametrize("shape", first([[2, 12, 3, 5], ["n", 12, "height", "width"]], 2))
def test_depth_to_space(shape: list[Any], mode: str, tmp_path: Path) -> None:
    """Three channels of blocks of four pixels."""
    node = helper.make_node("DepthToSpace", ["x"], ["y"], name="pixels", blocksize=2, mode=mode)
    made = model([node], {"x": shape}, ["y"], {})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    program = rc.runtime.load(rc.compile(module, "cpu:generic"))
    x = weight(2, 12, 3, 5)
    np.testing.assert_array_equal(program(x=x).y, expected(made, {"x": x})[0])
