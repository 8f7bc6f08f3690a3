"""Selects the quick values of a parameter; with the others, a test repeats itself and is slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Values of a parameter, the first few of them quick."""
    return [value if number < quick else marked_slow(value) for number, value in enumerate(values)]


def only(values: Iterable[Any], *quick: Any) -> list[Any]:
    """Values of a parameter, of which some are quick."""
    return [value if value in quick else marked_slow(value) for value in values]


def marked_slow(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.slow)
