"""Values of a step of a recurrent layer as sums of matrices times atoms.

An atom is an input of the step, an activation of such a sum, or the product of two of them.
`step_formulas` reads them from nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS as LAYER_FUNCTIONS

ACTIVATIONS = {
    name: {each: default for each, default in row.parameters.items() if default is not None}
    for name, row in LAYER_FUNCTIONS.items()
    if name != "ScaledTanh"
}
"""Functions of ONNX's recurrent layers: parameters and defaults; all but Affine are operators."""

MOST_ELEMENTS = 1 << 24
"""The most elements of a matrix."""

DEEPEST = 16
"""The most activations and products inside each other."""


class OtherFormulaError(ValueError):
    """A value that is no such sum."""


@dataclass(frozen=True, eq=False)
class Variable:
    """An input of a step.

    Attributes:
        name: Its name.
        width: Its number of columns.
    """

    name: str
    width: int
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Activated:
    """A function of a sum.

    Attributes:
        function: ONNX's name of it.
        parameters: Its alpha and beta, as far as it has them.
        of: The sum.
    """

    function: str
    parameters: tuple[float, ...]
    of: Formula

    @property
    def width(self) -> int:
        """Its number of columns."""
        return self.of.width

    @property
    def depth(self) -> int:
        """How many atoms are inside each other."""
        return 1 + self.of.depth


@dataclass(frozen=True, eq=False)
class ProductFormula:
    """The product of two sums, element by element."""

    factors: tuple[Formula, Formula]

    @property
    def width(self) -> int:
        """Its number of columns."""
        return self.factors[0].width

    @property
    def depth(self) -> int:
        """How many atoms are inside each other."""
        return 1 + max(factor.depth for factor in self.factors)


Atom = Variable | Activated | ProductFormula


@dataclass(frozen=True, eq=False)
class Formula:
    """A sum of atoms, each times a number or a matrix, and a row of numbers.

    Attributes:
        terms: The factor of each atom: an array without axes, or ``[columns of the atom, width]``.
        bias: The row, ``[width]``.
    """

    terms: Mapping[Atom, Any]
    bias: Any

    @property
    def width(self) -> int:
        """Its number of columns."""
        return self.bias.shape[0]

    @property
    def depth(self) -> int:
        """How many atoms are inside each other."""
        return max((atom.depth for atom in self.terms), default=0)

    def atoms(self) -> Sequence[Atom]:
        """The atoms, and those inside them."""
        found: dict[Atom, None] = {}
        waiting = [*self.terms]
        while waiting:
            atom = waiting.pop()
            if atom not in found:
                found[atom] = None
                parts: tuple[Formula, ...] = ()
                if isinstance(atom, Activated):
                    parts = (atom.of,)
                elif isinstance(atom, ProductFormula):
                    parts = atom.factors
                waiting += [each for part in parts for each in part.terms]
        return [*found]

    def matrix(self, atom: Atom) -> Any:
        """The matrix that an atom is multiplied by; zeros if there is none."""
        return matrix_of(atom, self.terms.get(atom, np.zeros(())), self.width)


def matrix_of(atom: Atom, factor: Any, width: int) -> Any:
    """The matrix that a factor stands for, which may be a number."""
    if factor.ndim:
        return factor
    if atom.width * width > MOST_ELEMENTS or (factor and atom.width != width):
        raise OtherFormulaError
    return np.eye(atom.width, width) * factor


def formula_in(value: Any) -> Formula:
    """A value that must be a formula."""
    if not isinstance(value, Formula):
        raise OtherFormulaError
    return value


def of_atom(atom: Atom) -> Formula:
    """An atom alone."""
    if atom.depth > DEEPEST:
        raise OtherFormulaError
    return Formula({atom: np.ones(())}, np.zeros(atom.width))


def variable(name: str, width: int) -> Formula:
    """An input of a step."""
    return of_atom(Variable(name, width))


def _row(array: Any, width: int) -> Any:
    """A constant that is added to every row of a value, or multiplied by it."""
    row: Any = np.asarray(array, np.float64)
    if row.size not in (1, width) or (row.ndim and row.shape[-1] != row.size):
        raise OtherFormulaError
    return np.broadcast_to(row.reshape(-1), (width,))


def added(first: Any, second: Any, sign: float) -> Formula:
    """The sum of two values, the second with a sign."""
    if not isinstance(first, Formula):
        return added(multiplied(formula_in(second), np.array(sign)), first, 1.0)
    if not isinstance(second, Formula):
        return Formula(first.terms, first.bias + sign * _row(second, first.width))
    if first.width != second.width:
        raise OtherFormulaError
    terms = dict(first.terms)
    for atom, factor in second.terms.items():
        other = terms.get(atom, np.zeros(()))
        if factor.ndim != other.ndim:
            factor, other = (matrix_of(atom, each, first.width) for each in (factor, other))
        terms[atom] = other + sign * factor
    return Formula(terms, first.bias + sign * second.bias)


def multiplied(value: Formula, factor: Any) -> Formula:
    """A value times a constant."""
    row = _row(factor, value.width)
    if not np.any(row):
        return Formula({}, np.zeros(value.width))
    is_one = np.all(row == row[0])
    terms = {
        atom: each * row[0] if is_one else matrix_of(atom, each, value.width) * row
        for atom, each in value.terms.items()
    }
    return Formula(terms, value.bias * row)
