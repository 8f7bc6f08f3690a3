"""The ops as functions of torch's tensors: results of raw_ops, gradients by differences, errors."""

from __future__ import annotations

import inspect
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from cases import CASES, sizes
from numeric.harness import draw, drop_in
from quick import only

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError  # noqa: E402
from rnn_compiler.lowering.ops import GRADIENTS, OPS  # noqa: E402
from rnn_compiler.torch.attributes import attributes_of  # noqa: E402
from rnn_compiler.torch.calls import tensors_of  # noqa: E402
from rnn_compiler.torch.library import CUSTOM_OPS  # noqa: E402

VARIANT = sizes(4, 3, 2, 6)
FUNCTIONS = {op: getattr(rt, OPS[op].signature.function) for op in GRADIENTS}
OFTEN = ("BlockLSTMV2",)
"""The others differ in names; that a gradient may be two ops, one after the other, is seen below.
"""

EVERY = [op if op in OFTEN else pytest.param(op, marks=pytest.mark.slow) for op in FUNCTIONS]


def arguments(op: str, dtype: str) -> dict[str, Any]:
    """Arguments of an op as tensors, and attributes."""
    known = {attribute.name for attribute in OPS[op].signature.attributes}
    options = {name: True for name in ("use_peephole",) if name in known}
    if "cell_clip" in known:
        options["cell_clip"] = 0.0
    inputs = [each.name for each in OPS[op].signature.arguments if each.optional]
    given = draw(op, dtype, {**VARIANT, **options, "inputs": " ".join(inputs)})
    return {**{k: torch.from_numpy(np.array(v)) for k, v in given.items()}, **options}


