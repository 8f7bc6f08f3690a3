"""The exception for input whose form is not supported."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 (an answer, not a failure)
    """A rewrite does not support the form of its input; the message describes the form."""
