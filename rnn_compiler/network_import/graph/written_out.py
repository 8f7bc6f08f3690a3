"""Replaces loops that compute a recurrent layer step by step by ONNX's LSTM, GRU or RNN.

tf2onnx writes Keras' GRU, SimpleRNN, and LSTM with a mask or with recurrent_dropout as a `Loop`;
torch's scan is a `Scan`. The formulas of a step (`formulas`) show the weights, however the step
splits them and in whatever order it computes (`cell_search`). The whole step is then compared with
the cells found, in float64 at random values, so that any other step is left as it is.

A step may keep its states in those rows of the batch for which a mask is false (`layer_nodes`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rnn_compiler.lowering.analysis.cell_steps import is_same, precision
from rnn_compiler.model_import.cell_search import FoundCell, StepSample, cell_of, samples_of
from rnn_compiler.model_import.formulas import Formula, Variable, variable
from rnn_compiler.network_import.graph import FLOATS, Graph, onnx, read_by, shape_of
from rnn_compiler.network_import.graph.counters import is_all
from rnn_compiler.network_import.graph.layer_nodes import (
    EVERY_ROW,
    FROM_THE_LAST,
    LayerOutput,
    LoopLayers,
    layer_nodes,
)
from rnn_compiler.network_import.graph.step_formulas import formulas_of
from rnn_compiler.network_import.graph.steps import (
    Evaluation,
    Steps,
    evaluated,
    steps_of,
    with_results,
)

_ROWS = 8
"""The rows of the batch at which steps are compared."""

_MOST_ROWS = 64
"""The largest fixed batch at which steps are compared."""

_FLOAT_KINDS = "fV"
"""Kinds of the dtypes of floats; bfloat16 is no dtype of numpy's own."""

_LEAST_OPSET = 13
"""The first version of ONNX's operators that has all that is written here."""


def replace_loops(graph: Graph) -> bool:
    """Replaces loops that compute recurrent layers; returns whether there were any."""
    found = found_layers(graph)
    for _, constants in found.values():
        graph.proto.initializer.extend(constants)
    return graph.replace_nodes(lambda node: found[node.name][0] if node.name in found else None)


def found_layers(graph: Graph) -> dict[str, tuple[list[Any], list[Any]]]:
    """The nodes and the constants that compute what some loops do, by the names of these."""
    if graph.opset < _LEAST_OPSET or not {"Loop", "Scan"} & {*graph.operators()}:
        return {}
    types, constants = graph.types(), graph.constants()
    used = {name for node in graph.proto.node for name in read_by(node)}
    used |= {output.name for output in graph.proto.output}
    found: dict[str, tuple[list[Any], list[Any]]] = {}
    for node in graph.proto.node:
        steps = steps_of(node, constants, used)
        layers = None if steps is None else _layers(graph, steps, types)
        if layers is not None:
            made: list[Any] = []
            found[node.name] = layer_nodes(node.name, layers, made), made
    return found


def _layers(graph: Graph, steps: Steps, types: Mapping[str, Any]) -> LoopLayers | None:
    """The layers that a loop computes; None if it computes something else."""
    constants, (shapes, kinds) = graph.constants(), _types_of(graph, types)
    sources = {**steps.rows, **{name: state.start for name, state in steps.states.items()}}
    masks = [n for n, each in steps.rows.items() if kinds.get(each) == onnx.TensorProto.BOOL]
    floats = {kinds.get(source, 0) for name, source in sources.items() if name not in masks}
    sizes = [shapes.get(source) for source in sources.values()]
    if len(masks) > 1 or len(floats) != 1 or not floats <= FLOATS or not all(sizes):
        return None
    x = [name for name in steps.rows if name not in masks]
    rows = [shapes[steps.rows[name]] for name in (*x, *masks)]
    batch = {(*shape[:2],) for shape in rows}
    if len(batch) != 1 or any(len(shapes[steps.rows[name]]) != 3 for name in x):
        return None
    ((T, B),) = batch
    for start in (state.start for state in steps.states.values()):
        if len(shapes[start]) != 2 or (start in constants and shapes[start][0] == 1 != B):
            return None
    if any(shapes[steps.rows[name]][2:] not in ([], [1]) for name in masks):
        return None
    fixed = [n for n, each in steps.fixed.items() if _is_kept(n, steps, shapes.get(each), B)]
    widths = {name: shapes[each][-1] for name, each in sources.items() if name not in masks}
    widths |= {name: shapes[steps.fixed[name]][-1] for name in fixed}
    variables = {name: variable(name, width) for name, width in widths.items() if width}
    ranks = {name: len(shapes[steps.rows[name]]) for name in masks}
    read = _rows_read(steps, T)
    if len(variables) != len(widths) or read is None:
        return None
    (element,) = floats
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element)
    for number in dict.fromkeys((_ROWS, B)):
        if number is not None and number <= _MOST_ROWS:
            try:
                search = _LayerSearch(graph, steps, variables, x, fixed, ranks, number, element)
                found = search.layers()
            except ValueError:
                continue
            if found is not None:
                return replace(found, dtype=dtype, rows=read)
    return None


