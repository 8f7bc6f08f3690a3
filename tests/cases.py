"""The tested ops: one row per op, the tolerance of each dtype, and the comparison.

Every numeric test reads `CASES`: a row (and golden files) is all that a new op needs to go through
all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import cudnn_params_reference
import cudnn_reference
import numpy as np
import numpy.typing as npt
import onnx_reference
import reference

TOLERANCES = {
    # Against TensorFlow, whose half kernels round every operation and even sum in half. Errors are
    # relative to the largest element of the tensor, or to 1.
    "float16": 3e-2,
    # Ten roundings to 8 bits, of 2**-9 each. Only storing rounds: the state once a step, gradients
    # once more as gate gradients. TensorFlow has no such kernel, whose errors to allow for.
    "bfloat16": 10 * 2**-9,
    "float32": 2e-5,
    "float64": 1e-10,
}


@dataclass(frozen=True)
class OpCase:
    """How to test an op.

    Attributes:
        op: TensorFlow's name.
        reference: The op in float64: tensors and attributes by name in, a dict of results out.
        variants: Sizes and attributes to compile it at, as keywords of `rnn_compiler.build`. Each
            one costs a compilation per dtype, so sizes and attributes vary together.
        forward: Of a gradient op, the op that comes before it; it takes that op's inputs and
            results by name, and those of its attributes that it has itself.
        cotangents: Of a gradient op, which result of the forward each cotangent argument is for.
        gradients: Of a gradient op, which argument of the forward (of the first op, where more
            than one comes before it) each result is the gradient of.
        only_copies: Whether nothing is computed: such an op has no golden files, and tests of its
            own, of every bit, in `numeric/test_cudnn_params.py`.
    """

    op: str
    reference: Callable[..., dict[str, npt.NDArray[np.float64]]]
    variants: tuple[dict[str, Any], ...]
    forward: str | None = None
    cotangents: Mapping[str, str] = field(default_factory=dict)
    gradients: Mapping[str, str] = field(default_factory=dict)
    only_copies: bool = False


def sizes(T: int, B: int, I: int, H: int, **attributes: Any) -> dict[str, Any]:  # noqa: E741
    """Keywords of `rnn_compiler.build` for an op over a sequence."""
    dims = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H}
    return dims | attributes


_SEQUENCES = (
    sizes(4, 2, 3, 5, use_peephole=True, cell_clip=0.3),
    sizes(7, 3, 1, 1, use_peephole=False),
    sizes(3, 17, 33, 19, use_peephole=True),
    sizes(5, 4, 16, 32, use_peephole=False, cell_clip=-1.0),
    sizes(1, 1, 5, 3, use_peephole=False, cell_clip=0.5),
)

_STEPS = tuple({k: v for k, v in each.items() if k != "seq_length"} for each in _SEQUENCES)
_LSTM_STEPS = (*(each | {"forget_bias": -0.7} for each in _STEPS[:2]), *_STEPS[2:])

_STACKS = (
    sizes(4, 2, 3, 5, direction="bidirectional"),
    sizes(3, 5, 4, 4, rnn_mode="gru", input_mode="auto_select", num_layers=2),
    sizes(5, 3, 17, 19, num_layers=2, dropout=0.4, num_proj=6),
)
"""V1 and V2 are V3 without its extras: one size each."""

_STACK_COTANGENTS = {f"{name}_backprop": name for name in ("output", "output_h", "output_c")}
_STACK_GRADIENTS = {f"{name}_backprop": name for name in ("input", "input_h", "input_c", "params")}


def _stack(version: int) -> tuple[OpCase, OpCase]:
    """CudnnRNN of a version, and its gradient."""
    suffix = "" if version == 1 else f"V{version}"
    variants = _STACKS if version == 3 else _STACKS[:1]
    forward = partial(cudnn_reference.cudnn_rnn, version=version)
    return OpCase(f"CudnnRNN{suffix}", forward, variants), OpCase(
        f"CudnnRNNBackprop{suffix}",
        cudnn_reference.cudnn_rnn_backprop,
        variants,
        f"CudnnRNN{suffix}",
        _STACK_COTANGENTS,
        _STACK_GRADIENTS,
    )


_EVERY_INPUT = "B sequence_lens initial_h"
_ONNX: dict[str, tuple[dict[str, Any], ...]] = {
    "LSTM": (
        sizes(
            *(4, 2, 3, 5),
            direction="bidirectional",
            activations="HardSigmoid Softsign Elu Sigmoid ScaledTanh Softplus",
            activation_alpha="0.3 1.2 0.8",
            activation_beta="0.4 0.9",
            clip=2.5,
            inputs=f"{_EVERY_INPUT} initial_c P",
        ),
        sizes(3, 5, 4, 4, direction="reverse", input_forget=1, inputs="B P", layout=1),
        sizes(5, 3, 17, 19, activations="Sigmoid LeakyRelu Affine", inputs="initial_c"),
    ),
    "GRU": (
        sizes(4, 2, 3, 5, direction="bidirectional", clip=2.5, inputs=_EVERY_INPUT),
        sizes(3, 5, 4, 4, direction="reverse", linear_before_reset=1, layout=1),
        sizes(5, 3, 17, 19, activations="HardSigmoid Softsign", inputs=""),
    ),
    "RNN": (
        sizes(4, 2, 3, 5, direction="bidirectional", activations="Softplus Elu", clip=2.5),
        sizes(3, 5, 4, 4, direction="reverse", activations="HardSigmoid", layout=1),
        sizes(5, 3, 17, 19, activations="ThresholdedRelu", activation_alpha="0.1", inputs="B"),
    ),
}


_ONNX_GRADIENTS: dict[str, tuple[dict[str, Any], ...]] = {
    "LSTM": (
        sizes(
            *(4, 2, 3, 5),
            direction="bidirectional",
            activations="Sigmoid Softsign Tanh Sigmoid ScaledTanh Softplus",
            activation_alpha="1.2",
            activation_beta="0.9",
            inputs=f"{_EVERY_INPUT} initial_c P",
        ),
        sizes(3, 5, 4, 4, direction="reverse", input_forget=1, inputs="B P", layout=1),
        sizes(5, 3, 17, 19, inputs="initial_c"),
    ),
    "GRU": (
        sizes(4, 2, 3, 5, direction="bidirectional", inputs=_EVERY_INPUT),
        sizes(3, 5, 4, 4, direction="reverse", linear_before_reset=1, layout=1),
        sizes(5, 3, 17, 19, activations="Sigmoid Softsign", inputs=""),
    ),
    "RNN": (
        sizes(4, 2, 3, 5, direction="bidirectional", activations="Softplus Tanh"),
        sizes(3, 5, 4, 4, direction="reverse", layout=1),
        sizes(5, 3, 17, 19, activations="Softsign", inputs="B"),
    ),
}
"""Without a clip and bends, at which what is rounded has another derivative."""


def _onnx(kind: str) -> tuple[OpCase, OpCase]:
    """One of ONNX's ops, and its gradient."""
    results = ("Y", "Y_h", "Y_c") if kind == "LSTM" else ("Y", "Y_h")
    inputs = ("X", "W", "R", "B", "initial_h", *(("initial_c", "P") if kind == "LSTM" else ()))
    op = f"onnx.{kind}"
    return OpCase(op, partial(onnx_reference.forward, kind), _ONNX[kind]), OpCase(
        f"{op}Grad",
        partial(onnx_reference.gradient, kind),
        tuple(each | {"is_training": True} for each in _ONNX_GRADIENTS[kind]),
        op,
        {f"{name}_grad": name for name in results},
        {f"{name}_grad": name for name in inputs},
    )


