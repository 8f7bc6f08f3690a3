"""The hyperbolic tangent of float64, composed of other functions.

IREE's CPU backend has no double-precision tanh to link, and its expm1 loses all digits near 0. So
it is ``x + x*z*P(z)/Q(z)`` with ``z = x*x`` near 0, and ``sign(x) * (1 - 2 / (exp(2|x|) + 1))``
elsewhere, within a few units in the last place. The coefficients are those of the Cephes library
(S. L. Moshier, tanh.c).
"""

from __future__ import annotations

from rnn_compiler.lowering.builder.value import Value

__all__ = ["tanh_of_float64"]


def tanh_of_float64(x: Value) -> Value:
    """Emits the hyperbolic tangent."""
    b, z = x.builder, x * x
    p = (z * -9.64399179425052238628e-1 - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491631932401e2) * z + 2.23548839060100448583e3) * z
    near = x + x * z * p / (q + 4.84406305325125486048e3)
    magnitude = b.op("abs", [x], x.type)
    exponential = b.op("exponential", [magnitude * 2.0], x.type)
    far = 1.0 - b.full(2.0, x.shape, x.dtype) / (exponential + 1.0)
    signed = b.select(x.compare("LT", 0.0), -far, far)
    return b.select(magnitude.compare("LT", 0.625), near, signed)
