"""C for 32-bit processors on emulated boards gives the results of TensorFlow's kernels.

Cortex-M4, M7, M33 and M55 on boards without a system, ARMv7 under Linux, RISC-V of 32 bits.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import COMPILERS, run
from c.emulated import MACHINES, Emulated, needs
from c.instructions import instructions
from c.test_goldens import (
    ALL,
    FIRST,
    PACKED,
    SINGLE_STEP,
    check,
    compiled,
    stands_for_itself,
)
from goldens.golden import Golden
from numeric.harness import arguments_of, expected, module, renamed
from processors.test_aarch64 import OPS, cases
from quick import every, first

import rnn_compiler as rc
from rnn_compiler.cli.inspect import inspect_sources
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.c.elf import Elf
from rnn_compiler.lowering.c.object_file import ObjectFile
from rnn_compiler.lowering.c.templates import DEFINED
from rnn_compiler.schema.dtypes import DTYPES

SMALL = [name for name in MACHINES if name != "aarch64"]

VECTORS = "cortex-m55"
"""The one with vectors, and with arithmetic in float16."""

OTHERS = [name for name in SMALL if name != VECTORS]

SIXTEEN_BITS = ("bfloat16", "float16")

EACH_OP = [*filter(stands_for_itself, FIRST)]

on_each = pytest.mark.parametrize(
    "architecture", [pytest.param(name, marks=needs(name)) for name in SMALL]
)


@needs("cortex-m4")
def test_a_board_without_a_system(tmp_path: Path) -> None:
    golden = next(golden for golden in FIRST if golden.op == "BlockLSTMV2")
    check(Emulated(compiled([golden], "cpu:cortex-m4"), tmp_path), "case_0", golden)


def dealt(architecture: str) -> list[tuple[Golden, str]]:
    """Golden files, each with a dtype.

    The machine with vectors has one of each op, but for those that others stand for, and each op of
    `cases` in one of the types of 16 bits. The others, whose code differs little, share them: a
    type of 16 bits each, in the order of the machines.
    """
    goldens = [(golden, golden.dtype) for golden in [*EACH_OP, SINGLE_STEP, PACKED]]
    wide, narrow = ([(golden, dtype) for golden in cases(dtype)] for dtype in SIXTEEN_BITS)
    if ALL:
        return [*((golden, golden.dtype) for golden in FIRST), *goldens[-2:], *wide, *narrow]
    if architecture == VECTORS:
        return [*goldens, *wide[::2], *narrow[1::2]]
    k = OTHERS.index(architecture)
    return [*goldens[k :: len(OTHERS)], *(wide, narrow)[k % 2][k // 2 % 2 :: 2]]


@pytest.mark.slow
@on_each
def test_goldens(architecture: str, tmp_path: Path) -> None:
    """Of 16 bits, numbers are widened and rounded by code of ours, or by instructions one has."""
    goldens = dealt(architecture)
    parts = [module(golden.op, dtype, golden.variant) for golden, dtype in goldens]
    made = rc.compile_c(renamed(*parts), f"cpu:{architecture}", name="goldens")
    emulated = Emulated(made, tmp_path)
    for number, (golden, _) in enumerate(goldens):
        check(emulated, f"case_{number}", golden)


def test_every_op_is_run_with_vectors_and_without() -> None:
    """And of 16 bits, in each type without."""
    with_vectors = {golden.op for golden, _ in dealt(VECTORS)}
    others = [(golden.op, dtype) for name in OTHERS for golden, dtype in dealt(name)]
    assert {op for op, _ in others} == with_vectors == {golden.op for golden in EACH_OP}
    assert {*itertools.product(OPS, SIXTEEN_BITS)} <= {*others}


ONE_ROW = {"batch_size": 1, "input_size": 7, "num_units": 12, "seq_length": 5}

IN_TWO_DIRECTIONS = {"direction": "bidirectional", "is_training": False}

ONE_INPUT = {**ONE_ROW, "input_size": 1, "is_training": False}

IN_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("BlockLSTMV2", ONE_ROW),
    ("CudnnRNNV3", {**ONE_ROW, "num_layers": 2, **IN_TWO_DIRECTIONS}),
    ("CudnnRNNV3", {**ONE_ROW, "seq_length": None, "rnn_mode": "gru", "is_training": False}),
    ("onnx.GRU", {**ONE_ROW, "layout": 1}),
    ("CudnnRNNV3", {**ONE_ROW, "batch_size": 3, **IN_TWO_DIRECTIONS}),
    ("CudnnRNNV3", {**ONE_ROW, "batch_size": 9, **IN_TWO_DIRECTIONS}),
    ("CudnnRNNV3", {**ONE_ROW, "seq_length": 1, **IN_TWO_DIRECTIONS}),
    ("CudnnRNNV3", {**ONE_INPUT, "rnn_mode": "rnn_relu"}),
    ("CudnnRNNV3", {**ONE_INPUT, "rnn_mode": "gru", **IN_TWO_DIRECTIONS}),
    ("CudnnRNNV3", {**ONE_INPUT, "seq_length": 1, "num_units": 3}),
    ("CudnnRNNV3", {**ONE_INPUT, "seq_length": None}),
    ("BlockLSTMV2", {**ONE_INPUT, "num_units": 13}),
    ("onnx.GRU", ONE_INPUT),
    ("BlockLSTMV2", {**ONE_ROW, "num_units": 23}),
    ("CudnnRNNV3", {**ONE_ROW, "num_units": 3, "rnn_mode": "gru", **IN_TWO_DIRECTIONS}),
    *(("CudnnRNNV3", {**ONE_ROW, "num_units": 11, "batch_size": rows}) for rows in (3, 9)),
)
"""Layers of one row, whose inputs are multiplied step by step where memory is scarce; and layers in
two directions, which write both into the caller's arrays. The last panel of an odd number of units
overlaps the one before."""


@pytest.mark.slow
@needs("cortex-m4")
def test_layers_that_need_little_memory(tmp_path: Path) -> None:
    parts = [module(op, "float32", variant) for op, variant in IN_STEPS]
    made = rc.compile_c(renamed(*parts), "cpu:cortex-m4", name="m")
    emulated = Emulated(made, tmp_path)
    for number, (op, variant) in enumerate(IN_STEPS):
        known = {**variant, "seq_length": variant["seq_length"] or 5}
        for steps in {known["seq_length"], min(3, known["seq_length"])}:
            arguments = arguments_of(op, "float32", known, steps)
            found = emulated.call(f"case_{number}", arguments)
            for name, value in expected(op, "float32", known, arguments).items():
                np.testing.assert_allclose(found[name], value, 2e-5, 2e-5, err_msg=f"{op} {name}")


@pytest.mark.slow
@needs("cortex-m4")
@pytest.mark.parametrize(
    ("mode", "dtype"),
    every(
        itertools.product(("lstm", "gru"), ("float32", *SIXTEEN_BITS)),
        *(("lstm", "float32"), ("gru", "float16"), ("lstm", "bfloat16")),
    ),
)
def test_frozen_layers(mode: str, dtype: str, tmp_path: Path) -> None:
    """Their inputs are multiplied step by step; the last panel of their weights overlaps."""
    error = {"float32": 2e-5, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    variant = {**ONE_INPUT, "num_units": 7, "rnn_mode": mode}
    arguments = arguments_of("CudnnRNNV3", dtype, variant, 3)
    frozen = rc.freeze(module("CudnnRNNV3", dtype, variant), {"params": arguments["params"]})
    made = rc.compile_c(frozen, "cpu:cortex-m4", name="m")
    (row,) = made.manifest["functions"]
    given = {name: value for name, value in arguments.items() if name != "params"}
    found = Emulated(made, tmp_path).call(row["function"], given)
    for name, value in expected("CudnnRNNV3", dtype, variant, arguments).items():
        of_output = np.asarray(found[name], np.float32)
        np.testing.assert_allclose(of_output, np.asarray(value, np.float32), error, error)


SIZES = {"seq_length": 32, "batch_size": 1, "input_size": 8, "num_units": 24}


@pytest.fixture(scope="module")
def on_cortex_m4() -> rc.CModule:
    return rc.compile_c(rc.build("BlockLSTMV2", **SIZES), "cpu:cortex-m4", name="lstm")


@pytest.mark.slow
def test_flash_memory_and_stack(on_cortex_m4: rc.CModule, tmp_path: Path, cli: Any) -> None:
    """They are in the header, the manifest and `inspect`, and small."""
    manifest = on_cortex_m4.manifest
    flash = Elf.read(on_cortex_m4.object).loaded_size
    assert manifest["flash_size"] == flash < 10_000
    assert f"lstm.o has {flash} bytes of code and constants" in on_cortex_m4.header
    assert manifest["alignment"] == 16
    assert "#define LSTM_ALIGNMENT 16" in on_cortex_m4.header
    packed = next(row for row in manifest["functions"] if row["function"].endswith("_prepacked"))
    assert packed["scratch_size"] < 500
    folder = on_cortex_m4.save(tmp_path / "lstm")
    text = cli("inspect", folder).out
    for number in (flash, packed["scratch_size"], packed["stack_size"]):
        assert f"{number:,} bytes" in text
    cli("inspect", folder / "lstm.json", "--json")
    (folder / "lstm.o").write_bytes(on_cortex_m4.object + b"\0")
    with pytest.raises(ArtifactError, match=r"lstm\.o: damaged"):
        inspect_sources(folder / "lstm.json", as_json=False)


def taken(
    mode: str, inputs: int, units: int, steps: int = 32, dtype: str = "float32"
) -> tuple[int, int]:
    """The bytes of code of a layer with frozen weights on a Cortex-M4, and of its memory."""
    sizes = {"seq_length": steps, "batch_size": 1, "input_size": inputs, "num_units": units}
    options: dict[str, Any] = {
        "num_layers": 1,
        "rnn_mode": mode,
        "is_training": False,
        "dtype": dtype,
    }
    built = rc.build("CudnnRNNV3", **sizes, **options)
    count = next(each.shape[0] for each in built.functions[0].arguments if each.name == "params")
    weights = (np.arange(count) % 13 - 6).astype(DTYPES[dtype].numpy)
    made = rc.compile_c(rc.freeze(built, {"params": weights}), "cpu:cortex-m4", name="m")
    (row,) = made.manifest["functions"]
    return made.manifest["flash_size"] - weights.nbytes, row["scratch_size"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_one_input_takes_no_more_than_two(mode: str) -> None:
    """And no array with a row for each step."""
    one, two, longer = (taken(mode, *sizes) for sizes in ((1, 24), (2, 24), (1, 24, 64)))
    assert one[0] <= two[0]
    assert one[1] == two[1] == longer[1]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_have_no_products_of_all_steps(dtype: str) -> None:
    """The inputs of all steps are widened, and nothing else has a row for each step."""
    (_, short), (_, long) = (taken("lstm", 1, 24, steps, dtype) for steps in (32, 64))
    assert short < 600
    assert long - short == 4 * 32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "swept"),
    every(
        itertools.product(("lstm", "gru"), ("inputs", "units")),
        *(("lstm", "inputs"), ("gru", "units")),
    ),
)
def test_no_size_stands_out(mode: str, swept: str) -> None:
    """Memory has room for two rows of the states, weights aside, and code is of one order for all.

    A size's code counts the weights of the unit that the last panel of an odd number repeats.
    """
    if swept == "inputs":
        sizes = [(inputs, 24) for inputs in every(range(1, 10), 1, 2, 3, 4, 5, 9)]
    else:
        sizes = [(1, units) for units in every(range(2, 34), *range(2, 10), 15, 16, 17, 33)]
    found = [taken(mode, *each) for each in sizes]
    for (inputs, units), (_, memory) in zip(sizes, found, strict=True):
        assert memory <= 4 * (2 * inputs + 5 * (units + 4)) + 64, (inputs, units)
    codes = [code for code, _ in found]
    for before, code, after in zip(codes, codes[1:], codes[2:], strict=False):
        assert code <= 1.3 * max(before, after)
    assert max(codes) <= 1.5 * np.median(codes)


@pytest.mark.slow
@needs("cortex-m4")
def test_instructions_are_counted(on_cortex_m4: rc.CModule, tmp_path: Path) -> None:
    """Each step takes about as many; the same call takes the same number."""
    none, one, two = (
        instructions(on_cortex_m4, tmp_path, {"seq_len_max": steps}) for steps in (0, 16, 32)
    )
    assert 10_000 < (one - none) / 16 < 40_000
    assert abs((two - one) - (one - none)) < 0.05 * (one - none)
    assert instructions(on_cortex_m4, tmp_path, {"seq_len_max": 32}) == two


@pytest.mark.slow
def test_the_object_needs_nothing_but_the_compilers_own(on_cortex_m4: rc.CModule) -> None:
    """Missing mathematical functions are in the source file, with the module's prefix."""
    elf = Elf.read(on_cortex_m4.object)
    lacking = {each.name for each in elf.symbols[1:] if not each.section}
    assert lacking == {"lstm_floorf"}
    assert "float lstm_floorf(float x)\n{" in on_cortex_m4.source


