"""The layers with torch's features: modes, copies, pickling, forks, threads, tracing, export."""

from __future__ import annotations

import copy
import io
import os
import pickle
import threading
import weakref
from pathlib import Path
from typing import Any

import processes
import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

from torch.nn.utils import prune  # noqa: E402

import rnn_compiler as rc  # noqa: E402
import rnn_compiler.torch as rt  # noqa: E402
from rnn_compiler.errors import DeviceError, InvalidArgumentError, UnsupportedError  # noqa: E402
from rnn_compiler.torch import calls, library, op_gradients, prepared  # noqa: E402
from rnn_compiler.torch.attributes import attributes_of  # noqa: E402

T, B, I, H = 3, 2, 4, 5  # noqa: E741


def pair(**options: Any) -> tuple[Any, Any]:
    """Our LSTM and torch's with the same weights."""
    ours, other = rt.LSTM(I, H, **options), torch.nn.LSTM(I, H, **options)
    ours.load_state_dict(other.state_dict())
    return ours, other


def inputs() -> Any:
    return torch.randn(T, B, I, generator=torch.Generator().manual_seed(0))


def assert_equal(found: Any, expected: Any, tolerance: float = 1e-6) -> None:
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradients(mode: Any) -> None:
    """Weights that stay are packed once; changes are seen, in place, by data, by state dict."""
    ours, other = pair()
    x = inputs()

    def check() -> None:
        with mode():
            for _ in range(4):  # as they come, kept, packed, and packed already
                assert_equal(ours(x), other(x))

    check()
    for layer in (ours, other):
        with torch.no_grad():
            layer.weight_hh_l0.mul_(0.5)
    check()
    for layer in (ours, other):
        with torch.no_grad():
            layer.weight_ih_l0[0, 1] += 1
    check()
    for layer in (ours, other):
        layer.weight_ih_l0.data.mul_(0.5)
    check()
    for layer in (ours, other):
        layer.weight_hh_l0.data[1, 2] += 1
    check()
    for layer in (ours, other):
        layer.weight_hh_l0.detach().numpy()[2, 3] -= 1
    check()
    for layer in (ours, other):
        torch.nn.utils.vector_to_parameters(torch.linspace(-1, 1, 220), layer.parameters())
    check()
    for layer in (ours, other):
        layer.weight_ih_l0.data.copy_(torch.eye(4 * H, I))
    check()
    for layer in (ours, other):
        layer.bias_ih_l0.data[0] = -0.0
        layer.bias_ih_l0.data[1] = torch.nan
    with mode():
        assert all(each(x)[0].isnan().any() for each in (ours, ours, ours, other))
    for layer in (ours, other):
        layer.bias_ih_l0.data.zero_()
    check()
    for layer in (ours, other):
        layer.bias_hh_l0.data = torch.ones(4 * H)
    check()
    ours.load_state_dict(torch.nn.LSTM(I, H).state_dict())
    other.load_state_dict(ours.state_dict())
    check()
    output, (h, _) = ours(x)
    assert output.requires_grad
    assert h.requires_grad
    with mode():
        assert not ours(x)[0].requires_grad


def test_weights_that_stay_are_kept_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    original = prepared.resident

    def spy(*arguments: Any) -> Any:
        found.append(original(*arguments))
        return found[-1]

    monkeypatch.setattr(prepared, "resident", spy)
    ours, _ = pair()
    with torch.no_grad():
        for _ in range(3):
            ours(inputs())
        assert found[0] is None
        assert found[1] is found[2] is not None
        ours.weight_hh_l0.add_(1)
        ours(inputs())
    assert found[3] is None
    kept = weakref.ref(found[1])
    del found[:], ours
    assert kept() is None, "with the layer, its copy goes"


def test_files_of_weights(tmp_path: Any) -> None:
    """In saved files, parameters share no memory."""
    files = pytest.importorskip("safetensors.torch")
    ours, other = pair()
    assert all(each.untyped_storage().nbytes() == each.nbytes for each in ours.parameters())
    files.save_model(ours, tmp_path / "weights.safetensors")
    torch.save(ours.state_dict(), tmp_path / "weights.pt")
    files.load_model(other, tmp_path / "weights.safetensors")
    assert_equal(ours(inputs()), other(inputs()))
    other.load_state_dict(torch.load(tmp_path / "weights.pt"))
    assert_equal(ours(inputs()), other(inputs()))


