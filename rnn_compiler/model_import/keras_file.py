"""Reads Keras' ``.keras`` files: a zip file with a configuration and weights.

The configuration is JSON and lists the layers, including those of nested models. The weights are in
HDF5 groups (`keras_weights`).

Nothing in these files is run: configurations are data, and neither pickles nor custom objects are
loaded.

Sources: keras/src/saving/saving_lib.py, keras/src/layers/rnn.
"""

from __future__ import annotations

import functools
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.model_import.hdf5 import read_hdf5
from rnn_compiler.model_import.keras_activations import version_of
from rnn_compiler.model_import.keras_layers import (
    RECURRENT,
    REFUSED,
    Config,
    KerasLayer,
    class_of,
    first_sizes,
    layers_of,
)
from rnn_compiler.model_import.keras_weights import GroupsByClass, GroupsByName
from rnn_compiler.model_import.layer import Layer, Refused, named_apart
from rnn_compiler.model_import.reading import (
    Budget,
    Once,
    damaged,
    exceeded,
    read_bytes,
    stored_bytes,
)

__all__ = ["FROM_KERAS", "layers_of_model", "parsed", "read_keras"]

FROM_KERAS = (
    "convert each layer's layer.get_weights() with rc.weights.from_keras(weights, rnn_mode=...)"
)
"""The remedy for layers whose configuration is not in the file."""

_OTHER = (
    "which is none of Keras' recurrent layers: if it computes what one of them does, "
    "rc.weights.from_keras converts its weights"
)

_MODELS = ("Sequential", "Functional", "Model")
_KEEPING = (
    *("InputLayer", "Embedding", "Masking", "Dense", "TimeDistributed", "Activation", "ReLU"),
    *("Dropout", "SpatialDropout1D", "GaussianNoise", "LayerNormalization", "BatchNormalization"),
)
"""Classes of layers whose output has as many steps as their input."""

_DEEPEST = 20
_MOST_LAYERS = 1_000
_LARGEST_CONFIG = 1 << 26
_SPARE_BYTES = 1 << 22
_KINDS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}
"""The compressions that Keras and common zip tools use; files are read piece by piece."""


def read_keras(path: Path) -> tuple[list[Layer | Refused], str]:
    """The layers of a .keras file, and a description of its other content.

    Raises:
        ArtifactError: The file is damaged, or its content is implausibly large.
        OSError: It cannot be read.
        UnsupportedError: The package h5py is not installed.
    """
    read_bytes(path, 0, 0)
    with open(path, "rb") as stream:
        try:
            with zipfile.ZipFile(stream) as file:
                config = parsed(_member(file, "config.json", path), path)
                weights = _member(file, "model.weights.h5", path)
                facts: Config = {}
                if "metadata.json" in file.namelist():
                    facts = parsed(_member(file, "metadata.json", path), path)
        except ArtifactError:
            raise
        except Exception as error:  # from zipfile or zlib, or for offsets beyond the file
            raise damaged(path, f"not a readable zip file ({error})") from error
    version = version_of(facts.get("keras_version"), config)
    return layers_of_model(path, config, version, GroupsByClass(read_hdf5(path, weights)))


