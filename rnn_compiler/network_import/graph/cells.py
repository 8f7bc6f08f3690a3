"""The cells of ONNX's LSTM, GRU and RNN, whose steps are computed in float64.

`cell_search` finds the cell that a step of a loop computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rnn_compiler.lowering.analysis.cell_steps import Function, cell_step
from rnn_compiler.network_import.graph.formulas import ACTIVATIONS, Variable


@dataclass(frozen=True)
class FoundCell:
    """A cell of ONNX's LSTM, GRU or RNN.

    Attributes:
        operator: ONNX's operator.
        weights: W, R and B without the axis of directions, in float64; with peepholes P too.
        functions: The activation functions.
        x: The input.
        h: The state that is the output.
        c: The cell state of LSTM.
        is_linear_before_reset: Whether GRU resets after the product with R.
    """

    operator: str
    weights: Sequence[Any]
    functions: Sequence[Function]
    x: Variable
    h: Variable
    c: Variable | None = None
    is_linear_before_reset: bool = False

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the node."""
        given: dict[str, Any] = {
            "hidden_size": self.h.width,
            "activations": [name for name, _ in self.functions],
        }
        for parameter in ("alpha", "beta"):
            values = [
                dict(zip(ACTIVATIONS[name], values, strict=True))[parameter]
                for name, values in self.functions
                if parameter in ACTIVATIONS[name]
            ]
            if values:
                given[f"activation_{parameter}"] = values
        if self.is_linear_before_reset:
            given["linear_before_reset"] = 1
        return given

    def step(self, x: Any, h: Any, c: Any) -> list[Any]:
        """The next states, h and for LSTM c, as ONNX defines them."""
        given = self.operator, self.weights, self.functions, x, h, c
        return cell_step(*given, is_linear_before_reset=self.is_linear_before_reset)