@pytest.mark.slow
def test_an_optimizer_changes_what_is_computed() -> None:
    """It writes to the parameters, which lie in the buffer that the op takes."""
    ours, other = pair(num_layers=2, bias=False)
    x, losses = inputs(), {}
    for layer in (ours, other):
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
        for _ in range(5):
            optimizer.zero_grad()
            loss = layer(x)[0].square().sum()
            loss.backward()
            optimizer.step()
            losses.setdefault(layer, []).append(loss.item())
    assert losses[ours] == pytest.approx(losses[other], rel=1e-4)
    assert losses[ours][-1] < losses[ours][0]
    assert ours.weights_buffer.holds([*ours.parameters()]), "and they still are"


def test_weights_that_change_before_backward_are_refused() -> None:
    for name in ("weight_ih_l0", "bias_hh_l0"):
        ours, _ = pair()
        output, _ = ours(inputs())
        with torch.no_grad():
            getattr(ours, name).add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            output.sum().backward()


@pytest.mark.slow
@pytest.mark.parametrize(("length", "static"), [(T, "1"), (T + 1, "0")])
def test_saved_tensors_that_come_back_others_are_refused(
    length: int, static: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed by packing and unpacking hooks; the second length is open."""
    monkeypatch.setenv("RNN_COMPILER_STATIC_SIZES", static)
    calls.forget()
    layer, x = rt.RNN(I, H), torch.randn(length, B, I, requires_grad=True)

    def gradients(unpack: Any) -> Any:
        with torch.autograd.graph.saved_tensors_hooks(lambda each: each, unpack):
            output = layer(x)[0]
        return torch.autograd.grad(output.sum(), [x, *layer.parameters()])

    expected = gradients(lambda each: each)
    assert_equal(gradients(lambda each: torch.stack([each, each], -1)[..., 0]), expected, 0.0)
    for wrong in (lambda t: torch.stack([t, t]), lambda t: t.tile(2), lambda t: t.double()):
        with pytest.raises((InvalidArgumentError, DeviceError), match="CudnnRNNBackprop"):
            gradients(wrong)


@pytest.mark.slow
def test_other_tensors_in_the_place_of_parameters() -> None:
    """Shared, parametrized, or given for one call; none is overlooked, and all get gradients."""
    ours, other = pair()
    x = inputs()
    for layer in (ours, other):
        torch.nn.utils.parametrizations.weight_norm(layer, "weight_hh_l0")
    if hasattr(other, "_update_flat_weights"):
        other._init_flat_weights()
    assert_equal(ours(x)[0], other(x)[0])
    ours(x)[0].sum().backward()
    assert ours.parametrizations.weight_hh_l0.original0.grad.abs().sum() > 0
    ours, other = pair()
    doubled = {name: 2 * each.detach() for name, each in ours.named_parameters()}
    found = torch.func.functional_call(ours, doubled, (x,))
    other.load_state_dict(doubled)
    assert_equal(found, other(x))
    ours.weight_ih_l0 = torch.nn.Parameter(torch.zeros(4 * H, I))
    with torch.no_grad():
        other.weight_ih_l0.zero_()
        for name in ("weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            getattr(ours, name).mul_(2)
    assert_equal(ours(x), other(x))
    ours.weight_ih_l0 = torch.nn.Parameter(torch.zeros(4 * H, I + 1))
    with pytest.raises(InvalidArgumentError, match=r"LSTM: 'weight_ih_l0': expected shape \[20, 4"):
        ours(x)
    ours.weight_ih_l0 = torch.nn.Parameter(torch.zeros(4 * H, I).double())
    with pytest.raises(InvalidArgumentError, match=r"LSTM: "):
        ours(x)


@pytest.mark.slow
def test_pruned_weights() -> None:
    """Weight and mask may change between calls, also where weights that stay are packed."""
    ours, other = pair()
    x = inputs()

    def compare() -> None:
        with torch.no_grad():
            for _ in range(3):
                assert_equal(ours(x), other(x))
        for layer in (ours, other):
            layer.zero_grad()
            layer(x)[0].square().sum().backward()
        assert_equal(ours.weight_hh_l0_orig.grad, other.weight_hh_l0_orig.grad)

    for layer in (ours, other):
        prune.l1_unstructured(layer, "weight_hh_l0", 0.5)
    compare()
    with torch.no_grad():
        for layer in (ours, other):
            layer.weight_hh_l0_orig.mul_(2)
    compare()
    for layer in (ours, other):
        layer.weight_hh_l0_mask.fill_(1)
    compare()
    for layer in (ours, other):
        prune.remove(layer, "weight_hh_l0")
    assert_equal(ours(x), other(x))


@pytest.mark.slow
def test_parameters_that_are_swapped_when_converted() -> None:
    """torch swaps only tensors that nothing references; this may become its default."""
    ours, other = pair()
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        ours.double()
        other.double()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
    x = inputs().double()
    assert_equal(ours(x), other(x))
    assert ours.weights_buffer.holds([*ours.parameters()])


@pytest.mark.slow
def test_copies_are_layers_of_their_own() -> None:
    ours, _ = pair()
    x = inputs()
    expected = ours(x)
    buffer = io.BytesIO()
    torch.save(ours, buffer)
    buffer.seek(0)
    copies = [
        copy.deepcopy(ours),
        pickle.loads(pickle.dumps(ours)),
        torch.load(buffer, weights_only=False),
    ]
    with torch.no_grad():
        ours.weight_hh_l0.zero_()
    for each in copies:
        assert_equal(each(x), expected, 0.0)
        assert each.weights_buffer.holds([*each.parameters()])
    shared = copies[0].share_memory()
    assert shared.weight_hh_l0.is_shared()
    assert_equal(shared(x), expected, 0.0)
    wide = copies[1].double()
    assert wide(x.double())[0].dtype == torch.float64
    with pytest.raises(InvalidArgumentError, match="'input': expected dtype float64, as the weig"):
        wide(x)


@pytest.mark.slow
def test_autocast() -> None:
    ours, other = pair()
    x = inputs().requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, (h, c) = ours(x)
        assert output.dtype == h.dtype == c.dtype == torch.bfloat16
        ours(x.bfloat16())
        with torch.autocast("cpu", enabled=False):
            assert ours(x)[0].dtype == torch.float32
    output.float().sum().backward()
    assert x.grad.dtype == ours.weight_hh_l0.grad.dtype == torch.float32
    found = x.grad.clone()
    x.grad = None
    other(x)[0].sum().backward()
    assert_equal(found, x.grad, 2e-2)


@pytest.mark.slow
def test_dropout_is_drawn_from_torchs_generator() -> None:
    ours = rt.RNN(I, H, num_layers=2, dropout=0.5)
    x = inputs().requires_grad_()

    def run(seed: int) -> Any:
        torch.manual_seed(seed)
        first, again = ours(x)[0], ours(x)[0]
        assert not torch.equal(first, again)
        return first, torch.autograd.grad(first.sum(), x)[0]

    assert all(map(torch.equal, run(0), run(0)))
    assert not torch.equal(run(0)[0], run(1)[0])
    with torch.no_grad():
        assert not torch.equal(ours(x)[0], ours(x)[0]), "in training, also without gradients"
    ours.eval()
    assert torch.equal(ours(x)[0], ours(x)[0])


@pytest.mark.parametrize("used", [(0,), (1,), (2,), (0, 2)])
def test_results_that_nobody_uses(used: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no gradient, and nothing of the size of the reserve space is made for it."""
    arrived: list[Any] = []
    original = op_gradients.OpGradient.gradients

    def spy(self: Any, ctx: Any, cotangents: Any, *others: Any) -> Any:
        arrived.append(dict(zip(self.results, cotangents, strict=True)))
        return original(self, ctx, cotangents, *others)

    monkeypatch.setattr(op_gradients.OpGradient, "gradients", spy)
    ours, other = pair()
    x = inputs().requires_grad_()
    gradients: list[Any] = []
    for layer in (ours, other):
        output, (h, c) = layer(x)
        results = [(output, h, c)[each].square().sum() for each in used]
        gradients.append(torch.autograd.grad(sum(results), [x, *layer.parameters()]))
    assert_equal(*gradients)
    (values,) = arrived
    present = [name for name, value in values.items() if value is not None]
    assert present == [("output", "output_h", "output_c")[each] for each in used]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda x: (x[0, 0],), "LSTM: 'input': expected a PackedSequence, or a 2-D or 3-D tensor"),
        (lambda x: (x.numpy(),), "LSTM: 'input': expected a PackedSequence, or a 2-D or 3-D"),
        (lambda x: (x[..., 1:],), "LSTM: 'input': expected input_size = 4 features on the last"),
        (lambda x: (x.double(),), "LSTM: 'input': expected dtype float32, as the weights have"),
        (lambda x: (x[:0],), "'input': expected shape .*seq_length in 1"),
        (lambda x: (x, torch.zeros(1, B, H)), "LSTM: 'hx': expected a pair of tensors, h_0 and"),
        (lambda x: (x, [torch.zeros(1, B, H)] * 3), "LSTM: 'hx': expected a pair of tensors"),
        (lambda x: (x, (torch.zeros(1, B, H), None)), "LSTM: 'c_0': expected a tensor, got None"),
        (lambda x: (x, [torch.zeros(1, 1, H)] * 2), r"'h_0': expected shape \[1, 2, 5\], got"),
        (lambda x: (x[:, 0], [torch.zeros(1, 1, H)] * 2), r"'h_0': expected shape \[1, 5\], got"),
        (
            lambda x: (x.to("meta"),),
            "CudnnRNN: 'params': expected a tensor on meta, like the other tensors",
        ),
    ],
)
def test_what_a_layer_does_not_take(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        pair()[0](*arguments(inputs()))


@pytest.mark.slow
def test_the_default_device_is_for_new_tensors() -> None:
    """Tensors created for existing tensors are on their device."""
    ours, x = rt.RNN(I, H, num_layers=2, dropout=0.5), inputs()
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]))
    state, peephole = torch.zeros(B, H), torch.zeros(H)
    w, b = torch.randn(I + H, 4 * H), torch.zeros(4 * H)
    with torch.device("meta"):
        assert ours(x)[0].device.type == "cpu"
        ours(packed)[0].data.sum().backward()
        run = rt.block_lstm_v2(2, x, state, state, w, peephole, peephole, peephole, b)
    assert run.h.device.type == ours.weight_ih_l0.grad.device.type == "cpu"


