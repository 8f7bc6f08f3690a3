"""The training step of a network in an ONNX file, as a module.

training_step   the module
LOSSES          the losses and their options
OPTIMIZERS      the optimizers and their numbers

The import process builds the step (`graph.training`); this is what it is asked for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.freezing import freeze
from rnn_compiler.linking import linked_network
from rnn_compiler.modules import Module
from rnn_compiler.network_import import (
    checked_sizes,
    checked_values,
    described,
    imported_network,
    model_file,
)
from rnn_compiler.network_import.process import digests_of
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.schema.identifiers import identifiers
from rnn_compiler.schema.manifest import SourceSpec

__all__ = ["LOSSES", "OPTIMIZERS", "training_step"]


class _Option(NamedTuple):
    """An option of a loss or an optimizer.

    Attributes:
        default: Its value if it is not given.
        expected: What it may be, for messages.
        read: Its value as plain data; ValueError or TypeError for others.
    """

    default: Any
    expected: str
    read: Callable[[Any], Any]


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value:
        raise ValueError
    return int(value)


def _count(value: Any) -> int:
    number = _integer(value)
    if not 0 < number < 2**31:
        raise ValueError
    return number


def _number(low: float, high: float, *, is_open: bool) -> Callable[[Any], float]:
    """A reader of numbers below `high`, and above `low` or equal to it."""

    def read(value: Any) -> float:
        number = float(value)
        if isinstance(value, (bool, str)) or not (low < number if is_open else low <= number):
            raise ValueError
        if not number < high:
            raise ValueError
        return number

    return read


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _weights(value: Any) -> list[float]:
    array: Any = np.asarray(value, np.float64)
    if array.ndim != 1 or not np.all(np.isfinite(array)) or np.any(array < 0):
        raise ValueError
    return array.tolist()


def _share(default: float) -> _Option:
    return _Option(default, "a number from 0 to below 1", _number(0, 1, is_open=False))


_FROM_0 = _number(0, math.inf, is_open=False)
_ABOVE_0 = _number(0, math.inf, is_open=True)
_MASK = _Option(False, "True or False", _flag)
_LIMIT = _Option(None, "a positive number, or None", _optional(_ABOVE_0))
_EPSILON = _Option(1e-8, "a positive number", _ABOVE_0)


def _decay(default: float) -> _Option:
    return _Option(default, "a number from 0", _FROM_0)


_COMMON = {"weight_decay": _decay(0.0), "clip_norm": _LIMIT, "clip_value": _LIMIT}
_ADAM = {**_COMMON, "beta1": _share(0.9), "beta2": _share(0.999), "epsilon": _EPSILON}

LOSSES: Mapping[str, Mapping[str, _Option]] = MappingProxyType(
    {
        "cross_entropy": {
            "mask": _MASK,
            "axis": _Option(-1, "an axis of the output", _integer),
            "class_weights": _Option(None, "numbers from 0, or None", _optional(_weights)),
        },
        "binary_cross_entropy": {"mask": _MASK},
        "ctc": {
            "blank": _Option(0, "a class", _integer),
            "labels": _Option(None, "the most labels of a row, or None", _optional(_count)),
            "time_major": _Option(True, "True or False", _flag),
        },
        "mean_squared_error": {"mask": _MASK},
        "mean_absolute_error": {"mask": _MASK},
    }
)
"""The losses, each with its options."""

_OTHER_NAMES = {
    **dict.fromkeys(("mse", "mse_loss", "l2"), "mean_squared_error"),
    **dict.fromkeys(("mae", "mae_loss", "l1", "l1_loss"), "mean_absolute_error"),
    **dict.fromkeys(("bce", "bce_loss", "bce_with_logits"), "binary_cross_entropy"),
    **dict.fromkeys(("ce", "nll", "nll_loss", "categorical_crossentropy"), "cross_entropy"),
    "sparse_categorical_crossentropy": "cross_entropy",
}
"""PyTorch's and Keras' names for losses."""

OPTIMIZERS: Mapping[str, Mapping[str, _Option]] = MappingProxyType(
    {
        "sgd": {**_COMMON, "momentum": _share(0.0), "nesterov": _MASK},
        "adam": _ADAM,
        "adamw": {**_ADAM, "weight_decay": _decay(0.01)},
        "rmsprop": {
            **_COMMON,
            "rho": _share(0.99),
            "epsilon": _EPSILON,
            "momentum": _share(0.0),
        },
    }
)
"""The optimizers, each with its numbers, whose defaults are PyTorch's."""


