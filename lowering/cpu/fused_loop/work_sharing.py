"""Work that the workgroups of a dispatch share out among themselves, one turn after the other.

A turn is some number of parts that can be done at the same time; the next turn needs all of them
done. Workgroups claim parts and wait for those that others have claimed:

    for turn in turns:
      if done < parts * (turn + 1):                       # not over already
        for part in parts, beginning elsewhere in each workgroup:
          if atomic_max(claimed[part], turn + 1) <= turn: # nobody was faster
            do it
            done += 1                                     # atomic, releases what was written
        until done >= parts * (turn + 1): load            # acquires what others wrote

No part waits for a workgroup that has not begun: who claims a part is running, and a single
workgroup does all parts of all turns. So it does not matter how many threads there are, nor whether
they run all workgroups at the same time; and as long as all do, each does the same parts at every
turn, whose weights stay in its cache. A turn costs two threads 0.1 to 0.2 microseconds (measured).

Waiting is spinning, as in other libraries: a thread that the system stops within a part lets the
others spin until it goes on. Where there are fewer processors than workers, fewer workers are
faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.shares import quotient, remainder
from rnn_compiler.lowering.mlir import ir

__all__ = ["Turns"]

_LINE = 16
"""Numbers in a cache line: each counter has a line of its own."""

_MOST = 8
"""How many parts a turn has at most."""

_POWERS = (1, 2, 4, 8)
"""How many parts a turn has where that is computed."""

_ADD, _MAXIMUM = 1, 6
"""Kinds of `memref.atomic_rmw`: addi and maxs."""


class Turns:
    """The turns of a dispatch.

    Attributes:
        parts: How many parts each has; known, or computed, then a power of two.
        workgroup: The number of the workgroup, an index.
    """

    def __init__(self, executable: Executable, parts: Index, number: int, count: int) -> None:
        """Starts with no turn done.

        Args:
            executable: The dispatch, of as many workgroups.
            parts: How many parts a turn has, 8 at most.
            number: Which of the module's time loops this is.
            count: How many of these there are.
        """
        if isinstance(parts, int) and parts > _MOST:
            raise ValueError(f"{parts} parts: {_MOST} is the most")
        self._body, self.parts = executable.body, parts
        self._zero, self._one = (self._body.constant(n, "i32") for n in (0, 1))
        self.workgroup = executable.workgroup()
        if self._is_one:
            return
        self._counts, self._base = executable.shared(_LINE * (_MOST + 1), number, count)
        if isinstance(parts, int):
            many, place = (parts,), self.workgroup
        else:  # that of 1 part comes first, then those of 2, ...
            many, place = _POWERS, parts - 1 + self.workgroup
        orders = [part_order(workgroup, each) for each in many for workgroup in range(each)]
        self._first, self._step = (
            _choose(self._body, table, place) for table in zip(*orders, strict=True)
        )

    @property
    def _is_one(self) -> bool:
        return self.parts == 1

    def _atomic(self, kind: int, value: Number, place: Index) -> Number:
        """Emits an atomic operation on a counter; gives what it was before."""
        operands = [value, self._counts, self._base + self._body.index(place)]
        attributes = {"kind": integer(kind)}
        return self._body.number("memref.atomic_rmw", operands, "i32", attributes=attributes)

    def _done(self, place: Index = 0) -> Number:
        """Emits the reading of how many parts are done."""
        return self._atomic(_ADD, self._zero, place)

    def over(self, turns: int) -> Number:
        """Emits how many groups of so many turns are over, after the first turn."""
        if self._is_one:
            return self._body.index(0)
        return (quotient(self._done().to_index(), self.parts) - 1) // turns

    def take(self, turn: Number, carried: Sequence[Array], body: Callable[[Index], None]) -> None:
        """Emits a turn.

        Args:
            turn: Its number, from 0: an index.
            carried: The arrays that the body writes to.
            body: Emits the body, given the number of a part.
        """
        if self._is_one:
            body(0)
            return
        at, zero = self._body, self._body.index(0)
        next_turn = turn.to_integer("i32") + self._one
        goal = next_turn * at.integer(self.parts, "i32")

        def part(index: Number) -> None:
            own = remainder(index * self._step + self._first, self.parts)
            before = self._atomic(_MAXIMUM, next_turn, (own + 1) * _LINE)

            def do(zero_here: Number) -> None:
                # Were all that the body writes the same in each round of this loop, IREE would read
                # it before the loop and write it after, whether or not the part was claimed.
                body(own + zero_here)
                self._atomic(_ADD, self._one, zero)

            at.loop(0, (before < next_turn).to_index(), 1, carried, do)

        is_open = self._done(zero) < goal
        last = at.select(is_open, at.index(self.parts), zero)
        at.loop(0, last, 1, carried, part)  # an scf.if would be repeated in the tiles of a reader
        at.wait_while(lambda: self._done(zero) < goal)


def _choose(body: Body, table: Sequence[int], index: Number) -> Number:
    """Emits a choice from a table of indices."""
    type = ir.RankedTensorType.get([len(table)], ir.IndexType.get())
    numbers = [ir.IntegerAttr.get(ir.IndexType.get(), number) for number in table]
    value = ir.DenseElementsAttr.get(numbers, type)
    constant = body.op("arith.constant", [], [type], {"value": value})
    return body.number("tensor.extract", [constant.results[0], index], "index")


def part_order(workgroup: int, parts: int) -> tuple[int, int]:
    """Where a workgroup begins, and how far it goes from part to part, modulo their number.

    Two go towards each other from both ends, the next two from the middle, and so on.
    """
    pair, down = divmod(workgroup, 2)
    start, half = 0, parts // 2
    while pair and half:
        start += half * (pair % 2)
        pair, half = pair // 2, half // 2
    return ((start - down) % parts, parts - 1 if down else 1)
