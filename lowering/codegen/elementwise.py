"""StableHLO's elementwise ops on scalars or vectors, in MLIR's `arith` and `math` dialects.

The expansions are those of IREE's own conversion of StableHLO, so a rewritten loop computes the
same as the original. A rewrite treats exactly the ops in the table of emitters as elementwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from rnn_compiler.lowering.codegen.body import Body, Number, bits, is_float
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.marks import LOGISTIC
from rnn_compiler.lowering.mlir.refused import Refused

Emitter: TypeAlias = Callable[[Body, ir.Operation, Sequence[Number]], Number]
"""Emits one StableHLO op on its operands."""


def _plain(float_op: str | None, integer_op: str | None) -> Emitter:
    """An op with a counterpart in `arith` or `math`, by the element type of its last operand."""

    def emit(body: Body, op: ir.Operation, operands: Sequence[Number]) -> Number:
        of = operands[-1]
        name = float_op if is_float(of.element) else integer_op
        if name is None:
            raise Refused(f"{op.name} of {of.element} in a step")
        return body.number(name, operands, of.element, of.lanes)

    return emit


def _logistic(body: Body, _: ir.Operation, operands: Sequence[Number]) -> Number:
    (x,) = operands
    one = body.constant(1, x.element, x.lanes)
    negative = body.number("arith.negf", [x], x.element, x.lanes)
    exponential = body.number("math.exp", [negative], x.element, x.lanes)
    mark = {LOGISTIC: ir.UnitAttr.get()} if x.element == "f32" else {}
    return body.number("arith.divf", [one, exponential + one], x.element, x.lanes, mark)


def _clamp(body: Body, _: ir.Operation, operands: Sequence[Number]) -> Number:
    low, value, high = operands
    larger, smaller = "arith.maximumf", "arith.minimumf"
    if not is_float(high.element):
        larger, smaller = "arith.maxsi", "arith.minsi"
    at_least = body.number(larger, [value, low], high.element, high.lanes)
    return body.number(smaller, [at_least, high], high.element, high.lanes)


_PREDICATES_OF = {
    "EQ": ("oeq", "eq"),
    "NE": ("une", "ne"),
    "LT": ("olt", "slt"),
    "LE": ("ole", "sle"),
    "GT": ("ogt", "sgt"),
    "GE": ("oge", "sge"),
}
"""Comparison directions, for floating point numbers and for integers."""


def _compare(body: Body, op: ir.Operation, operands: Sequence[Number]) -> Number:
    direction = str(op.attributes["comparison_direction"]).split()[-1].rstrip(">")
    first, second = operands
    of_floats, of_integers = _PREDICATES_OF[direction]
    return body.compare(of_floats if is_float(second.element) else of_integers, first, second)


def _not(body: Body, op: ir.Operation, operands: Sequence[Number]) -> Number:
    (x,) = operands
    if x.element != "i1":
        raise Refused(f"{op.name} of {x.element} in a step")
    true = body.constant(True, x.element, x.lanes)
    return body.number("arith.xori", [x, true], x.element, x.lanes)


def _select(body: Body, _: ir.Operation, operands: Sequence[Number]) -> Number:
    condition, first, second = operands
    return body.select(condition, first, second)


def _convert(body: Body, op: ir.Operation, operands: Sequence[Number]) -> Number:
    (x,) = operands
    return cast(body, x, str(ir.RankedTensorType(op.results[0].type).element_type))


_EMITTERS: Mapping[str, Emitter] = MappingProxyType(
    {
        "add": _plain("arith.addf", "arith.addi"),
        "subtract": _plain("arith.subf", "arith.subi"),
        "multiply": _plain("arith.mulf", "arith.muli"),
        "divide": _plain("arith.divf", None),
        "maximum": _plain("arith.maximumf", "arith.maxsi"),
        "minimum": _plain("arith.minimumf", "arith.minsi"),
        "negate": _plain("arith.negf", None),
        "abs": _plain("math.absf", None),
        "sqrt": _plain("math.sqrt", None),
        "tanh": _plain("math.tanh", None),
        "exponential": _plain("math.exp", None),
        "log_plus_one": _plain("math.log1p", None),
        "and": _plain(None, "arith.andi"),
        "or": _plain(None, "arith.ori"),
        "xor": _plain(None, "arith.xori"),
        "shift_left": _plain(None, "arith.shli"),
        "shift_right_arithmetic": _plain(None, "arith.shrsi"),
        "shift_right_logical": _plain(None, "arith.shrui"),
        "not": _not,
        "logistic": _logistic,
        "clamp": _clamp,
        "compare": _compare,
        "select": _select,
        "convert": _convert,
    }
)

ELEMENTWISE = frozenset(f"stablehlo.{name}" for name in _EMITTERS)
"""The ops that `elementwise` knows."""


def elementwise(body: Body, op: ir.Operation, operands: Sequence[Number]) -> Number:
    """Emits one elementwise op on scalars, or on vectors of as many lanes."""
    emit = _EMITTERS.get(op.name.removeprefix("stablehlo."))
    if emit is None:
        raise Refused(f"{op.name} in a step")
    return emit(body, op, operands)


def cast(body: Body, x: Number, element: str) -> Number:
    """Emits the same numbers in another element type."""
    if x.element == element:
        return x
    if (x.element, element) == ("bf16", "f32") and _is_rounded(x):
        return _widened(body, x)
    wider = bits(element) > bits(x.element)
    floats = is_float(x.element), is_float(element)
    if floats == (True, True) and bits(x.element) != bits(element):
        op = "extf" if wider else "truncf"
    elif floats == (False, False) and element != "i1":
        op = ("extui" if x.element == "i1" else "extsi") if wider else "trunci"
    elif x.element == "i1":
        op = "uitofp"
    else:
        raise Refused(f"a conversion from {x.element} to {element}")
    return body.number(f"arith.{op}", [x], element, x.lanes)


def _is_rounded(x: Number) -> bool:
    """Whether a number was just rounded to its type or selected from such, rather than read."""
    owner = x.value.owner
    if isinstance(owner, ir.Block):
        return False
    return owner.operation.name in ("arith.select", "arith.truncf")


def _widened(body: Body, x: Number) -> Number:
    """A bfloat16 as float32, by its bits.

    IREE folds an `arith.extf` of an `arith.truncf` to bf16, so the next step would get a state
    other than the one that was stored (`tests/traps/test_bfloat16_round_trip.py`).
    """
    wide = body.number("arith.extui", [x.bitcast("i16")], "i32", x.lanes)
    return (wide << 16).bitcast("f32")


def splat(body: Body, constant: ir.Operation, lanes: int = 0) -> Number:
    """Emits a constant of equal elements as a scalar or a vector."""
    dense = ir.DenseElementsAttr(constant.attributes["value"])
    if not dense.is_splat:
        raise Refused("a constant of several numbers")
    element = str(ir.RankedTensorType(constant.results[0].type).element_type)
    return body.constant(dense.get_splat_value(), element, lanes)
