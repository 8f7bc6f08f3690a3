"""Recognises LSTM, GRU and SimpleRNN in loops of TensorFlow Lite, as Keras' layers are written.

The body of such a loop computes one step with ordinary operators, whose order and number vary
from version to version. So each operator is followed symbolically: a value is a state, the step's
input, a constant, or an expression. A product with a constant matrix becomes a sum of matrices
times values, and a bias; slices take rows of these. What remains of the new states is compared
with the formulas of the three cells.

Equal expressions are one object, so that a comparison takes no time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.model_import.keras_layers import OnnxFunction
from rnn_compiler.model_import.reading import MOST_AXES, Budget
from rnn_compiler.model_import.tflite_reader import Graph, Op, Tensor, TfliteFile


class UnknownCellError(Exception):
    """A loop that is none of the cells; the message says what was found."""


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a step.

    Attributes:
        kind: What computes it.
        of: The values it is computed from.
        data: A constant's array; of an affine sum, its matrices by the values they multiply, and
            its bias.
    """

    kind: str
    of: tuple[Value, ...] = ()
    data: Any = None


@dataclass(frozen=True)
class Gate:
    """An affine sum: matrices of the input and of the state, [units, size], and a bias."""

    input: Any
    state: Any
    bias: Any


@dataclass(frozen=True)
class Cell:
    """A cell of a loop.

    Attributes:
        operator: ONNX's operator that computes it.
        gates: Its gates in ONNX's order.
        functions: Its functions in ONNX's order.
        sequence: The number of the loop's argument that is the input.
        states: The numbers of those that are h and, of an LSTM, c.
        state_bias: What a GRU that resets after the product adds to the product; None for others.
    """

    operator: str
    gates: tuple[Gate, ...]
    functions: tuple[OnnxFunction, ...]
    sequence: int
    states: tuple[int, ...]
    state_bias: Any = None


_ADD, _FULLY_CONNECTED, _MUL, _SUB, _FILL, _STRIDED_SLICE = 0, 9, 18, 41, 94, 45
_LESS, _SHAPE, _LOGICAL_AND = 58, 77, 86
_MOST_STATES = 8
"""The most states of a loop; an LSTM has two, and the list of results."""

_NAMED = {14: "sigmoid", 19: "relu", 21: "relu6", 28: "tanh", 55: "maximum", 57: "minimum"}
_FUSED = {0: "", 1: "relu", 3: "relu6", 4: "tanh"}
_FUNCTIONS = {
    "sigmoid": OnnxFunction("Sigmoid"),
    "tanh": OnnxFunction("Tanh"),
    "relu": OnnxFunction("Relu"),
    "linear": OnnxFunction("Affine", 1.0, 0.0),
}


def constant(file: TfliteFile, graph: Graph, number: int, budget: Budget) -> Any:
    """The array of a tensor that is a constant; None for others."""
    tensor = file.tensor(graph, number)
    if tensor.is_variable:
        return None
    if tensor.size and tensor.dtype in ("int32", "int64"):
        return file.array(tensor)
    return file.real(tensor, budget)


