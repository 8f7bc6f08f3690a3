"""Reads HDF5 files in a separate process, because damaged files may crash it (`hdf5_reader`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.base.installation import install_extra
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import import reading
from rnn_compiler.model_import.reading import MOST_AXES, damaged, run_reader, shown

_SPARE_BYTES = 1 << 24
_LONGEST = 600
"""Time limit in seconds; CPU time is limited by the size of the file."""


@dataclass(frozen=True)
class Hdf5:
    """The content of a file.

    Attributes:
        groups: The attributes of each group that are texts or lists of texts, by its path.
        arrays: The arrays by their paths.
    """

    groups: Mapping[str, Mapping[str, Any]]
    arrays: Mapping[str, Any]

    @cached_property
    def named(self) -> Mapping[tuple[str, object], Sequence[str]]:
        """The groups of layers in a .keras file, by the group they are in and their names."""
        found: dict[tuple[str, object], list[str]] = {}
        for path, attributes in self.groups.items():
            group, _, last = path.rpartition("/")
            if last == "vars" and isinstance(name := attributes.get("name"), str):
                found.setdefault((group.rpartition("/")[0], name), []).append(group)
        return found


def read_hdf5(path: Path, data: bytes | None = None) -> Hdf5:
    """The groups and arrays of an HDF5 file, or of `data`, if only a part of that file is HDF5."""
    if data is None:
        reading.read_bytes(path, 0, 0)  # checks that the file is readable and regular
    size = reading.stored_bytes(path) if data is None else len(data)
    most = _SPARE_BYTES + 16 * size
    source = os.path.abspath(path) if data is None else "-"
    reader = Path(__file__).with_name("hdf5_reader.py")
    output, _, failure = run_reader(reader, source, str(most), seconds=_LONGEST, data=data or b"")
    head, newline, _ = output.partition(b"\n")
    if failure or not newline:
        raise damaged(path, f"the process that reads it {failure or 'wrote nothing'}")
    rest = memoryview(output)[len(head) + 1 :]
    facts: dict[str, Any] = json.loads(head)
    if "missing" in facts:
        raise UnsupportedError(
            f"Keras files need the package h5py, which is not installed; {install_extra('keras')}"
        )
    if "error" in facts:
        raise damaged(path, facts["error"])
    arrays: dict[str, Any] = {}
    at = 0
    for name, kind, shape in facts["arrays"]:
        dtype: Any = np.dtype(kind)
        end = at + int(np.prod(shape, dtype=object)) * dtype.itemsize
        if end > len(rest):  # an error while the arrays were written
            raise damaged(path, f"{name} cannot be read")
        if dtype.kind in "fiu":
            native = dtype.newbyteorder("=")
            if len(shape) > MOST_AXES:
                raise damaged(path, f"{name} has the shape {shown(shape)}")
            array: Any = np.frombuffer(rest[at:end], dtype).astype(native)
            arrays[name] = array.reshape(shape)
        at = end
    return Hdf5(facts["groups"], arrays)
