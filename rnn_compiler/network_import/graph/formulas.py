"""The formulas of a step: each of its values as a sum of matrices times atoms.

An atom is an input of the step, an activation of such a sum, or the product of two of them. Slices
and joins of columns, of weights as of values, become columns of the matrices, so that what is left
does not depend on how a model splits its gates:

    a = Split(x @ W + h @ R + b)[1]    becomes    x @ W[:, H:2H] + h @ R[:, H:2H] + b[H:2H]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import attributes_of

__all__ = ["ACTIVATIONS", "Activated", "Formula", "Product", "Variable", "formulas_of", "variable"]

ACTIVATIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Sigmoid", "Tanh", "Relu", "Softsign", "Softplus"), ()),
    **dict.fromkeys(("Elu", "LeakyRelu", "ThresholdedRelu"), ("alpha",)),
    "HardSigmoid": ("alpha", "beta"),
}
"""The functions of both ONNX's operators and its recurrent layers, with their parameters."""

_DEFAULTS = {
    **{("Elu", "alpha"): 1.0, ("LeakyRelu", "alpha"): 0.01, ("ThresholdedRelu", "alpha"): 1.0},
    **{("HardSigmoid", "alpha"): 0.2, ("HardSigmoid", "beta"): 0.5},
}

_MOST_ELEMENTS = 1 << 24
"""The most elements of a matrix."""

_DEEPEST = 16
"""The most activations and products inside each other."""


class _OtherFormulaError(ValueError):
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
class Product:
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


Atom = Variable | Activated | Product


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

    def atoms(self) -> set[Atom]:
        """The atoms, and those inside them."""
        found: set[Atom] = set()
        waiting = [*self.terms]
        while waiting:
            atom = waiting.pop()
            if atom not in found:
                found.add(atom)
                parts = {Activated: lambda a: (a.of,), Product: lambda a: a.factors}
                inner = parts.get(type(atom), lambda a: ())(atom)
                waiting += [each for part in inner for each in part.terms]
        return found

    def matrix(self, atom: Atom) -> Any:
        """The matrix that an atom is multiplied by; zeros if there is none."""
        return _matrix(atom, self.terms.get(atom, np.zeros(())), self.width)


def _matrix(atom: Atom, factor: Any, width: int) -> Any:
    if factor.ndim:
        return factor
    if atom.width * width > _MOST_ELEMENTS or (factor and atom.width != width):
        raise _OtherFormulaError
    return np.eye(atom.width, width) * factor


def formulas_of(
    nodes: Sequence[Any],
    known: Mapping[str, Formula],
    constants: Mapping[str, Any],
    evaluated: Callable[[Any, Sequence[Any]], Sequence[Any]],
) -> dict[str, Formula]:
    """The formulas of those values of a step that have one.

    Args:
        nodes: The step's nodes, in order.
        known: The formulas of its inputs, and of values that count as such.
        constants: Its constant arrays.
        evaluated: Computes the results of a node with constant inputs.
    """
    formulas, arrays = dict(known), dict(constants)
    reader = _Reader(formulas, arrays)
    for node in nodes:
        names = [name for name in node.output if name]
        try:
            if all(name in arrays for name in node.input if name):
                results = evaluated(node, [arrays[n] if n else None for n in node.input])
                arrays.update(zip(node.output, results, strict=False))
                continue
            made = reader.results(node)
        except (_OtherFormulaError, ValueError, IndexError, TypeError, KeyError):
            continue
        for name, value in zip(node.output, made, strict=False):
            if name in names and name not in known:
                (formulas if isinstance(value, Formula) else arrays)[name] = value
    return formulas


