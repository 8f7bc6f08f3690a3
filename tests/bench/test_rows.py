"""What is measured is what it says: sizes, workloads, contests, and the numbers that go in."""

from __future__ import annotations

import fnmatch

import numpy as np
import pytest

import rnn_compiler as rc
from benchmarks.inputs import draw, lstm_weights, pack_params
from benchmarks.peers import PEERS
from benchmarks.rows import (
    OURS,
    SIZES,
    TINY,
    WORKLOADS,
    Case,
    Size,
    dtype_contests,
    peer_contests,
    scaling_contests,
    sequence_workloads,
)
from rnn_compiler.lowering.analysis.flops import matmul_flops
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
    found = {(c.group, c.name): [e.peer for e in c.entrants] for c in peer_contests(SIZES, PEERS)}
    assert len(found) == 4 * len(SIZES)
    assert found["inference", "128x1x128x128"] == [OURS, "torch", "onnxruntime", "jax"]
    assert found["training", "50x64x512x512"] == [OURS, "torch", "jax"]
    assert found["block", "25x32x1024x1024"] == [OURS, "tensorflow"]
    assert found["block-training", "25x32x1024x1024"] == [OURS, "tensorflow"]


def test_peers_that_are_not_wanted_stay_away() -> None:
    for contest in peer_contests([TINY], ["jax"]):
        assert {entrant.peer for entrant in contest.entrants} <= {OURS, "jax"}
        assert contest.entrants[0].peer == OURS


def test_everybody_named_exists() -> None:
    for workload in WORKLOADS.values():
        assert set(workload.peers) <= PEERS.keys() - {OURS}


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


def test_a_gradient_comes_after_its_forward_op_which_is_not_timed() -> None:
    found = {workload.name: workload for workload in sequence_workloads()}
    assert found["BlockLSTMGradV2"].ops == ("BlockLSTMV2", "BlockLSTMGradV2")
    assert found["BlockLSTMGradV2"].timed_from == 1
    assert found["BlockLSTMV2"].timed_from == 0


def test_dtypes_are_compared_with_float32() -> None:
    for contest in dtype_contests([TINY]):
        assert [e.case.dtype for e in contest.entrants] == ["float32", "float16", "bfloat16"]


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_operations_are_those_of_the_module(workload: object) -> None:
    case = Case(workload, Size(7, 3, 5, 4))  # type: ignore[arg-type]
    if not set(case.workload.ops) <= OPS.keys():
        pytest.skip("no such op yet")
    T, B, I, H = case.size  # noqa: E741
    dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": 1}
    dims = {k: v for k, v in dims.items() if k in OPS[case.workload.ops[0]].signature.dimensions}
    module = rc.build(list(case.workload.ops), **dims, **case.workload.attributes)
    assert case.flops == sum(matmul_flops(module.text, module.functions).values())


def test_numbers_are_the_same_everywhere() -> None:
    """An array depends on its name and shape, not on which workload asks."""
    once, again = (draw(Case(WORKLOADS[name], TINY)) for name in ("block", "block-training"))
    for name in once:
        np.testing.assert_array_equal(once[name], again[name])
    assert once["x"].dtype == np.float32
    assert abs(once["x"].std() - 1) < 0.2
    assert once["x"].std() > 3 * once["w"].std()  # pre-activations of order 1
    assert not np.array_equal(once["cs_prev"], once["h_prev"])


def test_weights_are_taken_out_of_the_buffer_and_put_back() -> None:
    arrays = draw(Case(WORKLOADS["inference"], Size(2, 3, 5, 4)))
    parts = lstm_weights(arrays, Size(2, 3, 5, 4))
    shapes = {name: part.shape for name, part in parts.items()}
    assert shapes == {"W": (16, 5), "R": (16, 4), "bW": (16,), "bR": (16,)}
    np.testing.assert_array_equal(pack_params(*parts.values()), arrays["params"])


def test_patterns_name_rows_with_or_without_their_section() -> None:
    path = peer_contests([TINY], [])[0].path
    assert path == "peers/inference/8x2x16x16"
    assert fnmatch.fnmatch(path.partition("/")[2], "inference/*")
