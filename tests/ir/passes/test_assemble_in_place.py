"""Functions before and after `assemble_in_place`."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.assemble_in_place import assemble_in_place
from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

SMALL = VectorUnit(bits=64, registers=16, has_memory=False)

TWICE = edited(
    LOOP + LOOP[LOOP.index("func.func private") :].replace("@rnn.loop", "@rnn.back"),
    (
        "-> (tensor<3x2x4xf32>, tensor<2x4xf32>) {\n  %0:2",
        "-> (tensor<3x2x8xf32>, tensor<2x2x4xf32>) {\n  %0:2",
    ),
    (
        "  return %0#0, %0#1 : tensor<3x2x4xf32>, tensor<2x4xf32>",
        """  %1:2 = stablehlo.composite "rnn_compiler.time_loop" %n, %x, %w, %h0 {
          composite_attributes = {
            operands = "count read read state", reverse = true, step = @rnn.back.step
          }, decomposition = @rnn.back, version = 1 : i32
        } : (tensor<i64>, tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>)
          -> (tensor<3x2x4xf32>, tensor<2x4xf32>)
        %y = stablehlo.concatenate %0#0, %1#0, dim = 2
          : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x8xf32>
        %h_0 = stablehlo.reshape %0#1 : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
        %h_1 = stablehlo.reshape %1#1 : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
        %h = stablehlo.concatenate %h_0, %h_1, dim = 0
          : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<2x2x4xf32>
        return %y, %h : tensor<3x2x8xf32>, tensor<2x2x4xf32>""",
    ),
)
"""Two loops over the same input; the columns of their outputs and the rows of their states."""


def test_loops_write_columns_of_the_callers_memory() -> None:
    after, left = rewritten(TWICE, assemble_in_place, fuse_time_loops, processor=SMALL)
    assert left == {}
    check(
        after,
        """
        CHECK: func.func @rnn
        CHECK: [[Y:%.+]] = flow.tensor.empty : tensor<3x2x8xf32> attributes {rnn_compiler.result = 0
        CHECK: [[FIRST:%.+]]:2 = call @rnn.loop({{.*}}, [[Y]])
        CHECK: [[SECOND:%.+]]:2 = call @rnn.back({{.*}}, [[FIRST]]#0)
        CHECK: [[H:%.+]] = flow.tensor.empty : tensor<2x2x4xf32> attributes {rnn_compiler.result = 1
        CHECK: [[H0:%.+]] = tensor.insert_slice {{.*}} into [[H]][0, 0, 0] [1, 2, 4]
        CHECK: [[H1:%.+]] = tensor.insert_slice {{.*}} into [[H0]][1, 0, 0] [1, 2, 4]
        CHECK: return [[SECOND]]#0, [[H1]]
        """,
    )
    assert "offsets = [0, 0, 4], sizes = [3, 2, 4]" in after
    assert "stablehlo.concatenate" not in after


@pytest.mark.parametrize(
    "edit",
    [
        ("%0#0, %1#0, dim = 2", "%0#0, %0#0, dim = 2"),  # twice the same
        ("return %y, %h", "%z = stablehlo.add %0#0, %1#0 : tensor<3x2x4xf32>\nreturn %y, %h"),
    ],
)
def test_outputs_that_something_else_reads_stay(edit: tuple[str, str]) -> None:
    after, _ = rewritten(edited(TWICE, edit), assemble_in_place, processor=SMALL)
    assert after.count("stablehlo.concatenate") == 1
    assert "rnn_compiler.columns" not in after


def test_where_there_is_memory_nothing_changes() -> None:
    after, _ = rewritten(TWICE, assemble_in_place)
    assert after.count("stablehlo.concatenate") == 2
