"""F_STACK_SIZE is at least the stack that a call takes, and not much more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from c.calling import C11, STRICT, run
from cases import sizes
from numeric.harness import renamed

import rnn_compiler as rc

PROGRAM = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"

enum {{ SIZE = 1 << 20 }};

static void *memory(size_t size)
{{
    void *array = aligned_alloc(64, (size + 64) / 64 * 64);
    return memset(array, 0, size);
}}

static struct {f}_arguments arguments;
static struct {f}_results results;
static void *scratch;

static void *nothing(void *unused)
{{
    return unused;
}}

static void *called(void *unused)
{{
    return {f}(&arguments, &results, scratch) ? NULL : unused;
}}

static long taken(void *(*start)(void *))
{{
    unsigned char *stack = aligned_alloc(4096, SIZE);
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    memset(stack, 0xa5, SIZE);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, SIZE);
    pthread_create(&thread, &attributes, start, stack);
    pthread_join(thread, &result);
    if (!result)
        exit(2);
    long untouched = 0;
    while (stack[untouched] == 0xa5)
        untouched++;
    return SIZE - untouched;
}}

int main(void)
{{
{filled}
    printf("%ld %d\\n", taken(called) - taken(nothing), {macro});
    return 0;
}}
"""


@pytest.fixture(scope="module")
def gradients() -> rc.CModule:
    cell = {"batch_size": 3, "input_size": 4, "num_units": 24}
    parts = [
        rc.build("CudnnRNNBackpropV3", dtype="bfloat16", num_layers=1, **sizes(5, 3, 4, 24)),
        rc.build("GRUBlockCellGrad", dtype="float64", **cell),
    ]
    return rc.compile_c(renamed(*parts), "cpu", name="gradients")


@pytest.mark.slow
def test_a_call_takes_no_more(
    lstm: rc.CModule, cells: rc.CModule, gradients: rc.CModule, tmp_path: Path
) -> None:
    for made in (lstm, cells, gradients):
        made.save(tmp_path)
        for row in made.manifest["functions"]:
            if "op" in row:
                check(made.name, row, tmp_path)


def check(name: str, row: Mapping[str, Any], folder: Path) -> None:
    """Measures the stack of a function without optimization, and with."""
    f = row["function"]
    filled = [
        f"    arguments.{each['name']} = "
        + ("1;" if each["by_value"] else f"memory({each['size']});")
        for each in row["arguments"]
    ]
    filled += [f"    results.{each['name']} = memory({each['size']});" for each in row["results"]]
    filled += [f"    scratch = memory({row['scratch_size']});"]
    macro = f"{f.upper()}_STACK_SIZE"
    text = PROGRAM.format(name=name, f=f, filled="\n".join(filled), macro=macro)
    (folder / "main.c").write_text(text)
    for level in ("-O0", "-O2"):
        files = ["main.c", f"{name}.c", f"{name}.o", "-lpthread"]
        run("gcc", *C11, *STRICT, level, *files, "-o", "main", folder=folder)
        taken, said = map(int, run("./main", folder=folder).split())
        assert 0 < taken <= said == row["stack_size"]
        assert said < taken + 24_000, "so much more that it says nothing"