_PARAMETERS = {
    **{"num_layers": 2, "num_units": 3, "input_size": 2, "S": "int32"},
    **{"num_params": 16, "num_params_weights": 18, "num_params_biases": 16, "num_proj": 2},
}


def _parameters(op: str, reference: Callable[..., Any]) -> OpCase:
    """An op around the parameter buffer; V1 has no projections."""
    return OpCase(op, reference, (_PARAMETERS,), only_copies=True)


_LSTM_COTANGENTS = {"cs_grad": "cs", "h_grad": "h"}


def _gradients(*arguments: str) -> dict[str, str]:
    return {f"{name}_grad": name for name in arguments}


_PEEPHOLES = ("wci", "wcf", "wco")
_LSTM_GRADIENTS = _gradients("x", "cs_prev", "h_prev", "w", *_PEEPHOLES, "b")

CASES = {
    case.op: case
    for case in (
        OpCase("LSTMBlockCell", reference.lstm_block_cell, _LSTM_STEPS),
        OpCase(
            "LSTMBlockCellGrad",
            reference.lstm_block_cell_grad,
            _LSTM_STEPS,
            "LSTMBlockCell",
            _LSTM_COTANGENTS,
            _gradients("cs_prev", *_PEEPHOLES),
        ),
        OpCase(
            "LSTMBlockCellParameterGrad",
            reference.lstm_block_cell_parameter_grad,
            _LSTM_STEPS,
            "LSTMBlockCellGrad",
            gradients=_gradients("x", "h_prev", "w", "b"),
        ),
        OpCase(
            "BlockLSTM",
            partial(reference.block_lstm, gate_order="ICFO"),
            _SEQUENCES,
        ),
        OpCase(
            "BlockLSTMGrad",
            partial(reference.block_lstm_grad, gate_order="ICFO"),
            _SEQUENCES,
            "BlockLSTM",
            _LSTM_COTANGENTS,
            _LSTM_GRADIENTS,
        ),
        OpCase(
            "BlockLSTMV2",
            partial(reference.block_lstm, gate_order="IFCO"),
            _SEQUENCES,
        ),
        OpCase(
            "BlockLSTMGradV2",
            partial(reference.block_lstm_grad, gate_order="IFCO"),
            _SEQUENCES,
            "BlockLSTMV2",
            _LSTM_COTANGENTS,
            _LSTM_GRADIENTS,
        ),
        OpCase("GRUBlockCell", reference.gru_block_cell, _STEPS),
        OpCase(
            "GRUBlockCellGrad",
            reference.gru_block_cell_grad,
            _STEPS,
            "GRUBlockCell",
            {"d_h": "h"},
            {"d_x": "x", "d_h_prev": "h_prev"},
        ),
        OpCase(
            "GRUBlockCellParameterGrad",
            reference.gru_block_cell_parameter_grad,
            _STEPS,
            "GRUBlockCellGrad",
            gradients={f"d_{name}": name for name in ("w_ru", "w_c", "b_ru", "b_c")},
        ),
        *_stack(1),
        *_stack(2),
        *_stack(3),
        *_onnx("LSTM"),
        *_onnx("GRU"),
        *_onnx("RNN"),
        _parameters("CudnnRNNParamsSize", cudnn_params_reference.params_size),
        _parameters("CudnnRNNParamsToCanonical", cudnn_params_reference.params_to_canonical),
        _parameters("CudnnRNNParamsToCanonicalV2", cudnn_params_reference.params_to_canonical),
        _parameters("CudnnRNNCanonicalToParams", cudnn_params_reference.canonical_to_params),
        _parameters("CudnnRNNCanonicalToParamsV2", cudnn_params_reference.canonical_to_params),
    )
}

