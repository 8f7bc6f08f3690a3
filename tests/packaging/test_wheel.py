"""The wheel, built from a copy of the sources and installed alone, contains everything needed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import rnn_compiler as rc

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

SMOKE = """
import sys
import numpy as np
import rnn_compiler as rc

assert sys.prefix in rc.__file__, rc.__file__
T, B, I, H = 2, 1, 3, 4
f = np.float32
out = rc.raw_ops.BlockLSTMV2(
    seq_len_max=T, x=np.ones((T, B, I), f), cs_prev=np.zeros((B, H), f),
    h_prev=np.zeros((B, H), f), w=np.zeros((I + H, 4 * H), f), wci=np.zeros(H, f),
    wcf=np.zeros(H, f), wco=np.zeros(H, f), b=np.ones(4 * H, f),
)
print(rc.__version__, out.h.shape, np.round(float(out.cs[0, 0, 0]), 6))
module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
rc.compile(module).save(sys.argv[1])
"""

RUN_ONLY = """
import sys
import numpy as np
import rnn_compiler as rc

program = rc.runtime.load(sys.argv[1])
spec = program.block_lstm_v2.spec
arguments = {a.name: np.zeros(a.shape, a.dtype) for a in spec.arguments}
print(program(**arguments).h.shape)
"""

REQUIRED = metadata.requires("rnn-compiler") or ()
(COMPILER,) = (each for each in REQUIRED if each.startswith("iree-base-compiler"))

RAW_OP = """
try:
    rc.raw_ops.BlockLSTMV2(**arguments)
except rc.errors.UnsupportedError:
    print("unsupported")
"""


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def built(folder: Path) -> dict[str, Path]:
    """The published files, built again: by the beginning of their names and the suffix."""
    run(
        sys.executable, ROOT / "release" / "wheels.py", "--out", folder / "dist", TMPDIR=str(folder)
    )
    return {path.name.split("-")[0] + path.suffix: path for path in (folder / "dist").iterdir()}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return built(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(published: dict[str, Path]) -> Path:
    return published["rnn_compiler.whl"]


def test_wheels_are_reproducible(published: dict[str, Path], tmp_path: Path) -> None:
    """Another folder, a stricter umask and a later time give the same bytes."""
    before = os.umask(0o077)
    try:
        again = built(tmp_path)
    finally:
        os.umask(before)
    assert set(again) == {"rnn_compiler.whl", "rnn_compiler_runtime.whl", "rnn_compiler.gz"}
    for name in ("rnn_compiler.whl", "rnn_compiler_runtime.whl"):
        assert again[name].read_bytes() == published[name].read_bytes(), name


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the wheel and its dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel-env")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    run(*pip, "install", "-q", "--no-compile", wheel)
    return python


def installed(python: Path, distribution: str) -> set[str]:
    """The files that a distribution put into site-packages, without its metadata."""
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    (found,) = metadata.distributions(name=distribution, path=[str(site)])
    assert found.files is not None
    paths = {path.as_posix() for path in found.files}
    return {path for path in paths if not path.startswith("..") and ".dist-info/" not in path}


def test_it_installs_one_package(python: Path) -> None:
    """Every source file of the three folders, and no package `lowering` or `runtime` next to it."""
    files = installed(python, "rnn-compiler")
    expected = {"rnn_compiler/py.typed", "rnn_compiler/lowering/js/runtime.mjs"}
    expected |= {"rnn_compiler/lowering/js/states.mjs"}
    for folder in ("rnn_compiler", "lowering", "runtime"):
        prefix = "" if folder == "rnn_compiler" else "rnn_compiler/"
        sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
        expected |= {prefix + path for path in sources}
    assert files == expected


def test_it_needs_no_framework(python: Path) -> None:
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    names = {d.metadata["Name"].lower() for d in metadata.distributions(path=[str(site)])}
    assert "rnn-compiler" in names
    assert not names & {"tensorflow", "torch", "jax", "jaxlib", "keras", "pytest"}


def test_it_compiles_and_runs_and_then_runs_without_the_compiler(
    python: Path, tmp_path: Path
) -> None:
    """An artifact that was compiled with it still runs where only IREE's runtime is left."""
    path = tmp_path / "tiny.vmfb"
    out = run(python, "-I", "-W", "error", "-c", SMOKE, path, RNN_COMPILER_CACHE_DIR=str(tmp_path))
    # i = f = o = s(1), ci = tanh(1), from a state of 0
    assert out.split("\n")[0] == f"{metadata.version('rnn-compiler')} (2, 1, 4) 0.55677"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    run(*pip, "uninstall", "-q", "-y", "iree-base-compiler")
    out = run(python, "-I", "-W", "error", "-c", RUN_ONLY + RAW_OP, path)
    assert out.split("\n")[:2] == ["(0, 1, 1)", "unsupported"]


