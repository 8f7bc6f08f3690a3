"""Converts integers to bfloat16 by way of float32.

Requires: a module after all other rewrites.
Matches: on CPUs, `arith.sitofp` and `arith.uitofp` to bfloat16, anywhere, and `stablehlo.convert`
of integers and booleans to it. IREE expands the rounding of float32 to bfloat16 into arithmetic of
integers, but not this conversion, nor that rounding right behind a conversion to float32, of which
it makes one. LLVM calls a function for it, `__truncsfbf2`, that nothing links where the processor
has no instruction (`tests/traps/test_integers_to_bfloat16.py`).
Ensures: the integer rounded to float32, and this to bfloat16, each time to the nearest, of two to
the even one, as XLA and ONNX Runtime do.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.lowering.rewriting.edits import as_number, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_EXPONENT, _SIGNIFICAND = 8, 7
"""Bits of a bfloat16."""

_FROM_INTEGERS = ("arith.sitofp", "arith.uitofp", "stablehlo.convert")


def bfloat16_comes_from_floats(context: PassContext) -> str | None:
    """No integer is converted to bfloat16 at once."""
    return first(map(str, _conversions(context)))


@pass_with(requires=(), ensures=(bfloat16_comes_from_floats,))
def round_to_bfloat16(context: PassContext) -> None:
    """Rewrites all conversions of integers to bfloat16."""
    for op in _conversions(context):
        body = Body.before(op)
        place, kind = ir.InsertionPoint(op), op.results[0].type
        wide = ir.Type.parse(str(kind).replace("bf16", "f32"))
        made = ir.Operation.create(op.name, [wide], [*op.operands], ip=place, loc=op.location)
        if op.name == "stablehlo.convert":
            replace(op, _rounded_array(op, made.results[0]))
        else:
            replace(op, _rounded(as_number(body, made.results[0])).value)


def _rounded_array(op: ir.Operation, wide: ir.Value) -> ir.Value:
    """Emits an array of float32 in the type of an op's result."""
    bits = {
        "exponent_bits": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), _EXPONENT),
        "mantissa_bits": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), _SIGNIFICAND),
    }
    for name, kind, attributes in (
        ("stablehlo.reduce_precision", wide.type, bits),
        ("stablehlo.convert", op.results[0].type, {}),
    ):
        place = ir.InsertionPoint(op)
        wide = ir.Operation.create(
            name, [kind], [wide], attributes, ip=place, loc=op.location
        ).results[0]
    return wide


def _rounded(x: Number) -> Number:
    """Emits a finite float32 rounded to the nearest bfloat16, of two to the even one."""
    bits = x.bitcast("i32")
    nearest = bits + ((bits >> 16 & 1) + 0x7FFF) >> 16 & 0xFFFF
    return nearest.body.number("arith.trunci", [nearest], "i16", x.lanes).bitcast("bf16")


def _conversions(context: PassContext) -> list[ir.Operation]:
    """The conversions of integers to bfloat16, if they are rewritten."""
    if not isinstance(context.processor, VectorUnit):
        return []
    return [
        op
        for op in nested_ops(context.module.operation, *_FROM_INTEGERS)
        if element(op.results[0]) == "bf16" and element(op.operands[0]).lstrip("su").startswith("i")
    ]
