"""The cases of ONNX Runtime's own tests of LSTM, GRU and RNN, as nodes in files.

`onnxruntime_cases.json.gz` has attributes, inputs and the outputs that its tests expect, by name.
Source: onnxruntime/test/providers/cpu/rnn (deep_cpu_lstm_op_test, deep_cpu_gru_op_test,
rnn_op_test).
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import.files import FILES, onnx_results

import rnn_compiler as rc
from rnn_compiler.model_import.layer import Layer, build_layers
from rnn_compiler.model_import.messages import parse
from rnn_compiler.model_import.onnx_layers import INPUTS

CASES: list[dict[str, Any]] = json.loads(
    gzip.decompress((FILES / "onnxruntime_cases.json.gz").read_bytes())
)
ALL = bool(os.environ.get("TEST_ALL_GOLDENS"))
WEIGHTS = ("W", "R", "B", "P")
INEXACT = ("TestLSTMShorterSeqInMiddle", "TestLSTMZeroSeqInMiddle")
"""Of these, one expected number is off by 6.1e-5: ONNX Runtime 1.32 gives ours within 4e-8."""

NUMBERS = {1: np.float32, 6: np.int32}
"""Element types by their number."""


def arrays(stored: dict[str, Any]) -> dict[str, Any]:
    """Arrays by name, from their shapes and elements."""
    dtype = {"sequence_lens": np.int32}
    return {
        name: np.array(values, dtype.get(name, np.float32)).reshape(shape)
        for name, (shape, values) in stored.items()
    }


def saved(cases: list[dict[str, Any]], path: Path) -> Path:
    """A file with a node for each case, whose weights are constants."""
    model = parse("OnnxModel", b"\x08\x08", path)
    for number, case in enumerate(cases):
        names = {name: f"{name}_{number}" for name in case["inputs"]}
        node = model.graph.node.add(
            op=case["operator"],
            name=f"{case['name']}_{number}",
            input=[names.get(name, "") for name in INPUTS],
            output=["Y", "Y_h", "Y_c"],
        )
        for name, value in case["attributes"].items():
            made = node.attr.add(name=name)
            if isinstance(value, list):
                made.floats.extend([x for x in value if not isinstance(x, str)])
                made.strings.extend([x.encode() for x in value if isinstance(x, str)])
            elif isinstance(value, str):
                made.s = value.encode()
            elif name == "clip":
                made.f = value
            else:
                made.i = value
        for name, array in arrays(case["inputs"]).items():
            number_of = {dtype: k for k, dtype in NUMBERS.items()}[array.dtype.type]
            if name in WEIGHTS:
                model.graph.initializer.add(
                    name=names[name], dtype=number_of, dims=array.shape, raw=array.tobytes()
                )
            else:
                value = model.graph.input.add(name=names[name])
                value.type.tensor.dtype = number_of
                for size in array.shape:
                    value.type.tensor.shape.dim.add(value=size)
    path.write_bytes(model.SerializeToString())
    return path


def close(found: Any, case: dict[str, Any]) -> None:
    atol = 7e-5 if case["name"].endswith(INEXACT) else 1e-5
    for name, array in arrays(case["outputs"]).items():
        np.testing.assert_allclose(found[name], array, rtol=0, atol=atol, err_msg=case["name"])


def test_every_case(tmp_path: Path) -> None:
    """Each is a layer, of which the formulas give the expected numbers."""
    layers = rc.import_model(saved(CASES, tmp_path / "cases.onnx"))
    assert len(layers) == len(CASES)
    for layer, case in zip(layers, CASES, strict=True):
        given = arrays(case["inputs"])
        close(onnx_results(layer, {n: a for n, a in given.items() if n not in WEIGHTS}), case)


def traits(case: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The properties besides most sizes that determine a case's code, each with its operator."""
    attributes, given = case["attributes"], case["inputs"]
    (steps, rows, _), _ = given["X"]
    found = {
        **{name: attributes.get(name) for name in ("direction", "input_forget")},
        "linear_before_reset": attributes.get("linear_before_reset"),
        "activations": str(attributes.get("activations")),
        "clips": attributes.get("clip", 999) < 999,
        "one row": rows == 1,
        "one step": steps == 1,
        **{name: name in given for name in INPUTS[3:]},
    }
    return {(case["operator"], *trait) for trait in found.items()}


@pytest.mark.slow
def test_cases_that_cudnn_does_not_compute(tmp_path: Path) -> None:
    """Compiled, as functions of one module: some that have every trait of all."""
    layers = rc.import_model(saved(CASES, tmp_path / "cases.onnx"))
    rows = [row for row in zip(layers, CASES, strict=True) if row[0].op.startswith("onnx.")]
    left = set[tuple[Any, ...]]().union(*(traits(case) for _, case in rows))
    chosen: list[tuple[Layer, dict[str, Any]]] = rows if ALL else []
    while left and not ALL:
        chosen.append(max(rows, key=lambda row: len(traits(row[1]) & left)))
        left -= traits(chosen[-1][1])
    assert len(chosen) > 10
    module = build_layers([layer for layer, _ in chosen], name="cases")
    program = rc.runtime.load(rc.compile(module, "cpu:generic"))
    for spec, (_, case) in zip(module.functions, chosen, strict=True):
        given = arrays(case["inputs"])
        given = {name: array for name, array in given.items() if name not in WEIGHTS}
        close(program.functions[spec.function](**given)._asdict(), case)
