"""Frozen weights and streams on a GPU: the same results as a CPU's for the same chunks."""

from __future__ import annotations

import numpy as np
import pytest
from cases import assert_close
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.runtime.device.devices import Device

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
def test_a_state_that_is_a_row_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `cs_last` and `h_last`, the rows of `cs` and `h` are copied on the GPU."""
    module = rc.build("BlockLSTMV2", **SIZES)
    arguments = draw("BlockLSTMV2", "float32", SIZES)
    weights = {name: arguments[name] for name in WEIGHTS}
    here = rc.runtime.load(rc.compile(module, "cpu"), "local-sync").stream(**weights)
    there = rc.runtime.load(rc.compile(module, "cuda"), "cuda").stream(**weights)
    put: list[str] = []
    real = Device.put
    monkeypatch.setattr(Device, "put", lambda *each: put.append(each[2].name) or real(*each))
    x = np.concatenate([arguments["x"]] * 3)
    for chunk in (x[:2], x[2:7], x[7:]):
        assert_close(there(x=chunk)._asdict(), here(x=chunk)._asdict(), "float32")
    assert {each.device.kind for each in there.state.values()} == {"cuda"}
    assert set(put) == {"x", "seq_len_max"}
    state, before = there.state, here.state
    there(x=x[:2], seq_len_max=0)
    for name, array in there.state.items():
        assert array is state[name]
        assert_close({name: np.asarray(array)}, {name: np.asarray(before[name])}, "float32")
