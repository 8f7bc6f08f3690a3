"""Finds NaN by its bits where LLVM's comparisons of vectors lose it.

On MVE, the conditions LT and LE are the opposites of GE and GT, so NaN fulfils them. LLVM overlooks
that when it exchanges the operands of GT and GE, as it does if one is 0 or comes from a scalar
register: NaN is then less than 0 (`tests/traps/test_nan_on_mve.py`). LLVM's maxima and IREE's
functions test for NaN by such comparisons, so they lose it too.

Modules are changed halfway through IREE, after its phase `input`, which leaves linalg of all other
dialects that a module may have. Changed are, of floats that MVE has vectors of: comparisons, maxima
and minima, functions of the `math` dialect, roundings to bfloat16.

    x < y           x < y  and not NaN(x)  and not NaN(y); or .. if NaN fulfils the comparison
    max(x, y)       NaN(y) ? y : NaN(x) ? x : the larger number
    exp(x)          NaN(x) ? x : exp(x)
    bfloat16(x)     NaN(x) ? NaN : bfloat16(x)

NaN(x) compares integers: the bits of x without the sign, and those of infinity. LLVM folds the
tests of constants. An LSTM's code grows by up to 8 %; without vectors of floats it would be more
than three times as large.

Left are the maxima and minima of reductions, which IREE recognises, and whose operands are vectors;
functions that are a single instruction; float64.
"""

from __future__ import annotations

import math

from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.codegen.body import Body, Number, bits, float_predicate
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, new_context
from rnn_compiler.lowering.rewriting.edits import as_number, replace
from rnn_compiler.schema.open_sizes import Size

_INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000}
"""The bits of infinity, by element type."""

_LARGER_NUMBER = {"arith.maximumf": "arith.maxnumf", "arith.minimumf": "arith.minnumf"}
"""MVE's instructions, which prefer numbers to NaN and +0 to -0."""

_EXACT = {
    *("math.absf", "math.ceil", "math.copysign", "math.floor", "math.fma", "math.round"),
    *("math.roundeven", "math.sqrt", "math.trunc"),
}
"""Functions that keep NaN."""


def keep_nan(text: str) -> str:
    """Rewrites the ops of a module that lose NaN, after IREE's phase `input`."""
    with new_context("arith"), ir.Location.unknown():
        module = ir.Module.parse(text)
        for op in nested_ops(module.operation):
            if _loses_nan(op):
                replace(op, _guarded(op))
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def _loses_nan(op: ir.Operation) -> bool:
    """Whether an op is among those to rewrite."""
    match op.name:
        case "arith.cmpf":
            found = True
        case "arith.maximumf" | "arith.minimumf":
            found = not _is_of_reduction(op)
        case "arith.truncf":
            found = element(op.results[0]) == "bf16"
        case name:
            found = name.startswith("math.") and name not in _EXACT
    return found and element(op.operands[0]) in _INFINITY


def _is_of_reduction(op: ir.Operation) -> bool:
    """Whether an op combines an element with the result so far."""
    around = op.parent
    axes = str(around.attributes["iterator_types"]) if around.name == "linalg.generic" else ""
    if around.name != "linalg.reduce" and "reduction" not in axes:
        return False
    results = [*op.block.arguments][-len(around.results) :]
    is_shorter = _long_axes(around.operands[0]) != _long_axes(around.results[0])
    return is_shorter and any(operand in results for operand in op.operands)


def _long_axes(array: ir.Value) -> list[Size]:
    """The sizes of an array other than 1."""
    return [size for size in shape(array) if size != 1]


def _guarded(op: ir.Operation) -> ir.Value:
    """Emits an op again, with a test for NaN of each operand."""
    body = Body.before(op)
    attributes = {name: op.attributes[name] for name in op.attributes}
    name = _LARGER_NUMBER.get(op.name, op.name)
    made = body.op(name, [*op.operands], [op.results[0].type], attributes)
    found = as_number(body, made.results[0])
    for x in [as_number(body, each) for each in op.operands if element(each) in _INFINITY]:
        if op.name != "arith.cmpf":
            is_same = x.element == found.element
            nan = x if is_same else body.constant(math.nan, found.element, x.lanes)
            found = body.select(_compare_with_infinity("sgt", x), nan, found)
        elif float_predicate(op).startswith("u"):
            found = found | _compare_with_infinity("sgt", x)
        else:
            found = found & _compare_with_infinity("sle", x)
    return found.value


def _compare_with_infinity(predicate: str, x: Number) -> Number:
    """Emits a comparison of a float's magnitude with infinity, above which NaN is, as integers."""
    width = bits(x.element)
    magnitude = x.bitcast(f"i{width}") & ((1 << width - 1) - 1)
    infinity = x.body.constant(_INFINITY[x.element], magnitude.element, x.lanes)
    return x.body.compare(predicate, magnitude, infinity)