@pytest.mark.skipif(not COMPILERS, reason="needs a C compiler")
def test_floor(tmp_path: Path) -> None:
    text = "#include <stdint.h>\nfloat m_floorf(float x);\n" + DEFINED["floorf"]
    (tmp_path / "floor.c").write_text(text.replace("{NAME}", "m"))
    run(COMPILERS[0], "-O1", "-shared", "-fPIC", "floor.c", "-o", "floor.so", folder=tmp_path)
    floor = ctypes.CDLL(str(tmp_path / "floor.so")).m_floorf
    floor.restype, floor.argtypes = ctypes.c_float, [ctypes.c_float]
    near = np.float32([0, 0.5, 1, 1.5, 87.3, 127, 2**22 + 0.5, 2**23 - 0.5, 2**23, 2**31, 1e38])
    both = [np.nextafter(near, np.float32(way)) for way in (-np.inf, np.inf)]
    for x in np.concatenate([near, *both, [np.float32(np.inf)]]):
        for value in (x, -x):
            assert floor(value) == np.floor(value)
    assert np.isnan(floor(np.nan))


@pytest.mark.slow
@pytest.mark.parametrize("architecture", first(["cortex-m4", "riscv32"]))
def test_arrays_that_no_address_reaches(architecture: str) -> None:
    sizes = {"seq_length": 70_000, "batch_size": 64, "input_size": 8, "num_units": 256}
    built = rc.build("BlockLSTMV2", **sizes)
    with pytest.raises(UnsupportedError, match=r"addresses for 2,147,483,647; choose smaller"):
        rc.compile_c(built, f"cpu:{architecture}")


