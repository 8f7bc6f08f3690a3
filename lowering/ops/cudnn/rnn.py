"""CudnnRNN, V2, V3 and their gradients: stacked recurrent layers in one or two directions.

All layouts here are time-major; `signatures` describes those of the ops, `schema.cudnn_layout`
those of the parameters and of `reserve_space`. Pseudo-layer ``pl = D*layer + direction``.

Forward, for each layer; x is the input, or the output of the layer below times its dropout mask:

    zx = x @ W^T, all steps in one product; with skip_input, x itself for every gate
    y, h, c = the cell's `Direction` over zx + biases, separately for each direction
    output = [forward | backward] along the last axis

Backward, from the top layer down (`ops.layers.gradient` has that of one layer): the gradient of a
layer's input, summed over its directions, times the dropout mask, is the gradient of the output of
the layer below. It reads the values that the forward pass saved, and recomputes only tanh(c).

Padding is excluded by select, so padded rows of input and output_backprop may hold NaN.

Sources: tensorflow/core/kernels/cudnn_rnn_ops.cc; cuDNN's developer guide (cudnnRNNMode_t,
cudnnSetRNNDescriptor_v8) for the cells' equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.products import Products
from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cudnn.dropout import dropout_mask
from rnn_compiler.lowering.ops.cudnn.network import CudnnNetwork
from rnn_compiler.lowering.ops.layers.gradient import DirectionGradient, add_blocks, input_gradient
from rnn_compiler.schema.cudnn_layout import BufferPart, PseudoLayer
from rnn_compiler.schema.open_sizes import Size, product

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a forward op."""
    net = CudnnNetwork.of(b, spec, args)
    reserve, storage = net.reserve, net.spec.dtype
    training = bool(spec.attributes["is_training"])
    masks: Sequence[Value] = []
    kept: list[tuple[Size, Value]] = []
    if training and reserve.has_mask:
        mask = dropout_mask(b, args, reserve.dropout, reserve.mask.shape, storage)
        kept.append((reserve.mask.offset, mask))
        b.formula("mask = of each boundary between layers")
        masks = [each.reshape(*each.shape[1:]) for each in mask.split(0, net.layout.num_layers - 1)]
    initial = net.states("")
    final: dict[str, list[Value]] = {"h": [], "c": []}
    x = net.swap(args["input"])
    for layer in range(net.layout.num_layers):
        outputs: list[Value] = []
        for index, each in net.layer(layer):
            zx, biases = _input_projection(net, each, x)
            state = net.state(initial, index)
            results = net.direction(each).forward(zx, biases, state, training=training)
            outputs.append(results["y"])
            if "activations" in results:
                kept.append((reserve.activations[index].offset, results["activations"]))
            for name in state:
                b.formula(f"output_{name} = of pseudo-layer {index}")
                final[name].append(results[name].reshape(1, *results[name].shape))
        b.formula("output = [forward, backward]")
        x = b.concatenate(outputs, 2)
        if layer < net.layout.num_layers - 1:
            kept.append((reserve.outputs[layer].offset, x))
            x = net.times_mask(x, masks[layer]) if masks else x
    b.formula("output_h = of all pseudo-layers")
    results = {"output": x, "output_h": b.concatenate(final["h"], 0)}
    b.formula("output_c = of all pseudo-layers")
    zero = b.constant(0, storage)
    results["output_c"] = b.concatenate(final["c"], 0) if final["c"] else zero
    results = {name: net.swap(value) for name, value in results.items()}
    b.formula("reserve_space = mask, layer outputs, activations")
    results["reserve_space"] = b.assemble(kept, reserve.size) if training else zero
    if "host_reserved" in [result.name for result in spec.results]:
        b.formula("host_reserved = 0")
        results["host_reserved"] = b.full(0, spec.results[-1].shape, "int8")
    return [results[result.name] for result in spec.results]


