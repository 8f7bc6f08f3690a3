"""Runs the CUDA modules without a GPU, by the interpreter of PTX in `emulator`.

Each row of `RUNS` is a run of pytest in a separate process, in which NVIDIA's driver is the
emulator, because other tests here check that there is none. By hand:

    pytest -n 0 --device emulator tests/cuda/emulated
    pytest -n 0 -m "" --device emulator:sm_120 tests/numeric/test_reference.py -k test_variant

``TEST_SWEEP=1 pytest -m "" -o hangs_after=0`` runs everything selected here: hours.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import ALIKE, REPRESENTED
from cuda import emulator
from numeric.harness import THIRDS
from quick import SWEEP, every

TESTS = Path(__file__).parents[1]

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST_")}
if not SWEEP:
    ENVIRONMENT["TEST_CUDNN_SWEEP"] = "6"  # configurations, of which `RUNS` has two

SECONDS = None if SWEEP else 1100
"""The time limit of a run in seconds: after a fault, nothing may hang."""


class Run(NamedTuple):
    """A run of pytest.

    Attributes:
        files: Of tests.
        least: How many tests must pass.
        chosen: Which of them; all if ``TEST_SWEEP`` is set.
        never: Those that are not for CUDA.
        architecture: That of the code.
    """

    files: tuple[str, ...]
    least: int
    chosen: str = ""
    never: str = ""
    architecture: str = "sm_80"


ARCHITECTURES = every(("sm_60", "sm_86", "sm_89", "sm_120"), "sm_60", "sm_120")
"""The oldest and the newest."""

NUMBERS = tuple(f"numeric/test_{name}.py" for name in ("reference", "edge_cases", "cudnn_rnn"))

NOT_ALIKE = " and ".join(f"not {op}-" for op in sorted(ALIKE))
"""Without the ops for which others stand, since one emitter makes both."""

NARROW, MIDDLE, WIDE = (
    " or ".join(f"{op}-{dtype}" for op in ops)
    for dtype, ops in zip(("float16", "bfloat16", "float64"), THIRDS, strict=True)
)
"""A third of the ops in each type besides float32: what a type adds is common to all."""

IN_FLOAT32, NOT_REPRESENTED = (
    " and ".join(f"not {op}-{dtype}" for op in sorted(REPRESENTED)) for dtype in ("float32", "")
)
"""Without the ops that have layers of others: in float32, and in any type."""

FIRST = (
    "test_reference and test_variant and (4-2-3-5 or -2-3-5-)"
    f" and ((-float32- and {IN_FLOAT32}) or {NARROW} or {MIDDLE} or {WIDE})"
)
"""Every op at the first sizes."""

EDGE_CASES = (
    *(f"(test_nan and (float32 or {NARROW})) or test_clip", "test_padding or gradient_looks"),
    *("(saturated and float32) or huge or denormals or digits",),
    *("layout or stay_on or (repeat and float32)",),
)

PLAIN = f"((float32 and f32) or f16) and {NOT_ALIKE}"
"""Golden cases in their own type."""

SOME = "((30_B or 36_ or (pub_18 and not Backprop)) and -float16) or (31_ and -float32)"
"""Golden cases for other architectures: products with tensor cores and without, both directions.

`emulator/test_forms.py` has the code with most forms for each."""

OTHERS = (
    "(not pub and ((-bfloat16 and (00_ or 19_ or 31_ or 40_))"
    " or (-float64 and (14_ or 25_ or 37_ or 07_))))"
)
"""Golden cases of the block ops, one of each op; the reference has most ops in each type."""

STACKS = (
    "((pub_05 and -float32) or (pub_12 and (-bfloat16 or -float64))"
    " or (pub_18 and (-float16 or -float32)))"
)
"""Three layers; projections; gated units; forwards and backwards, each in another type or two."""

NEVER = "tolerance or test_threads or out_of_range"
"""Tests without a device; of a device's threads; of value checks, which do not read a GPU."""

RUNS = {
    "goldens": Run(("cuda/test_goldens.py",), 51, f"({PLAIN}) or {OTHERS} or {STACKS}"),
    "numbers": Run(
        NUMBERS,
        294,
        f"({FIRST}) or (test_edge_cases and {NOT_REPRESENTED} and ({' or '.join(EDGE_CASES)}))"
        " or (test_sweep and 4-5)",
        NEVER,
    ),
    "emulated": Run(("cuda/emulated",), 34),
    **{name: Run(("cuda/test_goldens.py",), 4, SOME, "", name) for name in ARCHITECTURES},
}
if SWEEP:  # that gradients are derivatives follows from both being the reference's
    RUNS["differences"] = Run(("numeric/test_finite_differences.py",), 1)

PYTEST = (sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "", "--color=no")


@pytest.mark.slow
@pytest.mark.skipif(emulator.why_not() is not None, reason=str(emulator.why_not()))
@pytest.mark.parametrize("name", RUNS)
def test_run(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every test that is chosen passes, or fails as expected."""
    run = RUNS[name]
    cache = tmp_path_factory.getbasetemp().parent / "emulated-artifacts"
    chosen = [f"({run.chosen})"] if run.chosen and not SWEEP else []
    never = [f"not ({run.never})"] if run.never else []
    device = f"emulator:{run.architecture}"
    command = [*PYTEST, "--tb=short", "--device", device, "-o", f"cache_dir={cache}"]
    command += ["-k", " and ".join(chosen + never), *(str(TESTS / file) for file in run.files)]
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        cwd=TESTS.parent,
        env=ENVIRONMENT,
    )
    assert result.returncode == 0, f"{result.stdout[-6000:]}\n{result.stderr[-2000:]}"
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed, result.stdout
    assert int(passed[1]) >= run.least, result.stdout[-2000:]


@pytest.mark.slow
def test_a_run_without_a_test_fails() -> None:
    """A run without tests fails, with its own exit status."""
    command = [*PYTEST, "-k", "of_this_name_there_is_none", __file__]
    result = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT, cwd=TESTS)
    assert result.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
