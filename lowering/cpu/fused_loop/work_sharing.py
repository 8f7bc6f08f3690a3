"""Work that the workgroups of a dispatch divide among themselves, one turn after the other.

The parts of a turn are independent; the next turn needs all of them done. Workgroups claim parts
and wait for those that others have claimed:

    for turn in turns:
      if done < parts * (turn + 1):                       # not over already
        for part in parts, each workgroup starting elsewhere:
          if atomic_max(claimed[part], turn + 1) <= turn: # no other workgroup was faster
            do it
            done += 1                                     # atomic, releases what was written
        until done >= parts * (turn + 1): load            # acquires what others wrote

No part waits for a workgroup that has not started: only running workgroups claim parts, and a
single one would do all parts of all turns. So any number of threads works, and workgroups need not
run at the same time. If they all do, each does the same parts in every turn, and their weights stay
in its cache. A turn costs two threads 0.1 to 0.2 microseconds (measured).

Workgroups wait by spinning, as in other libraries: if the system stops a thread within a part, the
others spin until it continues. With fewer processors than workers, fewer workers are faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.executable import Executable, Part
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import quotient, remainder
from rnn_compiler.lowering.mlir.bindings import ir

__all__ = ["Turns"]

_LINE = 16
"""Numbers in a cache line: each counter has a line of its own."""

_MOST = 8
"""The maximum number of parts of a turn."""

_POWERS = (1, 2, 4, 8)
"""The number of parts of a turn where it is computed."""

_ADD, _MAXIMUM = 1, 6
"""Kinds of `memref.atomic_rmw`: addi and maxs."""


class Turns:
    """The turns of a dispatch.

    Attributes:
        parts: The number of parts of each; a power of two if it is computed.
        workgroup: The number of the workgroup, an index.
    """

    def __init__(self, executable: Executable, parts: Index, part: Part) -> None:
        """Starts with no turn done.

        Args:
            executable: The dispatch, with a workgroup for each part.
            parts: The number of parts of a turn, at most 8.
            part: The loop's part of the buffer of counters that the module's time loops share.
        """
        if isinstance(parts, int) and parts > _MOST:
            raise ValueError(f"{parts} parts: {_MOST} is the most")
        self._body, self.parts = executable.body, parts
        self._zero, self._one = (self._body.constant(n, "i32") for n in (0, 1))
        self.workgroup = executable.workgroup()
        if self._is_one:
            return
        self._counts, self._base = executable.shared(_LINE * (_MOST + 1), part)
        if isinstance(parts, int):
            many, position = (parts,), self.workgroup
        else:  # counters for 1 part come first, then those for 2, ...
            many, position = _POWERS, parts - 1 + self.workgroup
        orders = [part_order(workgroup, each) for each in many for workgroup in range(each)]
        self._first, self._step = (
            _choose(self._body, table, position) for table in zip(*orders, strict=True)
        )

    @property
    def _is_one(self) -> bool:
        return self.parts == 1

    def _atomic(self, kind: int, value: Number, position: Index) -> Number:
        """Emits an atomic operation on a counter; returns its old value."""
        operands = [value, self._counts, self._base + self._body.index(position)]
        attributes = {"kind": integer(kind)}
        return self._body.number("memref.atomic_rmw", operands, "i32", attributes=attributes)

    def _done(self, position: Index = 0) -> Number:
        """Emits a load of the number of parts that are done."""
        return self._atomic(_ADD, self._zero, position)

    def over(self, turns: int) -> Number:
        """Emits the number of complete groups of `turns` turns after the first turn."""
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
                # The zero depends on the loop's index. Otherwise IREE would hoist the body's reads
                # and writes out of the loop, and run them whether or not the part was claimed.
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
    """A workgroup's first part, and its stride from part to part, modulo their number.

    Two workgroups go towards each other from both ends, the next two from the middle, and so on.
    """
    pair, down = divmod(workgroup, 2)
    start, half = 0, parts // 2
    while pair and half:
        start += half * (pair % 2)
        pair, half = pair // 2, half // 2
    return ((start - down) % parts, parts - 1 if down else 1)
