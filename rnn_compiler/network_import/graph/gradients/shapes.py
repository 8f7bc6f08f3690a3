"""Rules for operators that move, repeat or select elements.

Elements that were moved move back, elements that were repeated are summed, and elements that were
not selected get 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.lowering.ops.table_gradient import OP
from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import INT64, ShapedValue, Values
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import Size, is_static, product


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
        if n.input(number).is_empty:
            continue
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
        if not n.values[name].is_empty
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


def _unsliced(
    n: Backward, gradient: ShapedValue, axis: int, bounds: tuple[int, int, int]
) -> ShapedValue:
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
    rows = n.x.size(axis)
    if places.name in constants and isinstance(rows, int):
        numbers: Any = n.array(1)
        inverse = _inverse(numbers, rows)
        if inverse is not None:
            n.give(0, _gathered_back(n, axis, places.rank, inverse))
            return
    front, behind = n.x.shape[:axis], n.x.shape[axis + 1 :]
    order = [
        *range(axis, axis + places.rank),
        *range(axis),
        *range(axis + places.rank, n.dy.rank),
    ]
    count = product(places.sizes)
    rows = n.dy.transpose(order).reshape([count, *front, *behind])
    indices = places.cast(INT64).reshape([count, 1])
    size = n.values.number(n.x.size(axis), INT64)
    indices = n.values.where(indices < 0, indices + size, indices)
    if is_static(*n.x.sizes):
        total = _of_table(n.values, n.x.moved(axis, 0), indices, rows)
    else:
        table = n.values.filled(0, n.x.kind, [n.x.size(axis), *rows.sizes[1:]])
        inputs = [table, indices, rows]
        total = n.values.add("ScatterND", inputs, n.x.kind, table.shape, reduction="add")
    n.give(0, total.moved(0, axis))


def _of_table(
    values: Values, table: ShapedValue, places: ShapedValue, rows: ShapedValue
) -> ShapedValue:
    """The gradient of a table whose rows were read at some places."""
    count, width = rows.size(0), product(table.sizes[1:])
    given = [
        table.reshape([table.size(0), width]),
        places.reshape([count]),
        rows.reshape([count, width]),
    ]
    name = values.name("rows")
    values.add_op(OP.name, DOMAIN, given, [name], "{}")
    return values.typed(name, table.kind, given[0].shape).reshape(table.shape)


def _inverse(places: Any, size: int) -> Any:
    """Where each row was copied to, one behind all if it was not; None if one was copied twice."""
    flat: Any = places.ravel() % size
    if np.unique(flat).size < flat.size:
        return None
    inverse: Any = np.full(size, flat.size)
    inverse[flat] = np.arange(flat.size)
    return inverse


def _gathered_back(n: Backward, axis: int, rank: int, inverse: Any) -> ShapedValue:
    """The rows of dy in the input's order, zeros for those that were not copied."""
    sizes = n.dy.sizes
    count = product(sizes[axis : axis + rank])
    rows = n.dy.reshape([*sizes[:axis], count, *sizes[axis + rank :]])
    rows = rows.pad(axis, 0, int(np.any(inverse == count)))
    inputs = [rows, n.values.constant(inverse, INT64)]
    return n.values.add("Gather", inputs, n.x.kind, n.x.shape, axis=axis)


def _gather_elements(n: Backward) -> None:
    """The sum of dy over the places to which an element was copied."""
    axis = n.number("axis", 0) % n.x.rank
    n.give(0, _put_elements(n, n.input(1), axis))


def _put_elements(n: Backward, places: ShapedValue, axis: int) -> ShapedValue:
    """An array of zeros to whose elements at some places along an axis dy is added."""
    inputs = [n.values.filled(0, n.x.kind, n.x.sizes), places, n.dy]
    attributes = {"axis": axis, "reduction": "add"}
    return n.values.add("ScatterElements", inputs, n.x.kind, n.x.shape, **attributes)


def _top_k(n: Backward) -> None:
    """The elements that were chosen get their dy; their places are the second result."""
    axis = n.number("axis", -1) % n.x.rank
    if len(n.node.output) < 2 or not n.node.output[1]:
        del n.node.output[1:]
        n.node.output.append(n.values.name("places"))
        n.values.typed(n.node.output[1], INT64, n.y.shape)
    n.give(0, _put_elements(n, n.values[n.node.output[1]], axis))


