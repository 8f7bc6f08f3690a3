"""Integers in ONNX files, converted to floating-point numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.onnx_layers import float_lstm, linear

F = np.float32


def quantize(array: Any, scale: Any, *zero: Any, **attributes: int) -> Any:
    given = {name: SimpleNamespace(i=value) for name, value in attributes.items()}
    return linear("QuantizeLinear", [array, scale, *zero], given)


def dequantize(array: Any, scale: Any, *zero: Any) -> Any:
    return linear("DequantizeLinear", [array, scale, *zero], {})


@pytest.mark.parametrize(
    ("number", "dtype"), [(0, "uint8"), (2, "uint8"), (3, "int8"), (4, "uint16"), (5, "int16")]
)
def test_without_a_zero_point_an_attribute_gives_the_type(number: int, dtype: str) -> None:
    got = quantize(np.array([-1, 0.5, 200], F), F(0.5), output_dtype=number)
    limits = np.iinfo(dtype)
    assert got.dtype == dtype
    assert got.tolist() == [min(max(each, limits.min), limits.max) for each in (-2, 1, 400)]


def test_zero_points_of_32_bits_do_not_wrap_around() -> None:
    got = dequantize(np.array([-5, 2**31 - 1], np.int32), F(1), np.int32(2**31 - 1))
    np.testing.assert_array_equal(got, np.array([-5.0 - (2**31 - 1), 0], F))


@pytest.mark.parametrize("zero", [np.uint8(3), F(0.5), np.int32(0)])
def test_zero_points_have_the_type_of_the_numbers(zero: Any) -> None:
    with pytest.raises(ValueError, match=f"zero points of {zero.dtype} for numbers of int8"):
        dequantize(np.zeros(3, np.int8), F(1), zero)
    weights = np.zeros((1, 2, 8), np.int8)
    scale, zeros = np.ones(1, F), np.full(1, zero)
    arrays = [None, weights, weights, *[None] * 5, scale, zeros, scale, zeros]
    with pytest.raises(ValueError, match=f"zero points of {zero.dtype} for numbers of int8"):
        float_lstm(arrays)


@pytest.mark.parametrize("scale", [np.int32(1), np.complex64(1)])
def test_scales_are_floating_point_numbers(scale: Any) -> None:
    with pytest.raises(ValueError, match="scales of"):
        dequantize(np.zeros(3, np.int8), scale)


def test_numbers_of_other_types_are_for_others() -> None:
    eighths = np.array([1.5, -2.25], ml_dtypes.float8_e4m3fn)
    with pytest.raises(NotImplementedError, match="float8_e4m3fn"):
        dequantize(eighths, F(1))
    with pytest.raises(NotImplementedError, match="output_dtype 17"):
        quantize(np.ones(2, F), F(1), output_dtype=17)


@pytest.mark.parametrize("frozen", [False, True])
def test_what_cannot_be_stored_in_int8_is_an_error(frozen: bool) -> None:
    """Weights that are arguments, and a layer without any."""
    sizes = {"seq_length": 2, "batch_size": 1, "input_size": 2, "num_units": 3}
    layer = rc.Layer("lstm", "BlockLSTMV2", {}, sizes, "float32", {})
    with pytest.raises(InvalidArgumentError, match="frozen=False" if not frozen else "weights"):
        layer.build(frozen=frozen, quantize="int8")
