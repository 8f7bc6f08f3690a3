"""CudnnRNN, V2, V3 and their gradients: arguments rejected before anything is compiled.

Each row is a condition that TensorFlow checks, or leaves to cuDNN or to the caller. The sweeps of
`test_calls` and `test_build` also perturb every argument.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pytest
from errors.expect import invalid_argument
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError

T, B, I, H, L, D, P = 4, 3, 6, 5, 2, 2, 2  # noqa: E741
STATE, CELLS = (L * D, B, H), (L * D, B, H)
VERSIONS = ["", "V2", "V3"]


@pytest.fixture(autouse=True)
def _no_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise AssertionError("an invalid call got as far as compiling")

    monkeypatch.setattr("rnn_compiler.op_calls.compile", fail)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def call(op: str, **changed: Any) -> Any:
    """A valid call of two bidirectional lstm layers, with some changes."""
    version = op.removeprefix("CudnnRNN").removeprefix("Backprop")
    projection = changed.get("num_proj")
    h = projection if projection in (P, H + 1) else H
    dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": L}
    attributes = {"direction": "bidirectional"}
    attributes |= {"num_proj": P} if projection == P else {}
    (spec,) = module(op, "float32", {**dims, **attributes}).functions
    params = next(argument.shape for argument in spec.arguments if argument.name == "params")
    given: dict[str, Any] = {
        "input": zeros(T, B, I),
        "input_h": zeros(L * D, B, h),
        "input_c": zeros(*CELLS),
        "params": zeros(*params),
        "direction": "bidirectional",
    }
    if version == "V3":
        given["sequence_lengths"] = np.full(B, T, np.int32)
    if "Backprop" in op:
        given |= {
            argument.name: np.zeros(argument.shape, argument.dtype)
            for argument in spec.arguments
            if argument.name not in given
        }
    return getattr(rc.raw_ops, op)(**{**given, **changed})


def test_the_valid_call_is_valid() -> None:
    for version in VERSIONS:
        for op in (f"CudnnRNN{version}", f"CudnnRNNBackprop{version}"):
            with pytest.raises(AssertionError, match="as far as compiling"):
                call(op)
    with pytest.raises(AssertionError, match="as far as compiling"):
        call("CudnnRNNV3", num_proj=P)


SHAPES = {
    "input rank 2": ("input", zeros(T, B), "rank 3", "rank 2"),
    "input rank 4": ("input", zeros(T, B, I, 1), "rank 3", "rank 4"),
    "input_h rank 2": ("input_h", zeros(B, H), "rank 3", "rank 2"),
    "input_h of another batch": ("input_h", zeros(L * D, B + 1, H), "[4, 3, 5]", "[4, 4, 5]"),
    "input_h of an odd layer axis": ("input_h", zeros(5, B, H), "[4, 3, 5]", "[5, 3, 5]"),
    "input_c of other units": ("input_c", zeros(L * D, B, H + 1), "[4, 3, 5]", "[4, 3, 6]"),
    "input_c of other layers": ("input_c", zeros(2, B, H), "[4, 3, 5]", "[2, 3, 5]"),
    "input_c rank 2": ("input_c", zeros(B, H), "[4, 3, 5]", "[3, 5]"),
    "input_c scalar": ("input_c", zeros(), "[4, 3, 5]", "[]"),
    "params too short": ("params", zeros(1279), "params_size", "[1279]"),
    "params too long": ("params", zeros(1281), "params_size", "[1281]"),
    "params empty": ("params", zeros(0), "params_size", "[0]"),
    "params rank 2": ("params", zeros(1280, 1), "params_size", "[1280, 1]"),
}


@pytest.mark.parametrize(("argument", "value", "expected", "got"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("op", ["CudnnRNN", "CudnnRNNBackprop"])
def test_shapes(op: str, version: str, argument: str, value: Any, expected: str, got: str) -> None:
    with invalid_argument(op + version, argument, expected, got):
        call(op + version, **{argument: value})


@pytest.mark.parametrize("version", VERSIONS)
def test_no_step_and_no_layer(version: str) -> None:
    op = f"CudnnRNN{version}"
    with invalid_argument(op, "input", "seq_length in 1..", "0 on axis 0"):
        call(op, input=zeros(0, B, I))
    for rows in (0, 1):  # one row of states is less than a bidirectional layer has
        with invalid_argument(op, "input_h", "num_layers in 1..", f"{rows} on axis 0"):
            call(op, input_h=zeros(rows, B, H), input_c=zeros(rows, B, H))
    with invalid_argument(op, "input_h", "num_units in 1..", "0 on axis 2"):
        call(op, input_h=zeros(L * D, B, 0), input_c=zeros(L * D, B, 0))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["output", "output_h", "output_c", "reserve_space"])
def test_what_the_forward_gave(name: str, version: str) -> None:
    """Saved results and their gradients have the forward's shapes."""
    op = f"CudnnRNNBackprop{version}"
    names = [name] if name == "reserve_space" else [name, f"{name}_backprop"]
    for argument in names:
        with invalid_argument(op, argument, "", "[4, 3, 11]"):
            call(op, **{argument: zeros(T, B, 11)})