class _Reader:
    """Reads nodes of a step."""

    def __init__(self, formulas: dict[str, Formula], arrays: dict[str, Any]) -> None:
        self._formulas = formulas
        self._arrays = arrays
        self._cut: dict[tuple[Atom, bytes], Atom] = {}

    def results(self, node: Any) -> Sequence[Any]:
        """The results of a node: formulas, or arrays."""
        values = [self._value(name) for name in node.input]
        attributes = attributes_of(node)
        operator = node.op_type
        if operator in ACTIVATIONS:
            parameters = tuple(
                float(attributes[name].f) if name in attributes else _DEFAULTS[operator, name]
                for name in ACTIVATIONS[operator]
            )
            return [_of_atom(Activated(operator, parameters, _formula(values[0])))]
        if operator == "Split":
            return self._split(node, values, attributes)
        read = getattr(self, f"_{operator.lower()}", None)
        if read is None:
            raise _OtherFormulaError
        made = read(values, attributes)
        if isinstance(made, Formula) and made.depth > _DEEPEST:
            raise _OtherFormulaError
        return [made]

    def _value(self, name: str) -> Any:
        """A formula or an array; None if an input is missing."""
        if not name:
            return None
        if name in self._arrays:
            return self._arrays[name]
        if name not in self._formulas:
            raise _OtherFormulaError
        return self._formulas[name]

    def _identity(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        return values[0]

    def _add(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return _sum(values[0], values[1], 1.0)

    def _sub(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return _sum(values[0], values[1], -1.0)

    def _neg(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return _times(_formula(values[0]), np.array(-1.0))

    def _mul(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        first, second = values
        if not isinstance(first, Formula):
            first, second = second, first
        if isinstance(second, Formula):
            if first.width != second.width:
                raise _OtherFormulaError
            return _of_atom(Product((first, second)))
        return _times(first, second)

    def _div(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return _times(_formula(values[0]), 1.0 / np.asarray(values[1], np.float64))

    def _where(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        chosen = np.unique(values[0])
        if chosen.size != 1:
            raise _OtherFormulaError
        return values[1 if chosen[0] else 2]

    def _expand(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        """An array of equal elements, whatever its new shape is."""
        if isinstance(values[0], Formula) or np.unique(values[0]).size != 1:
            raise _OtherFormulaError
        return np.asarray(values[0]).reshape(-1)[:1].reshape(1, 1)

    _tile = _expand

    def _clip(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        """A clip from 0: a multiple of the hard sigmoid."""
        low, high = (float(each.reshape(())) for each in values[1:3])
        if low or not 0 < high < np.inf:
            raise _OtherFormulaError
        atom = Activated("HardSigmoid", (1 / high, 0.0), _formula(values[0]))
        return Formula({atom: np.array(high)}, np.zeros(atom.width))

    def _matmul(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        first, weights = _formula(values[0]), values[1]
        if isinstance(weights, Formula) or weights.ndim != 2 or len(weights) != first.width:
            raise _OtherFormulaError
        weights = np.asarray(weights, np.float64)
        terms = {atom: factor @ weights if factor.ndim else factor * weights
                 for atom, factor in first.terms.items()}  # fmt: skip
        return Formula(terms, first.bias @ weights)

    def _gemm(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        number = {name: attributes[name].f if name in attributes else 1.0 for name in
                  ("alpha", "beta")}  # fmt: skip
        if "transA" in attributes and attributes["transA"].i:
            raise _OtherFormulaError
        is_turned = "transB" in attributes and attributes["transB"].i
        weights = values[1].T if is_turned else values[1]
        product = _times(self._matmul([values[0], weights], {}), np.array(number["alpha"]))
        if len(values) < 3 or values[2] is None:
            return product
        added = values[2]
        scaled = (
            _times(added, np.array(number["beta"]))
            if isinstance(added, Formula)
            else added * number["beta"]
        )
        return _sum(product, scaled, 1.0)

    def _concat(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        if attributes["axis"].i not in (1, -1):
            raise _OtherFormulaError
        parts = [_formula(each) for each in values]
        width = sum(part.width for part in parts)
        if width**2 > _MOST_ELEMENTS:
            raise _OtherFormulaError
        terms: dict[Atom, Any] = {}
        start = 0
        for part in parts:
            for atom in part.terms:
                whole = terms.setdefault(atom, np.zeros((atom.width, width)))
                whole[:, start : start + part.width] = part.matrix(atom)
            start += part.width
        return Formula(terms, np.concatenate([part.bias for part in parts]))

    def _split(
        self, node: Any, values: Sequence[Any], attributes: Mapping[str, Any]
    ) -> list[Formula]:
        formula = _formula(values[0])
        if (attributes["axis"].i if "axis" in attributes else 0) not in (1, -1):
            raise _OtherFormulaError
        count = len(node.output)
        sizes = [-(-formula.width // count)] * count
        if len(values) > 1 and values[1] is not None:
            sizes = values[1].tolist()
        ends = [*itertools.accumulate(sizes)]
        return [
            self._columns(formula, np.arange(end - size, min(end, formula.width)))
            for end, size in zip(ends, sizes, strict=True)
        ]

    def _slice(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        formula = _formula(values[0])
        bounds = [each.tolist() for each in values[1:] if each is not None]
        starts, ends, axes, steps = [*bounds, *([], [])[len(bounds) - 2 :]]
        axes, steps = axes or [*range(len(starts))], steps or [1] * len(starts)
        columns: Any = np.arange(formula.width)
        for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
            if axis in (1, -1):
                columns = columns[slice(start, end, step)]
            elif (start, step) != (0, 1) or end < _WHOLE:
                raise _OtherFormulaError
        return self._columns(formula, columns)

    def _columns(self, formula: Formula, columns: Any) -> Formula:
        """Some columns of a value."""
        if not columns.size:
            raise _OtherFormulaError
        terms: dict[Atom, Any] = {}
        for atom, factor in formula.terms.items():
            if factor.ndim:
                terms[atom] = factor[:, columns]
            elif isinstance(atom, Variable):
                terms[atom] = _matrix(atom, factor, formula.width)[:, columns]
            else:
                terms[self._cut_atom(atom, columns)] = factor
        return Formula(terms, formula.bias[columns])

    def _cut_atom(self, atom: Activated | Product, columns: Any) -> Atom:
        """Some columns of an atom; the same atom if they are the same."""
        key = (atom, columns.tobytes())
        if key not in self._cut:
            if isinstance(atom, Activated):
                of = self._columns(atom.of, columns)
                self._cut[key] = Activated(atom.function, atom.parameters, of)
            else:
                first, second = (self._columns(each, columns) for each in atom.factors)
                self._cut[key] = Product((first, second))
        return self._cut[key]


_WHOLE = 1 << 30
"""An end of a slice that is beyond every axis."""


def _formula(value: Any) -> Formula:
    if not isinstance(value, Formula):
        raise _OtherFormulaError
    return value


def _of_atom(atom: Atom) -> Formula:
    """An atom alone."""
    if atom.depth > _DEEPEST:
        raise _OtherFormulaError
    return Formula({atom: np.ones(())}, np.zeros(atom.width))


def variable(name: str, width: int) -> Formula:
    """An input of a step."""
    return _of_atom(Variable(name, width))


def _row(array: Any, width: int) -> Any:
    """A constant that is added to every row of a value, or multiplied by it."""
    row = np.asarray(array, np.float64)
    if row.size not in (1, width) or (row.ndim and row.shape[-1] != row.size):
        raise _OtherFormulaError
    return np.broadcast_to(row.reshape(-1), (width,))


def _sum(first: Any, second: Any, sign: float) -> Formula:
    """The sum of two values, the second with a sign."""
    if not isinstance(first, Formula):
        return _sum(_times(_formula(second), np.array(sign)), first, 1.0)
    if not isinstance(second, Formula):
        return Formula(first.terms, first.bias + sign * _row(second, first.width))
    if first.width != second.width:
        raise _OtherFormulaError
    terms = dict(first.terms)
    for atom, factor in second.terms.items():
        other = terms.get(atom, np.zeros(()))
        if factor.ndim != other.ndim:
            factor, other = (_matrix(atom, each, first.width) for each in (factor, other))
        terms[atom] = other + sign * factor
    return Formula(terms, first.bias + sign * second.bias)


def _times(value: Formula, factor: Any) -> Formula:
    """A value times a constant."""
    row = _row(factor, value.width)
    if not np.any(row):
        return Formula({}, np.zeros(value.width))
    is_one = np.all(row == row[0])
    terms = {
        atom: each * row[0] if is_one else _matrix(atom, each, value.width) * row
        for atom, each in value.terms.items()
    }
    return Formula(terms, value.bias * row)
