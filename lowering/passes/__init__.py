"""Rewrites between the portable module and the compiler, one per file.

A pass is a function in the file of its name. ``REQUIRES`` and ``ENSURES`` in that file are the
properties of a module (`properties`) that it needs and that hold after it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rnn_compiler.lowering.rewriting.context import PassContext
    from rnn_compiler.lowering.rewriting.properties import Property

__all__ = ["Pass", "load_pass"]


class Pass(NamedTuple):
    """A pass.

    Attributes:
        run: Changes a module in place.
        requires: The properties that it needs.
        ensures: The properties that hold after it and after all later passes.
    """

    run: Callable[[PassContext], None]
    requires: tuple[Property, ...]
    ensures: tuple[Property, ...]


def load_pass(name: str) -> Pass:
    """The pass of a name.

    Example:
        >>> [each.__name__ for each in load_pass("open_sizes").ensures]
        ['sizes_are_indices']
    """
    file = import_module(f"{__name__}.{name}")
    return Pass(getattr(file, name), getattr(file, "REQUIRES", ()), getattr(file, "ENSURES", ()))
