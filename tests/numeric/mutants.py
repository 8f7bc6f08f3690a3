"""Mutants: references with one piece of their source replaced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

__all__ = ["mutant", "parameters"]


def mutant(reference: ModuleType, old: str, new: str) -> dict[str, Any]:
    """The names of a reference with one piece of its source replaced."""
    source = Path(str(reference.__file__)).read_text()
    assert source.count(old) == 1, f"the reference has changed: {source.count(old)} times {old!r}"
    names: dict[str, Any] = {}
    exec(compile(source.replace(old, new), f"reference with {new!r}", "exec"), names)
    return names


def parameters(table: Mapping[str, Mapping[str, tuple[str, str]]]) -> list[Any]:
    """A parameter for each mutant of a table: its group, the replaced text, and its replacement."""
    return [
        pytest.param(group, *change, id=f"{group}-{name}")
        for group, changes in table.items()
        for name, change in changes.items()
    ]
