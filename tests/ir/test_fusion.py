"""Modules lowered by the fused strategy: one dispatch per loop, panels for products."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, AVX512, rewritten

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.passes.products import products
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

SIZES = {"seq_length": 6, "batch_size": 14, "input_size": 24, "num_units": 70}


def fused(op: str, vectors: VectorUnit = AVX512, **keywords: Any) -> str:
    module = rc.build(op, **{"use_peephole": False, **SIZES, **keywords})
    return rewritten(module.text, fuse_time_loops, processor=vectors)[0]


def with_panels(op: str, **keywords: Any) -> str:
    module = rc.build(op, **{"use_peephole": False, **SIZES, **keywords})
    return rewritten(module.text, products)[0]


def test_forward_loop() -> None:
    """A call of a function that is one dispatch with the loop over time inside.

    Two full panels of 32 units and a rest of 6; 14 rows in blocks of 7; state in rings.
    """
    text = fused("BlockLSTMV2")
    assert "call @block_lstm_v2.lstm_forward(" in text
    assert text.count("flow.dispatch @block_lstm_v2_lstm_forward_loop::") == 1
    assert "stablehlo.while" not in text
    check(
        text,
        """
        CHECK: linalg.pack {{.*}} inner_tiles = [32] {{.*}} -> tensor<4x3x70x32xf32>
        CHECK: dispatch.tensor<readwrite:tensor<2x14x70xf32>>
        CHECK: vector.transfer_read {{.*}} : tensor<70x32xf32>, vector<32xf32>
        CHECK: vector.fma {{.*}} : vector<32xf32>
        CHECK: vector.transfer_write {{.*}} : vector<32xf32>, tensor<6x14x70xf32>
        CHECK: vector.transfer_read {{.*}} : tensor<7x32xf32>, vector<6xf32>
        """,
    )


def test_backward_loop_has_two_levels() -> None:
    """The gate gradients first, for which the state is enough; then their product."""
    text = fused("BlockLSTMGradV2")
    region = text[text.index("stream.executable private @block_lstm_grad_v2_lstm_backward_loop") :]
    assert "stablehlo.while" not in text
    first, _, second = region.partition("vector.fma")
    assert "arith.select" in first  # cs_prev of the first step
    assert "tensor<7x280xf32>" in second  # rows of dgates are the left-hand side


def test_a_saved_gate_is_multiplied_once() -> None:
    """The reset gate before the product is of an earlier level than the other gates."""
    counts = [
        rewritten(rc.build("onnx.GRU", is_training=save, **SIZES).text, fuse_time_loops)[0].count(
            "vector.fma"
        )
        for save in (False, True)
    ]
    products = 6  # of three gates, full panels and the rest
    assert counts == [products * 7 * 2] * 2  # rows of a tile, and numbers of each in an iteration


def test_one_pipeline_per_dispatch() -> None:
    """Though it has several products: of full panels, and of the rest."""
    text = fused("BlockLSTMV2")
    assert text.count("tensor<7x32xf32>, vector<32xf32>") > 1
    assert text.count("translation_info = ") == text.count("stream.executable private") == 1


def test_a_single_row_has_no_batch_axis() -> None:
    text = fused("BlockLSTMV2", batch_size=1)
    assert "vector.fma" in text
    assert "tensor<7x" not in text
    assert "tensor<2x70xf32>" in text


def test_rows_that_do_not_divide_overlap() -> None:
    """17 rows in blocks of 6: the last begins at row 11."""
    check(
        fused("BlockLSTMV2", batch_size=17),
        """
        CHECK: arith.constant 11 : index
        CHECK: arith.minsi {{.*}} : index
        """,
    )


def test_a_step_is_shared_among_workgroups() -> None:
    """Two parts of the units for each of four of the rows; one counter for all, one for each."""
    assert AVX512.cut(64, 3, 70 * 280) == (2, 4)
    check(
        fused("BlockLSTMV2", batch_size=64),
        """
        CHECK: flow.tensor.splat {{.*}} : tensor<144xi32>
        CHECK: flow.dispatch
        CHECK: arith.constant 8 : index
        CHECK: stream.return
        CHECK: stream.binding.subspan {{.*}} -> memref<144xi32>
        CHECK: memref.atomic_rmw maxs
        CHECK: scf.while
        CHECK: vector.fma
        """,
    )
    assert "atomic" not in fused("BlockLSTMV2", batch_size=2)  # too little work


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "batch_size", "num_units"),
    [  # a forward and a gradient of either size
        ("BlockLSTMV2", 1, 768),
        ("CudnnRNNBackprop", 1, 768),
        ("CudnnRNN", 32, 128),
        ("BlockLSTMGradV2", 32, 128),
    ],
)
def test_no_tile_repeats_what_is_shared(
    op: str, batch_size: int, num_units: int, tmp_path: Path
) -> None:
    """IREE clones what the tiles of a dispatch's only root read, claims too; so there are two.

    Nor does it copy any tile that is read or written: the only ones there are hold products.
    """
    sizes = {**SIZES, "num_units": num_units, "batch_size": batch_size}
    others = {"use_peephole": False} if "Block" in op else {"num_layers": 1}
    module = rc.build(op, **others, **sizes)
    text = lowered_text(module, "cpu")
    flags = [f"--iree-hal-dump-executable-intermediates-to={tmp_path}"]
    iree_compile.compile_module(text, resolve_target("cpu"), reproducers=tmp_path, flags=flags)
    (code,) = tmp_path.glob("*.codegen.ll")
    made = code.read_text()
    assert text.count("atomic_rmw maxs") == made.count("atomicrmw max") > 1
    assert "call void @llvm.memcpy" not in made
    loops = "".join(re.findall(r"^define [^\n]*_loop\(.*?^}", made, re.MULTILINE | re.DOTALL))
    private = [int(size) for size in re.findall(r"= alloca \[(\d+) x float\]", loops)]
    assert 0 < max(private) <= 1024 < 2 * batch_size * num_units  # tiles, no whole state
    written = re.findall(r"stream\.executable private @\w*_loop .*?^  \}", text, re.M | re.S)
    assert len(private) <= "".join(written).count("tensor.empty()")


def test_tiles_follow_the_vector_unit() -> None:
    def sums(rows: int, vector: str) -> str:
        return f"-> ({', '.join([vector] * rows)})"

    assert sums(7, "vector<32xf32>") in fused("BlockLSTMV2")
    assert sums(3, "vector<16xf32>") in fused("BlockLSTMV2", AVX2)
    assert sums(7, "vector<16xf64>") in fused("BlockLSTMV2", dtype="float64")


@pytest.mark.parametrize("num_units", [32, 70])
def test_sums_start_in_registers(num_units: int) -> None:
    """Zeros in memory would be copied, number by number, for each tile of a single panel."""
    text = fused("BlockLSTMV2", num_units=num_units, input_size=64)
    loop = text[text.index("stream.executable private @block_lstm_v2_lstm_forward_loop") :]
    assert "vector.fma" in loop
    assert "linalg.fill" not in loop


def test_loops_with_other_unit_axes_stay() -> None:
    text = fused("BlockLSTMV2", num_units=1)
    assert "stablehlo.while" in text
    assert "stream.executable" not in text


def test_a_single_step_has_room_for_two() -> None:
    text = fused("BlockLSTMV2", seq_length=1)
    assert "stablehlo.while" not in text
    assert "stream.executable" in text
    assert not re.search(r"dispatch.tensor<\w+:tensor<1x", text)


def test_16_bit_states_are_multiplied_in_float32() -> None:
    text = fused("BlockLSTMV2", dtype="float16")
    check(
        text,
        """
        CHECK: dispatch.tensor<readwrite:tensor<2x14x70xf32>>
        CHECK: vector.transfer_read {{.*}} : tensor<70x32xf32>, vector<32xf32>
        CHECK: vector.fma {{.*}} : vector<32xf32>
        CHECK: arith.extf
        CHECK: arith.truncf
        """,
    )


def test_no_large_product_is_left_to_iree() -> None:
    """Neither x_grad nor w_grad."""
    text = with_panels("BlockLSTMGradV2", input_size=26)
    _, _, public = text.partition("func.func @block_lstm_grad_v2(")
    public, _, _ = public.partition("func.func ")
    assert public.count("call @rows_product") == public.count("call @outer_sum") == 1
    assert "stablehlo.dot_general" not in public


def test_small_products_stay() -> None:
    text = with_panels("BlockLSTMGradV2", seq_length=2, batch_size=2, input_size=3, num_units=4)
    assert "flow.dispatch" not in text


def test_lowered_text_is_what_the_strategy_makes() -> None:
    module = rc.build("BlockLSTMV2", **SIZES)
    assert "stream.executable" in lowered_text(module, "cpu")
    portable = lowered_text(module, "cpu", "portable")
    assert "stream.executable" not in portable
    assert "iree.reflection" in portable


def test_what_is_alike_is_compiled_once() -> None:
    """The loops of the blocks of time that a gradient works in, of each direction; products too."""
    sizes = {"seq_length": 32, "batch_size": 16, "input_size": 256, "num_units": 256}
    module = rc.build("CudnnRNNBackprop", **sizes, num_layers=1, direction="bidirectional")
    text = lowered_text(module, "cpu:x86-64-v4")
    directions = 2
    loops = re.findall(r"flow.dispatch @(\w*_loop)::", text)
    assert len(loops) > len(set(loops)) == directions
    sums = re.findall(r"call @(outer_sum\w*)", text)
    assert len(sums) > len(set(sums))
    for kind, names in (("loop", loops), ("sum", sums)):
        made = re.findall(rf"stream.executable private @\w*_{kind} ", text)
        assert len(made) == len(set(names))


def test_pairs_of_bfloat16_are_gathered_by_their_bits() -> None:
    """LLVM's code for interleaving numbers of bfloat16 is not to be relied on."""
    sizes = {"seq_length": 6, "batch_size": 20, "input_size": 9, "num_units": 100}
    module = rc.build("CudnnRNNBackpropV3", dtype="bfloat16", num_layers=1, **sizes)
    text = lowered_text(module, "cpu:x86-64-v4,avx512bf16")
    gathers = text[text.index("stream.executable private @gathered") :]
    assert re.search(r"vector\.interleave .* vector<4xi16>", gathers)
    assert not re.search(r"vector\.interleave .* vector<4xbf16>", gathers)
