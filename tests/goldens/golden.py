"""Golden files: inputs, attributes and results of one call of TensorFlow's own kernel."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cases import assert_close

from rnn_compiler.signatures import DIMENSIONS

FOLDER = Path(__file__).parent

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Golden:
    """What a golden file holds; README.md says how it is stored.

    Attributes:
        path: The file.
        meta: Everything about it but the arrays.
        inputs: The arguments of the call.
        outputs: Its results, in TensorFlow's order.
    """

    path: Path
    meta: dict[str, Any]
    inputs: Arrays
    outputs: Arrays

    @staticmethod
    def read(path: Path) -> Golden:
        with np.load(path) as file:
            meta = json.loads(str(file["meta"]))
            inputs = {name: file[name] for name in meta["inputs"]}
            outputs = {name: file[name] for name in meta["outputs"]}
        return Golden(path, meta, inputs, outputs)

    @property
    def op(self) -> str:
        return self.meta["op"]

    @property
    def dtype(self) -> str:
        return self.meta["dtype"]

    @property
    def variant(self) -> dict[str, Any]:
        """Its sizes and attributes, as keywords of `rnn_compiler.build`."""
        dims = {DIMENSIONS[letter]: size for letter, size in self.meta["dims"].items()}
        return dims | self.attributes

    @property
    def attributes(self) -> dict[str, Any]:
        """All of the op's attributes."""
        return self.meta["attrs"]

    @property
    def passed_attributes(self) -> dict[str, Any]:
        """Those that were passed; the others were left at TensorFlow's default."""
        return {name: self.attributes[name] for name in self.meta["attrs_passed"]}

    def filled(self, outputs: Arrays, value: float) -> Arrays:
        """Results with one value in all rows that TensorFlow leaves uninitialised."""
        copies = {name: array.copy() for name, array in outputs.items()}
        for name, row in self.meta["undefined_from"].items():
            copies[name][row:] = value
        return copies

    def assert_matches(self, actual: Arrays) -> None:
        """Fails unless the results of a call are these.

        Rows that TensorFlow leaves uninitialised must be exactly 0.
        """
        for name, row in self.meta["undefined_from"].items():
            assert not actual[name][row:].any(), f"{name}: not 0 from row {row} on"
        assert_close(actual, self.filled(self.outputs, 0.0), self.dtype)


def read_goldens(op: str | None = None) -> list[Golden]:
    """The golden files, of one op or of all."""
    goldens = [Golden.read(path) for path in sorted(FOLDER.glob("block_ops/*.npz"))]
    return [golden for golden in goldens if op in (None, golden.op)]
