"""Every lowering gives the reference's results, also on sizes that do not divide.

IREE can silently miscompile such code: forward and gradient of every sequence op in one
module per size. The pinned lowering runs on CPUs only for these tests: its loop is the
one that GPUs get.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits, sizes
from linking.modules import function
from numeric.harness import arguments_of, draw, expected, module, together
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import CompileError, CompileWarning, InvalidArgumentError
from rnn_compiler.lowering import pipeline
from rnn_compiler.lowering.mlir.bindings import block_of, ir, symbol_of
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.passes import Pass
from rnn_compiler.lowering.rewriting.context import PassContext

PAIRS = [("BlockLSTM", "BlockLSTMGrad"), ("BlockLSTMV2", "BlockLSTMGradV2")]

# A rest of panels, of rows, both, neither; one row, one step, both; sizes below and above a panel.
SHAPES = [
    (5, 1, 3, 4),
    (6, 2, 3, 33),
    (7, 9, 1, 65),
    (3, 17, 2, 130),
    (4, 16, 32, 64),
    (5, 1, 3, 100),
    (2, 40, 70, 48),
    (1, 1, 64, 70),
    (1, 3, 33, 37),
]
DTYPES = ["float32", "float16", "float64", "bfloat16"]
TOLERANCE = {"float64": 1e-13, "float32": 1e-5, "float16": 4e-3, "bfloat16": 4e-2}


def compiled(ops: Sequence[str], dtype: str, variant: dict[str, Any], strategy: str) -> rc.Program:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileWarning)
        built = together(dtype, dict.fromkeys(ops, variant))
        artifact = rc.compile(built, "cpu", strategy=strategy)
    assert artifact.manifest.strategy == strategy
    return rc.runtime.load(artifact)


def assert_right(
    ops: Sequence[str], dtype: str, variant: dict[str, Any], strategy: str, lengths: Sequence[int]
) -> None:
    """Fails unless a strategy gives the reference's results, for each of some lengths."""
    program = compiled(ops, dtype, variant, strategy)
    for op, steps in itertools.product(ops, lengths):
        arguments = arguments_of(op, dtype, variant, steps, seed=len(op))
        found = getattr(program, OPS[op].signature.function)(**arguments)._asdict()
        for name, right in expected(op, dtype, variant, arguments).items():
            if found[name].dtype.kind not in "iu":
                bound = TOLERANCE[dtype] * max(1.0, np.abs(right).max(initial=0))
                got = np.asarray(found[name], np.float64)
                np.testing.assert_allclose(got, right, rtol=0, atol=bound, err_msg=f"{op} {name}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, len(SHAPES)))],
)
def test_fused(number: int) -> None:
    T, B, I, H = SHAPES[number]  # noqa: E741
    dtype = DTYPES[number % len(DTYPES)]
    variant = sizes(T, B, I, H, use_peephole=number % 3 < 2)
    assert_right(PAIRS[number % len(PAIRS)], dtype, variant, "fused", (T, T - 1, 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "mode", "units"),
    first(
        [
            ("float64", "gru", 32),
            ("float32", "lstm", 48),
            ("float16", "rnn_tanh", 144),
            ("float32", "gru", 70),
        ]
    ),
)
def test_one_row_and_step_in_training(dtype: str, mode: str, units: int) -> None:
    """Weights are read as they lie, where they fill registers."""
    variant = sizes(1, 1, 32, units, rnn_mode=mode, is_training=True)
    assert_right(("CudnnRNNV3", "CudnnRNNBackpropV3"), dtype, variant, "fused", (1, 0))


# One row; odd sizes and more steps than an iteration holds; a single step.
PINNED_SHAPES = [(3, 1, 3, 4), (51, 2, 3, 33), (1, 17, 2, 13)]

