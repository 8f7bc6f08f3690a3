"""Frozen weights and streams on a GPU: what a CPU gives for the same chunks."""

from __future__ import annotations

import numpy as np
import pytest
from cases import assert_close
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5, "use_peephole": False}
WEIGHTS = ("w", "b", "wci", "wcf", "wco")


@pytest.mark.usefixtures("emulated")
def test_a_stream_with_frozen_weights() -> None:
    """Weights are read from the archive, and the state never leaves the GPU."""
    module = rc.build("BlockLSTMV2", **SIZES, outputs=["h", "cs_last", "h_last"])
    arguments = draw("BlockLSTMV2", "float32", SIZES)
    weights = {name: arguments[name] for name in WEIGHTS}
    here = rc.runtime.load(rc.compile(module, "cpu"), "local-sync").stream(**weights)
    there = rc.runtime.load(rc.compile(rc.freeze(module, weights), "cuda"), "cuda").stream()
    x = np.concatenate([arguments["x"]] * 3)
    for chunk in (x[:2], x[2:7], x[7:]):
        assert_close(there(x=chunk)._asdict(), here(x=chunk)._asdict(), "float32")
    assert {each.device.kind for each in there.state.values()} == {"cuda"}


@pytest.mark.usefixtures("emulated")
def test_a_state_that_would_leave_the_gpu() -> None:
    """Rows of `cs` and `h` are not to be had there but by way of the host."""
    program = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", **SIZES), "cuda"), "cuda")
    weights = {name: draw("BlockLSTMV2", "float32", SIZES)[name] for name in WEIGHTS}
    with pytest.raises(UnsupportedError, match="on a GPU nothing tells what cs_prev is"):
        program.stream(**weights)
