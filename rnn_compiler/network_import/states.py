"""The states of a network: inputs that take an output of the previous call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.specs import Chunked, FunctionSpec, TensorSpec


def checked_states(states: object) -> dict[str, str]:
    """The argument `states` as plain data."""
    given: Any = {} if states is None else states
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) for pair in cast(Any, given).items() for name in pair
    ):
        expected = "a mapping of names of inputs to names of outputs"
        raise InvalidArgumentError("import_network", "states", expected, describe(cast(Any, given)))
    return dict(cast(Mapping[str, str], given))


def keeps(
    spec: FunctionSpec, inputs: Sequence[str], outputs: Sequence[str], states: Mapping[str, str]
) -> Chunked | None:
    """How a network takes a sequence in chunks, given its states by the graph's or own names."""
    if not states:
        return None
    if spec.open_dims:
        expected, got = "a network of known sizes", f"one with {', '.join(spec.open_dims)} open"
        raise InvalidArgumentError("import_network", "states", expected, got, "pass dims={...}")
    arguments = dict(zip(inputs, spec.arguments, strict=False))
    results = dict(zip(outputs, spec.results, strict=True))
    pairs: dict[str, str] = {}
    for state, result in states.items():
        before = _found(state, arguments, "an input")
        after = _found(result, results, "an output")
        if str(before) != str(after) or after.name in pairs.values():
            taken = after.name in pairs.values()
            got = f"{result!r}, " + ("twice" if taken else f"{after}")
            expected = f"an output of its own for {state!r}, {before}"
            raise InvalidArgumentError("import_network", "states", expected, got)
        pairs[before.name] = after.name
    chunks = [each.name for each in arguments.values() if each.name not in pairs]
    if len(chunks) != 1:
        expected = "exactly one input that is no state, the chunk"
        remedy = "fix others with values={...}" if chunks else ""
        got = ", ".join(map(repr, chunks)) or "none"
        raise InvalidArgumentError("import_network", "states", expected, got, remedy)
    rows = tuple(each.name for each in spec.results if each.name not in pairs.values())
    after = {state: (result,) for state, result in pairs.items()}
    return Chunked(chunks[0], rows, after, steps=False)


def _found(name: str, tensors: Mapping[str, TensorSpec], what: str) -> TensorSpec:
    """A tensor by the graph's name for it or the function's."""
    known = {**{each.name: each for each in tensors.values()}, **tensors}
    if name not in known:
        expected = f"{what} (there are {', '.join(tensors)})"
        raise InvalidArgumentError("import_network", "states", expected, describe(name))
    return known[name]
