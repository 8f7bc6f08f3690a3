"""Runs the process in which a model is imported, and interprets its outcome."""

from __future__ import annotations

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


class ImportedNetwork(NamedTuple):
    """A model as a module of linalg.

    Attributes:
        text: Its text, with locations. Its function takes the model's inputs, then the weights.
        inputs: The names of the model's inputs.
        outputs: The names of its outputs.
        dtypes: The unsigned dtypes of inputs and outputs, by name.
        ranges: The least and the largest value of inputs that are positions, by name.
        weights: The arrays of its weights by name, in the function's order.
        axes: Its open axes: their keys in `shapes`, their names, and their smallest sizes.
        shapes: The shapes of inputs and outputs by name, if there are open axes.
    """

    text: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    dtypes: Mapping[str, str]
    ranges: Mapping[str, Sequence[Size]]
    weights: Mapping[str, npt.NDArray[Any]]
    axes: Sequence[tuple[str, str, int]]
    shapes: Mapping[str, Sequence[Size]]


def import_in_process(
    path: Path,
    name: str,
    dims: Mapping[str, int | Sequence[int | None] | None],
    values: Mapping[str, Any],
) -> ImportedNetwork:
    """Imports a model, with sizes by axes' and shapes by inputs' names, and some inputs' values."""
    read_bytes(path, 0, 0)  # checks that the file is readable and regular
    size = sum(stored_bytes(each) for each in (path, *_beside(path)))
    request = {"path": os.path.abspath(path), "size": size, "dims": dict(dims), "name": name}
    worker = Path(__file__).with_name("worker.py")
    with temporary_folder() as temporary:
        folder = Path(temporary)
        (folder / "request.json").write_text(json.dumps(request))
        savez: Any = np.savez
        savez(folder / "values.npz", **values)
        facts = _facts(path, folder, run_reader(worker, temporary, seconds=_LONGEST))
        with np.load(folder / "weights.npz") as stored:
            weights = {
                name: stored[f"w{k}"].view(DTYPES[dtype].numpy)
                for k, (name, dtype) in enumerate(facts["weights"])
            }
        text = (folder / "module.mlir").read_text()
        shapes = {name: [*map(parse, sizes)] for name, sizes in facts["shapes"].items()}
        ranges = {name: [*map(parse, each)] for name, each in facts["ranges"].items()}
        described = facts["inputs"], facts["outputs"], facts["dtypes"], ranges
        return ImportedNetwork(text, *described, weights, facts["axes"], shapes)


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
        if done.code in (-signal.SIGSEGV, -signal.SIGABRT) and operators.exists():
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
