"""Functions that only return a product with weights in int8, and its expected value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from int8_reference import Array, product

import rnn_compiler as rc

__all__ = ["Shape", "calls", "relu_layers"]

Shape = tuple[int, int, int]
"""Rows, inputs and units."""


def relu_layers(shapes: Sequence[Shape]) -> tuple[rc.Module, dict[str, Array]]:
    """Layers of a single step without biases, with weights in int8; the weights by function."""
    sizes = [{"batch_size": B, "input_size": X, "num_units": H} for B, X, H in shapes]
    known = {"rnn_mode": "rnn_relu", "num_layers": 1, "is_training": False, "seq_length": 1}
    rows = [{**known, **each, "function": f"f{k}"} for k, each in enumerate(sizes)]
    built = rc.build([("CudnnRNNV3", row) for row in rows], outputs=["output"])
    rng = np.random.default_rng(0)
    weights: dict[str, Array] = {}
    for spec, (_, inputs, units) in zip(built.functions, shapes, strict=True):
        size = next(each.static_shape[0] for each in spec.arguments if each.name == "params")
        params = rng.standard_normal(size).astype(np.float32)
        params[units * (inputs + units) :] = 0
        params[:inputs] = 0  # a column without weights
        params[inputs : 2 * inputs] = 1  # one whose numbers are all the largest
        weights[spec.function] = params
    given = {name: {"params": params} for name, params in weights.items()}
    return rc.freeze(built, given, quantize="int8"), weights


def calls(
    shapes: Sequence[Shape], weights: Mapping[str, Array]
) -> Iterator[tuple[str, dict[str, Any], Array]]:
    """Functions, arguments and results: products with inputs, outside of a loop, and with states.

    Some rows are large, some small; half of the first are the largest numbers; where there are
    several, the last has an infinity.
    """
    rng = np.random.default_rng(1)
    for (B, X, H), (name, params) in zip(shapes, weights.items(), strict=True):
        matrices = np.split(params[: H * (X + H)], [H * X])
        for kind, (width, matrix) in enumerate(zip((X, H), matrices, strict=True)):
            rows = rng.standard_normal((B, width)).astype(np.float32)
            rows *= np.float32(10.0) ** rng.integers(-3, 4, (B, 1))
            rows[0, : width // 2] = np.abs(rows[0]).max()
            expected = np.maximum(product(rows, matrix.reshape(H, width)), 0)
            if B > 1:
                rows[-1, width // 2], expected[-1] = np.inf, np.nan
            given = [np.zeros((1, B, X), np.float32), np.zeros((1, B, H), np.float32)]
            given[kind] = rows[None]
            lengths = np.ones(B, np.int32)
            arguments = {"input": given[0], "input_h": given[1], "sequence_lengths": lengths}
            yield name, {**arguments, "input_c": np.zeros((), np.float32)}, expected
