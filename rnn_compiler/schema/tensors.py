"""The tensors of an op's signature, and their shapes as formulas of the op's dimensions.

    T seq_length   B batch_size   I input_size   H num_units   L num_layers

``"T B I"`` is a rank-3 tensor, ``"I+H 4H"`` a weight matrix, ``""`` a scalar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.specs import TensorSpec

DIMENSIONS: dict[str, str] = {
    "T": "seq_length",
    "B": "batch_size",
    "I": "input_size",
    "H": "num_units",
    "L": "num_layers",
}

DERIVED: dict[str, str] = {
    "P": "num_proj",
    "N": "params_size",
    "R": "reserve_size",
}
"""Sizes computed from attributes and dimensions."""

_SIZES = DIMENSIONS | DERIVED

_OF_THE_BATCH = ("B", "R")
"""The sizes that grow with the batch."""


@dataclass(frozen=True)
class ShapeAxis:
    """One axis of a shape: a sum of multiples of dimensions, such as ``I+H``, ``4H`` or ``2``.

    Attributes:
        terms: Pairs of factor and dimension symbol; a plain number has the empty symbol.
    """

    terms: tuple[tuple[int, str], ...]

    @staticmethod
    def parse(text: str) -> ShapeAxis:
        """Reads ``I+H``, ``4H`` or ``2``."""
        terms: list[tuple[int, str]] = []
        for term in text.split("+"):
            match = re.fullmatch(r"(\d*)([A-Z]?)", term)
            if match is None or not term:
                raise ValueError(f"not a size: {text!r}")
            terms.append((int(match[1] or 1), match[2]))
        return ShapeAxis(tuple(terms))

    @cached_property
    def multiple(self) -> tuple[int, str] | None:
        """The dimension that this axis is a multiple of, by its long name, and the factor."""
        factor, symbol = self.terms[0]
        single = len(self.terms) == 1 and symbol in DIMENSIONS
        return (factor, DIMENSIONS[symbol]) if single else None

    def evaluate(self, sizes: Mapping[str, Any]) -> Size:
        """Its value, given the dimensions and derived sizes by their long names."""
        return sum(
            factor * (sizes[_SIZES[symbol]] if symbol else 1) for factor, symbol in self.terms
        )

    def __str__(self) -> str:
        return " + ".join(
            f"{factor} * {_SIZES[symbol]}"
            if symbol and factor != 1
            else _SIZES.get(symbol, f"{factor}")
            for factor, symbol in self.terms
        )


@dataclass(frozen=True)
class OpTensor:
    """A tensor of a signature: an argument or a result.

    Attributes:
        name: Its TensorFlow name.
        shape: The shape formula, ``"T B I"``.
        doc: A short description.
        dtype: Its dtype if that is fixed, or the attribute that specifies it; None for the op's own
            dtype, which is also the default of such an attribute.
        minimum: Smallest value of an integer.
        maximum: Largest value of an integer, as a size formula.
        ignored: Whether the op accepts any shape because it never reads it.
        default: The value of all its elements if a caller passes None, or omits it in a call of a
            compiled function: a number, or a size formula; None if it is required.
        optional: Whether there are functions without it: a call that omits it runs one, and for
            `build` the attribute `inputs` names those that a function has.
        equals: For an integer scalar, the symbol of the dimension whose value it is; calls of a
            compiled function, whose dimensions are fixed, may omit it.
        any_shape: Whether any shape with the same number of elements is accepted.
        is_list: Whether it is a list of tensors; `Signature.derived` gives their shapes, under its
            name.
        summed: Of a matrix, or of the matrices it contains, the axis that products sum over. Such
            an argument can be stored in int8.
    """

    name: str
    shape: str
    doc: str
    dtype: str | None = None
    minimum: int | None = None
    maximum: str | None = None
    ignored: bool = False
    default: int | str | None = None
    optional: bool = False
    equals: str | None = None
    any_shape: bool = False
    is_list: bool = False
    summed: int | None = None

    @cached_property
    def sizes(self) -> tuple[ShapeAxis, ...]:
        """The parsed shape."""
        return tuple(ShapeAxis.parse(axis) for axis in self.shape.split())

    @property
    def formula(self) -> str:
        """The shape in readable form, ``[input_size + num_units, 4 * num_units]``."""
        return f"[{', '.join(map(str, self.sizes))}]"

    @property
    def kind(self) -> str:
        """A readable description: a scalar, a list, or a tensor of some shape."""
        return "list of tensors" if self.is_list else self.formula if self.sizes else "scalar"

    def _fixed(self, dtype: str) -> str:
        """The dtype in an op of a given dtype, unless an attribute specifies another."""
        return self.dtype if self.dtype in DTYPES else dtype

    def specialize(self, dtype: str, known: Mapping[str, Any]) -> tuple[TensorSpec, ...]:
        """Its type, or the types of a list's elements, given attributes and sizes by long name."""
        default = self.default
        if isinstance(default, str):
            default = ShapeAxis.parse(default).evaluate(known)
        spec = TensorSpec(
            name=self.name,
            dtype=dtype if self.dtype is None else known.get(self.dtype, self._fixed(dtype)),
            shape=tuple(size.evaluate(known) for size in self.sizes),
            formula=self.formula,
            minimum=self.minimum,
            maximum=None if self.maximum is None else ShapeAxis.parse(self.maximum).evaluate(known),
            ignored=self.ignored,
            default=default,
            any_shape=self.any_shape,
            summed=self.summed,
            batched=any(s in _OF_THE_BATCH for size in self.sizes for _, s in size.terms),
        )
        if self.equals is not None:
            value: Size = known[DIMENSIONS[self.equals]]
            return (replace(spec, minimum=value, maximum=value, default=value),)
        if not self.is_list:
            return (spec,)
        return tuple(
            replace(spec, name=f"{self.name}_{k}", shape=shape, formula="", list=self.name)
            for k, shape in enumerate(known[self.name])
        )


Argument = OpTensor
Result = OpTensor


def as_given_by(op: str, results: Sequence[Result]) -> tuple[Argument, ...]:
    """Results of one op as arguments of another."""
    return tuple(replace(result, doc=f"{result.doc}, as {op} gave it") for result in results)
