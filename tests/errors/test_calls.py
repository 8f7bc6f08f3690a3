"""`raw_ops` and programs: every rank, size, dtype and value is checked before anything runs.

The sweeps take each argument of each op and perturb its rank, each of its axes and its dtype: one
test for each argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pytest
from cases import COMPUTING, assert_same_bits
from errors.expect import invalid_argument
from numeric import harness
from numeric.harness import draw, drop_in, first_variant, lengths_of
from numeric.marks import each_sequence_op, marks

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import TensorSpec
from rnn_compiler.schema.tensors import DIMENSIONS

SPECS = {op: harness.module(op, "float32", first_variant(op)).functions[0] for op in COMPUTING}
DIMS = SPECS["BlockLSTMV2"].dims
STEPS = DIMS["seq_length"]
HUGE = 10**5000  # Python refuses to print it


@pytest.fixture
def program() -> rc.Program:
    """The op that represents all others where any would do."""
    return harness.program("BlockLSTMV2", "float32", first_variant("BlockLSTMV2"))


@pytest.fixture
def _no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise AssertionError("an invalid call got as far as compiling")

    monkeypatch.setattr("rnn_compiler.op_calls.compile", fail)


def arguments(op: str, **changed: object) -> dict[str, Any]:
    return {**draw(op, "float32", first_variant(op)), **changed}


def attributes_taken(op: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Of some keywords, those that are attributes of a raw op."""
    known = [attribute.name for attribute in OPS[op].signature.call_attributes]
    return {name: value for name, value in keywords.items() if name in known}


def run_raw(op: str, **changed: object) -> Any:
    attributes = attributes_taken(op, {**SPECS[op].attributes, **changed})
    return drop_in(op)(**{**arguments(op, **changed), **attributes})


def run_program(op: str, **changed: object) -> Any:
    program = harness.program(op, "float32", first_variant(op))
    return getattr(program, SPECS[op].function)(**arguments(op, **changed))


@dataclass(frozen=True)
class Perturbation:
    """One thing that is wrong with one argument.

    Attributes:
        argument: Which one.
        what: What is wrong with it.
        value: What is passed.
        axis: The axis that has the wrong size, if that is what is wrong.
    """

    op: str
    argument: TensorSpec
    what: str
    value: npt.NDArray[Any]
    axis: int | None = None

    def __str__(self) -> str:
        return f"{self.op}-{self.argument.name}-{self.what}"

    @contextmanager
    def named(self) -> Iterator[None]:
        """Adds the perturbation to failures in the block."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            raise AssertionError(f"{self}: {error!r}") from error


def perturbations() -> Iterator[Perturbation]:
    for op, spec in SPECS.items():
        for argument in spec.arguments:
            shape, dtype = argument.shape, DTYPES[argument.dtype].numpy
            wrong = {"rank+1": (1, *shape), "rank+2": (*shape, 1, 1)}
            wrong |= {"rank-1": shape[1:]} if shape else {}
            axes = enumerate(shape)
            if argument.ignored:  # any shape will do
                wrong, axes = {}, enumerate(())
            for what, bad in wrong.items():
                yield Perturbation(op, argument, what, np.zeros(bad, dtype))
            for axis, size in axes:
                for bad_size in {abs(size - 1), size + 1, 0} - {size}:
                    bad = (*shape[:axis], bad_size, *shape[axis + 1 :])
                    what = f"axis{axis}={bad_size}"
                    yield Perturbation(op, argument, what, np.zeros(bad, dtype), axis)
            for name in ("float16", "float64", "int32", "int64", "bool", "complex64"):
                if name != argument.dtype and (dtype.kind != "i" or "int" not in name):
                    yield Perturbation(op, argument, name, np.zeros(shape, name))


PERTURBATIONS = {
    key: list(cases)
    for key, cases in groupby(perturbations(), lambda case: f"{case.op}-{case.argument.name}")
}
"""All that is wrong with an argument, by op and argument."""

QUICK = ("BlockLSTMV2", "CudnnRNNBackpropV3")
"""The ops whose programs are compiled here; golden files of each op test valid arguments too."""


def each_argument(slow: Callable[[str], Sequence[pytest.MarkDecorator]]) -> pytest.MarkDecorator:
    """Each argument of each op, with the marks of the op."""
    cases = [
        pytest.param(each, id=key, marks=slow(key.partition("-")[0]))
        for key, each in PERTURBATIONS.items()
    ]
    return pytest.mark.parametrize("cases", cases)


def marks_of_programs(op: str) -> list[pytest.MarkDecorator]:
    return [] if op in QUICK else [pytest.mark.slow]


each_program = pytest.mark.parametrize(
    "op", [pytest.param(op, marks=marks_of_programs(op)) for op in COMPUTING]
)


def describe(array: npt.NDArray[Any], argument: TensorSpec) -> tuple[str, str]:
    """The expected and actual values that a message must contain."""
    if array.shape == argument.shape:
        return f"dtype {argument.dtype}", f"dtype {array.dtype}"
    return f"shape {list(argument.shape)}", f"shape {list(array.shape)}"


@each_argument(marks_of_programs)
def test_program_checks_every_argument(cases: list[Perturbation]) -> None:
    """A program's sizes are fixed, so exactly the perturbed argument is at fault."""
    for case in cases:
        argument = case.argument
        expected, got = describe(case.value, argument)
        expected = str(list(argument.shape)) if expected.startswith("shape") else expected
        with case.named(), invalid_argument(case.op, argument.name, expected, got):
            run_program(case.op, **{argument.name: case.value})


