"""A CudnnRNN op or its gradient: sizes, layouts, and the parts of arguments that layers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS, TANH, GateFunction
from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.cells.cudnn_gru import GRUCell
from rnn_compiler.lowering.ops.cells.cudnn_lstm import LSTMCell
from rnn_compiler.lowering.ops.cells.cudnn_plain import RNNCell
from rnn_compiler.lowering.ops.cells.direction import Direction
from rnn_compiler.lowering.ops.cells.valid_steps import ValidSteps
from rnn_compiler.lowering.ops.cudnn.signatures import reserve_of
from rnn_compiler.lowering.ops.layers.layers import RecurrentOp
from rnn_compiler.schema.cudnn_layout import BufferPart, Layout, PseudoLayer, ReserveLayout

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


_CELLS = (
    LSTMCell(),
    GRUCell(),
    RNNCell("rnn_tanh", TANH),
    RNNCell("rnn_relu", GateFunction(ACTIVATIONS["Relu"])),
)

CELLS: dict[str, Cell] = {cell.name: cell for cell in _CELLS}
"""The cell of each rnn_mode."""


@dataclass(frozen=True)
class CudnnNetwork(RecurrentOp):
    """A forward op or a gradient of CudnnRNN."""

    reserve: ReserveLayout

    @staticmethod
    def of(b: Builder, spec: FunctionSpec, args: Values) -> CudnnNetwork:
        """The network of an op."""
        lengths = args.get("sequence_lengths")
        steps = ValidSteps.of_lengths(b, spec.dims["seq_length"], lengths)
        reserve = reserve_of(spec.op, {**spec.attributes, **spec.dims})
        return CudnnNetwork(b, spec, args, steps, reserve)

    @property
    def layout(self) -> Layout:
        """The op's modes and sizes."""
        return self.reserve.layout

    @property
    def cell(self) -> Cell:
        """The cell of all layers."""
        return CELLS[self.layout.rnn_mode]

    @property
    def pseudo_layers(self) -> Sequence[PseudoLayer]:
        """Every direction of every layer."""
        return self.layout.pseudo_layers

    def layer(self, layer: int) -> Sequence[tuple[int, PseudoLayer]]:
        """The pseudo-layers of a layer, with their numbers."""
        D = self.num_directions
        return list(enumerate(self.pseudo_layers))[layer * D : (layer + 1) * D]

    def swap(self, value: Value) -> Value:
        """Swaps the first two axes if the op is not time-major."""
        if self.spec.attributes.get("time_major", True) or len(value.shape) < 3:
            return value
        self.b.formula("time_major = first two axes swapped")
        return value.transpose(1, 0, 2)

    def part(self, buffer: str, block: BufferPart) -> Value:
        """A block of `params` or `reserve_space`."""
        self.b.formula(f"{buffer} = {list(block.shape)} at {block.offset}")
        return self.args[buffer].region(block.offset, block.shape)

    def states(self, suffix: str) -> dict[str, Value]:
        """All initial states, or the gradients of all final ones, by the name of the state."""
        names = ("h", "c") if self.cell.has_cell_state else ("h",)
        side = "output" if suffix else "input"
        return {name: self.swap(self.args[f"{side}_{name}{suffix}"]) for name in names}

    def state(self, states: Values, index: int, prefix: str = "") -> dict[str, Value]:
        """The states of one pseudo-layer, by name."""
        rows: dict[str, Value] = {}
        for name, value in states.items():
            self.b.formula(f"{prefix}{name} = of pseudo-layer {index}")
            rows[prefix + name] = value.slice(0, index, index + 1).reshape(*value.shape[1:])
        return rows

    def direction(self, pseudo_layer: PseudoLayer) -> Direction:
        """The direction of a pseudo-layer."""
        projection = pseudo_layer.projection
        return Direction(
            self.b,
            self.cell,
            self.spec.dtype,
            self.steps,
            reverse=pseudo_layer.direction == 1,
            recurrent=self.part("params", pseudo_layer.recurrent),
            projection=None if projection is None else self.part("params", projection),
        )

    def cell_of(self, pseudo_layer: PseudoLayer) -> Cell:
        """The cell of a pseudo-layer."""
        return self.cell

    def input_weights(self, pseudo_layer: PseudoLayer) -> Value:
        """The weights of a pseudo-layer's input."""
        return self.part("params", pseudo_layer.input)

    def times_mask(self, value: Value, mask: Value) -> Value:
        """A layer's output, or its gradient, times the dropout mask."""
        self.b.formula("x = y * mask")
        return (value.to(self.spec.compute) * mask.to(self.spec.compute)).to(self.spec.dtype)

    def skips(self, pseudo_layer: PseudoLayer) -> bool:
        """Whether a pseudo-layer takes its input as it is, without an input product."""
        return pseudo_layer.layer == 0 and self.layout.skips_input
