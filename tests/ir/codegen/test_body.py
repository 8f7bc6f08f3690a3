"""Ops emitted by bodies that do not affect results; `numeric/test_codegen.py` tests results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ir.codegen.emitting import emitted
from ir.filecheck import check

from rnn_compiler.lowering.analysis.values import array_of
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Number, spare_block
from rnn_compiler.lowering.mlir.bindings import ir

ARRAY = "tensor<3x4xf32>"


@pytest.mark.parametrize(
    ("body", "op"),
    [
        (lambda body, array: body.materialized(array), "flow.tensor.clone"),
        (lambda body, array: body.opaque(array), "util.optimization_barrier"),
    ],
)
def test_what_is_hidden_from_the_compiler(body: Callable[[Body, Array], Array], op: str) -> None:
    check(emitted(body, ARRAY), f"CHECK: {op} %arg0 : {ARRAY}")


@pytest.mark.parametrize(
    ("value", "element", "lanes", "printed"),
    [
        (3, "index", 0, "3 : index"),
        (True, "i1", 0, "true"),
        (0.5, "bf16", 0, "5.0{{.*}} : bf16"),
        (2, "f32", 0, "2.0{{.*}} : f32"),
        (2, "f32", 4, "dense<2.0{{.*}}> : vector<4xf32>"),
        (False, "i1", 4, "dense<false> : vector<4xi1>"),
    ],
)
def test_constants(value: float, element: str, lanes: int, printed: str) -> None:
    check(
        emitted(lambda body: body.constant(value, element, lanes)),
        f"CHECK: arith.constant {printed}",
    )


# Sizes that are computed.


def test_a_computed_size_is_an_axis_of_any_size() -> None:
    """Arrays of such sizes, their parts, and writes to them are valid."""

    def body(body: Body, rows: Number, array: Array) -> Array:
        type = ArrayType((2, rows, 4), "f32")
        assert str(type.mlir) == "tensor<2x?x4xf32>"
        empty = body.empty(type)
        assert empty.shape == (2, rows, 4)
        part = body.extract(empty, [1, rows - 1, 0], (rows, 2))
        body.insert(part, empty, [0, 0, 2])
        whole = body.extract(array, [0, 0], (rows, 4))
        body.insert(whole, empty, [1, 0, 0])
        return empty

    emitted(body, "index", ARRAY)


# Control flow.


def test_waiting_is_a_loop_that_asks() -> None:
    def body(body: Body, array: Array, index: Number) -> Number:
        body.wait_while(lambda: body.element(array, [index, 0]) < body.element(array, [index, 1]))
        return index

    check(
        emitted(body, "tensor<3x4xi32>", "index"),
        """
        CHECK: scf.while : () -> () {
        CHECK: tensor.extract
        CHECK: [[GOES:%[0-9]+]] = arith.cmpi slt
        CHECK-NEXT: scf.condition([[GOES]])
        CHECK-NEXT: } do {
        CHECK-NEXT: scf.yield
        CHECK: return %arg1
        """,
    )


def test_ops_carry_the_location_that_the_body_has() -> None:
    """Also those of bodies inside it; afterwards the one from before."""
    block = spare_block()
    body = Body(block, ir.Location.name("outer"))
    with body.located(ir.Location.name("inner")):
        body.loop(0, 2, 1, [], lambda _: None)
    body.index(3)
    names = [str(op.location) for op in block.operations]
    assert names == ['loc("inner")'] * 4 + ['loc("outer")']


def test_types_of_arrays_are_those_of_their_values() -> None:
    block = spare_block([ir.Type.parse(ARRAY)])
    array = array_of(Body(block), block.arguments[0])
    assert (array.shape, array.element, array.type.mlir) == ((3, 4), "f32", ir.Type.parse(ARRAY))
