"""Selects a few golden files that cover everything covered by many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from goldens.golden import Golden

Traits = set[tuple[Any, ...]]

_CHANGE_NUMBERS_ONLY = {"seed", "seed2", "hidden_size", "activation_alpha", "activation_beta"}


def traits(golden: Golden) -> Traits:
    """Its attributes, of numbers the sign, and its dtype; layers, steps, padding, a single unit."""
    found: Traits = {("dtype", golden.dtype), ("one unit", golden.variant["num_units"] == 1)}
    found.add(("layers", min(2, golden.variant.get("num_layers", 0))))
    if "seq_len_max" in golden.inputs:
        steps, T = int(golden.inputs["seq_len_max"]), golden.variant["seq_length"]
        found.add(("steps", "all" if steps == T else "some" if steps else "none"))
    found.add(("NaN", any(np.isnan(array).any() for array in floats(golden))))
    for name, value in golden.attributes.items():
        if name not in _CHANGE_NUMBERS_ONLY:
            found.add((name, value if isinstance(value, str | bool) else float(np.sign(value))))
    return found


def floats(golden: Golden) -> list[npt.NDArray[np.float64]]:
    """Its inputs that are not integers."""
    arrays = map(np.asarray, golden.inputs.values())
    return [array.astype(np.float64) for array in arrays if array.dtype.kind not in "iu"]


def traits_of_direction(golden: Golden) -> Traits:
    """The same, each with whether the op is a gradient, which has a loop of its own."""
    is_gradient = "Grad" in golden.op or "Backprop" in golden.op
    return {(is_gradient, *trait) for trait in traits(golden)}


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
