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

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rnn_compiler.schema.cudnn_layout import Block, Layout
from rnn_compiler.schema.open_sizes import static_size
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

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


class Matrix(NamedTuple):
    """An argument that is a matrix, or contains matrices.

    Attributes:
        spec: The op.
        tensor: Its argument, with `TensorSpec.summed`.
    """

    spec: FunctionSpec
    tensor: TensorSpec

    @property
    def axis(self) -> int:
        """The axis of a matrix that products sum over."""
        assert self.tensor.summed is not None
        return self.tensor.summed

    @property
    def height(self) -> int | None:
        """The rows of inputs, if those of states are below them; None for a single matrix."""
        is_stacked = "+" in self.tensor.formula
        return static_size(self.spec.dims["input_size"]) if is_stacked else None

    @property
    def blocks(self) -> list[Block]:
        """The matrices in CudnnRNN's `params`; none for other arguments."""
        return buffer_matrices(self.spec) if len(self.tensor.shape) == 1 else []


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


def stored(matrix: Matrix, tensor: TensorSpec) -> list[TensorSpec]:
    """The tensors that replace an argument, of an op and as it is named in a user's function."""
    blocks, rest = matrix.blocks, 0
    if blocks:
        numbers = (sum(each.size for each in blocks),)
        scales = (sum(each.shape[0] for each in blocks if each.size),)
        rest = tensor.static_shape[0] - numbers[0]
    else:
        numbers = shape = tensor.static_shape
        scales = (*shape[: matrix.axis], *shape[matrix.axis + 1 :])
        scales = scales if matrix.height is None else (2, *scales)
    made = [
        replace(tensor, dtype="int8", shape=numbers),
        TensorSpec(tensor.name + SCALE, "float32", scales, f"scales of {tensor.name}"),
    ]
    if rest:
        made.append(TensorSpec(tensor.name + BIAS, "float32", (rest,), f"biases of {tensor.name}"))
    return made
