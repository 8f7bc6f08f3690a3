"""The README of `rnn-compiler import`: its code runs unchanged, and keeps the state of a stream."""

from __future__ import annotations

import json
import re
import shlex
import sysconfig
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import processes
import pytest
from js.calling import needs_node, node
from quick import first

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.cli.import_readme import CLanguage, ImportedFunctions, readme
from rnn_compiler.schema.manifest import TargetSpec

pytest.importorskip("google.protobuf", reason="reads ONNX files and graphs")
pytest.importorskip("google_crc32c", reason="checks SavedModels")

MODELS = Path(__file__).parents[1] / "model_files"
SPEECH = str(MODELS / "speech_frozen.pb")
KERAS = [str(MODELS / "keras3.keras"), "--layer", "first", "--dim", "batch_size=2"]
NODES = [str(MODELS / "onnx_nodes.onnx"), "--layer", "newer"]
OLDER = [str(MODELS / "onnx_nodes.onnx"), "--layer", "older"]


def _imported(folder: Path, *arguments: str) -> str:
    """The README of an import."""
    assert main(["import", "-o", str(folder), *arguments]) == 0
    return (folder / "README.md").read_text()


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def _run(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """The variables after running all Python of a README, with ones as the model's input."""
    code = "\n".join(_blocks(text, "python"))
    code = re.sub(r'("(?:input|x|X)": np\.)zeros', r"\1ones", code)
    exec(code, names)
    return names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "states", "after"),
    first(
        [
            (KERAS, ("input_h", "input_c"), lambda out: (out.output_h, out.output_c)),
            ([SPEECH], ("h_prev", "cs_prev"), lambda out: (out.h[-1], out.cs[-1])),
            (
                [*KERAS, "--weights-apart"],
                ("input_h", "input_c"),
                lambda out: (out.output_h, out.output_c),
            ),
            (
                [*NODES, "--dim", "seq_length=?,batch_size=?"],
                ("input_h",),
                lambda out: (out.output_h,),
            ),
            (
                [*OLDER, "--dim", "seq_length=4,batch_size=2"],
                ("initial_h",),
                lambda out: (out.Y_h,),
            ),
        ]
    ),
)
def test_the_state_is_kept(
    model: list[str], states: tuple[str, ...], after: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The README's second chunk goes on where its first ended, and so does IREE's own tool."""
    text = _imported(tmp_path, *model)
    monkeypatch.chdir(tmp_path)
    names = _run(text, {})
    program, given, second = names["program"], names["given"], names["out"]
    for state in states:
        assert f'"{state}": np.zeros(' in text
        assert f'{state}=given["{state}"]' in text
    assert "program.stream(" in text
    one = program(**given)
    two = program(**{**given, **dict(zip(states, after(one), strict=True))})
    given_out = one._fields[0]
    assert not np.array_equal(getattr(one, given_out), getattr(two, given_out))
    for field in second._fields:
        np.testing.assert_array_equal(getattr(second, field), getattr(two, field))
    (command,) = [each for each in _blocks(text, "sh") if each.startswith("iree-run-module")]
    tool, *flags = shlex.split(command)
    tool = str(Path(sysconfig.get_path("scripts")) / tool)
    goes_on = "a second run continues" in text
    for expected in (one, two if goes_on else one):
        processes.run(tool, *flags)
        outputs = [flag.partition("@")[2] for flag in flags if flag.startswith("--output=")]
        for file, array in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(np.load(file), array)
    (command,) = [each for each in _blocks(text, "sh") if each.startswith("rnn-compiler")]
    assert main(shlex.split(command)[1:]) == 0


@pytest.mark.slow
def test_for_inference_on_which_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cli: Any
) -> None:
    """The README says that an op trained in the model is for inference; C needs such an op."""
    folder = tmp_path / "gradient"
    with ZipFile(MODELS / "cudnn_gradient.zip") as file:
        file.extractall(folder)
    model = [str(folder), "--layer", "CudnnRNNV3", "--attr", "is_training=false"]
    text = _imported(tmp_path / "made", *model, "--format", "c", "--target", "cpu:generic")
    assert "For inference." in text
    assert "training" not in text
    assert "Compiled for `cpu:generic`." in text
    assert "- as `input_h`, the previous call's `output_h`" in text
    assert re.search(r"`sequence_lengths`: .*\. A row with 0 has no step\.", text)
    header = (tmp_path / "made" / "gradient.h").read_text()
    assert "output_h" in header
    assert "reserve" not in header
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == [str(tmp_path / "made" / f"gradient.{end}") for end in ("h", "c")]
    printed = cli("import", *model[:3], "-o", tmp_path / "all", "--format", "c", "--json").out
    assert str(tmp_path / "all" / "gradient.o") in json.loads(printed)["files"]
    text = (tmp_path / "all" / "README.md").read_text()
    assert "For training; `--attr is_training=false` makes one for inference." in text
    assert re.search(r"Compiled for `cpu`, the \w+ processor of the machine that compiled", text)
    assert re.search(r"For other machines compile with `--target cpu:[\w-]+`\.", text)


def test_notes_name_no_program_in_c() -> None:
    (layer,) = rc.import_model(SPEECH)
    (function,) = layer.build().functions
    target = TargetSpec("cpu:generic", "local", "x86_64", ())
    text = readme(ImportedFunctions(["speech"], [function], [layer]), CLanguage, "speech", [target])
    assert "- cs_prev is kept from call to call, in the variable previous_state/c\n" in text
    assert "program.stream" not in text


def test_format_c_is_for_compiling(tmp_path: Path, cli: Any) -> None:
    printed = cli("import", SPEECH, "--format", "c", code=2).err
    assert "--format is for compiling: name a folder with -o" in printed
    targets = ["--target", "cpu", "--target", "cpu:generic"]
    folder = str(tmp_path / "made")
    printed = cli("import", SPEECH, "-o", folder, "--format", "c", *targets, code=2).err
    assert "--format c: takes one target" in printed


@needs_node
def test_javascript_of_an_array_with_two_open_sizes(tmp_path: Path) -> None:
    """Its length does not say both."""
    onnx = pytest.importorskip("onnx")
    kind = onnx.TensorProto.FLOAT
    values = [onnx.helper.make_tensor_value_info(n, kind, ["rows", "columns"]) for n in "xy"]
    nodes = [onnx.helper.make_node("Neg", ["x"], ["y"])]
    made = onnx.helper.make_graph(nodes, "g", values[:1], values[1:])
    opset = onnx.helper.make_opsetid("", 17)
    onnx.save(
        onnx.helper.make_model(made, opset_imports=[opset], ir_version=8), tmp_path / "m.onnx"
    )
    text = _imported(tmp_path / "js", str(tmp_path / "m.onnx"), "--whole", "--format=js")
    code = "".join(_blocks(text, "js")) + "console.log(out.y.length);"
    assert node(tmp_path / "js", code) == "36\n"


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("apart", first([[], ["--weights-apart"]]))
def test_javascript(apart: list[str], tmp_path: Path) -> None:
    """The README's calls run, and its stream continues where the first chunk ended."""
    text = _imported(tmp_path, *NODES, "--format=js", "--dim=seq_length=?,batch_size=?", *apart)
    code = "".join(_blocks(text, "js"))
    assert "// out.output: float32 [seq_length, batch_size, " in code
    code = re.sub(r"(input|params): (.*),\n", r"\1: \2.fill(0.1),\n", code)
    check = """
    const longer = new Float32Array(2 * 7 * 5 * 3).fill(0.1);
    const twice = { ...given, input: longer, sequence_lengths: new Int32Array(5).fill(14) };
    const { output } = m.newer(twice), last = stream.state.input_h;
    console.log(output.slice(-25).every((value, k) => value === last[k]), last.some((v) => v));
    """
    assert node(tmp_path, code + check) == "true true\n"
