"""Golden files of the converters: a framework's weights, its results, and the buffer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler import weights

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ConverterGolden:
    """One framework module.

    Attributes:
        name: The file's name.
        meta: Which framework, and the sizes.
        arrays: Its weights, inputs and outputs, and `params`, by name.
    """

    name: str
    meta: dict[str, Any]
    arrays: Mapping[str, Array]

    @staticmethod
    def read(path: Path) -> ConverterGolden:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        return ConverterGolden(path.stem, json.loads(str(arrays.pop("meta"))), arrays)

    @property
    def sizes(self) -> dict[str, Any]:
        """The keywords of this framework's ``to_`` function."""
        meta = self.meta
        names = {
            "torch": ("rnn_mode", "num_layers", "bidirectional", "num_proj"),
            "keras": ("rnn_mode", "bidirectional"),
            "onnx": ("rnn_mode",),
            "blocklstm": ("version", "forget_bias"),
        }[meta["family"]]
        sizes = {name: meta[name] for name in (*names, "num_units", "input_size")}
        return sizes | ({"bidirectional": meta["num_dirs"] == 2} if "num_dirs" in meta else {})

    @property
    def weights(self) -> Any:
        """The framework's weights as its ``to_`` function gives them."""
        arrays = self.arrays
        match self.meta["family"]:
            case "torch":
                return {k[3:]: array for k, array in arrays.items() if k.startswith("sd.")}
            case "keras":
                return [array for name, array in arrays.items() if name[1:].isdigit()]
            case "onnx":
                return tuple(arrays[name] for name in "WRB")
            case _:
                return arrays["w"], arrays["b"]

    def params_from(self, given: Any) -> Array:
        """The ``from_`` function of this framework."""
        sizes = self.sizes
        match self.meta["family"]:
            case "torch":
                names = ("rnn_mode", "num_layers", "bidirectional")
                return weights.from_torch(given, **{name: sizes[name] for name in names})
            case "keras":
                names = ("rnn_mode", "bidirectional")
                return weights.from_keras(given, **{name: sizes[name] for name in names})
            case "onnx":
                return weights.from_onnx(*given, rnn_mode=sizes["rnn_mode"])
            case _:
                del sizes["num_units"]
                return weights.from_block_lstm(*given, **sizes)

    def weights_from(self, params: Any) -> Any:
        """The ``to_`` function of this framework."""
        family = self.meta["family"].replace("blocklstm", "block_lstm")
        return getattr(weights, f"to_{family}")(params, **self.sizes)


FOLDER = Path(__file__).parents[1] / "goldens" / "converters"
GOLDENS = [ConverterGolden.read(path) for path in sorted(FOLDER.glob("*.npz"))]
