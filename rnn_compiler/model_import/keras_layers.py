"""Converts Keras' recurrent layers to ops, from their configurations and weights.

A layer is described as ONNX's op: LSTM, SimpleRNN as RNN, GRU with linear_before_reset=1 for
reset_after=True. It is CudnnRNNV3 if that computes it (`cudnn_mode`), and ONNX's op if not: with
other activations, or with reset_after=False, which multiplies the state by its reset gate before
the matrix product. Bidirectional is both directions of one op. CuDNNLSTM and CuDNNGRU are
CudnnRNNV3 directly; layers of Keras 1 are those of Keras 2 under other names (`renamed`).

Features that no op computes are rejected by name; what the layer does to its input or output
becomes a note.

Sources: keras/src/layers/rnn (lstm, gru, simple_rnn, bidirectional).py.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.layer import (
    CUDNN_NAMES,
    ONNX_NAMES,
    STREAMED,
    Layer,
    RefusedLayer,
    canonical,
    checked,
    cudnn_mode,
)
from rnn_compiler.model_import.reading import Once, damaged
from rnn_compiler.weights import from_keras, to_onnx

# Converts layers of Keras 1 to Keras 2: renames options and joins the weights of gates.
#
# With consume_less="gpu" an LSTM or GRU has W, U and b, which are Keras 2's kernel,
# recurrent_kernel and bias. Otherwise it has W, U and b for each gate, in the order i, c, f, o
# and z, r, h.
#
# Sources: keras/layers/recurrent.py of Keras 1.2.2; keras/engine/topology.py of Keras 2.0.

_NAMES = {"output_dim": "units", "inner_activation": "recurrent_activation"}

_GATES = {"LSTM": (0, 2, 1, 3), "GRU": (0, 1, 2)}
"""The positions of Keras 2's gates among those of Keras 1."""


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """A layer's options by the names of Keras 2."""
    return {_NAMES.get(name, name): value for name, value in options.items()}


def joined(
    weights: Sequence[Any], kind: str, directions: int, name: str, path: Path
) -> Sequence[Any]:
    """The weights of a layer, gates side by side."""
    order = _GATES.get(kind, ())
    if not order or len(weights) != 3 * len(order) * directions:
        return weights
    found: list[Any] = []
    for direction in range(directions):
        own = weights[3 * len(order) * direction :][: 3 * len(order)]
        for each in range(3):  # W, U, b
            gates = [own[3 * number + each] for number in order]
            if len({gate.shape for gate in gates}) > 1 or not gates[0].ndim:
                shapes = [list(gate.shape) for gate in gates]
                raise damaged(path, f"the gates of {name} have the shapes {shapes}"[:200])
            found.append(np.concatenate(gates, -1))
    return found


# Keras' activations as ONNX's functions.
#
# hard_sigmoid has the slope of the Keras that wrote the file: 0.2 in Keras 1 and 2, 1/6 in Keras
# 3.
#
# Sources: keras/activations.py of Keras 1.2 and tf_keras, keras/src/activations and
# keras/src/layers/activations of Keras 3.

NEWEST = 3
"""The newest major version of Keras."""


class OnnxFunction(NamedTuple):
    """A function by ONNX's name."""

    name: str
    alpha: float | None = None
    beta: float | None = None


_FUNCTIONS: Mapping[str | None, OnnxFunction] = {
    None: OnnxFunction("Affine", 1.0, 0.0),
    "linear": OnnxFunction("Affine", 1.0, 0.0),
    "relu": OnnxFunction("Relu"),
    "leaky_relu": OnnxFunction("LeakyRelu", 0.2),
    "elu": OnnxFunction("Elu", 1.0),
    "tanh": OnnxFunction("Tanh"),
    "sigmoid": OnnxFunction("Sigmoid"),
    "softsign": OnnxFunction("Softsign"),
    "softplus": OnnxFunction("Softplus"),
}

_SLOPES = {1: 0.2, 2: 0.2, 3: 1 / 6}
"""The slope of hard_sigmoid, by version of Keras."""


