"""Makes the model files of this folder with the frameworks that users save them with.

    pip install tensorflow-cpu keras tf_keras torch onnx onnxscript onnxruntime
    python tests/model_files/make.py [NAME ...]

Beside each file ``NAME.*`` lies ``NAME.npz``: inputs and outputs of the framework that saved it.
SavedModels, which are folders, are in zip files.
Weights are drawn from seeds; a new run gives the same models, not the same bytes. README.md has the
versions of the frameworks. The tests need none of them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np

HERE = Path(__file__).parent
MODELS: dict[str, Callable[[Path], dict[str, Any]]] = {}


def model(make: Callable[[Path], dict[str, Any]]) -> Callable[[Path], dict[str, Any]]:
    """Registers a function that saves a model and returns the arrays to keep beside it."""
    MODELS[make.__name__] = make
    return make


def numbers(shape: tuple[int, ...], seed: int, scale: float = 0.5) -> Any:
    return np.random.default_rng(seed).normal(0, scale, shape).astype(np.float32)


# TensorFlow 1 graphs.

T, B, I, H = 4, 2, 3, 5  # noqa: E741


def v1() -> Any:
    import tensorflow as tf

    tf.compat.v1.reset_default_graph()
    return tf.compat.v1


def variable(tf1: Any, name: str, value: Any, **keywords: Any) -> Any:
    return tf1.get_variable(name, initializer=value, **keywords)


STEPS = 16


def speech_graph(tf1: Any) -> tuple[Any, Any, Any]:
    """Mozilla DeepSpeech's export: a BlockLSTM with fixed sizes whose states are variables."""
    import tensorflow as tf

    x = tf1.placeholder(tf.float32, [1, STEPS, I], name="input_node")
    lengths = tf1.placeholder(tf.int32, [1], name="input_lengths")
    with tf1.variable_scope("previous_state"):
        c = variable(tf1, "c", np.zeros((1, H), np.float32), trainable=False, use_resource=False)
        h = variable(tf1, "h", np.zeros((1, H), np.float32), trainable=False, use_resource=False)
    with tf1.variable_scope("cudnn_lstm/rnn/multi_rnn_cell/cell_0/cudnn_compatible_lstm_cell"):
        w = variable(tf1, "kernel", numbers((I + H, 4 * H), 1), use_resource=False)
        b = variable(tf1, "bias", numbers((4 * H,), 2), use_resource=False)
    wci = tf.zeros([H], name="wci")
    out = tf.raw_ops.BlockLSTM(
        seq_len_max=tf.cast(tf.reduce_max(lengths), tf.int64),
        x=tf.reshape(tf.transpose(x, [1, 0, 2]), [STEPS, 1, I], name="time_major"),
        cs_prev=tf.identity(c),
        h_prev=tf.identity(h),
        w=w,
        wci=wci,
        wcf=wci,
        wco=wci,
        b=b,
        forget_bias=0.0,
        cell_clip=-1.0,
        use_peephole=False,
        name="lstm_fused_cell/BlockLSTM",
    )
    keep = [tf1.assign(c, out.cs[-1]), tf1.assign(h, out.h[-1])]
    with tf1.control_dependencies(keep):
        y = tf.identity(out.h, name="logits")
    return x, lengths, y


def speech_arrays(session: Any, x: Any, lengths: Any, y: Any) -> dict[str, Any]:
    given = numbers((1, STEPS, I), 3)
    outputs = [session.run(y, {x: given, lengths: [STEPS]}) for _ in range(2)]
    return {"x": given, "first": outputs[0], "second": outputs[1]}


@model
def speech_v1(path: Path) -> dict[str, Any]:
    """A TensorFlow 1 SavedModel: variables by name."""
    tf1 = v1()
    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x, lengths, y = speech_graph(tf1)
        session.run(tf1.global_variables_initializer())
        tf1.saved_model.simple_save(session, str(path), {"x": x, "lengths": lengths}, {"y": y})
        return speech_arrays(session, x, lengths, y)


@model
def speech_frozen(path: Path) -> dict[str, Any]:
    """A frozen graph: all but the states are constants."""
    tf1 = v1()
    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x, lengths, y = speech_graph(tf1)
        session.run(tf1.global_variables_initializer())
        frozen = tf1.graph_util.convert_variables_to_constants(
            session,
            session.graph.as_graph_def(),
            ["logits"],
            variable_names_blacklist=["previous_state/c", "previous_state/h"],
        )
        path.with_suffix(".pb").write_bytes(frozen.SerializeToString())
        return speech_arrays(session, x, lengths, y)


