"""Numbers at the end of a function before and after `numbers`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from execution import Execute, each_way
from ir.passes.modules import LOSS
from ir.rewriting import edited, rewritten

import rnn_compiler as rc
from rnn_compiler.lowering.passes.numbers import numbers


def regions(text: str) -> list[str]:
    """The text of each region of numbers."""
    after, _ = rewritten(text, numbers, is_users=True)
    return re.findall(r"flow\.dispatch\.region.*?flow\.return", after, re.DOTALL)


def test_numbers_at_the_end_are_one_dispatch() -> None:
    """With a function of JAX's, and without the mean that an array depends on."""
    (region,) = regions(LOSS)
    found = re.findall(r"stablehlo\.(\w+)", region)
    ops = ["compare", "add", "select", "convert", "power", "cosine", "multiply", "divide"]
    assert [name for name in found if name != "constant"] == [*ops, "exponential", "add"]


def test_what_another_call_reads_is_left() -> None:
    called = edited(
        LOSS,
        (
            "func.func public",
            "func.func private @last(tensor<f32>) -> tensor<f32>\n  func.func public",
        ),
        ("%e = ", "%d = func.call @last(%rate) : (tensor<f32>) -> tensor<f32>\n    %e = "),
        (
            "%half, %half : tensor<f16>\n",
            "%half, %half : tensor<f16>\n    %f = stablehlo.add %d, %loss : tensor<f32>\n",
        ),
        ("return %after, %loss,", "return %after, %f,"),
    )
    (region,) = regions(called)
    assert "power" not in region
    assert region.count("stablehlo.add") == 2


def test_constants_after_the_last_call_are_copied() -> None:
    text = """module {
    func.func private @last(tensor<3xf32>) -> tensor<3xf32>
    func.func public @f(%x: tensor<f32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
      %s = stablehlo.sqrt %x : tensor<f32>
      %z = func.call @last(%y) : (tensor<3xf32>) -> tensor<3xf32>
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %t = stablehlo.multiply %s, %two : tensor<f32>
      return %t, %z : tensor<f32>, tensor<3xf32>
    }
    }"""
    (region,) = regions(text)
    assert re.findall(r"stablehlo\.(\w+)", region) == ["sqrt", "constant", "multiply"]


def test_a_single_number_is_left() -> None:
    few = """func.func @f(%x: tensor<f32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
      %s = stablehlo.sqrt %x : tensor<f32>
      %t = stablehlo.sqrt %y : tensor<3xf32>
      return %s, %t : tensor<f32>, tensor<3xf32>
    }"""
    assert regions(few) == []


def test_numbers_that_nothing_reads_are_left() -> None:
    unread = """func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %s = stablehlo.sqrt %x : tensor<f32>
      %t = stablehlo.add %s, %x : tensor<f32>
      return %x : tensor<f32>
    }"""
    assert regions(unread) == []


@each_way
def test_the_numbers(execute: Execute) -> None:
    x = np.float32([0.5, 1, 2, -0.25])
    given = {"count": np.int32(6), "x": x, "wide": np.float64(-0.75), "half": np.float16(1.5)}
    found = execute(rc.link_module(LOSS), given)
    y = x + np.float32(0.9) * x.sum()
    expected: dict[str, Any] = {"count": 7, "loss": y.sum() / x.sum(), "e": np.exp(-0.75)}
    expected |= {"rate": 0.9**7 * np.cos(7), "h": 3, "y": y}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-6, err_msg=name)
