"""Code with Intel's AMX, in a process that has it: `test_amx` runs this file, see there.

The environment variable AMX_PERMISSION says whether the system permits tiles.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

import bfloat16_reference
import int8_reference
import ml_dtypes
import numpy as np
import processes
import pytest
from cases import assert_same_bits, sizes
from numeric import harness
from numeric.harness import draw, renamed
from numeric.test_products import compiled, numbers, pairs, product
from processors.amx import FEATURES
from quick import SWEEP, every

import rnn_compiler as rc
from rnn_compiler.lowering.codegen.body import ArrayType
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.cpu_features import host_features
from rnn_compiler.schema.dtypes import DTYPES

slow = pytest.mark.slow
PERMITTED = os.environ.get("AMX_PERMISSION", "granted") == "granted"
WITHOUT_TILES = "cpu:x86-64-v4,avx512vnni"


def products_of_tiles() -> int | None:
    """The number of products that the emulator has computed; None on a processor with AMX."""
    try:
        return ctypes.c_ulong.in_dll(ctypes.CDLL(None), "amx_products").value
    except ValueError:
        return None


@pytest.fixture(autouse=True)
def tiles_are_used() -> Any:
    """Each test multiplies by tiles if they are permitted, and otherwise none does."""
    before = products_of_tiles()
    yield
    after = products_of_tiles()
    if before is not None and after is not None:
        assert (after > before) == PERMITTED


def results(op: str, dtype: str, variant: dict[str, Any], **how: Any) -> dict[str, Any]:
    """The results of an op, as integers."""
    artifact = rc.compile(rc.build(op, dtype=dtype, **variant), **how)
    made = getattr(rc.runtime.load(artifact, "local-sync"), OPS[op].signature.function)(
        **draw(op, dtype, variant)
    )
    arrays = {name: np.asarray(value) for name, value in made._asdict().items()}
    return {name: array.view(f"i{array.dtype.itemsize}") for name, array in arrays.items()}


def test_this_machine_uses_tiles() -> None:
    assert {*host_features()} >= FEATURES
    assert {*resolve_target("cpu").features} >= FEATURES
    assert not {*resolve_target("cpu:x86-64-v4").features} & FEATURES
    results("BlockLSTMV2", "bfloat16", sizes(1, 4, 32, 32, use_peephole=False))


# M, K, N: one tile and several, overlapping ones, a rest along K, an odd K, few rows, few columns.
PRODUCTS = [(40, 80, 96), (257, 96, 130), (20, 33, 300)]
MORE_PRODUCTS = [
    *((64, 64, 64), (5, 512, 640), (3, 128, 512)),
    *((M, K, N) for M in (4, 15, 16, 17, 31, 33, 515) for K, N in ((32, 256), (46, 512))),
    (1031, 700, 780),
    (600, 128, 16),
    *((20, K, 64) for K in (4, 6, 20)),
    (2050, 64, 2048),
]


@pytest.mark.parametrize("cases", [PRODUCTS, pytest.param(MORE_PRODUCTS, marks=slow)])
def test_products_of_bfloat16(cases: list[tuple[int, int, int]], tmp_path: Path) -> None:
    """Bit by bit, in the order of the instruction."""
    vectors = VectorUnit.of(resolve_target("cpu"))
    format = pairs(vectors)
    assert (format.tiles, format.summed) == ("tdpbf16ps", 32)
    functions = [
        (
            [ArrayType((M, K), "i16"), ArrayType((N, K) if number % 2 else (K, N), "i16")],
            lambda f, given, axis=number % 2: product(
                f, vectors, format, (1, axis), [numbers(f, each) for each in given]
            ),
        )
        for number, (M, K, N) in enumerate(cases)
    ]
    module = compiled(functions, tmp_path)
    for number, (M, K, N) in enumerate(cases):
        random = np.random.default_rng(number).standard_normal
        lhs, rhs = (random(shape).astype(ml_dtypes.bfloat16) for shape in ((M, K), (K, N)))
        lhs[M // 2, 0] = np.nan  # beside the last number of the row before
        given = [lhs, rhs.T.copy() if number % 2 else rhs]
        found = np.asarray(module[f"f{number}"](*(each.view(np.int16) for each in given)))
        expected = bfloat16_reference.product(lhs, rhs, 32)
        np.testing.assert_array_equal(found, expected, err_msg=str(cases[number]))


def layer(mode: str, units: int, batch: int | None, inputs: int = 64) -> rc.Module:
    """A layer of a few steps."""
    given = sizes(2, batch, inputs, units, num_layers=1)
    return rc.build(
        "CudnnRNN", rnn_mode=mode, is_training=False, dtype="bfloat16", outputs=["output"], **given
    )


LAYERS = {
    ("lstm", 40, 44): every((5, 16, 24, 47), 5, 24),
    ("lstm", 64, 64): every((1, 4, 7, 16, 33, 64), 7, 16),
    ("rnn_tanh", 32, 48): every((1, 17), 1, 17),
    **({("lstm", 32, 64): [3, 20], ("gru", 96, 70): [4, 16, 40]} if SWEEP else {}),
}
"""Batches by mode, inputs and units."""


@slow
@pytest.mark.parametrize(("mode", "inputs", "units"), LAYERS)
def test_rows_do_not_depend_on_their_batch(mode: str, inputs: int, units: int) -> None:
    """Of any size, known when the code was compiled or not, with tiles or too few rows for them."""
    batches = LAYERS[mode, inputs, units]
    gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1}[mode]
    random = np.random.default_rng(0).standard_normal
    x, h, c = (random(shape) for shape in ((2, 64, inputs), (1, 64, units), (1, 64, units)))
    params = random(gates * units * (inputs + units + 2)) / np.sqrt(units)
    built = renamed(*(layer(mode, units, batch, inputs) for batch in (None, *batches)))
    program = rc.runtime.load(rc.compile(built), "local-sync")
    open_batch, *of_batches = program.functions.values()

    def output(function: Any, batch: int) -> Any:
        given = {"input": x[:, :batch], "input_h": h[:, :batch], "params": params}
        if mode == "lstm":
            given["input_c"] = c[:, :batch]
        made = function(**{k: v.astype(ml_dtypes.bfloat16) for k, v in given.items()})
        return np.asarray(made.output).view(np.int16)

    whole = output(open_batch, max(batches))
    for batch, function in zip(batches, of_batches, strict=True):
        for each in (function, open_batch):
            np.testing.assert_array_equal(output(each, batch), whole[:, :batch], str(batch))


GRU = {"rnn_mode": "gru", "num_layers": 1}
PROJECTED = {"rnn_mode": "lstm", "num_layers": 1, "num_proj": 12}

OF_OPS = (
    ("BlockLSTMV2", sizes(3, 20, 64, 64, use_peephole=False)),
    ("CudnnRNNV3", sizes(4, 33, 40, 44, rnn_mode="lstm", num_layers=2)),
    ("BlockLSTMGradV2", sizes(3, 18, 64, 96, use_peephole=True)),
    ("CudnnRNNBackpropV3", sizes(4, 17, 40, 64, **GRU)),
    ("CudnnRNNV3", sizes(3, 20, 36, 40, **PROJECTED)),
    ("onnx.GRU", sizes(3, 9, 31, 64)),
)


@slow
def test_ops() -> None:
    """As without tiles, but for sums in another order; compiled together."""
    built = renamed(*(harness.module(op, "bfloat16", variant) for op, variant in OF_OPS))
    programs = [
        rc.runtime.load(rc.compile(built, target), "local-sync").functions.values()
        for target in ("cpu", WITHOUT_TILES)
    ]
    for (op, variant), *functions in zip(OF_OPS, *programs, strict=True):
        given = draw(op, "bfloat16", variant)
        before = products_of_tiles()
        tiles, without = (function(**given)._asdict() for function in functions)
        assert before is None or (products_of_tiles() > before) == PERMITTED, op
        for name, array in tiles.items():
            if array.dtype == ml_dtypes.bfloat16:
                one, other = (np.asarray(a).astype(np.float32) for a in (array, without[name]))
                np.testing.assert_allclose(one, other, 2e-2, 2e-2, err_msg=f"{op} {name}")


# Weights in int8.


@slow
def test_int8_keeps_its_bits() -> None:
    """With tiles or without; the defined product of a layer's inputs among them."""
    units, batches = 40, every((20, 4, 75, None), 20, None)
    layers = [
        rc.build("BlockLSTMV2", use_peephole=False, **sizes(3, n, 48, units)) for n in batches
    ]
    random = np.random.default_rng(1).standard_normal
    weights = {
        "w": (random((48 + units, 4 * units)) / 8).astype(np.float32),
        "b": np.zeros(4 * units, np.float32),
    }
    built = renamed(*layers)
    of_each = {spec.function: weights for spec in built.functions}
    frozen = rc.freeze(built, of_each, quantize="int8")
    programs = [
        rc.runtime.load(rc.compile(frozen, target), "local-sync").functions.values()
        for target in ("cpu", WITHOUT_TILES)
    ]
    for batch, *functions in zip(batches, *programs, strict=True):
        rows = batch or 37
        given = {
            "seq_len_max": np.int64(3),
            "x": random((3, rows, 48)).astype(np.float32),
            "cs_prev": random((rows, units)).astype(np.float32),
            "h_prev": random((rows, units)).astype(np.float32),
            **{name: np.zeros(units, np.float32) for name in ("wci", "wcf", "wco")},
        }
        taken = {argument.name for argument in functions[0].spec.arguments}
        given = {name: value for name, value in given.items() if name in taken}
        found, without = (function(**given) for function in functions)
        assert_same_bits(found, without, batch)
        z = int8_reference.stacked_product((given["x"][0], given["h_prev"]), weights["w"])
        i = 1 / (1 + np.exp(-z[:, :units]))
        np.testing.assert_allclose(np.asarray(found.i)[0], i, rtol=1e-5, atol=1e-6)


