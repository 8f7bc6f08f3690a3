"""Open axes that must be equal are one: calls refuse inputs that differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from js import calling as js_calling
from quick import first, marked_slow

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import (
    close,
    expected,
    loaded,
    lstm_weights,
    model,
    saved,
    weight,
)

FLOAT, INT = int(TensorProto.FLOAT), int(TensorProto.INT64)


@pytest.fixture(scope="module")
def lstm(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    """All inputs have an open axis without a name."""
    inputs = {"x": [6, None, 3], "n": [None], "h": [1, None, 5], "c": [1, None, 5]}
    names = ["x", "W", "R", "B", "n", "h2", "c"]
    nodes = [
        helper.make_node("Mul", ["h", "two"], ["h2"]),
        helper.make_node("LSTM", names, ["y"], hidden_size=5),
    ]
    weights = {**lstm_weights(), "two": np.float32(2)}
    whole = model(nodes, inputs, ["y"], weights, dtypes={"n": TensorProto.INT32})
    return rc.import_network(saved(whole, tmp_path_factory.mktemp("models") / "m.onnx"))


def given(x: int, n: int, h: int, c: int) -> dict[str, Any]:
    arrays = {"x": weight(6, x, 3), "h": weight(1, h, 5), "c": weight(1, c, 5)}
    return arrays | {"n": np.full(n, 6, np.int32)}


@pytest.mark.slow
def test_rows_lengths_and_states(lstm: rc.Module) -> None:
    (spec,) = lstm.functions
    assert spec.open_dims == ["x_1"]
    run = loaded(lstm)
    assert run(**given(4, 4, 4, 4)).y.shape == (6, 1, 4, 5)
    for sizes, wrong in (((4, 2, 4, 4), "n"), ((4, 4, 5, 4), "h"), ((4, 4, 4, 3), "c")):
        with pytest.raises(InvalidArgumentError, match=f"'{wrong}': expected shape .*x_1.* = .*4"):
            run(**given(*sizes))


@pytest.mark.slow
@js_calling.needs_node
def test_javascript(lstm: rc.Module, tmp_path: Path) -> None:
    rc.compile_js(lstm, name="m").save(tmp_path)
    script = """import { load } from "./m.mjs";
    const { main } = await load();
    const call = (x, n, h, c) => main({ x: new Float32Array(18 * x), h: new Float32Array(5 * h),
      c: new Float32Array(5 * c), n: new Int32Array(n) });
    console.log(call(4, 4, 4, 4).y.length);
    for (const sizes of [[4, 2, 4, 4], [4, 4, 5, 4], [4, 4, 4, 3]])
      try { call(...sizes); } catch (error) { console.log(error.argument); }"""
    assert js_calling.node(tmp_path, script).split() == ["120", "n", "h", "c"]


OPERATORS: dict[str, Any] = {
    "GatherElements": ({"axis": 1}, {"x": (FLOAT, 3), "i": (INT, 2)}, ["x_0"]),
    "GatherND": ({"batch_dims": 1}, {"x": (FLOAT, 3), "i": (INT, 1)}, ["x_0"]),
    "ScatterElements": (
        {"axis": 1},
        {"x": (FLOAT, 3), "i": (INT, 2), "u": (FLOAT, 2)},
        ["x_0"],
    ),
    "ScatterND": ({}, {"x": (FLOAT, 3), "i": (INT, 1), "u": (FLOAT, 3)}, ["i_0", "x_0"]),
    "Einsum": ({"equation": "ij,ik->jk"}, {"x": (FLOAT, 3), "y": (FLOAT, 2)}, ["x_0"]),
    "SoftmaxCrossEntropyLoss": ({}, {"x": (FLOAT, 3), "labels": (INT, ...)}, ["x_0"]),
    "NegativeLogLikelihoodLoss": ({}, {"x": (FLOAT, 3), "labels": (INT, ...)}, ["x_0"]),
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators(operator: str, tmp_path: Path) -> None:
    attributes, inputs, axes = OPERATORS[operator]
    nodes = [helper.make_node(operator, [*inputs], ["made"], **attributes)]
    shapes = {
        name: [None, columns][: 1 + (columns is not ...)] for name, (_, columns) in inputs.items()
    }
    kinds = {name: kind for name, (kind, _) in inputs.items()}
    path = saved(model(nodes, shapes, ["made"], {}, dtypes=kinds), tmp_path / "m.onnx")
    assert rc.import_network(path).functions[0].open_dims == axes


@pytest.mark.parametrize("operator", ["Conv", "ConvTranspose"])
@pytest.mark.parametrize("groups", [1, 2])
def test_biases_of_convolutions(operator: str, groups: int, tmp_path: Path) -> None:
    """Of filters that are inputs; without filters, nothing needs to be equal."""
    is_plain = operator == "Conv"
    node = helper.make_node(operator, ["x", "w", "b"], ["y"], group=groups)
    filters = [None, 4 // groups, 2] if is_plain else [4, None, 2]
    shapes = {"x": ["n", 4, 6], "w": filters, "b": [None]}
    path = saved(model([node], shapes, ["y"], {}), tmp_path / "m.onnx")
    if not is_plain and groups == 2:
        with pytest.raises(
            UnsupportedError, match=r"got 2\*w_1 and b_0, so axis .* cannot be open"
        ):
            rc.import_network(path)
    else:
        assert rc.import_network(path).functions[0].open_dims == ["n", "w_0" if is_plain else "w_1"]


@pytest.mark.slow
def test_axes_of_an_ellipsis(tmp_path: Path) -> None:
    node = helper.make_node("Einsum", ["x", "y"], ["z"], equation="...ij,...jk->...ik")
    shapes = {"x": ["A", "rows", 3], "y": ["B", 3, 2]}
    module = rc.import_network(saved(model([node], shapes, ["z"], {}), tmp_path / "m.onnx"))
    assert module.functions[0].open_dims == ["A", "rows"]
    run, x, y = loaded(module), weight(4, 2, 3), weight(4, 3, 2)
    close(run(x=x, y=y).z, np.matmul(x, y))
    with pytest.raises(InvalidArgumentError, match="'y': expected shape"):
        run(x=x, y=weight(1, 3, 2))


def test_steps_of_scans(tmp_path: Path) -> None:
    """All inputs have as many, also where the steps are written out."""
    names = ["state", "one", "other", "end", "row"]
    steps = [_NODE("Add", ["state", "one"], ["sum"]), _NODE("Add", ["sum", "other"], ["end"])]
    values = [helper.make_tensor_value_info(name, FLOAT, [3]) for name in names]
    body = helper.make_graph(
        [*steps, _NODE("Identity", ["end"], ["row"])], "b", values[:3], values[3:]
    )
    node = _NODE("Scan", ["s", "x", "z"], ["last", "y"], "scan", body=body, num_scan_inputs=2)
    shapes = {"x": ["A", 3], "z": ["B", 3]}
    path = saved(model([node], shapes, ["y"], {"s": weight(3)}), tmp_path / "m.onnx")
    assert rc.import_network(path).functions[0].open_dims == ["A"]
    with pytest.raises(UnsupportedError, match=r"'scan' \(Scan\)"):
        rc.import_network(path, dims={"A": 4})


def test_an_input_that_is_left_out(tmp_path: Path) -> None:
    """An empty name at the end changes nothing."""
    node = helper.make_node("Gemm", ["x", "w", ""], ["y"])
    made = model([node], {"x": ["A", "B"], "w": ["C", 2]}, ["y"], {})
    assert rc.import_network(saved(made, tmp_path / "m.onnx")).functions[0].open_dims == ["A", "B"]


def test_zero_points(tmp_path: Path) -> None:
    """There are as many as scales, along an axis of known size, too."""
    node = helper.make_node("DequantizeLinear", ["x", "scales", "zeros"], ["y"], axis=0)
    shapes, kinds = {"x": [4, 3], "zeros": ["Z"]}, dict.fromkeys(("x", "zeros"), TensorProto.INT8)
    made = model([node], shapes, ["y"], {"scales": weight(4)}, dtypes=kinds)
    with pytest.raises(UnsupportedError, match=r"got 4 and Z, so axis 'Z' cannot be open"):
        rc.import_network(saved(made, tmp_path / "m.onnx"))


def test_sizes_that_differ(tmp_path: Path) -> None:
    """Known ones are compared too; so are axes with different names."""
    nodes = [helper.make_node("GatherElements", ["x", "i"], ["y"], axis=1, name="take")]
    for rows, remedy in ((4, "check its inputs"), ("N", "dims={'N': N}")):
        shapes = {"x": [rows, 3], "i": [6, 2]}
        path = saved(model(nodes, shapes, ["y"], {}, dtypes={"i": INT}), tmp_path / "m.onnx")
        with pytest.raises(UnsupportedError) as caught:
            rc.import_network(path)
        got = f"expected inputs with equal sizes along an axis, got {rows} and 6"
        assert f"'take' (GatherElements): {got}" in str(caught.value)
        assert remedy in str(caught.value)


_TWO = {"x": ["rows", 4], "z": [None, 4]}
_NODE: Any = helper.make_node


@pytest.mark.slow
@pytest.mark.parametrize(
    "node",
    [
        _NODE("Add", ["x", "z"], ["y"]),
        marked_slow(_NODE("Concat", ["x", "z"], ["y"], axis=1)),
        marked_slow(_NODE("MatMul", ["xt", "z"], ["y"])),
        marked_slow(_NODE("Gemm", ["x", "z"], ["y"], transA=1)),
        _NODE("Expand", ["z", "shape"], ["y"]),
    ],
    ids=lambda node: node.op_type,
)
def test_inputs_without_names_of_axes(node: Any, tmp_path: Path) -> None:
    before = [_NODE("Transpose", ["x"], ["xt"], perm=[1, 0]), _NODE("Shape", ["x"], ["shape"])]
    made = model([*before, node], _TWO, ["y"], {})
    run = loaded(rc.import_network(saved(made, tmp_path / "m.onnx")))
    given = {"x": weight(3, 4), "z": weight(3, 4)}
    close(run(**given).y, expected(made, given)[0])
    with pytest.raises(InvalidArgumentError, match=r"'z': expected shape .*rows.* = \[3, 4\], got"):
        run(x=weight(3, 4), z=weight(2, 4))


@pytest.mark.slow
def test_rows_and_lengths_of_a_reversal(tmp_path: Path) -> None:
    """In opset 17, steps are gathered by indices that are expanded to the shape of the array."""
    nodes = [_NODE("ReverseSequence", ["x", "n"], ["y"], batch_axis=0, time_axis=1)]
    made = model(nodes, {"x": [None, None, 2], "n": [None]}, ["y"], {}, dtypes={"n": INT})
    run = loaded(rc.import_network(saved(made, tmp_path / "m.onnx")))
    given = {"x": weight(3, 4, 2), "n": np.array([4, 1, 3])}
    close(run(**given).y, expected(made, given)[0])
    with pytest.raises(InvalidArgumentError, match=r"'n': expected shape .* = \[3\], got"):
        run(x=weight(3, 4, 2), n=np.array([4, 1]))


@pytest.mark.slow
@pytest.mark.parametrize("operator", first(["Where", "Sum"]))
def test_inputs_beside_a_constant(operator: str, tmp_path: Path) -> None:
    """Of a known shape, such as zeros that a mask selects, or of that of an input."""
    before = [
        _NODE("Shape", ["z"], ["shape"]),
        _NODE("ConstantOfShape", ["shape"], ["zeros"]),
        _NODE("Greater", ["z", "zero"], ["mask"]),
    ]
    names = {"Where": ["mask", "x", "zero"], "Sum": ["zeros", "z", "x"]}[operator]
    nodes = [*before, _NODE(operator, names, ["y"])]
    made = model(nodes, _TWO, ["y"], {"zero": np.float32(0)})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    assert module.functions[0].open_dims == ["rows"]
    given = {"x": weight(3, 4), "z": weight(3, 4)}
    close(loaded(module)(**given).y, expected(made, given)[0])


_OF_CONSTANTS: list[tuple[list[Any], Any]] = [
    (["n", 4], _NODE("Gemm", ["x", "w44", "w34"], ["y"])),
    ([1, "n", 9], _NODE("Conv", ["x", "w333"], ["y"])),
    ([1, "n", 9], _NODE("ConvTranspose", ["x", "w333"], ["y"])),
    ([2, "n"], _NODE("LayerNormalization", ["x", "w3"], ["y"])),
    ([2, "n"], _NODE("PRelu", ["x", "w3"], ["y"])),
    (["n", 4], _NODE("Add", ["x", "w34"], ["y"])),
    (["n", 4], _NODE("MatMul", ["w33", "x"], ["y"])),
    (["n", 4], _NODE("Reshape", ["x", "shape"], ["y"])),
    ([3, "n", 5], _NODE("BatchNormalization", ["x", "w3", "w3", "w3", "w3"], ["y"])),
    ([5, 2, "n"], _NODE("LSTM", ["x", "W", "R"], ["y"], hidden_size=5)),
]
"""Nodes whose weights, or constant shapes, fit one size of an axis."""


@pytest.mark.parametrize(
    ("shape", "node"), _OF_CONSTANTS, ids=lambda each: getattr(each, "op_type", "")
)
def test_axes_that_weights_determine(shape: list[Any], node: Any, tmp_path: Path) -> None:
    """Neither ONNX's inference nor IREE compares them, and code would read beyond the weights."""
    sizes = {"w3": [3], "w33": [3, 3], "w34": [3, 4], "w44": [4, 4], "w333": [3, 3, 3]}
    weights = {name: weight(*each) for name, each in sizes.items()} | lstm_weights()
    path = saved(
        model([node], {"x": shape}, ["y"], weights | {"shape": np.array([2, 6])}),
        tmp_path / "m.onnx",
    )
    with pytest.raises(UnsupportedError, match=rf"\({node.op_type}\).* axis 'n' cannot be open"):
        rc.import_network(path)
    assert rc.import_network(path, dims={"n": 3}).functions[0].results[0].shape


