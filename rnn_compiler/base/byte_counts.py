"""Numbers of bytes in human notation."""

from __future__ import annotations

import re

from rnn_compiler.errors import InvalidArgumentError

__all__ = ["parse_bytes"]


def parse_bytes(text: str, op: str, name: str) -> int:
    """A number of bytes, such as ``500M`` or ``2G``.

    Args:
        text: The user's text.
        op: The op or function it is for, for the message.
        name: The option it is for, for the message.

    Raises:
        InvalidArgumentError: It is not a number of bytes.

    Example:
        >>> parse_bytes("1.5k", "cache", "size")
        1536
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if match is None:
        expected = "a number of bytes such as 500M or 2G"
        raise InvalidArgumentError(op, name, expected, repr(text))
    return int(float(match[1]) * 1024 ** " kmgt".index(match[2] or " "))
