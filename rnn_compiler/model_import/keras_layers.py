"""Converts Keras' recurrent layers to ops, from their configurations and weights.

A layer is described as ONNX's op: LSTM, SimpleRNN as RNN, GRU with linear_before_reset=1 for
reset_after=True. It is CudnnRNNV3 if that computes it (`onnx_ops`), and ONNX's op if not: with
other activations, or with reset_after=False, which multiplies the state by its reset gate before
the matrix product. Bidirectional is both directions of one op. CuDNNLSTM and CuDNNGRU are
CudnnRNNV3 directly; layers of Keras 1 are those of Keras 2 under other names (`keras_1`).

Features that no op computes are rejected by name; what the layer does to its input or output
becomes a note.

Sources: keras/src/layers/rnn (lstm, gru, simple_rnn, bidirectional).py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.keras_1 import joined, renamed
from rnn_compiler.model_import.keras_activations import (
    activation_attributes,
    described,
    onnx_function,
)
from rnn_compiler.model_import.layer import STREAMED, Layer, Refused, checked
from rnn_compiler.model_import.onnx_ops import CUDNN_NAMES, ONNX_NAMES, canonical, cudnn_mode
from rnn_compiler.model_import.reading import Once
from rnn_compiler.weights import from_keras, to_onnx

__all__ = ["RECURRENT", "REFUSED", "Config", "KerasLayer", "class_of", "first_sizes", "layers_of"]

Config = dict[str, Any]

_CELLS = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "SimpleRNN"}
_CUDNN = {"CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU"}
_CUDNN_OPTIONS = {"activation": "tanh", "recurrent_activation": "sigmoid", "reset_after": True}
"""The options of cuDNN's layers, which their configurations omit."""

RECURRENT = ("LSTM", "GRU", "SimpleRNN", "Bidirectional", "RNN", *_CUDNN)
"""Supported classes of layers."""

_NAMES = (*RECURRENT, *_CELLS)

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
) -> list[Layer | Refused]:
    """The layers of one layer of Keras: one, or none.

    Args:
        layer: The layer.
        read: Reads its arrays, in Keras' order.
        masks: The layers before it that produce a mask.
        version: Keras' major version.
        path: The file, for messages.
        once: Computes arrays from weights, once for weights that layers share.

    Raises:
        ArtifactError: Options or weights are invalid.
    """
    if layer.kind == "TimeDistributed":
        inner = _inner(layer.options)
        return [Refused(layer.name, "TimeDistributed")] if inner.kind in RECURRENT else []
    if layer.kind in REFUSED:
        return [Refused(layer.name, layer.kind)]
    both = layer.kind == "Bidirectional"
    one = _inner(layer.options) if both else _unwrapped(layer)
    reason = _reason(one, version) or (both and _reason_of_both(layer.options, one)) or ""
    if reason:
        return [Refused(layer.name, reason)]
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
    notes = [*_notes(one, both, names), *_notes_on_masks(sources, names)]
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


def _notes_on_masks(sources: Sequence[str], names: Mapping[str, str]) -> list[str]:
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
    if kind not in _NAMES or not isinstance(registered, str):  # Keras registers none of its own
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
