"""TableGradient: the gradient of a table from which rows were read.

    dx[i] = sum of dy[b] over all b with places[b] = i

Places are clamped to the table. Imported networks use this op to train
(`network_import.graph.gradients.shapes`); it is in no list of ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.schema.open_sizes import static
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import Argument, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.lowering.builder.time_loop import Values
    from rnn_compiler.schema.specs import FunctionSpec

OP = Signature(
    "TableGradient",
    "The gradient of a table from which rows were read",
    arguments=(
        Argument("x", "T I", "the table, of which only the sizes matter"),
        Argument("places", "B", "the rows that were read", dtype="int64"),
        Argument("dy", "B I", "the gradients of what was read"),
    ),
    attributes=(),
    results=(Result("dx", "T I", "the gradient of the table"),),
    in_tensorflow=False,
)


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the op."""
    T, I = static(args["x"].shape)
    b.formula("dx[places] += dy")
    places = b.clamp(0, args["places"], T - 1)
    return [b.full(0, (T, I), spec.dtype).with_added_rows(places, args["dy"])]
