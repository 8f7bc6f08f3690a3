"""Reads a `stablehlo.composite`: its name, its attributes and its decomposition."""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir

__all__ = ["composite_attributes", "composite_name", "decomposition_of", "roles_of"]


_REQUIRED = {
    "time_loop": ("step", "operands", "reverse"),
    "product": ("form", "operands"),
}
"""The attributes of our composites."""


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite; None for any other op.

    For composites of this package it is the name without the package's prefix. All others have
    their full names, also a user's composite with a name of ours but without its attributes.
    """
    if op.name != "stablehlo.composite":
        return None
    full = ir.StringAttr(op.attributes["name"]).value
    name = full.removeprefix("rnn_compiler.")
    known = composite_attributes(op)
    if any(each not in known for each in _REQUIRED.get(name, ())):
        return full
    if name in _REQUIRED and len(roles_of(op)) != len(op.operands):
        return full
    return name


def composite_attributes(op: ir.Operation) -> ir.DictAttr:
    """The attributes of a composite."""
    if "composite_attributes" not in op.attributes:
        return ir.DictAttr.get({})
    return ir.DictAttr(op.attributes["composite_attributes"])


def decomposition_of(op: ir.Operation) -> str:
    """The symbol of a composite's decomposition."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def roles_of(op: ir.Operation) -> list[str]:
    """The role of each operand of one of our composites, from its attribute `operands`."""
    return ir.StringAttr(composite_attributes(op)["operands"]).value.split()
