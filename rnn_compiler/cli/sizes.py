"""`compile` at many sizes: ranges in ``--dim``, and files of sizes.

A range is ``1..8``, including both ends, or ``32..128:32`` with a step; several ranges give every
combination. Each line of a ``--dims`` file has pairs as in ``--dim``; they are added to those of
``--dim`` and override them. The file may contain ranges, blank lines, and comments after ``#``.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import re
import shlex
import signal
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rnn_compiler.base.files import read_regular
from rnn_compiler.cli.formats import is_single, targets_of
from rnn_compiler.cli.options import UsageError, check_output_folder, dimension, module_of, pairs
from rnn_compiler.cli.terminal import print_error, print_json, print_line, print_table, progress
from rnn_compiler.errors import describe
from rnn_compiler.goldens import golden
from rnn_compiler.many_compilations import Executor, compile_many
from rnn_compiler.modules import Module
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.runtime.device.resources import processors
from rnn_compiler.schema.formats import FORMATS

__all__ = ["add_sizes_options", "compile_sizes", "sizes_of"]

MOST = 10_000
"""The most sizes that one command compiles; more are probably a mistake, such as a missing step."""

_MOST_BYTES = 16 << 20
"""The largest file of sizes."""

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?::(\d+))?")

Size = dict[str, str]
"""The values of ``--dim`` by name, as text."""


def add_sizes_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for many sizes."""
    parser.add_argument(
        "--dims",
        type=Path,
        metavar="FILE",
        help="compile at many sizes, one set per line, written as in --dim; a range such as "
        "batch_size=1..8 or seq_length=32..128:32, here or in --dim, stands for several; --output "
        "is then a folder",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="number of sizes to compile at a time (default: one per processor)",
    )


def sizes_of(options: argparse.Namespace) -> list[Size] | None:
    """The sizes requested on a command line; None for a single size without a file.

    Raises:
        UsageError: The file cannot be read, a range is malformed, or a size is given twice.
    """
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs}: expected 1 or more")
    given = ",".join(options.dim)
    if options.dims is None and not _RANGE.search(given):
        return None
    rows = [""] if options.dims is None else list(_rows(options.dims))
    common = _by_name(given, "--dim")
    sizes = [
        size
        for row in rows
        for size in _combinations({**common, **_by_name(row, f"--dims {options.dims}")})
    ]
    if not sizes:
        raise UsageError(f"--dims {options.dims}: contains no sizes")
    if len(sizes) > MOST:
        raise UsageError(f"{len(sizes)} sizes, more than {MOST:,}; a range with steps is A..B:STEP")
    seen: set[frozenset[tuple[str, str]]] = set()
    for size in sizes:
        key = frozenset(size.items())
        if key in seen:
            raise UsageError(f"duplicate size: {_shown(size)}")
        seen.add(key)
    return sizes


