"""Selects the quick values of a parameter; with the others, a test repeats itself and is slow."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
    """Of slow tests of several values in several ways, those that a value leaves to others.

    Each value runs directly, and in every other one of the further ways: values take turns. With
    ``TEST_SWEEP=1``, each runs in all.
    """
    values: dict[Any, dict[Any, list[tuple[str, pytest.Item]]]] = {}
    for item in items:
        case = getattr(item, "callspec", None)
        if case is None or "execute" not in case.params or SWEEP:
            continue
        value = tuple(id(each) for name, each in case.params.items() if name != "execute")
        rows = values.setdefault((item.path, item.function), {}).setdefault(value, [])
        if item.get_closest_marker("slow") and case.params["execute"] != "direct":
            rows.append((case.params["execute"], item))
    left_out: list[pytest.Item] = []
    for by_value in values.values():
        ways = list(dict.fromkeys(way for rows in by_value.values() for way, _ in rows))
        if len(by_value) > 1 and len(ways) > 1:
            for turn, rows in enumerate(by_value.values()):
                left_out += [item for way, item in rows if (ways.index(way) + turn) % 2]
    return left_out
