"""Networks in float16 in WebAssembly, where IREE cannot widen float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import loaded, model, saved, weight

PRODUCTS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "rows": ("MatMul", (15, 20), (20, 4), {}),
    "row": ("MatMul", (1, 20), (20, 4), {}),
    "batch": ("MatMul", (3, 5, 20), (3, 20, 4), {}),
    "transposed": ("Gemm", (15, 20), (4, 20), {"transB": 1}),
    "windows": ("Conv", (1, 4, 9), (6, 4, 3), {}),
    "images": ("Conv", (1, 4, 9, 12), (6, 4, 3, 3), {}),
    "volumes": ("Conv", (1, 2, 5, 5, 5), (3, 2, 3, 3, 3), {}),
    "grouped": ("Conv", (1, 4, 9), (6, 2, 3), {"group": 2}),
    "groups": ("Conv", (1, 4, 9, 9), (6, 2, 3, 3), {"group": 2}),
    "channels": ("Conv", (1, 4, 9), (4, 1, 3), {"group": 4}),
}


def network(names: list[str], folder: Path) -> tuple[rc.Module, dict[str, Any]]:
    """Some of the products, and inputs for them."""
    weights = {f"w_{name}": weight(*PRODUCTS[name][2]).astype(np.float16) for name in names}
    inputs = {f"x_{name}": weight(*PRODUCTS[name][1]).astype(np.float16) for name in names}
    nodes = [
        helper.make_node(PRODUCTS[name][0], [f"x_{name}", f"w_{name}"], [name], **PRODUCTS[name][3])
        for name in names
    ]
    dtypes = dict.fromkeys((*inputs, *names), TensorProto.FLOAT16)
    shapes = {name: array.shape for name, array in inputs.items()}
    made = model(nodes, shapes, names, weights, dtypes=dtypes)
    return rc.import_network(saved(made, folder / "m.onnx")), inputs


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [["rows", "grouped", "channels"], [*PRODUCTS]],
    ids=["some", "all"],
)
@ways("js")
def test_products_are_those_of_python(names: list[str], execute: Execute, tmp_path: Path) -> None:
    module, inputs = network(names, tmp_path)
    got = execute(module, inputs)
    wanted = loaded(module)(**inputs)
    for name, want in zip(names, wanted, strict=True):
        np.testing.assert_allclose(got[name], want, rtol=1e-3, atol=1e-5, err_msg=name)


def drawn(*shape: int) -> Any:
    """The same numbers in any order of tests: others may lie on the edge of two roundings."""
    return (np.random.default_rng(shape).standard_normal(shape) * 0.4).astype(np.float32)


OTHERS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "sum": ("Add", {"sum_w": drawn(3, 4, 8)}, {}),
    "quotient": ("Div", {"quotient_w": drawn(8) + 2}, {}),
    "tangent": ("Tanh", {}, {}),
    "gate": ("Sigmoid", {}, {}),
    "error": ("Erf", {}, {}),
    "power": ("Pow", {"power_w": np.array(2)}, {}),
    "clipped": ("Clip", {"clipped_low": np.array(-0.5), "clipped_high": np.array(0.5)}, {}),
    "rectified": ("Relu", {}, {}),
    "mean": ("ReduceMean", {}, {"axes": [2]}),
    "greatest": ("ReduceMax", {}, {"axes": [2]}),
    "normal": ("LayerNormalization", {"normal_g": drawn(8), "normal_b": drawn(8)}, {}),
    "running": ("CumSum", {"axis": np.array(1, np.int64)}, {}),
    "maxima": ("MaxPool", {}, {"kernel_shape": [2], "strides": [2]}),
    "means": ("AveragePool", {}, {"kernel_shape": [3], "strides": [2]}),
    "whole": ("Cast", {}, {"to": TensorProto.INT32}),
    "wide": ("Cast", {}, {"to": TensorProto.FLOAT}),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ["sum", "tangent", "mean", "maxima", "whole"],
        [*OTHERS],
    ],
    ids=["some", "all"],
)
@ways("js")
def test_arithmetic_has_the_bits_of_python(
    names: list[str], execute: Execute, tmp_path: Path
) -> None:
    weights = {
        key: array if array.dtype.kind == "i" and array.ndim == 0 and key == "axis"
        else array.astype(np.float16)
        for name in names
        for key, array in OTHERS[name][1].items()
    }  # fmt: skip
    nodes = [
        helper.make_node(OTHERS[name][0], ["x", *OTHERS[name][1]], [name], **OTHERS[name][2])
        for name in names
    ]
    dtypes = dict.fromkeys(("x", *names), TensorProto.FLOAT16)
    dtypes |= {"whole": TensorProto.INT32, "wide": TensorProto.FLOAT}
    made = model(nodes, {"x": (3, 4, 8)}, names, weights, dtypes=dtypes)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    x = (4 * drawn(3, 4, 8)).astype(np.float16)
    x[0, 0, :4] = np.inf, -np.inf, 6e-8, 65504
    got = execute(module, {"x": x})
    wanted = rc.runtime.load(rc.compile(module, "cpu"), device="local-sync")(x=x)
    for name, want in zip(names, wanted, strict=True):
        if name == "means":  # JavaScript sums them in float32; sums of float16 reach 32 here
            np.testing.assert_allclose(got[name], want, rtol=2e-3, atol=2**-9, err_msg=name)
        elif name == "whole":  # of an infinity, integers differ by processor
            np.testing.assert_array_equal(got[name].flat[2:], want.flat[2:], err_msg=name)
        else:
            np.testing.assert_array_equal(got[name], want, err_msg=name)
