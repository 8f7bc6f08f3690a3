"""The graph of an ONNX model; each step of an import reads and changes its nodes and values.

stored        reads and checks the elements of tensors; `order` sorts the nodes
quantized     replaces LSTMs with int8 weights by plain ones
sizes         fixes the sizes and values given by the caller
equal_axes    takes open axes for one that must be equal
open_axes     leaves the other sizes open, and `computed_sizes` the constants that depend on them
folding       computes all known values, `written_out` and `trained_loops` recognise layers,
              `directions` joins both of one, `loops` writes others out; `pools`, `bounds`,
              `attention`, `powers`, `reversals`, `convolutions`, `functions`, `normalizations`,
              `definitions`, `resizing`, `reductions`, `einsums`, `padding`, `nan`,
              `operators`, `sliced_tables` and `random_numbers` rewrite operators into forms that
              IREE computes correctly; `branches` takes those of an `If`, and `bodies` does the same
              with Scans that stay loops
checks        refuses nodes by name
replacement   builds the nodes that replace one
gathered_rows multiplies rows at once that are gathered one by one
recurrent     inserts our ops, after `recurrent_sizes` has compared the sizes of their inputs;
              `single_units` makes layers of one unit layers of two
products      turns products into products of two matrices
reshapes      makes an array of several open axes a vector before it is reshaped
ranges        finds the ranges of inputs that are positions in arrays
parameters    extracts the weights
gradients     a folder: the gradients of values, by a rule for each operator
training      a folder: the loss and the next values of trained weights

This folder is loaded only by the import process, because it needs the package onnx (`worker`).
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.onnx_file import check_names
from rnn_compiler.model_import.reading import LARGEST_MESSAGE, damaged, read_bytes
from rnn_compiler.model_import.tflite_reader import is_tflite
from rnn_compiler.network_import.graph.nesting import read_by, subgraphs
from rnn_compiler.network_import.graph.order import order_nodes
from rnn_compiler.network_import.graph.stored import read_tensors

__all__ = ["FLOATS", "Graph", "onnx", "read_by", "subgraphs"]

_Value = TypeVar("_Value", int, float, bytes, "list[int]")

onnx: Any = importlib.import_module("onnx")
for _module in ("compose", "defs", "inliner", "reference", "shape_inference", "version_converter"):
    importlib.import_module(f"onnx.{_module}")

OPSET = 17
"""The version of ONNX's operators that IREE's importer supports best; older ones are converted."""

_LEAST_IR = 4
"""The first version of the format in which constants are no inputs; older ones differ only here."""

_CENTRES = 11
"""The first version in which Resize finds pixels by their centres, unless it says otherwise."""

_CHANGED = {
    **dict.fromkeys(("Upsample", "Resize"), _CENTRES),
    **dict.fromkeys(("Split", "Softmax", "LogSoftmax"), 13),
}
"""Operators that are mistaken for newer forms, with the first version of these."""

_SPARE_ELEMENTS = 1 << 24

_LARGEST = 1 << 20

_LARGEST_SHAPE = 1 << 10
"""The most elements of a constant that a shape may depend on."""

_MOST_PROPAGATED = 1 << 16
"""The most elements of an input with which onnx follows elements through vectors.

It keeps a record of each element of each vector. Without these, folding takes more rounds.
"""

FLOATS = {
    *(onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16),
    *(onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE),
}
"""The element types of floats that IREE's importer takes."""


