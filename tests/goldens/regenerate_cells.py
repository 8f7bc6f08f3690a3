"""Records the golden files of `from_cell`: cells of other frameworks, run by these themselves.

    python tests/goldens/regenerate_cells.py haiku            # compare with what is installed
    python tests/goldens/regenerate_cells.py haiku --write    # store what is installed gives

Each framework needs its own package alone, and numpy; this runs with Python 3.7, as some need an
old one. A file holds the cells of one framework. A cell has its parameters, random numbers under
the framework's names, an input ``x [T, B, I]``, and the framework's output ``y [T, B, D * H]`` from
a state of zeros.
"""

from __future__ import annotations

import argparse
import importlib
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "cells"
T, B, I, H = 4, 2, 2, 3  # noqa: E741

Tree = Any
Case = Any
"""Name, parameters of each cell, output, and options of `from_cell`."""


def rng(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def numbers(name: str, *shape: int) -> Any:
    return rng(f"{name}{shape}").normal(0, 0.6, shape).astype(np.float32)


def x_of(name: str) -> Any:
    return rng(f"x of {name}").normal(0, 1, (T, B, I)).astype(np.float32)


def filled(tree: Tree, name: str) -> Tree:
    """A tree of dicts with random numbers for its arrays."""
    if hasattr(tree, "items"):
        return {key: filled(each, f"{name}.{key}") for key, each in tree.items()}
    return numbers(name, *tree.shape)


def unrolled(step: Callable[[Any, Any], tuple[Any, Any]], state: Any, x: Any) -> Any:
    """The outputs of a cell for each step; step(state, x) gives the next state and an output."""
    rows = []
    for each in x:
        state, y = step(state, each)
        rows.append(np.asarray(y))
    return np.stack(rows)


def flax() -> Iterator[Case]:
    import jax
    from flax import linen, nnx

    for kind in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "SimpleCell"):
        name = f"flax.nnx.{kind}"
        cell = getattr(nnx, kind)(I, H, rngs=nnx.Rngs(0))
        state = nnx.state(cell, nnx.Param)
        pure = filled(nnx.to_pure_dict(state), name)
        nnx.replace_by_pure_dict(state, pure)
        nnx.update(cell, state)
        carry = cell.initialize_carry((B, I), nnx.Rngs(0))
        yield name, [pure], unrolled(cell, carry, x_of(name)), {}
    name = "flax.nnx.LSTMCell"
    cells = [nnx.LSTMCell(I, H, rngs=nnx.Rngs(k)) for k in range(2)]
    model = nnx.Bidirectional(*(nnx.RNN(cell, time_major=True) for cell in cells), time_major=True)
    state = nnx.state(model, nnx.Param)
    pure = filled(nnx.to_pure_dict(state), f"{name} both")
    nnx.replace_by_pure_dict(state, pure)
    nnx.update(model, state)
    both = [pure["forward_rnn"]["cell"], pure["backward_rnn"]["cell"]]
    yield name, both, model(x_of(name)), {"bidirectional": True}
    for kind in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "MGUCell", "SimpleCell"):
        name = f"flax.linen.{kind}"
        cell = getattr(linen, kind)(H)
        carry = cell.initialize_carry(jax.random.key(0), (B, I))
        params = filled(cell.init(jax.random.key(0), carry, x_of(name)[0])["params"], name)
        step = lambda state, x: cell.apply({"params": params}, state, x)  # noqa: E731, B023
        yield name, [{"params": params}], unrolled(step, carry, x_of(name)), {}


