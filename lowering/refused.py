"""The exception by which code says that it does not know the form of what it was given."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):  # noqa: N818 (an answer, not a failure)
    """What a rewrite met is not of a form that it knows; says which form it is."""
