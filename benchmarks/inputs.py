"""The inputs of all entrants of a contest, the same in every process.

An array depends only on its name, its shape, the case's seed, and the dtype it is rounded to.
Layouts are TensorFlow's; `layer_weights` extracts the matrices from cuDNN's opaque buffer for peers
that take them separately.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.rows import Case, Size
from rnn_compiler.schema.dtypes import DTYPES

__all__ = [
    "CHUNKS",
    "Arrays",
    "cell_of",
    "chunks_of",
    "directions_of",
    "draw",
    "gates_of",
    "layer_weights",
    "pack_params",
    "sequence_lengths",
]

Arrays = dict[str, npt.NDArray[Any]]

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
ONNX_CELLS = {"onnx.LSTM": "lstm", "onnx.GRU": "gru"}
PARTS = ("W", "R", "bW", "bR")

CHUNKS = 8
"""The number of chunks of a sequence in streaming workloads."""


def cell_of(case: Case) -> str:
    """``"lstm"``, ``"gru"``, ``"rnn_tanh"`` or ``"rnn_relu"``."""
    return case.workload.attributes.get("rnn_mode", ONNX_CELLS.get(case.workload.ops[0], "lstm"))


def gates_of(case: Case) -> int:
    """The number of gates of a unit."""
    return GATES[cell_of(case)]


def directions_of(case: Case) -> int:
    """The number of directions."""
    return 1 + (case.workload.attributes.get("direction") == "bidirectional")


def draw(case: Case) -> Arrays:
    """The tensors of a case, including incoming gradients.

    They are float32 with values that the case's dtype can represent; lengths are int32. The arrays
    are cached until another case is drawn, so they must not be written to.
    """
    return dict(_drawn(case))


@functools.lru_cache(maxsize=1)
def _drawn(case: Case) -> Arrays:
    fan_in = case.size.I + case.size.H
    shapes = _SHAPES[case.workload.family](case)
    dtype = DTYPES[case.arrays_dtype].numpy
    arrays = {
        name: _normal(name, shape, case.seed, fan_in**-0.5 if name in _MATRICES else 1.0)
        .astype(dtype)
        .astype(np.float32)
        for name, shape in shapes.items()
    }
    if case.workload.lengths:
        arrays["sequence_lengths"] = sequence_lengths(case.size)
    return arrays


def sequence_lengths(size: Size) -> npt.NDArray[np.int32]:
    """A length for each sequence of a batch, uniformly distributed from 1 to all steps."""
    generator = np.random.default_rng([size.T, size.B])
    return generator.integers(1, size.T, size.B, np.int32, endpoint=True)


def _block_shapes(case: Case) -> dict[str, tuple[int, ...]]:
    T, B, I, H = case.size
    sequence = (T, B) if case.workload.family == "block" else (B,)
    return {
        "x": (*sequence, I),
        "cs_prev": (B, H),
        "h_prev": (B, H),
        "w": (I + H, 4 * H),
        "wci": (H,),
        "wcf": (H,),
        "wco": (H,),
        "b": (4 * H,),
        "cs_grad": (*sequence, H),
        "h_grad": (*sequence, H),
    }


def chunks_of(case: Case) -> list[npt.NDArray[np.float32]]:
    """The chunks of a sequence, one after the other, time-major."""
    return np.split(draw(case)["input"], CHUNKS)


def _cudnn_shapes(case: Case) -> dict[str, tuple[int, ...]]:
    T, B, I, H = case.size
    D = directions_of(case)
    return {
        "input": (T * (CHUNKS if case.workload.chunks else 1), B, I),
        "input_h": (D, B, H),
        "input_c": (D, B, H),
        "params": (D * gates_of(case) * H * (I + H + 2),),
        "output_backprop": (T, B, D * H),
        "output_h_backprop": (D, B, H),
        "output_c_backprop": (D, B, H),
    }


def _onnx_shapes(case: Case) -> dict[str, tuple[int, ...]]:
    T, B, I, H = case.size
    D, rows = directions_of(case), gates_of(case) * H
    states = {"initial_h": (D, B, H), "initial_c": (D, B, H)}
    upstream = {"Y_grad": (T, D, B, H), "Y_h_grad": (D, B, H), "Y_c_grad": (D, B, H)}
    weights = {"W": (D, rows, I), "R": (D, rows, H), "B": (D, 2 * rows), "P": (D, 3 * H)}
    return {"X": (T, B, I), **weights, **states, **upstream}


_SHAPES: dict[str, Callable[[Case], dict[str, tuple[int, ...]]]] = {
    "cudnn": _cudnn_shapes,
    "block": _block_shapes,
    "cell": _block_shapes,
    "onnx": _onnx_shapes,
}
_MATRICES = ("w", "params", "W", "R")


def _normal(name: str, shape: tuple[int, ...], seed: int, scale: float) -> npt.NDArray[np.float32]:
    more = [seed] if seed else []
    generator = np.random.default_rng([zlib.crc32(name.encode()), *shape, *more])
    return generator.standard_normal(shape, np.float32) * np.float32(scale)


def layer_weights(params: npt.NDArray[Any], case: Case) -> list[Arrays]:
    """CuDNN's buffer, direction by direction, as ``W[GH, I] R[GH, H] bW[GH] bR[GH]``.

    Gates are in the order i, f, n, o for an lstm, r, z, n for a gru. The buffer has the matrices of
    all directions before the biases of all.
    """
    I, H = case.size.I, case.size.H
    rows = gates_of(case) * H
    shapes = {"W": (rows, I), "R": (rows, H), "bW": (rows,), "bR": (rows,)}
    weights: list[Arrays] = [{} for _ in range(directions_of(case))]
    start = 0
    for kind in (PARTS[:2], PARTS[2:]):
        for direction in weights:
            for name in kind:
                count = int(np.prod(shapes[name]))
                direction[name] = params[start : start + count].reshape(shapes[name])
                start += count
    return weights


def pack_params(weights: Iterable[Mapping[str, npt.NDArray[Any]]]) -> npt.NDArray[Any]:
    """The inverse of `layer_weights`."""
    directions = list(weights)
    return np.concatenate(
        [
            np.asarray(direction[name]).reshape(-1)
            for kind in (PARTS[:2], PARTS[2:])
            for direction in directions
            for name in kind
        ]
    )