@pytest.fixture(scope="module")
def runtime_only(published: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with rnn-compiler-runtime and its requirements."""
    folder = tmp_path_factory.mktemp("runtime-env")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-compile"]
    run(*pip, published["rnn_compiler_runtime.whl"])
    run(sys.executable, "-m", "pip", "--python", python, "check")
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    names = {d.metadata["Name"].lower() for d in metadata.distributions(path=[str(site)])}
    assert names == {"rnn-compiler-runtime", "iree-base-runtime", "numpy", "ml_dtypes"}
    return python


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
    return rc.compile(module).save(tmp_path_factory.mktemp("tiny") / "tiny.vmfb")


def test_artifacts_run_with_irees_runtime_and_nothing_else(runtime_only: Path, tiny: Path) -> None:
    out = run(runtime_only, "-I", "-W", "error", "-c", RUN_ONLY + RAW_OP, tiny)
    assert out == "(0, 1, 1)\nunsupported\n"


COMMANDS = (
    *("--help", "inspect {}", "inspect {} --json", "check {}"),
    *("ops", "ops CudnnRNNV3", "run --help"),
)

PRINT = """
import contextlib, io, json, os, sys
from rnn_compiler.cli import main

texts = {}
for columns in ("50", "80", "1000"):
    os.environ["COLUMNS"] = columns
    for command in sys.argv[1:]:
        with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
            assert not main(command.split()), command
        texts[f"{columns} {command}"] = text.getvalue()
print(json.dumps(texts))
"""


def test_a_runtime_only_machine_prints_the_same(runtime_only: Path, tiny: Path) -> None:
    """Whether rich is there or not."""
    commands = [command.format(tiny) for command in COMMANDS]
    theirs, ours = (
        json.loads(run(python, "-I", "-W", "error", "-c", PRINT, *commands))
        for python in (runtime_only, sys.executable)
    )
    assert theirs == ours
    assert len(ours) == 3 * len(COMMANDS)
    assert all(ours.values())


def test_a_runtime_only_machine_runs(runtime_only: Path, tiny: Path, tmp_path: Path) -> None:
    verb = [runtime_only, "-I", "-W", "error", "-m", "rnn_compiler"]
    out = tmp_path / "out.npz"
    assert "0 x 1 x 1" in run(*verb, "run", tiny, "--random", "-o", out)
    assert out.exists()
    assert json.loads(run(*verb, "run", tiny, "--random", "--json"))["function"] == "block_lstm_v2"
    assert "not installed" in run(*verb, "--version")
    source = tmp_path / "params.npy"
    np.save(source, np.zeros(36, np.float32))
    options = ["--rnn-mode=rnn_relu", "--num-units=4", "--input-size=3", "-o", tmp_path / "k.npz"]
    assert "arr_0" in run(*verb, "weights", "to-keras", source, *options)


def test_doctor_says_what_a_runtime_only_machine_is_for(runtime_only: Path) -> None:
    verb = [runtime_only, "-I", "-W", "error", "-m", "rnn_compiler", "doctor"]
    text = run(*verb)
    for name in ("iree-base-compiler", "filelock", "platformdirs", "rich"):
        assert re.search(rf"^-  +{name} +not installed$", text, re.MULTILINE)
    for name in ("iree-base-runtime", "numpy", "ml_dtypes", "device local-sync"):
        assert re.search(rf"^ok  +{name} ", text, re.MULTILINE)
    assert "loads and runs artifacts" in text
    assert f"pip install '{COMPILER}'" in text
    found = json.loads(run(*verb, "--json"))
    assert (found["works"], found["compiles"]) == (True, False)


DIMS = "--dim=seq_length=0,batch_size=1,input_size=1,num_units=1"


REFUSED = (
    *(f"emit BlockLSTMV2 {DIMS}", f"compile BlockLSTMV2 {DIMS}", f"bench BlockLSTMV2 {DIMS}"),
    *("demo", "cache dir", "cache ls", "cache stats", "cache verify", "cache prune", "cache clear"),
)

REFUSE = """
import sys
from rnn_compiler.cli import main

for command in sys.argv[1:]:
    print(main(command.split()))
"""


def test_what_a_runtime_only_machine_cannot_do_says_what_to_install(
    runtime_only: Path, tmp_path: Path
) -> None:
    command = [str(runtime_only), "-I", "-W", "error", "-c", REFUSE, *REFUSED]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1\n" * len(REFUSED))
    for verb, line in zip(REFUSED, done.stderr.splitlines(), strict=True):
        assert line.startswith("rnn-compiler: error: "), verb
        assert "iree-base-compiler" in line, verb
        assert f"pip install '{COMPILER}'" in line, verb


STATEMENTS = (
    "rc.build('LSTMBlockCell', batch_size=1, input_size=1, num_units=1)",
    "rc.compile(rc.Module([]))",
    "rc.raw_ops.CudnnRNNParamsSize("
    "num_layers=1, num_units=1, input_size=1, T='float32', S='int32')",
)


def test_what_a_runtime_only_machine_cannot_call_says_what_to_install(runtime_only: Path) -> None:
    script = f"""
import rnn_compiler as rc
import rnn_compiler.runtime
for statement in {STATEMENTS}:
    try:
        eval(statement)
    except rc.errors.UnsupportedError as error:
        print(error)
"""
    text = run(runtime_only, "-I", "-W", "error", "-c", script, RNN_COMPILER_CACHE_DIR="")
    assert text.replace(",", " and").count("iree-base-compiler and") == len(STATEMENTS)
    assert text.count(f"pip install '{COMPILER}'") == len(STATEMENTS)


def test_doctor_tells_of_both_distributions_at_once(
    wheel: Path, runtime_only: Path, tmp_path: Path
) -> None:
    """They hold the same files, so uninstalling one breaks the other."""
    folder = tmp_path / "metadata"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" in name]
        archive.extractall(folder, names)
    verb = (runtime_only.with_name("rnn-compiler"), "doctor")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(verb, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "installed twice" in " ".join(done.stdout.split())
