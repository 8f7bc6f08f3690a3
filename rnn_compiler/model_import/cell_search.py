"""Finds the cell of ONNX's LSTM, GRU or RNN that a step computes, by the formula of its output.

Its gates are functions of sums of x and h. A linear gate is a sum that is multiplied by something.
A second state tells an LSTM, and products tell a GRU from an RNN. Which gate is which is found by
numbers: each assignment is computed and compared with the results of the step itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.lowering.analysis.cell_steps import LINEAR, Function, cell_step, is_same
from rnn_compiler.model_import.formulas import (
    ACTIVATIONS,
    Atom,
    Computed,
    Formula,
    OtherFormulaError,
    Variable,
)


@dataclass(frozen=True)
class Gate:
    """A gate: its function, and the parts of the function's argument."""

    function: Function
    W: Any
    R: Any
    bias: Any
    own_bias: Any
    peephole: Any

    @property
    def opposites(self) -> Sequence[Gate]:
        """The gate whose value is 1 minus this one's; none if no function of ONNX computes it."""
        one = {("Sigmoid", ()): 0.0, LINEAR: 1.0}.get(self.function)
        if one is None:
            return []
        parts = -self.W, -self.R, one - self.bias, -self.own_bias, -self.peephole
        return [Gate(self.function, *parts)]


@dataclass(frozen=True)
class FoundCell:
    """A cell of ONNX's LSTM, GRU or RNN.

    Attributes:
        operator: ONNX's operator.
        gates: Its gates, in ONNX's order.
        functions: The activation functions.
        x: The input.
        h: The state that is the output.
        c: The cell state of LSTM.
        is_linear_before_reset: Whether GRU resets after the product with R.
    """

    operator: str
    gates: Sequence[Gate]
    functions: Sequence[Function]
    x: Variable
    h: Variable
    c: Variable | None = None
    is_linear_before_reset: bool = False

    @property
    def weights(self) -> Sequence[Any]:
        """W, R and B without the axis of directions; with peepholes P too."""
        gates = self.gates
        W, R = (np.concatenate([getattr(gate, name).T for gate in gates]) for name in "WR")
        B = np.concatenate([*(gate.bias for gate in gates), *(gate.own_bias for gate in gates)])
        P = np.concatenate([gate.peephole for gate in gates[:3]])
        return (W, R, B, P) if np.any(P) else (W, R, B)

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the node."""
        given = {"hidden_size": self.h.width, **function_attributes(self.functions)}
        return given | ({"linear_before_reset": 1} if self.is_linear_before_reset else {})

    def step(self, x: Any, h: Any, c: Any) -> list[Any]:
        """The next states, h and for LSTM c, as ONNX defines them."""
        given = self.operator, self.weights, self.functions, x, h, c
        return cell_step(*given, is_linear_before_reset=self.is_linear_before_reset)


def function_attributes(functions: Sequence[Function]) -> dict[str, Any]:
    """The attributes of ONNX's operators for functions, in order."""
    found: dict[str, Any] = {"activations": [name for name, _ in functions]}
    for parameter in ("alpha", "beta"):
        values = [
            dict(zip(ACTIVATIONS[name], values, strict=True))[parameter]
            for name, values in functions
            if parameter in ACTIVATIONS[name]
        ]
        if values:
            found[f"activation_{parameter}"] = values
    return found


@dataclass(frozen=True, eq=False)
class _CellSum:
    """A sum, and the atom that is a function of it; None if it is multiplied as it is."""

    of: Formula
    atom: Computed | None = None

    @property
    def function(self) -> Function:
        """The function."""
        return (self.atom and self.atom.function) or LINEAR

    @property
    def products(self) -> list[Computed]:
        """The products that are added."""
        return [a for a in self.of.terms if isinstance(a, Computed) and a.function is None]

    def factor(self, formula: Formula) -> Any:
        """The number that the function is multiplied by in a formula; None if it is another one."""
        if self.atom is None:
            return np.ones(()) if formula is self.of else None
        factor = formula.terms.get(self.atom)
        return None if factor is None or factor.ndim or len(formula.terms) > 1 else factor


@dataclass(frozen=True)
class _Parts:
    """What a cell consists of: sums of the input and the states."""

    sums: Sequence[_CellSum]
    x: Variable
    h: Variable
    c: Variable | None

    @property
    def direct(self) -> list[_CellSum]:
        """The sums without products."""
        known = {self.x, self.h, self.c}
        return [each for each in self.sums if {*each.of.terms} <= known]

    def gate(self, part: _CellSum, cell: Atom | None = None) -> Gate:
        """The gate of a sum, which may contain the cell state, or a part of it."""
        of, zeros = part.of, np.zeros(self.h.width)
        peephole = zeros
        if cell is not None and cell in of.terms:
            matrix = of.matrix(cell)
            peephole = np.diagonal(matrix)
            if np.count_nonzero(matrix) > np.count_nonzero(peephole):
                raise OtherFormulaError
        return Gate(part.function, of.matrix(self.x), of.matrix(self.h), of.row, zeros, peephole)


LARGE = 100.0
"""By how much inputs and states are multiplied that saturate gates, each row others: whatever
their biases, gates differ there."""

_ROUGH = 1e-2
"""The largest relative difference of results with such inputs, which magnify roundings."""


class StepSample(NamedTuple):
    """What a step gives for some inputs and states, each ``[rows, width]``."""

    given: Mapping[Variable, Any]
    results: Mapping[Variable, Any]
    precise: float


