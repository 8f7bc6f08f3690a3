"""Compiled ops equal the float64 reference, in every dtype, for any size, attribute and length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import CASES, COMPUTING, TOLERANCES, assert_close, sizes
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric.harness import draw, expected, first_variant, lengths, padded, program
from numeric.marks import each_op_and_dtype

from rnn_compiler.lowering.ops import OPS


def dtypes_for(variant: int, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """All dtypes at the first variant, two at each other: every one costs a compilation."""
    return dtypes if variant == 0 else (dtypes[variant % 2], dtypes[2 + variant // 2 % 2])


VARIANTS = [
    pytest.param(op, variant, dtype, id="-".join([op, dtype, *map(str, variant.values())]))
    for op in COMPUTING
    for k, variant in enumerate(CASES[op].variants)
    for dtype in dtypes_for(k, OPS[op].signature.dtypes)
]


def check(op: str, dtype: str, variant: dict[str, Any], steps: int, **how: Any) -> None:
    arguments = draw(op, dtype, variant, steps=steps, **how)
    compiled = program(op, dtype, variant)
    results = compiled(**arguments)._asdict()
    types = {result.name: result.dtype for result in compiled.manifest.functions[0].results}
    assert {name: array.dtype.name for name, array in results.items()} == types
    assert_close(results, expected(op, dtype, variant, arguments), dtype)
    for name in padded(op, results):
        assert not results[name][steps:].any(), f"{name}: padding is not 0"


@pytest.mark.parametrize(("op", "variant", "dtype"), VARIANTS)
@settings(max_examples=12)
@given(data=st.data())
def test_variant(op: str, variant: dict[str, Any], dtype: str, data: st.DataObject) -> None:
    """Compiled once: what varies is what may vary at run time."""
    steps = data.draw(st.sampled_from(lengths(variant)), "steps")
    seed = data.draw(st.integers(0, 2**32 - 1), "seed")
    scale = data.draw(st.sampled_from([0.0, 1e-3, 1.0, 10.0]), "scale")
    check(op, dtype, variant, steps, seed=seed, scale=scale)


@pytest.mark.parametrize("op", [op for op in CASES if "Cudnn" not in op])  # those have a sweep
@settings(max_examples=6)
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
def test_any_size(op: str, variant: dict[str, Any], data: st.DataObject) -> None:
    """Each example compiles, so there are few."""
    dtype = data.draw(st.sampled_from(OPS[op].signature.dtypes), "dtype")
    variant |= {dim: max(1, variant.get(dim, 1)) for dim in OPS[op].signature.positive}
    check(op, dtype, variant, data.draw(st.sampled_from(lengths(variant)), "steps"))


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
