"""Finds the arrays of Keras' layers in HDF5 files, of both kinds that Keras writes.

In ``.keras`` files, a group is named after its layer's class, numbered in the order of the layers,
``layers/lstm_1/cell/vars/0``; newer files also contain the layer's name. In ``.h5`` files, there is
a group for each layer of the outermost model, by its name, whose ``weight_names`` list the arrays.

Sources: keras/src/saving/saving_lib.py, keras/src/legacy/saving/legacy_h5_format.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rnn_compiler.model_import.hdf5 import Hdf5
from rnn_compiler.model_import.keras_layers import KerasLayer
from rnn_compiler.model_import.reading import damaged

__all__ = ["GroupsByClass", "GroupsByName", "Stack", "stacks_of"]

_KINDS = {4: "LSTM", 3: "GRU", 1: "SimpleRNN"}
"""Layers by the number of their gates."""

_KERNELS = {"recurrent_kernel:0": "kernel:0", "recurrent_kernel": "kernel", "1": "0"}
"""The name of a layer's kernel by that of its recurrent kernel; ``.keras`` files number them."""

_GATE = re.compile(r"_[WUb](_[a-z])?$")
"""The suffix that Keras 1 adds to a layer's name for each array: ``lstm_1_W_i``."""


class Stack(NamedTuple):
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


def stacks_of(file: Hdf5) -> Iterator[Stack]:
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
        yield Stack(group, _KINDS[columns // units], kernel.shape[0], units, named)


class GroupsByClass:
    """The weights in a .keras file."""

    def __init__(self, file: Hdf5) -> None:
        self.file = file

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order.

        Args:
            layer: The layer.
            path: The file, for messages.

        Raises:
            ArtifactError: There are none.
        """
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
        """Takes the file.

        Args:
            file: The file.
            prefix: What precedes the names of layers, ``"model_weights/"``.
        """
        self.file = file
        self._prefix = prefix

    def arrays(self, layer: KerasLayer, path: Path) -> list[Any]:
        """The weights of a recurrent layer, in Keras' order.

        Args:
            layer: The layer.
            path: The file, for messages.

        Raises:
            ArtifactError: There are none, or some are missing.
        """
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


def _recurrent(file: Hdf5) -> Iterator[Stack]:
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
