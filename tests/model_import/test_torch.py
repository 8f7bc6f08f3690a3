"""Modules of PyTorch that are not torch's own are refused or noted; their other weights count."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError

torch: Any = pytest.importorskip("torch")
T = torch.zeros

LSTM = {"weight_ih": T(20, 3), "weight_hh": T(20, 5)}
BIASES = {"bias_ih": T(20), "bias_hh": T(20)}


def under(prefix: str, tensors: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}{name}": tensor for name, tensor in tensors.items()}


def numbered(tensors: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}_l0": tensor for name, tensor in tensors.items()}


def normed(**how: Any) -> dict[str, Any]:
    """The state dict of an LSTM whose first matrix is computed from others."""
    module = torch.nn.LSTM(3, 5)
    if how:
        torch.nn.utils.parametrizations.weight_norm(module, "weight_hh_l0")
    else:
        with pytest.warns(FutureWarning):
            torch.nn.utils.weight_norm(module, "weight_hh_l0")
    return module.state_dict()


NOT_TORCH = r", which torch\.nn's LSTM, GRU, RNN and cells do not have: if the layer computes "


@pytest.mark.parametrize(
    ("tensors", "told"),
    [
        ({**LSTM, "bias": T(20)}, "rnn has weights bias [20]"),
        (
            {**LSTM, **BIASES, "weight_ci": T(5), "weight_cf": T(5)},
            "rnn has weights weight_ci [5], weight_cf [5]",
        ),
        ({**LSTM, **BIASES, "norm.weight": T(20)}, "rnn has weights norm.weight [20]"),
        ({**numbered({**LSTM, **BIASES}), "h0": T(5)}, "rnn has weights h0 [5]"),
        (
            {**numbered({**LSTM, **BIASES}), "weight_ih_l0_mask": T(20, 3)},
            "rnn has weights weight_ih_l0_mask [20, 3]",
        ),
        (
            {"weight_hh_l0_raw": T(20, 5), **under("module.", numbered({**LSTM, **BIASES}))},
            "rnn.module has weights weight_hh_l0_raw [20, 5]",
        ),
        ({"weight_ih.weight": T(20, 3)}, "rnn has weights weight_ih.weight [20, 3]"),
        (normed(), "rnn has weights weight_hh_l0_g [20, 1], weight_hh_l0_v [20, 5]"),
        (
            normed(new=True),
            "rnn has weights parametrizations.weight_hh_l0.original0 [20, 1], "
            "parametrizations.weight_hh_l0.original1 [20, 5]",
        ),
    ],
    ids=range(9),
)
def test_other_weights_of_a_module(tensors: dict[str, Any], told: str, tmp_path: Path) -> None:
    """They are named, beside layers that can be imported and alone in a file."""
    path = tmp_path / "model.pt"
    other = under("other.", torch.nn.GRU(3, 5).state_dict())
    torch.save({**under("rnn.", tensors), **other, "head.weight": T(2, 5)}, path)
    with pytest.raises(UnsupportedError, match=re.escape(told) + NOT_TORCH) as caught:
        rc.import_model(path)
    assert "select the others with layers=['other']" in str(caught.value)
    assert [layer.name for layer in rc.import_model(path, layers=["other"])] == ["other"]
    torch.save(tensors, path)
    with pytest.raises(UnsupportedError, match=re.escape(told.partition(" has ")[2]) + NOT_TORCH):
        rc.import_model(path)


class Peephole(torch.nn.LSTMCell):
    def __init__(self) -> None:
        super().__init__(3, 5)
        self.weight_ci = torch.nn.Parameter(T(5))


class Turned(torch.nn.GRU):
    """A layer with the weights of torch's that computes something else."""


