"""Float16 below 6.1e-5 is kept, whether or not the processor has an instruction to round to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Loaded
from quick import first

import rnn_compiler as rc

CELL = {"batch_size": 1, "input_size": 1, "num_units": 3, "use_peephole": False}
MODULE = rc.build(
    [("LSTMBlockCell", CELL), ("BlockLSTMGradV2", {**CELL, "seq_length": 2})],
    dtype="float16",
    name="cells",
)
SUBNORMAL = np.array([5e-5, -3.1e-5, 6e-8], np.float16)
KEPT = {"lstm_block_cell": "cs", "block_lstm_grad_v2": "cs_prev_grad"}


def arguments(spec: rc.FunctionSpec) -> dict[str, Any]:
    """Of a cell that keeps its state, and passes its gradient on; all else is 0."""
    given = {each.name: np.zeros(each.shape, each.dtype) for each in spec.arguments}
    if spec.op == "LSTMBlockCell":
        given["cs_prev"][:] = SUBNORMAL
        given["b"][6:9] = 20  # so f is 1
    else:
        given["seq_len_max"][()] = 2
        given["cs_grad"][-1] = SUBNORMAL
        given["f"][:] = 1
    return given


def assert_kept(spec: rc.FunctionSpec, results: Any) -> None:
    found = np.asarray(results[KEPT[spec.function]])
    np.testing.assert_array_equal(found, SUBNORMAL[None], err_msg=spec.op)


TARGETS = ["cpu:generic", "cpu:x86-64-v2", "cpu:x86-64-v3"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "strategy"),
    first([*((target, "fused") for target in TARGETS), ("cpu:generic", "portable")]),
)
def test_artifacts(target: str, strategy: str) -> None:
    program = rc.runtime.load(rc.compile(MODULE, target, strategy=strategy))
    for spec in MODULE.functions:
        assert_kept(spec, program.functions[spec.function](**arguments(spec))._asdict())


@pytest.mark.slow
def test_c(tmp_path: Path) -> None:
    """Without the instruction, which is replaced by code that the C module contains."""
    loaded = Loaded(rc.compile_c(MODULE, target="cpu:generic"), tmp_path)
    for spec in MODULE.functions:
        assert_kept(spec, loaded.call(spec.function, arguments(spec)))
