"""Modules in C on an emulated processor: a static program for aarch64, by QEMU's user mode.

What it takes: ``qemu-aarch64`` on PATH (Debian's qemu-user), and a compiler that makes static
programs for aarch64: ``aarch64-linux-gnu-gcc`` (gcc-aarch64-linux-gnu and libc6-dev-arm64-cross).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from c.calling import C11, STRICT, Arrays, at_sizes, run, sizes_of

from rnn_compiler.c_compilation import CModule
from rnn_compiler.schema.dtypes import DTYPES

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"


def missing() -> str:
    """What is not here of that which it takes; empty if all is."""
    return ", ".join(each for each in (COMPILER, EMULATOR) if shutil.which(each) is None)


class Emulated:
    """A module in C as a program, of which a run is a call: bytes in, bytes out."""

    def __init__(self, module: CModule, folder: Path, *, cpu: str) -> None:
        self.rows = {row["function"]: row for row in module.manifest["functions"]}
        self._command = [EMULATOR, "-cpu", cpu, str(folder / "main")]
        module.save(folder)
        (folder / "main.c").write_text(program(module))
        files = [folder / each for each in ("main.c", f"{module.name}.c", f"{module.name}.o")]
        run(COMPILER, *C11, *STRICT, "-O1", "-static", *files, "-o", folder / "main")

    def call(self, function: str, given: Mapping[str, npt.NDArray[Any]]) -> Arrays:
        """Calls a function, which must give no error."""
        sizes = sizes_of(self.rows[function], given)
        row = at_sizes(self.rows[function], sizes)
        inputs: list[bytes] = []
        for each in row["arguments"]:
            value = np.asarray(given[each["name"]]).astype(DTYPES[each["dtype"]].numpy)
            assert value.size == np.prod(each["shape"], dtype=int)
            inputs.append(value.tobytes())
        done = subprocess.run(
            [*self._command, function, *map(str, sizes.values())],
            input=b"".join(inputs),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        results: Arrays = {}
        start = 0
        for each in row["results"]:
            array = np.frombuffer(done.stdout[start:][: each["size"]], DTYPES[each["dtype"]].numpy)
            results[each["name"]] = array.reshape(each["shape"])
            start += each["size"]
        assert start == len(done.stdout)
        return results


def program(module: CModule) -> str:
    """A program that calls the function that its first argument names, at the sizes that follow."""
    memory = _MEMORY if any("open_sizes" in row for row in module.manifest["functions"]) else ""
    functions = "\n".join(_call(module.name, row) for row in module.manifest["functions"])
    return f"""\
#include "{module.name}.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(void *data, size_t size) {{ if (fread(data, 1, size, stdin) != size) perror(0); }}

{memory}
int main(int argc, char **argv)
{{
    int code = argc > 1 ? -1 : 0;
{functions}
    if (code)
        fprintf(stderr, "%s\\n", {module.name}_error(code));
    return code != 0;
}}
"""


_MEMORY = """\
extern int posix_memalign(void **, size_t, size_t);

static void *new_array(size_t size)
{
    void *array = NULL;
    if (posix_memalign(&array, 64, size) || !array)
        exit(9);
    return memset(array, 0xff, size);
}
"""


def _call(name: str, row: dict[str, Any]) -> str:
    if "open_sizes" in row:
        return _call_at_sizes(row)
    f = row["function"]
    lines = [f'if (!strcmp(argv[1], "{f}")) {{']
    lines.append(f"alignas(64) static unsigned char scratch[{f.upper()}_SCRATCH_SIZE];")
    lines += [f"static struct {f}_arguments arguments; static struct {f}_results results;"]
    for each in row["arguments"]:
        if each["by_value"]:
            lines.append(f"take(&arguments.{each['name']}, {each['size']});")
        else:
            lines.append(_array("in", each, "arguments"))
            lines.append(f"take(in_{each['name']}, {each['size']});")
    for each in row["results"]:
        lines.append(_array("out", each, "results"))
        lines.append(f"memset(out_{each['name']}, 0xff, sizeof out_{each['name']});")
    lines.append("memset(scratch, 0xff, sizeof scratch);")
    lines.append(f"code = {f}(&arguments, &results, scratch);")
    lines += [f"fwrite(out_{each['name']}, 1, {each['size']}, stdout);" for each in row["results"]]
    return "\n".join(f"    {line}" for line in [*lines, "}"])


def _call_at_sizes(row: dict[str, Any]) -> str:
    """The call of a function with open sizes, in memory of exactly the bytes that it asks for."""
    f, names = row["function"], [each["name"] for each in row["open_sizes"]]
    lines = [f"static struct {f}_arguments arguments; static struct {f}_results results;"]
    lines += [f"struct {f}_bytes bytes; void *scratch, *start;"]
    lines += [f"arguments.{n} = strtoll(argv[{k}], NULL, 10);" for k, n in enumerate(names, 2)]
    given = ", ".join(f"arguments.{name}" for name in names)
    lines.append(f"code = {f}_measure({given}, &bytes);")
    for each in row["arguments"]:
        name = each["name"]
        if each["by_value"]:
            lines.append(f"take(&arguments.{name}, {each['size']});")
        else:
            lines.append(f"start = new_array(bytes.{name}); arguments.{name} = start;")
            lines.append(f"take(start, bytes.{name});")
    for each in row["results"]:
        lines.append(f"results.{each['name']} = new_array(bytes.{each['name']});")
    lines.append("scratch = new_array(bytes.scratch);")
    lines.append(f"if (!code) code = {f}(&arguments, &results, scratch);")
    for each in row["results"]:
        lines.append(f"fwrite(results.{each['name']}, 1, bytes.{each['name']}, stdout);")
    lines += [
        f"free((void *)(uintptr_t)arguments.{a['name']});"
        for a in row["arguments"]
        if not a["by_value"]
    ]
    lines += [f"free(results.{each['name']});" for each in row["results"]]
    head = f'if (argc == {2 + len(names)} && !strcmp(argv[1], "{f}")) {{'
    return "\n".join(f"    {line}" for line in [head, *lines, "free(scratch);", "}"])


def _array(prefix: str, each: dict[str, Any], struct: str) -> str:
    name = each["name"]
    size = max(1, each["size"] // max(1, int(np.prod(each["shape"], dtype=int))))
    count = max(1, each["size"] // size)
    return (
        f"alignas(64) static {each['c_type']} {prefix}_{name}[{count}]; "
        f"{struct}.{name} = {prefix}_{name};"
    )
