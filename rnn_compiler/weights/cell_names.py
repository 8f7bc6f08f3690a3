"""Finds the arrays of a framework's cells by their names, in whatever tree they are passed.

A tree may hold one cell, somewhere inside (`_common_prefix`), or a module with layers and
directions whose names have numbers (`CellRow.unstack`). Several cells are a list of trees, or one
tree with several prefixes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.weights.cell_layout import NO_CELL, CellRow, Unstacked
from rnn_compiler.weights.trees import is_tree, leaf_array, named_leaves

FUNCTION = "from_cell"

_SEPARATOR, _LIKELY = re.compile(r"[.:]"), re.compile(r"[._:]")
"""What a prefix ends in, and what one that the user must name may end in."""

_MOST_TOLD = 12

_DIRECTIONS = ("forward", "backward")

_A_STATE = "the state before the first step, which a call must pass"


class FoundCells(NamedTuple):
    """The arrays of a call.

    Attributes:
        cells: Those of each cell, by the row's names; layer by layer, forward first.
        both: Whether each layer runs in both directions.
        notes: What else there was.
    """

    cells: list[dict[str, Any]]
    both: bool
    notes: list[str]

    def label(self, number: int) -> str:
        """Which cell an array is of, for messages; empty if there is one."""
        if len(self.cells) == 1:
            return ""
        layer, direction = divmod(number, 1 + self.both)
        return f"layer {layer}, {_DIRECTIONS[direction]}: "


def find_cells(
    name: str, row: CellRow, parameters: Any, prefix: str | Sequence[str], both: bool | None
) -> FoundCells:
    """The arrays of each cell; InvalidArgumentError if one is missing or unknown."""
    notes = [row.note] if row.note else []
    modules = [_cells_of(name, row, *each, notes) for each in _trees(parameters, prefix)]
    if len(modules) == 1:
        (module,) = modules
        told = any(direction for _, direction in module)
        _check_complete(name, module, told)
        if len(module) > 1 and both not in (None, told):
            expected = f"{told}, as the names of the arrays say"
            raise InvalidArgumentError(FUNCTION, "bidirectional", expected, f"{both}")
        found = FoundCells([module[at] for at in sorted(module)], told or bool(both), notes)
    else:
        for number, module in enumerate(modules):
            if len(module) > 1:
                expected = "a cell in each of several trees, or one tree with all cells"
                got = f"{len(module)} cells in parameters[{number}]"
                raise InvalidArgumentError(FUNCTION, "parameters", expected, got)
        cells = [arrays for module in modules for arrays in module.values()]
        found = FoundCells(cells, bool(both), notes)
    if found.both and len(found.cells) % 2:
        expected = "a forward and a backward cell for each layer, as bidirectional=True needs"
        raise InvalidArgumentError(FUNCTION, "parameters", expected, f"{len(found.cells)} cells")
    return found


def _trees(parameters: Any, prefix: str | Sequence[str]) -> list[tuple[Any, str]]:
    """Trees of arrays, each with the prefix of the names that count."""
    prefixes = [prefix] if isinstance(prefix, str) else []
    if isinstance(prefix, (list, tuple)):
        prefixes = list(cast(Sequence[Any], prefix))
    if not prefixes or not all(isinstance(each, str) for each in prefixes):
        expected = "a prefix of names, or a list of them, one a cell"
        raise InvalidArgumentError(FUNCTION, "prefix", expected, describe(prefix))
    several = isinstance(parameters, (list, tuple))
    trees = list(cast(Sequence[Any], parameters)) if several else []
    if not trees or not all(is_tree(each) for each in trees):
        return [(parameters, each) for each in prefixes]
    if len(prefixes) > 1:
        expected = "one prefix for a list of trees"
        raise InvalidArgumentError(FUNCTION, "prefix", expected, describe(prefix))
    return [(tree, prefixes[0]) for tree in trees]


def _cells_of(name: str, row: CellRow, tree: Any, prefix: str, notes: list[str]) -> Unstacked:
    """The cells in a tree, which are complete and all that is in it under a prefix."""
    given = named_leaves(FUNCTION, "parameters", tree)
    prefix = prefix.replace("/", ".")
    named = {
        key[len(prefix) :]: leaf_array(FUNCTION, key, leaf)
        for key, leaf in given.items()
        if key.startswith(prefix) and not re.fullmatch(row.ignored, key[len(prefix) :])
    }
    if row.states:
        states = [key for key in named if re.fullmatch(row.states, key)]
        values = {key: named.pop(key) for key in states}
        notes += [f"{key} is {_A_STATE}" for key, array in values.items() if np.any(array)]
    remedy = _remedy(row, given, prefix)
    if row.positional and named and all(key.isdecimal() for key in named):
        remedy = "pass a list of lists of arrays, one a cell" if len(named) > len(row.names) else ""
        named = dict(zip([*row.names, *named], named.values(), strict=False))
    common = _common_prefix(row, named)
    inside = {key for key in named if key.startswith(common)}
    cells = _unstacked(row, {key[len(common) :]: named[key] for key in named if key in inside})
    others = {key: array for key, array in named.items() if key not in inside}
    others |= cells.pop(NO_CELL, {})
    for cell in cells.values():
        others |= {each: array for each, array in cell.items() if each not in row.names}
    if others:
        expected = f"only the arrays of {name}: {_told(row.names)}"
        key, array = next(iter(others.items()))
        got = f"{describe(f'{prefix}{key}')} {list(array.shape)} too"
        raise InvalidArgumentError(FUNCTION, "parameters", expected, got, remedy)
    count = 1 + max((direction for _, direction in cells), default=0)
    if count > len(_DIRECTIONS):
        expected = "arrays of 1 or 2 directions, which are their first axis"
        raise InvalidArgumentError(FUNCTION, "parameters", expected, f"{count}")
    for at, cell in cells.items() or [((0, 0), {})]:
        groups = {row.names[each] for each in cell}
        for each, group in row.names.items():
            if each not in cell and (not group or group in groups):
                where = f" in layer {at[0]}, {_DIRECTIONS[at[1]]}," if len(cells) > 1 else ","
                expected = f"{describe(each)}{where} an array of {name} ({_told(row.names)})"
                got = f"only {_told(cell or given) or 'an empty tree'}"
                raise InvalidArgumentError(FUNCTION, "parameters", expected, got, remedy)
    return cells


def _unstacked(row: CellRow, arrays: Mapping[str, Any]) -> Unstacked:
    """The arrays of each cell in those of a module."""
    if row.unstack is None:
        return {(0, 0): dict(arrays)} if arrays else {}
    cells = row.unstack(arrays)
    return {at: {name: np.asarray(each[name]) for name in each} for at, each in cells.items()}


def _is_known(row: CellRow, name: str) -> bool:
    """Whether a name is one of a cell's arrays, of a module with one layer or with more."""
    cells = _unstacked(row, {name: np.zeros((1, 1))}).items()
    return any(each in row.names for at, cell in cells if at != NO_CELL for each in cell)