def test_the_axis_that_a_reshape_loses(tmp_path: Path) -> None:
    """Exporters write the batch of their example into shapes."""
    node = _NODE("Reshape", ["x", "shape"], ["y"])
    made = model([node], {"x": ["time", "batch", 6]}, ["y"], {"shape": np.array([0, 1, 3, 2])})
    with pytest.raises(UnsupportedError, match=r"got 6\*time and 6\*batch\*time, so axis 'batch'"):
        rc.import_network(saved(made, tmp_path / "m.onnx"))


_F, _U8 = FLOAT, int(TensorProto.UINT8)
_SCALARS: dict[str, Any] = {"s": np.float32(0.1), "z": np.uint8(3)}
_ROTARY = {"x": ["B", 2, "S", 8], "c": ["P", 4], "n": ["Q", 4], "i": ["R", "U"]}


@pytest.mark.parametrize(
    ("node", "shapes", "kinds", "axes"),
    [
        (
            _NODE("InstanceNormalization", ["x", "a", "b"], ["y"]),
            {"x": [2, "C", 5], "a": ["D"], "b": ["E"]},
            {},
            ["C"],
        ),
        (
            _NODE("ReverseSequence", ["x", "n"], ["y"], batch_axis=0, time_axis=1),
            {"x": ["B", "T", 3], "n": ["N"]},
            {"n": INT},
            ["B", "T"],
        ),
        marked_slow(
            (
                _NODE("RotaryEmbedding", ["x", "c", "n", "i"], ["y"]),
                _ROTARY,
                {"i": INT},
                ["B", "P", "S"],
            )
        ),
        marked_slow(
            (
                _NODE("RotaryEmbedding", ["x", "c", "n", ""], ["y"]),
                {"x": ["b", 2, "t", 4], "c": ["B", "T", 2], "n": ["B", "T", 2]},
                {},
                ["b", "t"],
            )
        ),
        (
            _NODE("Conv", ["x", "w"], ["y"], kernel_shape=[3]),
            {"x": [1, 2, 9], "w": [4, 2, "K"]},
            {},
            "axis 'K' cannot be open",
        ),
        (
            _NODE("MatMulInteger", ["x", "w", "", "p"], ["y"]),
            {"x": ["n", 3], "w": [3, 4], "p": ["P"]},
            {"x": _U8, "w": _U8, "p": _U8},
            "axis 'P' cannot be open",
        ),
        (
            _NODE("QLinearConv", ["x", "s", "z", "w", "a", "b", "s", "z"], ["y"]),
            {"x": [1, 2, 9], "w": ["M", 2, 3], "a": ["A"], "b": ["B"]},
            {"x": _U8, "w": _U8, "b": _U8},
            ["M"],
        ),
        (
            _NODE("QLinearMatMul", ["x", "s", "z", "w", "a", "z", "s", "z"], ["y"]),
            {"x": ["n", 3], "w": [3, 4], "a": ["A"]},
            {"x": _U8, "w": _U8},
            "axis 'A' cannot be open",
        ),
    ],
    ids=lambda each: getattr(each, "op_type", ""),
)
def test_parameters_of_operators(
    node: Any, shapes: Any, kinds: Any, axes: Any, tmp_path: Path
) -> None:
    """Of operators that are replaced by others, too."""
    opset = 23 if node.op_type == "RotaryEmbedding" else 17
    weights = {name: array for name, array in _SCALARS.items() if name in node.input}
    made = model([node], shapes, ["y"], weights, dtypes={**kinds, "y": _U8}, opset=opset)
    if "y" not in kinds:
        made.graph.output[0].type.Clear()
    path = saved(made, tmp_path / "m.onnx")
    if isinstance(axes, str):
        with pytest.raises(UnsupportedError, match=axes):
            rc.import_network(path)
    else:
        assert rc.import_network(path).functions[0].open_dims == axes
