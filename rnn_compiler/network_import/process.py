"""Runs the process in which a model is imported, and interprets its outcome."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rnn_compiler import errors
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.lowering.compiler.compiler_process import temporary_folder
from rnn_compiler.model_import import DEFECT
from rnn_compiler.model_import.messages import pairs
from rnn_compiler.model_import.messages import parse as parse_message
from rnn_compiler.model_import.reading import (
    ReaderOutcome,
    clipped,
    exceeded,
    read_bytes,
    run_reader,
    stored_bytes,
    within,
)
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Size, parse

_LONGEST = 900
"""Time limit in seconds; CPU time is limited by the size of the file."""

_FAULTS = (*(-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL),)
"""Exit codes of a process whose code failed."""


class ImportedFunction(NamedTuple):
    """A function of an imported model.

    Attributes:
        inputs: What its inputs are called, by their names in the graph.
        outputs: The names of its outputs in the graph, each with what it is called.
        continued: The inputs whose names outputs have, by the names of these.
        dtypes: The unsigned dtypes of inputs and outputs, by name.
        ranges: The least and the largest value of inputs that are positions, by name; of some also
            another value.
        weights: The arrays of its weights by name, its last arguments.
        shapes: The shapes of inputs and outputs by name, if there are open axes.
    """

    inputs: Mapping[str, str]
    outputs: Sequence[tuple[str, str]]
    continued: Mapping[str, str]
    dtypes: Mapping[str, str]
    ranges: Mapping[str, Sequence[Any]]
    weights: Mapping[str, npt.NDArray[Any]]
    shapes: Mapping[str, Sequence[Size]]


class ImportedNetwork(NamedTuple):
    """A model as a module of linalg.

    Attributes:
        text: Its text, with locations.
        functions: Its functions by name.
        axes: Its open axes: their keys in `shapes`, their names, and their smallest and largest
            sizes, if these are known.
        states: The first values of the states of a training step, by their names in the graph.
    """

    text: str
    functions: Mapping[str, ImportedFunction]
    axes: Sequence[tuple[str, str, int, int | None]]
    states: Mapping[str, npt.NDArray[Any]]


def import_in_process(
    path: Path,
    name: str,
    dims: Mapping[str, int | Sequence[int | None] | None],
    values: Mapping[str, Any],
    training: Mapping[str, Any] | None = None,
) -> ImportedNetwork:
    """Imports a model, with sizes by axes' and shapes by inputs' names, and some inputs' values.

    With the options of a training step, there is one, besides the network.
    """
    read_bytes(path, 0, 0)  # checks that the file is readable and regular
    size = sum(stored_bytes(each) for each in (path, *_beside(path)))
    request = {"path": os.path.abspath(path), "size": size, "dims": dict(dims), "name": name}
    worker = Path(__file__).with_name("worker.py")
    with temporary_folder() as temporary:
        folder = Path(temporary)
        (folder / "request.json").write_text(json.dumps({**request, "training": training}))
        savez: Any = np.savez
        savez(folder / "values.npz", **values)
        facts = _facts(path, folder, run_reader(worker, temporary, seconds=_LONGEST))
        with np.load(folder / "arrays.npz") as stored:
            states = _arrays(stored, facts["states"])
            functions = {
                function: ImportedFunction(
                    dict(of["inputs"]),
                    [(name, title) for name, title in of["outputs"]],
                    of["continued"],
                    of["dtypes"],
                    {name: [*map(parse, each)] for name, each in of["ranges"].items()},
                    _arrays(stored, of["weights"]),
                    {name: [*map(parse, sizes)] for name, sizes in of["shapes"].items()},
                )
                for function, of in facts["functions"].items()
            }
        text = (folder / "module.mlir").read_text()
        return ImportedNetwork(text, functions, facts["axes"], states)


def _arrays(stored: Any, facts: Sequence[tuple[str, int, str]]) -> dict[str, npt.NDArray[Any]]:
    """Arrays by name, each stored under its number."""
    return {name: stored[f"a{k}"].view(DTYPES[dtype].numpy) for name, k, dtype in facts}


def digests_of(path: Path) -> tuple[str, dict[str, str]]:
    """The sha256 of a model, and of files with its weights, by their paths from its folder."""

    def digest(file: Path) -> str:
        return hashlib.sha256(read_bytes(file)).hexdigest()

    beside = {os.path.relpath(each, path.parent): digest(each) for each in sorted(_beside(path))}
    return digest(path), beside


def _beside(path: Path) -> set[Path]:
    """The files next to a model with elements of its weights."""
    try:
        model = parse_message("OnnxModel", read_bytes(path), path)
        tensors = (pairs(tensor.external) for tensor in model.graph.initializer)
        names = {entries["location"] for entries in tensors if "location" in entries}
        return {within(path.parent, name, path) for name in names}
    except ArtifactError:  # which the process finds too
        return set()


def _facts(path: Path, folder: Path, done: ReaderOutcome) -> dict[str, Any]:
    """The process's description of the model; its errors are raised here."""
    file, operators = folder / "facts.json", folder / "operators.json"
    if done.failure or not file.exists():
        if done.code in _FAULTS and operators.exists():
            raise UnsupportedError(
                "import_network: IREE's importer does not survive one of the model's operators: "
                f"{', '.join(json.loads(operators.read_text()))}"
            )
        raise exceeded(path, f"the process that imports it {done.failure or 'wrote nothing'}")
    facts: dict[str, Any] = json.loads(file.read_text())
    if "error" in facts:
        raise getattr(errors, facts["error"])(*facts["arguments"])
    if "unreadable" in facts:
        raise OSError(*facts["unreadable"])
    if "exceeded" in facts:
        raise exceeded(
            path, f"importing it takes more than a file of its size may ({facts['exceeded']})"
        )
    if "defect" in facts:
        raise ArtifactError(f"{path}: {DEFECT} ({clipped(facts['defect'])})")
    return facts
