"""`link` and `compile` write the same files in every format."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx.parser
import pytest
from quick import marked_slow

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.cli.formats import PRODUCTS, SourceFiles
from rnn_compiler.cli.import_readme import CLanguage
from rnn_compiler.cli.training_readme import c_loop
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import resolve_strategy
from rnn_compiler.schema.formats import FORMATS, Format
from rnn_compiler.source_compilation import SourceModule, compile_code

SIZES = {"batch_size": 2, "input_size": 3, "num_units": 4}

CALL = """
func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>,
    tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func @step(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
    %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
  %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc) : (tensor<2x3xf32>,
    tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %r#3 : tensor<2x4xf32>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "files"),
    [
        marked_slow(("vmfb", ["made", "made.json"])),
        ("c", ["model.c", "model.h", "model.json", "model.o"]),
        marked_slow(("js", ["model.d.ts", "model.json", "model.mjs", "model.wasm"])),
    ],
)
def test_a_module_of_the_users(form: str, files: list[str], tmp_path: Path, cli: Any) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(CALL)
    made = tmp_path / "out" / "made"
    made.parent.mkdir()
    target = [] if form == "js" else ["--target", "cpu:generic"]
    facts = json.loads(cli("link", path, "--format", form, *target, "-o", made, "--json").out)
    assert facts["functions"] == ["step"]
    folder = made.parent if form == "vmfb" else made
    assert sorted(each.name for each in folder.iterdir()) == files


def test_options_of_other_formats(tmp_path: Path, cli: Any) -> None:
    """They are refused before anything is read."""
    rows = {
        ("--format", "js", "--golden"): "--golden: not with --format js",
        ("--prefix",): "--prefix is for C: add --format c",
        ("--format", "c", "--target", "cpu", "--target", "cpu:generic"): "takes one target",
    }
    for flags, part in rows.items():
        assert part in cli("link", tmp_path / "none.mlir", *flags, code=2).err


@pytest.mark.slow
def test_modules_in_sources_are_saved_as_they_say(tmp_path: Path) -> None:
    """In C and in JavaScript: the manifest lists every other file."""
    module = rc.build("GRUBlockCell", **SIZES)
    for made in (rc.compile_c(module, "cpu:generic"), rc.compile_js(module)):
        folder = made.save(tmp_path / made.manifest["format"])
        listed = [*made.manifest["files"], f"{made.name}.json"]
        assert sorted(path.name for path in folder.iterdir()) == sorted(listed)
        assert {name: (folder / name).read_bytes() for name in made.parts} == made.parts


class _Toy(SourceFiles):
    """The names of functions, one a line: a fourth format."""

    language = CLanguage
    loop = staticmethod(c_loop)

    def printed(self, options: argparse.Namespace, target: str, name: str) -> SourceModule:
        resolved = resolve_target(target)
        strategy = resolve_strategy(None, resolved, "compile_toy")
        code = compile_code(self.module, resolved, strategy, self.chosen["timeout"])
        read, _ = code.read("compile_toy", "Toy")
        text = "".join(f"{spec.function}\n" for spec in self.module.functions)
        assert len(read) == len(self.module.functions)
        parts = {f"{name}.toy": text.encode()}
        rows = [{"function": spec.function, "op": spec.op} for spec in self.module.functions]
        return SourceModule(name, parts, code.manifest("toy", name, rows, parts))

    @property
    def next(self) -> str:
        return f"toy {self.path}"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers a fourth format: a row, and what makes it."""
    row = Format("Toy", "compile_toy", "a list of names", ("a folder with NAME.toy",))
    monkeypatch.setitem(FORMATS, "toy", replace(row, target="cpu:generic"))
    monkeypatch.setitem(PRODUCTS, "toy", _Toy)


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_fourth_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row and a class suffice for every verb that compiles, their help, checks and the cache."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    toy = ("--format", "toy")
    sizes = [f"--dim={name}={size}" for name, size in SIZES.items()]
    made = tmp_path / "cell"
    facts = json.loads(cli("compile", "GRUBlockCell", *sizes, *toy, "-o", made, "--json").out)
    assert facts["target"]["name"] == "cpu:generic"
    assert (made / "gru_block_cell.toy").read_text() == "gru_block_cell\n"
    assert json.loads((made / "gru_block_cell.json").read_text())["format"] == "toy"

    network = tmp_path / "network.onnx"
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) {y = Tanh(x)}'
    network.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    whole = tmp_path / "whole"
    cli("import", network, "--whole", *toy, "-o", whole)
    assert {"README.md", "network.toy"} <= {each.name for each in whole.iterdir()}

    assert ", for C or JavaScript or Toy" in cli("cache", "ls").out
    assert "--golden: not with --format toy" in cli("compile", "X", *toy, "--golden", code=2).err
    with pytest.raises(SystemExit):
        main(["link", "--help"])
    assert "toy, a list of names" in " ".join(capsys.readouterr().out.split())
