"""PyTorch's files: the recurrent modules of a state dict, whole module or script, by their names.

A module is recognised by the names of its tensors, ``encoder.weight_ih_l0``, and their shapes: an
LSTM has four gates, a GRU three, an RNN one. Names of cells have no number.

Notes name what a state dict does not contain: batch_first, and the nonlinearity of an RNN.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.layer import Layer, Refused, checked
from rnn_compiler.model_import.reading import Budget, clipped, stored_bytes
from rnn_compiler.weights import from_torch
from rnn_compiler.weights.torch import layers_told
from rnn_compiler.weights.torch_file import Tensor, TorchFile, read_torch_file

__all__ = ["read_torch"]

_NAME = re.compile(r"(?:weight_ih|weight_hh|weight_hr|bias_ih|bias_hh)(_l\d{1,9}(_reverse)?)?")
_MODES = {4: "lstm", 3: "gru", 1: "rnn_tanh"}
_NOT_TORCH = "which torch.nn's LSTM, GRU, RNN and cells do not have"
_MOST_TOLD = 10


def read_torch(path: Path) -> tuple[list[Layer | Refused], str]:
    """The layers of a file from torch.save or torch.jit.save, and a description of other content.

    Raises:
        ArtifactError: The file is damaged.
        OSError: It cannot be read.
    """
    file = read_torch_file(path)
    modules: dict[str, dict[str, Tensor]] = {}
    for name, tensor in file.tensors.items():
        prefix, point, last = name.rpartition(".")
        if _NAME.fullmatch(last):
            modules.setdefault(prefix + point, {})[last] = tensor
    budget = Budget(path, stored_bytes(path))
    found = [_layer(prefix, tensors, file, budget, path) for prefix, tensors in modules.items()]
    names = ", ".join(name[:80] for name in list(file.tensors)[:_MOST_TOLD])
    return found, f"{len(file.tensors)} tensors with names ({names or 'none'})"


def _layer(
    prefix: str, tensors: Mapping[str, Tensor], file: TorchFile, budget: Budget, path: Path
) -> Layer | Refused:
    """The layer of a module whose names begin with a prefix."""
    suffix = "" if "weight_ih" in tensors else "_l0"
    shapes = {stem: tensors[stem + suffix].shape for stem in _STEMS if stem + suffix in tensors}
    w, r = shapes.get("weight_ih", ()), shapes.get("weight_hh", ())
    units = shapes.get("weight_hr", r)[-1:]
    mode = _MODES.get(w[0] // units[0]) if len(w) == 2 and units and units[0] else None
    told: str = str(file.facts.get(f"{prefix}mode", "")).lower()
    mode = told if mode == "rnn_tanh" and told == "rnn_relu" else mode
    name = prefix.rstrip(".") or (mode or "module").partition("_")[0]
    if mode is None:
        shown = ", ".join(f"{each} {list(tensor.shape)}"[:80] for each, tensor in tensors.items())
        return Refused(name, f"weights {clipped(shown)}", _NOT_TORCH)
    budget.take(sum(tensor.nbytes for tensor in tensors.values()))
    arrays = {each: tensor.array() for each, tensor in tensors.items()}
    try:
        params: Any = from_torch(arrays, rnn_mode=mode)
    except InvalidArgumentError as error:
        return Refused(name, clipped(f"weights of {len(arrays)} arrays ({error})"), _NOT_TORCH)
    num_layers, bidirectional = layers_told(arrays)
    batch_first = file.facts.get(f"{prefix}batch_first")
    attributes = {
        "rnn_mode": mode,
        "direction": "bidirectional" if bidirectional else "unidirectional",
        "num_proj": shapes["weight_hr"][0] if "weight_hr" in shapes else 0,
        "is_training": False,
        "time_major": batch_first is not True,
    }
    dims = {"seq_length": None, "batch_size": None, "input_size": w[1], "num_units": units[0]}
    dims |= {"num_layers": num_layers}
    notes = _notes(mode, told, not suffix, batch_first)
    made = Layer(name, "CudnnRNNV3", attributes, dims, params.dtype.name, {"params": params}, notes)
    return checked(made, path)


_BATCH_FIRST = (
    "with time_major=False, states have the batch first too, [batch_size, layers, num_units], "
    "which torch's never have"
)

_STEMS = ("weight_ih", "weight_hh", "weight_hr")


def _notes(mode: str, told: str, is_cell: bool, batch_first: object) -> tuple[str, ...]:
    """Notes about what the names do not tell."""
    notes: list[str] = []
    if is_cell:
        notes.append("a cell, which the model calls for each step: seq_length=1, or all steps")
    elif batch_first is None:
        notes.append(
            "batch_first is not in the file: time_major=False if it is True "
            f"(--attr time_major=false); {_BATCH_FIRST}"
        )
    elif batch_first is True:
        notes.append(_BATCH_FIRST)
    if mode == "rnn_tanh" and told != mode:
        notes.append("tanh or relu is not in the file: rnn_mode='rnn_relu' if it is relu")
    return tuple(notes)
