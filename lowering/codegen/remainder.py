"""The remainder of a division of floats, as C's `fmod` defines it."""

from __future__ import annotations

import math

from rnn_compiler.lowering.codegen.body import Body, Number

_FORMATS = {"f32": ("i32", 23, 2.0**-126), "f64": ("i64", 52, 2.0**-1022)}
"""The integers of as many bits, the bits of a significand and the least normal number."""


def remainder(x: Number, y: Number) -> Number:
    """Emits the remainder, exactly, with the sign of x; a subnormal y counts as 0.

    It is a long division: the multiples of y by powers of two are subtracted from x, the largest
    first, each exactly. So quotients of n bits take up to n steps.
    """
    body, kind = x.body, x.element
    integers, places, least = _FORMATS[kind]
    fraction = (1 << places) - 1
    dividend, divisor = (body.number("math.absf", [each], kind) for each in (x, y))
    infinity, nan = body.constant(math.inf, kind), body.constant(math.nan, kind)
    defined = body.number(
        "arith.andi",
        [
            body.compare("olt", dividend, infinity),
            body.compare("oge", divisor, body.constant(least, kind)),
        ],
        "i1",
    )
    start = body.select(defined, dividend, nan)
    digits = divisor.bitcast(integers) & fraction

    loop = body.op("scf.while", [start], [start.value.type], regions=2)
    block = loop.regions[0].blocks.append(start.value.type)
    inside = Body(block, body.location)
    rest = Number(inside, block.arguments[0], kind)
    inside.op("scf.condition", [inside.compare("oge", rest, divisor), rest])

    block = loop.regions[1].blocks.append(start.value.type)
    inside = Body(block, body.location)
    rest = Number(inside, block.arguments[0], kind)
    scale = rest.bitcast(integers) & ~fraction
    multiple = (scale | digits).bitcast(kind)
    half = multiple * 0.5
    fits = inside.compare("ole", multiple, rest)
    inside.op("scf.yield", [rest - inside.select(fits, multiple, half)])
    result = Number(body, loop.results[0], kind)
    return body.number("math.copysign", [result, x], kind)
