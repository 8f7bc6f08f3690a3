"""Indices of a user's gathers, scatters and slices: where they begin, and how they are clamped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rnn_compiler.lowering.analysis.values import defining, element, shape
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.stablehlo import converted, full
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.open_sizes import static

_MOVED = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")
"""Ops whose results have only numbers of their operand."""


def array(value: ir.Value) -> Array:
    """A value of known sizes."""
    return Array(value, static(shape(value)), element(value))


def axes_in(numbers: str, name: str) -> list[int]:
    """The axes in a field of the text of an op's attribute of dimensions."""
    found = re.search(rf"\b{name} = \[([^\]]*)\]", numbers)
    return [int(each) for each in found[1].split(",")] if found and found[1] else []


def vector_axis(numbers: str) -> int:
    """The axis of indices along which one index lies; it may be beyond the last one."""
    found = re.search(r"\bindex_vector_dim = (\d+)", numbers)
    return int(found[1]) if found else 0


def type_for(size: int) -> str:
    """The type of integers for positions along an axis of a size."""
    return "i32" if size < 2**31 else "i64"


def within(value: ir.Value, last: int) -> bool:
    """Whether a value is known to be from 0 to some number."""
    while not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name == "stablehlo.constant":
            return all(
                0 <= each <= last for each in ir.DenseIntElementsAttr(op.attributes["value"])
            )
        if op.name not in _MOVED:
            break
        value = op.operands[0]
    return False


def clamped(body: Body, indices: Array, lasts: Sequence[int], axis: int = 0) -> tuple[Array, Array]:
    """Indices, in a type that holds the last of each component, and the same from 0 to that."""
    kind = type_for(max(lasts))
    if _width(indices.element) < _width(kind):
        indices = converted(body, indices, kind)
    bounds = [full(body, 0, indices.type), _vector(body, lasts, indices.type, axis)]
    operands = [bounds[0], indices, bounds[1]]
    return indices, body.array("stablehlo.clamp", operands, indices.type)


def _width(element: str) -> int:
    """The bits of a type of integers."""
    return ir.IntegerType(ir.Type.parse(element)).width


def _vector(body: Body, numbers: Sequence[int], kind: ArrayType, axis: int) -> Array:
    """The same numbers for each index."""
    if len({*numbers}) == 1:
        return full(body, numbers[0], kind)
    row = ArrayType((len(numbers),), kind.element)
    of = ir.RankedTensorType(row.mlir).element_type
    elements = ir.DenseElementsAttr.get(
        [ir.IntegerAttr.get(of, number) for number in numbers], row.mlir
    )
    made = body.array("stablehlo.constant", [], row, {"value": elements})
    dimensions = {"broadcast_dimensions": integers([axis])}
    return body.array("stablehlo.broadcast_in_dim", [made], kind, dimensions)
