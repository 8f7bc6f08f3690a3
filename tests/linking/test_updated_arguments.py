"""Ops of a user's module that update an argument leave the caller's array unchanged."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rnn_compiler as rc

SCATTER = """"stablehlo.scatter"(%x, %rows, %new) ({{
      ^bb0(%old: tensor<{0}>, %update: tensor<{0}>):
        stablehlo.return %update : tensor<{0}>
    }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
    : (tensor<6x{0}>, tensor<2x1xi32>, tensor<2x{0}>) -> tensor<6x{0}>"""

SORT = """"stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<6xf32>) -> tensor<6xf32>"""

UPDATE = "stablehlo.dynamic_update_slice %x, %new, %at"
UPDATE += " : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>"

LOOP = """stablehlo.while(%array = %x, %k = %at) : tensor<6xf32>, tensor<i32>
      cond {
        %less = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %next = stablehlo.dynamic_update_slice %array, %new, %k
            : (tensor<6xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6xf32>
        %k1 = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %next, %k1 : tensor<6xf32>, tensor<i32>
      }"""

ARGUMENTS = "%x: tensor<6x{0}>, %rows: tensor<2x1xi32>, %new: tensor<2x{0}>"

CALL = """func.call @private(%x, %rows, %new)
    : (tensor<6xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<6xf32>"""

BODIES = {
    "scatter": (SCATTER.format("f32"), "f32"),
    "scatter_unsigned": (SCATTER.format("ui32"), "ui32"),
    "sort": (SORT, "f32"),
    "update": (UPDATE, "f32"),
    "called": (CALL, "f32"),
    "looped": (LOOP, "f32"),
}


def text() -> str:
    parts: list[str] = []
    for name, (body, dtype) in BODIES.items():
        count = ":2" if name == "looped" else ""
        result = "%r#0" if count else "%r"
        parts.append(f"""
  func.func @{name}({ARGUMENTS.format(dtype)}) -> (tensor<6x{dtype}>, tensor<1xi32>) {{
    %at = stablehlo.constant dense<1> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<4> : tensor<i32>
    %r{count} = {body}
    %size = stablehlo.custom_call @rnn_compiler.CudnnRNNParamsSize(%one, %end, %at)
        {{mhlo.backend_config = {{T = "float32", S = "int32"}}}}
        : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
    return {result}, %size : tensor<6x{dtype}>, tensor<1xi32>
  }}""")
    parts.append(f"""
  func.func private @private({ARGUMENTS.format("f32")}) -> tensor<6xf32> {{
    %r = {SCATTER.format("f32")}
    return %r : tensor<6xf32>
  }}""")
    return "\n".join(parts)


@functools.cache
def artifact() -> rc.Artifact:
    return rc.link(text())


ROWS = np.int32([[1], [3]])


def expected(name: str, x: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if name == "sort":
        return np.sort(x)
    changed = x.copy()
    if name == "update":
        changed[1:3] = new
    elif name == "looped":
        for k in (1, 2, 3):
            changed[k : k + 2] = new
    else:
        changed[ROWS[:, 0]] = new
    return changed


@pytest.mark.parametrize("calls", ["direct", "iree"])
@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_an_argument_stays_as_it_is(
    name: str, on_device: bool, calls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CALLS", calls)
    dtype = np.uint32 if BODIES[name][1] == "ui32" else np.float32
    x, new = np.array([5, 4, 3, 9, 1, 0], dtype), np.array([7, 8], dtype)
    program = rc.runtime.load(artifact())
    function = program.functions[name]
    names = [argument.name for argument in function.spec.arguments]
    given = program.to_device(x.copy()) if on_device else x.copy()
    for _ in range(2):
        result = function(**dict(zip(names, (given, ROWS, new), strict=True)))[0]
        np.testing.assert_array_equal(result, expected(name, x, new))
    np.testing.assert_array_equal(np.asarray(given), x)
