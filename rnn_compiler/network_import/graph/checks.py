"""Refuses nodes by name that IREE's importer does not take, or takes for others.

check_inputs       types of inputs that are not taken
check_operators    names that ONNX does not have
check_fit          attributes, types and shapes that do not fit each other
check_types        results without a type, and operators and types that IREE computes incorrectly
check_known_sizes  open axes along which it computes an operator incorrectly, or not at all
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.onnx_layers import OPERATORS
from rnn_compiler.model_import.reading import LARGEST_MESSAGE, damaged
from rnn_compiler.network_import.graph import FLOATS, Graph, attributes_of, onnx, subgraphs
from rnn_compiler.network_import.graph.axes import OpenAxis
from rnn_compiler.network_import.graph.resizing import IMAGES
from rnn_compiler.schema.open_sizes import Open, Size, names_in

__all__ = ["check_fit", "check_inputs", "check_known_sizes", "check_operators", "check_types"]

_UNSIGNED = {
    *(onnx.TensorProto.UINT8, onnx.TensorProto.UINT16),
    *(onnx.TensorProto.UINT32, onnx.TensorProto.UINT64),
}

_INTEGERS = {
    *(onnx.TensorProto.INT8, onnx.TensorProto.INT16, onnx.TensorProto.INT32),
    *(onnx.TensorProto.INT64, *_UNSIGNED),
}

_ELEMENTS = {*FLOATS, *_INTEGERS, onnx.TensorProto.BOOL}
"""The types of elements that IREE's importer takes."""

_WITH_WINDOWS = ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool")
"""Operators whose attributes may leave no result."""

_SIGNED_ONLY = (
    *("MaxPool", "Div", "Mod", "ReduceMax", "ReduceMin", "TopK", "Clip", "Relu", "Abs", "Neg"),
    "Sign",
)
"""Operators whose results differ for unsigned numbers with the highest bit set."""


_SCAN_ORDERS = (
    *("scan_input_directions", "scan_output_directions", "scan_input_axes", "scan_output_axes"),
)
"""Attributes of Scan that IREE's importer does not read."""

_MOST_ELEMENTS = (1 << 31) - 1
"""The most elements of an array, whatever its open sizes are."""

_REFUSED = {
    "GridSample": "IREE's importer gives other numbers than ONNX for points beyond the edges",
    "Unique": "the size of its result depends on numbers that only calls know",
}
"""Operators that are not imported, and why."""


def check_operators(graph: Graph, also: Collection[str] = ()) -> None:
    """Checks that all operators are ONNX's own, or `also`: importers only look at their names."""
    for each in (graph.proto, *subgraphs(graph.proto)):
        for node in each.node:
            where = f"import_network: node {node.name!r}"
            if node.domain:
                quantized = node.domain == "com.microsoft" and node.op_type.startswith("QLinear")
                remedy = "; quantize it with format=QuantFormat.QDQ" if quantized else ""
                raise UnsupportedError(
                    f"{where} ({node.domain}.{node.op_type}): operators of other domains than "
                    f"ONNX's own are not imported{remedy}"
                )
            if node.op_type not in also and not onnx.defs.has(node.op_type):
                remedy = "replace it in the model by operators that ONNX has, and export it again"
                if node.op_type in OPS:
                    remedy = (
                        "it is TensorFlow's: compile the recurrent layers of the SavedModel from "
                        "which the file was made (rc.import_model, rnn-compiler import FOLDER)"
                    )
                raise UnsupportedError(
                    f"{where} ({node.op_type}): expected an operator of ONNX, which has none "
                    f"of this name (onnx {onnx.__version__}); {remedy}"
                )


def check_inputs(graph: Graph) -> None:
    """Checks that all inputs are arrays of types that IREE's importer takes, and outputs arrays."""
    for each in graph.proto.output:
        if each.type.WhichOneof("value") not in ("tensor_type", None):
            raise InvalidArgumentError(
                "import_network",
                each.name,
                "an array",
                "an output that is a sequence or of another type",
                "export a model that stacks or concatenates arrays instead",
            )
    for each in graph.proto.input:
        element = each.type.tensor_type.elem_type
        is_array = each.type.WhichOneof("value") in ("tensor_type", None)
        if element not in _ELEMENTS or not is_array:
            got = _called(element) if is_array else "a sequence or another type"
            raise InvalidArgumentError(
                "import_network",
                each.name,
                f"an array of {', '.join(map(_called, sorted(_ELEMENTS)))}",
                got,
                "export the model with an input of one of these types",
            )
        if any(axis.dim_value < 0 for axis in each.type.tensor_type.shape.dim):
            shape = [axis.dim_value for axis in each.type.tensor_type.shape.dim]
            raise damaged(graph.path, f"input {each.name!r} has the shape {shape}")


