"""Networks in float16 in WebAssembly, where IREE cannot widen float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import model, saved, weight

PRODUCTS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "rows": ("MatMul", (15, 20), (20, 4), {}),
    "row": ("MatMul", (1, 20), (20, 4), {}),
    "batch": ("MatMul", (3, 5, 20), (3, 20, 4), {}),
    "transposed": ("Gemm", (15, 20), (4, 20), {"transB": 1}),
    "windows": ("Conv", (1, 4, 9), (6, 4, 3), {}),
    "images": ("Conv", (1, 4, 9, 12), (6, 4, 3, 3), {}),
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


@pytest.mark.parametrize(
    "names", [["rows"], pytest.param([*PRODUCTS], marks=pytest.mark.slow)], ids=["rows", "all"]
)
@ways("js")
def test_products_are_those_of_python(names: list[str], execute: Execute, tmp_path: Path) -> None:
    module, inputs = network(names, tmp_path)
    got = execute(module, inputs)
    wanted = rc.runtime.load(rc.compile(module, "cpu:generic"), device="local-sync")(**inputs)
    for name, want in zip(names, wanted, strict=True):
        np.testing.assert_allclose(got[name], want, rtol=1e-3, atol=1e-5, err_msg=name)


@pytest.mark.slow
def test_other_arithmetic_is_refused(tmp_path: Path) -> None:
    node = helper.make_node("Add", ["x", "w"], ["y"])
    dtypes = dict.fromkeys(("x", "y"), TensorProto.FLOAT16)
    weights = {"w": weight(20).astype(np.float16)}
    made = model([node], {"x": (15, 20)}, ["y"], weights, dtypes=dtypes)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    with pytest.raises(UnsupportedError, match=r"widens float16 .* use float32 or bfloat16"):
        rc.compile_js(module)
