"""Results of a call: named tuples, of arrays that do not share memory."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from rnn_compiler.runtime.device.device_array import DeviceArray

__all__ = ["independent", "result_type"]


@functools.cache
def result_type(op: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of an op's results; one type for all programs, and it can be pickled."""
    results: Any = namedtuple(op, fields)  # pyright: ignore
    results.__reduce__ = lambda self: (_make_result, (op, fields, tuple(self)))  # pyright: ignore
    return results


def _make_result(op: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(op, fields)(*values)


def independent(
    arrays: Sequence[npt.NDArray[Any]], inputs: Sequence[npt.NDArray[Any] | DeviceArray]
) -> list[npt.NDArray[Any]]:
    """The arrays, copied where one shares memory with another or with an input.

    A module may return one buffer for several equal results (all zeros, say), or an input as it
    came; whoever writes into one array must not see another change.
    """
    spans = [
        _span(shared.to_host())
        for shared in inputs
        if isinstance(shared, DeviceArray) and shared.on_host
    ]
    owned: list[npt.NDArray[Any]] = []
    array: Any
    for array in arrays:
        start, stop = _span(array)
        if any(start < other_stop and other_start < stop for other_start, other_stop in spans):
            array = array.copy()
        spans.append((start, stop))
        owned.append(array)
    return owned


def _span(array: npt.NDArray[Any]) -> tuple[int, int]:
    start: int = array.__array_interface__["data"][0]
    return start, start + array.nbytes
