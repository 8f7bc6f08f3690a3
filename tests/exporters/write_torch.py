"""Writes torch's recurrent layers with both ONNX exporters, as exported programs and state dicts.

python write_torch.py FOLDER
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import torch

STEPS, INPUTS, UNITS = 6, 5, 8


class Network(torch.nn.Module):
    """A layer and a head."""

    def __init__(self, layer: torch.nn.Module, features: int) -> None:
        super().__init__()
        self.layer, self.head = layer, torch.nn.Linear(features, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer(x)[0])


class Cells(torch.nn.Module):
    """A cell that is called step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = torch.nn.GRUCell(INPUTS, UNITS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = x.new_zeros(x.shape[0], UNITS)
        for step in x.unbind(1):
            h = self.cell(step, h)
        return h


def main(folder: Path) -> None:
    """Writes the files."""
    print(f"torch {torch.__version__}")
    torch.manual_seed(1)
    kinds = torch.nn
    networks = {
        "lstm": Network(kinds.LSTM(INPUTS, UNITS, batch_first=True), UNITS),
        "gru": Network(
            kinds.GRU(INPUTS, UNITS, 2, batch_first=True, bidirectional=True), 2 * UNITS
        ),
        "rnn": Network(kinds.RNN(INPUTS, UNITS, batch_first=True, nonlinearity="relu"), UNITS),
        "cells": Cells(),
    }
    x = torch.randn(1, STEPS, INPUTS)
    for name, network in networks.items():
        network.eval()
        np.savez(folder / f"{name}.npz", x=x.numpy(), y=network(x).detach().numpy())
        torch.save(network.state_dict(), folder / f"{name}.pt")
        torch.export.save(torch.export.export(network, (x,)), folder / f"{name}.pt2")
        for kind, dynamo in (("new", True), ("old", False)):
            file = folder / f"{name}_{kind}.onnx"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.onnx.export(network, (x,), str(file), dynamo=dynamo, input_names=["x"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
