"""Frozen arguments of every kind give the same numbers as passed arguments."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from numeric.harness import draw, first_variant, module, together

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.arguments import by_keyword, by_name
from rnn_compiler.schema.specs import FunctionSpec

RNN = {"seq_length": 5, "batch_size": 2, "input_size": 24, "num_units": 40, "num_layers": 1}

FROZEN = (
    *("LSTMBlockCell", "BlockLSTMGradV2", "GRUBlockCellParameterGrad"),
    *("CudnnRNNV3", "CudnnRNNBackpropV2", "onnx.LSTM", "onnx.RNNGrad"),
    *(op for op in OPS if "Params" in op),
)
"""Ops of all families with arguments of all kinds: lengths, lists, ignored ones."""


def check(op: str, dtype: str, variant: dict[str, Any], taken: int, strategy: str | None) -> None:
    """Freezes all arguments but the first few."""
    whole = module(op, dtype, variant)
    (spec,) = whole.functions
    drawn = draw(op, dtype, variant)
    arguments = by_keyword(spec.arguments, [drawn[each.name] for each in spec.arguments])
    rest = dict(list(arguments.items())[taken:])
    frozen = rc.freeze(whole, rest)
    first = {name: value for name, value in arguments.items() if name not in rest}
    expected, found = (
        by_name(
            op,
            spec.results,
            rc.runtime.load(rc.compile(each, strategy=strategy))(**values)._asdict(),
        )
        for each, values in ((whole, arguments), (frozen, first))
    )
    assert_same_bits(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype", "variant", "strategy"),
    [
        pytest.param(
            *("CudnnRNNV3", "bfloat16", {**RNN, "is_training": False, "rnn_mode": "gru"}, None),
            marks=pytest.mark.slow,
        ),
        pytest.param("BlockLSTM", "float64", RNN, None, marks=pytest.mark.slow),
        pytest.param("BlockLSTMV2", "float16", RNN, "pinned", marks=pytest.mark.slow),
        ("BlockLSTMV2", "float32", {**RNN, "seq_length": 0}, None),
    ],
)
def test_all_but_the_input(op: str, dtype: str, variant: Any, strategy: str | None) -> None:
    check(op, dtype, variant, 1 if op.startswith("Cudnn") else 2, strategy)


@functools.cache
def all_frozen() -> rc.Program:
    """Ops with all their arguments frozen, in one module."""
    whole = together("float32", {op: first_variant(op) for op in FROZEN})
    arguments = {spec.function: given(spec) for spec in whole.functions}
    return rc.runtime.load(rc.compile(rc.freeze(whole, arguments)))


def given(spec: FunctionSpec) -> dict[str, Any]:
    """Arguments of an op at its first variant, in the order and form of keywords."""
    drawn = draw(spec.op, "float32", first_variant(spec.op))
    return by_keyword(spec.arguments, [drawn[each.name] for each in spec.arguments])


@pytest.mark.slow
@pytest.mark.parametrize("op", FROZEN)
def test_all_arguments(op: str) -> None:
    """Nothing is left to pass."""
    whole = module(op, "float32", first_variant(op))
    (spec,) = whole.functions
    expected = rc.runtime.load(rc.compile(whole))(**given(spec))._asdict()
    found = all_frozen().functions[spec.function]()._asdict()
    expected, found = (by_name(op, spec.results, each) for each in (expected, found))
    assert_same_bits(found, expected)


@pytest.mark.slow
def test_a_loop_that_stays_plain_leaves_other_functions_fused() -> None:
    """Its weights are packed at every call: IREE takes no plain loop where they are packed once."""
    sizes = {"seq_length": 20, "batch_size": 4, "input_size": 100}
    plain = {**sizes, "num_units": 3, "num_layers": 1, "num_proj": 1, "is_training": False}
    fused = {**sizes, "num_units": 16, "num_layers": 1, "is_training": False}
    ops = [
        ("CudnnRNNV3", {**plain, "function": "one"}),
        ("CudnnRNNV3", {**fused, "function": "other"}),
    ]
    built = rc.build(ops)
    values = {
        spec.function: {
            "params": np.random.default_rng(0)
            .standard_normal(next(each.shape for each in spec.arguments if each.name == "params"))
            .astype(np.float32)
        }
        for spec in built.functions
    }
    artifact = rc.compile(rc.freeze(built, values))
    assert artifact.manifest.strategy == "fused"
    assert artifact.manifest.plain_loops == {"one.lstm_forward": "a unit axis"}
