"""Imports whole networks as one module, with our ops for their recurrent layers.

import_network  the module of a file of ONNX or TensorFlow Lite

`worker` runs in a separate process, which loads the package onnx and the folder `graph`; `process`
is the parent's side. `lowering.networks` then turns the graph into a module.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from rnn_compiler.errors import ArtifactError, InvalidArgumentError, describe
from rnn_compiler.freezing import freeze
from rnn_compiler.linking import linked_network
from rnn_compiler.model_import.layer import identifier
from rnn_compiler.modules import Module
from rnn_compiler.network_import.process import ImportedFunction, ImportedNetwork, import_in_process
from rnn_compiler.network_import.states import checked_states, keeps
from rnn_compiler.quantization import check_quantize
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.schema.identifiers import RESERVED, identifiers
from rnn_compiler.schema.open_sizes import bound, open_dimension
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.weights.torch_file import TORCH_SUFFIXES

__all__ = ["checked_sizes", "checked_values", "import_network"]

_LIMITS = ("minimum", "maximum", "also")
"""The fields of a tensor's range."""

_Ranges: TypeAlias = Mapping[str, Sequence[Any]]


def import_network(
    path: str | os.PathLike[str],
    *,
    dims: Mapping[str, int | Sequence[int | None] | None] | None = None,
    values: Mapping[str, Any] | None = None,
    states: Mapping[str, str] | None = None,
    quantize: str | None = None,
) -> Module:
    """Imports a whole network as one module, whose recurrent layers are our ops.

    Args:
        path: An ``.onnx`` file, with weights in it or in files next to it, or a ``.tflite`` file of
            floats.
        dims: Sizes that the model leaves open: axes by name, ``{"batch": 1}``, or whole shapes by
            input name, ``{"x": (50, 1, 8)}``. Others, and those that are None, stay open and may
            differ in each call.
        values: Inputs that are the same in every call, by name, ``{"sr": 16000}``. They are no
            longer arguments, and branches that depend on them are selected at import.
        states: Inputs that take an output of the previous call, ``{"state": "stateN"}``.
            `Program.stream` then keeps them between calls; the remaining input is the chunk.
            `runtime.stream_ops.likely_states` lists candidates, as ``import --whole`` does.
        quantize: How the matrices of recurrent layers are stored, as for `freeze`.

    Returns:
        A module with one function, ``main``, and frozen weights. The function's arguments and
        results are named after the graph's inputs and outputs; ``module.functions[0].arguments``
        lists them. `compile` and `golden` accept it like any other module.

    Raises:
        ArtifactError: The file is damaged, or needs more time or memory than its size justifies.
        InvalidArgumentError: It is another kind of file, an axis, input or output does not exist,
            or the types of a state differ.
        UnsupportedError: The named node is not supported or needs the size of an axis, or the
            package onnx or the compiler is not installed.

    Example:
        >>> import_network("model.pb")
        Traceback (most recent call last):
        ...
        rnn_compiler.errors.InvalidArgumentError: import_network: 'path': expected ...
    """
    file = model_file(path, "import_network", (".onnx", ".tflite"))
    sizes, arrays, pairs = checked_sizes(dims), checked_values(values), checked_states(states)
    check_can_compile("import_network")
    check_quantize(quantize)
    imported = imported_network(file, sizes, arrays)
    (function,) = imported.functions.values()
    module = linked_network(imported.text)
    inputs = dict(zip(function.inputs, identifiers(function.inputs.values()), strict=True))
    spec, weights = described(module.functions[0], function, imported.axes, inputs)
    chunked = keeps(spec, [*function.inputs], [old for old, _ in function.outputs], pairs)
    spec = replace(spec, chunked=chunked)
    whole = module.changed(functions=[spec])
    return whole if quantize is None and not weights else freeze(whole, weights, quantize=quantize)


def imported_network(
    file: Path,
    dims: Mapping[str, int | Sequence[int | None] | None],
    values: Mapping[str, Any],
    training: Mapping[str, Any] | None = None,
) -> ImportedNetwork:
    """A file as a module of linalg, as in `import_in_process`."""
    try:
        return import_in_process(file, identifier(file.stem), dims, values, training)
    except OSError as error:
        reason = error.strerror or error
        raise ArtifactError(f"{file}: cannot be read ({reason})") from error


