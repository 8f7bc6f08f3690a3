"""Memory that a call allocates is reused by the next, in any amount, also with threads.

IREE's queue would map more than 64 MiB again, page by page; `lowering/passes/allocate_up_front.py`
avoids that.
"""

from __future__ import annotations

import functools
import resource
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from linking.modules import function

import rnn_compiler as rc
from rnn_compiler.lowering import pipeline
from rnn_compiler.lowering.passes.allocate_up_front import allocates_much

PAGE = resource.getpagesize()
T, B, N = 64, 64, 128
SIZES = {"seq_length": T, "batch_size": B, "input_size": N, "num_units": N}
"""Seven results of 2 MiB each and temporaries of 8, so that eight rows as long are above 64 MiB."""


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key does not say whether functions are large, because it follows from them."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")


def module(factor: int, **keywords: Any) -> rc.Module:
    sizes = {**SIZES, "batch_size": factor * B}
    return rc.build("BlockLSTMV2", **sizes, use_peephole=False, **keywords)


def arguments(program: Any) -> dict[str, Any]:
    (function,) = program.functions.values()
    draw = np.random.default_rng(7)
    return {
        spec.name: program.to_device(
            np.asarray(
                spec.maximum if spec.maximum else draw.normal(0, 0.1, spec.shape), spec.dtype
            )
        )
        for spec in function.spec.arguments
    }


def faults_of_a_call(artifact: rc.Artifact, device: str) -> float:
    """Pages that the kernel has to find for a call, once the pools are filled.

    That is after the fourth call, which empties the pool if others have left too much in it.
    """
    program = rc.runtime.load(artifact, device)
    given = arguments(program)
    for _ in range(6):
        program(**given, to_host=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(4):
        program(**given, to_host=False)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 4


@functools.cache
def compiled() -> rc.Artifact:
    return rc.compile(module(8))


def linked() -> rc.Artifact:
    return rc.link(function(module(8).functions[0]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "device"),
    [
        pytest.param(compiled, "local-sync", id="local-sync"),
        pytest.param(compiled, "local-task", id="local-task"),
        pytest.param(linked, "local-task", id="linked"),
    ],
)
def test_a_large_call_meets_no_new_pages(make: Any, device: str) -> None:
    result = 7 * T * 8 * B * N * 4
    assert result > 64 << 20
    assert faults_of_a_call(make(), device) < result / PAGE / 20


@pytest.mark.slow
def test_without_it_all_pages_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a later IREE do it by itself, `allocate_up_front` can go."""
    monkeypatch.setattr(pipeline, "allocates_much", lambda spec: False)
    artifact = rc.compile(module(8))
    assert faults_of_a_call(artifact, "local-task") > 7 * T * 8 * B * N * 4 / PAGE / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "strategy"), [("BlockLSTMV2", "portable"), ("BlockLSTMGradV2", "fused")]
)
def test_the_numbers_are_the_same(op: str, strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    built = rc.build(op, **SIZES, use_peephole=False)
    assert all(map(allocates_much, built.functions))
    artifacts = [rc.compile(built, strategy=strategy)]
    monkeypatch.setattr(pipeline, "allocates_much", lambda spec: False)
    artifacts.append(rc.compile(built, strategy=strategy))
    assert artifacts[0].payload != artifacts[1].payload
    programs = [rc.runtime.load(each, "local-task") for each in artifacts]
    for _ in range(2):
        ours, expected = (program(**arguments(program)) for program in programs)
        assert_same_bits(ours, expected)


def test_which_functions_are_large() -> None:
    def large(op: str = "BlockLSTMV2", **sizes: Any) -> bool:
        return allocates_much(rc.build(op, **{**SIZES, **sizes}, use_peephole=False).functions[0])

    assert large()
    assert large(seq_length=None, batch_size=1)
    assert large("BlockLSTMV2", num_units=1024, input_size=1, batch_size=1, seq_length=512)
    assert not large(seq_length=1, batch_size=1)
