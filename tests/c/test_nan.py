"""NaN and infinities in any argument reach the results that they reach on this machine.

On the processor with vectors of floats whose comparisons LLVM gets wrong
(`passes/iree_faults/keep_nan.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Loaded
from c.emulated import Emulated, needs
from cases import ALIKE, COMPUTING, TOLERANCES
from numeric.harness import draw, first_variant, module, renamed
from processors.test_aarch64 import OPS
from quick import every

import rnn_compiler as rc
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS

TARGET = "cpu:cortex-m55"

COMPARING = ("LSTMBlockCell", "BlockLSTMV2", "GRUBlockCell", "CudnnRNNV3")

SMALL = {"seq_length": 2, "batch_size": 2, "input_size": 3, "num_units": 5, "use_peephole": True}

FUNCTIONS = [[*ACTIVATIONS][start : start + 3] for start in (0, 3, 6, len(ACTIVATIONS) - 3)]
"""ONNX's, three for each LSTM."""


def with_functions(names: list[str]) -> dict[str, Any]:
    """The attributes of an LSTM of ONNX's with three functions."""
    alphas = [0.7 for name in names if "alpha" in ACTIVATIONS[name].parameters]
    betas = [0.6 for name in names if "beta" in ACTIVATIONS[name].parameters]
    return {
        "activations": " ".join(names),
        "activation_alpha": " ".join(map(str, alphas)),
        "activation_beta": " ".join(map(str, betas)),
    }


Case = tuple[str, str, dict[str, Any]]
"""An op, a dtype, and sizes and attributes."""

OF_TENSORFLOW = [op for op in COMPUTING if op not in ALIKE and not op.startswith("onnx.")]

CASES: list[Case] = [
    *((op, "float32", first_variant(op)) for op in every(OF_TENSORFLOW, *COMPARING)),
    *(
        (op, "float32", {**SMALL, "rnn_mode": mode})
        for op, mode in every(
            itertools.product(OPS[2:], ("rnn_relu", "rnn_tanh", "gru")),
            *((OPS[2], "rnn_relu"), (OPS[2], "rnn_tanh"), (OPS[3], "rnn_relu")),
        )
    ),
    *(
        (op, "float32", {**SMALL, "clip": 2.5, **with_functions(names)})
        for op in ("onnx.LSTM", "onnx.LSTMGrad")
        for names in FUNCTIONS
    ),
    *itertools.product(every(OPS, *OPS[2:]), ["float16"], [SMALL]),
    *itertools.product(OPS[:2], ["bfloat16"], [SMALL]),
]
"""Each op that compares floats in its own way, forwards or backwards: code without comparisons
keeps NaN. Each function of ONNX's; float16, which has comparisons of its own; bfloat16, compared in
float32. Float64 has no vectors."""

STEP = {**SMALL, "seq_length": 1, "is_training": False}

QUANTIZED: list[Case] = [
    *(
        ("CudnnRNNV3", "float32", {**STEP, "rnn_mode": mode})
        for mode in every(("rnn_relu", "rnn_tanh", "gru", "lstm"), "rnn_relu", "lstm")
    ),
    *(
        (op, "float32", STEP)
        for op in every(
            ("BlockLSTMV2", "LSTMBlockCell", "GRUBlockCell"), "BlockLSTMV2", "GRUBlockCell"
        )
    ),
]
"""Ops with weights in int8. In a single step, what is rounded to int8 is the same everywhere."""

MATRICES = ("params", "w", "w_ru", "w_c")


def poisoned(arguments: Arrays, seed: int) -> Iterator[Arrays]:
    """The arguments with a NaN and an infinity, at random, in a third of the arrays at a time."""
    rng = np.random.default_rng(seed)
    arrays = [name for name, each in arguments.items() if each.dtype.kind in "fV" and each.size]
    for start in range(min(3, len(arrays))):
        given = {name: array.copy() for name, array in arguments.items()}
        for name in arrays[start::3]:
            flat = given[name].reshape(-1)
            flat[rng.integers(flat.size)] = rng.choice([-np.inf, np.inf])
            flat[rng.integers(flat.size)] = np.nan
        yield given


def check(module: rc.Module, calls: Mapping[str, tuple[Arrays, str]], folder: Path) -> None:
    """Compares results of a module's functions, given arguments and the dtype of each."""
    here = Loaded(rc.compile_c(module, "cpu:generic", name="m"), folder)
    there = Emulated(rc.compile_c(module, TARGET, name="m"), folder)
    for seed, (function, (arguments, dtype)) in enumerate(calls.items()):
        has_nan = False
        for given in poisoned(arguments, seed):
            expected = here.call(function, given)
            for name, found in there.call(function, given).items():
                wide, wanted = (each.astype(np.float64) for each in (found, expected[name]))
                tolerance = TOLERANCES[dtype]
                np.testing.assert_allclose(wide, wanted, tolerance, tolerance, err_msg=function)
                has_nan |= bool(np.isnan(wanted).any())
        assert has_nan, function


@pytest.mark.slow
@needs("cortex-m55")
def test_each_op(tmp_path: Path) -> None:
    calls = {f"case_{n}": (draw(*case), case[1]) for n, case in enumerate(CASES)}
    check(renamed(*(module(*case) for case in CASES)), calls, tmp_path)


@pytest.mark.slow
@needs("cortex-m55")
def test_weights_in_int8(tmp_path: Path) -> None:
    drawn = {f"case_{n}": draw(*case) for n, case in enumerate(QUANTIZED)}
    weights = {
        function: {name: each for name, each in arguments.items() if name in MATRICES}
        for function, arguments in drawn.items()
    }
    built = renamed(*(module(*case) for case in QUANTIZED))
    calls = {
        function: ({k: v for k, v in arguments.items() if k not in MATRICES}, "float32")
        for function, arguments in drawn.items()
    }
    check(rc.freeze(built, weights, quantize="int8"), calls, tmp_path)
