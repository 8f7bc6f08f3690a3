"""The interface of the ops on whole layers, CudnnRNN and ONNX's, that their gradients use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.cells.direction import Direction
from rnn_compiler.lowering.ops.cells.valid_steps import ValidSteps
from rnn_compiler.schema.cudnn_layout import PseudoLayer

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


@dataclass(frozen=True)
class RecurrentOp(ABC):
    """A forward op or a gradient."""

    b: Builder
    spec: FunctionSpec
    args: Values
    steps: ValidSteps

    @property
    @abstractmethod
    def pseudo_layers(self) -> Sequence[PseudoLayer]:
        """Every direction of every layer."""

    @abstractmethod
    def cell_of(self, pseudo_layer: PseudoLayer) -> Cell:
        """The cell of a direction of a layer."""

    @abstractmethod
    def direction(self, pseudo_layer: PseudoLayer) -> Direction:
        """A direction of a layer."""

    @abstractmethod
    def input_weights(self, pseudo_layer: PseudoLayer) -> Value:
        """The weights W of its input, ``[gH, in]``."""

    @abstractmethod
    def skips(self, pseudo_layer: PseudoLayer) -> bool:
        """Whether it adds its input to each gate directly, without W."""

    @property
    def num_directions(self) -> int:
        """The number of directions of a layer."""
        return sum(each.layer == 0 for each in self.pseudo_layers)

    @property
    def gate_rows(self) -> int:
        """The rows of a direction's recurrent weights, gH."""
        return self.pseudo_layers[0].recurrent.shape[0]

    @property
    def gate_gradients(self) -> int:
        """The number of sets of gate gradients of a step, 1 or 2."""
        return 2 if self.cell_of(self.pseudo_layers[0]).splits_recurrent else 1