_NUMPY_NAMES = {"float": "float32", "double": "float64"}


def _called(element: int) -> str:
    """An element type in messages."""
    if element not in onnx.TensorProto.DataType.values():
        return f"the unknown type {element}"
    name: str = onnx.TensorProto.DataType.Name(element).lower()
    return _NUMPY_NAMES.get(name, name)


_WHERE = re.compile(r"\(op_type:(?P<operator>[^,]*), node name: (?P<node>.*?)\): (?P<what>[^\n]*)")
"""How onnx names a node in its messages."""


_FOLLOWS = "expected to have type but instead is null"
"""The end of the message for nodes behind another one that does not fit."""


def check_fit(graph: Graph) -> None:
    """Checks that each node's inputs and attributes fit, as onnx' inference of shapes expects.

    IREE's importer does not survive all others.
    """
    graph.forget_shapes()
    for node in graph.proto.node:
        for name in _required(node, graph.opset).difference(attributes_of(node)):
            raise damaged(graph.path, f"{graph.named(node)} has no attribute {name!r}")
    if graph.size >= LARGEST_MESSAGE:
        return
    try:
        onnx.shape_inference.infer_shapes(graph.without_weights(), strict_mode=True)
    except onnx.shape_inference.InferenceError as error:
        for found in _WHERE.finditer(str(error)):
            follows = found["what"].endswith(_FOLLOWS)
            if not follows and not _is_checked_elsewhere(found["operator"], graph.opset):
                what = found["what"].replace("[ShapeInferenceError] ", "")[:200]
                raise UnsupportedError(
                    f"import_network: node {found['node']!r} ({found['operator']}): its inputs and "
                    f"attributes do not fit each other: {what}; correct the model, or the sizes in "
                    "dims="
                ) from error


def _is_checked_elsewhere(operator: str, opset: int) -> bool:
    """Whether an operator is one of recurrent layers, or defined by others.

    The message is better elsewhere, or wrong: onnx forgets the defaults of attributes.
    """
    if operator in OPERATORS or not onnx.defs.has(operator, opset):
        return True
    schema = onnx.defs.get_schema(operator, opset)
    return schema.has_function or schema.has_context_dependent_function


def _required(node: Any, opset: int) -> set[str]:
    """The attributes that an operator needs."""
    if node.domain not in ("", "ai.onnx") or not onnx.defs.has(node.op_type, opset):
        return set()
    attributes = onnx.defs.get_schema(node.op_type, opset).attributes
    return {name for name, each in attributes.items() if each.required}


def check_types(graph: Graph) -> None:
    """Checks that the results of all nodes have valid types."""
    types = graph.all_types()
    for node in graph.proto.node:
        given, made = (
            [types[name].tensor_type for name in names if name in types]
            for names in (node.input, node.output)
        )
        sizes = [[axis.dim_value for axis in kind.shape.dim] for kind in made]
        wrong = next((each for each in sizes if min(each, default=0) < 0), None)
        other = next((kind.elem_type for kind in made if kind.elem_type not in _ELEMENTS), 0)
        if other:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: its result is an array of "
                f"{_called(other)}, which IREE's importer does not take; export the model with "
                f"one of {', '.join(map(_called, sorted(_ELEMENTS)))}"
            )
        has_type = all(kind.elem_type for kind in made)
        has_shape = all(kind.HasField("shape") for kind in made)
        if wrong or not has_type or (node.op_type in _WITH_WINDOWS and not has_shape):
            raise unknown_result(graph.named(node), node.op_type, wrong)
        _check_elements(graph, node, sizes)
        if node.op_type == "Resize":
            _check_resized(
                graph.named(node),
                *(
                    [axis.dim_value for axis in kind.shape.dim][:IMAGES]
                    for kind in (types[node.input[0]].tensor_type, made[0])
                ),
            )
        if any(kind.elem_type in _UNSIGNED for kind in (*given, *made)) and (
            node.op_type in _SIGNED_ONLY
            or (node.op_type == "Cast" and given[0].elem_type in FLOATS)
        ):
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: expected signed "
                "integers, got unsigned ones, which IREE's importer would treat as signed; "
                "cast to int32 first"
            )
        if node.op_type in ("Div", "Mod") and given and given[0].elem_type in _INTEGERS:
            _check_divisor(graph, node)
        if node.op_type == "Scan" and any(
            attribute.ints and any(attribute.ints)
            for attribute in node.attribute
            if attribute.name in _SCAN_ORDERS
        ):
            raise UnsupportedError(
                f"import_network: node {node.name!r} (Scan): expected forward scans along axis "
                "0, which are all that IREE's importer computes; reverse or transpose before it"
            )
        if node.op_type in _REFUSED:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: not supported, because "
                f"{_REFUSED[node.op_type]}"
            )


