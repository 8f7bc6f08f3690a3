"""Many sizes at once, by any executor, in Python and on the command line."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from quick import first

import rnn_compiler as rc
from rnn_compiler import many_compilations
from rnn_compiler.base import stages
from rnn_compiler.cli import main
from rnn_compiler.errors import CompileError, InvalidArgumentError
from rnn_compiler.lowering.compiler import iree_compile


def cells(*batches: int) -> list[rc.Module]:
    return [rc.build("GRUBlockCell", batch_size=n, input_size=1, num_units=1) for n in batches]


def batches(artifacts: list[rc.Artifact]) -> list[int]:
    return [each.manifest.functions[0].dims["batch_size"] for each in artifacts]


class OneAtATime:
    """The least that an executor may be; it pickles, as one for other machines does."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, function: Any, request: Any) -> Any:
        data = pickle.dumps((function, request))
        self.sizes.append(len(data))
        function, request = pickle.loads(data)
        future: Future[Any] = Future()
        try:
            future.set_result(pickle.loads(pickle.dumps(function(request))))
        except Exception as error:
            future.set_exception(pickle.loads(pickle.dumps(error)))
        return future


@pytest.fixture(params=first([OneAtATime, None, ThreadPoolExecutor]))
def executor(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param is ThreadPoolExecutor:
        with ThreadPoolExecutor(2) as pool:
            yield pool
    else:
        yield request.param and request.param()


@pytest.mark.slow
def test_executors(executor: Any) -> None:
    artifacts = rc.compile_many(cells(1, 2, 3), "cpu", executor=executor)
    assert batches(artifacts) == [1, 2, 3]
    assert artifacts == [rc.compile(module, "cpu") for module in cells(1, 2, 3)]


@pytest.mark.slow
def test_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their results are in the cache that they share with this process."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        artifacts = rc.compile_many(cells(1, 2), "cpu", executor=pool)
    assert batches(artifacts) == [1, 2]
    assert len(list((tmp_path / "cache").rglob("*.entry"))) == 2


FAR_AWAY = {
    "distributed": """
from distributed import Client
def start():
    return Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
""",
    "ray": """
import contextlib, ray
class OnRay:
    def submit(self, function, *arguments):
        return ray.remote(function).remote(*arguments).future()
def start():
    ray.init(num_cpus=2, include_dashboard=False)
    return contextlib.nullcontext(OnRay())
""",
}
PROGRAM = """
import rnn_compiler as rc
from rnn_compiler.base import stages
def cells(*sizes):
    return [rc.build("GRUBlockCell", batch_size=n, input_size=1, num_units=1) for n in sizes]
if __name__ == "__main__":
    with start() as executor:
        artifacts = rc.compile_many(cells(1, 2), "cpu", executor=executor)
        options = dict(timeout=0.001, strategy="portable", return_exceptions=True)
        (error,) = rc.compile_many(cells(4099), "cpu", executor=executor, **options)
    sizes = [each.manifest.functions[0].dims["batch_size"] for each in artifacts]
    print(sizes, isinstance(error, rc.errors.CompileError))
"""


@pytest.mark.slow
@pytest.mark.parametrize("library", FAR_AWAY)
def test_executors_for_many_machines(library: str) -> None:
    """Two processes of Dask's, and of Ray's in the way of docs/python.md; errors come back too.

    No other test compiles the size that fails, so the cache does not have it.
    """
    pytest.importorskip(library, reason=f"needs {library}")
    done = processes.python(FAR_AWAY[library] + PROGRAM)
    assert done.stdout == "[1, 2] True\n", done.stderr


@pytest.mark.slow
def test_bundles_and_weights() -> None:
    """A request holds no weights; an artifact has them."""
    weights = {"w_c": np.ones((20_001, 1), np.float32)}
    module = rc.build("GRUBlockCell", batch_size=1, input_size=20_000, num_units=1)
    frozen = rc.freeze(module, weights)
    assert frozen.text  # which has them as constants
    executor = OneAtATime()
    targets = ["cpu:generic", "cpu"]
    (bundle,) = rc.compile_many([frozen], targets, executor=executor)
    assert max(executor.sizes) < 20_000
    assert bundle == rc.compile(frozen, targets)
    assert all(each.archive for each in bundle.artifacts)


def test_one_that_fails_does_not_stop_the_others(
    executor: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    original = iree_compile.compile_with_host_program

    def compile_now(module: str, target: Any, **keywords: Any) -> tuple[bytes, str]:
        if "tensor<77x1xf32>" in module:
            facts = {"target": target.name, "diagnostics": "error: 77", "command": "iree-compile"}
            raise CompileError("it is 77", reproducer=None, **facts)
        return original(module, target, **keywords)

    monkeypatch.setattr(iree_compile, "compile_with_host_program", compile_now)
    modules = cells(1, 77, 3)
    seen: list[Any] = []
    results = rc.compile_many(
        modules,
        "cpu",
        executor=executor,
        return_exceptions=True,
        done=lambda module, result: seen.append((module, result)),
    )
    assert batches([results[0], results[2]]) == [1, 3]
    assert isinstance(results[1], CompileError)
    assert seen == [*zip(modules, results, strict=True)]
    with pytest.raises(CompileError, match="it is 77"):
        rc.compile_many(modules, "cpu", executor=executor)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((cells(1)[0],), "'modules': expected a list of modules, got Module"),
        ((3,), "'modules': expected a list of modules, got 3"),
        ((["BlockLSTMV2"],), "'module': expected a module from `build`"),
        ((cells(1), "tpu"), "'target'"),
        ((cells(1), "cpu:levels"), "expected one target"),
    ],
)
def test_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        rc.compile_many(*arguments)
    with pytest.raises(InvalidArgumentError, match="the submit method of concurrent"):
        rc.compile_many(cells(1), executor=3)  # type: ignore[arg-type]


