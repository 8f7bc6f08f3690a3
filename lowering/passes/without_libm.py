"""Rounds floats, and takes scalar maxima, by arithmetic instead of by functions of libm.

Requires: a module after the rewrites of loops and products.
Matches: on CPUs, the ops of `_EMITTERS` and `_STABLEHLO` on float32 and float64, in a network or a
user's module; those of arrays become a `linalg.generic` around one. `arith.maximumf` and
`arith.minimumf` in a `linalg.generic` with several results, which IREE does not vectorize, and
`arith.maxnumf` and `arith.minnumf` in any; all maxima and minima of float64, those of arrays
included, on processors without instructions for it. LLVM calls a function of libm where a
processor has no instruction for them, and a program that depends on libc alone, or a WebAssembly
module, does not have it. IREE's own softmax has such maxima; what IREE recognizes softmax by, the
difference of numbers and the largest one of their row, becomes a sum.
Ensures: the same numbers, on every processor.

Numbers of 2**23 or 2**52 and more are integers. Adding that number to a smaller magnitude rounds
it to an integer, half-way cases to the even one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, ops_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import (
    as_number,
    pointwise,
    pointwise_op,
    replace,
    rewrite_numbers,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_INTEGERS = {"f32": 2.0**23, "f64": 2.0**52}
"""The least magnitude from which on all numbers are integers."""


_REPEATING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.maximum")
"""The ops between the maxima of rows and what is subtracted, which repeat them."""

_EXTREMES = ("arith.maximumf", "arith.minimumf")


def no_function_of_libm_is_called(context: PassContext) -> str | None:
    """None of the ops is left that `without_libm` rewrites."""
    return first(
        str(op)
        for op in (
            *_roundings(context, *_EMITTERS, *_STABLEHLO),
            *_clamps(context),
            *_shifts(context),
            *_extremes_of_arrays(context),
            *_maxima(context),
        )
    )


@pass_with(requires=(sizes_are_indices,), ensures=(no_function_of_libm_is_called,))
def without_libm(context: PassContext) -> None:
    """Rewrites all roundings and scalar maxima."""
    for op in _clamps(context):
        replace(op, pointwise_op(Body.before(op), op))
    for op in _shifts(context):
        _add_negative(op)
    for op in _extremes_of_arrays(context):
        _choose(op)
    for op in list(_maxima(context)):
        body = Body.before(op)
        replace(op, _extreme(body, op.name, *(as_number(body, x) for x in op.operands)).value)
    for op in _roundings(context, *_STABLEHLO):
        emit = _EMITTERS[_STABLEHLO[op.name]]
        replace(op, pointwise(Body.before(op), op, lambda body, each, emit=emit: emit(body, *each)))
    for op in _roundings(context, *_EMITTERS):
        rewrite_numbers([op], _EMITTERS[op.name])


def _roundings(context: PassContext, *names: str) -> list[ir.Operation]:
    """The ops of some names that round numbers."""
    if not isinstance(context.processor, VectorUnit):
        return []
    ops = nested_ops(context.module.operation, *names)
    kinds = {op: element(op.operands[0]) for op in ops}
    return [
        op
        for op, of in kinds.items()
        if of in _INTEGERS and (of == "f64" or not op.name.endswith(".floor"))  # C has floorf
    ]


def _maxima(context: PassContext) -> Iterator[ir.Operation]:
    """The maxima and minima of single numbers."""
    if isinstance(context.processor, VectorUnit):
        for generic in nested_ops(context.module.operation, "linalg.generic"):
            yield from nested_ops(generic, "arith.maxnumf", "arith.minnumf")
            if len(generic.results) > 1:
                yield from nested_ops(generic, *_EXTREMES)
            else:
                yield from _without_unit(context, generic, *_EXTREMES)


def _clamps(context: PassContext) -> list[ir.Operation]:
    """The clamps of float64 where a processor has no instructions for it."""
    return _without_unit(context, context.module.operation, "stablehlo.clamp")


def _extremes_of_arrays(context: PassContext) -> list[ir.Operation]:
    """The maxima and minima of float64, in reductions too, where a processor lacks instructions."""
    names = "stablehlo.maximum", "stablehlo.minimum"
    return _without_unit(context, context.module.operation, *names)


def _shifts(context: PassContext) -> list[ir.Operation]:
    """The subtractions of maxima of rows, as in softmax, which IREE takes as an op of its own."""
    if not isinstance(context.processor, VectorUnit):
        return []
    ops = nested_ops(context.module.operation, "stablehlo.subtract")
    return [op for op in ops if _is_maximum(op.operands[1])]


def _is_maximum(value: ir.Value) -> bool:
    """Whether a value repeats the maxima of an array along axes."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.operation
    if op.name == "stablehlo.reduce":
        return ops_of(op.regions[0].blocks[0])[0].name == "stablehlo.maximum"
    return op.name in _REPEATING and any(map(_is_maximum, op.operands))


