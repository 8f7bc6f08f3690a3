"""Losses and optimizers give PyTorch's numbers, step by step, in float64."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import onnx
import torch
from onnx import helper

import rnn_compiler as rc
from tests.network_import.gradients import Trained
from tests.network_import.graphs import model, saved

F: Any = torch.nn.functional
DOUBLE = onnx.TensorProto.DOUBLE
RATE = 0.05


def doubles(nodes: list[Any], inputs: Mapping[str, Any], weights: Mapping[str, Any]) -> Any:
    """A model in float64 with one output, y."""
    kinds = dict.fromkeys((*inputs, "y"), DOUBLE)
    return model(nodes, inputs, ["y"], weights, dtypes=kinds)


def values(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape)


# Losses


def of_logits(shape: tuple[int, ...], *ends: Any) -> Any:
    """A model whose output is its weight, but for nodes that follow it."""
    nodes = [helper.make_node("Mul", ["x", "w"], ["z"]), *ends]
    nodes[-1].output[0] = "y"
    return doubles(nodes, {"x": shape}, {"w": values(*shape)})


def checked(made: Any, loss: Any, folder: Path, right: Any, **given: Any) -> None:
    """Compares the loss of a weight, and the weight after a step, with those of a function."""
    trained = Trained(made, folder, loss=loss, optimizer="sgd")
    w = torch.tensor(trained.states["w"].copy(), requires_grad=True)
    wanted = right(w)
    wanted.backward()
    got = trained(x=np.ones(w.shape), learning_rate=np.float64(1), **given)
    np.testing.assert_allclose(got, wanted.item(), rtol=1e-12)
    np.testing.assert_allclose(trained.states["w"], (w - w.grad).detach().numpy(), rtol=1e-12)


CLASSES = np.array([[1, 0, 3], [2, 2, 1]], np.int32)
MASK = np.array([[1.0, 0.0, 1.0], [0.5, 0.0, 0.0]])
OF_CLASSES = [0.5, 1.0, 2.0, 0.0]


def test_cross_entropy(tmp_path: Path) -> None:
    checked(
        of_logits((2, 3, 4)),
        "cross_entropy",
        tmp_path,
        lambda w: F.cross_entropy(w.reshape(-1, 4), torch.tensor(CLASSES).long().reshape(-1)),
        target=CLASSES,
    )


@pytest.mark.parametrize("of_classes", [None, OF_CLASSES])
def test_cross_entropy_of_weighted_elements(of_classes: Any, tmp_path: Path) -> None:
    """The mean is over the weights; 4 classes lie along the second axis."""

    def right(w: Any) -> Any:
        weight = torch.ones(4) if of_classes is None else torch.tensor(of_classes)
        of_elements = weight.double()[torch.tensor(CLASSES).long()] * torch.tensor(MASK)
        losses = F.cross_entropy(w, torch.tensor(CLASSES).long(), reduction="none")
        return (losses * of_elements).sum() / of_elements.sum()

    loss = {"name": "cross_entropy", "axis": 1, "mask": True, "class_weights": of_classes}
    made = of_logits((2, 4, 3))
    checked(made, loss, tmp_path, right, target=CLASSES, mask=MASK)


def test_class_weights(tmp_path: Path) -> None:
    target, weight = torch.tensor(CLASSES).long().reshape(-1), torch.tensor(OF_CLASSES).double()
    loss = {"name": "cross_entropy", "class_weights": OF_CLASSES}
    made = of_logits((2, 3, 4))
    checked(
        made,
        loss,
        tmp_path,
        lambda w: F.cross_entropy(w.reshape(-1, 4), target, weight=weight),
        target=CLASSES,
    )


def test_a_mask_of_zeros(tmp_path: Path) -> None:
    """Nothing counts: the loss is 0, and so are gradients."""
    made, mask = of_logits((2, 3, 4)), np.zeros((2, 3))
    loss = {"name": "cross_entropy", "mask": True}
    checked(made, loss, tmp_path, lambda w: (w * 0).sum(), target=CLASSES, mask=mask)


@pytest.mark.parametrize("moved", [False, True])
def test_probabilities(moved: bool, tmp_path: Path) -> None:
    """The loss of a softmax's output is that of its input, also where axes are exchanged."""
    ends = [helper.make_node("Softmax", ["z"], ["p"], axis=-1)]
    if moved:
        ends.append(helper.make_node("Transpose", ["p"], ["y"], perm=[0, 2, 1]))
    loss = {"name": "cross_entropy", "axis": 1 if moved else -1}
    checked(
        of_logits((2, 3, 4), *ends),
        loss,
        tmp_path,
        lambda w: F.cross_entropy(w.reshape(-1, 4), torch.tensor(CLASSES).long().reshape(-1)),
        target=CLASSES,
    )


