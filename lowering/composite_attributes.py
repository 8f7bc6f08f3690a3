"""The attributes of our composites, which the builder writes and `composites` reads.

    time_loop   a loop over time (`builder.time_loop`): `LoopAttributes`
    product     a matrix product (`builder.products`, `builder.int8`): `ProductAttributes`

Both list the role of each operand in the attribute ``operands``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["LoopAttributes", "ProductAttributes"]

Values = dict[str, bool | int | float | str]
"""Attributes as the builder takes them."""


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
