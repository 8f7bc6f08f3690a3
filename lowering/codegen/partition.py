"""Work divided into parts: loops over the items of one part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from rnn_compiler.lowering.codegen.body import Array, Body, Index, Number


def quotient(number: Number, parts: Index) -> Number:
    """Emits the quotient by a number of parts, which is a power of two if it is computed.

    Then it is a shift: in a step of a microsecond, divisions would take a tenth of the time.
    """
    if isinstance(parts, int):
        return number // parts
    return number >> parts.body.number("math.cttz", [parts], parts.element)


def remainder(number: Number, parts: Index) -> Number:
    """Emits the remainder of the same division."""
    if isinstance(parts, int):
        return number % parts
    return number & parts - 1


def bounds(part: Index, among: Index, count: Number) -> tuple[Index, Number]:
    """Emits the bounds of a part's items; the arguments are those of `partition`."""
    if among == 1:
        return 0, count
    low = part * count
    if isinstance(among, int):
        return low // among, (part * count + count) // among
    return quotient(low, among), quotient(low + count, among)


def partition(
    body: Body,
    count: Index,
    among: Index,
    part: Index,
    carried: Sequence[Array],
    each: Callable[[Index], None],
) -> None:
    """Emits a loop over the items of a part; parts get consecutive items, as evenly as possible.

    The first parts get one more where they differ, so that threads that take parts to and fro have
    as much.
    """
    if isinstance(among, Number) or isinstance(count, Number):
        body.loop(*bounds(part, among, body.index(count)), 1, carried, each)
        return
    size, uneven = divmod(count, among)
    if uneven and among > 1:
        low, high = (first_of(number, count, among) for number in (part, part + 1))
        body.loop(low, body.index(high), 1, carried, each)
        return
    first = part * size
    if size == 1:
        each(first)
    elif isinstance(first, int):
        body.loop(first, first + size, 1, carried, each)
    else:
        body.loop(0, size, 1, carried, lambda number: each(first + number))


@overload
def first_of(part: int, count: int, among: int) -> int: ...


@overload
def first_of(part: Index, count: int, among: int) -> Index: ...


def first_of(part: Index, count: int, among: int) -> Index:
    """The first of a part's items, or their end for the part after the last."""
    size, uneven = divmod(count, among)
    if not uneven:
        return part * size
    return part * size + (min(part, uneven) if isinstance(part, int) else part.at_most(uneven))


def one_only(
    body: Body,
    part: Index,
    among: Index,
    carried: Sequence[Array],
    do: Callable[[], None],
    one: int = 0,
) -> None:
    """Emits code that only `one` part runs; the other arguments are those of `partition`."""
    if among == 1:
        do()
        return
    body.when(body.compare("eq", body.index(part), body.index(one)), carried, do)
