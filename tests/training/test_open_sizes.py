"""Calls whose sizes vary: the number of compilations, and unchanged results."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

from torch.nn.utils.rnn import pack_sequence  # noqa: E402

import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.errors import InvalidArgumentError  # noqa: E402
from rnn_compiler.modules import Module  # noqa: E402
from rnn_compiler.runtime import Artifact  # noqa: E402
from rnn_compiler.torch import calls, open_sizes  # noqa: E402

I, H = 4, 5  # noqa: E741


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """The number of modules compiled, or taken from the cache, since the last call."""
    modules: set[str] = set()
    original = open_sizes.compile

    def compile(module: Module, target: str) -> Artifact:
        artifact = original(module, target)
        modules.add(repr(module.functions))
        return artifact

    monkeypatch.setattr(open_sizes, "compile", compile)
    calls.forget()
    before = 0

    def count() -> int:
        nonlocal before
        number, before = len(modules) - before, len(modules)
        return number

    return count


def pair(kind: str) -> tuple[Any, Any]:
    """A layer of ours and torch's with the same weights."""
    ours, other = getattr(rt, kind)(I, H), getattr(torch.nn, kind)(I, H)
    ours.load_state_dict(other.state_dict())
    return ours, other


def gradients(layer: Any, given: Any) -> list[Any]:
    """Output, last state, and the gradients of the layer's parameters."""
    output, last = layer(given)
    output = getattr(output, "data", output)
    loss = output.square().sum() + last.sum()
    return [output, last, *torch.autograd.grad(loss, [*layer.parameters()])]


def assert_equal(found: Any, expected: Any) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_lengths_of_batches(compiled: Callable[[], int]) -> None:
    """Two have functions of their own, one serves all others, forward and backward."""
    ours, other = pair("RNN")
    for steps, expected in ((3, 2), (5, 2), (7, 2), (4, 0), (1, 0), (50, 0), (3, 0), (7, 0)):
        x = torch.randn(steps, 2, I)
        assert_equal(gradients(ours, x), gradients(other, x))
        assert compiled() == expected, steps


@pytest.mark.slow
def test_lengths_of_packed_sequences(
    compiled: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are rounded, and the open functions take whatever that gives."""
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "0")
    ours, other = pair("GRU")
    for steps, expected in ((5, 2), (3, 0), (33, 0), (5, 0)):
        given = pack_sequence([torch.randn(n, I) for n in (steps, 2, 1)])
        assert_equal(gradients(ours, given), gradients(other, given))
        assert compiled() == expected, steps


@pytest.mark.slow
def test_lengths_in_inference(compiled: Callable[[], int]) -> None:
    """Packed weights are those of the function, whatever the length.

    Another batch is one more function, which serves all batches.
    """
    ours, other = pair("RNN")
    with torch.no_grad():
        for turn in range(3):
            for steps in (2, 3, 4, 9):
                x = torch.randn(steps, 1, I)
                assert_equal(ours(x), other(x))
            assert compiled() == (0 if turn else 3)
        for (steps, rows), expected in (((3, 2), 1), ((5, 7), 0), ((8, 2), 0), ((4, 1), 0)):
            x = torch.randn(steps, rows, I)
            assert_equal(ours(x), other(x))
            assert compiled() == expected, (steps, rows)


@pytest.mark.slow
def test_sizes_of_functions(compiled: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A sequence's length, a cell's batch."""
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "1")
    w, b, zeros = torch.randn(I + H, 4 * H), torch.randn(4 * H), torch.zeros(H)
    state = torch.zeros(2, H)
    lengths = (0, 3, 5, 7, 2, 9)
    x = torch.randn(max(lengths), 2, I)
    found = [rt.block_lstm_v2(n, x[:n], state, state, w, zeros, zeros, zeros, b).h for n in lengths]
    assert compiled() == 3, "nothing at all is a size of its own"
    for n, h in zip(lengths, found, strict=True):
        assert_equal(h, found[-1][:n])
    rows, state = torch.randn(9, I), torch.randn(9, H)
    weights = torch.randn(I + H, 2 * H), torch.randn(I + H, H), torch.randn(2 * H), torch.randn(H)
    found = [rt.gru_block_cell(rows[:n], state[:n], *weights).h for n in (9, 2, 3, 1, 7)]
    assert compiled() == 2
    for h in found:
        assert_equal(h, found[0][: len(h)])


@pytest.mark.slow
def test_many_lengths_of_packed_sequences(compiled: Callable[[], int]) -> None:
    """They are rounded, and two of these have functions of their own."""
    layer = rt.RNN(I, H)

    def run(lengths: range) -> int:
        with torch.no_grad():
            for steps in lengths:
                layer(pack_sequence([torch.randn(n, I) for n in (steps, 2)]))
        return compiled()

    assert run(range(17, 19)) == 1
    assert run(range(19, 35)) == 2
    assert run(range(35, 70)) == 0


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The log messages about open sizes."""
    return [each.getMessage() for each in caplog.records if "open_sizes" in each.name]


@pytest.mark.slow
def test_who_wants_all_sizes_compiled(
    compiled: Callable[[], int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Or none, or an invalid value."""
    layer = rt.RNN(I, H)

    def run() -> int:
        with torch.no_grad():
            for steps in (2, 3, 4):
                layer(torch.zeros(steps, 1, I))
        return compiled()

    caplog.set_level(logging.INFO, "rnn_compiler.torch")
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "all")
    assert run() == 3
    assert not said(caplog)
    calls.forget()
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "0")
    assert run() == 1
    assert said(caplog) == [
        "CudnnRNN, seq_length 2, batch_size 1: one function now serves this and every other size"
    ]
    calls.forget()
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "few")
    with pytest.raises(
        InvalidArgumentError, match=r"STATIC_SIZES.* a number of sizes, or all, got"
    ):
        run()


@pytest.mark.slow
def test_what_cannot_be_open(
    compiled: Callable[[], int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With one unit, each length is compiled, with one message that gives the reason."""
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "0")
    layer = rt.RNN(I, 1)
    with torch.no_grad():
        for steps in (2, 3, 2):
            layer(torch.zeros(steps, 1, I))
    assert compiled() == 2
    (message,) = said(caplog)
    assert message.startswith("CudnnRNN, seq_length 2, batch_size 1: every size is compiled ")
    assert "a unit axis" in message


@pytest.mark.slow
def test_dropout(compiled: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """As many elements are drawn as there are; the gradient reads which."""
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", "0")
    layer = rt.RNN(I, H, num_layers=2, dropout=0.4)
    for steps in (3, 6):
        x = torch.randn(steps, 2, I, requires_grad=True)
        output, _ = layer(x)
        output.sum().backward()
        assert x.grad.isfinite().all()
    assert compiled() == 2
