"""The attributes of an op: which are compiled in, and their values in a call."""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

from rnn_compiler.lowering.ops import OPS

__all__ = ["Attributes", "attribute_values", "attributes_of"]

Attributes: TypeAlias = tuple[tuple[str, Any], ...]
"""Names and values of attributes that are compiled in."""


def attributes_of(op: str) -> tuple[str, ...]:
    """The attributes that are compiled in."""
    attributes = OPS[op].signature.attributes
    return tuple(each.name for each in attributes if not (each.at_run_time or each.of_build))


def attribute_values(
    op: str, given: tuple[tuple[str, Any], ...], dtype: str
) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The values of the attributes of a call that are compiled in, and its seeds."""
    try:
        return _canonical(op, given, dtype)
    except TypeError:  # of a value that no cache takes, such as a list, which is refused by name
        return _canonical.__wrapped__(op, given, dtype)


@functools.lru_cache(maxsize=1024)
def _canonical(
    op: str, given: tuple[tuple[str, Any], ...], dtype: str
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    signature = OPS[op].signature
    values = signature.canonical(dict(given), dtype)
    seeds = signature.canonical(dict(given), dtype, at_run_time=True)
    return tuple(values[name] for name in attributes_of(op)), tuple(seeds.values())
