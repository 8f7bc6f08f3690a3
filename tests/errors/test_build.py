"""`rc.build`, `rc.compile`, `rc.target`: rejected arguments and their messages."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from errors.expect import DIMS, OPS_AND_DIMS, invalid_argument, taken

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.specs import TAKEN

PEEPHOLE_OPS = [
    op for op in OPS if any(a.name == "use_peephole" for a in OPS[op].signature.attributes)
]
HUGE = 10**5000
"""An int that Python refuses to print."""


def build(op: str, **keywords: Any) -> rc.Module:
    return rc.build(op, **{**taken(op, {**DIMS, "use_peephole": False}), **keywords})


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (-1, "-1"),
        (2**31, "2147483648"),
        (10**400, "1000"),
        (HUGE, ""),
        (True, "True (bool)"),
        (3.0, "3.0 (float)"),
        (float("nan"), "nan (float)"),
        ("3", "'3' (str)"),
        ([3], "[3] (list)"),
        (np.float32(3), "(float"),
        (np.array([3]), "ndarray"),
        (np.bool_(True), "bool"),
    ],
    ids=lambda value: f"{value!r:.20}" if value is not HUGE else "huge",
)
def test_dimensions_are_small_ints(value: object, got: str) -> None:
    for op, dim in OPS_AND_DIMS:
        least = int(dim in OPS[op].signature.positive)
        with invalid_argument(op, dim, f"an int in {least}..2147483647", got):
            build(op, **{dim: value})


def test_widths_are_not_open() -> None:
    """Steps and rows may be, where they have names (`tests/runtime/test_open_sizes.py`)."""
    for op, dim in OPS_AND_DIMS:
        if dim not in ("seq_length", "batch_size"):
            least = int(dim in OPS[op].signature.positive)
            with invalid_argument(op, dim, f"an int in {least}..2147483647", "None (NoneType)"):
                build(op, **{dim: None})


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_any_kind_of_int_is_a_dimension(value: object) -> None:
    dims = build("BlockLSTMV2", num_units=value).functions[0].dims
    assert dims["num_units"] == 3
    assert type(dims["num_units"]) is int


@pytest.mark.parametrize("op", [op for op in OPS if "BlockLSTM" in op])
def test_tensors_must_be_addressable(op: str) -> None:
    """Dimensions that are fine one by one, with a product that is not."""
    with invalid_argument(op, "w", "less than 2**63 bytes", "float32[2147483651,8589934588]"):
        build(op, num_units=2**31 - 1)


@pytest.mark.parametrize(
    "dtype",
    [
        None,
        "",
        "float8",
        "complex64",
        "int64",
        "int32",
        "bool",
        "object",
        "str",
        "f4,f4",
        "(2,)f4",
        ("f4", -1),
        {"names": ["a"]},
        [("a", "f4")],
        np.int32,
        complex,
        5,
        object(),
        "x" * 10000,
        np.dtype("M8[s]"),
    ],
    ids=lambda dtype: f"{dtype!r:.20}",
)
def test_dtype_is_one_of_four(dtype: object) -> None:
    expected = "one of float16, bfloat16, float32, float64"
    for op in OPS:
        with invalid_argument(op, "dtype", expected, f"{dtype!r:.20}"):
            build(op, dtype=dtype)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        *[(name, name) for name in ("float16", "bfloat16", "float32", "float64")],
        *[("f16", "float16"), ("bf16", "bfloat16"), ("f32", "float32"), ("f64", "float64")],
        *[("half", "float16"), ("float", "float32"), ("double", "float64")],
        *[(np.float16, "float16"), (np.dtype(">f4"), "float32"), ("<f8", "float64")],
        *[(ml_dtypes.bfloat16, "bfloat16"), (float, "float64")],
    ],
)
def test_every_spelling_of_a_dtype(dtype: object, name: str) -> None:
    assert build("BlockLSTMV2", dtype=dtype).functions[0].dtype == name


@pytest.mark.parametrize("op", PEEPHOLE_OPS)
@pytest.mark.parametrize(
    "value", [0, 1, 0.0, "true", [], np.array([True]), np.int8(1)], ids=lambda value: f"{value!r}"
)
def test_use_peephole_is_a_bool(op: str, value: object) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    with invalid_argument(op, "use_peephole", "a bool", f"{value!r} ({type(value).__name__})"):
        build(op, use_peephole=value)


@pytest.mark.parametrize(
    "value",
    [float("nan"), np.nan, np.float16("nan"), "0.3", True, 1j, [0.3], np.array([0.3]), {}, b"1"],
    ids=lambda value: f"{value!r}",
)
def test_cell_clip_is_a_number(value: object) -> None:
    with invalid_argument("BlockLSTMV2", "cell_clip", "a number, not NaN", ""):
        build("BlockLSTMV2", cell_clip=value)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [10**400, -(10**400), HUGE], ids=["big", "-big", "huge"])
def test_cell_clip_beyond_every_float(value: int, dtype: str) -> None:
    """An int that no float can hold is an error of the argument, not an OverflowError."""
    with invalid_argument("BlockLSTMV2", "cell_clip", "a number", ""):
        build("BlockLSTMV2", cell_clip=value, dtype=dtype)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (None, 0.0),
        (3, 3.0),
        (np.float64(0.3), 0.3),
        (np.float32(0.3), 0.3),
        (np.array(0.5), 0.5),
        (1e300, float("inf")),
        (float("-inf"), float("-inf")),
        (0.1 + 1e-12, 0.1),
    ],
)
def test_cell_clip_is_single_precision(value: object, canonical: float) -> None:
    """As TensorFlow's attribute is; so that values which mean the same share one module."""
    attributes = build("BlockLSTMV2", cell_clip=value).functions[0].attributes
    assert attributes["cell_clip"] == canonical
    assert type(attributes["cell_clip"]) is float


