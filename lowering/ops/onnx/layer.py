"""One of ONNX's ops or its gradient: directions, layouts, and the parts of arguments they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells.cell import Cell
from rnn_compiler.lowering.ops.cells.direction import Direction
from rnn_compiler.lowering.ops.cells.valid_steps import ValidSteps
from rnn_compiler.lowering.ops.layers.layers import RecurrentOp
from rnn_compiler.lowering.ops.onnx.cells import DIRECTIONS, cells_of
from rnn_compiler.schema.cudnn_layout import Block, PseudoLayer
from rnn_compiler.schema.open_sizes import static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


PEEPHOLES = ("wci", "wco", "wcf")
"""The parts of P, in order, by the cell's names."""


@dataclass(frozen=True)
class OnnxLayer(RecurrentOp):
    """One of ONNX's forward ops or gradients."""

    cells: Sequence[Cell]

    @staticmethod
    def of(b: Builder, spec: FunctionSpec, args: Values) -> OnnxLayer:
        """The layer of an op."""
        steps = ValidSteps.of_lengths(b, spec.dims["seq_length"], args.get("sequence_lens"))
        return OnnxLayer(b, spec, args, steps, cells_of(spec.op, spec.attributes))

    @property
    def backward_runs(self) -> Sequence[int]:
        """For each direction, 1 if it is the reverse direction, 0 if it is the forward one."""
        return DIRECTIONS[str(self.spec.attributes["direction"])]

    def time_major(self, value: Value) -> Value:
        """A sequence or a state in layout 0: ``[T, B, I]``, ``[T, D, B, H]``, ..."""
        if not self.spec.attributes["layout"]:
            return value
        self.b.formula("layout = batch second")
        return value.transpose(1, 0, 2) if len(value.shape) == 3 else value.transpose(1, 2, 0, 3)

    def as_laid_out(self, value: Value) -> Value:
        """A sequence or a state in the op's layout."""
        if not self.spec.attributes["layout"]:
            return value
        self.b.formula("layout = batch first")
        return value.transpose(1, 0, 2) if len(value.shape) == 3 else value.transpose(2, 0, 1, 3)

    def part(self, name: str, index: int, axis: int = 0) -> Value:
        """The part of an argument that belongs to a direction."""
        return self.part_of(self.args[name], name, index, axis)

    def part_of(self, value: Value, name: str, index: int, axis: int = 0) -> Value:
        """The part of a value that belongs to a direction."""
        self.b.formula(f"{name} = of direction {index}")
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])
        return value.slice(axis, index, index + 1).reshape(*shape)

    def biases(self, index: int) -> tuple[Value, Value]:
        """The biases of W and of R, in the compute type."""
        rows = self.args["R"].shape[1]
        if "B" not in self.args:
            self.b.formula("B = 0")
            zero = self.b.full(0, (rows,), self.spec.compute)
            return zero, zero
        whole = self.part("B", index).to(self.spec.compute)
        return whole.slice(0, 0, rows), whole.slice(0, rows, 2 * rows)

    def state(self, index: int) -> dict[str, Value]:
        """The states before the first step, by name."""
        names = ("h", "c") if self.cells[index].has_cell_state else ("h",)
        found: dict[str, Value] = {}
        for name in names:
            if f"initial_{name}" in self.args:
                whole = self.time_major(self.args[f"initial_{name}"])
                found[name] = self.part_of(whole, name, index)
            else:
                self.b.formula(f"{name} = 0")
                shape = (self.spec.dims["batch_size"], self.spec.dims["num_units"])
                found[name] = self.b.full(0, shape, self.spec.dtype)
        return found

    @property
    def pseudo_layers(self) -> Sequence[PseudoLayer]:
        """The directions, with the offsets of their parameters in a vector of W, R and B."""
        D, rows, width = (static_size(size) for size in self.args["W"].shape)
        units = static_size(self.args["R"].shape[2])
        recurrent, biases = D * rows * width, D * rows * (width + units)
        return [
            PseudoLayer(
                0,
                self.backward_runs[index],
                Block(index * rows * width, (rows, width)),
                Block(recurrent + index * rows * units, (rows, units)),
                None,
                Block(biases + 2 * index * rows, (rows,)),
                Block(biases + (2 * index + 1) * rows, (rows,)),
            )
            for index in range(D)
        ]

    def cell_of(self, pseudo_layer: PseudoLayer) -> Cell:
        """The cell of a direction."""
        return self.cells[self.pseudo_layers.index(pseudo_layer)]

    def input_weights(self, pseudo_layer: PseudoLayer) -> Value:
        """The weights of a direction's input."""
        return self.part("W", self.pseudo_layers.index(pseudo_layer))

    def skips(self, pseudo_layer: PseudoLayer) -> bool:
        """False: ONNX's ops always have weights for the input."""
        return False

    def direction(self, pseudo_layer: PseudoLayer) -> Direction:
        """A direction."""
        index = self.pseudo_layers.index(pseudo_layer)
        parameters: dict[str, Value] = {}
        if "P" in self.args:
            parts = self.part("P", index).to(self.spec.compute).split(0, len(PEEPHOLES))
            parameters = dict(zip(PEEPHOLES, parts, strict=True))
        return Direction(
            self.b,
            self.cells[index],
            self.spec.dtype,
            self.steps,
            reverse=pseudo_layer.direction == 1,
            recurrent=self.part("R", index),
            projection=None,
            parameters=parameters,
        )
