"""Selects a few golden files that cover everything covered by many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from goldens.golden import Golden

Traits = set[tuple[Any, ...]]

_CHANGE_NUMBERS_ONLY = {"seed", "seed2", "hidden_size", "activation_alpha", "activation_beta"}


def traits(golden: Golden) -> Traits:
    """Its attributes, of numbers the sign; its dtype, layers, and whether it has a single unit."""
    found: Traits = {("dtype", golden.dtype), ("one unit", golden.variant["num_units"] == 1)}
    found.add(("layers", min(2, golden.variant.get("num_layers", 0))))
    for name, value in golden.attributes.items():
        if name not in _CHANGE_NUMBERS_ONLY:
            found.add((name, value if isinstance(value, str | bool) else float(np.sign(value))))
    return found


def traits_of_op(golden: Golden) -> Traits:
    """The same with each op as an additional trait."""
    return {(golden.op, *trait) for trait in traits(golden)}


def covering(
    goldens: Sequence[Golden],
    traits: Callable[[Golden], Traits],
    besides: Iterable[Golden] = (),
) -> list[Golden]:
    """Some that have every trait of all, in their order; others, besides them, have theirs."""
    rows = [(traits(golden), golden) for golden in goldens]
    left = set[tuple[Any, ...]]().union(*(each for each, _ in rows))
    left -= set[tuple[Any, ...]]().union(*map(traits, besides))
    found: list[Golden] = []
    while left:
        most, golden = max(rows, key=lambda row: len(row[0] & left))
        found.append(golden)
        left -= most
    return [golden for golden in goldens if golden in found]
