"""The numbers that all entrants of a contest are given: the same in every process.

An array depends on its name and shape alone. Layouts are TensorFlow's; `lstm_weights` takes the
matrices out of cuDNN's opaque buffer for those who want them one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.rows import Case, Size

__all__ = ["Arrays", "draw", "lstm_weights", "pack_params"]

Arrays = dict[str, npt.NDArray[Any]]

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def draw(case: Case) -> Arrays:
    """The tensors of a case in float32, those that gradients start from among them."""
    size = case.size
    fan_in = size.I + size.H
    if case.workload.family == "cudnn":
        gates = GATES[case.workload.attributes["rnn_mode"]]
        shapes = _cudnn_shapes(size, gates)
    else:
        shapes = _block_shapes(size, steps=case.workload.family == "block")
    return {
        name: _normal(name, shape, fan_in**-0.5 if name in ("w", "params") else 1.0)
        for name, shape in shapes.items()
    }


def _block_shapes(size: Size, steps: bool) -> dict[str, tuple[int, ...]]:
    T, B, I, H = size
    sequence = (T, B) if steps else (B,)
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


def _cudnn_shapes(size: Size, gates: int) -> dict[str, tuple[int, ...]]:
    T, B, I, H = size
    return {
        "input": (T, B, I),
        "input_h": (1, B, H),
        "input_c": (1, B, H),
        "params": (gates * H * (I + H + 2),),
        "output_backprop": (T, B, H),
        "output_h_backprop": (1, B, H),
        "output_c_backprop": (1, B, H),
    }


def _normal(name: str, shape: tuple[int, ...], scale: float) -> npt.NDArray[np.float32]:
    generator = np.random.default_rng([zlib.crc32(name.encode()), *shape])
    return generator.standard_normal(shape, np.float32) * np.float32(scale)


def lstm_weights(arrays: Mapping[str, npt.NDArray[Any]], size: Size) -> Arrays:
    """CuDNN's buffer as ``W[4H, I] R[4H, H] bW[4H] bR[4H]``, gates in the order i, f, n, o."""
    I, H = size.I, size.H
    shapes = {"W": (4 * H, I), "R": (4 * H, H), "bW": (4 * H,), "bR": (4 * H,)}
    parts: Arrays = {}
    start = 0
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        parts[name] = arrays["params"][start : start + count].reshape(shape)
        start += count
    return parts


def pack_params(*parts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The inverse: ``W, R, bW, bR`` as one buffer."""
    return np.concatenate([np.asarray(part).reshape(-1) for part in parts])
