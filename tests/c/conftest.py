"""Modules in C that several files of tests share."""

from __future__ import annotations

import pytest
from c.calling import Loaded
from cases import sizes

import rnn_compiler as rc

SIZES = sizes(32, 16, 8, 40)
CELL = {"batch_size": 8, "input_size": 16, "num_units": 64}


@pytest.fixture(scope="session")
def lstm() -> rc.CModule:
    """BlockLSTMV2, whose weights can be packed, for this machine."""
    module = rc.build("BlockLSTMV2", **SIZES, use_peephole=False)
    return rc.compile_c(module, "cpu", name="lstm")


@pytest.fixture(scope="session")
def loaded(lstm: rc.CModule, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(lstm, tmp_path_factory.mktemp("lstm"))


@pytest.fixture(scope="session")
def cells() -> rc.CModule:
    """A CudnnRNNV3 with a length for each row, and an LSTMBlockCell, which has constants."""
    stack = sizes(5, 3, 4, 8, num_layers=1, is_training=False)
    module = rc.build(
        [("CudnnRNNV3", stack), ("LSTMBlockCell", CELL)],
        dtype="bfloat16",
    )
    return rc.compile_c(module, "cpu:generic", name="cells")
