"""What there is to test: one row per op, the tolerance of each dtype, and the comparison.

Every numeric test reads `CASES`: a row (and golden files) is all that a new op needs to go through
all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
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
        forward: Of a gradient op, the op whose gradient it is; it takes that op's inputs and
            results by name, and those of the forward's attributes that it has itself.
        cotangents: Of a gradient op, which result of the forward each cotangent argument is for.
        gradients: Of a gradient op, which argument of the forward each result is the gradient of.
    """

    op: str
    reference: Callable[..., dict[str, npt.NDArray[np.float64]]]
    variants: tuple[dict[str, Any], ...]
    forward: str | None = None
    cotangents: Mapping[str, str] = field(default_factory=dict)
    gradients: Mapping[str, str] = field(default_factory=dict)


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

_BLOCK_LSTM_COTANGENTS = {"cs_grad": "cs", "h_grad": "h"}
_BLOCK_LSTM_GRADIENTS = {
    f"{name}_grad": name for name in ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")
}

CASES = {
    case.op: case
    for case in (
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
            _BLOCK_LSTM_COTANGENTS,
            _BLOCK_LSTM_GRADIENTS,
        ),
    )
}

GRADIENT_CASES = {op: case for op, case in CASES.items() if case.forward is not None}


def assert_close(
    actual: Mapping[str, npt.NDArray[Any]], expected: Mapping[str, npt.ArrayLike], dtype: str
) -> None:
    """Fails unless every result is what is expected, within the tolerance of its dtype.

    The error is relative to the largest expected element, or to 1. NaN and infinities must be where
    they are expected, and nowhere else.
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
        scale = np.abs(want[~special]).max(initial=1.0)
        error = np.abs(got[~special] - want[~special]).max(initial=0.0) / scale
        assert error <= TOLERANCES[dtype], (  # false for NaN
            f"{name}: error {error:.3g} relative to {scale:.3g}, "
            f"tolerance {TOLERANCES[dtype]:.3g} for {dtype}"
        )
