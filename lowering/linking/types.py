"""Types of a user's module in the terms of this package: the name of a dtype, and sizes."""

from __future__ import annotations

from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.mlir.bindings import ir, shape_of, sizes_in_mlir
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.schema.open_sizes import Size, is_static, shown


class Tensor(NamedTuple):
    """The type of a tensor."""

    dtype: str
    shape: tuple[Size, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(shown, self.shape))}]"


def is_integer(dtype: str) -> bool:
    """Whether a dtype is one of those of lengths, seeds and sizes."""
    return dtype in ("int32", "int64")


def tensor_of(kind: ir.Type, op: str, name: str, *, is_open: bool = False) -> Tensor:
    """Reads a type; open sizes, if they may be, have no names (`UNNAMED`)."""
    try:
        ranked = ir.RankedTensorType(kind)
        element, shape = ELEMENTS[str(ranked.element_type)], shape_of(ranked)
    except (ValueError, KeyError) as error:
        expected = f"a tensor of {', '.join(ELEMENTS)}"
        raise InvalidArgumentError(op, name, expected, str(kind)) from error
    if not is_open and not is_static(*shape):
        raise InvalidArgumentError(op, name, "a tensor of static sizes", str(kind))
    return Tensor(element.name, shape)


def type_of(spec: TensorSpec) -> ir.Type:
    """The type of a tensor."""
    of = ir.Type.parse(DTYPES[spec.dtype].mlir)
    return ir.RankedTensorType.get(sizes_in_mlir(spec.shape), of)
