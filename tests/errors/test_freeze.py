"""`rc.freeze`: rejected arguments and their messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from errors.expect import DIMS, invalid_argument

import rnn_compiler as rc

W = np.zeros((9, 20), np.float32)


@pytest.fixture(scope="module")
def module() -> rc.Module:
    return rc.build("BlockLSTMV2", **DIMS)


@pytest.fixture(scope="module")
def two() -> rc.Module:
    return rc.build([("BlockLSTMV2", {"function": name}) for name in ("one", "other")], **DIMS)


@pytest.mark.parametrize(
    ("weights", "argument", "expected", "got"),
    [
        (
            {"w": W[:, 1:]},
            "w",
            "shape [input_size + num_units, 4 * num_units] = [9, 20]",
            "[9, 19]",
        ),
        ({"w": W.ravel()}, "w", "shape", "[180]"),
        ({"w": W.astype(np.float64)}, "w", "dtype float32", "dtype float64"),
        ({"w": W.astype(np.int32)}, "w", "dtype float32", "dtype int32"),
        ({"w": "w"}, "w", "dtype float32", "dtype <U1"),
        ({"w": None}, "w", "", ""),
        ({"w": [[1.0], [2.0, 3.0]]}, "w", "float32 numbers", "a ragged sequence"),
        ({"v": W}, "weights", "one of seq_len_max, x, cs_prev, h_prev, w,", "'v'"),
        ({5: W}, "weights", "one of seq_len_max", "5"),
        ({"block_lstm_v2": {"v": W}}, "weights", "one of seq_len_max", "'v'"),
        ({"seq_len_max": 4}, "seq_len_max", "a value in 0..3", "4"),
        ({"seq_len_max": 1.5}, "seq_len_max", "int64 numbers", "1.5"),
    ],
)
def test_arrays_are_what_the_function_takes(
    weights: Any, argument: str, expected: str, got: str, module: rc.Module
) -> None:
    with invalid_argument("BlockLSTMV2", argument, expected, got):
        rc.freeze(module, weights)


@pytest.mark.parametrize("weights", [None, 5, "w", [W], [("w", W)], {"w"}, W], ids=type)
def test_weights_are_a_mapping(weights: Any, module: rc.Module) -> None:
    with invalid_argument("freeze", "weights", "a mapping of arguments to arrays", ""):
        rc.freeze(module, weights)


def test_several_functions_have_a_mapping_each(two: rc.Module) -> None:
    with invalid_argument(
        "freeze", "weights", "for each function, {'one': {...}}", "'w': an array"
    ):
        rc.freeze(two, {"w": W})
    with invalid_argument("freeze", "function", "one of one, other", "'oter'") as caught:
        rc.freeze(two, {"oter": {"w": W}})
    del caught


def test_what_is_frozen_is_gone(module: rc.Module) -> None:
    with invalid_argument(
        "BlockLSTMV2", "weights", "one of seq_len_max, x, cs_prev, h_prev,", "'w'"
    ):
        rc.freeze(rc.freeze(module, {"w": W}), {"w": W})


@pytest.mark.parametrize("module", [None, "BlockLSTMV2", 5])
def test_modules_are_what_build_made(module: Any) -> None:
    with invalid_argument("freeze", "module", "a module from `build`", ""):
        rc.freeze(module, {"w": W})


def test_nothing_is_frozen(module: rc.Module) -> None:
    for nothing in ({}, {"block_lstm_v2": {}}):
        frozen = rc.freeze(module, nothing)
        assert frozen.functions == module.functions
        assert frozen.text == module.text


@pytest.mark.parametrize(
    ("weights", "argument", "remedy"),
    [
        ({"cs_prev": np.zeros((3, 5), "f")}, "cs_prev", "give batch_size a value, or leave it"),
        ({"seq_len_max": 3}, "seq_len_max", "give seq_length a value, or leave it"),
        ({"x": np.zeros((2, 3, 4), "f")}, "x", "give seq_length and batch_size a value, or"),
    ],
)
def test_arguments_of_open_size(weights: Any, argument: str, remedy: str) -> None:
    module = rc.build("BlockLSTMV2", **{**DIMS, "seq_length": None, "batch_size": None})
    with invalid_argument("BlockLSTMV2", argument, "an argument of known size", "["):
        rc.freeze(module, weights)
    with pytest.raises(rc.errors.InvalidArgumentError, match=remedy):
        rc.freeze(module, weights)
