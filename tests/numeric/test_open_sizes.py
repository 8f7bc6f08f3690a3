"""Functions of open sizes: one for any length or batch, with the numbers of static functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numeric.harness import Arrays, arguments_of, expected, module, renamed
from quick import every, marked_slow

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.golden import TOLERANCES

SIZES = {"batch_size": 3, "input_size": 40, "num_units": 48}
PEEPHOLE = {**SIZES, "use_peephole": True}
TANH = {**SIZES, "num_layers": 2, "rnn_mode": "rnn_tanh"}
PROJECTED = {**SIZES, "num_proj": 32, "time_major": False}
MANY = {"batch_size": 33, "input_size": 64, "num_units": 64, "num_layers": 1}
"""Rows enough to be taken in the order of their lengths."""

BOTH = {**SIZES, "direction": "bidirectional"}
ONE = {**SIZES, "batch_size": 1, "direction": "bidirectional"}
DROPPED = {**BOTH, "num_layers": 2, "num_units": 45, "dropout": 0.4}
"""Of the elements that are dropped or kept there are, at most sizes, no multiple of four."""

TWICE = {**SIZES, "input_size": 5, "num_units": 4, "num_layers": 3, "dropout": 0.4}
"""Three layers have two masks."""

SKIPPED = {**SIZES, "input_size": 48, "input_mode": "skip_input"}
SUMS = ("wci_grad", "wcf_grad", "wco_grad", "b_grad", "params_backprop")

WIDE = {"input_size": 5, "num_units": 64, "rnn_mode": "rnn_tanh"}

LENGTHS = (0, 1, 2, 7, 100)
"""With 100 steps, several blocks of time have steps to run."""

BATCHES = (0, 1, 3, 7, 8, 9, 17, 33, 64)
"""No row, one, tiles of every height, full or not, and enough rows for threads to share."""

LENGTHS_OPEN = [
    ("BlockLSTMGradV2", {**PEEPHOLE, "batch_size": 33}, "float32"),
    ("BlockLSTMV2", {**PEEPHOLE, "batch_size": 9}, "float32"),
    ("BlockLSTM", {**SIZES, "batch_size": 1}, "float64"),
    ("BlockLSTMGradV2", PEEPHOLE, "bfloat16"),
    ("CudnnRNNV3", {**MANY, "is_training": False}, "float32"),
    ("CudnnRNN", {**TWICE, "rnn_mode": "gru"}, "float64"),
    ("CudnnRNNBackprop", SKIPPED, "float32"),
    ("CudnnRNNBackpropV3", ONE, "float32"),
]
"""Ops with a loop over time of any length. Batches of one row, of less than a tile, of full tiles
and one row more."""

BOTH_OPEN = [
    ("BlockLSTMGradV2", PEEPHOLE, "float32"),
    ("BlockLSTMV2", PEEPHOLE, "float32"),
    ("BlockLSTMGrad", {**PEEPHOLE, "use_peephole": False}, "float64"),
    ("BlockLSTMV2", PEEPHOLE, "bfloat16"),
    ("BlockLSTMGradV2", PEEPHOLE, "float16"),
    ("CudnnRNNV3", DROPPED, "float32"),
    ("CudnnRNNBackprop", {**SIZES, "rnn_mode": "gru"}, "float32"),
    ("CudnnRNNBackprop", TWICE, "float32"),
    ("CudnnRNNBackpropV2", TANH, "float64"),
    ("CudnnRNNBackpropV3", MANY, "float32"),
]
"""The same of any length and batch."""


@functools.cache
def program(
    op: str, dtype: str, items: tuple[tuple[str, Any], ...], target: str = "cpu"
) -> rc.Program:
    artifact = rc.compile(module(op, dtype, dict(items)), target)
    assert artifact.manifest.strategy == "fused"
    assert not artifact.manifest.plain_loops
    return rc.runtime.load(artifact, "local-sync")


def check(op: str, dtype: str, variant: dict[str, Any], target: str = "cpu", **sizes: int) -> None:
    """Compares a call at some sizes, open in the function, with the reference."""
    given = tuple({**variant, **dict.fromkeys(sizes)}.items())
    compare(program(op, dtype, given, target), op, dtype, {**variant, **sizes})


def compare(function: Callable[..., Any], op: str, dtype: str, at_size: dict[str, Any]) -> None:
    """Compares a function with the reference, at some sizes."""
    arguments = arguments_of(op, dtype, at_size, at_size.get("seq_length", 0))
    results = function(**arguments)._asdict()
    right = expected(op, dtype, at_size, arguments)
    for name, array in results.items():
        if array.dtype.kind in "iu":
            continue
        assert array.shape == right[name].shape
        scale = max(1.0, float(np.max(np.abs(right[name]), initial=0)))
        error = np.max(np.abs(array.astype(np.float64) - right[name]), initial=0) / scale
        assert error < TOLERANCES[dtype], f"{op} {at_size} {name}: {error}"


def least(op: str, name: str) -> int:
    """How small a dimension of an op may be."""
    return int(name in OPS[op].signature.positive)


@pytest.mark.parametrize(
    ("op", "dtype", "variant"),
    [
        marked_slow(
            ("BlockLSTMV2", "bfloat16", {"input_size": 3, "num_units": 128, "use_peephole": True})
        ),
        ("CudnnRNNBackpropV3", "float32", WIDE),
    ],
)
def test_any_length_and_batch(op: str, dtype: str, variant: dict[str, Any]) -> None:
    """One row, tiles of every height, at last several blocks of time; rows of lengths or not."""
    for steps, rows in ((2, 1), (3, 7), (1, 11), (27, 41)):
        check(op, dtype, variant, seq_length=steps, batch_size=rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "variant", "dtype"),
    [LENGTHS_OPEN[k] for k in every(range(len(LENGTHS_OPEN)), 0, 2, 5, 7)],
)
def test_lengths(op: str, variant: dict[str, Any], dtype: str) -> None:
    """One function for every length that the op takes."""
    for steps in LENGTHS[least(op, "seq_length") :]:
        check(op, dtype, variant, seq_length=steps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "variant", "dtype"),
    [BOTH_OPEN[k] for k in every(range(len(BOTH_OPEN)), 3, 4, 5, 6, 8, 9)],
)
def test_batches(op: str, variant: dict[str, Any], dtype: str) -> None:
    """One function for every length and batch that the op takes."""
    for rows in BATCHES[least(op, "batch_size") :]:
        check(op, dtype, variant, seq_length=1 + rows % 3, batch_size=rows)


@pytest.mark.slow
def test_batches_on_another_vector_unit() -> None:
    """Its tiles have four rows at most."""
    for rows in BATCHES[::2]:
        check("BlockLSTMGradV2", "float32", PEEPHOLE, "cpu:generic", seq_length=3, batch_size=rows)


@pytest.mark.slow
def test_batches_of_a_step() -> None:
    """Where arrays have one row."""
    for rows in (0, 1, 3, 9):
        check("BlockLSTMGradV2", "float32", {**PEEPHOLE, "seq_length": 1}, batch_size=rows)


def both(
    op: str, dtype: str, variant: dict[str, Any], opened: Sequence[str], **sizes: int
) -> tuple[Arrays, Arrays]:
    """The results of an open function and of one built for some sizes, of the same arguments."""
    at_size = {**variant, **sizes}
    arguments = arguments_of(op, dtype, at_size, at_size["seq_length"])
    first, second = (
        program(op, dtype, tuple(each.items()))(**arguments)._asdict()
        for each in ({**at_size, **dict.fromkeys(opened)}, at_size)
    )
    return first, second


@pytest.mark.slow
@pytest.mark.parametrize(("op", "variant", "dtype"), [LENGTHS_OPEN[0], LENGTHS_OPEN[-1]])
def test_long_sequences(op: str, variant: dict[str, Any], dtype: str) -> None:
    check(op, dtype, variant, seq_length=701)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "variant", "dtype", "opened"),
    [
        ("CudnnRNNV3", {**PROJECTED, "is_training": False}, "float16", ["batch_size"]),
        ("CudnnRNNBackpropV3", PROJECTED, "float32", ["batch_size"]),
        ("CudnnRNNBackpropV3", {**SIZES, "rnn_mode": "rnn_tanh"}, "bfloat16", ["batch_size"]),
    ],
)
def test_static_functions_give_the_same(
    op: str, variant: dict[str, Any], dtype: str, opened: Sequence[str]
) -> None:
    """Closer than the reference is, where roundings of 16 bits add up."""
    results, static = both(op, dtype, variant, opened, seq_length=7)
    for name, array in static.items():
        wide = [each.astype(np.float64) for each in (results[name], array)]
        scale = max(1.0, float(np.max(np.abs(wide[1]), initial=0)))
        np.testing.assert_allclose(*wide, rtol=0, atol=TOLERANCES[dtype] * scale / 4)


CELLS = [
    ("GRUBlockCellParameterGrad", PEEPHOLE, "float32"),
    ("GRUBlockCellGrad", PEEPHOLE, "float16"),
    ("GRUBlockCell", PEEPHOLE, "float32"),
    ("LSTMBlockCellParameterGrad", PEEPHOLE, "float16"),
    ("LSTMBlockCellGrad", PEEPHOLE, "float32"),
    ("LSTMBlockCell", PEEPHOLE, "float16"),
    ("GRUBlockCellParameterGrad", {"input_size": 5, "num_units": 1}, "float32"),
    ("GRUBlockCellGrad", {"input_size": 1, "num_units": 1}, "float32"),
    ("GRUBlockCell", {"input_size": 5, "num_units": 1}, "float32"),
    ("LSTMBlockCellParameterGrad", {**PEEPHOLE, "input_size": 1, "num_units": 1}, "float32"),
]
"""Single steps; with a single unit, products with one column, which are not left to IREE."""


@pytest.mark.slow
def test_batches_of_cells() -> None:
    """Functions for every batch, compiled together."""
    opened = [module(op, dtype, {**variant, "batch_size": None}) for op, variant, dtype in CELLS]
    cells = rc.runtime.load(rc.compile(renamed(*opened), "cpu"), "local-sync")
    for (op, variant, dtype), cell in zip(CELLS, cells.functions.values(), strict=True):
        for rows in BATCHES[least(op, "batch_size") :]:
            compare(cell, op, dtype, {**variant, "batch_size": rows})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "variant", "opened"),
    [
        ("BlockLSTMV2", {**PEEPHOLE, "batch_size": 1}, ["batch_size"]),
        ("BlockLSTMGradV2", PEEPHOLE, ["seq_length", "batch_size"]),
        ("CudnnRNNV3", {**MANY, "is_training": False}, ["seq_length"]),
        ("CudnnRNNV3", DROPPED, ["seq_length", "batch_size"]),
        ("CudnnRNNBackprop", {**SKIPPED, "seq_length": 60}, ["seq_length"]),
        ("CudnnRNNBackpropV3", MANY, ["seq_length", "batch_size"]),
    ],
)
def test_numbers_are_those_of_a_static_function(
    op: str, variant: dict[str, Any], opened: Sequence[str]
) -> None:
    """The arithmetic is the same, so they are equal to the bit; in as many blocks of time.

    Sums over rows of any batch, of which there is no product, are in an order of IREE's.
    """
    results, static = both(op, "float32", variant, opened, **{"seq_length": 9, **variant})
    for name, array in results.items():
        if "batch_size" in opened and name in SUMS:
            np.testing.assert_allclose(array, static[name], rtol=1e-6, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(array, static[name], name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "variant", "opened"),
    [
        ("BlockLSTMGradV2", PEEPHOLE, ["seq_length", "batch_size"]),
        ("CudnnRNNBackpropV3", SIZES, ["seq_length"]),
    ],
)
def test_inputs_of_one(op: str, variant: dict[str, Any], opened: Sequence[str]) -> None:
    """A series of one number per step; a product with one column is not left to IREE."""
    variant = {**variant, "input_size": 1, "num_units": 8, "seq_length": 3}
    for steps, rows in ((1, 1), (3, 2), (40, 9)):
        sizes = {"seq_length": steps, "batch_size": rows}
        check(op, "float32", variant, **{name: sizes[name] for name in opened})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "opened"), [(33, ["seq_length"]), (3, ["seq_length", "batch_size"])]
)
def test_steps_past_the_length_are_not_read(rows: int, opened: Sequence[str]) -> None:
    """Rows past `seq_len_max` may be NaN, and rows of results there are 0."""
    op, at_size = "BlockLSTMGradV2", {**PEEPHOLE, "batch_size": rows, "seq_length": 7}
    arguments = arguments_of(op, "float32", at_size, 4)
    right = expected(op, "float32", at_size, arguments)
    for name in ("x", "i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"):
        arguments[name][4:] = np.nan
    given = tuple({**PEEPHOLE, "batch_size": rows, **dict.fromkeys(opened)}.items())
    results = program(op, "float32", given)(**arguments)._asdict()
    for name, array in results.items():
        np.testing.assert_allclose(array, right[name], atol=2e-5, err_msg=name)
    assert not results["x_grad"][4:].any()


@pytest.mark.slow
def test_padding_is_not_read() -> None:
    """Rows past the length of a sequence may be NaN; the gradient there is 0."""
    op, at_size = "CudnnRNNBackpropV3", {**MANY, "seq_length": 100}
    arguments = arguments_of(op, "float32", at_size, 100)
    right = expected(op, "float32", at_size, arguments)
    lengths = arguments["sequence_lengths"]
    padding = np.arange(100)[:, None] >= lengths
    for name in ("input", "output_backprop"):
        arguments[name][padding] = np.nan
    given = tuple({**MANY, "seq_length": None}.items())
    results = program(op, "float32", given)(**arguments)._asdict()
    for name in ("input_backprop", "params_backprop"):
        scale = np.max(np.abs(right[name]))
        np.testing.assert_allclose(results[name], right[name], atol=2e-5 * scale, err_msg=name)
    assert not results["input_backprop"][padding].any()


def test_blocks_of_time() -> None:
    """As many as there may be, each with a loop, a product put in place and sums added."""
    text = str(module("CudnnRNNBackpropV3", "float32", {**MANY, "seq_length": None}))
    assert text.count('stablehlo.composite "rnn_compiler.time_loop"') == 4
    for form in ("rows", "outer_sums"):
        assert text.count(f'form = "{form}"') == 4
    assert text.count("stablehlo.optimization_barrier") == 4
