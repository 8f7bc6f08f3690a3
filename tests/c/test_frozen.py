"""Frozen weights in C are packed beforehand, for the target, whatever packs them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Loaded, run
from c.emulated import Emulated, missing
from cases import sizes
from numeric.harness import draw

import rnn_compiler as rc

BLOCK = ("BlockLSTMV2", sizes(32, 16, 8, 40, use_peephole=False))
STACK = ("CudnnRNNV3", sizes(5, 3, 4, 24, num_layers=2, is_training=False))
CELL = ("LSTMBlockCell", {"batch_size": 8, "input_size": 16, "num_units": 64})


def pair(case: tuple[str, dict[str, Any]], dtype: str, target: str, *names: str) -> tuple[Any, ...]:
    """An op as it is and with some arguments frozen, in C, and arguments."""
    op, variant = case
    plain = rc.build(op, dtype=dtype, **variant)
    given = draw(op, dtype, variant)
    frozen = rc.freeze(plain, {name: given[name] for name in names})
    return in_c(op, dtype, target), rc.compile_c(frozen, target, name="m"), given


@functools.cache
def in_c(op: str, dtype: str, target: str) -> rc.CModule:
    """One of the cases as it is."""
    (variant,) = (variant for each, variant in (BLOCK, STACK, CELL) if each == op)
    return rc.compile_c(rc.build(op, dtype=dtype, **variant), target, name="m")


def assert_same(actual: Arrays, expected: Arrays) -> None:
    for name, value in expected.items():
        np.testing.assert_array_equal(actual[name], value, err_msg=name, strict=True)


@pytest.mark.parametrize(
    ("case", "dtype", "names", "packs"),
    [
        pytest.param(BLOCK, "float32", ["w", "b"], True, id="block"),
        pytest.param(STACK, "bfloat16", ["params"], True, id="stack", marks=pytest.mark.slow),
        pytest.param(BLOCK, "float16", ["w"], True, id="float16", marks=pytest.mark.slow),
        pytest.param(
            STACK, "float64", ["input_h", "params"], True, id="f64", marks=pytest.mark.slow
        ),
        pytest.param(BLOCK, "float32", ["wci", "b"], False, id="nothing", marks=pytest.mark.slow),
    ],
)
def test_the_bits_stay_and_no_call_packs(
    case: tuple[str, dict[str, Any]], dtype: str, names: list[str], packs: bool, tmp_path: Path
) -> None:
    plain, frozen, given = pair(case, dtype, "cpu", *names)
    loaded = Loaded(frozen, tmp_path / "frozen")
    (row,) = frozen.manifest["functions"]
    assert (row["frozen"], row["packed_beforehand"]) == (names, packs)
    assert not {*names} & {each["name"] for each in row["arguments"]}
    expected = Loaded(plain, tmp_path / "plain").call(row["function"], given)
    assert_same(loaded.call(row["function"], given), expected)
    code = {each: run("nm", "-g", "-j", tmp_path / each / "m.o") for each in ("plain", "frozen")}
    assert "_pack" in code["plain"]
    assert ("_pack" in code["frozen"]) != packs


@pytest.mark.slow
def test_what_only_packing_reads_is_left_out(tmp_path: Path) -> None:
    """A cell's `w`, all of which is packed, is there once, and in the order of the code."""
    _, frozen, given = pair(CELL, "float32", "cpu:x86-64-v3", "w")
    assert given["w"].nbytes <= len(frozen.object) < 1.5 * given["w"].nbytes
    assert len(frozen.source) < 30_000


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(BLOCK, id="block"),
        pytest.param(STACK, id="stack"),
    ],
)
def test_this_machine_packs_for_another(case: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    name = "w" if case is BLOCK else "params"
    plain, frozen, given = pair(case, "float32", "cpu:aarch64", name)
    function = frozen.manifest["functions"][0]["function"]
    assert frozen.manifest["functions"][0]["packed_beforehand"]
    found, expected = (
        Emulated(made, tmp_path / folder, cpu="cortex-a53").call(function, given)
        for made, folder in ((frozen, "frozen"), (plain, "plain"))
    )
    assert_same(found, expected)
