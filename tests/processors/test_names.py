"""Targets for other processors: the meaning of their names, and messages for unknown ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from numeric.harness import renamed

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.lowering.targets.names import compiler_flags, resolve_target, target_names
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.schema.manifest import TargetSpec

V3 = ARCHITECTURES["x86_64"].levels["x86-64-v3"]


@pytest.mark.parametrize(
    ("target", "architecture", "features"),
    [
        ("cpu:aarch64", "aarch64", ()),
        ("cpu:aarch64,generic", "aarch64", ()),
        ("cpu:aarch64,dotprod", "aarch64", ("dotprod",)),
        ("cpu:aarch64, +fp16fml", "aarch64", ("fp16fml", "fullfp16")),
        ("cpu:aarch64,neon", "aarch64", ()),
        ("cpu:riscv64", "riscv64", ()),
        ("cpu:riscv64,v,d", "riscv64", ("v",)),
        ("cpu:riscv32,zbb", "riscv32", ("zbb",)),
        ("cpu:armv7,neon", "armv7", ()),
        ("cpu:cortex-m4", "cortex-m4", ()),
        ("cpu:cortex-m7,fp64", "cortex-m7", ("fp64",)),
        ("cpu:cortex-m33", "cortex-m33", ()),
        ("cpu:cortex-m55", "cortex-m55", ()),
        ("cpu:wasm32,relaxed-simd", "wasm32", ("relaxed-simd",)),
        ("cpu:x86_64", "x86_64", ()),
        ("cpu:x86_64,sse2", "x86_64", ()),
        ("cpu:x86_64,x86-64-v3", "x86_64", tuple(sorted(V3))),
        ("cpu:x86_64,avx", "x86_64", ("avx", "sse3", "sse4.1", "sse4.2", "ssse3")),
    ],
)
def test_a_named_architecture_is_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch, target: str, architecture: str, features: tuple[str, ...]
) -> None:
    made: list[TargetSpec] = []
    for here in (*ARCHITECTURES, "sparc64"):
        monkeypatch.setattr(cpu_features, "architecture", lambda here=here: here)
        made.append(resolve_target(target))
    (found,) = {*made}
    assert (found.architecture, found.features, found.device) == (architecture, features, "local")
    flags = compiler_flags(found)
    assert f"--iree-llvmcpu-target-triple={ARCHITECTURES[architecture].triple}" in flags
    assert f"--iree-llvmcpu-target-cpu={ARCHITECTURES[architecture].cpu}" in flags
    asked = next(flag for flag in flags if "features=" in flag)
    assert {*features} <= {each.lstrip("+") for each in asked.partition("=")[2].split(",")}


@pytest.mark.parametrize(
    ("here", "target", "features"),
    [
        ("aarch64", "cpu:dotprod", ("dotprod",)),
        ("aarch64", "cpu:generic", ()),
        ("riscv64", "cpu:v", ("v",)),
        ("x86_64", "cpu:x86-64-v3", tuple(sorted(V3))),
    ],
)
def test_without_an_architecture_this_machines_is_meant(
    monkeypatch: pytest.MonkeyPatch, here: str, target: str, features: tuple[str, ...]
) -> None:
    monkeypatch.setattr(cpu_features, "architecture", lambda: here)
    found = resolve_target(target)
    assert (found.architecture, found.features) == (here, features)


@pytest.mark.parametrize(
    ("here", "target", "remedy"),
    [
        ("x86_64", "cpu:arm64", "did you mean cpu:aarch64?"),
        ("x86_64", "cpu:aarch_64", "did you mean cpu:aarch64?"),
        ("x86_64", "cpu:riscv", "did you mean cpu:riscv64?"),
        ("x86_64", "aarch64", "did you mean cpu:aarch64?"),
        ("aarch64", "cpu:amd64", "did you mean cpu:x86_64?"),
        ("x86_64", "cpu:aarch64,dotprot", "did you mean cpu:aarch64,dotprod?"),
        ("x86_64", "cpu:aarch64,dotprod,i8m", "did you mean cpu:aarch64,i8mm?"),
        ("x86_64", "cpu:dotprod", "dotprod belongs to aarch64: cpu:aarch64,dotprod"),
        ("x86_64", "cpu:aarch64,avx2", "avx2 belongs to x86_64: cpu:x86_64,avx2"),
        ("aarch64", "cpu:x86-64-v3", "x86-64-v3 belongs to x86_64: cpu:x86_64,x86-64-v3"),
        ("x86_64", "cpu:aarch64,sve", "IREE does not finish compiling some float64 code"),
        (
            "x86_64",
            "cpu:cortex-m3",
            "the Cortex-M3 has no floating-point unit, which the code needs",
        ),
        ("aarch64", "cpu:cortex-m0+", "the Cortex-M0+ has no floating-point unit"),
        ("x86_64", "cpu:esp32-c3", "the ESP32-C3 has no floating-point unit"),
        ("x86_64", "cpu:cortex-a9", "the Cortex-A9 has no fused multiplication and addition"),
        ("x86_64", "cpu:aarch64,", ""),
        ("x86_64", "cpu:mips64", ""),
    ],
)
def test_what_there_is_not(
    monkeypatch: pytest.MonkeyPatch, here: str, target: str, remedy: str
) -> None:
    monkeypatch.setattr(cpu_features, "architecture", lambda: here)
    with pytest.raises(InvalidArgumentError) as caught:
        resolve_target(target)
    assert caught.value.remedy.startswith(remedy)
    assert bool(caught.value.remedy) == bool(remedy)
    assert "aarch64" in caught.value.expected
    assert repr(target) in caught.value.got


@pytest.mark.parametrize("target", ["cpu", "cpu:generic"])
def test_a_machine_that_there_is_no_code_for(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setattr(cpu_features, "architecture", lambda: "sparc64")
    with pytest.raises(InvalidArgumentError, match=r"as this machine is sparc64"):
        resolve_target(target)


def test_architectures_are_offered() -> None:
    """By tab completion and by the error that lists targets."""
    assert {f"cpu:{name}" for name in ARCHITECTURES} <= {*target_names()}


@pytest.mark.parametrize("dtype", FLOAT_DTYPES)
@pytest.mark.parametrize("name", ["cpu:x86_64", "cpu:aarch64", "cpu:riscv64", "cpu:riscv64,v"])
def test_sizes_fit_the_registers(name: str, dtype: str) -> None:
    """A tile's sums, a row of its right-hand side and a number to multiply with."""
    unit = VectorUnit.of(resolve_target(name))
    element = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}[dtype]
    registers = unit.rows * unit.width(element) // unit.lanes(element)
    assert registers + 3 <= unit.registers
    for size in (1, 2, 3, 5, 7, 24, 37, 64):
        assert 1 <= unit.panel(size, 4, element) <= max(size, 2 * unit.width(element))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_panels_have_as_many_units_as_their_format_needs(name: str) -> None:
    """If there are several, so that each begins where the previous one ends."""
    unit = VectorUnit.of(resolve_target(f"cpu:{name}"))
    for size, gates, rows in itertools.product(range(1, 140), (1, 3, 4), (1, 2)):
        panel = unit.panel(size, gates, "f32", rows, 4)
        assert panel == size or 4 <= panel < size