def test_none_is_none() -> None:
    assert rc.compile_many([]) == []


# The command line.

SIZES = ["--dim", "input_size=1,num_units=1"]


@pytest.mark.slow
def test_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cells"
    sizes = ["--dim", "batch_size=1..3:2", "--jobs", "1"]
    assert main(["compile", "GRUBlockCell", *SIZES, *sizes, "-o", str(folder)]) == 0
    names = [f"gru_block_cell-batch_size{n}.vmfb" for n in (1, 3)]
    assert sorted(path.name for path in folder.glob("*.vmfb")) == names
    out = capsys.readouterr().out
    assert "2 of 2 sizes" in out
    program = rc.runtime.load(folder / names[1])
    assert program.manifest.functions[0].dims == {"batch_size": 3, "input_size": 1, "num_units": 1}


@pytest.mark.slow
def test_files(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in addition to ``--dim``, with comments; failures are reported at the end."""
    monkeypatch.chdir(tmp_path)
    rows = "# one\nbatch_size=2\n\nbatch_size=1..2,input_size=3,num_units=4  # and two\n"
    Path("sizes.txt").write_text(rows)
    arguments = ["compile", "GRUBlockCell", *SIZES, "--dims", "sizes.txt", "--json"]
    facts = json.loads(cli(*arguments, "--golden").out)
    assert facts["path"] == "gru_block_cell"
    assert [row["dims"]["batch_size"] for row in facts["sizes"]] == [2, 1, 2]
    assert [row["dims"]["input_size"] for row in facts["sizes"]] == [1, 3, 3]
    for row in facts["sizes"]:
        cli("verify", row["path"])
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "empty-cache"))
    failing = ["--timeout", "0.001", "--strategy", "portable", "--jobs", "1"]
    facts = json.loads(cli(*arguments, *failing, code=1).out)
    assert all("error" in row and "path" not in row for row in facts["sizes"])


@pytest.mark.slow
def test_an_open_size_beside_those_of_a_file(tmp_path: Path, cli: Any) -> None:
    """The file is one that an editor has begun with a byte order mark."""
    rows = tmp_path / "sizes.txt"
    rows.write_text("input_size=2\ninput_size=3\n", encoding="utf-8-sig")
    command = ["compile", "GRUBlockCell", "--dim", "num_units=4,batch_size=?", "--dims", str(rows)]
    facts = json.loads(cli(*command, "-o", tmp_path / "cells", "--json", "--jobs", "1").out)
    assert [row["dims"] for row in facts["sizes"]] == [
        {"num_units": 4, "batch_size": None, "input_size": size} for size in (2, 3)
    ]


@pytest.mark.parametrize(
    ("rows", "arguments", "message"),
    [
        ("batch_size=1\nbatch_size=1..2\n", [], "duplicate size"),
        ("hello\n", [], "line 1: expected NAME=N,..., got 'hello'"),
        ("# nothing\n", [], "contains no sizes"),
        ("batch_size=1,batch_size=2\n", [], "batch_size: given twice, as 1 and as 2"),
        ("batch_size=1\n", ["--dim", "num_units=2"], "--dim num_units: given twice"),
        ("17 MiB", [], "cannot be read (larger than 16,777,216 bytes)"),
        ("batch_size=3..2\n", [], "--dim batch_size=3..2: an empty range"),
        ("batch_size=1..3:0\n", [], "at least 1"),
        ("batch_size=1..20000\n", [], "sizes, more than 10,000"),
        ("batch_size=1..200,seq_length=1..200\n", [], "sizes, more than 10,000"),
        ("batch_size=x\n", [], "--dim batch_size=x: expected an integer, or any to leave it open"),
        ("batch_sizes=1\n", [], "did you mean batch_size"),
        ("batch_size=1..2\n", ["--jobs", "0"], "--jobs 0: expected 1 or more"),
        ("batch_size=1..2\n", ["--format", "c"], "--format c: takes one size"),
        ("\x00\xff", [], "expected NAME=N"),
        ("a pipe", [], "--dims sizes.txt: cannot be read (not a regular file)"),
        (None, [], "--dims sizes.txt: cannot be read (No such file or directory)"),
    ],
)
def test_what_is_refused(
    rows: str | None, arguments: list[str], message: str, tmp_path: Path,
    cli: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    if rows == "a pipe":
        os.mkfifo("sizes.txt")
    elif rows is not None:
        Path("sizes.txt").write_text("#" * (17 << 20) if rows == "17 MiB" else rows)
    given = ["compile", "GRUBlockCell", *SIZES, "--dims", "sizes.txt", *arguments]
    assert message in cli(*given, code=2).err
    assert not Path("gru_block_cell").exists()


@pytest.mark.slow
def test_progress_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The number of finished modules, instead of each long compilation."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    monkeypatch.setattr(stages, "LONG", 0.01)
    monkeypatch.setattr(many_compilations, "LONG", 0.0)
    rc.compile_many(cells(1, 2), "cpu")
    assert caplog.messages == ["compiled 1 of 2 modules", "compiled 2 of 2 modules"]
    caplog.clear()
    rc.compile_many(cells(1), "cpu", done=lambda module, artifact: None)
    assert not caplog.messages, "who is told needs no log"
