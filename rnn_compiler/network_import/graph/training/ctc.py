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

import numpy as np

from rnn_compiler.lowering.ops.ctc import IMPOSSIBLE, OP
from rnn_compiler.network_import.graph.gradients.values import INT32, INT64, Value, Values
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import Size

_LEAST = IMPOSSIBLE / 2
"""Less than the logarithm of any possible path's probability."""


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
    blanks = values.filled(blank, INT32, [B, S, 1])
    pairs = values.concatenate([blanks, labels.reshape([B, S, 1])], 2).reshape([B, 2 * S])
    states = values.concatenate([pairs, values.filled(blank, INT32, [B, 1])], 1)
    classes = values.constant(range(C), INT32)
    is_class = states.reshape([B, N, 1]).equals(classes).cast(z.kind)
    e = (logs.transpose([1, 0, 2]) @ is_class.transposed).transpose([1, 0, 2])
    places = values.constant(range(N), INT32)
    end = (counts * 2).reshape([B, 1])
    starts = places.equals(values.constant([0], INT32)).reshape([1, N]).expand([B, N])
    forward = _scores(values, e, states, starts, steps, blank, reverse=False)
    back = _scores(
        values,
        e.reversed(2),
        states.reversed(1),
        places.equals(end).reversed(1),
        steps,
        blank,
        reverse=True,
    ).reversed(2)
    p = _log_sum(values, back.slice(0, 0, 1).slice(2, 0, 2).reshape([B, 2]))
    fits = (p > _LEAST) & (steps > 0)
    known = values.where(fits, p, 0)
    shares = (forward + back - e - known.reshape([1, B, 1])).apply("Exp")
    of_classes = (shares.transpose([1, 0, 2]) @ is_class).transpose([1, 0, 2])
    counted = _steps_before(values, T, steps).cast(z.kind) * fits.cast(z.kind).reshape([1, B])
    gradient = values.where((counted > 0).reshape([T, B, 1]), logs.apply("Exp") - of_classes, 0)
    return -known, gradient


def _steps_before(values: Values, T: Size, steps: Value) -> Value:
    """Which steps each row has, ``[T, B]``."""
    bounds = [values.constant(0, INT64), values.number(T, INT64), values.constant(1, INT64)]
    t = values.add("Range", bounds, INT64, [T]).cast(INT32)
    return t.reshape([T, 1]) < steps.reshape([1, *steps.shape])


def _log_sum(values: Values, pair: Value) -> Value:
    """The logarithm of the sum of two exponentials, of pairs ``[B, 2]``."""
    first, second = (pair.slice(1, k, k + 1).reshape([pair.shape[0]]) for k in (0, 1))
    most = values.where(first > second, first, second)
    return most + ((first - most).apply("Exp") + (second - most).apply("Exp")).apply("Log")


def _scores(
    values: Values,
    e: Value,
    states: Value,
    starts: Value,
    steps: Value,
    blank: int,
    *,
    reverse: bool,
) -> Value:
    """The scores of paths through states in their order, from where they may start."""
    T, B, N = e.sizes
    assert isinstance(N, int)
    before = values.concatenate([values.filled(blank, INT32, [B, 2]), states.slice(1, 0, N - 2)], 1)
    is_blank = states.equals(values.constant(blank, INT32))
    skip = values.where(is_blank | states.equals(before), IMPOSSIBLE, _zeros(values, e.kind))
    start = values.where(starts, _zeros(values, e.kind), IMPOSSIBLE)
    shift, first = np.zeros((N, 2 * N)), np.zeros(2 * N)
    for by, offset in ((1, 0), (2, N)):
        first[offset : offset + by] = IMPOSSIBLE
        for state in range(N - by):
            shift[state, offset + state + by] = 1
    given = [
        e,
        skip.reshape([1, B, N]).expand([T, B, N]),
        start,
        values.constant(shift, e.kind),
        values.constant(first, e.kind),
        steps,
    ]
    name = values.name("scores")
    values.add_op(OP.name, DOMAIN, given, [name], json.dumps({"reverse": reverse}))
    return values.typed(name, e.kind, e.shape)


def _zeros(values: Values, kind: int) -> Value:
    return values.constant(0, kind)
