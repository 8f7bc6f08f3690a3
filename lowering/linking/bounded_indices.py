"""Keeps the gathers and scatters of a user's module within their arrays, as StableHLO defines them.

StableHLO clamps the indices of a gather and drops the updates of a scatter that are not all within
the array. IREE clamps only some gathers, and no scatter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rnn_compiler.lowering.analysis.values import defining, element, shape
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.number import is_float
from rnn_compiler.lowering.codegen.stablehlo import full, padded
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of
from rnn_compiler.schema.open_sizes import is_static, static

__all__ = ["bound_indices"]

_MOVED = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.convert")
"""Ops whose results have only numbers of their operand."""

_WINDOWS = "update_window_dims"


def bound_indices(module: ir.Module) -> None:
    """Clamps the indices of gathers, and keeps updates beyond an array from changing memory."""
    for op in nested_ops(module.operation, "stablehlo.gather", "stablehlo.scatter"):
        known = all(is_static(*shape(value)) for value in op.operands)
        if known and _source(op.operands[len(op.operands) // 2]) != "stablehlo.constant":
            with op.location:
                (_bound_gather if op.name == "stablehlo.gather" else _bound_scatter)(op)


def _source(value: ir.Value) -> str:
    """The op that a value's numbers come from; empty for an argument."""
    while not isinstance(value.owner, ir.Block):
        op = defining(value)
        if op.name not in _MOVED:
            return op.name
        value = op.operands[0]
    return ""


def _bound_gather(op: ir.Operation) -> None:
    """Clamps the indices of a gather."""
    numbers = str(op.attributes["dimension_numbers"])
    body = Body.before(op)
    sizes = static(shape(op.operands[0]))
    parts = [*ir.DenseI64ArrayAttr(op.attributes["slice_sizes"])]
    axes = _field(numbers, "start_index_map")
    indices = _array(op.operands[1])
    lasts = [sizes[axis] - parts[axis] for axis in axes]
    op.operands[1] = _clamped(body, indices, _vector_axis(numbers), lasts).value


def _bound_scatter(op: ir.Operation) -> None:
    """Keeps the updates of a scatter that are beyond its arrays from changing them.

    Those of a sum become zeros. Others go into padding, which is cut off.
    """
    numbers = str(op.attributes["scatter_dimension_numbers"])
    count, body = len(op.operands) // 2, Body.before(op)
    arrays, updates = (
        [*map(_array, values)]
        for values in (list(op.operands)[:count], list(op.operands)[count + 1 :])
    )
    indices, vector = _array(op.operands[count]), _vector_axis(numbers)
    axes, windows = _field(numbers, "scatter_dims_to_operand_dims"), _field(numbers, _WINDOWS)
    sizes, update = static(shape(arrays[0].value)), static(shape(updates[0].value))
    single = {*_field(numbers, "inserted_window_dims"), *_field(numbers, "input_batching_dims")}
    window = iter(windows)
    parts = [1 if axis in single else update[next(window)] for axis in range(len(sizes))]
    clamped = _clamped(body, indices, vector, [sizes[axis] - parts[axis] for axis in axes])
    valid = _all_equal(body, clamped, indices, vector)
    if _is_sum(op):
        others = [k for k in range(len(update)) if k not in windows]
        for number, each in enumerate(updates, count + 1):
            kept = _spread(body, valid, updates[0], others)
            nothing = full(body, 0, each.type)
            if is_float(each.element):  # -0 + 0 is 0, which differs from -0
                nothing = body.array("stablehlo.negate", [nothing], each.type)
            op.operands[number] = _selected(body, kept, each, nothing).value
        op.operands[count] = clamped.value
        return
    first = axes[0]
    beyond = _vector(body, [sizes[first], *[0] * (len(axes) - 1)], indices, vector)
    kept = _spread(body, valid, indices, [k for k in range(len(indices.shape)) if k != vector])
    operands = [padded(body, each, first, sizes[first] + parts[first]) for each in arrays]
    values = [*operands, _selected(body, kept, clamped, beyond), *updates]
    kinds = [each.value.type for each in operands]
    attributes = {name: op.attributes[name] for name in op.attributes}
    made = body.op(op.name, values, kinds, attributes, regions=1)
    op.regions[0].blocks[0].append_to(made.regions[0])
    for old, new in zip(op.results, made.results, strict=True):
        attributes = {
            "start_indices": integers([0] * len(sizes)),
            "limit_indices": integers(sizes),
            "strides": integers([1] * len(sizes)),
        }
        cut = body.op("stablehlo.slice", [new], [old.type], attributes)
        old.replace_all_uses_with(cut.results[0])
    op.erase()


