"""JAX's functions give the results of TensorFlow's kernels, and gradients that are derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import CASES, assert_close, sizes
from goldens.golden import Golden, read_goldens
from jax_functions.xla import unoptimized
from numeric.harness import Arrays, draw, drop_in, first_variant

import rnn_compiler as rc
from rnn_compiler.lowering.ops import GRADIENTS, OPS

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
functions = pytest.importorskip("rnn_compiler.jax")

GOLDENS = [each for each in read_goldens() if OPS[each.op].signature.function in dir(functions)]
FIRST = [*{golden.op: golden for golden in reversed(GOLDENS)}.values()]
"""One of each op: that XLA computes the same at other sizes is shown elsewhere."""


QUICK = ("BlockLSTMGradV2", "onnx.GRU")


@pytest.fixture(scope="module")
def _unoptimized() -> None:
    """These are the numbers of XLA's code as users get it."""


def function_of(op: str) -> Any:
    return getattr(functions, OPS[op].signature.function)


def attributes_of(op: str, variant: dict[str, Any]) -> dict[str, Any]:
    return {each.name: variant[each.name] for each in OPS[op].signature.call_attributes
            if each.name in variant}  # fmt: skip


@pytest.mark.parametrize(
    "golden",
    [pytest.param(g, id=g.op, marks=[] if g.op in QUICK else [pytest.mark.slow]) for g in FIRST],
)
def test_values_are_tensorflows(golden: Golden) -> None:
    with jax.enable_x64(golden.dtype == "float64"):
        results = function_of(golden.op)(**golden.inputs, **golden.passed_attributes)
    assert results._fields[: len(golden.outputs)] == tuple(golden.outputs)
    arrays = {name: np.asarray(array) for name, array in results._asdict().items()}
    assert {arrays[name].dtype.name for name in golden.outputs} == {golden.dtype}
    golden.assert_matches(arrays)


VARIANTS: dict[str, dict[str, Any]] = {
    "LSTMBlockCell": sizes(3, 2, 3, 4, use_peephole=True, cell_clip=0.0),
    "BlockLSTMV2": sizes(3, 2, 3, 4, use_peephole=True),
    "GRUBlockCell": sizes(3, 2, 3, 4),
    "CudnnRNNV2": sizes(3, 2, 3, 4, rnn_mode="gru"),
    "CudnnRNNV3": sizes(3, 2, 3, 4, direction="bidirectional", num_proj=3),
    "onnx.LSTM": sizes(3, 2, 3, 4, inputs="B sequence_lens initial_h initial_c P"),
    "onnx.GRU": sizes(3, 2, 3, 4, direction="reverse", layout=1),
    "onnx.RNN": sizes(3, 2, 3, 4, inputs="", activations="Softplus", clip=2.0),
}
"""Of each kind: other versions differ in names and in the order of gates."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "op",
    [pytest.param(op, marks=[] if op == "BlockLSTMV2" else pytest.mark.slow) for op in VARIANTS],
)
def test_gradients_are_derivatives(op: str) -> None:
    """By differences along random directions, in float64, of all arguments at once."""
    from jax.test_util import check_grads

    gradient, variant = GRADIENTS[op], VARIANTS[op]
    arguments = draw(op, "float64", variant)
    for name in {"sequence_lengths", "sequence_lens"} & arguments.keys():
        arguments[name] = np.array([2, 3], np.int32)
    moved = {name: arguments[name] for name in gradient.arguments if name in arguments}

    def results(moved: Arrays) -> Any:
        run = function_of(op)(**arguments | moved, **attributes_of(op, variant))
        return [getattr(run, name) for name in gradient.results]

    with unoptimized(), jax.enable_x64(True):
        check_grads(jax.jit(results), (moved,), order=1, modes=["rev"], atol=1e-6, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "dtype"), [("BlockLSTMV2", "bfloat16"), ("GRUBlockCell", "float16")]
)
def test_gradients_are_those_of_our_modules(op: str, dtype: str) -> None:
    """Of the same gradient ops, which IREE runs."""
    variant, gradient = first_variant(op), GRADIENTS[op]
    arguments, attributes = draw(op, dtype, variant), attributes_of(op, variant)
    moved = {name: arguments[name] for name in gradient.arguments}
    rng = np.random.default_rng(1)

    def results(moved: Arrays) -> Any:
        run = function_of(op)(**arguments | moved, **attributes)
        return [getattr(run, name) for name in gradient.results]

    outputs, pull = jax.vjp(jax.jit(results), moved)
    arriving = [rng.standard_normal(each.shape).astype(each.dtype) for each in outputs]
    (theirs,) = pull(list(map(jnp.asarray, arriving)))

    known = arguments | drop_in(op)(**arguments, **attributes)._asdict()
    known |= dict(zip(gradient.cotangents, arriving, strict=True))
    for each in gradient.ops:
        taken = {a.name: known[a.name] for a in OPS[each].signature.arguments}
        known |= drop_in(each)(**taken, **attributes_of(each, variant))._asdict()
    ours = {name: known[result] for result, name in gradient.gradients.items()}
    for name, array in ours.items():
        assert theirs[name].dtype == array.dtype
        assert array.any() or (name[:2] == "wc" and not variant.get("use_peephole")), name
    assert_close({name: np.asarray(theirs[name]) for name in ours}, ours, dtype)


@pytest.mark.slow
def test_dropout_draws_the_mask_of_our_modules() -> None:
    """Seeds are run-time arguments, so that they may be traced."""
    variant = sizes(3, 2, 4, 4, num_layers=2, dropout=0.5)
    arguments = draw("CudnnRNN", "float32", variant)
    del arguments["seed"], arguments["seed2"], arguments["call_counter"]

    @jax.jit
    def run(seed: Any) -> Any:
        return functions.cudnn_rnn(**arguments, dropout=0.5, seed=seed, seed2=7)

    for seed in (3, 4):
        ours = rc.raw_ops.CudnnRNN(**arguments, dropout=0.5, seed=seed, seed2=7)
        theirs = {name: np.asarray(each) for name, each in run(seed)._asdict().items()}
        assert_close(theirs, ours._asdict(), "float32")
    assert (run(3).output != run(4).output).any()


def test_cases_cover_all_differentiable_ops() -> None:
    assert set(GRADIENTS) <= set(CASES)
    assert {golden.op for golden in GOLDENS} >= set(GRADIENTS)
