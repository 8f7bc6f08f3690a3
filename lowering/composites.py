"""What a `stablehlo.composite` says: its name, its attributes, the function that it stands for."""

from __future__ import annotations

from rnn_compiler.lowering.mlir import ir

__all__ = ["composite_attributes", "composite_name", "decomposition_of", "roles_of"]


def composite_name(op: ir.Operation) -> str | None:
    """The name of a composite; None for any other op.

    Our own names come without the package's prefix. Those of others keep theirs, which StableHLO
    demands.
    """
    if op.name != "stablehlo.composite":
        return None
    return ir.StringAttr(op.attributes["name"]).value.removeprefix("rnn_compiler.")


def composite_attributes(op: ir.Operation) -> ir.DictAttr:
    """The attributes of a composite."""
    return ir.DictAttr(op.attributes["composite_attributes"])


def decomposition_of(op: ir.Operation) -> str:
    """The symbol of the function that a composite stands for."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def roles_of(op: ir.Operation) -> list[str]:
    """What each operand of one of our composites is, as its attribute `operands` says."""
    return ir.StringAttr(composite_attributes(op)["operands"]).value.split()
