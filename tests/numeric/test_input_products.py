"""Steps that multiply their inputs themselves, as where memory is scarce, on this machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import TOLERANCES
from numeric.harness import arguments_of, expected, module, renamed

import rnn_compiler as rc
from rnn_compiler.lowering.cpu.fused_loop.prepared_loop import with_input_products
from rnn_compiler.lowering.passes import fuse_time_loops
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.cpu_features import architecture

ROW = {"seq_length": 5, "batch_size": 1, "input_size": 20, "num_units": 12, "is_training": False}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("BlockLSTMV2", "float32", ROW),
    ("onnx.GRU", "float32", {**ROW, "layout": 1}),
    ("CudnnRNNV3", "float32", {**ROW, "direction": "bidirectional", "num_layers": 2}),
    ("CudnnRNNV3", "float32", {**ROW, "seq_length": 100, "rnn_mode": "gru"}),
    ("CudnnRNNV3", "bfloat16", {**ROW, "rnn_mode": "rnn_tanh"}),
    ("CudnnRNNV3", "float16", {**ROW, "input_size": 1}),
]


@pytest.fixture
def multiplied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Memory is scarce; for each loop, the number of products that its steps compute."""
    counts, here = list[int](), ARCHITECTURES[architecture()]

    def counted(loop: Any, operands: Any, vectors: VectorUnit) -> Any:
        made = with_input_products(loop, operands, vectors)
        counts.append(len(made[0].products) - len(loop.products))
        return made

    monkeypatch.setitem(ARCHITECTURES, here.name, replace(here, has_memory=False))
    monkeypatch.setattr(fuse_time_loops, "with_input_products", counted)
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    return counts


def frozen(parts: list[rc.Module], given: list[dict[str, Any]], **options: Any) -> rc.Module:
    """Functions with frozen weights, which are taken out of the arguments."""
    made = renamed(*parts)
    weights = {
        spec.function: {name: arguments.pop(name) for name in spec.weights}
        for spec, arguments in zip(made.functions, given, strict=True)
    }
    return rc.freeze(made, weights, **options)


def load(made: rc.Module) -> rc.Program:
    artifact = rc.compile(made, "cpu")
    assert artifact.manifest.plain_loops == {}
    return rc.runtime.load(artifact, "local-sync")


@pytest.mark.slow
def test_numbers(multiplied: list[int]) -> None:
    given = [arguments_of(op, dtype, row, row["seq_length"]) for op, dtype, row in CASES]
    right = [expected(*case, arguments) for case, arguments in zip(CASES, given, strict=True)]
    made = frozen([module(*case) for case in CASES], given)
    program = load(made)
    assert multiplied == [1] * 9
    for (op, dtype, row), arguments, wanted, run in zip(
        CASES, given, right, program.functions.values(), strict=True
    ):
        for name, found in run(**arguments)._asdict().items():
            error = np.abs(np.asarray(found, "d") - wanted[name]).max(initial=0)
            assert error < TOLERANCES[dtype], (op, row, name)


@pytest.mark.slow
def test_weights_in_int8(request: pytest.FixtureRequest) -> None:
    """As with products of all steps; sums that are rounded otherwise change a few int8."""
    cases = [CASES[0], CASES[1]]
    given = [arguments_of(op, dtype, row, row["seq_length"]) for op, dtype, row in cases]
    made = frozen([module(*case) for case in cases], given, quantize="int8")
    both = [load(made)]
    multiplied = request.getfixturevalue("multiplied")
    both.append(load(made))
    assert multiplied == [1] * len(cases)
    for arguments, *runs in zip(given, *(each.functions.values() for each in both), strict=True):
        for found, wanted in zip(*(run(**arguments) for run in runs), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-3)
            assert np.mean(np.abs(found - wanted)) < 1e-5
