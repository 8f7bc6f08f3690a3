"""Every golden case on a GPU, in float32 and float16: `pytest tests/cuda --device cuda`.

With ``--device local-sync`` the same code runs on the CPU, which shows that these tests work.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from goldens.golden import Golden, read_goldens
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.dtypes import DTYPES


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    name = request.config.getoption("--device")
    if name is None:
        pytest.skip("needs a GPU: pytest tests/cuda --device cuda")
    return name


def in_dtype(golden: Golden, dtype: str) -> Golden:
    """The case in another dtype: inputs rounded to it, its tolerance."""
    inputs = {
        name: array.astype(DTYPES[dtype].numpy) if array.dtype.kind == "f" else array
        for name, array in golden.inputs.items()
    }
    return dataclasses.replace(golden, inputs=inputs, meta={**golden.meta, "dtype": dtype})


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("golden", read_goldens(), ids=lambda g: f"{g.path.stem}-{g.op}")
def test_golden(golden: Golden, dtype: str, device: str) -> None:
    if golden.dtype == "float16" and dtype == "float32":
        pytest.skip("TensorFlow computed it in float16")
    case = in_dtype(golden, dtype)
    target = "cuda" if device.startswith("cuda") else "cpu"
    built = module(case.op, dtype, case.variant)
    program = rc.runtime.load(rc.compile(built, target, strategy="pinned"), device=device)
    with np.errstate(all="ignore"):
        case.assert_matches(program(**case.inputs)._asdict())
