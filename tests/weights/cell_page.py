"""The rows of docs/cells.md, from the table of cells."""

from __future__ import annotations

from collections.abc import Iterator

from weights.cell_formulas import parameters

import rnn_compiler as rc
from rnn_compiler.weights.cell_layout import CellArray, CellRow, Factors
from rnn_compiler.weights.cell_table import CELLS


def axis(terms: list[Factors]) -> str:
    """An axis as the page writes it: the units of gates are left out."""
    if all(term == ("1",) for term in terms):
        return str(len(terms))
    shown = (term[0] if term[1:] == ("H",) else " ".join(term) for term in terms)
    return " + ".join(shown)


def shown(array: CellArray) -> str:
    axes = ", ".join(axis(terms) for _, terms in array.axes())
    return f"`{array.name}[{axes}]`{'?' if array.group else ''}"


def row_of(names: list[str], row: CellRow) -> str:
    arrays = dict.fromkeys(map(shown, row.arrays))
    op = rc.weights.from_cell(names[0], parameters(names[0])).op
    cells = [", ".join(f"`{name}`" for name in names), ", ".join(arrays), op, row.beware]
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def rows() -> Iterator[tuple[str, str]]:
    """The first cell of each row, and the row; cells with the same content share one."""
    same: dict[tuple[object, ...], list[str]] = {}
    for name, row in CELLS.items():
        key = (name.partition(".")[0], row.arrays, row.beware, row.activation)
        same.setdefault(key, []).append(name)
    for names in same.values():
        yield names[0], row_of(names, CELLS[names[0]])
