"""How a function takes a sequence in chunks: its chunk argument and its state arguments.

It is declared in the op's signature and repeated in the function's spec and the manifest, so the
runtime needs no op registry to keep the state of a stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Chunked"]


@dataclass(frozen=True)
class Chunked:
    """How a function takes a sequence in chunks.

    Attributes:
        chunk: The argument that is the sequence.
        rows: The results with one row per step.
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
        """Restores the output of `dataclasses.asdict` after a round trip through JSON."""
        states = {name: tuple(results) for name, results in data["states"].items()}
        changed: Any = {"rows": tuple(data["rows"]), "states": states}
        return Chunked(**(data | changed))
