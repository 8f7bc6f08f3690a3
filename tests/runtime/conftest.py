"""Common parts of the tests of the runtime: artifacts that compile once, and watches."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pytest
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES

DIMS = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
VARIANT = {**DIMS, "use_peephole": True}


@pytest.fixture(scope="session")
def artifact() -> rc.Artifact:
    """Both ops in one module, for this machine."""
    return rc.compile(rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], **VARIANT), "cpu")


@pytest.fixture(scope="session")
def tiny_module() -> rc.Module:
    """A module without a loop, which compiles in no time."""
    return rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)


@pytest.fixture(scope="session")
def tiny(tiny_module: rc.Module) -> rc.Artifact:
    """The compiled module without a loop."""
    return rc.compile(tiny_module, "cpu")


@pytest.fixture(scope="session")
def forward() -> dict[str, npt.NDArray[Any]]:
    """Arguments of the forward op."""
    return draw("BlockLSTMV2", "float32", VARIANT)


@pytest.fixture(scope="session")
def backward() -> dict[str, npt.NDArray[Any]]:
    """Arguments of the gradient op."""
    return draw("BlockLSTMGradV2", "float32", VARIANT)


@pytest.fixture(scope="session")
def iree_tools() -> Path:
    """The folder of the native tools that come with IREE's runtime."""
    package = util.find_spec("iree._runtime_libs")
    assert package is not None
    assert package.submodule_search_locations
    return Path(package.submodule_search_locations[0])


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Iterable[str]], None]]:
    """Makes this an x86-64 machine whose kernel reports only some features, in LLVM's names."""
    read = Path.read_text

    def become(features: Iterable[str]) -> None:
        flags = " ".join(
            ["fpu", *(ARCHITECTURES["x86_64"].features[feature] for feature in features)]
        )
        cpuinfo = f"model name\t: AMD EPYC avx512f\nflags\t\t: {flags}\n"

        def pretend(path: Path, *arguments: Any, **keywords: Any) -> str:
            return cpuinfo if path == Path("/proc/cpuinfo") else read(path, *arguments, **keywords)

        monkeypatch.setattr(Path, "read_text", pretend)
        monkeypatch.setattr(platform, "machine", lambda: "x86_64")
        cpu_features.host_features.cache_clear()

    yield become
    monkeypatch.undo()
    cpu_features.host_features.cache_clear()
