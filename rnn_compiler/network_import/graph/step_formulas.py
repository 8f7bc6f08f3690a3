"""Reads the formulas of a step (`formulas`) from its nodes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from rnn_compiler.model_import.formulas import (
    ACTIVATIONS,
    DEEPEST,
    Algebra,
    Formula,
    OtherFormulaError,
    formula_in,
)
from rnn_compiler.network_import.graph import attributes_of, onnx, value_in


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
        self._formulas, self._arrays, self.element = formulas, arrays, element
        self.make = Algebra()

    def results(self, node: Any) -> Sequence[Any]:
        """The results of a node: formulas, or arrays."""
        values = [self._value(name) for name in node.input]
        attributes, operator = attributes_of(node), node.op_type
        if operator in ACTIVATIONS:
            parameters = tuple(
                float(attributes[name].f) if name in attributes else default
                for name, default in ACTIVATIONS[operator].items()
            )
            if operator == "ThresholdedRelu":
                parameters = (self._above(*parameters),)
            return [self.make.activated(operator, formula_in(values[0]), *parameters)]
        if operator == "Split":
            return self._split(node, values, attributes)
        if operator not in _RULES:
            raise OtherFormulaError
        made = _RULES[operator](self, values, attributes)
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
        dtype = onnx.helper.tensor_dtype_to_np_dtype(self.element)
        above = float(np.nextafter(dtype.type(alpha), dtype.type(np.inf)))
        if above != np.float32(above):  # as attributes are
            raise OtherFormulaError
        return above

    def _split(
        self, node: Any, values: Sequence[Any], attributes: Mapping[str, Any]
    ) -> list[Formula]:
        formula = formula_in(values[0])
        if value_in(attributes, "axis", 0) not in (1, -1):
            raise OtherFormulaError
        count = len(node.output)
        sizes = [-(-formula.width // count)] * count
        if len(values) > 1 and values[1] is not None:
            sizes = values[1].tolist()
        ends = [*itertools.accumulate(sizes)]
        parts = zip(sizes, ends, strict=True)
        return [self.make.columns(formula, end - size, end) for size, end in parts]


_Rule: TypeAlias = Callable[[_FormulaReader, "Sequence[Any]", "Mapping[str, Any]"], Any]
"""The result of a node, from its inputs and attributes."""


def _cast(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """A cast that changes nothing, as jax2onnx writes it."""
    if attributes["to"].i != r.element:
        raise OtherFormulaError
    return of[0]


def _where(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    chosen = np.unique(of[0])
    if chosen.size != 1:
        raise OtherFormulaError
    return of[1 if chosen[0] else 2]


def _expand(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """An array of equal elements, whatever its new shape is."""
    if isinstance(of[0], Formula) or np.unique(of[0]).size != 1:
        raise OtherFormulaError
    return np.full((1, 1), np.unique(of[0]))


def _gemm(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
    alpha, beta = (np.array(value_in(attributes, name, 1.0)) for name in ("alpha", "beta"))
    if value_in(attributes, "transA", 0):
        raise OtherFormulaError
    is_turned = value_in(attributes, "transB", 0)
    product = r.make.matmul(of[0], of[1].T if is_turned else of[1])
    product = r.make.multiply(product, alpha)
    if len(of) < 3 or of[2] is None:
        return product
    scaled = r.make.multiply(of[2], beta) if isinstance(of[2], Formula) else of[2] * beta
    return r.make.add(product, scaled)


def _concat(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
    if attributes["axis"].i not in (1, -1):
        raise OtherFormulaError
    return r.make.concat(of)


def _slice(r: _FormulaReader, of: Sequence[Any], attributes: Mapping[str, Any]) -> Formula:
    bounds: list[list[int]] = [[] if each is None else each.tolist() for each in of[1:]]
    starts, ends, axes, steps = (*bounds, *([[]] * (4 - len(bounds))))
    axes, steps = axes or [*range(len(starts))], steps or [1] * len(starts)
    formula = formula_in(of[0])
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if axis in (1, -1):
            formula = r.make.columns(formula, start, end, step)
        elif (start, step) != (0, 1) or end < _WHOLE:
            raise OtherFormulaError
    return formula


_WHOLE = 1 << 30
"""An end of a slice that is beyond every axis."""

_RULES: Mapping[str, _Rule] = {
    "Identity": lambda r, of, attributes: of[0],
    "Cast": _cast,
    "Add": lambda r, of, attributes: r.make.add(*of),
    "Sub": lambda r, of, attributes: r.make.subtract(*of),
    "Neg": lambda r, of, attributes: r.make.multiply(of[0], np.array(-1.0)),
    "Mul": lambda r, of, attributes: r.make.multiply(*of),
    "Div": lambda r, of, attributes: r.make.multiply(of[0], 1.0 / np.asarray(of[1], np.float64)),
    "Where": _where,
    **dict.fromkeys(("Expand", "Tile"), _expand),
    "Clip": lambda r, of, attributes: r.make.at_least(r.make.at_most(of[0], of[2]), of[1]),
    "Min": lambda r, of, attributes: r.make.at_most(*of),
    "Max": lambda r, of, attributes: r.make.at_least(*of),
    "MatMul": lambda r, of, attributes: r.make.matmul(*of),
    "Gemm": _gemm,
    "Concat": _concat,
    "Slice": _slice,
}
"""The operators that are read, besides functions and Split."""
