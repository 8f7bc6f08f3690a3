"""A recurrent layer of a model: the op that computes it, its sizes, and its weights."""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import OTHER_NAMES, ArtifactError, InvalidArgumentError, with_hint
from rnn_compiler.lowering.ops import CALLED
from rnn_compiler.lowering.ops.cells.direction import Cell
from rnn_compiler.lowering.ops.onnx.cells import cells_of
from rnn_compiler.model_import.reading import clipped
from rnn_compiler.modules import Module, build
from rnn_compiler.quantization import check_frozen
from rnn_compiler.schema.identifiers import is_word_of_c
from rnn_compiler.schema.notebook import page, table
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import TAKEN
from rnn_compiler.schema.tensors import DIMENSIONS

FOR_TRAINING = "it is built for training; with is_training=False, for inference"
"""The note for a layer whose op is in training mode in the model."""

STREAMED = "; program.stream does this"
"""The end of notes about states that are kept between calls."""


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """A recurrent layer of a model.

    Attributes:
        name: Its name in the model.
        op: The name of the op that computes it, TensorFlow's or ONNX's.
        attributes: All attributes of the op.
        dims: The op's dimensions; None for those that the model leaves open.
        dtype: ``"float32"``, ...
        weights: Arrays by the op's argument names, with the op's shapes and dtype. Values that the
            model computes at run time are not included.
        notes: Sentences about what the model does around the op and callers must do too.
    """

    name: str
    op: str
    attributes: Mapping[str, bool | int | float | str]
    dims: Mapping[str, int | None]
    dtype: str
    weights: Mapping[str, npt.NDArray[Any]]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = (f"{name}={'?' if size is None else size}" for name, size in self.dims.items())
        return f"Layer({', '.join([f'{self.name}: {self.op} {self.dtype}', *sizes])})"

    def _repr_html_(self) -> str:
        weights = (
            (name, f"{self.dtype}[{','.join(map(str, array.shape))}]")
            for name, array in self.weights.items()
        )
        return page(
            self,
            table(["attribute", "value"], self.attributes.items()),
            table(["weights", "type"], weights),
            table(["note"], [[note] for note in self.notes]),
        )

    def build(self, *, frozen: bool = True, quantize: str | None = None, **dims: Any) -> Module:
        """The layer's module.

        Args:
            frozen: Whether the weights are stored in the module; otherwise they are arguments.
            quantize: How they are stored, as for `rnn_compiler.freeze`.
            **dims: The dimensions that the model leaves open, ``batch_size=1``. batch_size and
                seq_length override the model's, because no weight depends on them. Attributes, such
                as ``is_training=False``, override the model's too. ``outputs=`` selects the
                results, by default all that are not empty, and ``function=`` names the function.

        Raises:
            TypeError: A keyword is neither a dimension nor an attribute.
            InvalidArgumentError: A dimension is missing, or does not match the weights.
            UnsupportedError: The compiler is not installed.

        Example:
            >>> import numpy as np
            >>> sizes = {"seq_length": None, "batch_size": 1, "input_size": 2, "num_units": 3}
            >>> layer = Layer("lstm", "BlockLSTMV2", {}, sizes, "float32", {})
            >>> layer.build(seq_length=4, frozen=False)
            Module(block_lstm_v2)
        """
        keywords: dict[str, Any] = {"outputs": self.outputs(dims), **self.keywords(dims)}
        module = build(self.op, dtype=self.dtype, **keywords)
        if quantize is None and not (frozen and self.weights):
            return module
        check_frozen(frozen, quantize)
        from rnn_compiler.freezing import freeze  # needs IREE's runtime, unlike reading a model

        return freeze(module, self.weights, quantize=quantize)

    def keywords(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of `rnn_compiler.build` for this layer: its dimensions and attributes.

        Args:
            given: Dimensions and attributes that are missing or override the model's.

        Raises:
            InvalidArgumentError: A dimension is missing, or does not match the weights.
        """
        for name, value in given.items():
            fixed = self.dims.get(name) if self.weights else None
            if fixed is not None and name not in ("seq_length", "batch_size") and value != fixed:
                expected = f"{fixed}, which its weights have"
                raise InvalidArgumentError(self.name, name, expected, repr(value))
        keywords = {**self.attributes, **self.dims, **given}
        missing = [name for name, size in self.dims.items() if size is None and name not in given]
        if missing:
            remedy = "pass " + ", ".join(f"{name}=N" for name in missing)
            expected = "a size, which the model leaves open"
            raise InvalidArgumentError(self.name, missing[0], expected, "none", remedy)
        return keywords

    def outputs(self, given: Mapping[str, Any]) -> list[str]:
        """The results that are not empty; ops in inference also have scalar zeros as results.

        Args:
            given: As for `keywords`.
        """
        signature = CALLED[self.op].signature
        defaults = {each.name: each.default for each in signature.attributes}
        form = signature.form({**defaults, **self.attributes, **given})
        return [tensor.name for tensor in form.results if tensor.sizes or tensor.is_list]

    @property
    def signature(self) -> Signature:
        """The op's signature with the layer's attributes."""
        return CALLED[self.op].signature.form(self.attributes)


@dataclass(frozen=True)
class RefusedLayer:
    """A recurrent layer that is not imported.

    Attributes:
        name: Its name in the model.
        reason: The feature that the ops do not have.
        clause: Why it is not supported, and what to do instead.
    """

    name: str
    reason: str
    clause: str = "which no op computes"


L = TypeVar("L", Layer, RefusedLayer, Layer | RefusedLayer)


def checked(layer: Layer, path: Path) -> Layer:
    """A layer whose attributes, sizes and weights are consistent."""
    signature = CALLED[layer.op].signature
    try:
        attributes = signature.canonical(layer.attributes, layer.dtype)
        attributes |= {
            name: value
            for name, value in signature.canonical(
                layer.attributes, layer.dtype, at_run_time=True
            ).items()
            if name in layer.attributes
        }
        form = signature.form(attributes)
        sizes = {**attributes, **layer.dims}
        known = {name: 1 if size is None else size for name, size in sizes.items()}
        derived: Mapping[str, Any] = (
            {} if signature.derived is None else signature.derived(layer.op, known)
        )
    except InvalidArgumentError as error:
        raise ArtifactError(f"{path}: {layer.name}: {error}") from error
    unknown = {symbol for symbol, name in DIMENSIONS.items() if layer.dims.get(name, 0) is None}
    unknown |= {"N"} if unknown & set("IHL") else set()
    for argument in form.arguments:
        array: Any = layer.weights.get(argument.name)
        if array is None or argument.is_list:
            continue
        dtype = argument.dtype or layer.dtype
        if array.dtype.name != dtype:
            raise ArtifactError(
                f"{path}: {layer.name}: {argument.name} is {array.dtype}, the op {dtype}"
            )
        if any(symbol in unknown for size in argument.sizes for _, symbol in size.terms):
            continue
        shape = tuple(size.evaluate({**known, **derived}) for size in argument.sizes)
        if array.shape != shape:
            raise ArtifactError(
                f"{path}: {layer.name}: {argument.name} has the shape {list(array.shape)}, not "
                f"{argument.formula} = {list(shape)}"
            )
    notes = (*layer.notes, *_notes_on_values(layer.weights))
    if form.chunked is None or attributes.get("direction") in ("bidirectional", "reverse"):
        notes = tuple(note.replace(STREAMED, "") for note in notes)
    return replace(layer, attributes=attributes, notes=notes)


def _notes_on_values(weights: Mapping[str, Any]) -> Iterator[str]:
    """Notes about weights that are NaN or infinite."""
    for name, array in weights.items():
        with np.errstate(all="ignore"):
            if np.isfinite(np.sum(array, dtype=np.float64)):  # else it may have overflowed
                continue
        count = array.size - np.count_nonzero(np.isfinite(array))
        if count:
            yield f"{name} has {count} values that are NaN or infinite"


def named_apart(layers: Sequence[L]) -> list[L]:
    """Layers with unique names: all but the first with the same name get a number.

    Example:
        >>> layers = [RefusedLayer(name, "") for name in ("a", "a", "a_1")]
        >>> [each.name for each in named_apart(layers)]
        ['a', 'a_1', 'a_1_1']
    """
    counts: dict[str, int] = {}
    taken: set[str] = set()
    named: list[L] = []
    for layer in layers:
        name = stem = clipped(layer.name)
        while name in taken:
            counts[stem] = counts.get(stem, 0) + 1
            name = f"{stem}_{counts[stem]}"
        taken.add(name)
        named.append(layer if name == layer.name else replace(layer, name=name))
    return named


# Chooses the op for a layer of ONNX or Keras that is described as ONNX's op with attributes.
#
# It is CudnnRNNV3 if that computes the layer: with cuDNN's cells and no peepholes, forward or in
# both directions. Any other layer is ONNX's op itself.

CUDNN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **{"sequence_lens": "sequence_lengths", "initial_h": "input_h", "initial_c": "input_c"},
        **{"Y": "output", "Y_h": "output_h", "Y_c": "output_c"},
    }
)
"""CudnnRNNV3's names of the inputs and outputs of ONNX's ops."""

ONNX_NAMES: Mapping[str, str] = MappingProxyType({name: name for name in CUDNN_NAMES})

_CUDNN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "lstm": ("onnx.LSTM", {}),
    "gru": ("onnx.GRU", {"linear_before_reset": 1}),
    "rnn_tanh": ("onnx.RNN", {}),
    "rnn_relu": ("onnx.RNN", {"activations": "Relu"}),
}
"""The cells that CudnnRNNV3 computes, by its modes."""


def canonical(op: str, given: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """The attributes of one of ONNX's ops, checked."""
    attributes = CALLED[op].signature.canonical(given, dtype)
    cells_of(op, attributes)
    return attributes


def optional_inputs(op: str) -> tuple[str, ...]:
    """The inputs that ONNX calls optional."""
    signature = CALLED[op].signature
    return next(each.choices for each in signature.attributes if each.name == "inputs")


def cudnn_mode(op: str, attributes: Mapping[str, Any]) -> str | None:
    """The rnn_mode with which CudnnRNNV3 computes a layer; None if it does not."""
    if attributes["direction"] == "reverse" or "P" in attributes["inputs"].split():
        return None
    cells = cells_of(op, attributes)
    modes = (mode for mode, (kind, _) in _CUDNN.items() if kind == op)
    return next((mode for mode in modes if all(cell == _cell(mode) for cell in cells)), None)


@functools.cache
def _cell(mode: str) -> Cell:
    """The cell of a mode."""
    op, given = _CUDNN[mode]
    return cells_of(op, CALLED[op].signature.canonical(given, "float32"))[0]


# All layers of a model in one module, one function per layer.


def build_layers(
    layers: Sequence[Layer],
    *,
    name: str,
    frozen: bool = True,
    quantize: str | None = None,
    outputs: Sequence[str] | None = None,
    **dims: Any,
) -> Module:
    """The module of several layers, with the functions that `function_names` gives.

    Scalar results that only exist for compatibility with TensorFlow are left out. Each layer takes
    those of `dims` that it has, which override the model's, and returns those of `outputs`.
    """
    if not layers:
        raise InvalidArgumentError("build_layers", "layers", "at least one layer", "none")
    check_dimensions(layers, dims)
    rows: list[tuple[str, dict[str, Any]]] = []
    names = function_names(layers)
    for layer, function in zip(layers, names, strict=True):
        taken = (*layer.dims, *layer.attributes)
        given = {name: value for name, value in dims.items() if name in taken}
        results = layer.outputs(given) if outputs is None else outputs
        own = {"function": function, "dtype": layer.dtype, "outputs": results}
        rows.append((layer.op, {**layer.keywords(given), **own}))
    module = build(rows, name=name)
    weights = {
        function: dict(layer.weights)
        for function, layer in zip(names, layers, strict=True)
        if layer.weights
    }
    if quantize is None and not (frozen and weights):
        return module
    check_frozen(frozen, quantize)
    from rnn_compiler.freezing import freeze  # needs IREE's runtime, unlike reading a model

    return freeze(module, weights, quantize=quantize)


def check_dimensions(layers: Sequence[Layer], names: Iterable[str]) -> None:
    """Checks that each name is a dimension or an attribute of a layer; else TypeError."""
    for name in names:
        if not any(name in layer.dims or name in layer.attributes for layer in layers):
            known = [each for each in DIMENSIONS.values() if any(each in x.dims for x in layers)]
            message = f"no layer has the dimension {name!r}: they have {', '.join(known)}"
            raise TypeError(with_hint(message, name, known, OTHER_NAMES))


_LONGEST = 80
"""The most letters of a name, which C limits; the last ones, because the first are paths."""


def function_names(layers: Sequence[Layer]) -> list[str]:
    """The names of functions: the layers', as identifiers."""
    names: list[str] = []
    for layer in layers:
        stem = name = identifier(layer.name, TAKEN["function"])
        number = 0
        while name in names:
            number += 1
            name = f"{stem}_{number}"
        names.append(name)
    return names


def identifier(text: str, taken: Sequence[str] = TAKEN["name"]) -> str:
    """A text as the name of a module or function.

    Example:
        >>> identifier("1-lstm/CudnnRNNV3"), identifier("vm"), identifier("???"), identifier("int")
        ('layer_1_lstm_CudnnRNNV3', 'layer_vm', 'layer', 'layer_int')
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[-_LONGEST:].lstrip("_")
    is_word = keyword.iskeyword(name) or is_word_of_c(name)
    if not name[:1].isalpha() or is_word or name in taken:
        name = f"layer_{name}".rstrip("_")
    return name
