"""The cell of each direction, from ONNX's attributes.

`activations` lists f, g, h for LSTM, f, g for GRU and f for RNN; with two directions, the forward
ones first. Each function that has an alpha gets the next number of `activation_alpha`, and likewise
beta; this is how ONNX Runtime reads the specification. If there are too few numbers, the remaining
functions get ONNX's defaults. A list as long as `activations` is accepted too if both readings
agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS, Activation, GateFunction
from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.onnx.kinds import KINDS, Kind

DIRECTIONS: Mapping[str, tuple[int, ...]] = {
    "forward": (0,),
    "reverse": (1,),
    "bidirectional": (0, 1),
}
"""The directions of each value of the attribute `direction`: 1 is the reverse direction."""


def cells_of(op: str, attributes: Mapping[str, Any]) -> list[Cell]:
    """The cells of an op, one per direction."""
    kind = KINDS[op.removeprefix("onnx.").removesuffix("Grad")]
    directions = DIRECTIONS[attributes["direction"]]
    count = len(kind.functions)
    functions = _functions(op, kind, attributes, len(directions))
    return [
        kind.cell(attributes, functions[count * index : count * (index + 1)])
        for index in range(len(directions))
    ]


def _functions(
    op: str, kind: Kind, attributes: Mapping[str, Any], directions: int
) -> list[GateFunction]:
    """The functions of all directions, with their parameters."""
    clip = float(attributes["clip"])
    if clip < 0:
        raise InvalidArgumentError(op, "clip", "a number above 0, or 0 for none", str(clip))
    names = _names(op, kind, attributes["activations"].split(), directions)
    rows = [ACTIVATIONS[name] for name in names]
    alphas, betas = (_numbers(op, rows, each, attributes) for each in ("alpha", "beta"))
    bound = 0.0 if math.isinf(clip) else clip
    found = [
        GateFunction(row, alpha, beta, bound)
        for row, alpha, beta in zip(rows, alphas, betas, strict=True)
    ]
    return found[: len(kind.functions) * directions]


def _names(op: str, kind: Kind, given: Sequence[str], directions: int) -> Sequence[str]:
    default = kind.functions
    if not given:
        return default * directions
    if len(default) == 1 and len(given) == 2:  # like the RNN's default in ONNX, in any direction
        return given
    if len(given) != len(default) * directions:
        expected = f"{len(default) * directions} functions, {', '.join(default * directions)}"
        got = f"{len(given)}, {', '.join(given)}"
        raise InvalidArgumentError(op, "activations", f"{expected} by default", got)
    return given


def _numbers(
    op: str, rows: Sequence[Activation], parameter: str, attributes: Mapping[str, Any]
) -> list[float]:
    """The alpha, or beta, of each function; 0 if it has none."""
    name = f"activation_{parameter}"
    given = [float(text) for text in attributes[name].split()]
    takers = [index for index, row in enumerate(rows) if parameter in row.parameters]
    names = ", ".join(rows[index].name for index in takers) or "none"
    agree = len(given) == len(rows) and [given[k] for k in takers] == given[: len(takers)]
    if len(given) > len(takers) and not agree:
        expected = f"a number for each function that has {parameter}: {names}"
        raise InvalidArgumentError(op, name, expected, attributes[name])
    found = [0.0] * len(rows)
    for index, row in enumerate(rows):
        default = row.parameters.get(parameter, 0.0)
        order = takers.index(index) if index in takers else len(given)
        value = given[order] if order < len(given) else default
        if value is None:
            expected = f"a number for {row.name}, which has no default"
            raise InvalidArgumentError(op, name, expected, attributes[name] or "none")
        found[index] = value
    return found
