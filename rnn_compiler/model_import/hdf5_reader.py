"""Runs as a separate process: reads an HDF5 file and writes its content to standard output.

The HDF5 library is written in C and trusts its input: a damaged file can crash or hang the process.
The parent detects both (`hdf5`), and the system limits time and memory.

The output is a line of JSON, ``{"groups": {path: {attribute: text or list of texts}}, "arrays":
[[path, dtype, shape], ...]}`` or ``{"error": ...}``, followed by the elements of the arrays. Links
to other files are not followed.

    python hdf5_reader.py FILE MOST_BYTES      FILE may be - for standard input
"""

from __future__ import annotations

import importlib
import io
import json
import sys
from typing import Any

from rnn_compiler.base.systems import limit_process

MOST_OBJECTS = 100_000
DEEPEST = 64
LEFT_OUT = ("optimizer_weights", "optimizer")
SPARE_MEMORY = 400 << 20
SECONDS = 20
BYTES_A_SECOND = 50_000_000


class UnsupportedContentError(Exception):
    """Content that is not supported."""


def read(file: Any, most: int) -> tuple[dict[str, Any], list[Any]]:
    """The attributes of groups, and the arrays, of an open file."""
    h5py: Any = importlib.import_module("h5py")
    groups: dict[str, dict[str, Any]] = {}
    arrays: list[tuple[str, Any]] = []
    seen: set[Any] = set()
    waiting = [("", file["/"])]
    while waiting:
        path, item = waiting.pop()
        address = h5py.h5o.get_info(item.id).addr
        if address in seen or path.count("/") > DEEPEST or len(seen) > MOST_OBJECTS:
            raise UnsupportedContentError("its groups contain each other")
        seen.add(address)
        if isinstance(item, h5py.Dataset):
            if item.external or item.is_virtual:
                raise UnsupportedContentError(f"{path} is in another file")
            if item.dtype.kind in "fiuV":
                most -= item.size * item.dtype.itemsize
                if most < 0:
                    raise UnsupportedContentError(
                        f"{path} has {item.shape} elements, more than the file can hold"
                    )
                arrays.append((path, item))
            continue
        groups[path] = {name: texts(item.attrs[name]) for name in item.attrs}
        for name in item:
            if name in LEFT_OUT:
                continue
            if not isinstance(item.get(name, getlink=True), h5py.HardLink):
                raise UnsupportedContentError(f"{path}/{name} links to another file")
            waiting.append((f"{path}/{name}" if path else name, item[name]))
    facts = [[path, item.dtype.str, list(item.shape)] for path, item in arrays]
    return {"groups": groups, "arrays": facts}, [item for _, item in arrays]


def texts(value: Any) -> Any:
    """A text, or a list of texts; None for other values."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, str):
        return value
    if getattr(value, "ndim", 0) == 1 and value.size <= MOST_OBJECTS:
        found = [texts(each) for each in value.tolist()]
        return found if all(isinstance(each, str) for each in found) else None
    return None


def main(source: str, most: int) -> int:
    """Reads a file within limits derived from its size."""
    out = sys.stdout.buffer
    try:
        h5py: Any = importlib.import_module("h5py")
    except ImportError:
        out.write(json.dumps({"missing": "h5py"}).encode() + b"\n")
        return 0
    limit_process(SPARE_MEMORY + 4 * most, SECONDS + most // BYTES_A_SECOND)
    try:
        file = h5py.File(io.BytesIO(sys.stdin.buffer.read()) if source == "-" else source, "r")
        facts, items = read(file, most)
        out.write(json.dumps(facts).encode() + b"\n")
        for item in items:
            out.write(item[()].tobytes())
    except Exception as error:  # h5py raises many kinds for damaged files
        out.write(json.dumps({"error": str(error) or type(error).__name__}).encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, whose modules are not top-level ones
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
