"""A time loop before and after `fuse_time_loops`: 3 steps of 2 rows of 4 units."""

from __future__ import annotations

import pytest
from ir.filecheck import check
from ir.rewriting import AVX2, AVX512, edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.targets.vector_unit import VectorUnit


def fused(text: str, vectors: VectorUnit = AVX512) -> tuple[str, dict[str, str]]:
    return rewritten(text, fuse_time_loops, processor=vectors)


def test_the_decomposition_is_one_dispatch() -> None:
    """It writes the output, and a ring of two rows of the state."""
    after, left = fused(LOOP)
    assert left == {}
    assert after.count("flow.dispatch @rnn_loop_loop::") == 1
    assert "-> (tensor<3x2x4xf32>, tensor<2x2x4xf32>)" in after
    assert "stablehlo.while" not in after
    assert "@rnn.loop.step" not in after


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
            CHECK: vector.transfer_read {{{{.*}}}} tensor<64x{panel}xf32>, vector<{panel}xf32>
            CHECK: vector.fma {{{{.*}}}} : vector<{panel}xf32>
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


def test_gates_of_two_matrices_are_packed_together() -> None:
    """Each is sliced, although the first columns of both would make up one of them."""
    two = edited(
        LOOP,
        ("%w: tensor<4x4xf32>", "%w: tensor<4x8xf32>, %v: tensor<4x8xf32>"),
        (", %w, ", ", %w, %v, "),
        ("tensor<4x4xf32>,", "tensor<4x8xf32>, tensor<4x8xf32>,"),
        ("count read read", "count read read read"),
        ("%h, %w, %v, contracting", "%h, %w, contracting"),
        (
            "(tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>",
            """(tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %hv = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %first = stablehlo.slice %hw [0:2, 0:4] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %second = stablehlo.slice %hv [0:2, 4:8] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %both = stablehlo.multiply %first, %second : tensor<2x4xf32>""",
        ),
        ("%x_t, %hw", "%x_t, %both"),
    )
    check(
        fused(two)[0],
        """
        CHECK: [[W:%.+]] = stablehlo.slice %{{.+}} [0:4, 0:4]
        CHECK: [[V:%.+]] = stablehlo.slice %{{.+}} [0:4, 4:8]
        CHECK: stablehlo.concatenate [[W]], [[V]], dim = 1
        """,
    )


def test_gates_of_a_part_of_a_matrix_are_sliced() -> None:
    """The columns that no step needs are not packed."""
    half = edited(
        LOOP,
        ("4x4xf32", "4x8xf32"),
        (
            "-> tensor<2x4xf32>\n  %sum",
            """-> tensor<2x8xf32>
  %half = stablehlo.slice %hw [0:2, 4:8] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %sum""",
        ),
        ("%x_t, %hw", "%x_t, %half"),
    )
    after, left = fused(half)
    assert left == {}
    check(after, "CHECK: stablehlo.slice %{{.+}} [0:4, 4:8]")


OFTEN = """
func.func @often(%n: tensor<i64>, %x: tensor<3x2x4xf32>, %w: tensor<4x4xf32>, %h: tensor<2x4xf32>)
    -> tensor<2x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end:2 = stablehlo.while(%k = %zero, %last = %h) : tensor<i64>, tensor<2x4xf32>
  cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %made:2 = func.call @rnn(%n, %x, %w, %last)
      : (tensor<i64>, tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>)
      -> (tensor<3x2x4xf32>, tensor<2x4xf32>)
    %k1 = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %k1, %made#1 : tensor<i64>, tensor<2x4xf32>
  }
  return %end#1 : tensor<2x4xf32>
}"""
"""A user's loop over the time loop."""


@pytest.mark.parametrize("is_repeated", [False, True])
def test_what_a_users_loop_repeats_hides_and_counts_nothing(is_repeated: bool) -> None:
    """IREE does not wait for a hidden array in a loop, and counters would not begin at zero."""
    text = LOOP
    if is_repeated:
        text = edited(LOOP, ("func.func @rnn(", "func.func private @rnn(")) + OFTEN
    narrow = edited(text, ("4x4xf32", "4x4xbf16"))
    wide = edited(text, ("4x4x", "256x256x"), ("2x4x", "2x256x"), ("[1, 2, 4]", "[1, 2, 256]"))
    for changed, op in ((narrow, "util.optimization_barrier"), (wide, "memref.atomic_rmw")):
        after, left = rewritten(changed, fuse_time_loops, is_users=True)
        assert left == {}
        assert (op in after) != is_repeated, op
