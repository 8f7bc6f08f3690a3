"""Prefixes C function names with the module's name, so that two modules can be linked together."""

from __future__ import annotations

from collections.abc import Mapping

from rnn_compiler.modules import Module

__all__ = ["prefixed", "without_main"]


def prefixed(module: Module, name: str) -> tuple[Module, Mapping[str, str]]:
    """A module whose function names have a prefix, and the new names by the old ones.

    A function whose name is or begins with the prefix keeps its name.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
        >>> prefixed(module, "encoder")
        (Module(encoder_gru_block_cell), {'gru_block_cell': 'encoder_gru_block_cell'})
    """
    names = {spec.function: _prefixed(spec.function, name) for spec in module.functions}
    return module.renamed(names), names


def without_main(module: Module, name: str) -> tuple[Module, Mapping[str, str]]:
    """A module whose function ``main``, if any, is named like the module.

    Args:
        module: The module.
        name: Its name in C, where ``main`` is the program's.
    """
    names = {spec.function: spec.function for spec in module.functions}
    if "main" not in names or name in names:
        return module, names
    names["main"] = name
    return module.renamed(names), names


def _prefixed(function: str, name: str) -> str:
    if function == "main":
        return name
    own = function == name or function.startswith(f"{name}_")
    return function if own else f"{name}_{function}"
