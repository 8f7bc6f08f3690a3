"""Networks whose state is carried from call to call, and layers that are written out, learn."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import torch

import rnn_compiler as rc

F: Any = torch.nn.functional
nn: Any = torch.nn
B, T, RATE = 3, 12, 0.02


class Stream(nn.Module):
    """An LSTM that takes its state and returns it."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 7, batch_first=True)
        self.out = nn.Linear(7, 4)

    def forward(self, x: Any, h: Any, c: Any) -> Any:
        y, (h, c) = self.lstm(x, (h, c))
        return self.out(y), h, c


class Cells(nn.Module):
    """An LSTM as a loop over a cell, which the exporter writes out."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(5, 7)
        self.out = nn.Linear(7, 4)

    def forward(self, x: Any) -> Any:
        h = c = torch.zeros(B, 7)
        made = []
        for step in range(x.shape[1]):
            h, c = self.cell(x[:, step], (h, c))
            made.append(self.out(h))
        return torch.stack(made, 1)


def exported(network: Any, example: tuple[Any, ...], path: Path, **names: Any) -> Path:
    mode = torch.onnx.TrainingMode.PRESERVE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            *(network.eval(), example, str(path)),
            **{"dynamo": False, "training": mode, "do_constant_folding": False, **names},
        )
    return path


def data() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    x = random.standard_normal((B, T, 5)).astype(np.float32)
    target = (np.abs(np.cumsum(x[..., 0], 1)) * 2).astype(np.int32) % 4
    return x, target


def torch_loss(y: Any, target: Any) -> Any:
    return F.cross_entropy(y.reshape(-1, 4), torch.from_numpy(target).long().flatten())


@pytest.mark.slow
@pytest.mark.parametrize("part", [1, 4])
def test_a_state_from_call_to_call(part: int, tmp_path: Path) -> None:
    """As in PyTorch with states detached between parts of a sequence: truncated backpropagation."""
    torch.manual_seed(0)
    network = Stream()
    zeros = torch.zeros(1, B, 7)
    names = {"input_names": ["x", "h", "c"], "output_names": ["y", "hn", "cn"]}
    example = torch.zeros(B, part, 5), zeros, zeros
    path = exported(network, example, tmp_path / "m.onnx", **names)
    module = rc.training_step(path, loss="cross_entropy", output="y")
    session = rc.runtime.load(rc.compile(module)).session()
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    x, target = data()
    found: list[float] = []
    expected: list[float] = []
    for _ in range(4):
        h = c = zeros.numpy()
        state = zeros, zeros
        for start in range(0, T, part):
            of = x[:, start : start + part], target[:, start : start + part]
            given = {"x": of[0], "target": of[1], "h": h, "c": c}
            made = session.train(**given, learning_rate=np.float32(RATE))
            h, c = made.hn, made.cn
            found.append(float(made.loss))
            optimizer.zero_grad()
            y, *state = network(torch.from_numpy(of[0]), *(each.detach() for each in state))
            loss = torch_loss(y, of[1])
            loss.backward()
            optimizer.step()
            expected.append(loss.item())
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert np.mean(found[-T // part :]) < np.mean(found[: T // part]) - 0.1


@pytest.mark.slow
def test_a_layer_written_out(tmp_path: Path) -> None:
    """Its steps share their weights, whose gradients add up."""
    torch.manual_seed(0)
    network = Cells()
    x, target = (each[:, :4] for each in data())
    names = {"input_names": ["x"], "output_names": ["y"]}
    path = exported(network, (torch.from_numpy(x),), tmp_path / "m.onnx", **names)
    session = rc.runtime.load(rc.compile(rc.training_step(path, loss="cross_entropy"))).session()
    assert {"cell_weight_ih", "cell_weight_hh", "cell_bias_ih"} <= session.state.keys()
    optimizer = torch.optim.Adam(network.train().parameters(), RATE)
    for _ in range(10):
        loss = session.train(x=x, target=target, learning_rate=np.float32(RATE)).loss
        optimizer.zero_grad()
        expected = torch_loss(network(torch.from_numpy(x)), target)
        expected.backward()
        optimizer.step()
        np.testing.assert_allclose(loss, expected.item(), rtol=1e-3)
