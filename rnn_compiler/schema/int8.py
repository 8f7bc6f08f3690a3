"""Weights in int8: the arguments that can have this form, and the tensors that replace them.

A matrix is stored as int8 numbers and a float32 scale for each column of its products, so that
``w = numbers * scale``. A module has these tensors instead of a frozen argument ``w``:

    w          int8, in the argument's shape; for CudnnRNN's `params`, only its matrices
    w.scale    float32, that shape without the axis that products sum over; for a block op's
               ``w[I+H, N]``, which is a matrix for inputs above one for states, ``[2, N]``
    w.bias     float32, the rest of `params`

`docs/int8.md` defines the numbers, and how products are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rnn_compiler.schema.cudnn_layout import Layout
from rnn_compiler.schema.functions import FunctionSpec, TensorSpec
from rnn_compiler.schema.parameter_blocks import Block

__all__ = [
    "BIAS",
    "FRACTION_BITS",
    "LARGEST",
    "LEAST",
    "MATRICES",
    "MAX_SUMMED",
    "SCALE",
    "STACKED",
    "SUMMED_AXES",
    "buffer_matrices",
    "stored",
]

LARGEST = 127
"""The largest number; the smallest is its negative."""

LEAST = 2.0**-100
"""The lower bound of the largest number of a row on the left, so that it can be divided by."""

FRACTION_BITS = 16
"""The fractional bits of a row's numbers before they are rounded."""

MAX_SUMMED = (1 << 31) // LARGEST**2
"""The most products of two numbers whose sum always fits into an int32."""

SCALE, BIAS = ".scale", ".bias"
"""The suffixes of these tensors' names."""

SUMMED_AXES: Mapping[str, int] = {"w": 0, "w_ru": 0, "w_c": 0, "W": 2, "R": 2}
"""The axis that products sum over, for each argument that has matrices."""

STACKED = ("w", "w_ru", "w_c")
"""The arguments that are two matrices, with the rows of inputs above those of states."""

MATRICES = (*SUMMED_AXES, "params")
"""The arguments that are or contain matrices."""


def buffer_matrices(spec: FunctionSpec) -> list[Block]:
    """The matrices in CudnnRNN's `params`, in order and without gaps; they come before the rest."""
    layout = Layout.of(spec.op, {**spec.dims, **spec.attributes})

    def matrices() -> Iterator[Block]:
        for each in layout.pseudo_layers:
            yield each.input
            yield each.recurrent
            if each.projection is not None:
                yield each.projection

    return list(matrices())


def stored(spec: FunctionSpec, name: str, tensor: TensorSpec) -> list[TensorSpec]:
    """The tensors that replace an argument of a function.

    Args:
        spec: The op.
        name: The op's name of the argument.
        tensor: The argument, which may have another name in a user's function.
    """
    if name in SUMMED_AXES:
        axis = SUMMED_AXES[name]
        numbers = shape = tensor.static_shape
        scales = (*shape[:axis], *shape[axis + 1 :])
        if name in STACKED:
            scales = (2, *scales)
        rest = 0
    else:
        matrices = buffer_matrices(spec)
        numbers = (sum(each.size for each in matrices),)
        scales = (sum(each.shape[0] for each in matrices if each.size),)
        rest = tensor.static_shape[0] - numbers[0]
    made = [
        replace(tensor, dtype="int8", shape=numbers),
        TensorSpec(tensor.name + SCALE, "float32", scales, f"scales of {tensor.name}"),
    ]
    if rest:
        made.append(TensorSpec(tensor.name + BIAS, "float32", (rest,), f"biases of {tensor.name}"))
    return made
