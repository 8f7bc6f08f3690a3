"""Cells that TensorFlow 1 wrote as ordinary ops: BasicLSTMCell, LSTMCell and GRUCell.

They are steps of loops, of either kind: frames of Enter and Exit, or functions of While. What they
compute is LSTMBlockCell, without peepholes and clip, and GRUBlockCell, and so are their weights:

    i, j, f, o = split([x, h] w + b)    c' = c * sigmoid(f + forget_bias) + sigmoid(i) * tanh(j)
    h' = tanh(c') * sigmoid(o)

    r, u = split(sigmoid([x, h] w_ru + b_ru))    h' = u * h + (1 - u) * tanh([x, r * h] w_c + b_c)

A cell is one only if all its ops are just these: with peepholes, a clip or another activation it is
none. Sums and products are in either order.

Source: tensorflow/python/ops/rnn_cell_impl.py of TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rnn_compiler.model_import.layer import Layer, checked
from rnn_compiler.model_import.tensorflow_constants import Constants
from rnn_compiler.model_import.tensorflow_graph import (
    Scope,
    Value,
    attributes_of,
    data_inputs,
    layer_name,
)
from rnn_compiler.schema.dtypes import FLOAT_DTYPES

__all__ = ["cells_of"]

_HOLDING = {"MatMul", "ConcatV2", "Split", "Sigmoid", "Tanh", "Mul"}
"""The ops that every cell has."""

_SUMS = ("Add", "AddV2")
_NOTE = (
    "a cell of ordinary ops, one step per call: {states} of the previous step, zeros at first; the "
    "model's loop decides about lengths and directions"
)


class _NoCellError(Exception):
    """A value that no cell makes."""


def cells_of(constants: Constants) -> Iterator[tuple[Scope, Layer]]:
    """The cells of a graph, each with the scope that it is in.

    Args:
        constants: The graph, and what is known of its weights.

    Raises:
        ArtifactError: The graph is damaged.
    """
    for scope in constants.graph.scopes(_HOLDING, every=True):
        cells = _Cells(constants)
        for node in scope.body.nodes.values():
            read = {"Mul": cells.lstm, **dict.fromkeys(_SUMS, cells.gru)}.get(node.op)
            try:
                if read is not None:
                    yield scope, read(Value(scope, node.name))
            except _NoCellError:
                continue


class _Cells:
    """Reads cells backwards from the state that they make."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._graph = constants.graph

    def lstm(self, value: Value) -> Layer:
        """The LSTM cell that makes a value, which is its h."""
        state, o = self._activated(value, "Mul", "Tanh", "Sigmoid")
        kept, new = self._sides(state, *_SUMS)
        if "Tanh" not in map(self._op, self._inputs(new, "Mul")):
            kept, new = new, kept
        i, j = self._activated(new, "Mul", "Sigmoid", "Tanh")
        forgotten = [each for each in self._inputs(kept, "Mul") if self._op(each) == "Sigmoid"]
        f, forget_bias = self._biased(
            self._inputs(forgotten[-1], "Sigmoid")[0] if forgotten else kept
        )
        split = self._split([i, j, f, o])
        _, _, w, b, name = self._product(self._inputs(split, "Split")[1])
        units = w.shape[1] // 4
        peepholes = dict.fromkeys(("wci", "wcf", "wco"), np.zeros(units, w.dtype))
        attributes = {"forget_bias": forget_bias, "cell_clip": -1.0, "use_peephole": False}
        weights = {"w": w, **peepholes, "b": b}
        return self._layer(value.scope, name, "LSTMBlockCell", attributes, weights, units)

    def gru(self, value: Value) -> Layer:
        """The GRU cell that makes a value, which is its h."""
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
        """The layer of a cell, whose product is a node of some name."""
        first = next(iter(weights.values()))
        input_size: int = first.shape[0] - units
        dims = {"batch_size": None, "input_size": input_size, "num_units": units}
        if units < 1 or input_size < 1 or first.dtype.name not in FLOAT_DTYPES:
            raise _NoCellError
        taken = {key: self._constants.whole(array) for key, array in weights.items()}
        path = (*scope.path, name.rpartition("/")[0])
        states = "cs_prev and h_prev are those" if op == "LSTMBlockCell" else "h_prev is that"
        notes = [_NOTE.format(states=states)]
        if not scope.is_reached:
            notes.append(f"it is in {scope.path[0]}, a function that no signature calls")
        full_name = layer_name([part for part in path if part]) or op
        made = Layer(full_name, op, attributes, dims, first.dtype.name, taken, tuple(notes))
        return checked(made, self._graph.path)

    def _source(self, value: Value) -> Value:
        return self._graph.source(value)

    def _op(self, value: Value) -> str:
        """The op that makes a value; empty for an argument."""
        node = self._graph.node(self._source(value))
        return "" if node is None else node.op

    def _inputs(self, value: Value, *ops: str) -> list[Value]:
        """What the op reads that makes a value, and is one of these."""
        source = self._source(value)
        node = self._graph.node(source)
        if node is None or node.op not in ops:
            raise _NoCellError
        inputs = [self._graph.value(source.scope, text) for text in data_inputs(node)]
        if len(inputs) < {"Sigmoid": 1, "Tanh": 1, "ConcatV2": 3}.get(node.op, 2):
            raise _NoCellError
        return inputs

    def _sides(self, value: Value, *ops: str) -> tuple[Value, Value]:
        """The two inputs of a sum or product."""
        inputs = self._inputs(value, *ops)
        return inputs[0], inputs[1]

    def _activated(
        self, value: Value, op: str, first: str, second: str, whole: bool = False
    ) -> tuple[Value, Value]:
        """What two ops read, or make, whose results are combined, in either order."""
        sides = self._sides(value, op)
        for a, b in (sides, sides[::-1]):
            if (self._op(a), self._op(b)) == (first, second):
                return (a, b) if whole else (self._inputs(a, first)[0], self._inputs(b, second)[0])
        raise _NoCellError

    def _biased(self, value: Value) -> tuple[Value, float]:
        """A value, and the number that is added to it."""
        if self._op(value) not in _SUMS:
            return value, 0.0
        sides = self._sides(value, *_SUMS)
        for gate, bias in (sides, sides[::-1]):
            number = self._constants.array(bias)
            if number is not None and number.ndim == 0:
                return gate, float(number)
        raise _NoCellError

    def _parts(self, product: Value, number: int) -> list[Value]:
        """The factors of a product that are that part of a split."""
        found = [self._source(each) for each in self._inputs(product, "Mul")]
        found = [each for each in found if self._op(each) == "Split" and each.number == number]
        if not found:
            raise _NoCellError
        return found

    def _other(self, product: Value, factor: Value) -> Value:
        """The other factor of a product."""
        sides = self._sides(product, "Mul")
        for a, b in (sides, sides[::-1]):
            if self._source(a) == self._source(factor):
                return b
        raise _NoCellError

    def _split(self, parts: list[Value]) -> Value:
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

    def _product(self, value: Value) -> tuple[Value, Value, Any, Any, str]:
        """Of [x, h] w + b: x, h, w, b, and the name of the product."""
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

    def _is(self, value: Value, number: float) -> bool:
        """Whether a value is a constant number."""
        array = self._constants.array(value)
        return array is not None and array.ndim == 0 and array == number
