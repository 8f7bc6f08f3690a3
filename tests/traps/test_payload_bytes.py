"""The name of the input file ends up in the payload."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from traps.iree import CPU, trap

from rnn_compiler.lowering.compiler.iree_compile import compiler_folder

_TEXT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}"""


def _payload(source: str | Path) -> bytes:
    command = [str(compiler_folder() / "iree-compile"), str(source), "-o", "-", *CPU]
    flags = ["--iree-input-type=stablehlo", "--iree-llvmcpu-debug-symbols=false"]
    text = _TEXT.encode() if source == "-" else None
    return subprocess.run([*command, *flags], input=text, check=True, capture_output=True).stdout


@pytest.mark.parametrize(
    "from_file",
    [
        pytest.param(True, marks=trap("standard input in lowering/compiler"), id="file"),
        pytest.param(False, id="standard input"),
    ],
)
def test_the_same_module_gives_the_same_bytes(tmp_path: Path, *, from_file: bool) -> None:
    payloads: set[bytes] = set()
    for name in ("first", "second"):
        file = tmp_path / f"{name}.mlir"
        file.write_text(_TEXT)
        payloads.add(_payload(file if from_file else "-"))
    assert len(payloads) == 1