@model
def melody(path: Path) -> dict[str, Any]:
    """Magenta's way: LSTMBlockCell, two layers deep, inside a TensorFlow 1 while loop."""
    tf1 = v1()
    import tensorflow as tf

    tf1.disable_control_flow_v2()
    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x = tf1.placeholder(tf.float32, [None, T, I], name="inputs")
        rows = tf.shape(x)[0]
        weights = []
        for k, size in enumerate((I, H)):
            with tf1.variable_scope(f"rnn/multi_rnn_cell/cell_{k}/lstm_cell"):
                w = variable(tf1, "kernel", numbers((size + H, 4 * H), 10 + k), use_resource=True)
                b = variable(tf1, "bias", numbers((4 * H,), 20 + k), use_resource=True)
            weights.append((w, b))

        def body(t: Any, states: Any, outputs: Any) -> Any:
            value, new = x[:, t], []
            for (cs, h), (w, b) in zip(states, weights, strict=True):
                zeros = tf.zeros([H])
                out = tf.raw_ops.LSTMBlockCell(
                    x=value, cs_prev=cs, h_prev=h, w=w, wci=zeros, wcf=zeros, wco=zeros, b=b,
                    forget_bias=1.0, cell_clip=-1.0, use_peephole=False,
                )  # fmt: skip
                new.append((out.cs, out.h))
                value = out.h
            return t + 1, tuple(new), outputs.write(t, value)

        zeros = tf.zeros([rows, H])
        start = (0, ((zeros, zeros), (zeros, zeros)), tf1.TensorArray(tf.float32, T))
        _, _, outputs = tf1.while_loop(lambda t, *_: t < T, body, start)
        y = tf.identity(tf.transpose(outputs.stack(), [1, 0, 2]), name="outputs")
        session.run(tf1.global_variables_initializer())
        tf1.saved_model.simple_save(session, str(path), {"x": x}, {"y": y})
        given = numbers((B, T, I), 12)
        return {"x": given, "y": session.run(y, {x: given})}


def cells(path: Path, v2: bool) -> dict[str, Any]:
    """Ordinary cells in loops: BasicLSTMCell, GRUCell, and LSTMCell with lengths."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # whose cells they are now
    tf1 = v1()
    import tensorflow as tf

    (tf1.enable_control_flow_v2 if v2 else tf1.disable_control_flow_v2)()
    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        tf1.set_random_seed(210)
        x = tf1.placeholder(tf.float32, [None, T, I], name="x")
        lengths = tf1.placeholder(tf.int32, [None], name="lengths")
        cell = tf1.nn.rnn_cell
        first, _ = tf1.nn.dynamic_rnn(cell.BasicLSTMCell(H), x, dtype=tf.float32, scope="first")
        second, _ = tf1.nn.dynamic_rnn(cell.GRUCell(H), first, dtype=tf.float32, scope="second")
        lstm = cell.LSTMCell(6, forget_bias=0.5)
        third, _ = tf1.nn.dynamic_rnn(lstm, second, lengths, dtype=tf.float32, scope="third")
        peepholes = cell.LSTMCell(4, use_peepholes=True)
        fourth, _ = tf1.nn.dynamic_rnn(peepholes, third, dtype=tf.float32, scope="fourth")
        session.run(tf1.global_variables_initializer())
        for k, each in enumerate(tf1.global_variables()):
            each.load(numbers(tuple(each.shape), 211 + k), session)
        outputs = {"first": first, "second": second, "third": third, "fourth": fourth}
        given = {x: numbers((B, T, I), 230), lengths: np.array([T, T - 1], np.int32)}
        names = {"x": x, "lengths": lengths}
        arrays = {**{key: given[each] for key, each in names.items()}}
        arrays |= session.run(outputs, given)
        if v2:
            tf1.saved_model.simple_save(session, str(path), names, outputs)
        else:
            frozen = tf1.graph_util.convert_variables_to_constants(
                session, session.graph.as_graph_def(), [each.op.name for each in outputs.values()]
            )
            path.with_suffix(".pb").write_bytes(frozen.SerializeToString())
        return arrays


@model
def cells_odd(path: Path) -> dict[str, Any]:
    """LSTMCells with peepholes and a clip, with a projection, and with relu."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tf1 = v1()
    import tensorflow as tf

    tf1.disable_control_flow_v2()
    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x = tf1.placeholder(tf.float32, [None, T, I], name="x")
        clipped = tf1.nn.rnn_cell.LSTMCell(H, use_peepholes=True, cell_clip=0.3)
        projected = tf1.nn.rnn_cell.LSTMCell(H, num_proj=2)
        relu = tf1.nn.rnn_cell.LSTMCell(H, activation=tf.nn.relu)
        outputs = {
            name: tf1.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope=name)[0]
            for name, cell in (("clipped", clipped), ("projected", projected), ("relu", relu))
        }
        session.run(tf1.global_variables_initializer())
        for k, each in enumerate(tf1.global_variables()):
            each.load(numbers(tuple(each.shape), 240 + k), session)
        given = numbers((B, T, I), 260)
        arrays = session.run(outputs, {x: given})
        frozen = tf1.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), [each.op.name for each in outputs.values()]
        )
        path.with_suffix(".pb").write_bytes(frozen.SerializeToString())
        return {"x": given, **arrays}


@model
def cells_frozen(path: Path) -> dict[str, Any]:
    return cells(path, v2=False)


@model
def cells_v2(path: Path) -> dict[str, Any]:
    return cells(path, v2=True)