def _types_of(
    graph: Graph, types: Mapping[str, Any]
) -> tuple[dict[str, list[int | None]], dict[str, int]]:
    """The shapes and element types of all values with a known rank, constants included."""
    shapes = {name: shape for name, kind in types.items() if (shape := shape_of(kind)) is not None}
    kinds = {name: kind.tensor_type.elem_type for name, kind in types.items()}
    for name, tensor in graph.constants().items():
        shapes[name], kinds[name] = list(tensor.dims), tensor.data_type
    return shapes, kinds


def _rows_read(steps: Steps, T: int | None) -> tuple[int, int, int] | None:
    """The start, end and step of a slice of the rows that the steps read; None if there is none."""
    (first, step), count = steps.row, steps.count
    if abs(step) != 1 or (count is not None and T is None):
        return None
    every = EVERY_ROW if step == 1 else FROM_THE_LAST
    if count is None or T is None:
        return every
    first += T if first < 0 else 0
    if is_all(count, T) and first == (0 if step == 1 else T - 1):
        return every
    end = first + step * count
    if not (0 <= first < T and 0 <= end - step < T):
        return None
    return first, end if end >= 0 else FROM_THE_LAST[1], step


def _is_kept(name: str, steps: Steps, shape: Sequence[int | None] | None, B: int | None) -> bool:
    """Whether a value has a row for each of the batch, and only such rows are taken from it."""
    readers = {node.op_type for node in steps.nodes if name in node.input}
    return shape is not None and len(shape) == 2 and shape[0] == B and readers <= {"Mul", "Where"}


