"""A time loop before and after `fuse_time_loops`: 3 steps of 2 rows of 4 units."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, AVX512, edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

FUNCTION = """
CHECK: func.func @rnn(
CHECK-NEXT: call @rnn.loop(%arg0, %arg1, %arg2, %arg3)
CHECK-NEXT: return %{{[0-9]+}}#0, %{{[0-9]+}}#1

CHECK: func.func private @rnn.loop([[N:%arg0]]: {{.*}}, [[X:%arg1]]: {{.*}}, [[W:%arg2]]: {{.*}}, \
[[H0:%arg3]]:
CHECK-DAG: [[XHELD:%[0-9]+]] = flow.tensor.clone [[X]]
CHECK-DAG: [[HHELD:%[0-9]+]] = flow.tensor.clone [[H0]]
CHECK-DAG: [[WHELD:%[0-9]+]] = flow.tensor.clone [[W]]
CHECK: [[START:%[0-9]+]] = flow.tensor.clone [[HHELD]]
CHECK: [[MADE:%[0-9]+]]:2 = flow.dispatch @rnn_loop_loop::@rnn_loop_loop(\
[[N]], [[XHELD]], [[WHELD]], [[START]]) {{.*}} -> (tensor<3x2x4xf32>, tensor<2x2x4xf32>)
CHECK: [[LAST:%.+]] = tensor.extract_slice [[MADE]]#1[0, 0, 0] [1, 2, 4] [1, 1, 1]
CHECK: return [[MADE]]#0, [[LAST]]
"""

DISPATCH = """
CHECK: stream.executable private @rnn_loop_loop
CHECK: func.func @rnn_loop_loop(
CHECK: [[N:%.+]] = tensor.extract {{.*}} : tensor<i64>
CHECK: [[X:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} -> tensor<3x2x4xf32>
CHECK: [[W:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} -> tensor<4x4xf32>
CHECK: [[H0:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} -> tensor<2x4xf32>
CHECK: [[YOUT:%[0-9]+]] = stream.binding.subspan {{.*}}<readwrite:tensor<3x2x4xf32>>
CHECK: [[Y:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load [[YOUT]]
CHECK: [[HOUT:%[0-9]+]] = stream.binding.subspan {{.*}}<readwrite:tensor<2x2x4xf32>>
CHECK: [[H:%[0-9]+]] = iree_tensor_ext.dispatch.tensor.load [[HOUT]]

The number of steps is kept within 0..3; the state begins in row n % 2 of its ring.
CHECK: arith.maxsi [[N]], %c0_i64
CHECK: arith.minsi {{.*}}, %c3_i64
CHECK: [[STEPS:%[0-9]+]] = arith.index_cast {{.*}} : i64 to index
CHECK: [[PARITY:%[0-9]+]] = arith.remui [[STEPS]], %c2
CHECK: [[BEGUN:%.+]] = tensor.insert_slice [[H0]] into [[H]]{{\\[}}[[PARITY]], 0, 0]
CHECK: [[ZERO:%.+]] = arith.constant 0 : index
CHECK: [[ONE:%.+]] = arith.constant 1 : index
CHECK: [[RUN:%[0-9]+]]:2 = scf.for [[K:%.+]] = [[ZERO]] to [[STEPS]] step [[ONE]] iter_args(\
[[YNOW:%.+]] = [[Y]], [[HNOW:%.+]] = [[BEGUN]])

Step k reads row (n - k) % 2 of the ring and writes the other.
CHECK: [[LEFT:%[0-9]+]] = arith.subi [[STEPS]], [[K]]
CHECK: [[CURRENT:%[0-9]+]] = arith.remui [[LEFT]], %c2
CHECK: [[NEXT:%[0-9]+]] = arith.subi %c1, [[CURRENT]]
CHECK: [[TIME:%[0-9]+]] = arith.index_cast {{.*}} : i64 to index
CHECK: [[LHS:%.+]] = tensor.extract_slice [[HNOW]]{{\\[}}[[CURRENT]], 0, 0] [1, 2, 4]
CHECK: [[ZEROS:%.+]] = linalg.fill
CHECK: [[HW:%[0-9]+]] = linalg.matmul {lowering_config = {{[^}]*}}} ins([[LHS]], [[W]] : {{.*}} \
outs([[ZEROS]] :

Each of the 2 rows is a vector of 4 units.
CHECK: [[FIRST:%.+]] = arith.constant 0 : index
CHECK: [[ROWS:%.+]] = arith.constant 2 : index
CHECK: scf.for [[B:%.+]] = [[FIRST]] to [[ROWS]] step %{{.*}} iter_args(\
[[YIN:%.+]] = [[YNOW]], [[HIN:%.+]] = [[HNOW]])
CHECK: [[XT:%[0-9]+]] = vector.transfer_read [[X]]{{\\[}}{{%[0-9]+}}, [[B]], %{{.*}}, vector<4xf32>
CHECK: [[PRODUCT:%[0-9]+]] = vector.transfer_read [[HW]]{{\\[}}[[B]], {{.*}}, vector<4xf32>
CHECK: [[SUM:%[0-9]+]] = arith.addf [[XT]], [[PRODUCT]] : vector<4xf32>
CHECK: [[TANH:%[0-9]+]] = math.tanh [[SUM]] : vector<4xf32>
CHECK: vector.transfer_write [[TANH]], [[YIN]]{{\\[}}[[TIME]], [[B]],
CHECK: vector.transfer_write [[TANH]], [[HIN]]{{\\[}}[[NEXT]], [[B]],
CHECK: scf.yield

Rows n..2 of the output are 0.
CHECK: [[REST:%[0-9]+]] = arith.addi [[STEPS]], %workgroup_id_0
CHECK: [[ALL:%.+]] = arith.constant 3 : index
CHECK: [[DONE:%[0-9]+]] = scf.for [[T:%.+]] = [[REST]] to [[ALL]] {{.*}} iter_args(\
[[YREST:%.+]] = [[RUN]]#0)
CHECK: linalg.yield %cst : f32
CHECK: tensor.insert_slice {{.*}} into [[YREST]]{{\\[}}[[T]], 0, 0] [1, 2, 4]
CHECK: iree_tensor_ext.dispatch.tensor.store [[DONE]], [[YOUT]]
CHECK: iree_tensor_ext.dispatch.tensor.store [[RUN]]#1, [[HOUT]]
"""


def fused(text: str, vectors: VectorUnit = AVX512) -> tuple[str, dict[str, str]]:
    return rewritten(text, fuse_time_loops, processor=vectors)


def test_the_decomposition_is_one_dispatch() -> None:
    """The function that the composite was in calls it; the step is a part of it."""
    after, left = fused(LOOP)
    assert left == {}
    check(after, FUNCTION)
    assert "stablehlo.while" not in after


def test_the_dispatch_is_the_whole_loop() -> None:
    check(fused(LOOP)[0], DISPATCH)


def test_a_number_of_steps_that_is_known_is_written_in() -> None:
    """So is it where the composite's first operand is a constant: nothing is read at run time."""
    known = (
        "%0:2 = stablehlo",
        "%two = stablehlo.constant dense<2> : tensor<i64>\n%0:2 = stablehlo",
    )
    after, _ = fused(edited(LOOP, known, ('time_loop" %n,', 'time_loop" %two,')))
    check(
        after,
        """
        CHECK: flow.dispatch @rnn_loop_loop::@rnn_loop_loop(%0, %2, %3)
        CHECK: [[N:%.+]] = arith.constant 2 : i64
        CHECK: arith.maxsi [[N]],
        """,
    )


def test_tiles_are_as_wide_as_the_vector_unit_allows() -> None:
    """Of 64 units: AVX-512 has room for 32 float32 sums side by side, AVX2 for 16."""
    wide = edited(LOOP, ("4x4xf32", "64x64xf32"), ("2x4xf32", "2x64xf32"), ("2, 4]", "2, 64]"))
    for vectors, panel in ((AVX512, 32), (AVX2, 16)):
        check(
            fused(wide, vectors)[0],
            f"""
            CHECK: linalg.pack {{{{.*}}}} inner_tiles = [{panel}]
            CHECK-SAME: tensor<64x64xf32> -> tensor<{64 // panel}x64x{panel}xf32>
            CHECK: linalg.matmul {{{{.*}}}} tensor<64x{panel}xf32>)
            CHECK: vector.transfer_read {{{{.*}}}} vector<{panel}xf32>
            """,
        )


CALLED_TWICE = (
    "return %0#0, %0#1",
    """%1:2 = stablehlo.composite "rnn_compiler.time_loop" %n, %0#0, %w, %0#1 {
        composite_attributes = {
          operands = "count read read state", reverse = false, step = @rnn.loop.step
        }, decomposition = @rnn.loop, version = 1 : i32
      } : (tensor<i64>, tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>)
        -> (tensor<3x2x4xf32>, tensor<2x4xf32>)
      return %1#0, %1#1""",
)


def test_the_decomposition_of_several_composites_is_left(caplog: pytest.LogCaptureFixture) -> None:
    """The reason is noted, and logged; nothing of the module changes."""
    caplog.set_level("INFO", "rnn_compiler")
    twice = edited(LOOP, CALLED_TWICE)
    after, left = fused(twice)
    assert left == {"rnn.loop": "the decomposition of several composites"}
    assert after == rewritten(twice)[0]
    (record,) = caplog.records
    assert record.getMessage() == ("rnn.loop stays plain: the decomposition of several composites")


def test_loops_that_are_alike_are_dispatched_from_one_executable() -> None:
    after, left = fused(LOOP + edited(LOOP, ("@rnn", "@again")))
    assert left == {}
    assert after.count("flow.dispatch @rnn_loop_loop::") == 2
    assert after.count("stream.executable private") == 1


def test_a_composite_of_another_kind_and_what_is_none_stay() -> None:
    other = edited(LOOP, ("rnn_compiler.time_loop", "rnn_compiler.another"))
    assert fused(other) == (rewritten(other)[0], {})