def equinox() -> Iterator[Case]:
    import equinox
    import jax

    for kind in ("LSTMCell", "GRUCell"):
        for bias in (True, False):
            name = f"equinox.nn.{kind}"
            cell = getattr(equinox.nn, kind)(I, H, use_bias=bias, key=jax.random.key(0))
            fields = [n for n in ("weight_ih", "weight_hh", "bias", "bias_n") if hasattr(cell, n)]
            fields = [n for n in fields if getattr(cell, n) is not None]
            params = {n: numbers(f"{name}{n}", *getattr(cell, n).shape) for n in fields}
            for n in fields:
                cell = equinox.tree_at(lambda c: getattr(c, n), cell, params[n])  # noqa: B023
            rows = []
            for row in np.moveaxis(x_of(name), 1, 0):
                zero = np.zeros(H, np.float32)
                state = (zero, zero) if kind == "LSTMCell" else zero
                found = []
                for each in row:
                    state = cell(each, state)
                    found.append(np.asarray(state[0] if kind == "LSTMCell" else state))
                rows.append(np.stack(found))
            yield name, [params], np.stack(rows, 1), {}


def haiku() -> Iterator[Case]:
    import haiku as hk
    import jax

    for kind, options in (
        ("LSTM", {}), ("GRU", {}), ("VanillaRNN", {}), ("VanillaRNN", {"double_bias": False}),
    ):  # fmt: skip
        name = f"haiku.{kind}"

        def run(x: Any) -> Any:
            core = getattr(hk, kind)(H, **options)  # noqa: B023
            return hk.dynamic_unroll(core, x, core.initial_state(B))[0]

        model = hk.without_apply_rng(hk.transform(run))
        params = filled(model.init(jax.random.key(0), x_of(name)), name)
        yield name, [params], model.apply(params, x_of(name)), {}


def keras(package: str = "keras") -> Iterator[Case]:
    """Keras 3; as tf_keras, Keras 2 of after 2.3."""
    layers = importlib.import_module(package).layers
    hard = {"recurrent_activation": "hard_sigmoid"}
    for name, options, told in (
        ("LSTM", {}, {}),
        ("LSTM", {"use_bias": False}, {}),
        ("LSTM", hard, hard),
        ("GRU", {}, {}),
        ("GRU(reset_after=False)", {"reset_after": False}, {}),
        ("SimpleRNN", {"activation": "relu"}, {"activation": "relu"}),
    ):
        layer = getattr(layers, name.partition("(")[0])(H, return_sequences=True, **options)
        layer.build((B, T, I))
        arrays = [numbers(f"keras {name}{k}", *w.shape) for k, w in enumerate(layer.weights)]
        layer.set_weights(arrays)
        name = f"{package}.layers.{name}"
        y = np.asarray(layer(x_of(name).swapaxes(0, 1))).swapaxes(0, 1)
        named = {w.name: array for w, array in zip(layer.weights, arrays)}  # noqa: B905
        yield name, [named], y, told
    name = f"{package}.layers.GRU"
    both = layers.Bidirectional(layers.GRU(H, return_sequences=True))
    both.build((B, T, I))
    arrays = [numbers(f"keras both{k}", *w.shape) for k, w in enumerate(both.weights)]
    both.set_weights(arrays)
    y = np.asarray(both(x_of(name).swapaxes(0, 1))).swapaxes(0, 1)
    named = [w.name for w in both.weights[:3]]
    trees = [dict(zip(named, half)) for half in (arrays[:3], arrays[3:])]  # noqa: B905
    yield name, trees, y, {"bidirectional": True}


def torch_like(module: Any, name: str, run: Callable[[Any, Any], Any], put: Any) -> Case:
    """A module with torch's names; put gives it an array as a tensor."""
    params = {key: numbers(f"{name}{key}", *each.shape) for key, each in module.items()}
    put(params)
    return name, [params], run(x_of(name), params), {}


