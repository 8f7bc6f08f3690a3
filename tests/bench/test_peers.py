"""Every peer that is installed computes what we compute, in every group of rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from benchmarks.contests import TOLERANCES, check_equal
from benchmarks.groups import CHUNKED, GROUPS
from benchmarks.inputs import Arrays
from benchmarks.kernels import PAIRS as PAIRS_OF_BFLOAT16
from benchmarks.peers import PEERS
from benchmarks.processes import WorkerError, Workers
from benchmarks.rows import OURS, Case, Size
from rnn_compiler.lowering.targets.names import resolve_target

pytestmark = pytest.mark.slow

SIZE = Size(3, 4, 5, 6)
ALL = GROUPS | CHUNKED
TRAINED = {
    (name.removesuffix("-training"), peer) for name, group in ALL.items() for peer in group.peers
    if name.endswith("-training")
}  # fmt: skip
PAIRS = [
    (name, peer) for name, group in ALL.items() for peer in group.peers
    if (name, peer) not in TRAINED
]  # fmt: skip
"""Peers that train are tested only in training, whose comparison includes the forward results."""


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(1, tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture(scope="module")
def ours(workers: Workers) -> Callable[[Case], Arrays]:
    """Our results for a case, computed once for all peers."""
    return functools.cache(lambda case: results(workers, OURS, case))


def results(workers: Workers, peer: str, case: Case) -> Arrays:
    worker = workers.get(peer)
    found = worker.prepare("it", case).results
    worker.forget("it")
    return found


@pytest.mark.parametrize(("name", "peer"), PAIRS)
def test_a_peer_computes_the_same(
    name: str, peer: str, workers: Workers, ours: Callable[[Case], Arrays]
) -> None:
    if PEERS[peer].missing:
        pytest.skip(str(PEERS[peer].missing))
    group = ALL[name]
    case = Case(group.workload, SIZE, group.dtype)
    right = ours(case)
    assert {"output", "h", "Y"} & right.keys()
    check_equal(results(workers, peer, case), right, TOLERANCES[case.dtype])
    changed = {name: np.where(array == 0, array, array + 0.1) for name, array in right.items()}
    with pytest.raises(WorkerError, match="differs"):
        check_equal(changed, right, TOLERANCES[case.dtype])


INT8 = [pair for pair in PAIRS if ALL[pair[0]].dtype == "int8"]


@pytest.mark.parametrize(("name", "peer"), INT8)
def test_a_peer_in_int8_computes_other_numbers_than_in_float32(
    name: str, peer: str, workers: Workers
) -> None:
    if PEERS[peer].missing:
        pytest.skip(str(PEERS[peer].missing))
    cases = [Case(ALL[name].workload, SIZE, dtype) for dtype in ("float32", "int8")]
    exact, rounded = (results(workers, peer, case)["output"] for case in cases)
    assert 1e-4 < np.abs(rounded - exact).max() < TOLERANCES["int8"]


@pytest.mark.parametrize(
    ("dtype", "precision"), [("float32", "f32"), ("bfloat16", "bf16"), ("int8", "i8")]
)
def test_openvino_computes_in_the_dtype(dtype: str, precision: str, workers: Workers) -> None:
    """Left to itself it would take bfloat16 for both, within the tolerance of the one at least.

    Of int8 it says that the products have the weights in int8.
    """
    if PEERS["openvino"].missing or PAIRS_OF_BFLOAT16 not in resolve_target("cpu").features:
        pytest.skip("no OpenVINO, or no processor on which it would")
    case = Case(GROUPS["inference"].workload, SIZE, dtype)
    tried = workers.get("openvino").prepare("it", case).tried
    assert [name.rpartition(", ")[2] for name in tried] == [precision] * 2
