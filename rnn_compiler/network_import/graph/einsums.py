"""Rewrites Einsums as products of matrices.

IREE's importer multiplies two factors after the other too, but sums over a letter that a later
factor still has. Here a letter stays until no other factor has it:

    bj,ji,j->bi    becomes    bj,ji->bji    bji,j->bi

Nor does it take ellipses over open axes, or join several of them. Of two factors, the letters
become three groups of axes, those in both factors and the result come first:

    bqhd,bkhd->bhqk    is    MatMul([b, h, q, d], [b, h, d, k])
"""

from __future__ import annotations

import itertools
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites


@rewrites("Einsum", least_opset=13)  # from which the axes of ReduceSum are an input
def plain_einsums(graph: Graph, node: Any, _: Any) -> list[Any]:
    """The products of two; the node itself if it has another form."""
    equation: str = attributes_of(node)["equation"].s.decode().replace(" ", "")
    shapes = graph.shapes()
    given = [shapes.get(name) for name in node.input]
    ranks = [len(shape) for shape in given if shape is not None]
    found = _terms(equation, ranks) if len(ranks) == len(node.input) else None
    if found is None:
        return [node]
    *terms, result = found
    if len(terms) > 2:
        return _by_two(graph, node, terms, result)
    sizes = _sizes(terms, [shape for shape in given if shape is not None])
    if sizes is None:
        return [node]
    if len(terms) == 1:
        return _summed(graph, node, terms[0], result)
    return _ProductNodes(graph, node, sizes).nodes(terms[0], terms[1], result)


def _terms(equation: str, ranks: Sequence[int]) -> list[str] | None:
    """The letters of each factor and of the result, without ellipses; None for diagonals."""
    given, arrow, result = equation.partition("->")
    terms = given.split(",")
    if len(terms) != len(ranks):
        return None
    free = [letter for letter in string.ascii_letters if letter not in equation]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    most = max((n for n, term in zip(counts, terms, strict=True) if "." in term), default=0)
    others = "".join(free[:most])
    if not arrow:
        letters = Counter(given.replace(",", "").replace(".", ""))
        result = "".join(sorted(each for each in letters if letters[each] == 1))
        result = ("..." if "." in given else "") + result
    each = [t.replace("...", others[most - n :]) for t, n in zip(terms, counts, strict=True)]
    found = [*each, result.replace("...", others)]
    is_plain = all(len(set(term)) == len(term) and "." not in term for term in found)
    fits = all(len(term) == rank for term, rank in zip(each, ranks, strict=True))
    return found if is_plain and fits and {*found[-1]} <= {*"".join(each)} else None


def _sizes(terms: Sequence[str], shapes: Sequence[Sequence[int | None]]) -> dict[str, int] | None:
    """The size of each letter; None if one is unknown, or is not the same in both factors."""
    sizes: dict[str, int] = {}
    for letter, size in itertools.chain(*map(zip, terms, shapes)):
        if size is None or sizes.setdefault(letter, size) != size:
            return None
    return sizes


def _summed(graph: Graph, node: Any, term: str, result: str) -> list[Any]:
    """The sum of an array over some axes, with the others in another order."""
    made = Replacement(graph, node)
    (name,), axes = node.input, [axis for axis, letter in enumerate(term) if letter not in result]
    if axes:
        name = made.add("ReduceSum", name, made.constant(axes), keepdims=0)
        term = "".join(letter for letter in term if letter in result)
    made.add("Transpose", name, perm=[term.index(letter) for letter in result])
    return made.finished()


def _by_two(graph: Graph, node: Any, terms: Sequence[str], result: str) -> list[Any]:
    """The products of two factors, one after the other."""
    made = Replacement(graph, node)
    left, name = terms[0], node.input[0]
    for number, right in enumerate(terms[1:], 1):
        later = {*result, *"".join(terms[number + 1 :])}
        kept = "".join(dict.fromkeys(letter for letter in left + right if letter in later))
        after = result if number == len(terms) - 1 else kept
        name = made.add("Einsum", name, node.input[number], equation=f"{left},{right}->{after}")
        left = after
    made.add("Identity", name)  # has the name of the node, unlike the products
    return made.finished()


class _ProductNodes:
    """The nodes of a product of two factors."""

    def __init__(self, graph: Graph, node: Any, sizes: Mapping[str, int]) -> None:
        self._made = Replacement(graph, node)
        self._names = [*node.input]
        self._sizes = sizes

    def nodes(self, left: str, right: str, result: str) -> list[Any]:
        """The nodes, given the letters of the factors and of the result."""
        left, right = (
            self._summed(number, term, {*other, *result})
            for number, (term, other) in enumerate(((left, right), (right, left)))
        )
        both = "".join(letter for letter in result if letter in left and letter in right)
        inner = "".join(letter for letter in left if letter in right and letter not in result)
        rows, columns = (
            "".join(letter for letter in result if letter in term and letter not in both)
            for term in (left, right)
        )
        first = self._arranged(0, left, [*both, *(rows if rows and not both else [rows]), inner])
        second = self._arranged(1, right, [*both, inner, columns])
        name = self._made.add("MatMul", first, second)
        letters = both + rows + columns
        if len(columns) != 1 or (len(rows) != 1 and (both or not rows)):
            sizes = [self._sizes[letter] for letter in letters]
            name = self._made.add("Reshape", name, self._made.constant(sizes))
        self._transposed(name, letters, result)
        return self._made.finished()

    def _summed(self, number: int, term: str, kept: set[str]) -> str:
        """Sums over the letters of a factor that neither the other one nor the result has."""
        axes = [axis for axis, letter in enumerate(term) if letter not in kept]
        if axes:
            constant = self._made.constant(axes)
            name = self._made.add("ReduceSum", self._names[number], constant, keepdims=0)
            self._names[number] = name
        return "".join(letter for letter in term if letter in kept)

    def _arranged(self, number: int, term: str, groups: Sequence[str]) -> str:
        """A factor with an axis for each group of letters."""
        name = self._transposed(self._names[number], term, "".join(groups))
        if all(len(group) == 1 for group in groups):
            return name
        sizes = [self._count(group) for group in groups]
        return self._made.add("Reshape", name, self._made.constant(sizes))

    def _count(self, group: str) -> int:
        count = 1
        for letter in group:
            count *= self._sizes[letter]
        return count

    def _transposed(self, name: str, before: str, after: str) -> str:
        """An array with its letters in another order."""
        if before == after:
            return name
        return self._made.add("Transpose", name, perm=[before.index(letter) for letter in after])
