"""Replaces operators that IREE's importer lacks by the functions that define them in ONNX.

ONNX defines some operators by others: once for all, or for the types of a node's inputs.
"""

from __future__ import annotations

from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx
from rnn_compiler.network_import.graph.loops import rename

_DEFINED = ("CenterCropPad", "RotaryEmbedding", "SwiGLU", "Swish")


def plain_definitions(graph: Graph) -> bool:
    """Replaces the nodes whose types are known; returns whether there were any."""
    types = graph.all_types()

    def inlined(node: Any) -> list[Any]:
        is_known = all(name in types for name in node.input if name)
        body = _definition(graph, node, types) if is_known else None
        return [] if body is None else _inlined(graph, node, body)

    return graph.replace_nodes(inlined, _DEFINED)


def _definition(graph: Graph, node: Any, types: dict[str, Any]) -> Any:
    """The function that defines a node; None if there is none for the graph's version."""
    if not onnx.defs.has(node.op_type, graph.opset):
        return None
    schema = onnx.defs.get_schema(node.op_type, graph.opset)
    known = [*schema.function_opset_versions, *schema.context_dependent_function_opset_versions]
    version = max((each for each in known if each <= graph.opset), default=None)
    if version is None:
        return None
    if schema.has_function:
        text = schema.get_function_with_opset_version(version)
    else:
        kinds = [types.get(name, onnx.TypeProto()).SerializeToString() for name in node.input]
        text = schema.get_context_dependent_function_with_opset_version(
            version, node.SerializeToString(), kinds
        )
    function = onnx.FunctionProto()
    function.ParseFromString(text)
    for name, attribute in schema.attributes.items():
        if attribute.default_value.name and name not in attributes_of(node):
            node.attribute.append(attribute.default_value)
    return function if function.node else None


def _inlined(graph: Graph, node: Any, function: Any) -> list[Any]:
    """The nodes of a function, with the attributes, inputs and outputs of a node."""
    graph.replaced.append(node)
    inputs = [*node.input, *[""] * (len(function.input) - len(node.input))]
    names = dict(zip(function.input, inputs, strict=True))
    own = {name for each in function.node for name in each.output if name}
    names |= {name: f"{node.name}/{name}" for name in own}
    names |= zip(function.output, node.output, strict=False)
    attributes = attributes_of(node)
    for number, each in enumerate(function.node):
        each.name = f"{node.name}/{each.op_type}_{number}"
        graph.origins[each.name] = node.name, node.op_type
        rename(each, names)
        for attribute in [*each.attribute]:
            if attribute.ref_attr_name:
                each.attribute.remove(attribute)
                if attribute.ref_attr_name in attributes:
                    given = onnx.AttributeProto()
                    given.CopyFrom(attributes[attribute.ref_attr_name])
                    given.name = attribute.name
                    each.attribute.append(given)
    return [*function.node]