def _rows(path: Path) -> Iterator[str]:
    try:
        lines = read_regular(path, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        raise UsageError(f"--dims {path}: cannot be read ({reason})") from error
    for number, line in enumerate(lines, 1):
        row = line.partition("#")[0].strip()
        if row and not all("=" in pair for pair in row.split(",") if pair.strip()):
            row = describe(row)
            raise UsageError(f"--dims {path}, line {number}: expected NAME=N,..., got {row}")
        if row:
            yield row


def _by_name(text: str, flag: str) -> Size:
    """A row of pairs by name."""
    return dict(pairs([text], flag))


def _combinations(given: Size) -> Iterator[Size]:
    """The sizes that a row of pairs stands for."""
    values = {name: _values(name, value) for name, value in given.items()}
    for row in itertools.islice(itertools.product(*values.values()), MOST + 1):
        yield dict(zip(values, row, strict=True))


def _values(name: str, text: str) -> list[str]:
    found = _RANGE.fullmatch(text)
    if found is None:
        return [text]
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if not step:
        raise UsageError(f"--dim {name}={text}: STEP of FIRST..LAST:STEP is at least 1")
    if first > last:
        raise UsageError(f"--dim {name}={text}: an empty range; FIRST..LAST:STEP, both included")
    return [str(value) for value in range(first, last + 1, step)[: MOST + 1]]


def compile_sizes(options: argparse.Namespace, sizes: list[Size]) -> int:
    """Compiles a module at many sizes, each into a separate file; exit code 1 if one failed."""
    targets = targets_of(options)
    one = is_single(targets)
    if FORMATS[options.format].single:
        raise UsageError(
            f"--format {options.format}: takes one size; compile each into a folder of its own"
        )
    modules = [_module(options, size) for size in sizes]
    name = modules[0].name or modules[0].functions[0].function
    folder: Path = options.output or Path(name)
    check_output_folder(folder)
    paths = [folder / f"{name}{_suffix(size, sizes)}{'.vmfb' * one}" for size in sizes]
    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    rows: list[dict[str, Any]] = []
    waiting = iter(zip(sizes, paths, strict=True))
    with progress("compiling", len(sizes)) as advance, _processes(options.jobs, len(sizes)) as pool:

        def done(module: Module, result: Artifact | Bundle | Exception) -> None:
            size, path = next(waiting)
            rows.append(_saved(options, module, size, path, result))
            advance(path.name)

        compile_many(
            modules,
            targets[0] if one else targets,
            strategy=options.strategy,
            timeout=options.timeout,
            executor=pool,
            return_exceptions=True,
            done=done,
        )
    return _report(options, folder, rows, time.perf_counter() - start)


def _module(options: argparse.Namespace, size: Size) -> Module:
    dims = [f"{name}={value}" for name, value in size.items()]
    return module_of(argparse.Namespace(**{**vars(options), "dim": dims}))


def _suffix(size: Size, sizes: Iterable[Size]) -> str:
    """The part of a file name that distinguishes a size from the others."""
    varying = [name for name in size if len({each.get(name) for each in sizes}) > 1]
    return "".join(f"-{name}{size[name].replace('?', 'any')}" for name in varying)


@contextmanager
def _processes(jobs: int | None, count: int) -> Generator[Executor]:
    """A process pool with one process per processor."""
    jobs = min(jobs or processors(), count)
    # Forked processes would lack the threads that libraries such as IREE have started here.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, spawn, initializer=_ignore_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Runs in pool processes: Ctrl-C is handled by the parent, which then ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _saved(
    options: argparse.Namespace,
    module: Module,
    size: Size,
    path: Path,
    result: Artifact | Bundle | Exception,
) -> dict[str, Any]:
    """Saves the artifact of a size; returns a summary."""
    facts: dict[str, Any] = {"dims": {name: dimension(name, text) for name, text in size.items()}}
    if isinstance(result, Exception):
        return {**facts, "error": str(result)}
    samples = golden(module, result) if options.golden else None
    result.save(path, golden=samples)
    artifacts = [result] if isinstance(result, Artifact) else result.artifacts
    return {**facts, "path": str(path), "size": sum(len(each.payload) for each in artifacts)}


def _shown(dims: Mapping[str, str | int | None]) -> str:
    """Sizes in the syntax of ``--dim``."""
    return ",".join(f"{name}={'?' if size is None else size}" for name, size in dims.items())


def _report(
    options: argparse.Namespace, folder: Path, rows: list[dict[str, Any]], seconds: float
) -> int:
    failed = [row for row in rows if "error" in row]
    if options.json:
        print_json({"path": str(folder), "seconds": seconds, "sizes": rows})
        return 1 if failed else 0
    saved = [row for row in rows if "error" not in row]
    print_table(("file", "size"), [(row["path"], f"{row['size']:,} bytes") for row in saved])
    for row in failed:
        print_error(f"{_shown(row['dims'])}: {row['error']}")
    print_line(f"{len(saved)} of {len(rows)} sizes in {seconds:.2f} s; next: rnn-compiler inspect "
               f"{shlex.quote(str(folder))}{os.sep}...", dim=True)  # fmt: skip
    return 1 if failed else 0
