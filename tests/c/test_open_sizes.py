"""Open sizes in C: one function for any length or batch, with the bits of the runtime."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from c.calling import (
    C11,
    COMPILERS,
    CPP17,
    STRICT,
    Arrays,
    Call,
    Loaded,
    run,
    sanitized,
    sizes_of,
)
from c.emulated import Emulated, missing, program
from c.test_calls import RUN
from c.test_goldens import ALL
from c.test_programs import MORE, compiler, example
from cases import assert_same_bits
from goldens.golden import Golden, read_goldens
from numeric.harness import module, renamed
from numeric.test_open_sizes import arguments_of

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.c.library import make_library
from rnn_compiler.lowering.compiler.iree_compile import compile_host_program
from rnn_compiler.lowering.host.external_results import external_results
from rnn_compiler.lowering.host.functions import read_functions
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema.open_sizes import bound, open_dimension, parse
from rnn_compiler.schema.schedule import ANY_MEMORY
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

LENGTHS = (1, 2, 7, 100, 1030)
BATCHES = (1, 2, 3, 33)
MOST = 2**31 - 1

BLOCK = {"batch_size": 3, "input_size": 40, "num_units": 48, "use_peephole": False}
PACKED = {"batch_size": 16, "input_size": 8, "num_units": 40, "use_peephole": False}
ODD = {"batch_size": 2, "input_size": 7, "num_units": 23, "num_layers": 1}
CELL = {"input_size": 7, "num_units": 23}

LENGTH, BATCH_SIZE = ("seq_length",), ("batch_size",)
BOTH = (*LENGTH, *BATCH_SIZE)

SIZES = {LENGTH: LENGTHS, BOTH: LENGTHS[:-1], BATCH_SIZE: BATCHES}
"""Those that are compared where these are open."""

CASES: tuple[tuple[str, str, dict[str, Any], tuple[str, ...]], ...] = (
    ("BlockLSTMV2", "float32", PACKED, LENGTH),
    ("BlockLSTMGradV2", "float16", BLOCK, BOTH),
    ("CudnnRNNV3", "float32", {**ODD, "num_layers": 2, "dropout": 0.3}, BOTH),
    ("CudnnRNNV3", "float64", {**ODD, "rnn_mode": "gru"}, BOTH),
    ("LSTMBlockCellGrad", "bfloat16", {**CELL, "use_peephole": True}, BATCH_SIZE),
    ("CudnnRNNBackprop", "float32", {**ODD, "rnn_mode": "gru"}, BOTH),
)
"""Ops and dtypes, with the dimensions that are open."""

FORWARD, CELLS, STATIC = "case_0", "case_4", f"case_{len(CASES)}"


def opened(op: str, dtype: str, variant: dict[str, Any], dims: tuple[str, ...]) -> rc.Module:
    return module(op, dtype, {**variant, **dict.fromkeys(dims)})


def all_cases() -> rc.Module:
    """Cases in one module, and a function without open sizes."""
    parts = [opened(*case) for case in CASES]
    parts.append(rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4))
    return renamed(*parts)


@functools.cache
def at(number: int, size: int) -> Arrays:
    """Arguments of a case at some size."""
    op, dtype, variant, dims = CASES[number]
    batch = {"batch_size": 1 + (size - 1) * 3 % 10} if dims == BOTH else {}
    variant = {**variant, dims[0]: size, **batch}
    return arguments_of(op, dtype, variant, variant.get("seq_length", 0))


@pytest.fixture(scope="module")
def made() -> rc.CModule:
    return rc.compile_c(all_cases(), "cpu", name="any")


@pytest.fixture(scope="module")
def loaded(made: rc.CModule, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(made, tmp_path_factory.mktemp("any"))


@pytest.mark.slow
def test_one_function_for_all_sizes(loaded: Loaded) -> None:
    """The bits of the runtime, in one program, with weights packed at the call or before it."""
    assert f"{FORWARD}_prepacked" in loaded.rows
    library = rc.runtime.load(rc.compile(all_cases()), device="local-sync")
    for number, (op, _, _, dims) in enumerate(CASES):
        name = f"case_{number}"
        for size in SIZES[dims]:
            given = at(number, size)
            expected = library.functions[name](**given)._asdict()
            found = loaded.call(name, given)
            assert_same_bits(found, expected, (op, size))
            if f"{name}_prepack" in loaded.rows:
                packed = loaded.call(f"{name}_prepack", given)
                again = loaded.call(f"{name}_prepacked", {**given, **packed})
                assert_same_bits(found, again)


def measured(loaded: Loaded, function: str, *sizes: int) -> dict[str, int]:
    """The sizes of a function's arrays and scratch memory at some open sizes."""
    row = loaded.rows[function]
    names = [each["name"] for each in row["arguments"] if not each["by_value"]]
    names += [*(each["name"] for each in row["results"]), "scratch"]
    fields = [(name, ctypes.c_size_t) for name in names]
    bytes_ = type("bytes", (ctypes.Structure,), {"_fields_": fields})()
    given = map(ctypes.c_int64, sizes)
    code = loaded.library[f"{function}_measure"](*given, ctypes.byref(bytes_))
    assert code == 0, loaded.error(code)
    return {name: getattr(bytes_, name) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CASES)))
