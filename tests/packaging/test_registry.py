"""Duplicate declarations agree: ops, packages, versions, public names."""

from __future__ import annotations

import importlib
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest
from cases import CASES, COMPUTING
from goldens.golden import read_goldens
from goldens.regenerate_cells import FRAMEWORKS
from numeric.harness import drop_in
from numeric.harness import module as build
from weights.converter_golden import GOLDENS as CONVERTER_GOLDENS

import rnn_compiler as rc
from rnn_compiler.lowering.ops import GRADIENTS, OPS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def folders_with_code() -> set[str]:
    """The packages that the source folders hold."""
    packages = {"rnn_compiler"}
    for top, prefix in (("rnn_compiler", ""), ("lowering", "lowering"), ("runtime", "runtime")):
        for init in (ROOT / top).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT / top).parts
            if top == "rnn_compiler" and parts[:1] in (("lowering",), ("runtime",)):
                continue  # the links
            packages.add(".".join(filter(None, ("rnn_compiler", prefix, *parts))))
    return packages


def test_every_package_is_listed() -> None:
    """A forgotten one would be missing from the wheel only."""
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(folders_with_code())
    assert {"rnn_compiler.lowering.ops", "rnn_compiler.runtime"} <= set(listed)


def test_every_folder_with_code_is_a_package() -> None:
    for top in ("rnn_compiler", "lowering", "runtime"):
        for path in (ROOT / top).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_tables_of_modules_are_whole() -> None:
    """A package whose docstring has a table of modules lists them all, and its folders."""
    tables = 0
    for top in ("rnn_compiler", "lowering", "runtime"):
        for init in (ROOT / top).rglob("__init__.py"):
            listed = re.findall(r"^\| `([\w/]+)` \|", init.read_text(), re.MULTILINE)
            there = {path.stem for path in init.parent.glob("*.py")} - {"__init__"}
            there |= {f"{path.parent.name}/" for path in init.parent.glob("*/__init__.py")}
            assert not listed or sorted(listed) == sorted(there), init
            tables += bool(listed)
    assert tables > 3


def test_links_lead_to_the_folders() -> None:
    """Pyright and runs from the root need them."""
    for name in ("lowering", "runtime"):
        link = ROOT / "rnn_compiler" / name
        assert link.is_symlink()
        assert link.readlink() == Path("..") / name


def test_ops_agree_on_their_matrices() -> None:
    """A gradient op takes a forward op's matrix; a forgotten axis would only lose a message."""
    arguments = [each for op in OPS.values() for each in op.signature.arguments]
    summed = {(each.name, each.summed) for each in arguments}
    assert len(summed) == len({each.name for each in arguments})
    weights = {name for op in OPS.values() for name in op.signature.weights}
    assert weights - {name for name, axis in summed if axis is not None} == {"B", "P"}


def test_package_data_exists() -> None:
    for package, patterns in PROJECT["tool"]["setuptools"]["package-data"].items():
        for pattern in patterns:
            assert list((ROOT / package.replace(".", "/")).glob(pattern)), (package, pattern)


def test_versions_agree() -> None:
    assert rc.__version__ == PROJECT["project"]["version"] == metadata.version("rnn-compiler")


def test_compiler_and_runtime_are_pinned_alike() -> None:
    """Their IR and ABI change between minors, and must match each other."""
    pins = dict(
        re.fullmatch(r"(iree-base-\w+)==(.*)", line).groups()  # type: ignore[union-attr]
        for line in PROJECT["project"]["dependencies"]
        if line.startswith("iree-")
    )
    assert pins.keys() == {"iree-base-compiler", "iree-base-runtime"}
    assert len(set(pins.values())) == 1
    for name, pin in pins.items():
        assert metadata.version(name).startswith(pin.rstrip("*"))


def test_public_names_exist() -> None:
    for name in rc.__all__:
        assert getattr(rc, name) is not None
        assert name in dir(rc)
    for package in ("errors", "runtime", "runtime.cache"):
        module = importlib.import_module(f"rnn_compiler.{package}")
        assert sorted(set(module.__all__)) == sorted(module.__all__)
        for name in module.__all__:
            assert getattr(module, name) is not None


@pytest.mark.parametrize("op", OPS)
def test_every_op_is_everywhere(op: str) -> None:
    """It builds in every dtype, and has test cases, golden files and a row in docs/ops.md."""
    signature = OPS[op].signature
    assert signature.name == op
    assert op in CASES, f"tests/cases.py has no row for {op}"
    for dtype in signature.dtypes:
        module = build(op, dtype, CASES[op].variants[0])
        assert f"func.func @{signature.function}(" in module.text
    judged = signature.in_tensorflow and not CASES[op].only_copies
    judged |= op.startswith("onnx.") and not op.endswith("Grad")
    assert bool(read_goldens(op)) == judged
    if CASES[op].only_copies:
        assert op in (ROOT / "tests" / "numeric" / "test_cudnn_params.py").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs" / "ops.md").read_text(), re.MULTILINE)
    assert rows.count(op) == 1


def test_every_golden_file_is_read() -> None:
    files = set((ROOT / "tests" / "goldens").glob("*/*.npz"))
    converters = {path for path in files if path.parent.name == "converters"}
    cells = {path for path in files if path.parent.name == "cells"}
    assert files - converters - cells == {golden.path for golden in read_goldens()}
    assert {path.stem for path in cells} == FRAMEWORKS.keys()
    assert {path.stem for path in converters} == {golden.name for golden in CONVERTER_GOLDENS}


@pytest.mark.parametrize("op", OPS)
def test_names_follow_from_tensorflows(op: str) -> None:
    """Snake case of the op, a function in `raw_ops`, and the keywords of `tf.raw_ops`."""
    signature = OPS[op].signature
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", signature.function)
    assert signature.function.replace("_", "") == op.lower().replace(".", "")
    assert op.removeprefix("onnx.") in dir(rc.onnx_ops if op.startswith("onnx.") else rc.raw_ops)
    parameters = list(drop_in(op).__signature__.parameters)
    names = [a.name for a in (*signature.arguments, *signature.call_attributes)]
    assert parameters == [*names, "name", "to_host"]
    for attribute in signature.call_attributes:
        assert attribute.doc
        assert attribute.values
    for tensors, mark in ((signature.arguments, ""), (signature.results, "- ")):
        for tensor in tensors:
            assert tensor.doc
            assert f"\n    {mark}{tensor.name}: " in drop_in(op).__doc__


def test_functions_have_one_op_each() -> None:
    functions = [op.signature.function for op in OPS.values()]
    assert len(set(functions)) == len(functions)


@pytest.mark.parametrize("op", COMPUTING)
def test_gradients_are_those_that_the_cases_test(op: str) -> None:
    """The table that others connect to automatic differentiation, against the tested rows."""
    chain = [op]
    while CASES[chain[-1]].forward is not None:
        chain.append(CASES[chain[-1]].forward)
    forward, *ops = reversed(chain)
    if not ops:
        assert op in GRADIENTS
        return
    gradient = GRADIENTS[forward]
    assert gradient.ops[: len(ops)] == tuple(ops)
    assert CASES[ops[0]].cotangents == gradient.cotangents
    if gradient.ops == tuple(ops):
        assert {
            k: v for each in ops for k, v in CASES[each].gradients.items()
        } == gradient.gradients
        names = [OPS[each].signature.names for each in ops]
        first = OPS[forward].signature
        known = {each.name for each in (*first.arguments, *first.in_training.results)}
        assert set(gradient.saved(names)) <= known
        floats = {each.name for each in first.arguments if each.dtype is None}
        assert set(gradient.arguments) == floats
