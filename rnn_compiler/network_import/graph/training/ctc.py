"""The CTC loss, in the logarithms of probabilities.

The labels of a row, with a blank before, between and behind them, are its states. With the scores
`a` of the paths up to each state and `b` of those from it on (`lowering.ops.ctc`), both with its
own score e, and the sum p of all paths:

    loss = -log(p)    dz[t, k] = softmax(z)[t, k] - sum of exp(a + b - e)[t, s] / p over s = k

Paths back from the end are those of the reversed states in reversed time. A row whose labels do not
fit into its steps has a loss and gradients of 0, as with PyTorch's `zero_infinity`, and so has one
without steps.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rnn_compiler.lowering.ops.ctc import IMPOSSIBLE, OP
from rnn_compiler.network_import.graph.gradients.values import BOOL, INT32, INT64, Value, Values
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import Size

_LEAST = IMPOSSIBLE / 2
"""Less than the logarithm of any possible path's probability."""

_COLUMNS = 16
"""The columns of a product of batches are best a multiple of this, those of whole vectors."""


def ctc(
    values: Values, z: Value, labels: Value, steps: Value, counts: Value, blank: int
) -> tuple[Value, Value]:
    """The losses of rows, and their gradients.

    Logits are ``[T, B, C]``; labels, int32, ``[B, S]``, of which only `counts` ``[B]`` count.
    """
    T, B, C = z.sizes
    S = labels.size(1)
    assert isinstance(S, int)
    assert isinstance(C, int)
    N = 2 * S + 1
    logs = values.add("LogSoftmax", [z], z.kind, z.shape, axis=-1)
    is_label = values.constant([[state % 2 == 1 for state in range(N)]], BOOL)
    orders = range(S), range(S)[::-1]
    states, back_states = (
        values.where(is_label, _of_states(values, labels, order), blank) for order in orders
    )
    classes = values.constant(range(-(-C // _COLUMNS) * _COLUMNS), INT32)
    is_class = states.reshape([B, N, 1]).equals(classes).cast(z.kind)
    e, e_back = (_of_classes(values, logs, each) for each in (states, back_states))
    skip, from_end = (_skip(values, labels, order, blank, e.kind) for order in orders)
    start = values.constant([[0, *[IMPOSSIBLE] * (N - 1)]], e.kind).expand([B, N])
    forward = _scores(values, e, skip, start, steps, reverse=False)
    is_last = values.constant(range(N)[::-1], INT32).equals((counts * 2).reshape([B, 1]))
    last = values.where(is_last, values.constant(0, e.kind), IMPOSSIBLE)
    back = _scores(values, e_back, from_end, last, steps, reverse=True).reversed(2)
    p = _log_sum(values, back.slice(0, 0, 1).slice(2, 0, 2).reshape([B, 2]))
    fits = (p > _LEAST) & (steps > 0)
    known = values.where(fits, p, 0)
    shares = (forward + back - e - known.reshape([1, B, 1])).apply("Exp")
    of_classes = (shares.transpose([1, 0, 2]) @ is_class).slice(2, 0, C).transpose([1, 0, 2])
    counted = _steps_before(values, T, steps).cast(z.kind) * fits.cast(z.kind).reshape([1, B])
    gradient = values.where((counted > 0).reshape([T, B, 1]), logs.apply("Exp") - of_classes, 0)
    return -known, gradient


def _steps_before(values: Values, T: Size, steps: Value) -> Value:
    """Which steps each row has, ``[T, B]``."""
    return _range(values, T).reshape([T, 1]) < steps.reshape([1, *steps.shape])


def _range(values: Values, count: Size) -> Value:
    """The numbers from 0 on, int32."""
    bounds = [values.constant(0, INT64), values.number(count, INT64), values.constant(1, INT64)]
    return values.add("Range", bounds, INT64, [count]).cast(INT32)


def _log_sum(values: Values, pair: Value) -> Value:
    """The logarithm of the sum of two exponentials, of pairs ``[B, 2]``."""
    first, second = (pair.slice(1, k, k + 1).reshape([pair.shape[0]]) for k in (0, 1))
    most = values.where(first > second, first, second)
    return most + ((first - most).apply("Exp") + (second - most).apply("Exp")).apply("Log")


def _of_classes(values: Values, logs: Value, states: Value) -> Value:
    """The score of each state at each step: that of its class."""
    T, B, _ = logs.sizes
    shape = [T, B, states.size(1)]
    indices = states.reshape([1, *states.shape]).expand(shape)
    return values.add("GatherElements", [logs, indices], logs.kind, shape, axis=2)


def _of_states(values: Values, labels: Value, order: Sequence[int]) -> Value:
    """For each state the label of its pair; one of the last blank, too."""
    N = 2 * len(order) + 1
    places = [order[min(state // 2, len(order) - 1)] for state in range(N)]
    taken = [labels, values.constant(places, INT64)]
    return values.add("Gather", taken, labels.kind, [labels.shape[0], N], axis=1)


def _skip(values: Values, labels: Value, order: Sequence[int], blank: int, kind: int) -> Value:
    """0 where the state before may be left out: in labels unlike the one before."""
    N = 2 * len(order) + 1
    label, before = (_of_states(values, labels, each) for each in (order, [order[0], *order[:-1]]))
    is_first = values.constant([[state == 1 for state in range(N)]], BOOL)
    is_label = values.constant([[state % 2 == 1 for state in range(N)]], BOOL)
    differs = is_first | ~label.equals(before)
    may = is_label & differs & ~label.equals(values.constant(blank, INT32))
    return values.where(may, values.constant(0, kind), IMPOSSIBLE)


def _scores(
    values: Values, e: Value, skip: Value, start: Value, steps: Value, *, reverse: bool
) -> Value:
    """The scores of paths through states in their order, from where they may start."""
    T, B, N = e.sizes
    assert isinstance(N, int)
    # emitted, not constants: a module would pack those when it is loaded, in code of its own
    states, shifted = _range(values, N).reshape([N, 1]), _range(values, 2 * N)
    by_one, by_two = shifted - 1, shifted - (N + 2)
    shift = (states.equals(by_one) | states.equals(by_two)).cast(e.kind)
    exists = (shifted >= 1) & ((shifted < N) | (by_two >= 0))
    first = values.where(exists, values.constant(0, e.kind), IMPOSSIBLE)
    given = [
        e,
        skip.reshape([1, B, N]).expand([T, B, N]),
        start,
        shift,
        first,
        steps,
    ]
    name = values.name("scores")
    values.add_op(OP.name, DOMAIN, given, [name], json.dumps({"reverse": reverse}))
    return values.typed(name, e.kind, e.shape)
