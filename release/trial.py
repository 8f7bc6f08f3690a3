"""Tries the wheels in dist/ as a user would: each alone, in separate environments.

    python release/trial.py [--dist dist]

Under this Python, rnn-compiler runs the demo, compiles an artifact with sample values and inspects,
runs and verifies it, and so does rnn-compiler-runtime, in an environment without a compiler. Then
rnn-compiler imports, trains, links a training step and writes C and JavaScript, with a home of its
own and no other program on the path. Under every other Python of this machine that the package
supports, rnn-compiler runs some quick tests instead. A bill of materials (CycloneDX) is written
next to each wheel.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wheels import ROOT, copied, run

MINORS = (10, 11, 12, 13, 14)
DIMS = "--dim=seq_length=3,batch_size=2,input_size=4,num_units=5"
DIM = "--dim=seq_length=4,batch_size=1"
CELL = ("compile", "GRUBlockCell", "--dim=batch_size=1,input_size=2,num_units=3")
QUICK = [
    *(f"tests/cli/test_{name}.py" for name in ("check", "cli", "json")),
    *(f"tests/runtime/test_{name}.py" for name in ("bundle", "program")),
    *(f"tests/errors/test_{name}.py" for name in ("build", "exceptions")),
]

TRAINING = """
import numpy as np
from rnn_compiler import raw_ops

T, B, H = 5, 2, 3
state, peephole = np.zeros((B, H), np.float32), np.zeros(H, np.float32)
w, b = np.full((2 * H, 4 * H), 0.1, np.float32), np.zeros(4 * H, np.float32)
arguments = {
    **{"seq_len_max": T, "x": np.ones((T, B, H), np.float32), "cs_prev": state, "h_prev": state},
    **{"w": w, "b": b, **dict.fromkeys(("wci", "wcf", "wco"), peephole)},
}
losses = []
for _ in range(5):
    out = raw_ops.BlockLSTMV2(**arguments)
    losses.append(np.square(out.h - 0.5).mean())
    grads = {"cs_grad": np.zeros_like(out.cs), "h_grad": 2 / out.h.size * (out.h - 0.5)}
    w -= raw_ops.BlockLSTMGradV2(**arguments, **out._asdict(), **grads, use_peephole=False).w_grad
assert losses[-1] < losses[0], losses
"""
"""A few steps of gradient descent on an LSTM."""

DOORS = {
    "import": ("rnn-compiler", "import", "model.keras", "-o", "imported", DIM),
    "train": ("python", "-c", TRAINING),
    "train anywhere": ("rnn-compiler", "link", "learn.mlir", "--format", "c", "-o", "learner"),
    "embed in C": ("rnn-compiler", *CELL, "--format", "c", "-o", "cell"),
    "embed in JavaScript": ("rnn-compiler", *CELL, "--format", "js", "-o", "page"),
}
"""What the first page shows, each as a command."""


def main() -> None:
    """Tries the wheels under one Python after the other, and prints the outcome."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", metavar="FOLDER")
    dist: Path = parser.parse_args().dist.resolve()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        own = sys.version_info.minor
        for minor in (own, *(each for each in MINORS if each != own)):
            python = sys.executable if minor == own else find_python(minor)
            if python is None:
                print(f"Python 3.{minor}: not on this machine, so not tried", flush=True)
                continue
            folder = work / f"python3.{minor}"
            folder.mkdir()
            said = try_wheels(python, dist, folder, first=minor == own)
            print(f"Python 3.{minor}: {said}", flush=True)


def find_python(minor: int) -> str | None:
    """A Python 3.`minor` that starts, from the path or from pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [shutil.which(f"python3.{minor}"), *pyenv.glob(f"versions/3.{minor}.*/bin/python3")]
    wanted = f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
    for each in filter(None, found):
        if subprocess.run([each, "-c", wanted], capture_output=True).returncode == 0:
            return str(each)
    return None


def try_wheels(python: str, dist: Path, folder: Path, *, first: bool) -> str:
    """Tries both wheels under one Python; returns the outcome in a few words."""
    os.environ["RNN_COMPILER_CACHE_DIR"] = str(folder / "cache")
    wheels = {path.name.split("-")[0]: path for path in dist.glob("*.whl")}
    for name in ("compiler", "runtime"):
        run(python, "-m", "venv", "--without-pip", folder / name)
    compiler, runtime = folder / "compiler" / "bin", folder / "runtime" / "bin"
    pip = (sys.executable, "-m", "pip", "--python")
    for commands, name in ((compiler, "rnn_compiler"), (runtime, "rnn_compiler_runtime")):
        run(*pip, commands / "python", "install", "-q", "--no-compile", wheels[name])
        run(*pip, commands / "python", "check")

    run(compiler / "rnn-compiler", "doctor", cwd=folder)
    artifact = folder / "lstm.vmfb"
    run(compiler / "rnn-compiler", *("compile", "BlockLSTMV2", DIMS, "--golden", "-o", artifact))
    for commands in (compiler, runtime) if first else (runtime,):
        for verb in ("inspect", "check", "verify"):
            run(commands / "rnn-compiler", verb, artifact, cwd=folder)
        run(commands / "rnn-compiler", "run", artifact, "--random", cwd=folder)
    run(runtime / "rnn-compiler", "doctor", cwd=folder)
    names = run(*pip, runtime / "python", "list", "--format=freeze", cwd=folder)
    if "compiler=" in names.replace("rnn-compiler", ""):
        raise SystemExit(f"{wheels['rnn_compiler_runtime'].name} brings a compiler:\n{names}")
    if first:
        for commands, name in ((compiler, "rnn_compiler"), (runtime, "rnn_compiler_runtime")):
            write_bill(commands / "python", wheels[name])
        run(compiler / "rnn-compiler", "demo", cwd=folder)
        run(*pip, compiler / "python", "install", "-q", f"{wheels['rnn_compiler']}[import,keras]")
        try_doors(compiler, folder / "doors")
        return "both wheels install, run and verify, and so do the demo and every door"
    run(*pip, compiler / "python", *("install", "-q", "--no-compile", "pytest", "hypothesis"))
    tests = (compiler / "pytest", "-q", "-o", "addopts=", "--import-mode=importlib")
    cache = f"cache_dir={folder.parent / 'cache'}"  # all Pythons share what is compiled
    options = ("--strict-markers", "-m", "not slow", "-o", cache, *QUICK)
    said = run(*tests, *options, cwd=copied(folder / "sources")).strip().splitlines()
    return f"both wheels install, run and verify; {said[-1].strip('= ')}"


def try_doors(commands: Path, folder: Path) -> None:
    """Tries what the first page shows, with an empty home and nothing else on the path."""
    (folder / "home").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "model_files" / "keras3.keras", folder / "model.keras")
    shutil.copy(ROOT / "release" / "learn.mlir", folder)
    alone = {"HOME": str(folder / "home"), "PATH": str(commands)}
    for program, *arguments in DOORS.values():
        run(commands / program, *arguments, cwd=folder, **alone)


def write_bill(python: Path, wheel: Path) -> None:
    """Writes the contents of an environment, with licences, next to the wheel installed in it."""
    path = wheel.with_suffix(".cdx.json")
    options = ("--output-reproducible", "--pyproject", ROOT / "pyproject.toml", "-o", path)
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, python)


if __name__ == "__main__":
    main()