@pytest.mark.parametrize("op", EVERY)
def test_values_are_those_of_raw_ops_and_gradients_those_of_differences(op: str) -> None:
    given = arguments(op, "float64")
    results = FUNCTIONS[op](**given)
    expected = drop_in(op)(
        **{k: v.numpy() if isinstance(v, torch.Tensor) else v for k, v in given.items()}
    )
    assert type(results)._fields == type(expected)._fields
    for name, value in expected._asdict().items():
        np.testing.assert_array_equal(getattr(results, name).numpy(), value)
    gradient = GRADIENTS[op]
    tensors = [given[name].requires_grad_() for name in gradient.arguments]

    def run(*tensors: Any) -> Any:
        moved = {**given, **dict(zip(gradient.arguments, tensors, strict=True))}
        results = FUNCTIONS[op](**moved)
        for name, value in results._asdict().items():
            assert value.requires_grad == (name in gradient.results), name
        return tuple(getattr(results, name) for name in gradient.results)

    assert torch.autograd.gradcheck(run, tensors, eps=1e-6, atol=1e-7, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "layer", "order", "options", "attributes"),
    [
        ("onnx_gru", "GRU", (1, 0, 2), {}, {"linear_before_reset": 1}),
        ("onnx_rnn", "RNN", (0,), {"nonlinearity": "relu"}, {"activations": ["Relu"]}),
    ],
    ids=["gru", "relu"],
)
def test_onnx_functions_are_torchs_layers(
    function: str, layer: str, order: tuple[int, ...], options: Any, attributes: Any
) -> None:
    """Values and all gradients; gates are in another order, some inputs are left out."""
    T, B, I, H = VARIANT.values()  # noqa: E741
    theirs = getattr(torch.nn, layer)(I, H, dtype=torch.float64, **options)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(T, B, I, dtype=torch.float64, generator=generator).requires_grad_()
    state = torch.randn(1, B, H, dtype=torch.float64, generator=generator).requires_grad_()

    def gates(part: Any) -> Any:
        parts = part.chunk(len(order))
        return torch.cat([parts[gate] for gate in order])[None]

    wanted = theirs(x, state)
    ours = getattr(rt, function)(
        X=x,
        W=gates(theirs.weight_ih_l0),
        R=gates(theirs.weight_hh_l0),
        B=torch.cat([gates(theirs.bias_ih_l0), gates(theirs.bias_hh_l0)], 1),
        initial_h=state,
        **attributes,
    )
    found = ours.Y[:, 0], ours.Y_h
    upstream = [torch.randn(each.shape, dtype=each.dtype, generator=generator) for each in wanted]
    inputs = [x, state, *theirs.parameters()]
    torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-9)
    gradients = [torch.autograd.grad(each, inputs, upstream) for each in (found, wanted)]
    torch.testing.assert_close(*gradients, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_without_gradients_nothing_is_kept() -> None:
    """Ops that decide on that by themselves give the same numbers with autograd on or off."""
    given = arguments("onnx.GRU", "float64")
    plain = rt.onnx_gru(**given)
    with torch.no_grad():
        assert all(map(torch.equal, plain, rt.onnx_gru(**given)))
    assert not any(each.requires_grad for each in plain)
    given["R"].requires_grad_()
    assert all(map(torch.equal, plain, rt.onnx_gru(**given)))


@pytest.mark.parametrize("op", FUNCTIONS)
def test_arguments_are_tensorflows(op: str) -> None:
    """By name or by position; pickled by name."""
    function = FUNCTIONS[op]
    names = [*inspect.signature(function).parameters]
    ours = inspect.signature(drop_in(op)).parameters
    decided = ("to_host", GRADIENTS[op].training)  # by autograd, the latter
    assert names == [name for name in ours if name not in decided]
    assert pickle.loads(pickle.dumps(function)) is function
    assert "second derivatives" in function.__doc__


@pytest.mark.slow
def test_arguments_by_position() -> None:
    given = arguments("GRUBlockCell", "float64")
    by_name, by_position = rt.gru_block_cell(**given), rt.gru_block_cell(*given.values())
    assert all(map(torch.equal, by_name, by_position))
    called = rt.gru_block_cell(**given, name="what TensorFlow calls the node")
    assert all(map(torch.equal, by_name, called))
    with pytest.raises(TypeError, match=r"takes 7 arguments: x, .*, name; 8 were"):
        rt.gru_block_cell(*given.values(), "node", None)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        rt.gru_block_cell(*given.values(), x=given["x"])
    del given["x"]
    with pytest.raises(TypeError, match=r"GRUBlockCell.* missing .*'x'"):
        rt.gru_block_cell(**given)


@pytest.mark.slow
def test_only_gradients_that_are_needed_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from rnn_compiler.torch import library

    asked: list[tuple[str, ...]] = []
    original = library.call_gradient

    def spy(*arguments: Any) -> Any:
        asked.append(arguments[-1])
        return original(*arguments)

    monkeypatch.setattr(library, "call_gradient", spy)
    given = arguments("GRUBlockCell", "float64")
    given["h_prev"].requires_grad_()
    rt.gru_block_cell(**given).h.sum().backward()
    assert asked == [("d_h_prev",)]
    given["w_c"].requires_grad_()
    rt.gru_block_cell(**given).h.sum().backward()
    assert asked[1:] == [("d_h_prev", "d_c_bar", "d_r_bar_u_bar"), ("d_w_c",)]


@pytest.mark.slow
def test_second_derivatives_are_refused_by_name() -> None:
    given = arguments("GRUBlockCell", "float64")
    h_prev = given["h_prev"].requires_grad_()
    loss = rt.gru_block_cell(**given).h.square().sum()
    (gradient,) = torch.autograd.grad(loss, h_prev, create_graph=True)
    with pytest.raises(UnsupportedError, match="GRUBlockCellGrad has no gradient"):
        gradient.sum().backward()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": np.zeros((3, 2), np.float32)}, r"GRUBlockCell: 'x': expected a torch.Tensor, got"),
        ({"x": torch.zeros(2, 3, 1)}, r"GRUBlockCell: 'x': expected rank 2"),
        ({"h_prev": torch.zeros(2, 4)}, r"GRUBlockCell: '\w+': expected shape"),
        (
            {"w_c": torch.zeros(8, 6).half()},
            r"GRUBlockCell: 'w_c': expected dtype float32, got dt",
        ),
        ({"w_c": torch.zeros(8, 6).cfloat()}, "GRUBlockCell: 'w_c': expected dtype float32"),
        ({"b_c": torch.zeros(6, device="meta")}, "GRUBlockCell: 'b_c': expected a tensor on cpu"),
        ({"b_c": None}, "GRUBlockCell: 'b_c': expected a torch.Tensor, got None"),
    ],
)
def test_what_a_function_does_not_take(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        rt.gru_block_cell(**{**arguments("GRUBlockCell", "float32"), **changed})


@pytest.mark.slow
def test_integers_are_checked() -> None:
    given = arguments("BlockLSTMV2", "float32")
    for steps in (-1, 5, 2**33, torch.tensor(7)):
        with pytest.raises(
            InvalidArgumentError, match=r"'seq_len_max': expected a value in 0\.\.4"
        ):
            rt.block_lstm_v2(**{**given, "seq_len_max": steps})
    for steps in (1.0, True, torch.tensor(1.0)):
        with pytest.raises(InvalidArgumentError, match="'seq_len_max': expected a tensor of int"):
            rt.block_lstm_v2(**{**given, "seq_len_max": steps})
    given = arguments("CudnnRNNV3", "float64")
    for lengths in ([1, 2, 5], [2**32 + 1, 1, 1], [-1, 0, 0]):
        with pytest.raises(InvalidArgumentError, match="'sequence_lengths': expected values in"):
            rt.cudnn_rnn_v3(**{**given, "sequence_lengths": torch.tensor(lengths)})


def test_tensors_of_any_layout_are_taken() -> None:
    """Views that are transposed, expanded, negated, or begin anywhere in their memory."""
    given = arguments("BlockLSTMV2", "float64")
    expected = rt.block_lstm_v2(**given)
    memory = torch.empty(given["w"].numel() + 1, dtype=torch.float64)
    memory[1:] = given["w"].flatten()
    moved = {
        "x": given["x"].transpose(0, 1).contiguous().transpose(0, 1),
        "w": memory[1:].view_as(given["w"]),
        "b": torch._neg_view(-given["b"]),
    }
    assert memory[1:].data_ptr() % 64
    results = rt.block_lstm_v2(**{**given, **moved})
    assert all(map(torch.equal, results, expected))


@pytest.mark.slow
def test_results_are_tensors_of_their_own() -> None:
    """Gradients that are all zeros come from IREE in one buffer."""
    given = {**arguments("BlockLSTMV2", "float64"), "use_peephole": False}
    weights = [given[name].requires_grad_() for name in ("wci", "wcf", "wco")]
    rt.block_lstm_v2(**given).h.sum().backward()
    tensors = [*weights, *(each.grad for each in weights)]
    spans = sorted((each.data_ptr(), each.nbytes) for each in tensors)
    for (start, size), (after, _) in itertools.pairwise(spans):
        assert start + size <= after
    weights[0].grad += 1
    assert not weights[1].grad.any()


@pytest.mark.slow
def test_weights_that_change_in_one_place() -> None:
    """In inference they are kept packed from the third call on."""
    given = {**arguments("CudnnRNN", "float32"), "is_training": False}
    with torch.no_grad():
        for _ in range(4):
            before = rt.cudnn_rnn(**given).output
        given["params"][1] += 1
        after = rt.cudnn_rnn(**given).output
        given["params"] = given["params"].clone()
        assert torch.equal(after, rt.cudnn_rnn(**given).output)
    assert not torch.equal(after, before)


@pytest.mark.slow
def test_float16() -> None:
    given = {name: each.half() for name, each in arguments("GRUBlockCell", "float32").items()}
    given["x"].requires_grad_()
    h = rt.gru_block_cell(**given).h
    h.sum().backward()
    assert h.dtype == given["x"].grad.dtype == torch.float16
    wide = {k: v.detach().float() for k, v in given.items()}
    assert (rt.gru_block_cell(**wide).h - h).abs().max() < 1e-2


@pytest.mark.parametrize("op", only(FUNCTIONS, *OFTEN))
def test_custom_ops_have_gradients(op: str) -> None:
    """Called by name, as torch.compile and modes do; also an op without keywords."""
    given, (first, *_) = arguments(op, "float64"), GRADIENTS[op].results
    needed = [given[name].requires_grad_() for name in GRADIENTS[op].arguments]
    signature, training = OPS[op].signature, GRADIENTS[op].training
    values = {each.name: each.default for each in signature.attributes} | given
    values |= signature.implied(given) | ({training: True} if training else {})
    keywords = {name: values[name] for name in attributes_of(op)}
    tensors = [given.get(name) for name in tensors_of(op)]
    custom = CUSTOM_OPS[op](*tensors, **keywords)
    place = [each.name for each in signature.results].index(first)
    found = [getattr(FUNCTIONS[op](**given), first), custom[place]]
    gradients = [torch.autograd.grad(each.square().sum(), needed) for each in found]
    torch.testing.assert_close(*gradients, rtol=0, atol=0)


def test_integers_and_lists_are_refused_by_name() -> None:
    given = arguments("GRUBlockCell", "float32")
    whole = {name: each.int() for name, each in given.items()}
    with pytest.raises(InvalidArgumentError, match=r"GRUBlockCell: 'x': expected dtype .*int32"):
        rt.gru_block_cell(**whole)
    with pytest.raises(InvalidArgumentError, match="LSTMBlockCell: 'cell_clip': expected"):
        rt.lstm_block_cell(**{**arguments("LSTMBlockCell", "float32"), "cell_clip": [3.0]})


def test_cases_name_every_function() -> None:
    assert set(FUNCTIONS) == {op for op, case in CASES.items() if not case.only_copies} - {
        each for gradient in GRADIENTS.values() for each in gradient.ops
    }


@pytest.mark.parametrize(
    "call",
    [
        lambda: rt.gru_block_cell(**{**arguments("GRUBlockCell", "float32"), "x": torch.zeros(2)}),
        lambda: rt.lstm_block_cell(**{**arguments("LSTMBlockCell", "float32"), "cell_clip": "x"}),
        lambda: rt.LSTM(3, 4)(torch.zeros(2, 1, 4)),
        lambda: rt.LSTM(3, 4)(torch.zeros(2, 1, 3), (torch.zeros(1), torch.zeros(1))),
        lambda: torch.ops.rnn_compiler.gru_block_cell(*[torch.zeros(2)] * 6),
    ],
)
def test_wrong_arguments_are_runtime_errors(call: Any) -> None:
    """As torch's own are."""
    for kind in (RuntimeError, ValueError, InvalidArgumentError):
        with pytest.raises(kind):
            call()
