"""Trees of arrays as frameworks have them, by the paths of their leaves.

A tree is a mapping, a list, or a dataclass, such as a module of Equinox or a State of Flax; names
are joined by dots, ``{"lstm/linear": {"w": array}}`` has ``lstm.linear.w``. Leaves are whatever
numpy can view, and the arrays of frameworks that have their own way to numpy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.host_arrays import not_viewable
from rnn_compiler.weights.stacked import Array, as_host_array

_METHODS = {
    "asnumpy": "MindSpore's, MXNet's",
    "get_value": "Flax' variables, Theano's",
    "numpy": "Keras', Paddle's, tinygrad's",
    "as_array": "DyNet's",
}
"""Methods that give the array of a leaf, each with whose leaves have it."""

_ATTRIBUTES = {"chainer": "array", "nnabla": "d"}
"""The attribute that is the array of a leaf, by framework."""

_DEEPEST, _MOST_ITEMS = 64, 100_000

_EXPECTED = "arrays by name: a mapping, a module of Equinox, or a list of these"


def is_tree(value: object) -> bool:
    """Whether a value contains arrays, rather than being one."""
    return isinstance(value, Mapping) or _is_list(value) or _fields(value) is not None


def named_leaves(function: str, argument: str, tree: Any) -> dict[str, Any]:
    """The leaves of a tree by their paths; what is None is left out.

    Raises:
        InvalidArgumentError: It is no tree.

    Example:
        >>> named_leaves("from_cell", "parameters", {"gru/h": {"b": [1.0]}, "bias": None})
        {'gru.h.b': [1.0]}
    """
    if callable(state_dict := getattr(tree, "state_dict", None)):
        tree = state_dict()
    if not is_tree(tree):
        remedy = "pass nnx.state(cell), module.state_dict(), layer.get_weights() or a dict"
        raise InvalidArgumentError(function, argument, _EXPECTED, describe(tree), remedy)
    return dict(_leaves(function, argument, tree))


def leaf_array(function: str, path: str, leaf: Any) -> Array:
    """A leaf as numpy's array; InvalidArgumentError if it cannot be one."""
    try:
        plain = _plain(leaf)
    except Exception as error:  # the framework's own
        raise not_viewable(function, path, leaf, error) from error
    return as_host_array(function, path, plain)


def _leaves(function: str, argument: str, tree: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of a tree with their paths, in order."""
    waiting: list[tuple[str, int, Any]] = [("", 0, tree)]
    for _ in range(_MOST_ITEMS):
        if not waiting:
            return
        path, depth, value = waiting.pop()
        if not is_tree(value) or (depth and _is_number_list(value)):
            if value is not None:
                yield path, value
            continue
        if depth >= _DEEPEST:
            break
        prefix = f"{path}." if path else ""
        waiting += [
            (f"{prefix}{key.replace('/', '.').removesuffix(':0')}", depth + 1, each)
            for key, each in reversed(_items(value))
        ]
    limits = f"a tree of more than {_DEEPEST} levels or {_MOST_ITEMS:,} items"
    raise InvalidArgumentError(function, argument, _EXPECTED, limits, "pass the cell's part of it")


def _items(tree: Any) -> list[tuple[str, Any]]:
    """What a tree contains, by names, indices or fields."""
    if isinstance(tree, Mapping):
        return [(str(key), each) for key, each in cast(Mapping[Any, Any], tree).items()]
    if _is_list(tree):
        return [(str(number), each) for number, each in enumerate(tree)]
    return list((_fields(tree) or {}).items())


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_number_list(value: Any) -> bool:
    """Whether it is a list of numbers, or of such lists, which is an array."""
    while _is_list(value) and len(value):
        value = cast(Sequence[Any], value)[0]
    return isinstance(value, (bool, int, float))


def _fields(value: object) -> dict[str, Any] | None:
    """The fields of a dataclass with arrays; None if it is none, or an array itself."""
    is_dataclass = dataclasses.is_dataclass(value) and not isinstance(value, type)
    if not is_dataclass or hasattr(value, "__array__") or hasattr(value, "shape"):
        return None
    fields = dataclasses.fields(cast(Any, value))
    return {
        each.name: getattr(value, each.name) for each in fields if not each.metadata.get("static")
    }


def _plain(leaf: Any) -> Any:
    """A leaf as something that numpy can view, or a tensor of torch."""
    package = type(leaf).__module__.partition(".")[0]
    if package in _ATTRIBUTES and hasattr(leaf, _ATTRIBUTES[package]):
        return getattr(leaf, _ATTRIBUTES[package])
    if hasattr(leaf, "detach") and hasattr(leaf, "cpu"):
        return leaf
    for name in _METHODS:
        if callable(method := getattr(leaf, name, None)):
            return method()
    return leaf
