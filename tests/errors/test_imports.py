"""Packages that are not installed, or do not load, for example because memory is limited."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import processes
import pytest
from onnx import TensorProto, helper
from quick import first

import rnn_compiler as rc
from rnn_compiler.base.installation import import_failure, install_extra
from rnn_compiler.compilation import lowered_text
from rnn_compiler.errors import CompileError, UnsupportedError
from rnn_compiler.js_compilation import WASM
from rnn_compiler.lowering import pipeline
from rnn_compiler.lowering.mlir.bindings import ir

SCRIPT = """
import resource
import rnn_compiler as rc

module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
usual = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), usual[1]))
for attempt in range(2):
    try:
        rc.compile(module, "cpu:generic")
    except rc.errors.UnsupportedError as error:
        print(error)
resource.setrlimit(resource.RLIMIT_AS, usual)
print(len(module.text) > 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_the_compiler_does_not_load_in_a_small_address_space(tmp_path: Path) -> None:
    empty = {"RNN_COMPILER_CACHE_DIR": str(tmp_path)}
    lines = processes.python(SCRIPT, variables=empty).stdout.splitlines()
    reason = "iree.compiler is installed but cannot be loaded ("
    assert [line.startswith(reason) for line in lines] == [True, True, False]
    assert "failed to map segment" in lines[0]
    assert "ulimit -v" in lines[0]
    assert lines[2] == "True"


ERRORS = [
    (
        ModuleNotFoundError("No module named 'onnx.helper'", name="onnx.helper"),
        "the package onnx is not installed; install the extra import: pip install ",
    ),
    (
        ModuleNotFoundError("No module named 'rnn_compiler.x'", name="rnn_compiler.x"),
        "m is installed but cannot be loaded (No module named 'rnn_compiler.x'); ",
    ),
    (
        ImportError("libm.so: failed to map segment", name="_m"),
        "m is installed but cannot be loaded (libm.so: failed to map segment); ",
    ),
    (
        ImportError("cannot import name 'f' from 'rnn_compiler.x'", name="rnn_compiler.x"),
        "m is installed but cannot be loaded (cannot import name 'f' from 'rnn_compiler.x'); ",
    ),
]


@pytest.mark.parametrize(("error", "message"), ERRORS)
def test_words_for_failed_imports(error: ImportError, message: str) -> None:
    found = import_failure(error, "m", extra="import")
    assert isinstance(found, UnsupportedError)
    assert str(found).startswith(message)


@pytest.mark.parametrize(
    ("extra", "remedy"),
    [
        ("import", "install the extra import: pip install 'google-crc32c>="),
        ("compiler", "pip install 'iree-base-compiler=="),
        ("another", "install rnn-compiler with the extra another"),
    ],
)
def test_what_installs_an_extra(extra: str, remedy: str) -> None:
    """`compiler` is an extra of rnn-compiler-runtime, which lacks some of rnn-compiler's."""
    assert install_extra(extra).startswith(remedy)


STAND_INS = {
    "raise ImportError('lib.so: failed to map segment', name='onnx')": (
        "onnx is installed but cannot be loaded (lib.so: failed to map segment); check the limits"
    ),
    "import no_such_module_of_onnx": "the package no_such_module_of_onnx is not installed; install",
}


@pytest.mark.parametrize("source", first(STAND_INS))
def test_an_import_tells_a_missing_package_from_one_that_does_not_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """A package that stands in for onnx in the process that imports."""
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Tanh", ["x"], ["y"])], "g", value[:1], value[1:])
    onnx.save(helper.make_model(graph), str(tmp_path / "m.onnx"))
    package = tmp_path / "packages" / "onnx"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    with pytest.raises(UnsupportedError) as caught:
        rc.import_network(tmp_path / "m.onnx")
    assert str(caught.value).startswith(STAND_INS[source])


def _refuse(_: Any) -> None:
    ir.Module.parse("no module")


@pytest.mark.parametrize("way", [rc.compile, rc.compile_c, rc.compile_js, lowered_text])
def test_modules_that_the_bindings_refuse_are_compile_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Callable[..., object]
) -> None:
    """One class of errors for the compiler's program and its bindings, with a reproducer."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    for name in pipeline.PASSES:
        monkeypatch.setitem(pipeline.PASSES, name, _refuse)
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
    target = WASM if way is rc.compile_js else "cpu:generic"
    with pytest.raises(CompileError, match="made a module that IREE's MLIR refuses") as caught:
        way(module, target)
    assert caught.value.diagnostics
    assert not caught.value.command
    saved = Path(caught.value.reproducer or "")
    assert {each.name for each in saved.iterdir()} == {"module.mlir", "diagnostics.txt"}
    assert "stablehlo" in (saved / "module.mlir").read_text()
    assert saved.is_relative_to(tmp_path)