def _add_negative(op: ir.Operation) -> None:
    """Rewrites ``x - y`` as ``x + -y``, the same number."""
    body, (x, y) = Body.before(op), op.operands
    negative = body.op("stablehlo.negate", [y], [y.type]).results[0]
    replace(op, body.op("stablehlo.add", [x, negative], [x.type]).results[0])


def _without_unit(context: PassContext, within: ir.Operation, *names: str) -> list[ir.Operation]:
    """The ops of float64 of some names, if the processor has no instructions for it; else none."""
    processor = context.processor
    if not isinstance(processor, VectorUnit) or processor.float64_unit:
        return []
    return [op for op in nested_ops(within, *names) if element(op.results[0]) == "f64"]


def _choose(op: ir.Operation) -> None:
    """Rewrites a maximum or minimum of arrays as a choice."""
    x, y = op.operands
    body, shape = Body.before(op), ir.RankedTensorType(x.type).shape
    bits = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(1))

    def compared(direction: str, left: ir.Value, right: ir.Value) -> ir.Value:
        attribute = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
        attributes = {"comparison_direction": attribute}
        return body.op("stablehlo.compare", [left, right], [bits], attributes).results[0]

    def chosen(condition: ir.Value, other: ir.Value) -> ir.Value:
        return body.op("stablehlo.select", [condition, x, other], [x.type]).results[0]

    first = compared("GT" if op.name == "stablehlo.maximum" else "LT", x, y)
    replace(op, chosen(compared("NE", x, x), chosen(first, y)))


def _extreme(body: Body, name: str, x: Number, y: Number) -> Number:
    """Emits the larger or smaller of two numbers; NaN, or the other, if one of them is NaN."""
    compared = body.compare("ogt" if "max" in name else "olt", x, y)
    decisive = x if name.endswith("imumf") else y
    return body.select(body.compare("uno", decisive, decisive), x, body.select(compared, x, y))


def _even(body: Body, x: Number) -> Number:
    """Emits the nearest integer, half-way cases to the even one."""
    large = body.constant(_INTEGERS[x.element], x.element, x.lanes)
    magnitude = body.number("math.absf", [x], x.element, x.lanes)
    rounded = _with_sign(body, magnitude + large - large, x)
    return body.select(body.compare("olt", magnitude, large), rounded, x)  # NaN stays NaN


def _floor(body: Body, x: Number) -> Number:
    """Emits the largest integer that is not above a number."""
    even, zero = _even(body, x), body.constant(0, x.element, x.lanes)
    one = body.constant(1, x.element, x.lanes)
    return even - body.select(body.compare("ogt", even, x), one, zero)


def _ceil(body: Body, x: Number) -> Number:
    """Emits the smallest integer that is not below a number; -0 for those between -1 and 0."""
    return _negative(body, _floor(body, _negative(body, x)))


def _trunc(body: Body, x: Number) -> Number:
    """Emits the integer next to a number towards 0."""
    magnitude = body.number("math.absf", [x], x.element, x.lanes)
    return _with_sign(body, _floor(body, magnitude), x)


def _away(body: Body, x: Number) -> Number:
    """Emits the nearest integer, half-way cases away from 0."""
    whole, half = _trunc(body, x), body.constant(0.5, x.element, x.lanes)
    rest = body.number("math.absf", [x - whole], x.element, x.lanes)
    more = whole + _with_sign(body, body.constant(1, x.element, x.lanes), x)
    return body.select(body.compare("oge", rest, half), more, whole)


def _negative(body: Body, x: Number) -> Number:
    return body.number("arith.negf", [x], x.element, x.lanes)


def _with_sign(body: Body, magnitude: Number, of: Number) -> Number:
    """Emits a magnitude with the sign of another number."""
    return body.number("math.copysign", [magnitude, of], of.element, of.lanes)


_EMITTERS: dict[str, Callable[[Body, Number], Number]] = {
    "math.roundeven": _even,
    "math.floor": _floor,
    "math.ceil": _ceil,
    "math.trunc": _trunc,
    "math.round": _away,
}
"""How each op is composed."""

_STABLEHLO = {
    "stablehlo.ceil": "math.ceil",
    "stablehlo.floor": "math.floor",
    "stablehlo.round_nearest_afz": "math.round",
    "stablehlo.round_nearest_even": "math.roundeven",
}
"""The same functions of arrays."""
