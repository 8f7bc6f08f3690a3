"""The call signatures and documentation of a program's functions."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import numpy as np
import pytest
from numeric.harness import Arrays

import rnn_compiler as rc
from rnn_compiler.runtime.call_signature import call_signature, documentation
from rnn_compiler.runtime.stream import Stream
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

X, Y = (TensorSpec(name, "float32", (2,)) for name in ("x", "y"))
SEQUENCE = TensorSpec("input", "float32", (2, 3), "[seq_length, batch_size]")


@pytest.fixture(scope="module")
def both(artifact: rc.Artifact) -> rc.Program:
    return rc.runtime.load(artifact, "local-sync")


@pytest.fixture(scope="module")
def single(tiny: rc.Artifact) -> rc.Program:
    return rc.runtime.load(tiny, "local-sync")


def test_a_function_of_one_sequence_takes_it_by_position(both: rc.Program, forward: Arrays) -> None:
    others = {name: array for name, array in forward.items() if name != "x"}
    expected = both.block_lstm_v2(**forward)
    result = both.block_lstm_v2(forward["x"], **others)
    np.testing.assert_array_equal(result.h, expected.h)


def test_so_does_a_program_of_one_function(single: rc.Program) -> None:
    (spec,) = single.manifest.functions
    arrays = {each.name: np.zeros(each.shape, each.dtype) for each in spec.arguments}
    x = arrays.pop("x")
    assert single(x, **arrays).h.shape == (0, 1, 1)


def test_what_is_wrong_by_position(both: rc.Program, forward: Arrays, backward: Arrays) -> None:
    function = both.block_lstm_v2
    with pytest.raises(TypeError, match=r"^block_lstm_v2\(\) takes only 'x' by position; 2"):
        function(forward["x"], forward["cs_prev"])
    with pytest.raises(TypeError, match=r"^block_lstm_v2\(\) got multiple values for .* 'x'"):
        function(forward["x"], **forward)
    with pytest.raises(TypeError, match="takes no positional arguments: pass its tensors by name"):
        both.block_lstm_grad_v2(backward["x"])


def test_a_function_says_what_it_takes(both: rc.Program, single: rc.Program) -> None:
    function = both.block_lstm_v2
    assert function.__name__ == "block_lstm_v2"
    assert str(inspect.signature(function)) == (
        "(x, *, seq_len_max, cs_prev, h_prev, w, wci, wcf, wco, b, to_host=True)"
    )
    assert inspect.signature(single) == inspect.signature(single.block_lstm_v2)
    assert str(inspect.signature(both.block_lstm_grad_v2)).startswith("(*, seq_len_max, x, cs_prev")
    text = pydoc.plain(pydoc.render_doc(function))
    assert "x: float32[3,2,4], [seq_length, batch_size, input_size]." in text
    assert "h: float32[3,2,5], [seq_length, batch_size, num_units]." in text
    assert repr(function) == (
        "Function(block_lstm_v2 on local-sync: BlockLSTMV2 float32, "
        "seq_length=3, batch_size=2, input_size=4, num_units=5)"
    )


def test_classes_keep_their_own_documentation() -> None:
    for each in (rc.runtime.Function, rc.Program, Stream):
        assert "self" not in inspect.signature(each).parameters
        assert each.__doc__ is not None


@pytest.mark.parametrize(
    ("arguments", "sequence"),
    [
        ((X,), "x"),
        ((X, Y), None),
        ((X, SEQUENCE, Y), "input"),
        ((SEQUENCE, TensorSpec("other", "float32", (2,), "[seq_length]")), None),
        ((), None),
    ],
)
def test_which_argument_is_the_sequence(arguments: Any, sequence: str | None) -> None:
    assert FunctionSpec("F", "f", "float32", {}, {}, arguments, ()).sequence == sequence


def test_names_that_python_has_not() -> None:
    """Functions of a user's module may have any name."""
    names = ["class", "a b", "to_host", "x"]
    arguments = [TensorSpec(name, "float32", ()) for name in names]
    assert str(call_signature(arguments, None)) == "(*, x, to_host=True, **others)"
    spec = FunctionSpec("F", "f", "float32", {}, {}, (*arguments,), ())
    assert "class: float32[]" in documentation(spec)


def test_specs_print_in_a_line(artifact: rc.Artifact) -> None:
    function = artifact.manifest.functions[0]
    assert repr(function) == (
        "FunctionSpec(block_lstm_v2: BlockLSTMV2 float32, "
        "seq_length=3, batch_size=2, input_size=4, num_units=5)"
    )
    assert repr(function.arguments[1]) == "TensorSpec(x: float32[3,2,4])"
    assert repr(artifact.manifest) == (
        f"Manifest(block_lstm_v2, block_lstm_grad_v2 for cpu, fused, {len(artifact.payload)} bytes)"
    )
