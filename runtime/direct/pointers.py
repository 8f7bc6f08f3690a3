"""Direct calls of a function on memory that somebody else owns, such as torch: by pointers.

Nothing is copied on the way in. Small results lie together in one block of memory, and large ones
as compiled code lays them out.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.prepared import Prepared

__all__ = ["PointerCalls"]

SMALL = 1 << 15
"""Bytes up to which a result is copied, so that it does not keep the memory of large ones."""


class PointerCalls:
    """Calls of a function at certain sizes.

    Attributes:
        blocks: The memory that a call brings for results, each so many bytes.
        results: Where in it the results lie: which block, and the first byte.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan.with_results_together(SMALL)
        self.blocks = self._plan.blocks
        self.results = [(span.index, span.start) for span in self._plan.results]
        self._free: list[Prepared] = []

    def __call__(self, pointers: Sequence[int]) -> None:
        """Calls the function.

        Args:
            pointers: Of its arguments, of what it takes packed of its weights, and of each of
                `blocks`; multiples of `schedule.ALIGNMENT`.
        """
        try:
            call = self._free.pop()
        except IndexError:
            call = Prepared(self._plan, own_blocks=False)
        try:
            with RUNNING:
                call.bind_all(pointers)
                call.run()
        finally:
            self._free.append(call)
