"""Calls modules in JavaScript from Node.js, with numbers in files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest

from rnn_compiler.js_compilation import JsModule
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import bound, parse

Arrays = dict[str, npt.NDArray[Any]]


def missing() -> str:
    """What running JavaScript needs and is not here."""
    return "" if shutil.which("node") else "node on PATH"


needs_node = pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")


_CALLS = """\
import { readFileSync, writeFileSync } from "node:fs";
import { load } from "./NAME.mjs";

const types = TYPES;
const functions = await load();
const bytes = new Uint8Array(readFileSync("in")).buffer; // a copy: small files lie in a pool
const results = [];
for (const { name, given, sizes } of JSON.parse(readFileSync("calls.json", "utf8"))) {
  const values = { ...sizes };
  for (const [key, dtype, start, count, list] of given) {
    const array = new types[dtype](bytes.slice(start), 0, count);
    if (list) (values[list] ??= []).push(array);
    else values[key] = array;
  }
  for (const found of Object.values(functions[name](values)).flat())
    results.push(Buffer.from(found.buffer, found.byteOffset, found.byteLength));
}
writeFileSync("out", Buffer.concat(results));
"""


_TYPES = f"{{ {', '.join(f'{name}: {row.javascript}' for name, row in DTYPES.items())} }}"


def node(folder: Path, script: str, *flags: str) -> str:
    """Runs a script, which must succeed; returns its output."""
    (folder / "main.mjs").write_text(script)
    done = processes.run("node", *flags, "main.mjs", cwd=folder)
    return done.stdout


class Loaded:
    """A module whose functions are called in Node.js."""

    def __init__(self, module: JsModule, folder: Path, *flags: str) -> None:
        self.folder = module.save(folder)
        self._name, self._flags = module.name, flags
        self.rows = {row["function"]: row for row in module.manifest["functions"]}

    def call(self, function: str, given: Mapping[str, Any], **sizes: int) -> Arrays:
        """Calls a function."""
        (results,) = self.calls([(function, given, sizes)])
        return results

    def calls(
        self, rows: Sequence[tuple[str, Mapping[str, Any], Mapping[str, int]]]
    ) -> list[Arrays]:
        """Calls functions, one after the other, in one process."""
        data, described = bytearray(), list[dict[str, Any]]()
        for function, given, sizes in rows:
            parts: list[list[Any]] = []
            for each in self.rows[function]["arguments"]:
                array = np.asarray(given[each["name"]]).astype(DTYPES[each["dtype"]].numpy)
                data += bytes(-len(data) % 8)
                parts.append(
                    [each["name"], each["dtype"], len(data), array.size, each.get("list", "")]
                )
                data += array.tobytes()
            described.append({"name": function, "given": parts, "sizes": sizes})
        (self.folder / "in").write_bytes(data + bytes(8))
        (self.folder / "calls.json").write_text(json.dumps(described))
        script = _CALLS.replace("NAME", self._name).replace("TYPES", _TYPES)
        node(self.folder, script, *self._flags)
        output = (self.folder / "out").read_bytes()
        os.unlink(self.folder / "out")
        start, found = 0, list[Arrays]()
        for function, given, _ in rows:
            results: Arrays = {}
            known = self.sizes(function, given)
            for each in self.rows[function]["results"]:
                shape = [bound(parse(size), known) for size in each["shape"]]
                kind = DTYPES[each["dtype"]].numpy
                size = int(np.prod(shape, dtype=int)) * kind.itemsize
                results[each["name"]] = np.frombuffer(output[start:][:size], kind).reshape(shape)
                start += size
            found.append(results)
        assert start == len(output)
        return found

    def sizes(self, function: str, given: Mapping[str, Any]) -> dict[str, int]:
        """The open sizes of some arguments."""
        found: dict[str, int] = {}
        for each in self.rows[function]["arguments"]:
            pairs = zip(each["shape"], np.shape(given[each["name"]]), strict=False)
            found |= {name: size for name, size in pairs if isinstance(name, str)}
        return found
