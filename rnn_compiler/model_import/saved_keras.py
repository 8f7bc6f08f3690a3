"""Keras 2's layers in a SavedModel, by their configurations: those that its graph has as loops.

A SavedModel lists its objects: models, layers, cells and variables, each with the names of those
that it holds. Keras 2 also wrote the configuration of each layer, into ``keras_metadata.pb`` or,
before TensorFlow 2.5, into the object. The checkpoint has the variables. So a layer is read as from
Keras' own files; the graph is not needed. Keras 3 writes no configurations into SavedModels.

Source: keras/saving/legacy/saved_model of Keras 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from rnn_compiler.model_import.checkpoint import Checkpoint
from rnn_compiler.model_import.keras_file import layers_of_model, parsed
from rnn_compiler.model_import.keras_layers import RECURRENT, Config, KerasLayer
from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.messages import parse
from rnn_compiler.model_import.reading import damaged, read_bytes

_KERAS_2 = 2
_METADATA = "keras_metadata.pb"
_OF_KERAS = "_tf_keras_"
"""What the identifiers of models and layers begin with."""

_ARRAYS = ("kernel", "recurrent_kernel", "bias")
_DIRECTIONS = ("forward_layer", "backward_layer")


def keras_layers(
    folder: Path, objects: Any, saved: Mapping[int, int], checkpoint: Checkpoint
) -> list[Layer | RefusedLayer]:
    """The recurrent layers that have configurations; none if the model is not Keras 2's."""
    path = folder / _METADATA
    users = {number: node.user for number, node in enumerate(objects.nodes)}
    if path.is_file():
        nodes = parse("KerasMetadata", read_bytes(path), path).nodes
        users = {each.node: each for each in nodes}
    path = path if path.is_file() else folder / "saved_model.pb"
    configs = {
        number: _plain(parsed(user.metadata, path))
        for number, user in users.items()
        if user.identifier.startswith(_OF_KERAS) and user.metadata
    }
    if 0 not in configs:
        return []
    groups = GroupsByObject(objects, saved, checkpoint, configs)
    return layers_of_model(path, groups.model, _KERAS_2, groups)[0]


def _plain(value: Any) -> Any:
    """A part of a configuration with lists for tuples, which are objects in these files."""
    if isinstance(value, list):
        return [_plain(each) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    config = cast(Config, value)
    if config.get("class_name") == "__tuple__":
        return _plain(config.get("items"))
    return {key: _plain(each) for key, each in config.items()}


class GroupsByObject:
    """The weights in a SavedModel of Keras 2.

    Attributes:
        model: The model's configuration; for a subclass of keras.Model, whose layers are only in
            code, that of a model that has its recurrent layers one after the other.
    """

    def __init__(
        self,
        objects: Any,
        saved: Mapping[int, int],
        checkpoint: Checkpoint,
        configs: Mapping[int, Config],
    ) -> None:
        """Takes what `keras_layers` does, and the configurations of objects by number."""
        self._checkpoint = checkpoint
        self._saved = saved
        self._configs = configs
        self._held = [{each.name: each.node for each in node.children} for node in objects.nodes]
        self.model: Config = configs[0]
        self._direct: dict[str, int] = {}
        options: Any = self.model.get("config")
        if not isinstance(options, dict) or not isinstance(
            cast(Config, options).get("layers"), list
        ):
            self._direct = dict(self._outermost())
            layers = [self._renamed(number, name) for name, number in self._direct.items()]
            self.model = {"class_name": "Sequential", "config": {"layers": layers}}

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order."""
        here = self._number(layer)
        found: list[Any] = []
        for part in _DIRECTIONS if layer.kind == "Bidirectional" else ("",):
            owner = self._inside(here, *([part] if part else []))
            cell = self._inside(owner, "cell")
            names = self._names(owner if cell is None else cell)
            for name in _ARRAYS:
                key = self._key(names[name]) if name in names else None
                array = None if key is None else self._checkpoint.array(key)
                if array is not None:
                    found.append(array)
                elif name != "bias":
                    raise damaged(path, f"its checkpoint has no {name} of {layer.name}")
        return found

    def are_recurrent(self, layer: KerasLayer) -> bool:
        """Whether the weights of a layer of any class contain those of a recurrent layer."""
        return self._number(layer) in self._around

    def _number(self, layer: KerasLayer) -> int | None:
        """The number of a layer's object."""
        if layer.name in self._direct:
            return self._direct[layer.name]
        here: int | None = 0
        for name in layer.names:
            known = self._layers.get(here, {}) if here is not None else {}
            here = known.get(name)
        return here

    def _names(self, number: int | None) -> Mapping[str, int]:
        """The objects that an object holds, by name."""
        return self._held[number] if number is not None and 0 <= number < len(self._held) else {}

    def _inside(self, number: int | None, *names: str) -> int | None:
        """The object at some path inside an object."""
        for name in names:
            number = self._names(number).get(name)
        return number

    def _key(self, number: int) -> str | None:
        """The checkpoint's key of a variable."""
        there = self._saved.get(number, -1)
        known = 0 <= there < len(self._checkpoint.objects)
        return self._checkpoint.key_of(self._checkpoint.objects[there]) if known else None

    @cached_property
    def _layers(self) -> dict[int, dict[str, int]]:
        """The layers that each object holds, by the names of their configurations."""
        found: dict[int, dict[str, int]] = {}
        for number, held in enumerate(self._held):
            own: dict[str, int] = {}
            for child in held.values():
                name = self._configs.get(child, {}).get("name")
                if isinstance(name, str):
                    own.setdefault(name, child)
            found[number] = own
        return found

    @cached_property
    def _around(self) -> set[int]:
        """The objects that hold recurrent weights, directly or not."""
        holders: dict[int, list[int]] = {}
        for number, held in enumerate(self._held):
            for child in held.values():
                holders.setdefault(child, []).append(number)
        waiting = [number for number, held in enumerate(self._held) if _ARRAYS[1] in held]
        found = set(waiting)
        while waiting:
            more = [each for each in holders.get(waiting.pop(), ()) if each not in found]
            found.update(more)
            waiting += more
        return found

    def _outermost(self) -> Iterator[tuple[str, int]]:
        """The recurrent layers that no other one holds, by their paths."""
        seen, waiting = {0}, [("", 0)]
        for prefix, here in waiting:
            for name, child in self._names(here).items():
                if child in seen or not 0 <= child < len(self._held):
                    continue
                seen.add(child)
                if self._configs.get(child, {}).get("class_name") in RECURRENT:
                    yield f"{prefix}{name}", child
                else:
                    waiting.append((f"{prefix}{name}/", child))

    def _renamed(self, number: int, name: str) -> Config:
        """A layer's configuration under another name."""
        config = self._configs[number]
        options: Any = config.get("config")
        own = {**cast(Config, options), "name": name} if isinstance(options, dict) else options
        return {**config, "name": name, "config": own}
