"""Direct calls on torch's tensors: IREE's bits, and results in memory like torch's."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")


import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.runtime.direct.calls import DirectCalls  # noqa: E402
from rnn_compiler.torch import calls  # noqa: E402

I, H = 4, 5  # noqa: E741


@pytest.fixture
def direct_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pointers of each direct call."""
    found: list[int] = []
    original = DirectCalls.on

    def on(each: DirectCalls, pointers: Any) -> None:
        found.append(len(pointers))
        original(each, pointers)

    monkeypatch.setattr(DirectCalls, "on", on)
    return found


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def draw(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def step(layer: Any, x: Any) -> list[Any]:
    """A step of training: results and all gradients."""
    x = x.detach().requires_grad_()
    output, states = layer(x)
    results = [output, *(states if isinstance(states, tuple) else [states])]
    loss = sum(each.square().sum() for each in results)
    return [*results, *torch.autograd.grad(loss, [x, *layer.parameters()])]


@contextlib.contextmanager
def through_iree() -> Iterator[None]:
    """Calls are IREE's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CALLS", "iree")
        calls.forget()
        yield
    calls.forget()


def assert_same_bits(found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert torch.equal(one.detach(), other.detach())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options", "steps"),
    [
        ("LSTM", {}, 3),
        ("GRU", {"bidirectional": True}, 1),
        ("LSTM", {"dtype": torch.bfloat16}, 3),
    ],
)
def test_layers_have_the_same_bits(
    kind: str, options: dict[str, Any], steps: int, direct_calls: list[int]
) -> None:
    """In training, and in inference with weights as they are and packed."""
    layer = getattr(rt, kind)(I, H, **options)
    x = draw(steps, 2, I).to(options.get("dtype", torch.float32))
    with through_iree(), torch.no_grad():
        inferred = layer(x)[0]
    with through_iree():
        trained = step(layer, x)
    assert direct_calls == []
    for _ in range(2):
        assert_same_bits(step(layer, x), trained)
    assert len(direct_calls) == 4
    with torch.no_grad():
        for _ in range(4):  # as they come, kept, packed, and packed already
            assert_same_bits(layer(x)[:1], [inferred])
    assert len(direct_calls) == 8


@pytest.mark.slow
def test_large_results(direct_calls: list[int]) -> None:
    """Those that compiled code lays out with others are not copied, but have storages."""
    layer, x = rt.LSTM(64, 64), draw(1, 1, 64)
    with through_iree():
        trained = step(layer, x)
    found = step(layer, x)
    assert_same_bits(found, trained)
    assert len(direct_calls) == 2
    for k, one in enumerate(found):
        assert one.untyped_storage().nbytes() == one.nbytes
        for other in found[:k]:
            assert one.data_ptr() + one.nbytes <= other.data_ptr() or (
                other.data_ptr() + other.nbytes <= one.data_ptr()
            )


@pytest.mark.slow
def test_tensors_anywhere(direct_calls: list[int]) -> None:
    """Not contiguous, or at an odd address: copied first."""
    layer = rt.LSTM(I, H)
    x = draw(3, 2, I)
    wanted = step(layer, x)
    turned = x.transpose(0, 2).contiguous().transpose(0, 2)
    moved = torch.cat([x.new_zeros(1), x.reshape(-1)])[1:].reshape(x.shape)
    assert moved.data_ptr() % 64
    for other in (turned, moved):
        assert_same_bits(step(layer, other), wanted)
    assert len(direct_calls) == 6


def test_results_are_on_the_cpu(direct_calls: list[int]) -> None:
    """Whatever device torch makes tensors on."""
    layer, x = rt.LSTM(I, H), draw(3, 2, I)
    states = torch.zeros(1, 2, H), torch.zeros(1, 2, H)
    wanted = layer(x, states)[0]
    with torch.device("meta"):
        found = layer(x, states)[0]
    assert_same_bits([found], [wanted])
    assert len(direct_calls) == 2


@pytest.mark.parametrize("change", [lambda t: t[..., :1], lambda t: t.double()])
def test_saved_tensors_that_a_hook_changes(change: Any, direct_calls: list[int]) -> None:
    """Compiled code is not given memory of another size."""
    layer, x = rt.LSTM(I, H), draw(3, 2, I)
    step(layer, x)
    direct_calls.clear()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, change):
        output = layer(x)[0]
    with pytest.raises(RuntimeError, match="CudnnRNNBackprop"):
        output.sum().backward()
    assert len(direct_calls) == 1


def test_threads_at_once() -> None:
    """Each with separate tensors."""
    layer = rt.LSTM(I, H)
    inputs = [draw(3, 2, I, seed=k) for k in range(4)]
    wanted = [step(layer, x) for x in inputs]
    wrong: list[int] = []

    def train(k: int) -> None:
        for _ in range(100):
            found = step(layer, inputs[k])
            if not all(torch.equal(*each) for each in zip(found, wanted[k], strict=True)):
                wrong.append(k)

    threads = [threading.Thread(target=train, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
