"""Rules for normalizations.

    x' = (x - mean) / sqrt(variance + epsilon)    y = scale * x' + bias

If mean and variance are those of x over some axes, with g = scale * dy:

    dx = (g - mean(g) - x' * mean(g * x')) / sqrt(variance + epsilon)

Those of BatchNormalization are constants, the statistics of the training before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import ShapedValue


def _by_channel(value: ShapedValue, rank: int) -> ShapedValue:
    """A vector for the channels, the second axis."""
    return value.reshape([value.shape[0], *[1] * (rank - 2)])


def _batch(n: Backward) -> None:
    """With frozen statistics, a linear function of each channel."""
    if n.number("training_mode", 0):
        raise n.refused("it computes its statistics")
    if n.wants(3) or n.wants(4):
        raise n.refused("its statistics are trained")
    scale, _, mean, variance = (_by_channel(n.input(k), n.x.rank) for k in (1, 2, 3, 4))
    deviation = (variance + n.number("epsilon", 1e-5)).apply("Sqrt")
    across = [axis for axis in range(n.x.rank) if axis != 1]
    if n.wants(0):
        n.give(0, n.dy * (scale / deviation))
    if n.wants(1):
        n.give(1, (n.dy * ((n.x - mean) / deviation)).sum(across))
    if n.wants(2):
        n.give(2, n.dy.sum(across))


def _layer(n: Backward) -> None:
    """Over the last axes, from `axis` on."""
    first = n.number("axis", -1) % n.x.rank
    scale = n.input(1)
    _own_statistics(n, range(first, n.x.rank), scale, lambda gradient: gradient)


def _instance(n: Backward) -> None:
    """Over all axes behind the channels."""
    scale = _by_channel(n.input(1), n.x.rank)
    across = [axis for axis in range(n.x.rank) if axis != 1]
    _own_statistics(n, range(2, n.x.rank), scale, lambda gradient: gradient.sum(across))


def _own_statistics(
    n: Backward,
    axes: Sequence[int],
    scale: ShapedValue,
    of_scale: Callable[[ShapedValue], ShapedValue],
) -> None:
    """The gradients for the statistics of x over some axes."""
    centred = n.x - n.x.mean(axes, keeps=True)
    variance = (centred * centred).mean(axes, keeps=True)
    deviation = (variance + n.number("epsilon", 1e-5)).apply("Sqrt")
    normal = centred / deviation
    if n.wants(0):
        g = n.dy * scale
        along = normal * (g * normal).mean(axes, keeps=True)
        n.give(0, (g - g.mean(axes, keeps=True) - along) / deviation)
    if n.wants(1):
        n.give(1, of_scale(n.dy * normal))
    if n.wants(2):
        n.give(2, of_scale(n.dy))


def _unit(n: Backward) -> None:
    """Of y = x / norm: with the slope s of the norm, dx = (dy - s * sum(dy * y)) / norm."""
    axis, is_euclidean = n.number("axis", -1), n.number("p", 2) == 2
    size = n.x * n.x if is_euclidean else n.x.apply("Abs")
    norm = size.sum([axis], keeps=True)
    norm = norm.apply("Sqrt") if is_euclidean else norm
    slope = n.y if is_euclidean else n.x.apply("Sign")
    n.give(0, (n.dy - slope * (n.dy * n.y).sum([axis], keeps=True)) / norm)


def _neighbours(n: Backward) -> None:
    """Of y = x / s^beta, s = bias + alpha / size * the sum of x^2 over channels around.

    dx = dy / s^beta - 2 * alpha * beta / size * x * the sum of dy * y / s around.
    """
    size, alpha, beta = n.number("size", 0), n.number("alpha", 1e-4), n.number("beta", 0.75)
    before, behind = (size - 1) // 2, size // 2

    def around(value: ShapedValue, before: int, behind: int) -> ShapedValue:
        padded, count = value.pad(1, before, behind), n.x.size(1)
        return n.values.sum([padded.slice(1, k, count + k) for k in range(size)])

    s = around(n.x * n.x, before, behind) * (alpha / size) + n.number("bias", 1.0)
    along = around(n.dy * n.y / s, behind, before) * (2 * alpha * beta / size)
    n.give(0, n.dy * s.power(-beta) - n.x * along)


NORMALIZATIONS: Mapping[str, Callable[[Backward], None]] = {
    "BatchNormalization": _batch,
    "LayerNormalization": _layer,
    "InstanceNormalization": _instance,
    "LpNormalization": _unit,
    "LRN": _neighbours,
}
"""The rules of normalizations."""
