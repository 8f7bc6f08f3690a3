"""The cache between processes: what a process leaves, however it ends, and what another finds."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.runtime.cache import ArtifactCache

pytestmark = pytest.mark.slow

CALL = """
import numpy as np
import rnn_compiler as rc

f = np.float32
tensors = dict(
    x=np.zeros((0, 1, 1), f), cs_prev=np.zeros((1, 1), f), h_prev=np.zeros((1, 1), f),
    w=np.zeros((2, 4), f), wci=np.zeros(1, f), wcf=np.zeros(1, f), wco=np.zeros(1, f),
    b=np.zeros(4, f),
)
result = rc.raw_ops.BlockLSTMV2(seq_len_max=0, **tensors)
print(result.h.shape)
"""

NO_COMPILER = """
from rnn_compiler.lowering.compiler import iree_compile

def refuse(*_, **__):
    raise SystemExit("compiled")

iree_compile.compile_with_host_program = refuse
"""

COMPILE = """
import hashlib
import rnn_compiler as rc

module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
print(hashlib.sha256(rc.compile(module, "cpu").payload).hexdigest())
"""


def start(script: str, folder: Path, cwd: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "RNN_COMPILER_CACHE_DIR": str(folder), "RNN_COMPILER_LOG": "error"},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode is not None
    return process.returncode, out.strip() if process.returncode == 0 else err


def entries(folder: Path) -> list[Path]:
    return list(folder.rglob("*.entry"))


@pytest.fixture
def compiled_here(
    tiny: rc.Artifact,
    tiny_module: rc.Module,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled_before: None,
) -> Callable[[], None]:
    """Compiles the module of the scripts in this process, with the cache of theirs."""

    def compile_here() -> None:
        monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
        monkeypatch.setattr(compilation, "memory_cache", compilation.MemoryCache())
        assert rc.compile(tiny_module, "cpu") == tiny

    return compile_here


def test_a_second_process_compiles_nothing(
    compiled_here: Callable[[], None], tmp_path: Path
) -> None:
    """It finds the entry of the first one; another module must be compiled."""
    compiled_here()
    other = "rc.raw_ops.BlockLSTMV2(seq_len_max=0, **tensors, cell_clip=1.0)"
    process = start(NO_COMPILER + CALL + other, tmp_path)
    assert process.communicate(timeout=120) == ("(0, 1, 1)\n", "compiled\n")
    assert process.returncode == 1
    assert len(entries(tmp_path)) == 1


def test_a_hit_needs_no_mlir(
    compiled_here: Callable[[], None], tiny: rc.Artifact, tmp_path: Path
) -> None:
    """The bindings take longer to load than all the rest."""
    compiled_here()
    script = COMPILE + "import sys\nprint([n for n in sys.modules if n.startswith('iree.comp')])"
    assert finish(start(script, tmp_path)) == (0, f"{tiny.manifest.payload_sha256}\n[]")


def test_two_cold_processes_get_the_same(tiny: rc.Artifact, tmp_path: Path) -> None:
    """Started at once, in different folders: no harm done, and the same bytes as here."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    cache = tmp_path / "cache"
    processes = [start(COMPILE, cache, cwd=folder) for folder in folders]
    digest = hashlib.sha256(tiny.payload).hexdigest()
    assert [finish(process) for process in processes] == [(0, digest), (0, digest)]
    assert list(cache.rglob("*.tmp")) == []
    assert len(entries(cache)) == 1


@pytest.mark.parametrize("moment", ["os.fsync", "pathlib.Path.replace"])
def test_a_process_killed_while_writing_leaves_no_entry(
    compiled_here: Callable[[], None], tmp_path: Path, moment: str
) -> None:
    """With all or some of the bytes written, but before they are published."""
    owner, _, name = moment.rpartition(".")
    script = f"""
import os, pathlib, signal
{owner}.{name} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
{COMPILE}"""
    assert finish(start(script, tmp_path))[0] == -signal.SIGKILL
    assert entries(tmp_path) == []
    leftovers = list(tmp_path.rglob("*.tmp"))
    assert len(leftovers) == 1, "the process was killed before it wrote anything"
    compiled_here()
    assert len(entries(tmp_path)) == 1