def test_bytes(loaded: Loaded, number: int) -> None:
    """They are the manifest's, never fall as a size grows, and do not overflow.

    Only scratch memory falls where there is one more block of time, as each becomes shorter.
    """
    row, dims = loaded.rows[f"case_{number}"], CASES[number][-1]
    in_blocks = {"scratch"} if CASES[number][0].startswith("CudnnRNNBackprop") else set[str]()
    assert tuple(size["name"] for size in row["open_sizes"]) == dims
    for size in row["open_sizes"]:
        assert size["minimum"] == 1
        assert MOST // 4 < size["maximum"] <= MOST
        last: dict[str, int] = {}
        for extent in (*range(1, 1200), 10**6, size["maximum"] - 1, size["maximum"]):
            sizes = {**dict.fromkeys(dims, 1), size["name"]: extent}
            found = measured(loaded, f"case_{number}", *sizes.values())
            for each in (*row["arguments"], *row["results"]):
                if not each["by_value"]:
                    assert found[each["name"]] == bound(parse(each["size"]), sizes)
            assert all(found[name] >= last.get(name, 0) for name in {*found} - in_blocks)
            assert found["scratch"] % 64 == 0
            last = found


@pytest.mark.slow
def test_the_manifest(made: rc.CModule) -> None:
    rows = {row["function"]: row for row in made.manifest["functions"]}
    row = rows[FORWARD]
    assert row["dims"] == {"seq_length": None, "batch_size": 16, "input_size": 8, "num_units": 40}
    assert row["open_sizes"] == [{"name": "seq_length", "minimum": 1, "maximum": MOST}]
    x = next(each for each in row["arguments"] if each["name"] == "x")
    assert (x["shape"], x["sizes"]) == ([None, 16, 8], ["seq_length", 16, 8])
    assert x["size"] == "512*seq_length"
    assert row["arguments"][0]["maximum"] == "seq_length"
    assert "*seq_length + " in row["scratch_size"]
    for static in (rows[f"{FORWARD}_prepack"], rows[STATIC]):
        assert "open_sizes" not in static
        macro = f"#define {static['function'].upper()}_SCRATCH_SIZE {static['scratch_size']}\n"
        assert macro in made.header
    assert "CASE_0_SCRATCH_SIZE" not in made.header


# What is wrong.


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, -1, MOST + 1, 2**62, -(2**63)])
def test_sizes_out_of_range(loaded: Loaded, size: int) -> None:
    """No pointer is followed."""
    call = Call(loaded, FORWARD, at(0, 7))
    call.sizes["seq_length"] = size
    call.pointers = dict.fromkeys((*call.arguments, *call.results, "scratch"), 64)
    call.pointers["seq_len_max"] = 7
    expected = f"seq_length: not from 1 to {MOST}"
    assert loaded.error(call()) == expected
    bytes_ = ctypes.create_string_buffer(1024)
    measure = loaded.library[f"{FORWARD}_measure"]
    assert loaded.error(measure(ctypes.c_int64(size), bytes_)) == expected
    assert bytes_.raw == bytes(1024)


