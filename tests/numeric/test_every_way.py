"""An op gives its golden results in every way that modules run."""

from __future__ import annotations

from execution import Execute, each_way
from goldens.golden import read_goldens
from numeric.harness import module

GOLDEN = next(each for each in read_goldens() if each.op == "GRUBlockCell")


@each_way
def test_an_op(execute: Execute) -> None:
    results = execute(module(GOLDEN.op, GOLDEN.dtype, GOLDEN.variant), GOLDEN.inputs)
    assert {array.dtype.name for array in results.values()} == {GOLDEN.dtype}
    GOLDEN.assert_matches(results)
