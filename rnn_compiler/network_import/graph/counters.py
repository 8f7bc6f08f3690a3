"""The counters of a `Loop`: values that change by the same number in every iteration.

They are the iteration number, states that start at a constant and have a constant added, and what
is computed from them by adding and subtracting. Conditions that compare them to constants tell how
often the loop runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.network_import.graph import attributes_of, onnx, value_in

_EXACT = (
    *(onnx.TensorProto.INT32, onnx.TensorProto.INT64),
    *(onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE),
)
"""Types that hold all numbers of steps."""

_COMPARED = {
    "Less": (1, 0),
    "LessOrEqual": (1, 1),
    "Greater": (-1, 0),
    "GreaterOrEqual": (-1, 1),
}
"""Whether an operator's first input is the smaller one, and by how much its bound is larger."""


_WITH_AXES = 4
"""The inputs of a Slice with axes."""


class Counter(NamedTuple):
    """A number in each iteration: ``start + step * iteration``."""

    start: int
    step: int


class Counters:
    """The counters of a loop.

    Attributes:
        body: The graph of an iteration.
        fixed: The outer names of states that are the same in every iteration, by their names.
    """

    def __init__(self, node: Any, constants: Mapping[str, Any]) -> None:
        self.body = attributes_of(node)["body"].g
        self._node = node
        self._makers = {name: each for each in self.body.node for name in each.output if name}
        self._outer = constants
        self._own = {tensor.name: tensor for tensor in self.body.initializer}
        inputs = [each.name for each in self.body.input]
        ends = dict(zip(inputs[2:], (each.name for each in self.body.output[1:]), strict=False))
        starts = dict(zip(inputs[2:], node.input[2:], strict=False))
        self._last_of: dict[str, float | None] = {}
        self.fixed = {n: starts[n] for n, end in ends.items() if self._source(end) == n}
        self._sums: dict[str, int] = {}
        for each in self.body.node:
            if each.op_type in ("Add", "Sub"):
                first, second = map(self._whole, each.input)
                if first is not None and second is not None:
                    added = second if each.op_type == "Add" else -second
                    self._sums[each.output[0]] = first + added
        self._known = {inputs[0]: Counter(0, 1)}
        for name, end in ends.items():
            array = None if name in self.fixed else self.array(starts[name])
            first = self._whole(starts[name]) if array is not None and not array.ndim else None
            base, sign, added = self._line(end)
            if (base, sign) == (name, 1) and first is not None:
                self._known[name] = Counter(first, added)

    def counter(self, name: str) -> Counter | None:
        """The counter that a value of the body is; None if it is none."""
        base, sign, added = self._line(name)
        known = self._known.get(base)
        return None if known is None else Counter(sign * known.start + added, sign * known.step)

    def row(self, node: Any) -> tuple[str, Counter] | None:
        """The array of which a node reads a row, and the row's number; None for other nodes.

        It is a Gather, or a Squeeze of a Slice, as TensorFlow writes ``array[k]``. Squeeze needs a
        single row, so the number of the first one is enough.
        """
        source, *others = node.input
        if node.op_type == "Gather":
            axis, number = _axis(node), others[0]
        else:
            cut = self._makers.get(source) if node.op_type == "Squeeze" and others else None
            if cut is None or cut.op_type != "Slice" or len(cut.input) < _WITH_AXES:
                return None
            source, number = cut.input[0], self._single(cut.input[1])
            axis = None if self._number(others[0]) else self._number(cut.input[3])
        counter = self.counter(number)
        return None if axis != 0 or counter is None else (self.fixed.get(source, source), counter)

    def _single(self, name: str) -> str:
        """The number that an array of one element is made from."""
        maker = self._makers.get(name)
        while maker is not None and (
            maker.op_type == "Unsqueeze" or (maker.op_type == "Concat" and len(maker.input) == 1)
        ):
            name = maker.input[0]
            maker = self._makers.get(name)
        return name

    def array(self, name: str) -> Any:
        """The array of a value of the body that is constant; None if it is not."""
        name = self.fixed.get(self._source(name), self._source(name))
        tensor = self._own.get(name, self._outer.get(name))
        if tensor is not None:
            return onnx.numpy_helper.to_array(tensor)
        maker = self._makers.get(name)
        if maker is not None and maker.op_type == "Constant" and maker.attribute[0].name == "value":
            return onnx.numpy_helper.to_array(maker.attribute[0].t)
        return None

    def iterations(self) -> int | None:
        """How often the loop runs; None if conditions on counters do not say it."""
        most, go = self._node.input[:2]
        limit = self._number(most) if most else math.inf
        starts = self._number(go) if go else 1
        last = self._last(self.body.output[0].name)
        if limit is None or starts is None or last is None:
            return None
        count = max(0, min(limit, last + 1)) if starts else 0
        return None if count == math.inf else int(count)

    def _last(self, name: str) -> float | None:
        """The first iteration in which a condition is false; None if it is unknown."""
        source = self._source(name)
        if source not in self._last_of:
            self._last_of[source] = None  # for a graph with a cycle
            self._last_of[source] = self._computed_last(source)
        return self._last_of[source]

    def _computed_last(self, source: str) -> float | None:
        known = self._number(source)
        if source == self.body.input[1].name or known is not None:
            return 0 if known is not None and not known else math.inf
        maker = self._makers.get(source)
        if maker is not None and maker.op_type == "And":
            sides = [self._last(each) for each in maker.input]
            return None if None in sides else min(each for each in sides if each is not None)
        if maker is None or maker.op_type not in _COMPARED:
            return None
        order, more = _COMPARED[maker.op_type]
        small, large = maker.input[::order]
        counter, bound = self.counter(small), self._number(large)
        if counter is None:
            falling, low = self.counter(large), self._number(small)
            counter = None if falling is None else Counter(-falling.start, -falling.step)
            bound = None if low is None else -low
        if counter is None or bound is None or counter.step < 1 or math.isnan(bound):
            return None
        if math.isinf(bound):
            return max(0, bound)
        last = (bound - counter.start) / counter.step
        return max(0, math.floor(last) + 1 if more else math.ceil(last))

    def _number(self, name: str) -> float | None:
        """The value of a constant of one element; None for other values."""
        array = self.array(self._source(name, *_EXACT))
        if array is None or array.size != 1 or array.dtype.kind not in "iubf":
            return None
        return array.item()

    def _whole(self, name: str) -> int | None:
        """The value of a constant that is one whole number; None for other values."""
        number = self._sums.get(name, self._number(name))
        return None if number is None or not float(number).is_integer() else int(number)

    def _source(self, name: str, *casts: int) -> str:
        """The value that Identity nodes, and casts to some types, pass on."""
        for _ in self.body.node:  # a graph with a cycle ends too
            maker = self._makers.get(name)
            if maker is None or not _passes_on(maker, casts):
                break
            name = maker.input[0]
        return name

    def _line(self, name: str) -> tuple[str, int, int]:
        """The value from which another one is computed, its sign, and the number that is added."""
        sign, added = 1, 0
        for _ in self.body.node:
            maker = self._makers.get(name)
            if maker is None:
                break
            operator = maker.op_type
            if operator in ("Add", "Sub"):
                first, second = maker.input
                number, other = self._whole(first), self._whole(second)
                if other is not None:
                    name, added = first, added + sign * (other if operator == "Add" else -other)
                elif number is not None:
                    name, added = second, added + sign * number
                    sign = sign if operator == "Add" else -sign
                else:
                    break
            elif _passes_on(maker, _EXACT):
                name = maker.input[0]
            else:
                break
        return name, sign, added


def _axis(node: Any) -> int:
    return value_in(attributes_of(node), "axis", 0)


def _passes_on(node: Any, casts: Sequence[int]) -> bool:
    """Whether a node passes its input on, or casts it to one of some types."""
    if node.op_type == "Cast":
        return attributes_of(node)["to"].i in casts
    return node.op_type == "Identity"


def is_all(count: int, rows: int) -> bool:
    """Whether as many steps read all rows; conditions compare the numbers as float32."""
    return np.float32(count) == np.float32(rows)