@pytest.mark.parametrize(
    ("changed", "argument", "expected", "got"),
    [
        ({"num_proj": H + 1}, "num_proj", "an int in 0..num_units = 0..5", "6"),
        ({"num_proj": -1}, "num_proj", "an int, in 0..", "-1 (int)"),
        ({"num_proj": 1.0}, "num_proj", "an int", "1.0 (float)"),
        ({"num_proj": P, "rnn_mode": "gru"}, "num_proj", "0, as only", "2"),
        ({"num_proj": P, "input_h": zeros(4, B, P + 1)}, "input_h", "num_proj] = [4, 3, 2]", "3]"),
        ({"num_proj": P, "input_c": zeros(4, B + 1, H)}, "input_c", "[4, 3, 5]", "[4, 4, 5]"),
        ({"num_proj": P, "input_c": zeros(4, B, 1)}, "num_proj", "0..1", "2"),
    ],
    ids=str,
)
@pytest.mark.parametrize("op", ["CudnnRNNV3", "CudnnRNNBackpropV3"])
def test_projection(
    op: str, changed: dict[str, Any], argument: str, expected: str, got: str
) -> None:
    if changed.get("rnn_mode") == "gru":
        changed = {**changed, "input_h": zeros(4, B, P)}
    with invalid_argument(op, argument, expected, got):
        call(op, **changed)


@pytest.mark.parametrize(
    ("lengths", "got"),
    [([-1, 2, 3], "-1"), ([1, 5, 3], "5"), ([0, 4, 2**31 - 1], "2147483647")],
)
@pytest.mark.parametrize("op", ["CudnnRNNV3", "CudnnRNNBackpropV3"])
def test_sequence_lengths_are_in_range(op: str, lengths: list[int], got: str) -> None:
    for value in (lengths, np.array(lengths, np.int32), np.array(lengths, np.int64)):
        with invalid_argument(op, "sequence_lengths", "values in 0..4", got):
            call(op, sequence_lengths=value)


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ([4, 4], "shape [2]"),
        ([4, 4, 4, 4], "shape [4]"),
        ([[4, 4, 4]], "shape [1, 3]"),
        (4, "shape []"),
        (np.array([4, 2**31, 4]), "2147483648"),
        (np.array([4, -(2**32), 4]), "-4294967296"),
        (np.full(B, 2**63 + 4, np.uint64), "9223372036854775812"),
        (np.full(B, 4.0), "dtype float64"),
        (np.full(B, True), "dtype bool"),
        ([4.0, 4.0, 4.0], "[4.0, 4.0, 4.0]"),
    ],
    ids=str,
)
def test_sequence_lengths_are_one_integer_a_row(value: object, got: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        call("CudnnRNNV3", sequence_lengths=value)
    assert (caught.value.op, caught.value.argument) == ("CudnnRNNV3", "sequence_lengths")
    assert got in caught.value.got


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("none", "dim"), [(["input_h", "input_c"], "num_layers"), (["input_c"], "num_units")]
)
def test_none_for_zeros_only_where_the_sizes_are_known(
    version: str, none: list[str], dim: str
) -> None:
    """A raw op reads them off its arguments; with a projection, num_units off the cell state."""
    changed = dict.fromkeys(none)
    if len(none) == 1:
        if version != "V3":
            return
        changed["num_proj"] = P
    op = f"CudnnRNN{version}"
    expected = (
        f"an array [2 * num_layers, batch_size, num_units], because nothing else determines {dim}"
    )
    with invalid_argument(op, none[-1] if "num_proj" in changed else none[0], expected, "None"):
        call(op, **changed)


