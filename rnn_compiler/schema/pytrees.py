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
        >>> identifier("params['rnn'].kernel"), identifier("[0]"), identifier("lambda_")
        ('params_rnn_kernel', None, 'lambda_')
    """
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    if keyword.iskeyword(name) and f"{name}_" in text:
        name += "_"  # as in the path
    return name if name.isidentifier() and not keyword.iskeyword(name) else None


def leaves(trees: Mapping[str, Any], known: Collection[str] = ()) -> Iterator[tuple[str, str, Any]]:
    """The leaves of named trees, each after the name that its path has as an argument in JAX.

    A value with one of the names `known` is a leaf, even if it is a list. None is no leaf, as in
    JAX. A tree that contains itself is a leaf there.

    Returns:
        For each leaf its name, its path and itself.

    Example:
        >>> for leaf in leaves({"params": {"w": 1, "b": (2, 3)}, "step": 4}):
        ...     print(leaf)
        ('params_w', "params['w']", 1)
        ('params_b_0', "params['b'][0]", 2)
        ('params_b_1', "params['b'][1]", 3)
        ('step', 'step', 4)
    """
    for name, tree in trees.items():
        for path, leaf in _paths(str(name), tree, known, frozenset()):
            yield identifier(path) or path, path, leaf


def _paths(
    path: str, tree: Any, known: Collection[str], around: frozenset[int]
) -> Iterator[tuple[str, Any]]:
    """The leaves of a tree with their paths; `around` are the trees that it is in."""
    if tree is None:
        return
    if identifier(path) in known or id(tree) in around:
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
        yield from _paths(each, value, known, around | {id(tree)})
