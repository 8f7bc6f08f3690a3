"""Compiled ops equal the float64 reference, in every dtype, for any size, attribute and length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import ALIKE, CASES, COMPUTING, TOLERANCES, assert_close, sizes
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric.harness import (
    NOT_ALIKE,
    draw,
    expected,
    first_variant,
    first_variants,
    function,
    lengths,
    padded,
)
from numeric.marks import each_op_and_dtype, marks

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE


def dtypes_for(op: str, number: int) -> tuple[str, ...]:
    """All dtypes at the first variant, one at each other: every one costs a compilation.

    At the third, whose sizes divide nothing, a third of the ops have float16, among them forwards
    and gradients, and the others float32. Ops for which others stand have float32 at the first.
    The fifth, a step of a row, is one of the smallest sizes in `test_edge_cases.py`.
    """
    if op in ALIKE:
        return ("float32",) if number == 0 else ()
    third = "float32" if NOT_ALIKE.index(op) % 3 else "float16"
    return (OPS[op].signature.dtypes, ("float64",), (third,), ("bfloat16",), ())[number]


GROWING = {"Relu", "LeakyRelu", "ThresholdedRelu", "Affine", "Elu", "Softplus"}
"""ONNX's functions without bounds."""

VARIANTS = [
    pytest.param(
        op,
        k,
        dtype,
        id="-".join([op, dtype, *map(str, variant.values())]),
        marks=marks(op, dtype) if k == 0 else pytest.mark.slow,
    )
    for op in COMPUTING
    for k, variant in enumerate(CASES[op].variants)
    for dtype in dtypes_for(op, k)
]


def compiled(op: str, number: int, dtype: str) -> Callable[..., Any]:
    """An op at one of its variants, compiled together with others at theirs of that number."""
    if number == 0:
        return function(op, dtype, first_variants(op, dtype))
    rows = {each: CASES[each].variants for each in COMPUTING}
    return function(
        op,
        dtype,
        {
            each: row[number]
            for each, row in rows.items()
            if number < len(row) and dtype in dtypes_for(each, number)
        },
    )


def check(
    compiled: Any, op: str, dtype: str, variant: dict[str, Any], steps: int, **how: Any
) -> None:
    arguments = draw(op, dtype, variant, steps=steps, **how)
    results = compiled(**arguments)._asdict()
    types = {result.name: result.dtype for result in compiled.spec.results}
    assert {name: array.dtype.name for name, array in results.items()} == types
    # A gradient of weights is a sum of products of arguments with what was rounded to 16 bits.
    sums = [
        result.name
        for result in OPS[op].signature.results
        if result.dtype == WEIGHT_GRAD_DTYPE.name
    ]
    terms = dict.fromkeys(sums, float(how.get("scale", 1.0)))
    assert_close(results, expected(op, dtype, variant, arguments), dtype, terms)
    has_lengths = any(each.maximum is not None for each in compiled.spec.arguments)
    for name in padded(op, results) if has_lengths else ():
        time_major = results[name].swapaxes(0, 1) if variant.get("layout") else results[name]
        assert not time_major[steps:].any(), f"{name}: padding is not 0"


def scales(variant: dict[str, Any]) -> list[float]:
    """Those of arguments.

    States of functions without bounds grow with each step. Drawn at 10 in float16, the exact
    results of such an LSTM change by 7 % where its arguments are rounded otherwise.
    """
    grows = not GROWING.isdisjoint(variant.get("activations", "").split())
    return [0.0, 1e-3, 1.0] if grows else [0.0, 1e-3, 1.0, 10.0]


@pytest.mark.parametrize(("op", "number", "dtype"), VARIANTS)
@settings(max_examples=12)
@given(data=st.data())
def test_variant(op: str, number: int, dtype: str, data: st.DataObject) -> None:
    """Compiled once: only run-time values vary."""
    variant = CASES[op].variants[number]
    steps = data.draw(st.sampled_from(lengths(variant)), "steps")
    seed = data.draw(st.integers(0, 2**32 - 1), "seed")
    scale = data.draw(st.sampled_from(scales(variant)), "scale")
    check(compiled(op, number, dtype), op, dtype, variant, steps, seed=seed, scale=scale)


FAMILIES = {
    name: [op for op in NOT_ALIKE if op.startswith(name)]
    for name in ("LSTMBlockCell", "BlockLSTM", "GRUBlockCell")
}
"""Ops that take the same sizes. Those of CudnnRNN have a sweep of their own."""


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=3)
@given(
    variant=st.builds(
        sizes,
        st.integers(0, 6),
        st.integers(0, 9),
        st.integers(0, 40),
        st.integers(0, 40),
        use_peephole=st.booleans(),
        cell_clip=st.sampled_from([-1.0, 0.0, 0.1, 3.0]),
    ),
    data=st.data(),
)
def test_any_size(family: str, variant: dict[str, Any], data: st.DataObject) -> None:
    """Each example compiles, so there are few."""
    dtype = data.draw(st.sampled_from(sorted(TOLERANCES)), "dtype")
    variants = {
        op: variant | {dim: max(1, variant.get(dim, 1)) for dim in OPS[op].signature.positive}
        for op in FAMILIES[family]
    }
    steps = data.draw(st.sampled_from(lengths(variant)), "steps")
    for op, each in variants.items():
        check(function(op, dtype, variants), op, dtype, each, steps)


@each_op_and_dtype
def test_the_tolerance_is_tight(op: str, dtype: str) -> None:
    """An error of twice the tolerance in one element of one result is an error."""
    variant = first_variant(op)
    exact = expected(op, dtype, variant, draw(op, dtype, variant))
    assert_close(exact, exact, dtype)
    for name, values in exact.items():
        wrong = values.copy()
        wrong.flat[-1] += 2 * TOLERANCES[dtype] * max(1.0, np.abs(values).max())
        with pytest.raises(AssertionError, match=f"{name}: error"):
            assert_close({**exact, name: wrong}, exact, dtype)
        wrong.flat[-1] = np.nan
        with pytest.raises(AssertionError, match=f"{name}: error nan"):
            assert_close({**exact, name: wrong}, exact, dtype)
