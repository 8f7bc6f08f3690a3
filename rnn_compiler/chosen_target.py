"""The target and the device of `raw_ops`, from the context or the environment."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

from rnn_compiler.schema.device_kinds import TARGETS
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["current_device", "current_target", "named_device", "own_target", "target"]

_current: ContextVar[tuple[str | None, str | None]] = ContextVar("target", default=(None, None))


@contextmanager
def target(name: str, device: str | None = None) -> Generator[None]:
    """Makes the calls inside a ``with`` block compile for a target and run on a device.

    Args:
        name: The target, ``"cpu"``, ``"cpu:x86-64-v3"``, ...
        device: The device, ``"local-sync"``, ``"local-task"``; default: unchanged; initially it
            depends on the work of each call.

    Raises:
        InvalidArgumentError: The target does not exist.
        DeviceError: The device does not exist.

    Example:
        >>> with target("cpu:generic", device="local-task"):
        ...     current_target(), current_device()
        ('cpu:generic', 'local-task')
    """
    from rnn_compiler.lowering.targets.names import resolve_target
    from rnn_compiler.runtime.device.devices import get_device

    resolve_target(name)
    if device is not None:
        get_device(device)
    token = _current.set((name, device or _current.get()[1]))
    try:
        yield
    finally:
        _current.reset(token)


def own_target() -> tuple[str | None, str | None]:
    """The target and device set by `target`; None where it sets none."""
    return _current.get()


def current_target() -> str:
    """The target in force: that of `target`, else ``RNN_COMPILER_TARGET``, else ``"cpu"``."""
    return _current.get()[0] or os.environ.get("RNN_COMPILER_TARGET") or "cpu"


def named_device() -> str | None:
    """The device chosen by the user: with `target`, else in ``RNN_COMPILER_DEVICE``."""
    return _current.get()[1] or os.environ.get("RNN_COMPILER_DEVICE") or None


def current_device(functions: Iterable[FunctionSpec] = (), arguments: Iterable[object] = ()) -> str:
    """The device in force for functions: that of `target`, else `runtime.default_device`."""
    from rnn_compiler.runtime import default_device

    name = current_target().partition(":")[0]
    return _current.get()[1] or default_device(functions, TARGETS.get(name, name), arguments)
