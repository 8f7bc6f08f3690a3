"""ONNX's recurrent ops: what each has of its own, a row for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rnn_compiler.lowering.ops.cells import lstm
from rnn_compiler.lowering.ops.cells.activations import GateFunction
from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.cells.cudnn_gru import GRUCell
from rnn_compiler.lowering.ops.cells.cudnn_lstm import LSTMCell
from rnn_compiler.lowering.ops.cells.cudnn_plain import RNNCell
from rnn_compiler.lowering.ops.cells.gru_reset_before import GRUResetBefore
from rnn_compiler.schema.attributes import Attribute


@dataclass(frozen=True)
class Kind:
    """One of the ops.

    Attributes:
        functions: The default activation functions of a direction.
        cell: The cell of a direction, from the op's attributes and the direction's functions.
        attributes: The attributes that only this op has.
        inputs: The optional inputs that only this op has.
    """

    gates: int
    functions: tuple[str, ...]
    cell: Callable[[Mapping[str, Any], Sequence[GateFunction]], Cell]
    attributes: tuple[Attribute, ...] = ()
    inputs: tuple[str, ...] = ()

    @property
    def has_cell_state(self) -> bool:
        """Whether it has a state c in addition to h."""
        return "initial_c" in self.inputs


def _lstm(attributes: Mapping[str, Any], functions: Sequence[GateFunction]) -> Cell:
    f, g, h = functions
    coupled = bool(attributes["input_forget"])
    return LSTMCell("IOFC", lstm.Functions(f, g, GateFunction(h.of, h.alpha, h.beta), coupled))


def _gru(attributes: Mapping[str, Any], functions: Sequence[GateFunction]) -> Cell:
    f, g = functions
    return GRUCell("zrn", f, g) if attributes["linear_before_reset"] else GRUResetBefore(f, g)


def _rnn(_: Mapping[str, Any], functions: Sequence[GateFunction]) -> Cell:
    return RNNCell("rnn", functions[0])


_INPUT_FORGET = Attribute("input_forget", int, 0, "1 makes the forget gate 1 - i", bounds=(0, 1))
_LINEAR_BEFORE_RESET = Attribute(
    "linear_before_reset",
    int,
    0,
    "1 resets after the product with R_h, as cuDNN does, 0 before it",
    bounds=(0, 1),
)

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "LSTM": Kind(
            4, ("Sigmoid", "Tanh", "Tanh"), _lstm, (_INPUT_FORGET,), inputs=("initial_c", "P")
        ),
        "GRU": Kind(3, ("Sigmoid", "Tanh"), _gru, (_LINEAR_BEFORE_RESET,)),
        "RNN": Kind(1, ("Tanh",), _rnn),
    }
)
"""The ops by ONNX's names."""
