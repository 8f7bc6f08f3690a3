"""Values that a network computes from open sizes, and lengths, give ONNX Runtime's results."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto
from onnx.helper import make_node as node
from quick import first

from tests.network_import.graphs import H, I, loaded, lstm_weights, model, saved, weight

runtime: Any = pytest.importorskip("onnxruntime")
torch: Any = pytest.importorskip("torch")
rnn: Any = torch.nn.utils.rnn

INT64 = {"n": TensorProto.INT64}
ONE = np.array([1])


def agrees(path: Path, calls: Sequence[Mapping[str, Any]]) -> rc.Module:
    """Compiles a file once and compares calls of different sizes."""
    module = rc.import_network(path)
    program = loaded(module)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for given in calls:
        for got, wanted in zip(program(**given), session.run(None, dict(given)), strict=True):
            assert np.shape(got) == wanted.shape
            np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-5, atol=1e-6)
    return module


def counts(T: int, *numbers: int) -> dict[str, Any]:
    """An input and its lengths, the longest of which is T."""
    return {"x": weight(len(numbers), T, I), "n": np.array(numbers)}


def steps_and_lengths() -> Any:
    """An LSTM over lengths that the graph computes from an input."""
    nodes = [
        node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
        node("Cast", ["n"], ["lengths"], to=TensorProto.INT32),
        node("LSTM", ["t", "W", "R", "B", "lengths"], ["y"], name="lstm", hidden_size=H),
    ]
    return model(nodes, {"x": ["batch", 5, I], "n": ["batch"]}, ["y"], lstm_weights(), dtypes=INT64)


def last_steps() -> Any:
    """The last step of each row, as sequence models select it."""
    nodes = [
        node("Sub", ["n", "one"], ["last"]),
        node("Reshape", ["last", "column"], ["r"]),
        node("Shape", ["n"], ["b"]),
        node("Concat", ["b", "one", "three"], ["e"], axis=0),
        node("Expand", ["r", "e"], ["i"]),
        node("GatherElements", ["x", "i"], ["y"], axis=1),
    ]
    weights = {"one": ONE, "three": np.array([I]), "column": np.array([-1, 1, 1])}
    return model(nodes, {"x": ["batch", "time", I], "n": ["batch"]}, ["y"], weights, dtypes=INT64)


CALLS = [counts(5, 5), counts(5, 5, 2, 3, 1)]


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
@pytest.mark.parametrize("make", [steps_and_lengths, last_steps])
def test_lengths_take_little_memory(make: Any, tmp_path: Path) -> None:
    """Sizes beyond all bounds are tried too, at which no vector may be followed by element."""
    assert rc.import_network(saved(make(), tmp_path / "m.onnx")).functions[0].open_dims


@pytest.mark.slow
@pytest.mark.parametrize("make", [steps_and_lengths, last_steps])
def test_lengths(make: Any, tmp_path: Path) -> None:
    calls = CALLS if make is steps_and_lengths else [*CALLS, counts(3, 2, 3)]
    agrees(saved(make(), tmp_path / "m.onnx"), calls)


def size(axis: int, name: str = "s") -> Any:
    return node("Shape", ["x"], [name], name=f"size of {axis}", start=axis, end=axis + 1)


def numbers(axis: int) -> list[Any]:
    """The positions along an axis: r."""
    squeezed = node("Squeeze", ["s"], ["s0"])
    return [size(axis), squeezed, node("Range", ["zero", "s0", "one0"], ["r"])]


def as_floats(name: str) -> Any:
    return node("Cast", [name], [f"{name}f"], to=TensorProto.FLOAT)


FORMS: Mapping[str, list[Any]] = {
    "positions": [*numbers(1), as_floats("r"), node("Add", ["x", "rf"], ["y"])],
    "powers of positions": [
        *numbers(1),
        node("Neg", ["r"], ["m"]),
        as_floats("m"),
        node("Pow", ["mf", "two"], ["p"]),
        node("Add", ["x", "p"], ["y"]),
    ],
    "pairs of positions": [
        *numbers(1),
        node("Unsqueeze", ["r", "axis1"], ["column"]),
        node("LessOrEqual", ["r", "column"], ["mask"]),
        as_floats("mask"),
        node("MatMul", ["x", "maskf"], ["y"]),
    ],
    "steps before a length": [
        *numbers(1),
        node("Unsqueeze", ["n", "axis1"], ["column"]),
        node("Less", ["r", "column"], ["mask"]),
        as_floats("mask"),
        node("Mul", ["x", "maskf"], ["y"]),
    ],
    "a mean": [
        size(1),
        as_floats("s"),
        node("ReduceSum", ["x", "axis1"], ["sum"]),
        node("Div", ["sum", "sf"], ["y"]),
    ],
    "rows": [
        size(0),
        node("Concat", ["s", "five"], ["shape"], axis=0),
        node("ConstantOfShape", ["shape"], ["zeros"]),
        node("Gemm", ["zeros", "w", "b"], ["state"]),
        node("MatMul", ["state", "v"], ["z"]),
        node("Add", ["z", "x0"], ["y"]),
        node("ReduceSum", ["x", "axis1"], ["x0"]),
    ],
}
"""Values that follow from sizes: [batch, time] goes to a result of any shape."""


def of_sizes(name: str) -> Any:
    nodes = sorted(FORMS[name], key=lambda each: each.output[0] == "y")
    constants = {
        **{"zero": np.array(0), "one0": np.array(1), "axis1": ONE, "two": np.float32(2)},
        **{"five": np.array([5]), "w": weight(5, 3), "b": weight(3), "v": weight(3, 1)},
    }
    read = {each for made in nodes for each in made.input}
    inputs = {each: shape for each, shape in INPUTS.items() if each in read}
    weights = {each: array for each, array in constants.items() if each in read}
    return model(nodes, inputs, ["y"], weights, dtypes=INT64)


INPUTS = {"x": ["batch", "time"], "n": ["batch"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_values_that_follow_from_sizes(name: str, tmp_path: Path) -> None:
    made = of_sizes(name)
    given = {each.name for each in made.graph.input}
    calls = [{"x": weight(b, t), "n": np.arange(b) % t} for b, t in ((1, 1), (3, 7), (4, 2))]
    calls = [{key: call[key] for key in given} for call in calls]
    agrees(saved(made, tmp_path / "m.onnx"), calls)


@pytest.mark.parametrize("rows", first(["batch", 3]))
def test_results_that_no_node_computes(rows: int | str, tmp_path: Path) -> None:
    """An input, its shape, a constant, and a result twice, as ONNX Runtime takes them."""
    nodes = [node("Neg", ["x"], ["y"]), node("Shape", ["x"], ["s"])]
    outputs, dtypes = ["y", "x", "s", "c", "y"], {"s": TensorProto.INT64}
    made = model(nodes, {"x": [rows, 2]}, outputs, {"c": weight(3)}, dtypes=dtypes)
    sizes = (3,) if rows == 3 else (1, 3)
    agrees(saved(made, tmp_path / "m.onnx"), [{"x": weight(b, 2)} for b in sizes])


class Packed(torch.nn.Module):  # type: ignore[misc]
    """A recurrent layer over rows of different lengths."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__()
        self.layer = getattr(torch.nn, kind)(I, H, batch_first=True, **options)

    def forward(self, x: Any, n: Any) -> Any:
        packed = rnn.pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
        y, state = self.layer(packed)
        last = state[0] if isinstance(state, tuple) else state
        return rnn.pad_packed_sequence(y, batch_first=True)[0], last


