"""The kernels that measure the machine do all the work that is counted."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import iree.runtime as iree
import ml_dtypes
import numpy as np
import pytest

from benchmarks import kernels
from benchmarks.groups import GROUPS
from benchmarks.peers import machine
from benchmarks.processes import Workers
from benchmarks.rows import MACHINE, Case, Size
from rnn_compiler.lowering.targets.names import resolve_target

pytestmark = pytest.mark.slow


def run(name: str, array: np.ndarray, times: int) -> np.ndarray:
    outputs: Any = machine.prepared_kernel(name, array)(times)
    view = outputs.get_as_object(0, iree.HalBufferView)
    memory = view.map()
    return np.array(
        memory.asarray(list(view.shape), np.dtype(np.float32))
    )  # a copy: a view would dangle


@pytest.mark.parametrize("rows", [1, 2, 37])
def test_every_number_is_read_every_time(rows: int) -> None:
    """Small integers, whose sums are exact in any order; read back and forth."""
    lanes = machine.vector_lanes()
    width = kernels.row_bytes(lanes) // 4
    array = np.random.default_rng(0).integers(0, 9, (rows, width)).astype(np.float32)
    for times in (0, 1, 2, 5):
        total = times * array.reshape(-1, lanes).sum(0)
        np.testing.assert_array_equal(run("reads", array, times), total)


def test_every_sum_is_multiplied_and_added_every_time() -> None:
    array = np.random.default_rng(0).uniform(-1, 1, (kernels.SUMS + 1, machine.vector_lanes()))
    array = array.astype(np.float32)
    sums, factor = array[:-1].astype(np.float64), array[-1].astype(np.float64)
    for times in range(4):
        found = run("products", array, times)[:-1]
        np.testing.assert_allclose(found, sums, rtol=1e-6, atol=1e-6)
        sums = sums * factor + factor


@pytest.mark.skipif(kernels.PAIRS not in resolve_target("cpu").features, reason="no vdpbf16ps")
def test_every_pair_is_multiplied_and_added_every_time() -> None:
    halves = np.random.default_rng(0).uniform(-1, 1, (kernels.SUMS + 1, 32))
    array = halves.astype(ml_dtypes.bfloat16).view(np.float32)
    pairs = array[-1].view(ml_dtypes.bfloat16).astype(np.float64).reshape(16, 2)
    for times in (0, 1, 3):
        found = run("pairs", array, times)[:-1]
        expected = array[:-1] + times * (pairs**2).sum(1)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(machine.int8_group() != 4, reason="no vpdpbusd")
def test_every_quad_is_multiplied_and_added_every_time() -> None:
    """The first factor is unsigned, the second signed."""
    lanes = machine.vector_lanes()
    bits = np.random.default_rng(0).integers(-99, 99, (kernels.SUMS + 1, 4 * lanes), np.int8)
    array = bits.view(np.float32)
    signed, unsigned = (bits[-1].view(kind).astype(np.int32) for kind in (np.int8, np.uint8))
    for times in (0, 1, 3):
        found = run("quads", array, times)[:-1].view(np.int32)
        added = times * (signed * unsigned).reshape(lanes, 4).sum(1, dtype=np.int32)
        np.testing.assert_array_equal(found, bits[:-1].view(np.int32) + added)


@pytest.mark.skipif("bfloat16" not in machine.tiled_dtypes(), reason="no AMX")
def test_every_tile_of_bfloat16_is_multiplied_and_added_every_time() -> None:
    halves = np.random.default_rng(0).uniform(-1, 1, (kernels.SUMS + 1, 32))
    array = halves.astype(ml_dtypes.bfloat16).view(np.float32)
    pairs = array[-1].view(ml_dtypes.bfloat16).astype(np.float64).reshape(16, 2)
    for times in (0, 1, 3):
        found = run("tiles_bfloat16", array, times)
        expected = times * (pairs.sum(0) * pairs).sum(1)
        np.testing.assert_allclose(found, np.tile(expected, (len(found), 1)), rtol=1e-5, atol=1e-5)


@pytest.mark.skipif("int8" not in machine.tiled_dtypes(), reason="no AMX")
def test_every_tile_of_int8_is_multiplied_and_added_every_time() -> None:
    bits = np.random.default_rng(0).integers(-99, 99, (kernels.SUMS + 1, 64), np.int8)
    quads = bits[-1].astype(np.int32).reshape(16, 4)
    for times in (0, 1, 3):
        found = run("tiles_int8", bits.view(np.float32), times).view(np.int32)
        expected = times * (quads.sum(0) * quads).sum(1)
        np.testing.assert_array_equal(found, np.tile(expected, (len(found), 1)))


def test_the_work_of_a_kernel_is_what_it_is_credited_with() -> None:
    lanes = machine.vector_lanes()
    assert machine.products_kernel("float32")[1] == 2 * kernels.SUMS * lanes
    row = kernels.row_bytes(lanes)
    assert machine.reads_kernel(1)[1] == machine.reads_kernel(row)[1] == row
    assert machine.reads_kernel(10 * row + 1)[1] == 11 * row


def test_a_rate_is_of_all_processors_and_never_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SPELLS", 1)
    monkeypatch.setattr(machine, "best_rates", {})
    rates = iter([3.0, 5.0, 4.0])
    with monkeypatch.context() as patch:
        patch.setattr(machine, "measure_rate", lambda prepare: next(rates))
        seen = [machine.best_rate(machine.reads_kernel, 1) for _ in range(3)]
    assert seen == [3.0, 5.0, 5.0]
    assert machine.measure_rate(functools.partial(machine.reads_kernel, 2**14)) > 0
    with pytest.raises(ZeroDivisionError):  # a failure in a thread is one of the measurement
        machine.measure_rate(lambda: (lambda times: 1 // 0, 1.0))


def test_the_slower_of_products_and_weights_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(GROUPS["inference"].workload, Size(10, 1, 128, 128))
    for flops, bandwidth, bound in ((1e9, 1e12, "products"), (1e12, 1e9, "weights from")):
        rates = {"products_kernel": flops, "reads_kernel": bandwidth}
        monkeypatch.setattr(machine, "best_rate", lambda k, argument, r=rates: r[k.__name__])
        found = machine.limit(case)
        assert found.bound.startswith(bound)
        assert found.rate == 1e9
        amount = 2621440 if bound == "products" else 2883584
        assert found.seconds == pytest.approx(amount / 1e9)


def test_a_worker_tells_it_on_as_many_processors_as_there_are(tmp_path: Path) -> None:
    threads = min(2, len(os.sched_getaffinity(0)))
    with Workers(threads, tmp_path) as workers:
        found = workers.get(MACHINE).measure(
            "limit", Case(GROUPS["inference-bfloat16"].workload, Size(5, 4, 64, 64), "bfloat16")
        )
    assert found.seconds > 0
    assert found.bound == "products" or found.bound.startswith("weights from")
