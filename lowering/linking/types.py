"""Types of a user's module in the terms of this package: the name of a dtype, static sizes."""

from __future__ import annotations

from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.mlir import ir, shape_of
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.schema.open_sizes import is_static, static

__all__ = ["Tensor", "is_integer", "tensor_of", "type_of"]


class Tensor(NamedTuple):
    """The type of a tensor.

    Attributes:
        dtype: The name of its element type.
        shape: Its shape.
    """

    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def is_integer(dtype: str) -> bool:
    """Whether a dtype is one of those of lengths, seeds and sizes."""
    return dtype in ("int32", "int64")


def tensor_of(kind: ir.Type, op: str, name: str) -> Tensor:
    """Reads a type.

    Args:
        kind: The type.
        op: The op, for messages.
        name: The argument or result, for messages.

    Raises:
        InvalidArgumentError: It is not a tensor with static sizes and a known element type.
    """
    try:
        ranked = ir.RankedTensorType(kind)
        element, shape = ELEMENTS[str(ranked.element_type)], shape_of(ranked)
    except (ValueError, KeyError) as error:
        expected = f"a tensor of {', '.join(ELEMENTS)}"
        raise InvalidArgumentError(op, name, expected, str(kind)) from error
    if not is_static(*shape):
        raise InvalidArgumentError(op, name, "a tensor of static sizes", str(kind))
    return Tensor(element.name, static(shape))


def type_of(spec: TensorSpec) -> ir.Type:
    """The type of a tensor."""
    return ir.RankedTensorType.get(spec.static_shape, ir.Type.parse(DTYPES[spec.dtype].mlir))
