"""The companions of a function that packs its weights, and which functions have none."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cases import sizes
from ir.filecheck import check

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text

SIZES = sizes(5, 1, 33, 65)


def test_companions() -> None:
    """One packs and the other does not; views of weights stay in place."""
    module = rc.build("CudnnRNN", **SIZES, num_layers=1, is_training=False)
    text = lowered_text(module, "cpu:x86-64-v4")
    check(
        text,
        """
        CHECK: func.func @cudnn_rnn_prepack(%{{.*}}: tensor<26000xf32>) -> (tensor<9x33x32xf32>,
        CHECK: flow.dispatch @rows_product_0_pack
        CHECK: flow.dispatch @cudnn_rnn_lstm_forward_pack
        CHECK-NOT: flow.dispatch
        CHECK: return
        CHECK: util.func public @cudnn_rnn_prepacked(
        CHECK-NOT: pack::
        CHECK: flow.dispatch @rows_product_0_product
        CHECK: flow.dispatch @cudnn_rnn_lstm_forward_loop
        CHECK-NOT: flow.dispatch
        CHECK: return
        """,
    )
    start, end = (text.index(f"func.func @cudnn_rnn{each}(") for each in ("_prepack", ""))
    for called in ("call @", "stablehlo.composite"):
        assert called not in text[start:end]


def test_only_what_is_needed_is_packed() -> None:
    """For 16-bit weights, only what the function reads: of each layer W, its bias and R."""
    sizes = {**SIZES, "num_layers": 2, "is_training": False}
    text = lowered_text(rc.build("CudnnRNN", dtype="bfloat16", **sizes), "cpu:x86-64-v4")
    start = text.index("func.func @cudnn_rnn_prepack(")
    (results,) = re.findall(r"\) -> \((.*)\)", text[start : text.index("{\n", start)])
    assert results.count("tensor<") == 6


@pytest.mark.parametrize(
    ("op", "keywords", "strategy"),
    [
        ("CudnnRNN", {"is_training": True, "num_layers": 1}, "fused"),
        ("CudnnRNNBackprop", {"num_layers": 1}, "fused"),
        ("BlockLSTMGradV2", {"use_peephole": False}, "fused"),
        ("BlockLSTMV2", {"use_peephole": False}, "portable"),
        ("BlockLSTMV2", {"use_peephole": False}, "pinned"),
    ],
)
def test_no_companions(op: str, keywords: dict[str, Any], strategy: str) -> None:
    """Weights in training change at every step; other strategies pack nothing."""
    text = lowered_text(rc.build(op, **SIZES, **keywords), "cpu", strategy)
    assert "_prepack" not in text
