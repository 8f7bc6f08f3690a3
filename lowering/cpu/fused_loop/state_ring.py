"""States updated in place, as rings of two rows: a step reads one row and writes the other.

    ring [2, B, N]        before the last m steps, the state is in row m % 2

So of n steps, step k reads row ``(n-k) % 2``. The initial state is copied to row ``n % 2``, and the
final state is in row 0 for any n. Nothing else is copied, and no tile overwrites data that another
tile of the same step still reads.

If rows have lengths (`rows_by_length`), the same holds for each row separately: a row that starts
late has fewer steps left, and one that finishes early skips some.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.walk import Lead
from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.number import Index, Number

__all__ = ["LAST", "ROWS", "StateRing", "row_of"]

ROWS = 2
"""The number of rows of a ring."""

LAST = 0
"""The row of the final state."""


def row_of(remaining: Number) -> Number:
    """Emits the row that has the state when a number of steps remain."""
    return remaining % ROWS


class StateRing:
    """The rows that steps read and write, the same in the rings of all states of a loop.

    Attributes:
        first: The row that has the states before the first step.
    """

    def __init__(self, body: Body, count: Number) -> None:
        """Emits the values that are the same for all steps, before the loop.

        Args:
            body: The body that gets the ops.
            count: The number of steps, an index.
        """
        self._count = count
        self._one, self._rows = body.index(1), body.index(ROWS)
        self.first = count % self._rows

    def rows_at(self, step: Number) -> dict[Lead, Index]:
        """Emits the rows that a step reads, "current", and writes, "next"."""
        current = (self._count - step) % self._rows
        return {"current": current, "next": self._one - current}

    @staticmethod
    def last(body: Body, ring: Array) -> Array:
        """Emits the state after the last step."""
        whole = ring.shape[1:]
        return body.extract(ring, [LAST, *(0 for _ in whole)], whole)
