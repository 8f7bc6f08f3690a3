"""Whole programs: they compile without warnings in C and C++, need only libc, and print nothing."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import processes
import pytest
from c.calling import C11, COMPILERS, STRICT, Loaded, each_build, run, sanitized
from quick import first

import rnn_compiler as rc

MORE = ("-Wshadow", "-Wconversion", "-Wstrict-prototypes", "-Wundef")
"""Warnings that users commonly enable; the second and third exist only for C."""


def compiler(name: str, language: tuple[str, ...]) -> str:
    return {"gcc": "g++", "clang": "clang++"}[name] if "c++" in language else name


def example(module: rc.CModule) -> str:
    """The program in the header's first comment."""
    block = module.header.split("For example:")[1].split("*/")[0]
    lines = [line.removeprefix(" *").removeprefix("     ") for line in block.splitlines()]
    return "\n".join([*lines, ""])


@pytest.mark.slow
@each_build
def test_no_warnings(
    lstm: rc.CModule, cells: rc.CModule, c_compiler: str, language: tuple[str, ...], tmp_path: Path
) -> None:
    more = MORE if language == C11 else MORE[:1]
    for module in (lstm, cells):
        module.save(tmp_path)
        for level in ("-O0", "-O2"):
            command = (compiler(c_compiler, language), *language, *STRICT, *more, level)
            run(*command, "-c", f"{module.name}.c", "-o", "out.o", folder=tmp_path)


@pytest.mark.parametrize("name", COMPILERS)
def test_the_example_of_the_header(lstm: rc.CModule, name: str, tmp_path: Path) -> None:
    """`cc main.c NAME.c NAME.o` is all there is to it."""
    lstm.save(tmp_path)
    (tmp_path / "main.c").write_text(example(lstm))
    run(name, *STRICT, "main.c", "lstm.c", "lstm.o", "-o", "main", folder=tmp_path)
    assert run("./main", folder=tmp_path) == ""


OF_A_STREAM = {"seq_length": 5, "batch_size": 2, "input_size": 1, "num_units": 24}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILERS, reason="needs a C compiler")
@pytest.mark.parametrize("open_size", [False, True])
def test_the_example_computes_two_chunks(open_size: bool, tmp_path: Path) -> None:
    """Of all steps, as lengths are not left at zero; the second takes the states of the first."""
    sizes = {**OF_A_STREAM, **({"seq_length": None, "batch_size": None} if open_size else {})}
    built = rc.build("CudnnRNNV3", **sizes, num_layers=1, is_training=False)
    (count,) = built.functions[0].arguments[-2].shape
    module = rc.freeze(built, {"params": np.linspace(-1, 1, count, dtype=np.float32)})
    made = rc.compile_c(module, "cpu", name="m")
    made.save(tmp_path)
    text = example(made).replace(
        "    return code != 0;",
        '    printf("%a %a\\n", in_input_h[0], in_input_c[25]);\n    return code;',
    )
    (tmp_path / "main.c").write_text(text)
    run(COMPILERS[0], *C11, *STRICT, "main.c", "m.c", "m.o", "-o", "main", folder=tmp_path)
    found = [float.fromhex(each) for each in run("./main", folder=tmp_path).split()]
    T, B = (16, 16) if open_size else (5, 2)
    program = rc.runtime.load(rc.compile(module, "cpu"))
    h = c = np.zeros((1, B, 24), np.float32)
    x, lengths = np.zeros((T, B, 1), np.float32), np.full(B, T, np.int32)
    for _ in range(2):
        out = program(input=x, input_h=h, input_c=c, sequence_lengths=lengths)
        h, c = np.asarray(out.output_h), np.asarray(out.output_c)
    assert found == [h.flat[0], c.flat[25]]
    assert h.flat[0] != 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "direction"),
    first([("onnx.LSTM", "reverse"), ("onnx.GRU", "forward"), ("CudnnRNNV3", "bidirectional")], 2),
)
def test_the_example_has_chunks_only_of_layers_that_run_forward(op: str, direction: str) -> None:
    """The other direction begins at the end of a sequence."""
    training = {"is_training": False, "num_layers": 1} if op == "CudnnRNNV3" else {}
    built = rc.build(op, **OF_A_STREAM, direction=direction, **training)
    assert ("chunk" in example(rc.compile_c(built, "cpu", name="m"))) == (direction == "forward")


