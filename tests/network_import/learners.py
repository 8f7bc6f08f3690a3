"""Networks in PyTorch, each with what it learns, and the optimizers that they learn with."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

F: Any = torch.nn.functional
nn: Any = torch.nn
B, T = 3, 8


class Chars(nn.Module):
    """Predicts characters: an embedding, a GRU, a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.gru = nn.GRU(6, 10)
        self.next = nn.Linear(10, 11)

    def forward(self, x: Any) -> Any:
        return self.next(self.gru(self.table(x))[0])


class Tagger(nn.Module):
    """An LSTM of two layers over words, with probabilities of tags."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True, dropout=0.5)
        self.tags = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        return torch.softmax(self.tags(self.lstm(self.table(x))[0]), -1)


class Wakeword(nn.Module):
    """Convolutions, a normalization, a pool and an LSTM, whose last state is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(5, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm1d(8)
        self.deep = nn.Conv1d(8, 8, 3, stride=2, groups=2)
        self.lstm = nn.LSTM(8, 7, batch_first=True)
        self.out = nn.Linear(7, 1)

    def forward(self, x: Any) -> Any:
        y = F.max_pool1d(torch.relu(self.norm(self.conv(x))), 2)
        y = F.gelu(self.deep(y)).transpose(1, 2)
        return self.out(self.lstm(y)[0][:, -1])


class Both(nn.Module):
    """A plain RNN and a GRU in both directions, between layer normalizations."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(5, 6, batch_first=True, nonlinearity="relu")
        self.before = nn.LayerNorm(6)
        self.gru = nn.GRU(6, 4, batch_first=True, bidirectional=True)
        self.after = nn.LayerNorm(8)
        self.out = nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        y = self.before(self.rnn(x)[0])
        return self.out(self.after(self.gru(y)[0])).mean(1)


class Captcha(nn.Module):
    """Reads an image from left to right: convolutions, an LSTM in both directions, CTC."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1)
        self.second = nn.Conv2d(4, 6, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(6)
        self.lstm = nn.LSTM(18, 5, bidirectional=True)
        self.out = nn.Linear(10, 6)

    def forward(self, x: Any) -> Any:
        y = F.max_pool2d(torch.relu(self.first(x)), 2)
        y = F.max_pool2d(F.leaky_relu(self.norm(self.second(y))), (2, 1))
        return self.out(self.lstm(y.permute(3, 0, 1, 2).flatten(2))[0]).log_softmax(-1)


class Packed(nn.Module):
    """An LSTM in both directions over sequences of several lengths, whose mean is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 5)
        self.lstm = nn.LSTM(5, 4, batch_first=True, bidirectional=True)
        self.out = nn.Linear(8, 3)

    def forward(self, x: Any, lengths: Any) -> Any:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.table(x), lengths, batch_first=True, enforce_sorted=False
        )
        y, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.out(y.sum(1) / lengths[:, None])


class Attentive(nn.Module):
    """An LSTM whose steps attend to each other, except to those that a mask excludes."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.query = nn.Linear(6, 6)
        self.key = nn.Linear(6, 6, bias=False)
        self.value = nn.Linear(6, 6)
        self.out = nn.Linear(6, 3)

    def forward(self, x: Any, mask: Any) -> Any:
        y = self.lstm(x)[0]
        scores = self.query(y) @ self.key(y).transpose(1, 2) / 6**0.5
        weights = torch.softmax(scores.masked_fill(~mask[:, None], -1e9), -1)
        return self.out(y + torch.tanh(weights @ self.value(y)))


class Residual(nn.Module):
    """Residual blocks of convolutions with groups and slopes, a GRU, dropout, a clipped output."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(4, 6, 3, padding=1)
        self.norm = nn.GroupNorm(2, 6)
        self.slope = nn.PReLU(6)
        self.wide = nn.Conv1d(6, 6, 3, padding=2, dilation=2)
        self.gru = nn.GRU(6, 5, batch_first=True)
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        y = self.conv(x)
        y = y + self.slope(self.norm(y))
        y = y + F.silu(self.wide(y))
        y = self.drop(self.gru(y.transpose(1, 2))[0])
        return torch.clamp(self.out(y), -3, 3)


class Translator(nn.Module):
    """An encoder and a decoder, which begins with its state and attends to its steps."""

    def __init__(self) -> None:
        super().__init__()
        self.source = nn.Embedding(9, 5)
        self.target = nn.Embedding(7, 5)
        self.encoder = nn.GRU(5, 6)
        self.decoder = nn.GRU(5, 6)
        self.out = nn.Linear(12, 7)

    def forward(self, x: Any, before: Any) -> Any:
        steps, state = self.encoder(self.source(x))
        y = self.decoder(self.target(before), state)[0]
        weights = torch.softmax(torch.einsum("ibh,jbh->bij", y, steps), -1)
        context = torch.einsum("bij,jbh->ibh", weights, steps)
        return self.out(torch.cat([y, context], -1))


class Words(nn.Module):
    """Convolutions over characters, their maxima, and a stack of RNNs over words."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(12, 4)
        self.conv = nn.Conv1d(4, 6, 2)
        self.rnn = nn.RNN(6, 5, num_layers=3, batch_first=True)
        self.out = nn.Linear(5, 4)

    def forward(self, x: Any) -> Any:  # [batch, words, characters]
        letters = self.table(x).flatten(0, 1).transpose(1, 2)
        words = torch.tanh(self.conv(letters)).amax(-1)
        return self.out(self.rnn(words.reshape(x.shape[0], x.shape[1], -1))[0])


class Hourglass(nn.Module):
    """A signal made shorter and longer again around a GRU, and compared with itself."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv1d(2, 6, 4, stride=2, padding=1)
        self.gru = nn.GRU(6, 3, batch_first=True, bidirectional=True)
        self.up = nn.ConvTranspose1d(
            6, 4, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False
        )
        self.norm = nn.InstanceNorm1d(4, affine=True)
        self.out = nn.Conv1d(4, 2, 1)

    def forward(self, x: Any) -> Any:
        y = F.elu(self.down(x))
        y = y + self.gru(y.transpose(1, 2))[0].transpose(1, 2)
        low = F.interpolate(F.avg_pool1d(x, 2), scale_factor=2.0, mode="linear")
        return self.out(F.softplus(self.norm(self.up(y)))) + low


class Case(NamedTuple):
    """A network with what it learns.

    Attributes:
        network: Its class.
        inputs: Its inputs by name, given a generator.
        target: A target for them, and what else the loss needs.
        loss: Our loss.
        theirs: The same of PyTorch's functions, of an output, a target and what else there is.
    """

    network: Callable[[], Any]
    inputs: Callable[[Any], Mapping[str, Any]]
    target: Callable[[Any], Mapping[str, Any]]
    loss: Any
    theirs: Callable[..., Any]


def of_classes(y: Any, target: Any) -> Any:
    return F.cross_entropy(y.flatten(0, -2), target.long().flatten())


def of_probabilities(y: Any, target: Any) -> Any:
    return F.nll_loss(y.log().flatten(0, -2), target.long().flatten())


def of_labels(y: Any, target: Any, input_lengths: Any, target_lengths: Any) -> Any:
    given = (target.long(), input_lengths.long(), target_lengths.long())
    return F.ctc_loss(y, *given, reduction="none").mean()


def _integers(below: int, *shape: int, dtype: Any = np.int32) -> Callable[[Any], Any]:
    return lambda rng: rng.integers(0, below, shape).astype(dtype)


def _floats(*shape: int) -> Callable[[Any], Any]:
    return lambda rng: rng.standard_normal(shape).astype(np.float32)


def _all(**given: Callable[[Any], Any]) -> Callable[[Any], Mapping[str, Any]]:
    return lambda rng: {name: each(rng) for name, each in given.items()}


CASES = {
    "chars": Case(
        Chars,
        _all(x=_integers(11, T, B)),
        _all(target=_integers(11, T, B)),
        "cross_entropy",
        of_classes,
    ),
    "tagger": Case(
        Tagger,
        _all(x=_integers(11, B, T, dtype=np.int64)),
        _all(target=_integers(4, B, T)),
        "cross_entropy",
        of_probabilities,
    ),
    "wakeword": Case(
        Wakeword,
        _all(x=_floats(B, 5, 2 * T)),
        _all(target=lambda rng: rng.integers(0, 2, (B, 1)).astype(np.float32)),
        "binary_cross_entropy",
        F.binary_cross_entropy_with_logits,
    ),
    "both": Case(
        Both,
        _all(x=_floats(B, T, 5)),
        _all(target=_floats(B, 2)),
        "mean_squared_error",
        F.mse_loss,
    ),
    "captcha": Case(
        Captcha,
        _all(x=_floats(B, 1, 12, 2 * T)),
        _all(
            target=lambda rng: rng.integers(1, 6, (B, 3)).astype(np.int32),
            input_lengths=lambda rng: np.array([T, T - 1, T], np.int32),
            target_lengths=lambda rng: rng.integers(1, 4, B).astype(np.int32),
        ),
        {"name": "ctc", "labels": 3},
        of_labels,
    ),
    "packed": Case(
        Packed,
        _all(x=_integers(9, B, T), lengths=lambda rng: np.array([T, 3, 5], np.int64)),
        _all(target=_integers(3, B)),
        "cross_entropy",
        of_classes,
    ),
    "attentive": Case(
        Attentive,
        _all(x=_floats(B, T, 4), mask=lambda rng: rng.random((B, T)) < 0.8),
        _all(target=_integers(3, B, T)),
        "cross_entropy",
        of_classes,
    ),
    "residual": Case(
        Residual,
        _all(x=_floats(B, 4, T)),
        _all(target=_floats(B, T, 2)),
        "mean_absolute_error",
        F.l1_loss,
    ),
    "translator": Case(
        Translator,
        _all(x=_integers(9, T, B), before=_integers(7, 5, B)),
        _all(target=_integers(7, 5, B)),
        "cross_entropy",
        of_classes,
    ),
    "words": Case(
        Words,
        _all(x=_integers(12, B, 5, 4)),
        _all(target=_integers(4, B, 5)),
        "cross_entropy",
        of_classes,
    ),
    "hourglass": Case(
        Hourglass,
        _all(x=_floats(B, 2, 2 * T)),
        _all(target=_floats(B, 2, 2 * T)),
        "mean_squared_error",
        F.mse_loss,
    ),
}


class Optimizer(NamedTuple):
    """An optimizer.

    Attributes:
        ours: Its name and numbers.
        theirs: PyTorch's, given parameters and the learning rate.
        clip: What changes the gradients of parameters before a step.
        rate: The learning rate.
    """

    ours: Any
    theirs: Callable[..., Any]
    clip: Callable[[Any], Any]
    rate: float


def _as_they_are(_: Any) -> None:
    """Changes no gradients."""


OPTIMIZERS = {
    "sgd": Optimizer(
        {"name": "sgd", "momentum": 0.9, "nesterov": True, "clip_norm": 1.0},
        lambda p, lr: torch.optim.SGD(p, lr, momentum=0.9, nesterov=True),
        lambda p: torch.nn.utils.clip_grad_norm_(p, 1.0),
        0.02,
    ),
    "adam": Optimizer("adam", lambda p, lr: torch.optim.Adam(p, lr), _as_they_are, 0.005),
    "adamw": Optimizer(
        {"name": "adamw", "weight_decay": 0.1, "clip_norm": 0.5},
        lambda p, lr: torch.optim.AdamW(p, lr, weight_decay=0.1),
        lambda p: torch.nn.utils.clip_grad_norm_(p, 0.5),
        0.005,
    ),
    "rmsprop": Optimizer(
        {"name": "rmsprop", "momentum": 0.5, "clip_value": 0.05},
        lambda p, lr: torch.optim.RMSprop(p, lr, momentum=0.5),
        lambda p: torch.nn.utils.clip_grad_value_(p, 0.05),
        0.001,
    ),
}


def with_optimizers(networks: Iterable[str]) -> list[tuple[str, str]]:
    """Networks with one optimizer each, in turn; all pairs if asked for.

    An optimizer sees nothing of a network but its weights and their gradients.
    """
    every = "TEST_EVERY_OPTIMIZER" in os.environ
    return [
        (network, optimizer)
        for k, network in enumerate(networks)
        for j, optimizer in enumerate(OPTIMIZERS)
        if every or j == k % len(OPTIMIZERS)
    ]


def exported(network: Any, inputs: Mapping[str, Any], path: Path, **options: Any) -> Path:
    """Exports a network with its parameters' own names."""
    keep = {"do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE}
    names = {"input_names": [*inputs], "output_names": ["y"]}
    given = tuple(torch.tensor(each) for each in inputs.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, given, path, dynamo=False, **keep, **names, **options)
    return path


def learned(
    case: Case,
    optimizer: Optimizer,
    step: Callable[..., Mapping[str, Any]],
    states: Any,
    steps: int,
) -> Mapping[str, Any]:
    """Compares losses and, at the end, weights with those of PyTorch; returns the states.

    Numbers are such that no value is nearer to a kink, as that of ReLU, than rounding moves it.
    """
    torch.manual_seed(0)
    network = case.network().eval()
    before = {name: each.detach().clone() for name, each in network.named_parameters()}
    theirs = optimizer.theirs(network.parameters(), optimizer.rate)
    rng, rate = np.random.default_rng(1), np.float32(optimizer.rate)
    for _ in range(steps):
        inputs, target = case.inputs(rng), case.target(rng)
        theirs.zero_grad()
        made = network(*map(torch.tensor, inputs.values()))
        loss = case.theirs(made, **{name: torch.tensor(each) for name, each in target.items()})
        loss.backward()
        optimizer.clip(network.parameters())
        theirs.step()
        ours = step(**inputs, **target, learning_rate=rate, **states)
        states = {name: ours[name] for name in states}
        np.testing.assert_allclose(ours["loss"], loss.item(), rtol=1e-3)
    for name, each in network.named_parameters():
        moved = (each - before[name]).detach().abs().max().item()
        found, right = states[name.replace(".", "_")], each.detach().numpy()
        assert np.abs(found - right).max() <= 1e-3 * moved, name
        assert moved > 0, name
    return states
