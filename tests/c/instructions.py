"""Counts the instructions of a call of a function in C on an emulated Cortex-M board.

QEMU's clock can count instructions: with ``-icount shift=0`` each takes a nanosecond, and the
processor's timer, SysTick, counts once per forty. So counts are of instructions, not of cycles, and
are the same on every machine that runs QEMU.

    python -m c.instructions cortex-m4  # from tests/: the rows of docs/microcontrollers.md
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from c.calling import C11, run
from c.emulated import BOARD_STARTUP, MACHINES, board_script

import rnn_compiler as rc

__all__ = ["instructions"]

_PER_TICK = 40
"""Nanoseconds of the boards' clocks of 25 MHz."""

_PROGRAM = """\
#include "{name}.h"
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>

static volatile uint32_t *const timer = (uint32_t *)0xE000E010; /* SysTick */
static struct {f}_arguments arguments;
static struct {f}_results results;
alignas(64) static unsigned char scratch[{f_upper}_SCRATCH_SIZE + 1];

int main(void)
{{
{arrays}
    timer[1] = 0xFFFFFF;
    timer[2] = 0;
    timer[0] = 5;
    uint32_t start = timer[2];
    int code = {f}(&arguments, &results, scratch);
    uint32_t ticks = (start - timer[2]) & 0xFFFFFF;
    printf("%u\\n", (unsigned)ticks);
    return code;
}}
"""


def instructions(module: rc.CModule, folder: Path, values: dict[str, int] | None = None) -> int:
    """The instructions of a call of a module's first function, up to 600 million.

    Args:
        module: The module; its target is a Cortex-M.
        folder: A folder for the program.
        values: Numbers that its arguments are filled with; others are 0.
    """
    machine = MACHINES[module.manifest["target"]["architecture"]]
    row, name = module.manifest["functions"][0], module.name
    f = row["function"]
    lines = [line for each in row["arguments"] for line in _argument(each, (values or {}))]
    lines += [line for each in row["results"] for line in _array(each, "results")]
    arrays = "\n".join(f"    {line}" for line in lines)
    module.save(folder)
    text = _PROGRAM.format(name=name, f=f, f_upper=f.upper(), arrays=arrays)
    (folder / "main.c").write_text(text)
    (folder / "startup.c").write_text(BOARD_STARTUP)
    (folder / "board.ld").write_text(board_script(machine))
    sources = [folder / each for each in ("main.c", "startup.c", f"{name}.c", f"{name}.o")]
    program = folder / "main"
    run(*machine.compiler, *C11, "-O2", *sources, "-T", folder / "board.ld", "-o", program)
    emulator, *options = machine.command(program, [], None)
    return int(run(emulator, "-icount", "shift=0", *options)) * _PER_TICK


def _argument(each: dict[str, Any], values: dict[str, int]) -> list[str]:
    value = values.get(each["name"], 0)
    if each["by_value"]:
        return [f"arguments.{each['name']} = {value};"]
    lines = _array(each, "arguments")
    return [*lines, f"arguments_{each['name']}[0] = {value};"] if value else lines


def _array(each: dict[str, Any], struct: str) -> list[str]:
    count = max(1, int(np.prod(each["shape"], dtype=int)))
    name = f"{struct}_{each['name']}"
    return [
        f"alignas(64) static {each['c_type']} {name}[{count}];",
        f"{struct}.{each['name']} = {name};",
    ]


LAYERS: dict[str, dict[str, Any]] = {
    "weather: 7 inputs, 32 units, one of 120 steps": {
        "rnn_mode": "lstm", "input_size": 7, "num_units": 32,
    },
    "bidirectional, first layer: 10 inputs, 2 x 64 units, 5 steps": {
        "rnn_mode": "lstm", "input_size": 10, "num_units": 64, "seq_length": 5,
        "direction": "bidirectional",
    },
    "bidirectional, second layer: 128 inputs, 2 x 32 units, 5 steps": {
        "rnn_mode": "lstm", "input_size": 128, "num_units": 32, "seq_length": 5,
        "direction": "bidirectional",
    },
    "lstm: 8 inputs, 24 units, one step": {"rnn_mode": "lstm", "input_size": 8, "num_units": 24},
    "gru: 8 inputs, 24 units, one step": {"rnn_mode": "gru", "input_size": 8, "num_units": 24},
}  # fmt: skip
"""Layers of the table."""


def compiled(target: str, layer: dict[str, Any], quantize: str | None = None) -> rc.CModule:
    """A layer with weights, which are random."""
    sizes = {"seq_length": 1, "batch_size": 1, "num_layers": 1, **layer}
    outputs = ("output", "output_h", *(["output_c"] if layer["rnn_mode"] == "lstm" else []))
    built = rc.build("CudnnRNNV3", is_training=False, outputs=outputs, **sizes)
    params = next(each for each in built.functions[0].arguments if each.name == "params")
    weights = np.random.default_rng(0).normal(0, 0.1, params.static_shape).astype(np.float32)
    frozen = rc.freeze(built, {"params": weights}, **({"quantize": quantize} if quantize else {}))
    return rc.compile_c(frozen, target, name="layer")


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    print("| layer | weights | flash | scratch | arguments and results | stack | instructions |")
    print("|---|---|---|---|---|---|---|")
    for name, layer in LAYERS.items():
        for quantize in (None, "int8"):
            made = compiled(f"cpu:{arguments[0]}", layer, quantize)
            row = made.manifest["functions"][0]
            arrays = sum(each["size"] for each in (*row["arguments"], *row["results"]))
            with tempfile.TemporaryDirectory() as folder:
                steps = layer.get("seq_length", 1)
                count = instructions(made, Path(folder), {"sequence_lengths": steps})
            memory = row["scratch_size"], arrays, row["stack_size"]
            numbers = (made.manifest["flash_size"], *memory, count)
            print(
                f"| {name} | {quantize or 'float32'} |", " | ".join(f"{n:,}" for n in numbers), "|"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
