"""The README tells the truth: its Python runs, its commands parse, its tables name what exists."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from rnn_compiler.cli import main
from rnn_compiler.lowering.ops import OPS

README = Path(__file__).parents[2] / "README.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_all_that_it_shows_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for source in _blocks("python"):
        exec(compile(source, "README.md", "exec"), names)
    assert names["grads"].w_grad.shape == (32, 96)  # type: ignore[attr-defined]
    assert {"lstm.mlir", "lstm.vmfb", "lstm.vmfb.json"} <= {
        path.name for path in tmp_path.iterdir()
    }
    _check_commands()
    _check_deployment(names["out"].h.to_host())  # type: ignore[attr-defined]


def _check_commands() -> None:
    text = next(block for block in _blocks("sh") if "rnn-compiler ops" in block)
    lines = text.replace("\\\n", "").splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    assert [command[0] for command in commands] == [
        "ops",
        "emit",
        "compile",
        "compile",
        "inspect",
        "check",
        "run",
        "weights",
        "bench",
        "cache",
        "doctor",
    ]
    for command in commands:
        assert main(command) == 0
    with np.load("weights.npz") as arrays:
        assert np.load("params.npy").size == sum(array.size for array in arrays.values())


def _check_deployment(h: npt.NDArray[np.float32]) -> None:
    (text,) = [block for block in _blocks("sh") if block.startswith("iree-run-module")]
    name, *rest = shlex.split(text.replace("\\\n", ""))
    tool = shutil.which(name, path=sysconfig.get_path("scripts"))
    subprocess.run([str(tool), *rest], check=True, capture_output=True)
    np.testing.assert_array_equal(np.load("h.npy"), h)
    with np.load("out.npz") as results:
        np.testing.assert_array_equal(results["h"], h)


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \| .* \|$", README.read_text(), re.MULTILINE)
    assert dict(rows) == {name: " ".join(op.signature.dtypes) for name, op in OPS.items()}