def training_step(
    path: str | os.PathLike[str],
    *,
    loss: str | Mapping[str, Any],
    optimizer: str | Mapping[str, Any] = "adam",
    train: Sequence[str] | None = None,
    output: str | None = None,
    dims: Mapping[str, int | Sequence[int | None] | None] | None = None,
    values: Mapping[str, Any] | None = None,
    dropout: int | None = None,
) -> Module:
    """Makes a network trainable: its loss, the gradients of its weights, and their next values.

    The module has two functions, `train` and `infer`. The trained weights and what the optimizer
    remembers are states: arguments, of which `train` returns the next values under the same names.
    All other weights stay as they are in the file.

    - ``train`` takes the network's inputs, ``target``, ``mask`` if the loss has one,
      ``learning_rate`` and the states, and returns ``loss``, the network's outputs and the states.
    - ``infer`` takes the network's inputs and the trained weights, and returns the network's
      outputs.

    Args:
        path: An ``.onnx`` file, with weights in it or in files next to it.
        loss: ``"cross_entropy"`` of logits or of a softmax's output, with ``target`` int32, classes
            along the last axis; ``"binary_cross_entropy"`` of logits or of a sigmoid's output,
            ``"mean_squared_error"`` or ``"mean_absolute_error"``, with a ``target`` like the
            output. Or a mapping with the name and options: ``mask`` for an argument of weights,
            one for each target, and for cross entropy ``axis`` and ``class_weights``.
        optimizer: ``"sgd"``, ``"adam"``, ``"adamw"`` or ``"rmsprop"``, or a mapping with the name
            and its numbers: ``{"name": "adam", "beta1": 0.9, "clip_norm": 1.0}``.
        train: Patterns of the names of those initializers that are trained, ``["lstm.*", "fc.*"]``;
            default: all floating-point weights on which the loss depends. Statistics of batch
            normalizations are never trained.
        output: The output to which the loss applies, if there are several.
        dims: As in `import_network`.
        values: Inputs that are the same in every call, as in `import_network`.
        dropout: A seed from 0 to 2**32 - 1, with which each Dropout of the file drops elements in
            `train`: different ones at each step, the same in every language; default: off.

    Returns:
        The module, with the first values of its states.

    Raises:
        ArtifactError: As in `import_network`.
        InvalidArgumentError: It is another kind of file, a name, pattern or number is unknown or
            wrong, or the loss does not fit the output.
        UnsupportedError: As in `import_network`; or the named node lies between a trained weight
            and the loss and has no known gradient, or the file has weights in int8.

    Example:
        >>> training_step("model.onnx", loss="hinge")
        Traceback (most recent call last):
        ...
        rnn_compiler.errors.InvalidArgumentError: training_step: 'loss': expected one of ...
    """
    options = checked_options(loss, optimizer, train, output, dropout)
    file, sizes = model_file(path, "training_step"), checked_sizes(dims)
    arrays = checked_values(values)
    check_can_compile("training_step")
    imported = imported_network(file, sizes, arrays, options)
    module = linked_network(imported.text)
    titles = imported.functions["train"].inputs
    names = dict(zip(titles, identifiers(titles.values()), strict=True))
    specs: list[Any] = []
    weights: dict[str, dict[str, Any]] = {}
    for spec in module.functions:
        function = imported.functions[spec.function]
        known = {name: names[name] for name in function.inputs}
        one, weights[spec.function] = described(spec, function, imported.axes, known)
        states = (names[name] for name in imported.states if name in known)
        specs.append(replace(one, states=tuple(states)))
    first = {names[name]: array for name, array in imported.states.items()}
    trained = imported.functions["infer"].inputs
    weights_of = {names[name]: name for name in imported.states if name in trained}
    source = SourceSpec(os.fspath(path), *digests_of(file), weights_of)
    whole = module.changed(functions=specs, initial=first, source=source)
    return freeze(whole, weights) if any(weights.values()) else whole