def torch() -> Iterator[Case]:
    import torch

    for name, options in (
        ("LSTM", {"num_layers": 2, "bidirectional": True}), ("LSTM", {"proj_size": 2}),
        ("GRU", {"bidirectional": True}), ("RNN", {"nonlinearity": "relu"}),
        ("GRU", {"bias": False}),
    ):  # fmt: skip
        module = getattr(torch.nn, name)(I, H, **options)
        name = f"torch.nn.{name}"
        params = {k: numbers(f"{name}{k}", *v.shape) for k, v in module.state_dict().items()}
        module.load_state_dict({k: torch.from_numpy(v) for k, v in params.items()})
        told = {"activation": "relu"} if "nonlinearity" in options else {}
        yield name, [params], module(torch.from_numpy(x_of(name)))[0].detach().numpy(), told
    for kind in ("LSTMCell", "GRUCell", "RNNCell"):
        cell = getattr(torch.nn, kind)(I, H)
        name = f"torch.nn.{kind}"
        params = {k: numbers(f"{name}{k}", *v.shape) for k, v in cell.state_dict().items()}
        cell.load_state_dict({k: torch.from_numpy(v) for k, v in params.items()})

        def step(state: Any, x: Any) -> Any:
            with torch.no_grad():
                new = cell(torch.from_numpy(x), state)  # noqa: B023
            return new, (new[0] if isinstance(new, tuple) else new).numpy()

        yield name, [params], unrolled(step, None, x_of(name)), {}


def tinygrad() -> Iterator[Case]:
    from tinygrad import Tensor, nn

    name = "tinygrad.nn.LSTMCell"
    cell = nn.LSTMCell(I, H)
    state_dict = nn.state.get_state_dict(cell)
    params = {k: numbers(f"{name}{k}", *v.shape) for k, v in state_dict.items()}
    nn.state.load_state_dict(cell, {k: Tensor(v) for k, v in params.items()}, verbose=False)
    state: Any | None = None
    rows = []
    for each in x_of(name):
        state = cell(Tensor(each), state)
        rows.append(state[0].numpy())
    yield name, [params], np.stack(rows), {}


def mlx() -> Iterator[Case]:
    import mlx.core as mx
    from mlx import nn
    from mlx.utils import tree_flatten, tree_unflatten

    for kind, options, told in (
        ("LSTM", {}, {}), ("LSTM", {"bias": False}, {}), ("GRU", {}, {}), ("RNN", {}, {}),
        ("RNN", {"nonlinearity": nn.relu}, {"activation": "relu"}),
    ):  # fmt: skip
        name = f"mlx.nn.{kind}"
        layer = getattr(nn, kind)(I, H, **options)
        flat = {k: numbers(f"{name}{k}", *v.shape) for k, v in tree_flatten(layer.parameters())}
        layer.update(tree_unflatten([(k, mx.array(v)) for k, v in flat.items()]))
        y = layer(mx.array(x_of(name).swapaxes(0, 1)))
        y = y[0] if isinstance(y, tuple) else y
        yield name, [flat], np.array(y).swapaxes(0, 1), told


def paddle() -> Iterator[Case]:
    import paddle

    for kind, options, told in (
        ("LSTM", {"num_layers": 2, "direction": "bidirect"}, {}), ("LSTM", {"proj_size": 2}, {}),
        ("GRU", {"direction": "bidirect"}, {}), ("GRU", {"num_layers": 2}, {}),
        ("SimpleRNN", {}, {}), ("SimpleRNN", {"activation": "relu"}, {"activation": "relu"}),
    ):  # fmt: skip
        name = f"paddle.nn.{kind}"
        module = getattr(paddle.nn, kind)(I, H, time_major=True, **options)
        shapes = {k: v.shape for k, v in module.state_dict().items()}
        given = {
            k: numbers(f"{name}{k}", *v) for k, v in shapes.items() if "." not in k or "_ho" in k
        }
        module.set_state_dict({k: paddle.to_tensor(v) for k, v in given.items()})
        params = {k: v.numpy() for k, v in module.state_dict().items()}
        for k, v in given.items():
            assert (params[k] == v).all(), k
        yield name, [params], module(paddle.to_tensor(x_of(name)))[0].numpy(), told
    for kind in ("LSTMCell", "GRUCell", "SimpleRNNCell"):
        options = {"proj_size": 2} if kind == "LSTMCell" else {}
        name = f"paddle.nn.{kind}"
        cell = getattr(paddle.nn, kind)(I, H, **options)
        params = {k: numbers(f"{name}{k}", *v.shape) for k, v in cell.state_dict().items()}
        cell.set_state_dict({k: paddle.to_tensor(v) for k, v in params.items()})

        def step(state: Any, x: Any) -> Any:
            y, new = cell(paddle.to_tensor(x), state)  # noqa: B023
            return new, y.numpy()

        state = None
        if options:  # the states that the cell makes itself do not fit a projection
            state = paddle.zeros([B, 2]), paddle.zeros([B, H])
        yield name, [params], unrolled(step, state, x_of(name)), {}


