"""Types of numbers, and operators that fold; `numeric/test_codegen.py` tests results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ir.codegen.emitting import emitted
from ir.filecheck import check

from rnn_compiler.lowering.codegen.body import Body, Number, element_type, vector_type


@pytest.mark.parametrize("body", [lambda a: a + 0, lambda a: 0 + a])
@pytest.mark.parametrize("element", ["index", "f32"])
def test_adding_0_emits_nothing(body: Callable[[Number], Number], element: str) -> None:
    check(
        emitted(lambda _, a: body(a), element),
        """
        CHECK: func.func private @f([[A:%arg0]]:
        CHECK-NEXT: return [[A]]
        """,
    )


def test_a_truth_value_of_a_comparison_is_i1() -> None:
    made: list[Number] = []

    def body(_: Body, a: Number, b: Number) -> Number:
        made.append(a < b)
        return made[0]

    emitted(body, "vector<4xi32>", "vector<4xi32>")
    assert (made[0].element, made[0].lanes) == ("i1", 4)


def test_a_vector_without_lanes_is_a_scalar() -> None:
    assert vector_type("f32", 0) == element_type("f32")
    assert str(vector_type("f32", 8)) == "vector<8xf32>"
