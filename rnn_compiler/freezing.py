"""Frozen weights: arguments that are stored with a module instead of being passed by callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.modules import Module
from rnn_compiler.quantization import check_int8, check_quantize, quantized
from rnn_compiler.runtime.arguments import as_array, by_name, check_argument
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.int8 import SCALE, Matrix, stored
from rnn_compiler.schema.open_sizes import open_names, parts_of
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

__all__ = ["freeze"]


def freeze(module: Module, weights: Mapping[str, Any], *, quantize: str | None = None) -> Module:
    """Freezes weights into a module: its functions then take only the other arguments.

    A compiled artifact has its weights next to it, in an archive that IREE reads once, when the
    module is loaded; weights that are packed for the processor are packed then. The compiled code
    does not depend on the values of the weights, only on their shapes.

    Args:
        module: A module from `build`.
        weights: Arguments by name, ``{"w": w, "b": b}``: anything numpy can view, of the dtype and
            shape that the function takes, copied. For a module with several functions, one such
            mapping per function name, ``{"encoder": {"w": ...}, "decoder": {...}}``.
        quantize: ``"int8"`` stores matrices in a quarter of the space and multiplies by int8
            numbers (`docs/int8.md`): float32 ops without gradients. Biases, peepholes and states
            stay in float32, as do other uses of weights in a user's module than passing them to
            our ops.

    Returns:
        A new module with these weights; the given one is unchanged.

    Raises:
        InvalidArgumentError: A function or argument does not exist, an array has the wrong
            dtype, shape or value, or there is no matrix to quantize.
        UnsupportedError: A function cannot multiply by int8 numbers.

    Example:
        >>> from rnn_compiler import build
        >>> sizes = dict(seq_length=3, batch_size=2, input_size=4, num_units=5)
        >>> module = build("BlockLSTMV2", **sizes, outputs=["h"])
        >>> w, b = np.zeros((9, 20), np.float32), np.zeros(20, np.float32)
        >>> [each.name for each in freeze(module, {"w": w, "b": b}).functions[0].arguments]
        ['seq_len_max', 'x', 'cs_prev', 'h_prev', 'wci', 'wcf', 'wco']
    """
    if not isinstance(module, Module):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgumentError("freeze", "module", "a module from `build`", describe(module))
    given, in_int8 = _by_function(module, weights), check_quantize(quantize)
    matrices = module.matrices() if in_int8 else {}
    functions: list[FunctionSpec] = []
    parameters = dict(module.parameters)
    for spec in module.functions:
        arrays = _arrays(spec, given.get(spec.function, {}))
        known = {name: matrices.get((spec.function, name)) for name in arrays}
        small = {name: matrix for name, matrix in known.items() if matrix is not None}
        for matrix in small.values():
            check_int8(matrix)
        functions.append(_without(spec, arrays, small))
        for name, matrix in small.items():
            made = quantized(matrix, arrays[name])
            arrays |= {name + suffix: array for suffix, array in made.items()}
        parameters |= {spec.parameter(name): array for name, array in arrays.items() if array.size}
    if in_int8 and not any(SCALE in each.name for spec in functions for each in spec.frozen):
        names = sorted({name for spec in module.functions for name in spec.weights})
        expected = f"one of the weights {', '.join(names)}" if names else "an op with weights"
        remedy = "gradients, and ops in training, multiply in floating point: leave quantize out"
        raise InvalidArgumentError(
            "freeze", "weights", f"{expected}, to be stored in int8", "none", remedy
        )
    return module.frozen(functions, parameters)


def _by_function(module: Module, weights: Any) -> Mapping[str, Mapping[str, Any]]:
    """The weights for each function."""
    names = [spec.function for spec in module.functions]
    nested = "a mapping of arguments to arrays"
    if len(names) > 1:
        nested = f"{nested} for each function, {{{names[0]!r}: {{...}}}}"
    if not isinstance(weights, Mapping):
        raise InvalidArgumentError("freeze", "weights", nested, describe(weights))
    given: dict[Any, Any] = {**weights}
    if len(names) == 1 and not any(isinstance(value, Mapping) for value in given.values()):
        given = {names[0]: given}
    for name, arrays in given.items():
        if not isinstance(arrays, Mapping):
            raise InvalidArgumentError("freeze", "weights", nested, f"{name!r}: an array")
        if name not in names:
            expected, remedy = f"one of {', '.join(names)}", did_you_mean(name, names)
            raise InvalidArgumentError("freeze", "function", expected, describe(name), remedy)
    return given


def _arrays(spec: FunctionSpec, given: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """The arrays for a function's arguments; lists by element."""
    names = [each.keyword for each in spec.arguments if each.name not in spec.states]
    known = list(dict.fromkeys(names))
    for name in given:
        if name not in known:
            expected, remedy = f"one of {', '.join(known)}", did_you_mean(name, known)
            if name in spec.states:
                remedy = "it is a state, which calls update: link_module(..., states={...})"
            raise InvalidArgumentError(spec.op, "weights", expected, describe(name), remedy)
    tensors = {argument.name: argument for argument in spec.arguments}
    values = by_name(spec.op, spec.arguments, given)
    return {name: _array(spec.op, tensors[name], value) for name, value in values.items()}


def _array(op: str, tensor: TensorSpec, value: Any) -> npt.NDArray[Any]:
    """A copy of an argument's value, as the function reads it."""
    opened = open_names(
        [*tensor.shape, *parts_of(tensor.minimum or 0), *parts_of(tensor.maximum or 0)]
    )
    if opened:
        remedy = f"give {' and '.join(opened)} a value, or leave it an argument"
        raise InvalidArgumentError(
            op, tensor.name, "an argument of known size", str(tensor), remedy
        )
    array = as_array(op, tensor.name, value, tensor.dtype)
    check_argument(op, tensor, array)
    dtype = DTYPES[tensor.dtype].numpy
    if tensor.ignored:
        return np.zeros(tensor.static_shape, dtype)
    copy: Any = np.array(array, dtype, order="C", copy=True)
    copy = copy.reshape(tensor.static_shape)
    copy.flags.writeable = False
    return copy


def _without(
    spec: FunctionSpec, names: Mapping[str, Any], in_int8: Mapping[str, Matrix]
) -> FunctionSpec:
    """A function without some of its arguments; those in int8 are replaced as in an op."""
    frozen = [*spec.frozen]
    for each in spec.arguments:
        if each.name in in_int8:
            frozen += stored(in_int8[each.name], each)
        elif each.name in names:
            frozen.append(each)
    return replace(
        spec,
        arguments=tuple(each for each in spec.arguments if each.name not in names),
        weights=tuple(name for name in spec.weights if name not in names),
        frozen=tuple(frozen),
    )