def mindspore() -> Iterator[Case]:
    import mindspore

    for kind, options in (
        ("LSTM", {"num_layers": 2, "bidirectional": True}), ("GRU", {"bidirectional": True}),
        ("RNN", {}), ("LSTMCell", {}), ("GRUCell", {}), ("RNNCell", {}),
    ):  # fmt: skip
        name = f"mindspore.nn.{kind}"
        module = getattr(mindspore.nn, kind)(I, H, **options)
        params = {}
        for each in module.get_parameters():
            params[each.name] = numbers(f"{name}{each.name}", *each.shape)
            each.set_data(mindspore.Tensor(params[each.name]))
        x = mindspore.Tensor(x_of(name))
        if kind.endswith("Cell"):
            zero = mindspore.Tensor(np.zeros((B, H), np.float32))
            state: Any = (zero, zero) if kind == "LSTMCell" else zero
            rows = []
            for each in x_of(name):
                state = module(mindspore.Tensor(each), state)
                rows.append((state[0] if kind == "LSTMCell" else state).asnumpy())
            yield name, [params], np.stack(rows), {}
        else:
            yield name, [params], module(x)[0].asnumpy(), {}


def mxnet() -> Iterator[Case]:
    np.bool = bool  # which this version of MXNet still uses
    import mxnet
    from mxnet.gluon import rnn

    for kind, options, told in (
        ("LSTM", {"num_layers": 2, "bidirectional": True}, {}),
        ("LSTM", {"projection_size": 2}, {}),
        ("GRU", {"bidirectional": True}, {}), ("RNN", {}, {}),
        ("RNN", {"activation": "tanh"}, {"activation": "tanh"}),
        ("LSTMCell", {}, {}), ("GRUCell", {}, {}), ("RNNCell", {}, {}),
    ):  # fmt: skip
        name = f"mxnet.gluon.rnn.{kind}"
        block = getattr(rnn, kind)(H, input_size=I, **options)
        block.initialize()
        params = {}
        for key, each in block._collect_params_with_prefix().items():
            params[key] = numbers(f"{name}{key}", *each.shape)
            each.set_data(mxnet.nd.array(params[key]))
        x = mxnet.nd.array(x_of(name))
        y = block.unroll(T, x, layout="TNC", merge_outputs=True)[0] if "Cell" in kind else block(x)
        yield name, [params], y.asnumpy(), told


