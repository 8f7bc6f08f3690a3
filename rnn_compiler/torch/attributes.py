"""The compile-time attributes of an op, and their values in a call."""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

from rnn_compiler.lowering.ops import OPS

Attributes: TypeAlias = tuple[tuple[str, Any], ...]
"""Names and values of compile-time attributes."""


def attributes_of(op: str) -> tuple[str, ...]:
    """The compile-time attributes."""
    attributes = OPS[op].signature.attributes
    return tuple(each.name for each in attributes if not (each.at_run_time or each.of_build))


def attribute_values(
    op: str, given: tuple[tuple[str, Any], ...], dtype: str
) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The values of a call's compile-time attributes, and its seeds."""
    try:
        return _canonical(op, given, dtype)
    except TypeError:  # an unhashable value, such as a list, which is rejected by name later
        return _canonical.__wrapped__(op, given, dtype)


@functools.lru_cache(maxsize=1024)
def _canonical(
    op: str, given: tuple[tuple[str, Any], ...], dtype: str
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    signature = OPS[op].signature
    values = signature.canonical(dict(given), dtype)
    seeds = signature.canonical(dict(given), dtype, at_run_time=True)
    return tuple(values[name] for name in attributes_of(op)), tuple(seeds.values())
