"""Golden files: inputs, attributes and results of one call of TensorFlow's or ONNX's own kernel."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cases import assert_close
from goldens.cudnn import GRADIENTS, OUTPUTS, CudnnGolden, read_cudnn_goldens

from rnn_compiler.schema.tensors import DIMENSIONS

FOLDER = Path(__file__).parent

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Golden:
    """The content of a golden file; README.md describes the format.

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
        known = {name: actual[name] for name in self.outputs}
        assert_close(known, self.filled(self.outputs, 0.0), self.dtype)


def read_goldens(op: str | None = None) -> list[Golden]:
    """The golden files, of one op or of all."""
    return [golden for golden in _read_all() if op in (None, golden.op)]


@functools.cache
def _read_all() -> tuple[Golden, ...]:
    block_ops = (Golden.read(path) for path in sorted(FOLDER.glob("block_ops/*.npz")))
    cudnn_rnn = (call for golden in read_cudnn_goldens() for call in _calls(golden))
    onnx = (Golden.read(path) for path in sorted(FOLDER.glob("onnx/*.npz")))
    return (*block_ops, *cudnn_rnn, *onnx)


def _calls(golden: CudnnGolden) -> Iterator[Golden]:
    """The forward call, unless it draws its own dropout mask, and the gradient call."""
    meta = {"dtype": "float64", "dims": golden.dims, "undefined_from": {}, "poison": False}
    for op, attributes, inputs, outputs in (
        ("op", golden.attributes, golden.inputs, OUTPUTS),
        ("backprop_op", golden.gradient_attributes, golden.gradient_inputs, GRADIENTS),
    ):
        passed = {"attrs": attributes, "attrs_passed": list(attributes)}
        if op != "op" or golden.mask is None:
            named = {**meta, **passed, "op": golden.meta[op]}
            yield Golden(golden.path, named, inputs, golden.select(*outputs))
