"""Replaces recurrent nodes by our ops: a node with a config for each, and the nodes around it.

The op for ONNX's LSTM, GRU or RNN is chosen as in `import_model`. ONNX's own ops take the node's
inputs; a node of open sizes always becomes one of them. For CudnnRNNV3 the weights become a buffer,
a constant of the graph; omitted states are zeros, and omitted lengths are all steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.ops.onnx.kinds import KINDS
from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.onnx_layers import INPUTS, OPERATORS, Node, layer_of
from rnn_compiler.model_import.reading import Budget, Once
from rnn_compiler.network_import.graph import Graph, attributes_of, onnx
from rnn_compiler.network_import.graph.axes import OpenAxis
from rnn_compiler.schema.cudnn_layout import RNN_MODES
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES, canonical_name
from rnn_compiler.schema.open_sizes import Size, null_if_open

DOMAIN = "rnn_compiler"
"""The domain of the nodes for our ops, named like the op; `lowering.networks` finds them by their
attribute `backend_config`, which `linking.calls` reads."""

_X, _LENGTHS, _H, _C = (
    INPUTS.index(name) for name in ("X", "sequence_lens", "initial_h", "initial_c")
)


def replace_recurrent(
    graph: Graph, trained: Collection[str] = (), axes: Sequence[OpenAxis] = ()
) -> None:
    """Replaces the recurrent nodes of a graph with known shapes.

    Those of `trained`, named after their first output, become ONNX's ops, which save what their
    gradients need. Messages name the open `axes`.
    """
    shapes, constants, types = graph.shapes(), graph.constants(), graph.types()
    taken = frozenset({*shapes, *(name for node in graph.proto.node for name in node.output)})
    once = Once(Budget(graph.path, graph.size))

    def replaced(node: Any) -> list[Any] | None:
        if node.domain:
            return None
        is_trained = not {*node.output}.isdisjoint(trained)
        clip = graph.clips.get(node.output[0])
        as_onnx = is_trained or clip is not None
        kind = types.get(node.input[_X])
        _check_columns(node, shapes.get(node.input[_X], ()), axes)
        layer = _layer(graph, node, shapes, constants, kind, once, as_onnx=as_onnx)
        if is_trained:
            layer = replace(layer, attributes={**layer.attributes, "is_training": True})
        around = _Around(graph, node, layer, shapes, taken)
        if clip is None:
            _COMPUTED_BY[layer.op](around)
        else:
            _block(around, clip)
        return around.nodes

    graph.replace_nodes(replaced, OPERATORS)
    import_domain(graph)
    graph.remove_unused()


def import_domain(graph: Graph) -> None:
    """States the version of our domain if the graph has nodes of it, which importers ask for."""
    known = {each.domain for each in graph.model.opset_import}
    if DOMAIN not in known and any(node.domain == DOMAIN for node in graph.proto.node):
        graph.model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))


def _layer(
    graph: Graph,
    node: Any,
    shapes: Mapping[str, Sequence[int | None]],
    constants: Mapping[str, Any],
    kind: Any,
    once: Once,
    *,
    as_onnx: bool,
) -> Layer:
    """The layer of a node, given the type of its input, if that is known."""
    arrays = [
        onnx.numpy_helper.to_array(constants[n]) if n in constants else None for n in node.input
    ]
    sizes = [shapes.get(name) for name in node.input]
    dtypes = [canonical_name(array.dtype) for array in arrays if array is not None]
    if kind is not None:
        element = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
        dtypes.append(canonical_name(element))
    dtype = next((each for each in dtypes if each in FLOAT_DTYPES), None)
    described = Node(
        node.name, node.op_type, attributes_of(node), list(node.input), arrays, sizes, dtype
    )
    X = sizes[_X]
    is_open = X is not None and len(X) == 3 and None in X[:2]
    layer = layer_of(described, graph.path, once, as_onnx=is_open or as_onnx)
    if isinstance(layer, RefusedLayer):
        raise _unsupported(node, f"{layer.reason}, {layer.clause}")
    return layer


def _check_columns(node: Any, X: Sequence[int | None], axes: Sequence[OpenAxis]) -> None:
    """Checks that the number of columns of a node's input, which weights must fit, is known."""
    if len(X) == 3 and X[2] is None:
        what = f"an input, {node.input[_X]!r}, whose last size is not known"
        remedies = " or ".join(axis.remedy for axis in axes)
        raise _unsupported(node, f"{what}; {remedies or 'fix open sizes (dims=..., --dim)'}")


