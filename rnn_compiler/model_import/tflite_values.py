"""Follows the operators of a TensorFlow Lite graph symbolically.

What the values are, `loop_values` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rnn_compiler.model_import.loop_values import (
    Expressions,
    Value,
    between,
    integers,
    is_number,
    of_constant,
    part,
    rows,
)
from rnn_compiler.model_import.reading import Budget
from rnn_compiler.model_import.tflite_reader import Graph, Op, Tensor, TfliteFile

_ADD, _CONCATENATION, _FULLY_CONNECTED, _MUL, _SUB = 0, 2, 9, 18, 41
_FILL, _STRIDED_SLICE, _CAST = 94, 45, 53
_NAMED = {14: "sigmoid", 19: "relu", 21: "relu6", 28: "tanh", 55: "maximum", 57: "minimum"}
_FUSED = {0: "", 1: "relu", 3: "relu6", 4: "tanh"}


def constant(file: TfliteFile, graph: Graph, number: int, budget: Budget) -> Any:
    """The array of a tensor that is a constant; None for others."""
    tensor = file.tensor(graph, number)
    if tensor.is_variable:
        return None
    if tensor.size and tensor.dtype in ("int32", "int64"):
        return file.array(tensor)
    return file.real(tensor, budget)


class Body:
    """The values of all tensors of a graph, given those of its arguments."""

    def __init__(
        self, file: TfliteFile, graph: Graph, given: Mapping[int, Value], budget: Budget
    ) -> None:
        self._file, self._graph, self._budget = file, graph, budget
        self._values = dict(given)
        self._expressions = Expressions(budget)
        for op in graph.ops:
            for number, value in zip(op.outputs, self._results(op), strict=False):
                self._values[number] = value

    def value(self, number: int) -> Value:
        """The value of a tensor."""
        if number not in self._values:
            array = constant(self._file, self._graph, number, self._budget)
            self._values[number] = Value("unknown") if array is None else of_constant(array)
        return self._values[number]

    def uncast(self, number: int) -> int:
        """A tensor, or the one of which it is a cast that changes nothing."""
        op = self._graph.producers.get(number)
        if op is None or op.code != _CAST or len(op.inputs) != 1:
            return number
        is_same = self._tensor(op.inputs[0]).dtype == self._tensor(number).dtype
        return op.inputs[0] if is_same else number

    def _results(self, op: Op) -> Iterator[Value]:
        """The values of an op's outputs."""
        key = (
            op.code,
            tuple(self.value(number) for number in op.inputs if number >= 0),
            op.options,
        )
        rule = _RULES.get(op.code)
        for k in range(len(op.outputs)):
            made = self._expressions.made.get((*key, k))
            if made is None:
                try:
                    made = None if rule is None else rule(self, op, k)
                except (IndexError, ValueError):  # inputs that no such operator has
                    made = None
                made = made or Value("unknown")
                if rule is not None:  # others may depend on more than their inputs
                    self._expressions.made[(*key, k)] = made
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
        return self._expressions.make(name, value) if name else value

    # Rules: the value of an output; None if it is not followed.

    def moved(self, op: Op, k: int) -> Value | None:
        """Reshaped or cast, so that rows stay rows."""
        before, after = self._tensor(op.inputs[0]), self._tensor(op.outputs[k])
        value = self.value(op.inputs[0])
        if value.kind == "constant" and None not in after.shape:
            if value.data.size == np.prod([size or 0 for size in after.shape], dtype=float):
                return of_constant(value.data.reshape(after.shape))
            return None
        is_same = before.shape[-1:] == after.shape[-1:] and before.shape[-1:] != (None,)
        return value if is_same and before.dtype == after.dtype else None

    def concatenation(self, op: Op, k: int) -> Value | None:
        """The only part of a concatenation that has elements, as in a list of one item."""
        parts = [each for each in op.inputs if self._tensor(each).shape[:1] != (0,)]
        is_first = not self._file.options(op, "Concatenation")["axis"]
        return self.value(parts[0]) if is_first and len(parts) == 1 else None

    def gather(self, op: Op, k: int) -> Value | None:
        """The step of a sequence at an index."""
        options = self._file.options(op, "Gather")
        sequence, index = self._inputs(op)[:2]
        if sequence.kind != "sequence" or options["axis"] or options["batch_axes"]:
            return None
        return self._expressions.make("step", sequence, index)

    def product(self, op: Op, k: int) -> Value | None:
        """A matrix times a value, and a bias."""
        source, matrix, *bias = self._inputs(op)
        if matrix.kind != "constant" or any(each.kind != "constant" for each in bias):
            return None
        if self._file.options(op, "FullyConnected")["format"]:
            return None
        made = self._expressions.product(source, matrix.data, bias[0].data if bias else None)
        return made and self._fused(op, made)

    def add(self, op: Op, k: int) -> Value | None:
        """A sum; of affine sums and constants, an affine sum."""
        left, right = self._inputs(op)
        made = self._expressions.sum(left, right)
        return made and self._fused(op, made)

    def sub(self, op: Op, k: int) -> Value | None:
        """A difference."""
        left, right = self._inputs(op)
        return self._fused(op, self._expressions.make("sub", left, right))

    def mul(self, op: Op, k: int) -> Value | None:
        """A product of elements; Keras multiplies by ones where dropout is in training."""
        left, right = self._inputs(op)
        for one, other in ((left, right), (right, left)):
            if one.kind == "ones":
                return self._fused(op, other)
        return self._fused(op, self._expressions.make("mul", left, right))

    def fill(self, op: Op, k: int) -> Value | None:
        """Ones in any number."""
        value = self._inputs(op)[1]
        return Value("ones") if is_number(value, 1) else None

    def named(self, op: Op, k: int) -> Value | None:
        """A function."""
        first, *others = self._inputs(op)
        return self._expressions.make(_NAMED[op.code], first, *others)

    def select(self, op: Op, k: int) -> Value | None:
        """A choice between two values."""
        return self._expressions.make("select", *self._inputs(op))

    def split(self, op: Op, k: int) -> Value | None:
        """Equal parts along the last axis."""
        value, width = self.value(op.inputs[1]), self._tensor(op.outputs[k]).shape[-1:]
        axis, rank = self.value(op.inputs[0]), len(self._tensor(op.inputs[1]).shape)
        if not width or width[0] is None or not (is_number(axis, -1) or is_number(axis, rank - 1)):
            return None
        return rows(value, k * width[0], (k + 1) * width[0], len(op.outputs) * width[0])

    def split_sizes(self, op: Op, k: int) -> Value | None:
        """Parts along the last axis."""
        value, sizes, axis = self._inputs(op)
        rank = len(self._tensor(op.inputs[0]).shape)
        if not (is_number(axis, -1) or is_number(axis, rank - 1)):
            return None
        return part(value, integers(sizes), k)

    def strided_slice(self, op: Op, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, *places = self._inputs(op)
        if value.kind != "affine":
            return None
        begin, end, stride = map(integers, places)
        masks = self._file.options(op, "StridedSlice")
        rank, count = len(self._tensor(op.inputs[0]).shape), value.data[1].size
        others = (1 << (rank - 1)) - 1
        whole = masks["begin_mask"] & masks["end_mask"] & others == others
        changed = masks["ellipsis_mask"] or masks["new_mask"] or masks["shrink_mask"]
        if len(begin) != rank or len(end) != rank or set(stride) != {1} or changed or not whole:
            return None
        start = 0 if masks["begin_mask"] & (others + 1) else begin[-1]
        return between(value, start, count if masks["end_mask"] & (others + 1) else end[-1])

    def slice(self, op: Op, k: int) -> Value | None:
        """Elements of the last axis, and all of the others."""
        value, begin, size = self._inputs(op)
        if value.kind != "affine":
            return None
        starts, sizes = map(integers, (begin, size))
        shape, count = self._tensor(op.inputs[0]).shape, value.data[1].size
        if not len(starts) == len(sizes) == len(shape) or any(starts[:-1]):
            return None
        pairs = zip(sizes[:-1], shape, strict=False)
        if any(each not in (-1, whole) for each, whole in pairs):
            return None
        stop = count if sizes[-1] == -1 else starts[-1] + sizes[-1]
        return rows(value, starts[-1], stop, count)


_RULES: dict[int, Callable[[Body, Op, int], Value | None]] = {
    _ADD: Body.add,
    _CONCATENATION: Body.concatenation,
    _FULLY_CONNECTED: Body.product,
    _MUL: Body.mul,
    _SUB: Body.sub,
    _FILL: Body.fill,
    **dict.fromkeys(_NAMED, Body.named),
    **dict.fromkeys((6, 22, 43, _CAST, 70), Body.moved),
    36: Body.gather,
    _STRIDED_SLICE: Body.strided_slice,
    49: Body.split,
    **dict.fromkeys((64, 123), Body.select),
    65: Body.slice,
    102: Body.split_sizes,
}
"""The operators that are followed; 6 and on: DEQUANTIZE, RESHAPE, SQUEEZE, CAST, EXPAND_DIMS."""
