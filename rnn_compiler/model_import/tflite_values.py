"""Follows the operators of a TensorFlow Lite graph as formulas of what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rnn_compiler.model_import.formulas import Formula, OtherFormulaError, formula_in, is_array
from rnn_compiler.model_import.loop_cells import Expressions, Other, Value, integers, is_number
from rnn_compiler.model_import.reading import Budget
from rnn_compiler.model_import.tflite_reader import Operator, Subgraph, Tensor, TfliteFile

_CONCATENATION, _FULLY_CONNECTED, _FILL, _STRIDED_SLICE, _CAST = 2, 9, 94, 45, 53
_FUNCTIONS = {14: "Sigmoid", 19: "Relu", 21: "Relu6", 28: "Tanh"}
_FUSED = {0: "", 1: "Relu", 3: "Relu6", 4: "Tanh"}
_ARITHMETIC = {0: Expressions.add, 18: Expressions.multiply, 41: Expressions.subtract}
_BOUNDS = {55: Expressions.at_least, 57: Expressions.at_most}


def constant(file: TfliteFile, graph: Subgraph, number: int, budget: Budget) -> Any:
    """The array of a tensor that is a constant; None for others."""
    tensor = file.tensor(graph, number)
    if tensor.is_variable:
        return None
    if tensor.size and tensor.dtype in ("int32", "int64"):
        return file.array(tensor)
    return file.real(tensor, budget)


class SubgraphValues:
    """The values of all tensors of a graph, given those of its arguments."""

    def __init__(
        self, file: TfliteFile, graph: Subgraph, given: Mapping[int, Value], make: Expressions
    ) -> None:
        self._file, self._graph, self._make = file, graph, make
        self._values = dict(given)
        self._made: dict[Any, Value] = {}
        for op in graph.ops:
            for number, value in zip(op.outputs, self._results(op), strict=False):
                self._values[number] = value

    def value(self, number: int) -> Value:
        """The value of a tensor."""
        if number not in self._values:
            array = constant(self._file, self._graph, number, self._make.budget)
            self._values[number] = Other("unknown") if array is None else array
        return self._values[number]

    def uncast(self, number: int) -> int:
        """A tensor, or the one of which it is a cast that changes nothing."""
        op = self._graph.producers.get(number)
        if op is None or op.code != _CAST or len(op.inputs) != 1:
            return number
        is_same = self._tensor(op.inputs[0]).dtype == self._tensor(number).dtype
        return op.inputs[0] if is_same else number

    def _results(self, op: Operator) -> Iterator[Value]:
        """The values of an op's outputs, the same ones for the same op and inputs."""
        key = op.code, op.options, *map(id, self._inputs(op))
        rule = _RULES.get(op.code)
        for k in range(len(op.outputs)):
            if rule is None:  # it may depend on more than its inputs
                yield Other("unknown")
                continue
            if (*key, k) not in self._made:
                made = None
                try:
                    made = rule(self, op, k)
                except OtherFormulaError:
                    made = Other("computed")
                except (IndexError, ValueError):  # inputs that no such operator has
                    pass
                self._made[(*key, k)] = Other("unknown") if made is None else made
            yield self._made[(*key, k)]

    def _inputs(self, op: Operator) -> list[Value]:
        return [self.value(number) for number in op.inputs if number >= 0]

    def _tensor(self, number: int) -> Tensor:
        return self._file.tensor(self._graph, number)

    def _fused(self, op: Operator, value: Formula) -> Formula:
        """A value after the function that an op applies to its result."""
        name = _FUSED.get(self._file.options(op, "Activated")["activation"])
        if name is None:
            raise OtherFormulaError
        return self._make.activated(name, value) if name else value

    # Rules: the value of an output; None if it is not followed.

    def moved(self, op: Operator, k: int) -> Value | None:
        """Reshaped or cast, so that rows stay rows."""
        before, after = self._tensor(op.inputs[0]), self._tensor(op.outputs[k])
        value = self.value(op.inputs[0])
        if is_array(value) and None not in after.shape:
            if value.size == np.prod([size or 0 for size in after.shape], dtype=float):
                return value.reshape(after.shape)
            return None
        is_same = before.shape[-1:] == after.shape[-1:] and before.shape[-1:] != (None,)
        return value if is_same and before.dtype == after.dtype else None

    def concatenation(self, op: Operator, k: int) -> Value | None:
        """The only part of a concatenation that has elements, as in a list of one item."""
        parts = [each for each in op.inputs if self._tensor(each).shape[:1] != (0,)]
        is_first = not self._file.options(op, "Concatenation")["axis"]
        return self.value(parts[0]) if is_first and len(parts) == 1 else None

    def gather(self, op: Operator, k: int) -> Value | None:
        """The step of a sequence at an index."""
        options = self._file.options(op, "Gather")
        is_first = not options["axis"] and not options["batch_axes"]
        sequence, place = self._inputs(op)[:2]
        return self._make.item(sequence, place) if is_first else None

    def product(self, op: Operator, k: int) -> Value | None:
        """A matrix times a value, and a bias."""
        source, matrix, *bias = self._inputs(op)
        is_known = all(is_array(each) for each in (matrix, *bias))
        if not is_known or self._file.options(op, "FullyConnected")["format"]:
            return None
        made = self._make.matmul(source, matrix.T)
        return self._fused(op, self._make.add(made, *bias) if bias else made)

    def arithmetic(self, op: Operator, k: int) -> Value | None:
        """A sum, difference or product of elements."""
        left, right = self._inputs(op)
        return self._fused(op, _ARITHMETIC[op.code](self._make, left, right))

    def bound(self, op: Operator, k: int) -> Value | None:
        """The greater or lesser one of a value and a number."""
        left, right = self._inputs(op)
        return _BOUNDS[op.code](self._make, left, right)

    def fill(self, op: Operator, k: int) -> Value | None:
        """A number in any shape, as Keras multiplies by ones where dropout is in training."""
        value = self._inputs(op)[1]
        return value if is_array(value) and value.size == 1 else None

    def function(self, op: Operator, k: int) -> Value | None:
        """A function."""
        (value,) = self._inputs(op)
        return self._make.activated(_FUNCTIONS[op.code], formula_in(value))

    def select(self, op: Operator, k: int) -> Value | None:
        """A choice between two values."""
        mask, one, other = self._inputs(op)
        return Other("select", (mask, one, other))

    def split(self, op: Operator, k: int) -> Value | None:
        """Equal parts along the last axis."""
        axis, value = self._inputs(op)
        sizes = [self._tensor(each).shape[-1] for each in op.outputs]
        known = [each for each in sizes if each is not None]
        return self._part(op.inputs[1], value, axis, known, k)

    def split_sizes(self, op: Operator, k: int) -> Value | None:
        """Parts along the last axis."""
        value, sizes, axis = self._inputs(op)
        return self._part(op.inputs[0], value, axis, integers(sizes), k)

    def _part(
        self, number: int, value: Value, axis: Value, sizes: list[int], k: int
    ) -> Value | None:
        """A part along an axis, if it is the last one of a tensor."""
        last = len(self._tensor(number).shape) - 1
        is_last = is_number(axis, -1) or is_number(axis, last)
        return self._make.part(value, sizes, k) if is_last else None

    def strided_slice(self, op: Operator, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, *places = self._inputs(op)
        begin, end, stride = map(integers, places)
        masks = self._file.options(op, "StridedSlice")
        rank = len(self._tensor(op.inputs[0]).shape)
        last = 1 << (rank - 1)
        whole = masks["begin_mask"] & masks["end_mask"] & (last - 1) == last - 1
        changed = masks["ellipsis_mask"] or masks["new_mask"] or masks["shrink_mask"]
        if len(begin) != rank or len(end) != rank or set(stride) != {1} or changed or not whole:
            return None
        start = None if masks["begin_mask"] & last else begin[-1]
        stop = None if masks["end_mask"] & last else end[-1]
        return self._make.columns(value, start, stop)

    def slice(self, op: Operator, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, begin, size = self._inputs(op)
        starts, sizes = map(integers, (begin, size))
        shape = self._tensor(op.inputs[0]).shape
        if not len(starts) == len(sizes) == len(shape) or any(starts[:-1]) or starts[-1] < 0:
            return None
        pairs = zip(sizes[:-1], shape, strict=False)
        if any(each not in (-1, whole) for each, whole in pairs):
            return None
        stop = None if sizes[-1] == -1 else starts[-1] + sizes[-1]
        return self._make.columns(value, starts[-1], stop)


_RULES: dict[int, Callable[[SubgraphValues, Operator, int], Value | None]] = {
    _CONCATENATION: SubgraphValues.concatenation,
    _FULLY_CONNECTED: SubgraphValues.product,
    _FILL: SubgraphValues.fill,
    **dict.fromkeys(_ARITHMETIC, SubgraphValues.arithmetic),
    **dict.fromkeys(_BOUNDS, SubgraphValues.bound),
    **dict.fromkeys(_FUNCTIONS, SubgraphValues.function),
    **dict.fromkeys((6, 22, 43, _CAST, 70), SubgraphValues.moved),
    36: SubgraphValues.gather,
    _STRIDED_SLICE: SubgraphValues.strided_slice,
    49: SubgraphValues.split,
    **dict.fromkeys((64, 123), SubgraphValues.select),
    65: SubgraphValues.slice,
    102: SubgraphValues.split_sizes,
}
"""The operators that are followed; 6 and on: DEQUANTIZE, RESHAPE, SQUEEZE, CAST, EXPAND_DIMS."""