COMPUTING = [op for op, case in CASES.items() if not case.only_copies]

ALIKE = {
    *("BlockLSTM", "BlockLSTMGrad"),
    *("CudnnRNN", "CudnnRNNV2", "CudnnRNNBackprop", "CudnnRNNBackpropV2"),
}
"""Ops that share an emitter with V2 of the block ops or V3 of CudnnRNN, which represent them."""

REPRESENTED = ALIKE | {"onnx.GRU", "onnx.GRUGrad", "onnx.RNN", "onnx.RNNGrad"}
"""Ops that others represent in quick tests: also those of ONNX except one and its gradient, as they
are built from the same layers as CudnnRNN's."""

GRADIENT_CASES = {op: case for op, case in CASES.items() if case.forward is not None}


def assert_same_bits(found: Any, expected: Any, of: object = "") -> None:
    """Fails unless results are the expected ones, in every bit; `of` says which call's they are.

    They are compared by name, or one by one if they have no names.
    """
    given, wanted = (r._asdict() if hasattr(r, "_asdict") else r for r in (found, expected))
    if isinstance(given, Mapping) and isinstance(wanted, Mapping):
        given, wanted = {name: given[name] for name in wanted}, dict(wanted)
    else:
        given, wanted = (
            dict(enumerate(r.values() if isinstance(r, Mapping) else r)) for r in (given, wanted)
        )
    assert len(given) == len(wanted), of
    for name, value in wanted.items():
        one, other = np.asarray(given[name]), np.asarray(value)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), (name, of)
        bits = [np.frombuffer(each.tobytes(), np.uint8) for each in (one, other)]
        if not np.array_equal(*bits):
            np.testing.assert_array_equal(one, other, f"{name} {of}")
            np.testing.assert_array_equal(*bits, f"bytes of {name} {of}")


def assert_close(
    actual: Mapping[str, npt.NDArray[Any]],
    expected: Mapping[str, npt.ArrayLike],
    dtype: str,
    terms: Mapping[str, float] | None = None,
) -> None:
    """Fails unless every result has its expected value, within the tolerance of its dtype.

    The error is relative to the largest expected element, to 1, or to the size of the terms that a
    result is a sum of, if that is given. NaN and infinities must be where they are expected, and
    nowhere else.
    """
    assert list(actual) == list(expected), f"{list(actual)} instead of {list(expected)}"
    for name, values in expected.items():
        want = np.asarray(values, np.float64)
        got = np.asarray(actual[name]).astype(np.float64)
        assert got.shape == want.shape, f"{name}: shape {got.shape} instead of {want.shape}"
        special = ~np.isfinite(want)
        assert np.array_equal(got[special], want[special], equal_nan=True), (
            f"{name}: {got[special]} where {want[special]} is expected"
        )
        scale = np.abs(want[~special]).max(initial=max(1.0, (terms or {}).get(name, 1.0)))
        error = np.abs(got[~special] - want[~special]).max(initial=0.0) / scale
        assert error <= TOLERANCES[dtype], (  # false for NaN
            f"{name}: error {error:.3g} relative to {scale:.3g}, "
            f"tolerance {TOLERANCES[dtype]:.3g} for {dtype}"
        )
