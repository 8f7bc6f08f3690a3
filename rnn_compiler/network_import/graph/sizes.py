"""Fixes sizes and values given by the caller: axes by name, whole shapes, whole inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.network_import.graph import Graph, onnx, shape_of
from rnn_compiler.schema.identifiers import identifiers


def fix_values(graph: Graph, values: Mapping[str, Any]) -> None:
    """Turns inputs into constants."""
    inputs = {each.name: each for each in graph.proto.input}
    for given, value in values.items():
        name = _in_model(given, inputs)
        if name not in inputs:
            raise _unknown("values", name, list(inputs), "an input")
        kind = inputs[name].type
        dtype: Any = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type))
        array: Any = np.asarray(value)
        shape = shape_of(kind)
        fits = shape is None or _fits(shape, array.shape)
        if not fits and array.ndim == 0 and shape is not None and None not in shape:
            array, fits = np.full([size or 0 for size in shape], array), True
        exact: Any = array.astype(dtype)
        if not fits or not np.array_equal(exact, array):
            expected = f"a value of {dtype.name}{_shown(shape)}"
            raise InvalidArgumentError("import_network", name, expected, describe(value))
        graph.proto.initializer.append(onnx.numpy_helper.from_array(exact, name))
        graph.proto.input.remove(inputs[name])


def fix_sizes(graph: Graph, dims: Mapping[str, int | Sequence[int | None] | None]) -> None:
    """Fixes the sizes of inputs that the model leaves open; None leaves an axis as it is."""
    inputs = {each.name: each.type.tensor_type for each in graph.proto.input}
    axes: dict[str, list[Any]] = {}
    for kind in inputs.values():
        for axis in kind.shape.dim:
            if axis.HasField("dim_param") and axis.dim_param:
                axes.setdefault(axis.dim_param, []).append(axis)
    for listed, given in dims.items():
        name = _in_model(listed, [*inputs, *axes])
        if given is None or isinstance(given, int):
            if name not in axes:
                raise _unknown("dims", name, [*axes, *inputs], "an axis that the model leaves open")
            for axis in axes[name] if given is not None else ():
                axis.dim_value = given
        else:
            if name not in inputs:
                raise _unknown("dims", name, [*inputs, *axes], "an input")
            _set_shape(name, graph, list(given))
    _check_ranks(graph)


def _in_model(name: str, known: Iterable[str]) -> str:
    """The model's name for an input or an axis, which may be given as modules call it."""
    names = [*known]
    called = dict(zip(identifiers(names), names, strict=True))
    return name if name in names else called.get(name, name)


def _set_shape(name: str, graph: Graph, given: list[int | None]) -> None:
    """Sets the shape of an input, which must agree with the model's."""
    (kind,) = (each.type for each in graph.proto.input if each.name == name)
    shape = shape_of(kind)
    if shape is not None and not _fits(shape, given):
        expected = f"a shape {_shown(shape, _axes(kind))}"
        raise InvalidArgumentError("import_network", name, expected, _shown(given))
    axes = kind.tensor_type.shape.dim
    for number, size in enumerate(given):
        axis = axes.add() if number == len(axes) else axes[number]
        if size is not None:
            axis.dim_value = size


def _check_ranks(graph: Graph) -> None:
    for each in graph.proto.input:
        if shape_of(each.type) is None:
            remedy = f"pass dims={{{each.name!r}: (...)}}"
            raise InvalidArgumentError(
                "import_network", each.name, "a known rank", "a shape of any rank", remedy
            )


def _axes(kind: Any) -> list[str]:
    """The names of an input's axes that have no size."""
    return [axis.dim_param for axis in kind.tensor_type.shape.dim if axis.dim_param]


def _fits(shape: Sequence[int | None], given: Sequence[int | None]) -> bool:
    pairs = zip(shape, given, strict=False)
    return len(shape) == len(given) and all(None in pair or len({*pair}) == 1 for pair in pairs)


def _shown(shape: Sequence[int | None] | None, names: Sequence[str] = ()) -> str:
    """A shape with names or question marks for open sizes."""
    if shape is None:
        return "of any rank"
    left = list(names) if len(names) == list(shape).count(None) else []
    return f"[{', '.join(str(n) if n else (left.pop(0) if left else '?') for n in shape)}]"


def _unknown(argument: str, name: str, known: Sequence[str], what: str) -> InvalidArgumentError:
    listed = ", ".join(known) or "none"
    remedy = did_you_mean(name, known)
    expected = f"{what} (there are {listed})" if known else f"{what}, of which there is none"
    return InvalidArgumentError("import_network", argument, expected, describe(name), remedy)