def onnx_function(activation: Any, version: int) -> OnnxFunction | None:
    """ONNX's function for an activation, a name or a layer's configuration; None if it has none.

    Example:
        >>> onnx_function("hard_sigmoid", 2), onnx_function("swish", 2)
        (OnnxFunction(name='HardSigmoid', alpha=0.2, beta=0.5), None)
        >>> onnx_function({"class_name": "ELU", "config": {"alpha": 0.5}}, 3)
        OnnxFunction(name='Elu', alpha=0.5, beta=None)
    """
    if isinstance(activation, dict):
        return _of_layer(cast(dict[str, Any], activation), version)
    if activation == "hard_sigmoid":
        return OnnxFunction("HardSigmoid", _SLOPES[version], 0.5)
    is_name = activation is None or isinstance(activation, str)
    return _FUNCTIONS.get(activation) if is_name else None


def described(activation: Any) -> str:
    """An activation in a configuration, for messages; a layer is shown as a constructor call."""
    layer = cast(dict[str, Any], activation) if isinstance(activation, dict) else {}
    config = layer.get("config")
    if not isinstance(config, dict):
        return repr(cast(object, activation))
    options = cast(dict[str, Any], config).items()
    given = [f"{k}={v!r}" for k, v in options if k not in ("name", "trainable", "dtype")]
    return f"{layer.get('class_name')}({', '.join(given)})"


def _of_layer(layer: Mapping[str, Any], version: int) -> OnnxFunction | None:
    """ONNX's function for a layer of Keras; None if there is none."""
    kind, options = layer.get("class_name"), layer.get("config")
    if not isinstance(options, dict) or layer.get("registered_name") not in (None, kind):
        return None
    options = cast(dict[str, Any], options)
    if kind == "Activation":
        name = options.get("activation", "")
        return None if isinstance(name, dict) else onnx_function(name, version)
    if kind == "ELU":
        return _with_alpha("Elu", options.get("alpha", 1.0))
    slope = options.get("negative_slope", options.get("alpha", 0.3))
    if kind == "LeakyReLU":
        return _with_alpha("LeakyRelu", slope)
    if kind != "ReLU" or options.get("max_value") is not None or options.get("threshold", 0) != 0:
        return None
    slope = options.get("negative_slope", 0)
    return _FUNCTIONS["relu"] if slope == 0 else _with_alpha("LeakyRelu", slope)


def _with_alpha(name: str, alpha: Any) -> OnnxFunction | None:
    is_number = isinstance(alpha, (int, float)) and not isinstance(alpha, bool)
    return OnnxFunction(name, float(alpha)) if is_number and math.isfinite(alpha) else None


def activation_attributes(functions: Sequence[OnnxFunction]) -> dict[str, Any]:
    """The attributes of ONNX's ops for functions, in order.

    Example:
        >>> activation_attributes([OnnxFunction("Elu", 1.0), OnnxFunction("Tanh")])
        {'activations': ['Elu', 'Tanh'], 'activation_alpha': [1.0], 'activation_beta': []}
    """
    return {
        "activations": [each.name for each in functions],
        "activation_alpha": [each.alpha for each in functions if each.alpha is not None],
        "activation_beta": [each.beta for each in functions if each.beta is not None],
    }


def version_of(text: Any, config: Mapping[str, Any]) -> int:
    """Keras' major version, given that in the file: None, as in configurations of Keras 3.

    Example:
        >>> version_of("2.2.4-tf", {}), version_of(None, {"module": "keras"}), version_of(None, {})
        (2, 3, 2)
    """
    text = text or config.get("keras_version")
    if isinstance(text, str) and text.split(".")[0] in ("1", "2"):
        return int(text[0])
    return NEWEST if text or "module" in config else 2


Config = dict[str, Any]

_CELLS = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "SimpleRNN"}
_CUDNN = {"CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU"}
_CUDNN_OPTIONS = {"activation": "tanh", "recurrent_activation": "sigmoid", "reset_after": True}
"""The options of cuDNN's layers, which their configurations omit."""

RECURRENT = ("LSTM", "GRU", "SimpleRNN", "Bidirectional", "RNN", *_CUDNN)
"""Supported classes of layers."""

_RECURRENT = (*RECURRENT, *_CELLS)

REFUSED = ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "TimeDistributed")
"""Classes of layers that are or may contain recurrent ones, but have no op here."""

_KINDS = {
    "LSTM": ("onnx.LSTM", "lstm", ("recurrent_activation", "activation", "activation")),
    "GRU": ("onnx.GRU", "gru", ("recurrent_activation", "activation")),
    "SimpleRNN": ("onnx.RNN", "rnn_tanh", ("activation",)),
}
"""ONNX's op for a class, the rnn_mode in which `weights` converts its arrays, and the options that
name the op's functions."""


