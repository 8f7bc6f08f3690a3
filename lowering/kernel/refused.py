"""Why a rewrite leaves what it met as it is."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):  # noqa: N818 (an answer, not a failure)
    """What a rewrite met is not of a form that it knows; says which form it is."""
