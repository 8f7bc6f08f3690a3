"""What each operator on numbers emits, and which fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ir.codegen.emitting import emitted
from ir.filecheck import check

from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.number import Number, element_type, vector_type
from rnn_compiler.lowering.mlir import ir, new_context
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        yield


@pytest.mark.parametrize(
    ("body", "element", "op"),
    [
        (lambda a, b: a + b, "index", "arith.addi"),
        (lambda a, b: a + b, "f16", "arith.addf"),
        (lambda a, b: a - b, "i64", "arith.subi"),
        (lambda a, b: a - b, "bf16", "arith.subf"),
        (lambda a, b: a * b, "i32", "arith.muli"),
        (lambda a, b: a * b, "f64", "arith.mulf"),
        (lambda a, b: a // b, "index", "arith.divui"),
        (lambda a, b: a % b, "index", "arith.remui"),
        (lambda a, b: a < b, "i64", "arith.cmpi slt,"),
    ],
)
@pytest.mark.parametrize("lanes", [0, 4])
def test_an_operator_is_an_op(
    body: Callable[[Number, Number], Number], element: str, op: str, lanes: int
) -> None:
    """Of the element type, on the left what is on the left; of vectors as of scalars."""
    kind = f"vector<{lanes}x{element}>" if lanes else element
    check(
        emitted(lambda _, a, b: body(a, b), kind, kind),
        f"""
        CHECK: func.func private @f([[A:%arg0]]: {kind}, [[B:%arg1]]: {kind})
        CHECK-NEXT: [[C:%[0-9]+]] = {op} [[A]], [[B]] : {kind}
        CHECK-NEXT: return [[C]]
        """,
    )


@pytest.mark.parametrize(
    ("body", "op"),
    [
        (lambda a: a + 3, "arith.addi [[A]], %c3"),
        (lambda a: 3 + a, "arith.addi [[A]], %c3"),
        (lambda a: a - 3, "arith.subi [[A]], %c3"),
        (lambda a: 3 - a, "arith.subi %c3, [[A]]"),
        (lambda a: a * 3, "arith.muli [[A]], %c3"),
        (lambda a: 3 * a, "arith.muli [[A]], %c3"),
        (lambda a: a // 3, "arith.divui [[A]], %c3"),
        (lambda a: a % 3, "arith.remui [[A]], %c3"),
    ],
)
def test_an_int_beside_a_number_is_a_constant(body: Callable[[Number], Number], op: str) -> None:
    check(
        emitted(lambda _, a: body(a), "index"),
        f"""
        CHECK: func.func private @f([[A:%arg0]]: index)
        CHECK-NEXT: %c3 = arith.constant 3 : index
        CHECK-NEXT: [[C:%[0-9]+]] = {op} : index
        CHECK-NEXT: return [[C]]
        """,
    )


def test_an_int_beside_a_vector_is_a_vector_of_it() -> None:
    after = emitted(lambda _, a: a * 2, "vector<4xf32>")
    check(
        after,
        """
        CHECK: [[TWO:%.+]] = arith.constant dense<2.0{{.*}}> : vector<4xf32>
        CHECK: arith.mulf %arg0, [[TWO]] : vector<4xf32>
        """,
    )


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


@pytest.mark.parametrize(
    ("body", "element", "op"),
    [
        (lambda a: a.to_index(), "i64", "arith.index_cast %arg0 : i64 to index"),
        (lambda a: a.to_index(), "i1", "arith.index_castui %arg0 : i1 to index"),
        (lambda a: a.to_integer("i32"), "index", "arith.index_cast %arg0 : index to i32"),
    ],
)
def test_indices_and_integers_become_each_other(
    body: Callable[[Number], Number], element: str, op: str
) -> None:
    """A truth value becomes 0 or 1, not -1."""
    check(emitted(lambda _, a: body(a), element), f"CHECK: {op}")


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
