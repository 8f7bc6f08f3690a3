"""This package's log, and ``RNN_COMPILER_LOG``, which sends it to standard error."""

from __future__ import annotations

import logging
import os

from rnn_compiler.errors import InvalidArgumentError

__all__ = ["configure_logging"]


def configure_logging() -> None:
    """Sends this package's log to standard error at the level of ``RNN_COMPILER_LOG``.

    Raises:
        InvalidArgumentError: The level does not exist.
    """
    name = os.environ.get("RNN_COMPILER_LOG")
    if not name:
        return
    levels = ("debug", "info", "warning", "error")
    if name.lower() not in levels:
        expected = f"one of {', '.join(levels)}"
        raise InvalidArgumentError("environment", "RNN_COMPILER_LOG", expected, repr(name))
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger = logging.getLogger("rnn_compiler")
    logger.handlers = [handler]
    logger.setLevel(name.upper())