@pytest.mark.parametrize("ends", [[], [helper.make_node("Sigmoid", ["z"], ["y"])]])
def test_binary_cross_entropy(ends: list[Any], tmp_path: Path) -> None:
    target = np.array([[1.0, 0.0, 0.25], [0.0, 1.0, 1.0]])
    checked(
        of_logits((2, 3), *ends),
        "binary_cross_entropy",
        tmp_path,
        lambda w: F.binary_cross_entropy_with_logits(w, torch.tensor(target)),
        target=target,
    )


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("mean_squared_error", F.mse_loss),
        ("mean_absolute_error", F.l1_loss),
        ("binary_cross_entropy", F.binary_cross_entropy_with_logits),
    ],
)
@pytest.mark.parametrize("masked", [False, True])
def test_losses_of_numbers(name: str, function: Any, masked: bool, tmp_path: Path) -> None:
    target = np.array([[1.0, -0.5, 0.25], [0.0, 1.0, 3.0]])
    given = {"target": target, **({"mask": MASK} if masked else {})}

    def right(w: Any) -> Any:
        losses = function(w, torch.tensor(target), reduction="none")
        weight = torch.tensor(MASK) if masked else torch.ones(losses.shape).double()
        return (losses * weight).sum() / weight.sum()

    checked(of_logits((2, 3)), {"name": name, "mask": masked}, tmp_path, right, **given)


# Optimizers

STEPS = 12

