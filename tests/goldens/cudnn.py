"""Golden files of the CudnnRNN ops: a forward and a gradient call each, from PyTorch's autograd.

No TensorFlow kernel of these ops runs without a GPU; README.md says how the files were made. An
array is named as its argument or result; the attributes are all passed.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cudnn_reference
import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]

OUTPUTS = ("output", "output_h", "output_c")
GRADIENTS = ("input_backprop", "input_h_backprop", "input_c_backprop", "params_backprop")
UPSTREAM = ("output_backprop", "output_h_backprop", "output_c_backprop")


@dataclass(frozen=True)
class CudnnGolden:
    """The content of a file.

    Attributes:
        path: The file.
        meta: Everything about it but the arrays.
        arrays: Every array, float64.
    """

    path: Path
    meta: dict[str, Any]
    arrays: Arrays

    @property
    def version(self) -> int:
        """1, 2 or 3."""
        return {"CudnnRNN": 1, "CudnnRNNV2": 2, "CudnnRNNV3": 3}[self.meta["op"]]

    @property
    def attributes(self) -> dict[str, Any]:
        """Those of the forward op."""
        return self.meta["attrs"]

    @property
    def gradient_attributes(self) -> dict[str, Any]:
        """Those of the gradient op."""
        return {name: v for name, v in self.attributes.items() if name != "is_training"}

    @property
    def mask(self) -> npt.NDArray[np.float64] | None:
        """The dropout mask, where there is one."""
        return self.arrays.get("dropout_mask")

    def select(self, *names: str) -> Arrays:
        """Some of the arrays."""
        return {name: self.arrays[name] for name in names if name in self.arrays}

    @property
    def inputs(self) -> Arrays:
        """The arguments of the forward op."""
        return self.select("input", "input_h", "input_c", "params", "sequence_lengths")

    @functools.cached_property
    def reserved(self) -> Arrays:
        """The values defined by this package: the reference's `reserve_space`, `host_reserved`."""
        results = cudnn_reference.cudnn_rnn(
            version=self.version, mask=self.mask, **self.inputs, **self.attributes
        )
        kept = {
            name: results[name] for name in ("reserve_space", "host_reserved") if name in results
        }
        return {name: a.astype(np.int8 if name[0] == "h" else a.dtype) for name, a in kept.items()}

    @property
    def gradient_inputs(self) -> Arrays:
        """The arguments of the gradient op."""
        return {**self.inputs, **self.select(*OUTPUTS, *UPSTREAM), **self.reserved}

    @property
    def dims(self) -> dict[str, int]:
        """The dimensions, by letter."""
        names = {"T": "max_seq_length", "B": "batch", "I": "input_size"}
        names |= {"H": "num_units", "L": "num_layers"}
        return {letter: self.meta[name] for letter, name in names.items()}


def cast(arrays: Arrays, dtype: npt.DTypeLike) -> Arrays:
    """The float64 arrays in another dtype, the others as they are."""
    return {
        name: array.astype(dtype) if array.dtype == np.float64 else array
        for name, array in arrays.items()
    }


@functools.cache
def read_cudnn_goldens() -> tuple[CudnnGolden, ...]:
    """All of them."""
    goldens: list[CudnnGolden] = []
    for path in sorted((Path(__file__).parent / "cudnn_rnn").glob("*.npz")):
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files if name != "meta"}
            goldens.append(CudnnGolden(path, json.loads(str(file["meta"])), arrays))
    return tuple(goldens)