def _check_elements(graph: Graph, node: Any, shapes: Sequence[Sequence[int]]) -> None:
    """Checks that the results of a node are not too large; sizes of 0 are open."""
    for shape in shapes:
        count = math.prod(size for size in shape if size)
        if count > _MOST_ELEMENTS:
            raise UnsupportedError(
                f"import_network: {graph.named(node)}: expected results of at "
                f"most {_MOST_ELEMENTS:,} elements, got {count:,}; correct the constant sizes of "
                "the model, or fix smaller ones with dims="
            )


def _check_resized(node: str, before: Sequence[int], after: Sequence[int]) -> None:
    """Checks that a Resize keeps batch and channels; sizes of 0 are open."""
    for axis, (old, new) in enumerate(zip(before, after, strict=False)):
        if old and new and old != new:
            raise UnsupportedError(
                f"import_network: {node}: expected axis {axis} to keep its "
                f"size {old}, because IREE resizes only axes after the second, got {new}; correct "
                "the node's sizes, fix another size with dims=, or transpose before it"
            )


def _check_divisor(graph: Graph, node: Any) -> None:
    """Checks that integers are divided only by constants with a defined quotient."""
    tensor = graph.constants().get(node.input[1])
    values = [0] if tensor is None else onnx.numpy_helper.to_array(tensor).ravel().tolist()
    if 0 in values or -1 in values:
        number = 0 if 0 in values else -1
        got = "a computed divisor" if tensor is None else f"a divisor of {number}"
        raise UnsupportedError(
            f"import_network: {graph.named(node)}: expected integers divided "
            f"by a constant without 0 and -1, got {got}, which could end the process; use "
            "another constant, or divide floats"
        )


_OF_SEQUENCES = ("ConcatFromSequence", "SplitToSequence")


def unknown_result(
    node: str, operator: str, sizes: Sequence[int] | None = None
) -> UnsupportedError:
    """The error for a node without a valid result, because of its sizes if these are given."""
    where = f"import_network: {node}"
    if operator.startswith("Sequence") or operator in _OF_SEQUENCES:
        return UnsupportedError(
            f"{where}: sequences of arrays are not supported; export a model that stacks or "
            "concatenates arrays instead"
        )
    what = f"a result of the sizes {sizes}" if sizes else "a result of unknown type or shape"
    return UnsupportedError(
        f"{where} has {what}; check its attributes and the shapes of its inputs, and fix open "
        "sizes with dims={...} or --dim, and inputs that are sizes with values={...} or --value"
    )


# Known sizes.

_Shape = Sequence[Size | None]


def check_known_sizes(
    graph: Graph, shapes: Mapping[str, _Shape], axes: Sequence[OpenAxis] = ()
) -> None:
    """Checks that nodes have known sizes where they need them."""
    for node in graph.proto.node:
        given, made = (
            [shapes.get(name, ()) for name in names] for names in (node.input, node.output)
        )
        for sizes in _needed(node, given, made):
            found = [str(axis) for axis in axes if axis.key in names_in(*sizes)]
            if found:
                raise UnsupportedError(
                    f"import_network: {graph.named(node)} needs known sizes, so "
                    f"{' and '.join(found)}"
                )


def _needed(node: Any, given: Sequence[_Shape], made: Sequence[_Shape]) -> Sequence[Sequence[Size]]:
    """The sizes of a node's inputs that must be known."""
    if node.op_type == "Einsum":
        return _merged(attributes_of(node)["equation"].s.decode(), given)
    if node.op_type == "Resize":
        pairs = zip(given[0][:IMAGES], made[0][:IMAGES], strict=False)
        return [_open([before]) for before, after in pairs if before != after]
    return []


def _merged(equation: str, given: Sequence[_Shape]) -> list[Sequence[Size]]:
    """The open sizes of each factor of a sum of products that only this factor has, if several."""
    terms = equation.split("->")[0].replace(" ", "").split(",")
    counts = Counter("".join(terms))
    found = (
        _open([size for letter, size in zip(term, shape, strict=False) if counts[letter] == 1])
        for term, shape in zip(terms, given, strict=False)
    )
    return [sizes for sizes in found if len(sizes) > 1]


def _open(sizes: _Shape) -> list[Size]:
    """The open ones of some sizes."""
    return [size for size in sizes if isinstance(size, Open)]