def _is_sum(op: ir.Operation) -> bool:
    """Whether a scatter adds its updates to an array."""
    block = block_of(op)
    names = [each.name for each in ops_of(block)]
    added = ops_of(block)[0].operands
    return names == ["stablehlo.add", "stablehlo.return"] and {*added} == {*block.arguments}


def _array(value: ir.Value) -> Array:
    return Array(value, static(shape(value)), element(value))


def _field(numbers: str, name: str) -> list[int]:
    """The axes in a field of the text of an op's attribute of dimensions."""
    found = re.search(rf"\b{name} = \[([^\]]*)\]", numbers)
    return [int(each) for each in found[1].split(",")] if found and found[1] else []


def _vector_axis(numbers: str) -> int:
    """The axis of indices along which one index lies; it may be beyond the last one."""
    found = re.search(r"\bindex_vector_dim = (\d+)", numbers)
    return int(found[1]) if found else 0


def _vector(body: Body, numbers: Sequence[int], like: Array, axis: int) -> Array:
    """The same numbers for each index."""
    if len({*numbers}) == 1:
        return full(body, numbers[0], like.type)
    kind = ArrayType((len(numbers),), like.element)
    of = ir.RankedTensorType(like.value.type).element_type
    elements = ir.DenseElementsAttr.get(
        [ir.IntegerAttr.get(of, number) for number in numbers], kind.mlir
    )
    row = body.array("stablehlo.constant", [], kind, {"value": elements})
    dimensions = {"broadcast_dimensions": integers([axis])}
    return body.array("stablehlo.broadcast_in_dim", [row], like.type, dimensions)


def _clamped(body: Body, indices: Array, axis: int, lasts: Sequence[int]) -> Array:
    """Indices from 0 to the last one of each axis."""
    bounds = [full(body, 0, indices.type), _vector(body, lasts, indices, axis)]
    return body.array("stablehlo.clamp", [bounds[0], indices, bounds[1]], indices.type)


def _all_equal(body: Body, one: Array, other: Array, axis: int) -> Array:
    """Whether all numbers of an index are equal, for each index."""
    direction = ir.Attribute.parse("#stablehlo<comparison_direction EQ>")
    attributes = {"comparison_direction": direction}
    kind = ArrayType(one.shape, "i1")
    equal = body.array("stablehlo.compare", [one, other], kind, attributes)
    if axis >= len(one.shape):
        return equal
    kind = ArrayType((*one.shape[:axis], *one.shape[axis + 1 :]), "i1")
    if one.shape[axis] == 1:
        return body.array("stablehlo.reshape", [equal], kind)
    true = full(body, 1, ArrayType((), "i1"))
    op = body.op(
        "stablehlo.reduce", [equal, true], [kind.mlir], {"dimensions": integers([axis])}, regions=1
    )
    block = op.regions[0].blocks.append(true.value.type, true.value.type)
    inside = Body(block, body.location)
    both = inside.op("stablehlo.and", list(block.arguments), [true.value.type])
    inside.op("stablehlo.return", [both.results[0]])
    return Array(op.results[0], kind.shape, "i1")


def _spread(body: Body, valid: Array, like: Array, axes: Sequence[int]) -> Array:
    """A mask of indices for all elements of an array that has them along some axes."""
    dimensions = {"broadcast_dimensions": integers(axes)}
    kind = ArrayType(like.shape, "i1")
    return body.array("stablehlo.broadcast_in_dim", [valid], kind, dimensions)


def _selected(body: Body, mask: Array, one: Array, other: Array) -> Array:
    """Elements of one array where a mask holds, of another elsewhere."""
    return body.array("stablehlo.select", [mask, one, other], one.type)