@pytest.mark.slow
def test_null_pointers(loaded: Loaded) -> None:
    measure = loaded.library[f"{FORWARD}_measure"]
    assert loaded.error(measure(ctypes.c_int64(1), None)) == "bytes: a null pointer"
    for name in ("x", "h", "scratch"):
        call = Call(loaded, FORWARD, at(0, 7))
        call.pointers[name] = 0
        assert loaded.error(call()) == f"{name}: a null pointer"


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 3])
def test_lengths_beyond_the_size(loaded: Loaded, number: int) -> None:
    """A scalar, and each element of an array."""
    given = at(number, 7)
    name = "seq_len_max" if number == 0 else "sequence_lengths"
    call = Call(loaded, f"case_{number}", {**given, name: given[name] * 0 + 8})
    what = "" if number == 0 else "an element "
    assert loaded.error(call()) == f"{name}: {what}not from 0 to seq_length"


@pytest.mark.slow
def test_overlaps_depend_on_the_size(loaded: Loaded) -> None:
    """Two results side by side at 7 steps, which at 8 would be one behind the other's begin."""
    call = Call(loaded, FORWARD, at(0, 8))
    size = call.results["h"].nbytes
    whole = np.zeros(4 * size, np.uint8)
    start = whole.ctypes.data + -whole.ctypes.data % 64
    call.pointers["h"], call.pointers["co"] = start, start + (size // 8 * 7 + 63) // 64 * 64
    assert loaded.error(call()) == "h: overlaps another array"
    call.sizes["seq_length"] = 7
    call.arguments["seq_len_max"][...] = 7
    assert call() == 0


@pytest.mark.slow
def test_workgroups_in_any_order(loaded: Loaded) -> None:
    """The number of workgroups depends on the size; without any, the callback is not called."""
    counts: list[int] = []

    @RUN
    def backwards(context: Any, count: int, work: Any, job: Any) -> int:
        counts.append(count)
        return sum(work(job, k) for k in reversed(range(count)))

    most: list[int] = []
    for size in (1, 1030):
        given = at(4, size)
        call = Call(loaded, CELLS, given)
        assert call(backwards) == 0
        assert_same_bits(loaded.call(CELLS, given), call.results)
        most.append(max(counts))
    assert most[0] < most[1]
    assert min(counts) >= 1


# Whole programs.


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILERS)
def test_programs(made: rc.CModule, name: str, tmp_path: Path) -> None:
    """The source in C and C++ without a warning; the header's example."""
    made.save(tmp_path)
    for language in (C11, CPP17):
        more = MORE if language == C11 else MORE[:1]
        command = (compiler(name, language), *language, *STRICT, *more, "-O2")
        run(*command, "-c", "any.c", "-o", "out.o", folder=tmp_path)
    (tmp_path / "main.c").write_text(example(made))
    run(name, *C11, *STRICT, "main.c", "any.c", "any.o", "-o", "main", folder=tmp_path)
    assert run("./main", folder=tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize("c_compiler", COMPILERS)
def test_sanitizers_are_silent(
    made: rc.CModule, loaded: Loaded, c_compiler: str, tmp_path: Path
) -> None:
    """In memory of exactly the bytes that are asked for, at sizes to the largest; in C and C++."""
    language = CPP17 if c_compiler == "clang" else C11
    made.save(tmp_path)
    (tmp_path / "main.c").write_text(program(made))
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
    name = compiler(sanitized(c_compiler, tmp_path), language)
    run(name, *language, *flags, "-c", "any.c", "-o", "source.o", folder=tmp_path)
    run(c_compiler, *flags, "-c", "main.c", "-o", "main.o", folder=tmp_path)
    run(name, *flags, "main.o", "source.o", "any.o", "-o", "main", folder=tmp_path)
    for number, size in ((0, 1), (0, 7), (1, 100), (2, 7), (3, 33), (4, 3), (5, 100)):
        given = at(number, size)
        row = loaded.rows[f"case_{number}"]
        inputs = b"".join(np.asarray(given[each["name"]]).tobytes() for each in row["arguments"])
        (tmp_path / "in").write_bytes(inputs)
        sizes = map(str, sizes_of(row, given).values())
        assert run("./main", f"case_{number}", *sizes, folder=tmp_path) == ""
        expected = loaded.call(f"case_{number}", given)
        results = b"".join(value.tobytes() for value in expected.values())
        assert (tmp_path / "out").read_bytes() == results
    most = loaded.rows["case_2"]["open_sizes"][0]["maximum"]
    (tmp_path / "most.c").write_text(
        '#include "any.h"\nint main(void)\n{\n    struct case_0_bytes a;\n'
        "    struct case_2_bytes b;\n"
        f"    return case_0_measure({MOST}, &a) + case_2_measure({most}, 1, &b);\n}}\n"
    )
    run(c_compiler, *flags, "-c", "most.c", "-o", "most.o", folder=tmp_path)
    run(name, *flags, "most.o", "source.o", "any.o", "-o", "most", folder=tmp_path)
    assert run("./most", folder=tmp_path) == ""


@pytest.mark.slow
def test_frozen_weights(loaded: Loaded, tmp_path: Path) -> None:
    """They are packed beforehand, for every length."""
    given = at(0, 7)
    frozen = rc.freeze(opened(*CASES[0]), {name: given[name] for name in "wb"})
    library = Loaded(rc.compile_c(frozen, "cpu", name="frozen"), tmp_path)
    (row,) = library.rows.values()
    assert row["packed_beforehand"]
    for size in (1, 100):
        more = {**at(0, size), "w": given["w"], "b": given["b"]}
        expected = loaded.call(FORWARD, more)
        assert_same_bits(library.call(row["function"], more), expected)


@pytest.mark.slow
def test_self_test(tmp_path: Path, cli: Any) -> None:
    """At one length; wrong results are found."""
    folder = tmp_path / "lstm"
    dims = "seq_length=?,batch_size=16,input_size=8,num_units=40"
    options = ["--dim", dims, "--attr", "use_peephole=false", "--format", "c", "--golden"]
    cli("compile", "BlockLSTMV2", *options, "--name", "lstm", "-o", folder)
    assert "all 14 are equal: C by " in cli("verify", folder).out
    text = (folder / "lstm_selftest.c").read_text()
    sources = ["lstm_selftest.c", "lstm.c", "lstm.o", "-o", "main"]
    for changed, code in ((text, 0), (text.replace("            7,\n", "            6,\n", 1), 2)):
        (folder / "lstm_selftest.c").write_text(changed)
        run("gcc", *C11, *STRICT, "-DLSTM_SELFTEST_MAIN", *sources, folder=folder)
        done = processes.run("./main", code=code, cwd=folder)
    assert done.stderr == "block_lstm_v2: seq_len_max: not from 0 to seq_length\n"


@pytest.mark.slow
def test_a_golden_that_does_not_fit() -> None:
    module = opened("GRUBlockCell", "float32", CELL, BATCH_SIZE)
    golden = rc.golden(module, "cpu")
    arguments, results = golden.cases["gru_block_cell"]
    for wrong in ({**arguments, "h_prev": arguments["h_prev"][1:]}, {}):
        cases = {"gru_block_cell": (wrong, results)}
        with pytest.raises(InvalidArgumentError, match=r"'golden': expected one of Module\(gru_bl"):
            rc.compile_c(module, golden=replace(golden, cases=cases))


# Goldens.

GOLDENS = [
    golden
    for golden in read_goldens()
    if golden.variant["num_units"] > 1
    and 0 not in (golden.variant.get("seq_length"), golden.variant["batch_size"])
]
"""Those of which a size may be open."""

CHOSEN = {
    ("CudnnRNN", "pub_17_gru_uni_l2"),
    ("CudnnRNN", "pub_23_tanh_uni_l1"),
    ("CudnnRNNBackpropV3", "pub_09_lstm_uni_l1_bm"),
    ("CudnnRNNV3", "pub_29_relu_bi_l1_bm"),
    ("onnx.RNN", "12_RNN_T3B4I2H5"),
}
"""Ops and names of those that are compared, forward and backward: loops of each mode and layout, in
both directions, of two layers. `CASES` has cells."""


def first(op: str) -> Golden:
    return next(golden for golden in GOLDENS if golden.op == op)


def compiled(goldens: list[Golden], target: str) -> rc.CModule:
    parts: list[rc.Module] = []
    for golden in goldens:
        dims = tuple(name for name in BOTH if name in golden.variant)
        parts.append(opened(golden.op, golden.dtype, golden.variant, dims))
    made = rc.compile_c(renamed(*parts), target, name="goldens")
    assert all("open_sizes" in row for row in made.manifest["functions"] if "op" in row)
    return made


def check_goldens(loaded: Loaded | Emulated, goldens: list[Golden]) -> None:
    for number, golden in enumerate(goldens):
        golden.assert_matches(loaded.call(f"case_{number}", golden.inputs))


@pytest.mark.slow
def test_a_golden(tmp_path: Path) -> None:
    goldens = [first("BlockLSTMV2")]
    check_goldens(Loaded(compiled(goldens, "cpu:x86-64-v3"), tmp_path), goldens)


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")
def test_goldens_on_aarch64(tmp_path: Path) -> None:
    goldens = [first("BlockLSTMGradV2")]
    made = compiled(goldens, "cpu:aarch64")
    check_goldens(Emulated(made, tmp_path, cpu="cortex-a53"), goldens)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12 if ALL else 1))
