"""Rules for products of matrices: each factor's gradient is dy times the other, transposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import Value
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


def _rows(value: Value) -> Value:
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
    """A factor's gradient sums dy times the other over the letters it lacks; there are at most two.

    The import has written products of more as products of two.
    """
    equation = n.number("equation", "").replace(" ", "")
    given, arrow, made = equation.partition("->")
    terms = given.split(",")
    if not arrow or "." in equation or any(len({*term}) < len(term) for term in terms):
        raise n.refused("its equation has no result, repeats a letter or has an ellipsis")
    for number, term in enumerate(terms):
        if n.wants(number):
            others = [k for k in range(len(terms)) if k != number]
            factors = [made, *(terms[k] for k in others)]
            if not {*"".join(factors)}.issuperset(term):
                raise n.refused("only one factor has a letter that is summed")
            given, shape = [n.dy, *(n.input(k) for k in others)], n.input(number).shape
            equation = f"{','.join(factors)}->{term}"
            n.give(number, n.values.add("Einsum", given, n.dy.kind, shape, equation=equation))


PRODUCTS: Mapping[str, Callable[[Backward], None]] = {
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Einsum": _einsum,
}
"""The rules of products."""
