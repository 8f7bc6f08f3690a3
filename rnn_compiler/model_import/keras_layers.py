"""Converts Keras' recurrent layers to ops, from their configurations and weights.

LSTM, SimpleRNN and GRU(reset_after=True) are CudnnRNNV3, in one direction or, inside Bidirectional,
in two. GRU(reset_after=False), the older kind, multiplies the state by its reset gate before the
matrix product, as GRUBlockCell does, one step per call:

    w_ru = [[W_r, W_z], [U_r, U_z]]    b_ru = [b_r, b_z]    w_c = [[W_h], [U_h]]    b_c = b_h

with Keras' gates z, r, h and TensorFlow's u for z. CuDNNLSTM and CuDNNGRU are CudnnRNNV3 as they
are; layers of Keras 1 are those of Keras 2 by other names (`keras_1`).

Features that no op computes are rejected by name; what the layer does to its input or output
becomes a note.

Sources: keras/src/layers/rnn (lstm, gru, simple_rnn, bidirectional).py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.keras_1 import joined, renamed
from rnn_compiler.model_import.layer import STREAMED, Layer, Refused, checked
from rnn_compiler.model_import.older_gru import older_gru
from rnn_compiler.model_import.reading import Once
from rnn_compiler.weights import from_keras
from rnn_compiler.weights.stacked import reorder_gates

__all__ = ["RECURRENT", "REFUSED", "Config", "Place", "first_sizes", "layers_of"]

Config = dict[str, Any]

_CELLS = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "SimpleRNN"}
_CUDNN = {"CuDNNLSTM": "LSTM", "CuDNNGRU": "GRU"}
_CUDNN_OPTIONS = {"activation": "tanh", "recurrent_activation": "sigmoid", "reset_after": True}
"""What cuDNN computes, which the configurations of its layers do not say."""

RECURRENT = ("LSTM", "GRU", "SimpleRNN", "Bidirectional", "RNN", *_CUDNN)
"""Classes of layers that are read."""

REFUSED = ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "TimeDistributed")
"""Classes of layers that are recurrent, or hold such, and have no op here."""

_GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}


class Place:
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
        """What it was made with."""
        options = self.config.get("config")
        return renamed(cast(Config, options)) if isinstance(options, dict) else {}


def layers_of(
    place: Place, read: Callable[[], Sequence[Any]], masks: Sequence[str], path: Path, once: Once
) -> list[Layer | Refused]:
    """The layers of one layer of Keras: none, one, or one for each direction.

    Args:
        place: The layer.
        read: Reads its arrays, in Keras' order.
        masks: The layers before it that mask.
        path: The file, for messages.
        once: Makes arrays of weights, once of those that layers share.

    Raises:
        ArtifactError: Options or weights are none that there can be.
    """
    if place.kind == "TimeDistributed":
        inner = _inner(place.options)
        return [Refused(place.name, "TimeDistributed")] if inner.kind in RECURRENT else []
    if place.kind in REFUSED:
        return [Refused(place.name, place.kind)]
    bidirectional = place.kind == "Bidirectional"
    one = _inner(place.options) if bidirectional else _unwrapped(place)
    reason = _reason(one) or (bidirectional and _reason_of_both(place.options, one)) or ""
    if reason:
        return [Refused(place.name, reason)]
    older = one.kind == "GRU" and not one.options.get("reset_after", False)
    passed = _passed(place)
    arrays, directions = read(), 2 if bidirectional else 1
    join = functools.partial(joined, arrays, one.kind, directions, place.name, path)
    weights: Sequence[Any] = once(("joined", one.kind, directions), arrays, join)
    sources = [f"the layer {masks[-1]!r} masks steps"] if masks else []
    sources = ["the model passes a mask of steps"] if "mask" in passed else sources
    notes = [*_notes(one, bidirectional, older), *_notes_on_masks(sources, older)]
    notes += _notes_on_precision(one, place)
    if "initial_state" in passed:
        states = "the first h_prev" if older else "input_h"
        states += " and input_c" if one.kind == "LSTM" else ""
        notes.append(f"the model passes an initial state, which is {states}")
    if bidirectional:
        notes += _notes_on_merging(place.options.get("merge_mode", "concat"))
    if older:
        return _older(place, one, weights, bidirectional, notes, path, once)
    return [_layer(place, one, weights, bidirectional, notes, path, once)]


def _layer(
    place: Place,
    one: Place,
    weights: Sequence[Any],
    bidirectional: bool,
    notes: Sequence[str],
    path: Path,
    once: Once,
) -> Layer:
    """The layer as a CudnnRNNV3."""
    mode = {"LSTM": "lstm", "GRU": "gru"}.get(one.kind, f"rnn_{one.options.get('activation')}")
    try:
        make = functools.partial(from_keras, weights, rnn_mode=mode, bidirectional=bidirectional)
        params: Any = once((mode, bidirectional), weights, make)
    except InvalidArgumentError as error:
        raise ArtifactError(f"{path}: {place.name}: {error}") from error
    _check_units(place, one, weights[1].shape[0], path)
    attributes = {
        "rnn_mode": mode,
        "direction": "bidirectional" if bidirectional else "unidirectional",
        "is_training": False,
        "time_major": bool(one.options.get("time_major", False)),
    }
    batch, steps = _batch_and_steps(place, attributes["time_major"] is True)
    dims = {"seq_length": steps, "batch_size": batch, "input_size": weights[0].shape[0]}
    dims |= {"num_units": weights[1].shape[0], "num_layers": 1}
    name = params.dtype.name
    made = Layer(place.name, "CudnnRNNV3", attributes, dims, name, {"params": params}, tuple(notes))
    return checked(made, path)


def _older(
    place: Place,
    one: Place,
    weights: Sequence[Any],
    bidirectional: bool,
    notes: Sequence[str],
    path: Path,
    once: Once,
) -> list[Layer | Refused]:
    """A GRU of the older kind: a GRUBlockCell for each direction."""
    directions = ("forward", "backward") if bidirectional else ("",)
    each = len(weights) // len(directions)
    batch, _ = _batch_and_steps(place, bool(one.options.get("time_major", False)))
    found: list[Layer | Refused] = []
    for k, direction in enumerate(directions):
        kernel, recurrent, *bias = weights[k * each : (k + 1) * each] or (None, None)
        shapes = [array.shape for array in (kernel, recurrent, *bias) if array is not None]
        units = shapes[1][0] if len(shapes) > 1 and shapes[1] else 0
        expected = [(*shapes[0][:1], 3 * units), (units, 3 * units), (3 * units,)] if shapes else []
        if len(shapes) not in (2, 3) or shapes != expected[: len(shapes)]:
            raise ArtifactError(f"{path}: {place.name}: no GRU has weights of the shapes {shapes}")
        _check_units(place, one, units, path)
        make = functools.partial(_older_direction, (kernel, recurrent, *bias))
        layer: Layer = once("older", (kernel, recurrent, *bias), make)
        name = f"{place.name}/{direction}" if direction else place.name
        extra = [f"it is the {direction} direction"] if direction else []
        if direction == "backward":
            extra.append("it takes the steps from the last to the first")
        dims, notes_on = {**layer.dims, "batch_size": batch}, (*layer.notes, *notes, *extra)
        found.append(checked(replace(layer, name=name, dims=dims, notes=notes_on), path))
    return found


def _older_direction(arrays: Sequence[Any]) -> Layer:
    """A direction of a GRU of the older kind, without a name."""
    gates = [reorder_gates(array, -1, "zrh", "rzh") for array in arrays]
    return older_gru("", *gates, batch=None, notes=())


def _check_units(place: Place, one: Place, units: int, path: Path) -> None:
    """Checks that the option is what the weights have."""
    given = one.options.get("units", units)
    if given != units:
        raise ArtifactError(
            f"{path}: {place.name}: units is {given!r:.20}, its weights have {units}"
        )


def _inner(options: Mapping[str, Any], key: str = "layer") -> Place:
    """The layer that a wrapper wraps."""
    config = options.get(key)
    config = cast(Config, config) if isinstance(config, dict) else {}
    return _unwrapped(Place([], [], str(config.get("class_name")), config))


def _unwrapped(place: Place) -> Place:
    """A layer of cuDNN, or whose cell is given apart, ``RNN(LSTMCell(5))``, as the plain layer."""
    if place.kind in _CUDNN:
        config = {"config": {**place.options, **_CUDNN_OPTIONS}}
        return Place(place.names, place.groups, _CUDNN[place.kind], config)
    cell = place.options.get("cell")
    if place.kind != "RNN" or not isinstance(cell, dict):
        return place
    kind = str(cast(Config, cell).get("class_name"))
    inner = Place(place.names, place.groups, _CELLS.get(kind, f"RNN of {kind}"), cast(Config, cell))
    inner.config = {**inner.config, "config": {**place.options, **inner.options}}
    return inner


def _reason(one: Place) -> str:
    """What a layer has that no op computes; empty if there is nothing."""
    if one.kind not in _GATES:
        return one.kind
    allowed = {"activation": ("tanh",), "recurrent_activation": ("sigmoid",)}
    if one.kind == "SimpleRNN":
        allowed = {"activation": ("tanh", "relu")}
    for name, values in allowed.items():
        value = one.options.get(name)
        if value not in values:
            return f"{name}={value!r}"[:80]
    return ""


def _reason_of_both(options: Mapping[str, Any], forward: Place) -> str:
    """What a layer in two directions has that no op computes."""
    if forward.options.get("go_backwards"):
        return "Bidirectional of go_backwards=True"
    if not isinstance(options.get("backward_layer"), dict):
        return ""
    backward = _inner(options, "backward_layer")
    for name in ("units", "activation", "recurrent_activation", "reset_after", "use_bias"):
        if backward.options.get(name) != forward.options.get(name):
            return f"a backward_layer with another {name}"
    return "" if backward.kind == forward.kind else f"a backward_layer that is {backward.kind}"


def _notes(one: Place, bidirectional: bool, older: bool) -> list[str]:
    """What a layer does to its input, output and state."""
    options = one.options
    notes: list[str] = []
    if not options.get("return_sequences"):
        last = "the forward half of its last step and the backward half of its first"
        text = f"the model uses {last if bidirectional else 'the last step'} alone"
        notes.append(text if older else f"{text}: output_h")
    if options.get("go_backwards"):
        notes.append(
            "go_backwards: pass the steps of each row from its last to its first; the output is in "
            "that order, as Keras' is"
        )
    if options.get("stateful"):
        states = "the h" if older else "the states"
        notes.append(f"stateful: pass {states} that a call gives to the next{STREAMED}")
    return notes


def _notes_on_precision(one: Place, place: Place) -> list[str]:
    """That a model computes in fewer bits than its weights have, by the layer or its wrapper."""
    for options in (one.options, place.options):
        dtype = options.get("dtype")
        policy = cast(Config, dtype).get("config") if isinstance(dtype, dict) else dtype
        policy = cast(Config, policy).get("name") if isinstance(policy, dict) else policy
        if isinstance(policy, str) and policy.startswith("mixed_"):
            return [f"{policy[:20]}: the model computes in 16 bits, the layer as its weights are"]
    return []


def _passed(place: Place) -> set[str]:
    """What a layer is called with beside its input: ``initial_state``, ``mask``.

    Keras 3 writes a call as its arguments and keywords; Keras 2 as a list of tensors, of which
    those after the first are the initial state, each with the keywords of the call.
    """
    calls: Any = place.config.get("inbound_nodes")
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


def _notes_on_masks(sources: Sequence[str], older: bool) -> list[str]:
    if not sources:
        return []
    masking = sources[-1]
    if older:
        return [f"{masking}: keep the h of a row where its step is masked"]
    return [
        f"{masking}: pass each row's number of steps as sequence_lengths, masked ones at the end; "
        "the output there is 0, where Keras repeats the step before"
    ]


def _notes_on_merging(mode: object) -> list[str]:
    """What is made of the outputs of both directions, which the op gives side by side."""
    names = {"sum": "the sum", "mul": "the product", "ave": "the mean", None: "a pair"}
    if mode == "concat":
        return []
    text = (
        names.get(cast(Any, mode), f"{mode!r}"[:80]) if isinstance(mode, (str, type(None))) else ""
    )
    return [f"merge_mode={mode!r:.20}: the model uses {text} of both halves of the output"]


def _batch_and_steps(place: Place, time_major: bool) -> tuple[int | None, int | None]:
    """The first two sizes of the input, as far as they are noted."""
    build = place.config.get("build_config")
    shape: Any = cast(Config, build).get("input_shape") if isinstance(build, dict) else None
    shape = shape or place.options.get("batch_input_shape")
    first = first_sizes(shape) if shape else place.first
    return (first[1], first[0]) if time_major else first


def first_sizes(shape: Any) -> tuple[int | None, int | None]:
    """The first two sizes of a shape in a configuration."""
    if not isinstance(shape, list) or len(cast(list[Any], shape)) < 2:
        return None, None
    first, second = (
        each if isinstance(each, int) and 0 < each < 2**31 else None
        for each in cast(list[Any], shape)[:2]
    )
    return first, second
