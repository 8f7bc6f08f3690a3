"""The call of the compiler: its failures, and the reproducers that they leave.

A shell script stands in for `iree-compile`.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import processes
import pytest
from numeric.harness import first_variant, module

import rnn_compiler as rc
from rnn_compiler.errors import CompileError, RnnCompilerError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.compiler.iree_compile import compile_module
from rnn_compiler.lowering.targets.names import compiler_flags, resolve_target
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES

MODULE = "module {\n  // a module\n}\n"
TARGET = resolve_target("cpu:generic")


def fake(folder: Path, script: str) -> Path:
    """A compiler that is a shell script."""
    path = folder / "iree-compile"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def compile_by(executable: Path | str, *arguments: Any, **keywords: Any) -> bytes:
    """`compile_module` with another compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iree_compile, "compiler_program", lambda _: str(executable))
        return compile_module(*arguments, **keywords)


def fail(folder: Path, executable: Path | str, *, timeout: float = 30) -> CompileError:
    reproducers = folder / "reproducers"
    with pytest.raises(CompileError) as caught:
        compile_by(executable, MODULE, TARGET, reproducers=reproducers, timeout=timeout)
    assert isinstance(caught.value, RnnCompilerError)
    assert str(caught.value).startswith("compiling for cpu:generic: ")
    return caught.value


def test_output_is_the_payload(tmp_path: Path) -> None:
    """Module in on standard input, payload out on standard output, also of many megabytes."""
    module = MODULE * 500_000
    payload = compile_by(fake(tmp_path, "cat"), module, TARGET, reproducers=tmp_path)
    assert payload == module.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["iree-compile"]


def test_flags_name_the_target(tmp_path: Path) -> None:
    """The resolved list of features and a generic CPU: nothing is left to the machine."""
    script = fake(tmp_path, 'cat > /dev/null; echo "$@"')
    target = resolve_target("cpu")
    out = compile_by(script, MODULE, target, reproducers=tmp_path)
    flags = out.decode().split()
    baseline = ARCHITECTURES[target.architecture].baseline
    features = ",".join(f"+{feature}" for feature in (*baseline, *target.features))
    assert f"--iree-llvmcpu-target-triple={target.architecture}-unknown-linux-gnu" in flags
    assert f"--iree-llvmcpu-target-cpu-features={features}" in flags
    assert "--iree-llvmcpu-target-cpu=generic" in flags
    assert "--iree-input-demote-f64-to-f32=false" in flags
    assert str(tmp_path) not in out.decode()


DIAGNOSTICS = "note: fine\nx.mlir:1:2: error: first\nerror: second\nerror: third\nerror: fourth\n"


def test_a_failure_shows_the_diagnostics(tmp_path: Path) -> None:
    """The first errors in the message, all of them in the attribute."""
    script = fake(tmp_path, f"cat > /dev/null; printf '{DIAGNOSTICS}' >&2; exit 1")
    error = fail(tmp_path, script)
    assert error.target == "cpu:generic"
    assert error.diagnostics == DIAGNOSTICS
    assert str(error).splitlines()[:4] == [
        "compiling for cpu:generic: the compiler failed with exit status 1",
        "x.mlir:1:2: error: first",
        "error: second",
        "error: third",
    ]
    assert "fourth" not in str(error)
    assert str(error).splitlines()[-1] == f"reproducer: {error.reproducer}"
    assert error.command.startswith(str(script))


def test_a_reproducer_reproduces(tmp_path: Path) -> None:
    """Its folder contains the module, the diagnostics, and a command that runs anywhere."""
    script = fake(tmp_path, "cat > /dev/null; echo 'error: no' >&2; exit 3")
    error = fail(tmp_path, script)
    assert error.reproducer is not None
    folder = Path(error.reproducer)
    assert folder.parent == tmp_path / "reproducers"
    assert (folder / "module.mlir").read_text() == MODULE
    assert (folder / "diagnostics.txt").read_text() == "error: no\n" == error.diagnostics
    assert error.command in (folder / "command.sh").read_text()
    again = processes.run("sh", folder / "command.sh", code=3, cwd="/")
    assert again.stderr == error.diagnostics
    fake(tmp_path, "cat")  # now it works
    processes.run("sh", folder / "command.sh", cwd="/")
    assert (folder / "module.vmfb").read_text() == MODULE


