"""`link` and `compile` write the same files in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from quick import marked_slow

import rnn_compiler as rc

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
