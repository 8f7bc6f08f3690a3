"""bfloat16 multiplied as pairs, by an instruction or widened in registers: the same bits.

If both ways agree, no number is lost, sums are added in one order, and values passed from step to
step are rounded, whatever type they are kept in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits, sizes
from numeric.harness import draw, first_variant, first_variants, function, program, together
from quick import every

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat
from rnn_compiler.schema.cpu_features import host_features


def pairs_of(target: str) -> WeightFormat:
    """The format of a target's products of bfloat16 numbers."""
    unit = VectorUnit.of(resolve_target(target))
    return unit.format("bf16", "bf16", "f32", inner=3, rows=2)


LEVELS = {
    "cpu": set[str](),
    "cpu:x86-64-v4": {"avx512bw", "avx512vl", "fma"},
    "cpu:x86-64-v3": {"avx2", "fma"},
}
RUN_HERE = [name for name, needed in LEVELS.items() if needed <= {*host_features()}]
if pairs_of("cpu").summed:  # a matrix unit sums in another order (`processors.on_amx`)
    RUN_HERE.remove("cpu")
_CODE = {VectorUnit.of(resolve_target(name)): name for name in reversed(RUN_HERE)}
TARGETS = sorted(_CODE.values(), key=RUN_HERE.index)
"""The targets whose code differs."""

WIDE, NARROW = (TARGETS[:2], [*TARGETS[:1], *TARGETS[2:]]) if len(TARGETS) == 3 else 2 * [TARGETS]
"""The first, which may have the instruction, and one without it: two vector widths."""

SMALL = sizes(4, 3, 5, 7, use_peephole=False)
BLOCK = ("BlockLSTMV2", "BlockLSTMGradV2")
CUDNN = ("CudnnRNN", "CudnnRNNBackprop")
slow = pytest.mark.slow

# Odd sums and odd units; one row; sizes of several panels; products of more than one kind.
CASES = [
    (BLOCK, sizes(5, 7, 33, 37, use_peephole=True), NARROW),
    (BLOCK, sizes(6, 1, 19, 70, use_peephole=False), NARROW),
    (BLOCK, sizes(4, 18, 64, 96, use_peephole=False), WIDE),
    (CUDNN, sizes(5, 9, 3, 3, rnn_mode="lstm", num_layers=2), NARROW),
    (CUDNN, sizes(4, 1, 40, 65, rnn_mode="gru", num_layers=1), WIDE),
    (CUDNN, sizes(6, 12, 31, 48, rnn_mode="rnn_tanh"), WIDE),
]


def results(ops: tuple[str, ...], variant: dict[str, Any], **how: Any) -> dict[str, Any]:
    """The results of ops, as integers."""
    artifact = rc.compile(together("bfloat16", dict.fromkeys(ops, variant)), **how)
    program, given = rc.runtime.load(artifact, "local-sync"), dict[str, Any]()
    for op in ops:
        out = getattr(program, OPS[op].signature.function)(**draw(op, "bfloat16", variant))
        given |= {f"{op}.{name}": np.asarray(value) for name, value in out._asdict().items()}
    floats = {name: array for name, array in given.items() if array.dtype.itemsize == 2}
    return {name: array.view(np.int16) for name, array in floats.items()}


@slow
@pytest.mark.skipif(len(TARGETS) < 2, reason="this processor runs one kind of code only")
@pytest.mark.parametrize(
    ("ops", "variant", "targets"), [CASES[k] for k in every(range(len(CASES)), 0, 1, 2, 3, 4)]
)
def test_every_target_gives_the_same_bits(
    ops: tuple[str, ...], variant: dict[str, Any], targets: list[str]
) -> None:
    first, *others = (results(ops, variant, target=name) for name in targets)
    for other in others:
        assert_same_bits(first, other)


@pytest.mark.slow
@pytest.mark.parametrize("op", [BLOCK[0], pytest.param(BLOCK[1], marks=slow)])
def test_states_are_rounded(op: str) -> None:
    """A loop that multiplies in float32 rounds its state at every step, as the plain loop does."""
    variant = sizes(8, 7, 16, 24, use_peephole=False)
    fused, plain = (
        results((op,), variant, target="cpu:generic", strategy=name)
        for name in ("fused", "portable")
    )
    for name, array in plain.items():  # sums run in other orders: a few are rounded otherwise
        assert np.mean(array != fused[name]) < 0.01, name


# Mixed training: gradients of weights that are not rounded.

GRADIENTS = {
    "BlockLSTMGradV2": ("w_grad", "wco_grad", "b_grad"),
    "LSTMBlockCellGrad": ("wci_grad", "wco_grad"),
    "GRUBlockCellParameterGrad": ("d_w_ru", "d_b_c"),
    "CudnnRNNBackpropV3": ("params_backprop",),
}


@slow
@pytest.mark.parametrize(
    ("op", "dtype"),
    [  # what rounds is the same for both types: each has two ops, and a sequence and a cell in all
        ("BlockLSTMGradV2", "bfloat16"),
        ("GRUBlockCellParameterGrad", "float16"),
        ("LSTMBlockCellGrad", "bfloat16"),
        ("CudnnRNNBackpropV3", "float16"),
    ],
)
def test_gradients_of_weights_in_float32(op: str, dtype: str) -> None:
    """Only they are rounded differently; all other results stay the same."""
    variant, wide = first_variant(op), GRADIENTS[op]
    arguments = draw(op, dtype, variant)
    narrow = function(op, dtype, first_variants(op, dtype))(**arguments)
    mixed = program(op, dtype, variant | {"weight_grad_dtype": "float32"})(**arguments)
    for name, rounded, exact in zip(narrow._fields, narrow, mixed, strict=True):
        rounded, exact = np.asarray(rounded), np.asarray(exact)
        is_weight = rounded.dtype != exact.dtype
        assert exact.dtype == (np.float32 if is_weight else rounded.dtype)
        assert is_weight or name not in wide
        np.testing.assert_array_equal(exact.astype(rounded.dtype), rounded, err_msg=name)
        if name in wide:
            assert (exact != rounded.astype(np.float32)).any(), "nothing was there to be rounded"


def test_only_a_wider_dtype_is_taken() -> None:
    module = rc.build("BlockLSTMGradV2", weight_grad_dtype="float32", **SMALL)
    assert "weight_grad_dtype" not in module.functions[0].attributes
    for dtype, other in (("float32", "bfloat16"), ("float64", "float32"), ("float16", "bfloat16")):
        with pytest.raises(InvalidArgumentError, match=f"weight_grad_dtype.*{dtype}.*{other}"):
            rc.build("BlockLSTMGradV2", dtype=dtype, weight_grad_dtype=other, **SMALL)
    with pytest.raises(TypeError, match="weight_grad_dtype"):
        rc.raw_ops.BlockLSTMGradV2(weight_grad_dtype="float32")
