"""Prefixes C function names with the module's name, so that two modules can be linked together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rnn_compiler.modules import Module

__all__ = ["prefixed"]


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
    specs = [replace(spec, function=names[spec.function]) for spec in module.functions]
    parameters = {
        new.parameter(each.name): module.parameters[old.parameter(each.name)]
        for old, new in zip(module.functions, specs, strict=True)
        for each in old.frozen
        if old.parameter(each.name) in module.parameters
    }
    return Module(specs, module.name, parameters), names


def _prefixed(function: str, name: str) -> str:
    own = function == name or function.startswith(f"{name}_")
    return function if own else f"{name}_{function}"
