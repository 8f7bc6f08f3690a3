"""Time loops lowered by the pinned strategy."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from cases import sizes
from ir.filecheck import check
from ir.rewriting import AVX512, rewritten
from numeric.harness import module

from rnn_compiler.lowering.passes.pin_time_loops import pin_time_loops
from rnn_compiler.lowering.passes.tile_products import tile_products
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

CPU = AVX512
LSTM = sizes(6, 16, 24, 32, use_peephole=False)


def pinned(op: str, processor: VectorUnit | Gpu = CPU, dtype: str = "float32", **v: Any) -> str:
    text = module(op, dtype, {**LSTM, **v}).text
    return rewritten(text, pin_time_loops, processor=processor)[0]


def test_forward_loop() -> None:
    """A loop carries pinned arrays; each step that it calls writes rows of them."""
    text = pinned("BlockLSTMV2")
    assert "call @block_lstm_v2.lstm_forward(" in text
    assert "stablehlo.while" not in text
    assert text.count("call @block_lstm_v2.lstm_forward.step(") == 6
    step = text[text.index("func.func private @block_lstm_v2.lstm_forward.step(") :]
    assert step.count("flow.dispatch.region") == step.count("stablehlo.dot_general") == 1
    assert "tensor<16x32xf32> into tensor<6x16x32xf32>" in step


def test_every_array_begins_with_a_zero_of_its_own() -> None:
    """Else IREE takes pinned arrays that begin alike for one."""
    text = pinned("BlockLSTMV2")
    arrays = text.count("flow.tensor.barrier")
    splats = re.findall(r"flow.tensor.splat (%\w+)", text)
    assert arrays == len(splats) == len(set(splats)) > 1
    for name in splats:
        assert re.search(rf"{re.escape(name)} = util.optimization_barrier", text)


def test_no_region_returns_a_value_twice() -> None:
    """Else IREE replaces the second by the first result of the region."""
    for returned in re.findall(r"flow.return (.*) :", pinned("BlockLSTMV2")):
        names = returned.split(", ")
        assert len(names) == len(set(names))


def test_gates_that_are_multiplied_lie_side_by_side() -> None:
    """Of a gradient: one region writes all of them; the product's result goes into its row."""
    check(
        pinned("BlockLSTMGradV2"),
        """
        CHECK: func.func private @block_lstm_grad_v2.lstm_backward
        CHECK: tensor<6x16x4x32xf32>
        CHECK: func.func private @block_lstm_grad_v2.lstm_backward.step
        CHECK: flow.dispatch.region
        CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
        CHECK: linalg.index 1
        CHECK: tensor.insert_slice {{.*}} into tensor<6x16x4x32xf32>
        CHECK: flow.return
        CHECK: tensor.collapse_shape {{.*}} into tensor<6x16x128xf32>
        CHECK: stablehlo.dot_general
        CHECK: flow.tensor.update {{.*}} -> %{{.*}} as tensor<3x16x32xf32>
        CHECK-NOT: flow.dispatch.region
        """,
    )


def test_activations_that_are_only_stored_are_joined_afterwards() -> None:
    text = pinned("CudnnRNN")
    step = text[text.index("func.func private @cudnn_rnn.lstm_forward.step(") :]
    assert "160xf32" not in step
    assert re.search(r"stablehlo.concatenate.*dim = 2.* -> tensor<6x16x160xf32>", text)


def test_products_of_a_gpu_say_how_they_are_shared_out() -> None:
    assert "iree_gpu" not in pinned("BlockLSTMV2")
    assert "iree_gpu" not in pinned("BlockLSTMV2", Gpu(), "float16")  # tensor cores: IREE's choice
    check(
        pinned("BlockLSTMV2", Gpu()),
        """
        CHECK: #iree_gpu.lowering_config<{promote_operands = [0, 1]
        CHECK: linalg.matmul {{.*}}compilation_info
        """,
    )
    check(
        pinned("BlockLSTMV2", Gpu(), batch_size=1),
        """
        CHECK: stablehlo.transpose {{.*}} -> tensor<128x32xf32>
        CHECK: scf.for
        CHECK: linalg.matmul {{.*}}compilation_info
        """,
    )


def test_directions_become_one_loop() -> None:
    text = pinned("CudnnRNNV3", direction="bidirectional", num_layers=2)
    assert text.count("scf.for") == 2
    assert len(re.findall(r"call @\"[^\"]*forward[^\"]*\"\(", text)) == 2 + 2 * 6
    assert "rnn_compiler.time_loop" not in text
    assert "stablehlo.while" not in text


def test_more_steps_than_an_iteration_holds() -> None:
    """A few run past the end; they leave the outputs as they are."""
    check(
        pinned("BlockLSTMV2", seq_length=97),
        """
        CHECK: [[STEPS:%[a-z0-9_]+]] = arith.constant 48 : index
        CHECK: scf.for {{.*}} step [[STEPS]]
        CHECK: func.func private @block_lstm_v2.lstm_forward.step
        CHECK: arith.cmpi slt
        CHECK: flow.dispatch.region
        CHECK: arith.select
        """,
    )


@pytest.mark.parametrize("op", ["BlockLSTMV2", "BlockLSTMGradV2"])
def test_loops_with_a_unit_axis_stay(op: str) -> None:
    text = pinned(op, num_units=1)
    assert "stablehlo.while" in text
    assert "flow.dispatch.region" not in text


def test_large_products_of_a_gradient_say_how_they_are_shared_out() -> None:
    """x_grad, and w_grad with its left-hand side by columns."""
    built = module("BlockLSTMGradV2", "float32", LSTM)
    text, _ = rewritten(built.text, tile_products, processor=Gpu())
    public = text[text.index("func.func @block_lstm_grad_v2(") :].split("func.func private")[0]
    assert public.count("call @shared_product") == 2
    assert "stablehlo.dot_general" not in public


def test_sizes_that_tiles_do_not_divide_are_left_to_iree() -> None:
    assert Gpu().product(127, 64, 64, "f32") is None
    assert Gpu().product(1, 64, 48, "f32") is None


def test_a_row_is_divided_among_a_warp_of_any_size() -> None:
    for warp in (32, 64):
        tiling = Gpu(warp).product(1, 64, 256, "f32")
        assert tiling is not None
        assert (tiling.warp, tiling.threads) == (warp, 4 * warp)
        assert tiling.levels["lane_basis"][0] == [1, 1, warp]


@pytest.mark.parametrize("rows", [2, 8, 16, 17, 50, 64, 512, 3200])
def test_tiles_divide_and_threads_fill_them(rows: int) -> None:
    for columns, inner in itertools.product((64, 76, 2048), (32, 48, 512)):
        shares = Gpu().product(rows, columns, inner, "f32")
        if shares is None:
            continue
        high, wide = shares.levels["workgroup"][:2]
        down, across = shares.levels["thread"][:2]
        step = shares.levels["reduction"][2]
        assert (rows % high, columns % wide, inner % step) == (0, 0, 0)
        assert (high % down, wide % across) == (0, 0)
        assert shares.threads == high * wide // (down * across) <= 1024