class _LayerSearch:
    """Finds the layers of a loop, and compares every step with them."""

    def __init__(
        self,
        graph: Graph,
        steps: Steps,
        variables: Mapping[str, Formula],
        x: Sequence[str],
        fixed: Sequence[str],
        masks: Mapping[str, int],
        rows: int,
        element: int,
    ) -> None:
        self._graph, self._steps, self._fixed, self._masks = graph, steps, fixed, masks
        self._formulas, self._element = variables, element
        self._precise = precision(onnx.helper.tensor_dtype_to_np_dtype(element))
        self._variables = {
            name: each
            for name, formula in variables.items()
            for each in formula.terms
            if isinstance(each, Variable)
        }
        self._x = [self._variables[name] for name in x]
        given = {n: array for n, array in steps.constants.items() if n not in fixed}
        self._arrays, self._nodes = with_results(graph, steps.nodes, given)
        ends = [state.end for state in steps.states.values()]
        self._outputs = [*dict.fromkeys([*ends, *(name for name, _ in steps.scanned)])]
        random = np.random.default_rng(0)
        scales = np.logspace(0, -3, rows)[:, None]
        self._sample = {
            each: random.standard_normal((rows, each.width)) * scales
            for each in self._variables.values()
        }
        self._rows = rows

    def layers(self) -> LoopLayers | None:
        """The layers; None if the loop computes something else."""
        plain = self._computed(np.ones(self._rows, bool))
        cells = self._cells(plain)
        masks = np.arange(self._rows) % 3 != 1
        values = self._computed(masks) if self._masks else plain
        is_true = masks if self._masks else np.ones(self._rows, bool)
        fresh = [plain[self._steps.states[cell.h.name].end] for cell in cells]
        for cell in cells:
            for state in (cell.h, cell.c):
                if state is not None and not self._keeps(state, plain, values, is_true):
                    return None
        owned = {each.name for cell in cells for each in (cell.h, cell.c) if each is not None}
        outputs: dict[str, LayerOutput] = {}
        kept: dict[str, LayerOutput] = {}
        for name, result in self._steps.scanned:
            found = self._output(values[name], fresh, is_true, values)
            if found is None:
                return None
            outputs[result] = found
        for name, state in self._steps.states.items():
            if name not in owned and state.result:
                found = self._output(values[state.end], fresh, is_true, values)
                if found is None:
                    return None
                kept[state.result] = found
        mask, rank = next(iter(self._masks.items()), ("", 0))
        return LoopLayers(self._steps, None, cells, mask, rank, outputs, kept) if cells else None

    def _is_same(self, one: Any, other: Any) -> bool:
        return is_same(one, other, self._precise)

    def _computed(self, mask: Any, sample: Mapping[Variable, Any] | None = None) -> dict[str, Any]:
        """The outputs of a step, in float64, with a mask; of `self._sample` if none is given."""
        sample = self._sample if sample is None else sample
        given = {
            name: array.astype(np.float64) if array.dtype.kind in _FLOAT_KINDS else array
            for name, array in self._arrays.items()
        }
        given |= {name: sample[each] for name, each in self._variables.items()}
        given |= {name: mask[:, None] if rank == 3 else mask for name, rank in self._masks.items()}
        run = Evaluation(self._graph, self._nodes, self._outputs, as_double=True)
        return dict(zip(self._outputs, run(given), strict=True))

    def _cells(self, plain: Mapping[str, Any]) -> list[FoundCell]:
        """The cells, each of which reads the arrays or the output of the one before it.

        `plain` are the outputs of a step at `self._sample`.
        """
        known, inputs = dict(self._formulas), self._x
        truths = {
            name: np.ones((1, 1) if rank == 3 else (1,), bool) for name, rank in self._masks.items()
        }
        every = np.ones(self._rows, bool)

        def step(given: Mapping[Variable, Any]) -> dict[Variable, Any]:
            ends = plain if given is self._sample else self._computed(every, given)
            states = self._steps.states.items()
            return {self._variables[name]: ends[state.end] for name, state in states}

        samples: Sequence[StepSample] = samples_of(step, self._sample, self._precise)
        cells: list[FoundCell] = []
        evaluate = functools.partial(evaluated, self._graph)
        while True:
            arrays = {**self._arrays, **truths}
            formulas = formulas_of(self._nodes, known, arrays, evaluate, self._element)
            cell = self._next_cell(formulas, inputs, samples, cells)
            if cell is None:
                return cells
            cells.append(cell)
            end = self._steps.states[cell.h.name].end
            known[end] = variable(end, cell.h.width)
            (output,) = (each for each in known[end].terms if isinstance(each, Variable))
            inputs = [output]
            samples = [
                StepSample({**each.given, output: each.results[cell.h]}, each.results, each.precise)
                for each in samples
            ]

    def _next_cell(
        self,
        formulas: Mapping[str, Formula],
        inputs: Sequence[Variable],
        samples: Sequence[StepSample],
        cells: Sequence[FoundCell],
    ) -> FoundCell | None:
        """The next cell; None if there is no other."""
        taken = {each for cell in cells for each in (cell.h, cell.c)}
        for name, state in self._steps.states.items():
            h, formula = self._variables[name], formulas.get(state.end)
            if formula is not None and h not in taken:
                cell = cell_of(formula, h, inputs, samples)
                if cell is not None:
                    return cell
        return None

    def _keeps(
        self, state: Variable, plain: Mapping[str, Any], values: Mapping[str, Any], is_true: Any
    ) -> bool:
        """Whether masked rows of a state stay as they are."""
        end = self._steps.states[state.name].end
        expected = np.where(is_true[:, None], plain[end], self._sample[state])
        return self._is_same(expected, values[end])

    def _output(
        self, value: Any, fresh: Sequence[Any], is_true: Any, values: Mapping[str, Any]
    ) -> LayerOutput | None:
        """The output that a value is; None if it is none."""
        matches = (
            value.shape == each.shape and self._is_same(value[is_true], each[is_true])
            for each in fresh
        )
        number = next((k for k, same in enumerate(matches) if same), None)
        if number is None:
            return None
        if is_true.all():
            return LayerOutput(number)
        selected, each = is_true[:, None], fresh[number]
        for name, state in self._steps.states.items():
            expected = np.where(selected, each, self._sample[self._variables[name]])
            if self._is_same(value, expected) and self._is_same(values[state.end], expected):
                return LayerOutput(number, state.start)
        for name in self._fixed:
            expected = np.where(selected, each, self._sample[self._variables[name]])
            if self._is_same(value, expected):
                return LayerOutput(number, self._steps.fixed[name], is_kept=False)
        zeros = self._is_same(value, np.where(selected, each, 0.0))
        return LayerOutput(number, is_kept=False) if zeros else None
