"""Intel's AMX: what is computed in processes that have it (`on_amx`), and what refuses it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import processes
import pytest
from processors import amx
from quick import first

from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

HERE = Path(__file__).parent
TESTS = HERE.parent


@pytest.fixture
def with_amx() -> None:
    """Skips a test if AMX is neither here nor can be emulated; that compiles the emulator."""
    if missing := amx.missing():
        pytest.skip(missing)


def run_tests(permission: str, *arguments: str | Path, root: Path) -> None:
    """Runs tests in a process with AMX, all of which must pass."""
    command = [sys.executable, "-m", "pytest", "-n0", "-rs", "-q", *arguments]
    variables = {**amx.variables(permission), "AMX_PERMISSION": permission}
    done = processes.run(*command, cwd=root, variables=variables, timeout=1000)
    assert re.search(r"\d+ passed", done.stdout)


@pytest.mark.usefixtures("with_amx")
@pytest.mark.parametrize("permission", first(amx.PERMISSIONS))
def test_on_amx(permission: str, pytestconfig: pytest.Config) -> None:
    run_tests(permission, HERE / "on_amx.py", root=pytestconfig.rootpath)


HERE_ONLY = "not cpu:"
"""Without the code of other processors, which is the same with AMX."""

MIXED = "gradients_of_weights and bfloat16"
"""The others of their file compare code without tiles, whose sums have another order."""


@pytest.mark.usefixtures("with_amx")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("permission", "arguments"),
    [
        *((each, [HERE / "on_amx.py", "-m", "slow"]) for each in amx.PERMISSIONS),
        ("granted", [TESTS / "numeric/test_products.py", "-m", "", "-k", "paired"]),
        ("granted", [TESTS / "numeric/test_int8.py", "-m", "", "-k", HERE_ONLY]),
        ("refused", [TESTS / "numeric/test_int8.py", "-m", "", "-k", HERE_ONLY]),
        ("granted", [TESTS / "numeric/test_sixteen_bits.py", "-m", "", "-k", MIXED]),
        ("granted", [TESTS / "bench/test_machine.py", "-m", "", "-k", "every"]),
        ("granted", [TESTS / "numeric/test_reference.py", "-m", "", "-k", "bfloat16"]),
    ],
)
def test_other_tests_on_amx(
    arguments: list[Any], permission: str, pytestconfig: pytest.Config
) -> None:
    """Those of bfloat16 and int8, for the target `cpu`, which uses tiles there.

    Without permission, the same code computes as on processors without tiles: the tests of int8
    and those of `on_amx` see that.
    """
    run_tests(permission, *arguments, root=pytestconfig.rootpath)


# Targets.


@pytest.mark.parametrize(
    ("target", "bfloat16", "int8"),
    [
        ("cpu:x86_64,x86-64-v4,amx-bf16", "tdpbf16ps", ""),
        ("cpu:x86_64,x86-64-v4,avx512vnni,amx-int8", "", "tdpbsud"),
        ("cpu:x86_64,x86-64-v4,avx512vnni,avx512bf16", "", ""),
        ("cpu:x86_64,x86-64-v3,amx-bf16", "", ""),
    ],
)
def test_tiles_of_a_target(target: str, bfloat16: str, int8: str) -> None:
    """A feature says so, never a level."""
    unit = VectorUnit.of(resolve_target(target))
    found = [
        unit.format(*types, inner=64, rows=32).tiles
        for types in (("bf16", "bf16", "f32"), ("f32", "i8", "f32"))
    ]
    assert found == [bfloat16, int8]


def test_the_features_of_products_imply_tiles() -> None:
    for feature in ("amx-bf16", "amx-int8"):
        assert "amx-tile" in resolve_target(f"cpu:x86_64,{feature}").features


def test_intels_own_instruction_is_not_used() -> None:
    """On processors with tiles, pairs are widened where there are none for bfloat16."""
    features = "avx512bf16,avx512vl,avx512vnni"
    tiles, none = (
        VectorUnit.of(resolve_target(f"cpu:x86_64,{each}")).format(
            "bf16", "bf16", "f32", inner=64, rows=32
        )
        for each in (f"{features},amx-int8", features)
    )
    assert (tiles.multiplies_groups, none.multiplies_groups) == (False, True)
    assert tiles.summed == none.summed == 0  # the same bits