# Everything that runs compiled code.

CELL = sizes(4, 20, 32, 64, use_peephole=False)


def cell() -> tuple[rc.Module, dict[str, Any]]:
    """A module of one function in bfloat16, and arguments."""
    return rc.build("BlockLSTMV2", dtype="bfloat16", **CELL), draw("BlockLSTMV2", "bfloat16", CELL)


@slow
def test_a_foreign_host(tmp_path: Path) -> None:
    """IREE's own program asks for nothing: the code does."""
    module, given = cell()
    artifact = rc.compile(module)
    path = artifact.save(tmp_path / "cell.vmfb")
    (spec,) = artifact.manifest.functions
    inputs: list[str] = []
    for argument in spec.arguments:
        array = np.asarray(given[argument.name], DTYPES[argument.dtype].numpy)
        (tmp_path / argument.name).write_bytes(array.tobytes())
        inputs.append(f"--input={argument.iree_type}=@{tmp_path / argument.name}")
    tool = Path(sys.executable).with_name("iree-run-module")
    outputs = [f"--output=@{tmp_path / f'{result.name}.out'}" for result in spec.results]
    function = f"--function={spec.function}"
    processes.run(tool, f"--module={path}", function, "--device=local-task", *inputs, *outputs)
    made = rc.runtime.load(path, "local-sync").block_lstm_v2(**given)
    found = np.fromfile(tmp_path / "h.out", np.int16)
    np.testing.assert_array_equal(found, np.asarray(made.h).view(np.int16).ravel())


