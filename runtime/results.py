"""The results of a call: named tuples of arrays that do not share memory.

Results on the host are views of the memory that the module wrote; small ones are copied. A copy of
a few KiB takes a microsecond, a view six, and checking that it shares no memory two more.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray

__all__ = ["SMALL", "fetched", "result_type"]

SMALL = 1 << 15
"""The size in bytes up to which a result is copied, or an argument of a direct call."""


@functools.cache
def result_type(op: str, fields: tuple[str, ...]) -> Any:
    """The named tuple type of an op's results; the same for all programs, and picklable."""
    results: Any = namedtuple(op.rpartition(".")[2], fields)  # pyright: ignore
    results.__reduce__ = lambda self: (_make_result, (op, fields, tuple(self)))  # pyright: ignore
    return results


def _make_result(op: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(op, fields)(*values)


def fetched(
    results: Sequence[DeviceArray], inputs: Sequence[npt.NDArray[Any] | DeviceArray]
) -> list[npt.NDArray[Any]]:
    """The results of a call as host arrays, none of which shares memory with another.

    A module may return one buffer for several equal results (such as zeros), or return an argument;
    writing to one array must not change another.
    """
    spans: list[tuple[int, int]] | None = None
    owned: list[npt.NDArray[Any]] = []
    for result in results:
        if result.nbytes <= SMALL:
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