@model
def training_frozen(path: Path) -> dict[str, Any]:
    """A graph with the gradient of a BlockLSTM with peepholes, frozen."""
    tf1 = v1()
    import tensorflow as tf

    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x = tf1.placeholder(tf.float32, [T, B, I], name="x")
        shapes = {"w": (I + H, 4 * H), "wci": (H,), "wcf": (H,), "wco": (H,), "b": (4 * H,)}
        weights = {
            name: variable(tf1, name, numbers(shape, 30 + k), use_resource=True)
            for k, (name, shape) in enumerate(shapes.items())
        }
        zeros = tf.zeros([B, H])
        out = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=zeros, h_prev=zeros,
            **weights, use_peephole=True,
        )  # fmt: skip
        gradient = tf.identity(tf1.gradients(tf.reduce_sum(out.h**2), x)[0], name="gradient")
        session.run(tf1.global_variables_initializer())
        frozen = tf1.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), ["gradient"]
        )
        path.with_suffix(".pb").write_bytes(frozen.SerializeToString())
        given = numbers((T, B, I), 38)
        h, x_grad = session.run([out.h, gradient], {x: given})
        return {"x": given, "h": h, "x_grad": x_grad}


@model
def opaque_v1(path: Path) -> dict[str, Any]:
    """contrib's CudnnLSTM, as Calamari has it: the checkpoint holds a matrix and a bias.

    That package is of TensorFlow 1. Here its buffer is put together from them as it was there.
    """
    tf1 = v1()
    import tensorflow as tf
    from tensorflow.python.training import saver as savers

    base = savers.BaseSaverBuilder
    kernel, bias = numbers((I + H, 4 * H), 170), numbers((4 * H,), 171)
    size = 4 * H * (I + H + 2)

    class Opaque(base.SaveableObject):  # type: ignore[misc]
        def __init__(self, variable: Any) -> None:
            stored = {"kernel": tf.constant(kernel), "bias": tf.constant(bias)}
            names = [f"cudnn_lstm/cell_0/{name}" for name in stored]
            pairs = zip(stored.values(), names, strict=True)
            specs = [base.SaveSpec(tensor, "", name) for tensor, name in pairs]
            super().__init__(variable, specs, "cudnn_lstm/opaque_kernel")

        def restore(self, tensors: Any, shapes: Any) -> Any:
            w, b = tensors
            cuts = [tf.split(w_k, [I, H], 0) for w_k in tf.split(w, 4, 1)]  # gates i, c, f, o
            order = [0, 2, 1, 3]
            halves = tf.split(b * 0.5, 4)
            matrices = [tf.transpose(cuts[k][part]) for part in (0, 1) for k in order]
            arrays = [*matrices, *[halves[k] for k in order] * 2]
            params = tf.concat([tf.reshape(array, [-1]) for array in arrays], 0, name="to_params")
            return tf1.assign(self.op, params, validate_shape=False)

    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x = tf1.placeholder(tf.float32, [None, None, I], name="x")
        zeros = np.zeros(size, np.float32)
        params = variable(tf1, "cudnn_lstm/opaque_kernel", zeros, use_resource=False)
        state = tf.zeros([1, tf.shape(x)[1], H], name="state")
        session.run(tf1.global_variables_initializer())
        builder = tf1.saved_model.Builder(str(path))
        saver = tf1.train.Saver([Opaque(params)])
        signature = tf1.saved_model.predict_signature_def({"x": x}, {"y": state})
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, saver=saver
        )
        builder.save()

    # No CPU takes a graph with these ops, so they are put in afterwards.
    from tensorflow.core.protobuf import saved_model_pb2

    file = path / "saved_model.pb"
    saved = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    node = saved.meta_graphs[0].graph_def.node.add(op="CudnnRNN", name="cudnn_lstm/CudnnRNN")
    node.input.extend(["x", "state", "state", "cudnn_lstm/opaque_kernel/read"])
    node.attr["T"].type = 1
    node.attr["is_training"].b = False
    sizes = [f"size_{k}" for k in range(3)]
    for name, size in zip(sizes, (1, H, I), strict=True):
        constant = saved.meta_graphs[0].graph_def.node.add(op="Const", name=name)
        constant.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(size, tf.int32))
    joined = next(n for n in saved.meta_graphs[0].graph_def.node if n.name.endswith("to_params"))
    arrays = list(joined.input)[:-1]
    joined.Clear()
    joined.op, joined.name = "CudnnRNNCanonicalToParams", "save/to_params"
    joined.input.extend([*sizes, *arrays])
    joined.attr["T"].type = 1
    joined.attr["num_params"].i = 8
    file.write_bytes(saved.SerializeToString())
    return {"kernel": kernel, "bias": bias}


