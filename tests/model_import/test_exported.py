"""Programs of torch.export.save: the layers of the state dict, with what the graph tells."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, UnsupportedError

torch: Any = pytest.importorskip("torch")


class Exported(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.LSTM(3, 5, 2, batch_first=True, bidirectional=True)
        self.second = torch.nn.GRU(10, 4)
        self.third = torch.nn.RNN(4, 3, nonlinearity="relu", batch_first=True)
        self.cell = torch.nn.RNNCell(3, 4, nonlinearity="relu")
        self.head = torch.nn.Linear(4, 2)
        self.register_buffer("count", torch.zeros(2, dtype=torch.int64))

    def forward(self, x: Any) -> Any:
        y = self.third(self.second(self.first(x)[0])[0])[0]
        return self.head(self.cell(y[0])) + self.count


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of a module, and its state dict next to it."""
    folder = tmp_path_factory.mktemp("exported")
    module = Exported().eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own
        program = torch.export.export(module, (torch.randn(2, 7, 3),))
        torch.export.save(program, folder / "model.pt2")
    torch.save(module.state_dict(), folder / "model.pt")
    return folder / "model.pt2"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".pt2", ".net"])
def test_an_exported_program(suffix: str, exported: Path, tmp_path: Path) -> None:
    """Weights by the names of the state dict; the graph tells what that does not."""
    path = shutil.copy(exported, tmp_path / f"model{suffix}")
    wanted = {layer.name: layer for layer in rc.import_model(exported.with_suffix(".pt"))}
    found = {layer.name: layer for layer in rc.import_model(path)}
    assert list(found) == ["first", "second", "third", "cell"]
    for name, layer in wanted.items():
        np.testing.assert_array_equal(found[name].weights["params"], layer.weights["params"])
        assert found[name].dims == layer.dims
    told = [(each.attributes["rnn_mode"], each.attributes["time_major"]) for each in found.values()]
    assert told == [("lstm", False), ("gru", True), ("rnn_relu", False), ("rnn_relu", True)]
    notes = " ".join(note for each in found.values() for note in each.notes)
    assert "assumes" not in notes
    assert "not in the file" not in notes


def rewritten(path: Path, folder: Path, changes: Mapping[str, Callable[[str], str | None]]) -> Path:
    """A program whose members that end in some names are changed, or left out."""
    changed = folder / "changed.pt2"
    with ZipFile(path) as file, ZipFile(changed, "w") as other:
        for member in file.infolist():
            data: Any = file.read(member)
            for end, change in changes.items():
                data = change(data.decode()) if member.filename.endswith(end) else data
            if data is not None:
                other.writestr(member.filename, data)
    return changed


CONFIG, MODEL = "_weights_config.json", "/models/model.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({CONFIG: lambda text: None}, "not a file of one model from torch.export.save"),
        ({CONFIG: lambda text: text[:-1]}, "is not JSON"),
        ({CONFIG: lambda text: "[]"}, "is not a JSON object"),
        ({MODEL: lambda text: None}, "it has no .*model.json"),
        ({CONFIG: lambda text: text.replace('"sizes"', '"size"')}, "the entry of .* is incomplete"),
        ({CONFIG: lambda text: text.replace('"as_int": 20', '"as_int": 21')}, "more elements than"),
        ({CONFIG: lambda text: text.replace('"as_int": 20', '"as_int": -1')}, "has no sizes"),
        ({CONFIG: lambda text: text.replace('"as_int": 0', '"as_int": 1')}, "more elements than"),
        ({CONFIG: lambda text: text.replace('"weight_0"', '"weight"')}, "more elements than"),
        ({"/byteorder": lambda text: "big"}, "big-endian"),
    ],
    ids=range(10),
)
def test_a_damaged_program(changes: Any, told: str, exported: Path, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=told):
        rc.import_model(rewritten(exported, tmp_path, changes))


def test_a_program_whose_graph_tells_nothing(exported: Path, tmp_path: Path) -> None:
    """The weights are there all the same, and notes say what is not known."""
    path = rewritten(exported, tmp_path, {MODEL: lambda text: text.replace('"nodes"', '"steps"')})
    first, _, third, _ = rc.import_model(path)
    assert "the import assumes False" in first.notes[0]
    assert any("tanh or relu is not in the file" in note for note in third.notes)


def test_weights_of_other_types(exported: Path, tmp_path: Path) -> None:
    """They are not taken for missing: a module without biases computes something else."""

    def integers(text: str) -> str:
        listed = json.loads(text)
        for name, entry in listed["config"].items():
            if name.startswith("second.bias"):
                entry["tensor_meta"]["dtype"] = 4
        return json.dumps(listed)

    path = rewritten(exported, tmp_path, {CONFIG: integers})
    message = "second has bias_ih_l0 of the class torch.Tensor, bias_hh_l0 of .* is not read"
    with pytest.raises(UnsupportedError, match=message):
        rc.import_model(path)
    assert len(rc.import_model(path, layers=["first"])) == 1


def test_a_program_of_an_older_torch(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "model.pt2", "w") as file:
        file.writestr("serialized_exported_program.json", "{}")
    with pytest.raises(UnsupportedError, match=r"save program\.state_dict with torch\.save"):
        rc.import_model(tmp_path / "model.pt2")
    (tmp_path / "text.pt2").write_text("text")
    with pytest.raises(ArtifactError, match="no zip file"):
        rc.import_model(tmp_path / "text.pt2")
