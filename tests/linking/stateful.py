"""A module with states of every kind, and what its functions compute, in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Arrays = Mapping[str, Any]

TYPES = {
    "p": "37xf32",
    "m": "37xf32",
    "big": "3x50xf32",
    "count": "i32",
    "total": "i64",
    "a": "4xf32",
    "b": "4xf32",
    "ring": "6x2xf32",
    "seen": "3xi1",
    "half": "5xf16",
    "wide": "3xf64",
    "zero": "3xf32",
    "same": "2xf32",
}
"""The states: elementwise updates of several sizes and types, a count, two that are exchanged, rows
replaced one after the other, truth values, a type that is computed in another, a constant, and one
that stays."""

_ALL = ", ".join(f"tensor<{kind}>" for kind in TYPES.values())
_GIVEN = ",\n    ".join(
    f"%{name}: tensor<{kind}> {{tf.aliasing_output = {number} : i32}}"
    for number, (name, kind) in enumerate(TYPES.items())
)

TEXT = f"""module @jit_train {{
  func.func private @twice(%x: tensor<f32>) -> tensor<f32> {{
    %r = stablehlo.add %x, %x : tensor<f32>
    return %r : tensor<f32>
  }}
  func.func public @main({_GIVEN},
      %x: tensor<37xf32>, %row: tensor<1x2xf32>, %flag: tensor<3xi1>, %rate: tensor<f32>)
      -> ({_ALL}, tensor<4xf32> {{jax.result_info = "result['old']"}},
          tensor<f32> {{jax.result_info = "result['late']"}}) {{
    %c9 = stablehlo.constant dense<0.9> : tensor<f32>
    %decay = stablehlo.broadcast_in_dim %c9, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %m0 = stablehlo.multiply %m, %decay : tensor<37xf32>
    %m1 = stablehlo.add %m0, %x : tensor<37xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %u = stablehlo.multiply %rates, %m1 : tensor<37xf32>
    %far = stablehlo.compare GT, %u, %decay : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xi1>
    %step = stablehlo.select %far, %decay, %u : tensor<37xi1>, tensor<37xf32>
    %p1 = stablehlo.subtract %p, %step : tensor<37xf32>
    %brate = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<3x50xf32>
    %big1 = stablehlo.add %big, %brate : tensor<3x50xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count1 = stablehlo.add %count, %one : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i64>
    %total1 = stablehlo.add %total, %five : tensor<i64>
    %at = stablehlo.reshape %count : (tensor<i32>) -> tensor<1x1xi32>
    %ring1 = "stablehlo.scatter"(%ring, %at, %row) ({{
      ^bb0(%old: tensor<f32>, %new: tensor<f32>):
        stablehlo.return %new : tensor<f32>
    }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
        : (tensor<6x2xf32>, tensor<1x1xi32>, tensor<1x2xf32>) -> tensor<6x2xf32>
    %seen1 = stablehlo.or %seen, %flag : tensor<3xi1>
    %half1 = stablehlo.add %half, %half : tensor<5xf16>
    %wide1 = stablehlo.add %wide, %wide : tensor<3xf64>
    %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %px = stablehlo.multiply %p, %x : tensor<37xf32>
    %dot = stablehlo.reduce(%px init: %start) applies stablehlo.add across dimensions = [0]
        : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
    %d1 = func.call @twice(%dot) : (tensor<f32>) -> tensor<f32>
    %dots = stablehlo.broadcast_in_dim %d1, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %more = stablehlo.add %p, %dots : tensor<37xf32>
    %late = stablehlo.reduce(%more init: %start) applies stablehlo.add across dimensions = [0]
        : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
    return %p1, %m1, %big1, %count1, %total1, %b, %a, %ring1, %seen1, %half1, %wide1, %zeros,
        %same, %a, %late : {_ALL}, tensor<4xf32>, tensor<f32>
  }}
}}"""
"""Its results besides the states: one that is a state before, and one that reads the old values of
states last."""

INFER = """module @jit_infer {
  func.func private @twice(%y: tensor<37xf32>) -> tensor<37xf32> {
    %r = stablehlo.add %y, %y : tensor<37xf32>
    return %r : tensor<37xf32>
  }
  func.func public @main(%p: tensor<37xf32>, %x: tensor<37xf32>)
      -> (tensor<37xf32> {jax.result_info = "result['y']"}) {
    %y = stablehlo.multiply %p, %x : tensor<37xf32>
    %r = func.call @twice(%y) : (tensor<37xf32>) -> tensor<37xf32>
    return %r : tensor<37xf32>
  }
}"""
"""A function that reads a state, and has a private function of the same name as the other's."""

_DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_}
_DTYPES |= {"i32": np.int32, "i64": np.int64}


def states(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {}
    for name, kind in TYPES.items():
        *sizes, dtype = kind.split("x")
        values = rng.normal(0, 1, [*map(int, sizes)])
        found[name] = (values if dtype.startswith("f") else values > 0).astype(_DTYPES[dtype])
    return found | {"count": np.int32(0)}


def arguments(seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "x": rng.normal(0, 1, 37).astype(np.float32),
        "row": rng.normal(0, 1, (1, 2)).astype(np.float32),
        "flag": rng.normal(0, 1, 3) > 0,
        "rate": np.float32(rng.uniform(0.1, 1)),
    }


def train(s: Arrays, given: Arrays) -> tuple[dict[str, Any], dict[str, Any]]:
    """The next states, and the other results."""
    x, rate = given["x"], given["rate"]
    m = s["m"] * np.float32(0.9) + x
    ring = s["ring"].copy()
    ring[min(int(s["count"]), 5)] = given["row"][0]
    after = {
        "p": s["p"] - np.minimum(rate * m, np.float32(0.9)),
        "m": m,
        "big": s["big"] + rate,
        "count": s["count"] + 1,
        "total": s["total"] + 5,
        "a": s["b"],
        "b": s["a"],
        "ring": ring,
        "seen": s["seen"] | given["flag"],
        "half": s["half"] + s["half"],
        "wide": s["wide"] * 2,
        "zero": np.zeros(3, np.float32),
        "same": s["same"],
    }
    dot = np.float32((s["p"] * x).sum(dtype=np.float64) * 2)
    late = (s["p"] + dot).sum(dtype=np.float64)
    return after, {"old": s["a"], "late": late}
