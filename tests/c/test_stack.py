"""F_STACK_SIZE is at least the stack that a call takes, and not much more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import C11, STRICT, run
from c.emulated import MACHINES, needs
from cases import sizes
from numeric.harness import renamed
from quick import first

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


ONE_ROW = {"seq_length": 1, "batch_size": 1, "input_size": 1, "num_units": 24}


@pytest.mark.slow
@needs("cortex-m4")
@pytest.mark.parametrize(("layers", "most"), first([(1, 2_000), (3, 3_200)]))
def test_a_microcontroller_needs_less(layers: int, most: int, tmp_path: Path) -> None:
    """The frames of all C functions together, as if each called the next, and of compiled code."""
    direction = "bidirectional" if layers > 1 else "unidirectional"
    sizes = {**ONE_ROW, "num_layers": layers, "direction": direction}
    built = rc.build("CudnnRNNV3", **sizes, is_training=False)
    (count,) = next(each.shape for each in built.functions[0].arguments if each.name == "params")
    frozen = rc.freeze(built, {"params": np.ones(count, np.float32)})
    made = rc.compile_c(frozen, "cpu:cortex-m4", name="m")
    made.save(tmp_path)
    (row,) = made.manifest["functions"]
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
        flags = [*C11, level, "-fstack-usage", "-c", "m.c", "-o", "source.o"]
        run(*MACHINES["cortex-m4"].compiler, *flags, folder=tmp_path)
        (usage,) = tmp_path.glob("*.su")
        taken = sum(int(line.split("\t")[1]) for line in usage.read_text().splitlines())
        assert 0 < taken + COMPILED <= row["stack_size"] < most


COMPILED = 256
"""What the compiled code of an LSTM takes at most."""
