"""Modules, sources and names that docs quote are up to date."""

from __future__ import annotations

import ast
import functools
import re
from typing import Any

import pytest
from docs.pages import PAGES, ROOT, Block, blocks

import rnn_compiler as rc
from rnn_compiler.compilation import resolve_target
from rnn_compiler.lowering.builder.module import module_text
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.strategies import resolve_strategy


def quotes(kind: str) -> list[Any]:
    """The blocks of all pages whose marker begins with a word, as parameters."""
    return [
        pytest.param(block, id=f"{page}:{block.line}")
        for page in PAGES
        for block in blocks(page)
        if block.marker.startswith(f"{kind}: ")
    ]


def emitted(stage: str) -> list[str]:
    """The lines of a stage, ``"stablehlo"`` or ``"PASS TARGET"``."""
    module = rc.build(
        "BlockLSTMV2",
        seq_length=32,
        batch_size=16,
        input_size=64,
        num_units=64,
        use_peephole=False,
    )
    if stage == "stablehlo":
        return module.text.splitlines()
    last, name = stage.split()
    target = resolve_target(name)
    strategy = resolve_strategy(None, target)
    located, functions = module.located_text, module.functions
    rewritten = rewrite(LoweringRequest(located, functions, target, strategy, "0"), last)
    return module_text(rewritten.text).splitlines()


def unnumbered(line: str) -> str:
    """A line without the numbers that tell values of one name from each other."""
    return re.sub(r"(%[A-Za-z_]+?)_?\d+\b", r"\1", line).strip()


def missing(quoted: str, lines: list[str]) -> list[str]:
    """The quoted lines that do not follow each other in a text; ``...`` stands for anything."""
    rest = iter([unnumbered(line) for line in lines])
    absent: list[str] = []
    for line in quoted.splitlines():
        parts = [re.escape(part.strip()) for part in unnumbered(line).split("...")]
        pattern = re.compile(r"\s*.*?\s*".join(parts))
        if not any(pattern.fullmatch(each) for each in rest):
            absent.append(line)
            break  # the text is read to its end
    return absent


@pytest.mark.parametrize("block", quotes("emitted"))
def test_quoted_lines_are_emitted(block: Block) -> None:
    assert missing(block.text, emitted(block.marker.removeprefix("emitted: "))) == []


@pytest.mark.parametrize("block", quotes("from"))
def test_quoted_sources_are_there(block: Block) -> None:
    source = (ROOT / block.marker.removeprefix("from: ")).read_text()
    assert missing(block.text, source.splitlines()) == []


NAME_IN_FILE = re.compile(r"`([A-Za-z_][\w.]*)`\s+in\s+`([\w/]+\.py)`")
"""How pages say where a name is."""


@functools.cache
def defined(file: str) -> frozenset[str]:
    """The names that a module defines, and those in its classes."""
    nodes = list(ast.walk(ast.parse((ROOT / file).read_text())))
    made = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return frozenset(made) | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def placed(page: str) -> list[tuple[str, str]]:
    """The names that a page places in a file."""
    return NAME_IN_FILE.findall(PAGES[page].read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if placed(page)])
def test_names_are_in_the_files_that_pages_say(page: str) -> None:
    absent = [
        f"{name} in {file}"
        for name, file in placed(page)
        if not defined(file) >= {*name.split(".")}
    ]
    assert absent == []


def test_names_in_files_are_found() -> None:
    assert ("STRATEGY_PASSES", "lowering/targets/strategies.py") in placed("docs/adding-a-pass.md")
    assert "STRATEGY_PASSES" in defined("lowering/targets/strategies.py")
    assert {"Rewritten", "text"} <= defined("lowering/pipeline.py")
    assert "_PASSES" not in defined("lowering/pipeline.py")


def test_the_lexicon_is_in_order() -> None:
    """Each of its tables, by the word in the first column."""
    tables = re.findall(r"^\|---.*\n((?:\|.*\n)+)", PAGES["docs/lexicon.md"].read_text(), re.M)
    assert len(tables) > 5
    for table in tables:
        words = [line.split("|")[1].strip().lower() for line in table.splitlines()]
        assert words == sorted(words)


def test_the_comparison_sees_what_is_missing() -> None:
    lines = ["  %z_1 = add %a, %b : f32", "  %h = tanh %z_1 : f32"]
    assert missing("%z_9 = add ...\n%h = tanh %z : f32\n", lines) == []
    assert missing("%h = tanh %z_3 : f32\n%z = add %a, %b : f32\n", lines) != []
    assert missing("%z = add %a, %c : f32\n", lines) != []
    assert missing("%z = add\n", lines) != []
    assert len(quotes("emitted")) == 6
    assert len(quotes("from")) >= 6