def test_a_program_needs_libc_alone(lstm: rc.CModule, tmp_path: Path) -> None:
    """The object needs nothing at all, and is small; nothing of it can be written to."""
    lstm.save(tmp_path)
    (tmp_path / "main.c").write_text(example(lstm))
    run("gcc", "-Os", "-s", "main.c", "lstm.c", "lstm.o", "-o", "main", folder=tmp_path)
    assert (tmp_path / "main").stat().st_size < 45_000
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", "main", folder=tmp_path))
    assert needed == ["libc.so.6"]
    assert run("nm", "--undefined-only", "lstm.o", folder=tmp_path) == ""
    run("gcc", "-c", "lstm.c", "-o", "source.o", folder=tmp_path)
    undefined = run("nm", "--undefined-only", "-j", "source.o", folder=tmp_path).split()
    own = run("nm", "--defined-only", "-g", "-j", "lstm.o", folder=tmp_path).split()
    assert {*undefined} - {*own} <= {
        *("memcpy", "memset", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"),
        "__x86_get_cpuid_feature_leaf",
    }
    for file in ("lstm.o", "source.o"):
        sections = run("readelf", "-SW", file, folder=tmp_path)
        written = [line for line in sections.splitlines() if re.search(r" \.(data|bss)\b", line)]
        assert all(" 000000 00 " in line for line in written if ".rel.ro" not in line), written
        assert ".debug" not in sections


@pytest.mark.slow
def test_two_modules_in_one_program(lstm: rc.CModule, cells: rc.CModule, tmp_path: Path) -> None:
    lstm.save(tmp_path)
    cells.save(tmp_path)
    (tmp_path / "main.c").write_text(
        '#include "lstm.h"\n#include "cells.h"\n#include <stdio.h>\n'
        "int main(void) { puts(lstm_error(block_lstm_v2(NULL, NULL, NULL)));"
        "puts(cells_error(cudnn_rnn_v3(NULL, NULL, NULL))); return 0; }\n"
    )
    files = ["main.c", "lstm.c", "lstm.o", "cells.c", "cells.o"]
    run("gcc", *C11, *STRICT, *files, "-o", "main", folder=tmp_path)
    printed = run("./main", folder=tmp_path)
    assert printed == "arguments or results: a null pointer\n" * 2
    symbols = [run("nm", "-g", "-j", f"{name}.o", folder=tmp_path) for name in ("lstm", "cells")]
    assert not {*symbols[0].split()} & {*symbols[1].split()}


@each_build
def test_sanitizers_are_silent(
    lstm: rc.CModule, c_compiler: str, language: tuple[str, ...], tmp_path: Path
) -> None:
    """Memory, undefined behaviour; the caller is C, as C++17 has no designated initializers."""
    lstm.save(tmp_path)
    (tmp_path / "main.c").write_text(example(lstm))
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
    name = compiler(sanitized(c_compiler, tmp_path), language)
    run(name, *language, *flags, "-c", "lstm.c", "-o", "source.o", folder=tmp_path)
    run(c_compiler, *flags, "-c", "main.c", "-o", "main.o", folder=tmp_path)
    run(name, *flags, "main.o", "source.o", "lstm.o", "-o", "main", folder=tmp_path)
    assert run("./main", folder=tmp_path) == ""


@pytest.mark.slow
def test_a_sanitizer_sees_a_short_array(lstm: rc.CModule, tmp_path: Path) -> None:
    """Shows that the sanitizers can fail: C does not know an array's length, the code does."""
    lstm.save(tmp_path)
    text = example(lstm).replace(
        "alignas(LSTM_ALIGNMENT) static float out_h[20480]", "float *out_h"
    )
    text = text.replace("int main(void)\n{", "int main(void)\n{\n    out_h = malloc(64);")
    text = text.replace(".h = out_h", ".h = (float *)(((size_t)out_h + 63) / 64 * 64)")
    (tmp_path / "main.c").write_text("#include <stdlib.h>\n" + text)
    source = lstm.source.replace("return 0;\n}\n\nint block_lstm_v2(", _READ, 1)
    assert source != lstm.source
    (tmp_path / "lstm.c").write_text(source)
    flags = ("-fsanitize=address", "-g", "-w")
    run("gcc", *flags, "main.c", "lstm.c", "lstm.o", "-o", "main", folder=tmp_path)
    done = processes.run("./main", code=None, cwd=tmp_path)
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr


_READ = "return (int)results->h[20000] & 0;\n}\n\nint block_lstm_v2("


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="no qemu-x86_64 to play a processor")
def test_a_processor_without_the_features(lstm: rc.CModule, tmp_path: Path) -> None:
    """Nothing runs that it does not know."""
    if "avx" not in lstm.manifest["target"]["features"]:
        pytest.skip("this machine has nothing that an old processor lacks")
    lstm.save(tmp_path)
    (tmp_path / "main.c").write_text(example(lstm))
    run("gcc", "-static", "main.c", "lstm.c", "lstm.o", "-o", "main", folder=tmp_path)
    done = processes.run("qemu-x86_64", "-cpu", "Nehalem", "./main", code=1, cwd=tmp_path)
    assert done.stdout.startswith("this processor lacks a feature that the code needs: ")


CPUID = "&& !defined __cplusplus"


@pytest.mark.slow
def test_cpuid_agrees_with_the_c_library(lstm: rc.CModule, tmp_path: Path) -> None:
    """Where glibc is not, cpuid itself is asked; here both."""
    if lstm.manifest["target"]["architecture"] != "x86_64":
        pytest.skip("of x86-64")
    source = lstm.source.replace(CPUID, "&& 0").encode()
    asked = replace(lstm, parts={**lstm.parts, f"{lstm.name}.c": source})
    assert asked.source != lstm.source
    for number, module in enumerate((lstm, asked)):
        library = Loaded(module, tmp_path / str(number))
        code = library.library.block_lstm_v2(None, None, None)
        assert code == 1
        needed = re.search(r"static int cpu_is_known.*?^}", module.source, re.DOTALL | re.MULTILINE)
        assert needed is not None
        (tmp_path / "check.c").write_text(
            '#include "lstm.h"\n#include <string.h>\n'
            + module.source.split("#include <string.h>")[1].split("/*")[0]
            + needed[0]
            + "\nint main(void) { return cpu_is_known() ? 0 : 9; }\n"
        )
        lstm.save(tmp_path)
        run("gcc", *C11, *STRICT, "check.c", "-o", "check", folder=tmp_path)
        assert run("./check", folder=tmp_path) == ""
