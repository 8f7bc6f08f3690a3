"""Operators that IREE's importer computes incorrectly are rewritten into forms that it supports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from execution import Execute, each_language, ways
from onnx import TensorProto, helper

from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.checks import check_types
from rnn_compiler.network_import.graph.folding import fold
from tests.network_import.graphs import loaded, model, saved, weight

X = weight(2, 5, 7)


def padded(before: int, behind: int, mode: Any) -> Any:
    """The first and last axis of `X`, cut by one, and padded."""
    return np.pad(X[1:], [(0, 0), (0, 0), (before, behind)], mode)


def mean(x: Any, pads: tuple[int, int], *, counts: bool) -> Any:
    """Windows of three numbers, two apart, the last of which may be cut off behind the padding."""
    ones = np.ones(x.shape[-1], np.float32)
    weights = np.pad(ones, pads, constant_values=float(counts))
    around = np.pad(x, [(0, 0), (0, 0), pads])
    count = -(-(around.shape[-1] - 3) // 2) + 1
    starts = [2 * k for k in range(count) if 2 * k < x.shape[-1] + pads[0]]
    sums = [around[..., k : k + 3].sum(-1) / weights[k : k + 3].sum() for k in starts]
    return np.stack(sums, -1)


def scattered() -> Any:
    x = X.copy()
    x[[0, -1]] = X[[1, 0]] * 2
    return x


POOL = {"kernel_shape": [3], "strides": [2], "ceil_mode": 1}

EXPONENTS = np.array([3, 2, 0, -1, 0.5, 5, 17], np.float32)


def powers() -> Any:
    with np.errstate(invalid="ignore"):
        return np.power(X, EXPONENTS)


BACK = {"starts": [100], "ends": [-100], "axes": [2], "steps": [-1]}

CASES: Mapping[str, tuple[str, list[Any], dict[str, Any], Any]] = {
    **{
        f"Pad {mode}": (
            "Pad",
            [np.array([-1, 0, 3, 0, 0, 2])],
            {"mode": mode},
            padded(3, 2, mode),
        )
        for mode in ("constant", "reflect", "edge")
    },
    "Slice": ("Slice", [np.array(each) for each in BACK.values()], {}, X[..., ::-1]),
    "Pow": ("Pow", [EXPONENTS], {}, powers()),
    "Pow of a scalar": ("Pow", [np.float32(3)], {}, X**3),
    **{
        f"AveragePool {pads} {counts}": (
            "AveragePool",
            [],
            {**POOL, "pads": pads, "count_include_pad": counts},
            mean(X, pads, counts=bool(counts)),
        )
        for pads, counts in (((0, 0), 1), ((1, 1), 1), ((1, 1), 0), ((0, 2), 0))
    },
    "ScatterND": ("ScatterND", [np.array([[0], [-1]]), X[[1, 0]] * 2], {}, scattered()),
}


@pytest.mark.slow
@each_language
def test_numbers(execute: Execute, tmp_path: Path) -> None:
    """The caller's array stays unchanged, too."""
    nodes: list[Any] = []
    weights: dict[str, Any] = {}
    for number, (operator, inputs, attributes, _) in enumerate(CASES.values()):
        names = [f"c{number}_{k}" for k in range(len(inputs))]
        weights |= zip(names, inputs, strict=True)
        made = helper.make_node(operator, ["x", *names], [f"y{number}"], f"n{number}", **attributes)
        nodes.append(made)
    outputs = [f"y{number}" for number in range(len(CASES))]
    onnx_model = model(nodes, {"x": X.shape}, outputs, weights)
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    x = X.copy()
    found = execute(module, {"x": x}).values()
    for name, got, (*_, wanted) in zip(CASES, found, CASES.values(), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, err_msg=name)
    np.testing.assert_array_equal(x, X)


