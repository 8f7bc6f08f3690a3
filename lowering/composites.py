"""Reads a `stablehlo.composite`: its name, its attributes and its decomposition."""

from __future__ import annotations

from rnn_compiler.lowering.composite_attributes import LoopAttributes, ProductAttributes
from rnn_compiler.lowering.mlir import ir

__all__ = ["composite_name", "decomposition_of", "loop_attributes", "product_attributes"]

_REQUIRED = {
    "time_loop": ("step", "operands", "reverse"),
    "product": ("form", "operands"),
}
"""The attributes that each composite has."""


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite; None for any other op.

    For composites of this package it is the name without the package's prefix. All others have
    their full names, also a user's composite with a name of ours but without its attributes.
    """
    if op.name != "stablehlo.composite":
        return None
    full = ir.StringAttr(op.attributes["name"]).value
    name = full.removeprefix("rnn_compiler.")
    if name not in _REQUIRED:
        return name
    known = _attributes(op)
    if any(each not in known for each in _REQUIRED[name]):
        return full
    return name if len(_roles(known)) == len(op.operands) else full


def loop_attributes(op: ir.Operation) -> LoopAttributes:
    """The attributes of a time loop."""
    known = _attributes(op)
    step = ir.FlatSymbolRefAttr(known["step"]).value
    return LoopAttributes(step, _roles(known), ir.BoolAttr(known["reverse"]).value)


def product_attributes(op: ir.Operation) -> ProductAttributes:
    """The attributes of a product."""
    known = _attributes(op)
    start = ir.IntegerAttr(known["start"]).value if "start" in known else None
    roles = _roles(known)
    if ir.StringAttr(known["form"]).value == "rows":
        return ProductAttributes("rows", roles, ir.IntegerAttr(known["axis"]).value, start)
    if "into" not in roles:
        return ProductAttributes("outer_sums", roles, 0, start)
    keys = [f"offset{number}" for number in range(roles.count("lhs"))]
    offsets = [ir.IntegerAttr(known[key]).value for key in keys]
    is_added = ir.BoolAttr(known["is_added"]).value
    return ProductAttributes("outer_sums", roles, 0, start, offsets, is_added)


def decomposition_of(op: ir.Operation) -> str:
    """The symbol of a composite's decomposition."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def _attributes(op: ir.Operation) -> ir.DictAttr:
    if "composite_attributes" not in op.attributes:
        return ir.DictAttr.get({})
    return ir.DictAttr(op.attributes["composite_attributes"])


def _roles(known: ir.DictAttr) -> list[str]:
    return ir.StringAttr(known["operands"]).value.split()