class Graph:
    """The main graph of a model.

    Attributes:
        model: The model, as a message of ONNX.
        path: Its file, for messages.
        is_open: Whether sizes of values are open.
        largest: The most elements of a constant that is larger than its inputs.
        elements_left: The remaining number of elements of constants that may be computed.
        folded: The values that follow from sizes of inputs, by name, with those they follow from.
        held: The names of values that are not computed.
        sliced: The slices of constant tables that sizes of inputs end, by the names of their nodes.
        clipped: The names of nodes that take a whole table, however many rows they ask for.
        lengthened: The paddings that lead to known sizes, by name: their axes, and whether these
            are lengthened at the beginning.
        trained: The arrays of inputs that are trained weights, by name.
        origins: The name and the operator of the node that was replaced by another, by its name.
        clips: The limits of the cells of LSTMs that have one, by the nodes' first outputs.
        turned: The axes that some gathers take from the last element to the first, by result.
        replaced: The nodes that were replaced by others.
    """

    def __init__(self, model: Any, path: Path, *, largest: int = _LARGEST) -> None:
        self.model = model
        self.path = path
        self.is_open = False
        self.largest = largest
        self.elements_left = _SPARE_ELEMENTS + self.size
        self.folded: dict[str, tuple[Any, Sequence[str]]] = {}
        self.held: frozenset[str] = frozenset()
        self.sliced: dict[str, Any] = {}
        self.clipped: frozenset[str] = frozenset()
        self.lengthened: dict[str, Mapping[int, bool]] = {}
        self.trained: Mapping[str, Any] = {}
        self.origins: dict[str, tuple[str, str]] = {}
        self.clips: Mapping[str, float] = {}
        self.turned: dict[str, int] = {}
        self.replaced: list[Any] = []

    @staticmethod
    def read(path: Path) -> Graph:
        """The graph of a file, with the weights in files next to it."""
        model, data = onnx.ModelProto(), read_bytes(path)
        if is_tflite(data[:8]):
            from rnn_compiler.network_import.tflite import onnx_model

            model, clips = onnx_model(path)
            graph = Graph(model, path)
            graph.clips = clips
            graph.prepare()
            return graph
        try:
            model.ParseFromString(data)
        except Exception as error:  # protobuf's own, which depends on the implementation
            raise damaged(path, "it is no ONNX model") from error
        if not model.ir_version or not model.graph.node:
            raise damaged(path, "it is no ONNX model: there are no nodes")
        graphs = (model.graph, *subgraphs(model.graph))
        for graph in graphs:
            check_names((each.name for each in graph.initializer), path)
        read_tensors(_tensors(graphs), path, len(data))
        try:
            if model.functions:
                model = onnx.inliner.inline_local_functions(model)
        except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
            raise damaged(path, str(error)) from error
        for each in (*model.opset_import, *(n for g in graphs for n in g.node)):
            each.domain = "" if each.domain == "ai.onnx" else each.domain
        order_nodes(model.graph, path)
        graph = Graph(model, path)
        graph.prepare()
        return graph

    @property
    def opset(self) -> int:
        """The version of ONNX' operators."""
        return next((each.version for each in self.model.opset_import if not each.domain), OPSET)

    def prepare(self) -> None:
        """Names all nodes, and converts the model from older versions of ONNX."""
        for graph in (self.proto, *subgraphs(self.proto)):
            known = {tensor.name for tensor in graph.initializer}
            _replace(graph.input, [each for each in graph.input if each.name not in known])
            _make_dense(graph)
        self.model.ir_version = max(self.model.ir_version, _LEAST_IR)
        version = self.opset
        self._check_version(version)
        if version < OPSET:
            try:
                self.model = onnx.version_converter.convert_version(self.model, OPSET)
            except Exception as error:  # IREE supports most older operators too
                del self.__dict__["proto"]
                self._check_older(version, str(error))
            else:
                del self.__dict__["proto"]
                self._keep_corners(version)
        self.set_nodes(self.proto.node)
        self._set_apart()

    def _set_apart(self) -> None:
        """Renames nodes that values of the file are named after, as rewrites name new ones.

        Messages keep the names of the file.
        """
        values = {each.name for each in (*self.proto.input, *self.proto.initializer)}
        values |= {value for node in self._all_nodes() for value in node.output}
        stems = {name[:end] for name in values for end, sign in enumerate(name) if sign == "."}
        taken = stems | {node.name for node in self._all_nodes()}
        for node in self._all_nodes():
            if node.name in stems:
                origin, name = (node.name, node.op_type), node.name
                while name in taken:
                    name += "_"
                taken.add(name)
                self.origins[name] = origin
                node.name = name

    def _keep_corners(self, version: int) -> None:
        """Lets what were older forms of Resize find pixels by their corners, as these do.

        The conversion leaves that out.
        """
        corners = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        for node in self._all_nodes():
            if version < _CENTRES and node.op_type == "Resize":
                node.attribute.extend(map(onnx.helper.make_attribute, corners, corners.values()))

    def _all_nodes(self) -> Iterator[Any]:
        """The nodes of the graph and of the graphs inside it."""
        for graph in (self.proto, *subgraphs(self.proto)):
            yield from graph.node

    def _check_older(self, version: int, reason: str) -> None:
        """Checks that a model that stays at its version has no operator that changed since."""
        for node in self._all_nodes():
            if version < _CHANGED.get(node.op_type, 0):
                said = reason.splitlines()[0][:200] if reason else "no reason"
                raise UnsupportedError(
                    f"import_network: node {node.name or ''.join(node.output[:1])!r} "
                    f"({node.op_type}): expected version {_CHANGED[node.op_type]} or later of "
                    f"ONNX's operators, in which it changed, got version {version} in a model "
                    f"that onnx cannot convert ({said}); export the model again with a later opset"
                )

    def _check_version(self, version: int) -> None:
        """Checks that operators are known, and that no older form would be taken for the newer."""
        known = onnx.defs.onnx_opset_version()
        if version > known:
            raise UnsupportedError(
                f"import_network: {self.path}: expected at most version {known} of ONNX's "
                f"operators, the newest in onnx {onnx.__version__}, got version {version}; install "
                "a newer onnx, or export the model again with an earlier opset"
            )
        if version < 1:
            raise damaged(self.path, f"it says version {version} of ONNX's operators")
        for node in self._all_nodes():
            if version < 13 and node.op_type == "Hardmax":
                name = node.name or "".join(node.output[:1])
                raise UnsupportedError(
                    f"import_network: node {name!r} (Hardmax): expected version 13 or later of "
                    f"ONNX's operators, in which Hardmax changed, got version {version}; export "
                    "the model again with a later opset"
                )

    @cached_property
    def proto(self) -> Any:
        """The graph, as a message of ONNX."""
        return self.model.graph

    @property
    def size(self) -> int:
        """The bytes of the model; writing it out would copy its weights."""
        weights = sum(map(_bytes_of, self._weights().values()))
        return self.without_weights().ByteSize() + weights

    def _weights(self) -> dict[str, Any]:
        """The constants that are too large for a shape to depend on them, by name."""
        constants = self.constants().items()
        return {name: each for name, each in constants if math.prod(each.dims) > _LARGEST_SHAPE}

    def without_weights(self) -> Any:
        """A copy with the weights as inputs: its shapes are the same, and it is small."""
        model, graph, weights = self.model, self.proto, self._weights()
        copy = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
        copy.graph.name = graph.name
        for field in ("input", "node", "output", "value_info"):
            getattr(copy.graph, field).extend(getattr(graph, field))
        copy.graph.initializer.extend(e for e in graph.initializer if e.name not in weights)
        copy.graph.input.extend(
            onnx.helper.make_tensor_value_info(name, tensor.data_type, tensor.dims)
            for name, tensor in weights.items()
        )
        return copy

    def infer_shapes(self) -> None:
        """Infers the shapes of all values again from those of the inputs."""
        self.forget_shapes()
        given = {each.name: each.type for each in self.proto.input}
        constants = self.constants()
        for output in self.proto.output:  # which no node computes
            if output.name in constants:
                tensor = constants[output.name]
                output.type.CopyFrom(_type_of(tensor.data_type, (*tensor.dims,)))
            elif output.name in given:
                output.type.CopyFrom(given[output.name])
        if self.size >= LARGEST_MESSAGE:
            raise ArtifactError(
                f"{self.path}: expected less than 2**31 bytes, weights included, got {self.size:,}"
            )
        sizes = [
            [axis.dim_value for axis in each.type.tensor_type.shape.dim]
            for each in self.proto.input
        ]
        propagate = all(math.prod(each) <= _MOST_PROPAGATED for each in sizes)
        propagate = propagate and self._most_filled() <= _MOST_PROPAGATED
        try:
            made = onnx.shape_inference.infer_shapes(self.without_weights(), data_prop=propagate)
        except onnx.shape_inference.InferenceError as error:
            raise damaged(self.path, str(error)) from error
        _replace(self.proto.value_info, made.graph.value_info)
        _replace(self.proto.output, made.graph.output)
        for node, found in zip(self.proto.node, made.graph.node, strict=True):
            if any(subgraphs(node)):
                node.CopyFrom(found)
        inferred = {each.name: each.type for each in self.proto.output if shape_of(each.type)}
        for output in self.proto.output:
            if output.name in inferred:  # also where it is returned again
                output.type.CopyFrom(inferred[output.name])

    def forget_shapes(self) -> None:
        """Removes the shapes of all values but the inputs; a model may declare wrong ones."""
        for graph in (self.proto, *subgraphs(self.proto)):
            del graph.value_info[:]
        for output in self.proto.output:
            output.type.tensor_type.ClearField("shape")

    def _most_filled(self) -> float:
        """The most elements of an array that a node makes from constant sizes or bounds."""
        known = {name: each for name, each in self.constants().items() if len(each.dims) < 2}
        for node in self.proto.node:
            if node.op_type == "Constant" and "value" in attributes_of(node):
                known[node.output[0]] = attributes_of(node)["value"].t
        counts = [0.0]
        for node in self.proto.node:
            is_filled = node.op_type in ("ConstantOfShape", "Range")
            if not is_filled or not all(name in known for name in node.input):
                continue
            given = [
                onnx.numpy_helper.to_array(known[name]).ravel().tolist() for name in node.input
            ]
            if node.op_type == "ConstantOfShape":
                counts.append(math.prod(given[0]))
            else:
                ((start,), (limit,), (step,)) = given
                counts.append((limit - start) / step if step else 0.0)
        return max(counts)

    def dtypes(self) -> dict[str, str]:
        """The unsigned dtypes of inputs and outputs, which MLIR's types omit."""
        values = (*self.proto.input, *self.proto.output)
        kinds = {each.name: each.type.tensor_type.elem_type for each in values}
        names = {name: onnx.helper.tensor_dtype_to_np_dtype(kind) for name, kind in kinds.items()}
        return {name: dtype.name for name, dtype in names.items() if dtype.kind == "u"}

    def operators(self) -> list[str]:
        """The operators of all nodes."""
        return sorted({node.op_type for node in self._all_nodes()})

    def named(self, node: Any) -> str:
        """A node in messages: that of the model, if others replaced it."""
        name, operator = self.origins.get(node.name, (node.name, node.op_type))
        return f"node {name!r} ({operator})"

    def types(self) -> dict[str, Any]:
        """The known types of values, by name."""
        graph = self.proto
        return {each.name: each.type for each in (*graph.input, *graph.value_info, *graph.output)}

    def all_types(self) -> dict[str, Any]:
        """The known types of values, constants included."""
        return self.types() | {
            name: _type_of(tensor.data_type, (*tensor.dims,))
            for name, tensor in self.constants().items()
        }

    def shapes(self) -> dict[str, list[int | None]]:
        """The known shapes of values, constants included; None for each unknown size."""
        found = {name: shape_of(kind) for name, kind in self.types().items()}
        found |= {name: [*tensor.dims] for name, tensor in self.constants().items()}
        return {name: shape for name, shape in found.items() if shape is not None}

    def constants(self) -> dict[str, Any]:
        """The tensors of constant values, by name."""
        return {tensor.name: tensor for tensor in self.proto.initializer}

    def set_nodes(self, nodes: Sequence[Any]) -> None:
        """Replaces the nodes and gives each a unique name.

        In files and in inlined branches, names may be missing or shared.
        """
        _replace(self.proto.node, nodes)
        counts: Counter[str] = Counter()
        for number, node in enumerate(self.proto.node):
            wanted = name = node.name or f"{node.op_type}_{number}"
            while counts[name]:
                name = f"{wanted}_{counts[wanted]}"
                counts[wanted] += 1
            counts[name] += 1
            node.name = name

    def replace_nodes(
        self,
        replaced: Callable[[Any], Sequence[Any] | None],
        operators: Collection[str] | None = None,
    ) -> bool:
        """Replaces nodes, perhaps only those of some operators; returns whether there were any.

        `replaced` returns the nodes that replace a node; the node itself, or none, if it stays.
        """
        nodes: list[Any] = []
        changed = False
        for node in self.proto.node:
            is_one = operators is None or node.op_type in operators
            made = (replaced(node) if is_one else None) or [node]
            changed = changed or any(new is not node for new in made)
            nodes += made
        if changed:
            self.set_nodes(nodes)
        return changed

    def remove_unused(self) -> None:
        """Removes unused nodes and constants."""
        needed = {output.name for output in self.proto.output}
        kept: list[Any] = []
        for node in reversed(self.proto.node):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(read_by(node))
        self.set_nodes(kept[::-1])
        constants = self.proto.initializer
        for number in reversed(range(len(constants))):  # the others stay where they are
            if constants[number].name not in needed:
                del constants[number]