def test_every_golden(part: int, tmp_path: Path) -> None:
    chosen = [golden for golden in GOLDENS if (golden.op, golden.path.stem) in CHOSEN]
    assert len(chosen) == len(CHOSEN)
    goldens = GOLDENS[part::12] if ALL else chosen
    check_goldens(Loaded(compiled(goldens, "cpu:generic"), tmp_path), goldens)


# Two open sizes, by a function that negates.

NEGATED = """
#map = affine_map<(t, b, k) -> (t, b, k)>
#trait = {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
func.func @f(%x: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?x3xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x3xf32>
  %e = tensor.empty(%t, %b) : tensor<?x?x3xf32>
  %y = linalg.generic #trait ins(%x : tensor<?x?x3xf32>) outs(%e : tensor<?x?x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}
"""


@pytest.mark.slow
def test_two_open_sizes(tmp_path: Path) -> None:
    """Each is limited, and their product, so that no number overflows."""
    target = resolve_target("cpu:generic")
    text, types = external_results(NEGATED)
    found = compile_host_program(text, target, reproducers=tmp_path / "reproducers")
    T, B = open_dimension("seq_length"), open_dimension("batch_size")
    x, y = (TensorSpec(name, "float32", (T, B, 3)) for name in "xy")
    spec = FunctionSpec("F", "f", "float32", {"seq_length": T, "batch_size": B}, {}, (x,), (y,))
    read = read_functions([spec], types, found.host, {}, ANY_MEMORY)
    library = make_library("both", *read, found.object, target, "By a test.")
    (function,) = library.functions
    product = function.limited[-1].maximum
    assert product is not None
    assert MOST < product < 2**63
    for name, content in (("both.h", library.header), ("both.c", library.source)):
        (tmp_path / name).write_text(content)
    (tmp_path / "both.o").write_bytes(library.object)
    (tmp_path / "main.c").write_text(
        '#include "both.h"\n#include <stdio.h>\n#include <stdlib.h>\n'
        "int main(void)\n{\n    struct f_bytes bytes;\n"
        "    for (int t = 1; t < 70; t += 17)\n        for (int b = 1; b < 40; b += 19) {\n"
        "            if (f_measure(t, b, &bytes) || bytes.x != (size_t)(t * b * 12))\n"
        "                return 1;\n"
        "            float *x = aligned_alloc(64, (bytes.x + 63) / 64 * 64);\n"
        "            float *y = aligned_alloc(64, (bytes.y + 63) / 64 * 64);\n"
        "            char *scratch = aligned_alloc(64, bytes.scratch + 64);\n"
        "            for (int k = 0; k < t * b * 3; k++)\n                x[k] = (float)k;\n"
        "            const struct f_arguments arguments = {t, b, x};\n"
        "            const struct f_results results = {y};\n"
        "            if (f(&arguments, &results, scratch))\n                return 2;\n"
        "            for (int k = 0; k < t * b * 3; k++)\n"
        "                if (y[k] != -(float)k)\n                    return 3;\n"
        "            free(x); free(y); free(scratch);\n        }\n"
        f"    puts(both_error(f_measure({MOST}, {MOST}, &bytes)));\n"
        f"    puts(both_error(f_measure({product // 2**20}, {2**20}, &bytes)));\n"
        f"    puts(both_error(f_measure({product // 2**20 + 1}, {2**20}, &bytes)));\n"
        "    return 0;\n}\n"
    )
    flags = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
    run("gcc", *C11, *STRICT, *flags, "main.c", "both.c", "both.o", "-o", "main", folder=tmp_path)
    wrong = f"seq_length * batch_size: not from 1 to {product}"
    assert run("./main", folder=tmp_path).splitlines() == [wrong, "no error", wrong]
