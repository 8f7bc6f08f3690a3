"""Rounds to float16 by integer arithmetic where the processor has no instruction for it.

Requires: a module after all other rewrites, those of open sizes among them.
Matches: on CPUs without such an instruction, `arith.truncf` of float32 to float16, anywhere, and
`stablehlo.convert` of the same, which becomes a `linalg.generic` around one. Instead of the
instruction IREE links a function of its device library, `iree_f2h_ieee`, which returns 0 for
results that are subnormal in float16 (`tests/traps/test_float16_subnormals.py`). Nothing else needs
this: arithmetic on 16-bit numbers is in float32, and IREE's conversion to float32 keeps subnormals.
Ensures: the same bits as the instruction except for the payloads of NaN, also where float32
subnormals are flushed to zero.
"""

from __future__ import annotations

from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import conversions, rewrite_conversions
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_DROPPED = 13
"""Bits of a float32's significand that a float16 lacks."""

_BIAS = (127 - 15) << 23
"""The difference of both types' exponents, at its position in a float32."""

_SMALLEST_NORMAL = (127 - 14) << 23
"""The smallest normal float16, as float32."""

_HALF = 126 << 23
"""0.5 as float32, whose last bit has the same value as that of a subnormal float16."""

_INFINITY, _INFINITY_16, _NAN_16 = 0xFF << 23, 0x7C00, 0x7E00

_ROUNDING = ("arith.truncf", "f32", "f16")


def float16_is_rounded_exactly(context: PassContext) -> str | None:
    """No conversion to float16 is left for which the processor has no instruction."""
    found = conversions(context.module, *_ROUNDING) if _is_needed(context) else []
    return first(map(str, found))


@pass_with(requires=(sizes_are_indices,), ensures=(float16_is_rounded_exactly,))
def round_to_float16(context: PassContext) -> None:
    """Rewrites all conversions to float16."""
    if _is_needed(context):
        rewrite_conversions(context.module, *_ROUNDING, _rounded)


def _is_needed(context: PassContext) -> bool:
    processor = context.processor
    return isinstance(processor, VectorUnit) and not processor.rounds_to_float16


def _rounded(body: Body, x: Number) -> Number:
    """Emits a float32 rounded to the nearest float16, of two to the even one."""

    def constant(value: int) -> Number:
        return body.constant(value, "i32", x.lanes)

    bits = x.bitcast("i32")
    magnitude = bits & 0x7FFFFFFF
    is_odd = magnitude >> _DROPPED & 1
    nearest = magnitude + is_odd + ((1 << _DROPPED - 1) - 1 - _BIAS)
    rounded = [nearest >> _DROPPED, constant(_INFINITY_16)]
    normal = body.number("arith.minui", rounded, "i32", x.lanes)
    # The sum with 0.5 is rounded to a multiple of the smallest subnormal float16.
    shifted = magnitude.bitcast("f32") + body.constant(0.5, "f32", x.lanes)
    subnormal = shifted.bitcast("i32") - _HALF
    is_small = body.compare("slt", magnitude, constant(_SMALLEST_NORMAL))
    is_nan = body.compare("sgt", magnitude, constant(_INFINITY))
    finite = body.select(is_small, subnormal, normal)
    unsigned = body.select(is_nan, constant(_NAN_16), finite)
    whole = unsigned | bits >> 16 & 0x8000
    return body.number("arith.trunci", [whole], "i16", x.lanes).bitcast("f16")
