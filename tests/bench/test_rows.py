"""Rows match their descriptions: sizes, workloads, contests, and input values."""

from __future__ import annotations

import doctest
import fnmatch
import importlib

import numpy as np
import pytest

import rnn_compiler as rc
from benchmarks.groups import CHUNKED, GROUPS, LEAST, Group, latency_contests, peer_contests
from benchmarks.inputs import CHUNKS, chunks_of, draw, gates_of, layer_weights, pack_params
from benchmarks.peers import PEERS, ours
from benchmarks.rows import (
    MACHINE,
    OURS,
    OURS_IN_TORCH,
    SIZES,
    TINY,
    WORKLOADS,
    Case,
    Size,
    dtype_contests,
    scaling_contests,
    sequence_workloads,
)
from benchmarks.work import work_of
from rnn_compiler.cli.flops import matmul_flops
from rnn_compiler.lowering.ops import OPS


def test_the_rows_of_the_design() -> None:
    assert [tuple(size) for size in SIZES] == [
        (128, 1, 128, 128),
        (50, 1, 512, 512),
        (200, 8, 64, 64),
        (32, 16, 256, 256),
        (50, 64, 512, 512),
        (25, 32, 1024, 1024),
    ]
    found = {(c.group, c.name): [e.peer for e in c.entrants] for c in peer_contests(None, PEERS)}
    more = {"16x1x2048x2048", "1x1x128x128"}
    for group in ("inference", "inference-bfloat16", "training"):
        assert {name for g, name in found if g == group} == {*map(str, SIZES), *more}
    inference = [OURS, "torch", "onnxruntime", "openvino", "jax"]
    assert found["inference", "128x1x128x128"] == inference
    assert found["inference-bfloat16", "1x1x128x128"] == [OURS, "torch", "openvino"]
    assert found["training", "50x64x512x512"] == [OURS, "torch", "jax"]
    assert found["layer-training", "50x64x512x512"] == [OURS_IN_TORCH, "torch"]
    assert found["lengths", "128x128x256x256"] == inference
    assert found["lengths-training", "128x128x256x256"] == [OURS, "torch", "jax"]
    assert found["both-directions", "600x1x256x256"] == inference
    for cell in ("gru", "rnn"):
        names = {g for g, _ in found if g.startswith(cell)}
        assert names == {cell, f"{cell}-training", *(["gru-int8"] * (cell == "gru"))}
    assert found["inference-int8", "1x1x128x128"] == [
        OURS,
        "torch",
        "onnxruntime",
        "openvino",
    ]
    assert found["gru-int8", "32x16x256x256"] == [OURS, "torch", "openvino"]
    assert found["block", "25x32x1024x1024"] == [OURS, "tensorflow"]
    assert found["block-training", "25x32x1024x1024"] == [OURS, "tensorflow"]


def test_a_group_does_what_its_title_says() -> None:
    for name, group in GROUPS.items():
        title, workload = group.title, group.workload
        assert name == group.name
        assert workload.ops[0] in title
        assert workload.attributes.get("rnn_mode", "") in title
        assert workload.lengths == ("with lengths" in title)
        assert ("bidirectional" in workload.attributes.values()) == ("both directions" in title)
        assert (group.dtype == "bfloat16") == ("bfloat16" in title)
        assert (group.dtype == "int8") == ("weights in int8" in title)
        assert (len(workload.ops) == 2) == ("training" in title or "Grad" in title)
        assert (workload.passes, bool(workload.attributes.get("is_training"))) in (
            [(1, False)] if len(workload.ops) == 1 else [(3, True), (3, False)]
        )


def test_the_aims_of_the_design() -> None:
    aims = {name: group.aim for name, group in GROUPS.items() if group.aim}
    assert LEAST == 0.95
    assert aims == {
        "inference": 1.05,
        "inference-bfloat16": 1.2,
        "inference-int8": 1.2,
        "gru-int8": 1.5,
        "training": 1.3,
        "layer-training": 1.0,
        "block": 2.0,
        "block-training": 10.0,
    }


