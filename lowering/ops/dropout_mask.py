"""DropoutMask: the multipliers of a dropout in a training step.

They are those of `cudnn.dropout`, for the elements of an array in their order: 0 with the
probability `dropout`, else ``1 / (1 - dropout)``. Imported networks use this op to train
(`network_import.graph.training.dropout`); it is in no list of ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.ops.cudnn.dropout import OPERANDS, RATE, dropout_mask
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import Argument, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.lowering.builder.time_loop import Values
    from rnn_compiler.schema.specs import FunctionSpec

OP = Signature(
    "DropoutMask",
    "The multipliers of a dropout",
    arguments=(Argument("x", "B I", "an array with a multiplier for each element"), *OPERANDS),
    attributes=(RATE,),
    results=(Result("mask", "B I", "0 or 1 / (1 - dropout)"),),
    in_tensorflow=False,
)


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the op."""
    rate = float(spec.attributes["dropout"])
    return [dropout_mask(b, args, rate, args["x"].shape, spec.dtype)]
