"""All convolutions of networks give the results of onnx's reference implementation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import helper

from rnn_compiler.compilation import lowered_text
from tests.network_import.graphs import expected, joined, model, saved, weight

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "one step": ((1, 64, 3), (128, 64, 3), {}),
    "strides, padding": ((1, 24, 37), (40, 24, 5), {"strides": [3], "pads": [2, 1]}),
    "dilations, a batch": ((3, 12, 37), (40, 12, 3), {"dilations": [4], "pads": [0, 4]}),
    "two axes": ((1, 8, 13, 11), (24, 8, 3, 3), {"strides": [2, 1], "pads": [1, 0, 1, 1]}),
    "two axes, a batch": ((2, 8, 9, 7), (32, 8, 3, 2), {"dilations": [1, 2]}),
    "two axes, many places": (
        (2, 8, 9, 12),
        (32, 8, 3, 3),
        {"dilations": [2, 1], "pads": [1, 0, 1, 0]},
    ),
    "two axes, many places, steps of three": ((1, 8, 22, 30), (32, 8, 3, 3), {"strides": [1, 3]}),
    "a row is less than a vector": ((1, 200, 13, 13), (16, 200, 3, 3), {"pads": [1, 1, 1, 1]}),
    "some rows at a time": ((1, 120, 20, 32), (9, 120, 3, 3), {}),
    "steps of two, a batch": (
        (2, 8, 19, 31),
        (13, 8, 3, 5),
        {"strides": [2, 2], "dilations": [2, 1], "pads": [0, 1, 2, 0]},
    ),
    "windows of one number": ((1, 16, 8, 9), (32, 16, 1, 1), {}),
    "windows of one number, padding behind": (
        (1, 16, 8, 9),
        (32, 16, 1, 1),
        {"pads": [0, 0, 1, 1]},
    ),
    "windows of one number, a column behind": (
        (1, 16, 8, 9),
        (32, 16, 1, 1),
        {"pads": [0, 0, 0, 7]},
    ),
    "windows of one number, steps behind": ((2, 24, 77), (19, 24, 1), {"pads": [0, 3]}),
    "windows of one number, a batch": ((3, 16, 9, 11), (21, 16, 1, 1), {}),
    "a sequence, a batch": ((3, 24, 131), (19, 24, 5), {"strides": [2], "pads": [2, 3]}),
    "a sequence of windows of one number": ((2, 24, 77), (19, 24, 1), {}),
    "a step of two, whole vectors": ((1, 16, 16, 32), (32, 16, 1, 1), {"strides": [2, 2]}),
    "padding that no window reads": ((1, 64, 4), (96, 64, 3), {"strides": [2], "pads": [1, 1]}),
    "padding behind a single window": (
        (1, 64, 2),
        (64, 64, 3),
        {"strides": [2], "pads": [1, 1]},
    ),
    "input that no window reads": ((1, 64, 6), (96, 64, 3), {"strides": [2]}),
    "input of two axes that none reads": ((1, 8, 8, 13), (64, 8, 3, 3), {"strides": [2, 4]}),
    "groups": ((1, 16, 20), (32, 4, 3), {"group": 4}),
    "depthwise": ((1, 32, 20), (32, 1, 3), {"group": 32}),
}


SOME = (
    *("dilations, a batch", "two axes, many places", "a row is less than a vector"),
    *("some rows at a time", "windows of one number, a batch", "groups"),
)

OTHERS = [name for name in CASES if name not in SOME]


def network(names: Iterable[str] = CASES) -> tuple[Any, dict[str, Any]]:
    """A network with a convolution of some kinds, with a bias and without; inputs for it."""
    inputs: dict[str, Any] = {}
    weights: dict[str, Any] = {}
    nodes: list[Any] = []
    for number, (given, filters, attributes) in enumerate(CASES[name] for name in names):
        inputs[f"x{number}"] = weight(*given)
        weights[f"w{number}"] = weight(*filters)
        names = [f"x{number}", f"w{number}"]
        if number % 2 == 0:
            weights[f"b{number}"] = weight(filters[0])
            names.append(f"b{number}")
        kernel = {"kernel_shape": filters[2:]}
        more = {**kernel, **attributes, "name": f"n{number}"}
        nodes.append(helper.make_node("Conv", names, [f"y{number}"], **more))
    outputs = [f"y{number}" for number in range(len(inputs))]
    return model(nodes, {name: a.shape for name, a in inputs.items()}, outputs, weights), inputs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "target"), [(SOME, "cpu"), (OTHERS, "cpu"), (CASES, "cpu:generic")]
)
def test_every_kind(names: Iterable[str], target: str, tmp_path: Path) -> None:
    made, inputs = network(names)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    out = rc.runtime.load(rc.compile(module, target), device="local-sync")(**inputs)
    for name, got, want in zip(names, out, expected(made, inputs), strict=True):
        assert got.shape == want.shape, name
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-5, err_msg=name)


@pytest.mark.slow
def test_those_without_groups_are_products(tmp_path: Path) -> None:
    module = rc.import_network(saved(network()[0], tmp_path / "m.onnx"))
    text = lowered_text(module, "cpu:generic", last="linalg_to_products")
    grouped = sum("group" in attributes for _, _, attributes in CASES.values())
    ours = text.count("stablehlo.dot_general") + text.count("call @convolution_")
    assert ours == len(CASES) - grouped


SIZES = [
    ((1, 8, 9, 20), (24, 8, 3, 3)),
    ((2, 3, 11, 7), (17, 3, 3, 5)),  # vectors of a row overlap, and so do tiles
    ((1, 130, 11, 11), (16, 130, 3, 3)),  # a row is less than a vector
    ((1, 16, 2, 33), (8, 16, 5, 3)),  # most windows of a column are in the padding
    ((2, 24, 7, 13), (21, 24, 1, 1)),  # read in place
    ((1, 40, 26, 27), (17, 40, 3, 3)),  # blocks begin within rows
    ((1, 8, 12, 13), (101, 8, 3, 3)),  # few blocks, each with half of the filters
]


def followed(
    sizes: tuple[int, ...], filters: tuple[int, ...], chosen: slice = slice(None)
) -> tuple[Any, dict[str, Any]]:
    """Convolutions with some of what may follow them in a network; two of them are read twice."""
    weights: dict[str, Any] = {"b": weight(filters[0])}
    weights |= {name: weight(filters[0]) for name in ("mean", "scale", "shift")}
    weights |= {"variance": weight(filters[0]) ** 2 + 1, "low": np.float32(-0.5)}
    weights |= {"high": np.float32(0.75), "slope": weight(filters[0], 1, 1)}
    padded = {"kernel_shape": filters[2:], "pads": [filters[2] // 2, filters[3] // 2] * 2}
    chains: dict[str, list[Any]] = {
        "plain": [("Identity", [""], {})],
        "relu": [("Relu", [""], {})],
        "leaky": [("LeakyRelu", [""], {"alpha": 0.1})],
        "clip": [("Clip", ["", "low", "high"], {})],
        "tanh": [("Tanh", [""], {})],
        "sigmoid": [("Sigmoid", [""], {})],
        "hard": [("HardSwish", [""], {})],
        "normalized": [("BatchNormalization", ["", "scale", "shift", "mean", "variance"], {})],
        "slopes": [("PRelu", ["", "slope"], {})],
        "residual": [("Add", ["r", ""], {}), ("Relu", [""], {})],
        "residual of filters": [("Mul", ["", "slope"], {}), ("Sub", ["", "r"], {})],
        "of both": [("Relu", [""], {})],
        "swish": [("Sigmoid", [""], {}), ("Mul", ["swish.c", ""], {})],
    }
    nodes: list[Any] = []
    names = [*chains][chosen]
    for name, chain in ((name, chains[name]) for name in names):
        weights[last := f"{name}.w"] = weight(*filters)  # equal convolutions would be one
        nodes.append(helper.make_node("Conv", ["x", last, "b"], [f"{name}.c"], **padded))
        last = f"{name}.c"
        for number, (operator, inputs, attributes) in enumerate(chain):
            given = [each or last for each in inputs]
            last = f"{name}.{number}"
            nodes.append(helper.make_node(operator, given, [last], **attributes))
        nodes[-1].output[0] = name
    inputs = {"x": weight(*sizes), "r": weight(sizes[0], filters[0], *sizes[2:])}
    shapes = {name: array.shape for name, array in inputs.items()}
    outputs = [*names, *(["of both.c"] if "of both" in names else [])]
    return model(nodes, shapes, outputs, weights), inputs


TARGETS = ["cpu:generic", "cpu:x86-64-v3", "cpu"]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_what_follows_a_convolution(target: str, tmp_path: Path) -> None:
    """All sizes for each target, each with a sixth of what follows, that differs by the target."""
    parts = [
        followed(*each, slice((k + 2 * TARGETS.index(target)) % 6, None, 6))
        for k, each in enumerate(SIZES)
    ]
    made = joined([each for each, _ in parts])
    inputs = {f"m{k}_{key}": a for k, (_, given) in enumerate(parts) for key, a in given.items()}
    inputs = {each.name: inputs[each.name] for each in made.graph.input}
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    names = [each.name for each in module.functions[0].results]
    given = {each.name: inputs[each.name] for each in module.functions[0].arguments}
    out = rc.runtime.load(rc.compile(module, target), device="local-sync")(**given)
    for name, got, want in zip(names, out, expected(made, inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-5, err_msg=name)


def test_what_follows_is_computed_with_a_convolution(tmp_path: Path) -> None:
    """Neither padding nor elementwise functions are left, but of a convolution read twice."""
    onnx_model, _ = followed(*SIZES[0])
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    before = lowered_text(module, "cpu:generic", last="assemble_in_place")
    after = lowered_text(module, "cpu:generic", last="linalg_to_products")
    assert "tensor.pad" in before
    assert after.count("call @convolution_") == 13
    assert before.count("linalg.generic") > 20
    assert after.count("linalg.generic") == 3  # and the deviation of each filter


def test_training_computes_relu_with_a_convolution(tmp_path: Path) -> None:
    """Its gradient reads the result alone, so `train` and `infer` share the dispatch."""
    weights = {"w": weight(24, 8, 3, 3), "b": weight(24), "v": weight(24, 5)}
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("ReduceMean", ["r"], ["m"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["m", "v"], ["y"]),
    ]
    path = saved(model(nodes, {"x": (2, 8, 9, 20)}, ["y"], weights), tmp_path / "m.onnx")
    module = rc.training_step(path, loss={"name": "cross_entropy"}, optimizer={"name": "sgd"})
    after = lowered_text(module, "cpu:generic", last="linalg_to_products")
    assert after.count("func.func private @convolution_") == 1
    assert after.count("call @convolution_") == 2


@pytest.mark.slow
@each_language
def test_single_windows_read_no_more_than_their_size(agrees: Any) -> None:
    """Products of ours, ops left to IREE, and pools; the input continues after the windows."""
    inputs = {"large": weight(1, 64, 3), "small": weight(1, 4, 3), "two": weight(1, 4, 3, 3)}
    weights = {"filters": weight(32, 64, 2), "few": weight(8, 4, 2)}
    nodes = [
        helper.make_node(operator, given, [f"y{k}"], kernel_shape=size, strides=size, name=f"n{k}")
        for k, (operator, given, size) in enumerate(
            (
                ("Conv", ["large", "filters"], [2]),
                ("Conv", ["small", "few"], [2]),
                ("MaxPool", ["small"], [2]),
                ("AveragePool", ["two"], [2, 2]),
            )
        )
    ]
    shapes = {name: array.shape for name, array in inputs.items()}
    agrees(model(nodes, shapes, [f"y{k}" for k in range(len(nodes))], weights), inputs)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu:generic", "cpu"])
def test_pools(target: str, tmp_path: Path) -> None:
    """Windows of one and two axes, next to each other, overlapping and apart, and padded ones."""
    images, lines = weight(2, 3, 13, 21), weight(1, 5, 37)
    cases: list[tuple[str, str, dict[str, Any]]] = [
        ("MaxPool", "images", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("MaxPool", "images", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("MaxPool", "images", {"kernel_shape": [3, 2], "strides": [1, 2], "dilations": [2, 3]}),
        ("MaxPool", "images", {"kernel_shape": [1, 2], "strides": [1, 3]}),
        ("MaxPool", "lines", {"kernel_shape": [4], "strides": [2], "pads": [1, 1]}),
        ("AveragePool", "images", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("AveragePool", "images", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("AveragePool", "lines", {"kernel_shape": [5], "strides": [2]}),
    ]
    nodes = [
        helper.make_node(operator, [given], [f"y{k}"], f"n{k}", **attributes)
        for k, (operator, given, attributes) in enumerate(cases)
    ]
    inputs = {"images": images, "lines": lines}
    shapes = {name: array.shape for name, array in inputs.items()}
    onnx_model = model(nodes, shapes, [f"y{k}" for k in range(len(cases))], {})
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    text = lowered_text(module, target, last="pools")
    assert text.count("call @pool_") == len(cases) - 1  # one moves by three columns
    out = rc.runtime.load(rc.compile(module, target), device="local-sync")(**inputs)
    for got, want, case in zip(out, expected(onnx_model, inputs), cases, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6, err_msg=str(case))
    images[0, 1, 4, 5], images[1, 2, 0, 0] = np.nan, -0.0
    plain = rc.compile(module, target, strategy="portable")
    same = rc.runtime.load(plain, device="local-sync")(**inputs)
    out = rc.runtime.load(rc.compile(module, target), device="local-sync")(**inputs)
    for got, want, case in zip(out, same, cases, strict=True):
        np.testing.assert_array_equal(got, want, err_msg=str(case))


@pytest.mark.slow
@each_language
def test_maxima_of_large_windows_are_taken_axis_by_axis(execute: Execute, tmp_path: Path) -> None:
    """The same numbers, also with padding on one side, of which IREE leaves a number in float64."""
    x = weight(2, 3, 23, 17)
    cases = [  # window, strides, dilations, padding before and after
        ([5, 7], [1, 1], [1, 1], [2, 3, 2, 3]),
        ([5, 5], [2, 3], [1, 1], [2, 1, 0, 2]),
        ([5, 4], [2, 2], [2, 3], [0, 0, 0, 0]),
    ]
    names = "kernel_shape", "strides", "dilations", "pads"
    nodes = [
        helper.make_node(
            "MaxPool", ["x"], [f"y{k}"], f"n{k}", **dict(zip(names, case, strict=True))
        )
        for k, case in enumerate(cases)
    ]
    onnx_model = model(nodes, {"x": x.shape}, [f"y{k}" for k in range(len(cases))], {})
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    assert str(module).count("linalg.pooling_nchw_max") == 2 * len(cases)
    out = execute(module, {"x": x}).values()
    for got, (window, strides, dilations, pads) in zip(out, cases, strict=True):
        around = [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])]
        padded = np.pad(x, around, constant_values=-np.inf)
        span = [(size - 1) * apart + 1 for size, apart in zip(window, dilations, strict=True)]
        windows = np.lib.stride_tricks.sliding_window_view(padded, span, (2, 3))
        taken = windows[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
        np.testing.assert_array_equal(got, taken.max((-1, -2)))
