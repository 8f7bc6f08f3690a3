"""Random arguments for an op, drawn so that sequences neither explode nor vanish."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, open_sizes_of

__all__ = ["random_arguments"]


def random_arguments(
    spec: FunctionSpec,
    given: Mapping[str, npt.NDArray[Any]] | None = None,
    dims: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """Every argument of a function, the same at each call.

    Weights are centred around 0 and scaled down by the number of summands. Everything else is
    in 0..1, the range of gates, so that a gradient op gets plausible activations. Lengths are the
    maximum. Open dimensions come from `dims`, else from given arguments, if there are any.
    """
    sizes = spec.example_sizes
    for dim in spec.open_dims:
        with contextlib.suppress(InvalidArgumentError):  # the call will report it
            one = replace(spec, dims={dim: spec.dims[dim]})
            shapes = {name: np.asarray(array).shape for name, array in (given or {}).items()}
            sizes |= open_sizes_of(one, shapes)
    spec = spec.bound({**sizes, **dims})
    generator = np.random.default_rng(0)
    return {argument.name: _draw(argument, spec, generator) for argument in spec.arguments}


def _draw(argument: TensorSpec, spec: FunctionSpec, generator: np.random.Generator) -> Any:
    dtype = DTYPES[argument.dtype].numpy
    if dtype.kind in "iub":
        return np.full(argument.static_shape, argument.example, dtype)
    numbers = generator.random(argument.static_shape)
    is_matrix = argument.name.startswith("w") and len(argument.shape) == 2
    if is_matrix or argument.name == "params":
        dims = spec.static_dims
        summed = dims.get("input_size", 0) + dims.get("num_units", 0)
        numbers = (2 * numbers - 1) / max(1, summed) ** 0.5
    return numbers.astype(dtype)