LOOPS = [*(("pinned", number) for number in range(len(PINNED_SHAPES))), ("portable", 0)]


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "number"), LOOPS)
def test_a_loop_of_dispatches(strategy: str, number: int) -> None:
    T, B, I, H = PINNED_SHAPES[number]  # noqa: E741
    dtype = DTYPES[number % len(DTYPES)]
    variant = sizes(T, B, I, H, use_peephole=number % 3 == 0)
    assert_right(PAIRS[number % len(PAIRS)], dtype, variant, strategy, (T, T - 1, T // 2, 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "dtype", "variant"),
    [
        ("pinned", "float32", sizes(4, 3, 2, 5, rnn_mode="lstm", direction="bidirectional")),
        ("pinned", "float16", sizes(3, 2, 3, 8, rnn_mode="lstm", num_proj=3)),
        ("pinned", "float64", sizes(3, 1, 3, 6, rnn_mode="gru")),
        ("portable", "bfloat16", sizes(4, 2, 3, 5, rnn_mode="gru")),
    ],
)
def test_a_loop_of_dispatches_of_cudnn(strategy: str, dtype: str, variant: dict[str, Any]) -> None:
    """Directions side by side, states that rows of padding leave alone, projections."""
    ops = ("CudnnRNNV3", "CudnnRNNBackpropV3")
    assert_right(ops, dtype, variant, strategy, (variant["seq_length"], 2))


@pytest.mark.slow
def test_pinned_arrays_that_begin_alike_stay_apart() -> None:
    """IREE takes pinned arrays with equal beginnings for one: here all outputs and both states."""
    T, B, I, H = 9, 2, 3, 4  # noqa: E741
    variant = sizes(T, B, I, H, use_peephole=False)
    program = compiled(["BlockLSTMV2"], "float32", variant, "pinned")
    arguments = draw("BlockLSTMV2", "float32", variant)
    state = program.to_device(np.zeros((B, H), np.float32))
    arguments |= {"cs_prev": state, "h_prev": state}
    results = program(**arguments)
    for one, other in itertools.combinations(results, 2):
        assert not np.array_equal(one, other)
    assert not np.asarray(state).any()


@pytest.mark.slow
def test_a_failed_rewrite_falls_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """What does not compile the fast way is compiled the portable way, as the manifest says."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))

    def broken(context: PassContext) -> None:
        made = ir.Module.parse(
            "func.func private @nowhere(tensor<2xf32>) -> tensor<2xf32>\n"
            "func.func @lost(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
            "%b = func.call @nowhere(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "return %b : tensor<2xf32>}"
        )
        for op in made.body.operations:
            op.operation.clone(ip=ir.InsertionPoint.at_block_begin(context.module.body))

    monkeypatch.setattr(
        pipeline, "STRATEGY_PASSES", {**pipeline.STRATEGY_PASSES, "fused": ("broken",)}
    )
    monkeypatch.setattr(pipeline, "PASSES", {**pipeline.PASSES, "broken": Pass(broken, (), ())})
    built = rc.build("BlockLSTMV2", seq_length=2, batch_size=2, input_size=3, num_units=4)
    with pytest.warns(CompileWarning, match=r"(?s)fused lowering did not compile.*reproducer"):
        artifact = rc.compile(built, "cpu")
    assert artifact.manifest.strategy == "portable"
    with pytest.raises(CompileError):
        rc.compile(built, "cpu", strategy="fused")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> str:
    """The name of a function that the compiler refuses with fast loops."""
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path))
    known = pipeline.PASSES
    name = "rnn_compiler_block_lstm_v2_"

    def broken(context: PassContext) -> None:
        known["fuse_time_loops"](context)
        for each in context.op_functions():
            if symbol_of(each) == name:
                x = block_of(each).arguments[1]
                lost = ir.Operation.create(
                    "stablehlo.custom_call",
                    [x.type],
                    [x],
                    {"call_target_name": ir.StringAttr.get("nowhere")},
                    ip=ir.InsertionPoint.at_block_begin(block_of(each)),
                )
                x.replace_all_uses_except(lost.results[0], lost)

    monkeypatch.setattr(pipeline, "PASSES", {**known, "fuse_time_loops": Pass(broken, (), ())})
    return name


@pytest.mark.slow
def test_a_function_that_fails_does_not_take_others_with_it(refused: str) -> None:
    """It stays portable, the others have the bits that they have alone."""
    sizes = {"seq_length": 3, "batch_size": 2, "input_size": 3, "num_units": 8}
    rows = [("BlockLSTMV2", {"function": name}) for name in ("good", refused)]
    with pytest.warns(CompileWarning, match=f"the fused lowering of {refused} did not compile"):
        artifact = rc.compile(rc.build(rows, **sizes), "cpu")
    assert artifact.manifest.strategy == "fused"
    assert [*artifact.manifest.plain_loops] == [f"{refused}.lstm_forward"]
    given = draw("BlockLSTMV2", "float32", sizes)
    program = rc.runtime.load(artifact)
    alone = rc.runtime.load(rc.compile(rc.build("BlockLSTMV2", function="good", **sizes), "cpu"))
    for name, value in alone(**given)._asdict().items():
        np.testing.assert_array_equal(getattr(program.good(**given), name), value)
        found = program.functions[refused](**given)
        np.testing.assert_allclose(getattr(found, name), value, atol=1e-6)


@pytest.mark.slow
def test_nor_does_one_of_a_users_module(refused: str) -> None:
    variants = [{"seq_length": 3, "batch_size": 2, "input_size": n, "num_units": 8} for n in (3, 4)]
    specs = [rc.build("BlockLSTMV2", **variant).functions[0] for variant in variants]
    text = "".join(
        function(spec, name=name) for spec, name in zip(specs, ("good", "bad"), strict=True)
    )
    with pytest.warns(CompileWarning, match=f"the fused lowering of {refused} did not compile"):
        program = rc.runtime.load(rc.link(text, "cpu"))
    assert program.manifest.strategy == "fused"
    assert [*program.manifest.plain_loops] == [f"{refused}.lstm_forward"]
    given = [draw("BlockLSTMV2", "float32", variant) for variant in variants]
    alone = rc.runtime.load(rc.compile(module("BlockLSTMV2", "float32", variants[0]), "cpu"))
    assert_same_bits(program.good(**given[0]), alone(**given[0]))
    right = expected("BlockLSTMV2", "float32", variants[1], given[1])
    for name, found in program.bad(**given[1])._asdict().items():
        np.testing.assert_allclose(found, right[name], rtol=0, atol=1e-6)


def test_unknown_strategies_are_refused() -> None:
    built = rc.build("BlockLSTMV2", seq_length=2, batch_size=2, input_size=3, num_units=4)
    for wrong in ("quick", "", 3):
        with pytest.raises(
            InvalidArgumentError, match=r"'strategy': expected one of portable, fus.*pinned"
        ):
            rc.compile(built, "cpu", strategy=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"portable, pinned, for cuda:t4, got 'fused'"):
        rc.compile(built, "cuda:t4", strategy="fused")
