"""Frozen weights in C are packed in advance for the target, on any machine."""

from __future__ import annotations

import ctypes
import dataclasses
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Call, Loaded, run
from c.emulated import Emulated, missing
from cases import assert_same_bits, sizes
from numeric.harness import draw, renamed
from quick import first

import rnn_compiler as rc

BLOCK = ("BlockLSTMV2", sizes(32, 16, 8, 40, use_peephole=False))
STACK = ("CudnnRNNV3", sizes(5, 3, 4, 24, num_layers=2, is_training=False))

Case = tuple[tuple[str, dict[str, Any]], str, list[str]]
"""An op, its dtype, and which of its arguments are frozen."""

HERE: list[Case] = [
    (BLOCK, "float32", ["w", "b"]),
    (STACK, "bfloat16", ["params"]),
    (STACK, "float64", ["input_h", "params"]),
    (BLOCK, "float32", ["wci", "b"]),
]
"""In the last one, nothing is packed."""

THERE: list[Case] = [(BLOCK, "float32", ["w"]), (STACK, "float32", ["params"])]


def pair(cases: list[Case], target: str) -> tuple[rc.CModule, rc.CModule, dict[str, Arrays]]:
    """Ops as they are and with some arguments frozen, in C, and arguments by function."""
    plain = renamed(*(rc.build(op, dtype=dtype, **variant) for (op, variant), dtype, _ in cases))
    given = {
        f"case_{k}": draw(op, dtype, variant) for k, ((op, variant), dtype, _) in enumerate(cases)
    }
    weights = {
        f"case_{k}": {name: given[f"case_{k}"][name] for name in names}
        for k, (_, _, names) in enumerate(cases)
    }
    frozen = rc.freeze(plain, weights)
    return rc.compile_c(plain, target, name="m"), rc.compile_c(frozen, target, name="m"), given


@pytest.mark.slow
def test_the_bits_stay_and_no_call_packs(tmp_path: Path) -> None:
    plain, frozen, given = pair(HERE, "cpu")
    loaded, whole = Loaded(frozen, tmp_path / "frozen"), Loaded(plain, tmp_path / "plain")
    for row, (_, _, names) in zip(frozen.manifest["functions"], HERE, strict=True):
        function, is_packed = row["function"], names != HERE[-1][2]
        assert (row["frozen"], row["packed_beforehand"]) == (names, is_packed)
        assert not {*names} & {each["name"] for each in row["arguments"]}
        expected = whole.call(function, given[function])
        assert_same_bits(loaded.call(function, given[function]), expected)
        assert packs(plain, function)
        assert packs(frozen, function) != is_packed


def packs(made: rc.CModule, function: str) -> bool:
    """Whether a call of a function runs code that packs."""
    body = made.source.split(f"int {function}_parallel(")[1].split(f"\nint {function}(")[0]
    return any("_pack" in kernel for kernel in re.findall(r"call_kernel\(&caller, (\w+)", body))


@pytest.mark.slow
def test_what_only_packing_reads_is_left_out() -> None:
    """A cell's `w`, all of which is packed, is there once, and in the order of the code."""
    cell = {"batch_size": 8, "input_size": 16, "num_units": 64}
    w = draw("LSTMBlockCell", "float32", cell)["w"]
    frozen = rc.freeze(rc.build("LSTMBlockCell", **cell), {"w": w})
    made = rc.compile_c(frozen, "cpu:x86-64-v3", name="m")
    assert w.nbytes <= len(made.object) < 1.5 * w.nbytes
    assert len(made.source) < 30_000


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
    """A module in C whose constants a test may change, as words in memory."""

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
        parts = {**made.parts, f"{made.name}.o": (folder / "m.o").read_bytes()}
        changed = dataclasses.replace(made, parts=parts)
        self.loaded = Loaded(changed, folder / "changeable", str(folder / "at.c"))
        self.constants: list[Any] = []
        for name, size in sizes.items():
            at = self.loaded.library[f"at_{name}"]
            at.restype = ctypes.c_void_p
            words = (ctypes.c_uint32 * (size // 4)).from_address(at())
            self.constants.append(np.frombuffer(words, np.uint32))


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")
def test_this_machine_packs_for_another(tmp_path: Path) -> None:
    plain, frozen, given = pair(THERE, "cpu:aarch64")
    programs = [
        Emulated(made, tmp_path / folder, cpu="cortex-a53")
        for made, folder in ((frozen, "frozen"), (plain, "plain"))
    ]
    for row in frozen.manifest["functions"]:
        assert row["packed_beforehand"]
        function = row["function"]
        found, expected = (each.call(function, given[function]) for each in programs)
        assert_same_bits(found, expected)