def test_a_row_has_as_many_sums_in_webassembly_as_there_are_registers_for() -> None:
    """With the row's number and weights, at most 16, of which an engine wastes some."""
    unit = VectorUnit.of(resolve_target("cpu:wasm32"))
    for gates, units, rows in ((1, 32, 2), (3, 16, 1), (4, 8, 2)):
        assert unit.panel(128, gates, "f32", 1) == units
        assert unit.rows_unrolled(gates * units // unit.lanes("f32")) == rows


@pytest.fixture(scope="module")
def foreign() -> rc.Artifact:
    """An artifact for a machine that this is not."""
    other = next(name for name in ARCHITECTURES if name != cpu_features.architecture())
    sizes = {"batch_size": 1, "input_size": 1, "num_units": 1}
    return rc.compile(rc.build("GRUBlockCell", **sizes), f"cpu:{other}")


@pytest.mark.slow
def test_a_foreign_artifact_never_reaches_iree(
    foreign: rc.Artifact, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would take it, and fail at the first call."""
    import iree.runtime

    there, here = foreign.manifest.target.architecture, cpu_features.architecture()
    monkeypatch.setattr(iree.runtime.VmModule, "copy_buffer", None)
    for source in (foreign, foreign.save(tmp_path / "cell.vmfb")):
        with pytest.raises(ArtifactError, match=f"compiled for {there}, this machine is {here}"):
            rc.runtime.load(source)


@pytest.mark.slow
def test_verbs_say_which_machine_it_is_for(foreign: rc.Artifact, tmp_path: Path, cli: Any) -> None:
    path = foreign.save(tmp_path / "cell.vmfb")
    there = foreign.manifest.target.architecture
    for verb, code in (("inspect", 0), ("check", 3), ("run", 1)):
        options = ["--random"] if verb == "run" else []
        shown = " ".join("".join(cli(verb, path, *options, code=code)).split())
        assert f"compiled for {there}, this machine is" in shown, verb


@pytest.mark.slow
@pytest.mark.parametrize(("target", "first"), [("cpu:riscv64", 0), ("cpu:riscv64,v", 1)])
def test_risc_v_compiles(target: str, first: int) -> None:
    """An op and its gradient, by turns the one or the other in each dtype; nothing here runs it."""
    sizes = {"seq_length": 5, "batch_size": 3, "input_size": 4, "num_units": 7}
    ops = ("BlockLSTMV2", "BlockLSTMGradV2")
    parts = [
        rc.build(ops[number % 2], dtype=dtype, use_peephole=False, **sizes)
        for number, dtype in enumerate(FLOAT_DTYPES, first)
    ]
    artifact = rc.compile(renamed(*parts), target)
    assert (artifact.manifest.strategy, artifact.manifest.plain_loops) == ("fused", {})
