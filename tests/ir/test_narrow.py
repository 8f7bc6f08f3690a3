"""Functions that return some of their results: the module has no ops that only others need."""

from __future__ import annotations

import functools
import re

import pytest
from cases import CASES
from numeric.harness import module
from numeric.marks import marks

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS

SIZES = {"seq_length": 6, "batch_size": 3, "input_size": 4, "num_units": 5}
RNN = {**SIZES, "num_layers": 2}
ALL = [
    pytest.param(op, result.name, marks=marks(op))
    for op in OPS
    for result in OPS[op].signature.results
]


def written(text: str) -> int:
    """The number of arrays that the loops of a module write."""
    return text.count("stablehlo.dynamic_update_slice")


@functools.cache
def first_module(op: str) -> rc.Module:
    return module(op, "float32", CASES[op].variants[0])


@pytest.mark.parametrize(("op", "result"), ALL)
def test_each_result_alone(op: str, result: str) -> None:
    """The module is valid, and all that it holds is needed."""
    whole = first_module(op)
    spec = whole.functions[0]
    keywords = {**spec.dims, **spec.attributes, "outputs": [result], "function": "f"}
    module_text = rc.build(op, **keywords).text
    assert len(module_text) <= len(whole.text)
    kept = [each for each in spec.results if each.keyword == result]
    (types,) = re.findall(r"func.func @f\(.*\) -> (.*) {", module_text)
    assert types.count("tensor<") == len(kept)
    for symbol in re.findall(r"func.func private @([\w.]+)\(", module_text):
        assert re.search(rf"(decomposition = |call )@{re.escape(symbol)}[,(]", module_text)
    for function in module_text.split("  func.func ")[1:]:  # names are those of a function
        for name in re.findall(r"^ +(%\w+)(?::\d+)? = ", function, re.MULTILINE):
            assert len(re.findall(rf"{name}\b", function)) > 1, f"{name} is of no use: {function}"


def test_a_loop_writes_what_is_asked_for() -> None:
    for outputs, arrays in ((["h"], 1), (["h", "cs"], 2), (["h_last", "cs_last"], 0)):
        assert written(rc.build("BlockLSTMV2", **SIZES, outputs=outputs).text) == arrays
    assert written(rc.build("BlockLSTMV2", **SIZES).text) == 7


def test_layers_write_what_the_next_one_reads() -> None:
    inference = {**RNN, "is_training": False}
    assert written(rc.build("CudnnRNN", **inference, outputs=["output"]).text) == 2
    assert written(rc.build("CudnnRNN", **inference, outputs=["output_h"]).text) == 1
    assert written(rc.build("CudnnRNN", **RNN, outputs=["output_h"]).text) == 1  # saves nothing


def test_a_gradient_multiplies_for_what_is_asked_for() -> None:
    """Of two blocks of time, two layers: no products of weights, or not those of the input."""
    blocks = {"seq_length": 64, "batch_size": 16, "input_size": 8, "num_units": 8, "num_layers": 2}
    found: dict[str, tuple[int, int]] = {}
    for name in ("input", "params", "input_h"):
        text = rc.build("CudnnRNNBackprop", **blocks, outputs=[f"{name}_backprop"]).text
        sums = text.count('composite "rnn_compiler.product"')
        found[name] = sums, len(re.findall(r"%dx_\d+ = stablehlo.dot_general", text))
    assert found == {"input": (0, 4), "params": (4, 2), "input_h": (0, 2)}


def test_the_whole_op_is_as_it_was() -> None:
    """To ask for all results is to ask for nothing."""
    names = [result.name for result in OPS["BlockLSTMV2"].signature.results]
    module = rc.build("BlockLSTMV2", **SIZES, outputs=names[::-1])
    assert module.text == rc.build("BlockLSTMV2", **SIZES).text
    assert [result.name for result in module.functions[0].results] == names
