"""Operators for which a processor may lack an instruction, on each kind of processor.

C modules depend on libc alone and WebAssembly on nothing, so no function of libm may be called.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import Execute, ways
from quick import first

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import expected, model, saved

NODES: dict[str, dict[str, Any]] = {
    **{key: {} for key in ("Round", "Ceil", "Floor", "Sign", "Erf", "Exp", "Log", "Sin", "Tanh")},
    **{key: {} for key in ("Softplus", "Elu", "HardSwish", "Sqrt", "Atan")},
    **{key: {} for key in ("Cos", "Tan", "Sinh", "Cosh", "Asinh", "Sigmoid", "Selu")},
    **{key: {"axis": -1} for key in ("Softmax", "LogSoftmax", "ArgMax", "Hardmax")},
    "ReduceMax": {"axes": [-1]},
    "ReduceLogSumExp": {},
    "ReduceLogSum": {},
}

ROUNDED = ("Round", "Ceil", "Floor", "Sign", "ArgMax", "Hardmax", "ReduceMax")
"""Operators without an error."""

FLOAT32 = ("HardSwish", "Selu")
"""Operators whose constants onnx has in float32."""

EDGES = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -0.3, 0.7, -1.0, 3.0, 8388607.5, -8388609.0]


def network(dtype: str, folder: Path) -> tuple[rc.Module, dict[str, Any], dict[str, Any]]:
    """All operators, on numbers that are hard to round; what they give."""
    kind = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}[dtype]
    numbers = np.array([EDGES, [*map(abs, EDGES)]], dtype)
    inputs = {"x": numbers, "small": np.clip(numbers, 0.1, 3).astype(dtype)}
    nodes = [
        helper.make_node(op, ["x" if op in ROUNDED else "small"], [op], name=op, **attributes)
        for op, attributes in NODES.items()
    ]
    dtypes = {**dict.fromkeys((*inputs, *NODES), kind), "ArgMax": TensorProto.INT64}
    shapes = {name: array.shape for name, array in inputs.items()}
    made = model(nodes, shapes, [node.name for node in nodes], {}, dtypes=dtypes)
    wanted = dict(zip((node.name for node in nodes), expected(made, inputs), strict=True))
    wanted["Erf"] = np.vectorize(math.erf)(inputs["small"])  # onnx computes it in float32
    return rc.import_network(saved(made, folder / "m.onnx")), inputs, wanted


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["float32", "float64"]))
@ways("c", "js", "cortex-m4", "armv7", "riscv32", quick=("c",))
def test_every_operator(execute: Execute, dtype: str, tmp_path: Path) -> None:
    module, inputs, wanted = network(dtype, tmp_path)
    got = execute(module, inputs)
    for name, want in wanted.items():
        if name in ROUNDED:
            np.testing.assert_array_equal(got[name], want, err_msg=name)
            np.testing.assert_array_equal(np.signbit(got[name]), np.signbit(want), err_msg=name)
        else:
            exact = dtype == "float64" and name not in FLOAT32
            rtol, atol = (1e-14, 1e-15) if exact else (2e-6, 1e-7)
            np.testing.assert_allclose(got[name], want, rtol=rtol, atol=atol, err_msg=name)


@pytest.mark.slow
@ways("c", "js", "cortex-m4", "armv7", quick=("c", "js"))
def test_quantization(execute: Execute, tmp_path: Path) -> None:
    """Half-way cases go to the even number, and others are cut off at the ends of the range."""
    scales = {"one": np.float32(1), "zero": np.int8(0), "middle": np.uint8(128)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "one", "zero"], ["y"]),
        helper.make_node("QuantizeLinear", ["x", "one", "middle"], ["z"]),
    ]
    weights = {name: np.array(value) for name, value in scales.items()}
    numbers = np.array([*EDGES, *range(-140, 140, 40)], np.float32)
    dtypes = {"y": TensorProto.INT8, "z": TensorProto.UINT8}
    made = model(nodes, {"x": numbers.shape}, [*dtypes], weights, dtypes=dtypes)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    got = execute(module, {"x": numbers})
    for name, want in zip(dtypes, expected(made, {"x": numbers}), strict=True):
        np.testing.assert_array_equal(got[name], want, err_msg=name)
