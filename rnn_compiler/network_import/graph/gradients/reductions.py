"""Rules for reductions over axes, and for softmax, which divides by one.

An axis that a reduction removes comes back with a size of 1, along which dy is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.network_import.graph import onnx
from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import ShapedValue
from rnn_compiler.schema.open_sizes import product


class _Reduction:
    """A reduction: its axes, and its result and dy with axes of size 1 for them."""

    def __init__(self, n: Backward) -> None:
        rank = n.x.rank
        every = [] if n.number("noop_with_empty_axes", 0) else [*range(rank)]
        self.axes: Sequence[int] = n.axes(1, rank) or every
        kept = [1 if axis in self.axes else size for axis, size in enumerate(n.x.shape)]
        self.y, self.dy = n.y.reshape(kept), n.dy.reshape(kept)

    def repeated(self, n: Backward) -> ShapedValue:
        """The gradient for each element."""
        return self.dy.expand(n.x.sizes)


def _mean(n: Backward, r: _Reduction) -> ShapedValue:
    count = product(n.x.size(axis) for axis in r.axes)
    return (r.dy / n.values.number(count, r.dy.kind)).expand(n.x.sizes)


def _extremum(n: Backward, r: _Reduction) -> ShapedValue:
    """The elements that are the extremum share dy equally."""
    is_it = n.x.equals(r.y).cast(n.x.kind)
    return is_it * (r.dy / is_it.sum(r.axes, keeps=True))


def _norm(n: Backward, r: _Reduction) -> ShapedValue:
    """Of the root of a sum of squares; 0 where that is 0, as with PyTorch."""
    return n.x * n.values.where(r.y.equals(0), 0, r.dy / r.y)


def _product(n: Backward, r: _Reduction) -> ShapedValue:
    """The product of the others: y / x, or if one factor is 0, that of the rest for it alone."""
    is_zero = n.x.equals(0)
    others = n.values.where(is_zero, 1, n.x)
    attributes = {each.name: onnx.helper.get_attribute_value(each) for each in n.node.attribute}
    names = [others, *n.node.input[1:]]
    rest = n.values.add("ReduceProd", names, n.y.kind, n.y.shape, **attributes)
    zeros = is_zero.cast(n.x.kind).sum(r.axes, keeps=True)
    whole = n.values.where(zeros.equals(0), 1 / others, 0)
    share = n.values.where(is_zero & zeros.equals(1), 1, whole)
    return r.dy * rest.reshape(r.y.shape) * share


_FORMULAS: Mapping[str, Callable[[Backward, _Reduction], ShapedValue]] = {
    "ReduceSum": lambda n, r: r.repeated(n),
    "ReduceMean": _mean,
    "ReduceMax": _extremum,
    "ReduceMin": _extremum,
    "ReduceSumSquare": lambda n, r: n.x * 2 * r.dy,
    "ReduceL1": lambda n, r: n.x.apply("Sign") * r.dy,
    "ReduceL2": _norm,
    "ReduceLogSum": lambda n, r: (r.dy * (-r.y).apply("Exp")).expand(n.x.sizes),
    "ReduceProd": _product,
}


def _reduction(
    formula: Callable[[Backward, _Reduction], ShapedValue],
) -> Callable[[Backward], None]:
    """The rule for a reduction."""

    def rule(n: Backward) -> None:
        n.give(0, formula(n, _Reduction(n)))

    return rule


def _softmax(n: Backward) -> None:
    """Of y = exp(x) / sum(exp(x)): dx = y * (dy - sum(dy * y))."""
    axis = n.number("axis", -1)
    n.give(0, n.y * (n.dy - (n.dy * n.y).sum([axis], keeps=True)))


def _log_softmax(n: Backward) -> None:
    """Of y = x - log(sum(exp(x))): dx = dy - exp(y) * sum(dy)."""
    axis = n.number("axis", -1)
    n.give(0, n.dy - n.y.apply("Exp") * n.dy.sum([axis], keeps=True))


def _cumulative_sum(n: Backward) -> None:
    """Each element is in the sums from its own place on, so dx sums dy from there."""
    reverse, exclusive = n.number("reverse", 0), n.number("exclusive", 0)
    attributes = {"reverse": 1 - reverse, "exclusive": exclusive}
    given = [n.dy, n.node.input[1]]
    n.give(0, n.values.add("CumSum", given, n.dy.kind, n.x.shape, **attributes))


REDUCTIONS: Mapping[str, Callable[[Backward], None]] = {
    **{operator: _reduction(formula) for operator, formula in _FORMULAS.items()},
    "Softmax": _softmax,
    "LogSoftmax": _log_softmax,
    "CumSum": _cumulative_sum,
}
"""The rules of reductions."""
