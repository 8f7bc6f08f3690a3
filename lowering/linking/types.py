"""Types of a user's module as this package has them: an element type by name, static sizes."""

from __future__ import annotations

from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.mlir import ir, shape_of
from rnn_compiler.schema.dtypes import ELEMENTS
from rnn_compiler.schema.open_sizes import is_static, static

__all__ = ["Tensor", "is_integer", "tensor_of"]


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
    """Whether a dtype is one of those that lengths, seeds and sizes come in."""
    return dtype in ("int32", "int64")


def tensor_of(kind: ir.Type, op: str, name: str) -> Tensor:
    """What a type is.

    Args:
        kind: The type.
        op: Whose it is, for messages.
        name: What it is the type of, for messages.

    Raises:
        InvalidArgumentError: It is no tensor of static sizes and of an element type that is known.
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