def defined_dimension(case: Perturbation) -> str | None:
    """The dimension that a call would take from the perturbed axis."""
    if case.axis is None:
        return None
    axes = OPS[case.op].signature.defining_axes
    position = (case.argument.name, case.axis)
    return next((dim for dim, places in axes.items() if places[0] == position), None)


@pytest.mark.usefixtures("_no_compiling")
@each_argument(marks)
def test_raw_op_checks_every_argument(cases: list[Perturbation]) -> None:
    """Where the perturbed axis defines a dimension, an argument that disagrees is at fault."""
    for case in cases:
        with case.named():
            check_raw_op(case)


def check_raw_op(case: Perturbation) -> None:
    signature = OPS[case.op].signature
    dim = defined_dimension(case)
    first = next(argument.name for argument in signature.arguments if argument.dtype is None)
    lengths = lengths_of(case.op)
    users = {a.name for a in signature.arguments if dim and dim in a.formula} - {lengths}
    if dim is not None and users == {case.argument.name}:
        size = case.value.shape[case.axis or 0]
        if dim == "seq_length" and lengths and signature.positive.count(dim) <= size < STEPS:
            with invalid_argument(case.op, lengths, f"0..{size}", str(STEPS)):
                run_raw(case.op, **{case.argument.name: case.value})
        return  # a call of another size, and nothing else that disagrees
    with pytest.raises(InvalidArgumentError) as caught:
        run_raw(case.op, **{case.argument.name: case.value})
    error = caught.value
    assert error.op == case.op
    if dim in signature.positive and case.value.size == 0:
        assert error.argument == case.argument.name
        assert f"{dim} in 1.." in error.expected
        assert error.got.endswith(f", 0 on axis {case.axis}")
    elif dim is not None and is_no_multiple(case, dim):
        assert error.argument == case.argument.name
    elif dim is not None:
        assert error.argument in users - {case.argument.name} | {lengths, "params"}
        assert dim in error.expected or error.argument in (lengths, "params")
    elif case.argument.name == first and str(case.value.dtype) in signature.dtypes:
        if case.value.shape == case.argument.shape:  # then this is the dtype that all must have
            assert f"dtype {case.value.dtype}" in error.expected
            assert "dtype float32" in error.got
        else:
            assert error.argument == first
            assert f"shape {list(case.value.shape)}" in error.got
    else:
        assert error.argument == case.argument.name
        assert describe(case.value, case.argument)[1] in error.got


def is_no_multiple(case: Perturbation, dim: str) -> bool:
    """Whether no size of the dimension gives that of the perturbed axis."""
    assert case.axis is not None
    factor = case.argument.shape[case.axis] // SPECS[case.op].dims[dim]
    return case.value.shape[case.axis] % factor != 0