class LastStep(torch.nn.Module):  # type: ignore[misc]
    """The last step of each row behind a recurrent layer."""

    def __init__(self, *, by_index: bool) -> None:
        super().__init__()
        self.by_index = by_index
        self.layer = torch.nn.GRU(I, H, batch_first=True)

    def forward(self, x: Any, n: Any) -> Any:
        y, _ = self.layer(x)
        if self.by_index:
            return y[torch.arange(x.shape[0]), n - 1]
        return y.gather(1, (n - 1).view(-1, 1, 1).expand(-1, 1, H))


NETWORKS = {
    "LSTM": lambda: Packed("LSTM"),
    "GRU": lambda: Packed("GRU"),
    "RNN": lambda: Packed("RNN"),
    "both": lambda: Packed("LSTM", bidirectional=True, num_layers=2),
    "gathered": lambda: LastStep(by_index=False),
    "indexed": lambda: LastStep(by_index=True),
}


def exported(name: str, path: Path, *, dynamo: bool, axes: Mapping[int, str]) -> Path:
    """A network as PyTorch exports it, with open axes."""
    network, example = NETWORKS[name]().eval(), (torch.randn(3, 5, I), torch.tensor([5, 4, 2]))
    given: dict[str, Any] = {"x": axes, "n": {0: "batch"}}
    given = {"dynamic_shapes": given} if dynamo else {"dynamic_axes": given}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, example, str(path), input_names=["x", "n"], dynamo=dynamo, **given
        )
    return path


@pytest.mark.slow
@pytest.mark.parametrize("axes", [{0: "batch"}, {0: "batch", 1: "time"}], ids=["batch", "both"])
@pytest.mark.parametrize("name", NETWORKS)
def test_packed_sequences(name: str, axes: Mapping[int, str], tmp_path: Path) -> None:
    path = exported(name, tmp_path / "m.onnx", dynamo=False, axes=axes)
    agrees(path, [*CALLS, counts(7, 7, 1)] if 1 in axes else CALLS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gathered", "indexed"])
def test_last_steps_of_the_other_exporter(name: str, tmp_path: Path) -> None:
    """It does not take packed sequences."""
    pytest.importorskip("onnxscript")
    agrees(exported(name, tmp_path / "m.onnx", dynamo=True, axes={0: "batch"}), CALLS)
