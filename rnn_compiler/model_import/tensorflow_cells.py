"""Cells that TensorFlow 1 wrote as ordinary ops: BasicLSTMCell, LSTMCell and GRUCell.

They are steps of loops of either kind: frames of Enter and Exit, or functions of While. They
compute the same as LSTMBlockCell and GRUBlockCell, with the same weights:

    i, j, f, o = split([x, h] w + b)
    c' = clip(c * sigmoid(f + forget_bias + wcf * c) + sigmoid(i + wci * c) * tanh(j))
    h' = tanh(c') * sigmoid(o + wco * c')

    r, u = split(sigmoid([x, h] w_ru + b_ru))    h' = u * h + (1 - u) * tanh([x, r * h] w_c + b_c)

Peepholes and the clip may be missing. The operands of sums and products may be in either order.
A cell with the output gate of an LSTM but other ops, such as a projection, is refused; ops that
do not form a cell are ignored.

Source: tensorflow/python/ops/rnn_cell_impl.py of TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.model_import.layer import Layer, RefusedLayer, checked
from rnn_compiler.model_import.tensorflow_graph import (
    Constants,
    GraphValue,
    Scope,
    attributes_of,
    data_inputs,
    layer_name,
)
from rnn_compiler.schema.dtypes import FLOAT_DTYPES

_HOLDING = {"MatMul", "ConcatV2", "Split", "Sigmoid", "Mul"}
"""The ops that every cell has."""

_SUMS = ("Add", "AddV2")
_ACTIVATIONS = ("Tanh", "Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softsign", "Softplus")
_O = 3
"""The position of the output gate in the product."""

_MOST_TERMS = 16
"""The most terms of a sum; gates have fewer."""

_REFUSED = "which LSTMBlockCell does not compute"
_NOTE = (
    "a cell of ordinary ops, one step per call: {states} of the previous step, zeros at first; the "
    "model's loop decides about lengths and directions"
)


class _NoCellError(Exception):
    """A value that is not the result of a cell."""


class _GateArgument(NamedTuple):
    """The argument of a gate's sigmoid.

    Attributes:
        part: Its part of the product.
        bias: The number added to it.
        peephole: The weights of its peephole; None if it has none.
        state: The state multiplied by them.
    """

    part: GraphValue
    bias: float
    peephole: Any
    state: GraphValue | None


def cells_of(constants: Constants) -> Iterator[tuple[Scope, Layer | RefusedLayer]]:
    """The cells of a graph, each with its scope."""
    for scope in constants.graph.scopes(_HOLDING, every=True):
        cells = _Cells(constants)
        for node in scope.body.nodes.values():
            read = {"Mul": cells.lstm, **dict.fromkeys(_SUMS, cells.gru)}.get(node.op)
            try:
                if read is not None:
                    yield scope, read(GraphValue(scope, node.name))
            except _NoCellError:
                continue


def _folder(name: str) -> str:
    """The path of a node in the graph."""
    return name.rpartition("/")[0]


class _Cells:
    """Reads the cells of a scope backwards from the state that they compute."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._graph = constants.graph
        self._matrices: dict[tuple[GraphValue, str], list[GraphValue]] | None = None

    def lstm(self, value: GraphValue) -> Layer | RefusedLayer:
        """The LSTM cell whose h is a value: the output gate times the state."""
        sides = self._sides(value, "Mul")
        for state, gate in (sides, sides[::-1]):
            if self._op(gate) == "Sigmoid" and self._op(state) in _ACTIVATIONS:
                o = self._gate(gate)
                if o.part.number == _O:
                    break
        else:
            raise _NoCellError
        gates = self._inputs(o.part, "Split")
        *_, w, b, name = self._product(gates[-1])
        try:
            return self._lstm(value, state, o, w, b, name)
        except _NoCellError as error:
            reason = str(error) or "other ops than TensorFlow's cells"
            return RefusedLayer(self._name(value.scope, name) or name, reason, _REFUSED)

    def _lstm(
        self, value: GraphValue, activated: GraphValue, o: _GateArgument, w: Any, b: Any, name: str
    ) -> Layer:
        """The cell of an output gate."""
        units = w.shape[1] // 4
        if self._is_projected(value, units, name):
            raise _NoCellError("a projection of h")
        if self._op(activated) != "Tanh":
            raise _NoCellError(f"the activation {self._op(activated)}")
        (state,) = self._inputs(activated, "Tanh")
        unclipped, cell_clip = self._unclipped(state)
        kept, new = self._sides(unclipped, *_SUMS)
        if "Tanh" not in map(self._op, self._inputs(new, "Mul")):
            kept, new = new, kept
        sigmoid, tanh = self._activated(new, "Mul", "Sigmoid", "Tanh", whole=True)
        i, (j,) = self._gate(sigmoid), self._inputs(tanh, "Tanh")
        forgotten = [each for each in self._inputs(kept, "Mul") if self._op(each) == "Sigmoid"]
        if not forgotten:
            raise _NoCellError
        f = self._gate(forgotten[-1])
        before = self._other(kept, forgotten[-1])
        self._split([i.part, j, f.part, o.part])
        used = {each.peephole is not None for each in (i, f, o)}
        seen = [(i.state, before), (f.state, before), (o.state, state)]
        if len(used) > 1 or i.bias or o.bias:
            raise _NoCellError
        if used == {True} and any(a is None or self._source(a) != self._source(c) for a, c in seen):
            raise _NoCellError("peepholes of other states")
        zeros = np.zeros(units, w.dtype)
        peepholes = {
            name: zeros if gate.peephole is None else gate.peephole
            for name, gate in (("wci", i), ("wcf", f), ("wco", o))
        }
        attributes = {
            "forget_bias": f.bias,
            "cell_clip": cell_clip,
            "use_peephole": used == {True},
        }
        weights = {"w": w, **peepholes, "b": b}
        return self._layer(value.scope, name, "LSTMBlockCell", attributes, weights, units)

    def _gate(self, sigmoid: GraphValue) -> _GateArgument:
        """A gate, from its sigmoid's argument: a part of the product, bias and peephole."""
        part, bias, peephole, seen = None, 0.0, None, None
        waiting = self._inputs(sigmoid, "Sigmoid")[:1]
        for _ in range(_MOST_TERMS):
            if not waiting:
                break
            term = waiting.pop()
            op = self._op(term)
            number = self._constants.array(term)
            if op in _SUMS:
                waiting += self._sides(term, *_SUMS)
            elif number is not None and number.ndim == 0:
                bias += float(number)
            elif op == "Mul" and peephole is None:
                peephole, seen = self._peephole(term)
            elif op == "Split" and part is None:
                part = self._source(term)
            else:
                raise _NoCellError
        if part is None or waiting:
            raise _NoCellError
        return _GateArgument(part, bias, peephole, seen)

    def _peephole(self, term: GraphValue) -> tuple[Any, GraphValue]:
        """The weights of a peephole, and its state."""
        sides = self._sides(term, "Mul")
        for weights, state in (sides, sides[::-1]):
            array = self._constants.array(weights)
            if array is not None and array.ndim == 1:
                return array, state
        raise _NoCellError

    def _unclipped(self, state: GraphValue) -> tuple[GraphValue, float]:
        """A state before it is clipped, and the bound; -1 if it is not clipped."""
        if self._op(state) != "Maximum":
            return state, -1.0
        smaller, low = self._and_number(state, "Maximum")
        unclipped, high = self._and_number(smaller, "Minimum")
        if high <= 0 or low != -high:
            raise _NoCellError(f"a clip to {low:g}..{high:g}")
        return unclipped, high

    def _and_number(self, value: GraphValue, op: str) -> tuple[GraphValue, float]:
        """The operands of an op: a value, and a constant number."""
        sides = self._sides(value, op)
        for other, constant in (sides, sides[::-1]):
            number = self._constants.array(constant)
            if number is not None and number.ndim == 0:
                return other, float(number)
        raise _NoCellError

    def _is_projected(self, h: GraphValue, units: int, name: str) -> bool:
        """Whether h is multiplied by a matrix in the cell of a product with that name."""
        matrices = self._factors(h.scope).get((self._source(h), _folder(name)), ())
        arrays = map(self._constants.array, matrices)
        return any(array is not None and array.shape[:1] == (units,) for array in arrays)

    def _factors(self, scope: Scope) -> dict[tuple[GraphValue, str], list[GraphValue]]:
        """The matrices that values are multiplied by, by value and path in the graph."""
        if self._matrices is None:
            self._matrices = {}
            for node in scope.body.nodes.values():
                if node.op == "MatMul" and len(data_inputs(node)) == 2:
                    made, matrix = self._inputs(GraphValue(scope, node.name), "MatMul")
                    key = (self._source(made), _folder(node.name))
                    self._matrices.setdefault(key, []).append(matrix)
        return self._matrices

    def gru(self, value: GraphValue) -> Layer:
        """The GRU cell whose h is a value."""
        kept, new = self._sides(value, *_SUMS)
        if "Tanh" not in map(self._op, self._inputs(new, "Mul")):
            kept, new = new, kept
        rest, candidate = self._activated(new, "Mul", "Sub", "Tanh", whole=True)
        one, u = self._inputs(rest, "Sub")
        x, reset, w_c, b_c, name = self._product(self._inputs(candidate, "Tanh")[0])
        r = next(iter(self._parts(reset, 0)))
        split = self._split([r, u])
        h = self._other(reset, r)
        gates = self._inputs(self._inputs(split, "Split")[1], "Sigmoid")[0]
        x_gates, h_gates, w_ru, b_ru, _ = self._product(gates)
        same = [(x, x_gates), (h, h_gates), (self._other(kept, u), h)]
        if not self._is(one, 1.0) or any(self._source(a) != self._source(b) for a, b in same):
            raise _NoCellError
        weights = {"w_ru": w_ru, "w_c": w_c, "b_ru": b_ru, "b_c": b_c}
        return self._layer(value.scope, name, "GRUBlockCell", {}, weights, w_c.shape[1])

    def _layer(
        self,
        scope: Scope,
        name: str,
        op: str,
        attributes: dict[str, Any],
        weights: dict[str, Any],
        units: int,
    ) -> Layer:
        """The layer of a cell, given the name of its product."""
        first = next(iter(weights.values()))
        input_size: int = first.shape[0] - units
        dims = {"batch_size": None, "input_size": input_size, "num_units": units}
        if units < 1 or input_size < 1 or first.dtype.name not in FLOAT_DTYPES:
            raise _NoCellError
        taken = {key: self._constants.whole(array) for key, array in weights.items()}
        states = "cs_prev and h_prev are those" if op == "LSTMBlockCell" else "h_prev is that"
        notes = [_NOTE.format(states=states)]
        if not scope.is_reached:
            notes.append(f"it is in {scope.path[0]}, a function that no signature calls")
        full_name = self._name(scope, name) or op
        made = Layer(full_name, op, attributes, dims, first.dtype.name, taken, tuple(notes))
        return checked(made, self._graph.path)

    def _name(self, scope: Scope, name: str) -> str:
        """The name of a cell, given the name of its product."""
        return layer_name([part for part in (*scope.path, _folder(name)) if part])

    def _source(self, value: GraphValue) -> GraphValue:
        return self._graph.source(value)

    def _op(self, value: GraphValue) -> str:
        """The op that computes a value; empty for an argument."""
        node = self._graph.node(self._source(value))
        return "" if node is None else node.op

    def _inputs(self, value: GraphValue, *ops: str) -> list[GraphValue]:
        """The inputs of the op that computes a value, if it is one of these."""
        source = self._source(value)
        node = self._graph.node(source)
        if node is None or node.op not in ops:
            raise _NoCellError
        inputs = [self._graph.value(source.scope, text) for text in data_inputs(node)]
        if len(inputs) < {"Sigmoid": 1, "Tanh": 1, "ConcatV2": 3}.get(node.op, 2):
            raise _NoCellError
        return inputs

    def _sides(self, value: GraphValue, *ops: str) -> tuple[GraphValue, GraphValue]:
        """The two inputs of a sum or product."""
        inputs = self._inputs(value, *ops)
        return inputs[0], inputs[1]

    def _activated(
        self, value: GraphValue, op: str, first: str, second: str, whole: bool = False
    ) -> tuple[GraphValue, GraphValue]:
        """The operands, or results, of two ops whose results are combined, in either order."""
        sides = self._sides(value, op)
        for a, b in (sides, sides[::-1]):
            if (self._op(a), self._op(b)) == (first, second):
                return (a, b) if whole else (self._inputs(a, first)[0], self._inputs(b, second)[0])
        raise _NoCellError

    def _parts(self, product: GraphValue, number: int) -> list[GraphValue]:
        """The factors of a product that are a certain part of a split."""
        found = [self._source(each) for each in self._inputs(product, "Mul")]
        found = [each for each in found if self._op(each) == "Split" and each.number == number]
        if not found:
            raise _NoCellError
        return found

    def _other(self, product: GraphValue, factor: GraphValue) -> GraphValue:
        """The other factor of a product."""
        sides = self._sides(product, "Mul")
        for a, b in (sides, sides[::-1]):
            if self._source(a) == self._source(factor):
                return b
        raise _NoCellError

    def _split(self, parts: list[GraphValue]) -> GraphValue:
        """The split along the last axis whose parts these are, in order."""
        sources = [self._source(each) for each in parts]
        first = sources[0]
        for number, each in enumerate(sources):
            if (each.scope, each.name, each.number) != (first.scope, first.name, number):
                raise _NoCellError
        node = self._graph.node(first)
        axis = self._inputs(first, "Split")[0]
        if not (self._is(axis, 1) or self._is(axis, -1)):
            raise _NoCellError
        if attributes_of(node)["num_split"].i != len(parts):
            raise _NoCellError
        return first

    def _product(self, value: GraphValue) -> tuple[GraphValue, GraphValue, Any, Any, str]:
        """The parts of [x, h] w + b: x, h, w, b, and the name of the product."""
        product, bias = self._sides(value, "BiasAdd", *_SUMS)
        if self._op(product) != "MatMul":
            product, bias = bias, product
        both, matrix = self._sides(product, "MatMul")
        node = self._graph.node(self._source(product))
        attributes = attributes_of(node)
        x, h, *axes = self._inputs(both, "ConcatV2")
        w, b = self._constants.array(matrix), self._constants.array(bias)
        turned = any(attributes[n].b for n in ("transpose_a", "transpose_b") if n in attributes)
        along = len(axes) == 1 and (self._is(axes[0], 1) or self._is(axes[0], -1))
        if turned or not along or w is None or b is None or w.ndim != 2 or b.shape != w.shape[1:]:
            raise _NoCellError
        return x, h, w, b, node.name

    def _is(self, value: GraphValue, number: float) -> bool:
        """Whether a value is a constant number."""
        array = self._constants.array(value)
        return array is not None and array.ndim == 0 and array == number
