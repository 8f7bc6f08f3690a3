"""Adds schedules to a payload, with which its functions can be called without IREE.

IREE's host program of a function is read as for C (`lowering.host.program`). If it is a schedule,
it is added to the payload: a .vmfb is also a zip file, and gets one more member, which IREE
ignores.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Mapping, Sequence

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.functions import scalar_ranges
from rnn_compiler.lowering.host.ops import NoScheduleError
from rnn_compiler.lowering.host.program import read_schedules, sizes_of
from rnn_compiler.lowering.host.types import Types, with_open_sizes
from rnn_compiler.schema.schedule import SCHEDULES_FILE, Repeat, Schedule, Schedules, steps_in
from rnn_compiler.schema.specs import FunctionSpec

_LOG = logging.getLogger("rnn_compiler.lowering")

_MOST_CONSTANTS = 1 << 20
"""The maximum bytes of constants that are stored in a payload a second time."""


def with_schedules(
    payload: bytes, host: str, functions: Sequence[FunctionSpec], types: Mapping[str, Types]
) -> tuple[bytes, dict[str, str]]:
    """A payload with schedules of its functions, if they have one, and how functions are called."""
    if not host:
        return payload, through_iree(functions, "the compiler kept no host program")
    types = with_open_sizes(types, functions)
    sizes = {name: sizes_of(each) for name, each in types.items()}
    try:
        read, constants = read_schedules(host, sizes, scalar_ranges(functions))
        if sum(len(each) for each in constants if isinstance(each, bytes)) > _MOST_CONSTANTS:
            raise NoScheduleError("", "large constants")
    except UnsupportedError as error:
        reason = error.what if isinstance(error, NoScheduleError) else str(error)
        return payload, through_iree(functions, reason)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, ValueError) as error:
        # The host program of a user's module, or of another compiler, may have an unknown form.
        _LOG.warning("host program not understood: %r; calls go through IREE", error)
        return payload, through_iree(functions, "its host program is not understood")
    for name, each in read.items():
        if isinstance(each, Schedule) and any(isinstance(s, Repeat) for s in steps_in(each.steps)):
            read[name] = NoScheduleError("", "steps that are repeated")
    found = {name: each for name, each in read.items() if isinstance(each, Schedule)}
    calls = {spec.function: "direct" for spec in functions if spec.function in found}
    for spec in functions:
        each = read.get(spec.function)
        if spec.function not in found:
            reason = each.what if isinstance(each, NoScheduleError) else "not tensors alone"
            calls |= through_iree([spec], reason)
    if not found:
        return payload, calls
    arguments = {name: sizes[name].arguments for name in found}
    text = Schedules(found, arguments, constants).to_json()
    file = io.BytesIO(payload)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(zipfile.ZipInfo(SCHEDULES_FILE), text, zipfile.ZIP_DEFLATED)
    return file.getvalue(), calls


def through_iree(functions: Sequence[FunctionSpec], reason: str) -> dict[str, str]:
    """The `Manifest.calls` of functions that cannot be called directly."""
    return {spec.function: f"iree: {reason}" for spec in functions}
