"""Powers of floats in a user's module are those of IEEE 754, including special cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc

INF, NAN = np.inf, np.nan
BASES = (-INF, -3.0, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 3.0, INF, NAN)
EXPONENTS = (-INF, -3.0, -2.0, -1.5, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, INF, NAN)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["float32", "float16", "float64"]))
def test_every_special_case(dtype: str) -> None:
    pairs = list(itertools.product(BASES, EXPONENTS))
    x, y = (np.array(each, dtype) for each in zip(*pairs, strict=True))
    kind = f"tensor<{len(pairs)}xf{dtype[5:]}>"
    program = rc.runtime.load(
        rc.link(f"""
  func.func @main(%x: {kind}, %y: {kind}) -> ({kind}, tensor<1xi32>) {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = stablehlo.power %x, %y : {kind}
    %size = stablehlo.custom_call @rnn_compiler.CudnnRNNParamsSize(%one, %one, %one)
        {{mhlo.backend_config = {{T = "float32", S = "int32"}}}}
        : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
    return %r, %size : {kind}, tensor<1xi32>
  }}""")
    )
    function = program.functions["main"]
    names = [argument.name for argument in function.spec.arguments]
    result = np.asarray(function(**dict(zip(names, (x, y), strict=True)))[0])
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    np.testing.assert_allclose(result, expected, rtol=2e-3 if dtype == "float16" else 1e-5)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])
