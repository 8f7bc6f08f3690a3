"""The stack usage of functions in C: LLVM's report of the compiled code, and our own frames.

LLVM writes a line per function, as GCC's ``-fstack-usage`` does: file, line and name, bytes,
and whether the size is static, separated by tabs.
"""

from __future__ import annotations

from collections.abc import Mapping

from rnn_compiler.lowering.c.interface import CFunction
from rnn_compiler.schema.schedule import Dispatch, steps_in

_UNKNOWN = 48 << 10
"""The assumed frame of unreported code: arrays have at most 32 KiB, and registers are spilled."""

_OWN = {4: 768, 8: 1536}
"""The frames of the C functions without arrays of pointers, compiled without optimization, by the
bytes of an address."""

_CALL = 256
"""Alignment of a frame, and the frames of the mathematical functions called by compiled code."""

_ROW, _POINTER = 32, 8


def frames_of(usage: str) -> dict[str, int]:
    """The bytes of each function's frame, by its symbol.

    Example:
        >>> frames_of(chr(9).join(("-:1:loop", "536", "static")))
        {'loop': 536}
    """
    rows = [line.split("\t") for line in usage.splitlines()]
    return {
        row[0].rpartition(":")[2]: int(row[1])
        for row in rows
        if len(row) == 3 and row[1].isdigit() and row[2] == "static"
    }


def stack_size(function: CFunction, frames: Mapping[str, int], pointer: int) -> int:
    """The maximum bytes of stack of a call, for any options of the C compiler."""
    calls = [step for step in steps_in(function.schedule.steps) if isinstance(step, Dispatch)]
    code = max((frames.get(step.kernel, _UNKNOWN) + _CALL for step in calls), default=0)
    rows = _ROW * (len(function.arrays) + len(function.sizes) + 1)
    numbers = len(function.schedule.formulas)
    for step in calls:
        numbers += 2 * len(step.buffers) + len(step.constants) + len(step.workgroups)
    return -(-(code + rows + _POINTER * numbers + _OWN[pointer]) // 64) * 64
