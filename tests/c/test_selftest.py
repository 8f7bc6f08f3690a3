"""Self tests: the comparison in C is that of `verify`, and errors are found and reported."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import C11, COMPILERS, CPP17, STRICT, Arrays, each_build, run, sanitized
from c.test_programs import MORE
from cases import sizes
from numeric.harness import renamed

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import ArtifactError, DeviceError, InvalidArgumentError
from rnn_compiler.lowering.c.library import make_library
from rnn_compiler.lowering.c.selftest import LARGEST, Samples
from rnn_compiler.lowering.compiler.iree_compile import compile_host_program
from rnn_compiler.lowering.host.external_results import external_results
from rnn_compiler.lowering.host.functions import read_functions
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.golden import TOLERANCES, difference
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES
from rnn_compiler.schema.schedule import ANY_MEMORY
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

CELL = {"batch_size": 2, "input_size": 3, "num_units": 5}


def cells() -> rc.Module:
    """A cell in each dtype, a function that packs weights, and one of integers."""
    parts = [rc.build("GRUBlockCell", dtype=dtype, **CELL) for dtype in FLOAT_DTYPES]
    packed = rc.build("BlockLSTMV2", use_peephole=False, **sizes(4, 16, 8, 40))
    integers = rc.build("CudnnRNNParamsSize", num_layers=1, num_units=2, input_size=3, S="int64")
    return renamed(*parts, packed, integers)


@pytest.fixture(scope="module")
def made() -> rc.CModule:
    module = cells()
    return rc.compile_c(module, "cpu", name="cells", golden=rc.golden(module, "cpu"))


@pytest.fixture
def saved(made: rc.CModule, tmp_path: Path) -> Path:
    return made.save(tmp_path / "cells")


_PLUS = {"gcc": "g++", "clang": "clang++"}

MAIN = ("-DCELLS_SELFTEST_MAIN", "cells_selftest.c", "cells.c")


@pytest.mark.slow
def test_every_result_is_compared(made: rc.CModule, saved: Path) -> None:
    """Bit for bit, because it is the same code on the same machine; also with packed weights."""
    found = rc.runtime.verify(saved)
    assert found == rc.runtime.verify(saved / "cells.json")
    assert found.is_equal
    assert {row.difference for row in found.results} == {0.0}
    assert found.computed_by == "cpu (fused) on local-sync"
    assert re.fullmatch(r"C by \w+", found.device)
    rows = [row for row in made.manifest["functions"] if not row["function"].endswith("_prepack")]
    names = [(row["function"], each["name"]) for row in rows for each in row["results"]]
    assert [row[:2] for row in found.results] == names
    assert ("case_4_prepacked", "h") in names
    for row in found.results:
        assert row.tolerance == TOLERANCES.get(row.dtype, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILERS)
def test_no_warnings(saved: Path, name: str) -> None:
    for macro in ("-DNOTHING", MAIN[0]):
        command = [name, *C11, *STRICT, *MORE, "-O2", macro, "-c", MAIN[1], "-o", "out.o"]
        run(*command, folder=saved)
    run(_PLUS[name], *CPP17, *STRICT, MORE[0], MAIN[0], "-c", MAIN[1], "-o", "out.o", folder=saved)


@pytest.mark.slow
@each_build
def test_sanitizers_are_silent(saved: Path, c_compiler: str, language: tuple[str, ...]) -> None:
    """Also if the compiler assumes that there are no infinities."""
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-ffast-math")
    sanitized(c_compiler, saved)
    name = _PLUS[c_compiler] if language == CPP17 else c_compiler
    for source in MAIN[1:]:
        command = [name, *language, *flags, MAIN[0], "-c", source, "-o", f"{source}.o"]
        run(*command, folder=saved)
    objects = [f"{source}.o" for source in MAIN[1:]]
    run(name, *flags, *objects, "cells.o", "-o", "main", folder=saved)
    lines = run("./main", folder=saved).splitlines()
    assert len(lines) > 10
    assert all(line.endswith(" equal") for line in lines)


@pytest.mark.slow
def test_in_a_program(saved: Path) -> None:
    """It may be called repeatedly, and `NAME_error` names the result that differs."""
    text = (saved / "cells_selftest.c").read_text()
    (saved / "wrong.c").write_text(spoilt(text, "case_2"))
    (saved / "main.c").write_text(
        '#include "cells.h"\n#include <stdio.h>\n'
        "int main(void) { cells_selftest(); puts(cells_error(cells_selftest())); return 0; }\n"
    )
    for source, printed in (
        ("cells_selftest.c", "no error\n"),
        ("wrong.c", "case_2: c: not what it was where this was made\n"),
    ):
        run(
            "gcc", *C11, *STRICT, "main.c", source, "cells.c", "cells.o", "-o", "main", folder=saved
        )
        assert run("./main", folder=saved) == printed


def spoilt(text: str, function: str) -> str:
    """A source in which a sample result is another: `c` of a cell in float32."""
    changed, count = re.subn(
        rf"(/\* Result c of {function}\. \*/\n.*\n\s+)0x[0-9a-f]+", r"\g<1>0x4000000040000000", text
    )
    assert count == 1
    return changed


# The comparison.

PAIRS = 12
SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 6e-8, -3e-5, 6e4, 1e-40]


def pairs(dtype: str, seed: int) -> tuple[list[Any], list[Any]]:
    """Arrays to compare, nearly equal in some of the cases."""
    rng = np.random.default_rng(seed)
    kind = DTYPES[dtype].numpy
    found: list[Any] = []
    wanted: list[Any] = []
    for number in range(PAIRS):
        if np.dtype(kind).kind == "i":
            a: Any = rng.integers(-100, 100, 7).astype(kind)
            b = a.copy()
            b[3] += number % 2
        else:
            with np.errstate(all="ignore"):
                a = (rng.normal(size=7) * 10.0 ** rng.integers(-8, 5)).astype(kind)
                if number % 3 == 0:
                    a[:4] = rng.choice(SPECIAL, 4).astype(kind)
                b = a.copy()
                if number % 2:
                    b[rng.integers(7)] = kind.type(rng.choice(SPECIAL))
                if number % 4 == 3:
                    b = (b.astype(np.float64) * (1 + 1e-3 * rng.normal(size=7))).astype(kind)
        found.append(a)
        wanted.append(b)
    return found, wanted


@pytest.mark.slow
def test_the_comparison_is_that_of_verify(tmp_path: Path) -> None:
    """Infinities, NaN, zeros and subnormal numbers, by a function that returns its argument."""
    dtypes = (*FLOAT_DTYPES, "int32", "int64")
    cases = {dtype: pairs(dtype, seed) for seed, dtype in enumerate(dtypes)}
    tensors = [TensorSpec(f"{dtype}_{k}", dtype, (7,)) for dtype in dtypes for k in range(PAIRS)]
    types = [f"tensor<7x{DTYPES[tensor.dtype].mlir}>" for tensor in tensors]
    values = ", ".join(f"%a{k}" for k in range(len(tensors)))
    head = ", ".join(f"%a{k}: {kind}" for k, kind in enumerate(types))
    text = (
        f"func.func @f({head}) -> ({', '.join(types)}) {{ return {values} : {', '.join(types)} }}"
    )
    results = [dataclasses.replace(each, name=f"r_{each.name}") for each in tensors]
    spec = FunctionSpec("F", "f", "float32", {}, {}, (*tensors,), (*results,))
    target = resolve_target("cpu:generic")
    text, found_types = external_results(text)
    made = compile_host_program(text, target, reproducers=tmp_path / "reproducers")
    found = [array for dtype in dtypes for array in cases[dtype][0]]
    wanted = [array for dtype in dtypes for array in cases[dtype][1]]
    arguments: Arrays = {each.name: array for each, array in zip(tensors, found, strict=True)}
    expected: Arrays = {each.name: array for each, array in zip(results, wanted, strict=True)}
    samples = Samples({"f": (arguments, expected)}, "a test", TOLERANCES)
    read = read_functions([spec], found_types, made.host, {}, ANY_MEMORY)
    library = make_library("f_", *read, made.object, target, "Made by a test.", samples)
    for name, content in (("f_.h", library.header), ("f_.c", library.source)):
        (tmp_path / name).write_text(content)
    (tmp_path / "f_.o").write_bytes(library.object)
    (tmp_path / "f__selftest.c").write_text(library.selftest)
    for flags in (["-O0"], ["-O2", "-ffast-math"]):
        sources = ["f__selftest.c", "f_.c", "f_.o"]
        run("gcc", *C11, *flags, "-DF__SELFTEST_MAIN", *sources, "-o", "main", folder=tmp_path)
        (tmp_path / "sh").write_text("./main || test $? = 1\n")
        rows = [line.split() for line in run("sh", "sh", folder=tmp_path).splitlines()]
        outcomes = set[bool]()
        for row, each, a, b in zip(rows, results, found, wanted, strict=True):
            apart = difference(a, b)
            shown = float(row[2]) if float(row[2]) < 1.79e308 else np.inf
            assert shown == pytest.approx(apart, rel=1e-8), each.name
            equal = apart <= TOLERANCES.get(each.dtype, 0)
            assert row[4] == ("equal" if equal else "DIFFERENT")
            outcomes.add(equal)
        assert outcomes == {True, False}


# The command line, and what is wrong.

OP = ("GRUBlockCell", "--dim", "batch_size=2,input_size=3,num_units=5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selftest") / "cell"
    options = ["--format", "c", "--golden", "--name", "cell", "-o", str(folder)]
    assert main(["compile", *OP, *options]) == 0
    return folder


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    (tmp_path / "cell").mkdir()
    for file in folder.iterdir():
        (tmp_path / "cell" / file.name).write_bytes(file.read_bytes())
    return tmp_path / "cell"


def change(copy: Path, **fields: object) -> None:
    data = json.loads((copy / "cell.json").read_text())
    (copy / "cell.json").write_text(json.dumps({**data, **fields}))


@pytest.mark.slow
def test_the_command_line(copy: Path, cli: Any) -> None:
    assert sorted(file.suffix for file in copy.iterdir()) == [".c", ".c", ".h", ".json", ".o"]
    assert "all 4 are equal: C by " in cli("verify", copy).out
    text = (copy / "cell_selftest.c").read_text()
    wrong = spoilt(text, "gru_block_cell")
    (copy / "cell_selftest.c").write_text(wrong)
    files = json.loads((copy / "cell.json").read_text())["files"]
    files["cell_selftest.c"]["sha256"] = hashlib.sha256(wrong.encode()).hexdigest()
    change(copy, files=files)
    data = json.loads(cli("verify", copy / "cell.json", "--json", code=1).out)
    assert data["equal"] is False
    assert [row["result"] for row in data["results"] if not row["equal"]] == ["c"]


def no_golden(copy: Path) -> None:
    change(copy, golden=None)


def other_machine(copy: Path) -> None:
    target = json.loads((copy / "cell.json").read_text())["target"]
    other = "aarch64" if target["architecture"] != "aarch64" else "x86_64"
    change(copy, target={**target, "architecture": other})


def more_features(copy: Path) -> None:
    target = json.loads((copy / "cell.json").read_text())["target"]
    change(copy, target={**target, "features": ["amx-tile"]})


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "no golden": (no_golden, "cell.json: it has no sample arguments and results: c"),
    "machine": (other_machine, "compiled for .*, this machine is .*: run verify there, or cc"),
    "features": (more_features, "needs CPU features that this machine does not have: amx-tile"),
    "schema": (lambda c: change(c, schema=99), "schema 99, this version reads 1: recompile"),
    "no manifest": (lambda c: (c / "cell.json").unlink(), "neither a bundle nor a module in C"),
    "two": (lambda c: (c / "b.json").write_text('{"format": "c"}'), "several modules in C; name"),
    "damaged manifest": (lambda c: change(c, files=3), "cell.json: damaged manifest"),
    "a name": (lambda c: change(c, name="../x"), "cell.json: damaged manifest"),
    "missing": (lambda c: (c / "cell.o").unlink(), "cell.o: missing: its manifest lists it; copy"),
    "damaged": (lambda c: (c / "cell.o").write_bytes(b""), "cell.o: damaged, or another module's"),
}


@pytest.mark.slow
def test_run_knows_no_c(copy: Path, cli: Any) -> None:
    assert "a module in C is for C compilers, and for rnn-comp" in cli("run", copy, code=1).err


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(copy: Path, case: str) -> None:
    spoil, message = WRONG[case]
    spoil(copy)
    with pytest.raises(ArtifactError, match=message):
        rc.runtime.verify(copy)


def test_compilers(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command, message in (
        ("no-such-cc", "needs a C compiler, and there is no no-such-cc: install one, or name it"),
        ("false", "false cannot build it here"),
        ("true", "main cannot be run"),
    ):
        monkeypatch.setenv("CC", command)
        with pytest.raises(ArtifactError, match=message):
            rc.runtime.verify(copy)
    monkeypatch.setenv("CC", "gcc -g0")
    assert rc.runtime.verify(copy).device == "C by gcc -g0"
    with pytest.raises(DeviceError, match="a module in C has no device; leave local-sync out"):
        rc.runtime.verify(copy, "local-sync")


@pytest.mark.slow
def test_a_golden_that_does_not_fit() -> None:
    module = rc.build("GRUBlockCell", **CELL)
    samples = rc.golden(module, "cpu")
    arguments, results = samples.cases["gru_block_cell"]
    for cases in (
        {},
        {"other": (arguments, results)},
        {"gru_block_cell": ({**arguments, "x": arguments["x"][:1]}, results)},
        {"gru_block_cell": (arguments, {**results, "h": results["h"].astype(np.float64)})},
        {"gru_block_cell": ({}, results)},
    ):
        with pytest.raises(InvalidArgumentError, match=r"'golden': expected one of Module\(gru_bl"):
            rc.compile_c(module, golden=dataclasses.replace(samples, cases=cases))
    with pytest.raises(
        InvalidArgumentError, match="'golden': expected samples from `golden`, got True"
    ):
        rc.compile_c(module, golden=True)  # type: ignore[arg-type]


@pytest.mark.slow
def test_goldens_that_are_too_large_for_a_source_file() -> None:
    """Before anything is compiled."""
    module = rc.build("GRUBlockCell", **CELL)
    (spec,) = module.functions
    huge = dataclasses.replace(spec.results[0], shape=(LARGEST,))
    large = rc.Module([dataclasses.replace(spec, results=(huge, *spec.results[1:]))])
    samples = rc.golden(module, "cpu")
    arguments, results = samples.cases["gru_block_cell"]
    grown = {**results, huge.name: np.zeros(LARGEST, np.float32)}
    cases = {"gru_block_cell": (arguments, grown)}
    with pytest.raises(InvalidArgumentError, match="samples of at most 16,777,216 bytes, got 67,"):
        rc.compile_c(large, golden=dataclasses.replace(samples, cases=cases))


@pytest.mark.slow
def test_frozen_weights(tmp_path: Path) -> None:
    module = rc.build("LSTMBlockCell", batch_size=8, input_size=16, num_units=64)
    w = np.random.default_rng(0).normal(0, 0.1, (80, 256)).astype(np.float32)
    frozen = rc.freeze(module, {"w": w})
    made = rc.compile_c(frozen, "cpu", golden=rc.golden(frozen, "cpu"))
    assert rc.runtime.verify(made.save(tmp_path / "frozen")).is_equal
