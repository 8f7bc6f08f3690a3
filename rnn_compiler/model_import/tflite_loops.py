"""Recognises LSTM, GRU and SimpleRNN in loops of TensorFlow Lite, as Keras' layers are written.

The body of such a loop computes one step with ordinary operators, which are followed symbolically
(`tflite_values`), and compared with the formulas of the cells (`tflite_cells`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rnn_compiler.model_import.reading import Budget
from rnn_compiler.model_import.tflite_cells import (
    MOST_STATES,
    Cell,
    UnknownCellError,
    pairs,
    recognised,
)
from rnn_compiler.model_import.tflite_reader import Graph, Op, TfliteFile
from rnn_compiler.model_import.tflite_values import Body, Value, constant, is_number, of_constant

_STRIDED_SLICE, _LESS, _SHAPE, _LOGICAL_AND = 45, 58, 77, 86


def cell_of(file: TfliteFile, graph: Graph, op: Op, budget: Budget) -> Cell:
    """The cell that a loop (WHILE) computes in each of its steps.

    Raises:
        UnknownCellError: It is none of the cells, or does not read its input step by step.
    """
    options = file.options(op, "While")
    body, condition = file.graph(options["body"]), file.graph(options["cond"])
    if not len(op.inputs) == len(body.inputs) == len(body.outputs) == len(condition.inputs):
        raise UnknownCellError("a body with other arguments")
    given = dict(_arguments(file, graph, op, body, budget))
    values = Body(file, body, given, budget)
    changing: dict[int, tuple[Value, Value]] = {
        k: (given[before], values.value(after))
        for k, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True))
        if before != after
    }
    counters = {
        k: old for k, (old, new) in changing.items() if _counts(file, graph, op, k, old, new)
    }
    states = {k: pair for k, pair in changing.items() if k not in counters}
    cell = recognised(states, [*counters.values()])
    _check_length(file, graph, op, condition, cell.sequence, counters, budget)
    return cell


def _arguments(
    file: TfliteFile, graph: Graph, op: Op, body: Graph, budget: Budget
) -> Iterator[tuple[int, Value]]:
    """The values of a body's arguments, by the numbers of their tensors."""
    for k, (outer, before, after) in enumerate(
        zip(op.inputs, body.inputs, body.outputs, strict=True)
    ):
        array = constant(file, graph, outer, budget) if before == after else None
        tensors = file.tensor(graph, outer), file.tensor(body, before)
        is_sequence = before == after and all(
            each.dtype in ("float32", "bool") and len(each.shape) == 3 for each in tensors
        )
        if array is not None:
            yield before, of_constant(array)
        else:
            yield before, Value("sequence" if is_sequence else "state", (), k)


def _counts(file: TfliteFile, graph: Graph, op: Op, k: int, old: Value, new: Value) -> bool:
    """Whether an argument of a loop counts from 0 by 1."""
    tensor = file.tensor(graph, op.inputs[k])
    if tensor.dtype not in ("int32", "int64") or not tensor.size or file.array(tensor).any():
        return False
    return any(one is old and is_number(other, 1) for one, other in pairs(new, "add"))


def _check_length(
    file: TfliteFile,
    graph: Graph,
    op: Op,
    condition: Graph,
    sequence: int,
    counters: Mapping[int, Value],
    budget: Budget,
) -> None:
    """Checks that a loop reads all steps of its input, however many."""
    steps = file.tensor(graph, op.inputs[sequence]).shape[0]
    limits = [each for each in condition.ops if each.code == _LESS and len(each.inputs) == 2]
    others = {each.code for each in condition.ops} - {_LESS, _LOGICAL_AND}
    if not 0 < len(limits) <= MOST_STATES or others:
        raise UnknownCellError("another condition than that of steps")
    for less in limits:
        counter, limit = less.inputs
        if counter not in condition.inputs or condition.inputs.index(counter) not in counters:
            raise UnknownCellError("a condition on what is no counter")
        outer, number = condition, limit
        if limit in condition.inputs:
            outer, number = graph, op.inputs[condition.inputs.index(limit)]
        array = constant(file, outer, number, budget)
        if outer is graph and _is_length(file, graph, number, op.inputs[sequence]):
            continue
        if array is None or array.size != 1 or int(array.item()) != steps:
            raise UnknownCellError("a number of steps that is not its input's")


def _is_length(file: TfliteFile, graph: Graph, number: int, sequence: int) -> bool:
    """Whether a tensor is the first size of another."""
    sliced = graph.producers.get(number)
    if sliced is None or sliced.code != _STRIDED_SLICE or len(sliced.inputs) != 4:
        return False
    shape, begin = graph.producers.get(sliced.inputs[0]), file.tensor(graph, sliced.inputs[1])
    is_first = bool(begin.size) and begin.dtype == "int32" and not file.array(begin).any()
    return shape is not None and shape.code == _SHAPE and shape.inputs == (sequence,) and is_first
