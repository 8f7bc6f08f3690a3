"""Builds the published files in dist/: the sdist and both wheels.

    python release/wheels.py [--out dist]

`rnn-compiler` is built as pyproject.toml defines it. `rnn-compiler-runtime`, for machines that only
run artifacts, has the same sources with metadata that differ in two points: the name, and that the
requirements for compiling are an extra, `compiler`. Files have the time of the commit, so that the
same commit gives the same wheels, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import tomli_w
from build import ProjectBuilder
from build.env import DefaultIsolatedEnv

ROOT = Path(__file__).parents[1]

RUN_ONLY = ("iree-base-runtime", "numpy", "ml_dtypes")
"""The distributions that loading and running artifacts requires."""

RUNTIME_EXTRAS = ("completion", "import", "keras", "safetensors")
"""The extras that need no compiler."""


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """The output of a command; ends this process if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def runtime_project(project: dict[str, Any]) -> dict[str, Any]:
    """The pyproject.toml of rnn-compiler-runtime, from that of rnn-compiler."""
    table = dict(project["project"])
    required = {True: [], False: []}
    for line in table["dependencies"]:
        required[line.startswith(RUN_ONLY)].append(line)
    extras = table["optional-dependencies"]
    table |= {
        "name": "rnn-compiler-runtime",
        "description": "Loads and runs the modules that rnn-compiler compiles",
        "dependencies": required[True],
        "optional-dependencies": {
            "compiler": required[False],
            **{name: extras[name] for name in RUNTIME_EXTRAS},
        },
    }
    return {**project, "project": table}


def copied(folder: Path) -> Path:
    """A copy of the files that git tracks, so that building leaves nothing in the working tree."""
    for name in run("git", "ls-files", "-z").split("\0"):
        if name:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target, follow_symlinks=False)  # modes depend on umask
    return folder


def built(
    sources: Path, kind: Literal["sdist", "wheel"], out: Path, environment: DefaultIsolatedEnv
) -> Path:
    """An sdist or a wheel of some sources, built in an environment with their requirements."""

    def call(command: Sequence[str], cwd: str | None = None, extra: Any = None) -> None:
        run(*command, cwd=Path(cwd or sources), **extra or {})

    return Path(ProjectBuilder.from_isolated_env(environment, sources, call).build(kind, out))


def main() -> None:
    """Builds everything, and prints the size of each file.

    The wheel is built from the sdist, as `python -m build` does. Setuptools is installed once.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER")
    out: Path = parser.parse_args().out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = run("git", "log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory() as name, DefaultIsolatedEnv() as environment:
        sources = copied(Path(name) / "sources")
        environment.install(ProjectBuilder(sources).build_system_requires)
        sdist = built(sources, "sdist", out, environment)
        with tarfile.open(sdist) as archive:
            # Python 3.10.11, 3.11.3 and older have no filters.
            archive.extractall(
                name, **{"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            )
        unpacked = Path(name) / sdist.name.removesuffix(".tar.gz")
        built(unpacked, "wheel", out, environment)
        path = sources / "pyproject.toml"
        path.write_text(tomli_w.dumps(runtime_project(tomllib.loads(path.read_text()))))
        built(sources, "wheel", out, environment)
    for file in sorted(out.iterdir()):
        print(f"{file.stat().st_size:>9,}  {file.name}")


if __name__ == "__main__":
    main()
