"""Results of the methods of bodies and the operators of numbers, in one compiled module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numeric.emitted import compiled

from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Number,
    larger,
    product,
    smaller,
)
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand

GIVEN = np.arange(12, dtype=np.float32).reshape(3, 4)
WIDTH, SECOND = 7, 2
"""Two integers that are only known when the module runs."""

INTEGERS: dict[str, tuple[Callable[[Number, Number], Number], int]] = {
    "a + b": (lambda a, b: a + b, 9),
    "a - b": (lambda a, b: a - b, 5),
    "a * b": (lambda a, b: a * b, 14),
    "a // b": (lambda a, b: a // b, 3),
    "a % b": (lambda a, b: a % b, 1),
    "a & b": (lambda a, b: a & b, 2),
    "a | 8": (lambda a, b: a | 8, 15),
    "a << b": (lambda a, b: a << b, 28),
    "a >> 1": (lambda a, b: a >> 1, 3),
    "a < b": (lambda a, b: a < b, 0),
    "b < a": (lambda a, b: b < a, 1),
    "a + 0": (lambda a, b: a + 0, 7),
    "3 + a": (lambda a, b: 3 + a, 10),
    "3 - b": (lambda a, b: 3 - b, 1),
    "3 * a": (lambda a, b: 3 * a, 21),
    "a // 3": (lambda a, b: a // 3, 2),
    "a % 4": (lambda a, b: a % 4, 3),
    "at_most": (lambda a, b: a.at_most(5) + b.at_most(a), 7),
    "at_least": (lambda a, b: b.at_least(5) + a.at_least(b), 12),
    "product": (lambda a, b: a.body.index(product([1, a, 2, b])), 28),
    "smaller": (lambda a, b: a.body.index(smaller(3, a)) + smaller(b, a), 5),
    "larger": (lambda a, b: a.body.index(larger(3, a)) + larger(b, 4), 11),
    "select": (lambda a, b: a.body.select(a < b, a, b), 2),
    "as i32": (lambda a, b: (a.to_integer("i32") - b.to_integer("i32")).to_index(), 5),
    "eq": (lambda a, b: a.body.compare("eq", a, 7), 1),
    "ne": (lambda a, b: a.body.compare("ne", a, 7), 0),
    "slt": (lambda a, b: a.body.compare("slt", a, 7), 0),
    "sle": (lambda a, b: a.body.compare("sle", a, 7), 1),
    "sgt": (lambda a, b: a.body.compare("sgt", a, b), 1),
    "sge": (lambda a, b: a.body.compare("sge", b, a), 0),
}

Values = Callable[[Body, Number, Number], Number]
VECTORS: dict[str, tuple[Values, Any]] = {
    "x + y": (lambda body, x, y: x + y, GIVEN[0] + GIVEN[1]),
    "x - y": (lambda body, x, y: x - y, GIVEN[0] - GIVEN[1]),
    "x * y": (lambda body, x, y: x * y, GIVEN[0] * GIVEN[1]),
    "x * 2": (lambda body, x, y: x * 2, GIVEN[0] * 2),
    "1 - x": (lambda body, x, y: 1 - x, 1 - GIVEN[0]),
    "a constant": (lambda body, x, y: body.constant(0.5, "f32", 4), np.full(4, 0.5)),
    "a number": (lambda body, x, y: body.broadcast(body.constant(3, "f32"), 4), np.full(4, 3)),
    **{
        name: (
            lambda body, x, y, name=name: body.select(body.compare(name, x, y * 0 + x), x, y),
            GIVEN[0] if has_equal else GIVEN[1],
        )
        for name, has_equal in (("oeq", 1), ("une", 0), ("olt", 0), ("ole", 1), ("oge", 1))
    },
}


def _rows(body: Body, array: Array, at: Number) -> None:
    """A loop with a step other than 1, whose body runs under a condition."""

    def each(row: Number) -> None:
        def copy() -> None:
            body.insert(body.extract(array, [1, 0], (4,)), array, [row, 0])

        body.when(row < at, [array], copy)

    body.loop(0, 3, 2, [array], each)


def _reshaped(body: Body, array: Array, at: Number) -> None:
    halves = expand(body, collapse(body, array, [[0, 1]]), [[0, 1]], (2, 6))
    body.insert(body.extract(halves, [1, 0], (4,)), array, [at, 0])


def _replaced(row: int, to: Any, start: int = 0) -> Any:
    expected = GIVEN.copy()
    expected[row, start : start + len(to)] = to
    return expected


ARRAYS: dict[str, tuple[Callable[[Body, Array, Number], None], Any]] = {
    "a row": (
        lambda body, array, at: body.insert(body.extract(array, [0, 0], (4,)), array, [at, 0]),
        _replaced(2, GIVEN[0]),
    ),
    "a part of a row": (
        lambda body, array, at: body.insert(body.extract(array, [at, 1], (1, 2)), array, [0, 2]),
        _replaced(0, GIVEN[2, 1:3], 2),
    ),
    "a vector": (
        lambda body, array, at: body.write(body.read(array, [0, 1], 2), array, [at, 2]),
        _replaced(2, GIVEN[0, 1:3], 2),
    ),
    "a vector of a slice": (
        lambda body, array, at: body.write(body.read_slice(array, [at, 2], 2), array, [1, 0]),
        _replaced(1, GIVEN[2, 2:]),
    ),
    "an element": (
        lambda body, array, at: body.put(body.element(array, [at, 3]), array, [0, at]),
        _replaced(0, GIVEN[2, 3:], 2),
    ),
    "a loop with a condition": (_rows, _replaced(0, GIVEN[1])),
    "another shape": (_reshaped, _replaced(2, GIVEN.reshape(2, 6)[1, :4])),
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Functions of an array and two integers: of each kind of result one, with a row a case."""
    array, two = ArrayType((3, 4), "f32"), ArrayType((2,), "i32")

    def dispatched(shape: tuple[int, ...], element: str, emit: Callable[..., None]) -> Any:
        def function(outside: FunctionBuilder, given: list[Array]) -> Array:
            executable = DispatchBuilder(outside, "cases", 1)
            body = executable.body
            x, numbers = (executable.read(each) for each in given)
            a, b = (body.element(numbers, [k]).to_index() for k in range(2))
            made = executable.make(ArrayType(shape, element))
            emit(body, made, x, a, b)
            executable.dispatch()
            return made

        return [array, two], function

    def integers(body: Body, made: Array, x: Array, a: Number, b: Number) -> None:
        for number, (emit, _) in enumerate(INTEGERS.values()):
            result = emit(a, b)
            result = result.to_index() if result.element == "i1" else result
            body.put(result.to_integer("i64"), made, [number])

    def vectors(body: Body, made: Array, x: Array, a: Number, b: Number) -> None:
        first, second = (body.read(x, [row, 0], 4) for row in range(2))
        for number, (emit, _) in enumerate(VECTORS.values()):
            body.write(emit(body, first, second), made, [number, 0])

    def arrays(body: Body, made: Array, x: Array, a: Number, b: Number) -> None:
        for number, (emit, _) in enumerate(ARRAYS.values()):
            body.insert(x, made, [number, 0, 0])
            copy = body.extract(made, [number, 0, 0], (3, 4))
            emit(body, copy, b)
            body.insert(copy, made, [number, 0, 0])

    functions = [
        dispatched((len(INTEGERS),), "i64", integers),
        dispatched((len(VECTORS), 4), "f32", vectors),
        dispatched((len(ARRAYS), 3, 4), "f32", arrays),
    ]
    return compiled(functions, Path(tmp_path_factory.mktemp("codegen")))


@pytest.mark.parametrize(("number", "cases"), [(0, INTEGERS), (1, VECTORS), (2, ARRAYS)])
def test_results(module: Any, number: int, cases: dict[str, tuple[Any, Any]]) -> None:
    results = np.asarray(module[f"f{number}"](GIVEN, np.array([WIDTH, SECOND], np.int32)))
    for result, (name, (_, expected)) in zip(results, cases.items(), strict=True):
        np.testing.assert_array_equal(result, expected, err_msg=name)
