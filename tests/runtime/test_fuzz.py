"""Hundreds of damaged entries and artifacts: not one crash, not one wrong number.

They are read and run in another process, so that a crash is seen. Those that are not refused must
give the same numbers, bit for bit.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest

import rnn_compiler as rc
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey

pytestmark = pytest.mark.slow

COUNT = 600

COMMON = """
import collections, json, logging, os, random, shutil, sys
from pathlib import Path
import numpy as np
import rnn_compiler as rc

logging.disable(logging.CRITICAL)
folder, count = Path(sys.argv[1]), int(sys.argv[2])
rng = random.Random(0)
arguments = dict(np.load(folder / "forward.npz"))
outcomes = collections.Counter()

def run(artifact):
    results = rc.runtime.load(artifact).block_lstm_v2(**arguments)
    return b"".join(array.tobytes() for array in results)

def damaged(data):
    # Bytes as a disk, a transfer or an editor may leave them, not as they were.
    start, size = rng.randrange(len(data)), rng.choice([1, 1, 16, 512, 4096])
    part = data[start : start + size]
    found = rng.choice([
        lambda: data[:start] + bytes([part[0] ^ 1 << rng.randrange(8)]) + data[start + 1 :],
        lambda: data[:start] + bytes([part[0] ^ 1 << rng.randrange(8)]) + data[start + 1 :],
        lambda: data[:start] + rng.randbytes(len(part)) + data[start + size :],
        lambda: data[:start] + bytes(len(part)) + data[start + size :],
        lambda: data[:start],
        lambda: data[start:],
        lambda: data[:start] + data[start + size :],
        lambda: data[:start] + part + data[start:],
        lambda: data + part,
    ])()
    return damaged(data) if found == data else found
"""

ENTRIES = """
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey

cache = ArtifactCache(folder / "cache", "ro")
keys = [CacheKey({"k": k}) for k in range(2)]
whole = [cache.path(key).read_bytes() for key in keys]
originals = [cache.get(key) for key in keys]
expected = run(originals[0])
for _ in range(count):
    if rng.random() < 0.1:
        swapped = whole[0][: -len(originals[0].payload)] + originals[1].payload
        data = rng.choice([swapped, whole[1], b"", bytes(len(whole[0]))])
    else:
        data = damaged(whole[0])
    cache.path(keys[0]).write_bytes(data)
    found = cache.get(keys[0])
    if found is None:
        outcomes["refused"] += 1
    else:
        outcomes["same" if run(found) == expected else "wrong"] += 1
print(json.dumps(outcomes))
"""

ARTIFACTS = """
from rnn_compiler.errors import ArtifactError

def expected_of(path):
    found = rc.runtime.read_artifact(path)
    artifacts = getattr(found, "artifacts", [found])
    return [(a.manifest, run(a)) for a in artifacts]

places = [folder / "single", folder / "bundle"]
paths = [places[0] / "lstm.vmfb", places[1]]
whole = [{p: p.read_bytes() for p in sorted(place.iterdir())} for place in places]
others = {p.name: p.read_bytes() for p in (folder / "other").iterdir()}
expected = [expected_of(path) for path in paths]
for turn in range(count):
    files, path = whole[turn % 2], paths[turn % 2]
    one, two = rng.sample(sorted(files), 2)
    kind = rng.choice(["damage"] * 6 + ["swap", "another's", "missing"])
    if kind == "damage":
        one.write_bytes(damaged(files[one]))
    elif kind == "swap":
        one.write_bytes(files[two])
        two.write_bytes(files[one])
    elif kind == "another's":
        one.write_bytes(others["lstm.vmfb.json" if one.suffix == ".json" else "lstm.vmfb"])
    else:
        one.unlink()
    try:
        found = rc.runtime.load(path).manifest, run(path)
        outcomes["same" if found in expected[turn % 2] else "wrong"] += 1
    except ArtifactError:
        outcomes["refused"] += 1
    for each in (one, two):
        each.write_bytes(files[each])
print(json.dumps(outcomes))
"""


def outcomes(script: str, folder: Path) -> dict[str, int]:
    done = processes.python(COMMON + script, folder, COUNT, flags=["-W", "error"])
    assert done.stderr == ""
    found: dict[str, int] = json.loads(done.stdout)
    assert sum(found.values()) == COUNT
    assert found.get("wrong", 0) == 0
    return found


@pytest.fixture
def folder(forward: dict[str, npt.NDArray[Any]], tmp_path: Path) -> Path:
    np.savez(tmp_path / "forward.npz", **forward)
    return tmp_path


def test_damaged_entries(artifact: rc.Artifact, tiny: rc.Artifact, folder: Path) -> None:
    cache = ArtifactCache(folder / "cache")
    for k, each in enumerate((artifact, tiny)):
        cache.put(CacheKey({"k": k}), each)
    assert outcomes(ENTRIES, folder) == {"refused": COUNT}


def test_damaged_artifacts(artifact: rc.Artifact, tiny: rc.Artifact, folder: Path) -> None:
    """Only damage to white space or to the commands for users is accepted."""
    for name, saved in (("single", artifact), ("other", tiny)):
        (folder / name).mkdir()
        saved.save(folder / name / "lstm.vmfb")
    module = rc.build(
        ["BlockLSTMV2", "BlockLSTMGradV2"], use_peephole=True, **artifact.manifest.functions[0].dims
    )
    rc.compile(module, ["cpu:generic", "cpu"]).save(folder / "bundle")
    found = outcomes(ARTIFACTS, folder)
    assert found["refused"] > 0.8 * COUNT