def samples_of(
    step: Callable[[Mapping[Variable, Any]], Mapping[Variable, Any]],
    given: Mapping[Variable, Any],
    precise: float,
) -> list[StepSample]:
    """What a step gives for some inputs and states, and for large ones."""
    large = {each: LARGE * array for each, array in given.items()}
    rough = max(precise, _ROUGH)
    return [StepSample(given, step(given), precise), StepSample(large, step(large), rough)]


def cell_of(
    formula: Formula, h: Variable, inputs: Sequence[Variable], samples: Sequence[StepSample]
) -> FoundCell | None:
    """The cell with a formula that gives the step's results in all samples; None if none does."""
    atoms = formula.atoms()
    found = [atom for atom in atoms if isinstance(atom, Variable)]
    xs = [each for each in found if each in inputs]
    states = [each for each in found if each not in xs and each is not h]
    if len(xs) != 1 or len(states) > 1:
        return None
    (x,), c = xs, next(iter(states), None)
    computed = [atom for atom in atoms if isinstance(atom, Computed)]
    sums = [_CellSum(atom.of[0], atom) for atom in computed if atom.function is not None]
    factors = [each for atom in computed if atom.function is None for each in atom.of]
    linear = {id(each): each for each in (formula, *factors) if _is_multiplied(each, x)}
    sums += map(_CellSum, linear.values())
    if any(each.of.width != h.width for each in sums):
        return None
    own = [h] if c is None else [h, c]
    candidates = _lstm if c is not None else _gru if factors else _rnn
    try:
        for cell in candidates(_Parts(sums, x, h, c)):
            if all(_gives(cell, own, each) for each in samples):
                return cell
    except OtherFormulaError:
        pass
    return None


def _gives(cell: FoundCell, own: Sequence[Variable], sample: StepSample) -> bool:
    """Whether a cell gives the next states of a sample."""
    given, results, precise = sample
    made = cell.step(given[cell.x], given[cell.h], None if cell.c is None else given[cell.c])
    expected = [results[each] for each in own if each in results]
    return len(made) == len(expected) and all(
        is_same(one, other, precise) for one, other in zip(made, expected, strict=True)
    )


def _is_multiplied(formula: Formula, x: Variable) -> bool:
    """Whether a formula has x times a matrix."""
    return x in formula.terms and formula.terms[x].ndim > 0


def _rnn(parts: _Parts) -> Iterator[FoundCell]:
    if len(parts.sums) == 1 and parts.direct:
        yield _cell("RNN", [parts.gate(parts.sums[0])], [], parts)


def _gru(parts: _Parts) -> Iterator[FoundCell]:
    direct = parts.direct
    if len(direct) > _MOST_GRU_SUMS:
        return
    for inner in parts.sums:
        products = inner.products
        if len(products) != 1 or not {*inner.of.terms} <= {parts.x, *products}:
            continue
        factor = inner.of.terms[products[0]]
        for r, reset in itertools.permutations(products[0].of):
            gates = [each for each in direct if each.factor(r) is not None]
            if len(gates) != 1 or not {*reset.terms} <= {parts.h}:
                continue
            scale = gates[0].factor(r)
            second, is_after = parts.gate(gates[0]), not factor.ndim
            if is_after:
                product, own = factor * scale * reset.matrix(parts.h), factor * scale * reset.row
            else:
                product, own = scale * reset.matrix(parts.h) @ factor, second.own_bias
            W, bias = inner.of.matrix(parts.x), inner.of.row
            n = Gate(inner.function, W, product, bias, own, second.peephole)
            for first in (parts.gate(each) for each in direct if each is not gates[0]):
                for z in (first, *first.opposites):
                    if z.function == second.function:
                        functions = [inner.function]
                        yield _cell("GRU", [z, second, n], functions, parts, is_after=is_after)


def _lstm(parts: _Parts) -> Iterator[FoundCell]:
    gates = [parts.gate(each, parts.c) for each in parts.direct]
    others = [each for each in parts.sums if each not in parts.direct]
    late = [each for each in others if parts.x in each.of.terms]
    last = [each.function for each in others if each not in late]
    if not _LEAST_LSTM_SUMS <= len(gates) + len(late) <= _MOST_LSTM_SUMS or len(last) > 1:
        return
    outputs = [parts.gate(each, next(iter(each.products), None)) for each in late]
    for o in outputs or gates:
        for chosen in itertools.permutations([each for each in gates if each is not o]):
            *pair, g = chosen
            pairs = [pair] if len(pair) > 1 else []
            if len(pair) == 1:
                pairs = [each for f in pair[0].opposites for each in ([pair[0], f], [f, pair[0]])]
            for i, f in pairs:
                if i.function == o.function == f.function and not np.any(g.peephole):
                    functions = [g.function, *(last or [LINEAR])]
                    yield _cell("LSTM", [i, o, f, g], functions, parts)


_MOST_GRU_SUMS = 3
"""z and r, and 1 - z if it is linear."""

_LEAST_LSTM_SUMS, _MOST_LSTM_SUMS = 3, 4
"""The sums of an LSTM: 3 if its forget gate is 1 minus its input gate, else 4."""


def _cell(
    operator: str,
    gates: Sequence[Gate],
    functions: Sequence[Function],
    parts: _Parts,
    *,
    is_after: bool = False,
) -> FoundCell:
    functions = [gates[0].function, *functions]
    return FoundCell(operator, gates, functions, parts.x, parts.h, parts.c, is_after)