def described(
    spec: FunctionSpec,
    function: ImportedFunction,
    axes: Sequence[tuple[str, str, int, int | None]],
    inputs: Mapping[str, str],
) -> tuple[FunctionSpec, dict[str, Any]]:
    """A function as its model describes it, and the arrays of its weights by argument.

    `inputs` are the names of its arguments, by those of the model's inputs.
    """
    names = identifiers(function.weights, taken=inputs.values())
    new = [title for old, title in function.outputs if old not in function.continued]
    fresh = iter(identifiers(new, taken=inputs.values()))
    outputs = [
        inputs[function.continued[old]] if old in function.continued else next(fresh)
        for old, _ in function.outputs
    ]
    own = [*inputs.values(), *names]
    sizes = identifiers([title for _, title, *_ in axes], [*own, *outputs, *RESERVED])
    pairs = [*zip(axes, sizes, strict=True)]
    known = {key: open_dimension(name) for (key, *_), name in pairs}

    def tensors(
        made: Sequence[TensorSpec], names: Sequence[str], given: Iterable[str], ranges: _Ranges
    ) -> Iterator[TensorSpec]:
        """Tensors with other names, the first of which correspond to some of the graph's."""
        named = zip(made, names, strict=True)
        for (tensor, name), key in itertools.zip_longest(named, given):
            limits: dict[str, Any] = dict(zip(_LIMITS, ranges.get(key, ()), strict=False))
            dtype = function.dtypes.get(key, tensor.dtype)
            tensor = replace(tensor, name=name, dtype=dtype, **limits).bound(known)
            shape = tuple(bound(size, known) for size in function.shapes.get(key, ()))
            formula = f"[{', '.join(map(str, shape))}]"
            yield replace(tensor, shape=shape, formula=formula) if shape else tensor

    renamed = dict(zip((each.name for each in spec.arguments), own, strict=True))
    spec = replace(
        spec,
        dims={**spec.dims, **{name: open_dimension(name) for name in sizes}},
        arguments=tuple(tensors(spec.arguments, own, function.inputs, function.ranges)),
        results=tuple(tensors(spec.results, outputs, [old for old, _ in function.outputs], {})),
        weights=tuple(renamed[name] for name in spec.weights),
        positive=tuple(sizes),
        minima={name: least for (_, _, least, _), name in pairs if least > 1},
        maxima={name: most for (_, _, _, most), name in pairs if most is not None},
    )
    return spec, dict(zip(names, function.weights.values(), strict=True))


def model_file(path: object, function: str, suffixes: Sequence[str] = (".onnx",)) -> Path:
    """The path of an existing file of a network that a function is given."""
    expected = f"the path of an {' or '.join(suffixes)} file"
    try:
        file = Path(cast(Any, path))
        there = file.exists()
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(function, "path", expected, describe(path)) from error
    if file.suffix.lower() not in suffixes or not there:
        got = describe(str(file)) if there else f"{describe(str(file))}, which is not there"
        raise InvalidArgumentError(function, "path", expected, got, _export_of(file, function))
    return file


_KERAS = 'Keras writes one: model.export("model.onnx", format="onnx")'
_TORCH = 'PyTorch writes one: torch.onnx.export(module, inputs, "model.onnx", dynamo=False)'
_EXPORTS = {
    **dict.fromkeys((".keras", ".h5", ".hdf5"), _KERAS),
    **dict.fromkeys(TORCH_SUFFIXES, _TORCH),
    ".pt2": 'PyTorch writes one: torch.onnx.export(torch.export.load(path), f="model.onnx")',
    ".safetensors": f"it has only weights; load them into their module. {_TORCH}",
    ".tflite": "export the model from which it was made as ONNX",
}
"""How a model becomes an ONNX file, by the suffix of the given file."""


def _export_of(file: Path, function: str) -> str:
    """How a model of another kind becomes an ONNX file; empty if the kind is not known."""
    folder = file.parent if file.name == "saved_model.pb" else file
    if (folder / "saved_model.pb").exists():
        path = shlex.quote(str(folder))
        command = f"python -m tf2onnx.convert --saved-model {path} --output model.onnx"
        return f"tf2onnx writes one: {command}"
    remedy = _EXPORTS.get(file.suffix.lower(), "")
    if function == "training_step":  # folded weights have other names, and some are lost
        remedy = remedy.replace("dynamo=False", "dynamo=False, do_constant_folding=False")
    return remedy


def checked_sizes(dims: object) -> dict[str, int | list[int | None] | None]:
    """The argument `dims` as plain data."""
    expected = "a mapping of names to positive sizes, or to shapes"
    if dims is None:
        return {}
    if not isinstance(dims, Mapping):
        raise InvalidArgumentError("import_network", "dims", expected, describe(dims))
    plain: dict[str, int | list[int | None] | None] = {}
    for name, given in cast(Mapping[object, Any], dims).items():
        alone = isinstance(given, (int, np.integer, type(None)))
        sizes: Any = [given] if alone else given
        try:
            numbers = [None if size is None else int(size) for size in sizes]
            pairs = zip(numbers, sizes, strict=True)
            whole = all(n is None or (n == size and 0 < n < 2**31) for n, size in pairs)
        except (TypeError, ValueError, OverflowError):
            numbers, whole = [], False
        if not isinstance(name, str) or not whole:
            raise InvalidArgumentError(
                "import_network", "dims", expected, f"{describe(name)}: {describe(given)}"
            )
        plain[name] = numbers[0] if alone else numbers
    return plain


def checked_values(values: object) -> dict[str, Any]:
    """The argument `values` as arrays."""
    expected = "a mapping of names to arrays of numbers"
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InvalidArgumentError("import_network", "values", expected, describe(values))
    arrays: dict[str, Any] = {}
    for name, given in cast(Mapping[object, Any], values).items():
        try:
            array = np.asarray(given)
        except Exception:  # raised by an object's own __array__
            array = np.array(None)
        if not isinstance(name, str) or array.dtype.kind not in "fiub":
            got = f"{describe(name)}: {describe(given)}"
            raise InvalidArgumentError("import_network", "values", expected, got)
        arrays[name] = array
    return arrays
