"""Tests use only public names of the code: names with an underscore may change at any time."""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SOURCES = ("rnn_compiler", "lowering", "runtime", "benchmarks")
PROTOCOLS = {*dir(collections.namedtuple("Names", "")), "_repr_html_"}
"""`_asdict` and the like, which are public in spite of their underscore."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != ""


def made(tree: ast.AST) -> Iterator[str]:
    """The functions, classes, variables and attributes that a file defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a file uses of others: imports, attributes, and words that name one."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names, lineno=line):
                yield from ((line, each.name) for each in names)
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name, lineno=line):
                yield line, name
            case ast.Call(func=ast.Attribute(attr="setattr" | "delattr"), args=args, lineno=line):
                words = [a.value for a in args[:2] if isinstance(a, ast.Constant)]
                yield from ((line, str(word).rpartition(".")[2]) for word in words)
            case _:
                pass


def trespasses(source: str, private: set[str]) -> list[tuple[int, str]]:
    """Line and name of each private name of others."""
    if private.isdisjoint(re.findall(r"_\w+", source)):
        return []
    tree = ast.parse(source)
    found = [(line, name) for line, name in used(tree) if name in private]
    own = set(made(tree)) if found else set[str]()
    return [(line, name) for line, name in found if name not in own]


@pytest.mark.slow
def test_no_test_uses_a_private_name() -> None:
    files = [file for folder in SOURCES for file in (ROOT / folder).rglob("*.py")]
    private = {name for file in files for name in made(ast.parse(file.read_text()))}
    private = {name for name in private - PROTOCOLS if is_private(name)}
    assert len(private) > 100
    found = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in sorted(TESTS.rglob("*.py"))
        for line, name in trespasses(file.read_text(), private)
    ]
    assert not found, "give what a test needs a public name:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "from a import _b",
        "a._b",
        "a.c()._b()",
        "monkeypatch.setattr(a, '_b', 1)",
        "patch.setattr('a.c._b', 1)",
    ],
)
def test_a_private_name_is_seen(source: str) -> None:
    assert trespasses(source, {"_b"}) == [(1, "_b")]


@pytest.mark.parametrize("source", ["self._b", "a.__b__", "def _b(): ...\nx._b", "a.b"])
def test_others_are_not(source: str) -> None:
    assert trespasses(source, {"_b"}) == []