def _member(file: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """A file in a zip file, unless it is much larger than when compressed."""
    if name not in file.namelist():
        raise damaged(path, f"it has no {name}")
    info = file.getinfo(name)
    most = _SPARE_BYTES + 20 * min(info.compress_size, stored_bytes(path))
    most = min(most, _LARGEST_CONFIG) if name.endswith(".json") else most
    if info.file_size > most:
        raise exceeded(path, f"{name} is {info.file_size} bytes, from {info.compress_size}")
    if info.compress_type not in _KINDS:
        raise damaged(path, f"{name} is compressed with a method that Keras does not use")
    with file.open(info) as stream:
        data = stream.read(info.file_size)
    if len(data) != info.file_size:
        raise damaged(path, f"{name} ends early")
    return data


def parsed(text: bytes | str, path: Path) -> Config:
    """A configuration, which is JSON.

    Raises:
        ArtifactError: It is not JSON.
    """
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"its configuration is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise damaged(path, "its configuration is not a JSON object")
    return cast(Config, data)


def layers_of_model(
    path: Path, config: Config, version: int, weights: GroupsByClass | GroupsByName
) -> tuple[Any, str]:
    """The recurrent layers of a model, and a description of its other layers.

    Args:
        path: The file, for messages.
        config: The model's configuration.
        version: Keras' major version.
        weights: Its weights.

    Raises:
        ArtifactError: The configuration or the weights are invalid.
        UnsupportedError: Its layers are only in code.
    """
    model = _layer_configs(config)
    if model is None:
        name = str(config.get("class_name"))[:80]
        if name in _MODELS:
            raise damaged(path, f"the configuration of its {name} lists no layers")
        raise UnsupportedError(
            f"import_model: {path}: the layers of {name}, a subclass of keras.Model, are only in "
            f"code; {FROM_KERAS}"
        )
    once = Once(Budget(path, stored_bytes(path)))
    found: list[Layer | Refused] = []
    classes: set[str] = set()
    masks: list[str] = []
    for layer in _layers_in(config, path):
        classes.add(layer.kind)
        options = layer.options
        if layer.kind == "Masking" or (layer.kind == "Embedding" and options.get("mask_zero")):
            masks.append(layer.name)
        made: list[Layer | Refused] = []
        if layer.kind in RECURRENT or layer.kind in REFUSED:
            read = functools.partial(weights.arrays, layer, path)
            made = layers_of(layer, read, masks, version, path, once)
        if not made and weights.are_recurrent(layer):
            own = Refused(layer.name, f"recurrent weights in the class {layer.kind}"[:80], _OTHER)
            made = [Refused(layer.name, layer.kind) if layer.kind in REFUSED else own]
        found += made
        if len(found) > _MOST_LAYERS:
            raise exceeded(path, f"it has more than {_MOST_LAYERS} recurrent layers")
    return named_apart(found), f"the layers {', '.join(sorted(classes)) or 'none'}"


def _layers_in(
    model: Config, path: Path, names: list[str] | None = None, groups: list[str] | None = None
) -> Iterator[KerasLayer]:
    """The layers of a model and of the models nested in it."""
    names, groups = names or [], groups or []
    if len(names) > _DEEPEST:
        raise damaged(path, "its models contain each other")
    counts: dict[str, int] = {}
    layers = _layer_configs(model) or []
    one_input = sum(config.get("class_name") == "InputLayer" for config in layers) < 2
    first: tuple[int | None, int | None] = (None, None)
    for config in layers:
        kind, options = class_of(config), config.get("config")
        if not isinstance(kind, str) or not isinstance(options, (dict, list)):
            raise damaged(path, "a layer of its configuration has no class or no options")
        group = _snake_case(kind)
        count = counts[group] = counts.get(group, -1) + 1
        group = f"{group}_{count}" if count else group
        own = cast(Config, options).get("name") if isinstance(options, dict) else None
        own = config.get("name", own) if own is None else own
        below = [*names, own if isinstance(own, str) else group], [*groups, group]
        if kind in _MODELS:
            yield from _layers_in(config, path, *below)
            first = (first[0], None)
            continue
        layer = KerasLayer(*below, kind, config, first)
        yield layer
        shape = layer.options.get("batch_shape") or layer.options.get("batch_input_shape")
        if shape and one_input:
            first = first_sizes(shape)
        wrapped = layer.options.get("layer")
        options = cast(Config, wrapped).get("config") if isinstance(wrapped, dict) else None
        options = cast(Config, options) if isinstance(options, dict) else layer.options
        if kind not in _KEEPING and not options.get("return_sequences"):
            first = (first[0], None)


def _layer_configs(model: Config) -> list[Config] | None:
    """The configurations of a model's layers; None if it is not a model."""
    config: Any = model.get("config")
    layers: Any = cast(Config, config).get("layers") if isinstance(config, dict) else config
    if not isinstance(layers, list):
        return None
    return [cast(Config, each) for each in cast(list[Any], layers) if isinstance(each, dict)]


def _snake_case(name: str) -> str:
    """Keras' name of a class in a file: ``simple_rnn``."""
    name = re.sub(r"\W+", "", name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
