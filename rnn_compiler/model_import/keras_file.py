"""Reads Keras' files: ``.keras``, ``.h5``, and ``.json`` with weights next to it.

A ``.keras`` file is a zip file with a configuration and weights. The configuration is JSON and
lists the layers, including those of nested models. The weights are in HDF5 groups.

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
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import.hdf5 import Hdf5, read_hdf5
from rnn_compiler.model_import.keras_layers import (
    RECURRENT,
    REFUSED,
    Config,
    KerasLayer,
    class_of,
    first_sizes,
    layers_of,
    version_of,
)
from rnn_compiler.model_import.layer import Layer, RefusedLayer, named_apart
from rnn_compiler.model_import.reading import (
    Budget,
    Once,
    clipped,
    damaged,
    exceeded,
    read_bytes,
    stored_bytes,
)

# Finds the arrays of Keras' layers in HDF5 files, of both kinds that Keras writes.
#
# In ``.keras`` files, a group is named after its layer's class, numbered in the order of the
# layers, ``layers/lstm_1/cell/vars/0``; newer files also contain the layer's name. In ``.h5``
# files, there is a group for each layer of the outermost model, by its name, whose
# ``weight_names`` list the arrays.
#
# Sources: keras/src/saving/saving_lib.py, keras/src/legacy/saving/legacy_h5_format.py.

_KINDS = {4: "LSTM", 3: "GRU", 1: "SimpleRNN"}
"""Layers by the number of their gates."""

_KERNELS = {"recurrent_kernel:0": "kernel:0", "recurrent_kernel": "kernel", "1": "0"}
"""The name of a layer's kernel by that of its recurrent kernel; ``.keras`` files number them."""

_GATE = re.compile(r"_[WUb](_[a-z])?$")
"""The suffix that Keras 1 adds to a layer's name for each array: ``lstm_1_W_i``."""


class ArraysOfLayer(NamedTuple):
    """Arrays with the shapes of a recurrent layer's.

    Attributes:
        group: Their group.
        kind: The class that has such shapes.
        inputs: The size of its input.
        units: The size of its state.
        named: Whether the names of the group or of the arrays are those of a recurrent layer.
    """

    group: str
    kind: str
    inputs: int
    units: int
    named: bool


