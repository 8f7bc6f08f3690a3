"""Widens float16 to float32 by integer arithmetic where IREE has no function that does it.

Requires: a module after all other rewrites but that of roundings to float16, those of open sizes
among them. Matches: in WebAssembly, `arith.extf` of float16 to float32, anywhere, and
`stablehlo.convert` of the same; arithmetic and functions of float16 numbers and choices between
them, which become those of float32 whose results are rounded; products of float16 that are summed
in float32. LLVM widens the operands of all these, also of choices between the numbers' bits, which
it turns into choices between the numbers. There IREE calls its function
`__extendhfsf2` with an integer, but declares the parameter as a float, and engines reject the
module (`tests/js/test_goldens.py`). Ensures: the same numbers, including subnormals, infinities and
NaN.
"""

from __future__ import annotations

import re

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.attributes import segments
from rnn_compiler.lowering.codegen.body import Body, Number, element_type
from rnn_compiler.lowering.codegen.elementwise import ELEMENTWISE, cast
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, ops_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import (
    conversions,
    pointwise_cast,
    replace,
    rewrite_conversions,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_DROPPED = 13
"""Bits of a float32's significand that a float16 lacks."""

_SCALE = 2.0**112
"""The factor for the difference of both types' exponents."""

_INFINITY, _INFINITY_16 = 0xFF << 23, 0x7C00

_NAMED = (
    *("linalg.matmul", "linalg.batch_matmul", "linalg.matvec", "linalg.vecmat", "linalg.dot"),
    *("linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nchw_fchw", "linalg.conv_3d_ncdhw_fcdhw"),
    *("linalg.conv_2d_ngchw_gfchw", "linalg.depthwise_conv_2d_nchw_chw"),
)
"""Products of networks."""

_WITH_BODIES = ("linalg.generic", "linalg.map", "linalg.reduce")
"""The ops of linalg whose body can be changed."""

_WIDENING = ("arith.extf", "f16", "f32")

_KEPT = {
    *("arith.constant", "arith.extf", "arith.truncf", "arith.bitcast", "stablehlo.convert"),
}
"""Ops on float16 numbers that widen nothing, or are rewritten otherwise."""


def nothing_widens_float16(context: PassContext) -> str | None:
    """No op is left that would call IREE's function where there is none."""
    if not _is_needed(context):
        return None
    module = context.module
    found = *_products(module), *_pools(module), *_arithmetic(module)
    found = *found, *conversions(module, *_WIDENING)
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
    for pool in _pools(context.module):
        _pool_in_float32(pool)
    for op in _arithmetic(context.module):
        _compute_in_float32(op)
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


def _pools(module: ir.Module) -> list[ir.Operation]:
    """The pools of images in float16."""
    ops = nested_ops(module.operation)
    return [
        op for op in ops if op.name.startswith("linalg.pooling") and element(op.results[0]) == "f16"
    ]


def _pool_in_float32(pool: ir.Operation) -> None:
    """Takes the maxima or sums of a pool's windows in float32, and rounds them."""
    body = Body.before(pool)
    image, window, start = pool.operands
    wide = [pointwise_cast(body, image, "f32"), _filled(body, start)]
    attributes = {name: pool.attributes[name] for name in pool.attributes}
    operands = [wide[0], window, wide[1]]
    made = body.op(pool.name, operands, [wide[1].type], attributes, regions=1)
    (taken,) = ops_of(pool.regions[0].blocks[0])[:1]
    arguments: list[ir.Value] = [*pool.regions[0].blocks[0].arguments]
    block = made.regions[0].blocks.append(*[element_type(element(each)) for each in operands])
    inside = Body(block, pool.location)
    numbers = [Number(inside, block.arguments[arguments.index(x)], "f32") for x in taken.operands]
    inside.op("linalg.yield", [inside.number(taken.name, numbers, "f32")])
    replace(pool, pointwise_cast(Body.before(pool), made.results[0], "f16"))


def _filled(body: Body, start: ir.Value) -> ir.Value:
    """The array that a pool begins with, in float32: filled anew, as IREE loses an infinity."""
    fill = start.owner
    if isinstance(fill, ir.Block) or fill.operation.name != "linalg.fill":
        return pointwise_cast(body, start, "f32")
    number = cast(body, Number(body, fill.operation.operands[0], "f16"), "f32")
    kind = _widened_type(start.type)
    empty = body.op("tensor.empty", [], [kind]).results[0]
    sizes = {"operandSegmentSizes": segments(1, 1)}
    made = body.op("linalg.fill", [number, empty], [kind], sizes, regions=1)
    block = made.regions[0].blocks.append(element_type("f32"), element_type("f32"))
    Body(block, body.location).op("linalg.yield", [block.arguments[0]])
    return made.results[0]


def _arithmetic(module: ir.Module) -> list[ir.Operation]:
    """The ops that compute float16 numbers, or with them, except in named ops of linalg."""
    return [op for op in nested_ops(module.operation) if _computes(op)]


def _computes(op: ir.Operation) -> bool:
    """Whether an op is one of `_arithmetic`."""
    on_numbers = op.name.startswith(("arith.", "math.")) and not _is_named(op.parent)
    if op.name in _KEPT or not (on_numbers or op.name in ELEMENTWISE):
        return False
    return any(element(value) == "f16" for value in (*op.operands, *op.results))


def _is_named(op: ir.Operation | None) -> bool:
    """Whether an op's body follows from its name."""
    return op is not None and op.name.startswith("linalg.") and op.name not in _WITH_BODIES


def _compute_in_float32(op: ir.Operation) -> None:
    """Computes an op on float16 numbers in float32, and rounds its results."""
    body = Body.before(op)
    widen, narrow = (
        ("stablehlo.convert", "stablehlo.convert")
        if op.name.startswith("stablehlo.")
        else ("arith.extf", "arith.truncf")
    )
    operands = [
        body.op(widen, [each], [_widened_type(each.type)]).results[0]
        if element(each) == "f16"
        else each
        for each in op.operands
    ]
    kinds = [_widened_type(each.type) for each in op.results]
    attributes = {name: op.attributes[name] for name in op.attributes}
    made = body.op(op.name, operands, kinds, attributes)
    for old, new in zip(op.results, made.results, strict=True):
        value = new if old.type == new.type else body.op(narrow, [new], [old.type]).results[0]
        old.replace_all_uses_with(value)
    op.erase()


def _widened_type(kind: ir.Type) -> ir.Type:
    """A type of numbers or arrays with float32 for float16."""
    return ir.Type.parse(re.sub(r"(?<!b)f16(?=>|$)", "f32", str(kind)))


def _widened(body: Body, x: Number) -> Number:
    """Emits a float16 as float32."""
    bits = body.number("arith.extui", [x.bitcast("i16")], "i32", x.lanes)
    magnitude = bits & 0x7FFF
    shifted = magnitude << _DROPPED
    scaled = shifted.bitcast("f32") * body.constant(_SCALE, "f32", x.lanes)
    is_finite = magnitude < body.constant(_INFINITY_16, "i32", x.lanes)
    unsigned = body.select(is_finite, scaled.bitcast("i32"), shifted | _INFINITY)
    return (unsigned | (bits & 0x8000) << 16).bitcast("f32")
