"""Replaces loops that compute recurrent layers if their weights are trained, and so no constants.

The layers are found in copies of the graph whose weights are random numbers, each different from
all others. So the numbers in the layers' weights say where they come from: each is a number of a
trained weight, or its negative, or for biases the sum of two, and a constant, which stays if the
random numbers change their signs. The nodes that are written gather them from there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.network_import.graph import Graph, onnx, read_by
from rnn_compiler.network_import.graph.written_out import found_layers

_STEPS = 1 << 21
"""Random numbers are multiples of 1 / 2**21 below 1, so that float32 has their sums."""

_INEXACT = 0.25
"""By how much of 1 / 2**21 a number may differ, because formulas round."""

_MOST_ROUNDS = 100

_MOST_PAIRS = 1 << 13
"""The most numbers of weights of which pairs are tried."""


def replace_trained_loops(graph: Graph, fold_once: Callable[[Graph], bool]) -> bool:
    """Replaces loops that compute recurrent layers; returns whether there were any."""
    if not graph.trained or not any(n.op_type in ("Loop", "Scan") for n in graph.proto.node):
        return False
    weights = _weights_of_loops(graph)
    if not 0 < sum(array.size for array in weights.values()) < _STEPS:
        return False
    draw = _Draw.of(weights, 0)
    draws = [draw, draw.negated(), _Draw.of(weights, 1)]
    found = [found_layers(_with_numbers(graph, each, fold_once)) for each in draws]

    def replaced(node: Any) -> list[Any] | None:
        if not all(node.name in each for each in found):
            return None
        constants = [each[node.name][1] for each in found]
        made = _Sources(graph, weights, draw, draws[-1]).nodes([*zip(*constants, strict=True)])
        return None if made is None else [*made, *found[0][node.name][0]]

    return graph.replace_nodes(replaced)


def _weights_of_loops(graph: Graph) -> dict[str, Any]:
    """The trained weights from which alone something is computed that a loop reads."""
    known = {*graph.trained, *graph.constants(), ""}
    sources: dict[str, set[str]] = {name: {name} for name in graph.trained}
    used: set[str] = set()
    for node in graph.proto.node:
        read = {*read_by(node)}
        of_inputs = {name for each in read for name in sources.get(each, ())}
        if node.op_type in ("Loop", "Scan"):
            used |= of_inputs
        elif read <= known:
            known.update(node.output)
            sources |= dict.fromkeys(node.output, of_inputs)
    return {name: array for name, array in graph.trained.items() if name in used and array.size}


class _Draw(NamedTuple):
    """Random numbers for weights.

    Attributes:
        arrays: The numbers of each weight, by name.
        sizes: The absolute values of all times 2**21, in ascending order.
        places: Where these are, one weight after the other.
        numbers: All numbers times 2**21.
    """

    arrays: Mapping[str, Any]
    sizes: Any
    places: Any
    numbers: Any

    @staticmethod
    def of(weights: Mapping[str, Any], seed: int) -> _Draw:
        """Numbers for weights."""
        random = np.random.default_rng(seed)
        count = sum(array.size for array in weights.values())
        sizes: Any = random.choice(_STEPS - 1, count, replace=False) + 1.0
        numbers = sizes * random.choice([-1.0, 1.0], count)
        ends = np.cumsum([array.size for array in weights.values()])
        parts: list[Any] = np.split(numbers, ends[:-1])
        arrays: dict[str, Any] = {
            name: (part / _STEPS).reshape(array.shape).astype(array.dtype)
            for (name, array), part in zip(weights.items(), parts, strict=True)
        }
        places: Any = np.argsort(sizes)
        return _Draw(arrays, sizes[places], places, numbers)

    def negated(self) -> _Draw:
        """The numbers with other signs."""
        return self._replace(
            arrays={name: -array for name, array in self.arrays.items()}, numbers=-self.numbers
        )

    def find(self, wanted: Any) -> tuple[Any, Any]:
        """Where numbers are, or their negatives, and the signs; 0 as the sign of those that differ.

        A place may be any for these.
        """
        at = np.minimum(self.sizes.searchsorted(np.abs(wanted)), len(self.sizes) - 1)
        places = self.places[at]
        signs = np.sign(self.numbers[places]) * np.sign(wanted)
        return places, np.where(self.sizes[at] == np.abs(wanted), signs, 0)


def _with_numbers(graph: Graph, draw: _Draw, fold_once: Callable[[Graph], bool]) -> Graph:
    """A copy of a graph with numbers for weights, and for all that is computed from them alone."""
    model = onnx.ModelProto()
    model.CopyFrom(graph.model)
    copy = Graph(model, graph.path, largest=graph.largest)
    copy.is_open, copy.held = graph.is_open, graph.held
    kept = [each for each in copy.proto.input if each.name not in draw.arrays]
    del copy.proto.input[:]
    copy.proto.input.extend(kept)
    copy.proto.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in draw.arrays.items()
    )
    copy.elements_left = graph.elements_left + copy.size
    for _ in range(_MOST_ROUNDS):
        copy.infer_shapes()
        if not fold_once(copy):
            break
    return copy


class _Sources:
    """Finds and gathers the numbers of a loop's layers in trained weights."""

    def __init__(self, graph: Graph, weights: Mapping[str, Any], draw: _Draw, other: _Draw) -> None:
        self._graph, self._weights = graph, weights
        self._draw, self._other = draw, other
        self._ends: Any = np.cumsum([0, *(each.size for each in weights.values())])
        self._made: list[Any] = []

    def nodes(self, constants: Sequence[Sequence[Any]]) -> list[Any] | None:
        """The nodes for constants, of which each is given for the draw, its negative, and another.

        None if one of them is not made of weights.
        """
        same: list[Any] = []
        for tensors in constants:
            arrays = [onnx.numpy_helper.to_array(each) for each in tensors]
            if len({array.shape for array in arrays}) > 1:
                return None
            if all(np.array_equal(arrays[0], array) for array in arrays[1:]):
                same.append(tensors[0])
                continue
            one, negative, other = (array.astype(np.float64) * _STEPS for array in arrays)
            rest = (one + negative) / 2
            exact = [one - rest, other - rest]
            wide = [np.rint(each) for each in exact]
            if any(np.max(abs(a - b)) > _INEXACT for a, b in zip(exact, wide, strict=True)):
                return None
            terms = self._choice(wide) or self._sums(wide)
            if terms is None:
                return None
            self._gather(tensors[0].name, arrays[0].dtype, terms, rest / _STEPS)
        self._graph.proto.initializer.extend(same)
        return self._made

    def _choice(self, arrays: Sequence[Any]) -> list[tuple[Any, Any]] | None:
        """The places and signs of numbers; None if one is no single number of a weight."""
        places, signs = self._draw.find(arrays[0])
        right = signs * self._other.numbers[places] == arrays[1]
        is_zero = (arrays[0] == 0) & (arrays[1] == 0)
        return [(places, signs)] if np.all(right | is_zero) else None

    def _sums(self, arrays: Sequence[Any]) -> list[tuple[Any, Any]] | None:
        """The places and signs of both terms of sums; single numbers have a second one of 0."""
        draw, other = self._draw, self._other
        spans = itertools.pairwise(self._ends)
        biases: list[Any] = [np.arange(a, b) for a, b in spans if b - a <= _MOST_PAIRS]
        chosen: Any = np.concatenate([*biases, np.zeros(0, np.int64)]).astype(np.int64)
        if not 0 < len(chosen) <= _MOST_PAIRS:
            return None
        places: Any = np.zeros((2, arrays[0].size), np.int64)
        signs: Any = np.zeros((2, arrays[0].size))
        for k, (wanted, second) in enumerate(zip(*(a.ravel() for a in arrays), strict=True)):
            place, sign = draw.find(wanted)
            if (wanted, second) == (0, 0):
                continue
            if sign and sign * other.numbers[place] == second:
                places[0, k], signs[0, k] = place, sign
                continue
            for first_sign in (1, -1):
                rest, rest_signs = draw.find(wanted - first_sign * draw.numbers[chosen])
                sums = first_sign * other.numbers[chosen] + rest_signs * other.numbers[rest]
                hits = np.flatnonzero((rest_signs != 0) & (sums == second))
                if hits.size:
                    places[:, k] = chosen[hits[0]], rest[hits[0]]
                    signs[:, k] = first_sign, rest_signs[hits[0]]
                    break
            else:
                return None
        shape = arrays[0].shape
        return [(p.reshape(shape), s.reshape(shape)) for p, s in zip(places, signs, strict=True)]

    def _gather(self, name: str, dtype: Any, terms: Sequence[tuple[Any, Any]], rest: Any) -> None:
        """Adds the nodes that sum chosen numbers of weights, and a constant."""
        parts = [
            self._chosen(f"{name}.{k}", dtype, places, signs)
            for k, (places, signs) in enumerate(terms)
            if np.any(signs)
        ]
        if np.any(rest):
            parts.append(self._constant(name, rest.astype(dtype)))
        operator = "Sum" if len(parts) > 1 else "Identity"
        self._made.append(onnx.helper.make_node(operator, parts, [name], name))

    def _chosen(self, name: str, dtype: Any, places: Any, signs: Any) -> str:
        """Numbers of weights times signs, 0 where these are 0."""
        ends = self._ends
        owners = ends.searchsorted(places, side="right") - 1
        used: set[int] = {*owners[signs != 0].tolist()}
        names, moved, start = [*self._weights], np.zeros(len(ends), np.int64), 0
        flat: list[str] = []
        for k in sorted(used):
            flat.append(self._add(name, "Reshape", [names[k], self._constant(name, [-1])]))
            moved[k] = start - ends[k]
            start += ends[k + 1] - ends[k]
        indices: Any = np.where(signs != 0, places + moved[owners], start)
        if np.any(signs == 0):
            flat.append(self._constant(name, np.zeros(1, dtype)))
        joined = self._add(name, "Concat", flat, axis=0)
        made = self._add(name, "Gather", [joined, self._constant(name, indices)], axis=0)
        if np.any(signs < 0):
            factors = self._constant(name, np.where(signs < 0, -1, 1).astype(dtype))
            made = self._add(name, "Mul", [made, factors])
        return made

    def _add(self, name: str, operator: str, inputs: Sequence[str], **rest: Any) -> str:
        made = f"{name}/{operator}{len(self._made)}"
        self._made.append(onnx.helper.make_node(operator, inputs, [made], made, **rest))
        return made

    def _constant(self, name: str, array: Any) -> str:
        constants = self._graph.proto.initializer
        made = f"{name}/constant{len(constants)}"
        constants.append(onnx.numpy_helper.from_array(np.asarray(array), made))
        return made
