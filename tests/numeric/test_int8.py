"""Weights in int8: products are exactly as defined, for every op, processor and strategy."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import sizes
from int8_reference import stacked_product
from numeric.harness import Arrays, draw, module
from numeric.int8_products import Shape, calls, relu_layers
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.quantization import quantized_matrix
from rnn_compiler.schema.cpu_features import host_features
from rnn_compiler.schema.dtypes import DTYPES

SHAPES = [(24, 70, 90), (3, 70, 20), (1, 70, 90)]
"""Products that are not plain outside of loops, and that are; a single row."""


_LEVELS = ("v3", "v3,avxvnni", "v4", "v4,avx512vnni")
_NAMES = ("cpu", "cpu:generic", "cpu:x86_64,avx", *(f"cpu:x86_64,x86-64-{k}" for k in _LEVELS))
_CODE = {VectorUnit.of(resolve_target(name)): name for name in reversed(_NAMES)}
TARGETS = sorted(_CODE.values(), key=_NAMES.index)
"""The code of each is another."""


@pytest.mark.parametrize(
    ("target", "strategy", "shapes"),
    first(
        [
            ("cpu", None, SHAPES[:1]),
            *((name, None, SHAPES) for name in TARGETS),
            ("cpu", "portable", SHAPES),
        ]
    ),
)
def test_products_have_the_bits_that_are_defined(
    target: str, strategy: str | None, shapes: Sequence[Shape]
) -> None:
    """For processors that are not here, one kind of product is compiled."""
    runs_here = {*resolve_target(target).features} <= {*host_features()}
    shapes = shapes if runs_here else SHAPES[:1]
    frozen, weights = relu_layers(shapes)
    artifact = rc.compile(frozen, target=target, strategy=strategy)
    assert not artifact.manifest.plain_loops
    if not runs_here:
        pytest.skip(f"this machine does not run {target}")
    program = rc.runtime.load(artifact)
    for name, given, expected in calls(shapes, weights):
        found = np.asarray(program.functions[name](**given))
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)


CASES = {
    "block": ("BlockLSTM", sizes(6, 3, 20, 24, use_peephole=True)),
    "cell": ("LSTMBlockCell", {"batch_size": 1, "input_size": 100, "num_units": 70}),
    "gru_cell": ("GRUBlockCell", {"batch_size": 3, "input_size": 20, "num_units": 24}),
    "layers": ("CudnnRNNV3", sizes(6, 9, 5, 17, num_layers=2, num_proj=6, is_training=False)),
    "gru": ("CudnnRNNV3", sizes(7, 1, 20, 24, num_layers=1, rnn_mode="gru", is_training=False)),
    "small": ("CudnnRNN", sizes(4, 3, 1, 2, num_layers=1, rnn_mode="gru", is_training=False)),
    "onnx": ("onnx.GRU", sizes(6, 3, 20, 24, direction="bidirectional", is_training=False)),
    "lengths": (
        "onnx.LSTM",
        sizes(6, 40, 20, 24, inputs="B sequence_lens initial_h initial_c P", is_training=False),
    ),
}


@functools.cache
def in_int8() -> tuple[rc.Program, rc.Program, dict[str, Arrays]]:
    """The cases as functions of a module, fused and portable; their arguments except weights."""
    specs, weights, others = [], dict[str, Arrays](), dict[str, Arrays]()
    for name, (op, variant) in CASES.items():
        (spec,) = module(op, "float32", variant).functions
        specs.append(replace(spec, function=name))
        others[name] = draw(op, "float32", variant, scale=0.5)
        weights[name] = {each: others[name].pop(each) for each in spec.weights}
    frozen = rc.freeze(rc.Module(specs), weights, quantize="int8")
    fused, plain = (rc.compile(frozen, strategy=each) for each in (None, "portable"))
    return rc.runtime.load(fused), rc.runtime.load(plain), others


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_op_computes_what_its_portable_module_says(name: str) -> None:
    *programs, others = in_int8()
    fused, plain = (each.functions[name](**others[name]) for each in programs)
    for found, expected in zip(fused, plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=3e-3)
        assert np.mean(np.abs(found - expected)) < 1e-5


@pytest.mark.slow
def test_block_ops_scale_inputs_and_states_apart() -> None:
    """Inputs here are 10,000 times as large as states, and their weights as much smaller."""
    B, X, H = 3, 70, 40
    ops = {"LSTMBlockCell": ["i"], "GRUBlockCell": ["r", "c"], "BlockLSTM": ["i"]}
    known = {"batch_size": B, "input_size": X, "num_units": H}
    built = rc.build([(op, {"outputs": of}) for op, of in ops.items()], seq_length=1, **known)
    rng = np.random.default_rng(0)
    shapes = {"w": (X + H, 4 * H), "w_ru": (X + H, 2 * H), "w_c": (X + H, H)}
    matrices = {name: rng.uniform(-0.5, 0.5, shape) for name, shape in shapes.items()}
    for matrix in matrices.values():
        matrix[:X] /= 10_000
    matrices = {name: matrix.astype(np.float32) for name, matrix in matrices.items()}
    x, h = (
        (10_000 * rng.standard_normal((B, X))).astype(np.float32),
        np.tanh(rng.standard_normal((B, H))).astype(np.float32),
    )
    given = {spec.function: {k: matrices[k] for k in spec.weights} for spec in built.functions}
    program = rc.runtime.load(rc.compile(rc.freeze(built, given, quantize="int8")))
    fixed = {"x": x, "h_prev": h, "cs_prev": 0 * h, "seq_len_max": 1}
    fixed |= {"b": np.zeros(4 * H, np.float32), "b_ru": np.zeros(2 * H, np.float32)}
    fixed |= {name: np.zeros(H, np.float32) for name in ("b_c", "wci", "wcf", "wco")}

    def call(name: str, **arguments: Any) -> Any:
        function = program.functions[name]
        takes = [each.name for each in function.spec.arguments]
        given = {name: value for name, value in (fixed | arguments).items() if name in takes}
        return function(**given)

    def sigmoid(z: Any) -> Any:
        return 1 / (1 + np.exp(-z.astype(np.float64)))

    gates = sigmoid(stacked_product((x, h), matrices["w"]))[:, :H]
    np.testing.assert_allclose(call("lstm_block_cell").i, gates, rtol=0, atol=1e-6)
    np.testing.assert_allclose(call("block_lstm", x=x[None]).i[0], gates, rtol=0, atol=1e-6)
    gru = call("gru_block_cell")
    gates = sigmoid(stacked_product((x, h), matrices["w_ru"]))
    np.testing.assert_allclose(gru.r, gates[:, :H], rtol=0, atol=1e-6)
    candidate = np.tanh(stacked_product((x, gru.r * h), matrices["w_c"]).astype(np.float64))
    np.testing.assert_allclose(gru.c, candidate, rtol=0, atol=1e-6)


@pytest.mark.slow
def test_open_sizes_and_streams() -> None:
    op, fixed = CASES["gru"]
    fused, _, others = in_int8()
    given = others["gru"]
    opened = rc.build(op, **{**fixed, "seq_length": None, "batch_size": None})
    params = draw(op, "float32", fixed, scale=0.5)["params"]
    program = rc.runtime.load(rc.compile(rc.freeze(opened, {"params": params}, quantize="int8")))
    expected = fused.gru(**given)
    found = program(**given)
    np.testing.assert_allclose(found.output, expected.output, rtol=0, atol=1e-6)
    stream = program.stream(input_h=given["input_h"])
    rows = [stream(given["input"][k : k + 1]) for k in range(7)]
    lengths = {"sequence_lengths": np.full(1, 7, np.int32)}
    full = program(**{**given, **lengths})
    found = np.concatenate([np.asarray(each.output) for each in rows])
    np.testing.assert_allclose(found, full.output, rtol=0, atol=1e-6)


def test_what_is_stored_and_what_is_not_taken() -> None:
    built = rc.build("BlockLSTMV2", seq_length=4, batch_size=2, input_size=96, num_units=96)
    w, b = np.ones((192, 384), np.float32), np.ones(384, np.float32)
    frozen = rc.freeze(built, {"w": w, "b": b}, quantize="int8")
    (spec,) = frozen.functions
    assert [str(each) for each in spec.frozen] == [
        "int8[192,384]",
        "float32[2,384]",
        "float32[384]",
    ]
    assert frozen.parameters["block_lstm_v2.w"].nbytes == w.nbytes // 4
    with pytest.raises(InvalidArgumentError, match="'quantize': expected 'int8' or None"):
        rc.freeze(built, {"w": w}, quantize="int4")
    with pytest.raises(InvalidArgumentError, match="expected one of the weights w"):
        rc.freeze(built, {"b": b}, quantize="int8")
    with pytest.raises(InvalidArgumentError, match="'w': expected finite numbers"):
        rc.freeze(built, {"w": w * np.nan}, quantize="int8")
    half = rc.build("BlockLSTMV2", dtype="float16", **spec.static_dims)
    with pytest.raises(UnsupportedError, match="weights of float16; build the op with float32"):
        rc.freeze(half, {"w": w.astype(DTYPES["float16"].numpy)}, quantize="int8")
    training = rc.build("onnx.RNN", **spec.static_dims, inputs="", is_training=True)
    with pytest.raises(UnsupportedError, match="training; build the op with is_training=False"):
        rc.freeze(training, {"R": np.ones((1, 96, 96), np.float32)}, quantize="int8")
    ops = ["BlockLSTMV2", ("BlockLSTMGradV2", {"use_peephole": False})]
    both = rc.build(ops, **spec.static_dims)
    given = {"block_lstm_v2": {"w": w}, "block_lstm_grad_v2": {"w": w}}
    with pytest.raises(UnsupportedError, match=r"BlockLSTMGradV2: .* its w: only inference has it"):
        rc.freeze(both, given, quantize="int8")
    gradient = given.pop("block_lstm_grad_v2")
    half = rc.freeze(both, {"block_lstm_grad_v2": gradient})
    found = rc.freeze(half, given, quantize="int8").functions
    assert [each.frozen[0].dtype for each in found] == ["int8", "float32"]
    with pytest.raises(InvalidArgumentError, match="expected an op with weights"):
        rc.freeze(
            rc.build("BlockLSTMGradV2", **spec.static_dims, use_peephole=False),
            {"b": b},
            quantize="int8",
        )


def test_subnormal_weights_do_not_wrap() -> None:
    """Their scale is so coarse that a number would be 190, which int8 takes for -66."""
    smallest = np.finfo(np.float32).smallest_subnormal
    numbers, scales = quantized_matrix(np.array([[190, -190, 3]], np.float32) * smallest, 1)
    assert numbers.tolist() == [[127, -127, 3]]
    assert scales.tolist() == [float(smallest)]
