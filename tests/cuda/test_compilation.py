"""Every op compiles for NVIDIA GPUs, to PTX without known pitfalls. None of it runs here.

By default some ops are compiled in one dtype; ``TEST_SWEEP=1`` compiles all variants in all dtypes.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from cases import CASES, sizes
from cuda.ptx import assemble, assembler, kernels, local_bytes, ptx_of
from numeric.harness import module

import rnn_compiler as rc
from rnn_compiler.errors import CompileWarning
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.gpu import ARCHITECTURES
from rnn_compiler.lowering.targets.names import resolve_target

SWEEP = bool(os.environ.get("TEST_SWEEP"))
needs_ptxas = pytest.mark.skipif(assembler() is None, reason="pip install '.[ptx]'")

LOCAL_BYTES = 2048
"""The maximum local memory of a thread in bytes: one tile of results."""


def compiled(op: str, dtype: str, variant: dict[str, Any], target: str = "cuda:sm_80") -> str:
    """The PTX of an op, lowered in the default way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileWarning)
        artifact = rc.compile(module(op, dtype, variant), target)
    assert artifact.manifest.strategy == "pinned"
    return ptx_of(artifact)


def some() -> list[tuple[str, str, int]]:
    every = [
        (op, dtype, variant)
        for op in CASES
        for dtype in OPS[op].signature.dtypes
        for variant in range(len(CASES[op].variants))
    ]
    few = [
        ("LSTMBlockCell", "bfloat16", 2),
        ("LSTMBlockCellParameterGrad", "float16", 0),
        ("BlockLSTM", "float64", 0),
        ("BlockLSTMGrad", "float32", 2),
        ("GRUBlockCell", "float32", 0),
        ("GRUBlockCellGrad", "float16", 0),
        ("CudnnRNN", "float32", 0),
        ("CudnnRNNV3", "float16", 1),
        ("CudnnRNNBackpropV3", "float32", 2),
        ("CudnnRNNParamsToCanonicalV2", "float32", 0),
    ]
    return every if SWEEP else few


@pytest.mark.slow
@pytest.mark.parametrize(("op", "dtype", "variant"), some())
def test_every_op_compiles(op: str, dtype: str, variant: int, tmp_path: Path) -> None:
    """In the arithmetic of its dtype; and assembles, for GPUs to come too."""
    ptx = compiled(op, dtype, CASES[op].variants[variant])
    assert dtype == "float64" or ".f64" not in ptx
    assert local_bytes(ptx) <= LOCAL_BYTES
    if ptx and assembler() is not None:
        for architecture in ("sm_80", "sm_89", "sm_90"):
            assemble(ptx, architecture, tmp_path)


LSTM = sizes(4, 16, 32, 64, use_peephole=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype"),
    [
        ("BlockLSTMGradV2", "float16"),
        pytest.param("BlockLSTMV2", "bfloat16", marks=pytest.mark.slow),
        pytest.param("BlockLSTMGradV2", "bfloat16", marks=pytest.mark.slow),
        pytest.param("BlockLSTMV2", "float16", marks=pytest.mark.slow),
    ],
)
def test_16_bit_products_use_tensor_cores(op: str, dtype: str) -> None:
    products = {
        name: text for name, text in kernels(compiled(op, dtype, LSTM)).items() if "matmul" in name
    }
    assert products
    for name, text in products.items():
        assert re.search(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32", text), name


@pytest.mark.slow
@needs_ptxas
def test_float32_products_of_a_step(tmp_path: Path) -> None:
    """Through shared memory, in float32 and not in TF32, without spilling."""
    ptx = compiled("BlockLSTMV2", "float32", LSTM)
    assert ".tf32" not in ptx
    steps = {name: text for name, text in kernels(ptx).items() if "matmul_16x256x64" in name}
    assert steps
    assert all("ld.shared" in text and "fma.rn.f32" in text for text in steps.values())
    assert not any(assemble(ptx, "sm_80", tmp_path))


@pytest.mark.slow
def test_one_row_is_multiplied_by_warps() -> None:
    """Each sums a column that its lanes read side by side."""
    ptx = compiled("BlockLSTMV2", "float32", sizes(4, 1, 32, 128, use_peephole=False))
    steps = {name: text for name, text in kernels(ptx).items() if "matmul_1x512x128" in name}
    assert steps
    assert all("shfl.sync" in text and "ld.global.nc.v4" in text for text in steps.values())


@pytest.mark.slow
def test_every_architecture() -> None:
    """In float16, whose products have instructions that not every architecture has."""
    for name in ARCHITECTURES:
        ptx = compiled("LSTMBlockCell", "float16", sizes(1, 16, 32, 32), f"cuda:{name}")
        assert f".target {name}" in ptx
        assert ("mma.sync" in ptx) is (name != "sm_60")


def stream_ir(op: str, variant: dict[str, Any], folder: Path, dtype: str = "float32") -> str:
    """An op in IREE's stream dialect, before code generation: the commands that it issues."""
    target, built = resolve_target("cuda:sm_80"), module(op, dtype, variant)
    text = rewrite(LoweringRequest(built.located_text, built.functions, target, "pinned", "0")).text
    flags = ["--compile-to=stream"]
    return iree_compile.compile_module(text, target, reproducers=folder, flags=flags).decode()


@pytest.mark.parametrize("op", ["BlockLSTMV2", "BlockLSTMGradV2"])
def test_a_step_is_two_dispatches(op: str, tmp_path: Path) -> None:
    """One product and one for all else; no copy, and nothing that the host waits for, in the loop.

    The number of steps is read once, before it.
    """
    text = stream_ir(op, LSTM, tmp_path)
    _, _, text = text.partition(f"util.func public @{OPS[op].signature.function}(")
    before, body, after = re.split(r"\n  \^bb[23].*", text)
    assert before.count("stream.resource.load") == 1
    assert body.count("stream.cmd.execute") == 1
    assert body.count("stream.cmd.dispatch") == 2 * LSTM["seq_length"]
    for wait in ("stream.cmd.copy", "stream.cmd.fill", "stream.resource.load", "timepoint.await"):
        assert wait not in body
    assert "stream.resource.load" not in after


def test_a_constant_number_of_steps_is_never_read(tmp_path: Path) -> None:
    text = stream_ir("CudnnRNN", sizes(4, 2, 3, 4, is_training=False), tmp_path)
    assert "stream.resource.load" not in text


@pytest.mark.slow
def test_directions_share_a_loop(tmp_path: Path) -> None:
    variant = sizes(4, 2, 3, 4, direction="bidirectional", is_training=False)
    text = stream_ir("CudnnRNN", variant, tmp_path)
    body = re.split(r"\n  \^bb[23].*", text)[1]
    assert text.count("cf.cond_br") == 1
    assert body.count("stream.cmd.execute") == 1
    assert body.count("stream.cmd.dispatch") == 2 * 2 * 4
