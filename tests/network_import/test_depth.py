"""Channels that become pixels, in both of ONNX' orders."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import helper
from quick import first

from tests.network_import.graphs import model, weight


@each_language
@pytest.mark.parametrize("mode", first(["CRD", "DCR"]))
@pytest.mark.parametrize("shape", first([[2, 12, 3, 5], ["n", 12, "height", "width"]], 2))
def test_depth_to_space(shape: list[Any], mode: str, agrees: Any) -> None:
    """Three channels of blocks of four pixels."""
    node = helper.make_node("DepthToSpace", ["x"], ["y"], name="pixels", blocksize=2, mode=mode)
    agrees(model([node], {"x": shape}, ["y"], {}), {"x": weight(2, 12, 3, 5)}, rtol=0, atol=0)
