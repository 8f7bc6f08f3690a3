"""Common parts of the tests of C: a compiler, modules compiled and loaded, and calls of them.

A module's source and object are linked into a shared library, which ctypes calls with structs made
from ``NAME.json``, so the manifest's arguments and results are those that the header declares.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest

from rnn_compiler.c_compilation import CModule
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import bound, parse

Arrays = dict[str, npt.NDArray[Any]]

STRICT = ("-Wall", "-Wextra", "-Wcast-qual", "-Werror", "-pedantic")
C11, CPP17 = ("-std=c11",), ("-std=c++17", "-x", "c++")

COMPILERS = [each for each in ("gcc", "clang") if shutil.which(each)]

each_build = pytest.mark.parametrize(
    ("c_compiler", "language"),
    [
        pytest.param(
            *(compiler, language),
            id=f"{compiler}-{name}",
            marks=[] if (compiler == "gcc") == (language == C11) else pytest.mark.slow,
        )
        for compiler in COMPILERS
        for language, name in ((C11, "C11"), (CPP17, "C++17"))
    ],
)
"""Each compiler with each language, and quick each once."""

_SCALARS = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    **{f"{each}_t": getattr(ctypes, f"c_{each}") for each in ("int8", "int16", "int32", "int64")},
    **{f"u{each}_t": getattr(ctypes, f"c_u{each}") for each in ("int8", "int16", "int32", "int64")},
}


def run(*command: object, folder: Path | None = None) -> str:
    """Runs a command, which must succeed; returns its output."""
    return processes.run(*map(str, command), cwd=folder).stdout


def sanitized(compiler: str, folder: Path) -> str:
    """A compiler with sanitizers; without them, the test is skipped."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [compiler, "-fsanitize=address,undefined", "empty.c", "-o", "empty"]
    if subprocess.run(command, cwd=folder, capture_output=True, timeout=300).returncode:
        pytest.skip(f"{compiler} has no sanitizers here")
    return compiler


