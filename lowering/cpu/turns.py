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

from rnn_compiler.lowering.kernel.body import Array, Text
from rnn_compiler.lowering.kernel.executable import Executable

__all__ = ["Turns", "first_only", "share"]

_LINE = 16
"""Numbers in a cache line: each counter has a line of its own."""

_MOST = 8
"""How many parts a turn has at most."""


class Turns:
    """The turns of a dispatch.

    Attributes:
        parts: How many parts each has.
        workgroup: The number of the workgroup, an index.
    """

    def __init__(self, executable: Executable, parts: int, number: int, count: int) -> None:
        """Starts with no turn done.

        Args:
            executable: The dispatch, of as many workgroups.
            parts: How many parts a turn has, 8 at most.
            number: Which of the module's time loops this is.
            count: How many of these there are.
        """
        if parts > _MOST:
            raise ValueError(f"{parts} parts: {_MOST} is the most")
        self._text, self.parts = executable.text, parts
        self._zero, self._one = (self._text(f"arith.constant {n} : i32") for n in (0, 1))
        self.workgroup = executable.workgroup()
        if parts == 1:
            return
        self._size = _LINE * (_MOST + 1) * count
        self._counts, self._base = executable.shared(_LINE * (_MOST + 1), number, count)
        first, step = zip(*(_order(workgroup, parts) for workgroup in range(parts)), strict=True)
        self._first, self._step = (self._look_up(each, self.workgroup) for each in (first, step))

    def _look_up(self, table: Sequence[int], index: str) -> str:
        """Emits a choice from a table."""
        kind = f"tensor<{len(table)}xindex>"
        constant = self._text(f"arith.constant dense<{list(table)}> : {kind}")
        return self._text(f"tensor.extract {constant}[{index}] : {kind}")

    def _atomic(self, kind: str, value: str, place: str) -> str:
        """Emits an atomic operation on a counter; gives what it was before."""
        place = self._text(f"arith.addi {self._base}, {place} : index")
        return self._text(
            f"memref.atomic_rmw {kind} {value}, {self._counts}[{place}] : "
            f"(i32, memref<{self._size}xi32>) -> i32"
        )

    def over(self, turns: int) -> str:
        """Emits how many groups of so many turns are over, after the first turn."""
        text = self._text
        if self.parts == 1:
            return text.index(0)
        done = self._atomic("addi", self._zero, text.index(0))
        done = text(f"arith.index_cast {done} : i32 to index")
        all_turns = text(f"arith.divui {done}, {text.index(self.parts)} : index")
        all_turns = text(f"arith.subi {all_turns}, {text.index(1)} : index")
        return text(f"arith.divui {all_turns}, {text.index(turns)} : index")

    def take(self, turn: str, carried: Sequence[Array], body: Callable[[str], None]) -> None:
        """Emits a turn.

        Args:
            turn: Its number, from 0: an index.
            carried: The arrays that the body writes to.
            body: Emits the body, given the number of a part, 0 or a name.
        """
        if self.parts == 1:
            body("0")
            return
        text, zero = self._text, self._text.index(0)
        number = text(f"arith.index_cast {turn} : index to i32")
        next_turn = text(f"arith.addi {number}, {self._one} : i32")
        all_parts = text(f"arith.constant {self.parts} : i32")
        goal = text(f"arith.muli {next_turn}, {all_parts} : i32")

        def part(index: str) -> None:
            moved = text(f"arith.muli {index}, {self._step} : index")
            moved = text(f"arith.addi {moved}, {self._first} : index")
            own = text(f"arith.remui {moved}, {text.index(self.parts)} : index")
            line = text(f"arith.muli {text.add(own, 1)}, {text.index(_LINE)} : index")
            before = self._atomic("maxs", next_turn, line)
            mine = text(f"arith.cmpi slt, {before}, {next_turn} : i32")

            def do(zero_here: str) -> None:
                # Were all that the body writes the same in each round of this loop, IREE would read
                # it before the loop and write it after, whether or not the part was claimed.
                body(text(f"arith.addi {own}, {zero_here} : index"))
                self._atomic("addi", self._one, zero)

            once = text(f"arith.index_castui {mine} : i1 to index")
            text.loop(0, once, 1, carried, do)

        done = self._atomic("addi", self._zero, zero)
        open_ = text(f"arith.cmpi slt, {done}, {goal} : i32")
        last = text(f"arith.select {open_}, {text.index(self.parts)}, {zero} : index")
        text.loop(0, last, 1, carried, part)  # an scf.if would be repeated in the tiles of a reader
        text.lines.append("scf.while : () -> () {")
        waiting = text(f"arith.cmpi slt, {self._atomic('addi', self._zero, zero)}, {goal} : i32")
        text.lines.append(f"scf.condition({waiting})\n}} do {{\nscf.yield\n}}")


def share(
    text: Text,
    count: int,
    among: int,
    index: str,
    carried: Sequence[Array],
    body: Callable[[str], None],
) -> None:
    """Emits a loop over the share of a part in things that are counted.

    Args:
        text: Where to.
        count: How many things there are.
        among: How many parts share them, in order, as evenly as can be.
        index: Which of these it is; "0" if there is one.
        carried: The arrays that the body writes to.
        body: Emits the body, given the number of a thing.
    """
    each, uneven = divmod(count, among)
    if uneven and among > 1:
        edges = [text.times(index, count)]
        edges.append(text.add(edges[0], count))
        low, high = (text(f"arith.divui {x}, {text.index(among)} : index") for x in edges)
        text.loop(low, high, 1, carried, body)
        return
    first = text.times(index, each)
    if each == 1:
        body(first)
    elif first == "0":
        text.loop(0, each, 1, carried, body)
    else:
        text.loop(0, each, 1, carried, lambda n: body(text(f"arith.addi {first}, {n} : index")))


def first_only(
    text: Text, index: str, among: int, carried: Sequence[Array], body: Callable[[], None]
) -> None:
    """Emits what only the first of some parts does; arguments as those of `share`."""
    if among == 1:
        body()
        return
    text.when(text(f"arith.cmpi eq, {index}, {text.index(0)} : index"), carried, body)


def _order(workgroup: int, parts: int) -> tuple[int, int]:
    """Where a workgroup begins, and how far it goes from part to part, modulo their number.

    Two go towards each other from both ends, the next two from the middle, and so on.
    """
    pair, down = divmod(workgroup, 2)
    start, half = 0, parts // 2
    while pair and half:
        start += half * (pair % 2)
        pair, half = pair // 2, half // 2
    return ((start - down) % parts, parts - 1 if down else 1)
