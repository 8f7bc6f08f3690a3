"""The CTC loss as a function of JAX arrays: its recursion over time is an op.

The labels of a row, with a blank before, between and behind them, are its states. With the scores
`a` of the paths up to each state and `b` of those from it on (`lowering.ops.ctc`), both with its
own score e, and the sum p of all paths:

    loss = -log(p)    dz[t, k] = softmax(z)[t, k] - sum of exp(a + b - e)[t, s] / p over s = k

Paths back from the end are those of the reversed states in reversed time.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.jax.primitives import Array, arguments_of, call
from rnn_compiler.lowering.ops.ctc import IMPOSSIBLE, OP, PLACES, shifts

_LEAST = IMPOSSIBLE / 2
"""Less than the logarithm of any possible path's probability."""


def ctc_loss(
    logits: Array,
    logit_paddings: Array | None,
    labels: Array,
    label_paddings: Array | None,
    blank_id: Any = 0,
) -> Array:
    """The CTC loss of each row, with the arguments of `optax.ctc_loss`.

    The steps of a row are one loop of compiled code forward and one back, where a scan of JAX is
    many small operations at each step. Modules with it also become C and JavaScript.

    Args:
        logits: Logits of the classes, ``[B, T, C]``, of any float dtype. It is computed in
            float32, or in float64.
        logit_paddings: 1 for steps behind the end of a row, 0 for others, ``[B, T]``; None if all
            steps count.
        labels: The labels of each row, integers ``[B, N]``.
        label_paddings: 1 for labels behind the last one of a row, 0 for others, ``[B, N]``; None if
            all labels count.
        blank_id: The class of blanks.

    Returns:
        The negative logarithm of the probability of each row's labels, ``[B]``. Where they do not
        fit into the row's steps, it is 0 and has no gradient, as with `zero_infinity` of PyTorch;
        in optax it is a large number. Gradients reach `logits`, once.

    Raises:
        InvalidArgumentError: a shape or dtype does not fit, or `blank_id` is no class.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from rnn_compiler.jax import ctc_loss
        >>> logits, labels = jnp.zeros((1, 2, 3)), jnp.array([[1]])
        >>> print(ctc_loss(logits, None, labels, None))  # 3 of 9 paths: 1 1, 1 -, - 1
        [1.0986123]
    """
    logits, labels = jnp.asarray(logits), jnp.asarray(labels)
    _check("logits", logits, (None, None, None), jnp.floating)
    rows, steps, classes = logits.shape
    _check("labels", labels, (rows, None), jnp.integer)
    if isinstance(blank_id, bool) or not isinstance(blank_id, int) or not 0 <= blank_id < classes:
        expected = f"a class, 0 to {classes - 1}"
        raise InvalidArgumentError("ctc_loss", "blank_id", expected, describe(blank_id))
    lengths = _counted("logit_paddings", logit_paddings, (rows, steps))
    counts = _counted("label_paddings", label_paddings, (rows, labels.shape[1]))
    wide = logits.astype(jnp.promote_types(logits.dtype, jnp.float32))
    given = wide.swapaxes(0, 1), lengths, labels.astype(jnp.int32), counts
    if not rows or not steps:
        return jnp.zeros(rows, logits.dtype)
    losses: Any = _loss(blank_id, *given)
    return losses.astype(logits.dtype)


def _check(name: str, array: Array, shape: tuple[int | None, ...], kind: Any) -> None:
    """Checks the rank, the known sizes and the kind of an argument."""
    sizes = (of is None or of == size for of, size in zip(shape, array.shape, strict=False))
    if array.ndim != len(shape) or not all(sizes):
        words = ", ".join("any" if size is None else str(size) for size in shape)
        raise InvalidArgumentError("ctc_loss", name, f"shape ({words})", f"shape {array.shape}")
    if not jnp.issubdtype(array.dtype, kind):
        words = "floats" if kind is jnp.floating else "integers"
        raise InvalidArgumentError("ctc_loss", name, words, f"dtype {array.dtype}")


