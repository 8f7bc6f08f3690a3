"""How a state is kept in place: in a ring of three rows, of which a step reads one, writes another.

    ring [3, B, N]        the state after k steps lies in row k % 2; row 2 is read by nobody

Step k reads row ``k % 2`` and writes the other of the first two. Steps are issued some at a time,
so that there may be more of them than the call has: those from n on write row 2. What is there
before the first step is put into row 0, and the last of n steps leaves its state in row ``n % 2``.

That the rows are written where they lie is another matter: each ring has a buffer of its own
(`codegen.arrays`), which a barrier pins to the device (`pinned_loop`).
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.codegen.number import Index, Number

__all__ = ["FIRST", "ROWS", "last_row", "rows_at"]

ROWS = 3
"""How many rows a ring has."""

FIRST = 0
"""The row that has the state before the first step."""

_UNREAD = 2
"""The row that nobody reads."""


def rows_at(body: Body, step: Number, runs: Number) -> dict[str, Index]:
    """Emits the rows that a step reads, "current", and writes, "next".

    Args:
        body: The body that gets the ops.
        step: The step's number, an index.
        runs: Whether there is such a step.
    """
    current = step % 2
    after = 1 - current
    return {"current": current, "next": body.select(runs, after, body.index(_UNREAD))}


def last_row(count: Number) -> Number:
    """Emits which row has the state after so many steps."""
    return count % 2
