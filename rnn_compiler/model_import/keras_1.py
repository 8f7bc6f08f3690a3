"""Converts layers of Keras 1 to Keras 2: renames options and joins the weights of gates.

With consume_less="gpu" an LSTM or GRU has W, U and b, which are Keras 2's kernel, recurrent_kernel
and bias. Otherwise it has W, U and b for each gate, in the order i, c, f, o and z, r, h.

Sources: keras/layers/recurrent.py of Keras 1.2.2; keras/engine/topology.py of Keras 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.model_import.reading import damaged

__all__ = ["joined", "renamed"]

_NAMES = {"output_dim": "units", "inner_activation": "recurrent_activation"}

_GATES = {"LSTM": (0, 2, 1, 3), "GRU": (0, 1, 2)}
"""The positions of Keras 2's gates among those of Keras 1."""


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """A layer's options by the names of Keras 2.

    Example:
        >>> renamed({"output_dim": 5, "inner_activation": "sigmoid", "stateful": False})
        {'units': 5, 'recurrent_activation': 'sigmoid', 'stateful': False}
    """
    return {_NAMES.get(name, name): value for name, value in options.items()}


def joined(
    weights: Sequence[Any], kind: str, directions: int, name: str, path: Path
) -> Sequence[Any]:
    """The weights of a layer, gates side by side.

    Args:
        weights: Its arrays, in the file's order.
        kind: The class: LSTM, GRU or SimpleRNN.
        directions: The number of its directions.
        name: Its name, for messages.
        path: The file, for messages.

    Raises:
        ArtifactError: The arrays of the gates differ in shape.
    """
    order = _GATES.get(kind, ())
    if not order or len(weights) != 3 * len(order) * directions:
        return weights
    found: list[Any] = []
    for direction in range(directions):
        own = weights[3 * len(order) * direction :][: 3 * len(order)]
        for each in range(3):  # W, U, b
            gates = [own[3 * number + each] for number in order]
            if len({gate.shape for gate in gates}) > 1 or not gates[0].ndim:
                shapes = [list(gate.shape) for gate in gates]
                raise damaged(path, f"the gates of {name} have the shapes {shapes}"[:200])
            found.append(np.concatenate(gates, -1))
    return found
