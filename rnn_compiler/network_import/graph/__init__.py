"""The graph of an ONNX model, whose nodes and values the steps of an import look at and change.

quantized     makes LSTMs of those with weights in int8
sizes         fixes what the caller gives
open_axes     leaves the other sizes open, and `computed_sizes` what depends on them
folding       computes what is known then, and `loops` counts iterations; `pools` and `bounds`
              give pools, slices and paddings the forms that are computed right
gathered_rows multiplies rows at once that are gathered one by one
recurrent     puts our ops in
products      makes products of two matrices
parameters    takes the weights out

Only the process of an import loads this folder, as it needs the package onnx (`worker`).
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.reading import LARGEST_MESSAGE, damaged, read_bytes, within

__all__ = ["Graph", "onnx", "subgraphs"]

onnx: Any = importlib.import_module("onnx")
for _module in ("compose", "inliner", "reference", "shape_inference", "version_converter"):
    importlib.import_module(f"onnx.{_module}")

OPSET = 17
"""The version of ONNX's operators that IREE's importer knows best; older models are converted."""

_DEEPEST = 50

_SPARE_ELEMENTS = 1 << 24

_LARGEST = 1 << 20


_UNSIGNED = {onnx.TensorProto.UINT8, onnx.TensorProto.UINT16}

_FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE}

_INTEGERS = {
    *(onnx.TensorProto.INT8, onnx.TensorProto.INT16, onnx.TensorProto.INT32),
    *(onnx.TensorProto.INT64, onnx.TensorProto.UINT32, onnx.TensorProto.UINT64),
    *_UNSIGNED,
}

_WITH_WINDOWS = ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool")
"""Operators whose attributes may leave no result."""

_SIGNED_ONLY = ("MaxPool", "Div", "Mod", "ReduceMax", "ReduceMin", "TopK", "Clip", "Relu")
"""Operators that differ for numbers with the highest bit."""


class Graph:
    """The main graph of a model.

    Attributes:
        model: The model, as a message of ONNX.
        path: Its file, for messages.
        is_open: Whether sizes of values are open.
        largest: How many elements a constant may have that is larger than what it is made of.
        elements_left: How many elements of constants may still be computed.
    """

    def __init__(self, model: Any, path: Path, *, largest: int = _LARGEST) -> None:
        self.model = model
        self.path = path
        self.is_open = False
        self.largest = largest
        self.elements_left = _SPARE_ELEMENTS + model.ByteSize()

    @staticmethod
    def read(path: Path) -> Graph:
        """The graph of a file, with the weights that lie beside it.

        Raises:
            ArtifactError: It is damaged, or names files that are not in its folder.
            OSError: It cannot be read.
        """
        model = onnx.ModelProto()
        try:
            model.ParseFromString(read_bytes(path))
        except Exception as error:  # protobuf's own, which differs between its implementations
            raise damaged(path, "it is no ONNX model") from error
        if not model.ir_version or not model.graph.node:
            raise damaged(path, "it is no ONNX model: there are no nodes")
        for tensor in _tensors(model.graph):
            if tensor.data_location == onnx.TensorProto.EXTERNAL:
                entries = {each.key: each.value for each in tensor.external_data}
                within(path.parent, entries.get("location", ""), path)
        try:
            onnx.external_data_helper.load_external_data_for_model(model, str(path.parent))
            if model.functions:
                model = onnx.inliner.inline_local_functions(model)
        except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
            raise damaged(path, str(error)) from error
        graph = Graph(model, path)
        graph.prepare()
        return graph

    def prepare(self) -> None:
        """Names all nodes, and converts the model from older versions of ONNX.

        Raises:
            UnsupportedError: A node cannot be converted.
        """
        known = {tensor.name for tensor in self.proto.initializer}
        inputs = [each for each in self.proto.input if each.name not in known]
        _replace(self.proto.input, inputs)
        version = next((each.version for each in self.model.opset_import if not each.domain), OPSET)
        self._check_version(version)
        if version < OPSET:
            try:
                self.model = onnx.version_converter.convert_version(self.model, OPSET)
            except Exception:  # of what converts it not; IREE takes most older operators as well
                del self.__dict__["proto"]
        self.__dict__.pop("proto", None)
        self.set_nodes(self.proto.node)

    def _check_version(self, version: int) -> None:
        """Checks that there is no operator whose older form the conversion takes for the newer."""
        graphs = (self.proto, *subgraphs(self.proto))
        for node in (each for graph in graphs for each in graph.node):
            if version < 13 and node.op_type == "Hardmax":
                raise UnsupportedError(
                    f"import_network: node {node.name!r} (Hardmax): version {version} of ONNX's "
                    "operators has another one than those from 13 on; convert the model"
                )

    @cached_property
    def proto(self) -> Any:
        """The graph, as a message of ONNX."""
        return self.model.graph

    def infer_shapes(self) -> None:
        """Infers the shapes of all values anew, from those of the inputs."""
        for graph in (self.proto, *subgraphs(self.proto)):
            del graph.value_info[:]
        for output in self.proto.output:
            output.type.tensor_type.ClearField("shape")
        if self.model.ByteSize() >= LARGEST_MESSAGE:
            raise ArtifactError(f"{self.path}: with its weights it has 2**31 bytes or more")
        try:
            self.model = onnx.shape_inference.infer_shapes(self.model, data_prop=True)
        except onnx.shape_inference.InferenceError as error:
            raise damaged(self.path, str(error)) from error
        del self.__dict__["proto"]
        constants = self.constants()
        for output in self.proto.output:
            if output.name in constants:  # which no node makes, so nothing is inferred
                tensor = constants[output.name]
                kind = onnx.helper.make_tensor_value_info("", tensor.data_type, list(tensor.dims))
                output.type.CopyFrom(kind.type)

    def check_domains(self) -> None:
        """Checks that all operators are ONNX's own: importers go by their names alone.

        Raises:
            UnsupportedError: One is not.
        """
        for graph in (self.proto, *subgraphs(self.proto)):
            for node in graph.node:
                if node.domain not in ("", "ai.onnx"):
                    raise UnsupportedError(
                        f"import_network: node {node.name!r} ({node.domain}.{node.op_type}): "
                        "operators of other domains than ONNX's own are not imported"
                    )

    def check_types(self) -> None:
        """Checks that the results of all nodes have a type that can be.

        Raises:
            UnsupportedError: Attributes and inputs contradict each other, or IREE's importer does
                not compute the operator for such integers.
        """
        types = self.types()
        for node in self.proto.node:
            given, made = (
                [types[name].tensor_type for name in names if name in types]
                for names in (node.input, node.output)
            )
            sizes = [[axis.dim_value for axis in kind.shape.dim] for kind in made]
            wrong = next((each for each in sizes if min(each, default=0) < 0), None)
            has_type = all(kind.elem_type for kind in made)
            has_shape = all(kind.HasField("shape") for kind in made)
            if wrong or not has_type or (node.op_type in _WITH_WINDOWS and not has_shape):
                what = f"a result of the sizes {wrong}" if wrong else "a result of no known type"
                raise UnsupportedError(
                    f"import_network: node {node.name!r} ({node.op_type}) has {what}; check its "
                    "attributes and the shapes of its inputs"
                )
            if any(kind.elem_type in _UNSIGNED for kind in (*given, *made)) and (
                node.op_type in _SIGNED_ONLY
                or (node.op_type == "Cast" and given[0].elem_type in _FLOATS)
            ):
                raise UnsupportedError(
                    f"import_network: node {node.name!r} ({node.op_type}): IREE's importer takes "
                    "its integers for such with a sign; cast them to int32 before"
                )
            if node.op_type in ("Div", "Mod") and given and given[0].elem_type in _INTEGERS:
                self._check_divisor(node)
            if node.op_type == "GridSample":
                raise UnsupportedError(
                    f"import_network: node {node.name!r} (GridSample): IREE's importer computes "
                    "other numbers than ONNX beyond the edges"
                )

    def _check_divisor(self, node: Any) -> None:
        """Checks that integers are divided by constants for which a processor has a result.

        Raises:
            UnsupportedError: They are not.
        """
        tensor = self.constants().get(node.input[1])
        values = [0] if tensor is None else onnx.numpy_helper.to_array(tensor).ravel().tolist()
        if 0 in values or -1 in values:
            raise UnsupportedError(
                f"import_network: node {node.name!r} ({node.op_type}): integers are divided by "
                "constants alone, other than 0 and -1: the process would end at a call"
            )

    def dtypes(self) -> dict[str, str]:
        """The dtypes of inputs and outputs that have no sign, which MLIR's types leave out."""
        values = (*self.proto.input, *self.proto.output)
        kinds = {each.name: each.type.tensor_type.elem_type for each in values}
        names = {name: onnx.helper.tensor_dtype_to_np_dtype(kind) for name, kind in kinds.items()}
        return {name: dtype.name for name, dtype in names.items() if dtype.kind == "u"}

    def operators(self) -> list[str]:
        """The operators of all nodes."""
        graphs = (self.proto, *subgraphs(self.proto))
        return sorted({node.op_type for graph in graphs for node in graph.node})

    def types(self) -> dict[str, Any]:
        """The types of all values that are known, by name."""
        graph = self.proto
        return {each.name: each.type for each in (*graph.input, *graph.value_info, *graph.output)}

    def constants(self) -> dict[str, Any]:
        """The tensors of all values that are constant, by name."""
        return {tensor.name: tensor for tensor in self.proto.initializer}

    def set_nodes(self, nodes: Sequence[Any]) -> None:
        """Replaces the nodes, and gives each a name of its own.

        In a file they may lack a name, or share it, and so may those of a branch that is inlined.
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

    def remove_unused(self) -> None:
        """Removes nodes and constants that nothing needs."""
        needed = {output.name for output in self.proto.output}
        kept: list[Any] = []
        for node in reversed(self.proto.node):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(read_by(node))
        self.set_nodes(kept[::-1])
        _replace(
            self.proto.initializer, [each for each in self.proto.initializer if each.name in needed]
        )


def shape_of(kind: Any) -> list[int | None] | None:
    """The shape of a type, None for each size that is not known; None if the rank is not."""
    if kind is None or not kind.tensor_type.HasField("shape"):
        return None
    return [
        each.dim_value if each.HasField("dim_value") and each.dim_value > 0 else None
        for each in kind.tensor_type.shape.dim
    ]


def attributes_of(node: Any) -> Mapping[str, Any]:
    """The attributes of a node by name."""
    return {each.name: each for each in node.attribute}


def read_by(node: Any) -> Iterator[str]:
    """The values that a node reads, those that graphs inside it read included."""
    yield from node.input
    for graph in subgraphs(node):
        for each in graph.node:
            yield from each.input
        yield from (output.name for output in graph.output)


def subgraphs(holder: Any, depth: int = 0) -> Iterator[Any]:
    """The graphs inside a graph or a node, at any depth."""
    nodes = holder.node if hasattr(holder, "node") else [holder]
    for node in nodes:
        for attribute in node.attribute:
            for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield graph
                if depth < _DEEPEST:
                    yield from subgraphs(graph, depth + 1)


def _tensors(graph: Any) -> Iterator[Any]:
    """The tensors of a graph and of what is inside it."""
    for each in (graph, *subgraphs(graph)):
        yield from each.initializer
        for node in each.node:
            yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def _replace(field: Any, messages: Sequence[Any]) -> None:
    """Replaces the messages of a repeated field."""
    copies = [*messages]
    del field[:]
    field.extend(copies)
