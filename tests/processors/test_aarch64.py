"""Code for aarch64 gives TensorFlow's results on an emulated CPU, with IREE's own runtime.

QEMU on x86-64 keeps x86's order of memory accesses, so it cannot show a fault of a weaker order.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import TOLERANCES
from goldens.golden import Golden, read_goldens
from numeric.harness import module
from processors.emulation import missing, python, run, run_python, runtime

import rnn_compiler as rc
from rnn_compiler.modules import Module
from rnn_compiler.schema.dtypes import DTYPES

needs_runtime = pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")

OPS = ("BlockLSTMV2", "BlockLSTMGradV2", "CudnnRNNV3", "CudnnRNNBackpropV3")


def cases(dtype: str) -> list[Golden]:
    """Forward and gradient calls, in a dtype: inputs rounded to it, the larger tolerance."""
    first = {golden.op: golden for golden in reversed(read_goldens()) if golden.dtype != "float16"}
    found: list[Golden] = []
    for op in OPS:
        golden = first[op]
        inputs = {
            name: array.astype(DTYPES[dtype].numpy) if array.dtype.kind == "f" else array
            for name, array in golden.inputs.items()
        }
        coarser = max(dtype, golden.dtype, key=TOLERANCES.__getitem__)
        meta = {**golden.meta, "dtype": coarser}
        found.append(dataclasses.replace(golden, inputs=inputs, meta=meta))
    return found


@needs_runtime
@pytest.mark.parametrize(
    ("target", "cpu", "dtype"),
    [
        ("cpu:aarch64", "cortex-a53", "float32"),
        pytest.param("cpu:aarch64", "cortex-a53", "bfloat16", marks=pytest.mark.slow),
        pytest.param(
            "cpu:aarch64,fullfp16,dotprod,lse,rdm", "neoverse-n1", "float16", marks=pytest.mark.slow
        ),
        pytest.param("cpu:aarch64", "cortex-a72", "float64", marks=pytest.mark.slow),
        pytest.param("cpu:aarch64,bf16", "max", "bfloat16", marks=pytest.mark.slow),
    ],
)
def test_forward_and_gradient(tmp_path: Path, target: str, cpu: str, dtype: str) -> None:
    """The CPU has the features that were asked for and no more: others are illegal instructions."""
    goldens = cases(dtype)
    specs = [module(case.op, dtype, case.variant).functions[0] for case in goldens]
    artifact = rc.compile(Module(specs), target)
    assert artifact.manifest.strategy == "fused"
    path = artifact.save(tmp_path / "ops.vmfb")
    for case, spec in zip(goldens, specs, strict=True):
        device = "local-task" if case.op.startswith("BlockLSTM") else "local-sync"
        arguments = {
            argument.name: np.asarray(
                case.inputs.get(argument.name, argument.default), DTYPES[argument.dtype].numpy
            )
            for argument in spec.arguments
        }
        results = run(path, spec, arguments, tmp_path, device=device, cpu=cpu)
        case.assert_matches(results)


@needs_runtime
def test_a_cpu_that_lacks_a_feature_dies_of_it(tmp_path: Path) -> None:
    """So the features that were asked for do end up in the code, and QEMU does tell CPUs apart."""
    sizes = {"seq_length": 2, "batch_size": 16, "input_size": 4, "num_units": 64}
    built = rc.build("BlockLSTMV2", **sizes)
    (spec,) = built.functions
    path = rc.compile(built, "cpu:aarch64,lse").save(tmp_path / "lstm.vmfb")
    arguments = {a.name: np.ones(a.shape, DTYPES[a.dtype].numpy) for a in spec.arguments}
    run(path, spec, arguments, tmp_path, device="local-sync", cpu="cortex-a76")
    with pytest.raises(AssertionError, match=r"Illegal instruction|signal 4"):
        run(path, spec, arguments, tmp_path, device="local-sync", cpu="cortex-a53")


needs_python = pytest.mark.skipif(
    not (python() / "usr/bin/python3.11").exists() or shutil.which("qemu-aarch64") is None,
    reason="needs qemu-aarch64 on PATH and a Python for it (TEST_AARCH64_PYTHON)",
)


@needs_python
@pytest.mark.parametrize(
    ("cpu", "features"),
    [
        ("cortex-a53", ["crc"]),
        ("neoverse-n1", ["crc", "dotprod", "fullfp16", "lse", "rcpc", "rdm"]),
    ],
)
def test_a_machine_is_asked_for_its_features(cpu: str, features: list[str]) -> None:
    """By a real getauxval, whose answer QEMU derives from the requested CPU."""
    script = "from rnn_compiler.schema import cpu_features as c; print(*c.host_features())"
    done = run_python("-c", script, cpu=cpu)
    assert (done.returncode, done.stdout.split()) == (0, features), done.stderr


@pytest.mark.slow
@needs_runtime
@needs_python
@pytest.mark.skipif(
    not (runtime() / "ml_dtypes").is_dir(), reason="needs numpy and ml_dtypes for aarch64"
)
def test_the_command_line_there(tmp_path: Path) -> None:
    """An artifact is proved where it runs, and one that asks for more is refused by name."""
    sizes = {"seq_length": 4, "batch_size": 2, "input_size": 3, "num_units": 5}
    built = rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], **sizes, use_peephole=True)
    artifact = rc.compile(built, "cpu:aarch64,lse")
    path = artifact.save(tmp_path / "lstm.vmfb", golden=rc.golden(built, artifact))
    done = run_python("-m", "rnn_compiler", "verify", str(path), cpu="cortex-a76")
    assert done.returncode == 0, done.stderr
    assert "all 15 are equal: local-sync here, cpu (portable) on local-sync" in done.stdout
    done = run_python("-m", "rnn_compiler", "verify", str(path), cpu="cortex-a53")
    assert done.returncode == 1
    assert "needs CPU features that this machine does not have: lse" in done.stderr
