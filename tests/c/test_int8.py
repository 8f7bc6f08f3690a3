"""Weights in int8 in C: the defined bits on every processor; constants of int8."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c.calling import Loaded
from c.emulated import MACHINES, Emulated, missing
from c.instructions import compiled
from numeric.int8_products import Shape, calls, relu_layers
from numeric.test_int8 import TARGETS as X86
from quick import SWEEP, first

import rnn_compiler as rc
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema.cpu_features import host_features

ROWS, ROW = (9, 70, 60), (1, 40, 70)
FIVE_UNITS, ODD_UNITS, ONE_INPUT = (3, 7, 5), (1, 20, 21), (1, 1, 24)
"""With narrow registers, panels of three columns would leave at least two units for the last."""

TARGETS = [
    ("cpu", "", [ROW]),
    ("cpu:generic", "", [ROWS, (1, 7, 12)]),
    ("cpu:aarch64,dotprod", "neoverse-n1", [ROWS, ROW]),
    ("cpu:aarch64", "cortex-a53", [ROWS]),
    ("cpu:armv7", "cortex-a7", [ROW]),
    ("cpu:cortex-m4", "", [ROW, ODD_UNITS, ONE_INPUT]),
    ("cpu:riscv32", "", [ROWS, FIVE_UNITS]),
]
"""Each way to multiply, with several rows and with one: by an instruction, by vectors without one,
and where memory is scarce. Weights of 12 units are packed in tiles of 8 by 6. The code of this
machine's is compared in `numeric/test_int8.py`."""


def check_products(target: str, cpu: str, shapes: list[Shape], folder: Path) -> rc.CModule:
    """Compares all bits of products; returns the module.

    Args:
        target: The target.
        cpu: What an emulator is told to be; empty if it is told nothing.
        shapes: The shapes of the products.
        folder: A folder for the program.
    """
    frozen, weights = relu_layers(shapes)
    made = rc.compile_c(frozen, target, name="m")
    architecture = made.manifest["target"]["architecture"]
    if architecture in MACHINES:
        if missing(architecture):
            pytest.skip(f"{architecture}: needs {missing(architecture)}")
        loaded = Emulated(made, folder, cpu=cpu or None)
    else:
        loaded = Loaded(made, folder)
    for name, given, expected in calls(shapes, weights):
        (row,) = (row for row in made.manifest["functions"] if row["function"].endswith(name))
        found = loaded.call(row["function"], given)["output"]
        shape = shapes[int(name.removeprefix("f"))]
        np.testing.assert_array_equal(found.reshape(expected.shape), expected, err_msg=f"{shape}")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("target", "cpu", "shapes"), TARGETS)
def test_products_have_the_bits_that_are_defined(
    target: str, cpu: str, shapes: list[Shape], tmp_path: Path
) -> None:
    made = check_products(target, cpu, shapes, tmp_path)
    if made.manifest["target"]["architecture"] not in MACHINES:  # code and all
        assert len(made.object) < 4 * sum(H * (X + H) for _, X, H in shapes)


SWEPT = [
    *((name, "") for name in X86 if {*resolve_target(name).features} <= {*host_features()}),
    ("cpu:aarch64,dotprod", "neoverse-n1"),
    *((f"cpu:{architecture}", "") for architecture in MACHINES),
]
"""The kinds of code that run here, and the emulated machines."""

OTHERS = {"cpu:cortex-m7", "cpu:cortex-m33"}
"""Machines with the code of the Cortex-M4."""


def random_shapes(seed: int) -> list[Shape]:
    """A few rows, up to 60 inputs and 70 units: two shapes, or four with ``TEST_SWEEP=1``."""
    rng = np.random.default_rng(seed)
    rows = rng.choice([1, 2, 3, 4, 5, 9, 17], 4, replace=False)
    inputs, units = (rng.integers(2, most, 4, endpoint=True) for most in (60, 70))
    shapes = [(int(B), int(X), int(H)) for B, X, H in zip(rows, inputs, units, strict=True)]
    return shapes if SWEEP else shapes[:2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "target", "cpu"),
    [(seed, *each) for seed, each in enumerate(SWEPT) if SWEEP or each[0] not in OTHERS],
)
def test_products_of_random_shapes(seed: int, target: str, cpu: str, tmp_path: Path) -> None:
    """Products are cut into panels and tiles in more ways than one could list."""
    check_products(target, cpu, random_shapes(seed), tmp_path)


ONE, TWO = "unidirectional", "bidirectional"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantize", "direction", "steps", "inputs", "units", "most"),
    first(
        [
            (None, ONE, 1, 7, 32, 900),
            ("int8", ONE, 40, 128, 32, 8_000),
            (None, TWO, 5, 10, 64, 1_100),
        ]
    ),
)
def test_microcontrollers_need_little_scratch_memory(
    quantize: str | None, direction: str, steps: int, inputs: int, units: int, most: int
) -> None:
    """A row at a time is in int8; no call keeps products of inputs, or transposes a matrix.

    Both directions use the same memory, and write their results to the caller's.
    """
    sizes = {"input_size": inputs, "num_units": units, "seq_length": steps}
    layer = {"rnn_mode": "lstm", "direction": direction, **sizes}
    made = compiled("cpu:cortex-m4", layer, quantize)
    assert made.manifest["functions"][0]["scratch_size"] < most
