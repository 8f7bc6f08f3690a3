"""An LSTM trained in two processes by torch's DistributedDataParallel, over gloo.

Each rank has half of the batch; DistributedDataParallel averages their gradients after each
backward. One process with the whole batch then trains the same network, and both are compared.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # as the first step of an optimizer does: once here, not in each rank
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from rnn_compiler.torch import LSTM

RANKS, STEPS = 2, 20
LENGTH, BATCH, INPUTS, UNITS = 24, 16, 8, 32


class Counter(torch.nn.Module):
    """Says after each step how many pulses of each of its inputs there have been."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = LSTM(INPUTS, UNITS)
        self.head = torch.nn.Linear(UNITS, INPUTS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0])


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Pulses, and how many there have been so far."""
    generator = torch.Generator().manual_seed(1)
    pulses = [
        (torch.rand(LENGTH, BATCH, INPUTS, generator=generator) < 0.2).float() for _ in range(STEPS)
    ]
    return [(x, x.cumsum(0)) for x in pulses]


def train(rows: slice, wrap: Callable[[torch.nn.Module], torch.nn.Module]) -> dict[str, Any]:
    """Trains on some rows of each batch; gives the losses, the first gradients and the weights."""
    torch.manual_seed(0)
    network = wrap(Counter())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses, first = [], []
    for x, y in batches():
        optimizer.zero_grad()
        loss = (network(x[:, rows]) - y[:, rows]).square().mean()
        loss.backward()
        first = first or [each.grad.clone() for each in network.parameters()]
        optimizer.step()
        losses.append(loss.item())
    return {
        "losses": losses,
        "gradients": first,
        "weights": [*map(torch.Tensor.detach, network.parameters())],
    }


def rank(number: int, folder: str) -> None:
    """What one process does."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/store", rank=number, world_size=RANKS)
    share = BATCH // RANKS
    found = train(slice(number * share, (number + 1) * share), DistributedDataParallel)
    torch.save(found, f"{folder}/{number}.pt")
    dist.destroy_process_group()


def difference(ours: list[torch.Tensor], other: list[torch.Tensor]) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(ours, other, strict=True))


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(rank, (folder,), RANKS, start_method="fork")
        ranks = [
            torch.load(Path(folder) / f"{each}.pt", weights_only=False) for each in range(RANKS)
        ]
    alone = train(slice(None), lambda network: network)
    losses = [sum(each["losses"][k] for each in ranks) / RANKS for k in (0, -1)]
    print(f"loss {losses[0]:.3f} at first, {losses[1]:.3f} after {STEPS} steps")
    apart = max(difference(each["gradients"], alone["gradients"]) for each in ranks)
    print(f"gradients of {RANKS} ranks and of one process differ by less than 1e-6: {apart < 1e-6}")
    apart = difference(ranks[0]["weights"], ranks[1]["weights"])
    print(f"weights of the ranks differ by {apart:.0f} after {STEPS} steps")


if __name__ == "__main__":
    main()
