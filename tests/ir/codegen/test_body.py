"""What each method of a body emits, on arrays of known and of computed sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ir.codegen.emitting import emitted
from ir.filecheck import check

from rnn_compiler.lowering.analysis.size_sources import array_of
from rnn_compiler.lowering.codegen.arrays import collapse, expand
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, spare_block
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.mlir import ir, new_context
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS

ARRAY = "tensor<3x4xf32>"


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        yield


def part(body: Body, array: Array, index: Number) -> Array:
    return body.extract(array, [index, 1], (1, 2))


def row(body: Body, array: Array, index: Number) -> Array:
    return body.extract(array, [index, 0], (4,))


def replaced(body: Body, array: Array, index: Number) -> Array:
    body.insert(body.extract(array, [0, 0], (4,)), array, [index, 0])
    return array


def vectors(body: Body, array: Array, index: Number) -> Array:
    body.write(body.read(array, [0, index], 2), array, [index, 1])
    return array


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (
            part,
            "CHECK: tensor.extract_slice %arg0[%arg1, 1] [1, 2] [1, 1] "
            ": tensor<3x4xf32> to tensor<1x2xf32>",
        ),
        (
            row,
            "CHECK: tensor.extract_slice %arg0[%arg1, 0] [1, 4] [1, 1] "
            ": tensor<3x4xf32> to tensor<4xf32>",
        ),
        (
            replaced,
            """
            CHECK: [[ROW:%.+]] = tensor.extract_slice %arg0[0, 0] [1, 4] [1, 1]
            CHECK-NEXT: [[NEW:%.+]] = tensor.insert_slice [[ROW]] into %arg0[%arg1, 0] [1, 4] [1, 1]
            CHECK-NEXT: return [[NEW]]
            """,
        ),
        (
            vectors,
            """
            CHECK: [[OLD:%.+]] = vector.transfer_read %arg0[%c0, %arg1], %cst {in_bounds = [true]} \
: tensor<3x4xf32>, vector<2xf32>
            CHECK: [[NEW:%.+]] = vector.transfer_write [[OLD]], %arg0[%arg1, %c1] \
{in_bounds = [true]} : vector<2xf32>, tensor<3x4xf32>
            CHECK-NEXT: return [[NEW]]
            """,
        ),
        (
            lambda body, array, index: body.read_slice(array, [index, 2], 2),
            """
            CHECK: [[PAIR:%.+]] = tensor.extract_slice %arg0[%arg1, 2] [1, 2] [1, 1]
            CHECK: vector.transfer_read [[PAIR]][%c0, %c0_0], %cst {in_bounds = [true]} \
: tensor<1x2xf32>, vector<2xf32>
            """,
        ),
        (
            lambda body, array, index: body.element(array, [index, 2]),
            """
            CHECK: %c2 = arith.constant 2 : index
            CHECK: tensor.extract %arg0[%arg1, %c2] : tensor<3x4xf32>
            """,
        ),
        (
            lambda body, array, _: body.materialized(array),
            "CHECK: flow.tensor.clone %arg0 : tensor<3x4xf32>",
        ),
        (
            lambda body, array, _: body.opaque(array),
            "CHECK: util.optimization_barrier %arg0 : tensor<3x4xf32>",
        ),
        (
            lambda body, array, _: collapse(body, array, [[0, 1]]),
            "CHECK: tensor.collapse_shape %arg0 {{\\[\\[}}0, 1]] : {{.*}} into tensor<12xf32>",
        ),
        (
            lambda body, array, _: expand(body, array, [[0], [1, 2]], (3, 2, 2)),
            "CHECK: tensor.expand_shape %arg0 {{\\[\\[}}0], [1, 2]] output_shape [3, 2, 2]",
        ),
        (
            lambda _, __, index: index.at_most(5),
            "CHECK: arith.minsi %arg1, %c5 : index",
        ),
        (
            lambda _, __, index: index.at_least(5),
            "CHECK: arith.maxsi %arg1, %c5 : index",
        ),
        (
            lambda body, _, index: body.broadcast(index, 4),
            "CHECK: vector.broadcast %arg1 : index to vector<4xindex>",
        ),
    ],
)
def test_ops_on_arrays_and_numbers(
    body: Callable[[Body, Array, Number], Array | Number], checks: str
) -> None:
    check(emitted(body, ARRAY, "index"), checks)


@pytest.mark.parametrize(
    ("predicate", "element", "op"),
    [
        (predicate, element, f"arith.{op} {predicate},")
        for element, op, predicates in (
            ("i32", "cmpi", ("eq", "ne", "slt", "sle", "sgt", "sge")),
            ("f32", "cmpf", ("oeq", "une", "olt", "ole", "ogt", "oge")),
        )
        for predicate in predicates
    ],
)
def test_comparisons(predicate: str, element: str, op: str) -> None:
    check(
        emitted(lambda body, a, b: body.compare(predicate, a, b), element, element),
        f"CHECK: {op} %arg0, %arg1 : {element}",
    )


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
    """What is emitted with it verifies: an array of anything, parts of it, and their writing."""

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

    after = emitted(body, "index", ARRAY)
    check(
        after,
        """
        CHECK: func.func private @f([[ROWS:%arg0]]: index, [[ARRAY:%arg1]]: tensor<3x4xf32>) \