@pytest.mark.parametrize(
    ("attribute", "value", "expected"),
    [
        ("rnn_mode", "LSTM", "one of rnn_relu, rnn_tanh, lstm, gru"),
        ("rnn_mode", b"lstm", "one of rnn_relu, "),
        ("rnn_mode", 2, "one of rnn_relu, "),
        ("rnn_mode", ["lstm"], "one of rnn_relu, "),
        ("input_mode", "linear", "one of linear_input, skip_input, auto_select"),
        ("direction", "forward", "one of unidirectional, bidirectional"),
        ("dropout", -0.1, "a number, not NaN, in 0..1"),
        ("dropout", 1.5, "a number, not NaN, in 0..1"),
        ("dropout", float("nan"), "a number, not NaN, in 0..1"),
        ("dropout", float("inf"), "a number, not NaN, in 0..1"),
        ("dropout", True, "a number, not NaN, in 0..1"),
        ("seed", 1.0, "an int"),
        ("seed", True, "an int"),
        ("seed", 2**63, "an int, in -9223372036854775808..9223372036854775807"),
        ("seed2", "1", "an int"),
        ("is_training", 1, "a bool"),
        ("call_counter", -(2**63) - 1, "an int"),
    ],
    ids=str,
)
def test_attributes(attribute: str, value: object, expected: str) -> None:
    for version in VERSIONS:
        with invalid_argument(f"CudnnRNN{version}", attribute, expected, ""):
            call(f"CudnnRNN{version}", **{attribute: value})
    dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": L}
    with invalid_argument("CudnnRNN", attribute, expected, ""):
        rc.build("CudnnRNN", **dims, **{attribute: value})


@pytest.mark.parametrize("version", VERSIONS)
def test_skip_input_needs_equal_sizes(version: str) -> None:
    with invalid_argument(f"CudnnRNN{version}", "input_size", "num_units = 5, because", "6"):
        call(f"CudnnRNN{version}", input_mode="skip_input")


@pytest.mark.parametrize("mode", ["gru", "rnn_tanh", "rnn_relu"])
def test_without_cell_state_any_shape_is_taken(mode: str) -> None:
    """Its dtype still counts."""
    for value in (zeros(), zeros(0), zeros(7), zeros(1, 2, 3, 4)):
        dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": L}
        built = module("CudnnRNN", "float32", {**dims, "rnn_mode": mode})
        params = next(a.shape for a in built.functions[0].arguments if a.name == "params")
        shapes = {"input_h": zeros(L, B, H), "params": zeros(*params)}
        with pytest.raises(AssertionError, match="as far as compiling"):
            call("CudnnRNN", rnn_mode=mode, direction="unidirectional", input_c=value, **shapes)
        with invalid_argument("CudnnRNN", "input_c", "dtype float32", "dtype float64"):
            value = value.astype(np.float64)
            call("CudnnRNN", rnn_mode=mode, direction="unidirectional", input_c=value, **shapes)


MASK = {
    "rnn_mode": "lstm",
    "seq_length": 5,
    "batch_size": 2,
    "num_units": 4,
    "num_layers": 2,
}


@pytest.mark.parametrize(
    ("changed", "argument", "expected"),
    [
        ({"reserve_space": zeros(479)}, "reserve_space", "floats of shape [480]"),
        ({"reserve_space": zeros()}, "reserve_space", "floats of shape [480]"),
        ({"reserve_space": np.zeros(480, int)}, "reserve_space", "floats of shape [480]"),
        ({"reserve_space": None}, "reserve_space", "floats of shape [480]"),
        ({"rnn_mode": "gru"}, "reserve_space", "floats of shape [400]"),
        ({"rnn_mode": "nope"}, "rnn_mode", "one of rnn_relu, "),
        ({"direction": "nope"}, "direction", "one of unidirectional, "),
        ({"num_layers": 1}, "num_layers", "an int in 2.."),
        ({"num_layers": True}, "num_layers", "an int"),
        ({"num_layers": 2.0}, "num_layers", "an int"),
        ({"num_proj": 5}, "num_proj", "0..num_units = 0..4"),
        ({"batch_size": -1}, "batch_size", "an int in 0.."),
    ],
    ids=str,
)
def test_dropout_mask(changed: dict[str, Any], argument: str, expected: str) -> None:
    given: dict[str, Any] = {"reserve_space": zeros(480), **MASK, **changed}
    with invalid_argument("dropout_mask", argument, expected, ""):
        rc.dropout_mask(given.pop("reserve_space"), **given)
