"""The log of this package, for those who ask for it with ``RNN_COMPILER_LOG``."""

from __future__ import annotations

import logging
import os

from rnn_compiler.errors import InvalidArgumentError

__all__ = ["configure_logging"]

_LEVELS = ("debug", "info", "warning", "error")


def configure_logging() -> None:
    """Sends this package's log to standard error at the level of ``RNN_COMPILER_LOG``.

    Raises:
        InvalidArgumentError: It is not a level.
    """
    name = os.environ.get("RNN_COMPILER_LOG")
    if not name:
        return
    if name.lower() not in _LEVELS:
        expected = f"one of {', '.join(_LEVELS)}"
        raise InvalidArgumentError("environment", "RNN_COMPILER_LOG", expected, repr(name))
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger = logging.getLogger("rnn_compiler")
    logger.handlers = [handler]
    logger.setLevel(name.upper())
