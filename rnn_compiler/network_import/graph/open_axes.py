"""Axes of inputs whose sizes stay open: known when the network is called, not when it is imported.

A graph is folded at several sizes of its open axes. The results must have the same nodes. Shapes
and constants may differ if they are polynomials of the axes. These are fitted at some sizes
and checked at the others, one of which is huge: beyond the bounds of slices and conditions.
So a graph's computations with the sizes of its inputs disappear here too; what remains are a
few vectors of sizes for operators that need them, and the nodes that compute other arrays from
sizes, such as the numbers of steps.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.network_import.graph import Graph, onnx, shape_of, subgraphs
from rnn_compiler.network_import.graph.axes import OpenAxis, blocking, shown
from rnn_compiler.network_import.graph.checks import check_known_sizes, unknown_result
from rnn_compiler.network_import.graph.computed_sizes import use_computed_sizes
from rnn_compiler.network_import.graph.equal_axes import check_equal_sizes, joined_axes
from rnn_compiler.network_import.graph.folding import PositionsBeyondError, fold, fold_constants
from rnn_compiler.network_import.graph.gathered_rows import join_gathered_rows
from rnn_compiler.network_import.graph.loops import results_of_open_lengths
from rnn_compiler.network_import.graph.recurrent_sizes import check_recurrent_sizes
from rnn_compiler.network_import.graph.scans import check_scans, set_types_of_scans
from rnn_compiler.network_import.graph.sliced_tables import limit
from rnn_compiler.schema.open_sizes import Size, bound, names_in, open_dimension, product

_TYPICAL = (67, 71, 73, 79, 83, 89)
"""Sizes of the open axes, all different to tell the axes apart."""

_OTHERS = (96, 131, 1031)
"""Sizes that one axis has while the others have typical ones."""

_HUGE = (1 << 30) + 3
"""A size beyond the bounds that a graph may compare sizes to."""

_LARGEST = 1 << 24
"""The most elements of a constant at such sizes."""

_MOST_AMOUNTS = 32
"""The most numbers of a constant that may be sizes or amounts of an operator."""


class Opened(NamedTuple):
    """The shapes of a graph with open axes, in terms of their keys.

    Attributes:
        shapes: The shapes of its inputs and outputs by name.
        minima: The least size of each axis.
        maxima: The largest size of each axis that a table limits.
        values: The shapes of all its values, with None for unknown sizes.
        axes: Its open axes, of which none must be equal.
    """

    shapes: Mapping[str, Sequence[Size]]
    minima: Mapping[str, int]
    maxima: Mapping[str, int]
    values: Mapping[str, Sequence[Size | None]]
    axes: Sequence[OpenAxis]


def leave_open(graph: Graph, axes: Sequence[OpenAxis]) -> Opened:
    """Folds a graph whose inputs have open axes."""
    fold_constants(graph)
    family, axes = _joined(graph, axes)
    held = family.positions()
    if held:
        family = _Family(graph, axes, family.held | held, family.axes_of(held))
    held = family.conditions()
    if held:
        family = _Family(graph, axes, family.held | held, family.uneven)
    base = family.graphs[0]
    types = family.types()
    constants = family.constants()
    check_scans(base, types)
    shapes = _known_shapes(graph, base)
    shapes |= {name: shape for name, (shape, _) in constants.items()} | types
    check_recurrent_sizes(base, shapes, axes)
    check_equal_sizes(base, shapes, axes)
    check_known_sizes(base, shapes, axes)
    minima = {axis.key: family.least(axis, types) for axis in axes}
    maxima = family.most(minima)
    graph.model, graph.origins = base.model, base.origins
    graph.replaced = base.replaced
    graph.is_open = True
    graph.__dict__.pop("proto", None)
    for each in (*graph.proto.input, *graph.proto.value_info, *graph.proto.output):
        if each.name in types:
            _set_shape(each.type, types[each.name])
    set_types_of_scans(graph)
    sources = {axis.key: axis.sources[0] for axis in axes}
    use_computed_sizes(graph, sources, types, constants)
    known: dict[str, Sequence[Size]] = {}
    for each in (*graph.proto.input, *graph.proto.output):
        sizes = types.get(each.name)
        if sizes is None or None in sizes:
            raise family.refused_result(each.name, types)
        known[each.name] = [size for size in sizes if size is not None]
    return Opened(known, minima, maxima, {**graph.shapes(), **types}, axes)


def _joined(graph: Graph, axes: Sequence[OpenAxis]) -> tuple[_Family, Sequence[OpenAxis]]:
    """A graph at several sizes of its axes, of which those are one that must be equal."""
    while True:
        family = _Family(graph, axes)
        shapes = {**_known_shapes(graph, family.graphs[0]), **family.all_types()}
        before, axes = axes, joined_axes(family.graphs[0], shapes, family.vectors(), axes)
        if len(before) == len(axes):
            return family, axes


def _known_shapes(graph: Graph, base: Graph) -> dict[str, Sequence[Size | None]]:
    """The shapes of constants, also of those that only nodes read that were replaced."""
    stored = {**graph.constants(), **base.constants()}
    return {name: [*tensor.dims] for name, tensor in stored.items()}


def _set_shape(kind: Any, sizes: Sequence[Size | None]) -> None:
    del kind.tensor_type.shape.dim[:]
    for size in sizes:
        axis = kind.tensor_type.shape.dim.add()
        if isinstance(size, int):
            axis.dim_value = size


class _Family:
    """A graph, folded at several sizes of its open axes.

    Attributes:
        points: The sizes of the axes, by key.
        graphs: The graph at each.
        shapes: The shapes of its values there, by name.
        held: The names of values that are not computed.
        uneven: Axes with which short ones of them do not grow evenly, by name.
    """

    def __init__(
        self,
        graph: Graph,
        axes: Sequence[OpenAxis],
        held: frozenset[str] = frozenset(),
        uneven: Mapping[str, OpenAxis] = MappingProxyType({}),
    ) -> None:
        self._source = graph
        self.held, self.uneven = held, uneven
        self._clipped: frozenset[str] = frozenset()
        self._lengthened: dict[str, Mapping[int, bool]] = {}
        self._axes = axes
        self._sizes: dict[tuple[int, ...], Size | None] = {}
        if len(axes) > len(_TYPICAL):
            raise UnsupportedError(
                f"import_network: 'dims': expected at most {len(_TYPICAL)} open axes, got "
                f"{len(axes)}; give the others sizes with dims={{...}}"
            )
        self._usual = {axis.key: size for axis, size in zip(axes, _TYPICAL, strict=False)}
        others = [{axis.key: size} for size in _OTHERS for axis in axes]
        pairs = itertools.combinations(axes, 2)
        others += [{one.key: 101, two.key: 103} for one, two in pairs]
        self.points = [self._usual, *({**self._usual, **other} for other in others)]
        self.graphs = list[Graph]()
        while not self.graphs:
            try:
                self._fold_at_points()
                self._find_clipped()
            except PositionsBeyondError as error:  # which calls clamp
                self.held |= error.names
                self.graphs.clear()
        self.shapes = [_shapes(graph) for graph in self.graphs]
        self._values = {name for node in self.graphs[0].proto.node for name in node.output if name}
        self._stored = [graph.constants() for graph in self.graphs]

    def _fold_at_points(self) -> None:
        """Folds the graph at each point; checks that its nodes are the same."""
        counted = (self._at(each, writes_out=False) for each in self.points)
        self.held |= results_of_open_lengths(self._source, self._axes, counted)
        for point in self.points:
            self.graphs.append(self._at(point))
            node = self._other_node(self.graphs[-1])
            if node is not None:
                self.graphs[-1].origins |= self.graphs[0].origins
                usual = self._usual
                changed = next(axis for axis in self._axes if point[axis.key] != usual[axis.key])
                raise UnsupportedError(
                    f"import_network: {self.graphs[-1].named(node)} depends on the size of an "
                    f"input, so {changed}"
                )

    def _find_clipped(self) -> None:
        """Forgets the graphs if constants, and no open sizes, end slices behind their tables."""
        found = {name for name, each in self.graphs[0].sliced.items() if each.end > each.rows}
        found = {name for name in found if isinstance(self._end(name), int)}
        if found:
            self._clipped |= found
            self.graphs.clear()

    def _end(self, name: str) -> Size | None:
        """The end of a slice of a table in terms of the axes."""
        return self._size([graph.sliced[name].end for graph in self.graphs])

    def _at(self, sizes: Mapping[str, int], *, writes_out: bool = True) -> Graph:
        model = onnx.ModelProto()
        model.CopyFrom(self._source.model)
        graph = Graph(model, self._source.path, largest=_LARGEST)
        graph.is_open, graph.held, graph.clipped = True, self.held, self._clipped
        graph.lengthened = self._lengthened
        graph.trained, graph.origins = self._source.trained, {**self._source.origins}
        graph.clips = self._source.clips
        inputs = {each.name: each.type.tensor_type.shape.dim for each in graph.proto.input}
        for axis in self._axes:
            for name, number in axis.sources:
                inputs[name][number].dim_value = sizes[axis.key]
        fold(graph, writes_out=writes_out)
        join_gathered_rows(graph)
        for inner in subgraphs(graph.proto):
            for value in (*inner.input, *inner.value_info, *inner.output):
                for axis in value.type.tensor_type.shape.dim:
                    axis.Clear()  # its size at this point
        return graph

    def _other_node(self, folded: Graph) -> Any:
        """The first node in which a graph differs from the first graph; None if there is none."""
        for first, other in itertools.zip_longest(self.graphs[0].proto.node, folded.proto.node):
            if first is None or other is None or _text(first) != _text(other):
                return first or other
        return None

    def _missing_node(self, folded: Graph) -> Any:
        """The first node missing in a graph; None if it has all."""
        known = {*map(_text, folded.proto.node)}
        return next((each for each in self.graphs[0].proto.node if _text(each) not in known), None)

    def types(self) -> dict[str, Sequence[Size | None]]:
        """The shapes of all values, in terms of the axes; None for other sizes."""
        return self._in_axes(self.shapes)

    def all_types(self) -> dict[str, Sequence[Size | None]]:
        """The shapes of all values and of the constants that differ, in terms of the axes."""
        varying = [{name: [*each[name].dims] for name in self._varying} for each in self._stored]
        return self._in_axes(varying) | self.types()

    def vectors(self) -> dict[str, Sequence[Size | None]]:
        """The sizes in the constants that differ, in terms of the axes."""
        found = {name: self._arrays(name) for name in self._varying}
        return {
            name: [self._size(column) for column in zip(*arrays, strict=True)]
            for name, arrays in found.items()
            if {(a.dtype, a.shape) for a in arrays} == {(np.dtype(np.int64), arrays[0].shape)}
            and arrays[0].ndim == 1
        }

    def _in_axes(
        self, shapes: Sequence[Mapping[str, Sequence[int]]]
    ) -> dict[str, Sequence[Size | None]]:
        """Shapes at each point, in terms of the axes."""
        found: dict[str, Sequence[Size | None]] = {}
        for name, first in shapes[0].items():
            every = [each.get(name) for each in shapes]
            if all(each is not None and len(each) == len(first) for each in every):
                columns = zip(*(each for each in every if each is not None), strict=True)
                found[name] = [self._size(column) for column in columns]
        return found

    def constants(self) -> dict[str, tuple[Sequence[Size], Any]]:
        """The constants that differ: shape and row of equal rows, or a known shape and sizes."""
        found = {name: self._form(self._arrays(name)) for name in self._varying}
        for name, form in found.items():
            if form is None:
                raise self._refused_constant(name, self._arrays(name))
        return {name: form for name, form in found.items() if form is not None}

    def positions(self) -> frozenset[str]:
        """The constants of another form, such as positions, with those from which they follow."""
        found: set[str] = set()
        pending = [*self._varying]
        while pending:
            name = pending.pop()
            graphs = [graph for graph in self.graphs if name in graph.folded]
            if name in found or len(graphs) < len(self.graphs):
                continue
            if graphs[0].folded[name][1] and self._form(self._arrays(name)) is None:
                found.add(name)
                pending += graphs[0].folded[name][1]
        return frozenset(found)

    def axes_of(self, names: Iterable[str]) -> dict[str, OpenAxis]:
        """The axes with which constants change, of those that may be sizes or amounts."""
        arrays = {name: self._arrays(name) for name in names}
        return {
            name: blocking(self._axes, self.points, [each.ravel().tolist() for each in some])
            for name, some in arrays.items()
            if len({each.shape for each in some}) == 1
            and some[0].size <= _MOST_AMOUNTS
            and some[0].dtype.kind == "i"
        }

    def conditions(self) -> frozenset[str]:
        """The booleans that follow from sizes and are others if an axis is small."""
        found = {name for name, (_, value) in self._following.items() if _is_boolean(value)}
        if not found:
            return frozenset()
        changed: set[str] = set()
        for axis in self._axes:
            point = {**self._usual, axis.key: 1}
            with contextlib.suppress(ArtifactError, UnsupportedError):
                changed.update(self._changed(self._at(point), point))
        return frozenset(found & changed)

    @cached_property
    def _varying(self) -> Sequence[str]:
        """The constants that differ between the graphs."""
        first, *others = self._stored
        return [
            name
            for name, tensor in first.items()
            if any(_text(each[name]) != _text(tensor) for each in others)
        ]

    def _arrays(self, name: str) -> list[Any]:
        """The values of a constant at each point, also of one that only constants depend on."""
        return [
            onnx.numpy_helper.to_array(stored[name]) if name in stored else graph.folded[name][0]
            for graph, stored in zip(self.graphs, self._stored, strict=True)
        ]

    def _form(self, arrays: Sequence[Any]) -> tuple[Sequence[Size], Any] | None:
        """A constant in terms of the axes, from its values at the points; None if there is none."""
        first = arrays[0]
        if len({a.ndim for a in arrays}) > 1:
            return None
        shape = [self._size(column) for column in zip(*(a.shape for a in arrays), strict=True)]
        known = [size for size in shape if size is not None]
        if len(known) == len(shape) and all(a.size for a in arrays):
            row = first[tuple(slice(None if isinstance(n, int) else 1) for n in known)]
            element = first[(slice(1),) * first.ndim]
            for each in (element, row):
                if all(np.array_equal(a, np.broadcast_to(each, a.shape)) for a in arrays):
                    return known, each
        if len({a.shape for a in arrays}) > 1 or first.dtype != np.int64 or first.ndim > 1:
            return None
        sizes = [self._size(column) for column in zip(*map(np.ravel, arrays), strict=True)]
        return None if None in sizes else (known, sizes)

    def least(self, axis: OpenAxis, types: Mapping[str, Sequence[Size | None]]) -> int:
        """The smallest size of an axis at which nodes and shapes are the same as at large ones."""
        low, high = 0, self._usual[axis.key]
        middle = 1
        while high - low > 1:
            if self._differs(axis, middle, types):
                low = middle
            else:
                high = middle
            middle = (low + high) // 2
        for size in (high + 1, high + 2, _HUGE):
            reason = self._differs(axis, size, types)
            if reason:
                raise UnsupportedError(f"import_network: {reason} at a size of {size}, so {axis}")
        return high

    def most(self, minima: Mapping[str, int]) -> dict[str, int]:
        """The largest size of each axis that a constant table limits."""
        found: dict[str, int] = {}
        for name, table in self.graphs[0].sliced.items():
            end = self._end(name)
            if isinstance(end, int):
                continue
            key, largest = limit(end, table.rows) or (self._axes[0].key, 0)
            if largest < minima[key]:
                axis = next(axis for axis in self._axes if axis.key == key)
                called, operator = self.graphs[0].origins.get(name, (name, "Slice"))
                raise UnsupportedError(
                    f"import_network: node {called!r} ({operator}) takes some of {table.rows} "
                    f"constant rows by sizes of inputs, so {axis}"
                )
            found[key] = min(largest, found.get(key, largest))
        return found

    def _differs(
        self, axis: OpenAxis, size: int, types: Mapping[str, Sequence[Size | None]]
    ) -> str:
        """How nodes or shapes differ if an axis has another size; empty if they do not.

        Nodes with too large results are not folded, so a huge size leaves more of them.
        """
        point = {**self._usual, axis.key: size}
        try:
            folded = self._at(point)
        except (ArtifactError, UnsupportedError) as error:
            return str(error)
        node = self._other_node(folded) if size < _HUGE else self._missing_node(folded)
        if node is not None:
            folded.origins |= self.graphs[0].origins
            return f"{folded.named(node)} changes"
        changed = next(self._changed(folded, point), None)
        if changed:
            return f"{self._reader(changed)} reads a value that changes"
        shapes = _shapes(folded)
        for name, sizes in types.items():
            given = shapes.get(name)
            expected = [None if each is None else bound(each, point) for each in sizes]
            if given is None and size == _HUGE:
                continue
            pairs = zip(expected, given or [], strict=False)
            if given is None or any(e not in (None, n) for e, n in pairs):
                return f"{self._maker(name)} gives no result, or another,"
        return ""

    def _changed(self, folded: Graph, point: Mapping[str, int]) -> Iterator[str]:
        """The constants that are not what follows from the sizes of axes."""
        stored = folded.constants()
        for name, (shape, numbers) in self._following.items():
            if name not in stored:
                continue
            array: Any = onnx.numpy_helper.to_array(stored[name])
            sizes: Any = [bound(size, point) for size in shape]
            wanted: Any = numbers
            if isinstance(numbers, list):
                values: Any = [bound(size, point) for size in cast("list[Size]", numbers)]
                wanted = np.reshape(values, array.shape)
            if [*array.shape] != sizes or not np.all(array == np.broadcast_to(wanted, sizes)):
                yield name

    @cached_property
    def _following(self) -> dict[str, tuple[Sequence[Size], Any]]:
        """The constants that follow from sizes of inputs, in terms of the axes (`_form`)."""
        found: dict[str, tuple[Sequence[Size], Any]] = {}
        for name, tensor in self._stored[0].items():
            if name not in self.graphs[0].folded:
                continue
            array = onnx.numpy_helper.to_array(tensor)
            form = self._form(self._arrays(name)) if name in self._varying else None
            found[name] = form or ([*array.shape], array)
        return found

    def _size(self, numbers: Sequence[int]) -> Size | None:
        """The polynomial with the given values at the points; None if there is none."""
        given = (*map(int, numbers),)
        if given not in self._sizes:
            self._sizes[given] = self._polynomial(given)
        return self._sizes[given]

    def _polynomial(self, numbers: Sequence[int]) -> Size | None:
        keys = [axis.key for axis in self._axes]
        terms = [names for count in (0, 1, 2) for names in itertools.combinations(keys, count)]
        rows: Any = [
            [int(np.prod([point[key] for key in names])) for names in terms]
            for point in self.points
        ]
        factors = np.linalg.lstsq(np.array(rows, float), np.array(numbers, float), rcond=None)[0]
        total: Size = 0
        for names, factor in zip(terms, factors, strict=True):
            total += round(factor) * product(map(open_dimension, names))
        values = [bound(total, point) for point in self.points]
        return total if values == [*numbers] else None

    def _maker(self, value: str) -> str:
        """The node that computes a value, for messages."""
        for node in self.graphs[0].proto.node:
            if value in node.output:
                return self.graphs[0].named(node)
        return f"{value!r}"

    def _reader(self, name: str) -> str:
        """The node that reads a constant, for messages."""
        readers = [each for each in self.graphs[0].proto.node if name in each.input]
        return self.graphs[0].named(readers[0]) if readers else f"output {name!r}"

    def _refused_constant(self, name: str, arrays: Sequence[Any]) -> UnsupportedError:
        where = self._reader(name)
        alike = len({a.shape for a in arrays}) == 1
        axis = blocking(
            self._axes, self.points, [a.ravel().tolist() if alike else a.shape for a in arrays]
        )
        return UnsupportedError(
            f"import_network: {where} reads an array that depends on a size ({name!r}), so {axis}"
        )

    def refused_result(
        self, name: str, types: Mapping[str, Sequence[Size | None]]
    ) -> UnsupportedError:
        """The error for an output size that is not a polynomial of input sizes."""
        for node in self.graphs[0].proto.node:
            where = f"import_network: {self.graphs[0].named(node)}"
            for value in self._values.intersection(node.output):
                shapes = [each.get(value) for each in self.shapes]
                if value not in types and any(shapes):
                    axis = blocking(
                        self._axes, self.points, [[int(each is None)] for each in shapes]
                    )
                    return UnsupportedError(
                        f"{where}: its result has no shape at some sizes of its inputs, so {axis}"
                    )
                if value not in types:
                    return self._refused_node(node, types)
                if None in types[value]:
                    axis = blocking(self._axes, self.points, [each or () for each in shapes])
                    what = f"rounds a size that output {name!r} depends on"
                    return UnsupportedError(f"{where} {what}, so {axis}")
        return UnsupportedError(f"import_network: the size of {name!r} is not known")

    def _refused_node(
        self, node: Any, types: Mapping[str, Sequence[Size | None]]
    ) -> UnsupportedError:
        """The error for a node whose inputs do not fit each other at any of the sizes."""
        named = self.graphs[0].named(node)
        amount = next((name for name in node.input if name in self.uneven), None)
        if amount is not None:
            return UnsupportedError(
                f"import_network: {named}: the size of its result follows from {amount!r}, which "
                f"does not grow evenly with a size of an input, so {self.uneven[amount]}"
            )
        keys = names_in(*(size for name in node.input for size in types.get(name, ())))
        axis = next((axis for axis in self._axes if axis.key in keys), None)
        known = {
            name for name, kind in self.graphs[0].types().items() if shape_of(kind) is not None
        }
        if axis is None or known.intersection(node.output) or node.op_type.startswith("Sequence"):
            return unknown_result(named, node.op_type)
        constants = self.graphs[0].constants()
        given = [
            shown(types[name] if name in types else constants[name].dims, self._axes)
            for name in node.input
            if name in types or name in constants
        ]
        return UnsupportedError(
            f"import_network: {named}: its inputs, of the shapes {' and '.join(given)}, fit each "
            f"other only at some sizes, so {axis}"
        )


def _shapes(graph: Graph) -> dict[str, list[int]]:
    """The shapes of those values whose sizes are known."""
    found = {name: shape_of(kind) for name, kind in graph.types().items()}
    return {
        name: [size for size in shape if size is not None]
        for name, shape in found.items()
        if shape is not None and None not in shape
    }


def _is_boolean(value: Any) -> bool:
    return not isinstance(value, list) and value.dtype == np.bool_


def _text(message: Any) -> bytes:
    return message.SerializeToString(deterministic=True)
