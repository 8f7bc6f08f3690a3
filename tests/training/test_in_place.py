"""Shared and changing tensors: tied parameters, results and gradients in place.

Each case is compared with torch.nn.
"""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

from quick import first  # noqa: E402

import rnn_compiler as rc  # noqa: E402
import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.lowering.ops import GRADIENTS  # noqa: E402

T, B, I, H = 3, 2, 4, 5  # noqa: E741


def both(kind: str = "LSTM", inputs: int = I, **options: Any) -> list[Any]:
    """One of our layers and one of torch's, with the same weights."""
    layers = [getattr(module, kind)(inputs, H, **options) for module in (rt, torch.nn)]
    layers[0].load_state_dict(layers[1].state_dict())
    return layers


def x_of(inputs: int = I) -> Any:
    return torch.randn(T, B, inputs, generator=torch.Generator().manual_seed(0))


def tie(layer: Any, name: str, other: str) -> Any:
    setattr(layer, name, getattr(layer, other))
    return layer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "tied"),
    first(
        [
            ({}, ("bias_hh_l0", "bias_ih_l0")),
            ({"num_layers": 2}, ("weight_hh_l1", "weight_hh_l0")),
        ]
    ),
)
def test_tied_parameters_stay_tied(options: Any, tied: tuple[str, str]) -> None:
    layers = [copy.deepcopy(tie(layer, *tied)) for layer in both(**options)]
    for _ in range(2):
        for layer in layers:
            layer(x_of())[0].square().sum().backward()
        with torch.no_grad():
            for layer in layers:
                for each in layer.parameters():
                    each -= 0.1 * each.grad
                    each.grad = None
    torch.testing.assert_close(layers[0](x_of())[0], layers[1](x_of())[0])


@pytest.mark.parametrize("kind", first(["LSTM", "GRU", "RNN"]))
def test_last_states_may_change_in_place(kind: str) -> None:
    """For example to start new episodes; gradient ops do not read them."""
    found: list[Any] = []
    for layer in both(kind):
        output, states = layer(x_of())
        for state in states if kind == "LSTM" else [states]:
            state[:, 1] = 0
        loss = output.square().sum() + (states[1] if kind == "LSTM" else states).sum()
        found.append(torch.autograd.grad(loss, [*layer.parameters()]))
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
def test_what_a_gradient_does_not_read(mode: str) -> None:
    """The arguments for which others are passed have no uses."""
    for op, options in (("CudnnRNN", {}), ("CudnnRNNV2", {}), ("CudnnRNNV3", {"num_proj": 2})):
        options = options if mode == "lstm" else {}
        sized = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, **options}
        (gradient,) = GRADIENTS[op].ops
        text = rc.build(gradient, rnn_mode=mode, num_layers=2, direction="bidirectional", **sized)
        for name in GRADIENTS[op].unread:
            assert text.text.count(f"%{name}:") == 1
            assert f"%{name}," not in text.text
            assert f"%{name} " not in text.text


def test_gradients_of_weights_are_apart() -> None:
    """Each has its own version, and is saved separately."""
    layer, _ = both()
    layer(x_of())[0].sum().backward()
    a = torch.ones(4 * H, I, requires_grad=True)
    product = (a * layer.weight_ih_l0.grad).sum()
    layer.weight_hh_l0.grad.mul_(2)
    product.backward()
    for each in layer.parameters():
        torch.save(each.grad, file := io.BytesIO())
        assert each.grad.untyped_storage().nbytes() == each.grad.nbytes
        assert len(file.getvalue()) < 4 * each.nbytes + 2000


def test_results_are_shared_and_resized() -> None:
    """Their memory is not torch's own."""
    layer, _ = both()
    layer(x_of())[0].sum().backward()
    for each in (layer(x_of())[0].detach(), layer.weight_ih_l0.grad):
        wanted = each.clone()
        assert each.share_memory_().is_shared()
        assert torch.equal(each, wanted)
        assert each.resize_(1, 2).shape == (1, 2)


@pytest.mark.slow
def test_tensors_that_a_transformation_left_behind() -> None:
    """Torch treats them as the tensors that they wrap."""
    layer, other = both()
    left: list[Any] = []
    x = x_of()
    torch.func.grad(lambda each: (left.append(each), each.sum())[1])(x)
    for each in (layer, other):
        output = each(left[0])[0]
        output.sum().backward()
        assert torch.allclose(output, other(x)[0], atol=1e-6)
    assert torch.allclose(layer.weight_ih_l0.grad, other.weight_ih_l0.grad, atol=1e-6)