class KerasLayer:
    """A layer in a configuration.

    Attributes:
        names: The names of the models that contain it, below the outermost, and its own.
        groups: Their names in a .keras file.
        kind: Its class.
        config: Its configuration.
        first: The first two sizes of its input, None where they are open or not known.
    """

    def __init__(
        self,
        names: list[str],
        groups: list[str],
        kind: str,
        config: Config,
        first: tuple[int | None, int | None] = (None, None),
    ) -> None:
        self.first = first
        self.names = names
        self.groups = groups
        self.kind = kind
        self.config = config

    @property
    def name(self) -> str:
        """Its name, after those of the models that it is in."""
        return "/".join(self.names)

    @property
    def options(self) -> Config:
        """Its constructor's options."""
        options = self.config.get("config")
        return renamed(cast(Config, options)) if isinstance(options, dict) else {}


def layers_of(
    layer: KerasLayer,
    read: Callable[[], Sequence[Any]],
    masks: Sequence[str],
    version: int,
    path: Path,
    once: Once,
) -> list[Layer | RefusedLayer]:
    """The layer of a layer of Keras, or none, given those before it that make a mask."""
    if layer.kind == "TimeDistributed":
        inner = _inner(layer.options)
        return [RefusedLayer(layer.name, "TimeDistributed")] if inner.kind in RECURRENT else []
    if layer.kind in REFUSED:
        return [RefusedLayer(layer.name, layer.kind)]
    both = layer.kind == "Bidirectional"
    one = _inner(layer.options) if both else _unwrapped(layer)
    reason = _reason(one, version) or (both and _reason_of_both(layer.options, one)) or ""
    if reason:
        return [RefusedLayer(layer.name, reason)]
    arrays = read()
    join = functools.partial(joined, arrays, one.kind, 2 if both else 1, layer.name, path)
    weights: Sequence[Any] = once(("joined", one.kind, both), arrays, join)
    if one.options.get("use_bias", True) and len(weights) == (4 if both else 2):
        raise ArtifactError(f"{path}: {layer.name}: it has use_bias=True, and no bias")
    op, mode, _ = _KINDS[one.kind]
    dtype = weights[0].dtype.name if weights else "float32"
    attributes = _attributes(one, both, version, dtype)
    cudnn = cudnn_mode(op, attributes)
    try:
        make = functools.partial(_params, weights, cudnn or mode, both, _is_older(one))
        params: Any = once((cudnn or mode, both), weights, make)
    except InvalidArgumentError as error:
        raise ArtifactError(f"{path}: {layer.name}: {error}") from error
    units = weights[1].shape[0]
    _check_units(layer, one, units, path)
    batch, steps = _batch_and_steps(layer, not attributes["layout"])
    dims = {"seq_length": steps, "batch_size": batch, "input_size": weights[0].shape[0]}
    dims["num_units"] = units
    if cudnn is None:
        sizes = {"num_units": units, "input_size": dims["input_size"], "bidirectional": both}
        unpack = functools.partial(to_onnx, params, rnn_mode=mode, **sizes)
        held = once("to_onnx", [params], unpack)._asdict()
    else:
        op, held = "CudnnRNNV3", {"params": params}
        dims["num_layers"] = 1
        attributes = {
            "rnn_mode": cudnn,
            "direction": "bidirectional" if both else "unidirectional",
            "is_training": False,
            "time_major": not attributes["layout"],
        }
    notes = _notes_of(layer, one, masks, CUDNN_NAMES if cudnn else ONNX_NAMES)
    made = Layer(layer.name, op, attributes, dims, params.dtype.name, held, tuple(notes))
    return [checked(made, path)]


def _attributes(one: KerasLayer, both: bool, version: int, dtype: str) -> dict[str, Any]:
    """The attributes of ONNX's op for a layer."""
    op, _, options = _KINDS[one.kind]
    found = [onnx_function(one.options.get(name), version) for name in options]
    functions = [each for each in found if each is not None]
    given = {
        **activation_attributes(functions * (2 if both else 1)),
        "direction": "bidirectional" if both else "forward",
        "layout": 0 if one.options.get("time_major") else 1,
        "linear_before_reset": int(bool(one.options.get("reset_after"))),
    }
    return canonical(op, given, dtype)


def _is_older(one: KerasLayer) -> bool:
    """Whether it is a GRU whose reset gate acts before the matrix product."""
    return one.kind == "GRU" and not one.options.get("reset_after")


