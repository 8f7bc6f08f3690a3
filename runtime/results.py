"""Results of a call: named tuples, of arrays that do not share memory.

Those on the host are the memory that the module wrote, or, of small ones, copies of it: a copy of
some KiB takes a microsecond, a view six, and to see that it shares nothing another two.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray

__all__ = ["fetched", "result_type"]

FEW = 1 << 15
"""Bytes up to which a result is copied."""


@functools.cache
def result_type(op: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of an op's results; one type for all programs, and it can be pickled."""
    results: Any = namedtuple(op, fields)  # pyright: ignore
    results.__reduce__ = lambda self: (_make_result, (op, fields, tuple(self)))  # pyright: ignore
    return results


def _make_result(op: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(op, fields)(*values)


def fetched(
    results: Sequence[DeviceArray], inputs: Sequence[npt.NDArray[Any] | DeviceArray]
) -> list[npt.NDArray[Any]]:
    """The results of a call as arrays on the host, none of which shares memory with another.

    A module may return one buffer for several equal results (all zeros, say), or an input as it
    came; whoever writes into one array must not see another change.
    """
    spans: list[tuple[int, int]] | None = None
    owned: list[npt.NDArray[Any]] = []
    for result in results:
        if result.nbytes <= FEW:
            owned.append(result.fetch())
            continue
        if spans is None:
            arrays = (each for each in inputs if isinstance(each, DeviceArray) and each.on_host)
            spans = [_span(each.to_host()) for each in arrays]
        array: Any = result.map()
        start, stop = _span(array)
        if any(start < other_stop and other_start < stop for other_start, other_stop in spans):
            array = array.copy()
        spans.append((start, stop))
        owned.append(array)
    return owned


def _span(array: npt.NDArray[Any]) -> tuple[int, int]:
    start: int = array.__array_interface__["data"][0]
    return start, start + array.nbytes