-> tensor<2x?x4xf32>
        CHECK: [[EMPTY:%[0-9]+]] = tensor.empty([[ROWS]]) : tensor<2x?x4xf32>
        CHECK: [[LAST:%[0-9]+]] = arith.subi [[ROWS]], %c1
        CHECK: [[PART:%.+]] = tensor.extract_slice [[EMPTY]][1, [[LAST]], 0] [1, [[ROWS]], 2] \
[1, 1, 1] : tensor<2x?x4xf32> to tensor<?x2xf32>
        CHECK: [[ONCE:%.+]] = tensor.insert_slice [[PART]] into [[EMPTY]][0, 0, 2] \
[1, [[ROWS]], 2] [1, 1, 1] : tensor<?x2xf32> into tensor<2x?x4xf32>
        CHECK: [[WHOLE:%.+]] = tensor.extract_slice [[ARRAY]][0, 0] {{\\[}}[[ROWS]], 4] [1, 1] \
: tensor<3x4xf32> to tensor<?x4xf32>
        CHECK: [[TWICE:%.+]] = tensor.insert_slice [[WHOLE]] into [[ONCE]][1, 0, 0] \
[1, [[ROWS]], 4]
        CHECK: return [[TWICE]]
        """,
    )


# Control flow.


def test_a_loop_carries_the_arrays_that_its_body_writes_to() -> None:
    """They have one value in it and another after it."""

    def body(body: Body, array: Array, high: Number) -> Array:
        before = array.value

        def each(number: Number) -> None:
            assert array.value != before
            body.insert(body.extract(array, [0, 0], (4,)), array, [number, 0])

        body.loop(1, high, 2, [array], each)
        return array

    check(
        emitted(body, ARRAY, "index"),
        """
        CHECK: [[LOW:%.+]] = arith.constant 1 : index
        CHECK: [[STEP:%.+]] = arith.constant 2 : index
        CHECK: [[DONE:%[0-9]+]] = scf.for [[K:%.+]] = [[LOW]] to %arg1 step [[STEP]] \
iter_args([[INSIDE:%.+]] = %arg0)
        CHECK: [[ROW:%.+]] = tensor.extract_slice [[INSIDE]][0, 0]
        CHECK: [[NEW:%.+]] = tensor.insert_slice [[ROW]] into [[INSIDE]]{{\\[}}[[K]], 0]
        CHECK: scf.yield [[NEW]]
        CHECK: return [[DONE]]
        """,
    )


def test_a_condition_leaves_arrays_as_they_were_or_gives_the_new_ones() -> None:
    def body(body: Body, array: Array, index: Number) -> Array:
        def do() -> None:
            body.insert(body.extract(array, [0, 0], (4,)), array, [index, 0])

        body.when(index < body.index(2), [array], do)
        return array

    check(
        emitted(body, ARRAY, "index"),
        """
        CHECK: [[CONDITION:%[0-9]+]] = arith.cmpi slt, %arg1, %c2
        CHECK: [[DONE:%[0-9]+]] = scf.if [[CONDITION]] -> (tensor<3x4xf32>) {
        CHECK: [[NEW:%.+]] = tensor.insert_slice {{.*}} into %arg0[%arg1, 0]
        CHECK-NEXT: scf.yield [[NEW]]
        CHECK-NEXT: } else {
        CHECK-NEXT: scf.yield %arg0
        CHECK: return [[DONE]]
        """,
    )


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
