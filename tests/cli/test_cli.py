"""The command line: every verb, its output, its errors on one line and their exit codes."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from quick import first

from rnn_compiler import raw_ops
from rnn_compiler.cli import main
from rnn_compiler.lowering.ops import OPS as EVERY_OP
from rnn_compiler.runtime import Artifact, Bundle, load, read_artifact
from rnn_compiler.schema.cpu_features import LEVELS, architecture
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.weights import save

DIMS = "seq_length=3,batch_size=2,input_size=4,num_units=5"
OPS = ["BlockLSTMV2", "BlockLSTMGradV2"]
WEIGHTS = ["--rnn-mode=lstm", "--num-units=2", "--input-size=2"]


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "lstm.vmfb"
    arguments = ["compile", *OPS, "--dim", DIMS, "--attr", "use_peephole=true", "-o", str(path)]
    assert main(arguments) == 0
    return path


def test_ops_lists_every_op(cli: Any) -> None:
    text = cli("ops").out
    for op in EVERY_OP:
        assert op in text
    rows = json.loads(cli("ops", "--json").out)
    assert [row["name"] for row in rows] == [*EVERY_OP]
    (row,) = [row for row in rows if row["name"] == "BlockLSTMV2"]
    assert row["attributes"]["cell_clip"] == {
        "type": "float",
        "default": 0.0,
        "required": False,
        "values": "any but NaN",
        "doc": "bound of the cell state; none if not positive",
    }


def test_ops_shows_one_op_in_full(cli: Any) -> None:
    assert "[input_size + num_units, 4 * num_units]" in cli("ops", "block_lstm_v2").out


def test_ops_explains_attributes_and_what_they_change(cli: Any) -> None:
    lines = [" ".join(line.split()) for line in cli("ops", "CudnnRNNV3").out.splitlines()]
    for line in (
        "rnn_mode str lstm rnn_relu, rnn_tanh, lstm, gru the cell of each layer",
        "num_proj int 0 0..2**31 - 1 lstm only: size of the projected output; 0 for none",
        "direction bidirectional input_h [2 * num_layers, batch_size, num_units]",
        "direction bidirectional output [seq_length, batch_size, 2 * num_units]",
        "rnn_mode rnn_relu, rnn_tanh, gru input_c scalar",
        "num_proj above 0 output_h [num_layers, batch_size, num_proj]",
        "time_major false input [batch_size, seq_length, input_size]",
    ):
        assert line in lines
    (params,) = [line for line in lines if line.startswith("params [")]
    assert "all matrices, then all biases" in params
    assert "required int32, int64" in " ".join(cli("ops", "CudnnRNNParamsSize").out.split())


def test_emit_writes_the_module(cli: Any, tmp_path: Path) -> None:
    text = cli("emit", "BlockLSTMV2", "--dim", DIMS, "--dtype", "f16").out
    assert "func.func @block_lstm_v2(" in text
    assert "tensor<3x2x4xf16>" in text
    path = tmp_path / "lstm.mlir"
    cli("emit", "BlockLSTMV2", "--dim", DIMS, "--dtype=f16", "-o", path)
    assert path.read_text() == text


def test_emit_stops_after_a_pass(cli: Any) -> None:
    """The output has the results of the passes so far; other strategies' passes are rejected."""

    def emitted(stage: str) -> str:
        return cli("emit", "BlockLSTMV2", "--dim", DIMS, "--stage", stage).out

    assert "flow.dispatch" not in emitted("stablehlo")
    fused = emitted("after:fuse_time_loops")
    assert "flow.dispatch" in fused
    assert "iree.reflection" not in fused
    assert emitted("after:stamp_provenance") == emitted("lowered")
    arguments = ["emit", "BlockLSTMV2", "--dim", DIMS, "--stage", "after:pin_time_loops"]
    assert "a pass of the fused strategy: freeze_weights, " in cli(*arguments, code=2).err