@pytest.mark.slow
@each_language
def test_nan_passes(execute: Execute, tmp_path: Path) -> None:
    """Through nodes that choose a number by comparisons, from either side."""
    low, high = np.float32(-1), np.float32(0.5)
    operators = {"Clip": [low, high], "Max": [low], "Min": [high], "Sign": []}
    nodes = [
        helper.make_node(name, ["x", *(f"{name}{k}" for k in range(len(given)))], [f"of_{name}"])
        for name, given in operators.items()
    ]
    nodes.append(helper.make_node("Max", ["Max0", "x"], ["of_second"]))
    weights = {f"{name}{k}": each for name, row in operators.items() for k, each in enumerate(row)}
    outputs = [*(f"of_{name}" for name in operators), "of_second"]
    path = saved(model(nodes, {"x": [3]}, outputs, weights), tmp_path / "m.onnx")
    found = execute(rc.import_network(path), {"x": np.array([np.nan, 2, -2], np.float32)})
    for got, wanted in zip(
        found.values(), ([0.5, -1], [2, -1], [0.5, -2], [1, -1], [2, -1]), strict=True
    ):
        np.testing.assert_array_equal(got, [np.nan, *wanted])


@pytest.mark.slow
@each_language
def test_powers_of_zero(execute: Execute, tmp_path: Path) -> None:
    """Of a magnitude, too, which is the model's own."""
    exponents = (-1, -2, -20, 0, 2)
    weights: dict[str, Any] = {f"e{k}": np.float32(each) for k, each in enumerate(exponents)}
    weights["e"] = np.array([0, -1, 2], np.float32)
    nodes = [helper.make_node("Pow", ["x", f"e{k}"], [f"y{k}"]) for k in range(len(exponents))]
    nodes.append(helper.make_node("Abs", ["x"], ["size"]))
    nodes.append(helper.make_node("Pow", ["size", "e"], ["y"]))
    outputs = [*(f"y{k}" for k in range(len(exponents))), "y"]
    path = saved(model(nodes, {"x": [3]}, outputs, weights), tmp_path / "m.onnx")
    x = np.array([0, -0.0, -2], np.float32)
    with np.errstate(divide="ignore"):
        wanted = [*(np.power(x, np.float32(each)) for each in exponents), np.abs(x) ** weights["e"]]
    found = execute(rc.import_network(path), {"x": x}).values()
    for got, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, expected, 1e-5)


@pytest.mark.slow
@ways("direct")
def test_what_a_model_says_of_shapes_is_not_believed(agrees: Any) -> None:
    """Exporters write wrong ranks of results; other runtimes warn, and run the model."""
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Neg", ["h"], ["y"])]
    made = model(nodes, {"x": [2, 5, 7]}, ["y"], {})
    del made.graph.output[:]
    made.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, "t"]))
    made.graph.value_info.append(helper.make_tensor_value_info("h", TensorProto.FLOAT, [3]))
    agrees(made, {"x": X})


@pytest.mark.slow
def test_a_result_that_is_an_argument_has_its_own_dtype(tmp_path: Path) -> None:
    """In the first call, which goes through IREE, and in the direct ones after it."""
    nodes = [
        helper.make_node("Cast", ["x"], ["y"], to=TensorProto.INT64),
        helper.make_node("Identity", ["f"], ["same"]),
        helper.make_node("Neg", ["f"], ["other"]),
    ]
    kinds = {"x": TensorProto.UINT64, "y": TensorProto.INT64}
    made = model(nodes, {"x": [1], "f": [2]}, ["y", "same", "other"], {}, dtypes=kinds)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    program = loaded(module)
    for _ in range(3):
        found = program(x=np.array([2**64 - 1], np.uint64), f=np.array([1, 2], ">f4"))
        assert (found.y.dtype, found.y.tolist()) == (np.int64, [-1])
        assert (found.same.dtype.str, found.same.tolist()) == ("<f4", [1, 2])


def of(operator: str, inputs: Mapping[str, Any], opset: int = 17, **attributes: Any) -> Any:
    """A model of one node whose inputs are arguments."""
    outputs = ["y", "places"] if attributes.pop("places", False) else ["y"]
    node = helper.make_node(operator, [*inputs], outputs, name="mine", **attributes)
    shapes = {name: array.shape for name, array in inputs.items()}
    dtypes = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in inputs.items()}
    dtypes["y"] = dtypes["x"]
    return model([node], shapes, outputs, {}, dtypes=dtypes, opset=opset)


def scan(steps: int, **attributes: Any) -> Any:
    """A model that sums rows, and gives all partial sums."""
    rows = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "svto"]
    nodes = [helper.make_node("Add", ["s", "v"], ["t"]), helper.make_node("Identity", ["t"], ["o"])]
    body = helper.make_graph(nodes, "body", rows[:2], rows[2:])
    how = {"num_scan_inputs": 1, "body": body, **attributes}
    node = helper.make_node("Scan", ["first", "x"], ["last", "y"], name="mine", **how)
    return model([node], {"first": [2], "x": [steps, 2]}, ["last", "y"], {})


