"""Lays out the temporaries of a function in scratch memory.

Steps run one after the other, and temporaries that are not live at the same time may overlap. Each,
largest first, gets the lowest offset that is free from the step that first writes it to the step
that last reads it. Temporaries with open sizes follow without overlapping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.host.formulas import Formulas
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.schedule import Step, Storage, spans_of, steps_in


def offsets_of(
    steps: Sequence[Step], sizes: Mapping[int, Size], formulas: Formulas, alignment: int
) -> tuple[dict[int, Size], Size]:
    """Lays out temporaries; returns the offset of each by number, and the bytes of all of them."""
    aligned = {number: formulas.aligned(size, alignment) for number, size in sizes.items()}
    used = _used(steps)
    known = {n: size for n, size in aligned.items() if isinstance(size, int) and n in used}
    starts: dict[int, int] = {}
    for number in sorted(known, key=lambda number: (-known[number], number)):
        first, last = used[number]
        others = [n for n in starts if used[n][0] <= last and first <= used[n][1]]
        start = 0
        for other in sorted(others, key=starts.__getitem__):
            if start + known[number] <= starts[other]:
                break
            start = max(start, starts[other] + known[other])
        starts[number] = start
    offsets: dict[int, Size] = dict.fromkeys(sizes, 0)
    offsets |= starts
    end: Size = max((start + known[n] for n, start in starts.items()), default=0)
    for number, size in aligned.items():
        if not isinstance(size, int):
            offsets[number], end = end, end + size
    return offsets, end


def _used(steps: Sequence[Step]) -> dict[int, tuple[int, int]]:
    """The first and the last step that use each temporary."""
    used: dict[int, tuple[int, int]] = {}
    for position, step in enumerate(steps):
        for each in steps_in((step,)):
            for span in spans_of(each):
                if span.storage is Storage.SCRATCH:
                    first, _ = used.get(span.index, (position, position))
                    used[span.index] = (first, position)
    return used