def test_writers_of_different_keys_do_not_hinder_each_other(
    tiny: rc.Artifact, tmp_path: Path
) -> None:
    """Nothing is shared between entries that could lose one of them."""
    path = tiny.save(tmp_path / "tiny.vmfb")
    script = f"""
import os
import rnn_compiler as rc
from pathlib import Path
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey

artifact = rc.runtime.read_artifact({str(path)!r})
cache = ArtifactCache(Path({str(tmp_path / "cache")!r}))
child = os.fork()
mine = bool(child)
for k in range(100):
    cache.put(CacheKey({{"key": [mine, k]}}), artifact)
    cache.put(CacheKey({{"key": k}}), artifact)
assert all(cache.get(CacheKey({{"key": [mine, k]}})) == artifact for k in range(100))
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    assert finish(start(script, tmp_path)) == (0, "")
    assert len(entries(ArtifactCache(tmp_path / "cache").folder)) == 300


def test_a_child_process_after_fork_works(tmp_path: Path) -> None:
    """No lock of the parent is held in the child."""
    script = f"""
import os
import warnings
{CALL}
warnings.simplefilter("ignore")  # Python's own, about forking with threads
child = os.fork()
if child == 0:
    again = rc.raw_ops.BlockLSTMV2(seq_len_max=0, **tensors)
    module = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=1)
    rc.compile(module, "cpu")
    os._exit(7 if again.h.shape == (0, 1, 1) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert finish(start(script, tmp_path)) == (0, "(0, 1, 1)\n7")


def test_the_log_explains_a_miss_entry_by_entry(tmp_path: Path) -> None:
    """The parts of the key, and how the nearest entry differs."""
    module = "rc.build('BlockLSTMV2', seq_length=0, batch_size=1, input_size=1, num_units=1)"
    script = f"""
import os
os.environ["RNN_COMPILER_LOG"] = "debug"
import rnn_compiler as rc

rc.compile({module}, "cpu")
rc.compile({module.replace("units=1", "units=2")}, "cpu")
"""
    process = start(script, tmp_path)
    _, log = process.communicate(timeout=120)
    assert process.returncode == 0, log
    _, first, second = log.split("rnn_compiler.runtime.cache.artifact_cache: miss: no entry ")
    for name in ("functions", "target", "strategy", "package", "compiler", "schema"):
        assert f"\n  {name}: " in first
    assert "nearest" not in first
    assert "nearest entry " in second
    differences = second[second.index("differs in\n") :].splitlines()[1:]
    assert [line.split(":")[0].strip() for line in differences] == ["functions"]
    assert "'num_units': 1" in differences[0]


def test_a_child_of_a_compiling_process_can_compile_the_same(
    tiny: rc.Artifact, tmp_path: Path
) -> None:
    """The thread that holds a lock does not exist in the child and would never release it."""
    script = f"""
import os, signal, threading, time
import warnings
from rnn_compiler import compilation
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.cache.single_flight import thread_lock
{COMPILE}
other = rc.build("BlockLSTMV2", seq_length=0, batch_size=1, input_size=1, num_units=2)
warnings.simplefilter("ignore")  # Python's own, about forking with threads
held = threading.Event()

def hold():
    with compilation.memory_cache._lock:
        held.set()
        time.sleep(60)

threading.Thread(target=hold, daemon=True).start()
held.wait()
with thread_lock(compilation.cache_key(other, resolve_target("cpu")).digest):
    child = os.fork()
    if child == 0:
        signal.alarm(200)
        rc.compile(other, "cpu")
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert finish(start(script, tmp_path)) == (0, f"{tiny.manifest.payload_sha256}\n7")
