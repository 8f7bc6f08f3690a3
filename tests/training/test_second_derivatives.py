"""Second derivatives: torch.nn's numbers, for every input of a layer."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

import rnn_compiler.torch as rt  # noqa: E402

T, B, I, H = 4, 3, 2, 6  # noqa: E741

LAYERS = [
    ("LSTM", {}),
    ("LSTM", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    ("LSTM", {"proj_size": 5, "bias": False}),
    ("GRU", {"num_layers": 2, "bidirectional": True}),
    ("RNN", {}),
    ("RNN", {"nonlinearity": "relu", "num_layers": 2}),
]
"""Sizes are those of test_layers, which has most of them."""


def pair(kind: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """A layer of ours and torch's with the same weights, in float64."""
    torch.manual_seed(0)
    ours = getattr(rt, kind)(I, H, **options, dtype=torch.float64)
    other = getattr(torch.nn, kind)(I, H, **options, dtype=torch.float64)
    other.load_state_dict(ours.state_dict())
    return ours, other


def states(layer: Any, *lead: int) -> Any:
    """First states that learn."""
    rows = layer.num_layers * (1 + layer.bidirectional)
    torch.manual_seed(2)
    sizes = [layer.proj_size or H] + [H] * (layer.mode == "LSTM")
    made = [torch.randn(rows, *lead, size, dtype=torch.float64) for size in sizes]
    made = [each.requires_grad_() for each in made]
    return tuple(made) if len(made) == 2 else made[0]


def penalty(layer: Any, output: Any, hx: Any, x: Any) -> Any:
    """The gradients of a loss that holds gradients of all that learns."""
    first = [x, *(hx if isinstance(hx, tuple) else (hx,)), *layer.parameters()]
    loss = output.square().sum()
    gradients = torch.autograd.grad(loss, first, create_graph=True)
    total = sum((each.sin().sum() for each in gradients), loss)
    return [*gradients, *torch.autograd.grad(total, first)]


def compare(ours: Any, theirs: Any) -> None:
    for one, two in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-9, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options", "batched"),
    [*((*each, True) for each in LAYERS), *((*each, False) for each in LAYERS[1:3])],
)
def test_numbers_are_torchs(kind: str, options: dict[str, Any], batched: bool) -> None:
    found: list[Any] = []
    for layer in pair(kind, options):
        torch.manual_seed(1)
        lead = (B, T) if options.get("batch_first") else (T, B)
        x = torch.randn(*(lead if batched else (T,)), I, dtype=torch.float64, requires_grad=True)
        hx = states(layer, *([B] if batched else []))
        output, last = layer(x, hx)
        ends = sum(each.sum() for each in (last if isinstance(last, tuple) else (last,)))
        found.append(penalty(layer, output.sum() + ends, hx, x))
    compare(*found)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "options"), [LAYERS[1], LAYERS[3], LAYERS[5]])
def test_of_packed_sequences(kind: str, options: dict[str, Any]) -> None:
    options = {**options, "batch_first": False}
    found: list[Any] = []
    for layer in pair(kind, options):
        torch.manual_seed(1)
        x = torch.randn(T, B, I, dtype=torch.float64, requires_grad=True)
        packed = pack_padded_sequence(x, torch.tensor([2, 1, 4]), enforce_sorted=False)
        hx = states(layer, B)
        output, _ = pad_packed_sequence(layer(packed, hx)[0])
        found.append(penalty(layer, output, hx, x))
    compare(*found)


@pytest.mark.slow
def test_gradgradcheck() -> None:
    """By finite differences, independently of torch's layers."""
    layer, _ = pair("GRU", {})
    x = torch.randn(2, 1, I, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(layer, (x, states(layer, 1)))


@pytest.mark.slow
def test_of_what_is_copied_on_the_way() -> None:
    """Tensors that are not as compiled code takes them."""
    ours, other = pair("LSTM", {})
    found: list[Any] = []
    for layer in (ours, other):
        torch.manual_seed(1)
        wide = torch.randn(T, B, 2 * I, dtype=torch.float64, requires_grad=True)
        output, _ = layer(wide[..., ::2])
        (gradient,) = torch.autograd.grad(output.sin().sum(), wide, create_graph=True)
        found.append(torch.autograd.grad(gradient.square().sum(), wide))
    compare(*found)


@pytest.mark.slow
def test_third_derivatives() -> None:
    found: list[Any] = []
    for layer in pair("GRU", {}):
        torch.manual_seed(1)
        x = torch.randn(2, 1, I, dtype=torch.float64, requires_grad=True)
        value = layer(x)[0].sin().sum()
        for _ in range(3):
            (gradient,) = torch.autograd.grad(value, x, create_graph=True)
            value = gradient.sin().sum()
        found.append([gradient.detach()])
    compare(*found)


@pytest.mark.slow
def test_with_dropout() -> None:
    """The mask is the one that the call drew: finite differences of the first gradient agree."""
    layer = rt.LSTM(I, H, num_layers=2, dropout=0.5, dtype=torch.float64)
    x = torch.randn(T, B, I, dtype=torch.float64, requires_grad=True)

    def gradient(at: Any) -> Any:
        torch.manual_seed(5)
        loss = layer(at)[0].sin().sum()
        (found,) = torch.autograd.grad(loss, at, create_graph=True)
        return found

    direction = torch.randn_like(x)
    (product,) = torch.autograd.grad((gradient(x) * direction).sum(), x)
    step = 1e-6
    moved = [gradient((x + k * step * direction).detach().requires_grad_()) for k in (1, -1)]
    expected = (moved[0] - moved[1]).detach() / (2 * step)  # the Hessian is symmetric
    torch.testing.assert_close(product, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.slow
def test_first_gradients_are_the_same_bits() -> None:
    layer, _ = pair("LSTM", {})
    x, hx = torch.randn(T, B, I, dtype=torch.float64, requires_grad=True), states(layer, B)
    loss = layer(x, hx)[0].sum()
    plain = torch.autograd.grad(loss, [x, *hx, *layer.parameters()], retain_graph=True)
    connected = torch.autograd.grad(loss, [x, *hx, *layer.parameters()], create_graph=True)
    assert all(map(torch.equal, plain, connected))


@pytest.mark.slow
def test_by_torch_func() -> None:
    ours, other = pair("GRU", {})
    x = torch.randn(2, 1, I, dtype=torch.float64)
    found: list[Any] = []
    for layer in (ours, other):

        def squared(x: Any, layer: Any = layer) -> Any:
            return torch.func.grad(lambda x: layer(x)[0].sin().sum())(x).square().sum()

        found.append([torch.func.grad(squared)(x)])
    compare(*found)


@pytest.mark.slow
def test_weights_in_other_places() -> None:
    """A copy of a layer, and parameters that are not in the buffer."""
    ours, other = pair("LSTM", {})
    moved = copy.deepcopy(ours)
    moved.weight_hh_l0 = torch.nn.Parameter(moved.weight_hh_l0.detach().clone())
    found: list[Any] = []
    for layer in (moved, other):
        torch.manual_seed(1)
        x = torch.randn(T, B, I, dtype=torch.float64, requires_grad=True)
        hx = states(layer, B)
        found.append(penalty(layer, layer(x, hx)[0], hx, x))
    compare(*found)
