"""Sums that are read along one or several axes, before and after `part_from_reductions`."""

from __future__ import annotations

import pytest
from ir.rewriting import rewritten
from traps.test_pairs_of_sums import TEXT

from rnn_compiler.lowering.passes.iree_faults.part_from_reductions import part_from_reductions

_TANH = "%t = stablehlo.tanh %s : tensor<2x5xf32>\n  %a ="


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.replace("%a =", _TANH).replace("_dim %s, dims = [0, 1]", "_dim %t, dims = [0, 1]")],
)
def test_a_barrier_where_axes_differ(text: str) -> None:
    after, _ = rewritten(text, part_from_reductions)
    assert after.count("util.optimization_barrier") == 1


def test_none_where_they_are_the_same() -> None:
    after, _ = rewritten(TEXT.replace("[0, 2]", "[0, 1]"), part_from_reductions)
    assert "barrier" not in after
