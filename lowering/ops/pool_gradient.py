"""MaxPoolGradient: the gradient of maxima over windows that lie side by side.

    x[t, b, i, h]   windows t, i of B rows and H columns each
    dx[t, b, i, h] = dy[t, i] at the first largest element of each window, else 0

So it is for images ``[T, B, I * H]`` in any number, with their rows split by windows. Imported
networks use this op to train (`network_import.graph.gradients.windows`); it is in no list of ops.
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
    "MaxPoolGradient",
    "The gradient of maxima over windows side by side",
    arguments=(
        Argument("x", "T B I H", "elements of windows"),
        Argument("dy", "T I", "gradients of the maxima"),
    ),
    attributes=(),
    results=(Result("dx", "T B I H", "gradients of the elements"),),
    in_tensorflow=False,
)


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the op."""
    T, B, I, H = static(args["x"].shape)
    b.formula("dx = dy at the maxima of x")
    windows = args["x"].reshape(T, B, I * H)
    return [windows.at_maxima(args["dy"].reshape(T, 1, I), [1, B, H]).reshape(T, B, I, H)]