def test_an_attribute_without_default_must_be_given() -> None:
    with invalid_argument("BlockLSTMGradV2", "use_peephole", "a bool", "None"):
        build("BlockLSTMGradV2", use_peephole=None)


@pytest.mark.parametrize(("op", "dim"), [pair for pair in OPS_AND_DIMS if "LSTM" in pair[0]])
def test_an_empty_batch_or_state_is_no_step(op: str, dim: str) -> None:
    """TensorFlow's LSTMBlockCell does not take it, and takes everything else that is empty."""
    if dim in OPS[op].signature.positive:
        with invalid_argument(op, dim, "an int in 1..", "0"):
            build(op, **{dim: 0})
    else:
        build(op, **{dim: 0})


def test_every_dimension_is_required() -> None:
    for op, missing in OPS_AND_DIMS:
        dims = taken(op, {**DIMS, "use_peephole": True})
        del dims[missing]
        expected = rf"^{op}\(\) missing required keyword argument: '{missing}'$"
        with pytest.raises(TypeError, match=expected):
            rc.build(op, **dims)


def test_all_that_is_missing_is_named() -> None:
    names = "'seq_length', 'batch_size', 'input_size', 'num_units', 'use_peephole'"
    with pytest.raises(TypeError, match=rf"^BlockLSTMGradV2\(\) missing .* arguments: {names}$"):
        rc.build("BlockLSTMGradV2")


@pytest.mark.parametrize(
    ("op", "keyword"),
    [("BlockLSTMV2", "num_layers"), ("BlockLSTMV2", "x"), ("BlockLSTMGradV2", "cell_clip")],
)
def test_an_unknown_keyword_is_named_with_those_there_are(op: str, keyword: str) -> None:
    message = rf"^{op}\(\) got an unexpected keyword argument '{keyword}'; it takes seq_length, .*"
    with pytest.raises(TypeError, match=message):
        build(op, **{keyword: 1})