@model
def gru_frozen(path: Path) -> dict[str, Any]:
    """GRUBlockCell, one step."""
    tf1 = v1()
    import tensorflow as tf

    with tf1.Session(graph=tf1.Graph()) as session, session.graph.as_default():
        x = tf1.placeholder(tf.float32, [None, I], name="x")
        h = tf1.placeholder(tf.float32, [None, H], name="h")
        shapes = {"w_ru": (I + H, 2 * H), "w_c": (I + H, H), "b_ru": (2 * H,), "b_c": (H,)}
        weights = {
            name: tf.constant(numbers(shape, 40 + k))
            for k, (name, shape) in enumerate(shapes.items())
        }
        out = tf.raw_ops.GRUBlockCell(x=x, h_prev=h, **weights)
        path.with_suffix(".pb").write_bytes(session.graph.as_graph_def().SerializeToString())
        given = numbers((B, I), 48), numbers((B, H), 49)
        return {"x": given[0], "h": given[1], "y": session.run(out.h, {x: given[0], h: given[1]})}


# TensorFlow 2 SavedModels.


@model
def block_v2(path: Path) -> dict[str, Any]:
    """A tf.Module whose function calls another one with two BlockLSTMV2."""
    import tensorflow as tf

    class Block(tf.Module):
        def __init__(self, seed: int, size: int) -> None:
            super().__init__(name="block")
            self.w = tf.Variable(numbers((size + H, 4 * H), seed), name="w")
            self.b = tf.Variable(numbers((4 * H,), seed + 1), name="b")

        def __call__(self, x: Any) -> Any:
            zeros = tf.zeros([tf.shape(x)[1], H])
            p = tf.zeros([H])
            return tf.raw_ops.BlockLSTMV2(
                seq_len_max=tf.cast(tf.shape(x)[0], tf.int64), x=x, cs_prev=zeros, h_prev=zeros,
                w=self.w, wci=p, wcf=p, wco=p, b=self.b, cell_clip=0.5,
            ).h  # fmt: skip

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = [Block(50, I), Block(52, H)]

        @tf.function
        def inner(self, x: Any) -> Any:
            for block in self.blocks:
                x = block(x)
            return x

        @tf.function(input_signature=[tf.TensorSpec([None, None, I], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            return {"y": self.inner(x)}

    made = Model()
    tf.saved_model.save(made, str(path))
    given = numbers((T, B, I), 58)
    return {"x": given, "y": made(given)["y"].numpy()}


@model
def block_v2_unsigned(path: Path) -> dict[str, Any]:
    """A function without a signature, with two layers whose variables share a name."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = [tf.Variable(numbers((2 * H, 4 * H), 55 + k), name="w") for k in range(2)]

        @tf.function
        def __call__(self, x: Any) -> Any:
            for w in self.w:
                x = tf.raw_ops.BlockLSTMV2(
                    seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=tf.zeros([B, H]),
                    h_prev=tf.zeros([B, H]), w=w, wci=tf.zeros([H]), wcf=tf.zeros([H]),
                    wco=tf.zeros([H]), b=tf.zeros([4 * H]),
                ).h  # fmt: skip
            return x

    made = Model()
    given = numbers((T, B, H), 57)
    y = made(given).numpy()
    tf.saved_model.save(made, str(path), signatures={})
    return {"x": given, "y": y}


@model
def loop_v2(path: Path) -> dict[str, Any]:
    """A GRUBlockCell in a loop of TensorFlow 2, which takes its weights as loop variables."""
    import tensorflow as tf

    shapes = {"w_ru": (I + H, 2 * H), "w_c": (I + H, H), "b_ru": (2 * H,), "b_c": (H,)}

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = {
                name: tf.Variable(numbers(shape, 180 + k), name=name)
                for k, (name, shape) in enumerate(shapes.items())
            }

        @tf.function(input_signature=[tf.TensorSpec([None, None, I], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            h = tf.zeros([tf.shape(x)[1], H])
            for t in tf.range(tf.shape(x)[0]):
                h = tf.raw_ops.GRUBlockCell(x=x[t], h_prev=h, **self.weights).h
            return {"y": h}

    made = Model()
    tf.saved_model.save(made, str(path))
    given = numbers((T, B, I), 188)
    return {"x": given, "y": made(given)["y"].numpy()}


@model
def cudnn_v3(path: Path) -> dict[str, Any]:
    """CudnnRNNV3 in a function that is called conditionally; no CPU runs it."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.params = tf.Variable(numbers((2 * 4 * H * (I + H + 2),), 60), name="params")

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 7, I], tf.float32, name="x"),
                tf.TensorSpec([None], tf.int32, name="lengths"),
            ]
        )
        def __call__(self, x: Any, lengths: Any) -> Any:
            zeros = tf.zeros([tf.shape(x)[0], 2, H])

            def run() -> Any:
                return tf.raw_ops.CudnnRNNV3(
                    input=x, input_h=zeros, input_c=zeros, params=self.params,
                    sequence_lengths=lengths, rnn_mode="lstm", direction="bidirectional",
                    is_training=False, time_major=False,
                ).output  # fmt: skip

            return {"y": tf.cond(tf.reduce_sum(lengths) > 0, run, lambda: tf.zeros([1, 7, 2 * H]))}

    made = Model()
    tf.saved_model.save(made, str(path))
    return {"params": made.params.numpy()}