def aligned(array: npt.NDArray[Any], alignment: int = 64) -> npt.NDArray[Any]:
    """A copy of an array that begins at a multiple of some bytes, and of no more."""
    space = np.zeros(array.nbytes + 4 * alignment, np.uint8)
    start = -space.ctypes.data % (2 * alignment) + alignment
    copy = space[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def sizes_of(row: Mapping[str, Any], given: Mapping[str, npt.NDArray[Any]]) -> dict[str, int]:
    """The open sizes of a function for some arguments, in the order of the struct."""
    found: dict[str, int] = {}
    for each in row["arguments"]:
        found.update(zip(each.get("sizes", ()), np.shape(given[each["name"]]), strict=False))
    return {each["name"]: found[each["name"]] for each in row.get("open_sizes", ())}


def at_sizes(row: dict[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """The row of a function in a manifest, with numbers for open sizes."""
    if not sizes:
        return row
    known = {
        kind: [
            {
                **each,
                "shape": [bound(parse(s), sizes) for s in each.get("sizes", each["shape"])],
                "size": bound(parse(each["size"]), sizes),
            }
            for each in row[kind]
        ]
        for kind in ("arguments", "results")
    }
    return {**row, **known}


class Loaded:
    """A module in C, linked into a library and loaded."""

    def __init__(self, module: CModule, folder: Path, *flags: str) -> None:
        self.module = module
        module.save(folder)
        files = [folder / f"{module.name}{suffix}" for suffix in (".c", ".o")]
        library = folder / "library.so"
        run("gcc", *C11, *STRICT, "-O1", "-shared", "-fPIC", *flags, *files, "-o", library)
        self.library = ctypes.CDLL(str(library))
        self._error = self.library[f"{module.name}_error"]
        self._error.restype = ctypes.c_char_p
        self.rows = {row["function"]: row for row in module.manifest["functions"]}
        self.state = module.manifest.get("state", {"size": 0, "members": []})
        self.alignment = module.manifest.get("alignment", 64)

    def error(self, code: int) -> str:
        return self._error(code).decode()

    def call(self, function: str, given: Mapping[str, npt.NDArray[Any]]) -> Arrays:
        """Calls a function, which must give no error."""
        call = Call(self, function, given)
        code = call()
        assert code == 0, self.error(code)
        updated = {name: call.states[name] for name in self.rows[function].get("updates", ())}
        return {**call.results, **updated}


class Call:
    """A call of a function, in memory that is filled with NaN but for its arguments.

    `place` copies each array to where it lies in the call.
    """

    def __init__(
        self,
        loaded: Loaded,
        function: str,
        given: Mapping[str, npt.NDArray[Any]],
        place: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] = aligned,
    ) -> None:
        self.sizes = sizes_of(loaded.rows[function], given)
        self._row = at_sizes(loaded.rows[function], self.sizes)
        self._function = loaded.library[function]
        self._parallel = loaded.library[f"{function}_parallel"]
        self.arguments: Arrays = {}
        for row in self._row["arguments"]:
            value = np.asarray(given[row["name"]]).astype(DTYPES[row["dtype"]].numpy)
            assert value.shape == tuple(row["shape"]) or value.size == 0
            self.arguments[row["name"]] = place(value)
        self.results: Arrays = {}
        for row in self._row["results"]:
            result = place(np.zeros(row["shape"], DTYPES[row["dtype"]].numpy))
            result.reshape(-1).view(np.uint8)[...] = 0xFF
            self.results[row["name"]] = result
        scratch = self._row["scratch_size"]
        if self.sizes:
            scratch = self._measured(loaded.library[f"{function}_measure"])
        self.scratch = place(np.full(scratch, 0xFF, np.uint8))
        self.pointers: dict[str, int] = {}
        self.state = place(np.full(loaded.state["size"], 0xFF, np.uint8))
        self.states: Arrays = {}
        start = 0
        for row in loaded.state["members"]:
            view = self.state[start : start + row["size"]].view(DTYPES[row["dtype"]].numpy)
            self.states[row["name"]] = view.reshape(row["shape"])
            start += -(-max(1, row["size"]) // loaded.alignment) * loaded.alignment
        for name in self._row.get("states", ()):
            self.states[name][...] = given[name]

    def _measured(self, measure: Any) -> int:
        """The bytes of scratch memory; those of arrays must be theirs."""
        arrays = {name: a for name, a in self.arguments.items() if a.shape} | self.results
        fields = [(name, ctypes.c_size_t) for name in (*arrays, "scratch")]
        found = type("struct", (ctypes.Structure,), {"_fields_": fields})()
        given = map(ctypes.c_int64, self.sizes.values())
        assert measure(*given, ctypes.byref(found)) == 0
        assert {name: getattr(found, name) for name in arrays} == {
            name: array.nbytes for name, array in arrays.items()
        }
        return found.scratch

    def _struct(self, kind: str, arrays: Arrays) -> ctypes.Structure:
        rows = self._row[kind]
        types = [_SCALARS[r["c_type"]] if r["by_value"] else ctypes.c_void_p for r in rows]
        sizes = self.sizes if kind == "arguments" else {}
        fields = [(name, ctypes.c_int64) for name in sizes]
        fields += zip((r["name"] for r in rows), types, strict=True)
        struct = type("struct", (ctypes.Structure,), {"_fields_": fields})()
        for name, size in sizes.items():
            setattr(struct, name, size)
        for row in rows:
            name = row["name"]
            value = arrays[name].ctypes.data
            if row["by_value"]:
                bits = arrays[name].view(np.uint16) if row["c_type"] == "uint16_t" else arrays[name]
                value = bits.item()
            setattr(struct, name, self.pointers.get(name, value))
        return struct

    def __call__(self, run: Any = None) -> int:
        arguments = self._struct("arguments", self.arguments)
        results = self._struct("results", self.results)
        scratch = self.pointers.get("scratch", self.scratch.ctypes.data)
        given = [ctypes.byref(arguments), ctypes.byref(results)]
        if "states" in self._row:
            given.append(ctypes.c_void_p(self.pointers.get("state", self.state.ctypes.data)))
        given.append(ctypes.c_void_p(scratch))
        if run is None:
            return self._function(*given)
        return self._parallel(*given, run, None)
