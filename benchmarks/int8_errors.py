"""The largest errors of layers with weights in int8, ours and those of other frameworks.

    python -m benchmarks.int8_errors [DRAWS [T,B,I,H ...]]

The rows are those whose speed is measured (`groups`), or have other sizes. Weights, inputs and
initial states are normally distributed, the same for all peers, and drawn again for each draw. The
error of a draw is the largest difference of an output from PyTorch's in float32; the table has the
mean and the largest of all draws.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.groups import GROUPS
from benchmarks.peers import PEERS
from benchmarks.rows import OURS, Case, Size

__all__ = ["errors_of", "main"]

DRAWS = 4


def errors_of(case: Case, peers: Sequence[str], draws: int) -> dict[str, list[float]]:
    """The largest error of each draw, by peer.

    Args:
        case: A case in int8.
        peers: The peers.
        draws: The number of draws.
    """
    found: dict[str, list[float]] = {peer: [] for peer in peers}
    for seed in range(draws):
        exact = _output("torch", Case(case.workload, case.size, seed=seed))
        for peer, errors in found.items():
            output = _output(peer, Case(case.workload, case.size, case.dtype, seed=seed))
            errors.append(float(np.abs(output - exact).max()))
    return found


def _output(peer: str, case: Case) -> Any:
    first = importlib.import_module(PEERS[peer].module).variants(case)[0]
    return first.fetch(first.call())["output"]


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    draws = int(arguments[0]) if arguments else DRAWS
    sizes = [*map(Size.parse, arguments[1:])]
    groups = [group for group in GROUPS.values() if group.dtype == "int8"]
    peers = dict.fromkeys([OURS, *(peer for group in groups for peer in group.peers)])
    processors = sorted(os.sched_getaffinity(0))[:1]
    for peer in peers:
        importlib.import_module(PEERS[peer].module).start(processors)
    table = Table("", "T, B, I, H", *peers, box=None)
    for group in groups:
        for size in sizes or group.sizes:
            errors = errors_of(Case(group.workload, size, "int8"), [OURS, *group.peers], draws)
            words = {peer: f"{np.mean(e):.4f}, {max(e):.4f}" for peer, e in errors.items()}
            cells = (words.get(peer, "") for peer in peers)
            table.add_row(group.workload.title, ", ".join(map(str, size)), *cells)
    console = Console()
    console.print(f"the mean and the largest of {draws} draws")
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
