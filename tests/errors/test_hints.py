"""Errors for unknown names suggest the intended name, if it is clear."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.errors import InvalidArgumentError, did_you_mean
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema import cpu_features

DIMS = "seq_length=0,batch_size=1,input_size=1,num_units=1"
SIZES = {"seq_length": 0, "batch_size": 1, "input_size": 1, "num_units": 1}
STACK = {"num_layers": 1, "num_units": 1, "input_size": 1}
on_x86 = pytest.mark.skipif(cpu_features.architecture() != "x86_64", reason="features of x86-64")


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("cuda:T4", "cuda:t4"),
        ("CUDA:T4", "cuda:t4"),
        ("h100", "cuda:h100"),
        ("sm_80", "cuda:sm_80"),
        ("cuda:sm80", "cuda:sm_80"),
        ("cuda:rtx-4090", "cuda:rtx4090"),
        ("gpu", "cuda"),
        ("CPU", "cpu"),
        ("cpu:Generic", "cpu:generic"),
        ("levels", "cpu:levels"),
        pytest.param("x86-64-v3", "cpu:x86-64-v3", marks=on_x86),
        pytest.param("cpu:x86_64_v3", "cpu:x86-64-v3", marks=on_x86),
        pytest.param("cpu:AVX2,fma", "cpu:avx2", marks=on_x86),
        pytest.param("cpu:avx512", "cpu:avx512f", marks=on_x86),
    ],
)
def test_a_target(target: str, meant: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        resolve_target(target)
    assert caught.value.remedy == f"did you mean {meant}?"


@pytest.mark.parametrize(
    "target", ["tpu", "cuda:h800", "cuda:k80", "x86-64-v5", "cpu:avx3", "", ":"]
)
def test_another_number_is_another_target(target: str) -> None:
    """No spelling error: the closest name is a different target."""
    with pytest.raises(InvalidArgumentError) as caught:
        resolve_target(target)
    assert caught.value.remedy == ""


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: rc.build("blocklstmv2", **SIZES), "BlockLSTMV2"),
        (lambda: rc.build("BlockLSTMV2", seq_len=3), "seq_length"),
        (lambda: rc.build("BlockLSTMV2", **SIZES, hidden_size=3), "num_units"),
        (lambda: rc.build("BlockLSTMV2", batch=3), "batch_size"),
        (lambda: rc.build("BlockLSTMV2", **SIZES, clip=3.0), "cell_clip"),
        (lambda: rc.build("BlockLSTMV2", **SIZES, peephole=True), "use_peephole"),
        (lambda: rc.build("CudnnRNNParamsSize", **STACK, S="int32", rnn_mode="LSTM"), "lstm"),
        (
            lambda: rc.build("CudnnRNNParamsSize", **STACK, S="int32", direction="bidirect"),
            "bidirectional",
        ),
        (lambda: rc.build("BlockLSTMV2", **SIZES, outputs=["hh"]), "h"),
        (lambda: rc.raw_ops.BlockLSTMV2(seq_len=3), "seq_len_max"),
        (lambda: rc.raw_ops.BlockLstmV2, "BlockLSTMV2"),
        (lambda: rc.raw_ops.block_lstm_v2, "BlockLSTMV2"),
    ],
)
def test_python(call: Callable[[], object], meant: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        call()
    assert str(caught.value).endswith(f"; did you mean {meant}?")


def test_a_function_of_a_program(tmp_path_factory: pytest.TempPathFactory) -> None:
    artifact = rc.compile(rc.build("BlockLSTMV2", **SIZES), "cpu")
    program = rc.runtime.load(artifact)
    with pytest.raises(AttributeError, match=r"did you mean block_lstm_v2\?$"):
        _ = program.BlockLSTMV2
    path = artifact.save(tmp_path_factory.mktemp("hints") / "lstm.vmfb")
    assert main(["run", str(path), "--random", "--function", "block_lstm"]) == 2


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["emit", "blocklstmv2", "--dim", DIMS], "BlockLSTMV2"),
        (["emit", "BlockLSTMV2", "--dim", "seq_len=3"], "seq_length"),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--attr", "clip=3"], "--attr cell_clip"),
        (["emit", "BlockLSTMV2", "--dim", DIMS, "--attr", "cel_clip=3"], "--attr cell_clip"),
        (["emit", "BlockLSTMV2", "--attr", "num_units=3"], "--dim num_units"),
        (["emit", "BlockLSTMV2", "--dim", "use_peephole=true"], "--attr use_peephole=true"),
        (["compile", "BlockLSTMV2", "--dim", DIMS, "--target", "cuda:T4"], "cuda:t4"),
        (["ops", "CudnnRNN3"], "CudnnRNNV3"),
    ],
)
def test_the_command_line(command: list[str], meant: str, cli: Any) -> None:
    assert f"; did you mean {meant}?" in cli(*command, code=2).err


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["compil"], "compile"),
        (["Inspect", "x"], "inspect"),
        (["cache", "clean"], "clear"),
        (["weights", "from_torch"], "from-torch"),
        (["emit", "BlockLSTMV2", "--stage", "lower"], "lowered"),
    ],
)
def test_a_verb_or_a_choice(
    command: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(command)
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(f"; did you mean {meant}?\n")


def test_what_is_far_from_everything_gets_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert did_you_mean("nonsense", ["cell_clip", "use_peephole"]) == ""
    assert did_you_mean("size", ["batch_size", "input_size"]) == "", "either may be meant"
    with pytest.raises(SystemExit):
        main(["qqq"])
    assert not re.search("did you mean", capsys.readouterr().err)
