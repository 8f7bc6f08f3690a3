"""Computes values that do not depend on inputs: constants, shapes, branches, iterations of loops.

Once sizes are known, so are the results of Shape and values computed from them; once a rate is
known, so is the branch of an `If` that depends on it. onnx's own reference implementation computes
them. On the way, nodes that IREE's importer does not take, or computes incorrectly, are rewritten.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.onnx_layers import INPUTS, LINEAR, OPERATORS, linear
from rnn_compiler.network_import.graph import (
    Graph,
    attributes_of,
    onnx,
    shape_of,
    subgraphs,
)
from rnn_compiler.network_import.graph.attention import plain_attention
from rnn_compiler.network_import.graph.bodies import rewrite_bodies
from rnn_compiler.network_import.graph.bounds import plain_bounds
from rnn_compiler.network_import.graph.branches import select_results, take_known_branch
from rnn_compiler.network_import.graph.convolutions import (
    plain_integer_convolutions,
    plain_transposed_convolutions,
)
from rnn_compiler.network_import.graph.definitions import plain_definitions
from rnn_compiler.network_import.graph.directions import join_directions
from rnn_compiler.network_import.graph.einsums import plain_einsums
from rnn_compiler.network_import.graph.functions import plain_functions, plain_negatives
from rnn_compiler.network_import.graph.loops import write_out_loops
from rnn_compiler.network_import.graph.nan import pass_nan_on
from rnn_compiler.network_import.graph.normalizations import plain_normalizations
from rnn_compiler.network_import.graph.operators import plain_depth, plain_operators
from rnn_compiler.network_import.graph.padding import plain_padding
from rnn_compiler.network_import.graph.pools import plain_pools
from rnn_compiler.network_import.graph.powers import plain_powers
from rnn_compiler.network_import.graph.random_numbers import plain_dropouts
from rnn_compiler.network_import.graph.reductions import plain_log_sums, plain_products_of_axes
from rnn_compiler.network_import.graph.resizing import plain_resizes
from rnn_compiler.network_import.graph.reversals import plain_reversals
from rnn_compiler.network_import.graph.sliced_tables import gather_sliced_tables, sliced_table
from rnn_compiler.network_import.graph.steps import RANDOM
from rnn_compiler.network_import.graph.trained_loops import replace_trained_loops
from rnn_compiler.network_import.graph.written_out import replace_loops

_MOST_ROUNDS = 100

_REWRITES = (
    *(plain_attention, plain_bounds, plain_powers, plain_reversals, plain_transposed_convolutions),
    *(plain_definitions, plain_negatives, plain_functions, plain_integer_convolutions),
    *(plain_log_sums, plain_normalizations, plain_padding, plain_depth, plain_resizes),
    *(plain_products_of_axes, pass_nan_on, plain_einsums, plain_operators, gather_sliced_tables),
    plain_dropouts,
)
"""What rewrites operators once the types of their inputs are known."""


_GATHERS = ("Gather", "GatherElements", "GatherND")


class PositionsBeyondError(UnsupportedError):
    """Positions that follow from sizes are beyond a constant array at some of them.

    Attributes:
        names: The values that cannot be computed.
    """

    names: frozenset[str] = frozenset()


def fold_constants(graph: Graph) -> None:
    """Computes what depends on constants alone, of a graph that is folded at many sizes later.

    All else stays as it is, also what cannot be computed: folding finds the same errors.
    """
    for _ in range(_MOST_ROUNDS):
        try:
            graph.infer_shapes()
        except (ArtifactError, UnsupportedError):
            return
        types, constants = graph.types(), graph.constants()
        nodes: list[Any] = []
        made: list[Any] = []
        for node in graph.proto.node:
            results = _of_constants(graph, node, types, constants)
            if results is None:
                nodes.append(node)
                continue
            _store(node, results, constants, made)
        if not made:
            return
        graph.proto.initializer.extend(made)
        graph.set_nodes(nodes)


def _of_constants(
    graph: Graph, node: Any, types: dict[str, Any], constants: dict[str, Any]
) -> list[Any] | None:
    """The values of a node's results if constants are all it reads, and `fold` keeps its form."""
    if "Pool" in node.op_type or not all(name in constants for name in node.input if name):
        return None
    try:
        return _results(graph, node, types, constants)
    except UnsupportedError:
        return None


def fold(graph: Graph, *, writes_out: bool = True) -> None:
    """Computes known values until nothing more is known."""
    for _ in range(_MOST_ROUNDS):
        plain_pools(graph)
        graph.infer_shapes()
        changed = _fold_once(graph)
        for rewrite in _REWRITES:
            changed = rewrite(graph) or changed
        graph.remove_unused()
        changed = changed or replace_loops(graph) or replace_trained_loops(graph, _fold_once)
        changed = changed or plain_reversals(graph, waits=False) or join_directions(graph)
        changed = changed or (writes_out and (write_out_loops(graph) or select_results(graph)))
        changed = changed or (writes_out and rewrite_bodies(graph, fold))
        if not changed:
            return


