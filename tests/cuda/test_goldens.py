"""Every golden case on a GPU, in each dtype: `pytest -m "" tests/cuda --device cuda`.

With ``--device local-sync`` the same code runs on the CPU, which shows that these tests work.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import TOLERANCES
from goldens.golden import Golden, read_goldens
from numeric.harness import TOGETHER, module, renamed

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case and dtype on the device that is asked for; one skipped test without."""
    device = metafunc.config.getoption("--device")
    device = "cuda" if str(device).startswith("emulator") else device
    skip = pytest.mark.skip(reason='needs a GPU: pytest -m "" tests/cuda --device cuda')
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
    return replace(golden, inputs=inputs, meta={**golden.meta, "dtype": coarser})


@pytest.fixture(scope="module")
def compiled(request: pytest.FixtureRequest) -> Callable[[Golden, str, str], Callable[..., Any]]:
    """Gives the function of a case, compiled together with others that are run in its dtype."""
    run: dict[str, list[Golden]] = {}
    for item in request.session.items:
        if isinstance(item, pytest.Function) and item.function is test_golden:
            given = item.callspec.params
            run.setdefault(given["dtype"], []).append(given["golden"])

    @functools.cache
    def program(dtype: str, start: int, device: str) -> rc.Program:
        cases = run[dtype][start : start + TOGETHER]
        built = renamed(*(module(case.op, dtype, case.variant) for case in cases))
        return rc.runtime.load(rc.compile(built, strategy="pinned"), device=device)

    def function(golden: Golden, dtype: str, device: str) -> Callable[..., Any]:
        number = next(k for k, each in enumerate(run[dtype]) if each is golden)
        together = program(dtype, number - number % TOGETHER, device)
        return together.functions[f"case_{number % TOGETHER}"]

    return function


def test_golden(
    golden: Golden,
    dtype: str,
    device: str,
    compiled: Callable[[Golden, str, str], Callable[..., Any]],
) -> None:
    case = in_dtype(golden, dtype)
    with np.errstate(all="ignore"):
        case.assert_matches(compiled(golden, dtype, device)(**case.inputs)._asdict())