def _unsupported(node: Any, what: str) -> UnsupportedError:
    return UnsupportedError(f"import_network: node {node.name!r} ({node.op_type}) has {what}")


@dataclass
class _Around:
    """The nodes that replace a recurrent node.

    Attributes:
        graph: The graph.
        node: The recurrent node.
        layer: Its layer.
        shapes: The known shapes of the graph's values.
        taken: The names of the graph's values.
        nodes: The nodes so far.
    """

    graph: Graph
    node: Any
    layer: Layer
    shapes: Mapping[str, list[int | None]]
    taken: frozenset[str]
    nodes: list[Any] = field(default_factory=lambda: [])

    def name(self, what: str) -> str:
        """The name of a new value, which is none of the graph's."""
        name = f"{self.node.name}.{what}"
        while name in self.taken:
            name += "_"
        return name

    def input(self, number: int) -> str:
        """The name of an input; empty if the node lacks it."""
        return self.node.input[number] if number < len(self.node.input) else ""

    def shape(self, name: str) -> list[int | None]:
        """The shape of a value, with None for open sizes."""
        shape = self.shapes.get(name)
        if shape is None or (None in shape and not self.graph.is_open):
            raise _unsupported(self.node, f"an input, {name!r}, whose sizes are not known")
        return shape

    def add(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **rest: Any) -> str:
        """Adds a node; returns its first output."""
        node, origins = self.node, self.graph.origins
        name = f"{node.name}/{operator}"
        origins[name] = origins.get(node.name, (node.name, node.op_type))
        self.nodes.append(onnx.helper.make_node(operator, inputs, outputs, name=name, **rest))
        return outputs[0]

    def typed(self, name: str, dtype: str, shape: Sequence[Size]) -> str:
        """Notes the type of a new value."""
        kind = onnx.helper.np_dtype_to_tensor_dtype(DTYPES[dtype].numpy)
        made = onnx.helper.make_tensor_value_info(name, kind, [*map(null_if_open, shape)])
        self.graph.proto.value_info.append(made)
        return name

    def constant(self, what: str, array: Any) -> str:
        """Adds a constant."""
        tensor = onnx.numpy_helper.from_array(np.asarray(array), self.name(what))
        self.graph.proto.initializer.append(tensor)
        return tensor.name

    def filled(self, what: str, value: float, dtype: str, shape: Sequence[int]) -> str:
        """Adds a value whose elements are all equal."""
        sizes = self.constant(f"{what}.shape", np.array(shape, np.int64))
        element = onnx.numpy_helper.from_array(np.array([value], DTYPES[dtype].numpy))
        name = self.typed(self.name(what), dtype, shape)
        return self.add("ConstantOfShape", [sizes], [name], value=element)

    def reshaped(self, source: str, what: str, dtype: str, shape: Sequence[int]) -> str:
        """Adds a reshaped value."""
        sizes = self.constant(f"{what}.shape", np.array(shape, np.int64))
        return self.add("Reshape", [source, sizes], [self.typed(self.name(what), dtype, shape)])


def _cudnn(around: _Around) -> None:
    """`CudnnRNNV3`: its output has the directions side by side, ONNX's has an axis of them."""
    layer, node = around.layer, around.node
    first = bool(layer.attributes["time_major"])
    shape = [size for size in around.shape(node.input[_X]) if size is not None]
    T, B = shape[:2] if first else (shape[1], shape[0])
    H = layer.dims["num_units"]
    assert H is not None
    D = 2 if layer.attributes["direction"] == "bidirectional" else 1
    state = [D, B, H] if first else [B, D, H]
    lengths = around.input(_LENGTHS)
    h, c = (
        around.input(number) or around.filled(name, 0, layer.dtype, state)
        for number, name in ((_H, "initial_h"), (_C, "initial_c"))
    )
    mode = RNN_MODES[str(layer.attributes["rnn_mode"])]
    if not mode.has_cell_state and not around.input(_C):
        c = h
    params = around.constant("params", layer.weights["params"])
    counts = lengths or around.filled("lengths", T, "int32", [B])
    form = OPS[layer.op].signature.form(layer.attributes)
    spec = form.specialize(
        dtype=layer.dtype,
        dims={**layer.dims, "seq_length": T, "batch_size": B},
        attributes=layer.attributes,
    )
    results = [
        around.typed(around.name(each.name), each.dtype, each.static_shape) for each in spec.results
    ]
    given = json.dumps({name: layer.attributes[name] for name in _ATTRIBUTES})
    operands = [node.input[_X], h, c, params, counts]
    around.add(layer.op, operands, results, domain=DOMAIN, backend_config=given)
    for number, result in ((1, "output_h"), (2, "output_c")):
        if number < len(node.output) and node.output[number]:
            around.add("Identity", [around.name(result)], [node.output[number]])
    if not node.output[0]:
        return
    leading = [T, B] if first else [B, T]
    apart = around.reshaped(results[0], "Y", layer.dtype, [*leading, D, H])
    if first:
        around.add("Transpose", [apart], [node.output[0]], perm=[0, 2, 1, 3])
    else:
        around.add("Identity", [apart], [node.output[0]])


