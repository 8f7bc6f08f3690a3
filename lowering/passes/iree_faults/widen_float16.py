"""Widens float16 to float32 by integer arithmetic where IREE has no function that does it.

Requires: a module after all other rewrites, those of open sizes among them. Matches: in
WebAssembly, `arith.extf` of float16 to float32, anywhere, and `stablehlo.convert` of the same;
products of float16 that are summed in float32; choices between float16 numbers, which LLVM also
widens. There IREE calls its function `__extendhfsf2` with an integer, but declares the parameter as
a float, and engines reject the module (`tests/js/test_goldens.py`). Ensures: the same numbers,
including subnormals, infinities and NaN.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.body import Body, Number, element_type
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import (
    conversions,
    pointwise_cast,
    replace,
    rewrite_conversions,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["widen_float16"]

_DROPPED = 13
"""Bits of a float32's significand that a float16 lacks."""

_SCALE = 2.0**112
"""The factor for the difference of both types' exponents."""

_INFINITY, _INFINITY_16 = 0xFF << 23, 0x7C00

_BITCASTS = {"stablehlo.select": "stablehlo.bitcast_convert", "arith.select": "arith.bitcast"}
"""Ops that select between numbers, each with its dialect's bitcast."""

_NAMED = (
    *("linalg.matmul", "linalg.batch_matmul", "linalg.matvec", "linalg.vecmat", "linalg.dot"),
    *("linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nchw_fchw"),
)
"""Products of networks."""

_WIDENING = ("arith.extf", "f16", "f32")


def nothing_widens_float16(context: PassContext) -> str | None:
    """No op is left that would call IREE's function where there is none."""
    if not _is_needed(context):
        return None
    module = context.module
    found = *_products(module), *_choices(module), *conversions(module, *_WIDENING)
    return first(map(str, found))


@pass_with(requires=(sizes_are_indices,), ensures=(nothing_widens_float16,))
def widen_float16(context: PassContext) -> None:
    """Rewrites all ops that would widen float16."""
    if not _is_needed(context):
        return
    for product in _products(context.module):
        for number, operand in enumerate([*product.operands][:2]):
            product.operands[number] = pointwise_cast(Body.before(product), operand, "f32")
        if product.name != "stablehlo.dot_general":
            _multiply_float32(product)
    for choice in _choices(context.module):
        _choose_bits(choice)
    rewrite_conversions(context.module, *_WIDENING, _widened)


def _is_needed(context: PassContext) -> bool:
    processor = context.processor
    return isinstance(processor, VectorUnit) and not processor.widens_float16


def _products(module: ir.Module) -> list[ir.Operation]:
    """The products of float16 that are summed in float32, those of a network among them."""
    ops = nested_ops(module.operation, "stablehlo.dot_general", *_NAMED)
    kinds = [[element(each) for each in (*[*op.operands][:2], op.results[0])] for op in ops]
    return [op for op, kind in zip(ops, kinds, strict=True) if kind == ["f16", "f16", "f32"]]


def _multiply_float32(product: ir.Operation) -> None:
    """Has the body of a named op of linalg multiply its operands, which are float32 now."""
    attributes = {name: product.attributes[name] for name in product.attributes}
    made = Body.before(product).op(
        product.name, [*product.operands], [product.results[0].type], attributes, regions=1
    )
    block = made.regions[0].blocks.append(*[element_type("f32")] * 3)
    inside = Body(block, product.location)
    x, y, total = (Number(inside, value, "f32") for value in block.arguments)
    inside.op("linalg.yield", [total + x * y])
    replace(product, made.results[0])


def _choices(module: ir.Module) -> list[ir.Operation]:
    """The selections between numbers in float16."""
    return [
        op for op in nested_ops(module.operation, *_BITCASTS) if element(op.results[0]) == "f16"
    ]


def _choose_bits(choice: ir.Operation) -> None:
    """Rewrites a choice as one between the bits of the numbers."""
    body = Body.before(choice)
    condition, *values = choice.operands
    kind = choice.results[0].type
    integers = ir.Type.parse(str(kind).replace("f16", "i16"))
    bits = [body.op(_BITCASTS[choice.name], [each], [integers]).results[0] for each in values]
    chosen = body.op(choice.name, [condition, *bits], [integers])
    replace(choice, body.op(_BITCASTS[choice.name], [chosen.results[0]], [kind]).results[0])


def _widened(body: Body, x: Number) -> Number:
    """Emits a float16 as float32."""
    bits = body.number("arith.extui", [x.bitcast("i16")], "i32", x.lanes)
    magnitude = bits & 0x7FFF
    shifted = magnitude << _DROPPED
    scaled = shifted.bitcast("f32") * body.constant(_SCALE, "f32", x.lanes)
    is_finite = magnitude < body.constant(_INFINITY_16, "i32", x.lanes)
    unsigned = body.select(is_finite, scaled.bitcast("i32"), shifted | _INFINITY)
    return (unsigned | (bits & 0x8000) << 16).bitcast("f32")