def chainer() -> Iterator[Case]:
    import chainer
    from chainer import links

    def set_all(link: Any, name: str) -> dict[str, Any]:
        params = {}
        for path, each in link.namedparams():
            params[path.lstrip("/")] = numbers(f"{name}{path}", *each.shape)
            each.array[...] = params[path.lstrip("/")]
        return params

    for kind in ("LSTM", "StatelessLSTM", "StatefulGRU", "StatelessGRU"):
        name = f"chainer.links.{kind}"
        link = getattr(links, kind)(I, H)
        params = set_all(link, name)
        zero = chainer.Variable(np.zeros((B, H), np.float32))
        state: Any = (zero, zero)
        if kind == "StatefulGRU":  # without a state, its first step has other formulas
            link.set_state(zero)
        rows = []
        for each in x_of(name):
            if kind == "StatelessLSTM":
                state = link(*state, each)
                y = state[1]
            elif kind == "StatelessGRU":
                y = link(state[0], each)
                state = (y,)
            else:
                y = link(each)
            rows.append(y.array)
        yield name, [params], np.stack(rows), {}
    for kind in ("LSTM", "BiLSTM", "GRU", "BiGRU", "RNNTanh", "BiRNNTanh", "RNNReLU", "BiRNNReLU"):
        name = f"chainer.links.NStep{kind}"
        link = getattr(links, f"NStep{kind}")(2, I, H, 0.0)
        params = set_all(link, name)
        rows = np.moveaxis(x_of(name), 1, 0)
        states = [None, None] if "LSTM" in kind else [None]
        with chainer.using_config("train", False):
            found = link(*states, [np.ascontiguousarray(row) for row in rows])[-1]
        yield name, [params], np.stack([each.array for each in found], 1), {}


def nnabla() -> Iterator[Case]:
    import nnabla
    from nnabla import functions, parametric_functions

    def run(name: str, made: Callable[[Any], Any]) -> Case:
        nnabla.clear_parameters()
        x = nnabla.Variable.from_numpy_array(x_of(name))
        y = made(x)
        params = {}
        for key, each in nnabla.get_parameters().items():
            params[key] = numbers(f"{name}{key}", *each.shape)
            each.d = params[key]
        y.forward()
        return name, [params], np.array(y.d), {}

    def zeros(*shape: int) -> Any:
        return nnabla.Variable.from_numpy_array(np.zeros(shape, np.float32))

    package = "nnabla.parametric_functions"
    for layers, both in ((1, False), (2, True)):
        states = [zeros(layers, 1 + both, B, H)] * 2
        for kind, count in (("lstm", 2), ("gru", 1), ("rnn", 1)):

            def stack(x: Any) -> Any:
                function = getattr(parametric_functions, kind)  # noqa: B023
                options = {"num_layers": layers, "bidirectional": both}  # noqa: B023
                return function(x, *states[:count], training=False, **options)[0]  # noqa: B023

            yield run(f"{package}.{kind}", stack)

    def cells(x: Any) -> Any:
        h, c, rows = zeros(B, H), zeros(B, H), []
        for t in range(T):
            h, c = parametric_functions.lstm_cell(x[t], h, c, H)
            rows.append(h)
        return functions.stack(*rows)

    yield run(f"{package}.lstm_cell", cells)


def dynet() -> Iterator[Case]:
    import dynet

    for kind in ("VanillaLSTM", "CompactVanillaLSTM", "GRU", "SimpleRNN"):
        for layers in (1, 2) if kind != "GRU" else (1,):
            name = f"dynet.{kind}Builder"
            collection = dynet.ParameterCollection()
            builder = getattr(dynet, f"{kind}Builder")(layers, I, H, collection)
            trees = []
            for layer, parameters in enumerate(builder.get_parameters()):
                trees.append({})
                for number, each in enumerate(parameters):
                    shape = each.as_array().shape
                    array = numbers(f"{name}{layer}{number}", *shape)
                    each.set_value(array)
                    trees[-1][str(number)] = array
            rows = []
            for b in range(B):
                dynet.renew_cg()
                builder_state = builder.initial_state()
                steps = [dynet.inputVector(each) for each in x_of(name)[:, b]]
                rows.append(np.stack([y.npvalue() for y in builder_state.transduce(steps)]))
            yield name, trees, np.stack(rows, 1), {}


