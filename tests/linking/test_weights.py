"""Weights of linked ops are packed once, like those of ops alone, if they can be identified."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import assert_same_bits
from linking.modules import function
from linking.test_link import arguments_of

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text
from rnn_compiler.linking import link_module

SIZES = {"seq_length": 5, "batch_size": 1, "input_size": 8, "num_units": 32, "num_layers": 2}
(STACK,) = rc.build("CudnnRNNV3", **SIZES, is_training=False).functions


@pytest.mark.slow
def test_they_are_packed_once() -> None:
    """From the second call with them on, with the same numbers."""
    program = rc.runtime.load(rc.link(f"module {{ {function(STACK)} }}"), "local-sync")
    assert program.manifest.functions[0].weights == ("params",)
    assert program.functions["main"].prepacks
    given = arguments_of(STACK)
    expected = program(**given)
    there = {**given, "params": program.to_device(given["params"])}
    for _ in range(3):
        assert_same_bits(program(**there), expected)
    other = {**given, "params": program.to_device(2 * given["params"])}
    for _ in range(3):
        assert not np.array_equal(program(**other).output, expected.output)


CELL = """
func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>,
    tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func private @cell(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
    %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
  %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc) : (tensor<2x3xf32>,
    tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %r#3 : tensor<2x4xf32>
}
func.func public @main(%h: tensor<2x4xf32> loc("h"), %x: tensor<2x3xf32> loc("x"),
    %u: tensor<8x3xf32> loc("u"), %v: tensor<4x8xf32> loc("v"), %wc: tensor<7x4xf32> loc("wc"),
    %b: tensor<8xf32> loc("b"), %bc: tensor<4xf32> loc("bc")) -> tensor<2x4xf32> {
  %t = stablehlo.transpose %u, dims = [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
  %w = stablehlo.concatenate %t, %v, dim = 0
    : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  MORE
  %r = call @cell(%x, %h, %w, WC, %b, %bc) : (tensor<2x3xf32>, tensor<2x4xf32>,
    tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
"""


@pytest.mark.parametrize(
    ("more", "wc", "weights"),
    [
        ("", "%wc", ("u", "v", "wc")),
        ("%s = stablehlo.add %wc, %wc : tensor<7x4xf32>", "%s", ("u", "v")),
        ("%s = stablehlo.constant dense<1.0> : tensor<7x4xf32>", "%s", ("u", "v")),
    ],
)
def test_which_arguments_they_are(more: str, wc: str, weights: tuple[str, ...]) -> None:
    """Those that come to the op through moves and functions, and not through arithmetic."""
    module = link_module(CELL.replace("MORE", more).replace("WC", wc))
    assert module.functions[0].weights == weights


@pytest.mark.slow
def test_chains_of_calls_and_moves() -> None:
    """Longer than Python's stack, and with as many ways to an argument as 2 to the power of 60."""
    count = 1200
    names = ["cell", *(f"cell_{k}" for k in range(count))]
    kinds = "tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>"
    kinds += ", tensor<4xf32>"
    arguments = ", ".join(f"%{k}: {kind}" for k, kind in enumerate(kinds.split(", ")))
    chain = "".join(
        f"func.func private @{name}({arguments}) -> tensor<2x4xf32> {{\n"
        f"  %r = call @{before}(%0, %1, %2, %3, %4, %5) : ({kinds}) -> tensor<2x4xf32>\n"
        f"  return %r : tensor<2x4xf32>\n}}\n"
        for before, name in itertools.pairwise(names)
    )
    moves = "%s0 = stablehlo.convert %wc : tensor<7x4xf32>\n" + "".join(
        f"%d{k} = stablehlo.concatenate %s{k - 1}, %s{k - 1}, dim = 0 : (tensor<7x4xf32>, "
        f"tensor<7x4xf32>) -> tensor<14x4xf32>\n"
        f"%s{k} = stablehlo.slice %d{k} [0:7, 0:4] : (tensor<14x4xf32>) -> tensor<7x4xf32>\n"
        for k in range(1, 61)
    )
    text = (
        CELL.replace("MORE", moves)
        .replace("WC", "%s60")
        .replace("call @cell(", f"call @cell_{count - 1}(")
    )
    assert link_module(chain + text).functions[0].weights == ("u", "v", "wc")


def test_names_that_the_user_has_taken() -> None:
    """Then there are no companions."""
    taken = "func.func @main_prepack(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    module = link_module(f"module {{ {function(STACK)} {taken} }}")
    assert module.functions[0].weights == ("params",)
    text = lowered_text(module, "cpu:x86-64-v3")
    assert text.count("@main_prepack(") == 1
    assert "@main_prepacked(" not in text
