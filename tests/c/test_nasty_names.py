"""Whatever arrays, axes and functions are called, the C compiles, or an error names the name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import processes
import pytest
from c.calling import C11, CPP17, STRICT
from quick import SWEEP

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.c.library import Library, make_library
from rnn_compiler.lowering.c.selftest import Samples
from rnn_compiler.lowering.host.functions import HostFunction
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema.identifiers import RESERVED, identifiers
from rnn_compiler.schema.open_sizes import Size, open_dimension
from rnn_compiler.schema.schedule import Copy, Fill, Schedule, Span, Storage
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

N = 2
"""The number of elements of samples."""


def function(name: str, axis: str, arrays: Sequence[str], results: Sequence[str]) -> HostFunction:
    """A function of copies, which needs no compiler; without an axis, its size is fixed."""
    size: Size = open_dimension(axis) if axis else N
    floats = [TensorSpec(each, "float32", (size,)) for each in arrays]
    spec = FunctionSpec(
        op="copies",
        function=name,
        dtype="float32",
        dims={axis: size} if axis else {},
        attributes={},
        arguments=(*floats, TensorSpec("given_mask", "bool", (size,))),
        results=tuple(TensorSpec(each, "float32", (size,)) for each in results),
    )
    copies = [
        Copy(*(Span(kind, k, 0, 4 * size) for kind in (Storage.ARGUMENT, Storage.RESULT)))
        for k in range(len(results))
    ]
    fill = Fill(Span(Storage.SCRATCH, 0, 0, 4 * size), b"abcd")
    return HostFunction(spec, Schedule(name, 64, (*copies, fill), limit=1000))


def library(name: str, functions: Sequence[HostFunction]) -> Library:
    """The files of a module, with a self test."""
    cases = {
        each.spec.function: (
            {t.name: np.ones(N, t.dtype) for t in each.spec.arguments},
            {t.name: np.ones(N, t.dtype) for t in each.spec.results},
        )
        for each in functions
    }
    sizes = {each.spec.function: dict.fromkeys(each.spec.open_dims, N) for each in functions}
    samples = Samples(cases, "numpy", {"float32": 0.0}, sizes)
    target = resolve_target("cpu:x86-64-v3")
    return make_library(name, functions, [b"1234"], b"", target, "Made.", samples)


def check(made: Library, name: str, folder: Path, language: Sequence[str]) -> None:
    """Compiles the files of a module."""
    texts = {".h": made.header, ".c": made.source, "_selftest.c": made.selftest}
    for end, text in texts.items():
        (folder / f"{name}{end}").write_text(text)
    flags = [*language, *STRICT, "-fsyntax-only", f"-D{name.upper()}_SELFTEST_MAIN"]
    files = [f"{name}.c", f"{name}_selftest.c"]
    processes.run("gcc", *flags, *files, cwd=folder)


def words() -> list[str]:
    """All names in the files of a module, and more."""
    made = library("m", [function("f", "size", ["a"], ["r"]), function("g", "", ["a"], ["r"])])
    texts = made.header + made.source + made.selftest
    return sorted({*re.findall(r"[A-Za-z]\w*", texts), *RESERVED, "INT8_MAX", "size_t", "EOF"})


LANGUAGES = pytest.mark.parametrize(
    "language",
    [C11, *(pytest.param(each, marks=pytest.mark.slow) for each in (CPP17, ("-std=gnu17",)))],
    ids=["C11", "C++17", "GNU C17"],
)


@LANGUAGES
def test_arrays(language: Sequence[str], tmp_path: Path) -> None:
    """As arguments and as results, with an open axis and without."""
    names = identifiers([each for each in words() if not re.match("[MFG]_|given_mask", each)])
    assert {"scratch_", "NULL_", "uint8_t_", "int_"} <= {*names}
    for half in (names[::2], names[1::2]):
        others = identifiers(("result", *names), taken=half)[: len(half)]
        made = library("m", [function("f", "n_", half, others), function("g", "", half, others)])
        check(made, "m", tmp_path, language)


@pytest.mark.slow
@pytest.mark.parametrize("language", [C11, CPP17], ids=lambda a: a[0])
def test_axes(language: Sequence[str], tmp_path: Path) -> None:
    names = [each for each in words() if not re.match("[MFG]_|given_mask", each)]
    axes = identifiers(names, taken=[*RESERVED, "a", "r", "given_mask"])
    functions = [function(f"f{k}", axis, ["a"], ["r"]) for k, axis in enumerate(axes)]
    check(library("m", functions), "m", tmp_path, language)


@pytest.mark.slow
@pytest.mark.parametrize("axis", ["n_", ""])
def test_functions(axis: str, tmp_path: Path) -> None:
    """Each compiles, or is refused; with an open axis or without, by turns."""
    for name in words() if SWEEP else words()[axis == "" :: 2]:
        with suppress(InvalidArgumentError):
            check(library("m", [function(name, axis, ["a"], ["r"])]), "m", tmp_path, C11)


@pytest.mark.parametrize(
    "name", ["M_H", "M_ALIGNMENT", "M_SELFTEST_MAIN", "F_STACK_SIZE", "F_SCRATCH_SIZE"]
)
def test_macros_of_the_module_are_refused(name: str) -> None:
    for arrays, results in (([name], ["r"]), (["a"], [name])):
        with pytest.raises(InvalidArgumentError, match=f"{name} would stand for two"):
            library("m", [function("f", "", arrays, results)])
