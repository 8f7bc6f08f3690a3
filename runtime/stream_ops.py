"""Which functions can be streamed, and which arguments change between calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.specs import Chunked, FunctionSpec, TensorSpec

__all__ = ["likely_states", "stream_op", "stream_parts"]


def stream_parts(spec: FunctionSpec) -> tuple[str, dict[str, str]]:
    """The arguments that change between calls of a stream.

    Returns:
        The argument that is the chunk, and for each argument that is a state, the result that holds
        it after a call.

    Raises:
        UnsupportedError: The function cannot be streamed; the message says why.
    """
    op = stream_op(spec)
    read = [each.name for each in spec.arguments if not each.ignored]
    return op.chunk, {name: _result(spec, op, name) for name in op.states if name in read}


def stream_op(spec: FunctionSpec) -> Chunked:
    """How a function's op takes a sequence in chunks.

    Raises:
        UnsupportedError: It does not take chunks.
    """
    op = spec.chunked
    if op is None and spec.dims.keys() <= {*spec.open_dims} and (states := likely_states(spec)):
        raise UnsupportedError(
            f"{spec.op}: expected a module with states, got one that names none; if the results "
            f"{', '.join(states.values())} are the next call's {', '.join(states)}, import the "
            f"network with states={states}"
        )
    if op is None:
        raise UnsupportedError(
            f"{spec.op}: has no state to continue from; stream BlockLSTM*, CudnnRNN*, "
            "LSTMBlockCell, GRUBlockCell, or onnx.* with the initial states among its inputs"
        )
    if op.steps and not spec.dims["seq_length"]:
        raise UnsupportedError(
            f"{spec.op}: built for zero steps; build it with a seq_length of 1 or more, or None"
        )
    attributes = spec.attributes
    if spec.is_backward:
        raise UnsupportedError(
            f"{spec.op}: the backward direction begins at the end of the sequence, so chunks of it "
            "cannot be processed one by one; build it with the forward direction only"
        )
    if attributes.get("is_training") and attributes.get("dropout"):
        raise UnsupportedError(
            f"{spec.op}: each chunk would get a dropout mask of its own; build the op with "
            "is_training=False"
        )
    frozen = {each.name for each in spec.frozen} & {op.chunk, op.length, *op.states}
    if frozen:
        names = ", ".join(sorted(frozen))
        raise UnsupportedError(
            f"{spec.op}: {names}: frozen, but changes from chunk to chunk; freeze the module "
            "without it"
        )
    return op


def _result(spec: FunctionSpec, op: Chunked, state: str) -> str:
    """The result that holds a state after a call.

    Raises:
        UnsupportedError: No result holds it.
    """
    given = {each.name for each in spec.results}
    for name in op.states[state]:
        if name in given:
            return name
    raise UnsupportedError(
        f"{spec.op}: no result has {state} after a chunk; build the op with outputs that include "
        f"{op.states[state][0]!r}"
    )


def likely_states(spec: FunctionSpec) -> dict[str, str]:
    """The possible states of a network: inputs, each with an output of the same type.

    One input, in any place, is the chunk, and at least one output its result; every other input is
    paired with an output. Of several ways to do so, the one whose pairs have the most similar names
    is taken, then the one whose states are called as states are, then the first input as the chunk
    and the first output as its result. Empty if there is no such way. Neither types nor names prove
    that an output is meant for the next call, so the network's owner has to confirm.
    """
    types = {str(each) for each in spec.results}
    alone = [each for each in spec.arguments if str(each) not in types]
    if len(alone) > 1:
        return {}
    ways = [
        _paired([each for each in spec.arguments if each is not chunk], spec.results)
        for chunk in alone or spec.arguments
    ]
    return max(ways, key=lambda way: way[0])[1] if ways else {}


_STATE = frozenset(
    ["state", "states", "hidden", "cell", "carry", "memory", "cache", "h", "c", "hx", "cx"]
)
"""Words by which states are called."""


def _words(name: str) -> set[str]:
    """The words of a name: `stateN` and `h_0` have two."""
    return {each.lower() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)}


def _likeness(state: str, result: str) -> tuple[float, float]:
    """How similar two names are: by words, then by letters."""
    words = _words(state)
    shared = len(words & _words(result)) / max(len(words), 1)
    return shared, SequenceMatcher(None, state, result).ratio()


def _paired(
    states: Sequence[TensorSpec], results: Sequence[TensorSpec]
) -> tuple[tuple[float, ...], dict[str, str]]:
    """States with outputs of their type, and how likely these are; none if one is left over."""
    pairs = [
        ([-each for each in _likeness(state.name, result.name)], not k, i, k)
        for i, state in enumerate(states)
        for k, result in enumerate(results)
        if str(state) == str(result)
    ]
    found: dict[int, int] = {}
    shared = letters = 0.0
    for (alike, ratio), _, i, k in sorted(pairs):
        if i not in found and k not in found.values():
            found[i] = k
            shared, letters = shared - alike, letters - ratio
    if len(found) < len(states) or len(found) == len(results):
        return (-1.0,), {}
    called = sum(not _words(each.name).isdisjoint(_STATE) for each in states)
    given = {states[i].name: results[found[i]].name for i in sorted(found)}
    return (shared, called, letters), given
