"""A class name has one meaning in the whole product, with or without an underscore."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

AGAIN = {"InvalidArgumentError"}
"""Subclasses that must have the name of their base: torch's users catch its own errors."""


@cache
def shared() -> frozenset[str]:
    """The names of several classes, without underscores.

    Lines say which there are: to parse all sources takes two seconds.
    """
    names = Counter(
        name.lstrip("_")
        for folder in ("rnn_compiler", "lowering", "runtime")
        for path in (ROOT / folder).rglob("*.py")
        if not any(each.is_symlink() for each in path.parents)
        for name in re.findall(r"^\s*class (\w+)[(:]", path.read_text("utf-8"), re.MULTILINE)
    )
    return frozenset(name for name, times in names.items() if times > 1)


def test_no_class_name_is_shared() -> None:
    assert shared() - AGAIN == set()


def test_the_exceptions_are_needed() -> None:
    assert AGAIN - shared() == set()
