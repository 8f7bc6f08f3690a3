"""The rule of LSTM, GRU and RNN: a node of our gradient op (`lowering.ops.onnx`).

`graph.recurrent` has replaced the nodes by our ops, which save what the gradient needs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.ops.onnx.kinds import KINDS
from rnn_compiler.network_import.graph import onnx
from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import ShapedValue, Values
from rnn_compiler.network_import.graph.recurrent import DOMAIN, arguments_of
from rnn_compiler.schema.dtypes import canonical_name
from rnn_compiler.schema.open_sizes import bound


def _recurrent(n: Backward) -> None:
    """All gradients at once, from those of Y and of the last states."""
    attributes = json.loads(n.number("backend_config", ""))
    names = arguments_of(attributes)
    given: dict[str, ShapedValue] = {name: n.input(number) for number, name in enumerate(names)}
    forward = OPS[n.node.op_type].signature.form(attributes)
    for number, result in enumerate(forward.results):
        made = n.values[n.node.output[number]]
        given[result.name] = made
        gradient = n.result_gradient(number)
        if gradient is None and result.name != "reserve_space":
            gradient = n.values.filled(0, made.kind, made.sizes)
        if gradient is not None:
            given[f"{result.name}_grad"] = gradient
    attributes.pop("is_training")
    op = f"{n.node.op_type}Grad"
    form = OPS[op].signature.form(attributes)
    operands = [given[each.name] for each in form.arguments]
    results = [each.name.removesuffix("_grad") for each in form.results]
    outputs = [n.values.name(f"{each}_grad") for each in results]
    n.values.add_op(op, DOMAIN, operands, outputs, json.dumps(attributes))
    for name, output in zip(results, outputs, strict=True):
        source = given[name]
        made = n.values.typed(output, source.kind, source.shape)
        if n.wants(names.index(name)):
            n.give(names.index(name), made)


RECURRENT: Mapping[str, Callable[[Backward], None]] = {f"onnx.{kind}": _recurrent for kind in KINDS}
"""The rules of recurrent layers."""


def note_shapes(values: Values) -> None:
    """Notes the shapes of our ops' results in terms of the open sizes of the graph."""
    for node in values.graph.proto.node:
        if node.domain != DOMAIN or node.op_type not in RECURRENT:
            continue
        attributes = json.loads(onnx.helper.get_node_attr_value(node, "backend_config"))
        X, R = (values[node.input[k]] for k in (0, 2))
        first, second, width = X.sizes
        steps, batch = (second, first) if attributes["layout"] else (first, second)
        dims = {"seq_length": None, "batch_size": None, "input_size": width, "num_units": R.size(2)}
        form = OPS[node.op_type].signature.form(attributes)
        dtype = canonical_name(onnx.helper.tensor_dtype_to_np_dtype(X.kind))
        spec = form.specialize(dtype=dtype, dims=dims, attributes=attributes)
        sizes = {"seq_length": steps, "batch_size": batch}
        for name, result in zip(node.output, spec.results, strict=True):
            values.know(name, X.kind, [bound(size, sizes) for size in result.shape])
