"""Loops over an open number of steps are read from host programs as repetitions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.open_sizes import value_at
from rnn_compiler.schema.schedule import Copy, Dispatch, Repeat, Schedule, Span, Step, Storage
from tests.host.test_program import read_open, steps

# ruff: noqa: E501

LOOP = """
  cf.br ^bb1(%c0, %t : index, !hal.buffer)
^bb1(%k: index, %last: !hal.buffer):
  %more = arith.cmpi slt, %k, %m : index
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %place = arith.muli %k, %c4 : index
  %new = hal.device.queue.alloca<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) pool(%c0_i64) type(%memory_type) usage(%usage) flags("None") : !hal.buffer{%n1}
  %step = hal.command_buffer.create device(%device : !hal.device) mode(OneShot) categories("Transfer|Dispatch") affinity(%c-1_i64) : !hal.command_buffer
  hal.command_buffer.copy_buffer<%step : !hal.command_buffer> source(%last : !hal.buffer)[%c4] target(%new : !hal.buffer)[%c0] length(%n) flags("None")
  hal.command_buffer.copy_buffer<%step : !hal.command_buffer> source(%new : !hal.buffer)[%c0] target(%r : !hal.buffer)[%place] length(%c4) flags("None")
  hal.device.queue.execute<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) commands(%step) flags("None")
  %next = arith.addi %k, %BY : index
  cf.br ^bb1(%next, %THEN : index, !hal.buffer)
^bb3:
  hal.device.queue.copy<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) source(%last : !hal.buffer)[%c0] target(%r : !hal.buffer)[%c0] length(%c4) flags("None")
"""
"""Each step shifts an array by an element and returns the first one; then that of the last array."""


def loop(then: str, by: str = "c1") -> str:
    return LOOP.replace("THEN", then).replace("BY", by)


def computed(schedule: Schedule, argument: Sequence[int]) -> list[int]:
    """The result, if compiled code copies its first buffer into the second."""
    sizes = {"seq_length": len(argument)}
    memory = {
        Storage.ARGUMENT: np.array(argument, np.int32).view(np.uint8),
        Storage.RESULT: np.zeros(4 * len(argument), np.uint8),
        Storage.SCRATCH: np.zeros(schedule.at(schedule.scratch, sizes), np.uint8),
    }

    def run(step: Step, sizes: Mapping[str, int], known: Mapping[str, Any]) -> None:
        def part(span: Span) -> Any:
            start, size = (value_at(n, known, sizes) for n in (span.offset, span.length))
            assert 0 <= start <= start + size <= len(memory[span.storage])
            return memory[span.storage][start : start + size]

        if isinstance(step, Repeat):
            inner = {**known, **schedule.defined(step.steps, step.counter)}
            for number in range(step.first, value_at(step.end, known, sizes)):
                for each in step.steps:
                    run(each, {**sizes, step.counter: number}, inner)
        elif isinstance(step, (Copy, Dispatch)):
            spans = step.buffers if isinstance(step, Dispatch) else (step.source, step.target)
            source, target = map(part, spans)
            target[:] = source

    for step in schedule.steps:
        run(step, sizes, schedule.defined(schedule.steps))
    return memory[Storage.RESULT].view(np.int32).tolist()


@pytest.mark.parametrize("length", [1, 2, 3, 8])
def test_arrays_that_steps_allocate(length: int) -> None:
    """Each step reads what the one before has written."""
    given = [*range(7, 7 + length)]
    assert computed(steps(read_open(loop("new"))), given) == [given[-1], *given[1:]]


@pytest.mark.parametrize("length", [1, 2, 3, 8])
def test_arrays_that_stay(length: int) -> None:
    given = [*range(7, 7 + length)]
    assert computed(steps(read_open(loop("last"))), given) == [0, *[7] * (length - 1)]


def test_steps_are_repeated_once() -> None:
    """The schedule has the first step, which all calls have, and one that is repeated."""
    kinds = [type(each) for each in steps(read_open(loop("new"))).steps]
    assert kinds.count(Repeat) == 1
    assert len(kinds) < 10


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        (loop("new", by="c4"), "a loop that may have no step"),
        (
            loop("new")
            .replace("%t : index, !hal.buffer)", "%t, %c0 : index, !hal.buffer, index)")
            .replace("%last: !hal.buffer)", "%last: !hal.buffer, %before: index)")
            .replace("%new : index, !hal.buffer)", "%new, %k : index, !hal.buffer, index)"),
            "a loop whose steps differ",
        ),
        (
            loop("new").replace(
                "%next =", "%b = hal.buffer.load<%t : !hal.buffer>[%c8] : i1\n  %next ="
            ),
            "a loop whose steps depend on computed numbers",
        ),
    ],
)
def test_refused(rest: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=re.escape(f"f: its host program has {reason}, and")):
        read_open(rest)