def test_other_sizes_are_those_of_every_group() -> None:
    contests = peer_contests([TINY], PEERS)
    assert [(c.group, c.name) for c in contests] == [(group, str(TINY)) for group in GROUPS]


def test_what_comes_in_chunks() -> None:
    """A step and ten at a time, of one row, in three widths; and blocks of an audio effect."""
    found = {(c.group, c.name): [e.peer for e in c.entrants] for c in latency_contests(None, PEERS)}
    sizes = {f"{steps}x1x{units}x{units}" for steps in (1, 10) for units in (128, 256, 512)}
    chunks = {(f"{mode}-chunks", size) for mode in ("lstm", "gru") for size in sizes}
    blocks = {("audio-blocks", f"64x1x1x{units}") for units in (16, 24, 40)}
    assert found.keys() == chunks | blocks
    assert {tuple(peers) for peers in found.values()} == {
        (OURS, "torch", "onnxruntime", "openvino")
    }
    case = Case(CHUNKED["gru-chunks"].workload, Size(10, 1, 3, 4))
    chunks = chunks_of(case)
    assert [chunk.shape for chunk in chunks] == [(10, 1, 3)] * CHUNKS
    np.testing.assert_array_equal(np.concatenate(chunks), draw(case)["input"])
    assert np.any(chunks[0] != chunks[1])


def test_peers_that_are_not_wanted_stay_away() -> None:
    for contest in peer_contests([TINY], ["jax"]):
        assert {entrant.peer for entrant in contest.entrants} <= {OURS, "jax"}
        assert contest.entrants[0].peer == OURS


def test_everybody_named_exists() -> None:
    for group in GROUPS.values():
        assert set(group.peers) <= PEERS.keys() - {OURS, OURS_IN_TORCH, MACHINE}


@pytest.mark.parametrize("text", ["1,2,3", "1,2,3,0", "a,b,c,d", "1,2,3,4,5", ""])
def test_a_size_is_four_positive_integers(text: str) -> None:
    assert Size.parse("8x2x16x16") == Size.parse("8,2,16,16") == TINY
    with pytest.raises(ValueError, match=r"size|literal"):
        Size.parse(text)


def test_every_op_over_a_sequence_is_stretched_in_every_dimension() -> None:
    sequences = [name for name, op in OPS.items() if "seq_length" in op.signature.dimensions]
    assert sequences
    assert [workload.name for workload in sequence_workloads()] == sequences
    for contest in scaling_contests():
        short, long = (entrant.case.size for entrant in contest.entrants)
        assert long == short._replace(**{contest.name: 4 * getattr(short, contest.name)})
    for workload in sequence_workloads():
        case = Case(workload, TINY)
        assert [spec.op for spec in ours.module_of(case).functions] == [*workload.ops]
        assert draw(case).keys() & {
            argument.name for argument in OPS[workload.ops[0]].signature.arguments
        }


def test_a_gradient_comes_after_its_forward_op_which_is_not_timed() -> None:
    found = {workload.name: workload for workload in sequence_workloads()}
    assert found["BlockLSTMGradV2"].ops == ("BlockLSTMV2", "BlockLSTMGradV2")
    assert found["BlockLSTMGradV2"].timed_from == 1
    assert found["BlockLSTMV2"].timed_from == 0


