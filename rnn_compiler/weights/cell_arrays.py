"""Puts the arrays of a framework's cell in the form that our ops have, by the row for that cell.

Sizes follow from the shapes, which must agree. Each number then goes where a cell of cuDNN has it
(`Stack`), gates in cuDNN's order; a number that the framework does not have is 0. What a cell adds
to its forget gate becomes part of its bias. Where z weighs the new value, its numbers are negated:
sigmoid(-x) = 1 - sigmoid(x).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.weights.cell_layout import CellRow, Factors, Piece
from rnn_compiler.weights.stacked import Array, ArrayReader, Stack

PEEPHOLES = "iof"
"""The gates with peepholes, in ONNX's order."""

_MEANINGS = {"I": "input_size", "H": "num_units", "h": "num_units"}


class CellArrays(NamedTuple):
    """One direction of a layer.

    Attributes:
        stack: Its matrices and biases.
        peepholes: ``[3H]`` in ONNX's order, or None.
        units: H.
    """

    stack: Stack
    peepholes: Array | None
    units: int

    @property
    def inputs(self) -> int:
        """The size of its input."""
        return self.stack.input.shape[1]

    @property
    def state(self) -> int:
        """The size of its state and output."""
        return self.stack.recurrent.shape[1]


def cell_arrays(
    read: ArrayReader, row: CellRow, given: Mapping[str, Any], label: str
) -> CellArrays:
    """The arrays of one cell.

    Raises InvalidArgumentError: an array has the wrong dtype or shape.
    """
    present = [array for array in row.arrays if array.name in given]
    projects = any(piece.part == "Wp" for array in present for piece in array.pieces)
    meanings = {**_MEANINGS, "h": "proj_size"} if projects else _MEANINGS
    formulas = {
        array.name: f"[{', '.join(_sum(terms, meanings) for _, terms in array.axes())}]"
        for array in present
    }
    arrays = {
        name: read.array(f"{label}{name}", given[name], formula)
        for name, formula in formulas.items()
    }
    sizes: dict[str, int] = {}
    for symbol in ("H", "h", "I"):
        if symbol == "h" and not projects:
            sizes["h"] = sizes["H"]
            continue
        told = [
            (array.name, _solved(symbol, terms, arrays[array.name].shape[number], sizes))
            for array in present
            for number, terms in array.axes()
            if _unknown(terms, sizes) == {symbol}
        ]
        # If no shape gives a size, the first one that should is at fault.
        size = next((size for _, size in told if size), None)
        if size is None:
            name = told[0][0]
            expected = f"shape {formulas[name]}, sizes of at least 1"
            got = f"shape {list(arrays[name].shape)}"
            raise InvalidArgumentError(read.function, f"{label}{name}", expected, got)
        sizes[symbol] = size
    parts: dict[str, dict[str, Any]] = {}
    for array in present:
        shape = [sum(_product(each, sizes) for each in terms) for _, terms in array.axes()]
        name = array.name
        checked = read.array(f"{label}{name}", arrays[name], formulas[name], shape)
        stops = np.cumsum([_product(piece.axes[array.axis], sizes) for piece in array.pieces])
        for piece, own in zip(array.pieces, np.split(checked, stops[:-1], array.axis), strict=True):
            parts.setdefault(piece.part, {}).update(_by_gate(piece, own, sizes))
    return _assembled(row, parts, sizes["H"])


def _product(factors: Factors, sizes: Mapping[str, int]) -> int:
    """The size of an axis; gates count by their number."""
    return math.prod(sizes.get(each, len(each)) for each in factors)


def _unknown(terms: list[Factors], sizes: Mapping[str, int]) -> set[str]:
    """The sizes that an axis depends on and that are not known yet."""
    return {f for term in terms for f in term if f in _MEANINGS and f not in sizes}


def _solved(symbol: str, terms: list[Factors], total: int, sizes: Mapping[str, int]) -> int | None:
    """The size with which an axis has its length; None if there is none above 0."""
    zero, one = (
        sum(_product(term, {**sizes, symbol: value}) for term in terms) for value in (0, 1)
    )
    size, rest = divmod(total - zero, one - zero)
    return size if size > 0 and not rest else None


def _sum(terms: list[Factors], meanings: Mapping[str, str]) -> str:
    """The size of an axis in words.

    Example:
        >>> _sum([("I",), ("h",)], _MEANINGS), _sum([("ifno", "H")], _MEANINGS)
        ('input_size + num_units', '4 * num_units')
        >>> _sum([("n", "H")], _MEANINGS), _sum([("rzn",), ("n",)], _MEANINGS)
        ('num_units', '4')
    """
    if not any(factor in meanings for term in terms for factor in term):
        return str(sum(_product(term, {}) for term in terms))
    words: list[str] = []
    for term in terms:
        count = math.prod(len(each) for each in term if each not in meanings)
        sizes = [meanings[each] for each in term if each in meanings]
        words.append(" * ".join([*([str(count)] if count > 1 or not sizes else []), *sizes]))
    return " + ".join(words)


def _by_gate(piece: Piece, array: Any, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The arrays of gates in a piece, units first; a projection is under the name of no gate."""
    factors = [factor for axis in piece.axes for factor in axis if factor != "1"]
    array = array.reshape([sizes.get(factor, len(factor)) for factor in factors])
    first = [factors.index(each) for each in (piece.gates or "h", "H")]
    array = array.transpose(first + [k for k in range(len(factors)) if k not in first])
    return dict(zip(piece.gates, array, strict=True)) if piece.gates else {"": array}


def _assembled(row: CellRow, parts: Mapping[str, dict[str, Any]], units: int) -> CellArrays:
    """The cell in cuDNN's form."""
    zero = np.zeros(units, next(iter(parts["W"].values())).dtype)
    stacked: list[Any] = []
    for part in ("W", "R", "bW", "bR"):
        gates = dict(parts.get(part, {}))
        if part == "bW" and row.forget_bias:
            gates["f"] = gates.get("f", zero) + zero.dtype.type(row.forget_bias)
        if row.weighs_new and "z" in gates:
            gates["z"] = -gates["z"]
        stacked.append(np.concatenate([gates.get(gate, zero) for gate in row.gates]))
    w, r, input_bias, bias = stacked
    peepholes = parts.get("P", {})
    return CellArrays(
        Stack(w, r, input_bias, bias, parts.get("Wp", {}).get("")),
        np.concatenate([peepholes[gate] for gate in PEEPHOLES]) if peepholes else None,
        units,
    )
