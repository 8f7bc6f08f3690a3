"""The verb `bench`: its figures are consistent. Their values depend on the machine."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.cli import bench, main
from rnn_compiler.cli.flops import matmul_flops
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.random_arguments import random_arguments

DIMS = "seq_length=3,batch_size=2,input_size=4,num_units=5"
SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
PAIR = ["BlockLSTMV2", "BlockLSTMGradV2", "--dim", DIMS, "--attr", "use_peephole=false"]


@pytest.mark.slow
def test_the_figures_belong_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *PAIR, "--seconds", "0.01", "--device", "local-task", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["device"] == "local-task"
    rows = found["functions"]
    assert [row["function"] for row in rows] == ["block_lstm_v2", "block_lstm_grad_v2"]
    for row, flops in zip(rows, (2160, 4320), strict=True):  # 2 * 3*2 * (4+5) * 4*5, and twice
        assert row["calls"] >= 3
        assert 0 < row["minimum"] <= row["low"] <= row["median"] <= row["high"]
        assert row["calls_per_second"] == pytest.approx(1 / row["median"])
        assert row["gflops"] == pytest.approx(flops / row["median"] / 1e9)


@pytest.mark.slow
def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = "batch_size=2,input_size=4,num_units=5"
    command = ["bench", "LSTMBlockCellGrad", "--dim", sizes, "--attr", "use_peephole=false"]
    assert main([*command, "--seconds", "0.01"]) == 0
    text = capsys.readouterr().out
    assert "float32, batch_size=2, input_size=4, num_units=5, on local-sync" in text
    (row,) = [line for line in text.splitlines() if line.startswith("lstm_block_cell_grad")]
    assert row.endswith("-")  # it has no matrix product
    for column in ("median", "min", "middle half", "calls", "calls/s", "GFLOP/s"):
        assert column in text


@pytest.mark.slow
def test_a_gradient_gets_what_its_forward_op_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    module = rc.build(PAIR[:2], **SIZES, use_peephole=False)
    program = rc.runtime.load(rc.compile(module))
    called: dict[str, dict[str, object]] = {}

    class Spy:
        def __init__(self, function: rc.runtime.Function) -> None:
            self.spec, self._function = function.spec, function

        def __call__(self, **arguments: object) -> object:
            called[self.spec.function] = arguments
            return self._function(**arguments)

    monkeypatch.setattr(program, "functions", {k: Spy(f) for k, f in program.functions.items()})
    bench.time_functions(program, 0.001)
    forward, backward = called.values()
    assert backward["x"] is forward["x"]
    expected = program.block_lstm_v2(**forward)
    for name in expected._fields:
        np.testing.assert_array_equal(np.asarray(backward[name]), getattr(expected, name))


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_cannot_be_meant(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *PAIR, f"--seconds={seconds}"]) == 2
    assert "--seconds" in capsys.readouterr().err


def test_calls_are_timed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only the calls move: 1 s, 2 s, 3 s, ..., of which the first warms up."""
    clock = [0.0]
    steps = iter(range(1, 100))

    def call() -> None:
        clock[0] += next(steps)

    monkeypatch.setattr(bench.time, "perf_counter", lambda: clock[0])
    timing = bench.time_calls(call, 10)
    assert timing == bench.Timing(calls=4, median=3.5, minimum=2.0, low=2.75, high=4.25)


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 us"), (7e-9, "7 ns")]
)
def test_durations(seconds: float, text: str) -> None:
    assert bench.duration(seconds) == text


@pytest.mark.slow
def test_arguments_are_what_the_op_takes_and_stay_finite() -> None:
    """At any length: a gradient of drawn activations must not explode either."""
    sizes = {**SIZES, "seq_length": 100}
    module = rc.build("BlockLSTMGradV2", **sizes, use_peephole=False)
    program = rc.runtime.load(rc.compile(module))
    (function,) = program.functions.values()
    arguments = random_arguments(function.spec)
    assert arguments["seq_len_max"] == 100
    assert -1 < arguments["w"].min() < 0 < arguments["w"].max() < 1
    assert arguments["f"].min() >= 0
    for name, result in function(**arguments)._asdict().items():
        assert np.isfinite(result).all(), name
        assert np.abs(result).max() < 1e6, name


@pytest.mark.parametrize(
    ("op", "products"),
    [
        ("LSTMBlockCell", 2 * (4 + 5) * 4 * 5),
        ("LSTMBlockCellGrad", 0),
        ("LSTMBlockCellParameterGrad", 2 * 2 * (4 + 5) * 4 * 5),
        ("GRUBlockCell", 2 * (4 + 5) * 3 * 5),
        ("BlockLSTM", 3 * 2 * (4 + 5) * 4 * 5),
        ("BlockLSTMGrad", 3 * 2 * 2 * (4 + 5) * 4 * 5),
    ],
)
def test_operations_of_the_matrix_products(op: str, products: int) -> None:
    signature = OPS[op].signature
    keywords = {name: SIZES[name] for name in signature.dimensions}
    if any(attribute.name == "use_peephole" for attribute in signature.attributes):
        keywords["use_peephole"] = False
    built = rc.build(op, **keywords)
    (flops,) = matmul_flops(built.text, built.functions).values()
    assert flops == 2 * products


def test_blocks_of_time_count_once() -> None:
    """The gradient of CudnnRNN takes two products for each of the forward pass."""
    sizes = {"seq_length": 32, "batch_size": 16, "input_size": 256, "num_units": 256}
    built = rc.build(["CudnnRNN", "CudnnRNNBackprop"], num_layers=1, **sizes)
    assert built.text.count("stablehlo.while") > 2  # blocks
    forward, gradient = matmul_flops(built.text, built.functions).values()
    assert (forward, gradient) == (2 * 32 * 16 * 1024 * 512, 2 * forward)


def test_open_sizes_have_no_count() -> None:
    built = rc.build("CudnnRNN", **(SIZES | {"seq_length": None}), num_layers=1)
    with pytest.raises(TypeError, match="not known before a call"):
        matmul_flops(built.text, built.functions)


@pytest.mark.slow
def test_bench_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bench", *PAIR, "--seconds", "0.001"]) == 0
    assert list(tmp_path.iterdir()) == []