def test_dtypes_are_compared_with_float32() -> None:
    for contest in dtype_contests([TINY]):
        dtypes = ["float32", "float16", "bfloat16", "int8"]
        trains = contest.entrants[0].case.workload.passes > 1
        assert [e.case.dtype for e in contest.entrants] == dtypes[: 3 if trains else 4]


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_operations_are_those_of_the_module(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    """With lengths, for a batch whose sequences all have the maximum length."""
    workload = group.workload
    case = Case(workload, Size(7, 3, 5, 4))
    T, B, I, H = case.size  # noqa: E741
    full = np.full(B, T)
    monkeypatch.setattr("benchmarks.work.sequence_lengths", lambda size: full)
    dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": 1}
    dims = {k: v for k, v in dims.items() if k in OPS[workload.ops[0]].signature.dimensions}
    module = rc.build(list(workload.ops), **dims, **workload.attributes)
    flops = sum(matmul_flops(module.text, module.functions).values())
    assert work_of(case).operations == flops
    full[1:] = 0
    expected = flops / B if workload.lengths else flops
    assert work_of(case).operations == expected


def test_weights_are_read_at_each_step() -> None:
    """Sizes are primes, so that all their products differ."""
    size = Size(7, 3, 5, 11)
    once, step = 5 * 11 * 4, 11 * 11 * 4  # of one gate
    expected = {
        "inference": (4 * step, 4 * (once + 7 * step)),
        "inference-bfloat16": (2 * step, 2 * (once + 7 * step)),
        "inference-int8": (step, once + 7 * step),
        "training": (4 * step, 4 * (once + 14 * step)),
        "both-directions": (4 * step, 8 * (once + 7 * step)),
        "gru": (3 * step, 3 * (once + 7 * step)),
        "rnn-training": (step, once + 14 * step),
    }
    for name, (at_a_step, in_all) in expected.items():
        group = GROUPS[name]
        work = work_of(Case(group.workload, size, group.dtype))
        assert (work.step_bytes, work.total_bytes) == (at_a_step, in_all), name


def test_numbers_are_the_same_everywhere() -> None:
    """An array depends on its name and shape, not on which workload asks."""
    once, again = (draw(Case(WORKLOADS[name], TINY)) for name in ("block", "block-training"))
    for name in once:
        np.testing.assert_array_equal(once[name], again[name])
    assert once["x"].dtype == np.float32
    assert abs(once["x"].std() - 1) < 0.2
    assert once["x"].std() > 3 * once["w"].std()  # pre-activations of order 1
    assert not np.array_equal(once["cs_prev"], once["h_prev"])


def test_numbers_are_of_the_dtype() -> None:
    full, half = (draw(Case(WORKLOADS["inference"], TINY, d)) for d in ("float32", "bfloat16"))
    for name, array in half.items():
        assert array.dtype == np.float32
        assert (array.view(np.uint32) & 0xFFFF == 0).all()  # bfloat16 has the upper half alone
        np.testing.assert_allclose(array, full[name], rtol=2**-8)


def test_lengths_are_uniform() -> None:
    lengths = draw(Case(GROUPS["lengths"].workload, Size(20, 4000, 1, 1)))["sequence_lengths"]
    assert (lengths.min(), lengths.max()) == (1, 20)
    assert abs(lengths.mean() - 10.5) < 0.5
    assert "sequence_lengths" not in draw(Case(WORKLOADS["inference"], TINY))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inference", "gru", "rnn", "both-directions"])
def test_weights_are_where_the_op_has_them(name: str) -> None:
    """By the op that takes the buffer apart, which has its layout from cuDNN."""
    size = Size(2, 3, 5, 4)
    case = Case(GROUPS[name].workload, size)
    params = draw(case)["params"]
    directions = layer_weights(params, case)
    np.testing.assert_array_equal(pack_params(directions), params)
    attributes = {k: v for k, v in case.workload.attributes.items() if k != "is_training"}
    count = 2 * gates_of(case) * len(directions)
    canonical = rc.raw_ops.CudnnRNNParamsToCanonical(
        num_layers=1, num_units=4, input_size=5, params=params, num_params=count, **attributes
    )
    parts = {
        "weights": [part[name] for part in directions for name in ("W", "R")],
        "biases": [part[name] for part in directions for name in ("bW", "bR")],
    }
    for kind, arrays in parts.items():
        gates = [gate for array in arrays for gate in np.split(array, gates_of(case))]
        for gate, expected in zip(gates, getattr(canonical, kind), strict=True):
            np.testing.assert_array_equal(gate, expected)


def test_patterns_name_rows_with_or_without_their_section() -> None:
    path = peer_contests([TINY], [])[0].path
    assert path == "peers/inference/8x2x16x16"
    assert fnmatch.fnmatch(path.partition("/")[2], "inference/*")


@pytest.mark.parametrize("name", ["figures", "work", "peers.machine"])
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"benchmarks.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
