"""What C and JavaScript modules are made of is cached; weights are not, and files are the same."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.errors import ArtifactError
from rnn_compiler.lowering.parts import ModuleParts
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.cache.memory import MemoryCache

SIZES = {"batch_size": 2, "input_size": 3, "num_units": 5}

Compile = Callable[[rc.Module], Mapping[str, bytes]]


def frozen(seed: float) -> rc.Module:
    """A layer with weights, which are packed."""
    module = rc.build("BlockLSTMV2", seq_length=4, batch_size=2, input_size=16, num_units=16)
    (spec,) = module.functions
    weights: dict[str, Any] = {
        each.name: np.full(each.shape, seed, np.float32)
        for each in spec.arguments
        if each.name in spec.weights
    }
    return rc.freeze(module, weights)


@pytest.fixture
def compiler_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> list[str]:
    """The targets that the compiler runs for, with an empty cache."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "memory_cache", MemoryCache())
    return compilations


@pytest.mark.parametrize(
    "compile_files",
    first([lambda m: rc.compile_c(m, "cpu:generic").files, lambda m: rc.compile_js(m).files]),
    ids=["c", "js"],
)
def test_the_code_is_cached_and_weights_are_not(
    compile_files: Compile, compiler_runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compile_files(frozen(0.5))
    assert len(compiler_runs) == 2, "the module, and what packs its weights here"
    monkeypatch.setattr(compilation, "memory_cache", MemoryCache())  # as in another process
    assert compile_files(frozen(0.5)) == first
    other = compile_files(frozen(0.25))
    assert len(compiler_runs) == 2
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    assert compile_files(frozen(0.25)) == other != first
    assert len(compiler_runs) == 4


def test_formats_and_packing_machines_have_entries_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target, plain, packed = (
        resolve_target("cpu:generic"),
        rc.build("GRUBlockCell", **SIZES),
        frozen(1),
    )
    before = [compilation.cache_key(m, target, None, "parts").digest for m in (plain, packed)]
    assert compilation.cache_key(plain, target).digest != before[0]
    here = resolve_target("cpu:x86-64-v2")
    monkeypatch.setattr(compilation, "resolve_target", lambda name: here)
    after = [compilation.cache_key(m, target, None, "parts").digest for m in (plain, packed)]
    assert after[0] == before[0]
    assert after[1] != before[1]


@pytest.mark.slow
def test_a_damaged_entry_is_compiled_again(
    compiler_runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    module = rc.build("GRUBlockCell", **SIZES)
    made = rc.compile_c(module, "cpu:generic")
    (entry,) = (tmp_path / "cache").rglob("*.entry")
    entry.write_bytes(entry.read_bytes()[:-1])
    monkeypatch.setattr(compilation, "memory_cache", MemoryCache())
    with caplog.at_level(logging.CRITICAL):
        assert rc.compile_c(module, "cpu:generic") == made
    assert len(compiler_runs) == 2


@pytest.mark.parametrize("payload", [b"", b"PK\5\6" + bytes(18), b"\0" * 100])
def test_other_bytes_are_no_parts(payload: bytes) -> None:
    with pytest.raises(ArtifactError, match="not the parts of a module"):
        ModuleParts.from_bytes(payload)