def _gather_nd(n: Backward) -> None:
    """The sum of dy over the places to which each slice was copied.

    Axes of the batch become one, whose index is then the first of each place.
    """
    count, places = n.number("batch_dims", 0), n.input(1)
    x, rows = n.x.sizes, product(n.x.sizes[:count])
    if count:
        if not isinstance(rows, int):
            raise n.refused("axes of its batch are open")
        each = product(places.sizes[count:-1])
        number = n.values.constant(np.arange(rows)[:, None, None], INT64)
        places = places.cast(INT64).reshape([rows, each, places.shape[-1]])
        places = n.values.concatenate([number.expand([rows, each, 1]), places], 2)
        x = (rows, *x[count:])
    places = _from_the_start(n, places, x)
    inputs = [n.values.filled(0, n.x.kind, x), places, n.dy.reshape(_updated(x, places))]
    total = n.values.add("ScatterND", inputs, n.x.kind, x, reduction="add")
    n.give(0, total.reshape(n.x.shape))


def _updated(shape: Sequence[Size], places: ShapedValue) -> list[Size]:
    """The shape of the slices of an array at some places."""
    depth = places.size(-1)
    assert isinstance(depth, int)
    return [*places.sizes[:-1], *shape[depth:]]


def _from_the_start(n: Backward, places: ShapedValue, shape: Sequence[Size]) -> ShapedValue:
    """Places in an array none of which is negative, that is counted from the end."""
    depth, places = places.size(-1), places.cast(INT64)
    assert isinstance(depth, int)
    sizes = n.values.typed(n.values.vector(shape[:depth]), INT64, [depth])
    return n.values.where(places < 0, places + sizes, places)


def _scatter_nd(n: Backward) -> None:
    """Slices that were replaced get nothing, and the new ones what dy has there."""
    places = _from_the_start(n, n.input(1), n.x.sizes)
    shape = n.input(2).sizes

    def cleared() -> ShapedValue:
        zeros = n.values.filled(0, n.dy.kind, shape)
        return n.values.add("ScatterND", [n.dy, places, zeros], n.dy.kind, n.dy.shape)

    def read() -> ShapedValue:
        return n.values.add("GatherND", [n.dy, places], n.dy.kind, shape)

    _scattered(n, cleared, read)


def _scatter_elements(n: Backward) -> None:
    """Elements that were replaced get nothing, and the new ones what dy has there."""
    axis, places, shape = n.number("axis", 0), n.input(1), n.input(2).sizes

    def cleared() -> ShapedValue:
        inputs = [n.dy, places, n.values.filled(0, n.dy.kind, shape)]
        return n.values.add("ScatterElements", inputs, n.dy.kind, n.dy.shape, axis=axis)

    def read() -> ShapedValue:
        return n.values.add("GatherElements", [n.dy, places], n.dy.kind, shape, axis=axis)

    _scattered(n, cleared, read)


def _scattered(
    n: Backward, cleared: Callable[[], ShapedValue], read: Callable[[], ShapedValue]
) -> None:
    """The gradients of an array and of what is put into it, which may be added."""
    reduction = n.number("reduction", "none")
    if reduction not in ("none", "add"):
        raise n.refused(f"its reduction is {reduction!r}")
    if n.wants(0):
        n.give(0, n.dy if reduction == "add" else cleared())
    if n.wants(2):
        n.give(2, read())


def _triangle(n: Backward) -> None:
    """The same triangle of dy."""
    inputs = [n.dy, *n.node.input[1:]]
    attributes = {"upper": n.number("upper", 1)}
    n.give(0, n.values.add("Trilu", inputs, n.dy.kind, n.dy.shape, **attributes))


def _to_depth(n: Backward) -> None:
    """Blocks of dy's channels are squares again."""
    size = n.number("blocksize", 1)
    n.give(0, n.values.add("DepthToSpace", [n.dy], n.dy.kind, n.x.shape, blocksize=size))


def _to_space(n: Backward) -> None:
    """Squares of dy are blocks of channels again; the import leaves only those in this order."""
    size = n.number("blocksize", 1)
    n.give(0, n.values.add("SpaceToDepth", [n.dy], n.dy.kind, n.x.shape, blocksize=size))


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
    "GatherND": _gather_nd,
    **dict.fromkeys(("ScatterElements", "Scatter"), _scatter_elements),
    "ScatterND": _scatter_nd,
    "TopK": _top_k,
    "Trilu": _triangle,
    "SpaceToDepth": _to_depth,
    "DepthToSpace": _to_space,
}
"""The rules of operators on shapes and elements."""
