"""Compares the modules that lowering makes with those of another commit, letter by letter.

    python tests/ir/lowered_modules.py --against main
    python tests/ir/lowered_modules.py --against HEAD~3 --only 'Backprop.*cuda' --fast

For changes to lowering that must not change its results: if no module differs, then
neither code nor speed can. Nothing is compiled, so a module takes a tenth of a second. They are
printed without source locations and without the names of values, by the command `rnn-compiler
emit`, which every commit has; for a commit other than the one checked out, this script uses a
separate worktree.

Modules are kept in build/lowered, one file each, those of a commit under its hash, so that they
are printed only once. The file of a module that cannot be built has its error message.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "lowered"
SHOWN = 3
"""The number of differing modules to show."""

Commands = dict[str, list[str]]
"""Arguments of `rnn-compiler emit`, by the name of the module."""


# What there is to print.

DIMENSIONS = {
    **{"seq_length": "T", "batch_size": "B", "input_size": "I", "num_units": "H"},
    "num_layers": "L",
}

WAYS = (
    ("fused", "cpu:x86-64-v4"),
    ("fused", "cpu:x86-64-v3"),
    ("fused", "cpu:generic"),
    ("pinned", "cuda:sm_80"),
    ("pinned", "cpu:generic"),
    ("portable", "cpu:generic"),
    ("pinned", "cuda:sm_60"),
)
"""Vector units of 512, 256 and 128 bits, GPUs with and without tensor cores, and the rest."""

LARGE = (
    (50, 64, 512, 512),
    (3, 130, 257, 509),
    (25, 32, 1024, 1024),
    (128, 1, 128, 128),
    (200, 8, 64, 64),
    (20, 16, 256, 256),
    (9, 3, 70, 121),
    (6, 1, 509, 70),
    (1, 64, 512, 512),
    (1, 1, 1024, 1024),
    (40, 7, 121, 257),
    (2, 300, 33, 65),
)
"""T, B, I and H with which products are blocked, packed and streamed, and steps shared."""

STACKS = (
    {"direction": "bidirectional"},
    {"num_layers": 2, "dropout": 0.3},
    {"num_layers": 3, "direction": "bidirectional", "dropout": 0.5},
    {"input_mode": "skip_input"},
    {"input_mode": "auto_select", "time_major": False, "is_training": False},
)
"""Attributes of CudnnRNN in each of its modes."""

PROJECTIONS = (
    {"num_proj": 6},
    {"num_proj": 17, "num_layers": 2, "direction": "bidirectional", "dropout": 0.2},
    {"num_proj": 16, "time_major": False},
)

OPENED = (("seq_length",), ("batch_size",), ("seq_length", "batch_size"))
"""Sizes that are open together."""


def commands(*, fast: bool) -> Commands:
    """The modules of all ops; if `fast`, some of each kind."""
    made: Commands = {}
    takes = _attributes()
    for number, (ops, dtype, given, way) in enumerate(_modules(takes)):
        strategy, target = WAYS[way]
        known = set[str]().union(*(takes[op] for op in ops))
        values = {"num_layers": 1, **given}
        dims = {k: values[k] for k in DIMENSIONS if k in values and k in known}
        attributes = {k: v for k, v in given.items() if k in known and k not in dims}
        sizes = "".join(f"{DIMENSIONS[k]}{v}" for k, v in dims.items())
        pairs = [f"{k}={str(v).lower()}" for k, v in attributes.items()]
        name = "-".join(["+".join(ops), sizes, *pairs, dtype, strategy, target]) + ".mlir"
        if fast and name not in made and not _is_telling(number, ops, dtype, given, way):
            continue
        made[name] = [
            *("emit", *ops, "--stage", "lowered", "--dtype", dtype),
            *("--dim", ",".join(f"{k}={v}" for k, v in dims.items())),
            *("--attr", ",".join(pairs), "--strategy", strategy, "--target", target),
        ]
    return made


def _attributes() -> dict[str, set[str]]:
    """The keywords of every op."""
    code, text = _rnn_compiler(["ops", "--json"])
    assert code == 0, text
    return {op["name"]: {*op["dimensions"], *op["attributes"]} for op in json.loads(text)}


def _modules(
    takes: Mapping[str, set[str]],
) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any], int]]:
    """Ops, dtype, sizes and attributes, and the way to lower of every module."""
    sys.path.insert(0, str(ROOT / "tests"))
    from cases import CASES, COMPUTING, GRADIENT_CASES, TOLERANCES, sizes

    for op, case in CASES.items():
        ways = (0, 3, 5) if case.only_copies else range(6)
        for given, dtype, way in itertools.product(case.variants, TOLERANCES, ways):
            yield (op,), dtype, given, way
        yield (op,), "float32", case.variants[0], 6
    single = [op for op in COMPUTING if not re.fullmatch("CudnnRNN(Backprop)?(V2)?", op)]
    ways = [*(("float32", way) for way in range(4)), ("bfloat16", 0), ("bfloat16", 3)]
    ways += [("float64", 1)]
    for op, (number, given), (dtype, way) in itertools.product(single, enumerate(LARGE), ways):
        attributes = {"use_peephole": number % 2 == 1, "cell_clip": number % 3 - 1.0}
        yield (op,), dtype, sizes(*given, **attributes), way
    stacks = [s | {"rnn_mode": mode} for mode in _MODES for s in ({}, *STACKS)]
    ways = [("float32", 0), ("float32", 2), ("float32", 3), ("bfloat16", 0), ("bfloat16", 3)]
    for given, (dtype, way) in itertools.product((*stacks, *PROJECTIONS), ways):
        for T, B, I, H in ((6, 5, 16, 32), (3, 1, 40, 24), (20, 16, 128, 128)):  # noqa: E741
            if given.get("input_mode") == "skip_input":
                I = H  # noqa: E741
            for op in ("CudnnRNNV3", "CudnnRNNBackpropV3"):
                if op in takes and not (B == 1 and dtype == "bfloat16"):
                    yield (op,), dtype, sizes(T, B, I, H, **given), way
    for op, (number, given), opened, (dtype, way) in itertools.product(
        single, enumerate(LARGE[2:8]), OPENED, (("float32", 0), ("float32", 2), ("bfloat16", 0))
    ):
        attributes = {"use_peephole": number % 2 == 1, **dict.fromkeys(opened, "?")}
        if takes[op] >= {*opened}:
            yield (op,), dtype, {**sizes(*given, **attributes), **attributes}, way
    for op, given, opened in itertools.product(single, (*STACKS, *PROJECTIONS), OPENED):
        if "num_layers" in takes[op]:
            size = 32 if "input_mode" in given else 16
            attributes = {**given, **dict.fromkeys(opened, "?")}
            yield (op,), "float32", {**sizes(20, 16, 32, size, **given), **attributes}, 0
    for op, case in GRADIENT_CASES.items():
        assert case.forward is not None
        for given, way in itertools.product(case.variants[:1], (0, 3)):
            yield (case.forward, op), "float32", given, way


_MODES = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def _is_telling(
    number: int, ops: Sequence[str], dtype: str, given: Mapping[str, Any], way: int
) -> bool:
    """Whether a module is one of the few that `--fast` prints."""
    from cases import CASES

    if len(ops) > 1:
        return way == 0
    if "?" in given.values():
        return number % 19 == 0
    if given == CASES[ops[0]].variants[0]:
        return (dtype, way) in (("float32", 0), ("bfloat16", 3))
    if given["num_units"] in (509, 512) and given["seq_length"] in (3, 50):
        return (dtype, way) == ("float32", 0)
    return number % 61 == 0


# Printing them.


def _rnn_compiler(argv: Sequence[str]) -> tuple[int, str]:
    """The exit code and the output of a command."""
    from rnn_compiler.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(argv))
    return code, out.getvalue() if code == 0 else err.getvalue()


def print_module(path: Path, argv: Sequence[str]) -> None:
    """Prints a module into a file."""
    from iree.compiler import ir

    code, text = _rnn_compiler(argv)
    if code == 0:
        with ir.Context():  # parsing forgets the names of values
            text = ir.Module.parse(text).operation.get_asm(enable_debug_info=False)
        text = re.sub(r'rnn_compiler\.package_version = "[^"]*"', "", text)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def print_modules(folder: Path, modules: Commands, jobs: int) -> None:
    """Prints those modules into a folder that are not there, with the package on the path."""
    import rnn_compiler

    assert Path(rnn_compiler.__file__).parents[1] == Path.cwd(), rnn_compiler.__file__
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: argv for name, argv in modules.items() if not (folder / name).exists()}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        paths = [folder / name for name in missing]
        for done, _ in enumerate(pool.map(print_module, paths, missing.values(), chunksize=8), 1):
            if done % 100 == 0 or done == len(missing):
                print(f"{done} of {len(missing)} modules printed", file=sys.stderr)


def _print_tree(tree: Path, folder: Path, modules: Commands, jobs: int) -> None:
    """Prints the modules of a working tree, in a process that imports its package."""
    command = [sys.executable, str(Path(__file__).resolve()), "--print", str(folder)]
    subprocess.run(
        [*command, "-j", str(jobs)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        input=json.dumps(modules),
        text=True,
        check=True,
    )


def _print_commit(commit: str, modules: Commands, jobs: int) -> Path:
    """The folder with the modules of a commit."""
    number = _git("rev-parse", "--verify", f"{commit}^{{commit}}")
    folder = FOLDER / number
    if any(not (folder / name).exists() for name in modules):
        with tempfile.TemporaryDirectory() as temporary:
            tree = Path(temporary).resolve() / "tree"
            _git("worktree", "add", "--quiet", "--detach", str(tree), number)
            try:
                _print_tree(tree, folder, modules, jobs)
            finally:
                _git("worktree", "remove", "--force", str(tree))
    return folder


def _git(*arguments: str) -> str:
    return subprocess.check_output(["git", "-C", str(ROOT), *arguments], text=True).strip()


# Comparing them.


def differing(before: Path, after: Path, names: Sequence[str]) -> list[str]:
    """Of the names of modules, those that two folders do not agree on."""
    return [name for name in names if (before / name).read_bytes() != (after / name).read_bytes()]


def difference(before: Path, after: Path, name: str, lines: int = 40) -> str:
    """The first lines of a unified diff of a module in two folders."""
    texts = [(folder / name).read_text().splitlines() for folder in (before, after)]
    diff = [*difflib.unified_diff(*texts, f"before/{name}", f"after/{name}", lineterm="")]
    more = [f"... {len(diff) - lines} lines more"] if len(diff) > lines else []
    return "\n".join([line[:200] for line in diff[:lines]] + more)


def coverage(folder: Path, names: Sequence[str]) -> str:
    """The number of modules that lowering changed."""
    texts = {name: (folder / name).read_text() for name in names}
    built = {name: text for name, text in texts.items() if "module {" in text}
    rewritten = {name: text for name, text in built.items() if "-portable-" not in name}
    made = sum("stream.executable" in text for text in rewritten.values())
    pinned = sum("flow.tensor.barrier" in text for text in rewritten.values())
    left = [name for name, text in rewritten.items() if "stablehlo.while" in text]
    return (
        f"{len(texts)} modules: {made} have dispatches made by hand, {pinned} pinned loops, "
        f"{len(left)} a loop left as it is, {len(texts) - len(built)} are error messages"
    )


def main() -> int:
    """Runs the command line; 1 if a module differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="COMMIT", help="the commit to compare with")
    parser.add_argument("--only", metavar="REGEX", default="", help="modules of these names")
    parser.add_argument("--fast", action="store_true", help="some of each kind")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="how many processes")
    parser.add_argument("--print", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.print:
        print_modules(options.print, json.load(sys.stdin), options.j)
        return 0
    if options.against is None:
        parser.error("--against is missing")
    sys.path.insert(0, str(ROOT))
    modules = commands(fast=options.fast)
    modules = {name: argv for name, argv in modules.items() if re.search(options.only, name)}
    before = _print_commit(options.against, modules, options.j)
    after = FOLDER / "worktree"
    shutil.rmtree(after, ignore_errors=True)
    _print_tree(ROOT, after, modules, options.j)
    print(coverage(after, [*modules]))
    differ = differing(before, after, [*modules])
    for name in differ:
        print(f"differs: {name}")
    for name in differ[:SHOWN]:
        print(f"\n{difference(before, after, name)}")
    print(f"{len(modules) - len(differ)} of {len(modules)} modules are identical")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
