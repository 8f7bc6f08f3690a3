"""Arguments of the CudnnRNN ops that may be None, and lengths of any integer dtype or size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits, sizes
from numeric import harness
from numeric.harness import Arrays, draw, drop_in, first_variant
from quick import first

import rnn_compiler as rc

OPS = ("CudnnRNNV3", "CudnnRNNBackpropV3")
VARIANTS = {
    "lstm": first_variant("CudnnRNNV3"),
    "projected": sizes(4, 3, 3, 5, num_layers=1, rnn_mode="lstm", num_proj=2),
    "gru": sizes(4, 3, 3, 5, num_layers=1, rnn_mode="gru"),
}
LENGTHS = {"lstm": [4, 2], "projected": [4, 0, 2], "gru": [4, 0, 2]}


def compiled(op: str, variant: dict[str, Any], strategy: str | None = None) -> Any:
    """The function of an op, as raw ops compile it if no strategy is named."""
    if strategy is None:
        (function,) = harness.program(op, "float32", variant).functions.values()
    else:
        artifact = rc.compile(harness.module(op, "float32", variant), "cpu", strategy=strategy)
        (function,) = rc.runtime.load(artifact, "local-sync").functions.values()
    return function


def arguments(op: str, variant: dict[str, Any], lengths: Any) -> Arrays:
    return {**draw(op, "float32", variant), "sequence_lengths": np.asarray(lengths, np.int32)}


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("name", ["lstm", "projected", "gru"])
def test_none_is_zeros(name: str, op: str) -> None:
    """Of a program also if they are left out; a raw op has to see the sizes somewhere."""
    variant = VARIANTS[name]
    function = compiled(op, variant)
    given = arguments(op, variant, LENGTHS[name])
    zeros = {name: np.zeros_like(given[name]) for name in ("input_h", "input_c")}
    attributes = {k: v for k, v in variant.items() if k in ("rnn_mode", "direction", "num_proj")}
    for names in (["input_h", "input_c"], ["input_h"], ["input_c"]):
        expected = function(**given | {name: zeros[name] for name in names})
        assert_same_bits(function(**given | dict.fromkeys(names)), expected)
        left = {name: value for name, value in given.items() if name not in names}
        assert_same_bits(function(**left), expected)
        if op == "CudnnRNNBackpropV3" or (names == ["input_c"] and "num_proj" not in variant):
            called = drop_in(op)(**given | dict.fromkeys(names), **attributes)
            assert_same_bits(called, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", ">i4"])
def test_lengths_may_have_any_integer_dtype(dtype: str) -> None:
    """On the host as on a device of this machine's memory."""
    variant, lengths = VARIANTS["lstm"], LENGTHS["lstm"]
    there = harness.program("CudnnRNNV3", "float32", variant)
    given = arguments("CudnnRNNV3", variant, lengths)
    expected = there(**given)
    value = np.array(lengths, dtype)
    assert_same_bits(there(**given | {"sequence_lengths": value}), expected)
    called = rc.raw_ops.CudnnRNNV3(**given | {"sequence_lengths": value}, direction="bidirectional")
    assert_same_bits(called, expected)
    if dtype == "int64":
        on_device = there.to_device(value)
        assert_same_bits(there(**given | {"sequence_lengths": on_device}), expected)


# Clamping is in the portable module; each strategy reads the clamped number in one op of a kind.


@pytest.mark.parametrize(
    ("op", "strategy"),
    first([*((op, None) for op in OPS), (OPS[0], "portable"), (OPS[1], "pinned")], 2),
)
def test_modules_clamp_lengths(op: str, strategy: str | None) -> None:
    """As on a GPU, where lengths are not checked; neither does `invoke` check them."""
    variant = VARIANTS["lstm"]
    function = compiled(op, variant, strategy)
    T = variant["seq_length"]
    for outside, inside in (([2**31 - 1, -(2**31)], [T, 0]), ([-1, -(2**31)], [0, 0])):
        results = [
            function.invoke([*arguments(op, variant, lengths).values()])
            for lengths in (outside, inside)
        ]
        assert_same_bits(*results)


@pytest.mark.parametrize(
    ("op", "strategy"),
    first(
        [
            ("BlockLSTMV2", None),
            *((op, None) for op in ("BlockLSTM", "BlockLSTMGrad", "BlockLSTMGradV2")),
            ("BlockLSTMV2", "pinned"),
            ("BlockLSTMGradV2", "portable"),
        ]
    ),
)
def test_modules_clamp_seq_len_max(op: str, strategy: str | None) -> None:
    variant = first_variant(op)
    T = variant["seq_length"]
    function = compiled(op, variant, strategy)
    given = draw(op, "float32", variant)
    for outside, inside in ((-1, 0), (-(2**63), 0), (T + 1, T), (2**31, T), (2**63 - 1, T)):
        results = [
            function.invoke([*(given | {"seq_len_max": np.array(n, np.int64)}).values()])
            for n in (outside, inside)
        ]
        assert_same_bits(*results)
