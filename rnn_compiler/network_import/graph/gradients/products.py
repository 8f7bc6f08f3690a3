"""Rules for products of matrices: each factor's gradient is dy times the other, transposed."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Mapping

from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import ShapedValue
from rnn_compiler.schema.open_sizes import product


def _matmul(n: Backward) -> None:
    """C = A @ B: dA = dC @ B^T, dB = A^T @ dC, of all rows at once if B is a single matrix."""
    left, right, made = n.x, n.input(1), n.dy
    if left.rank == 1:
        rows = max(right.rank - 2, 0)
        made = made.reshape([*made.shape[:rows], 1, *made.shape[rows:]])
        left = left.reshape([1, *left.shape])
    if right.rank == 1:
        made, right = made.reshape([*made.shape, 1]), right.reshape([*right.shape, 1])
    if n.wants(0):
        gradient = made @ right.transposed
        row = [*gradient.shape[:-2], gradient.shape[-1]]
        n.give(0, gradient.reshape(row) if n.x.rank == 1 else gradient)
    if n.wants(1):
        if right.rank == 2 and left.rank > 2:
            left, made = _rows(left), _rows(made)
        gradient = left.transposed @ made
        row = gradient.shape[:-1]
        n.give(1, gradient.reshape(row) if n.input(1).rank == 1 else gradient)


def _rows(value: ShapedValue) -> ShapedValue:
    """The rows of all matrices as those of one."""
    return value.reshape([product(value.sizes[:-1]), value.shape[-1]])


def _gemm(n: Backward) -> None:
    """Y = alpha * A' @ B' + beta * C, where A' and B' may be transposed."""
    alpha, beta = n.number("alpha", 1.0), n.number("beta", 1.0)
    flips = [bool(n.number(name, 0)) for name in ("transA", "transB")]
    given = [n.input(k) for k in (0, 1)]
    A, B = (each.transposed if flip else each for each, flip in zip(given, flips, strict=True))
    AT, BT = (each if flip else each.transposed for each, flip in zip(given, flips, strict=True))
    dY = n.dy * alpha
    if n.wants(0):
        n.give(0, B @ dY.transposed if flips[0] else dY @ BT)
    if n.wants(1):
        n.give(1, dY.transposed @ A if flips[1] else AT @ dY)
    if n.wants(2):
        n.give(2, n.dy * beta)


def _einsum(n: Backward) -> None:
    """A factor's gradient sums dy times the other over the letters that it lacks.

    Along a letter that only this factor has, it is repeated. There are at most two factors: the
    import has written products of more as products of two.
    """
    terms, made = _letters(n)
    if any(len({*term}) < len(term) for term in terms):
        raise n.refused("its equation repeats a letter in a factor")
    for number, term in enumerate(terms):
        if n.wants(number):
            others = [k for k in range(len(terms)) if k != number]
            factors = [made, *(terms[k] for k in others)]
            known = "".join(letter for letter in term if letter in "".join(factors))
            given, shape = [n.dy, *(n.input(k) for k in others)], n.input(number).sizes
            sizes = dict(zip(term, shape, strict=True))
            equation, some = f"{','.join(factors)}->{known}", [sizes[each] for each in known]
            made_some = n.values.add("Einsum", given, n.dy.kind, some, equation=equation)
            apart = [sizes[each] if each in known else 1 for each in term]
            n.give(number, made_some.reshape(apart).expand(shape))


def _letters(n: Backward) -> tuple[list[str], str]:
    """The letters of an equation's factors and of its result, those for an ellipsis included."""
    equation: str = n.number("equation", "").replace(" ", "")
    given, arrow, made = equation.partition("->")
    terms = given.split(",")
    if not arrow:
        counts = Counter(given.replace(",", ""))
        made = "".join(sorted(each for each in counts if counts[each] == 1 and each.isalpha()))
        made = "..." + made if "." in given else made
    ranks = [n.input(k).rank - len(term.replace("...", "")) for k, term in enumerate(terms)]
    free = [each for each in string.ascii_letters if each not in equation]
    hidden = "".join(free[: max(ranks)])
    wide = [n.input(k).shape[term.find(".")] for k, term in enumerate(terms) if "." in term]
    if len({*(rank for rank, term in zip(ranks, terms, strict=True) if "." in term)}) > 1 or (
        hidden and 1 in wide
    ):
        raise n.refused("it broadcasts an axis of its ellipsis")
    return [term.replace("...", hidden) for term in terms], made.replace("...", hidden)


PRODUCTS: Mapping[str, Callable[[Backward], None]] = {
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Einsum": _einsum,
}
"""The rules of products."""
