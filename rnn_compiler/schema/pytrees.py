"""Names of the leaves of trees: of arguments, results and states, after their paths in JAX.

A tree is a dict, a named tuple, a list, a tuple, an object that JAX knows as one, where it is
imported, or else a dataclass; everything else is a leaf.
"""

from __future__ import annotations

import dataclasses
import keyword
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any


def identifier(text: str) -> str | None:
    """A Python identifier made from a path; None if that is impossible.

    Example:
        >>> identifier("params['rnn'].kernel"), identifier("[0]")
        ('params_rnn_kernel', None)
    """
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else None


def leaves(trees: Mapping[str, Any], known: Collection[str] = ()) -> dict[str, Any]:
    """The leaves of named trees, each under the name that its path has as an argument in JAX.

    What has one of the names `known` is a leaf, be it a list. None is no leaf, as in JAX.

    Example:
        >>> leaves({"params": {"w": 1, "b": (2, 3)}, "step": 4})
        {'params_w': 1, 'params_b_0': 2, 'params_b_1': 3, 'step': 4}
    """
    found: dict[str, Any] = {}
    for name, tree in trees.items():
        for path, leaf in _paths(name, tree, known):
            found[identifier(path) or path] = leaf
    return found


def _paths(path: str, tree: Any, known: Collection[str]) -> Iterator[tuple[str, Any]]:
    """The leaves of a tree with their paths."""
    if tree is None:
        return
    if identifier(path) in known:
        yield path, tree
        return
    names: Any = getattr(tree, "_fields", None)
    if issubclass(type(tree), Mapping):
        pairs = [(f"{path}[{key!r}]", value) for key, value in tree.items()]
    elif issubclass(type(tree), tuple) and names is not None:
        pairs = [(f"{path}.{name}", getattr(tree, name)) for name in names]
    elif issubclass(type(tree), (list, tuple)):
        pairs = [(f"{path}[{number}]", value) for number, value in enumerate(tree)]
    elif "jax" in sys.modules:
        utilities = sys.modules["jax"].tree_util

        def below(each: object) -> bool:
            return each is not tree

        children = utilities.tree_flatten_with_path(tree, is_leaf=below)[0]
        pairs = [(f"{path}{utilities.keystr(keys)}", value) for keys, value in children]
        if any(value is tree for _, value in pairs):
            yield path, tree
            return
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [field.name for field in dataclasses.fields(tree)]
        pairs = [(f"{path}.{name}", getattr(tree, name)) for name in names]
    else:
        yield path, tree
        return
    for each, value in pairs:
        yield from _paths(each, value, known)
