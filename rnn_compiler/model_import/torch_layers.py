"""PyTorch's files: the recurrent modules of a state dict, whole module or script, by their names.

State dicts may also be in safetensors' format.

A module is recognised by the names of its tensors, ``encoder.weight_ih_l0``, and their shapes: an
LSTM has four gates, a GRU three, an RNN one. Names of cells have no number. A module with other
tensors besides, such as peepholes or layer norms, is not torch's own and is refused.

Notes name what a state dict does not contain: batch_first, and the nonlinearity of an RNN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.layer import Layer, RefusedLayer, checked
from rnn_compiler.model_import.reading import Budget, clipped, damaged, stored_bytes
from rnn_compiler.weights import from_torch
from rnn_compiler.weights.files import load
from rnn_compiler.weights.torch import layers_told
from rnn_compiler.weights.torch_file import DENSE, PickledGlobal, TorchTensor, read_torch_file
from rnn_compiler.weights.torch_program import read_program

_STEMS = "(?:weight_ih|weight_hh|weight_hr|bias_ih|bias_hh)"
_NAME = re.compile(rf"{_STEMS}(_l\d{{1,9}}(_reverse)?)?")
_RELATED = re.compile(rf"(?s:.*\.)?(?={_STEMS}(?![^\W_]))")
"""What precedes the name of a weight, or a name derived from one, ``weight_hh_l0_raw``."""

_PARAMETRIZED = "parametrizations."
_QUANTIZED = re.compile(
    r"(.*?)\.?(?:_all_weight_values|_packed_weight_ih|layers\.\d+\.layer_fw\.cell)(?:\..*)?"
)
"""The names of what torch's quantization makes of a recurrent module."""

_MODES = {4: "lstm", 3: "gru", 1: "rnn_tanh"}
_NOT_TORCH = "which torch.nn's LSTM, GRU, RNN and cells do not have"
_PACKED = "in a form that only torch reads: save the float model"
_MOST_TOLD = 10
_DEEPEST = 64


@dataclass(frozen=True)
class NamedArray:
    """A tensor whose elements are in memory."""

    elements: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.elements.shape

    @property
    def nbytes(self) -> int:
        """The size of its elements in bytes."""
        return self.elements.nbytes

    def array(self) -> Any:
        """Its elements."""
        return self.elements


NamedTensor = TorchTensor | NamedArray


class NamedTensors(NamedTuple):
    """The tensors of a file, and what it tells about the modules around them (`TorchFile`)."""

    tensors: Mapping[str, NamedTensor]
    facts: Mapping[str, Any]
    classes: Mapping[str, PickledGlobal]
    unread: Mapping[str, str]


