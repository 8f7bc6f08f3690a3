"""What a `stablehlo.composite` says: its name, its attributes, the function that it stands for."""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir

__all__ = ["composite_attributes", "composite_name", "decomposition_of", "roles_of"]


_REQUIRED = {
    "time_loop": ("step", "operands", "reverse"),
    "product": ("form", "operands"),
    "int8_product": ("axis", "operands"),
}
"""The attributes that our composites have."""


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite; None for any other op.

    The composites that this package writes have names without its prefix here. All others have
    their full names, also those of a user that have a name of ours but not its attributes.
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
    """The symbol of the function that a composite stands for."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def roles_of(op: ir.Operation) -> list[str]:
    """What each operand of one of our composites is, as its attribute `operands` says."""
    return ir.StringAttr(composite_attributes(op)["operands"]).value.split()