class _Body:
    """The values of all tensors of a loop's body."""

    def __init__(
        self, file: TfliteFile, graph: Graph, given: Mapping[int, Value], budget: Budget
    ) -> None:
        self._file, self._graph, self._budget = file, graph, budget
        self._values = dict(given)
        self._made: dict[Any, Value] = {}
        for op in graph.ops:
            for number, value in zip(op.outputs, self._results(op), strict=False):
                self._values[number] = value

    def value(self, number: int) -> Value:
        """The value of a tensor."""
        if number not in self._values:
            array = constant(self._file, self._graph, number, self._budget)
            self._values[number] = Value("unknown") if array is None else _constant(array)
        return self._values[number]

    def _make(self, kind: str, *of: Value) -> Value:
        """An expression; the same one for the same values."""
        return self._made.setdefault((kind, of), Value(kind, of))

    def _results(self, op: Op) -> Iterator[Value]:
        """The values of an op's outputs."""
        key = (
            op.code,
            tuple(self.value(number) for number in op.inputs if number >= 0),
            op.options,
        )
        rule = _RULES.get(op.code)
        for k in range(len(op.outputs)):
            made = self._made.get((*key, k))
            if made is None:
                try:
                    made = None if rule is None else rule(self, op, k)
                except (IndexError, ValueError):  # inputs that no such operator has
                    made = None
                made = made or Value("unknown")
                if rule is not None:  # others may depend on more than their inputs
                    self._made[(*key, k)] = made
            yield made

    def _inputs(self, op: Op) -> list[Value]:
        return [self.value(number) for number in op.inputs if number >= 0]

    def _tensor(self, number: int) -> Tensor:
        return self._file.tensor(self._graph, number)

    def _fused(self, op: Op, value: Value) -> Value | None:
        """A value after the function that an op applies to its result."""
        name = _FUSED.get(self._file.options(op, "Activated")["activation"])
        if name is None:
            return None
        return self._make(name, value) if name else value

    # Rules: the value of an output; None if it is not followed.

    def moved(self, op: Op, k: int) -> Value | None:
        """Reshaped or cast, so that rows stay rows."""
        before, after = self._tensor(op.inputs[0]), self._tensor(op.outputs[k])
        value = self.value(op.inputs[0])
        if value.kind == "constant" and None not in after.shape:
            if value.data.size == np.prod([size or 0 for size in after.shape], dtype=float):
                return _constant(value.data.reshape(after.shape))
            return None
        is_same = before.shape[-1:] == after.shape[-1:] and before.shape[-1:] != (None,)
        return value if is_same and before.dtype == after.dtype else None

    def gather(self, op: Op, k: int) -> Value | None:
        """The step of a sequence at an index."""
        options = self._file.options(op, "Gather")
        sequence, index = self._inputs(op)[:2]
        if sequence.kind != "sequence" or options["axis"] or options["batch_axes"]:
            return None
        return self._make("step", sequence, index)

    def product(self, op: Op, k: int) -> Value | None:
        """A matrix times a value, and a bias."""
        source, matrix, *bias = self._inputs(op)
        if matrix.kind != "constant" or matrix.data.ndim != 2:
            return None
        if self._file.options(op, "FullyConnected")["format"]:
            return None
        self._budget.take(4 * len(matrix.data))
        added = np.zeros(len(matrix.data), np.float32)
        if bias:
            if bias[0].kind != "constant" or bias[0].data.shape != added.shape:
                return None
            added = bias[0].data
        made = _affine({source: matrix.data}, added)
        return made and self._fused(op, made)

    def add(self, op: Op, k: int) -> Value | None:
        """A sum; of affine sums and constants, an affine sum."""
        left, right = self._inputs(op)
        for one, other in ((left, right), (right, left)):
            if one.kind == "affine" and other.kind in ("affine", "constant"):
                made = self._sum(one, other)
                return made and self._fused(op, made)
        return self._fused(op, self._make("add", left, right))

    def _sum(self, one: Value, other: Value) -> Value | None:
        """An affine sum and another one, or a constant."""
        terms, bias = one.data
        none: dict[Value, Any] = {}
        others, added = other.data if other.kind == "affine" else (none, other.data)
        if added.size not in (1, bias.size) or added.shape[-1:] not in ((), (added.size,)):
            return None
        if others.keys() & terms.keys():
            return None
        self._budget.take(bias.nbytes)
        return _affine({**terms, **others}, bias + added.reshape(-1))

    def sub(self, op: Op, k: int) -> Value | None:
        """A difference."""
        left, right = self._inputs(op)
        return self._fused(op, self._make("sub", left, right))

    def mul(self, op: Op, k: int) -> Value | None:
        """A product of elements; Keras multiplies by ones where dropout is in training."""
        left, right = self._inputs(op)
        for one, other in ((left, right), (right, left)):
            if one.kind == "ones":
                return self._fused(op, other)
        return self._fused(op, self._make("mul", left, right))

    def fill(self, op: Op, k: int) -> Value | None:
        """Ones in any number."""
        value = self._inputs(op)[1]
        return Value("ones") if _is(value, 1) else None

    def named(self, op: Op, k: int) -> Value | None:
        """A function."""
        first, *others = self._inputs(op)
        return self._make(_NAMED[op.code], first, *others)

    def split(self, op: Op, k: int) -> Value | None:
        """Equal parts along the last axis."""
        value, width = self.value(op.inputs[1]), self._tensor(op.outputs[k]).shape[-1:]
        axis, rank = self.value(op.inputs[0]), len(self._tensor(op.inputs[1]).shape)
        if not width or width[0] is None or not (_is(axis, -1) or _is(axis, rank - 1)):
            return None
        return _rows(value, k * width[0], (k + 1) * width[0], len(op.outputs) * width[0])

    def split_sizes(self, op: Op, k: int) -> Value | None:
        """Parts along the last axis."""
        value, sizes, axis = self._inputs(op)
        rank = len(self._tensor(op.inputs[0]).shape)
        if not (_is(axis, -1) or _is(axis, rank - 1)):
            return None
        ends = [0, *itertools.accumulate(_integers(sizes))]
        return _rows(value, ends[k], ends[k + 1], ends[-1])

    def strided_slice(self, op: Op, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, *places = self._inputs(op)
        if value.kind != "affine":
            return None
        begin, end, stride = map(_integers, places)
        masks = self._file.options(op, "StridedSlice")
        rank, count = len(self._tensor(op.inputs[0]).shape), value.data[1].size
        others = (1 << (rank - 1)) - 1
        whole = masks["begin_mask"] & masks["end_mask"] & others == others
        changed = masks["ellipsis_mask"] or masks["new_mask"] or masks["shrink_mask"]
        if len(begin) != rank or len(end) != rank or set(stride) != {1} or changed or not whole:
            return None
        start = 0 if masks["begin_mask"] & (others + 1) else begin[-1]
        stop = count if masks["end_mask"] & (others + 1) else end[-1]
        start, stop = (each + count if each < 0 else each for each in (start, stop))
        return _rows(value, start, min(stop, count), count)

    def slice(self, op: Op, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, begin, size = self._inputs(op)
        if value.kind != "affine":
            return None
        starts, sizes = map(_integers, (begin, size))
        shape, count = self._tensor(op.inputs[0]).shape, value.data[1].size
        if not len(starts) == len(sizes) == len(shape) or any(starts[:-1]):
            return None
        pairs = zip(sizes[:-1], shape, strict=False)
        if any(each not in (-1, whole) for each, whole in pairs):
            return None
        stop = count if sizes[-1] == -1 else starts[-1] + sizes[-1]
        return _rows(value, starts[-1], stop, count)


_RULES: dict[int, Callable[[_Body, Op, int], Value | None]] = {
    _ADD: _Body.add,
    _FULLY_CONNECTED: _Body.product,
    _MUL: _Body.mul,
    _SUB: _Body.sub,
    _FILL: _Body.fill,
    **dict.fromkeys(_NAMED, _Body.named),
    **dict.fromkeys((6, 22, 43, 53, 70), _Body.moved),
    36: _Body.gather,
    _STRIDED_SLICE: _Body.strided_slice,
    49: _Body.split,
    65: _Body.slice,
    102: _Body.split_sizes,
}
"""The operators that are followed; 6 and on: DEQUANTIZE, RESHAPE, SQUEEZE, CAST, EXPAND_DIMS."""


def _constant(array: Any) -> Value:
    return Value("constant", (), array)


def _affine(terms: Mapping[Value, Any], bias: Any) -> Value | None:
    """A sum of matrices times values, and a bias; None if their sizes differ."""
    if any(len(matrix) != bias.size for matrix in terms.values()):
        return None
    return Value("affine", (), (terms, bias))


def _rows(value: Value, start: int, stop: int, count: int) -> Value | None:
    """Some rows of an affine sum of that many, or elements of a constant."""
    if not 0 <= start < stop <= count:
        return None
    if value.kind == "affine" and value.data[1].size == count:
        terms, bias = value.data
        return _affine({key: m[start:stop] for key, m in terms.items()}, bias[start:stop])
    if value.kind == "constant" and value.data.shape[-1:] == (count,):
        return _constant(value.data[..., start:stop])
    return None


def _integers(value: Value) -> list[int]:
    """The elements of a constant of integers.

    Raises:
        ValueError: It is none, or has more elements than a place has axes.
    """
    if value.kind != "constant" or value.data.dtype.kind != "i" or value.data.size > MOST_AXES:
        raise ValueError(value.kind)
    return value.data.ravel().tolist()


def _is(value: Value, number: float) -> bool:
    """Whether a value is a constant of one number."""
    return value.kind == "constant" and value.data.size == 1 and value.data.item() == number


# The formulas of cells. Each function raises UnknownCellError if the states are not its cell's.


def _pairs(value: Value, kind: str) -> Iterator[tuple[Value, Value]]:
    """The two values of a sum or product, in either order."""
    if value.kind == kind and len(value.of) == 2:
        one, other = value.of
        yield one, other
        yield other, one


def _scalar(value: Value, kind: str) -> Iterator[tuple[float, Value]]:
    """The number and the value of a sum or product, or bound, of both."""
    for one, other in _pairs(value, kind):
        if one.kind == "constant" and one.data.size == 1:
            yield float(one.data.item()), other


def _function(value: Value) -> tuple[OnnxFunction, Value]:
    """A value as a function and its argument."""
    if value.kind in _FUNCTIONS:
        return _FUNCTIONS[value.kind], value.of[0]
    for factor, bounded in _scalar(value, "mul"):  # Keras 3's hard_sigmoid
        if bounded.kind == "relu6" and abs(factor - 1 / 6) < 1e-6:
            return OnnxFunction("HardSigmoid", factor, 0.0), bounded.of[0]
    for outer, inner in (("maximum", "minimum"), ("minimum", "maximum")):
        for bound, value_within in _scalar(value, outer):
            for other, scaled in _scalar(value_within, inner):
                if {outer: bound, inner: other} != {"maximum": 0.0, "minimum": 1.0}:
                    continue
                for beta, product in _scalar(scaled, "add"):
                    for alpha, argument in _scalar(product, "mul"):
                        return OnnxFunction("HardSigmoid", alpha, beta), argument
    return _FUNCTIONS["linear"], value


class _Steps:
    """The states of a loop, old and new, and which of its values is the input's step."""

    def __init__(
        self, states: Mapping[int, tuple[Value, Value]], counters: Sequence[Value]
    ) -> None:
        self.states, self._counters = states, counters
        self.sequence: Value | None = None

    def is_input(self, value: Value) -> bool:
        """Whether a value is the step of the sequence whose turn it is."""
        if value.kind != "step" or value.of[1] not in self._counters:
            return False
        self.sequence = self.sequence or value.of[0]
        return value.of[0] is self.sequence

    def gate(self, value: Value, state: Value) -> Gate:
        """An affine sum of the input and a value of the state."""
        if value.kind != "affine":
            raise UnknownCellError(f"a gate that is {value.kind}")
        terms, bias = value.data
        found: dict[str, Any] = {}
        for source, matrix in terms.items():
            name = "state" if source is state else "input" if self.is_input(source) else ""
            if not name:
                raise UnknownCellError(f"a matrix times {source.kind}")
            found[name] = matrix
        return Gate(found.get("input"), found.get("state"), bias)


def _lstm(steps: _Steps, h: int, c: int) -> Cell:
    """New h is o * g(c'), with c' = f * c + i * g."""
    (old_h, new_h), (old_c, new_c) = steps.states[h], steps.states[c]
    for o, activated in _pairs(new_h, "mul"):
        last, cell = _function(activated)
        if cell is not new_c:
            continue
        for left, right in _pairs(new_c, "add"):
            for f, kept in _pairs(left, "mul"):
                for i, new in _pairs(right, "mul") if kept is old_c else ():
                    found = [_function(each) for each in (i, o, f, new)]
                    if len({each for each, _ in found[:3]}) > 1:
                        continue
                    gates = tuple(steps.gate(argument, old_h) for _, argument in found)
                    functions = (found[0][0], found[3][0], last)
                    return _cell("LSTM", gates, functions, steps, (h, c))
    raise UnknownCellError("no LSTM")


def _gru(steps: _Steps, h: int) -> Cell:
    """New h is z * h + (1 - z) * g, whose gate r resets h before or after its product."""
    old, new_h = steps.states[h]
    for left, right in _pairs(new_h, "add"):
        for z, kept in _pairs(left, "mul"):
            for rest, new in _pairs(right, "mul") if kept is old else ():
                if rest.kind != "sub" or not _is(rest.of[0], 1) or rest.of[1] is not z:
                    continue
                f, argument = _function(z)
                g, candidate = _function(new)
                first = steps.gate(argument, old)
                for reset, last, bias in _candidates(steps, candidate, old):
                    function, argument = _function(reset)
                    if function == f:
                        gates = (first, steps.gate(argument, old), last)
                        return _cell("GRU", gates, (f, g), steps, (h,), bias)
    raise UnknownCellError("no GRU")


def _candidates(steps: _Steps, value: Value, old: Value) -> Iterator[tuple[Value, Gate, Any]]:
    """The reset gate, the candidate's sum, and the bias of the state's product if it has one."""
    if value.kind == "affine":
        for source in value.data[0]:
            for reset, kept in _pairs(source, "mul"):
                if kept is old:
                    yield reset, steps.gate(value, source), None
    for outside, product in _pairs(value, "add"):
        for reset, inside in _pairs(product, "mul"):
            if inside.kind == "affine":
                one, other = steps.gate(outside, old), steps.gate(inside, old)
                if one.state is None and other.input is None:
                    yield reset, Gate(one.input, other.state, one.bias), other.bias


def _rnn(steps: _Steps, h: int) -> Cell:
    """New h is a function of one sum."""
    old, new = steps.states[h]
    function, argument = _function(new)
    return _cell("RNN", (steps.gate(argument, old),), (function,), steps, (h,))


def _cell(
    operator: str,
    gates: tuple[Gate, ...],
    functions: tuple[OnnxFunction, ...],
    steps: _Steps,
    states: tuple[int, ...],
    state_bias: Any = None,
) -> Cell:
    """A cell, all of whose gates have both matrices, of one size."""
    sequence = steps.sequence
    if sequence is None or any(gate.input is None or gate.state is None for gate in gates):
        raise UnknownCellError("gates without a matrix")
    shapes = {(gate.input.shape, gate.state.shape) for gate in gates}
    units = len(gates[0].bias)
    if shapes != {((units, gates[0].input.shape[1]), (units, units))}:
        raise UnknownCellError("gates of several sizes")
    return Cell(operator, gates, functions, sequence.data, states, state_bias)


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
    values = _Body(file, body, given, budget)
    changing: dict[int, tuple[Value, Value]] = {
        k: (given[before], values.value(after))
        for k, (before, after) in enumerate(zip(body.inputs, body.outputs, strict=True))
        if before != after
    }
    counters = {
        k: old for k, (old, new) in changing.items() if _counts(file, graph, op, k, old, new)
    }
    states = {k: pair for k, pair in changing.items() if k not in counters}
    cell = _recognised(states, [*counters.values()])
    _check_length(file, graph, op, condition, cell.sequence, counters, budget)
    return cell


def _recognised(states: Mapping[int, tuple[Value, Value]], counters: Sequence[Value]) -> Cell:
    """The cell of some states; of its others, one is the list of results."""
    if len(states) > _MOST_STATES:
        raise UnknownCellError(f"{len(states)} states")
    tries = [
        *((_lstm, pair) for pair in itertools.permutations(states, 2)),
        *((cell, (h,)) for h in states for cell in (_gru, _rnn)),
    ]
    for cell, numbers in tries:
        try:
            return cell(_Steps(states, counters), *numbers)
        except UnknownCellError:
            continue
    raise UnknownCellError("a step that is not that of an LSTM, GRU or RNN")


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
            each.dtype == "float32" and len(each.shape) == 3 for each in tensors
        )
        if array is not None:
            yield before, _constant(array)
        else:
            yield before, Value("sequence" if is_sequence else "state", (), k)


def _counts(file: TfliteFile, graph: Graph, op: Op, k: int, old: Value, new: Value) -> bool:
    """Whether an argument of a loop counts from 0 by 1."""
    tensor = file.tensor(graph, op.inputs[k])
    if tensor.dtype not in ("int32", "int64") or not tensor.size or file.array(tensor).any():
        return False
    return any(one is old and _is(other, 1) for one, other in _pairs(new, "add"))


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
    if not 0 < len(limits) <= _MOST_STATES or others:
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
