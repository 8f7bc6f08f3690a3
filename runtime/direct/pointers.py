"""Direct calls of a function on caller-owned memory, such as torch's, by pointers.

Arguments are not copied. Small results share one block of memory; large ones stay where compiled
code writes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.runtime.direct.plan import Plan
from rnn_compiler.runtime.direct.prepared import Prepared

__all__ = ["PointerCalls"]

SMALL = 1 << 15
"""The size in bytes up to which a result is copied, so that it does not keep large ones alive."""


class PointerCalls:
    """Calls of a function at certain sizes.

    Attributes:
        blocks: The sizes in bytes of the blocks of memory that a call passes for results.
        results: For each result, its block and its offset there.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan.with_results_together(SMALL)
        self.blocks = self._plan.blocks
        self.results = [(span.index, span.start) for span in self._plan.results]
        self._free: list[Prepared] = []

    def __call__(self, pointers: Sequence[int]) -> None:
        """Calls the function.

        Args:
            pointers: The addresses of the arguments, of the packed weights if it takes them, and
                of each of `blocks`; multiples of `schedule.ALIGNMENT`.
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
