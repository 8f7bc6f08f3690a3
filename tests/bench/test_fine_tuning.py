"""The section `fine-tuning`: the same losses in both frameworks."""

from __future__ import annotations

import numpy as np
import pytest
from quick import every

pytest.importorskip("onnx")
pytest.importorskip("torch", reason="the networks are torch's")

from benchmarks.fine_tuning import AGREEING, NETWORKS, fine_tuning_contests
from benchmarks.peers import trained_networks
from benchmarks.rows import OURS


@pytest.mark.slow
@pytest.mark.parametrize("name", every(NETWORKS, "words", "reader", "opinion", "machine"))
def test_frameworks_agree(name: str) -> None:
    """Each loss; a measurement of any network says whether its losses agree."""
    (case,) = (
        contest.entrants[0].case for contest in fine_tuning_contests([]) if contest.name == name
    )
    ours, theirs = trained_networks.ours(case, ["local-sync"]) + trained_networks.peer(case)
    losses, expected = (each.fetch(None)["losses"] for each in (ours, theirs))
    assert len({*expected}) == AGREEING
    np.testing.assert_allclose(losses, expected, rtol=1e-4)


def test_each_network_is_a_row() -> None:
    contests = fine_tuning_contests(["torch", "jax"])
    assert [contest.name for contest in contests] == [*NETWORKS]
    assert [entrant.peer for entrant in contests[0].entrants] == [OURS, "torch"]