@pytest.mark.parametrize(
    ("onnx_model", "message"),
    [
        (
            of("Conv", {"x": X, "k": weight(3, 5, 2)}, strides=[0]),
            r"'mine' \(Conv\) has a result of unknown type",
        ),
        (
            of("MaxPool", {"x": X}, kernel_shape=[9]),
            r"'mine' \(MaxPool\) has a result of the sizes \[2, 5, -1\]",
        ),
        (of("MaxPool", {"x": X}, kernel_shape=[2], places=True), "the indices of the maxima, is"),
        (
            of("MaxPool", {"x": np.ones((1, 1, 4), np.uint8)}, kernel_shape=[2]),
            "expected signed integers, got unsigned ones, .* cast to int32 first",
        ),
        *(
            (of(operator, {"x": np.ones(4, dtype)}), "expected signed integers, got unsigned ones")
            for operator, dtype in (("Abs", np.uint8), ("Relu", np.uint32), ("Neg", np.uint64))
        ),
        *(
            (scan(2000, **{name: [1]}), r"'mine' \(Scan\): expected forward scans along axis 0")
            for name in ("scan_input_directions", "scan_output_directions", "scan_output_axes")
        ),
        (
            of("Hardmax", {"x": X}, 11),
            r"'mine' \(Hardmax\): expected version 13 or later .*, got version 11; export",
        ),
        (
            of("Div", {"x": np.arange(3), "d": np.arange(3)}),
            r"'mine' \(Div\): expected integers divided by a constant without 0 and -1, got "
            "a computed divisor",
        ),
        (of("Pow", {"x": X, "e": X}), r"'mine' \(Pow\): the exponent must be a constant"),
    ],
)
def test_what_has_no_such_form_is_refused(onnx_model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        checked(saved(onnx_model, tmp_path / "m.onnx"))


def checked(path: Path) -> None:
    """A graph after the first steps of `import_network`, without its process."""
    graph = Graph.read(path)
    fold(graph)
    check_types(graph)


@pytest.mark.parametrize("base", [np.array([2, -3]), np.float32([2, -3]), np.float32([0, 3])])
def test_powers_of_constants_that_are_not_positive_are_refused(base: Any, tmp_path: Path) -> None:
    """They were NaN, or the least integer."""
    kind = helper.np_dtype_to_tensor_dtype(base.dtype)
    node = helper.make_node("Pow", ["a", "x"], ["y"], name="mine")
    made = model([node], {"x": [2]}, ["y"], {"a": base}, dtypes={"x": kind, "y": kind})
    with pytest.raises(UnsupportedError, match=r"'mine' \(Pow\): .* or the base a positive one"):
        checked(saved(made, tmp_path / "m.onnx"))


@pytest.mark.slow
@each_language
@pytest.mark.parametrize("dtype", first([np.float32, np.int64]))
def test_powers_of_a_positive_constant(dtype: Any, agrees: Any) -> None:
    base, x = np.array([2, 3], dtype), np.array([5, 4], dtype)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    node = helper.make_node("Pow", ["a", "x"], ["y"])
    agrees(model([node], {"x": [2]}, ["y"], {"a": base}, dtypes={"x": kind, "y": kind}), {"x": x})


def test_results_whose_sizes_depend_on_numbers_are_refused(tmp_path: Path) -> None:
    made = of("NonZero", {"x": X})
    made.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
    path = saved(made, tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"node 'mine' \(NonZero\): the size of output 'y'"):
        rc.import_network(path)


@pytest.mark.slow
@each_language
def test_integers_without_a_sign(execute: Execute, tmp_path: Path) -> None:
    """They were taken for int8, and refused beyond 127."""
    x = np.array([0, 7, 128, 255], np.uint8)
    node = helper.make_node("Cast", ["x"], ["y"], name="cast", to=TensorProto.FLOAT)
    made = model([node], {"x": x.shape}, ["y"], {}, dtypes={"x": TensorProto.UINT8})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    assert module.functions[0].arguments[0].dtype == "uint8"
    np.testing.assert_array_equal(execute(module, {"x": x})["y"], x.astype(np.float32))