def test_a_parameter_that_is_none() -> None:
    ours, _ = pair()
    ours.bias_hh_l0 = None
    with pytest.raises(InvalidArgumentError, match="LSTM: 'bias_hh_l0': expected a tensor, got N"):
        ours(inputs())


def test_batched_gradients_are_refused_by_name() -> None:
    ours, _ = pair()
    x = inputs().requires_grad_()
    output = ours(x)[0]
    many = torch.eye(output.numel()).view(-1, *output.shape)
    with pytest.raises(UnsupportedError, match="CudnnRNNBackprop: expected dense tensors with mem"):
        torch.autograd.grad(output, x, many, is_grads_batched=True)


def test_torchs_own_checks_of_sizes() -> None:
    with pytest.raises(ValueError, match="hidden_size must be greater than zero"):
        rt.LSTM(3, 0)
    with pytest.raises(ValueError, match="proj_size has to be smaller than hidden_size"):
        rt.LSTM(3, 4, proj_size=4)


@pytest.mark.slow
def test_one_sequence_without_states() -> None:
    ours, other = rt.RNN(I, H), torch.nn.RNN(I, H)
    ours.load_state_dict(other.state_dict())
    with torch.no_grad():
        assert_equal(ours(inputs()[:, 0]), other(inputs()[:, 0]))