def test_the_same_failure_has_one_reproducer(tmp_path: Path) -> None:
    script = fake(tmp_path, "exit 1")
    assert fail(tmp_path, script).reproducer == fail(tmp_path, script).reproducer


def test_a_reproducer_that_cannot_be_saved(tmp_path: Path) -> None:
    (tmp_path / "reproducers").write_text("in the way")
    error = fail(tmp_path, fake(tmp_path, "exit 1"))
    assert error.reproducer is None
    assert "reproducer: could not be saved" in str(error)


@pytest.mark.parametrize(
    ("script", "summary"),
    [
        ("exit 1", "the compiler failed with exit status 1"),
        ("exit 245", "the compiler failed with exit status 245"),
        ("kill -SEGV $$", "the compiler crashed with SIGSEGV"),
        ("kill -ABRT $$", "the compiler crashed with SIGABRT"),
        ("kill -KILL $$", "the compiler crashed with SIGKILL"),
        ("cat > /dev/null", "the compiler produced nothing"),
        ("cat; echo '<unknown>:0: error: no registers' >&2", "the compiler reported an error"),
        ("exit 0", "the compiler produced nothing"),
        ("cat; exit 1", "the compiler failed with exit status 1"),
        ("printf 'half a payload'; kill -SEGV $$", "the compiler crashed with SIGSEGV"),
    ],
)
def test_every_way_to_fail(tmp_path: Path, script: str, summary: str) -> None:
    error = fail(tmp_path, fake(tmp_path, script))
    assert str(error).splitlines()[0] == f"compiling for cpu:generic: {summary}"


def test_a_compiler_that_reads_nothing(tmp_path: Path) -> None:
    """A closed pipe is not the error that is reported."""
    script = fake(tmp_path, "exec <&-; echo 'error: unknown flag' >&2; exit 1")
    with pytest.raises(CompileError, match="error: unknown flag"):
        compile_by(script, MODULE * 500_000, TARGET, reproducers=tmp_path, timeout=300)


def test_diagnostics_of_any_bytes(tmp_path: Path) -> None:
    script = fake(tmp_path, "cat > /dev/null; printf '\\377\\000 error: x\\n' >&2; exit 1")
    assert "error: x" in fail(tmp_path, script).diagnostics


def test_a_hanging_compiler_is_stopped(tmp_path: Path) -> None:
    """With all that it started: `iree-compile` runs a linker."""
    script = f"echo 'error: so far' >&2; sleep 60 & echo $! > {tmp_path}/pid; wait"
    start = time.monotonic()
    error = fail(tmp_path, fake(tmp_path, script), timeout=1)
    assert time.monotonic() - start < 50  # and not 60
    assert "the compiler did not finish in 1 s and was stopped" in str(error)
    assert error.diagnostics == "error: so far\n"
    child = int((tmp_path / "pid").read_text())
    try:
        for _ in range(400):
            if not Path(f"/proc/{child}").exists() or _state(child) == "Z":
                return
            time.sleep(0.05)
        pytest.fail("what the compiler started is still running")
    finally:
        if Path(f"/proc/{child}").exists():
            os.kill(child, 9)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("executable", ["/no/such/compiler", "/dev/null"])
def test_a_compiler_that_does_not_start(tmp_path: Path, executable: str) -> None:
    error = fail(tmp_path, executable)
    assert "the compiler could not be started" in str(error)
    assert executable in str(error)


def test_the_real_compiler_names_the_error(tmp_path: Path) -> None:
    bad = "func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }"
    with pytest.raises(CompileError, match=r"error: .*type of return operand") as caught:
        compile_module(bad, TARGET, reproducers=tmp_path)
    assert caught.value.reproducer is not None
    again = subprocess.run(
        ["sh", f"{caught.value.reproducer}/command.sh"], capture_output=True, text=True
    )
    assert again.returncode != 0
    assert again.stderr == caught.value.diagnostics


