"""Reads a `stablehlo.composite`: its name, its attributes and its decomposition."""

from __future__ import annotations

from typing import Any

from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.composite_attributes import (
    AttributeValues,
    LoopAttributes,
    ProductAttributes,
)

_OURS = {"time_loop": LoopAttributes, "product": ProductAttributes}
"""The attributes of this package's composites, by name."""


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite; None for any other op.

    For composites of this package it is the name without the package's prefix. All others have
    their full names, also a user's composite with a name of ours but without its attributes.
    """
    if op.name != "stablehlo.composite":
        return None
    full = ir.StringAttr(op.attributes["name"]).value
    name = full.removeprefix("rnn_compiler.")
    if name not in _OURS:
        return name
    try:
        roles = _OURS[name].read(_values(op)).roles
    except (AttributeError, KeyError):  # missing, or of another type
        return full
    return name if len(roles) == len(op.operands) else full


def loop_attributes(op: ir.Operation) -> LoopAttributes:
    """The attributes of a time loop."""
    return LoopAttributes.read(_values(op))


def product_attributes(op: ir.Operation) -> ProductAttributes:
    """The attributes of a product."""
    return ProductAttributes.read(_values(op))


def decomposition_of(op: ir.Operation) -> str:
    """The symbol of a composite's decomposition."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def attributes_in_mlir(values: AttributeValues) -> ir.DictAttr:
    """The attributes of a composite as it has them."""
    return ir.DictAttr.get({name: _attribute(value) for name, value in values.items()})


def _attribute(value: bool | int | str) -> ir.Attribute:
    if isinstance(value, bool):
        return ir.BoolAttr.get(value)
    if isinstance(value, int):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
    if value.startswith("@"):
        return ir.FlatSymbolRefAttr.get(value[1:])
    return ir.StringAttr.get(value)


def _values(op: ir.Operation) -> dict[str, Any]:
    """The attributes of a composite, as `attributes_in_mlir` takes them; a user's has any."""
    if "composite_attributes" not in op.attributes:
        return {}
    known = ir.DictAttr(op.attributes["composite_attributes"])
    return {each.name: _value(each.attr) for each in known}


def _value(attribute: Any) -> Any:
    is_symbol = isinstance(attribute, ir.FlatSymbolRefAttr)
    return f"@{attribute.value}" if is_symbol else getattr(attribute, "value", None)
