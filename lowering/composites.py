"""Our composites: the attributes that the builder writes and the lowering reads.

    time_loop   a loop over time (`builder.time_loop`): `LoopAttributes`
    product     a matrix product (`builder.products`, `builder.int8`): `ProductAttributes`

Both list the role of each operand in the attribute ``operands``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rnn_compiler.lowering.mlir import ir

__all__ = ["LoopAttributes", "ProductAttributes", "composite_name", "decomposition_of"]

Values = dict[str, bool | int | float | str]
"""Attributes as the builder takes them."""

_REQUIRED = {
    "time_loop": ("step", "operands", "reverse"),
    "product": ("form", "operands"),
}
"""The attributes that each composite has."""


@dataclass(frozen=True)
class LoopAttributes:
    """The attributes of a time loop.

    Attributes:
        step: The symbol of its step.
        roles: The roles of its operands: ``count``, the number of steps; ``read``, or ``lengths``
            for the one that has the lengths of rows; ``state``; ``start`` and ``like``.
        reverse: Whether time runs backward.
    """

    step: str
    roles: Sequence[str]
    reverse: bool

    @classmethod
    def of(cls, op: ir.Operation) -> LoopAttributes:
        """Those of a composite."""
        known = _attributes(op)
        step = ir.FlatSymbolRefAttr(known["step"]).value
        return cls(step, _roles(known), ir.BoolAttr(known["reverse"]).value)

    def values(self) -> Values:
        """The attributes."""
        return {"step": f"@{self.step}", "operands": " ".join(self.roles), "reverse": self.reverse}


@dataclass(frozen=True)
class ProductAttributes:
    """The attributes of a matrix product.

    Attributes:
        form: ``lhs @ rhs`` by rows, or sums of ``lhs^T @ rhs``.
        roles: The roles of its operands: ``lhs``, ``rhs``; ``scale``, of weights in int8; ``into``
            or ``like``, the array that gets the result or one of its size; ``start``, ``count``
            and ``lengths``, which select the rows that count.
        axis: Of rows, the contracted axis of the right-hand side.
        start: The time of the first step; None for 0, or if it is an operand.
        offsets: Of sums that are put into a vector, the position of each.
        is_added: Whether these are added to the vector.
    """

    form: Literal["rows", "outer_sums"]
    roles: Sequence[str]
    axis: int = 0
    start: int | None = None
    offsets: Sequence[int] = ()
    is_added: bool = False

    @classmethod
    def of(cls, op: ir.Operation) -> ProductAttributes:
        """Those of a composite."""
        known = _attributes(op)
        start = ir.IntegerAttr(known["start"]).value if "start" in known else None
        roles = _roles(known)
        if ir.StringAttr(known["form"]).value == "rows":
            return cls("rows", roles, ir.IntegerAttr(known["axis"]).value, start)
        if "into" not in roles:
            return cls("outer_sums", roles, 0, start)
        keys = [f"offset{number}" for number in range(roles.count("lhs"))]
        offsets = [ir.IntegerAttr(known[key]).value for key in keys]
        return cls("outer_sums", roles, 0, start, offsets, ir.BoolAttr(known["is_added"]).value)

    def values(self) -> Values:
        """The attributes."""
        values: Values = {"form": self.form, "operands": " ".join(self.roles)}
        if self.start is not None:
            values["start"] = self.start
        if self.form == "rows":
            return values | {"axis": self.axis}
        if "into" not in self.roles:
            return values
        values["is_added"] = self.is_added
        return values | {f"offset{number}": each for number, each in enumerate(self.offsets)}


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


def decomposition_of(op: ir.Operation) -> str:
    """The symbol of a composite's decomposition."""
    return ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value


def _attributes(op: ir.Operation) -> ir.DictAttr:
    if "composite_attributes" not in op.attributes:
        return ir.DictAttr.get({})
    return ir.DictAttr(op.attributes["composite_attributes"])


def _roles(known: ir.DictAttr) -> list[str]:
    return ir.StringAttr(known["operands"]).value.split()