@pytest.mark.parametrize(
    "op", ["Nope", "", "blocklstmv2", ["Nope"], ["BlockLSTMV2", "Nope"], [("Nope", {})]]
)
def test_an_unknown_op_is_named_with_those_there_are(op: Any) -> None:
    meant = op == "blocklstmv2"
    expected = "an op that `rnn-compiler ops` lists" if meant else f"one of {', '.join(OPS)}"
    with invalid_argument("build", "op", expected, "''" if op == "" else ""):
        rc.build(op, **DIMS, use_peephole=True)


@pytest.mark.parametrize(
    "op",
    [
        *(5, None, b"BlockLSTMV2", {"BlockLSTMV2": {"cell_clip": 1.0}}),
        *([5], [None], [()], [("BlockLSTMV2",)], [("BlockLSTMV2", 5)]),
    ],
    ids=repr,
)
def test_what_is_no_op_at_all(op: Any) -> None:
    with invalid_argument("build", "op", "BlockLSTMV2", ""):
        rc.build(op, **DIMS, use_peephole=True)


@pytest.mark.parametrize("ops", [[], ()])
def test_at_least_one_op(ops: Any) -> None:
    with invalid_argument("build", "op", "at least one op", "an empty list"):
        rc.build(ops, **DIMS)


def test_names_of_companions_are_reserved() -> None:
    ops = [("BlockLSTMV2", {"function": "f"}), ("BlockLSTMV2", {"function": "f_prepack"})]
    reason = "reserved for the companion of f that packs weights"
    with invalid_argument("build", "function", "and its companions", reason):
        rc.build(ops, **DIMS)


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ({}, {}, "block_lstm_v2"),
        ({"function": "f"}, {"function": "f"}, "f"),
        ({"function": "f"}, {"function": "f_prepacked"}, "f_prepacked"),
        ({"function": "f_prepack"}, {"function": "f"}, "f_prepack"),
    ],
)
def test_functions_differ_in_their_names(first: Any, second: Any, name: str) -> None:
    ops = [("BlockLSTMV2", first), ("block_lstm_v2", second | {"cell_clip": 1.0})]
    with invalid_argument("build", "function", "a different name", f"{name!r} for BlockLSTMV2"):
        rc.build(ops, **DIMS)


@pytest.mark.parametrize("argument", ["function", "name"])
@pytest.mark.parametrize(
    "name", ["", "1f", "_f", "a.b", "a-b", "a b", "\u00e4", "f\n", "f" * 99 + "!", 5, [], b"f"]
)
def test_names_are_identifiers(argument: str, name: Any) -> None:
    with invalid_argument("build", argument, "an identifier", ""):
        build("BlockLSTMV2", **{argument: name})


@pytest.mark.parametrize(
    ("argument", "name"),
    [("function", "class"), ("function", "to_device"), ("function", "stream"), ("name", "hal")],
)
def test_names_that_something_else_has(argument: str, name: str) -> None:
    with invalid_argument("build", argument, "", repr(name)):
        build("BlockLSTMV2", **{argument: name})


def test_a_program_has_no_other_names() -> None:
    own = {
        name for name in (*vars(rc.Program), "manifest", "device", "functions") if name[0] != "_"
    }
    assert own <= set(TAKEN["function"])


def test_one_name_is_not_for_several_functions() -> None:
    with invalid_argument("build", "function", "one op", "2 ops"):
        rc.build(["BlockLSTMV2", "BlockLSTM"], function="f", **DIMS)


@pytest.mark.parametrize(
    "outputs", [[], (), "h", 5, {"h"}, ["nope"], [5], ["h", None], ["h", "h"], [["h"]]]
)
def test_outputs_are_results(outputs: Any) -> None:
    expected = "a list of i, cs, f, o, ci, co, h, cs_last, h_last"
    with invalid_argument("BlockLSTMV2", "outputs", expected, ""):
        build("BlockLSTMV2", outputs=outputs)
    own = ("BlockLSTMV2", {"outputs": outputs})
    with invalid_argument("BlockLSTMV2", "outputs", expected, ""):
        rc.build([own], **DIMS)