def _params(weights: Sequence[Any], mode: str, both: bool, older: bool) -> Any:
    """The weights of a layer as a parameter buffer; an older GRU has one bias, not two."""
    if older and len(weights) == (6 if both else 3):
        weights = [
            np.stack([each, np.zeros_like(each)]) if k % 3 == 2 else each
            for k, each in enumerate(weights)
        ]
    return from_keras(weights, rnn_mode=mode, bidirectional=both)


def _notes_of(
    layer: KerasLayer, one: KerasLayer, masks: Sequence[str], names: Mapping[str, str]
) -> list[str]:
    """The notes of a layer, whose op has these names."""
    both = one.kind != layer.kind and layer.kind == "Bidirectional"
    passed = _passed(layer)
    sources = [f"the layer {masks[-1]!r} masks steps"] if masks else []
    sources = ["the model passes a mask of steps"] if "mask" in passed else sources
    notes = [*_notes(one, both, names), *notes_on_masks(sources, names)]
    notes += _notes_on_precision(one, layer)
    if "initial_state" in passed:
        states = names["initial_h"]
        states += f" and {names['initial_c']}" if one.kind == "LSTM" else ""
        notes.append(f"the model passes an initial state, which is {states}")
    if both:
        notes += _notes_on_merging(layer.options.get("merge_mode", "concat"), names)
    return notes


def _check_units(layer: KerasLayer, one: KerasLayer, units: int, path: Path) -> None:
    """Checks that the option `units` agrees with the weights."""
    given = one.options.get("units", units)
    if given != units:
        raise ArtifactError(
            f"{path}: {layer.name}: units is {given!r:.20}, its weights have {units}"
        )


def _inner(options: Mapping[str, Any], key: str = "layer") -> KerasLayer:
    """The layer that a wrapper wraps."""
    config = options.get(key)
    config = cast(Config, config) if isinstance(config, dict) else {}
    return _unwrapped(KerasLayer([], [], str(class_of(config)), config))


def _unwrapped(layer: KerasLayer) -> KerasLayer:
    """The plain layer for a layer of cuDNN, or for an RNN around a cell, ``RNN(LSTMCell(5))``."""
    if layer.kind in _CUDNN:
        config = {"config": {**layer.options, **_CUDNN_OPTIONS}}
        return KerasLayer(layer.names, layer.groups, _CUDNN[layer.kind], config)
    cell = layer.options.get("cell")
    if layer.kind != "RNN" or not isinstance(cell, dict):
        return layer
    kind = str(class_of(cast(Config, cell)))
    inner = KerasLayer(
        layer.names, layer.groups, _CELLS.get(kind, f"RNN of {kind}"), cast(Config, cell)
    )
    inner.config = {**inner.config, "config": {**layer.options, **inner.options}}
    return inner


def _reason(one: KerasLayer, version: int) -> str:
    """The feature of a layer that no op computes; empty if there is none."""
    if one.kind not in _KINDS:
        return one.kind
    for name in _KINDS[one.kind][2]:
        value = one.options.get(name, "")
        if onnx_function(value, version) is None:
            return f"{name}={described(value)}"[:80]
    return ""


def _reason_of_both(options: Mapping[str, Any], forward: KerasLayer) -> str:
    """The feature of a layer in two directions that no op computes."""
    if forward.options.get("go_backwards"):
        return "Bidirectional of go_backwards=True"
    if not isinstance(options.get("backward_layer"), dict):
        return ""
    backward = _inner(options, "backward_layer")
    for name in ("units", "activation", "recurrent_activation", "reset_after", "use_bias"):
        if backward.options.get(name) != forward.options.get(name):
            return f"a backward_layer with another {name}"
    return "" if backward.kind == forward.kind else f"a backward_layer that is {backward.kind}"


def _notes(one: KerasLayer, bidirectional: bool, names: Mapping[str, str]) -> list[str]:
    """Notes about how a layer treats its input, output and state."""
    options = one.options
    notes: list[str] = []
    last = "the forward half of its last step and the backward half of its first"
    last = last if bidirectional else "the last step"
    states = f"{names['Y_h']} and {names['Y_c']}" if one.kind == "LSTM" else names["Y_h"]
    if options.get("return_state"):
        also = "too" if options.get("return_sequences") else f"and {last}"
        notes.append(f"the model uses the last state {also}: {states}")
    elif not options.get("return_sequences"):
        notes.append(f"the model uses {last} alone: {names['Y_h']}")
    if options.get("go_backwards"):
        notes.append(
            "go_backwards: pass the steps of each row from its last to its first; the output is in "
            "that order, as Keras' is"
        )
    if options.get("stateful"):
        notes.append(f"stateful: pass the states that a call gives to the next{STREAMED}")
    return notes


