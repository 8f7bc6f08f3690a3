"""Reads the formulas of a step (`formulas`) from its nodes.

Slices and joins of columns, of weights as of values, become columns of the matrices, so that what
is left does not depend on how a model splits its gates:

    a = Split(x @ W + h @ R + b)[1]    becomes    x @ W[:, H:2H] + h @ R[:, H:2H] + b[H:2H]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import attributes_of, onnx
from rnn_compiler.network_import.graph.formulas import (
    ACTIVATIONS,
    DEEPEST,
    MOST_ELEMENTS,
    Activated,
    Atom,
    Formula,
    OtherFormulaError,
    ProductFormula,
    Variable,
    added,
    formula_in,
    matrix_of,
    multiplied,
    of_atom,
)


def formulas_of(
    nodes: Sequence[Any],
    known: Mapping[str, Formula],
    constants: Mapping[str, Any],
    evaluated: Callable[[Any, Sequence[Any]], Sequence[Any]],
    element: int,
) -> dict[str, Formula]:
    """The formulas of those values of a step that have one."""
    formulas, arrays = dict(known), dict(constants)
    reader = _FormulaReader(formulas, arrays, element)
    for node in nodes:
        names = [name for name in node.output if name]
        try:
            if all(name in arrays for name in node.input if name):
                results = evaluated(node, [arrays[n] if n else None for n in node.input])
                arrays.update(zip(node.output, results, strict=False))
                continue
            made = reader.results(node)
        except (OtherFormulaError, ValueError, IndexError, TypeError, KeyError):
            continue
        for name, value in zip(node.output, made, strict=False):
            if name in names and name not in known:
                (formulas if isinstance(value, Formula) else arrays)[name] = value
    return formulas


class _FormulaReader:
    """Reads nodes of a step."""

    def __init__(self, formulas: dict[str, Formula], arrays: dict[str, Any], element: int) -> None:
        self._formulas, self._element = formulas, element
        self._arrays = arrays
        self._cut: dict[tuple[Atom, bytes], Atom] = {}
        self._least: dict[Formula, tuple[Formula, float]] = {}  # minima: of what, and a number

    def results(self, node: Any) -> Sequence[Any]:
        """The results of a node: formulas, or arrays."""
        values = [self._value(name) for name in node.input]
        attributes = attributes_of(node)
        operator = node.op_type
        if operator in ACTIVATIONS:
            parameters = tuple(
                float(attributes[name].f) if name in attributes else default
                for name, default in ACTIVATIONS[operator].items()
            )
            if operator == "ThresholdedRelu":
                parameters = (self._above(*parameters),)
            value = formula_in(values[0])
            if operator == "Relu":
                return [self._positive(value)]
            return [of_atom(Activated(operator, parameters, value))]
        if operator == "Split":
            return self._split(node, values, attributes)
        read: Callable[..., Any] | None = getattr(self, f"_{operator.lower()}", None)
        if read is None:
            raise OtherFormulaError
        made: Any = read(values, attributes)
        if isinstance(made, Formula) and made.depth > DEEPEST:
            raise OtherFormulaError
        return [made]

    def _value(self, name: str) -> Any:
        """A formula or an array; None if an input is missing."""
        if not name:
            return None
        if name in self._arrays:
            return self._arrays[name]
        if name not in self._formulas:
            raise OtherFormulaError
        return self._formulas[name]

    def _above(self, alpha: float) -> float:
        """The next number: the operator takes x if x > alpha, a layer's function if x >= alpha."""
        dtype = onnx.helper.tensor_dtype_to_np_dtype(self._element)
        above = float(np.nextafter(dtype.type(alpha), dtype.type(np.inf)))
        if above != np.float32(above):  # as attributes are
            raise OtherFormulaError
        return above

    def _identity(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        return values[0]

    def _cast(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        """A cast that changes nothing, as jax2onnx writes it."""
        if attributes["to"].i != self._element:
            raise OtherFormulaError
        return values[0]

    def _add(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return added(values[0], values[1], 1.0)

    def _sub(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return added(values[0], values[1], -1.0)

    def _neg(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return multiplied(formula_in(values[0]), np.array(-1.0))

    def _mul(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        first, second = values
        if not isinstance(first, Formula):
            first, second = second, first
        if isinstance(second, Formula):
            if first.width != second.width:
                raise OtherFormulaError
            return of_atom(ProductFormula((first, second)))
        return multiplied(first, second)

    def _div(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return multiplied(formula_in(values[0]), 1.0 / np.asarray(values[1], np.float64))

    def _where(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        chosen = np.unique(values[0])
        if chosen.size != 1:
            raise OtherFormulaError
        return values[1 if chosen[0] else 2]

    def _expand(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        """An array of equal elements, whatever its new shape is."""
        if isinstance(values[0], Formula) or np.unique(values[0]).size != 1:
            raise OtherFormulaError
        return np.full((1, 1), np.unique(values[0]))

    _tile = _expand

    def _clip(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        return self._max([self._min([values[0], values[2]], {}), values[1]], {})

    def _min(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        """The lesser one of a value and a number: ``high - relu(high - value)``."""
        value, high = _and_number(values)
        if not 0 < high < np.inf:
            raise OtherFormulaError
        above = Activated("Relu", (), added(np.array(high), value, -1.0))
        least = added(np.array(high), of_atom(above), -1.0)
        self._least[least] = value, high
        return least

    def _max(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        """A value, or 0 if it is negative."""
        value, low = _and_number(values)
        if low:
            raise OtherFormulaError
        return self._positive(value)

    def _positive(self, value: Formula) -> Formula:
        """The maximum of a value and 0; of a minimum, it is a multiple of a hard sigmoid."""
        if value not in self._least:
            return of_atom(Activated("Relu", (), value))
        below, high = self._least[value]
        bounded = Activated("HardSigmoid", (1 / high, 0.0), below)
        return multiplied(of_atom(bounded), np.array(high))

    def _matmul(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        first, weights = formula_in(values[0]), values[1]
        if isinstance(weights, Formula) or weights.ndim != 2 or len(weights) != first.width:
            raise OtherFormulaError
        weights = np.asarray(weights, np.float64)
        terms = {
            atom: factor @ weights if factor.ndim else factor * weights
            for atom, factor in first.terms.items()
        }
        return Formula(terms, first.bias @ weights)

    def _gemm(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        alpha, beta = (
            np.array(attributes[name].f if name in attributes else 1.0)
            for name in ("alpha", "beta")
        )
        if "transA" in attributes and attributes["transA"].i:
            raise OtherFormulaError
        is_turned = "transB" in attributes and attributes["transB"].i
        weights = values[1].T if is_turned else values[1]
        product = multiplied(self._matmul([values[0], weights], {}), alpha)
        if len(values) < 3 or values[2] is None:
            return product
        last = values[2]
        scaled = multiplied(last, beta) if isinstance(last, Formula) else last * beta
        return added(product, scaled, 1.0)

    def _concat(self, values: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
        if attributes["axis"].i not in (1, -1):
            raise OtherFormulaError
        parts = [formula_in(each) for each in values]
        width = sum(part.width for part in parts)
        if width**2 > MOST_ELEMENTS:
            raise OtherFormulaError
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
        formula = formula_in(values[0])
        if (attributes["axis"].i if "axis" in attributes else 0) not in (1, -1):
            raise OtherFormulaError
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
        formula = formula_in(values[0])
        bounds: list[list[int]] = [[] if each is None else each.tolist() for each in values[1:]]
        starts, ends, axes, steps = (*bounds, *([[]] * (4 - len(bounds))))
        axes, steps = axes or [*range(len(starts))], steps or [1] * len(starts)
        columns: Any = np.arange(formula.width)
        for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
            if axis in (1, -1):
                columns = columns[slice(start, end, step)]
            elif (start, step) != (0, 1) or end < _WHOLE:
                raise OtherFormulaError
        return self._columns(formula, columns)

    def _columns(self, formula: Formula, columns: Any) -> Formula:
        """Some columns of a value."""
        if not columns.size:
            raise OtherFormulaError
        terms: dict[Atom, Any] = {}
        for atom, factor in formula.terms.items():
            if factor.ndim:
                terms[atom] = factor[:, columns]
            elif isinstance(atom, Variable):
                terms[atom] = matrix_of(atom, factor, formula.width)[:, columns]
            else:
                terms[self._cut_atom(atom, columns)] = factor
        return Formula(terms, formula.bias[columns])

    def _cut_atom(self, atom: Activated | ProductFormula, columns: Any) -> Atom:
        """Some columns of an atom; the same atom if they are the same."""
        key = (atom, columns.tobytes())
        if key not in self._cut:
            if isinstance(atom, Activated):
                of = self._columns(atom.of, columns)
                self._cut[key] = Activated(atom.function, atom.parameters, of)
            else:
                first, second = (self._columns(each, columns) for each in atom.factors)
                self._cut[key] = ProductFormula((first, second))
        return self._cut[key]


def _and_number(values: Sequence[Any]) -> tuple[Formula, float]:
    """Two values, in either order: a formula, and a number."""
    value, number = values if isinstance(values[0], Formula) else reversed(values)
    array: Any = np.asarray(number, np.float64)
    return formula_in(value), float(array.reshape(()))


_WHOLE = 1 << 30
"""An end of a slice that is beyond every axis."""
