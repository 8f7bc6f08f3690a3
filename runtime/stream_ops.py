"""Which functions can be streamed, and which arguments change between calls."""

from __future__ import annotations

from difflib import SequenceMatcher

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.functions import Chunked
from rnn_compiler.schema.manifest import FunctionSpec

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
    if attributes.get("direction") in ("bidirectional", "reverse"):
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

    The first input is assumed to be the chunk and the first output its result; each of the others
    is paired with the output whose name resembles its own most, and in order if none does. Empty
    if an input is left over. Neither types nor names prove that an output is meant for the next
    call, so the network's owner has to confirm.
    """
    results = [*spec.results[1:]]
    pairs: dict[str, str] = {}
    for argument in spec.arguments[1:]:
        same_type = [each for each in results if str(each) == str(argument)]
        if not same_type:
            return {}
        same = max(
            same_type, key=lambda each: SequenceMatcher(None, argument.name, each.name).ratio()
        )
        results.remove(same)
        pairs[argument.name] = same.name
    return pairs