@pytest.mark.slow
def test_an_empty_batch() -> None:
    ours, other = pair()
    x = torch.zeros(T, 0, I, requires_grad=True)
    assert_equal(ours(x), other(x))
    ours(x)[0].sum().backward()
    assert x.grad.shape == x.shape
    assert not ours.weight_hh_l0.grad.any()


def test_shapes_alone() -> None:
    """Layers on the device meta, which have no numbers."""
    ours, other = rt.LSTM(I, H, device="meta"), torch.nn.LSTM(I, H, device="meta")
    x = inputs().to("meta")
    assert ours(x)[0].shape == other(x)[0].shape
    assert ours(x)[0].is_meta
    assert ours.to_empty(device="cpu").weights_buffer is not None


class Rows(torch.utils.data.Dataset[Any]):
    """Each row goes through a layer, in the process that loads it."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        with torch.no_grad():
            return self.layer(inputs() + index)[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*JAX is multithreaded")  # which other tests may have loaded
def test_workers_of_a_loader() -> None:
    """Forks of a process that has run the layer, also on local-task, whose threads they lack."""
    ours, _ = pair()
    with torch.no_grad():
        expected = [ours(inputs() + k)[0] for k in range(4)]
        with rc.target("cpu", device="local-task"):
            ours(inputs())
    loader = torch.utils.data.DataLoader(
        Rows(ours), num_workers=2, batch_size=None, multiprocessing_context="fork"
    )
    assert_equal([*loader], expected, 0.0)


class Lengths(torch.utils.data.Dataset):
    """A layer's outputs for sequences of 3, 4, ... steps, each computed in a worker."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        with torch.no_grad():
            return self.layer(inputs()[:1].repeat(3 + index, 1, 1))[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*JAX is multithreaded")  # which other tests may have loaded
def test_workers_of_a_loader_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker meets a new length in a fork of a process that has compiled another."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    ours, theirs = rt.RNN(I, H), torch.nn.RNN(I, H)
    ours.load_state_dict(theirs.state_dict())
    with torch.no_grad():
        ours(inputs())
    loader = torch.utils.data.DataLoader(
        Lengths(ours), num_workers=1, batch_size=None, multiprocessing_context="fork", timeout=60
    )
    expected = [*map(Lengths(theirs).__getitem__, range(2))]
    assert_equal([*loader], expected, 1e-5)


def test_threads_at_once() -> None:
    ours, _ = pair()
    x = inputs()
    expected = ours(x)[0]
    found: list[Any] = []

    def run() -> None:
        for _ in range(20):
            y = x.clone().requires_grad_()
            output = ours(y)[0]
            output.sum().backward()
            found.append(output)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 80
    assert all(torch.equal(each, expected) for each in found)


@pytest.mark.slow
def test_torchs_threads_decide_on_ours() -> None:
    """Of work that is worth it: with one, an op runs in the calling thread."""
    calls.prepare.cache_clear()
    x, before = torch.zeros(2, 8, 1024), torch.get_num_threads()
    devices: list[str] = []
    original = calls.default_device
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "default_device", lambda *a: devices.append("asked") or original(*a))
        try:
            torch.set_num_threads(1)
            rt.RNN(1024, 4)(x)
            assert devices == []
            torch.set_num_threads(2)
            rt.RNN(1024, 4)(x)
            assert devices == ["asked"]
        finally:
            torch.set_num_threads(before)