def test_the_sweep_is_complete() -> None:
    """Every axis of every argument is perturbed, and the unperturbed call is fine."""
    every = [case for cases in PERTURBATIONS.values() for case in cases]
    assert len(every) > 2000
    seen = {(case.op, case.argument.name, case.axis) for case in every}
    assert seen >= {
        (op, argument.name, axis)
        for op, spec in SPECS.items()
        for argument in spec.arguments
        for axis in range(len(argument.shape))
        if not argument.ignored
    }
    assert set(DIMENSIONS.values()) >= set(DIMS)


@each_program
def test_valid_arguments_are_accepted(op: str) -> None:
    expected = run_program(op)
    assert_same_bits(run_raw(op), expected)


OUT_OF_RANGE = [-1, STEPS + 1, 2**31, 2**32, 2**63 - 1, -(2**63)]


@pytest.mark.usefixtures("_no_compiling")
@each_sequence_op
@pytest.mark.parametrize("value", OUT_OF_RANGE)
@pytest.mark.parametrize(
    "kind", [int, np.int64, lambda v: np.array(v, "int64"), lambda v: np.array(v, ">i8")]
)
def test_seq_len_max_is_in_range(op: str, value: int, kind: Any) -> None:
    with invalid_argument(op, "seq_len_max", f"a value in 0..{STEPS}", str(value)):
        run_raw(op, seq_len_max=kind(value))
    with invalid_argument(op, "seq_len_max", f"a value in 0..{STEPS}", str(value)):
        run_program(op, seq_len_max=kind(value))


@pytest.mark.usefixtures("_no_compiling")
@pytest.mark.parametrize(
    ("value", "got"),
    [
        (2.0, "2.0"),
        (True, "True"),
        (float("nan"), "nan"),
        (2**63, "9223372036854775808"),
        (2**63 + 1, "9223372036854775809"),
        (2**64, "18446744073709551616"),
        (HUGE, ""),
        ("2", "dtype <U1"),
        (b"2", "dtype |S1"),
        (None, "dtype object"),
        (1j, "complex"),
        (np.uint64(2**63), "9223372036854775808"),
        (np.array(2**64 - 1, np.uint64), "18446744073709551615"),
        (np.float32(2), "dtype float32"),
        (np.float64(2), "float64"),
        (np.bool_(True), "dtype bool"),
        (np.datetime64(2, "s"), "dtype datetime64"),
        ([2], "shape [1]"),
        (np.array([2]), "shape [1]"),
        ([], "shape [0]"),
    ],
    ids=lambda value: "huge" if value is HUGE else f"{value!r}",
)
def test_seq_len_max_is_an_int64_scalar(value: object, got: str) -> None:
    for run in (run_raw, run_program):
        with pytest.raises(InvalidArgumentError) as caught:
            run("BlockLSTMV2", seq_len_max=value)
        assert (caught.value.op, caught.value.argument) == ("BlockLSTMV2", "seq_len_max")
        assert got in caught.value.got
        assert "-9223372036854775" not in caught.value.got, "the value wrapped around"


@pytest.mark.parametrize("dtype", ["int8", "uint8", ">i2", "int32", "uint32", "uint64"])
def test_seq_len_max_may_have_any_integer_dtype(program: rc.Program, dtype: str) -> None:
    expected = run_program("BlockLSTMV2", seq_len_max=2)
    for run in (run_raw, run_program):
        for value in (np.array(2, dtype), program.to_device(np.int32(2))):
            assert_same_bits(run("BlockLSTMV2", seq_len_max=value), expected)
        with invalid_argument("BlockLSTMV2", "seq_len_max", f"a value in 0..{STEPS}", "100"):
            run("BlockLSTMV2", seq_len_max=np.array(100, dtype))


class _Refuses:
    """An array-like that fails when it is asked for its elements."""

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise RuntimeError("the device is lost\nsecond line")


class _Lies:
    """An array-like that gives something else."""

    def __array__(self, dtype: object = None, copy: object = None) -> int:
        return 5