_ATTRIBUTES = ("rnn_mode", "direction", "is_training", "time_major")
"""The attributes of CudnnRNNV3 that the node determines."""


def _block(around: _Around, clip: float) -> None:
    """`BlockLSTMV2`, which limits its cell; only the output of all steps is read."""
    layer, node = around.layer, around.node
    steps, batch, _ = around.shape(node.input[_X])
    if steps is None or batch is None:
        what = f"cells limited to {clip:g}, and needs the sizes of its input"
        raise _unsupported(node, f"{what}; give them a value (dims=..., --dim)")
    H = layer.dims["num_units"]

    def gates(array: Any) -> Any:
        """Gates along the first axis in the order i, f, c, o."""
        i, o, f, c = np.split(array, 4)
        return np.concatenate([i, f, c, o])

    held: Mapping[str, Any] = layer.weights
    W, R, B = (held[name][0] for name in ("W", "R", "B"))
    P = held.get("P")
    i, o, f = np.zeros((3, H or 0), np.float32) if P is None else np.split(P[0], 3)
    weights: dict[str, Any] = {
        "w": np.transpose(np.concatenate([gates(W), gates(R)], 1)),
        **{"wci": i, "wcf": f, "wco": o},
        "b": gates(sum(np.split(B, 2))),
    }
    attributes = {"cell_clip": clip, "use_peephole": P is not None}
    dims = {**layer.dims, "seq_length": steps, "batch_size": batch}
    form = OPS["BlockLSTMV2"].signature.form(attributes)
    spec = form.specialize(dtype=layer.dtype, dims=dims, attributes=attributes)
    results = [
        around.typed(around.name(each.name), each.dtype, each.shape) for each in spec.results
    ]
    states = [
        around.filled(name, 0, layer.dtype, [batch, H or 0]) for name in ("cs_prev", "h_prev")
    ]
    count = around.constant("steps", np.array(steps, np.int64))
    arrays = [around.constant(name, np.ascontiguousarray(each)) for name, each in weights.items()]
    operands = [count, node.input[_X], *states, *arrays]
    config = json.dumps(attributes)
    around.add("BlockLSTMV2", operands, results, domain=DOMAIN, backend_config=config)
    h = around.name("h")
    around.add("Unsqueeze", [h, around.constant("axis", np.array([1], np.int64))], node.output[:1])


def _onnx(around: _Around) -> None:
    """One of ONNX's own ops, with the node's inputs and outputs."""
    layer, node = around.layer, around.node
    passed = {name: around.input(k) for k, name in enumerate(INPUTS) if around.input(k)}
    if "P" not in str(layer.attributes["inputs"]).split():  # omitted peepholes are zeros
        passed.pop("P", None)
    optional = " ".join(name for name in passed if name not in _REQUIRED)
    attributes = {**layer.attributes, "inputs": optional}
    first, second, _ = around.shape(node.input[_X])
    steps, batch = (second, first) if layer.attributes["layout"] else (first, second)
    dims = {**layer.dims, "seq_length": steps, "batch_size": batch}
    form = OPS[layer.op].signature.form(attributes)
    spec = form.specialize(dtype=layer.dtype, dims=dims, attributes=attributes)
    results = [
        around.typed(around.name(each.name), each.dtype, each.shape) for each in spec.results
    ]
    config = json.dumps(attributes)
    around.add(layer.op, list(passed.values()), results, domain=DOMAIN, backend_config=config)
    for result, output in zip(results, node.output, strict=False):
        if output:
            around.add("Identity", [result], [output])


_REQUIRED = ("X", "W", "R")


def arguments_of(attributes: Mapping[str, Any]) -> list[str]:
    """The names of the inputs of a node for one of ONNX's own ops."""
    return [*_REQUIRED, *attributes["inputs"].split()]


_COMPUTED_BY: Mapping[str, Callable[[_Around], None]] = {
    "CudnnRNNV3": _cudnn,
    **dict.fromkeys((f"onnx.{kind}" for kind in KINDS), _onnx),
}
"""The function that builds the nodes for each of our ops."""
