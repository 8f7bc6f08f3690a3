"""The registry of ops: each op's signature and the function that emits it.

An op is one family file and one line here; everything else (`raw_ops`, `build`, the command line,
the tests' coverage check) reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.lowering.ops import (
    ctc,
    dropout_mask,
    integer_lstm,
    pool_gradient,
    table_gradient,
)
from rnn_compiler.lowering.ops.block import block_lstm, gru_block_cell, lstm_block_cell
from rnn_compiler.lowering.ops.cudnn import params, rnn, signatures
from rnn_compiler.lowering.ops.onnx import recurrence
from rnn_compiler.lowering.ops.onnx import signatures as onnx
from rnn_compiler.schema.signatures import Gradient, Signature

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.module import Emitter
    from rnn_compiler.schema.specs import FunctionSpec


@dataclass(frozen=True)
class Op:
    """A registered op."""

    signature: Signature
    emit: Emitter


_TABLE = (
    Op(lstm_block_cell.OP, lstm_block_cell.forward),
    Op(lstm_block_cell.GRAD, lstm_block_cell.backward),
    Op(lstm_block_cell.PARAMETER_GRAD, lstm_block_cell.parameter_gradients),
    Op(block_lstm.OP_V1, block_lstm.forward),
    Op(block_lstm.GRAD_V1, block_lstm.backward),
    Op(block_lstm.OP_V2, block_lstm.forward),
    Op(block_lstm.GRAD_V2, block_lstm.backward),
    Op(gru_block_cell.OP, gru_block_cell.forward),
    Op(gru_block_cell.GRAD, gru_block_cell.backward),
    Op(gru_block_cell.PARAMETER_GRAD, gru_block_cell.parameter_gradients),
    *(Op(signature, rnn.forward) for signature in signatures.OPS),
    *(Op(signature, rnn.backward) for signature in signatures.GRADIENTS),
    *(Op(signature, recurrence.forward) for signature in onnx.OPS),
    *(Op(signature, recurrence.backward) for signature in onnx.GRADIENTS),
    Op(params.PARAMS_SIZE, params.params_size),
    Op(params.TO_CANONICAL, params.to_canonical),
    Op(params.TO_CANONICAL_V2, params.to_canonical),
    Op(params.FROM_CANONICAL, params.from_canonical),
    Op(params.FROM_CANONICAL_V2, params.from_canonical),
)

OPS: Mapping[str, Op] = MappingProxyType({op.signature.name: op for op in _TABLE})
"""Every op, by its name: TensorFlow's, or ONNX's after ``onnx.``."""

_UNLISTED = (
    Op(ctc.OP, ctc.forward),
    Op(dropout_mask.OP, dropout_mask.forward),
    Op(integer_lstm.OP, integer_lstm.forward),
    Op(pool_gradient.OP, pool_gradient.forward),
    Op(table_gradient.OP, table_gradient.forward),
)

CALLED: Mapping[str, Op] = MappingProxyType({**OPS, **{op.signature.name: op for op in _UNLISTED}})
"""The ops that modules may call: those, parts of training steps, and one of imported layers."""

GRADIENTS: Mapping[str, Gradient] = MappingProxyType(
    {name: op.signature.gradient for name, op in OPS.items() if op.signature.gradient is not None}
)
"""The gradients of the ops that have one."""


def whole_spec(spec: FunctionSpec) -> FunctionSpec:
    """The op of a function with all of its arguments and results, as its emitter expects it."""
    signature = CALLED[spec.op].signature
    form = signature.form(spec.attributes)
    return signature.specialize(
        dtype=spec.dtype,
        dims=spec.dims,
        attributes=spec.attributes,
        function=spec.function,
        outputs=[tensor.name for tensor in (*form.results, *form.final_state)],
    )


def find_op(name: str, caller: str = "build") -> str:
    """The op with a name, which may also be in snake case.

    The message for an unknown name suggests the likely one, or else lists the ops whose names
    contain the given name, or else all ops.
    """
    for op in CALLED.values():
        if name in (op.signature.name, op.signature.function):
            return op.signature.name
    functions = {op.signature.function: name for name, op in OPS.items()}
    meant = did_you_mean(name, OPS, functions)
    if meant:
        expected = "an op that `rnn-compiler ops` lists"
        raise InvalidArgumentError(caller, "op", expected, describe(name), meant)
    wanted = str(name).lower()
    like = [each for each in OPS if wanted and wanted in each.lower()]
    known = ", ".join(like or OPS)
    raise InvalidArgumentError(caller, "op", f"one of {known}", describe(name))
