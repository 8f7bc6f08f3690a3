"""Selects the quick values of a parameter; with the others, a test repeats itself and is slow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

SWEEP = bool(os.environ.get("TEST_SWEEP"))
"""Whether sweeps take all their values, which matters to those who change what is swept over."""


def first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Values of a parameter, the first few of them quick."""
    return [value if number < quick else marked_slow(value) for number, value in enumerate(values)]


def only(values: Iterable[Any], *quick: Any) -> list[Any]:
    """Values of a parameter, of which some are quick."""
    return [value if value in quick else marked_slow(value) for value in values]


def every(values: Iterable[Any], *some: Any) -> list[Any]:
    """All values of a sweep, or without ``TEST_SWEEP=1`` some of them."""
    known = list(values)
    assert {*some} <= {*known}
    return known if SWEEP else list(some)


def marked_slow(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.slow)


def not_dealt(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Of slow tests in several ways, those that they leave to others.

    Each value of a test runs directly, and in every other one of the further ways: values take
    turns. So do those tests of a file that have no values, and run directly as well. With
    ``TEST_SWEEP=1``, each runs in all.
    """
    if SWEEP:
        return []
    tests: dict[Any, dict[Any, list[tuple[str, pytest.Item]]]] = {}
    direct: set[Any] = set()
    for item in items:
        case = getattr(item, "callspec", None)
        if case is None or "execute" not in case.params:
            continue
        test, way = (item.path, item.function), case.params["execute"]
        value = tuple(id(each) for name, each in case.params.items() if name != "execute")
        rows = tests.setdefault(test, {}).setdefault(value, [])
        if way == "direct":
            direct.add(test)
        elif item.get_closest_marker("slow"):
            rows.append((way, item))
    alone: dict[Any, list[list[tuple[str, pytest.Item]]]] = {}
    for test, by_value in tests.items():
        if len(by_value) == 1 and test in direct:
            alone.setdefault(test[0], []).extend(by_value.values())
    left_out: list[pytest.Item] = []
    for by_value in tests.values():
        left_out += _turned_away([*by_value.values()])
    for rows in alone.values():
        left_out += _turned_away([each for each in rows if len(each) > 1])
    return left_out


def _turned_away(group: Sequence[Sequence[tuple[str, pytest.Item]]]) -> list[pytest.Item]:
    """Of what runs in several ways each, every other one, the next time the others."""
    ways = list(dict.fromkeys(way for rows in group for way, _ in rows))
    if len(group) < 2 or len(ways) < 2:
        return []
    return [
        item
        for turn, rows in enumerate(group)
        for way, item in rows
        if (ways.index(way) + turn) % 2
    ]