class _Unprintable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


N = 4 * DIMS["num_units"]
NOT_ARRAYS: dict[str, tuple[Any, str]] = {
    "none": (None, "dtype object"),
    "str": ("0" * N, "dtype <U"),
    "bytes": (b"0" * N, "dtype |S"),
    "complex": (1j, "complex"),
    "dict": ({}, "dtype object"),
    "set": (set(), "dtype object"),
    "generator": ((x for x in range(N)), "dtype object"),
    "object": (object(), "dtype object"),
    "type": (object, "dtype object"),
    "object-array": (np.zeros(N, object), "dtype object"),
    "string-array": (np.full(N, "a"), "dtype <U1"),
    "complex-array": (np.zeros(N, complex), "dtype complex128"),
    "bool-array": (np.zeros(N, bool), "dtype bool"),
    "structured-array": (np.zeros(N, "f4,f4"), "dtype"),
    "datetime-array": (np.zeros(N, "M8[s]"), "dtype datetime64[s]"),
    "void-array": (np.zeros(N, "V4"), "dtype |V4"),
    "bytearray": (bytearray(4 * N), "dtype uint8"),
    "longdouble": (np.zeros(N, np.longdouble), "dtype"),
    "ragged-list": ([[1.0], [1.0, 2.0]], "ragged"),
    "self-containing-list": ((cycle := [], cycle.append(cycle))[0], ""),
    "list-of-str": (["1"] * N, "['1', '1'"),
    "list-of-none": ([None] * N, "[None, "),
    "list-of-complex": ([1j] * N, "[1j, "),
    "list-of-bool": ([True] * N, "[True, "),
    "list-of-huge": ([10**400] * N, "[1000"),
    "list-of-unprintable-ints": ([HUGE] * N, ""),
    "list-of-unprintable": ([_Unprintable()] * N, ""),
    "unprintable": (_Unprintable(), "dtype object"),
    "refusing": (_Refuses(), "_Refuses (the device is lost)"),
    "lying": (_Lies(), "_Lies"),
    "rank-64": (np.zeros((1,) * 64, np.float32), "shape [1, 1, "),
    "four-pebibytes": (
        np.broadcast_to(np.float32(0), (2**20, 2**20, 2**10, 1)),
        "shape [1048576, ",
    ),
}


@pytest.mark.usefixtures("_no_compiling")
@pytest.mark.parametrize(("value", "got"), NOT_ARRAYS.values(), ids=NOT_ARRAYS)
@pytest.mark.parametrize("op", ["LSTMBlockCell", "BlockLSTMV2", "BlockLSTMGradV2"])
def test_what_is_no_array_of_floats(op: str, value: object, got: str) -> None:
    """As an argument in the middle, `b`, and as the one that decides the dtype, `x`."""
    for argument in ("b", "x"):
        for run in (run_raw, run_program):
            with pytest.raises(InvalidArgumentError) as caught:
                run(op, **{argument: value})
            error = caught.value
            assert (error.op, error.argument) == (op, argument)
            assert got in error.got
            assert error.expected in str(error)
            assert "\n" not in str(error)


@pytest.mark.parametrize("argument", ["b", "x"])
def test_python_numbers_take_the_arguments_dtype(argument: str) -> None:
    array = arguments("BlockLSTMV2")[argument]
    expected = run_program("BlockLSTMV2")
    for run in (run_raw, run_program):
        np.testing.assert_array_equal(
            run("BlockLSTMV2", **{argument: array.tolist()}).h, expected.h
        )