@pytest.mark.parametrize("outputs", [["w_gra"], "h", []])
def test_outputs_of_several_ops_are_results_of_one(outputs: Any) -> None:
    with pytest.raises(rc.errors.InvalidArgumentError, match="'outputs': expected a list of "):
        rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], outputs=outputs, use_peephole=True, **DIMS)


def test_several_ops_name_the_one_at_fault() -> None:
    with pytest.raises(TypeError, match=r"^BlockLSTMGradV2\(\) missing .* 'use_peephole'$"):
        rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], **DIMS)
    with pytest.raises(TypeError, match=r"^build\(\) got an unexpected keyword argument 'units';"):
        rc.build(["BlockLSTMV2"], units=5, **DIMS)
    own = ("BlockLSTMGradV2", {"use_peephole": True, "cell_clip": 1.0})
    with pytest.raises(TypeError, match=r"^BlockLSTMGradV2\(\) got an unexpected .* 'cell_clip';"):
        rc.build(["BlockLSTMV2", own], **DIMS)
    with invalid_argument("BlockLSTMGradV2", "dtype", "one of float16", "'int8'"):
        rc.build(["BlockLSTMV2", ("BlockLSTMGradV2", {"dtype": "int8"})], use_peephole=True, **DIMS)


@pytest.mark.parametrize("target", ["nope", "CPU", "cpu:", "gpu", ":", "cpu :generic", "\0"])
def test_an_unknown_target_is_named_with_those_there_are(target: str) -> None:
    module = build("BlockLSTMV2")
    with invalid_argument("compile", "target", "one of cpu, cpu:generic, ", repr(target)):
        rc.compile(module, target)
    with invalid_argument("compile", "target", "one of cpu, cpu:generic, ", repr(target)):
        rc.compile(module, ["cpu", target])
    with invalid_argument("compile", "target", "one of ", repr(target)), rc.target(target):
        pass


@pytest.mark.parametrize("detail", ["avx99", "x86-64-v9", "avx2,,fma", "-avx2", "avx2 fma", ","])
def test_an_unknown_cpu_feature_is_named(detail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_features, "architecture", lambda: "x86_64")
    with invalid_argument("compile", "target", "a level (generic, x86-64-v2, ", detail):
        resolve_target(f"cpu:{detail}")


@pytest.mark.parametrize("target", [5, b"cpu", ["cpu", 5], [None]], ids=repr)
def test_what_is_no_target_at_all(target: Any) -> None:
    with invalid_argument("compile", "target", "", ""):
        rc.compile(build("BlockLSTMV2"), target)


def test_at_least_one_target() -> None:
    with invalid_argument("compile", "target", "at least one", "an empty list"):
        rc.compile(build("BlockLSTMV2"), [])


def test_an_unknown_target_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_TARGET", "nope")
    with invalid_argument("compile", "target", "one of cpu", "'nope'"):
        rc.compile(build("BlockLSTMV2"))


def test_an_unknown_cache_mode_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE", "on")
    with invalid_argument("environment", "RNN_COMPILER_CACHE", "one of rw, ro, off, ver", "'on'"):
        rc.compile(build("BlockLSTMV2"))


def test_unknown_names_of_the_package() -> None:
    with pytest.raises(AttributeError, match="module 'rnn_compiler' has no attribute 'nope'"):
        _ = rc.nope
    names = re.escape(", ".join(op for op in OPS if not op.startswith("onnx.")))
    with pytest.raises(AttributeError, match=rf"raw_ops has no 'Nope'; it has {names}$"):
        _ = rc.raw_ops.Nope
    with pytest.raises(AttributeError, match=r"onnx_ops has no 'Lstm'.*LSTM"):
        _ = rc.onnx_ops.Lstm
