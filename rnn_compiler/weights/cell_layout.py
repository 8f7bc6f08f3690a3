"""How a cell of a framework stores its weights: the form of the rows of `cell_table`.

A row has an entry per array, ``"kernel W I,ifno"``: its name, which part of the cell it holds, and
its axes. Parts are

    W  input matrix      bW  its bias      P  peephole weights      Wp  projection
    R  recurrent matrix  bR  its bias

and axes are products of

    I  size of the input      H  number of units      h  size of the state, H without a projection
    letters  gates, H numbers each: i, f, o, n (the candidate) of an LSTM; r, z, n of a GRU; n
    :letters  gates on an axis of their own, beside an axis H
    H:letters  units, each with its gates side by side
    1  an axis of one element

An array that holds several parts joins them along an axis, whose number stands between them:
``"w W I,info 0 R h,info"`` has the rows of x first. The same array may have several entries. A name
that ends in ``?`` is optional; arrays with the same letters after it are there together, or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Factors = tuple[str, ...]
"""An axis: sizes and gates whose product it is, the slowest first."""


class Piece(NamedTuple):
    """The numbers of one part in an array."""

    part: str
    axes: tuple[Factors, ...]

    @property
    def gates(self) -> str:
        """Its gates, in order; empty for a projection."""
        return "".join(f for axis in self.axes for f in axis if f not in _SIZES)


_SIZES = ("I", "H", "h", "1")


@dataclass(frozen=True)
class CellArray:
    """An array of a cell.

    Attributes:
        name: Its name in the framework.
        pieces: The parts that it holds.
        axis: The axis along which several pieces are joined.
        group: Empty if the array is required; else optional arrays with this name come together.
    """

    name: str
    pieces: tuple[Piece, ...]
    axis: int = 0
    group: str = ""

    @staticmethod
    def parsed(entry: str) -> CellArray:
        """The array of an entry.

        Example:
            >>> array = CellArray.parsed("b?bias bW H:nf")
            >>> array.name, array.group, array.pieces[0].axes
            ('b', 'bias', (('H', 'nf'),))
        """
        name, *words = entry.split()
        name, optional, group = name.partition("?")
        axis = max((int(word) for word in words if word.isdecimal()), default=0)
        words = [word for word in words if not word.isdecimal()]
        pieces = tuple(
            Piece(part, tuple(map(_factors, axes.split(","))))
            for part, axes in zip(words[::2], words[1::2], strict=True)
        )
        return CellArray(name, pieces, axis, group or optional)

    def axes(self) -> Iterator[tuple[int, list[Factors]]]:
        """Each axis, with the products whose sum is its size."""
        for number, axis in enumerate(self.pieces[0].axes):
            joined = number == self.axis
            yield number, [piece.axes[number] for piece in self.pieces] if joined else [axis]


def _factors(text: str) -> Factors:
    """The factors of an axis.

    Example:
        >>> [_factors(text) for text in ("I", "H:nf", ":nf", "nf")]
        [('I',), ('H', 'nf'), ('nf',), ('nf', 'H')]
    """
    before, colon, after = text.partition(":")
    if colon:
        return (before, after) if before else (after,)
    return (text,) if text in _SIZES else (text, "H")


Arrays = Mapping[str, Any]
"""Arrays by their names in the framework."""

Unstacked = dict[tuple[int, int], dict[str, Any]]
"""The arrays of a module's cells by layer and direction."""


@dataclass(frozen=True)
class CellRow:
    """A cell of a framework.

    Attributes:
        kind: "lstm", "gru" or "rnn".
        arrays: Its arrays.
        forget_bias: What the cell adds to its forget gate when it runs.
        forget_bias_varies: Whether that is an option of the cell.
        resets_first: Whether a GRU multiplies the state by r before the matrix product.
        weighs_new: Whether z weighs a GRU's new value, not its old state.
        activation: The default activation, by its name in Keras.
        recurrent_activation: That of the gates.
        slope: The slope of hard_sigmoid.
        unstack: Splits the arrays of a module with layers and directions into those of its cells.
        ignored: A pattern of names that are no weights, or again the same ones.
        states: A pattern of names of states before the first step.
        positional: Whether the framework lists the arrays in this order, without names.
        note: What the layer does not compute as the framework does.
        source: The file that defines it.
        beware: What is easily overlooked.
    """

    kind: str
    arrays: tuple[CellArray, ...]
    source: str
    beware: str = ""
    forget_bias: float = 0.0
    forget_bias_varies: bool = False
    resets_first: bool = False
    weighs_new: bool = False
    activation: str = "tanh"
    recurrent_activation: str = "sigmoid"
    slope: float = 1 / 6
    unstack: Callable[[Arrays], Unstacked] | None = None
    ignored: str = ""
    states: str = ""
    positional: bool = False
    note: str = ""

    @property
    def names(self) -> dict[str, str]:
        """The names of its arrays, each with the group of optional ones that it is in."""
        return {array.name: array.group for array in self.arrays}

    @property
    def gates(self) -> str:
        """Its gates in cuDNN's order."""
        return {"lstm": "ifno", "gru": "rzn", "rnn": "n"}[self.kind]


NO_CELL = (-1, 0)
"""Where arrays are that belong to no cell of a module."""


def by_number(*patterns: str, directions: int = 1) -> Callable[[Arrays], Unstacked]:
    """Splits arrays by their names, of which a pattern's groups are name, layer and reverse.

    With 2 directions, what is in the group layer counts both: 0 and 1 are those of layer 0.

    Example:
        >>> split = by_number(r"(?P<name>.*)_l(?P<layer>[0-9]+)(?P<reverse>_reverse)?")
        >>> split({"bias_l0": 1, "bias_l0_reverse": 2, "other": 3})
        {(0, 0): {'bias': 1}, (0, 1): {'bias': 2}, (-1, 0): {'other': 3}}
    """

    def split(arrays: Arrays) -> Unstacked:
        found: Unstacked = {}
        for given, array in arrays.items():
            matches = (re.fullmatch(pattern, given) for pattern in patterns)
            match = next(filter(None, matches), None)
            if match is None:
                found.setdefault(NO_CELL, {})[given] = array
                continue
            groups = match.groupdict()
            layer, direction = divmod(int(groups["layer"]), directions)
            at = (layer, direction or int(bool(groups.get("reverse"))))
            found.setdefault(at, {})[groups["name"]] = array
        return found

    return split


def by_direction(arrays: Arrays) -> Unstacked:
    """Splits arrays whose first axis is the directions of one layer.

    Example:
        >>> import numpy as np
        >>> {at: array["b"].shape for at, array in by_direction({"b": np.ones((2, 5))}).items()}
        {(0, 0): (5,), (0, 1): (5,)}
    """
    found: Unstacked = {}
    for name, array in arrays.items():
        for direction, each in enumerate(array if array.ndim else [array]):
            found.setdefault((0, direction), {})[name] = each
    return found
