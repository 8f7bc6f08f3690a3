"""The nodes of the recurrent layers that replace a loop.

A loop may keep its states in those rows of the batch for which a mask is false. Masks may have
holes, so they are no lengths. But such a loop computes what a layer computes that is given only the
steps with a true mask, and their number as lengths:

    counts[t] = the number of true steps up to t      p[j] = the number of t with counts[t] <= j
    y[t] = LSTM(x[p], lengths=counts[T - 1])[counts[t] - 1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.model_import.cell_search import FoundCell
from rnn_compiler.network_import.graph import onnx
from rnn_compiler.network_import.graph.steps import Steps

_BEYOND = 1 << 31

EVERY_ROW, FROM_THE_LAST = (0, _BEYOND, 1), (-1, -_BEYOND, -1)
"""Slices of all rows: the start, the end and the step."""


@dataclass(frozen=True)
class LayerOutput:
    """An output of every step: that of a cell, or in masked rows another one.

    Attributes:
        cell: The number of the cell.
        start: The outer value that masked rows have before the first true step; empty for zeros.
        is_kept: Whether later masked rows have the row's previous output, not this value.
    """

    cell: int
    start: str = ""
    is_kept: bool = True


@dataclass(frozen=True)
class LoopLayers:
    """The recurrent layers that a loop computes, one on top of the other.

    Attributes:
        steps: The loop.
        dtype: The dtype of values and weights.
        cells: The cells, from the first to the last.
        mask: The name of the row of the mask; empty if there is none.
        mask_rank: The number of axes of the masks of all steps.
        outputs: The outputs of every step, by result.
        kept: Those results that are the last rows of outputs, with these.
        rows: The start, end and step of a slice of the rows that the steps read.
    """

    steps: Steps
    dtype: Any
    cells: Sequence[FoundCell]
    mask: str
    mask_rank: int
    outputs: Mapping[str, LayerOutput]
    kept: Mapping[str, LayerOutput]
    rows: tuple[int, int, int] = EVERY_ROW


def layer_nodes(name: str, layers: LoopLayers, made: list[Any]) -> list[Any]:
    """The nodes of some layers; `made` receives their constants."""
    return _Writer(name, made).layers(layers)


class _Writer:
    """Writes the nodes that replace a loop.

    Attributes:
        nodes: The nodes so far.
    """

    def __init__(self, name: str, made: list[Any]) -> None:
        self._name, self._made = name, made
        self._known: set[str] = set()
        self._dtype: Any = None
        self.nodes: list[Any] = []

    def layers(self, layers: LoopLayers) -> list[Any]:
        """The nodes of some layers."""
        steps = layers.steps
        self._dtype = layers.dtype
        x = self._rows(steps.rows[layers.cells[0].x.name], layers)
        lengths = counts = mask = ""
        if layers.mask:
            mask = self._rows(steps.rows[layers.mask], layers)
            if layers.mask_rank == _WITH_COLUMNS:
                mask = self._add("Squeeze", [mask, self._numbers(2)], "mask")
            counts, lengths, chosen = self._chosen(mask)
            x = self._gathered(x, chosen, "x")
        outputs: list[str] = []
        for number, cell in enumerate(layers.cells):
            x = self._layer(cell, x, lengths, layers, f"layer{number}")
            outputs.append(x)
        rows: dict[LayerOutput, str] = {}
        for result, output in {**layers.outputs, **layers.kept}.items():
            if output not in rows:
                value = outputs[output.cell]
                rows[output] = self._spread(value, counts, mask, output) if counts else value
            if result in steps.turned:
                bounds = [self._numbers(FROM_THE_LAST[k]) for k in (0, 1)]
                backward = [rows[output], *bounds, self._numbers(0), self._numbers(-1)]
                self.nodes.append(onnx.helper.make_node("Slice", backward, [result]))
            elif result in layers.outputs:
                self.nodes.append(onnx.helper.make_node("Identity", [rows[output]], [result]))
            else:
                last = [rows[output], self._constant(np.array(-1))]
                self.nodes.append(onnx.helper.make_node("Gather", last, [result], axis=0))
        for node in self.nodes:
            node.name = node.name or f"{self._name}/{node.op_type}"
        return self.nodes

    def _rows(self, source: str, layers: LoopLayers) -> str:
        """The rows of an array that the steps read."""
        if layers.rows == EVERY_ROW:
            return source
        start, end, step = map(self._numbers, layers.rows)
        return self._add("Slice", [source, start, end, self._numbers(0), step], f"rows of {source}")

    def _layer(self, cell: FoundCell, x: str, lengths: str, layers: LoopLayers, what: str) -> str:
        """A layer; returns its output, ``[T, B, H]``."""
        weights = [
            self._constant(array[None].astype(layers.dtype), f"{what}.{name}")
            for array, name in zip(cell.weights, "WRBP", strict=False)
        ]
        inputs, results = [x, *weights[:3], lengths], [f"{self._name}/{what}/Y"]
        for state, name in ((cell.h, "h"), (cell.c, "c")):
            if state is not None:
                first = [layers.steps.states[state.name].start, self._numbers(0)]
                inputs.append(self._add("Unsqueeze", first, f"{what}.initial_{name}"))
                results.append(f"{self._name}/{what}/Y_{name}")
        inputs += weights[3:]
        node = onnx.helper.make_node(cell.operator, inputs, results, **cell.attributes)
        node.name = f"{self._name}/{what}"
        self.nodes.append(node)
        for state, value in zip((cell.h, cell.c), results[1:], strict=False):
            result = "" if state is None else layers.steps.states[state.name].result
            if result:
                made = onnx.helper.make_node("Squeeze", [value, self._numbers(0)], [result])
                self.nodes.append(made)
        return self._add("Squeeze", [results[0], self._numbers(1)], what)

    def _chosen(self, mask: str) -> tuple[str, str, str]:
        """What a mask ``[T, B]`` chooses.

        The number of true steps up to each, ``[T, B]``; their number, ``[B]``; and the indices of
        all true steps, ``[T, B]``, 0 behind them.
        """
        int32 = onnx.TensorProto.INT32
        either = self._add("Or", [mask, self._add("Not", [mask], "false")], "either")
        zero = self._constant(np.array(0))
        ones, every = (self._cast(each, int32) for each in (mask, either))
        counts = self._add("CumSum", [ones, zero], "counts")
        numbers = self._add("CumSum", [every, zero], "numbers")
        lengths = self._add("ReduceSum", [ones, self._numbers(0)], "lengths", keepdims=0)
        before = self._add(
            "Less",
            [
                self._add("Unsqueeze", [counts, self._numbers(0)], "counts of all"),
                self._add("Unsqueeze", [numbers, self._numbers(1)], "numbers of all"),
            ],
            "before",
        )
        sums = [self._cast(before, int32), self._numbers(1)]
        indices = self._add("ReduceSum", sums, "indices", keepdims=0)
        there = self._cast(self._add("LessOrEqual", [numbers, lengths], "there"), int32)
        return counts, lengths, self._add("Mul", [indices, there], "chosen")

    def _spread(self, value: str, counts: str, mask: str, output: LayerOutput) -> str:
        """The rows of an output ``[T, B, H]`` for all steps, given those of the true ones."""
        zero, one = (self._constant(np.array(number, np.int32)) for number in (0, 1))
        what = f"rows of {value}"
        last = self._add("Max", [self._add("Sub", [counts, one], "previous"), zero], "last")
        rows = self._gathered(value, last, what)
        is_own = mask if not output.is_kept else self._add("Greater", [counts, zero], "any")
        columns = self._add("Unsqueeze", [is_own, self._numbers(2)], "own")
        start = output.start or self._constant(np.array(0, self._dtype))
        return self._add("Where", [columns, rows, start], f"{what} or {start}")

    def _gathered(self, value: str, indices: str, what: str) -> str:
        """The rows of an array, for each of the batch those with its indices, ``[T, B]``."""
        wide = self._add("Unsqueeze", [indices, self._numbers(2)], f"indices of {what}")
        wide = self._cast(wide, onnx.TensorProto.INT64)
        shape = self._add("Shape", [value], f"shape of {what}")
        wide = self._add("Expand", [wide, shape], f"all indices of {what}")
        return self._add("GatherElements", [value, wide], f"chosen {what}", axis=0)

    def _cast(self, value: str, to: int) -> str:
        return self._add("Cast", [value], f"{value} as {to}", to=to)

    def _add(self, operator: str, inputs: Sequence[str], what: str, **rest: Any) -> str:
        """Adds a node, unless there is one of this name; returns its result."""
        name = what if what.startswith(f"{self._name}/") else f"{self._name}/{what}"
        if name not in self._known:
            self._known.add(name)
            self.nodes.append(onnx.helper.make_node(operator, inputs, [name], name, **rest))
        return name

    def _numbers(self, *numbers: int) -> str:
        return self._constant(np.array(numbers))

    def _constant(self, array: Any, what: str = "") -> str:
        """Adds a constant, unless there is one of this name."""
        name = f"{self._name}/{what or f'{array.dtype}{array.tolist()}'}"
        if name not in self._known:
            self._known.add(name)
            self._made.append(onnx.numpy_helper.from_array(array, name))
        return name


_WITH_COLUMNS = 3
"""The number of axes of a mask that has a column."""
