"""Values of a step of a recurrent layer as sums of matrices times atoms.

An atom is an input of the step, an activation of such a sum, or the product of two of them. Slices
and joins of columns, of weights as of values, become columns of the matrices, so that what is left
does not depend on how a model splits its gates:

    a = Split(x @ W + h @ R + b)[1]    becomes    x @ W[:, H:2H] + h @ R[:, H:2H] + b[H:2H]

`step_formulas` reads them from nodes of ONNX, `tensorflow_loops` and `tflite_values` from those of
TensorFlow. `cell_search` tells which cell they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.lowering.analysis.cell_steps import Function
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

_RELU: Function = ("Relu", ())

_MOST_TERMS = 64
"""The most terms of a sum; a sum of sums copies them."""


class OtherFormulaError(ValueError):
    """A value that is no such sum."""


@dataclass(eq=False)
class Variable:
    """An input of a step.

    Attributes:
        name: Its name.
        width: Its number of columns; 0 until it is known.
    """

    name: str
    width: int = 0
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Computed:
    """A function of a sum, or the product of two sums, element by element.

    Attributes:
        function: ONNX's name of it, and its alpha and beta, as far as it has them; None for a
            product.
        of: The sum, or both.
    """

    function: Function | None
    of: tuple[Formula, ...]

    @property
    def width(self) -> int:
        """Its number of columns."""
        return max(each.width for each in self.of)

    @property
    def depth(self) -> int:
        """How many atoms are inside each other."""
        return 1 + max(each.depth for each in self.of)


Atom = Variable | Computed


@dataclass(frozen=True, eq=False)
class Formula:
    """A sum of atoms, each times a number or a matrix, and a row of numbers.

    Attributes:
        terms: The factor of each atom: an array without axes, or ``[columns of the atom, width]``.
        bias: The row, ``[width]``; an array without axes if it is one number.
        line: A formula and two numbers, if this one is alpha times that one, plus beta.
    """

    terms: Mapping[Atom, Any]
    bias: Any
    line: tuple[Formula, float, float] | None = None

    @property
    def width(self) -> int:
        """Its number of columns; 0 until it is known."""
        return self.bias.size if self.bias.ndim else max((a.width for a in self.terms), default=0)

    @property
    def depth(self) -> int:
        """How many atoms are inside each other."""
        return max((atom.depth for atom in self.terms), default=0)

    @property
    def row(self) -> Any:
        """The row of numbers, ``[width]``."""
        return np.broadcast_to(self.bias, (self.width,))

    def atoms(self) -> Sequence[Atom]:
        """The atoms, and those inside them."""
        found: dict[Atom, None] = {}
        waiting = [*self.terms]
        while waiting:
            atom = waiting.pop()
            if atom not in found:
                found[atom] = None
                if not isinstance(atom, Variable):
                    waiting += [each for part in atom.of for each in part.terms]
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


def is_array(value: Any) -> bool:
    """Whether a value is a constant of numbers; bfloat16 is of kind V."""
    return getattr(getattr(value, "dtype", None), "kind", None) in {*"biufV"}


def formula_in(value: Any) -> Formula:
    """A value that must be a formula."""
    if not isinstance(value, Formula):
        raise OtherFormulaError
    return value


def variable(name: str, width: int = 0) -> Formula:
    """An input of a step."""
    return Formula({Variable(name, width): np.ones(())}, np.zeros(()))


def _row(array: Any, value: Formula) -> Any:
    """A constant that is added to every row of a value, or multiplied by it; a number stays one."""
    row = _double(array)
    if row.ndim and row.shape[-1] != row.size:
        raise OtherFormulaError
    if row.size == 1:
        return row.reshape(())
    _widen(value, row.size)
    return row.reshape(-1)


def _widen(value: Formula, width: int) -> None:
    """Notes the width of a value of which only the elements were used before."""
    if value.width not in (0, width):
        raise OtherFormulaError
    if not value.width:
        for atom in value.atoms():
            if isinstance(atom, Variable):
                atom.width = width


def _double(array: Any) -> Any:
    """An array of float64 from what must be an array."""
    if not is_array(array):
        raise OtherFormulaError
    return array.astype(np.float64, copy=False)


class Algebra:
    """Makes formulas of formulas, the same one for the same activation, product or columns."""

    def __init__(self, take: Callable[[int], object] = lambda count: None) -> None:
        """`take` counts the bytes of new matrices."""
        self._take = take
        self._made: dict[Any, Formula] = {}
        self._cut: dict[Any, Computed] = {}
        self._positive: dict[Formula, Formula] = {}  # maxima with 0: of what
        self._least: dict[Formula, tuple[Formula, float]] = {}  # minima: of what, and a number

    def _of(self, atom: Computed) -> Formula:
        """An atom alone."""
        if atom.depth > DEEPEST:
            raise OtherFormulaError
        key = atom.function, frozenset(atom.of)
        return self._made.setdefault(key, Formula({atom: np.ones(())}, np.zeros(())))

    def activated(self, function: str, value: Formula, *parameters: float) -> Formula:
        """A function of a value: one of `ACTIVATIONS` with its parameters, or Relu6."""
        if function == "Relu6":
            return self.at_most(self.positive(value), np.array(6.0))
        if function == "Relu":
            return self.positive(value)
        return self._of(Computed((function, parameters), (value,)))

    def add(self, first: Any, second: Any, *, sign: float = 1.0) -> Formula:
        """The sum of two values, the second with a sign."""
        if not isinstance(first, Formula):
            return self.add(self.multiply(formula_in(second), np.array(sign)), first)
        if not isinstance(second, Formula):
            row = sign * _row(second, first)
            line = first.line if np.size(second) == 1 else None
            line = line and (line[0], line[1], line[2] + row.item())
            return Formula(first.terms, first.bias + row, line)
        self._agree(first, second)
        terms = dict(first.terms)
        for atom, factor in second.terms.items():
            if atom not in terms:
                terms[atom] = factor if sign == 1 else self._scaled(factor, sign)
                continue
            other = terms[atom]
            if factor.ndim != other.ndim:
                factor, other = (matrix_of(atom, each, first.width) for each in (factor, other))
            self._take(8 * factor.size)
            terms[atom] = _double(other) + sign * _double(factor)
        if len(terms) > _MOST_TERMS:
            raise OtherFormulaError
        return Formula(terms, first.bias + sign * second.bias)

    def subtract(self, first: Any, second: Any) -> Formula:
        """The difference of two values."""
        return self.add(first, second, sign=-1.0)

    def _agree(self, first: Formula, second: Formula) -> None:
        """Checks that two values have the same width, or notes it."""
        width = max(first.width, second.width)
        for each in (first, second) if width else ():
            _widen(each, width)

    def _scaled(self, factor: Any, numbers: Any) -> Any:
        """A factor times a number, or its columns times numbers."""
        self._take(8 * factor.size)
        return _double(factor) * numbers

    def multiply(self, first: Any, second: Any) -> Formula:
        """The product of two values, element by element."""
        if not isinstance(first, Formula):
            first, second = formula_in(second), first
        if isinstance(second, Formula):
            self._agree(first, second)
            return self._of(Computed(None, (first, second)))
        row = _row(second, first)
        if np.all(row == 1):
            return first
        if not np.any(row):
            return Formula({}, np.zeros(first.width or ()))
        line = None
        if not row.ndim:
            of, alpha, beta = first.line or (first, 1.0, 0.0)
            line = of, alpha * row.item(), beta * row.item()
        is_one = not row.ndim or np.all(row == row[0])
        numbers = row.flat[0] if is_one else row
        terms = {
            atom: self._scaled(each if is_one else matrix_of(atom, each, first.width), numbers)
            for atom, each in first.terms.items()
        }
        return Formula(terms, first.bias * row, line)

    def at_most(self, first: Any, second: Any) -> Formula:
        """The lesser one of a value and a number: ``high - relu(high - value)``."""
        value, high = _and_number(first, second)
        if not 0 < high < np.inf:
            raise OtherFormulaError
        if value in self._positive:
            return self._hard(self._positive[value], high)
        above = Computed(_RELU, (self.subtract(np.array(high), value),))
        least = self.subtract(np.array(high), self._of(above))
        self._least[least] = value, high
        return least

    def at_least(self, first: Any, second: Any) -> Formula:
        """A value, or 0 if it is negative; one of two values must be 0."""
        value, low = _and_number(first, second)
        if low:
            raise OtherFormulaError
        return self.positive(value)

    def positive(self, value: Formula) -> Formula:
        """The maximum of a value and 0; of a minimum, it is a multiple of a hard sigmoid."""
        if value in self._least:
            return self._hard(*self._least[value])
        made = self._of(Computed(_RELU, (value,)))
        self._positive[made] = value
        return made

    def _hard(self, value: Formula, high: float) -> Formula:
        """A value between 0 and a number, as a multiple of a hard sigmoid."""
        of, alpha, beta = value.line or (value, 1.0, 0.0)
        return self.multiply(
            self.activated("HardSigmoid", of, alpha / high, beta / high), np.array(high)
        )

    def matmul(self, first: Any, weights: Any) -> Formula:
        """A value times a matrix."""
        value = formula_in(first)
        if not is_array(weights) or weights.ndim != 2:
            raise OtherFormulaError
        _widen(value, len(weights))
        self._take(8 * weights.shape[1])
        bias: Any = np.zeros(weights.shape[1])
        if np.any(value.bias):
            bias = value.row @ _double(weights)
        return Formula({a: self._times(f, weights) for a, f in value.terms.items()}, bias)

    def _times(self, factor: Any, weights: Any) -> Any:
        """A factor times a matrix, which is not copied where the factor is 1."""
        if not factor.ndim:
            return weights if factor == 1 else self._scaled(weights, factor)
        self._take(8 * len(factor) * weights.shape[1])
        return _double(factor) @ _double(weights)

    def concat(self, values: Sequence[Any]) -> Formula:
        """Values side by side."""
        parts = [formula_in(each) for each in values]
        width = sum(part.width for part in parts)
        if width**2 > MOST_ELEMENTS or not all(part.width for part in parts):
            raise OtherFormulaError
        terms: dict[Atom, Any] = {}
        start = 0
        for part in parts:
            for atom in part.terms:
                whole = terms.setdefault(atom, np.zeros((atom.width, width)))
                whole[:, start : start + part.width] = part.matrix(atom)
            start += part.width
        return Formula(terms, np.concatenate([part.row for part in parts]))

    def columns(self, value: Any, start: int | None, stop: int | None, step: int = 1) -> Formula:
        """Some columns of a value; bounds below 0 count from the last one."""
        formula = formula_in(value)
        chosen = slice(start, stop, step).indices(formula.width)
        if not range(*chosen):
            raise OtherFormulaError
        end = None if chosen[1] < 0 else chosen[1]
        cut = slice(chosen[0], end, step)
        terms: dict[Atom, Any] = {}
        for atom, factor in formula.terms.items():
            if factor.ndim:
                terms[atom] = factor[:, cut]
            elif isinstance(atom, Variable):
                terms[atom] = matrix_of(atom, factor, formula.width)[:, cut]
            else:
                terms[self._columns_of(atom, (chosen[0], end, step))] = factor
        return Formula(terms, formula.row[cut])

    def _columns_of(self, atom: Computed, cut: Any) -> Computed:
        """Some columns of an atom; the same atom if they are the same."""
        if (atom, cut) not in self._cut:
            parts = (*(self.columns(each, *cut) for each in atom.of),)
            self._cut[atom, cut] = Computed(atom.function, parts)
        return self._cut[atom, cut]


def _and_number(first: Any, second: Any) -> tuple[Formula, float]:
    """Two values, in either order: a formula, and a number."""
    value, number = (first, second) if isinstance(first, Formula) else (second, first)
    array = _double(number)
    if array.size != 1:
        raise OtherFormulaError
    return formula_in(value), array.item()