def checked_options(
    loss: Any,
    optimizer: Any = "adam",
    train: Any = None,
    output: Any = None,
    dropout: Any = None,
) -> dict[str, Any]:
    """What a training step is asked for, as plain data."""
    options: dict[str, Any] = {
        "loss": _checked("loss", loss, LOSSES),
        "optimizer": _checked("optimizer", optimizer, OPTIMIZERS),
        "train": _patterns(train),
        "output": _output(output),
        "dropout": _seed(dropout),
    }
    if options["optimizer"].get("nesterov") and not options["optimizer"]["momentum"]:
        raise InvalidArgumentError(
            "training_step", "optimizer", "a momentum, if it is Nesterov's", "momentum 0"
        )
    return options


def _checked(
    argument: str, given: Any, known: Mapping[str, Mapping[str, _Option]]
) -> dict[str, Any]:
    """A loss or an optimizer as plain data, with all of its options."""
    names = ", ".join(map(repr, known))
    expected = f"one of {names}, or a mapping with 'name' and options"
    options: Mapping[Any, Any] = {"name": given}
    if isinstance(given, Mapping):
        options = cast("Mapping[Any, Any]", given)
    name: Any = options.get("name")
    if not isinstance(name, str) or name not in known:
        got = describe(name if "name" in options else cast(object, given))
        others = {other: own for other, own in _OTHER_NAMES.items() if own in known}
        remedy = did_you_mean(name, known, others) if isinstance(name, str) else ""
        raise InvalidArgumentError("training_step", argument, expected, got, remedy)
    rows = known[name]
    for key in options:
        if key != "name" and key not in rows:
            expected = f"options of {name!r}: {', '.join(rows)}"
            remedy = did_you_mean(key, rows) if isinstance(key, str) else ""
            raise InvalidArgumentError("training_step", argument, expected, describe(key), remedy)
    found: dict[str, Any] = {"name": name}
    for key, option in rows.items():
        value = options.get(key, option.default)
        try:
            found[key] = option.read(value)
        except (TypeError, ValueError, OverflowError) as error:
            expected = f"{key!r} to be {option.expected}"
            raise InvalidArgumentError(
                "training_step", argument, expected, describe(value)
            ) from error
    return found


def _patterns(train: Any) -> list[str] | None:
    """The patterns of trained weights."""
    if train is None:
        return None
    is_list = isinstance(train, Sequence) and not isinstance(train, (str, bytes))
    patterns = [*cast("Sequence[Any]", train)] if is_list else []
    if not patterns or not all(isinstance(each, str) for each in patterns):
        expected = "a list of patterns, such as ['lstm.*', 'fc.*'], or None"
        raise InvalidArgumentError(
            "training_step", "train", expected, describe(cast(object, train))
        )
    return patterns


def _output(output: Any) -> str | None:
    """The name of an output."""
    if output is not None and not isinstance(output, str):
        expected = "the name of an output, or None"
        raise InvalidArgumentError("training_step", "output", expected, describe(output))
    return output


def _seed(dropout: Any) -> int | None:
    """The seed of dropout."""
    try:
        seed = None if dropout is None else _integer(dropout)
    except (TypeError, ValueError, OverflowError):
        seed = -1
    if seed is not None and not 0 <= seed < 2**32:
        expected = "a seed, an integer from 0 to 2**32 - 1, or None"
        raise InvalidArgumentError("training_step", "dropout", expected, describe(dropout))
    return seed
