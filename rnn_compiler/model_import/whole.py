"""All layers of a model in one module, one function per layer."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.model_import.layer import Layer
from rnn_compiler.modules import Module, build
from rnn_compiler.quantization import check_frozen
from rnn_compiler.schema.names import TAKEN
from rnn_compiler.schema.tensors import DIMENSIONS

__all__ = ["build_layers", "function_names", "identifier"]


def build_layers(
    layers: Sequence[Layer],
    *,
    name: str,
    frozen: bool = True,
    quantize: str | None = None,
    **dims: Any,
) -> Module:
    """The module of several layers, with the functions that `function_names` gives.

    Scalar results that only exist for compatibility with TensorFlow are left out.

    Args:
        layers: The layers, from `import_model`.
        name: The module's name.
        frozen: Whether the weights are stored in the module; otherwise they are arguments.
        quantize: How frozen weights are stored, as for `rnn_compiler.freeze`.
        **dims: Dimensions that the model leaves open or that override the model's, and attributes;
            each layer uses those that it has.

    Raises:
        TypeError: No layer has such a dimension or attribute.
        InvalidArgumentError: A dimension is missing, or does not match the weights.
        UnsupportedError: The compiler is not installed.

    Example:
        >>> sizes = {"seq_length": None, "batch_size": 1, "input_size": 2, "num_units": 3}
        >>> layers = [Layer(each, "BlockLSTMV2", {}, sizes, "float32", {}) for each in "ab"]
        >>> build_layers(layers, name="speech", frozen=False, seq_length=4)
        Module(a, b)
    """
    if not layers:
        raise InvalidArgumentError("build_layers", "layers", "at least one layer", "none")
    for dim in dims:
        if not any(dim in layer.dims or dim in layer.attributes for layer in layers):
            known = [each for each in DIMENSIONS.values() if any(each in x.dims for x in layers)]
            raise TypeError(f"no layer has the dimension {dim!r}: they have {', '.join(known)}")
    rows: list[tuple[str, dict[str, Any]]] = []
    names = function_names(layers)
    for layer, function in zip(layers, names, strict=True):
        taken = (*layer.dims, *layer.attributes)
        given = {name: value for name, value in dims.items() if name in taken}
        own = {"function": function, "dtype": layer.dtype, "outputs": layer.outputs(given)}
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


def function_names(layers: Sequence[Layer]) -> list[str]:
    """The names of functions: the layers', as identifiers.

    Example:
        >>> sizes = {"seq_length": None, "batch_size": 1, "input_size": 2, "num_units": 3}
        >>> names = ["rnn/LSTM:0", "rnn/LSTM_0"]
        >>> function_names([Layer(each, "BlockLSTMV2", {}, sizes, "float32", {}) for each in names])
        ['rnn_LSTM_0', 'rnn_LSTM_0_1']
    """
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

    Args:
        text: The text.
        taken: Names that are in use.

    Example:
        >>> identifier("1-lstm/CudnnRNNV3"), identifier("vm"), identifier("???")
        ('layer_1_lstm_CudnnRNNV3', 'layer_vm', 'layer')
    """
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not name[:1].isalpha() or keyword.iskeyword(name) or name in taken:
        name = f"layer_{name}".rstrip("_")
    return name
