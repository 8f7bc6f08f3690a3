"""The rule of each operator gives the derivative of what the operator computes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper
from quick import SWEEP

import rnn_compiler as rc
from rnn_compiler.linking import linked_network
from rnn_compiler.lowering.networks.from_onnx import linalg_of_onnx
from rnn_compiler.network_import.graph.gradients.rules import RULES
from tests.network_import.gradients import backward, by_differences, results
from tests.network_import.graphs import folded, model

DOUBLE = onnx.TensorProto.DOUBLE


class Case(NamedTuple):
    """An operator with its inputs.

    Attributes:
        operator: Its name.
        inputs: Its float inputs: shapes, or numbers.
        attributes: Its attributes.
        constants: Further inputs, which are constant.
        opset: The version of ONNX's operators.
        outputs: The number of its results.
        places: The number of further results, of int64.
        order: The names of its inputs in order, if they are not the inputs and then the constants;
            a dash for one that is omitted.
    """

    operator: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = {}
    constants: Sequence[Any] = ()
    opset: int = 18
    outputs: int = 1
    places: int = 0
    order: str = ""


X = (2, 3, 4)
IMAGE = (2, 4, 5, 6)
KINKS = np.array([[-4.0, -3.2, -1.5, -0.7], [0.3, 0.6, 1.7, 5.0]])
POSITIVE = np.array([[0.2, 0.7, 1.5], [3.0, 2.1, 0.4]])
ZEROS = np.array([[0.0, 0.0, 2.0], [1.5, 3.0, 0.0]])
FLAT = np.array([[1.0, 2.0, -3.0], [0.5, -0.25, 4.0]])


PUT = np.array([[1, 0, 2], [0, 2, 1]])
ADDED = np.array([[1, 2], [3, 0], [1, 2]])
SCALES = np.array([1, 1, 0.5], np.float32)
ANGLES = np.cos(np.arange(6.0).reshape(3, 2)), np.sin(np.arange(6.0).reshape(3, 2))
TWICE = np.array([1, 1, 2, 2], np.float32)


def i64(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


CASES = [
    *(Case(name, [KINKS]) for name in ("Identity", "Neg", "Abs", "Exp", "Sin", "Cos", "Erf")),
    *(Case(name, [KINKS]) for name in ("Sigmoid", "Tanh", "Relu", "LeakyRelu", "Elu", "Selu")),
    *(Case(name, [KINKS]) for name in ("Celu", "HardSigmoid", "HardSwish", "Softplus", "Softsign")),
    *(Case(name, [KINKS]) for name in ("ThresholdedRelu",)),
    *(Case(name, [KINKS]) for name in ("Mish", "Shrink", "Atan", "Sinh", "Cosh", "Tan")),
    *(Case(name, [KINKS + 0.05]) for name in ("Floor", "Ceil", "Round", "Sign", "Hardmax")),
    *(Case(name, [KINKS / 6]) for name in ("Asin", "Acos")),
    *(Case(name, [POSITIVE]) for name in ("Log", "Sqrt", "Reciprocal")),
    Case("Shrink", [KINKS], {"lambd": 1.0, "bias": 0.2}),
    Case("Mod", [KINKS], {"fmod": 1}, [np.array(0.9)]),
    Case("Gelu", [KINKS], opset=20),
    Case("Gelu", [KINKS], {"approximate": "tanh"}, opset=20),
    Case("LeakyRelu", [KINKS], {"alpha": 0.3}),
    Case("Elu", [KINKS], {"alpha": 0.6}),
    Case("Celu", [KINKS], {"alpha": 0.6}),
    Case("HardSigmoid", [KINKS], {"alpha": 0.15, "beta": 0.4}),
    Case("ThresholdedRelu", [KINKS], {"alpha": 0.5}),
    Case("Dropout", [X]),
    Case("Cast", [X], {"to": DOUBLE}),
    Case("CastLike", [X], constants=[np.array(1.0)]),
    *(Case(name, [X, X]) for name in ("Add", "Sub", "Mul", "Max", "Min")),
    *(Case(name, [(3, 1), (2, 1, 4)]) for name in ("Add", "Sub", "Mul", "Max")),
    Case("Div", [X, 1.5 + np.arange(4.0)]),
    *(Case(name, [X, (4,), (3, 1)]) for name in ("Sum", "Mean", "Max", "Min")),
    Case("Pow", [FLAT], constants=[np.array(3.0)]),
    Case("Pow", [POSITIVE], constants=[np.array([0.5, 1.7, -2.5])]),
    Case("Pow", [FLAT], constants=[np.array(2.5)], order="c0 x0"),
    Case("Clip", [KINKS], constants=[np.array(-1.0), np.array(2.0)]),
    Case("Clip", [KINKS, np.array(-1.0), np.array(2.0)]),
    Case("Pow", [ZEROS], constants=[np.array([2.0, 0.0, 1.0])]),
    Case("Where", [X, (4,)], constants=[np.arange(12).reshape(3, 4) % 3 > 0], order="c0 x0 x1"),
    Case("PRelu", [KINKS, 0.3 + np.arange(4.0)]),
    *(
        Case(name, [POSITIVE], constants=[i64(1)])
        for name in (
            "ReduceSum",
            "ReduceMean",
            "ReduceMax",
            "ReduceMin",
            "ReduceSumSquare",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceProd",
        )
    ),
    Case("ReduceProd", [ZEROS], constants=[i64(1)]),
    Case("ReduceProd", [np.delete(ZEROS, 1, 1)], {"axes": [0], "keepdims": 0}, opset=17),
    *(
        Case(name, [X], {"noop_with_empty_axes": 1})
        for name in ("ReduceSum", "ReduceMean", "ReduceSumSquare")
    ),
    Case("ReduceMean", [X], {"keepdims": 0}, constants=[i64(0, -1)]),
    Case("Swish", [KINKS], {"alpha": 0.7}, opset=24),
    Case("RotaryEmbedding", [(1, 2, 3, 4)], constants=[*ANGLES, i64(0, 1, 2)[None]], opset=23),
    Case("ReduceMean", [X], {"axes": [1], "keepdims": 0}, opset=17),
    Case("ReduceMax", [X], {"axes": [-1]}, opset=17),
    Case("ReduceSum", [X], {"keepdims": 0}),
    *(Case(name, [X], {"axis": axis}) for name in ("Softmax", "LogSoftmax") for axis in (-1, 1)),
    Case("CumSum", [X], constants=[np.array(1, np.int64)]),
    Case("CumSum", [X], {"exclusive": 1, "reverse": 1}, constants=[np.array(1, np.int64)]),
    Case("Reshape", [X], constants=[i64(4, -1)]),
    Case("Flatten", [X]),
    Case("Squeeze", [(2, 1, 3)], constants=[i64(1)]),
    Case("Unsqueeze", [(2, 3)], constants=[i64(1)]),
    Case("Transpose", [X], {"perm": [1, 2, 0]}),
    Case("Transpose", [X]),
    Case("Concat", [X, (2, 1, 4)], {"axis": 1}),
    Case("Split", [X], {"axis": -1}, constants=[i64(1, 3)], outputs=2),
    Case("Expand", [(3, 1)], constants=[i64(2, 3, 4)]),
    Case("Tile", [(2, 3)], constants=[i64(2, 3)]),
    Case("Slice", [X], constants=[i64(1), i64(3), i64(-1)]),
    Case("Slice", [X], constants=[i64(-3), i64(100), i64(2)]),
    Case("Slice", [(2, 7)], constants=[i64(1), i64(6), i64(1), i64(2)]),
    Case("Slice", [(2, 7)], constants=[i64(-1), i64(-1000), i64(1), i64(-1)]),
    Case("Slice", [(2, 7)], constants=[i64(-2), i64(0), i64(1), i64(-3)]),
    Case("Pad", [(2, 3)], constants=[i64(1, 0, 0, 2)]),
    Case("Pad", [(2, 3)], constants=[i64(1, -1, 0, 2), np.array(0.5)]),
    Case("Pad", [(2, 4)], {"mode": "reflect"}, constants=[i64(0, 2, 0, 1)]),
    Case("Gather", [(5, 3)], constants=[i64(4, 0, 4, -1)]),
    Case("Gather", [(2, 5, 3)], {"axis": 1}, constants=[np.array([[1, 1], [-2, 0]])]),
    Case("Gather", [(2, 5, 3)], {"axis": 1}, constants=[np.array(-1)]),
    Case("Gather", [(2, 5, 3)], {"axis": 1}, constants=[np.array([[4, 0], [-2, 1]])]),
    Case("Gather", [(4, 3)], constants=[i64(2, 0, 3, 1)]),
    Case("GatherElements", [(4, 3)], {"axis": 0}, constants=[np.array([[1, 1, -1], [1, 0, 2]])]),
    Case("GatherND", [(3, 4, 2)], constants=[np.array([[0, 1], [2, -1], [0, 1]])]),
    Case("GatherND", [(2, 3, 4)], {"batch_dims": 1}, [np.array([[0], [-1]])]),
    Case("GatherND", [(2, 2, 5)], {"batch_dims": 2}, [np.array([[[0], [4]], [[1], [1]]])]),
    Case("ScatterND", [(4, 3), (2, 3)], constants=[np.array([[1], [-1]])], order="x0 c0 x1"),
    Case("ScatterND", [(4, 3), (3,)], {"reduction": "add"}, [ADDED], order="x0 c0 x1"),
    Case("ScatterElements", [(3, 3), (2, 3)], {"axis": 0}, [PUT], order="x0 c0 x1"),
    Case(
        "ScatterElements",
        [(2, 4), (2, 3)],
        {"axis": 1, "reduction": "add"},
        [PUT % 2],
        order="x0 c0 x1",
    ),
    Case("Scatter", [(3, 3), (2, 3)], {"axis": 0}, [PUT], opset=10, order="x0 c0 x1"),
    Case("TopK", [(2, 5)], constants=[i64(3)], places=1),
    Case("TopK", [(4, 3)], {"axis": 0, "largest": 0}, [i64(2)], places=1),
    Case("Trilu", [(2, 3, 4)], {"upper": 0}),
    Case("Trilu", [(3, 4)], constants=[np.array(1)]),
    Case("SpaceToDepth", [(1, 2, 4, 4)], {"blocksize": 2}),
    Case("DepthToSpace", [(1, 8, 2, 3)], {"blocksize": 2}),
    Case("DepthToSpace", [(1, 8, 2, 3)], {"blocksize": 2, "mode": "CRD"}),
    Case("ReverseSequence", [(4, 2, 3)], {"time_axis": 0, "batch_axis": 1}, [i64(3, 2)]),
    *(
        Case(
            "Resize",
            [(1, 2, 3, 4)],
            {"mode": mode, "coordinate_transformation_mode": places},
            [i64(1, 2, 6, 7)],
            order="x0 - - c0",
        )
        for mode in ("nearest", "linear", "cubic")
        for places in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    ),
    *(
        Case("Resize", [(1, 2, 6)], {"mode": mode}, [SCALES], order="x0 - c0")
        for mode in ("nearest", "linear")
    ),
    Case("Resize", [(1, 2, 6)], {"axes": [2]}, [np.array([3], np.float32)], order="x0 - c0"),
    *(
        Case("Upsample", [(1, 1, 2, 2)], {"mode": mode}, [TWICE], 9)
        for mode in ("nearest", "linear")
    ),
    Case("MatMul", [(2, 3), (3, 4)]),
    Case("MatMul", [X, (4, 2)]),
    Case("MatMul", [(2, 1, 3, 4), (5, 4, 2)]),
    Case("MatMul", [(4,), (2, 4, 3)]),
    Case("MatMul", [X, (4,)]),
    Case("MatMul", [(3,), (3,)]),
    Case("Gemm", [(2, 3), (3, 4), (4,)]),
    Case("Gemm", [(3, 2), (4, 3), (1, 4)], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 3.0}),
    Case("Einsum", [(2, 3, 4), (2, 4, 5)], {"equation": "bij,bjk->bik"}),
    Case("Einsum", [(2, 3), (4, 3)], {"equation": "bi, ji -> jb"}),
    Case("Einsum", [(2, 3, 4)], {"equation": "bij->jbi"}),
    Case("Einsum", [(2, 4), (4, 3), (4,)], {"equation": "bj,ji,j->bi"}),
    Case("Einsum", [(2, 3, 4), (2, 4, 5)], {"equation": "...ij,...jk->...ik"}),
    Case("Einsum", [(3, 2), (4, 3)], {"equation": "ij,ki"}),
    Case("Einsum", [(2, 3), (4,)], {"equation": "ij,k->k"}),
    Case("Einsum", [(2, 3)], {"equation": "ij->i"}),
    Case("Conv", [(2, 4, 9), (3, 4, 3), (3,)]),
    Case("Conv", [(2, 4, 9), (6, 2, 3)], {"group": 2, "pads": [1, 2]}),
    Case("Conv", [(2, 4, 10), (3, 4, 3)], {"strides": [2], "pads": [1, 0]}),
    Case("Conv", [(2, 4, 10), (4, 1, 3)], {"dilations": [3], "group": 4}),
    Case("Conv", [(2, 4, 11), (4, 1, 2)], {"strides": [3], "dilations": [2], "group": 4}),
    Case("Conv", [(2, 4, 9), (3, 4, 3)], {"auto_pad": "SAME_UPPER", "strides": [2]}),
    Case("Conv", [(2, 4, 8), (3, 4, 2)], {"auto_pad": "SAME_LOWER"}),
    Case("Conv", [(2, 3, 5, 6), (2, 3, 3, 2)], {"strides": [2, 1], "pads": [1, 0, 1, 1]}),
    Case("Conv", [(1, 2, 4), (2, 2, 1)], {"strides": [2], "pads": [2, 1]}),
    Case("Conv", [(2, 3, 5, 6), (4, 3, 5, 2)], {"strides": [3, 2]}),
    Case("Conv", [(1, 2, 9), (2, 2, 4)], {"strides": [2], "pads": [1, 1]}),
    Case("Conv", [(1, 2, 8), (2, 2, 2)], {"strides": [3], "pads": [1, 0]}),
    Case("Conv", [(1, 2, 5), (2, 2, 3)], {"strides": [2], "pads": [4, 3]}),
    Case(
        "Conv",
        [(1, 4, 6, 7), (4, 2, 3, 3)],
        {"group": 2, "strides": [2, 3], "pads": [1, 1, 1, 1]},
    ),
    Case("Conv", [(2, 3, 6, 5), (4, 3, 2, 3)], {"dilations": [1, 2], "pads": [1, 0, 0, 0]}),
    Case("Conv", [(2, 3, 5, 3), (4, 3, 3, 3)], {"dilations": [2, 1]}),
    Case("ConvTranspose", [(2, 4, 5), (4, 3, 3), (3,)]),
    Case("ConvTranspose", [(2, 4, 5), (4, 3, 3)], {"strides": [2], "pads": [1, 1]}),
    Case("ConvTranspose", [(2, 3, 2, 3), (3, 2, 2, 3)], {"strides": [1, 2]}),
    Case("MaxPool", [(2, 2, 8)], {"kernel_shape": [2], "strides": [2]}),
    Case("MaxPool", [(1, 2, 5, 6)], {"kernel_shape": [3, 2], "pads": [1, 1, 1, 1]}),
    Case("MaxPool", [(1, 2, 7, 7)], {"kernel_shape": [2, 2], "strides": [2, 3]}),
    Case("MaxPool", [(1, 2, 9)], {"kernel_shape": [3], "dilations": [2]}),
    Case("MaxPool", [(1, 2, 7)], {"kernel_shape": [2], "strides": [2], "ceil_mode": 1}),
    Case("AveragePool", [(2, 2, 8)], {"kernel_shape": [2], "strides": [2]}),
    Case("AveragePool", [(1, 2, 5, 6)], {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1]}),
    Case(
        "AveragePool",
        [(1, 2, 7)],
        {"kernel_shape": [3], "strides": [2], "pads": [1, 1], "count_include_pad": 1},
    ),
    Case("GlobalAveragePool", [IMAGE]),
    Case("GlobalMaxPool", [IMAGE]),
    Case(
        "BatchNormalization",
        [(2, 3, 4), (3,), (3,)],
        constants=[np.array([0.1, -0.2, 0.3]), np.array([1.0, 0.5, 2.0])],
    ),
    Case("LpNormalization", [X], {"axis": 1}),
    Case("LpNormalization", [POSITIVE], {"axis": 0, "p": 1}),
    Case("LRN", [(4, 4, 2, 2)], {"size": 3, "alpha": 0.3, "beta": 0.6, "bias": 2.0}),
    Case("MeanVarianceNormalization", [(2, 3, 2, 2)]),
    Case("CenterCropPad", [(3, 4)], constants=[i64(2, 6)]),
    Case("LayerNormalization", [X, (4,)]),
    Case("LayerNormalization", [X, (4,), (4,)]),
    Case("LayerNormalization", [X, (3, 4)], {"axis": 1, "epsilon": 1e-2}),
    Case("InstanceNormalization", [(2, 3, 5), (3,), (3,)]),
    Case(
        "GroupNormalization", [(2, 4, 5), (4,), (4,)], {"num_groups": 2, "epsilon": 0.01}, opset=21
    ),
]


def made(case: Case) -> tuple[Any, dict[str, Any]]:
    """The model of a case, and its inputs."""
    rng = np.random.default_rng(1)
    given = {
        f"x{k}": rng.standard_normal(each) if isinstance(each, tuple) else np.array(each)
        for k, each in enumerate(case.inputs)
    }
    constants = {f"c{k}": np.asarray(each) for k, each in enumerate(case.constants)}
    names = case.order.split() or [*given, *constants]
    floats, places = (
        [f"{name}{k}" for k in range(count)]
        for name, count in (("y", case.outputs), ("i", case.places))
    )
    outputs = [*floats, *places]
    inputs = ["" if name == "-" else name for name in names]
    node = helper.make_node(case.operator, inputs, outputs, name="node", **case.attributes)
    shapes = {name: array.shape for name, array in given.items()}
    dtypes = dict.fromkeys((*given, *floats), DOUBLE) | dict.fromkeys(
        places, onnx.TensorProto.INT64
    )
    return model([node], shapes, outputs, constants, dtypes=dtypes, opset=case.opset), given


def label(case: Case) -> str:
    return "-".join([case.operator, *(f"{k}={v}" for k, v in case.attributes.items())])


@pytest.mark.parametrize("case", CASES, ids=label)
def test_derivatives(case: Case, tmp_path: Path) -> None:
    """In float64, by central differences of every element of every input."""
    one, given = made(case)
    wanted = [*given]
    plain = folded(one, tmp_path / "m.onnx").model
    rng = np.random.default_rng(2)
    upstream = [rng.standard_normal(each.shape) for each in results(plain, given)[: case.outputs]]
    feeds = {f"dy{k}": each for k, each in enumerate(upstream)}
    found = results(backward(one, wanted, tmp_path), {**given, **feeds})
    right = by_differences(plain, given, upstream, wanted)
    for name, got, gradient in zip(wanted, found, right, strict=True):
        assert got.shape == given[name].shape
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, gradient, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.parametrize(
    ("parts", "is_whole"),
    [([(3, 5), (0, 2), (2, 3)], True), ([(3, 5), (0, 2)], False), ([(1, 5), (0, 3)], False)],
    ids=["all", "a gap", "twice"],
)
def test_parts_in_another_order(
    parts: Sequence[tuple[int, int]], is_whole: bool, tmp_path: Path
) -> None:
    """As the gates of a layer; their gradients are put in order, not added up with zeros."""
    nodes, constants = list[Any](), {"axis": i64(1)}
    for k, (start, end) in enumerate(parts):
        constants |= {f"start{k}": i64(start), f"end{k}": i64(end)}
        names = ["x", f"start{k}", f"end{k}", "axis"]
        nodes.append(helper.make_node("Slice", names, [f"part{k}"], name=f"slice{k}"))
    names = [f"part{k}" for k in range(len(parts))]
    nodes.append(helper.make_node("Concat", names, ["y0"], name="concat", axis=1))
    dtypes = dict.fromkeys(("x", "y0"), DOUBLE)
    one = model(nodes, {"x": (3, 5)}, ["y0"], constants, dtypes=dtypes)
    given = {"x": np.random.default_rng(1).standard_normal((3, 5))}
    plain = folded(one, tmp_path / "m.onnx").model
    dy = np.random.default_rng(2).standard_normal(results(plain, given)[0].shape)
    by_rule = backward(one, ["x"], tmp_path)
    (found,) = results(by_rule, {**given, "dy0": dy})
    (right,) = by_differences(plain, given, [dy], ["x"])
    np.testing.assert_allclose(found, right, rtol=1e-6, atol=1e-7)
    assert is_whole == {"Add", "Pad"}.isdisjoint(node.op_type for node in by_rule.graph.node)


def test_every_rule_is_tested() -> None:
    """Except recurrent ones, which are ops of ours with tests of their own."""
    assert {case.operator for case in CASES} >= {name for name in RULES if "." not in name}


REWRITTEN = {
    *(
        "Attention",
        "CenterCropPad",
        "DepthToSpace",
        "GroupNormalization",
        "ReduceLogSumExp",
        "Swish",
    ),
    *("MeanVarianceNormalization", "RMSNormalization", "ReverseSequence", "RotaryEmbedding"),
    "Upsample",
}
"""Operators that the import writes as others."""


def test_the_documented_operators() -> None:
    """Docs list those that have rules, and those that are written as these."""
    text = (Path(rc.__file__).parents[1] / "docs" / "train_networks.md").read_text()
    table = text.partition("These have one:")[2].partition("For other operators")[0]
    listed = set(re.findall(r"`(\w+)`", table))
    assert listed == {name.removeprefix("onnx.") for name in RULES} | REWRITTEN


def in_float32(case: Case) -> tuple[Any, dict[str, Any]]:
    """The model of a case and its inputs, all floats of which are float32."""
    one, given = made(case)
    for value in (*one.graph.input, *one.graph.output):
        if value.type.tensor_type.elem_type == DOUBLE:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    for tensor in one.graph.initializer:
        if tensor.data_type == DOUBLE:
            array = onnx.numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    for attribute in one.graph.node[0].attribute:
        attribute.i = onnx.TensorProto.FLOAT if attribute.name == "to" else attribute.i
    return one, {name: array.astype(np.float32) for name, array in given.items()}


TOGETHER = 12
"""How many gradients are compiled as one module."""


def kinds(made: Any) -> set[tuple[Any, ...]]:
    """The nodes of a model without numbers: operators, names of attributes, types and ranks."""
    graph = made.graph
    types = {tensor.name: (tensor.data_type, len(tensor.dims)) for tensor in graph.initializer}
    for each in (*graph.input, *graph.value_info, *graph.output):
        kind = each.type.tensor_type
        types[each.name] = kind.elem_type, len(kind.shape.dim)
    return {
        (
            *(node.op_type, *map(types.get, node.input)),
            *sorted(each.name for each in node.attribute),
        )
        for node in graph.node
    }


@pytest.mark.slow
def test_compiled_gradients(tmp_path: Path) -> None:
    """IREE's importer takes the nodes of each rule, and computes what they say.

    Of the cases above, those that have kinds of nodes which none before has.
    """
    seen = set[Any]()
    chosen: list[tuple[Case, Any, dict[str, Any]]] = []
    for case in CASES:
        one, given = in_float32(case)
        by_rule = backward(one, [*given], tmp_path)
        if SWEEP or not kinds(by_rule) <= seen:
            plain = results(folded(one, tmp_path / "m.onnx").model, given)[: case.outputs]
            chosen.append((case, by_rule, given | upstream_of(plain)))
        seen |= kinds(by_rule)
    for first in range(0, len(chosen), TOGETHER):
        compare(chosen[first : first + TOGETHER])


def upstream_of(plain: Sequence[Any]) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {f"dy{k}": rng.standard_normal(y.shape).astype(np.float32) for k, y in enumerate(plain)}


def compare(cases: Sequence[tuple[Case, Any, Mapping[str, Any]]]) -> None:
    """Compiles gradients as one module, and compares their numbers."""
    models = {f"f{k}": by_rule for k, (_, by_rule, _) in enumerate(cases)}
    module = linked_network(linalg_of_onnx(models, "gradients"))
    program = rc.runtime.load(rc.compile(module))
    for spec, (case, by_rule, feeds) in zip(module.functions, cases, strict=True):
        inputs = [feeds[each.name] for each in by_rule.graph.input]
        given = {each.name: feed for each, feed in zip(spec.arguments, inputs, strict=True)}
        made = getattr(program, spec.function)(**given)
        made = made if isinstance(made, tuple) else [made]
        for got, right in zip(made, results(by_rule, feeds), strict=True):
            np.testing.assert_allclose(got, right, 1e-4, 1e-5, err_msg=label(case))