@slow
def test_c(tmp_path: Path) -> None:
    """The header says what the code asks for, and a program gets the results."""
    module, _ = cell()
    golden = rc.golden(module, WITHOUT_TILES)
    folder = tmp_path / "cell"
    rc.compile_c(module, "cpu", name="cell", golden=golden).save(folder)
    header = " ".join((folder / "cell.h").read_text().replace(" * ", " ").split())
    assert "Linux, which it asks for AMX and does without if that is refused" in header
    files = ("cell_selftest.c", "cell.c", "cell.o")
    processes.run("gcc", "-O1", "-DCELL_SELFTEST_MAIN", *files, "-lm", "-o", "cell", cwd=folder)
    processes.run(folder / "cell")
    results("BlockLSTMV2", "bfloat16", CELL)


@slow
def test_a_stream() -> None:
    """Chunks give the bits of one call."""
    module, given = cell()
    program = rc.runtime.load(rc.compile(module), "local-sync")
    whole = np.asarray(program.block_lstm_v2(**given).h).view(np.int16)
    first = {name: value for name, value in given.items() if name not in ("x", "seq_len_max")}
    stream = program.stream(**first)
    parts = [np.asarray(stream(given["x"][k : k + 2]).h).view(np.int16) for k in (0, 2)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@slow
def test_threads() -> None:
    """Any number of workgroups gives the same bits."""
    artifact = rc.compile(layer("lstm", 128, 40))
    random = np.random.default_rng(0).standard_normal
    given = {
        "input": random((2, 40, 64)),
        "input_h": random((1, 40, 128)),
        "input_c": random((1, 40, 128)),
        "params": random(4 * 128 * (64 + 128 + 2)) / 8,
    }
    found = []
    for device in ("local-sync", "local-task"):
        (function,) = rc.runtime.load(artifact, device).functions.values()
        made = function(**{k: v.astype(ml_dtypes.bfloat16) for k, v in given.items()})
        found.append(np.asarray(made.output).view(np.int16))
    np.testing.assert_array_equal(*found)


@slow
def test_what_the_command_line_says(cli: Any, tmp_path: Path) -> None:
    module, _ = cell()
    path = rc.compile(module).save(tmp_path / "cell.vmfb")
    results("BlockLSTMV2", "bfloat16", CELL)
    assert "AMX, if Linux permits it" in cli("inspect", str(path)).out
    out = cli("check", str(path)).out
    assert "optimal" in out
    assert ("Linux refuses AMX" in out) == (not PERMITTED)
    rows = cli("doctor").out
    assert ("permitted to this process" in rows) == PERMITTED
