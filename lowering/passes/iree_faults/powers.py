"""Computes powers of floats in a user's module as IEEE 754 defines them.

Requires: a module with all bodies.
Matches: `stablehlo.power` of floats in a user's module. IREE makes ``exp(y * log(x))`` of it, which
is NaN for all negative x, and for 0**0, inf**0, 1**inf and NaN**0 (`tests/traps/test_powers.py`).
Imported networks never have it (`network_import/graph/powers.py`).
Ensures: ``|x|**y`` by IREE, with the sign and the special cases of `pow` (IEEE 754-2019, 9.2.1).
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import defining, element
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    first,
    frozen_weights_are_parameters,
)
from rnn_compiler.lowering.rewriting.edits import replace
from rnn_compiler.schema.open_sizes import is_static

_FLOATS = ("f16", "bf16", "f32", "f64")


def bases_are_magnitudes(context: PassContext) -> str | None:
    """Each power of floats is one of a magnitude, which is never negative."""
    bases = [op.operands[0] for op in _of_floats(context.module)]
    return first(
        str(base)
        for base in bases
        if isinstance(base, ir.BlockArgument) or defining(base).name != "stablehlo.abs"
    )


@pass_with(requires=(frozen_weights_are_parameters,), ensures=(bases_are_magnitudes,))
def powers(context: PassContext) -> None:
    """Rewrites all powers of floats."""
    for op in _of_floats(context.module) if context.request.is_users else []:
        with ir.InsertionPoint(op), op.location:
            power = _power(*op.operands)
        replace(op, power)


def _of_floats(module: ir.Module) -> list[ir.Operation]:
    """The powers of floats."""
    ops = nested_ops(module.operation, "stablehlo.power")
    return [op for op in ops if element(op.results[0]) in _FLOATS]


def _power(x: ir.Value, y: ir.Value) -> ir.Value:
    """Emits x to the power y."""
    zero, one, infinity = (_like(x, value) for value in (0.0, 1.0, float("inf")))
    magnitude = _op("abs", x)
    size = _op("power", magnitude, y)

    half = _op("multiply", y, _like(x, 0.5))
    integer = _compare("EQ", _op("floor", y), y)
    odd = _op("and", integer, _compare("NE", _op("floor", half), half))
    # The bit, and not a comparison: -0 to the power -1 is -inf.
    negative = _compare("LT", _op("divide", one, x), zero)
    negative = _op("or", negative, _compare("LT", x, zero))
    power = _op("select", _op("and", negative, odd), _op("negate", size), size)

    undefined = _op("and", _compare("LT", x, zero), _op("not", integer))
    undefined = _op("and", undefined, _compare("LT", magnitude, infinity))
    power = _op("select", undefined, _like(x, float("nan")), power)

    endless = _compare("EQ", _op("abs", y), infinity)
    unit = _op("and", _compare("EQ", magnitude, one), endless)
    for case in (_compare("EQ", x, one), _compare("EQ", y, zero), unit):
        power = _op("select", case, one, power)
    return power


def _like(value: ir.Value, constant: float) -> ir.Value:
    """A constant of a value's type and size, which may be open."""
    kind = ir.RankedTensorType(value.type)
    attribute = ir.FloatAttr.get(kind.element_type, constant)
    if is_static(*kind.shape):  # C and JavaScript modules have no constants of chlo
        splat = {"value": ir.DenseElementsAttr.get_splat(kind, attribute)}
        return ir.Operation.create("stablehlo.constant", [kind], attributes=splat).results[0]
    op = ir.Operation.create("chlo.constant_like", [kind], [value], {"value": attribute})
    return op.results[0]


def _op(name: str, *operands: ir.Value) -> ir.Value:
    """An op of StableHLO whose result is of the type of its last operand."""
    return ir.Operation.create(f"stablehlo.{name}", [operands[-1].type], operands).results[0]


def _compare(direction: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """A comparison of floats, which is false where an operand is NaN except for NE."""
    kind = ir.RankedTensorType(left.type)
    bits = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_signless(1))
    attribute = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    attributes = {"comparison_direction": attribute}
    return ir.Operation.create("stablehlo.compare", [bits], [left, right], attributes).results[0]
