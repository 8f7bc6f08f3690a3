"""`compile --format c` and `rc.compile_c`: files, their manifest, and rejected arguments."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from c.calling import C11, STRICT, run

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.schema.manifest import SCHEMA_VERSION

DIMS = {"num_layers": 1, "num_units": 2, "input_size": 3}
OP = (
    "compile",
    "CudnnRNNParamsSize",
    "--attr",
    "S=int32",
    "--dim",
    "num_layers=1,num_units=2",
)
OP = (*OP, "--dim", "input_size=3")
"""It compiles fastest."""

FILES = ["params.c", "params.h", "params.json", "params.o"]


def compile_to(folder: Path, *more: str) -> int:
    return main([*OP, "--format", "c", "--target", "cpu:generic", "-o", str(folder), *more])


@pytest.fixture(scope="module")
def module() -> rc.Module:
    return rc.build("CudnnRNNParamsSize", **DIMS, S="int32")


def test_four_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a folder that is made, again over those that are there."""
    folder = tmp_path / "a" / "b"
    for _ in range(2):
        assert compile_to(folder, "--name", "params") == 0
        assert sorted(path.name for path in folder.iterdir()) == FILES
    printed = capsys.readouterr().out
    assert "cudnn_rnn_params_size" in printed
    assert f"cc -I{folder} main.c {folder}/params.c {folder}/params.o" in printed


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compile_to(tmp_path, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["functions"] == ["cudnn_rnn_params_size"]
    assert [Path(file).exists() for file in facts["files"]] == [True] * 4
    assert Path(facts["manifest"]).name == "cudnn_rnn_params_size.json"


def test_the_manifest_describes_the_files(lstm: rc.CModule, tmp_path: Path) -> None:
    lstm.save(tmp_path)
    manifest: dict[str, Any] = json.loads((tmp_path / "lstm.json").read_text())
    assert manifest == lstm.manifest
    assert (manifest["schema"], manifest["format"]) == (SCHEMA_VERSION, "c")
    assert manifest["alignment"] == 64
    for name, row in manifest["files"].items():
        data = (tmp_path / name).read_bytes()
        assert row == {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    plain, prepack, prepacked = manifest["functions"]
    assert plain["op"] == "BlockLSTMV2"
    assert plain["attributes"]["use_peephole"] is False
    assert plain["dims"] == {"seq_length": 32, "batch_size": 16, "input_size": 8, "num_units": 40}
    assert {prepack["companion_of"], prepacked["companion_of"]} == {"block_lstm_v2"}
    sizes = {row["name"]: row["size"] for row in plain["arguments"]}
    assert sizes["x"] == 32 * 16 * 8 * 4
    assert sizes["seq_len_max"] == 8
    assert [row["name"] for row in plain["arguments"] if row["by_value"]] == ["seq_len_max"]
    for row in manifest["functions"]:
        macro = f"#define {row['function'].upper()}_SCRATCH_SIZE {row['scratch_size']}\n"
        assert macro in lstm.header
        assert row["scratch_size"] % 64 == 0


def test_the_same_files_each_time(module: rc.Module) -> None:
    first, second = (rc.compile_c(module, "cpu:generic") for _ in range(2))
    assert first.files == second.files
    assert first.name == "cudnn_rnn_params_size"
    named = rc.Module(module.functions, "speech")
    assert rc.compile_c(named, "cpu:generic").name == "speech"
    assert rc.compile_c(named, "cpu:generic", name="text").name == "text"
    assert repr(first).startswith("CModule(cudnn_rnn_params_size: cudnn_rnn_params_size, ")


def test_all_files_or_none(module: rc.Module, tmp_path: Path) -> None:
    """Older ones stay as they were if one cannot be written."""
    made = rc.compile_c(module, "cpu:generic", name="params")
    (tmp_path / "params.o").mkdir()
    (tmp_path / "params.h").write_text("Made by rnn-compiler of old")
    with pytest.raises(OSError, match=r"params\.o"):
        made.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["params.h", "params.o"]
    assert (tmp_path / "params.h").read_text() == "Made by rnn-compiler of old"
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        made.save(tmp_path / "file")


NAMES = [
    "",
    "9x",
    "a-b",
    "a b",
    "int",
    "class",
    "main",
    "_x",
    "ä",
    "x" * 101,
    "string",
    "stdint",
    7,
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_none(module: rc.Module, name: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="compile_c: 'name': expected a name"):
        rc.compile_c(module, name=name)


def test_names_that_clash(module: rc.Module) -> None:
    """NAME_error is a function, too."""
    renamed = rc.Module([replace(module.functions[0], function="speech_error")])
    with pytest.raises(InvalidArgumentError, match="speech_error would stand for two"):
        rc.compile_c(renamed, "cpu:generic", name="speech")


def test_bad_calls(module: rc.Module) -> None:
    for arguments, message in (
        (("lstm.vmfb",), "'module': expected a module from `build`"),
        ((module, ["cpu"]), "'target': expected one target"),
        ((module, "cpu:nonsense"), "'target': expected"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            rc.compile_c(*arguments)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="'timeout'"):
        rc.compile_c(module, timeout=0)
    with pytest.raises(UnsupportedError, match="a module for cuda cannot be C, but an artifact"):
        rc.compile_c(module, "cuda")


@pytest.mark.slow
def test_loops_on_the_host() -> None:
    """They are refused, and the strategy without any is named."""
    module = rc.build("BlockLSTMV2", seq_length=3, batch_size=1, input_size=1, num_units=1)
    with pytest.raises(UnsupportedError) as caught:
        rc.compile_c(module, "cpu:generic", strategy="portable")
    assert "a size, or a number of steps, that a call computes" in str(caught.value)
    assert "the fused strategy is the one for C, here it was portable" in str(caught.value)


USAGE = {
    ("--format", "elf"): "invalid choice: 'elf'",
    ("--format", "c", "--target", "cpu", "--target", "cpu:generic"): "--format c: takes one target",
    ("--format", "c", "--target", "cpu:levels"): "--format c: takes one target",
    ("--format", "c", "--name", "string"): "expected a name that is no header of C's own",
    ("--format", "c", "--function", "int"): "expected a name of at most 100 letters",
    ("--format", "c", "--name", "a-b"): "expected an identifier",
    ("--format", "c", "-o", __file__): "is a file; name a folder",
}


@pytest.mark.parametrize("options", USAGE)
def test_wrong_usage(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main([*OP, *options])
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert USAGE[options] in capsys.readouterr().err


def test_zero_steps(tmp_path: Path) -> None:
    """C has no arrays without elements."""
    sizes = {"seq_length": 0, "batch_size": 1, "input_size": 1, "num_units": 2}
    made = rc.compile_c(rc.build("BlockLSTMV2", **sizes), "cpu:generic", name="none")
    made.save(tmp_path)
    (tmp_path / "main.c").write_text(
        '#include "none.h"\nint main(void)\n{\n'
        "    static float cells[64], space[1024];\n"
        "    float *at = cells + (64 - (size_t)cells % 64) / 4;\n"
        "    void *scratch = (char *)space + (64 - (size_t)space % 64);\n"
        "    const struct block_lstm_v2_arguments a = {0, NULL, at, at, at, at, at, at, at};\n"
        "    const struct block_lstm_v2_results r = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};\n"
        "    return block_lstm_v2(&a, &r, scratch);\n}\n"
    )
    run("gcc", *C11, *STRICT, "main.c", "none.c", "none.o", "-o", "main", folder=tmp_path)
    run("./main", folder=tmp_path)