OPTIMIZERS: list[tuple[Any, Any, Mapping[str, Any]]] = [
    ("sgd", torch.optim.SGD, {}),
    ({"name": "sgd", "momentum": 0.9}, torch.optim.SGD, {"momentum": 0.9}),
    (
        {"name": "sgd", "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
        torch.optim.SGD,
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    ),
    ("adam", torch.optim.Adam, {}),
    (
        {"name": "adam", "beta1": 0.5, "beta2": 0.8, "epsilon": 1e-3, "weight_decay": 0.1},
        torch.optim.Adam,
        {"betas": (0.5, 0.8), "eps": 1e-3, "weight_decay": 0.1},
    ),
    ({"name": "adam", "beta1": 0.0}, torch.optim.Adam, {"betas": (0.0, 0.999)}),
    ("adamw", torch.optim.AdamW, {}),
    ({"name": "adamw", "weight_decay": 0.3}, torch.optim.AdamW, {"weight_decay": 0.3}),
    ("rmsprop", torch.optim.RMSprop, {}),
    (
        {"name": "rmsprop", "rho": 0.7, "epsilon": 1e-4, "momentum": 0.6, "weight_decay": 0.1},
        torch.optim.RMSprop,
        {"alpha": 0.7, "eps": 1e-4, "momentum": 0.6, "weight_decay": 0.1},
    ),
]


class Perceptron(torch.nn.Module):
    """The network of `perceptron`."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__()
        for name, array in weights.items():
            self.register_parameter(name, torch.nn.Parameter(torch.tensor(array)))

    def forward(self, x: Any) -> Any:
        return torch.tanh(x @ self.w0 + self.b0) @ self.w1


WEIGHTS = {"w0": values(3, 5), "b0": values(5), "w1": values(5, 2)}


def perceptron() -> Any:
    nodes = [
        helper.make_node("Gemm", ["x", "w0", "b0"], ["h"]),
        helper.make_node("Tanh", ["h"], ["a"]),
        helper.make_node("MatMul", ["a", "w1"], ["y"]),
    ]
    return doubles(nodes, {"x": [4, 3]}, WEIGHTS)


def compared(optimizer: Any, theirs: Any, clip: Any, folder: Path, **options: Any) -> None:
    """Compares losses and weights of some steps with those of an optimizer of PyTorch's."""
    loss = "mean_squared_error"
    trained = Trained(perceptron(), folder, loss=loss, optimizer=optimizer, **options)
    network = Perceptron(WEIGHTS)
    learned = [each for name, each in network.named_parameters() if name in trained.states]
    optimizer = theirs(learned)
    rng = np.random.default_rng(3)
    for step in range(STEPS):
        x, target = rng.standard_normal((4, 3)), rng.standard_normal((4, 2)) * 3
        rate = RATE / (1 + step)
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        right = F.mse_loss(network(torch.tensor(x)), torch.tensor(target))
        right.backward()
        clip(learned)
        optimizer.step()
        got = trained(x=x, target=target, learning_rate=np.float64(rate))
        np.testing.assert_allclose(got, right.item(), rtol=1e-9)
    for name, parameter in network.named_parameters():
        if name in trained.states:
            found = trained.states[name]
            np.testing.assert_allclose(found, parameter.detach().numpy(), rtol=1e-8, err_msg=name)


@pytest.mark.parametrize(("optimizer", "theirs", "numbers"), OPTIMIZERS)
def test_optimizers(optimizer: Any, theirs: Any, numbers: Any, tmp_path: Path) -> None:
    """With a learning rate that falls from step to step."""
    compared(optimizer, lambda p: theirs(p, **numbers), lambda _: None, tmp_path)


def test_the_norm_of_gradients_is_clipped(tmp_path: Path) -> None:
    compared(
        {"name": "adam", "clip_norm": 0.5, "weight_decay": 0.1},
        lambda p: torch.optim.Adam(p, weight_decay=0.1),
        lambda p: torch.nn.utils.clip_grad_norm_(p, 0.5),
        tmp_path,
    )


def test_the_elements_of_gradients_are_clipped(tmp_path: Path) -> None:
    compared(
        {"name": "sgd", "clip_value": 0.2},
        torch.optim.SGD,
        lambda p: torch.nn.utils.clip_grad_value_(p, 0.2),
        tmp_path,
    )


def test_only_some_weights_are_trained(tmp_path: Path) -> None:
    """The others stay; a norm is that of the trained ones."""
    compared(
        {"name": "sgd", "clip_norm": 0.1},
        torch.optim.SGD,
        lambda p: torch.nn.utils.clip_grad_norm_(p, 0.1),
        tmp_path,
        train=["w1", "b*"],
    )


def test_the_first_steps_are_exact_in_float32(tmp_path: Path) -> None:
    """1 - beta^t loses nothing where beta^t is close to 1."""
    nodes = [helper.make_node("Mul", ["x", "w"], ["y"])]
    made = model(nodes, {"x": [3]}, ["y"], {"w": np.array([1, 2, 3], np.float32)})
    trained = Trained(made, tmp_path, loss="mean_squared_error", optimizer="adam")
    given = {"x": np.ones(3, np.float32), "target": np.zeros(3, np.float32)}
    trained(**given, learning_rate=np.float32(0.125))
    np.testing.assert_allclose(trained.states["w"], [0.875, 1.875, 2.875], rtol=2e-7)


@pytest.mark.slow
def test_windows_apart_on_an_axis_of_open_size(tmp_path: Path) -> None:
    """Behind a transposed convolution, the axis grows by as much as the windows are apart."""
    rng = np.random.default_rng(0)
    weights = {"w": (2, 3, 2), "u": (4, 3, 2)}
    first = {name: rng.standard_normal(each).astype("f") for name, each in weights.items()}
    nodes = [
        helper.make_node("ConvTranspose", ["x", "w"], ["wide"], strides=[2]),
        helper.make_node("Tanh", ["wide"], ["bent"]),
        helper.make_node("Conv", ["bent", "u"], ["y"], strides=[2]),
    ]
    made = model(nodes, {"x": [1, 2, "T"]}, ["y"], first)
    step = rc.training_step(
        saved(made, tmp_path / "m.onnx"), loss="mean_squared_error", optimizer="sgd"
    )
    session = rc.runtime.load(rc.compile(step, "cpu")).session()
    x, target = rng.standard_normal((1, 2, 7)).astype("f"), np.ones((1, 4, 7), "f")
    session.train(x=x, target=target, learning_rate=np.float32(0.1))
    w, u = (torch.tensor(each, requires_grad=True) for each in first.values())
    bent = torch.tanh(F.conv_transpose1d(torch.tensor(x), w, stride=2))
    F.mse_loss(F.conv1d(bent, u, stride=2), torch.tensor(target)).backward()
    for name, tensor in (("w", w), ("u", u)):
        wanted = (tensor - 0.1 * tensor.grad).detach().numpy()
        np.testing.assert_allclose(session.state[name], wanted, rtol=1e-5, atol=1e-6)
