"""StableHLO's elementwise ops on scalars or vectors, in MLIR's `arith` and `math` dialects.

The same expansions that IREE's own conversion of StableHLO makes, so that a loop that was rewritten
computes what the loop as it stood computed.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence

from rnn_compiler.lowering.analysis.time_loop import (
    NotARecurrence,
    attribute_text,
    defining,
    element,
)
from rnn_compiler.lowering.kernel.body import vector
from rnn_compiler.lowering.mlir import ir

__all__ = ["Emit", "cast", "elementwise", "row_index", "scalar", "splat"]

Emit = Callable[[str], str]
"""Emits an op given by the text right of its ``=``; gives the name of its result."""

_FLOAT = {
    "add": "arith.addf",
    "subtract": "arith.subf",
    "multiply": "arith.mulf",
    "divide": "arith.divf",
    "maximum": "arith.maximumf",
    "minimum": "arith.minimumf",
    "negate": "arith.negf",
    "abs": "math.absf",
    "tanh": "math.tanh",
    "exponential": "math.exp",
}

_INTEGER = {
    "add": "arith.addi",
    "subtract": "arith.subi",
    "multiply": "arith.muli",
    "maximum": "arith.maxsi",
    "minimum": "arith.minsi",
    "and": "arith.andi",
    "or": "arith.ori",
}

_PREDICATES = {
    "EQ": ("oeq", "eq"),
    "NE": ("une", "ne"),
    "LT": ("olt", "slt"),
    "LE": ("ole", "sle"),
    "GT": ("ogt", "sgt"),
    "GE": ("oge", "sge"),
}
"""Comparison directions, for floating point numbers and for integers."""

_WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i1": 1, "i32": 32, "i64": 64}


def is_float(element: str) -> bool:
    """Whether an element type is one of floating point numbers."""
    return "f" in element


def _constant(emit: Emit, value: str, element: str, lanes: int = 0) -> str:
    """A number, or a vector of that number."""
    value = f"dense<{value}>" if lanes else value
    return emit(f"arith.constant {value} : {vector(lanes, element)}")


def cast(emit: Emit, x: str, source: str, target: str, lanes: int = 0) -> str:
    """The same numbers in another element type.

    Raises:
        NotARecurrence: There is no such conversion in a recurrence.
    """
    if source == target:
        return x
    wider = _WIDTHS[target] > _WIDTHS[source]
    if is_float(source) and is_float(target) and _WIDTHS[source] != _WIDTHS[target]:
        op = "extf" if wider else "truncf"
    elif not is_float(source) and not is_float(target) and target != "i1":
        op = ("extui" if source == "i1" else "extsi") if wider else "trunci"
    elif source == "i1":
        op = "uitofp"
    else:
        raise NotARecurrence(f"a conversion from {source} to {target}")
    return emit(f"arith.{op} {x} : {vector(lanes, source)} to {vector(lanes, target)}")


def splat(emit: Emit, op: ir.Operation, element: str, lanes: int = 0) -> str:
    """A constant of equal elements: one of them, or a vector of them."""
    dense = ir.DenseElementsAttr(op.attributes["value"])
    if not dense.is_splat:
        raise NotARecurrence("a constant of several numbers")
    value = str(dense.get_splat_value()).split(" ")[0]
    if element == "i1":
        value = "true" if value in ("true", "1", "-1") else "false"
    return _constant(emit, value, element, lanes)


def elementwise(
    emit: Emit, op: ir.Operation, operands: Sequence[str], element: str, lanes: int = 0
) -> str:
    """One elementwise op.

    Args:
        emit: Emits an op.
        op: The StableHLO op.
        operands: Its operands.
        element: Element type of its last operand.
        lanes: How many numbers each operand is a vector of; 0 for scalars.

    Raises:
        NotARecurrence: There is no such op here.
    """
    name = op.name.removeprefix("stablehlo.")
    x = ", ".join(operands)
    kind = vector(lanes, element)
    table = _FLOAT if is_float(element) else _INTEGER
    if name in table:
        return emit(f"{table[name]} {x} : {kind}")
    if name == "logistic":
        one = _constant(emit, "1.0", element, lanes)
        negative = emit(f"arith.negf {x} : {kind}")
        exponential = emit(f"math.exp {negative} : {kind}")
        denominator = emit(f"arith.addf {exponential}, {one} : {kind}")
        return emit(f"arith.divf {one}, {denominator} : {kind}")
    if name == "select":
        condition = f"{vector(lanes, 'i1')}, " if lanes else ""
        return emit(f"arith.select {x} : {condition}{kind}")
    if name == "clamp":
        low, value, high = operands
        at_least = emit(f"arith.maximumf {value}, {low} : {kind}")
        return emit(f"arith.minimumf {at_least}, {high} : {kind}")
    if name == "compare":
        direction = attribute_text(op, "comparison_direction").split()[-1].rstrip(">")
        float_predicate, integer_predicate = _PREDICATES[direction]
        if is_float(element):
            return emit(f"arith.cmpf {float_predicate}, {x} : {kind}")
        return emit(f"arith.cmpi {integer_predicate}, {x} : {kind}")
    if name == "not" and element == "i1":
        return emit(f"arith.xori {x}, {_constant(emit, 'true', element, lanes)} : {kind}")
    raise NotARecurrence(f"{op.name} of {element} in a step")


def scalar(emit: Emit, known: dict[ir.Value, str], value: ir.Value) -> str:
    """A scalar that a step computes.

    Args:
        emit: Emits an op.
        known: The names of those there are; what is emitted is added.
        value: The scalar.
    """
    if value not in known:
        op = defining(value)
        if op.name == "stablehlo.constant":
            known[value] = splat(emit, op, element(value))
        else:
            operands = [scalar(emit, known, operand) for operand in op.operands]
            last = element(op.operands[-1])
            if op.name == "stablehlo.convert":
                known[value] = cast(emit, operands[0], last, element(value))
            else:
                known[value] = elementwise(emit, op, operands, last)
    return known[value]


def row_index(emit: Emit, known: dict[ir.Value, str], value: ir.Value, length: int) -> str:
    """The index of a row, a scalar of the step, clamped to the array as `dynamic_slice` does."""
    index = cast(emit, scalar(emit, known, value), element(value), "i64")
    zero, last = (emit(f"arith.constant {n} : i64") for n in (0, length - 1))
    low = emit(f"arith.maxsi {index}, {zero} : i64")
    return emit(f"arith.index_cast {emit(f'arith.minsi {low}, {last} : i64')} : i64 to index")
