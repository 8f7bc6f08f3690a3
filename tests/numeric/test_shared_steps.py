"""Steps that workgroups share: the same bits for any division of the work, and never a hang.

The test sets the parts of every loop, many more than there are threads, so that sizes which
divide neither way are cut too. A gradient's steps have several turns.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest
from cases import assert_same_bits
from numeric.harness import draw, expected, module
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import part_order
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

LSTM = {"rnn_mode": "lstm", "num_layers": 1}
CASES = [
    ("BlockLSTMV2", "float32", (300, 1, 5, 130), (4, 1), {"use_peephole": True}),
    ("BlockLSTMGradV2", "float32", (7, 17, 6, 70), (3, 2), {"use_peephole": True}),
    ("CudnnRNNV3", "float16", (8, 33, 4, 33), (2, 4), LSTM),
    ("CudnnRNNBackpropV3", "float64", (5, 9, 4, 64), (2, 2), {**LSTM, "num_proj": 33}),
    ("CudnnRNNBackpropV3", "bfloat16", (6, 20, 9, 100), (2, 3), {"rnn_mode": "rnn_tanh"}),
    ("CudnnRNNBackpropV3", "float32", (12, 1, 7, 130), (5, 1), {"rnn_mode": "gru"}),
]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 4e-2}
THREADS, CALLS = 3, 5


def results(program: rc.Program, arguments: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    return {key: np.asarray(value) for key, value in program(**arguments)._asdict().items()}


def called_at_once(program: rc.Program, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of several threads that call a program at the same time."""
    found: list[dict[str, Any]] = []

    def work() -> None:
        found.extend(results(program, arguments) for _ in range(CALLS))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "calls wait for each other"
    assert len(found) == THREADS * CALLS
    return found


def assert_right(
    found: dict[str, Any], op: str, dtype: str, variant: dict[str, Any], arguments: dict[str, Any]
) -> None:
    """Fails unless results are the reference's."""
    for key, value in expected(op, dtype, variant, arguments).items():
        if found[key].dtype.kind not in "iu":
            atol = TOLERANCE[dtype] * max(1.0, float(np.abs(value).max(initial=0)))
            got = found[key].astype(np.float64)
            np.testing.assert_allclose(got, value, rtol=0, atol=atol, err_msg=key)


def assert_shared(
    op: str, dtype: str, size: tuple[int, ...], cut: tuple[int, int], attributes: dict[str, Any]
) -> None:
    names = ("seq_length", "batch_size", "input_size", "num_units")
    variant = {**dict(zip(names, size, strict=True)), **attributes}
    arguments = draw(op, dtype, variant, seed=3)
    alone = assert_same_on_threads(module(op, dtype, variant), cut, arguments)
    assert_right(alone, op, dtype, variant, arguments)


def assert_same_on_threads(
    made: rc.Module, cut: tuple[int, int], arguments: dict[str, Any]
) -> dict[str, npt.NDArray[Any]]:
    """A call's results, which are the same on threads that share all steps."""
    taken: list[tuple[int, int]] = []

    def forced(
        self: VectorUnit, rows: int, panels: int, weights: int, most: int = 0
    ) -> tuple[int, int]:
        blocks = -(-rows // self.tile_height(rows, most))
        taken.append((min(cut[0], panels), min(cut[1], blocks)))
        return taken[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VectorUnit, "cut", forced)
        patch.setenv("RNN_COMPILER_CACHE", "off")
        artifact = rc.compile(made, "cpu", strategy="fused")
    assert max(units * rows for units, rows in taken) > 1
    alone = results(rc.runtime.load(artifact, "local-sync"), arguments)
    for found in called_at_once(rc.runtime.load(artifact, "local-task"), arguments):
        assert_same_bits(found, alone)
    return alone


@pytest.mark.slow
@pytest.mark.parametrize(("op", "dtype", "size", "cut", "attributes"), first(CASES))
def test_any_number_of_threads_gives_the_same_bits(
    op: str, dtype: str, size: tuple[int, ...], cut: tuple[int, int], attributes: dict[str, Any]
) -> None:
    assert_shared(op, dtype, size, cut, attributes)


@pytest.mark.slow
def test_each_turn_quantizes_its_rows() -> None:
    """The second turn of a step multiplies states that the first has reset."""
    variant = {"seq_length": 5, "batch_size": 9, "input_size": 4, "num_units": 34}
    made = module("onnx.GRU", "float32", {**variant, "is_training": False})
    arguments = draw("onnx.GRU", "float32", variant, seed=3)
    weights = {name: arguments.pop(name) for name in made.functions[0].weights}
    frozen = rc.freeze(made, weights, quantize="int8")
    alone = assert_same_on_threads(frozen, (2, 2), arguments)
    plain = rc.runtime.load(rc.compile(frozen, "cpu", strategy="portable"), "local-sync")
    for name, value in results(plain, arguments).items():
        np.testing.assert_allclose(alone[name], value, rtol=0, atol=3e-3, err_msg=name)
        assert np.mean(np.abs(alone[name] - value)) < 1e-5, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("BlockLSTMV2", {"use_peephole": True}),
        ("CudnnRNNBackpropV3", {"rnn_mode": "rnn_tanh"}),
    ],
)
def test_parts_of_any_batch(op: str, attributes: dict[str, Any]) -> None:
    """One function has one part for a row, two for a few, and at last eight."""
    variant = {"seq_length": 9, "input_size": 4, "num_units": 70, **attributes}
    cuts = [(1, (1, 1)), (2, (2, 1)), (5, (1, 2)), (9, (2, 2)), (20, (2, 4))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VectorUnit, "cuts", lambda *_: cuts)
        patch.setenv("RNN_COMPILER_CACHE", "off")
        artifact = rc.compile(module(op, "float32", {**variant, "batch_size": None}), "cpu")
    alone, shared = (rc.runtime.load(artifact, device) for device in ("local-sync", "local-task"))
    for rows in (1, 3, 5, 7, 9, 15, 20, 33):
        at_size = {**variant, "batch_size": rows}
        arguments = draw(op, "float32", at_size, seed=rows)
        right = results(alone, arguments)
        assert_right(right, op, "float32", at_size, arguments)
        for found in called_at_once(shared, arguments):
            assert_same_bits(found, right, rows)


@pytest.mark.slow
def test_more_workers_than_cores() -> None:
    """In a process of their own: workgroups wait for some that are not running."""
    workers = 2 * (os.cpu_count() or 1)
    script = (
        "from iree.runtime import flags\n"
        f"flags.parse_flags('--task_topology_group_count={workers}')\n"
        "from numeric.test_shared_steps import CASES, assert_shared\n"
        "assert_shared(*CASES[-1])\n"
    )
    folders = [str(Path(__file__).parents[1]), *filter(None, sys.path)]
    processes.python(script, variables={"PYTHONPATH": os.pathsep.join(folders)})


@pytest.mark.parametrize("parts", range(1, 13))
def test_every_workgroup_comes_to_every_part(parts: int) -> None:
    for workgroup in range(parts):
        first, step = part_order(workgroup, parts)
        assert {(first + n * step) % parts for n in range(parts)} == {*range(parts)}


def test_workgroups_begin_apart() -> None:
    """Two of eight share the parts by halves, four by quarters, from both ends of each."""
    assert [part_order(workgroup, 8)[0] for workgroup in range(4)] == [0, 7, 4, 3]