@pytest.mark.slow
def test_a_time_loop_that_stays_plain_is_said(tmp_path: Path, cli: Any) -> None:
    """It is named by `compile`, in the manifest, and by `inspect`; rewritten loops are not."""
    path = tmp_path / "one_unit.vmfb"
    dims = re.sub("num_units=[0-9]+", "num_units=1", DIMS)
    printed = cli("compile", "BlockLSTMV2", "--dim", dims, "-o", path).out
    assert "time loop block_lstm_v2.lstm_forward stays plain: a unit axis" in printed
    manifest = json.loads(path.with_name(f"{path.name}.json").read_text())
    assert manifest["plain_loops"] == {"block_lstm_v2.lstm_forward": "a unit axis"}
    assert "time loop lstm_forward stays plain: a unit axis" in cli("inspect", path).out


@pytest.mark.slow
def test_compile_writes_payload_and_manifest(artifact: Path) -> None:
    manifest = json.loads(artifact.with_name("lstm.vmfb.json").read_text())
    assert [spec["op"] for spec in manifest["functions"]] == OPS
    assert manifest["payload_size"] == artifact.stat().st_size
    assert manifest["run_commands"]["block_lstm_v2"].startswith("iree-run-module --module=lstm")


def test_compile_names_functions_and_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    dims = DIMS.replace("seq_length=3", "seq_length=0")
    named = ["--function", "encoder, decoder", "--name=speech", "--outputs=h,cs_last"]
    printed = cli("compile", "BlockLSTMV2", "BlockLSTM", "--dim", dims, *named, "--json").out
    assert json.loads(printed)["path"] == "speech.vmfb"
    shown = cli("inspect", "speech.vmfb").out
    for part in ("module", "speech", "@encoder  BlockLSTMV2", "@decoder  BlockLSTM ", "cs_last"):
        assert part in shown
    functions = read_artifact("speech.vmfb").manifest.functions
    assert [[each.name for each in spec.results] for spec in functions] == [["h", "cs_last"]] * 2
    printed = cli("emit", "BlockLSTMV2", "--dim", dims, "--function=f", "--outputs=h").out
    assert "func.func @f(" in printed


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--function=f,g"], "--function f,g: expected a name for each op, 2 for 1"),
        (["--function=a-b"], "'function': expected an identifier"),
        (["--name="], "'name': expected an identifier"),
        (
            ["--outputs=h,y"],
            "'outputs': expected a list of i, cs, f, o, ci, co, h, cs_last, h_last",
        ),
        (["--outputs="], "'outputs': expected a list of i, cs"),
    ],
)
def test_names_that_are_wrong(arguments: list[str], part: str, cli: Any) -> None:
    assert part in cli("compile", "BlockLSTMV2", "--dim", DIMS, *arguments, code=2).err


