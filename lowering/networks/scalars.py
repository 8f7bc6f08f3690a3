"""Computes scalars in compiled code: host programs in C and JavaScript only compute whole numbers.

IREE's importer extracts scales and zero points, such as those of DynamicQuantizeLinear, from their
arrays before the convolution that uses them, so that the host would have to wait for the array and
read it. They stay in arrays of rank 0. It also computes the scales of a Resize from open sizes
before the elements that need them. These are computed with each element.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rnn_compiler.lowering.analysis.values import defining, element
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, is_float
from rnn_compiler.lowering.codegen.linalg import pointwise
from rnn_compiler.lowering.codegen.whole_arrays import collapse
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of, shape_of
from rnn_compiler.lowering.rewriting.edits import replace

_TAKING_ARRAYS = (
    *("iree_linalg_ext.dequantize_affine", "linalg.conv_", "linalg.generic", "linalg.quantized_"),
)
"""The beginnings of names of ops that take arrays of rank 0 in place of numbers."""


def keep_in_arrays(function: ir.Operation) -> None:
    """Extracts scalars inside the computations that use them, not before."""
    for op in nested_ops(function, "arith.fptosi", "arith.fptoui"):
        _compute_whole(op)
    for op in nested_ops(function, "linalg.generic"):
        for inner in ops_of(block_of(op)):
            _read_inside(inner)
    for op in nested_ops(function):
        with op.location:
            if op.name == "tensor.pad":
                _fill_around(op)
            elif op.name.startswith(_TAKING_ARRAYS):
                for k, operand in enumerate(op.operands):
                    if steps := _steps(operand, _is_element):
                        op.operands[k] = _as_array(op, steps).value


def _steps(number: ir.Value, is_source: Callable[[ir.Operation], bool]) -> list[ir.Operation]:
    """The ops that compute a number from sources and constants, in order; else empty."""
    if isinstance(number.type, ir.RankedTensorType) or isinstance(number.owner, ir.Block):
        return []
    op = defining(number)
    if is_source(op):
        return [op]
    if not op.name.startswith(("arith.", "math.")):
        return []
    steps: list[ir.Operation] = []
    for operand in op.operands:
        before = _steps(operand, is_source)
        if not before and not _is_constant(operand):
            return []
        steps += [each for each in before if each not in steps]
    return [*steps, op] if steps else []


def _is_element(op: ir.Operation) -> bool:
    """Whether an op reads the number of an array of one."""
    return op.name == "tensor.extract" and {*shape_of(op.operands[0].type)} <= {1}


def _is_float_of_whole(op: ir.Operation) -> bool:
    return op.name in ("arith.sitofp", "arith.uitofp")


def _compute_whole(op: ir.Operation) -> None:
    """Computes a whole number from whole numbers as such, without floats and rounding."""
    kind = element(op.results[0])
    found = _whole(Body.before(op), op.operands[0], kind)
    if isinstance(found, Number):
        op.results[0].replace_all_uses_with(found.value)


_WHOLE: Mapping[str, Callable[[Any, Any], Any]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
}
"""Ops of which whole numbers make a whole number."""

_KEEPING = ("math.floor", "math.ceil", "arith.extf", "arith.truncf")
"""Ops that keep whole numbers, up to those that have too many digits for floats."""


def _whole(body: Body, number: ir.Value, kind: str) -> Index | None:
    """A float as a whole number of another type; None if it may be none."""
    if isinstance(number.owner, ir.Block):
        return None
    op = defining(number)
    if op.name == "arith.constant":
        value = ir.FloatAttr(op.attributes["value"]).value
        return int(value) if value.is_integer() else None
    if op.name == "arith.sitofp":
        is_same = element(op.operands[0]) == kind
        return Number(body, op.operands[0], kind) if is_same else None
    if op.name in _KEEPING:
        return _whole(body, op.operands[0], kind)
    if op.name not in _WHOLE:
        return None
    first, second = (_whole(body, each, kind) for each in op.operands)
    return None if first is None or second is None else _WHOLE[op.name](first, second)


def _is_constant(number: ir.Value) -> bool:
    return not isinstance(number.owner, ir.Block) and defining(number).name == "arith.constant"


def _read_inside(inner: ir.Operation) -> None:
    """Reads the operands of an op of a body that are numbers from outside in that body."""
    for k, operand in enumerate(inner.operands):
        steps = _steps(operand, _is_element)
        if not steps and is_float(element(operand)):
            steps = _steps(operand, _is_float_of_whole)
        if steps and steps[-1].block != inner.block:
            inner.operands[k] = _repeated(Body.before(inner), steps, {}).value


def _repeated(
    body: Body, steps: Sequence[ir.Operation], known: Mapping[ir.Value, ir.Value]
) -> Number:
    """Emits steps again, with the values that are known in place of others; returns the last."""
    values = dict(known)
    for op in steps:
        if op.results[0] in values:
            continue
        operands = [values.get(each, each) for each in op.operands]
        attributes = {name: op.attributes[name] for name in op.attributes}
        kind = element(op.results[0])
        with body.located(op.location):
            values[op.results[0]] = body.number(op.name, operands, kind, 0, attributes).value
    last = steps[-1].results[0]
    return Number(body, values[last], element(last))


def _as_array(
    user: ir.Operation, steps: Sequence[ir.Operation], shape: Sequence[Index] = ()
) -> Array:
    """An array that has a number everywhere, made before its user; by default of rank 0."""
    reads = [op for op in steps if op.name == "tensor.extract"]
    kind, body = element(steps[-1].results[0]), Body.before(user)
    sources = [_without_axes(body, op.operands[0]) for op in reads]
    if steps == reads and not shape:
        return sources[0]

    def emit(inside: Body, numbers: Sequence[Number]) -> Number:
        values = (each.value for each in numbers)
        known = dict[ir.Value, ir.Value](zip((op.results[0] for op in reads), values, strict=True))
        return _repeated(inside, steps, known)

    given = [(each, range(0)) for each in sources]
    return pointwise(body, given, body.empty(ArrayType(tuple(shape), kind)), emit)


def _without_axes(body: Body, value: ir.Value) -> Array:
    """An array of one number as one of rank 0."""
    axes = len(shape_of(value.type))
    array = Array(value, [1] * axes, element(value))
    return collapse(body, array, []) if axes else array


def _fill_around(pad: ir.Operation) -> None:
    """Replaces padding with a number that is computed by an insertion into an array of it."""
    steps = _steps(ops_of(block_of(pad))[-1].operands[0], _is_element)
    source = pad.operands[0]
    low, high = (
        [*ir.DenseI64ArrayAttr(pad.attributes[name])] for name in ("static_low", "static_high")
    )
    sizes = shape_of(source.type)
    grows = [before + behind for before, behind in zip(low, high, strict=True)]
    if not steps or len(pad.operands) > 1:
        return
    body = Body.before(pad)
    inner: list[Index] = [
        n if isinstance(n, int) else body.size(source, axis) for axis, n in enumerate(sizes)
    ]
    outer: list[Index] = [n + more if more else n for n, more in zip(inner, grows, strict=True)]
    filled = _as_array(pad, steps, outer)
    body.insert(Array(source, inner, element(source)), filled, low)
    replace(pad, filled.value)
