"""The states of a module's functions as C and JavaScript see them: their order, first values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.open_sizes import is_static
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, states_of


def fixed_states(functions: Iterable[FunctionSpec]) -> dict[str, TensorSpec]:
    """The states, as `states_of`.

    UnsupportedError: one has an open size.
    """
    found = states_of(functions)
    for name, each in found.items():
        if not is_static(*each.shape):
            raise UnsupportedError(f"the state {name} has an open size, {each}: give it a value")
    return found


def stored(initial: Mapping[str, bytes], constants: Sequence[bytes]) -> dict[str, int | None]:
    """First values as constants that are added to others, by number; None for zeros."""
    kept = [name for name, each in initial.items() if each.strip(bytes(1))]
    return {name: len(constants) + kept.index(name) if name in kept else None for name in initial}
