"""Functions that return some of their results give the numbers of the whole op, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from numeric.harness import draw

import rnn_compiler as rc

SIZES = {"seq_length": 6, "batch_size": 3, "input_size": 4, "num_units": 5}


def check(
    op: str, variant: dict[str, Any], subsets: Iterable[list[str]], strategy: str | None = None
) -> None:
    """Compares functions that give some results with the one that gives all."""
    rows = [(op, {"function": "_".join(["only", *names]), "outputs": names}) for names in subsets]
    module = rc.build([(op, {"function": "whole"}), *rows], **variant)
    program = rc.runtime.load(rc.compile(module, strategy=strategy), "local-sync")
    arguments = draw(op, "float32", variant, steps=variant["seq_length"] - 1)
    whole = program.whole(**arguments)
    for name, function in program.functions.items():
        for key, array in function(**arguments)._asdict().items():
            expected = getattr(whole, key, None)
            if expected is None:  # the state after the last step
                expected = getattr(whole, key.removesuffix("_last"))[variant["seq_length"] - 2]
            np.testing.assert_array_equal(array, expected, f"{name}: {key}")
            assert np.any(array) or array.size < 3 or name == "whole"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "subsets"),
    [
        ("fused", (["h"], ["co", "cs"], ["cs_last", "h_last"], ["h", "cs_last"])),
        ("pinned", (["h_last"],)),
    ],
)
def test_block_lstm(strategy: str, subsets: Iterable[list[str]]) -> None:
    check("BlockLSTMV2", {**SIZES, "use_peephole": True}, subsets, strategy)


@pytest.mark.slow
def test_block_lstm_of_no_steps() -> None:
    """The state after the last step is the one before the first."""
    module = rc.build("BlockLSTM", **SIZES, outputs=["cs_last", "h_last"])
    arguments = draw("BlockLSTM", "float32", {**SIZES, "use_peephole": False}, steps=0)
    results = rc.runtime.load(rc.compile(module))(**arguments)
    np.testing.assert_array_equal(results.cs_last, arguments["cs_prev"])
    np.testing.assert_array_equal(results.h_last, arguments["h_prev"])


SHARED = {"seq_length": 3, "batch_size": 2, "input_size": 16, "num_units": 128}
"""Sizes whose steps several workgroups share."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "more", "subsets"),
    [
        ("BlockLSTMGradV2", {"use_peephole": False}, (["cs_prev_grad"], ["h_prev_grad"])),
        ("CudnnRNNBackprop", {"num_layers": 1}, (["input_h_backprop"],)),
    ],
)
def test_gradients_of_first_states(
    op: str, more: dict[str, Any], subsets: Iterable[list[str]]
) -> None:
    """Loops that write nothing but states compile as fused where workgroups share their steps too.

    A CompileWarning is an error here, as all warnings are.
    """
    check(op, {**SHARED, **more}, subsets)


@pytest.mark.slow
def test_cudnn_rnn() -> None:
    variant = {**SIZES, "num_layers": 1, "direction": "bidirectional", "is_training": False}
    check("CudnnRNNV3", variant, (["output"], ["output_h", "output_c"]))


@pytest.mark.slow
def test_cudnn_rnn_while_training() -> None:
    variant = {**SIZES, "num_layers": 2}
    check("CudnnRNNV2", variant, (["output"], ["output_h"], ["output_c", "reserve_space"]))
    subsets = (["params_backprop"], ["input_backprop", "input_c_backprop"])
    check("CudnnRNNBackpropV3", variant, subsets)


@pytest.mark.slow
def test_two_layers_in_a_module_of_a_name() -> None:
    """The same op twice, and whatever else its functions are called."""
    names = ("encoder", "rows_product_0", "encoder_lstm_forward_loop")
    rows = [("CudnnRNN", {"function": name}) for name in names]
    variant = {**SIZES, "input_size": 16, "num_units": 48, "num_layers": 1, "is_training": False}
    module = rc.build(rows, **variant, name="speech")
    assert module.text.startswith("module @speech {")
    artifact = rc.compile(module)
    assert artifact.manifest.name == "speech"
    program = rc.runtime.load(artifact)
    arguments = draw("CudnnRNN", "float32", variant)
    expected = program.encoder(**arguments)
    for name in names[1:]:
        assert_same_bits(getattr(program, name)(**arguments), expected)
