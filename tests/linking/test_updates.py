"""One step of a module with states of every kind, in every way that runs modules."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from execution import Execute, each_language
from linking import stateful

import rnn_compiler as rc


@functools.cache
def module() -> rc.Module:
    return rc.link_module(stateful.TEXT, stateful.INFER)


@pytest.mark.slow
@each_language
def test_a_step(execute: Execute) -> None:
    states, given = stateful.states(3), stateful.arguments(4)
    states["count"] = np.int32(2)
    after, others = stateful.train(states, given)
    found = execute(module(), {**states, **given})
    assert found.keys() == {*after, *others}
    for name, value in {**after, **others}.items():
        np.testing.assert_allclose(
            found[name].reshape(np.shape(value)), value, rtol=2e-6, atol=2e-6, err_msg=name
        )
    result = execute(module(), {"p": states["p"], "x": given["x"]}, function=1)
    np.testing.assert_allclose(result["y"], 2 * states["p"] * given["x"], rtol=1e-6)


SCATTERED = """module @jit_step {
  func.func @main(%w: tensor<7x8xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2x3xf32>,
      %h: tensor<2x4xf32>, %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>,
      %at: tensor<1x1xi32>, %row: tensor<1x8xf32>) -> (tensor<7x8xf32>, tensor<2x4xf32>) {
    %n = "stablehlo.scatter"(%w, %at, %row) ({
      ^bb0(%old: tensor<f32>, %new: tensor<f32>):
        stablehlo.return %new : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<7x8xf32>, tensor<1x1xi32>, tensor<1x8xf32>) -> tensor<7x8xf32>
    %r:4 = stablehlo.custom_call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc)
        : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>,
           tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    return %n, %r#3 : tensor<7x8xf32>, tensor<2x4xf32>
  }
}"""
"""A row of weights is replaced before an op reads them as they were."""


@pytest.mark.slow
@each_language
def test_an_op_reads_weights_before_they_are_replaced(execute: Execute) -> None:
    rng = np.random.default_rng(0)
    sizes = {"w": (7, 8), "x": (2, 3), "h": (2, 4), "wc": (7, 4), "b": (8,), "bc": (4,)}
    given = {name: rng.normal(0, 1, size).astype(np.float32) for name, size in sizes.items()}
    given |= {"at": np.int32([[2]]), "row": rng.normal(0, 9, (1, 8)).astype(np.float32)}
    donated = rc.link_module(SCATTERED)
    plain = rc.link_module(SCATTERED.replace(" {tf.aliasing_output = 0 : i32}", ""))
    found, expected = execute(donated, given), execute(plain, given)
    np.testing.assert_array_equal(found["w"], expected["result0"])
    np.testing.assert_array_equal(found["result1"], expected["result1"])