def _fold_once(graph: Graph) -> bool:
    """Computes the values known so far; returns whether there were any."""
    types, constants = graph.types(), graph.constants()
    completed = sum(_complete(node, types, constants) for node in graph.proto.node)
    taken = {*types, *constants}
    nodes: list[Any] = []
    made: list[Any] = []
    chosen = 0
    for node in graph.proto.node:
        branch = take_known_branch(node, constants, taken, made)
        if branch is not None:
            nodes += branch
            chosen += 1
            continue
        results = _results(graph, node, types, constants)
        if results is None:
            nodes.append(node)
            continue
        _note(graph, node, _store(node, results, constants, made), constants)
    graph.proto.initializer.extend(made)
    graph.set_nodes(nodes)
    return bool(made or chosen or completed)


def _store(
    node: Any, results: list[Any], constants: dict[str, Any], made: list[Any]
) -> dict[str, Any]:
    """Makes constants of the results of a node; returns their arrays."""
    arrays = {n: np.asarray(a) for n, a in zip(node.output, results, strict=False) if n}
    for name, array in arrays.items():
        made.append(onnx.numpy_helper.from_array(array, name))
        constants[name] = made[-1]
    return arrays


def _note(graph: Graph, node: Any, arrays: dict[str, Any], constants: dict[str, Any]) -> None:
    """Notes the results of a node if they depend on the sizes of inputs."""
    is_size = node.op_type in ("Shape", "Size") and node.input[0] not in constants
    if is_size or any(name in graph.folded for name in node.input):
        sources = [] if is_size else [*node.input]
        graph.folded |= {name: (array, sources) for name, array in arrays.items()}


def _complete(node: Any, types: dict[str, Any], constants: dict[str, Any]) -> bool:
    """Gives a recurrent node its `hidden_size`, which may be missing, from the shape of R.

    Without it, shape inference stops at the node.
    """
    if node.domain or node.op_type not in OPERATORS or len(node.input) <= INPUTS.index("R"):
        return False
    if "hidden_size" in attributes_of(node):
        return False
    name = node.input[INPUTS.index("R")]
    shape = list(constants[name].dims) if name in constants else shape_of(types.get(name))
    if not shape or not shape[-1]:
        return False
    node.attribute.append(onnx.helper.make_attribute("hidden_size", shape[-1]))
    return True


def _results(
    graph: Graph, node: Any, types: dict[str, Any], constants: dict[str, Any]
) -> list[Any] | None:
    """The values of a node's results; None if they are unknown or too large."""
    if not graph.held.isdisjoint(node.output) or sliced_table(graph, node, constants):
        return None
    shapes = [shape_of(types.get(name)) for name in node.output]
    if node.op_type in ("Shape", "Size") and node.input:
        source = shape_of(types.get(node.input[0]))
        if source is None and node.input[0] in constants:
            source = list(constants[node.input[0]].dims)
        if source is None or None in source:
            return None
        if node.op_type == "Size":
            return [np.int64(math.prod(size or 0 for size in source))]
        begin, end = (
            _integer(node, name, default) for name, default in (("start", 0), ("end", None))
        )
        return [np.array(source[begin:end], np.int64)]
    if node.op_type == "Identity" and node.input[0] in constants:
        return [onnx.numpy_helper.to_array(constants[node.input[0]])]
    if node.op_type != "Constant":
        if not node.input or node.op_type.startswith(RANDOM) or any(subgraphs(node)):
            return None
        if not all(name in constants for name in node.input if name):
            return None
        if any(shape is None or None in shape for shape in shapes):
            return None
        size = sum(math.prod(each or 0 for each in shape or ()) for shape in shapes)
        given = sum(math.prod(constants[name].dims) for name in node.input if name)
        if size > min(max(given, graph.largest), graph.elements_left):
            return None
        graph.elements_left -= size
    return _evaluated(graph, node, constants)


def _integer(node: Any, name: str, default: int | None) -> int | None:
    attributes = attributes_of(node)
    return attributes[name].i if name in attributes else default


def _evaluated(graph: Graph, node: Any, constants: dict[str, Any]) -> list[Any]:
    """The values of a node with constant inputs, by onnx's reference implementation."""
    given = list(dict.fromkeys(name for name in node.input if name))
    inputs = [
        onnx.helper.make_tensor_value_info(
            name, constants[name].data_type, list(constants[name].dims)
        )
        for name in given
    ]
    results = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    alone = onnx.helper.make_graph([node], "constant", inputs, results)
    model = onnx.helper.make_model(
        alone, opset_imports=graph.model.opset_import, ir_version=graph.model.ir_version
    )
    feeds = {name: onnx.numpy_helper.to_array(constants[name]) for name in given}
    try:
        if node.op_type in LINEAR:  # some versions of onnx do not implement it
            arrays = [feeds.get(name) for name in node.input]
            with contextlib.suppress(NotImplementedError):
                return [linear(node.op_type, arrays, attributes_of(node))]
        values = iter(onnx.reference.ReferenceEvaluator(model).run(None, feeds))
    except Exception as error:  # any error of numpy for the file's values
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        what = f"{graph.named(node)}: its value, which depends on constants alone"
        message = f"import_network: {what}, cannot be computed: {reason}"
        if not graph.is_open or node.op_type not in _GATHERS:
            raise UnsupportedError(message) from error
        beyond = PositionsBeyondError(message)
        beyond.names = frozenset(node.output)
        raise beyond from error
    return [next(values) if name else None for name in node.output]