PROGRAM = """
import os, pathlib, sys, threading, numpy, torch
import rnn_compiler.torch as rt

layer, x = rt.LSTM(4, 5), torch.randn(3, 2, 4, requires_grad=True)
kept = layer(x)
weights = [torch.ones(shape) for shape in ((9, 10), (9, 5), (10,), (5,))]
rt.gru_block_cell(torch.ones(2, 4), torch.ones(2, 5), *weights)
assert "torch._dynamo" not in sys.modules, "who only calls waits for the tracer"

torch.set_num_threads(2)
large = rt.RNN(32, 32, batch_first=True)
array = numpy.zeros(65 + 32 * 128 * 32, numpy.float32)
moved = torch.from_numpy(array[1:][: 32 * 128 * 32]).view(32, 128, 32)

def count():  # torch's threads have this one's name, those of a compiler names of their own
    tasks = pathlib.Path("/proc/self/task").glob("*/comm")
    return [task.read_text() for task in tasks].count(pathlib.Path("/proc/self/comm").read_text())

os.environ["RNN_COMPILER_DEVICE"] = "local-sync"
before = count()
output, h = large(moved)
h.backward(torch.zeros(1, 32, 32))
assert count() == before, "copies or zeros of ours wake torch's threads"
output.mul(2)
assert count() == before + 1

kept[0].sum().backward(retain_graph=True)
threading.Thread(target=lambda: [layer(x) for _ in range(100000)], daemon=True).start()
layer(x)
"""


@pytest.mark.slow
def test_a_process_of_its_own() -> None:
    """Who calls does not import a tracer, which takes a second.

    Torch's threads are left asleep: woken, they would be on our threads' processors afterwards. And
    it ends in silence, with results and graphs alive, and a thread in the middle of a call.
    """
    quiet = {**os.environ, "RNN_COMPILER_LOG": "error"}  # of compilations on a slow machine
    done = processes.python(PROGRAM, flags=["-W", "error"], env=quiet)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.slow
def test_import_rnn_compiler_imports_no_torch() -> None:
    program = "import rnn_compiler, sys; rnn_compiler.raw_ops; sys.exit('torch' in sys.modules)"
    processes.python(program)