@pytest.mark.parametrize("suffix", first(["npz", "safetensors"]))
def test_compile_freezes_weights(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    """Those that name no function are for each that takes them."""
    if suffix == "safetensors":
        pytest.importorskip("safetensors")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    arrays = {"w": (9, 20), "encoder.b": (20,), "decoder.b": (20,)}
    values = {name: rng.normal(size=shape).astype(np.float32) for name, shape in arrays.items()}
    save(f"weights.{suffix}", values)
    layers = ["BlockLSTMV2", "BlockLSTMV2", "--function=encoder,decoder", "--outputs=h"]
    given = [*layers, "--dim", DIMS, f"--weights=weights.{suffix}"]
    assert "bytes in m.irpa" in cli("compile", *given, "-o", "m.vmfb").out
    shown = cli("inspect", "m.vmfb").out
    for part in ("weights  ", "frozen argument", "--parameters=model=m.irpa"):
        assert part in shown
    assert "func.func private @decoder.b() -> tensor<20xf32>" in cli("emit", *given).out
    Path("m.irpa").rename("elsewhere")
    run = ["run", "m.vmfb", "--function=decoder", "--random"]
    assert "m.irpa: the archive of frozen weights is missing" in cli(*run, code=1).err
    printed = cli("emit", *given, "--quantize=int8").out
    assert "func.func private @decoder.w() -> tensor<9x20xi8>" in printed
    printed = cli(*run, "--parameters=elsewhere", "--json").out
    assert json.loads(printed)["results"][0]["not_finite"] == 0


def test_weights_that_nothing_takes(tmp_path: Path, cli: Any) -> None:
    path = tmp_path / "weights.npz"
    given = ["compile", "BlockLSTMV2", "--dim", DIMS, f"--weights={path}"]
    assert str(path) in cli(*given, code=1).err
    for name in ("kernel", "decoder.w", "W", "block_lstm_v2.v"):
        save(path, {name: np.zeros(3, np.float32)})
        assert f"{name}: no argument of block_lstm_v2" in cli(*given, code=2).err
    save(path, {"w": np.zeros(3, np.float32)})
    assert "'w': expected shape" in cli(*given, code=2).err
    path.write_bytes(b"PK")
    assert "expected a .npz file" in cli(*given, code=2).err


@pytest.mark.slow
def test_compile_for_several_targets_makes_a_bundle(tmp_path: Path, cli: Any) -> None:
    folder = tmp_path / "bundle"
    targets = ["--target", "cpu", "--target", "cpu:generic"]
    cli("compile", OPS[0], "--dim", DIMS, *targets, "-o", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "cpu-generic.vmfb",
        "cpu.vmfb",
        "manifest.json",
    ]
    out = cli("inspect", folder, "--json").out
    rows = json.loads(out[out.index("[\n") :])
    assert [row["target"]["name"] for row in rows] == ["cpu", "cpu:generic"]
    cli("run", folder, "--random")


@pytest.mark.slow
def test_one_target_may_stand_for_all_levels(tmp_path: Path) -> None:
    dims = "seq_length=0,batch_size=1,input_size=1,num_units=1"
    folder = tmp_path / "lstm"
    arguments = ["--dim", dims, "--target", "cpu:levels", "-o", str(folder)]
    assert main(["compile", "BlockLSTMV2", *arguments]) == 0
    files = sorted(path.stem for path in folder.glob("*.vmfb"))
    levels = LEVELS[architecture()]
    assert files == sorted(f"cpu-{level}" for level in levels)
    assert main(["run", str(folder), "--random"]) == 0


@pytest.mark.slow
def test_inspect(artifact: Path, cli: Any) -> None:
    text = cli("inspect", artifact).out
    for fact in (
        "block_lstm_grad_v2",
        "runs here",
        f"IREE {metadata.version('iree-base-compiler')}",
        "use_peephole=True",
        "0..3",
        "calls: direct",
    ):
        assert fact in text
    assert json.loads(cli("inspect", artifact, "--json").out)["strategy"] == "fused"


def test_what_the_environment_says_of_calls(
    artifact: Path, monkeypatch: pytest.MonkeyPatch, cli: Any, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CALLS", "iree")
    assert "calls: iree: RNN_COMPILER_CALLS=iree\n" in cli("inspect", artifact).out
    with caplog.at_level(logging.DEBUG, "rnn_compiler"):
        load(artifact)
    assert "calls go through IREE: RNN_COMPILER_CALLS=iree" in caplog.messages


def test_inspect_shows_what_the_members_of_a_bundle_share_once(
    artifact: Path, tmp_path: Path, cli: Any
) -> None:
    """Then the differences of each, including the reason if it does not run here."""
    mine = read_artifact(artifact)
    assert isinstance(mine, Artifact)
    targets = [
        mine.manifest.target,
        TargetSpec("cpu:generic", "local", architecture(), ()),
        TargetSpec("cpu:future", "local", architecture(), ("avx1024",)),
        TargetSpec("cuda", "cuda", "sm_80", ()),
        TargetSpec("tpu", "tpu", "v5", ()),
    ]
    members = [replace(mine, manifest=replace(mine.manifest, target=t)) for t in targets]
    folder = Bundle(tuple(members)).save(tmp_path / "bundle")
    text = cli("inspect", folder).out
    assert text.count("@block_lstm_v2 ") == text.count("@block_lstm_grad_v2 ") == 1
    assert text.count("iree-run-module ") == len(OPS)
    assert text.count("made by") == text.count("strategy") == 1
    for target in targets:
        assert text.count(f"\n{target.name}\n") == 1
        assert f"  {target.slug}.vmfb\n" in text
    assert text.count("of a kind that this version does not have") == 1
    assert text.count(mine.manifest.payload_sha256) == len(targets)
    assert text.count(f"{mine.manifest.payload_size:,} bytes") == len(targets)
    assert f"CPU features  {' '.join(targets[0].features)}\n" in text
    verdicts = re.findall(r"runs here +(.*)", text)
    assert verdicts[:2] == ["yes", "yes"]
    assert verdicts[2].startswith("no: needs CPU features that this machine does not have: avx1024")
    assert verdicts[3] in ("yes", "no: no NVIDIA driver on this machine (libcuda.so.1 not found)")


def test_inspect_of_a_bundle_shows_every_function_there_is(
    artifact: Path, tmp_path: Path, cli: Any
) -> None:
    """Including one that not all members have, and other differences."""
    mine = read_artifact(artifact)
    assert isinstance(mine, Artifact)
    other = TargetSpec("cpu:generic", "local", architecture(), ())
    manifest = mine.manifest
    changed = replace(manifest, target=other, strategy="portable", functions=manifest.functions[1:])
    folder = Bundle((replace(mine, manifest=changed), mine)).save(tmp_path / "bundle")
    text = cli("inspect", folder).out
    assert re.findall(r"^@(\w+)", text, re.MULTILINE) == ["block_lstm_grad_v2", "block_lstm_v2"]
    assert re.findall(r"strategy +(\w+)", text) == ["portable", "fused"]
    commands = re.findall(r"--module=(\S+) .*--function=(\w+)", text)
    assert commands == [
        (f"{folder}/cpu-generic.vmfb", "block_lstm_grad_v2"),
        (f"{folder}/cpu.vmfb", "block_lstm_v2"),
    ]


def test_inspect_refuses_a_damaged_payload(artifact: Path, tmp_path: Path, cli: Any) -> None:
    copy = tmp_path / "lstm.vmfb"
    payload = bytearray(artifact.read_bytes())
    payload[len(payload) // 2] ^= 1
    copy.write_bytes(payload)
    copy.with_name("lstm.vmfb.json").write_bytes(artifact.with_name("lstm.vmfb.json").read_bytes())
    assert "damaged" in cli("inspect", copy, code=1).err


@pytest.mark.slow
def test_run_gives_what_raw_ops_gives(artifact: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shapes = {"x": (3, 2, 4), "cs_prev": (2, 5), "h_prev": (2, 5), "w": (9, 20), "b": (20,)}
    shapes |= {"wci": (5,), "wcf": (5,), "wco": (5,)}
    inputs = {k: rng.standard_normal(shape).astype(np.float32) for k, shape in shapes.items()}
    np.save(tmp_path / "x.npy", inputs["x"])
    np.savez(tmp_path / "in.npz", **{k: v for k, v in inputs.items() if k != "x"})
    out = tmp_path / "out.npz"
    command = ["run", str(artifact), str(tmp_path / "in.npz"), "--function", "block_lstm_v2"]
    command += ["--input", f"x={tmp_path / 'x.npy'}", "--input", "seq_len_max=2", "-o", str(out)]
    assert main(command) == 0
    expected = raw_ops.BlockLSTMV2(seq_len_max=2, use_peephole=True, **inputs)
    with np.load(out) as results:
        assert list(results) == list(expected._fields)
        for name in expected._fields:
            np.testing.assert_array_equal(results[name], getattr(expected, name))


@pytest.mark.slow
def test_run_bfloat16_files_hold_bits(tmp_path: Path) -> None:
    artifact, out = tmp_path / "lstm.vmfb", tmp_path / "out.npz"
    compile_ = ["compile", OPS[0], "--dim", DIMS, "--dtype", "bf16", "-o", str(artifact)]
    assert main(compile_) == 0
    assert main(["run", str(artifact), "--random", "-o", str(out)]) == 0
    with np.load(out) as results:
        h = results["h"]
        assert h.dtype == np.uint16
        np.savez(tmp_path / "in.npz", cs_prev=h[-1], h_prev=h[-1])
    assert main(["run", str(artifact), str(tmp_path / "in.npz"), "--random"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (["emit", "LSTM"], 2, ["'LSTM'", "BlockLSTMV2"]),
        (["emit", "BlockLSTMV2", "--dim", "seq_length=3"], 2, ["batch_size=N", "--dim"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS + ",depth=2"], 2, ["depth", "num_units"]),
        (["emit", "BlockLSTMV2", "--dim", "seq_length"], 2, ["'seq_length'", "NAME=VALUE"]),
        (["compile", "GRUBlockCell", "--dim", "num_units=1..3:0"], 2, ["STEP", "at least 1"]),
        (["emit", "onnx.RNN", "--attr", "activations=Relu,Tanh"], 2, ["'activations=Relu Tanh'"]),
        (["emit", "BlockLSTMV2", "--dim", "seq_length=x"], 2, ["seq_length=x", "integer"]),
        (
            ["emit", "BlockLSTMV2", "--dim", DIMS, "--dim", "num_units=8"],
            2,
            ["--dim num_units: given twice, as 5 and as 8"],
        ),
        (["emit", "BlockLSTMV2", "--dim", DIMS.replace("3", "-3")], 2, ["'seq_length'", "-3"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--dtype", "int8"], 2, ["'dtype'", "float64"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--attr", "clip=1"], 2, ["clip", "cell_clip"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--attr", "cell_clip=x"], 2, ["a float"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--attr", "use_peephole=x"], 2, ["true or false"]),
        (["emit", "BlockLSTMGradV2", "--dim", DIMS], 2, ["use_peephole", "--attr"]),
        (["compile", "BlockLSTMV2", "--dim", DIMS, "--target", "tpu"], 2, ["'tpu'", "cpu:generic"]),
        (["ops", "BlocklstmV3"], 2, ["ops: 'op'", "'BlocklstmV3'", "did you mean BlockLSTMV2?"]),
        (["ops", "Nonsense"], 2, ["ops: 'op'", "'Nonsense'\n"]),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "-o", "none/x"], 2, ["none/x", "no folder none;"]),
        (["compile", "BlockLSTMV2", "--dim", DIMS, "-o", "none/x"], 2, ["none/x", "no folder"]),
        (["run", "missing.vmfb", "-o", "none/x.npz"], 2, ["none/x.npz", "no folder"]),
        (["demo", "-o", "none/x.png"], 2, ["none/x.png", "no folder"]),
        (["weights", "to-keras", "w", "-o", "none/x", *WEIGHTS], 2, ["none/x", "no folder"]),
        (
            ["inspect", str(Path(__file__).parent)],
            1,
            ["error: " + str(Path(__file__).parent) + ":"],
        ),
        (["inspect", str(Path(__file__).parent)], 1, ["neither a bundle", "manifest.json"]),
        (["inspect", __file__], 1, [f"error: {__file__}: not an artifact", "test_cli.py.json"]),
        (["inspect", "missing.vmfb"], 1, ["missing.vmfb", "no such artifact"]),
        (["run", "missing.vmfb"], 1, ["missing.vmfb"]),
    ],
)
def test_an_error_is_one_line(arguments: list[str], code: int, parts: list[str], cli: Any) -> None:
    captured = cli(*arguments, code=code)
    assert captured.out == ""
    assert captured.err.startswith("rnn-compiler: error: ")
    assert captured.err.count("\n") == 1
    for part in parts:
        assert part in captured.err


@pytest.mark.parametrize(
    ("extra", "parts"),
    [
        ([], ["--function", "block_lstm_v2, block_lstm_grad_v2"]),
        (["--function", "f"], ["--function f", "block_lstm_v2"]),
        (["--function", "block_lstm_v2"], ["arguments are missing: seq_len_max", "--random"]),
        (["--function", "block_lstm_v2", "--input", "y=1"], ["y=1", "takes seq_len_max"]),
        (["--function", "block_lstm_v2", "--input", "x=none.npy"], ["none.npy"]),
        (["--function", "block_lstm_v2", "--input", __file__], [f"{__file__}: not a .npz file"]),
        (["--function", "block_lstm_v2", "--input", f"x={__file__}"], ["not a .npy file"]),
        (["--function", "block_lstm_v2", "--input", "/dev/zero"], ["/dev/zero: not a regular"]),
        (["--function", "block_lstm_v2", "--input", "x=/dev/zero"], ["/dev/zero: not a regular"]),
        (["--function", "block_lstm_v2", "--random", "--input", "x=1"], ["'x'", "[3, 2, 4]"]),
        (["--function", "block_lstm_v2", "--random", "--input", "seq_len_max=4"], ["0..3", "4"]),
    ],
)
def test_run_names_what_is_wrong(
    artifact: Path, extra: list[str], parts: list[str], cli: Any
) -> None:
    message = cli("run", artifact, *extra, code=2).err
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "arguments",
    [["--debug", "emit", "LSTM"], ["emit", "--debug", "LSTM"], ["emit", "LSTM", "--debug"]],
)
def test_debug_shows_the_traceback(arguments: list[str]) -> None:
    with pytest.raises(ValueError, match="BlockLSTMV2"):
        main(arguments)


def test_even_an_unexpected_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A defect of ours; nothing known raises one."""

    def fail() -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr("rnn_compiler.cli.environment.print_version", fail)
    assert main(["--version"]) == 1
    expected = r"rnn-compiler: error: unexpected KeyError: 'a\nb'; --debug shows a traceback"
    assert capsys.readouterr().err == f"{expected}\n"
    with pytest.raises(KeyError):
        main(["--version", "--debug"])


def test_version_names_the_distribution_that_is_installed(
    monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    installed = {"rnn-compiler-runtime": "1.2.3"}
    monkeypatch.setattr("rnn_compiler.cli.environment.installed_names", lambda: [*installed])
    monkeypatch.setattr("rnn_compiler.cli.environment.version", installed.get)
    lines = cli("--version").out.splitlines()
    assert lines[:2] == ["rnn-compiler-runtime 1.2.3", "iree-base-compiler not installed"]


def test_what_cannot_be_written_is_named_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    """Not by the temporary name under which it is written."""
    output = tmp_path / "lstm.mlir"

    def fail(_: Path, place: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), "temporary", None, str(place))

    monkeypatch.setattr(Path, "replace", fail)
    error = cli("emit", OPS[0], "--dim", DIMS, f"-o{output}", code=1).err
    assert error == f"rnn-compiler: error: {output}: Device or resource busy\n"
    assert list(tmp_path.iterdir()) == []


def test_debug_is_for_actions_too() -> None:
    with pytest.raises(ValueError, match="500M or 2G"):
        main(["cache", "prune", "--max-size=x", "--debug"])


def test_doctor_passes_here(cli: Any) -> None:
    text = cli("doctor").out
    for fact in ("iree-base-compiler", "local-task", "BlockLSTMV2 gave 0.231059"):
        assert fact in text


def test_bad_environment_is_named(monkeypatch: pytest.MonkeyPatch, cli: Any) -> None:
    monkeypatch.setenv("RNN_COMPILER_LOG", "loud")
    assert "RNN_COMPILER_LOG" in cli("ops", code=2).err


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_error() -> None:
    command = [sys.executable, "-m", "rnn_compiler", "ops", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 1
    process.stderr.close()


VERBS = ["ops", "emit", "compile", "inspect", "check", "run", "weights", "bench", "cache", "doctor"]


def test_the_command_is_installed_and_prints_help(cli: Any) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli("--help")
    module = [sys.executable, "-m", "rnn_compiler"]
    for command in (module, [Path(sys.executable).with_name("rnn-compiler")]):
        printed = processes.run(*command, code=2).stdout
        assert all(f"    {verb} " in printed for verb in VERBS)
