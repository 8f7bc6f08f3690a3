"""Functions in float64: tanh does not link, expm1 has no digits near 0, types become float32."""

from __future__ import annotations

import numpy as np
from traps.iree import called, trap

_FUNCTION = """
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {{
  %y = stablehlo.{name} %x : tensor<4xf64>
  return %y : tensor<4xf64>
}}"""
_X = np.array([0, 1e-17, 1e-9, 1])
_AS_IT_IS = ["--iree-input-demote-f64-to-f32=false"]


@trap("`Builder.tanh` in lowering/builder/builder.py, which composes it")
def test_tanh_links() -> None:
    (y,) = called(_FUNCTION.format(name="tanh"), _X, flags=_AS_IT_IS)
    np.testing.assert_allclose(y, np.tanh(_X), rtol=1e-14)


@trap("`Builder.tanh` in lowering/builder/builder.py, which does without it")
def test_expm1_is_accurate_near_zero() -> None:
    (y,) = called(_FUNCTION.format(name="exponential_minus_one"), _X, flags=_AS_IT_IS)
    np.testing.assert_allclose(y, np.expm1(_X), rtol=1e-14)


def test_a_flag_keeps_float64() -> None:
    (y,) = called(_FUNCTION.format(name="negate"), _X, flags=_AS_IT_IS)
    assert y.dtype == np.float64


@trap("`--iree-input-demote-f64-to-f32=false` in lowering/compiler/iree_compile.py")
def test_float64_stays_without_a_flag() -> None:
    try:
        (y,) = called(_FUNCTION.format(name="negate"), _X)
    except ValueError as error:  # of the call: the signature has changed
        raise AssertionError from error
    assert y.dtype == np.float64