@pytest.mark.slow
@pytest.mark.parametrize("op", ["GRUBlockCell", "CudnnRNNV3", "BlockLSTMV2"])
def test_fake_tensors_have_the_shapes_of_real_ones(op: str) -> None:
    from training.test_functions import arguments

    given = arguments(op, "float64")
    names = [*calls.tensors_of(op)]
    tensors = [given.get(name) for name in names]
    values = getattr(rc.raw_ops, op).signature.canonical(given, "float64")
    attributes = {name: values[name] for name in attributes_of(op)}
    torch.library.opcheck(library.CUSTOM_OPS[op], tensors, attributes)


@pytest.mark.slow
def test_functional_derivatives() -> None:
    ours, _ = pair()
    x = inputs()

    def loss(parameters: Any, x: Any) -> Any:
        return torch.func.functional_call(ours, parameters, (x,))[0].sum()

    found = torch.func.grad(loss)(dict(ours.named_parameters()), x)
    expected = torch.autograd.grad(ours(x)[0].sum(), [*ours.parameters()])
    assert_equal([*found.values()], [*expected])
    (found,) = torch.func.vjp(lambda x: ours(x)[0].sum(), x)[1](torch.tensor(1.0))
    x.requires_grad_()
    assert_equal(found, *torch.autograd.grad(ours(x)[0].sum(), x))
    with pytest.raises(RuntimeError, match="vmap"):
        torch.func.vmap(lambda x: ours(x)[0])(x.detach()[None].repeat(2, 1, 1, 1))


@pytest.mark.filterwarnings("ignore")  # torch.jit is deprecated
def test_jit_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match=r"CudnnRNN: torch.jit.trace is not supported"):
        torch.jit.trace(pair()[0], (inputs(),))


class Model(torch.nn.Module):
    """A layer between two others."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.lstm = rt.LSTM(I, H, **options)
        self.head = torch.nn.Linear(H, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.lstm(x.sin())[0])


def targets(graph: Any) -> list[str]:
    return [str(node.target) for node in graph.nodes if "rnn_compiler" in str(node.target)]


@pytest.mark.slow
@pytest.mark.parametrize("strict", [False, True])
def test_export_keeps_the_op_whole(strict: bool) -> None:
    model = Model().eval()
    batch = torch.export.Dim("batch")
    exported = torch.export.export(model, (inputs(),), dynamic_shapes=({1: batch},), strict=strict)
    assert targets(exported.graph) == ["rnn_compiler.cudnn_rnn.default"]
    buffer = io.BytesIO()
    torch.export.save(exported, buffer)
    buffer.seek(0)
    again = torch.export.load(buffer)
    for size in (B, B + 1):
        x = torch.randn(T, size, I)
        assert_equal(again.module()(x), model(x))


@pytest.mark.slow
def test_functions_are_traced_whole() -> None:
    """With positions, keywords and defaults."""
    torch._dynamo.reset()
    x, h = torch.randn(B, I), torch.randn(B, H)
    shapes = (I + H, 2 * H), (I + H, H), (2 * H,), (H,)
    given = x, h, *map(torch.randn, shapes)

    def step(x: Any, h: Any, *weights: Any) -> Any:
        return rt.gru_block_cell(x, h, *weights).h.sin()

    def sequence(x: Any, w: Any) -> Any:
        zeros, state = x.new_zeros(H), x.new_zeros(B, H)
        return rt.block_lstm_v2(T, x, state, state, w, *[zeros] * 3, b=w[0], cell_clip=0.5).h

    for function, arguments in ((step, given), (sequence, (inputs(), torch.randn(I + H, 4 * H)))):
        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        assert_equal(compiled(*arguments), function(*arguments))


@pytest.mark.slow
def test_compile_keeps_the_op_whole() -> None:
    """In one graph, forward and backward, dropout too."""
    torch._dynamo.reset()
    graphs: list[Any] = []

    def backend(graph: Any, examples: Any) -> Any:
        graphs.append(graph)
        return graph

    model = Model(num_layers=2)
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    x = inputs().requires_grad_()
    found, expected = compiled(x), model(x)
    assert_equal(found, expected)
    (graph,) = graphs
    assert targets(graph.graph) == ["rnn_compiler.cudnn_rnn.default"]
    moved = [x, *model.parameters()]
    gradients = [torch.autograd.grad(each.sum(), moved) for each in (found, expected)]
    assert_equal(*gradients)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    gradients[0] = torch.autograd.grad(compiled(x).sum(), moved)
    assert_equal(*gradients)
