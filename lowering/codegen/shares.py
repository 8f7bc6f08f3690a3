"""Loops over the share that one of several parts has in things that are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.number import Index, Number

__all__ = ["first_only", "quotient", "remainder", "share", "span"]


def quotient(number: Number, parts: Index) -> Number:
    """Emits the quotient by a number of parts: a power of two, if that is computed.

    A shift: where a step takes a microsecond, divisions would be a tenth of it.
    """
    if isinstance(parts, int):
        return number // parts
    return number >> parts.body.number("math.cttz", [parts], parts.element)


def remainder(number: Number, parts: Index) -> Number:
    """Emits the remainder that goes with `quotient`."""
    if isinstance(parts, int):
        return number % parts
    return number & parts - 1


def span(part: Index, among: Index, count: Number) -> tuple[Index, Number]:
    """Emits where the share of a part begins and ends; arguments as those of `share`."""
    if among == 1:
        return 0, count
    low = part * count
    if isinstance(among, int):
        return low // among, (part * count + count) // among
    return quotient(low, among), quotient(low + count, among)


def share(
    body: Body,
    count: Index,
    among: Index,
    part: Index,
    carried: Sequence[Array],
    each: Callable[[Index], None],
) -> None:
    """Emits a loop over the share of a part.

    Args:
        body: The body that gets the ops.
        count: How many things there are.
        among: How many parts share them, in order, as evenly as can be.
        part: Which of these it is; 0 if there is one.
        carried: The arrays that are written to.
        each: Emits what is done, given the number of a thing.
    """
    if isinstance(among, Number) or isinstance(count, Number):
        body.loop(*span(part, among, body.index(count)), 1, carried, each)
        return
    size, uneven = divmod(count, among)
    if uneven and among > 1:
        low = part * count
        high = low + count
        body.loop(low // among, high // among, 1, carried, each)
        return
    first = part * size
    if size == 1:
        each(first)
    elif isinstance(first, int):
        body.loop(first, first + size, 1, carried, each)
    else:
        body.loop(0, size, 1, carried, lambda number: each(first + number))


def first_only(
    body: Body, part: Index, among: Index, carried: Sequence[Array], do: Callable[[], None]
) -> None:
    """Emits what only the first of some parts does; arguments as those of `share`."""
    if among == 1:
        do()
        return
    body.when(body.compare("eq", body.index(part), body.index(0)), carried, do)