@model
def cudnn_gradient(path: Path) -> dict[str, Any]:
    """CudnnRNNV3 and its gradient in one function; two layers share a variable."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.both = tf.Variable(numbers((2, 3 * H * (I + H + 2)), 61), name="both")

        @tf.function(input_signature=[tf.TensorSpec([7, B, I], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            zeros = tf.zeros([1, B, H])
            params = tf.gather(self.both, 1)
            with tf.GradientTape() as tape:
                tape.watch(params)
                out = tf.raw_ops.CudnnRNNV3(
                    input=x, input_h=zeros, input_c=zeros, params=params,
                    sequence_lengths=tf.fill([B], 7), rnn_mode="gru",
                )  # fmt: skip
                loss = tf.reduce_sum(out.output) + tf.reduce_sum(out.output_h)
            return {"gradient": tape.gradient(loss, params)}

    made = Model()
    tf.saved_model.save(made, str(path))
    return {"params": made.both.numpy()[1]}


@model
def keras2_gpu(path: Path) -> dict[str, Any]:
    """Keras 2 on TensorFlow: CudnnRNNV3 is in the function library, for GPUs."""
    import tf_keras as keras

    keras.utils.set_random_seed(70)
    made = keras.Sequential(
        [
            keras.layers.LSTM(H, return_sequences=True, bias_initializer="normal"),
            keras.layers.Bidirectional(keras.layers.GRU(H, bias_initializer="normal")),
        ]
    )
    given = numbers((B, T, I), 71)
    y = made(given)
    import tensorflow as tf

    holder = tf.Module()  # without the functions of each Keras layer, which are megabytes
    holder.variables_of_model = made.weights
    holder.call = tf.function(made, input_signature=[tf.TensorSpec([None, T, I], name="x")])
    tf.saved_model.save(holder, str(path))
    return {"x": given, "lstm": made.layers[0](given).numpy(), "y": y.numpy()}


@model
def keras2_stateful(path: Path) -> dict[str, Any]:
    """Keras 2's stateful layers: variables that each call reads, through moves, and assigns."""
    import tensorflow as tf
    import tf_keras as keras

    keras.utils.set_random_seed(75)
    first = keras.layers.LSTM(H, return_sequences=True, stateful=True, bias_initializer="normal")
    second = keras.layers.GRU(H, stateful=True, bias_initializer="normal")
    made = keras.Sequential([keras.Input(batch_shape=(B, T, I)), first, second])
    holder = tf.Module()
    holder.variables_of_model = made.weights
    holder.states = [first.states, second.states]
    holder.call = tf.function(made, input_signature=[tf.TensorSpec([B, T, I], name="x")])
    tf.saved_model.save(holder, str(path))
    given = numbers((B, T, I), 76)
    return {"x": given, "first": holder.call(given).numpy(), "second": holder.call(given).numpy()}


def keras_2() -> Any:
    """Keras 2, which is a package of its own since TensorFlow 2.16."""
    try:
        import tf_keras
    except ImportError:
        import tensorflow as tf

        return tf.keras
    return tf_keras


@model
def keras2_loops(path: Path) -> dict[str, Any]:
    """A whole Keras 2 model as a SavedModel, whose layers are loops and have configurations."""
    keras = keras_2()
    layers, options = keras.layers, {"return_sequences": True}
    made = keras.Sequential(
        [
            keras.Input((T, I)),
            layers.SimpleRNN(H, name="first", **options),
            layers.Bidirectional(layers.GRU(H, reset_after=False, **options), name="second"),
        ]
    )
    made.set_weights([numbers(w.shape, 72 + k) for k, w in enumerate(made.get_weights())])
    made.save(str(path), save_format="tf", include_optimizer=False)
    return layer_outputs(made, numbers((B, T, I), 71))