def older_keras() -> Iterator[Case]:
    """Keras 1 and 2.0 to 2.2, with Theano."""
    import keras
    from keras import layers

    age = keras.__version__.split(".")[0]
    units = {"output_dim": H, "input_dim": I} if age == "1" else {"units": H, "input_shape": (T, I)}
    sigmoid = {"inner_activation" if age == "1" else "recurrent_activation": "sigmoid"}
    told = {"recurrent_activation": "sigmoid"}
    variants: list[Any] = [("LSTM", {}, {}), ("GRU", {}, {}), ("GRU", sigmoid, told)]
    if age == "1":
        variants += [
            ("LSTM(consume_less='gpu')", {"consume_less": "gpu"}, {}),
            ("GRU(consume_less='gpu')", {"consume_less": "gpu"}, {}),
        ]
    else:
        variants += [("GRU(reset_after=True)", {"reset_after": True}, {})]
    for kind, options, how in [*variants, ("SimpleRNN", {}, {})]:
        name = f"keras{age}.layers.{kind}"
        layer = getattr(layers, kind.partition("(")[0])(return_sequences=True, **units, **options)
        model = keras.models.Sequential([layer])
        arrays = [numbers(f"{name}{k}", *w.shape) for k, w in enumerate(layer.get_weights())]
        layer.set_weights(arrays)
        y = model.predict(x_of(name).swapaxes(0, 1)).swapaxes(0, 1)
        yield name, [{str(k): array for k, array in enumerate(arrays)}], y, how


def tensorflow() -> Iterator[Case]:
    """The cells of TensorFlow 1, which TensorFlow had until 2.15."""
    import tensorflow

    tf1 = tensorflow.compat.v1
    for kind, options, told in (
        ("BasicLSTMCell", {}, {}),
        ("BasicLSTMCell", {"forget_bias": 0.5}, {"forget_bias": 0.5}),
        ("LSTMCell", {"use_peepholes": True}, {}), ("LSTMCell", {"num_proj": 2}, {}),
        ("GRUCell", {}, {}), ("BasicRNNCell", {}, {}),
        ("BasicRNNCell", {"activation": "relu"}, {"activation": "relu"}),
    ):  # fmt: skip
        name = f"tensorflow.nn.rnn_cell.{kind}"
        with tensorflow.Graph().as_default(), tf1.Session() as session:
            cell = getattr(tf1.nn.rnn_cell, kind)(H, **options)
            x = tensorflow.constant(x_of(name))
            y = tf1.nn.dynamic_rnn(cell, x, time_major=True, dtype="float32")[0]
            params = {}
            for each in tf1.global_variables():
                key = each.op.name
                params[key] = numbers(f"{name}{key}", *each.shape.as_list())
                each.load(params[key], session)
            yield name, [params], session.run(y), told


def lasagne() -> Iterator[Case]:
    import sys

    import theano
    from theano.tensor.signal import pool

    sys.modules["theano.tensor.signal.downsample"] = pool  # its old name, which Lasagne imports
    theano.tensor.signal.downsample = pool
    from lasagne import init, layers

    # Peepholes are left out: version 0.1 adds that of the output gate after its sigmoid.
    for kind, options in (("LSTMLayer", {"peepholes": False}), ("GRULayer", {})):
        name = f"lasagne.layers.{kind}"
        variable = theano.tensor.tensor3("x", dtype="float32")
        zero = {"hid_init": init.Constant(0.0)}
        layer = getattr(layers, kind)(
            layers.InputLayer((None, None, I), variable), H, **zero, **options
        )
        params = {}
        for each in layer.get_params():
            value = each.get_value()
            if not each.name.endswith("_init"):
                value = numbers(f"{name}{each.name}", *value.shape)
                each.set_value(value)
            params[each.name] = value
        y = theano.function([variable], layers.get_output(layer))(x_of(name).swapaxes(0, 1))
        yield name, [params], y.swapaxes(0, 1), {}


