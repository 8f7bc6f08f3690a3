"""Tensors that several have, or that change: tied parameters, results and gradients in place.

Each is compared with what torch.nn does, but for what only an op has.
"""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

from cases import sizes  # noqa: E402
from numeric.harness import draw  # noqa: E402
from quick import first  # noqa: E402

import rnn_compiler as rc  # noqa: E402
import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError  # noqa: E402
from rnn_compiler.lowering.ops import OPS  # noqa: E402
from rnn_compiler.schema.gradients import GRADIENTS  # noqa: E402
from rnn_compiler.torch.connections import attributes_of  # noqa: E402
from rnn_compiler.torch.library import CUSTOM_OPS  # noqa: E402

T, B, I, H = 3, 2, 4, 5  # noqa: E741


def both(kind: str = "LSTM", inputs: int = I, **options: Any) -> list[Any]:
    """A layer of ours and one of torch's with the same weights."""
    layers = [getattr(module, kind)(inputs, H, **options) for module in (rt, torch.nn)]
    layers[0].load_state_dict(layers[1].state_dict())
    return layers


def x_of(inputs: int = I) -> Any:
    return torch.randn(T, B, inputs, generator=torch.Generator().manual_seed(0))


def tie(layer: Any, name: str, other: str) -> Any:
    setattr(layer, name, getattr(layer, other))
    return layer


@pytest.mark.parametrize(
    ("options", "tied"),
    first(
        [
            ({}, ("bias_hh_l0", "bias_ih_l0")),
            ({"num_layers": 2}, ("weight_hh_l1", "weight_hh_l0")),
            ({"bidirectional": True}, ("weight_hh_l0_reverse", "weight_hh_l0")),
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
    """As those do who begin new episodes: gradient ops read nothing of them."""
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
    """In version, and to who saves them."""
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


@pytest.mark.parametrize("op", GRADIENTS)
def test_custom_ops_have_gradients(op: str) -> None:
    """Called by name, as torch.compile and modes do; also an op without keywords."""
    known = {each.name for each in OPS[op].signature.attributes}
    variant = {**sizes(T, B, I, H), **({"use_peephole": True} if "use_peephole" in known else {})}
    arrays = draw(op, "float32", variant)
    given = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
    needed = [given[name].requires_grad_() for name in GRADIENTS[op].arguments]
    options = {name: variant[name] for name in attributes_of(op) if name in variant}
    function = getattr(rt, OPS[op].signature.function)
    names = [each.name for each in OPS[op].signature.arguments]
    defaults = {each.name: each.default for each in OPS[op].signature.attributes}
    keywords = {name: options.get(name, defaults[name]) for name in attributes_of(op)}
    seeds = [None for each in OPS[op].signature.attributes if each.at_run_time]
    results = [
        function(**given, **options),
        CUSTOM_OPS[op](*[given[name] for name in names], *seeds, **keywords),
    ]
    place = [each.name for each in OPS[op].signature.results].index(GRADIENTS[op].results[0])
    found = [torch.autograd.grad(each[place].square().sum(), needed) for each in results]
    torch.testing.assert_close(*found, rtol=0, atol=0)


def test_the_default_device_is_for_new_tensors() -> None:
    """What is made beside tensors that are there is where they are."""
    layer, _ = both(batch_first=True, num_layers=2, dropout=0.5)
    x = x_of()
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2, 2, 1]), batch_first=True)
    rest = [torch.zeros(B, H), torch.zeros(H), torch.randn(I + H, 4 * H), torch.zeros(4 * H)]
    with torch.device("meta"):
        layer(x)[0].sum().backward()
        layer(packed)[0].data.sum().backward()
        state, peephole, w, b = rest
        run = rt.block_lstm_v2(2, x, state, state, w, peephole, peephole, peephole, b)
    assert run.h.device.type == "cpu"
    assert layer.weight_ih_l0.grad.device.type == "cpu"


def test_what_is_refused_by_name() -> None:
    layer, _ = both()
    x = x_of().requires_grad_()
    output = layer(x)[0]
    many = torch.eye(output.numel()).view(-1, *output.shape)
    with pytest.raises(UnsupportedError, match="CudnnRNNBackprop: expected dense tensors with mem"):
        torch.autograd.grad(output, x, many, is_grads_batched=True)
    layer.bias_hh_l0 = None
    with pytest.raises(InvalidArgumentError, match="LSTM: 'bias_hh_l0': expected a tensor, got N"):
        layer(x)
    whole = [torch.zeros(each, dtype=torch.int32) for each in ((2, 3), (2, 4), (7, 8), (7, 4))]
    with pytest.raises(InvalidArgumentError, match=r"GRUBlockCell: 'x': expected dtype .*int32"):
        rt.gru_block_cell(*whole, torch.zeros(8).int(), torch.zeros(4).int())
    step = [torch.zeros(2, 3), *[torch.zeros(2, 4)] * 2, torch.zeros(7, 16), *[torch.zeros(4)] * 3]
    with pytest.raises(InvalidArgumentError, match="LSTMBlockCell: 'cell_clip': expected"):
        rt.lstm_block_cell(*step, torch.zeros(16), cell_clip=[3.0])