@model
def keras2_subclass(path: Path) -> dict[str, Any]:
    """A subclass of Model likewise; in TensorFlow 2.4, configurations are in saved_model.pb."""
    keras = keras_2()

    class Speech(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            options = {"return_sequences": True}
            self.first = keras.layers.SimpleRNN(H, activation="relu", **options)
            self.more = [keras.layers.GRU(H, recurrent_activation="hard_sigmoid", **options)]

        def call(self, x: Any) -> Any:
            return self.more[0](self.first(x))

    made, given = Speech(), numbers((B, T, I), 73)
    made(given)
    made.set_weights([numbers(w.shape, 74 + k) for k, w in enumerate(made.get_weights())])
    first, y = made.first(given).numpy(), made(given).numpy()
    made.save(str(path), save_format="tf", include_optimizer=False)
    return {"x": given, "first": first, "more/0": y}


@model
def keras3_export(path: Path) -> dict[str, Any]:
    """A SavedModel of Keras 3, whose layers are loops without configurations."""
    import keras

    layers, options = keras.layers, {"return_sequences": True}
    x, state = keras.Input((None, I), batch_size=B), keras.Input((H,), batch_size=B)
    first = layers.GRU(H, name="first", **options)(x, initial_state=state)
    both = layers.Bidirectional(layers.LSTM(3, **options), name="both")(first)
    backward = layers.SimpleRNN(2, go_backwards=True, stateful=True, name="last", **options)
    made = keras.Model([x, state], backward(both))
    for k, weight in enumerate(made.trainable_weights):
        weight.assign(numbers(weight.shape, 140 + k))
    given = [numbers((B, T, I), 150), numbers((B, H), 151)]
    results = keras.Model([x, state], [first, both, made.output])(given)
    backward.reset_states()
    made.export(str(path), verbose=False)
    names = ("x", "state", "first", "both", "last")
    return {name: np.asarray(each) for name, each in zip(names, [*given, *results], strict=True)}


# Keras files.


def sequential(keras: Any) -> Any:
    """An LSTM, a GRU in two directions and a SimpleRNN."""
    layers = keras.layers
    keras.utils.set_random_seed(80)
    return keras.Sequential(
        [
            keras.Input((T, I)),
            layers.LSTM(H, return_sequences=True, bias_initializer="normal", name="first"),
            layers.Bidirectional(
                layers.GRU(H, return_sequences=True, bias_initializer="normal"), name="second"
            ),
            layers.SimpleRNN(H, activation="relu", return_sequences=True, name="third"),
            layers.LSTM(H, use_bias=False, go_backwards=True, name="fourth"),
            layers.Dense(2),
        ]
    )


def layer_outputs(made: Any, given: Any) -> dict[str, Any]:
    """The input, and the output of each recurrent layer in turn."""
    arrays, value = {"x": given}, given
    for layer in made.layers:
        value = np.asarray(layer(value))
        if layer.name in ("first", "second", "third", "fourth"):
            arrays[layer.name] = value
    return arrays


@model
def keras3(path: Path) -> dict[str, Any]:
    import keras

    made = sequential(keras)
    made.save(path.with_suffix(".keras"))
    made.save(path.with_suffix(".h5"))
    return layer_outputs(made, numbers((B, T, I), 81))


@model
def keras2(path: Path) -> dict[str, Any]:
    import tf_keras

    made = sequential(tf_keras)
    made.save(path.with_suffix(".keras"))
    made.save(path.with_suffix(".h5"), include_optimizer=False)
    return layer_outputs(made, numbers((B, T, I), 82))


@model
def keras2_older(path: Path) -> dict[str, Any]:
    """Layers with the defaults of Keras before 2.3: hard_sigmoid, GRU(reset_after=False)."""
    import tf_keras

    layers = tf_keras.layers
    tf_keras.utils.set_random_seed(84)
    options = {
        "recurrent_activation": "hard_sigmoid",
        "return_sequences": True,
        "kernel_initializer": tf_keras.initializers.RandomNormal(0.0, 2.0),
        "bias_initializer": "normal",
    }  # some gates are 0 or 1
    made = tf_keras.Sequential(
        [
            tf_keras.Input((T, I)),
            layers.LSTM(H, name="first", **options),
            layers.GRU(H, reset_after=False, name="second", **options),
        ]
    )
    made.save(path.with_suffix(".h5"), include_optimizer=False)
    return layer_outputs(made, numbers((B, T, I), 85))


@model
def keras3_masked(path: Path) -> dict[str, Any]:
    """A functional model with a nested one, a mask, and a GRU of the older kind."""
    import keras

    layers = keras.layers
    keras.utils.set_random_seed(90)
    inner_input = keras.Input((None, H))
    options = {"return_sequences": True, "bias_initializer": "normal"}
    cell = layers.GRU(H, reset_after=False, name="older", **options)
    inner = keras.Model(inner_input, cell(inner_input), name="inner")
    x = keras.Input((None, I), name="x")
    value = layers.Masking(0.0)(x)
    lstm = layers.LSTM(H, name="lstm", **options)(value)
    both = layers.Bidirectional(layers.LSTM(H, **options), merge_mode="sum", name="both")(lstm)
    made = keras.Model(x, [lstm, both, inner(both)])
    made.save(path.with_suffix(".keras"))
    made.save(path.with_suffix(".h5"))
    given = numbers((B, T, I), 91)
    given[1, 3:] = 0
    lstm, both, older = (np.asarray(y) for y in made(given))
    return {"x": given, "lstm": lstm, "both": both, "older": older}


@model
def keras3_parts(path: Path) -> dict[str, Any]:
    """Weights only, with the architecture in another file."""
    import keras

    made = sequential(keras)
    made.save_weights(path.with_suffix(".weights.h5"))
    path.with_suffix(".json").write_text(made.to_json())
    return layer_outputs(made, numbers((B, T, I), 83))


@model
def keras_cudnn(path: Path) -> dict[str, Any]:
    """CuDNNLSTM and CuDNNGRU of Keras 2: no CPU runs them, but plain layers take their weights."""
    import tf_keras as keras
    from tf_keras.src.layers.rnn.cudnn_gru import CuDNNGRU
    from tf_keras.src.layers.rnn.cudnn_lstm import CuDNNLSTM

    def made(lstm: Any, gru: Any) -> Any:
        options = {"return_sequences": True}
        layers = [
            keras.Input((T, I)),
            lstm(H, name="first", **options),
            keras.layers.Bidirectional(gru(H, **options), name="second"),
            keras.layers.Bidirectional(lstm(H, **options), name="third"),
            gru(H, name="fourth", **options),
        ]
        return keras.Sequential(layers)

    saved = made(CuDNNLSTM, CuDNNGRU)
    saved.set_weights([numbers(w.shape, 400 + k) for k, w in enumerate(saved.get_weights())])
    saved.save(path.with_suffix(".h5"), include_optimizer=False)
    plain = made(keras.layers.LSTM, keras.layers.GRU)
    plain.load_weights(path.with_suffix(".h5"))
    return layer_outputs(plain, numbers((B, T, I), 85))


# ONNX files.


def export(module: Any, given: Any, path: Path, **keywords: Any) -> None:
    import torch

    with torch.no_grad():
        torch.onnx.export(module.eval(), given, str(path), **keywords)


def torch_arrays(module: Any, given: Any) -> dict[str, Any]:
    import torch

    with torch.no_grad():
        output, states = module(given)
    states = states if isinstance(states, tuple) else (states,)
    arrays = {"x": given.numpy(), "y": output.numpy()}
    return arrays | {f"state_{k}": state.numpy() for k, state in enumerate(states)}


@model
def torch_lstm(path: Path) -> dict[str, Any]:
    """Two layers in two directions, by the exporter that traces."""
    import torch

    torch.manual_seed(100)
    module = torch.nn.LSTM(I, H, num_layers=2, bidirectional=True)
    given = torch.from_numpy(numbers((T, B, I), 101))
    names = {"input_names": ["x"], "output_names": ["y", "h", "c"]}
    axes = {"x": {0: "time", 1: "batch"}}
    target = path.with_suffix(".onnx")
    export(module, (given,), target, dynamo=False, dynamic_axes=axes, **names)
    return torch_arrays(module, given)


@model
def torch_gru(path: Path) -> dict[str, Any]:
    """The exporter that is built on torch.export, with the weights in a file of their own."""
    import torch

    torch.manual_seed(110)
    module = torch.nn.GRU(I, H, batch_first=True)
    given = torch.from_numpy(numbers((B, T, I), 111))
    export(module, (given,), path.with_suffix(".onnx"), dynamo=True, external_data=True)
    return torch_arrays(module, given)


@model
def torch_rnn(path: Path) -> dict[str, Any]:
    import torch

    torch.manual_seed(120)
    module = torch.nn.RNN(I, H, nonlinearity="relu", bias=False)
    given = torch.from_numpy(numbers((T, B, I), 121))
    export(module, (given,), path.with_suffix(".onnx"), dynamo=False)
    return torch_arrays(module, given)


# PyTorch's own files.


def speaker() -> Any:
    """A model with two layers in two directions, a projection, a cell and an RNN."""
    import torch

    class Speaker(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = torch.nn.GRU(I, H, 2, bidirectional=True, batch_first=True)
            self.middle = torch.nn.Sequential(torch.nn.LSTM(2 * H, H, proj_size=2, bias=False))
            self.cell = torch.nn.LSTMCell(2, H)
            self.last = torch.nn.RNN(H, H, nonlinearity="relu", batch_first=True)

        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            y: dict[str, torch.Tensor] = {}
            y["encoder"] = self.encoder(x)[0]
            y["middle"] = self.middle(y["encoder"].transpose(0, 1))[0]
            h, _ = self.cell(y["middle"][0])
            y["cell"] = h
            y["last"] = self.last(h[:, None])[0]
            return y

    torch.manual_seed(190)
    return Speaker().eval()


def speaker_arrays(made: Any) -> dict[str, Any]:
    import torch

    given = numbers((B, T, I), 191)
    with torch.no_grad():
        found = made(torch.from_numpy(given))
    return {"x": given, **{name: each.numpy() for name, each in found.items()}}


@model
def torch_checkpoint(path: Path) -> dict[str, Any]:
    """A state dict among other things, as training scripts save it."""
    import torch

    made = speaker()
    optimizer = torch.optim.Adam(made.parameters())
    saved = {"epoch": 3, "model": made.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(saved, path.with_suffix(".pt"))
    return speaker_arrays(made)


@model
def torch_module(path: Path) -> dict[str, Any]:
    """Whole modules."""
    import torch

    made = torch.nn.ModuleDict(dict(speaker().named_children()))
    torch.save(made, path.with_suffix(".pt"))
    return speaker_arrays(speaker())


@model
def torch_legacy(path: Path) -> dict[str, Any]:
    """A state dict as PyTorch wrote it before 1.6."""
    import torch

    made = speaker()
    torch.save(made.state_dict(), path.with_suffix(".pth"), _use_new_zipfile_serialization=False)
    return speaker_arrays(made)


@model
def torch_script(path: Path) -> dict[str, Any]:
    import torch

    made = speaker()
    given = torch.from_numpy(numbers((B, T, I), 191))
    torch.jit.save(torch.jit.trace(made, given, strict=False), path.with_suffix(".jit"))
    return speaker_arrays(made)


@model
def onnx_nodes(path: Path) -> dict[str, Any]:
    """Nodes by hand: reverse, batch-wise, and a GRU of the older kind."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def weights(prefix: str, gates: int, seed: int) -> list[Any]:
        shapes = {"W": (1, gates * H, I), "R": (1, gates * H, H), "B": (1, 2 * gates * H)}
        return [
            numpy_helper.from_array(numbers(shape, seed + k), f"{prefix}_{name}")
            for k, (name, shape) in enumerate(shapes.items())
        ]

    initializers = [*weights("lstm", 4, 130), *weights("gru", 3, 140), *weights("older", 3, 150)]
    nodes = [
        helper.make_node(
            "LSTM", ["x", "lstm_W", "lstm_R", "lstm_B", "lengths"], ["lstm_y", "lstm_h"],
            name="reversed", hidden_size=H, direction="reverse",
        ),
        helper.make_node(
            "GRU", ["x", "gru_W", "gru_R", "gru_B", "lengths"], ["gru_y"],
            name="newer", hidden_size=H, linear_before_reset=1,
        ),
        helper.make_node(
            "GRU", ["x", "older_W", "older_R", "older_B"], ["older_y"], name="older", hidden_size=H,
        ),
    ]  # fmt: skip
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["T", "B", I]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["B"]),
    ]
    names = ["lstm_y", "lstm_h", "gru_y", "older_y"]
    shapes = {name: ["T", 1, "B", H] for name in names} | {"lstm_h": [1, "B", H]}
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    ]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, path.with_suffix(".onnx"))
    import onnxruntime

    session = onnxruntime.InferenceSession(path.with_suffix(".onnx"))
    given = {"x": numbers((T, B, I), 160), "lengths": np.array([T, T - 1], np.int32)}
    return {**given, **dict(zip(names, session.run(names, given), strict=True))}


@model
def onnx_int8(path: Path) -> dict[str, Any]:
    """LSTMs that ONNX Runtime has quantized, with scales of columns and of matrices; and a GRU."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime.quantization import quantize_dynamic

    made: list[Any] = []

    def constant(name: str, array: Any) -> str:
        made.append(numpy_helper.from_array(array, name))
        return name

    def lstm(name: str, source: str, size: int, seed: int) -> Any:
        shapes = {"W": (2, 4 * H, size), "R": (2, 4 * H, H), "B": (2, 8 * H)}
        given = [
            constant(f"{name}_{part}", numbers(shape, seed + k))
            for k, (part, shape) in enumerate(shapes.items())
        ]
        return helper.make_node(
            "LSTM", [source, *given], [f"{name}_y", f"{name}_h"],
            name=name, hidden_size=H, direction="bidirectional",
        )  # fmt: skip

    def weights(name: str, rows: int, seed: int) -> Any:
        """A matrix as integers, with a scale and a zero point for each of its rows."""
        rng = np.random.default_rng(seed)
        parts = {
            "": rng.integers(0, 256, (1, rows, H), np.uint8),
            "_scale": rng.uniform(0.001, 0.005, rows).astype(np.float32),
            "_zero": rng.integers(100, 156, rows, np.uint8),
        }
        given = [constant(f"gru_{name}{part}", array) for part, array in parts.items()]
        return helper.make_node("DequantizeLinear", given, [f"gru_{name}_float"], axis=1)

    nodes = [
        lstm("columns", "x", I, 170),
        helper.make_node("Transpose", ["columns_y"], ["moved"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["moved", constant("sizes", np.array([0, 0, -1]))], ["joined"]),
        lstm("matrices", "joined", 2 * H, 180),
        weights("W", 3 * H, 190),
        weights("R", 3 * H, 191),
        helper.make_node(
            "GRU", ["matrices_h", "gru_W_float", "gru_R_float"], ["gru_y"],
            name="linear", hidden_size=H, linear_before_reset=1,
        ),
    ]  # fmt: skip
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [T, B, I])
    names = ["columns_y", "matrices_y", "gru_y"]
    shapes = {"gru_y": [2, 1, B, H]}
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes.get(name, [T, 2, B, H]))
        for name in names
    ]
    graph = helper.make_graph(nodes, "graph", [x], outputs, made)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    file = path.with_suffix(".onnx")
    onnx.save(whole, file)
    for name, per_channel in (("columns", True), ("matrices", False)):
        quantize_dynamic(file, file, per_channel=per_channel, nodes_to_quantize=[name])
    given = {"x": numbers((T, B, I), 195)}
    session = onnxruntime.InferenceSession(file)
    return {**given, **dict(zip(names, session.run(names, given), strict=True))}


def main(names: list[str]) -> None:
    for name in names or MODELS:
        path = HERE / name
        shutil.rmtree(path, ignore_errors=True)
        path.with_suffix(".zip").unlink(missing_ok=True)
        np.savez_compressed(path.with_suffix(".npz"), **MODELS[name](path))
        if path.is_dir():
            pack(path)
        print(name)


def pack(folder: Path) -> None:
    """Puts the required parts of a SavedModel into a zip file, with reproducible bytes."""
    left_out = ("fingerprint.pb",)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    with ZipFile(folder.with_suffix(".zip"), "w", ZIP_DEFLATED) as file:
        for path in files:
            if path.name not in left_out:
                file.writestr(str(path.relative_to(folder)), path.read_bytes())
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