@pytest.mark.slow
def test_open_sizes_end_where_addresses_do() -> None:
    sizes = {**SIZES, "seq_length": None}
    made = rc.compile_c(rc.build("BlockLSTMV2", **sizes), "cpu:cortex-m7", name="lstm")
    (row, *_) = made.manifest["functions"]
    (size,) = row["open_sizes"]
    per_step = 4 * SIZES["num_units"]  # of the largest array, a result
    assert size["maximum"] * per_step < 2**31 <= 40 * size["maximum"] * per_step


@pytest.mark.parametrize(
    ("target", "form", "remedy"),
    [
        ("cpu:cortex-m4", "vmfb", r"but C \(compile_c, or --format c\)"),
        ("cpu:armv7", "vmfb", "but C"),
        ("cpu:wasm32", "vmfb", r"but JavaScript \(compile_js, or --format js\)"),
        ("cpu:wasm32", "c", "but JavaScript"),
    ],
)
def test_formats_that_a_target_does_not_have(target: str, form: str, remedy: str) -> None:
    compile = {"vmfb": rc.compile, "c": rc.compile_c}[form]
    with pytest.raises(UnsupportedError, match=f"a module for {target} cannot be .*{remedy}"):
        compile(rc.build("BlockLSTMV2", **SIZES), target)
    if form == "vmfb":
        with pytest.raises(UnsupportedError, match=remedy):
            rc.compile(rc.build("BlockLSTMV2", **SIZES), ["cpu", target])


