"""Frozen weights in the portable module, and after lowering."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cases import sizes
from ir.filecheck import check

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text

SIZES = sizes(5, 1, 33, 65)


@pytest.fixture(scope="module")
def frozen() -> rc.Module:
    module = rc.build("CudnnRNN", **SIZES, num_layers=1, is_training=False, function="f")
    return rc.freeze(module, {"params": np.arange(26000, dtype=np.float32)})


def test_the_portable_module_has_constants(frozen: rc.Module) -> None:
    """No other dialect, and no argument for them."""
    check(
        frozen.text,
        """
        CHECK: func.func @f(%input: tensor<5x1x33xf32>, %input_h: {{[^,]*}}, %input_c: {{[^,]*}}) ->
        CHECK: %params = call @f.params() : () -> tensor<26000xf32>
        CHECK: func.func private @f.params() -> tensor<26000xf32> {
        CHECK: stablehlo.constant dense<"0x000000000000803F
        """,
    )
    assert "util." not in frozen.text
    assert 'dense<"0x' not in frozen.located_text


def test_weights_are_packed_when_the_module_is_loaded(frozen: rc.Module) -> None:
    """In IREE's order of initialization: the weights, the packed values, then their readers."""
    text = lowered_text(frozen, "cpu:x86-64-v4")
    check(
        text,
        """
        CHECK: util.global private @f.params = #flow.parameter.named<"model"::"f.params"> :
        CHECK: util.global private @f.packed.0 : tensor<9x33x32xf32>
        CHECK: func.func private @f.pack() ->
        CHECK: flow.dispatch @rows_product_0_pack
        CHECK: flow.dispatch @f_lstm_forward_pack
        CHECK: util.initializer {
        CHECK-NEXT: call @f.pack()
        CHECK-NEXT: util.global.store %{{.*}}, @f.packed.0
        CHECK: util.func public @f_prepacked(%arg0: tensor<5x1x33xf32>,
        CHECK-NOT: pack::
        CHECK: func.func @f_prepack() -> (tensor<9x33x32xf32>,
        CHECK-NOT: dispatch
        CHECK: func.func @f(%input:
        CHECK-NOT: pack::
        CHECK: util.global.load @f.packed.0
        CHECK: return
        """,
    )


@pytest.mark.parametrize(("target", "strategy"), [("cpu", "portable"), ("cuda", None)])
def test_other_strategies_read_them(frozen: rc.Module, target: str, strategy: str | None) -> None:
    text = lowered_text(frozen, target, strategy)
    assert text.count("util.global private") == 1
    assert "util.initializer" not in text
    assert "f_prepack" not in text


def test_a_part_may_be_frozen() -> None:
    """Values computed from frozen weights alone are packed at load time, without a companion."""
    module = rc.build("GRUBlockCell", batch_size=1, input_size=64, num_units=64)
    text = lowered_text(rc.freeze(module, {"w_ru": np.ones((128, 128), np.float32)}), "cpu")
    assert "%w_c: tensor<" in text
    assert text.count("util.global private @gru_block_cell.w_ru = ") == 1
    for name in set(re.findall(r"@gru_block_cell_prepack\(.*", text)):
        assert "tensor<128x64xf32>" not in name


def test_empty_arrays_are_constants() -> None:
    module = rc.build("BlockLSTMV2", **SIZES | {"input_size": 0, "batch_size": 0})
    frozen = rc.freeze(module, {"x": np.zeros((5, 0, 0), np.float32)})
    assert frozen.parameters == {}
    assert "util.global" not in lowered_text(frozen, "cpu")
