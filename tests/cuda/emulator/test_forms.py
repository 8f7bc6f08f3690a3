"""The emulator supports every form of instruction in our modules, for each architecture."""

from __future__ import annotations

import pytest
from cases import CASES
from cuda.emulator.driver import Driver
from cuda.ptx import modules_of
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.lowering.targets.gpu import ARCHITECTURES

WIDEST = [("CudnnRNNBackpropV3", "float16", 2), ("CudnnRNNBackpropV3", "float32", 2)]
"""Of all ops, dtypes and variants, those with most forms."""


ENDS = (next(iter(ARCHITECTURES)), next(reversed(ARCHITECTURES)))
"""Those between have no more forms for float32, which takes no tensor cores in any."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype", "variant", "architecture"),
    [(*row, each) for row in WIDEST for each in (ARCHITECTURES if row[1] == "float16" else ENDS)],
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
