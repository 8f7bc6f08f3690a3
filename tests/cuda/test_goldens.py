"""Every golden case on a GPU, in each dtype: `pytest tests/cuda --device cuda`.

With ``--device local-sync`` the same code runs on the CPU, which shows that these tests work.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from cases import TOLERANCES
from goldens.golden import Golden, read_goldens
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case and dtype on the device that is asked for; one skipped test without."""
    device = metafunc.config.getoption("--device")
    device = "cuda" if str(device).startswith("emulator") else device
    skip = pytest.mark.skip(reason="needs a GPU: pytest tests/cuda --device cuda")
    cases = [pytest.param(None, "", "", marks=skip)]
    if device is not None:
        cases = [
            pytest.param(golden, dtype, device, id=f"{golden.path.stem}-{golden.op}-{dtype}")
            for golden in read_goldens()
            for dtype in TOLERANCES
            if golden.dtype != "float16" or dtype == "float16"  # too coarse for the others
        ]
    metafunc.parametrize(("golden", "dtype", "device"), cases)


def in_dtype(golden: Golden, dtype: str) -> Golden:
    """The case in another dtype: inputs rounded to it, the larger tolerance of the two."""
    inputs = {
        name: array.astype(DTYPES[dtype].numpy) if array.dtype.kind == "f" else array
        for name, array in golden.inputs.items()
    }
    coarser = max(dtype, golden.dtype, key=TOLERANCES.__getitem__)
    return dataclasses.replace(golden, inputs=inputs, meta={**golden.meta, "dtype": coarser})


def test_golden(golden: Golden, dtype: str, device: str) -> None:
    case = in_dtype(golden, dtype)
    built = module(case.op, dtype, case.variant)
    program = rc.runtime.load(rc.compile(built, strategy="pinned"), device=device)
    with np.errstate(all="ignore"):
        case.assert_matches(program(**case.inputs)._asdict())
