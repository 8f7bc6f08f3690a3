"""What code does differently for the cores of one vendor gives the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import sizes
from numeric.harness import draw
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.targets import vector_unit
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, plain
from rnn_compiler.schema.cpu_features import host_features

pytestmark = pytest.mark.skipif("fma" not in host_features(), reason="no fma")

INTEL, OTHER = ({"logistic": "by_steps", "plain_rows": 13}, {"logistic": "divided"})


def results(op: str, dtype: str, variant: dict[str, Any]) -> list[bytes]:
    """The bits of an op's results."""
    artifact = rc.compile(rc.build(op, dtype=dtype, **variant))
    function = getattr(rc.runtime.load(artifact, "local-sync"), OPS[op].signature.function)
    return [np.asarray(each).tobytes() for each in function(**draw(op, dtype, variant))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype", "variant"),
    first(
        [
            ("BlockLSTMV2", "float32", sizes(3, 29, 33, 64, use_peephole=False)),
            ("BlockLSTMGradV2", "float32", sizes(3, 29, 33, 64, use_peephole=False)),
            ("CudnnRNNV3", "float64", sizes(3, 64, 16, 24, num_layers=1, rnn_mode="gru")),
            ("CudnnRNNV3", "bfloat16", sizes(3, 13, 16, 40, num_layers=1, rnn_mode="lstm")),
        ],
    ),
)
def test_bits(
    op: str, dtype: str, variant: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    found = list[list[bytes]]()
    for core in (INTEL, OTHER):
        monkeypatch.setitem(vector_unit.CORES, "x86_64", (((), core),))
        found.append(results(op, dtype, variant))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("features", "rows", "heights"),
    [
        ("avx512bf16", 8, {8: 8, 12: 6, 13: 7, 16: 8, 32: 8, 64: 8}),
        ("amx-tile", 13, {8: 8, 12: 12, 13: 13, 16: 8, 32: 11, 64: 13}),
    ],
)
def test_heights_of_plain_tiles(features: str, rows: int, heights: dict[int, int]) -> None:
    """13 rows are 26 registers of sums, two of weights and one of the left-hand side."""
    unit = VectorUnit.of(resolve_target(f"cpu:x86_64,x86-64-v4,{features}"))
    assert unit.tile_rows(plain("f32")) == rows
    assert {batch: unit.tile_height(batch, rows) for batch in heights} == heights
