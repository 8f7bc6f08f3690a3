"""How a function takes a sequence in chunks: which argument is the chunk, which are states.

An op's signature says so, a function's spec and so the manifest repeat it: the runtime needs no
registry of ops to keep the state of a stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Chunked"]


@dataclass(frozen=True)
class Chunked:
    """How a function takes a part of a sequence.

    Attributes:
        chunk: The argument that is the sequence.
        rows: The results that have a row for each step.
        states: Its state arguments, each with the results that may hold the next state, best first:
            the state after the last step, or that of every step.
        length: The argument for the number of steps; None if all steps count.
        steps: Whether the sequence has a time axis; otherwise a call is one step.

    Example:
        >>> Chunked("x", ("h",), {"h_prev": ("h",)}, steps=False).states
        {'h_prev': ('h',)}
    """

    chunk: str
    rows: tuple[str, ...]
    states: Mapping[str, tuple[str, ...]]
    length: str | None = None
    steps: bool = True

    @staticmethod
    def from_json(data: dict[str, Any]) -> Chunked:
        """What `dataclasses.asdict` gave, after a passage through JSON."""
        states = {name: tuple(results) for name, results in data["states"].items()}
        changed: Any = {"rows": tuple(data["rows"]), "states": states}
        return Chunked(**(data | changed))
