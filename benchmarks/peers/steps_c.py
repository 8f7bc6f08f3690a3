"""A training step as a C program, on one and two threads, with its memory."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import rnn_compiler as rc
from benchmarks import steps
from benchmarks.inputs import Arrays

__all__ = ["run_in_c"]

_PROGRAM = Path(steps.__file__).with_suffix(".c")
_COMPILERS = ("cc", "gcc", "clang")
_TYPES = {"float32": "float", "int32": "int32_t"}


def run_in_c(module: rc.Module, batch: Arrays, seconds: float) -> dict[str, float]:
    """Seconds of a step on one and two threads, and bytes of memory.

    Empty if there is no compiler of C.
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        return {}
    made = rc.compile_c(module, name="step")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made.save(folder)
        (folder / "batch.h").write_text(_batch(made, batch, folder))
        command = [compiler, "-std=c11", "-O2", "-pthread", "-D_POSIX_C_SOURCE=199309L", "-I."]
        files = [str(_PROGRAM), "step.c", "step.o", "-o", "steps"]
        subprocess.run([*command, *files], cwd=folder, check=True)
        (function,) = made.manifest["functions"]
        values = {"scratch": function["scratch_size"], "flash": made.manifest["flash_size"]}
        for threads in (1, 2):
            run = [str(folder / "steps"), str(threads), str(seconds)]
            done = subprocess.run(run, capture_output=True, text=True, check=True)
            least, median, *losses = map(float, done.stdout.split())
            values |= {f"least {threads}": least / 1e6, f"median {threads}": median / 1e6}
            values |= {f"loss {number}": loss for number, loss in enumerate(losses)}
    return values


def _batch(made: rc.CModule, batch: Arrays, folder: Path) -> str:
    """The text of batch.h: the arrays of the batch, from files, and the loss."""
    (function,) = made.manifest["functions"]
    lines, names = list[str](), list[str]()
    for argument in function["arguments"]:
        name = argument["name"]
        array: Any = np.ascontiguousarray(batch[name.removeprefix("batch_")])
        array.tofile(folder / name)
        lines.append(f"alignas(64) static {_TYPES[array.dtype.name]} {name}[{array.size}];")
        names.append(name)
    (loss,) = function["results"]
    lines.append("alignas(64) static float loss[1];")
    lines.append("#define LOSS loss[0]")
    fields = ", ".join(f".{name} = {name}" for name in names)
    lines.append(f"static const struct step_arguments BATCH = {{{fields}}};")
    lines.append(f"static const struct step_results RESULTS = {{.{loss['name']} = loss}};")
    reads = " || ".join(f'read_file("{folder / name}", {name}, sizeof {name})' for name in names)
    lines += [
        "static int read_file(const char *path, void *to, size_t size)",
        "{",
        '    FILE *file = fopen(path, "rb");',
        "    return !file || fread(to, 1, size, file) != size || fclose(file);",
        "}",
        "static int FILL(void)",
        "{",
        f"    return {reads};",
        "}",
    ]
    return "\n".join(lines) + "\n"
