"""States updated in place, as rings of three rows: a step reads one row and writes another.

    ring [3, B, N]        the state after k steps is in row k % 2; row 2 is never read

Step k reads row ``k % 2`` and writes the other of the first two rows. Steps are issued in batches,
so more may be issued than the call has: those from n on write row 2. The initial state goes into
row 0, and the last of n steps leaves its state in row ``n % 2``.

For the rows to be written in place, each ring needs a buffer of its own (`codegen.body`), which a
barrier pins to the device (`pinned_loop`).
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.walk import Lead
from rnn_compiler.lowering.codegen.body import Body, Index, Number

__all__ = ["FIRST", "ROWS", "last_row", "rows_at"]

ROWS = 3
"""The number of rows of a ring."""

FIRST = 0
"""The row of the initial state."""

_UNREAD = 2
"""The row that is never read."""


def rows_at(body: Body, step: Number, active: Number) -> dict[Lead, Index]:
    """Emits the rows that a step reads, "current", and writes, "next".

    Args:
        body: The body that gets the ops.
        step: The step's number, an index.
        active: Whether the step is active: one of the call's n steps.
    """
    current = step % 2
    after = 1 - current
    return {"current": current, "next": body.select(active, after, body.index(_UNREAD))}


def last_row(count: Number) -> Number:
    """Emits the row that has the state after a number of steps."""
    return count % 2