def test_features_of_other_processors() -> None:
    with pytest.raises(InvalidArgumentError, match="fp64 belongs to cortex-m7"):
        rc.compile_c(rc.build("BlockLSTMV2", **SIZES), "cpu:cortex-m4,fp64")


@pytest.mark.parametrize("seed", range(3))
def test_damaged_objects(on_cortex_m4: rc.CModule, seed: int) -> None:
    """Of 32 bits, with addends in place: whatever the bytes, no other exception."""
    random = np.random.default_rng(seed)
    for _ in range(60):
        data = bytearray(on_cortex_m4.object)
        for _ in range(random.integers(1, 8)):
            data[random.integers(len(data))] = random.integers(256)
        with pytest.raises(UnsupportedError):  # as it has no table of exports in any case
            ObjectFile(bytes(data[: random.integers(len(data) // 2, len(data) + 1)]))


def test_each_small_machine_is_known() -> None:
    for name in SMALL:
        made = ObjectFile.empty(name).with_only({}, {"m_constant_0": b"\1\2"}, 16)
        elf = Elf.read(made)
        assert elf.word == 4
        assert re.search("constants", str([each.name for each in elf.sections]))
        assert elf.loaded_size == 2


def one_and_two_units() -> list[rc.Module]:
    sizes = {"seq_length": 4, "batch_size": 2, "input_size": 3}
    options = {"use_peephole": False, "outputs": ["h"]}
    return [rc.build("BlockLSTMV2", **sizes, num_units=n, **options) for n in (1, 2)]


@pytest.mark.slow
def test_one_unit_is_refused_with_a_remedy() -> None:
    one, two = one_and_two_units()
    with pytest.raises(UnsupportedError, match="becomes C with num_units=2, and zeros"):
        rc.compile_c(one, "cpu:cortex-m4")
    assert rc.compile_c(two, "cpu:cortex-m4").object


@pytest.mark.slow
def test_a_second_unit_of_zeros_leaves_the_first_as_it_is() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 2, 3)).astype(np.float32)
    narrow = rng.standard_normal((4, 4)).astype(np.float32)  # rows: the inputs, then the unit
    b = rng.standard_normal(4).astype(np.float32)
    wide, biases = np.zeros((5, 4, 2), np.float32), np.zeros((4, 2), np.float32)
    wide[:4, :, 0], biases[:, 0] = narrow, b
    weights = ((1, narrow, b), (2, wide.reshape(5, 8), biases.reshape(8)))
    found = []
    for built, (n, w, bias) in zip(one_and_two_units(), weights, strict=True):
        zeros = {name: np.zeros((2, n), np.float32) for name in ("cs_prev", "h_prev")}
        zeros |= {name: np.zeros(n, np.float32) for name in ("wci", "wcf", "wco")}
        program = rc.runtime.load(rc.compile(built))
        found.append(program(seq_len_max=np.int64(4), x=x, w=w, b=bias, **zeros).h[..., 0])
    np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-7)
