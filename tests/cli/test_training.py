"""`rnn-compiler import --train`: what it writes trains, by the code of its README."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import processes
import pytest
from js.calling import needs_node, node

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import model, saved, weight

OPTIONS = ("--train", "cross_entropy,mask=true", "--optimizer", "sgd,momentum=0.5,clip_norm=1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A network that embeds words and classifies them."""
    nodes = [
        helper.make_node("Gather", ["table", "words"], ["rows"]),
        helper.make_node("MatMul", ["rows", "fc.weight"], ["classes"]),
    ]
    weights = {"table": weight(9, 4), "fc.weight": weight(4, 5)}
    kinds = {"words": TensorProto.INT64}
    made = model(nodes, {"words": ["rows", 3]}, ["classes"], weights, dtypes=kinds)
    return saved(made, tmp_path / "words.onnx")


def page(file: Path, cli: Any, *options: str) -> str:
    """The README of what is written beside a file."""
    folder = file.with_name("made")
    cli("import", file, *OPTIONS, "-o", folder, *options)
    return (folder / "README.md").read_text()


def block(text: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)
    return found


def falls(printed: str) -> None:
    """Checks the losses that a program prints."""
    losses = [float(each) for each in printed.split()]
    assert len(losses) == 10
    assert losses[0] > losses[-1] > 0


@pytest.mark.slow
def test_the_readme_trains_in_python(
    file: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page(file, cli)
    monkeypatch.chdir(file.with_name("made"))
    capsys.readouterr()
    names: dict[str, Any] = {}
    exec(block(text, "python"), names)
    falls(capsys.readouterr().out)
    assert names["out"].classes.shape == (names["rows"], 3, 5)
    assert Path("trained.safetensors").exists()
    assert "| state | `fc_weight_m` | float32[4,5] |" in text


@pytest.mark.slow
def test_the_readme_trains_in_c(file: Path, cli: Any) -> None:
    text = page(file, cli, "--format", "c", "--dim", "rows=2", "--target", "cpu:generic")
    folder = file.with_name("made")
    (folder / "main.c").write_text(block(text, "c"))
    processes.run(*block(text, "sh").split(), "-std=c11", "-Wall", "-Werror", cwd=folder)
    falls(processes.run(folder / "main").stdout)


@pytest.mark.slow
def test_the_readme_counts_all_steps_and_labels_in_c(tmp_path: Path, cli: Any) -> None:
    """Lengths of zero would leave nothing to learn."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    made = model(nodes, {"x": [6, 2, 4]}, ["y"], {"w": weight(4, 5)})
    file, folder = saved(made, tmp_path / "reader.onnx"), tmp_path / "made"
    options = ("--train", "ctc,labels=2,blank=4", "--format", "c", "--target", "cpu:generic")
    cli("import", file, *options, "-o", folder)
    text = (folder / "README.md").read_text()
    (folder / "main.c").write_text(block(text, "c").replace("x[48];", "x[48] = {1, 2, 3};"))
    processes.run(*block(text, "sh").split(), "-std=c11", "-Wall", "-Werror", cwd=folder)
    falls(processes.run(folder / "main").stdout)


@pytest.mark.slow
@needs_node
def test_the_readme_trains_in_javascript(file: Path, cli: Any) -> None:
    text = page(file, cli, "--format", "js")
    falls(node(file.with_name("made"), block(text, "js")))


def test_without_a_folder(file: Path, cli: Any) -> None:
    """It says what there is, as a table or as JSON."""
    printed = cli("import", file, *OPTIONS, "--trainable", "fc.*").out
    assert re.search(r"^state +fc_weight +", printed, re.M)
    assert "table" not in printed.partition("next:")[0]
    assert "'--trainable=fc.*' -o FOLDER" in printed
    facts = json.loads(cli("import", file, *OPTIONS, "--json").out)
    assert facts["trained"] == ["table", "fc_weight"]
    assert facts["states"] == ["table", "fc_weight", "table_m", "fc_weight_m"]
    assert facts["inputs"] == ["words", "target", "mask", "learning_rate"]
    assert facts["outputs"] == ["loss", "classes"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--optimizer", "sgd"], "--optimizer is for training: give --train LOSS too"),
        (["--train", "hinge"], "expected one of 'cross_entropy'"),
        (["--train", "cross_entropy,mask"], "--train 'mask': expected NAME=VALUE"),
        (["--train", "cross_entropy,mask=perhaps"], "--train mask=perhaps: expected a number"),
        (["--train", "cross_entropy,class_weights=1:2"], "got 2 class_weights"),
        (["--train", "ctc", "--state", "a=b"], "--state is not for --train"),
        (["--train", "ctc", "--value", "words=x"], "--value words=x: expected a number"),
        (["--train", "ctc", "--value", "rate=1"], "expected an input"),
        (["--train", "ctc", "--format", "c"], "are for compiling: name a folder with -o"),
        (["--train", "cross_entropy", "--loss-output", "y"], "expected one of the outputs classes"),
    ],
)
def test_wrong_options(options: list[str], message: str, file: Path, cli: Any) -> None:
    assert message in cli("import", file, *options, code=2).err


@pytest.mark.slow
def test_words_and_numbers(file: Path, cli: Any) -> None:
    """Lists have colons; a tensor of numbers for classes has one for each."""
    options = "cross_entropy,class_weights=1:0.5:2:0:1,axis=-1"
    facts = json.loads(cli("import", file, "--train", options, "--json").out)
    assert facts["states"][-1] == "fc_weight_v"