def _notes_on_precision(one: KerasLayer, layer: KerasLayer) -> list[str]:
    """Notes that a model computes in fewer bits than its weights have."""
    for options in (one.options, layer.options):
        dtype = options.get("dtype")
        policy = cast(Config, dtype).get("config") if isinstance(dtype, dict) else dtype
        policy = cast(Config, policy).get("name") if isinstance(policy, dict) else policy
        if isinstance(policy, str) and policy.startswith("mixed_"):
            return [f"{policy[:20]}: the model computes in 16 bits, the layer as its weights are"]
    return []


def _passed(layer: KerasLayer) -> set[str]:
    """The call arguments of a layer besides its input: ``initial_state``, ``mask``.

    Keras 3 writes a call as its arguments and keywords; Keras 2 as a list of tensors, of which
    those after the first are the initial state, each with the keywords of the call.
    """
    calls: Any = layer.config.get("inbound_nodes")
    names = ("initial_state", "mask")
    found: set[str] = set()
    for call in cast(list[Any], calls) if isinstance(calls, list) else []:
        keywords: list[Any] = []
        if isinstance(call, dict):
            arguments: Any = cast(Config, call).get("args")
            more = cast(list[Any], arguments)[1:3] if isinstance(arguments, list) else []
            keywords = [dict(zip(names, more, strict=False)), cast(Config, call).get("kwargs")]
        elif isinstance(call, list):
            tensors = cast(list[Any], call)
            found |= {"initial_state"} if len(tensors) > 1 else set()
            keywords = [
                cast(list[Any], each)[3] for each in tensors if isinstance(each, list) and each[3:]
            ]
        for each in keywords:
            given = cast(Config, each) if isinstance(each, dict) else {}
            found |= {name for name in names if given.get(name) not in (None, False, [])}
    return found


def notes_on_masks(sources: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """How lengths stand for masks that some layers make."""
    if not sources:
        return []
    return [
        f"{sources[-1]}: pass each row's number of steps as {names['sequence_lens']}, masked ones "
        "at the end; the output there is 0, where Keras repeats the step before"
    ]


def _notes_on_merging(mode: object, names: Mapping[str, str]) -> list[str]:
    """How both directions are merged: an axis of Y, or halves of CudnnRNNV3's output."""
    known = {"sum": "the sum of", "mul": "the product of", "ave": "the mean of", None: "a pair of"}
    if mode == "concat":
        text = "the model uses both directions of Y, with their units side by side"
        return [] if names is CUDNN_NAMES else [text]
    text = f"{mode!r}"[:80] + " of"
    if isinstance(mode, (str, type(None))):
        text = known.get(mode, text)
    both = "both halves of the output" if names is CUDNN_NAMES else "both directions of Y"
    return [f"merge_mode={mode!r:.20}: the model uses {text} {both}"]


def _batch_and_steps(layer: KerasLayer, time_major: bool) -> tuple[int | None, int | None]:
    """The first two sizes of the input, if they are recorded."""
    build = layer.config.get("build_config")
    shape: Any = cast(Config, build).get("input_shape") if isinstance(build, dict) else None
    shape = shape or layer.options.get("batch_input_shape")
    first = first_sizes(shape) if shape else layer.first
    return (first[1], first[0]) if time_major else first


def class_of(config: Config) -> Any:
    """The class of a layer, with its package if it is not Keras' class of that name."""
    kind, registered, module = (
        config.get(name) for name in ("class_name", "registered_name", "module")
    )
    if kind not in _RECURRENT or not isinstance(registered, str):  # Keras registers none of its own
        return kind
    of_keras = isinstance(module, str) and module.partition(".")[0] in ("keras", "tf_keras")
    return kind if of_keras else f"{registered.partition('>')[0]}>{kind}"


def first_sizes(shape: Any) -> tuple[int | None, int | None]:
    """The first two sizes of a shape in a configuration."""
    if not isinstance(shape, list) or len(cast(list[Any], shape)) < 2:
        return None, None
    first, second = (
        each if isinstance(each, int) and 0 < each < 2**31 else None
        for each in cast(list[Any], shape)[:2]
    )
    return first, second
