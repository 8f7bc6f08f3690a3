"""Channels that become pixels, in both of ONNX' orders."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("onnx")

from execution import each_language
from onnx import helper

from tests.network_import.graphs import model, weight


@pytest.mark.slow
@each_language
def test_depth_to_space(agree: Any) -> None:
    """Three channels of blocks of four pixels."""
    nodes = [
        helper.make_node("DepthToSpace", ["x"], [mode], name=mode, blocksize=2, mode=mode)
        for mode in ("CRD", "DCR")
    ]
    shapes = [2, 12, 3, 5], ["n", 12, "height", "width"]
    models = [model(nodes, {"x": shape}, ["CRD", "DCR"], {}) for shape in shapes]
    agree([(made, [{"x": weight(2, 12, 3, 5)}]) for made in models], rtol=0, atol=0)
