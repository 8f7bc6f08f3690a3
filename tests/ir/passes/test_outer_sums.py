"""Sums of outer products of open rows before and after `outer_sums`."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.outer_sums import outer_sums

SUM = """
func.func @f(%x: tensor<?x40xf32>, %d: tensor<?x96xf32>) -> tensor<40x96xf32> {
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0]
    : (tensor<?x40xf32>, tensor<?x96xf32>) -> tensor<40x96xf32>
  return %0 : tensor<40x96xf32>
}
"""
"""``x^T @ d``."""


def summed(text: str) -> str:
    after, left = rewritten(text, outer_sums)
    assert left == {}
    return after


def test_a_sum_is_a_gathering_and_a_dispatch() -> None:
    """Panels of 8 and 32 columns, 16 registers of sums, four rows a turn and then one."""
    check(
        summed(SUM),
        """
        CHECK: func.func private @[[SUM:outer_sum_1]](
        CHECK: flow.dispatch @[[SUM]]_sum::{{.*}} -> tensor<3840xf32>
        CHECK: stream.executable private @[[SUM]]_sum
        CHECK: scf.for {{.*}} -> ({{(vector<16xf32>(, )?)+}}) {
        CHECK: vector.fma
        CHECK: func.func private @[[GATHERED:gathered_0]](
        CHECK: flow.dispatch @[[GATHERED]]_gather::{{.*}} -> (tensor<5x?x8xf32>{{.*}}, \
tensor<3x?x32xf32>
        CHECK: func.func @f([[X:%arg0]]: {{.*}}, [[D:%arg1]]:
        CHECK: [[PANELS:%[0-9]+]]:2 = call @[[GATHERED]]([[X]], [[D]])
        CHECK: call @[[SUM]]([[D]], [[PANELS]]#0, [[PANELS]]#1)
        """,
    )


def test_bfloat16_is_gathered_in_pairs() -> None:
    """Rows that are not multiplied as pairs are widened as they are gathered."""
    text = edited(
        SUM,
        ("x40xf32>, %d", "x40xbf16>, %d"),
        ("%d: tensor<?x96xf32>", "%d: tensor<?x96xbf16>"),
        ("(tensor<?x40xf32>, tensor<?x96xf32>)", "(tensor<?x40xbf16>, tensor<?x96xbf16>)"),
    )
    assert "tensor<5x?x8x" in summed(text)
    assert "tensor<3x?x32xbf16>" not in summed(text)


def test_a_single_column_is_left() -> None:
    text = summed(edited(SUM, ("x96x", "x1x")))
    assert "stablehlo.dot_general" in text
    assert "call @" not in text


def test_known_sizes_are_left() -> None:
    text = summed(edited(SUM, ("tensor<?x", "tensor<64x")))
    assert "stablehlo.dot_general" in text