class Model(torch.nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer
        self.example = T(2, 3) if isinstance(layer, torch.nn.RNNCellBase) else T(2, 1, 3)

    def forward(self, x: Any) -> Any:
        return self.layer(x)


WAYS: list[Callable[[Any, Path], object]] = [
    lambda module, path: torch.save(module.state_dict(), path),
    lambda module, path: torch.save({"model": module.state_dict(), "epoch": 3}, path),
    torch.save,
    lambda module, path: torch.jit.trace(module, module.example).save(path),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("save", WAYS, ids=["state_dict", "checkpoint", "module", "script"])
def test_other_weights_in_every_kind_of_file(save: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    save(Model(Peephole()), path)
    with pytest.raises(UnsupportedError, match=rf"layer has weights weight_ci \[5\]{NOT_TORCH}"):
        rc.import_model(path)


def test_weights_under_two_names_are_two_layers(tmp_path: Path) -> None:
    """As in paddle's state dicts."""
    arrays = torch.nn.LSTM(3, 5).state_dict()
    twice = {**arrays, **{f"0.cell.{name[:-3]}": array for name, array in arrays.items()}}
    torch.save(twice, tmp_path / "model.pt")
    assert [layer.name for layer in rc.import_model(tmp_path / "model.pt")] == ["lstm", "0.cell"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_the_class_of_a_module_and_the_functions_of_a_cell(tmp_path: Path) -> None:
    """Both are in files of whole modules."""
    path = tmp_path / "model.pt"
    torch.save(Model(Turned(3, 5)), path)
    (layer,) = rc.import_model(path)
    (note,) = layer.notes
    assert note.startswith(f"its class is {__name__}.Turned, whose code is not read")
    WAYS[-1](Model(Turned(3, 5)), path)
    assert rc.import_model(path)[0].notes[0].startswith(f"its class is {__name__}.Turned")
    torch.save(Model(torch.nn.RNNCell(3, 5, nonlinearity="relu")), path)
    (layer,) = rc.import_model(path)
    assert layer.attributes["rnn_mode"] == "rnn_relu"
    assert layer.notes == (
        "a cell, which the model calls for each step: seq_length=1, or all steps",
    )
    torch.save(Model(torch.nn.RNNCell(3, 5)), path)
    (layer,) = rc.import_model(path)
    assert (layer.attributes["rnn_mode"], len(layer.notes)) == ("rnn_tanh", 1)


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::torch.jit.TracerWarning"
)
@pytest.mark.parametrize("save", WAYS, ids=["state_dict", "checkpoint", "module", "script"])
@pytest.mark.parametrize("layer", [torch.nn.LSTM, torch.nn.GRUCell])
def test_what_torch_has_quantized(layer: Any, save: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    model = torch.ao.quantization.quantize_dynamic(Model(layer(3, 5)), {layer}, dtype=torch.qint8)
    save(model, path)
    message = "layer has weights that torch quantized, in a form .*: save the float model"
    with pytest.raises(UnsupportedError, match=message):
        rc.import_model(path)


@pytest.mark.parametrize("suffix", [".pth", ".ckpt", ".bin", ".safetensors"])
def test_state_dicts_by_other_names(suffix: str, tmp_path: Path) -> None:
    """As Lightning and Hugging Face name their checkpoints; the layers are those of a .pt file."""
    arrays = under("model.encoder.", torch.nn.GRU(3, 5, bidirectional=True).state_dict())
    torch.save(arrays, tmp_path / "model.pt")
    if suffix == ".safetensors":
        pytest.importorskip("safetensors")
        rc.weights.save(tmp_path / "model.safetensors", arrays)
    else:
        torch.save(arrays, tmp_path / f"model{suffix}")
    (wanted,) = rc.import_model(tmp_path / "model.pt")
    (found,) = rc.import_model(tmp_path / f"model{suffix}")
    assert (found.name, found.attributes, found.dims) == (
        *("model.encoder", wanted.attributes, wanted.dims),
    )
    np.testing.assert_array_equal(found.weights["params"], wanted.weights["params"])


def test_a_safetensors_file_that_is_damaged(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    path = tmp_path / "model.safetensors"
    data = rc.weights.save(path, torch.nn.GRU(3, 5).state_dict()).read_bytes()
    for damaged in (data[:-1], data[:20], b"", b"\xff" * 100):
        path.write_bytes(damaged)
        with pytest.raises(ArtifactError, match="damaged"):
            rc.import_model(path)


def test_a_safetensors_file_of_float8(tmp_path: Path) -> None:
    """It is no damaged file."""
    save = pytest.importorskip("safetensors.torch").save_file
    arrays = torch.nn.GRU(3, 5).state_dict()
    save({**arrays, "scale": T(2).to(torch.float8_e4m3fn)}, tmp_path / "model.safetensors")
    for read in (rc.import_model, rc.weights.load):
        with pytest.raises(UnsupportedError, match="expected tensors of types that numpy has"):
            read(tmp_path / "model.safetensors")


def test_tensors_that_repeat_their_elements(tmp_path: Path) -> None:
    """A file of a few bytes cannot become a large array this way."""
    arrays = torch.nn.GRU(3, 5).state_dict()
    arrays["bias_ih_l0"] = torch.tensor(0.25).expand(15)
    torch.save(arrays, tmp_path / "model.pt")
    (layer,) = rc.import_model(tmp_path / "model.pt")
    numbers = {name: array.numpy() for name, array in arrays.items()}
    wanted = rc.weights.from_torch(numbers, rnn_mode="gru")
    np.testing.assert_array_equal(layer.weights["params"], wanted)
    large = dict.fromkeys(("weight_ih_l0", "weight_hh_l0"), T(1).expand(3 * 2**15, 2**15))
    torch.save(large, tmp_path / "large.pt")
    with pytest.raises(ArtifactError, match="its weights would take more than"):
        rc.import_model(tmp_path / "large.pt")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_files_without_named_tensors(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({"w": np.zeros(3)}, path)
    with pytest.raises(
        InvalidArgumentError, match=r"objects of numpy.* to rc\.weights\.from_torch"
    ):
        rc.import_model(path)
    module = Model(torch.nn.GRU(3, 5)).eval()
    torch.jit.freeze(torch.jit.trace(module, module.example)).save(path)
    with pytest.raises(InvalidArgumentError, match=r"a frozen script's weights have no names"):
        rc.import_model(path)
    torch.save({}, path)
    with pytest.raises(InvalidArgumentError, match=r"which has no tensors with names$"):
        rc.import_model(path)


def test_a_module_without_its_first_matrices(tmp_path: Path) -> None:
    arrays = torch.nn.LSTM(3, 5, num_layers=2).state_dict()
    torch.save(
        {name: each for name, each in arrays.items() if "_l0" not in name}, tmp_path / "m.pt"
    )
    with pytest.raises(UnsupportedError, match="without weight_ih_l0 and weight_hh_l0, which"):
        rc.import_model(tmp_path / "m.pt")


KINDS: dict[str, Callable[[Any], Any]] = {
    "_rebuild_sparse_tensor": lambda tensor: tensor.to_sparse(),
    "_rebuild_meta_tensor_no_storage": lambda tensor: tensor.to("meta"),
    "_rebuild_tensor_v": lambda tensor: tensor.to(torch.float8_e4m3fn),
    "numpy": lambda tensor: tensor.numpy(),
    "list": lambda tensor: tensor.tolist(),
}
"""What may stand in place of tensors of floats, by its class in the file."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["bias", "weight_hh", ""])
def test_weights_that_are_not_read(kind: str, part: str, tmp_path: Path) -> None:
    """They are not taken for missing: a module without biases computes something else."""
    arrays = torch.nn.LSTM(3, 5).state_dict()
    path = tmp_path / "model.pt"
    torch.save(
        {f"rnn.{k}": KINDS[kind](v) if k.startswith(part) else v for k, v in arrays.items()}, path
    )
    message = rf"rnn has {part}.*_l0 of the class .*{kind}.*, which is not read: save it as a dense"
    with pytest.raises(UnsupportedError, match=message):
        rc.import_model(path)
    with pytest.raises(
        UnsupportedError, match=rf"rnn\.{part}.*_l0 is .*{kind}.*, which is not read"
    ):
        rc.weights.load(path)


def test_cells_without_biases(tmp_path: Path) -> None:
    """They are None in whole modules, which is no tensor either."""
    module = torch.nn.GRUCell(3, 5, bias=False)
    torch.save(module, tmp_path / "model.pt")
    (layer,) = rc.import_model(tmp_path / "model.pt")
    arrays = {name: each.numpy() for name, each in module.state_dict().items()}
    wanted = rc.weights.from_torch(arrays, rnn_mode="gru")
    np.testing.assert_array_equal(layer.weights["params"], wanted)


def test_a_prefix_that_is_not_given() -> None:
    """The names say which prefixes there are."""
    arrays = under("encoder.rnn.", torch.nn.GRU(3, 5).state_dict())
    with pytest.raises(InvalidArgumentError) as caught:
        rc.weights.from_torch(arrays, rnn_mode="gru")
    assert str(caught.value).endswith("; pass prefix='encoder.rnn.' (--prefix encoder.rnn.)")
    two = arrays | under("cell.", torch.nn.GRUCell(3, 5).state_dict())
    for prefix in ("", "decoder."):
        with pytest.raises(InvalidArgumentError) as caught:
            rc.weights.from_torch(two, rnn_mode="gru", prefix=prefix)
        text = "pass one of prefix='encoder.rnn.', prefix='cell.' (--prefix encoder.rnn.)"
        assert str(caught.value).endswith(text)
    with pytest.raises(InvalidArgumentError, match=r"got only \['weight_ih'\]$"):
        rc.weights.from_torch({"weight_ih": T(15, 3)}, rnn_mode="gru")
