"""Reads Keras' ``.h5`` files: whole models, or weights whose architecture is in a ``.json`` file.

A whole model has its configuration as an attribute of the outermost group. Files with only weights
have the same groups, or, if named ``.weights.h5``, those of ``.keras`` files (`keras_weights`). The
output of `model.to_json` is next to them: either file finds the other by its name, or if it is the
only candidate.

Sources: keras/src/legacy/saving/legacy_h5_format.py; keras/engine/topology.py of Keras 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.hdf5 import Hdf5, read_hdf5
from rnn_compiler.model_import.keras_activations import version_of
from rnn_compiler.model_import.keras_file import FROM_KERAS, layers_of_model, parsed
from rnn_compiler.model_import.keras_layers import Config
from rnn_compiler.model_import.keras_weights import GroupsByClass, GroupsByName, stacks_of
from rnn_compiler.model_import.layer import Layer, Refused
from rnn_compiler.model_import.reading import clipped, read_bytes

__all__ = ["read_h5", "read_json"]

_WEIGHTS = (".weights.h5", ".h5", ".hdf5")
_ARCHITECTURE = (".json",)
_MOST_BESIDE = 1_000
_LARGEST_ARCHITECTURE = 1 << 26
_MOST_TOLD = 20


def read_h5(path: Path) -> tuple[list[Layer | Refused], str]:
    """The layers of a whole model, or of weights next to their architecture, and other content.

    Raises:
        ArtifactError: The file is damaged.
        InvalidArgumentError: It has only weights, and no architecture is next to it.
        OSError: It cannot be read.
        UnsupportedError: The package h5py is not installed.
    """
    file = read_hdf5(path)
    text = file.groups.get("", {}).get("model_config")
    if isinstance(text, str):
        config = parsed(text, path)
        weights = GroupsByName(file, "model_weights/")
        return layers_of_model(path, config, _version(file, config), weights)
    beside = list(_beside(path, _ARCHITECTURE))
    found = [(each, config) for each in beside if (config := _architecture(each)) is not None]
    if len(found) == 1:
        return _joined(path, file, found[0][1])
    names = ", ".join(str(each.name) for each, _ in found[:_MOST_TOLD])
    expected = "a whole model, or weights with the output of model.to_json next to them"
    got = f"{path}, which has only weights, of {_told(file)}"
    got += f"; next to it are {names}" if found else ""
    raise InvalidArgumentError("import_model", "path", expected, got, _remedy(file, path))


def _remedy(file: Hdf5, path: Path) -> str:
    """What to do about weights without an architecture."""
    by_name = "layer_names" in file.groups.get("", {})
    stacks = list(stacks_of(file))
    if stacks and not by_name and not any(each.group.startswith("layers/") for each in stacks):
        return f"they are of a subclass of keras.Model, whose layers are only in code: {FROM_KERAS}"
    remedy = f"write model.to_json() to {_stem(path)}.json next to it, or {FROM_KERAS}"
    version = str(file.groups.get("", {}).get("keras_version"))
    numbers = re.match(r"(\d{1,3})\.(\d{1,3})", version)
    gated = any(each.kind != "SimpleRNN" for each in stacks)
    if numbers and gated and (int(numbers[1]), int(numbers[2])) < (2, 3):
        default = "recurrent_activation='hard_sigmoid'"
        remedy += (
            f". Keras {clipped(version)} wrote them, where LSTM and GRU have {default} by default "
            "(in TensorFlow 2, 'sigmoid'). For such layers rc.weights.from_keras, which assumes "
            f"sigmoid, gives wrong numbers, and so does a .json file without {default}"
        )
    return remedy


def read_json(path: Path) -> tuple[list[Layer | Refused], str]:
    """The layers of an architecture with weights next to it, and a description of other content.

    Raises:
        ArtifactError: A file is damaged.
        InvalidArgumentError: It is not an architecture, or no weights are next to it.
        OSError: A file cannot be read.
        UnsupportedError: The package h5py is not installed.
    """
    config = _architecture(path)
    if config is None:
        parsed(read_bytes(path), path)
        raise InvalidArgumentError(
            "import_model",
            "path",
            "the output of Keras' model.to_json",
            f"{path}, which is JSON without class_name and config",
            f"write model.to_json() to {path.name}, or save the model as .keras",
        )
    beside = list(_beside(path, _WEIGHTS))
    if len(beside) != 1:
        names = ", ".join(each.name for each in beside[:_MOST_TOLD]) or "no .h5 file"
        stem = _stem(path)
        expected = f"{stem}.h5 or {stem}.weights.h5 next to it, or a single .h5 file"
        got = f"{path}, next to which there is {names}"
        raise InvalidArgumentError("import_model", "path", expected, got)
    return _joined(beside[0], read_hdf5(beside[0]), config)


def _joined(path: Path, file: Hdf5, config: Config) -> tuple[list[Layer | Refused], str]:
    """The layers of weights and an architecture."""
    by_name = "layer_names" in file.groups.get("", {})
    weights = GroupsByName(file, "") if by_name else GroupsByClass(file)
    return layers_of_model(path, config, _version(file, config), weights)


def _version(file: Hdf5, config: Config) -> int:
    """Keras' major version: that of the model, or of its weights."""
    groups = (file.groups.get(name, {}) for name in ("", "model_weights"))
    found = (group.get("keras_version") for group in groups)
    return version_of(next((text for text in found if text), None), config)


def _architecture(path: Path) -> Config | None:
    """The configuration in a .json file; None if it is something else.

    Raises:
        OSError: It cannot be read.
    """
    if path.stat().st_size > _LARGEST_ARCHITECTURE:
        return None
    data = read_bytes(path)
    try:
        config = parsed(data, path) if b"class_name" in data else {}
    except ArtifactError:
        return None
    return config if {"class_name", "config"} <= config.keys() else None


def _beside(path: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """The files next to a path: the one with the same name, or else all with these suffixes."""
    for suffix in suffixes:
        named = path.with_name(_stem(path) + suffix)
        if named.is_file():
            yield named
            return
    for count, each in enumerate(sorted(path.absolute().parent.iterdir())):
        if count >= _MOST_BESIDE:
            return
        if each.name.endswith(suffixes) and each.is_file():
            yield each


def _stem(path: Path) -> str:
    """A file's name without its one or two suffixes."""
    for suffix in (*_WEIGHTS, *_ARCHITECTURE):
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)]
    return path.stem


def _told(file: Hdf5) -> str:
    """The recurrent layers that arrays of weights suggest, for a message."""
    found: list[str] = []
    for stack in stacks_of(file):
        name = re.sub(r"/(cell/vars|[^/]*_cell[^/]*)$", "", stack.group).removeprefix("layers/")
        found.append(f"{name[:80]} ({stack.kind}, {stack.inputs} inputs, {stack.units} units)")
    text = ", ".join(found[:_MOST_TOLD]) or "no recognisable recurrent layer"
    return f"{text}, and {len(found) - _MOST_TOLD} more" if len(found) > _MOST_TOLD else text
