"""Everything works without the features that only Linux has.

This shows that no name specific to Linux is needed. It does not show that another system runs it.
"""

from __future__ import annotations

import os
from pathlib import Path

import processes
import pytest

import rnn_compiler as rc
from rnn_compiler.base.systems import file_of_program
from rnn_compiler.lowering.compiler.iree_compile import compiler_folder

STRIP = """
import ctypes, os, signal, subprocess, sys, tempfile
import filelock, numpy, platformdirs  # which ask for what they need, like the standard library

for name in {names}:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
members = {{k: v for k, v in signal.Signals.__members__.items() if k not in {names}}}
signal.Signals._member_map_.clear()
signal.Signals._member_map_.update(members)
for name in {modules}:
    sys.modules[name] = None
if {windows}:
    original = ctypes.CDLL.__init__
    def init(self, name, *more, **keywords):
        if name is None:
            raise TypeError("bad argument type for built-in operation")
        original(self, name, *more, **keywords)
    ctypes.CDLL.__init__ = init
"""

USE = """
import numpy as np
import rnn_compiler as rc
from rnn_compiler.cli import main

sizes = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5, "num_layers": 1}
module = rc.build("CudnnRNNV3", **sizes, is_training=False)
for _ in range(2):  # the second from the cache
    program = rc.runtime.load(rc.compile(module))
given = {a.name: np.full(a.shape, a.maximum or 0.1, a.dtype) for a in module.functions[0].arguments}
whole = program(**given).output
stream = program.stream(**{k: given[k] for k in ("input_h", "input_c", "params")})
chunks = [stream(given["input"][k : k + 1]).output for k in range(3)]
np.testing.assert_array_equal(np.concatenate(chunks), whole)
cell = {"batch_size": 2, "input_size": 3, "num_units": 4}
(spec,) = rc.build("GRUBlockCell", **cell).functions
for _ in range(3):
    rc.raw_ops.GRUBlockCell(**{a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments})
rc.compile_c(rc.build("GRUBlockCell", **cell))
assert main(["doctor"]) == 0
print("calls:", dict(program.manifest.calls))
"""

TORCH = """
import torch
import rnn_compiler.torch as rt

layer = rt.GRU(3, 4)
x = torch.zeros(2, 1, 3)
for _ in range(3):
    layer(x)[0].sum().backward()
with torch.no_grad():
    for _ in range(3):
        layer(x)
"""

MACOS = ("memfd_create", "MFD_CLOEXEC", "sched_getaffinity", "posix_fadvise")
WINDOWS = (
    *(*MACOS, "register_at_fork", "fork", "geteuid", "getuid", "killpg", "getpgid", "setsid"),
    *("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "SIGHUP", "SIGKILL", "sysconf"),
    "fchmod",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "use"), [("macOS", "ops"), ("Windows", "ops"), ("Windows", "torch")]
)
def test_everything_works_without(system: str, use: str, tmp_path: Path) -> None:
    """Compiling, loading, calls, streams, the cache, C, the command line, layers of PyTorch.

    Windows lacks whatever macOS does, so PyTorch is tried there alone.
    """
    if use == "torch":
        pytest.importorskip("torch")
    windows = system == "Windows"
    names = WINDOWS if windows else MACOS
    modules = ("fcntl", "resource", "pwd", "grp") if windows else ()
    script = STRIP.format(names=names, modules=modules, windows=windows)
    first = "import torch\n" if use == "torch" else ""
    processes.python(
        first + script + (TORCH if use == "torch" else USE),
        variables={"RNN_COMPILER_CACHE_DIR": str(tmp_path), "RNN_COMPILER_LOG": "error"},
    )


@pytest.mark.slow
def test_models_are_read_without_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a process cannot limit itself, a Keras file is read all the same."""
    pytest.importorskip("h5py")
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['resource'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert rc.import_model(Path(__file__).parents[1] / "model_files" / "keras3.keras")


def test_programs_have_the_names_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """IREE's wheel for Windows holds iree-compile.exe, those for others iree-compile."""
    assert (compiler_folder() / file_of_program("iree-compile")).exists()
    monkeypatch.setattr(os, "name", "nt")
    assert file_of_program("iree-compile") == "iree-compile.exe"
