"""Finds the cell of LSTM, GRU or SimpleRNN that a loop of TensorFlow computes.

Readers of graphs follow a step as formulas (`formulas`), arrays and what is `Other` than these. The
order and the number of operators vary from version to version; `cell_search` finds the cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rnn_compiler.lowering.analysis.cell_steps import applied, precision
from rnn_compiler.model_import.cell_search import FoundCell, cell_of, samples_of
from rnn_compiler.model_import.formulas import (
    Algebra,
    Atom,
    Formula,
    OtherFormulaError,
    Variable,
    formula_in,
    is_array,
    variable,
)
from rnn_compiler.model_import.reading import MOST_AXES, Budget
from rnn_compiler.schema.dtypes import FLOAT_DTYPES


class UnknownCellError(Exception):
    """A loop that is none of the cells; the message says what was found."""


@dataclass(frozen=True, eq=False)
class Other:
    """A value that is no formula: a ``"sequence"``, a ``"list"``, the ``"unknown"``.

    A ``"select"`` is `of` a mask, the value where it is true, and the one where it is false.
    """

    kind: str
    of: Sequence[Value] = ()
    number: int = 0


Value: TypeAlias = Any
"""A value of a step: a `Formula`, an `Other`, or an array, which is a constant."""


@dataclass(frozen=True)
class LoopCell:
    """A cell of a loop.

    Attributes:
        found: The cell.
        dtype: The dtype of its matrices.
        sequence: The number of the loop's argument that is the input.
        states: The numbers of those that are h and, of an LSTM, c.
        mask: The number of the argument that says which steps leave the states as they are.
    """

    found: FoundCell
    dtype: Any
    sequence: int
    states: tuple[int, ...]
    mask: int | None = None


MOST_STATES = 8
"""The most states of a loop; an LSTM has two, and the list of results."""

_ROWS = 8
"""The rows of the batch at which a cell is compared with a step."""


class _Item(NamedTuple):
    """The item of a sequence, by its number, at a place."""

    sequence: int
    place: Formula


class Expressions(Algebra):
    """Makes formulas of a step of a loop, within a budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget.take)
        self.budget = budget
        self._items: dict[_Item, Formula] = {}
        self._dtype: Any = np.dtype(np.float32)

    def item(self, sequence: Value, place: Value) -> Formula:
        """An item of a sequence."""
        if not isinstance(sequence, Other) or sequence.kind != "sequence":
            raise OtherFormulaError
        item = _Item(sequence.number, formula_in(place))
        return self._items.setdefault(item, variable("x"))

    def matmul(self, first: Any, weights: Any) -> Formula:
        """A value times a matrix."""
        if not is_array(weights) or weights.dtype.name not in FLOAT_DTYPES:
            raise OtherFormulaError
        self.budget.take(weights.nbytes // 4)  # a step may be that of many loops
        self._dtype = weights.dtype
        return super().matmul(first, weights)

    def between(self, value: Value, start: int | None, stop: int | None) -> Value:
        """Some columns of a value; bounds below 0 count from the last one."""
        if is_array(value) and value.ndim and value[..., start:stop].size:
            return value[..., start:stop]
        return self.columns(value, start, stop)

    def part(self, value: Value, sizes: Sequence[int], k: int) -> Value:
        """One of several parts of given sizes, of which one may be -1: what remains."""
        count: int = value.shape[-1] if is_array(value) else formula_in(value).width
        if [*sizes].count(-1) == 1:
            sizes = [each if each != -1 else count - sum(sizes) - 1 for each in sizes]
        if sum(sizes) != count or min(sizes) < 0:
            raise OtherFormulaError
        return self.between(value, sum(sizes[:k]), sum(sizes[: k + 1]))

    def cell(
        self, states: Mapping[int, tuple[Value, Value]], counters: Sequence[Formula]
    ) -> LoopCell:
        """The cell of some states, old and new; UnknownCellError if they are no cell's."""
        if len(states) > MOST_STATES:
            raise UnknownCellError(f"{len(states)} states")
        masks = {
            k: new.of[0]
            for k, (old, new) in states.items()
            if isinstance(new, Other) and new.kind == "select" and new.of[2] is old
        }
        after = {k: new.of[1] if k in masks else new for k, (_, new) in states.items()}
        numbers = {each: k for k, (old, _) in states.items() for each in _variables(old)}
        items = {
            each: item.sequence
            for item, value in self._items.items()
            if any(item.place is counter for counter in counters)
            for each in _variables(value)
        }
        draw, scales = np.random.default_rng(0), np.logspace(0, -3, _ROWS)[:, None]
        sample = {
            each: draw.standard_normal((_ROWS, each.width)) * scales for each in (*items, *numbers)
        }
        news = {
            each: new
            for each, k in numbers.items()
            if isinstance(new := after[k], Formula) and each.width == new.width > 0
            if all(atom in sample for atom in new.atoms() if isinstance(atom, Variable))
        }

        def step(given: Mapping[Variable, Any]) -> dict[Variable, Any]:
            known: dict[Atom, Any] = {**given}
            return {each: _computed(new, known) for each, new in news.items()}

        samples = samples_of(step, sample, precision(self._dtype))
        for h, new in news.items():
            cell = cell_of(new, h, [*items], samples)
            if cell is not None and len(cell.weights) == len("WRB"):
                owned = tuple(numbers[each] for each in (cell.h, cell.c) if each is not None)
                _check_rest(after, owned)
                mask = _mask([masks.get(k) for k in owned], items)
                return LoopCell(cell, self._dtype, items[cell.x], owned, mask)
        raise UnknownCellError("a step that is not that of an LSTM, GRU or RNN")


def _variables(value: Value) -> Sequence[Variable]:
    """The variable that a value is; none if it is another one."""
    if not isinstance(value, Formula) or np.any(value.bias):
        return []
    found = [each for each, factor in value.terms.items() if not factor.ndim and factor == 1]
    return [each for each in found if isinstance(each, Variable) and len(value.terms) == 1]


def _computed(formula: Formula, known: dict[Atom, Any]) -> Any:
    """A formula's numbers in float64, from those of its variables."""
    made: Any = formula.bias
    for atom, factor in formula.terms.items():
        if atom not in known and not isinstance(atom, Variable):
            parts = [_computed(each, known) for each in atom.of]
            of = atom.function
            known[atom] = parts[0] * parts[1] if of is None else applied(of, parts[0])
        made = made + (known[atom] @ factor if factor.ndim else known[atom] * factor)
    return made


def _check_rest(states: Mapping[int, Value], found: Sequence[int]) -> None:
    """Checks that states besides those of a cell are no other cell's: lists, and rows of them.

    Such a row may be another value, as zeros, in steps that a mask leaves out.
    """
    for k, new in states.items():
        row = new.of[1] if isinstance(new, Other) and new.kind == "select" else new
        is_list = isinstance(row, Other) and row.kind == "list"
        if k not in found and not is_list and all(row is not states[each] for each in found):
            raise UnknownCellError("states of several cells")


def _mask(masks: Sequence[Value | None], items: Mapping[Variable, int]) -> int | None:
    """The argument whose steps choose between new and old states; None if all are new."""
    mask = masks[0]
    if any(each is not mask for each in masks):
        raise UnknownCellError("states with several masks")
    if mask is None:
        return None
    found = [items[each] for each in _variables(mask) if each in items]
    if not found:
        raise UnknownCellError("a mask that is not read step by step")
    return found[0]


def is_next(new: Value, old: Value) -> bool:
    """Whether a value is one more than another, which is a variable."""
    if not isinstance(new, Formula) or not np.all(new.bias == 1):
        return False
    return [*_variables(old)] == [*_variables(replace(new, bias=np.zeros(())))] != []


def onnx_weights(cell: LoopCell) -> Sequence[Any]:
    """W, R and B of ONNX's operator, in the type of the matrices."""
    return [array.astype(cell.dtype)[None] for array in cell.found.weights]


def integers(value: Value) -> list[int]:
    """The elements of a constant of few integers; of others ValueError."""
    if not is_array(value) or value.dtype.kind != "i" or value.size > MOST_AXES:
        raise ValueError
    return value.ravel().tolist()


def is_number(value: Value, number: float) -> bool:
    """Whether a value is a constant of one number."""
    return is_array(value) and value.size == 1 and value.item() == number