def _counted(name: str, paddings: Any, shape: tuple[int, int]) -> Array:
    """The number of elements of each row that are not padding, int32 ``[B]``."""
    if paddings is None:
        return np.full(shape[0], shape[1], np.int32)
    given: Any = paddings if isinstance(paddings, jax.Array) else np.asarray(paddings)
    if given.shape != shape:
        expected = f"shape {shape}, or None"
        raise InvalidArgumentError("ctc_loss", name, expected, f"shape {given.shape}")
    return (given == 0).sum(1).astype(np.int32)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _loss(blank: int, z: Array, lengths: Array, labels: Array, counts: Array) -> Array:
    """The losses, from logits ``[T, B, C]``."""
    states, e, _ = _states(blank, z, labels)
    return _log_p(_back(blank, e, states, lengths, counts), lengths)[0]


def _forward(blank: int, z: Array, lengths: Array, labels: Array, counts: Array) -> Any:
    """The losses, and their gradients."""
    states, e, is_class = _states(blank, z, labels)
    steps, _, places = e.shape
    starts = jnp.broadcast_to(jnp.arange(places) == 0, states.shape)
    back = _back(blank, e, states, lengths, counts)
    scores = _scores(e, states, starts, lengths, blank, reverse=False)
    loss, fits = _log_p(back, lengths)
    shares = jnp.exp(scores + back - e + loss[:, None])
    of_classes = jnp.einsum("tbn,bnc->tbc", shares, is_class, precision="highest")
    counted = (jnp.arange(steps)[:, None] < lengths) & fits
    gradient = jnp.where(counted[..., None], jax.nn.softmax(z) - of_classes, 0)
    return loss, gradient


def _backward(blank: int, gradient: Array, arriving: Array) -> Any:
    del blank
    return gradient * arriving[:, None], None, None, None


_loss.defvjp(_forward, _backward)


def _states(blank: int, z: Array, labels: Array) -> tuple[Array, Array, Array]:
    """The states ``[B, N]``, their scores ``[T, B, N]``, and their classes, one-hot."""
    pairs = jnp.stack([jnp.full_like(labels, blank), labels], 2).reshape(labels.shape[0], -1)
    states = jnp.pad(pairs, ((0, 0), (0, 1)), constant_values=blank)
    states = jnp.pad(states, ((0, 0), (0, -states.shape[1] % PLACES)), constant_values=-1)
    is_class = (states[..., None] == jnp.arange(z.shape[2])).astype(z.dtype)
    # the product transposes it: IREE would compute and transpose one number after the other
    logs = jax.lax.optimization_barrier(jax.nn.log_softmax(z))
    return states, jnp.einsum("tbc,bnc->tbn", logs, is_class, precision="highest"), is_class


def _back(blank: int, e: Array, states: Array, lengths: Array, counts: Array) -> Array:
    """The scores of the paths from each state to the end."""
    ends = jnp.arange(e.shape[2]) == 2 * counts[:, None]
    return _scores(e, states, ends, lengths, blank, reverse=True)


def _log_p(back: Array, lengths: Array) -> tuple[Array, Array]:
    """The losses, and which rows have a path."""
    first = back[0, :, :2]
    total = jax.nn.logsumexp(first, 1)
    fits = (total > _LEAST) & (lengths > 0)
    return jnp.where(fits, -total, 0), fits


def _scores(
    e: Array, states: Array, starts: Array, lengths: Array, blank: int, *, reverse: bool
) -> Array:
    """The scores of paths through states, forward or back, from where they may start."""
    places = e.shape[2]
    sides = ((0, 0), (0, 2) if reverse else (2, 0))
    before = jnp.pad(states, sides, constant_values=blank)
    before = before[:, 2:] if reverse else before[:, :places]
    skip = jnp.where((states == blank) | (states == before), IMPOSSIBLE, 0).astype(e.dtype)
    shift, first = shifts(places, reverse=reverse)
    given = {
        "e": e,
        "skip": jnp.broadcast_to(skip, e.shape),
        "start": jnp.where(starts, 0, IMPOSSIBLE).astype(e.dtype),
        "shift": shift.astype(e.dtype),
        "first": first.astype(e.dtype),
        "lengths": lengths,
        "reverse": reverse,
    }
    return call(*arguments_of(OP.name, given))[0]
