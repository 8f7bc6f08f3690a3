"""Compiling twice, in different circumstances, gives the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import processes
import pytest

SCRIPT = """
import sys
import numpy as np
import rnn_compiler as rc

dims = dict(seq_length=3, batch_size=2, input_size=4, num_units=8)
module = rc.build("BlockLSTMV2", **dims)
rng = np.random.default_rng(0)
weights = {
    each.name: rng.normal(size=each.shape).astype(each.dtype)
    for each in module.functions[0].arguments
    if each.name in ("w", "b")
}
frozen = rc.freeze(module, weights)
folder, = sys.argv[1:]
artifact = rc.compile(frozen, ["cpu:generic", "cpu:x86-64-v3"])
artifact.save(f"{folder}/lstm.vmfb", golden=rc.golden(frozen, artifact))
golden = rc.golden(frozen, "cpu:generic")
rc.compile_c(frozen, "cpu:generic", golden=golden).save(f"{folder}/c")
rc.compile_js(frozen).save(f"{folder}/js")
"""
"""A bundle with frozen weights and samples, and the same as C and as JavaScript."""


def files_of(folder: Path, **environment: str) -> dict[str, bytes]:
    folder.mkdir()
    variables = {**os.environ, "RNN_COMPILER_CACHE_DIR": f"{folder}-cache", **environment}
    processes.python(SCRIPT, folder, cwd=folder, env=variables)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_artifacts_are_reproducible(tmp_path: Path) -> None:
    """Another folder, hash seed, time zone, language, umask and an empty cache."""
    first = files_of(tmp_path / "first", PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8")
    before = os.umask(0o077)
    try:
        second = files_of(tmp_path / "another", PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="C")
    finally:
        os.umask(before)
    assert {Path(name).suffix for name in first} >= {".vmfb", ".irpa", ".c", ".h", ".o", ".wasm"}
    assert [name for name in first if first[name] != second.get(name)] == []
    assert set(first) == set(second)
