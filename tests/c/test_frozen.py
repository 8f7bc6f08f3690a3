"""Frozen weights in C are packed beforehand, for the target, whatever packs them."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Call, Loaded, run
from c.emulated import Emulated, missing
from cases import sizes
from numeric.harness import draw
from quick import first

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


@pytest.mark.slow
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


GRU = ("CudnnRNNV3", sizes(3, 2, 8, 16, num_layers=2, rnn_mode="gru", is_training=False))
SMALL = ("BlockLSTMV2", sizes(3, 2, 8, 16, use_peephole=False))
STEP = ("GRUBlockCell", {"batch_size": 2, "input_size": 8, "num_units": 16})
LSTM_STEP = ("LSTMBlockCell", {"batch_size": 2, "input_size": 8, "num_units": 16})


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("objcopy") is None, reason="needs binutils")
@pytest.mark.parametrize(
    ("case", "names"),
    first(
        [
            (GRU, ["params"]),
            (SMALL, ["w", "b"]),
            (STEP, ["w_ru", "w_c", "b_ru", "b_c"]),
            (LSTM_STEP, ["w", "b"]),
        ],
        quick=1,
    ),
)
def test_every_number_of_the_constants_is_read(
    case: tuple[str, dict[str, Any]], names: list[str], tmp_path: Path
) -> None:
    """Each is there once: whichever is changed, so are results."""
    op, variant = case
    plain = rc.build(op, **variant)
    generator = np.random.default_rng(0)
    given = draw(op, "float32", variant)
    given |= {name: generator.normal(0, 0.3, given[name].shape).astype("f") for name in names}
    frozen = {name: given[name] for name in names}
    made = rc.compile_c(rc.freeze(plain, frozen), "cpu:x86-64-v3", name="m")
    weights = sum(array.nbytes for array in frozen.values())
    changeable = Changeable(made, tmp_path)
    assert sum(array.nbytes for array in changeable.constants) < 1.05 * weights + 256
    call = Call(changeable.loaded, made.manifest["functions"][0]["function"], given)
    assert call() == 0
    expected = [array.tobytes() for array in call.results.values()]
    for constant in changeable.constants:
        for place in range(len(constant)):
            constant[place] ^= 0x3F000000
            assert call() == 0
            found = [array.tobytes() for array in call.results.values()]
            assert found != expected, f"nothing reads {place} of {len(constant)}"
            constant[place] ^= 0x3F000000


class Changeable:
    """A module in C whose constants a test may change: words, as they lie in memory."""

    def __init__(self, made: rc.CModule, folder: Path) -> None:
        (folder / "m.o").write_bytes(made.object)
        flags = "alloc,load,data,contents"
        section = f".rodata.constants=.data.constants,{flags}"
        run("objcopy", "--rename-section", section, folder / "m.o")
        rows = [row.split() for row in run("nm", "-S", folder / "m.o").splitlines()]
        sizes = {row[-1]: int(row[1], 16) for row in rows if "_constant_" in row[-1]}
        declared = [
            f"extern int {name}[]; void *at_{name}(void) {{ return {name}; }}\n" for name in sizes
        ]
        (folder / "at.c").write_text("".join(declared))
        changed = dataclasses.replace(made, object=(folder / "m.o").read_bytes())
        self.loaded = Loaded(changed, folder / "changeable", str(folder / "at.c"))
        self.constants: list[Any] = []
        for name, size in sizes.items():
            at = self.loaded.library[f"at_{name}"]
            at.restype = ctypes.c_void_p
            words = (ctypes.c_uint32 * (size // 4)).from_address(at())
            self.constants.append(np.frombuffer(words, np.uint32))


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
