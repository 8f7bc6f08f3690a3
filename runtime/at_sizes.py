"""A function of open sizes at the sizes of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.schema.binding import open_sizes_of
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["AtSizes"]

_REMEMBERED = 1024
"""The number of argument shapes for which a function's spec is cached."""


class AtSizes:
    """A function's spec at the sizes of a call's arguments.

    Attributes:
        is_open: Whether the function has open sizes.
    """

    def __init__(self, spec: FunctionSpec) -> None:
        self._spec = spec
        self._names = [argument.name for argument in spec.arguments]
        self._found: dict[tuple[object, ...], FunctionSpec] = {}
        self.is_open = bool(spec.open_dims)

    def of(self, arrays: Mapping[str, Any]) -> FunctionSpec:
        """The function for some arguments by name, which must determine its sizes.

        Raises:
            InvalidArgumentError: They do not determine the open sizes.
        """
        if not self.is_open:
            return self._spec
        key = tuple(each.shape for each in arrays.values())
        found = self._found.get(key)
        if found is None:
            shapes = {name: each.shape for name, each in arrays.items()}
            found = self._spec.bound(open_sizes_of(self._spec, shapes))
            if len(self._found) >= _REMEMBERED:
                self._found.clear()  # other threads may do so at any time
            self._found[key] = found
        return found

    def of_all(self, arrays: Sequence[Any]) -> FunctionSpec:
        """The function for all arguments, in order."""
        return self.of(dict(zip(self._names, arrays, strict=True))) if self.is_open else self._spec
