"""The emulator supports every form of instruction in our modules, for each architecture."""

from __future__ import annotations

import pytest
from cases import CASES
from cuda.emulator.driver import Driver
from cuda.ptx import modules_of
from numeric.harness import module
from quick import every

import rnn_compiler as rc
from rnn_compiler.lowering.targets.gpu import ARCHITECTURES

WIDEST = [("CudnnRNNBackpropV3", "float16", 2), ("CudnnRNNBackpropV3", "float32", 2)]
"""Of all ops, dtypes and variants, those with most forms."""


BY_DTYPE = {"float16": ("sm_60", "sm_80", "sm_120"), "float32": ("sm_60", "sm_120")}
"""Without tensor cores, and with them. Those between have the forms of these."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype", "variant", "architecture"),
    [(*row, each) for row in WIDEST for each in every(ARCHITECTURES, *BY_DTYPE[row[1]])],
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
