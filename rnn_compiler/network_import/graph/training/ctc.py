"""The CTC loss, in the logarithms of probabilities.

The labels of a row, with a blank before, between and behind them, are its states. With the scores
`a` of the paths up to each state and `b` of those from it on (`lowering.ops.ctc`), both with its
own score e, and the sum p of all paths:

    loss = -log(p)    dz[t, k] = softmax(z)[t, k] - sum of exp(a + b - e)[t, s] / p over s = k

Paths back from the end are those of the reversed states in reversed time: more rows of one loop. A
row whose labels do not fit into its steps has a loss and gradients of 0, as with PyTorch's
`zero_infinity`, and so has one without steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.ops.ctc import IMPOSSIBLE, OP
from rnn_compiler.network_import.graph.gradients.values import (
    BOOL,
    INT32,
    INT64,
    ShapedValue,
    Values,
)
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import Size, product

_LEAST = IMPOSSIBLE / 2
"""Less than the logarithm of any possible path's probability."""

_COLUMNS = 16
"""The columns of a product of batches are best a multiple of this, those of whole vectors."""


def ctc(
    values: Values,
    z: ShapedValue,
    labels: ShapedValue,
    steps: ShapedValue,
    counts: ShapedValue,
    blank: int,
) -> tuple[ShapedValue, ShapedValue]:
    """The losses of rows, and their gradients.

    Logits are ``[T, B, C]``; labels, int32, ``[B, S]``, of which only `counts` ``[B]`` count.
    """
    T, B, C = z.sizes
    S = labels.size(1)
    assert isinstance(S, int)
    assert isinstance(C, int)
    N = 2 * S + 1
    logs = values.add("LogSoftmax", [z], z.kind, z.shape, axis=-1)
    is_label = values.constant([state % 2 == 1 for state in range(N)], BOOL)
    orders = range(S), range(S)[::-1]
    states = values.where(is_label, _of_states(values, labels, orders), blank)
    classes = values.constant(range(-(-C // _COLUMNS) * _COLUMNS), INT32)
    own = states.slice(1, 0, 1).reshape([B, N, 1])
    is_class = own.equals(classes).cast(z.kind)
    t, row = _range(values, T, INT64).reshape([T, 1]), _range(values, B, INT64)
    time_back = steps.cast(INT64) - 1 - t
    time_back = values.where(time_back < 0, 0, time_back)  # behind a row's last step, unused
    is_back = values.constant([[False], [True]], BOOL)
    times = values.where(is_back, time_back.reshape([T, B, 1, 1]), t.reshape([T, 1, 1, 1]))
    at = times * values.number(B, INT64) + row.reshape([B, 1, 1])
    e = _taken(values, logs, at * C + states.cast(INT64))
    ends = values.where(is_back, (N - 1) - (counts * 2).reshape([B, 1, 1]), 0)
    start = _possible(values, values.constant(range(N), INT32).equals(ends), z.kind)
    skip = _skip(values, labels, orders, blank, z.kind)
    scores = _scores(values, e, skip, start, steps)
    at = time_back * (values.number(B, INT64) * 2) + (row * 2 + 1)
    places = values.constant(range(N)[::-1], INT64)
    back = _taken(values, scores, at.reshape([T, B, 1]) * N + places)
    p = _log_sum(values, back.slice(0, 0, 1).slice(2, 0, 2).reshape([B, 2]))
    fits = (p > _LEAST) & (steps > 0)
    known = values.where(fits, p, 0)
    forward, e = (each.slice(2, 0, 1).reshape([T, B, N]) for each in (scores, e))
    shares = (forward + back - e - known.reshape([1, B, 1])).apply("Exp")
    of_classes = (shares.transpose([1, 0, 2]) @ is_class).slice(2, 0, C).transpose([1, 0, 2])
    counted = (t.cast(INT32) < steps).cast(z.kind) * fits.cast(z.kind).reshape([1, B])
    gradient = values.where((counted > 0).reshape([T, B, 1]), logs.apply("Exp") - of_classes, 0)
    return -known, gradient


def _range(values: Values, count: Size, kind: int) -> ShapedValue:
    """The numbers from 0 on."""
    bounds = [values.constant(0, INT64), values.number(count, INT64), values.constant(1, INT64)]
    return values.add("Range", bounds, INT64, [count]).cast(kind)


def _log_sum(values: Values, pair: ShapedValue) -> ShapedValue:
    """The logarithm of the sum of two exponentials, of pairs ``[B, 2]``."""
    first, second = (pair.slice(1, k, k + 1).reshape([pair.shape[0]]) for k in (0, 1))
    most = values.where(first > second, first, second)
    return most + ((first - most).apply("Exp") + (second - most).apply("Exp")).apply("Log")


def _taken(values: Values, array: ShapedValue, places: ShapedValue) -> ShapedValue:
    """The elements at some places of an array, counted through all its axes."""
    flat = array.reshape([product(array.sizes)])
    return values.add("Gather", [flat, places], array.kind, places.shape, axis=0)


def _of_states(values: Values, labels: ShapedValue, orders: Sequence[Sequence[int]]) -> ShapedValue:
    """For each state, in both orders, the label of its pair; one of the last blank, too."""
    N = 2 * len(orders[0]) + 1
    places = [[order[min(n // 2, len(order) - 1)] for n in range(N)] for order in orders]
    taken = [labels, values.constant(places, INT64)]
    return values.add("Gather", taken, labels.kind, [labels.shape[0], len(orders), N], axis=1)


def _skip(
    values: Values, labels: ShapedValue, orders: Sequence[Sequence[int]], blank: int, kind: int
) -> ShapedValue:
    """0 where the state before may be left out: in labels unlike the one before."""
    N = 2 * len(orders[0]) + 1
    label = _of_states(values, labels, orders)
    before = _of_states(values, labels, [[order[0], *order[:-1]] for order in orders])
    is_first = values.constant([state == 1 for state in range(N)], BOOL)
    is_label = values.constant([state % 2 == 1 for state in range(N)], BOOL)
    differs = is_first | ~label.equals(before)
    may = is_label & differs & ~label.equals(values.constant(blank, INT32))
    return _possible(values, may, kind)


def _possible(values: Values, condition: ShapedValue, kind: int) -> ShapedValue:
    """0 where a condition holds, elsewhere the logarithm of no probability."""
    return values.where(condition, values.constant(0, kind), IMPOSSIBLE)


def _scores(
    values: Values, e: ShapedValue, skip: ShapedValue, start: ShapedValue, steps: ShapedValue
) -> ShapedValue:
    """The scores of paths through states in their order, from where they may start.

    Those of each row forward and back, ``[T, B, 2, N]``, are rows side by side of one loop.
    """
    T, B, _, N = e.sizes
    rows = B * 2
    assert isinstance(N, int)
    # emitted, not constants: a module would pack those when it is loaded, in code of its own
    states, shifted = _range(values, N, INT32).reshape([N, 1]), _range(values, 2 * N, INT32)
    by_one, by_two = shifted - 1, shifted - (N + 2)
    shift = (states.equals(by_one) | states.equals(by_two)).cast(e.kind)
    exists = (shifted >= 1) & ((shifted < N) | (by_two >= 0))
    given = [
        e.reshape([T, rows, N]),
        skip.reshape([1, rows, N]).expand([T, rows, N]),
        start.reshape([rows, N]),
        shift,
        _possible(values, exists, e.kind),
        steps.reshape([B, 1]).expand([B, 2]).reshape([rows]),
    ]
    name = values.name("scores")
    values.add_op(OP.name, DOMAIN, given, [name], "{}")
    return values.typed(name, e.kind, [T, rows, N]).reshape([T, B, 2, N])
