"""The sizes of a call: determines open dimensions from the shapes of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.manifest import FunctionSpec
from rnn_compiler.schema.open_sizes import open_dimension

__all__ = ["open_sizes_of"]


def open_sizes_of(spec: FunctionSpec, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The open dimensions of a function, determined by the shapes of a call's arguments.

    If several arguments have a dimension, the first determines it; the caller then checks every
    shape against the function at these sizes, ``spec.bound(sizes)``.

    Args:
        spec: The function.
        shapes: The shape of each given argument by name.

    Raises:
        InvalidArgumentError: The argument that determines a dimension has the wrong rank, or is
            empty or too large along its axis; or no given argument determines it.
    """
    sizes: dict[str, int] = {}
    for dim in spec.open_dims:
        axes = [
            (tensor, axis)
            for tensor in spec.arguments
            for axis, size in enumerate(tensor.shape)
            if size == open_dimension(dim) and not tensor.ignored
        ]
        given = [each for each in axes if each[0].name in shapes]
        tensor, axis = (given or axes)[0]
        if not given:
            expected = f"an array {tensor.formula}, because nothing else determines {dim}"
            raise InvalidArgumentError(
                spec.op, tensor.name, expected, "None", f"pass zeros of shape {tensor.formula}"
            )
        shape, rank = shapes[tensor.name], len(tensor.shape)
        if len(shape) != rank:
            expected = f"rank {rank}, shape {tensor.formula}"
            got = f"rank {len(shape)}, shape {list(shape)}"
            raise InvalidArgumentError(spec.op, tensor.name, expected, got)
        if not spec.least(dim) <= shape[axis] <= MAX_DIMENSION:
            expected = f"shape {tensor.formula}, {dim} in {spec.least(dim)}..{MAX_DIMENSION}"
            raise InvalidArgumentError(spec.op, tensor.name, expected, f"shape {list(shape)}")
        sizes[dim] = shape[axis]
    return sizes
