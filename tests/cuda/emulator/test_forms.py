"""Every form of instruction that occurs in our modules is known, for each architecture."""

from __future__ import annotations

import pytest
from cases import CASES
from cuda.emulator.driver import Driver
from cuda.ptx import modules_of
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.lowering.targets.cuda_architectures import ARCHITECTURES

WIDEST = [("CudnnRNNBackpropV3", "float16", 2), ("CudnnRNNBackpropV3", "float32", 2)]
"""Of all ops, dtypes and variants, those with most forms."""


QUICK = (("float16", "sm_80"),)


@pytest.mark.parametrize(
    ("op", "dtype", "variant", "architecture"),
    [
        pytest.param(*row, each, marks=[] if (row[1], each) in QUICK else pytest.mark.slow)
        for row in WIDEST
        for each in ARCHITECTURES
    ],
)
def test_forms_are_known(
    driver: Driver, op: str, dtype: str, variant: int, architecture: str
) -> None:
    built = module(op, dtype, CASES[op].variants[variant])
    modules = modules_of(rc.compile(built, f"cuda:{architecture}"))
    assert modules
    driver.library.emulator_set_capability(int(architecture.removeprefix("sm_")))
    for text in modules:
        driver.library.cuModuleUnload(driver.load(text))
    driver.library.emulator_set_capability(80)
