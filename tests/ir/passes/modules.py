"""Modules in which every pass has something to do."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from linking import stateful, test_table_gradients
from linking.modules import function
from network_import.in_process import importing_here

import rnn_compiler as rc
from rnn_compiler.linking import link_module

SIZES = {"seq_length": 40, "batch_size": 16, "input_size": 64, "num_units": 64}
STACK = {**SIZES, "num_layers": 2, "direction": "bidirectional"}


def frozen() -> rc.Module:
    module = rc.build("BlockLSTMV2", **SIZES)
    w = next(each for each in module.functions[0].arguments if each.name == "w")
    return rc.freeze(module, {"w": np.zeros(w.shape, np.float32)})


def int8() -> rc.Module:
    """Products outside the loop are too small for dispatches of their own."""
    module = rc.build("BlockLSTMV2", seq_length=1, batch_size=1, input_size=8, num_units=8)
    return rc.freeze(module, {"w": np.ones((16, 32), np.float32)}, quantize="int8")


USERS = """
  func.func public @user(%x: tensor<9xf32>, %y: tensor<9xf32>, %rows: tensor<2x1xi32>,
      %new: tensor<2xf32>, %signal: tensor<1x4x8xf32>, %filters: tensor<3x8x4xf32>,
      %d: tensor<9xf64>)
      -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<1x1x4xf32>, tensor<9xf64>,
          tensor<9xf16>, tensor<f32>, tensor<9xbf16>) {
    %power = stablehlo.power %x, %y : tensor<9xf32>
    %sorted:2 = "stablehlo.sort"(%power, %power) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %e: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<9xf32>, tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>)
    %updated = "stablehlo.scatter"(%x, %rows, %new) ({
      ^bb0(%old: tensor<f32>, %update: tensor<f32>):
        stablehlo.return %update : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<9xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<9xf32>
    %window = stablehlo.convolution(%signal, %filters) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x4x8xf32>, tensor<3x8x4xf32>) -> tensor<1x1x4xf32>
    %logarithm = stablehlo.log %d : tensor<9xf64>
    %exponential = stablehlo.exponential %logarithm : tensor<9xf64>
    %half = stablehlo.convert %x : (tensor<9xf32>) -> tensor<9xf16>
    %is_less = stablehlo.compare LT, %x, %y : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %short = stablehlo.convert %is_less : (tensor<9xi1>) -> tensor<9xbf16>
    %zero = stablehlo.constant dense<0.0> : tensor<9xf16>
    %chosen = stablehlo.select %is_less, %half, %zero : tensor<9xi1>, tensor<9xf16>
    %is_known = stablehlo.constant dense<true> : tensor<i1>
    %branch = "stablehlo.if"(%is_known) ({
      stablehlo.return %half : tensor<9xf16>
    }, {
      stablehlo.return %zero : tensor<9xf16>
    }) : (tensor<i1>) -> tensor<9xf16>
    %product = stablehlo.dot_general %chosen, %chosen, contracting_dims = [0] x [0]
        : (tensor<9xf16>, tensor<9xf16>) -> tensor<f32>
    return %sorted#0, %sorted#1, %updated, %window, %exponential, %chosen, %product, %short
        : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<1x1x4xf32>, tensor<9xf64>,
          tensor<9xf16>, tensor<f32>, tensor<9xbf16>
  }"""
"""A power, sorts, an updated argument, a single window, a branch, float64, 16-bit floats."""


SEQUENCE = """
func.func @main(%x: tensor<2x9x3xf32>, %w: tensor<4x3x5xf32>) -> tensor<2x5x5xf32> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[1, 2]], stride = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x9x3xf32>, tensor<4x3x5xf32>) -> tensor<2x5x5xf32>
  return %y : tensor<2x5x5xf32>
}
"""

LONG_SUM = """
func.func @main(%x: tensor<16x32xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
"""


MAXIMA = """
func.func @main(%x: tensor<2x6x16xf32>, %dy: tensor<2x3x8xf32>) -> tensor<2x6x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %is = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %is : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>}
      : (tensor<2x6x16xf32>, tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x6x16xf32>
  return %dx : tensor<2x6x16xf32>
}
"""


def linked() -> rc.Module:
    op = rc.build("BlockLSTMV2", **SIZES).functions[0]
    return link_module(f"module {{{USERS}{function(op, name='op')}\n}}")


def numbers() -> rc.Module:
    """A sum of many single numbers."""
    from traps.test_many_operands import total

    return link_module(f"module {{ {total()} }}")


def pairs() -> rc.Module:
    """A sum that is read as rows and as columns."""
    from traps.test_pairs_of_sums import TEXT

    return link_module(f"module {{ {TEXT} }}")


def trained() -> rc.Module:
    """A convolution and its training step."""
    from network_import.graphs import model, saved, weight
    from onnx import helper

    node = helper.make_node("Conv", ["x", "w", "b"], ["y"])
    weights = {"w": weight(8, 4, 3, 3), "b": weight(8)}
    made = model([node], {"x": [4, 4, 10, 12]}, ["y"], weights)
    with tempfile.TemporaryDirectory() as folder, importing_here():
        return rc.training_step(saved(made, Path(folder) / "m.onnx"), loss="mean_squared_error")


def network() -> rc.Module:
    """A convolution with a column that no window reads, a recurrence, and an op of each kind."""
    from network_import.graphs import lstm_weights, model, saved, weight
    from onnx import TensorProto, helper

    weights = {"K": weight(24, 16, 3), **lstm_weights(size=24), "P": weight(64, 64)}
    counts = {"four": np.array([4]), "places": np.array([[1], [3]])}
    nodes = [
        helper.make_node("Conv", ["x", "K"], ["c"], name="conv", strides=[2]),
        helper.make_node("Transpose", ["c"], ["t"], name="transpose", perm=[2, 0, 1]),
        helper.make_node("LSTM", ["t", "W", "R", "B"], ["Y"], name="lstm", hidden_size=5),
        helper.make_node("MatMul", ["rows", "P"], ["m"], name="product"),
        helper.make_node("MaxPool", ["x"], ["p"], name="pool", kernel_shape=[2], strides=[2]),
        helper.make_node("Round", ["new"], ["rounded"], name="round"),
        helper.make_node("TopK", ["m", "four"], ["values", "indices"], name="most"),
        helper.make_node("TopK", ["m", "four"], ["least", "where"], name="least", largest=0),
        helper.make_node("ScatterND", ["rows", "places", "new"], ["s"], name="scatter"),
    ]
    inputs = {"x": [1, 16, 130], "rows": [16, 64], "new": [2, 64]}
    dtypes = dict.fromkeys(("indices", "where"), TensorProto.INT64)
    results = ["Y", "values", "indices", "least", "where", "p", "rounded", "s"]
    made = model(nodes, inputs, results, weights | counts, dtypes=dtypes)
    with tempfile.TemporaryDirectory() as folder, importing_here():
        return rc.import_network(saved(made, Path(folder) / "network.onnx"))


def building(*ops: str, **given: Any) -> Callable[[], rc.Module]:
    return lambda: rc.build([*ops], **given)


MODULES: Mapping[str, Callable[[], rc.Module]] = {
    name: functools.cache(make)
    for name, make in {
        "sequence": building("BlockLSTMV2", "BlockLSTMGradV2", **SIZES, use_peephole=False),
        "frozen": frozen,
        "int8": int8,
        "stack": building("CudnnRNNV3", **STACK, is_training=False),
        "gradient": building("CudnnRNNBackpropV3", **STACK),
        "cell": building("GRUBlockCell", batch_size=16, input_size=64, num_units=64),
        "linked": linked,
        "numbers": numbers,
        "pairs": pairs,
        "network": network,
        "convolution": functools.partial(link_module, SEQUENCE),
        "sum": functools.partial(link_module, LONG_SUM),
        "maxima": functools.partial(link_module, MAXIMA),
        "table": functools.partial(link_module, test_table_gradients.TABLE),
        "trained": trained,
        "states": functools.partial(link_module, stateful.TEXT, stateful.INFER),
        "half": building("BlockLSTMV2", **SIZES, dtype="float16"),
        "open": building("CudnnRNNV3", **{**STACK, "seq_length": None, "batch_size": None}),
    }.items()
}
"""Makes each module once; the one of open sizes is for the fused strategy only."""