def _prefixes(
    row: CellRow, names: Iterable[str], separator: re.Pattern[str] = _SEPARATOR
) -> dict[str, int]:
    """What precedes the names of a cell's arrays, each with how many arrays that makes known."""
    found: dict[str, int] = {}
    for name in names:
        ends = [0, *(match.end() for match in separator.finditer(name))]
        for prefix in (name[:end] for end in ends if _is_known(row, name[end:])):
            found[prefix] = found.get(prefix, 0) + 1
    return found


def _common_prefix(row: CellRow, names: Iterable[str]) -> str:
    """What precedes the names of most of the cell's arrays."""
    found = _prefixes(row, names)
    return max(found, key=lambda prefix: (found[prefix], -len(prefix)), default="")


def _remedy(row: CellRow, given: Iterable[str], prefix: str) -> str:
    """The prefixes under which a cell is in a larger tree."""
    least = sum(not group for group in row.names.values())
    found = [each for each, count in _prefixes(row, given, _LIKELY).items() if count >= least]
    told = [repr(each[:80]) for each in found if each != prefix and each][:_MOST_TOLD]
    return f"pass {'one of ' if told[1:] else ''}prefix={', '.join(told)}" if told else ""


def _check_complete(name: str, cells: Unstacked, both: bool) -> None:
    """Checks that the numbers of layers and directions leave none out."""
    layers = max((layer for layer, _ in cells), default=0) + 1
    for layer in range(min(layers, len(cells) + 1)):
        for direction in range(1 + both):
            if (layer, direction) not in cells:
                expected = f"{name} with {layers} layers in {1 + both} directions"
                got = f"no arrays of layer {layer}, {_DIRECTIONS[direction]}"
                raise InvalidArgumentError(FUNCTION, "parameters", expected, got)


def _told(names: Iterable[str]) -> str:
    """Names for a message."""
    listed = [str(each)[:80] for each in names]
    more = f" and {len(listed) - _MOST_TOLD} more" if len(listed) > _MOST_TOLD + 1 else ""
    return ", ".join(listed[:_MOST_TOLD] if more else listed) + more
