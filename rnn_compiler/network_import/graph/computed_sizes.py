"""Constants of a graph that depend on open sizes, computed from the sizes of its inputs.

A Reshape whose new shape has at most one computed size gets a constant, with ONNX's 0 and -1. Where
there are more, it gets all sizes: IREE's importer takes a -1 among computed sizes for a size. Other
nodes get a vector of sizes of inputs. Arrays whose rows are all the same are filled at each call;
zero states are left to the recurrent node, which has zeros by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from rnn_compiler.model_import.onnx_layers import OPERATORS, STATE_POSITIONS
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, read_by
from rnn_compiler.schema.open_sizes import Open, Size, null_if_open, terms


def use_computed_sizes(
    graph: Graph,
    sources: Mapping[str, tuple[str, int]],
    types: Mapping[str, Sequence[Size | None]],
    constants: Mapping[str, tuple[Sequence[Size], Any]],
) -> None:
    """Replaces constants that depend on open sizes: shapes, with an array to repeat or elements."""
    nodes = SizeNodes(graph, sources)
    for node in graph.proto.node:
        if node.op_type == "Reshape" and node.input[1] in constants:
            _, sizes = constants[node.input[1]]
            known = types.get(node.output[0], ())
            if len(known) == len(sizes):
                made = [size or own for size, own in zip(known, sizes, strict=True)]
            else:
                made = [*sizes]
            shape = _reshaped(types.get(node.input[0], ()), made)
            name = f"{node.name}.shape"
            if shape is not None:
                node.input[1] = _constant(graph, name, shape)
                for attribute in [each for each in node.attribute if each.name == "allowzero"]:
                    node.attribute.remove(attribute)  # 0 stands for the same size
            elif {-1, 0} & {*sizes}:
                nodes.vector(name, made)
                node.input[1] = name
        if node.op_type in OPERATORS and not node.domain:
            units = attributes_of(node).get("hidden_size", onnx.AttributeProto()).i
            for number in STATE_POSITIONS:
                if number < len(node.input) and _is_zero(constants.get(node.input[number]), units):
                    node.input[number] = ""
    read = {name for node in graph.proto.node for name in read_by(node)}
    read.update(each.name for each in graph.proto.output)
    for name, (shape, elements) in constants.items():
        for tensor in [each for each in graph.proto.initializer if each.name == name]:
            graph.proto.initializer.remove(tensor)
            if name not in read:
                continue
            if isinstance(elements, np.ndarray):
                nodes.filled(name, shape, elements)
            else:
                nodes.vector(name, elements, is_scalar=not shape)
    graph.set_nodes([*nodes.made, *graph.proto.node])
    graph.remove_unused()


def _is_zero(constant: tuple[Sequence[Size], Any] | None, units: int) -> bool:
    """Whether a constant is a state of zeros; one of other units is refused later."""
    shape, row = constant or ((), None)
    is_zero = isinstance(row, np.ndarray) and not np.any(cast(Any, row))
    return is_zero and len(shape) == 3 and shape[2] == units


def _reshaped(before: Sequence[Size | None], after: Sequence[Size]) -> list[int] | None:
    """A shape in terms of another one's sizes; None if more than one must be computed, or is 0."""
    shape: list[int] = []
    for axis, size in enumerate(after):
        if not isinstance(size, Open):
            shape.append(size)
        else:
            shape.append(0 if axis < len(before) and before[axis] == size else -1)
    return shape if shape.count(-1) <= 1 and 0 not in after else None


def _constant(graph: Graph, name: str, numbers: Any) -> str:
    """Adds a constant of sizes."""
    array = np.array(numbers, np.int64)
    graph.proto.initializer.append(onnx.numpy_helper.from_array(array, name))
    return name


class SizeNodes:
    """Nodes that compute sizes.

    Attributes:
        made: The nodes.
    """

    def __init__(self, graph: Graph, sources: Mapping[str, tuple[str, int]]) -> None:
        self.made: list[Any] = []
        self._graph = graph
        self._sources = sources
        self._axes: dict[str, str] = {}

    def vector(self, name: str, sizes: Sequence[Size], *, is_scalar: bool = False) -> None:
        """Adds a vector of sizes, or a single one, under a name."""
        parts = [self._size(f"{name}.{k}", size) for k, size in enumerate(sizes)]
        if is_scalar:
            shape = _constant(self._graph, f"{name}.shape", [])
            self._add("Reshape", [parts[0], shape], name, [])
        else:
            self._add("Concat", parts, name, [len(sizes)], axis=0)

    def filled(self, name: str, shape: Sequence[Size], row: Any) -> None:
        """Adds an array that repeats another one."""
        self.vector(f"{name}.shape", shape)
        kind = onnx.helper.np_dtype_to_tensor_dtype(row.dtype)
        made = onnx.helper.make_tensor_value_info(name, kind, [*map(null_if_open, shape)])
        self._graph.proto.value_info.append(made)
        if row.size == 1:
            value = onnx.numpy_helper.from_array(row.reshape(1))
            self._add("ConstantOfShape", [f"{name}.shape"], name, None, value=value)
        else:
            once = onnx.numpy_helper.from_array(row, f"{name}.row")
            self._graph.proto.initializer.append(once)
            self._add("Expand", [once.name, f"{name}.shape"], name, None)

    def _size(self, name: str, size: Size) -> str:
        """A vector of one size."""
        total = ""
        for number, (axes, factor) in enumerate(terms(size).items()):
            part = f"{name}.{number}"
            product = self._axis(axes[0]) if axes else _constant(self._graph, part, [factor])
            for k, axis in enumerate(axes[1:]):
                product = self._add("Mul", [product, self._axis(axis)], f"{part}.{k}")
            if axes and factor != 1:
                by = _constant(self._graph, f"{part}.factor", [factor])
                product = self._add("Mul", [product, by], part)
            total = self._add("Add", [total, product], f"{part}.sum") if total else product
        return total

    def _axis(self, axis: str) -> str:
        """The size of an input's axis, as a vector."""
        if axis not in self._axes:
            source, number = self._sources[axis]
            self._axes[axis] = f"{source}.size{number}"
            self._add("Shape", [source], self._axes[axis], start=number, end=number + 1)
        return self._axes[axis]

    def _add(
        self,
        operator: str,
        inputs: Sequence[str],
        output: str,
        shape: Sequence[int] | None = (1,),
        **attributes: Any,
    ) -> str:
        """Adds a node, and the type of its output unless it is known."""
        made = onnx.helper.make_node(operator, inputs, [output], f"{output}.node", **attributes)
        self.made.append(made)
        if shape is not None:
            kind = onnx.helper.make_tensor_value_info(output, onnx.TensorProto.INT64, shape)
            self._graph.proto.value_info.append(kind)
        return output