def stacks_of(file: Hdf5) -> Iterator[ArraysOfLayer]:
    """The arrays of a file that have the shapes of a recurrent layer's."""
    for name, array in sorted(file.arrays.items()):
        group, _, last = name.rpartition("/")
        kernel = file.arrays.get(f"{group}/{_KERNELS[last]}") if last in _KERNELS else None
        if kernel is None or kernel.ndim != 2 or array.ndim != 2 or not array.size:
            continue
        units, columns = array.shape
        if columns % units or kernel.shape[1] != columns or columns // units not in _KINDS:
            continue
        named = last != "1" or group.endswith("cell/vars")
        yield ArraysOfLayer(group, _KINDS[columns // units], kernel.shape[0], units, named)


class GroupsByClass:
    """The weights in a .keras file."""

    def __init__(self, file: Hdf5) -> None:
        self.file = file

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order."""
        here = self._group(layer)
        cells = ["forward_layer/cell", "backward_layer/cell"]
        found: list[Any] = []
        for cell in cells if layer.kind == "Bidirectional" else ["cell"]:
            numbered: list[Any] = []
            while (name := f"{here}/{cell}/vars/{len(numbered)}") in self.file.arrays:
                numbered.append(self.file.arrays[name])
            found += numbered
        if not found:
            raise damaged(path, f"it has no weights of {layer.name}, expected in {here}/")
        return found

    def are_recurrent(self, layer: KerasLayer) -> bool:
        """Whether the weights of a layer of any class contain those of a recurrent layer."""
        return self._group(layer) in self._around

    def _group(self, layer: KerasLayer) -> str:
        here = ""
        for name, group in zip(layer.names, layer.groups, strict=True):
            named = self.file.named.get((f"{here}layers", name), ())
            here = f"{named[0] if len(named) == 1 else f'{here}layers/{group}'}/"
        return here.removesuffix("/")

    @cached_property
    def _around(self) -> set[str]:
        """The groups that contain a recurrent layer's weights."""
        found: set[str] = set()
        for stack in _recurrent(self.file):
            group = stack.group
            while group and group not in found:
                found.add(group)
                group = group.rpartition("/")[0]
        return found


class GroupsByName:
    """The weights in an .h5 file."""

    def __init__(self, file: Hdf5, prefix: str) -> None:
        """Takes the file, and what precedes the names of layers in it, ``"model_weights/"``."""
        self.file = file
        self._prefix = prefix

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order."""
        group = f"{self._prefix}{layer.names[0]}"
        names: list[str] = self.file.groups.get(group, {}).get("weight_names") or []
        if len(layer.names) > 1:  # nested in a model: its name is in the paths of its arrays
            if group not in self._parts:
                self._parts[group] = _by_part(names)
            names = self._parts[group].get(layer.names[-1], [])
        paths = [f"{group}/{name}" for name in names]
        found = [self.file.arrays[each] for each in paths if each in self.file.arrays]
        if not found or len(found) != len(names):
            raise damaged(path, f"it has no weights of {layer.name}, expected in {group}")
        return found

    def are_recurrent(self, layer: KerasLayer) -> bool:
        """Whether the weights of a layer of any class contain those of a recurrent layer."""
        return (layer.names[0], layer.names[-1]) in self._around

    @cached_property
    def _parts(self) -> dict[str, dict[str, list[str]]]:
        """The names of arrays by the parts of their paths, for the groups looked at so far."""
        return {}

    @cached_property
    def _around(self) -> set[tuple[str, str]]:
        """The outermost groups with a recurrent layer's weights, and the parts of their paths."""
        found: set[tuple[str, str]] = set()
        for stack in _recurrent(self.file):
            parts = stack.group.removeprefix(self._prefix).split("/")
            found |= {(parts[0], part) for part in parts}
        return found


def _recurrent(file: Hdf5) -> Iterator[ArraysOfLayer]:
    """The arrays that are a recurrent layer's; two square ones may also be another layer's."""
    return (stack for stack in stacks_of(file) if stack.named or stack.kind != "SimpleRNN")


def _by_part(names: list[str]) -> dict[str, list[str]]:
    """The names of arrays by the parts of their paths, with and without Keras 1's suffix."""
    found: dict[str, dict[str, None]] = {}
    for name in names:
        for part in name.split("/"):
            for key in (part, _GATE.sub("", part)):
                found.setdefault(key, {})[name] = None
    return {part: list(held) for part, held in found.items()}


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
_COMPRESSIONS = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}
"""The compressions that Keras and common zip tools use; files are read piece by piece."""


def read_keras(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a .keras file, and a description of its other content."""
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
    if info.compress_type not in _COMPRESSIONS:
        raise damaged(path, f"{name} is compressed with a method that Keras does not use")
    with file.open(info) as stream:
        data = stream.read(info.file_size)
    if len(data) != info.file_size:
        raise damaged(path, f"{name} ends early")
    return data


def parsed(text: bytes | str, path: Path) -> Config:
    """A configuration, which is JSON."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"its configuration is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise damaged(path, "its configuration is not a JSON object")
    return cast(Config, data)


class WeightReader(Protocol):
    """The weights of a model's layers."""

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order."""
        ...

    def are_recurrent(self, layer: KerasLayer) -> bool:
        """Whether the weights of a layer of any class contain those of a recurrent layer."""
        ...


def layers_of_model(
    path: Path, config: Config, version: int, weights: WeightReader
) -> tuple[Any, str]:
    """The recurrent layers of a model, and a description of its other layers."""
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
    found: list[Layer | RefusedLayer] = []
    classes: set[str] = set()
    masks: list[str] = []
    for layer in _layers_in(config, path):
        classes.add(layer.kind)
        options = layer.options
        if layer.kind == "Masking" or (layer.kind == "Embedding" and options.get("mask_zero")):
            masks.append(layer.name)
        made: list[Layer | RefusedLayer] = []
        if layer.kind in RECURRENT or layer.kind in REFUSED:
            read = functools.partial(weights.arrays, layer, path)
            made = layers_of(layer, read, masks, version, path, once)
        if not made and weights.are_recurrent(layer):
            own = RefusedLayer(
                layer.name, f"recurrent weights in the class {layer.kind}"[:80], _OTHER
            )
            made = [RefusedLayer(layer.name, layer.kind) if layer.kind in REFUSED else own]
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


# Reads Keras' ``.h5`` files: whole models, or weights whose architecture is in a ``.json`` file.
#
# A whole model has its configuration as an attribute of the outermost group. Files with only
# weights have the same groups, or, if named ``.weights.h5``, those of ``.keras`` files
# (`GroupsByClass`). The output of `model.to_json` is next to them: either file finds the other by
# its name, or if it is the only candidate.
#
# Sources: keras/src/legacy/saving/legacy_h5_format.py; keras/engine/topology.py of Keras 1 and 2.

_WEIGHTS = (".weights.h5", ".h5", ".hdf5")
_ARCHITECTURE = (".json",)
_MOST_BESIDE = 1_000
_LARGEST_ARCHITECTURE = 1 << 26
_MOST_TOLD = 20


def read_h5(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a whole model, or of weights next to their architecture, and other content."""
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


def read_json(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of an architecture with weights next to it, and a description of other content."""
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


def _joined(path: Path, file: Hdf5, config: Config) -> tuple[list[Layer | RefusedLayer], str]:
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
    """The configuration in a .json file; None if it is something else."""
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