def read_torch(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a file from torch.save or torch.jit.save, and what else is in it."""
    file = read_torch_file(path)
    return _layers_of(NamedTensors(file.tensors, file.facts, file.classes, file.unread()), path)


def read_exported(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a file from torch.export.save, and what else is in it."""
    file = read_program(path)
    return _layers_of(NamedTensors(file.tensors, file.facts, file.classes, file.unread()), path)


def read_safetensors(path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of a state dict in safetensors' format, and what else is in it."""
    try:
        arrays = load(path)
    except InvalidArgumentError as error:
        raise damaged(path, error.got or str(error)) from error
    tensors = {name: NamedArray(array) for name, array in arrays.items()}
    return _layers_of(NamedTensors(tensors, {}, {}, {}), path)


def _layers_of(file: NamedTensors, path: Path) -> tuple[list[Layer | RefusedLayer], str]:
    """The layers of named tensors, and what else is in their file."""
    budget = Budget(path, stored_bytes(path))
    found: list[Layer | RefusedLayer] = []
    modules, unread = _modules(file.tensors), _by_module(file.unread)
    for prefix in dict.fromkeys((*modules, *unread)):
        tensors, others = modules.get(prefix, ({}, {}))
        if others:
            found.append(_with_others(prefix, others))
        elif prefix in unread:
            told = clipped(", ".join(unread[prefix]))
            found.append(RefusedLayer(prefix.rstrip(".") or "module", told, DENSE))
        else:
            found.append(_layer(prefix, tensors, file, budget, path))
    packed = dict.fromkeys(match[1] for match in map(_QUANTIZED.fullmatch, file.classes) if match)
    found += [
        RefusedLayer(name or "module", "weights that torch quantized", _PACKED) for name in packed
    ]
    return found, _contents(file)


def _by_module(unread: Mapping[str, str]) -> dict[str, list[str]]:
    """The weights that are not read by the prefix of their module, each with its class."""
    found: dict[str, list[str]] = {}
    for name, kind in unread.items():
        prefix = name[: name.rfind(".") + 1]
        found.setdefault(prefix, []).append(f"{name[len(prefix) :]} of the class {kind}")
    return found


def _contents(file: NamedTensors) -> str:
    """What a file has besides layers: its tensors, or else its objects."""
    if file.tensors:
        names = ", ".join(name[:80] for name in list(file.tensors)[:_MOST_TOLD])
        return f"{len(file.tensors)} tensors with names ({names})"
    kinds = {f"{each.module}.{each.name}"[:80]: None for each in file.classes.values()}
    objects = f", but objects of {', '.join([*kinds][:_MOST_TOLD])}" if kinds else ""
    return f"no tensors with names{objects}"


_Tensors = dict[str, NamedTensor]


def _modules(tensors: Mapping[str, NamedTensor]) -> dict[str, tuple[_Tensors, _Tensors]]:
    """The recurrent modules by their prefix: the weights of each, and its other tensors.

    A tensor belongs to the innermost recurrent module around it. What derives from a weight but is
    one module further out, as fastai's WeightDropout has it, belongs to the weight's module.
    """
    modules: dict[str, tuple[_Tensors, _Tensors]] = {}
    others: _Tensors = {}
    for name, tensor in tensors.items():
        match = _RELATED.match(name)
        prefix = match[0] if match else ""
        if match and _NAME.fullmatch(name, len(prefix)):
            modules.setdefault(prefix, ({}, {}))[0][name[len(prefix) :]] = tensor
            continue
        others[name] = tensor
        if match:
            modules.setdefault(prefix.removesuffix(_PARAMETRIZED), ({}, {}))
    for name, tensor in others.items():
        owner = next((each for each in _prefixes(name) if each in modules), None)
        if owner is not None:
            modules[owner][1][name[len(owner) :]] = tensor
    around = {prefix: next(_prefixes(prefix[:-1])) for prefix, (own, _) in modules.items() if own}
    for prefix, outer in around.items():
        if outer != prefix and outer in modules and not modules[outer][0]:
            modules[prefix][1].update(modules[outer][1])
    inherited = {outer for prefix, outer in around.items() if outer != prefix}
    return {
        prefix: found for prefix, found in modules.items() if found[0] or prefix not in inherited
    }


def _prefixes(name: str) -> Iterator[str]:
    """The prefixes of the modules around a tensor, the innermost first."""
    end = len(name)
    for _ in range(_DEEPEST):
        end = name.rfind(".", 0, end)
        yield name[: end + 1]
        if end < 0:
            return


def _with_others(prefix: str, others: Mapping[str, NamedTensor]) -> RefusedLayer:
    """The refusal of a module that has other tensors than torch's modules."""
    remedy = "if the layer computes without them, rc.weights.from_torch converts the rest"
    name = prefix.rstrip(".") or "module"
    return RefusedLayer(name, f"weights {_told(others)}", f"{_NOT_TORCH}: {remedy}")


def _told(tensors: Mapping[str, NamedTensor]) -> str:
    """The names and shapes of tensors, for a message."""
    return clipped(
        ", ".join(f"{each} {list(tensor.shape)}"[:80] for each, tensor in tensors.items())
    )


def _layer(
    prefix: str, tensors: Mapping[str, NamedTensor], file: NamedTensors, budget: Budget, path: Path
) -> Layer | RefusedLayer:
    """The layer of a module whose names begin with a prefix."""
    suffix = "" if "weight_ih" in tensors else "_l0"
    shapes = {stem: tensors[stem + suffix].shape for stem in _MATRICES if stem + suffix in tensors}
    w, r = shapes.get("weight_ih", ()), shapes.get("weight_hh", ())
    units = shapes.get("weight_hr", r)[-1:]
    mode = _MODES.get(w[0] // units[0]) if len(w) == 2 and units and units[0] else None
    told = str(file.facts.get(f"{prefix}mode", "")).lower()
    if nonlinearity := file.facts.get(f"{prefix}nonlinearity"):
        told = f"rnn_{nonlinearity}"
    mode = told if mode == "rnn_tanh" and told == "rnn_relu" else mode
    name = prefix.rstrip(".") or (mode or "module").partition("_")[0]
    if mode is None:
        lacking = [stem + suffix for stem in _MATRICES[:2] if stem not in shapes]
        without = f" without {' and '.join(lacking)}" if lacking else ""
        return RefusedLayer(name, f"weights {_told(tensors)}{without}", _NOT_TORCH)
    budget.take(sum(tensor.nbytes for tensor in tensors.values()))
    arrays = {each: tensor.array() for each, tensor in tensors.items()}
    try:
        params: Any = from_torch(arrays, rnn_mode=mode)
    except InvalidArgumentError as error:
        return RefusedLayer(name, clipped(f"weights of {len(arrays)} arrays ({error})"), _NOT_TORCH)
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
    notes = _notes(mode, told, not suffix, batch_first, file.classes.get(prefix.rstrip(".")))
    made = Layer(name, "CudnnRNNV3", attributes, dims, params.dtype.name, {"params": params}, notes)
    return checked(made, path)


_MATRICES = ("weight_ih", "weight_hh", "weight_hr")

_BATCH_FIRST = "the batch is the first axis of input, output and also of states, unlike torch's"

_KNOWN_CODE = ("torch.", "__torch__.torch.", "rnn_compiler.")
"""The modules whose classes compute what their weights' names say."""


def _notes(
    mode: str, told: str, is_cell: bool, batch_first: object, kind: PickledGlobal | None
) -> tuple[str, ...]:
    """Notes about what the names do not tell."""
    notes: list[str] = []
    if kind is not None and not f"{kind.module}.".startswith(_KNOWN_CODE):
        name = f"{kind.module.removeprefix('__torch__').removeprefix('.')}.{kind.name}".lstrip(".")
        notes.append(
            f"its class is {clipped(name)}, whose code is not read: what it computes other than "
            "torch's layer is missing"
        )
    if is_cell:
        notes.append("a cell, which the model calls for each step: seq_length=1, or all steps")
    elif batch_first is None:
        notes.append(
            "the file does not tell batch_first, and the import assumes False. If it is True, pass "
            f"time_major=False (--attr time_major=false): then {_BATCH_FIRST}"
        )
    elif batch_first is True:
        notes.append(f"batch_first=True: {_BATCH_FIRST}")
    if mode == "rnn_tanh" and told != mode:
        notes.append("tanh or relu is not in the file: rnn_mode='rnn_relu' if it is relu")
    return tuple(notes)
