"""Recognises LSTM, GRU and SimpleRNN in loops of TensorFlow Lite, as Keras' layers are written.

The body of such a loop computes one step with ordinary operators, which are followed as formulas
(`tflite_values`) and compared with the cells (`loop_cells`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.model_import.formulas import Formula, variable
from rnn_compiler.model_import.loop_cells import (
    MOST_STATES,
    Expressions,
    LoopCell,
    Other,
    UnknownCellError,
    Value,
    is_next,
)
from rnn_compiler.model_import.reading import Budget
from rnn_compiler.model_import.tflite_reader import (
    RESERVE,
    SET_ITEM,
    VARIANT,
    Operator,
    Subgraph,
    TfliteFile,
)
from rnn_compiler.model_import.tflite_values import SubgraphValues, constant

_CONCATENATION, _RESHAPE, _SLICE = 2, 22, 65
_STRIDED_SLICE, _LESS, _SHAPE, _LOGICAL_AND, _REVERSE = 45, 58, 77, 86, 105


@dataclass(frozen=True)
class WhileLoop:
    """A loop of a cell.

    Attributes:
        cell: The cell that it computes in each of its steps.
        results: What each of its results is: ``"h"`` or ``"c"`` after the last step, the ``"rows"``
            of all steps, ``"last"``, h with an axis before it, or the ``"same"`` as its argument;
            empty for others.
    """

    cell: LoopCell
    results: Sequence[str]


def loop_of(file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget) -> WhileLoop:
    """A loop (WHILE) whose step is that of a cell; UnknownCellError for others."""
    step = _step(file, graph, op, budget)
    body, counters = step.body, step.counters
    states = {k: pair for k, pair in step.changing.items() if k not in counters}
    cell = step.make.cell(states, [*counters.values()])
    _check_length(file, graph, op, step.condition, cell.sequence, counters, budget)
    kinds: dict[int, str] = dict(zip(cell.states, ("h", "c"), strict=False))
    new = states[cell.states[0]][1]
    for k, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True)):
        if before == after:
            kinds[k] = "same"
        elif k in states and k not in kinds:
            row = _row_of(body, step.values, before, after, counters)
            is_last = states[k][1] is new and len(file.tensor(body, after).shape) == 3
            only = only_item(file, graph, op, body, k)
            is_last = is_last or (only is not None and step.values.value(only) is new)
            is_row = row is not None and step.values.value(row) is new
            kinds[k] = "last" if is_last else "rows" if is_row else ""
    return WhileLoop(cell, [kinds.get(k, "") for k in range(len(op.inputs))])


@dataclass(frozen=True)
class _LoopStep:
    """What a loop computes in each step.

    Attributes:
        body: The graph of a step.
        condition: The graph that tells whether there is another one.
        values: The values in the body.
        make: What made these.
        changing: The old and the new value of each argument that changes.
        counters: Those that count from 0 by 1.
    """

    body: Subgraph
    condition: Subgraph
    values: SubgraphValues
    make: Expressions
    changing: Mapping[int, tuple[Value, Value]]
    counters: Mapping[int, Formula]


def _step(file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget) -> _LoopStep:
    """The step of a loop."""
    options = file.options(op, "While")
    body, condition = file.graph(options["body"]), file.graph(options["cond"])
    if not len(op.inputs) == len(body.inputs) == len(body.outputs) == len(condition.inputs):
        raise UnknownCellError("a body with other arguments")
    given, make = dict(_arguments(file, graph, op, body, budget)), Expressions(budget)
    values = SubgraphValues(file, body, given, make)
    changing: dict[int, tuple[Value, Value]] = {
        k: (given[before], _new(file, body, values, after))
        for k, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True))
        if before != after
    }
    counters = {
        k: old for k, (old, new) in changing.items() if _counts(file, graph, op, k, old, new)
    }
    return _LoopStep(body, condition, values, make, changing, counters)


def _new(file: TfliteFile, body: Subgraph, values: SubgraphValues, after: int) -> Value:
    """The new value of an argument; one that is no expression may be a list.

    Lists have three axes, or the type of TensorFlow's.
    """
    value, tensor = values.value(after), file.tensor(body, after)
    is_list = len(tensor.shape) > 2 or tensor.dtype == VARIANT
    is_list = is_list and isinstance(value, Other) and value.kind == "unknown"
    return Other("list") if is_list else value


def _row_of(
    body: Subgraph, values: SubgraphValues, before: int, after: int, counters: Mapping[int, Value]
) -> int | None:
    """The tensor that a step writes to a list at the step's index; None if it does not.

    The new list consists of the rows before, that row, and those behind it.
    """
    joined = body.producers.get(values.uncast(after))
    if joined is not None and joined.code == SET_ITEM and len(joined.inputs) == 3:
        held, index, row = joined.inputs
        return row if held == before and _is_counter(values.value(index), counters) else None
    if joined is None or joined.code != _CONCATENATION or len(joined.inputs) != 3:
        return None
    first, row, rest = joined.inputs
    places: list[Value] = []
    for number, k in ((first, 2), (rest, 1)):  # the size of the first, the start of the rest
        part = body.producers.get(number)
        if part is None or part.code != _SLICE or part.inputs[0] != before:
            return None
        vector = body.producers.get(part.inputs[k])
        index = None if vector is None else body.producers.get(vector.inputs[0])
        if index is None or index.code != _RESHAPE:
            return None
        places.append(values.value(index.inputs[0]))
    start, end = places
    return row if _is_counter(start, counters) and is_next(end, start) else None


def _is_counter(value: Value, counters: Mapping[int, Value]) -> bool:
    return any(value is each for each in counters.values())


def only_item(
    file: TfliteFile, graph: Subgraph, op: Operator, body: Subgraph, k: int
) -> int | None:
    """The tensor that each step writes into the only item of a list; None if it does not."""
    reserved, written = graph.producers.get(op.inputs[k]), body.producers.get(body.outputs[k])
    if reserved is None or written is None or (reserved.code, written.code) != (RESERVE, SET_ITEM):
        return None
    if (len(reserved.inputs), len(written.inputs)) != (2, 3):
        return None
    held, index, row = written.inputs
    places = file.tensor(graph, reserved.inputs[1]), file.tensor(body, index)
    if held != body.inputs[k] or any(not each.size or each.dtype != "int32" for each in places):
        return None
    count, place = (file.array(each).ravel().tolist() for each in places)
    return row if (count, place) == ([1], [0]) else None


@dataclass(frozen=True)
class PlainLoop:
    """A loop of any step, which counts them.

    Attributes:
        most: The most steps that constants allow; None if the model computes all limits.
        limits: The tensors of the model that limit the number of steps as well.
        rows: The numbers of arguments that are lists, each with the tensor of the body that a step
            writes to it at the step's index.
        last: Those that are lists of one item, each with the tensor that every step writes there.
    """

    most: int | None
    limits: Sequence[int]
    rows: Mapping[int, int]
    last: Mapping[int, int]


def plain_loop(file: TfliteFile, graph: Subgraph, op: Operator, budget: Budget) -> PlainLoop:
    """A loop (WHILE) that counts its steps; UnknownCellError for others."""
    step = _step(file, graph, op, budget)
    numbers: list[int] = []
    limits: list[int] = []
    for limit in _limits(step.condition, step.counters):
        outer, number = step.condition, limit
        if limit in step.condition.inputs:
            outer, number = graph, op.inputs[step.condition.inputs.index(limit)]
        array = constant(file, outer, number, budget)
        if array is not None and array.size == 1:
            numbers.append(int(array.item()))
        elif outer is graph and not file.tensor(graph, number).shape:
            limits.append(number)
        else:
            raise UnknownCellError("a number of steps that its body computes")
    rows = {
        k: _row_of(step.body, step.values, before, after, step.counters)
        for k, (before, after) in enumerate(zip(step.body.inputs, step.body.outputs, strict=True))
        if before != after
    }
    last = {k: only_item(file, graph, op, step.body, k) for k in rows}
    most = max(0, min(numbers)) if numbers else None
    return PlainLoop(
        most,
        [*dict.fromkeys(limits)],
        {k: row for k, row in rows.items() if row is not None},
        {k: row for k, row in last.items() if row is not None},
    )


def _arguments(
    file: TfliteFile, graph: Subgraph, op: Operator, body: Subgraph, budget: Budget
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
            yield before, array
        else:
            yield before, Other("sequence", number=k) if is_sequence else variable(f"{k}")


def _counts(
    file: TfliteFile, graph: Subgraph, op: Operator, k: int, old: Value, new: Value
) -> bool:
    """Whether an argument of a loop counts from 0 by 1."""
    tensor = file.tensor(graph, op.inputs[k])
    if tensor.dtype not in ("int32", "int64") or not tensor.size or file.array(tensor).any():
        return False
    return is_next(new, old)


def _check_length(
    file: TfliteFile,
    graph: Subgraph,
    op: Operator,
    condition: Subgraph,
    sequence: int,
    counters: Mapping[int, Value],
    budget: Budget,
) -> None:
    """Checks that a loop reads all steps of its input, however many."""
    steps = file.tensor(graph, op.inputs[sequence]).shape[0]
    for limit in _limits(condition, counters):
        outer, number = condition, limit
        if limit in condition.inputs:
            outer, number = graph, op.inputs[condition.inputs.index(limit)]
        array = constant(file, outer, number, budget)
        if outer is graph and _is_length(file, graph, number, op.inputs[sequence]):
            continue
        if array is None or array.size != 1 or int(array.item()) != steps:
            raise UnknownCellError("a number of steps that is not its input's")


def _limits(condition: Subgraph, counters: Mapping[int, Value]) -> list[int]:
    """The tensors that the counters of a condition must be less than."""
    found: list[int] = []
    others = {each.code for each in condition.ops} - {_LESS, _LOGICAL_AND}
    limits = [each for each in condition.ops if each.code == _LESS and len(each.inputs) == 2]
    if not 0 < len(limits) <= MOST_STATES or others:
        raise UnknownCellError("another condition than that of steps")
    for less in limits:
        counter, limit = less.inputs
        if counter not in condition.inputs or condition.inputs.index(counter) not in counters:
            raise UnknownCellError("a condition on what is no counter")
        found.append(limit)
    return found


def _is_length(file: TfliteFile, graph: Subgraph, number: int, sequence: int) -> bool:
    """Whether a tensor is the first size of another, which may be reversed in the loop alone."""
    sliced = graph.producers.get(number)
    if sliced is None or sliced.code != _STRIDED_SLICE or len(sliced.inputs) != 4:
        return False
    shape, begin = graph.producers.get(sliced.inputs[0]), file.tensor(graph, sliced.inputs[1])
    is_first = bool(begin.size) and begin.dtype == "int32" and not file.array(begin).any()
    if shape is None or shape.code != _SHAPE or len(shape.inputs) != 1 or not is_first:
        return False
    return _unreversed(graph, shape.inputs[0]) == _unreversed(graph, sequence)


def _unreversed(graph: Subgraph, number: int) -> int:
    """A tensor, or the one that it is in reverse, of the same shape."""
    op = graph.producers.get(number)
    return op.inputs[0] if op is not None and op.code == _REVERSE and op.inputs else number