def ncnn() -> Iterator[Case]:
    import struct
    import tempfile

    import ncnn

    for kind, gates, both in (
        ("LSTM", 4, False),
        ("LSTM", 4, True),
        ("GRU", 3, True),
        ("RNN", 1, True),
    ):
        name, D = f"ncnn.{kind}", 1 + both
        params = {
            "weight_xc_data": numbers(f"{name}x{both}", D, gates * H, I),
            "bias_c_data": numbers(f"{name}b{both}", D, 4 if kind == "GRU" else gates, H),
            "weight_hc_data": numbers(f"{name}h{both}", D, gates * H, H),
        }
        with tempfile.TemporaryDirectory() as folder:
            graph, weights = Path(folder) / "net.param", Path(folder) / "net.bin"
            size = params["weight_xc_data"].size
            graph.write_text(
                f"7767517\n2 2\nInput x 0 1 x\n{kind} y 1 1 x y 0={H} 1={size} 2={2 * both}\n"
            )
            weights.write_bytes(
                b"".join(struct.pack("<i", 0) + a.tobytes() for a in params.values())
            )
            net = ncnn.Net()
            net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
            net.opt.use_bf16_storage = False
            net.load_param(str(graph))
            net.load_model(str(weights))
            rows = []
            for b in range(B):
                with net.create_extractor() as extractor:
                    extractor.input("x", ncnn.Mat(np.ascontiguousarray(x_of(name)[:, b])))
                    rows.append(np.array(extractor.extract("y")[1]))
        yield name, [params], np.stack(rows, 1), {}


FRAMEWORKS = {
    "flax": flax, "equinox": equinox, "haiku": haiku, "keras": keras, "torch": torch,
    "tinygrad": tinygrad, "mlx": mlx, "paddle": paddle, "mindspore": mindspore, "mxnet": mxnet,
    "chainer": chainer, "nnabla": nnabla, "dynet": dynet, "keras1": older_keras,
    "keras2": older_keras, "tf_keras": lambda: keras("tf_keras"), "tensorflow": tensorflow,
    "lasagne": lasagne, "ncnn": ncnn,
}  # fmt: skip
DISTRIBUTIONS = {
    "haiku": "dm-haiku", "paddle": "paddlepaddle", "keras1": "keras", "keras2": "keras",
    "tensorflow": "tensorflow-cpu",
}  # fmt: skip


def leaves(tree: Tree, path: str) -> Iterator[tuple[str, Any]]:
    for key, each in tree.items():
        if hasattr(each, "items"):
            yield from leaves(each, f"{path}|{key}")
        else:
            yield f"{path}|{key}", np.asarray(each)


def version(distribution: str) -> str:
    try:
        from importlib.metadata import version
    except ImportError:  # before Python 3.8
        import pkg_resources

        return pkg_resources.get_distribution(distribution).version
    return version(distribution)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=FRAMEWORKS)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    arrays: dict[str, Any] = {}
    cases = []
    for number, (name, trees, y, how) in enumerate(FRAMEWORKS[options.framework]()):
        for k, tree in enumerate(trees):
            arrays.update(leaves(tree, f"{number}|{k}"))
        arrays[f"{number}|x"], arrays[f"{number}|y"] = x_of(name), np.asarray(y)
        cases.append({"name": name, "trees": len(trees), "options": how})
    told = version(DISTRIBUTIONS.get(options.framework, options.framework))
    meta = {"framework": options.framework, "version": told, "cases": cases}
    path = FOLDER / f"{options.framework}.npz"
    if options.write:
        np.savez_compressed(path, meta=json.dumps(meta), **arrays)
    with np.load(path) as file:
        stored = {key: file[key] for key in file.files if key != "meta"}
        assert json.loads(str(file["meta"]))["cases"] == cases, "other cases"
    assert stored.keys() == arrays.keys(), stored.keys() ^ arrays.keys()
    worst = max(float(np.max(np.abs(stored[key] - arrays[key]))) for key in arrays)
    print(f"{options.framework} {told}: {len(cases)} cells, {worst:.1e} from what is stored")


if __name__ == "__main__":
    main()
