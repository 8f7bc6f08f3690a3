"""What the gradient of a layer needs to know of its op: CudnnRNN, or one of ONNX's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.cells.direction import Direction
from rnn_compiler.lowering.ops.cells.valid_steps import ValidSteps
from rnn_compiler.schema.cudnn_layout import PseudoLayer

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value
    from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["Layers"]


class Layers(Protocol):
    """A gradient op.

    Attributes:
        b: The builder.
        spec: The op.
        steps: Which steps of the padded batch count.
        storage: The dtype of what is stored.
        compute: The dtype that is computed in.
        num_directions: How many directions a layer has.
        gate_rows: The rows of a direction's recurrent weights, gH.
        gate_gradients: How many sets of gates' gradients a step has, 1 or 2.
    """

    @property
    def b(self) -> Builder:  # noqa: D102 - attributes, above
        ...

    @property
    def spec(self) -> FunctionSpec:  # noqa: D102
        ...

    @property
    def steps(self) -> ValidSteps:  # noqa: D102
        ...

    @property
    def storage(self) -> str:  # noqa: D102
        ...

    @property
    def compute(self) -> str:  # noqa: D102
        ...

    @property
    def num_directions(self) -> int:  # noqa: D102
        ...

    @property
    def gate_rows(self) -> int:  # noqa: D102
        ...

    @property
    def gate_gradients(self) -> int:  # noqa: D102
        ...

    def cell_of(self, pseudo_layer: PseudoLayer) -> Cell:
        """The cell of a direction of a layer."""
        ...

    def direction(self, pseudo_layer: PseudoLayer) -> Direction:
        """A direction of a layer."""
        ...

    def input_weights(self, pseudo_layer: PseudoLayer) -> Value:
        """The weights W of its input, ``[gH, in]``."""
        ...

    def skips(self, pseudo_layer: PseudoLayer) -> bool:
        """Whether it takes its input as it is, without W."""
        ...
