"""LLVM's code for MVE takes NaN for less than 0: it exchanges operands as if numbers were ordered.

A vector's comparison ``0 > x`` becomes ``x < 0``. On MVE that is the opposite of ``x >= 0``, so NaN
fulfils it. LLVM's own tests for NaN are such comparisons: the maximum of NaN and 0 is 0.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from c.calling import run
from c.emulated import BOARD_STARTUP, MACHINES, board_script, needs
from traps.iree import compiled, trap

_MODULE = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  {}
  return %y : tensor<4xf32>
}}"""
_LESS = """%less = stablehlo.compare LT, %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %y = stablehlo.select %less, %one, %zero : tensor<4xi1>, tensor<4xf32>"""
_MAXIMUM = "%y = stablehlo.maximum %x, %zero : tensor<4xf32>"
_BY_BITS = """%u = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  %mask = stablehlo.constant dense<0x7FFFFFFF> : tensor<4xi32>
  %magnitude = stablehlo.and %u, %mask : tensor<4xi32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<4xi32>
  %nan = stablehlo.compare GT, %magnitude, %infinity
    : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %max = stablehlo.maximum %x, %zero : tensor<4xf32>
  %y = stablehlo.select %nan, %x, %max : tensor<4xi1>, tensor<4xf32>"""

_PROGRAM = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
extern uint32_t **main_dispatch_0_library_query(unsigned version, void *environment);
typedef int kernel(void *environment, void *dispatch, void *workgroup);
_Alignas(64) static float x[4] = {-1, 0, NAN, 2}, y[4];
int main(void)
{
    float *bindings[] = {x, y};
    uint32_t dispatch[32] = {[7] = (uint32_t)bindings}, workgroup[8] = {0};
    kernel *const *kernels = (kernel *const *)main_dispatch_0_library_query(6, 0)[4];
    int code = kernels[0](0, dispatch, workgroup);
    printf("%g %g %g %g", y[0], y[1], y[2], y[3]);
    return code;
}
"""
"""Calls a dispatch by IREE's `executable_library.h`: the library's fifth word is its functions."""

_MACHINE = MACHINES["cortex-m55"]


def called(text: str, folder: Path) -> str:
    """The result for -1, 0, NaN and 2, on a board of QEMU's."""
    flags = (
        *("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"),
        "--iree-llvmcpu-target-triple=thumbv8.1m.main-unknown-none-eabihf",
        *("--iree-llvmcpu-target-cpu=cortex-m55", "--iree-llvmcpu-target-float-abi=hard"),
        *("--iree-llvmcpu-link-embedded=false", "--iree-llvmcpu-link-static"),
        f"--iree-llvmcpu-static-library-output-path={folder / 'library.o'}",
    )
    compiled(text, "--compile-to=hal", target=flags)
    (folder / "main.c").write_text(_PROGRAM)
    (folder / "startup.c").write_text(BOARD_STARTUP)
    (folder / "board.ld").write_text(board_script(_MACHINE))
    files = [folder / each for each in ("main.c", "startup.c", "library.o")]
    run(*_MACHINE.compiler, "-O1", *files, "-T", folder / "board.ld", "-o", folder / "main")
    return run(*_MACHINE.command(folder / "main", [], None))


@needs("cortex-m55")
@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        pytest.param(_LESS, "1 0 0 0", marks=trap("passes/iree_faults/keep_nan.py"), id="less"),
        pytest.param(_MAXIMUM, "0 0 nan 2", marks=trap("passes/iree_faults/keep_nan.py"), id="max"),
        pytest.param(_BY_BITS, "0 0 nan 2", id="bits"),
    ],
)
def test_nan_is_not_less_than_0(ops: str, expected: str, tmp_path: Path) -> None:
    assert called(_MODULE.format(ops), tmp_path) == expected
