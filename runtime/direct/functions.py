"""The functions of a program that can be called directly, read from its payload."""

from __future__ import annotations

import io
import logging
import os
import zipfile
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.runtime.archive import parameters_of
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.huge_pages import use_huge_pages
from rnn_compiler.runtime.direct.calls import LARGE, DirectCalls
from rnn_compiler.runtime.direct.executable import LoadedExecutable, NoDirectCallsError
from rnn_compiler.runtime.direct.memory import address_of, aligned_array, is_ready
from rnn_compiler.runtime.direct.plan import CallPlan
from rnn_compiler.runtime.direct.threads import Threads
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.schedule import SCHEDULES_FILE, Copy, Loaded, Schedule, Schedules, Storage
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["DirectFunction", "direct_functions"]

_log = logging.getLogger(__name__)

PACKED = 64 << 20
"""The size in bytes up to which packed weights are put together for direct calls."""


def direct_functions(payload: bytes, archive: bytes | None = None) -> dict[str, DirectFunction]:
    """The functions of a payload that can be called directly, by symbol, including companions.

    Empty with ``RNN_COMPILER_CALLS=iree``.

    Raises InvalidArgumentError: ``RNN_COMPILER_CALLS`` is neither ``iree`` nor ``direct``.
    """
    calls = os.environ.get("RNN_COMPILER_CALLS") or "direct"
    if calls not in ("direct", "iree"):
        raise InvalidArgumentError("load", "RNN_COMPILER_CALLS", "direct or iree", repr(calls))
    if calls == "iree":
        _log.debug("calls go through IREE: RNN_COMPILER_CALLS=iree")
        return {}
    try:
        return _loaded(payload, archive)
    except (NoDirectCallsError, ArtifactError) as error:
        _log.debug("calls go through IREE: %s", error)
        return {}


def _loaded(payload: bytes, archive: bytes | None) -> dict[str, DirectFunction]:
    try:
        with zipfile.ZipFile(io.BytesIO(payload)) as file:
            members = file.namelist()
            code = [name for name in members if name.endswith(".so")]
            if SCHEDULES_FILE not in members or len(code) > 1:
                raise NoDirectCallsError("the payload has no schedules")
            schedules = Schedules.from_json(file.read(SCHEDULES_FILE))
            executable = LoadedExecutable(file.read(code[0]) if code else None)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise NoDirectCallsError(f"the payload is not an archive ({error})") from error
    sizes = [each.size if isinstance(each, Loaded) else len(each) for each in schedules.constants]
    names = {each.parameter for each in schedules.constants if isinstance(each, Loaded)} - {""}
    weights = parameters_of(archive, names) if archive and names else {}
    constants: list[npt.NDArray[np.uint8]] = []
    for each in schedules.constants:
        data = weights.get(each.parameter) if isinstance(each, Loaded) else each
        if isinstance(each, Loaded) and each.parameter and len(data or b"") != each.size:
            raise NoDirectCallsError("its archive has other weights")
        constants.append(aligned_array(len(data or b"")))  # empty until packed
        constants[-1][:] = np.frombuffer(data or b"", np.uint8)
    return {
        name: DirectFunction(each, schedules.arguments[name], constants, sizes, executable)
        for name, each in schedules.functions.items()
    }


class DirectFunction:
    """A function that can be called without IREE."""

    def __init__(
        self,
        schedule: Schedule,
        arguments: Sequence[Size],
        constants: list[npt.NDArray[np.uint8]],
        sizes: Sequence[int],
        executable: LoadedExecutable,
    ) -> None:
        """Creates the function."""
        self._schedule, self._arguments = schedule, arguments
        self._constants, self._sizes = constants, sizes
        self._executable = executable

    def take_packed(self, results: Sequence[DeviceArray]) -> None:
        """Takes packed constants from the function's results, which are these or copies of them.

        A constant that one result has as a whole is read there; others are put together.
        """
        constants, steps = self._constants, self._schedule.steps
        for span, array in zip(self._schedule.results, results, strict=True):
            pairs = [(span, span)]
            pairs += [(each.source, each.target) for each in steps if isinstance(each, Copy)]
            for constant, target in pairs:
                start = target.start - span.start
                is_there = (target.storage, target.index) == (span.storage, span.index)
                if constant.storage is not Storage.CONSTANT or not is_there or start < 0:
                    continue
                if start + target.size > span.size:
                    continue
                size = self._sizes[constant.index]
                data = array.to_host()[start:][: constant.size]
                if constant.size == size and is_ready(data):
                    constants[constant.index] = data
                elif size <= PACKED:
                    if not len(constants[constant.index]):
                        constants[constant.index] = aligned_array(size)
                    constants[constant.index][constant.start :][: constant.size] = data
        for constant in constants:
            use_huge_pages(address_of(constant), len(constant))

    def at(
        self,
        spec: FunctionSpec,
        sizes: Mapping[str, int],
        *,
        packs: bool = False,
        most: int | None = LARGE,
        threads: Threads | None = None,
    ) -> DirectCalls | None:
        """Its calls at some sizes; None if they need more than `most` bytes, or go through IREE."""
        parts = self._schedule, self._arguments, self._constants, self._executable
        try:
            plan = CallPlan.of(*parts, sizes)
            return DirectCalls(plan, spec, packs=packs, most=most, threads=threads)
        except NoDirectCallsError as error:
            _log.debug("%s goes through IREE: %s", spec.function, error)
            return None