@pytest.mark.usefixtures("_no_compiling")
@pytest.mark.parametrize(
    ("keyword", "value", "expected", "got"),
    [
        ("cell_clip", float("nan"), "a number, not NaN", "nan"),
        ("cell_clip", np.float32("nan"), "a number, not NaN", "nan"),
        ("cell_clip", "0.3", "a number, not NaN", "'0.3' (str)"),
        ("cell_clip", True, "a number, not NaN", "True (bool)"),
        ("cell_clip", [0.3], "a number, not NaN", "[0.3] (list)"),
        ("cell_clip", np.array([0.3]), "a number, not NaN", "ndarray"),
        ("cell_clip", {}, "a number, not NaN", "{} (dict)"),
        ("cell_clip", 10**400, "a number", ""),
        ("use_peephole", 1, "a bool", "1 (int)"),
        ("use_peephole", "yes", "a bool", "'yes' (str)"),
        ("use_peephole", [True], "a bool", "[True] (list)"),
    ],
    ids=lambda value: f"{value!r:.20}",
)
def test_attributes_are_checked(keyword: str, value: object, expected: str, got: str) -> None:
    with invalid_argument("BlockLSTMV2", keyword, expected, got):
        run_raw("BlockLSTMV2", **{"use_peephole": True, keyword: value})


@pytest.mark.usefixtures("_no_compiling")
def test_a_required_attribute_may_not_be_none() -> None:
    with invalid_argument("BlockLSTMGradV2", "use_peephole", "a bool", "None (NoneType)"):
        run_raw("BlockLSTMGradV2", use_peephole=None)


@pytest.mark.usefixtures("_no_compiling")
@each_program
def test_keywords_are_checked(op: str) -> None:
    """With Python's own kind of error, naming the callee and the keyword."""
    spec = SPECS[op]
    (function,) = harness.program(op, "float32", first_variant(op)).functions.values()
    first = spec.arguments[0].name
    for callee, call in ((op, drop_in(op)), (spec.function, function)):
        known = {**spec.attributes, "use_peephole": True}
        extra = attributes_taken(op, known) if callee == op else {}
        asked = OPS[op].signature.required if callee == op else ()
        required = [a.name for a in spec.arguments if a.default is None or a.name in asked]
        for name in required:
            given = arguments(op)
            del given[name]
            with pytest.raises(TypeError, match=rf"^{callee}\(\) missing .* argument: '{name}'$"):
                call(**given, **extra)
        with pytest.raises(TypeError, match=rf"^{callee}\(\) missing .* arguments: '{first}', "):
            call()
        with pytest.raises(
            TypeError, match=rf"^{callee}\(\) got an unexpected .* 'y'; it takes {first}, "
        ):
            call(**arguments(op), **extra, y=1)
        with pytest.raises(TypeError, match=r"positional argument|missing required"):
            call(arguments(op)[first])
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'use_peephole'"):
        function(**arguments(op), use_peephole=True)


@pytest.mark.usefixtures("_no_compiling")
@pytest.mark.parametrize(
    "value",
    ["x", None, np.zeros(3, complex), np.zeros(3, "M8[s]"), [[1], [2, 3]]],
    ids=repr,
)
def test_to_device_takes_numbers(program: rc.Program, value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^to_device: 'array': expected .*, got "):
        program.to_device(value)


def test_device_arrays_are_checked_too(program: rc.Program) -> None:
    """Their shape and dtype, as those of any other argument."""
    wrong = program.to_device(np.zeros(7, np.float32))
    with invalid_argument("BlockLSTMV2", "b", f"shape [4 * num_units] = [{N}]", "shape [7]"):
        run_program("BlockLSTMV2", b=wrong)
    wrong = program.to_device(np.zeros(N, np.float64))
    with invalid_argument("BlockLSTMV2", "b", "dtype float32", "dtype float64"):
        run_raw("BlockLSTMV2", b=wrong)
    for steps in (-1, STEPS + 1):
        far = program.to_device(np.int64(steps))
        for run in (run_raw, run_program):
            with invalid_argument("BlockLSTMV2", "seq_len_max", f"0..{STEPS}", str(steps)):
                run("BlockLSTMV2", seq_len_max=far)


def test_unknown_functions_are_named() -> None:
    sizes = {**DIMS, "seq_length": 0}
    module = rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], **sizes, use_peephole=False)
    program = rc.runtime.load(rc.compile(module))
    message = "program has no function 'nope'; it has block_lstm_v2, block_lstm_grad_v2"
    with pytest.raises(AttributeError, match=message):
        _ = program.nope
    with pytest.raises(TypeError, match=r"several functions.*program\.block_lstm_v2\(\.\.\.\), "):
        program()