@lru_cache(maxsize=1024)
def _type_of(dtype: int, shape: tuple[int, ...]) -> Any:
    """The type of a constant, which nothing changes."""
    return onnx.helper.make_tensor_type_proto(dtype, shape)


def shape_of(kind: Any) -> list[int | None] | None:
    """The shape of a type, None for each unknown size; None if the rank is unknown."""
    if kind is None or not kind.tensor_type.HasField("shape"):
        return None
    return [
        each.dim_value if each.HasField("dim_value") and each.dim_value > 0 else None
        for each in kind.tensor_type.shape.dim
    ]


def attributes_of(node: Any) -> Mapping[str, Any]:
    """The attributes of a node by name."""
    return {each.name: each for each in node.attribute}


def value_in(attributes: Mapping[str, Any], name: str, default: _Value) -> _Value:
    """The value of an attribute of the default's type; the default if there is none."""
    if name not in attributes:
        return default
    found = attributes[name]
    values: Any = {int: found.i, float: found.f, bytes: found.s, list: [*found.ints]}
    return values[type(default)]


def _tensors(graphs: Iterable[Any]) -> Iterator[Any]:
    """The tensors of some graphs."""
    for each in graphs:
        yield from each.initializer
        for node in each.node:
            yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def _make_dense(graph: Any) -> None:
    """Replaces the sparse constants of a graph by dense ones."""
    graph.initializer.extend(map(_dense, graph.sparse_initializer))
    del graph.sparse_initializer[:]
    for attribute in (each for node in graph.node for each in node.attribute):
        if attribute.HasField("sparse_tensor"):
            dense = _dense(attribute.sparse_tensor)
            attribute.CopyFrom(onnx.helper.make_attribute("value", dense))


def _dense(sparse: Any) -> Any:
    """The dense form of a sparse tensor, with its name."""
    values, places = map(onnx.numpy_helper.to_array, (sparse.values, sparse.indices))
    if places.ndim > 1:
        places = np.ravel_multi_index(tuple(places.T), tuple(sparse.dims))
    full: Any = np.zeros(math.prod(sparse.dims), values.dtype)
    full[places] = values
    return onnx.numpy_helper.from_array(full.reshape(sparse.dims), sparse.values.name)


def _bytes_of(tensor: Any) -> int:
    """The bytes of a tensor's elements."""
    dtype: Any = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    return math.prod(tensor.dims) * dtype.itemsize


def _replace(field: Any, messages: Sequence[Any]) -> None:
    """Replaces the messages of a repeated field."""
    copies = [*messages]
    del field[:]
    field.extend(copies)
