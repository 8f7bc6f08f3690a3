"""Rules for operators that move, repeat or select elements.

Elements that were moved move back, elements that were repeated are summed, and elements that were
not selected get 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import INT64, Value
from rnn_compiler.schema.open_sizes import Size, product


def _reshape(n: Backward) -> None:
    """The same elements in the input's shape."""
    n.give(0, n.dy.reshape(n.x.shape))


def _transpose(n: Backward) -> None:
    """The inverse order of axes."""
    order = n.number("perm", [*range(n.x.rank)][::-1])
    n.give(0, n.dy.transpose([*map(int, np.argsort(order))]))


def _concat(n: Backward) -> None:
    """Each input's part of dy."""
    axis = n.number("axis", 0) % n.y.rank
    start: Size = 0
    for number in range(len(n.node.input)):
        stop = start + n.input(number).size(axis)
        if n.wants(number):
            n.give(number, n.dy.slice(axis, start, stop))
        start = stop


def _split(n: Backward) -> None:
    """The gradients of the parts side by side."""
    axis = n.number("axis", 0) % n.x.rank
    parts = [
        n.values.filled(0, n.x.kind, n.values[name].sizes)
        if (gradient := n.result_gradient(number)) is None
        else gradient
        for number, name in enumerate(n.node.output)
    ]
    n.give(0, n.values.concatenate(parts, axis))


def _expand(n: Backward) -> None:
    """The sum over what was repeated."""
    n.give(0, n.dy)


def _tile(n: Backward) -> None:
    """The sum over the repetitions, each of which is an axis of its own before the tile's."""
    counts = [int(count) for count in np.asarray(n.array(1)).ravel()]
    pairs = zip(counts, n.x.sizes, strict=True)
    apart = n.dy.reshape([*itertools.chain.from_iterable(pairs)])
    n.give(0, apart.sum([2 * axis for axis, count in enumerate(counts) if count >= 1]))


def _slice(n: Backward) -> None:
    """The gradient where its elements were, zeros elsewhere."""
    starts, ends = (np.asarray(n.array(number)).ravel().tolist() for number in (1, 2))
    given_axes, given_steps = (n.array(number) for number in (3, 4))
    axes = range(len(starts)) if given_axes is None else given_axes.ravel().tolist()
    steps = [1] * len(starts) if given_steps is None else given_steps.ravel().tolist()
    gradient = n.dy
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        gradient = _unsliced(n, gradient, int(axis) % n.x.rank, (start, end, step))
    n.give(0, gradient)


def _unsliced(n: Backward, gradient: Value, axis: int, bounds: tuple[int, int, int]) -> Value:
    """The gradient of an axis of which each `step`-th element was taken."""
    start, _, step = bounds
    size, count = n.x.size(axis), n.y.size(axis)
    if step < 0:
        gradient = gradient.reversed(axis)
        first = (min(start, size - 1) if isinstance(size, int) else start) if start >= 0 else start
        first = first if first >= 0 else size + first
        first = first - (count - 1) * -step
        step = -step
    else:
        first = start if start >= 0 else size + start
    if isinstance(first, int):
        first = max(first, 0)
    gradient = gradient.spread(axis, step)
    return gradient.pad(axis, first, size - first - count * step)


def _pad(n: Backward) -> None:
    """The part of dy where the input was."""
    if n.number("mode", "constant") != "constant" or n.has(3):
        raise n.refused("it repeats elements")
    pads = np.asarray(n.array(1)).ravel().tolist()
    gradient = n.dy
    for axis in range(n.x.rank):
        before, behind = pads[axis], pads[axis + n.x.rank]
        gradient = gradient.pad(axis, -before, -behind)
    n.give(0, gradient)


def _gather(n: Backward) -> None:
    """The sum of dy over the places to which a row was copied, for each row."""
    axis = n.number("axis", 0) % n.x.rank
    constants = n.values.graph.constants()
    places = n.input(1)
    if places.rank == 0 and places.name in constants:
        index = int(n.array(1))
        size = n.x.size(axis)
        first = index if index >= 0 else size + index
        shape = [*n.x.shape]
        shape[axis] = 1
        n.give(0, n.dy.reshape(shape).pad(axis, first, size - 1 - first))
        return
    front, behind = n.x.shape[:axis], n.x.shape[axis + 1 :]
    order = [
        *range(axis, axis + places.rank),
        *range(axis),
        *range(axis + places.rank, n.dy.rank),
    ]
    count = product(places.sizes)
    rows = n.dy.transpose(order).reshape([count, *front, *behind])
    table = n.values.filled(0, n.x.kind, [n.x.size(axis), *rows.sizes[1:]])
    indices = places.cast(INT64).reshape([count, 1])
    size = n.values.number(n.x.size(axis), INT64)
    indices = n.values.where(indices < 0, indices + size, indices)
    inputs = [table, indices, rows]
    total = n.values.add("ScatterND", inputs, n.x.kind, table.shape, reduction="add")
    n.give(0, total.moved(0, axis))


def _gather_elements(n: Backward) -> None:
    """The sum of dy over the places to which an element was copied."""
    axis = n.number("axis", 0) % n.x.rank
    zeros = n.values.filled(0, n.x.kind, n.x.sizes)
    inputs = [zeros, n.input(1), n.dy]
    n.give(
        0,
        n.values.add("ScatterElements", inputs, n.x.kind, n.x.shape, axis=axis, reduction="add"),
    )


SHAPES: Mapping[str, Callable[[Backward], None]] = {
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), _reshape),
    "Transpose": _transpose,
    "Concat": _concat,
    "Split": _split,
    "Expand": _expand,
    "Tile": _tile,
    "Slice": _slice,
    "Pad": _pad,
    "Gather": _gather,
    "GatherElements": _gather_elements,
}
"""The rules of operators on shapes and elements."""
