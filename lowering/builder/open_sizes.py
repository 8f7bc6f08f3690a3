"""Open sizes as values, computed from the sizes of a function's arguments."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.value import Type, Value
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.open_sizes import Open, bound

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder

__all__ = ["evaluated", "open_dims"]


def open_dims(b: Builder, values: Sequence[Value]) -> dict[str, Value]:
    """The open dimensions of some values, as int64 scalars, by name."""
    dims: dict[str, Value] = {}
    for value in values:
        for axis, size in enumerate(value.shape):
            name = str(size)
            if not isinstance(size, Open) or name in dims or bound(size, {name: 1}) != 1:
                continue
            b.formula(f"{name} = axis {axis}")
            attributes = {"dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)}
            number = b.op("get_dimension_size", [value], Type((), "int32"), attributes)
            dims[name] = number.to("int64")
    return dims


def evaluated(b: Builder, size: Open, dims: Mapping[str, Value]) -> Value:
    """A size as an int64 scalar.

    Args:
        b: The builder.
        size: The size.
        dims: The open dimensions, from `open_dims`.
    """
    terms: list[Value] = []
    for names, factor in size.terms.items():
        values = [dims[name] for name in names]
        if factor != 1 or not names:
            values.append(b.constant(factor, "int64"))
        terms.append(functools.reduce(operator.mul, values))
    return functools.reduce(operator.add, terms)
