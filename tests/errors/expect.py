"""Common parts of the tests of error messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rnn_compiler.errors import InvalidArgumentError, RnnCompilerError
from rnn_compiler.lowering.ops import OPS

DIMS = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}

LAYERS = 2
MORE = {
    "num_layers": LAYERS,
    "S": "int32",
    "num_params": 8 * LAYERS,
    "num_params_weights": 8 * LAYERS,
    "num_params_biases": 8 * LAYERS,
}
"""Additional keywords for the CudnnRNN ops that take them."""

OPS_AND_DIMS = [(op, dim) for op in OPS for dim in OPS[op].signature.dimensions]


def taken(op: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Of some keywords of `rnn_compiler.build`, and of `MORE`, those that an op takes."""
    signature = OPS[op].signature
    keywords = MORE | keywords
    known = {*signature.dimensions, *(attribute.name for attribute in signature.attributes)}
    return {name: value for name, value in keywords.items() if name in known}


@contextmanager
def invalid_argument(op: str, argument: str, expected: str, got: str) -> Iterator[None]:
    """Fails unless the block raises an error with all of these texts, in one line."""
    with pytest.raises(InvalidArgumentError) as caught:
        yield
    error = caught.value
    assert type(error) is InvalidArgumentError
    assert isinstance(error, ValueError)
    assert isinstance(error, RnnCompilerError)
    assert (error.op, error.argument) == (op, argument)
    assert expected in error.expected
    assert got in error.got
    message = f"{op}: '{argument}': expected {error.expected}, got {error.got}"
    assert str(error) == (f"{message}; {error.remedy}" if error.remedy else message)
    assert "\n" not in str(error)
    assert len(str(error)) < 1000