CHECKING = """
count=$#
for each; do
  shift
  [ "$each" = --verify=false ] || set -- "$@" "$each"
done
[ $# -lt $count ] && exec {compiler} "$@"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "target"), [("BlockLSTMGradV2", "cuda:sm_80"), ("CudnnRNNBackpropV3", "cpu")]
)
def test_what_is_not_checked_between_passes_is_right(
    op: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the compiler's checks after every pass the payload is the same."""
    each = module(op, "float32", first_variant(op))
    payload = rc.compile(each, target).payload
    compiler = iree_compile.compiler_folder() / "iree-compile"
    fake(tmp_path, CHECKING.format(compiler=compiler))
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(iree_compile, "compiler_folder", lambda: tmp_path)
    assert rc.compile(each, target).payload == payload


@pytest.mark.parametrize("script", ["exit 1", "kill -SEGV $$", "exit 0", "exec sleep 60"])
def test_a_failure_leaves_no_cache_entry(
    tmp_path: Path, tiny_module: rc.Module, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """Through `rc.compile`: the same call with a working compiler works."""
    iree_compile.compiler_identity()  # of the real one, from here on
    cache = tmp_path / "cache"
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(cache))
    with monkeypatch.context() as patch:
        fake(tmp_path, f"exec <&-; {script}")
        patch.setattr(iree_compile, "compiler_folder", lambda: tmp_path)
        with pytest.raises(CompileError, match=r"^compiling for cpu: the compiler ") as caught:
            rc.compile(tiny_module, "cpu", timeout=0.2)
    assert list(cache.rglob("*.entry")) == []
    assert caught.value.reproducer is not None
    module = (Path(caught.value.reproducer) / "module.mlir").read_text()
    assert "func.func @block_lstm_v2(" in module
    assert "BlockLSTMV2: " in module, "the compiler's errors name the formula"
    fake(tmp_path, "cat")
    monkeypatch.setattr(iree_compile, "compiler_folder", lambda: tmp_path)
    assert rc.compile(tiny_module, "cpu").payload == module.encode()


def test_without_the_compiler_artifacts_still_run(tiny: rc.Artifact, tmp_path: Path) -> None:
    """Functions that need it say what to install, as if only IREE's runtime were installed."""
    path = tiny.save(tmp_path / "tiny.vmfb")
    script = f"""
from importlib.machinery import PathFinder

installed = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.startswith("iree.compiler") else installed(name, path, target)

PathFinder.find_spec = find_spec
import re
import numpy as np
import rnn_compiler as rc

program = rc.runtime.load({str(path)!r})
spec = program.block_lstm_v2.spec
arguments = {{a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments}}
print(program(**arguments).h.shape)
module = rc.Module([spec])
raw_op = rc.raw_ops.BlockLSTMV2
for needs in (
    module.__str__,
    lambda: rc.build("BlockLSTMV2", **spec.dims),
    lambda: rc.compile(module),
    lambda: raw_op(**arguments),
):
    try:
        needs()
    except rc.errors.UnsupportedError as error:
        assert isinstance(error, NotImplementedError)
        print(*re.findall("pip install '?([a-z-]*)", str(error)))
"""
    done = processes.python(script)
    assert done.stdout.split("\n") == [
        "(0, 1, 1)",
        "iree-base-compiler",
        *["iree-base-compiler"] * 3,
        "",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("arch", list(cpu_features.LEVELS))
def test_every_feature_is_one_that_the_compiler_knows(arch: str) -> None:
    """A misspelled one would be dropped with a note, and the code would be slow."""
    target = resolve_target(",".join([f"cpu:{arch}", *sorted(cpu_features.known_features(arch))]))
    text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
    done = processes.run(
        iree_compile.compiler_folder() / "iree-compile",
        "-",
        "-o",
        "/dev/null",
        *compiler_flags(target),
        input=text,
    )
    assert "feature for this target" not in done.stderr, done.stderr
