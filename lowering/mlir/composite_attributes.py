"""The attributes of our composites, which the builder writes and `composites` reads.

    time_loop   a loop over time (`builder.time_loop`): `LoopAttributes`
    product     a matrix product (`builder.products`, `builder.int8`): `ProductAttributes`

Both list the role of each operand in the attribute ``operands``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

AttributeValues = dict[str, bool | int | str]
"""Attributes by name; a text that begins with @ is a symbol."""


@dataclass(frozen=True)
class LoopAttributes:
    """The attributes of a time loop.

    Attributes:
        step: The symbol of its step.
        roles: The roles of its operands: ``count``, the number of steps; ``read``, or ``lengths``
            for the one that has the lengths of rows; ``state``; ``start`` and ``like``.
    """

    step: str
    roles: Sequence[str]
    reverse: bool

    def values(self) -> AttributeValues:
        """The attributes by name."""
        return {"step": f"@{self.step}", "operands": " ".join(self.roles), "reverse": self.reverse}

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> LoopAttributes:
        """The attributes that have these values; KeyError if one is missing."""
        return cls(values["step"].removeprefix("@"), values["operands"].split(), values["reverse"])


@dataclass(frozen=True)
class ProductAttributes:
    """The attributes of a matrix product.

    Attributes:
        form: ``lhs @ rhs`` by rows, or sums of ``lhs^T @ rhs``.
        roles: The roles of its operands: ``lhs``, ``rhs``; ``scale``, of weights in int8; ``into``
            or ``like``, the array that gets the result or one of its size; ``start``, ``count``
            and ``lengths``, which select the rows that count.
        axis: Of rows, the contracted axis of the right-hand side.
        start: The time of the first step; 0 if it is an operand.
        offsets: Of sums that are put into a vector, the position of each.
        is_added: Whether these are added to the vector.
    """

    form: Literal["rows", "outer_sums"]
    roles: Sequence[str]
    axis: int = 0
    start: int = 0
    offsets: Sequence[int] = ()
    is_added: bool = False

    def values(self) -> AttributeValues:
        """The attributes by name, without those that have their defaults."""
        values: AttributeValues = {"form": self.form, "operands": " ".join(self.roles)}
        others = {"axis": self.axis, "start": self.start, "is_added": self.is_added}
        values |= {name: value for name, value in others.items() if value}
        return values | {f"offset{number}": each for number, each in enumerate(self.offsets)}

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ProductAttributes:
        """The attributes that have these values; KeyError without form, roles or any sides."""
        roles = values["operands"].split()
        if not {"lhs", "rhs"} <= {*roles}:
            raise KeyError("operands")
        count = sum(name.startswith("offset") for name in values)
        return cls(
            values["form"],
            roles,
            values.get("axis", 0),
            values.get("start", 0),
            tuple(values[f"offset{number}"] for number in range(count)),
            values.get("is_added", False),
        )
