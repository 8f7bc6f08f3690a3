"""Training steps in PyTorch: eager, and with the loss and its gradients from torch.compile."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.peers import Variant
from benchmarks.rows import Case
from benchmarks.steps import AGREEING, DECAY, EPSILON, MOMENTS, PERIOD, RATE, Step, step_of

__all__ = ["first_way", "variants"]


class Network(torch.nn.Module):
    """The layers of a network, by its parameters."""

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.step = step
        for name, of in step.parameters().items():
            if name != "backward":
                both = name == "forward"
                self.add_module("both" if both else name, _module(name, of, both))
        self.load_state_dict(_state(step))

    def forward(self, x: Any, y: Any, mask: Any = None) -> Any:
        """The loss."""
        return getattr(self, f"_{self.step.network}")(x, y, mask)

    def _characters(self, x: Any, y: Any, mask: Any) -> Any:
        logits = self.dense(self.gru(self.embedding(x))[0])
        each = functional.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none")
        return (each * mask.flatten()).sum() / mask.sum()

    def _tagger(self, x: Any, y: Any, mask: Any) -> Any:
        del mask
        h = self.second(self.first(x)[0])[0]
        return functional.cross_entropy(self.dense(h).flatten(0, 1), y.flatten())

    def _convolution(self, x: Any, y: Any, mask: Any) -> Any:
        del mask
        x = torch.relu(self.convolution(x.permute(1, 2, 0))).permute(2, 0, 1)
        return functional.cross_entropy(self.dense(self.lstm(x)[0][-1]), y)

    def _readers(self, x: Any, y: Any, mask: Any) -> Any:
        del mask
        h = self.both(x)[0]
        steps, rows = x.shape[:2]
        log_p = functional.log_softmax(self.dense(h), -1)
        lengths = [steps] * rows, [y.shape[1]] * rows
        return functional.ctc_loss(log_p, y, *lengths, reduction="none").mean()

    def _regression(self, x: Any, y: Any, mask: Any) -> Any:
        del mask
        return functional.mse_loss(self.dense(self.lstm(x)[0][-1]), y)


def _module(name: str, of: dict[str, np.ndarray], both: bool) -> Any:
    """The layer that has arrays of these shapes."""
    rows, inputs, *width = of["w"].shape
    if name == "embedding":
        return torch.nn.Embedding(rows, inputs)
    if name == "convolution":
        return torch.nn.Conv1d(inputs, rows, width[0], stride=2)
    if name == "dense":
        return torch.nn.Linear(inputs, rows)
    kind = torch.nn.GRU if name == "gru" else torch.nn.LSTM
    return kind(inputs, of["r"].shape[1], bidirectional=both)


_RECURRENT = {"w": "weight_ih_l0", "r": "weight_hh_l0", "bw": "bias_ih_l0", "br": "bias_hh_l0"}
_OTHER = {"w": "weight", "b": "bias"}


def _state(step: Step) -> dict[str, Any]:
    """The parameters by torch's names."""
    found: dict[str, Any] = {}
    for layer, of in step.parameters().items():
        names = _RECURRENT if "r" in of else _OTHER
        prefix = "both" if layer in ("forward", "backward") else layer
        suffix = "_reverse" if layer == "backward" else ""
        found |= {f"{prefix}.{names[k]}{suffix}": torch.from_numpy(v) for k, v in of.items()}
    return found


def _begin(step: Step, compiled: bool) -> Callable[[], Any]:
    """A function that makes a step and returns its loss."""
    network = Network(step)
    batch = {name: torch.from_numpy(array) for name, array in step.batch().items()}
    for name in ("x", "y"):
        if not batch[name].is_floating_point():
            batch[name] = batch[name].long()
    parameters = list(network.parameters())
    optimizer = torch.optim.AdamW(
        parameters, RATE, MOMENTS, eps=EPSILON, weight_decay=DECAY, fused=True
    )
    loss: Any = torch.compile(network) if compiled else network
    count = 0

    def one() -> Any:
        nonlocal count
        optimizer.zero_grad(set_to_none=True)
        value = loss(**batch)
        value.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        rate = RATE * 0.5 * (1 + math.cos(math.pi * count / PERIOD))
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        count += 1
        return value.detach()

    return one


def first_way(step: Step) -> Callable[[], Any]:
    """The step without variants."""
    return _begin(step, compiled=False)


def variants(case: Case) -> list[Variant]:
    """Eager, and compiled."""
    step = step_of(case)

    def made(name: str, compiled: bool) -> Variant:
        def fetch(_: Any) -> dict[str, Any]:
            anew = _begin(step, compiled)
            return {"losses": np.array([float(anew()) for _ in range(AGREEING)])}

        return Variant(name, _begin(step, compiled), fetch)

    return [made("eager", False), made("torch.compile", True)]
