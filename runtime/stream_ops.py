"""How each op takes a part of a sequence: which argument is the chunk, which are states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["StreamOp", "stream_op", "stream_parts"]


@dataclass(frozen=True)
class StreamOp:
    """How an op takes a part of a sequence.

    Attributes:
        chunk: The argument that is the sequence.
        rows: The results that have a row for each step.
        states: Its state arguments, each with the results that hold what comes next, best first:
            as it is after the last step, or at every step.
        length: The argument that says how many steps there are; None if all count.
        steps: Whether the sequence has a time axis; else a call is one step.
    """

    chunk: str
    rows: Sequence[str]
    states: Mapping[str, Sequence[str]]
    length: str | None = None
    steps: bool = True


_LSTM = ("i", "cs", "f", "o", "ci", "co", "h")
_BLOCK = StreamOp(
    "x", _LSTM, {"cs_prev": ("cs_last", "cs"), "h_prev": ("h_last", "h")}, "seq_len_max"
)
_CUDNN = StreamOp("input", ("output",), {"input_h": ("output_h",), "input_c": ("output_c",)})

_OPS = {
    "BlockLSTM": _BLOCK,
    "BlockLSTMV2": _BLOCK,
    "CudnnRNN": _CUDNN,
    "CudnnRNNV2": _CUDNN,
    "CudnnRNNV3": replace(_CUDNN, length="sequence_lengths"),
    "GRUBlockCell": StreamOp("x", ("r", "u", "c", "h"), {"h_prev": ("h",)}, steps=False),
    "LSTMBlockCell": StreamOp("x", _LSTM, {"cs_prev": ("cs",), "h_prev": ("h",)}, steps=False),
}


def stream_parts(spec: FunctionSpec) -> tuple[str, dict[str, str]]:
    """What changes from call to call of a stream.

    Returns:
        The argument that is the chunk; and of each argument that is a state, the result that holds
        it after a call.

    Raises:
        UnsupportedError: The function cannot go on where it ended; the message says why.
    """
    op = stream_op(spec)
    read = [each.name for each in spec.arguments if not each.ignored]
    return op.chunk, {name: _result(spec, op, name) for name in op.states if name in read}


def stream_op(spec: FunctionSpec) -> StreamOp:
    """How a function's op takes a part of a sequence.

    Raises:
        UnsupportedError: It does not.
    """
    op = _OPS.get(spec.op)
    if op is None:
        raise UnsupportedError(f"{spec.op}: no state to go on from; those have: {', '.join(_OPS)}")
    if op.steps and not spec.dims["seq_length"]:
        raise UnsupportedError(f"{spec.op}: built for no steps")
    attributes = spec.attributes
    if attributes.get("direction") == "bidirectional":
        raise UnsupportedError(f"{spec.op}: the backward direction begins where the sequence ends")
    if attributes.get("is_training") and attributes.get("dropout"):
        raise UnsupportedError(
            f"{spec.op}: each call would draw a dropout mask of its own: build it with "
            "is_training=False"
        )
    frozen = {each.name for each in spec.frozen} & {op.chunk, op.length, *op.states}
    if frozen:
        names = ", ".join(sorted(frozen))
        raise UnsupportedError(f"{spec.op}: {names}: frozen, so it is the same for every chunk")
    return op


def _result(spec: FunctionSpec, op: StreamOp, state: str) -> str:
    """The result that holds a state after a call.

    Raises:
        UnsupportedError: There is none.
    """
    given = {each.name for each in spec.results}
    for name in op.states[state]:
        if name in given:
            return name
    raise UnsupportedError(
        f"{spec.op}: nothing tells what {state} is after a chunk: build it with outputs "
        f"that have {op.states[state][0]!r}"
    )