def _input_projection(
    net: CudnnNetwork, pseudo_layer: PseudoLayer, x: Value
) -> tuple[Value, Values]:
    """The input projection of all steps, and the biases: ``b``, and those that the cell adds."""
    b = net.b
    bW = net.part("params", pseudo_layer.input_bias).to(net.spec.compute)
    bR = net.part("params", pseudo_layer.recurrent_bias).to(net.spec.compute)
    bias, biases = net.cell.biases(b, bW, bR)
    biases = {"b": bias, **biases}
    if net.skips(pseudo_layer):
        b.formula("zx = [x, ..]")
        return b.concatenate([x.to(net.spec.compute)] * len(net.layout.gates), 2), biases
    W = net.part("params", pseudo_layer.input)
    b.formula("zx = x @ W^T")
    return Products(b, lengths=net.steps.lengths).rows(x, W, 1, net.spec.compute), biases


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a gradient op."""
    net = CudnnNetwork.of(b, spec, args)
    layout = net.layout
    initial, upstream = net.states(""), net.states("_backprop")
    upstream = {name: value.to(net.spec.compute) for name, value in upstream.items()}
    outputs = [net.part("reserve_space", block) for block in net.reserve.outputs]
    outputs.append(net.steps.where_valid(b, net.swap(args["output"])))
    masks = _stored_masks(net)
    b.formula("params_backprop = 0")
    params = b.full(0, (layout.size,), net.spec.compute)
    pending: list[tuple[Size, Value]] = []
    states: dict[str, list[tuple[Size, Value]]] = {name: [] for name in initial}
    dy = net.swap(args["output_backprop"])
    for layer in reversed(range(layout.num_layers)):
        x = outputs[layer - 1] if layer else net.steps.where_valid(b, net.swap(args["input"]))
        if layer and masks:
            x = net.times_mask(x, masks[layer - 1])
        directions = _started(net, layer, x, outputs[layer], dy, initial, upstream)
        params = add_blocks(directions, params)
        for (index, _), direction in zip(net.layer(layer), directions, strict=True):
            pending += direction.pending
            for name in initial:
                part = direction.initial_state(name).to(net.spec.dtype)
                states[name].append((index * product(part.shape), part))
        dy = input_gradient(directions).to(net.spec.dtype)
        if layer and masks:
            dy = net.times_mask(dy, masks[layer - 1])
    b.formula("params_backprop = all matrices, then all biases")
    for offset, value in pending:
        params = params.with_part(offset, value.flat())
    results = {
        "input": net.steps.where_valid(b, dy),
        "params": params,
        "input_c": b.constant(0, net.spec.dtype),
    }
    for name, value in initial.items():
        b.formula(f"input_{name}_backprop = of all pseudo-layers")
        flat = b.assemble(states[name], product(value.shape))
        results[f"input_{name}"] = flat.reshape(*value.shape)
    return [
        net.swap(results[result.name.removesuffix("_backprop")]).to(result.dtype)
        for result in spec.results
    ]


def _stored_masks(net: CudnnNetwork) -> Sequence[Value]:
    """The dropout masks that the forward pass stored, one per boundary; none without dropout."""
    reserve = net.reserve
    if not reserve.has_mask:
        return []
    shape = reserve.mask.shape[1:]
    blocks = [BufferPart(k * product(shape), shape) for k in range(net.layout.num_layers - 1)]
    return [net.part("reserve_space", block) for block in blocks]


def _started(
    net: CudnnNetwork, layer: int, x: Value, y: Value, dy: Value, initial: Values, upstream: Values
) -> list[DirectionGradient]:
    """The gradients of a layer's directions, before their first block of time."""
    started: list[DirectionGradient] = []
    for index, each in net.layer(layer):
        saved = net.reserve.activations[index]
        column = each.direction * net.layout.hidden_size
        activations = net.part("reserve_space", saved) if saved.size else None
        state = net.state(initial, index)
        started.append(DirectionGradient(net, each, dy, x, y, column, activations, state))
        started[-1].start(net.state(upstream, index, "d"))
    return started
