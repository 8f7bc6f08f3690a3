"""The CUDA modules, executed without a GPU: by the interpreter of PTX in `emulator`.

Each row of `RUNS` is a run of pytest in a process of its own, in which NVIDIA's driver is the
emulator, for here others test that there is none. By hand:

    pytest -n 0 --device emulator tests/cuda/emulated
    pytest -n 0 --device emulator:sm_120 tests/numeric/test_reference.py -k test_variant

``TEST_SWEEP=1`` runs all of what is chosen from here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cuda import emulator

TESTS = Path(__file__).parents[1]
SECONDS = 900
"""What a run may take: after a fault, nothing may hang."""


class Run(NamedTuple):
    """What is run.

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


FIRST = "test_variant and (4-2-3-5 or 2-3-5-True)"
"""Every op and dtype at the first sizes."""

SOME = "test_variant and 4-2-3-5 and (BlockLSTMGradV2 or CudnnRNNBackpropV3) and not float64"

RUNS = {
    "goldens": Run(("cuda/test_goldens.py",), 37, "float32 and f32"),
    "goldens-float16": Run(("cuda/test_goldens.py",), 7, "f16"),
    "reference": Run(("numeric/test_reference.py",), 60, FIRST, "tolerance"),
    "edge-cases": Run(
        ("numeric/test_edge_cases.py",),
        100,
        "nan or saturated or huge or clip or padding or repeat or denormals or layout",
        # IREE's threads on CPUs; and what is on a GPU is not read to be checked
        "test_threads or out_of_range",
    ),
    "differences": Run(("numeric/test_finite_differences.py",), 2, "GRUBlockCellGrad or test_clip"),
    "cudnn": Run(("numeric/test_cudnn_rnn.py",), 9, "test_golden and float32 and not mask"),
    "emulated": Run(("cuda/emulated",), 10),
    **{
        name: Run(("numeric/test_reference.py",), 6, SOME, "tolerance", name)
        for name in ("sm_60", "sm_86", "sm_89", "sm_120")
    },
}


@pytest.mark.skipif(emulator.why_not() is not None, reason=str(emulator.why_not()))
@pytest.mark.parametrize("name", RUNS)
def test_run(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = RUNS[name]
    cache = tmp_path_factory.getbasetemp().parent / "emulated-artifacts"
    chosen = "" if os.environ.get("TEST_SWEEP") else run.chosen
    wanted = " and not ".join(
        [f"({chosen})" if chosen else "", *([f"({run.never})"] if run.never else [])]
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-q",
        "-p",
        "no:cacheprovider",
        "--color=no",
    ]
    command += ["--device", f"emulator:{run.architecture}", "--artifact-cache", str(cache)]
    command += [
        "--tb=short",
        "-k",
        wanted.removeprefix(" and "),
        *(str(TESTS / f) for f in run.files),
    ]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=TESTS.parent
    )
    passed = re.search(r"(\d+) passed", result.stdout)
    assert result.returncode == 0, f"{result.stdout[-6000:]}\n{result.stderr[-2000:]}"
    assert passed, result.stdout
    assert int(passed[1]) >= run.least, result.stdout[-2000:]
