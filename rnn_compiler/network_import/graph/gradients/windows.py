"""Rules for convolutions and pools, in any number of dimensions.

    Y = W * X, a convolution with strides s, dilations d, kernels of K elements, and padding

    dX   a convolution of dY with the kernel turned around and channels exchanged; s of them, each
         with every s-th element of the kernel, for the elements of dX in turn (`_StridedParts`)
    dW   a convolution of X with dY as the kernel, with strides d and dilations s; batch and
         channels are exchanged

A transposed convolution has the same gradients with X and Y exchanged. In a pool of maxima, the
first largest element of each window gets its dy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rnn_compiler.lowering.ops.pool_gradient import OP
from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.values import ShapedValue
from rnn_compiler.network_import.graph.recurrent import DOMAIN
from rnn_compiler.schema.open_sizes import Size, is_static, product

_IMAGE = 2
"""The most axes of windows for which there is an op."""


@dataclass(frozen=True)
class _AxisWindows:
    """The windows along an axis.

    Attributes:
        number: The axis.
        kernel: The elements of a window.
        stride: How far apart windows are.
        dilation: How far apart the elements of a window are.
        before: The padding before the array.
        behind: The padding behind it.
    """

    number: int
    kernel: int
    stride: int
    dilation: int
    before: int
    behind: int

    @property
    def span(self) -> int:
        return (self.kernel - 1) * self.dilation + 1


def _axes(n: Backward, kernel: Sequence[Size]) -> list[_AxisWindows]:
    """The windows of a node."""
    rank = len(kernel)
    strides, dilations = (n.number(name, [1] * rank) for name in ("strides", "dilations"))
    pads, automatic = n.number("pads", [0] * (2 * rank)), n.number("auto_pad", "NOTSET")
    if n.number("ceil_mode", 0):
        raise n.refused("it has ceil_mode")
    axes: list[_AxisWindows] = []
    for k, size in enumerate(kernel):
        elements = _known(n, size)
        before, behind = (0, 0) if automatic == "VALID" else (pads[k], pads[k + rank])
        if automatic.startswith("SAME"):
            span = (elements - 1) * dilations[k] + 1
            needed = _known(n, (n.y.size(2 + k) - 1) * strides[k] + span - n.x.size(2 + k))
            before = (max(needed, 0) + (automatic == "SAME_LOWER")) // 2
            behind = max(needed, 0) - before
        axes.append(_AxisWindows(2 + k, elements, strides[k], dilations[k], before, behind))
    return axes


def _known(n: Backward, size: Size) -> int:
    """A size that must not be open."""
    if not isinstance(size, int):
        raise n.refused("its windows lie more than one apart along an axis of open size")
    return size


def _pads(axes: Sequence[_AxisWindows]) -> list[int]:
    """The paddings of axes in ONNX's order."""
    return [axis.before for axis in axes] + [axis.behind for axis in axes]


def _split(size: Size, groups: int) -> int:
    """The channels of a group."""
    assert isinstance(size, int)
    return size // groups


def _turned(W: ShapedValue, axes: Sequence[_AxisWindows], groups: int) -> ShapedValue:
    """A kernel turned around, with the channels of its inputs and of its results exchanged."""
    window = W.shape[2:]
    apart = W.reshape([groups, _split(W.size(0), groups), *W.shape[1:]])
    exchanged = apart.transpose([0, 2, 1, *range(3, apart.rank)])
    sizes = [product([groups, W.size(1)]), _split(W.size(0), groups), *window]
    turned = exchanged.reshape(sizes)
    for axis in axes:
        turned = turned.reversed(axis.number) if axis.kernel > 1 else turned
    return turned


def _by_channels(X: ShapedValue, groups: int) -> ShapedValue:
    """An array [B, groups * C, ...] as [C, groups * B, ...]."""
    B, channels, *others = X.sizes
    if groups == 1:
        return X.transpose([1, 0, *range(2, X.rank)])
    C = _split(channels, groups)
    apart = X.reshape([B, groups, C, *others])
    return apart.transpose([2, 1, 0, *range(3, apart.rank)]).reshape([C, groups * B, *others])


def _of_kernel(
    n: Backward, X: ShapedValue, Y: ShapedValue, axes: Sequence[_AxisWindows], groups: int
) -> ShapedValue:
    """The gradient of the kernel between X, which has the windows, and Y, which has one for each.

    Where strides leave elements of X over, there are more results than the kernel has elements.
    """
    sizes = [
        _known(n, X.size(a.number) + a.before + a.behind - (Y.size(a.number) - 1) * a.stride - 1)
        // a.dilation
        + 1
        for a in axes
    ]
    given, kernel = _by_channels(X, groups), _by_channels(Y, 1)
    made = n.values.add(
        "Conv",
        [given, kernel],
        Y.kind,
        [given.shape[0], kernel.shape[0], *sizes],
        pads=_pads(axes),
        strides=[axis.dilation for axis in axes],
        dilations=[axis.stride for axis in axes],
        group=groups,
    )
    made = made.transpose([1, 0, *range(2, made.rank)])
    for axis in axes:
        made = made.slice(axis.number, 0, axis.kernel)
    return made


def _spread(
    n: Backward, dy: ShapedValue, axis: _AxisWindows, size: Size
) -> tuple[ShapedValue, int, int]:
    """Puts dy at the places of its windows; and the padding for all windows of an element."""
    apart = dy.spread(axis.number, axis.stride)
    before = axis.span - 1 - axis.before
    return apart, before, _known(n, size - apart.size(axis.number) + axis.before)


def _of_input(
    n: Backward,
    dY: ShapedValue,
    W: ShapedValue,
    axes: Sequence[_AxisWindows],
    sizes: Sequence[Size],
    groups: int,
) -> ShapedValue:
    """The gradient of a convolution's input, whose sizes along the axes are given."""
    whole = [k for k, a in enumerate(axes) if a.span == sizes[k] and not (a.before or a.behind)]
    if whole and groups == 1:
        return _of_whole_axes(n, dY, W, axes, sizes, whole)
    parts = [
        _StridedParts.of(n, a, size, dY.size(a.number)) for a, size in zip(axes, sizes, strict=True)
    ]
    padded: list[_AxisWindows] = []
    for a, part in zip(axes, parts, strict=True):
        if part.stride == 1:
            dY = dY.spread(a.number, a.stride)
        before = (part.taps - 1) * a.dilation - part.first
        behind = _known(n, part.count + part.first - dY.size(a.number))
        dY = dY.pad(a.number, min(before, 0), min(behind, 0))
        padded.append(
            _AxisWindows(a.number, part.taps, 1, a.dilation, max(before, 0), max(behind, 0))
        )
    attributes = {"pads": _pads(padded), "dilations": [a.dilation for a in axes], "group": groups}
    kernel = _of_parts(_turned(W, axes, groups), axes, parts)
    shape = [dY.shape[0], kernel.shape[0], *(part.count for part in parts)]
    made = n.values.add("Conv", [dY, kernel], dY.kind, shape, **attributes)
    return _woven(made, axes, parts, sizes)


@dataclass(frozen=True)
class _StridedParts:
    """The elements of an input along an axis, of which each `stride`-th is computed together.

    Windows `stride` apart let an element of each part meet other elements of the kernel than one of
    the next part, so dX is a convolution of dY whose channels are the parts.

    Attributes:
        stride: How many parts there are.
        filled: How many of them the kernel reaches; it is 0 in the others.
        taps: How many elements of the kernel those of a part meet.
        before: Zeros before the kernel, with which the first part has the first element of dX.
        first: The position in dY of a part's first element.
        count: The elements of a part.
    """

    stride: int
    filled: int
    taps: int
    before: int
    first: int
    count: Size

    @staticmethod
    def of(n: Backward, axis: _AxisWindows, size: Size, windows: Size) -> _StridedParts:
        """The parts of an axis with some windows; one if the elements of its windows lie apart."""
        stride = 1 if axis.dilation > 1 else axis.stride
        filled, before = min(axis.kernel, stride), -axis.before % stride
        taps = -(-axis.kernel // filled)
        if axis.kernel + before > taps * filled:
            before = 0
        first, outside = divmod(axis.before + before, stride)
        count = size
        if stride > 1:  # sizes may be open if they grow as the windows do
            more = _known(n, size + outside - windows * stride)
            count = windows - (-more // stride)
        return _StridedParts(stride, filled, taps, before, first, count)


def _of_parts(
    kernel: ShapedValue, axes: Sequence[_AxisWindows], parts: Sequence[_StridedParts]
) -> ShapedValue:
    """A kernel turned around whose results are those of each part."""
    if all(part.filled == 1 for part in parts):
        return kernel
    sizes = [*kernel.shape[:2]]
    for a, part in zip(axes, parts, strict=True):
        rest = part.taps * part.filled - a.kernel - part.before
        kernel = kernel.pad(a.number, rest, part.before)
        sizes += [part.taps, part.filled]
    kernel = kernel.reshape(sizes)
    inside, outside = range(2, kernel.rank, 2), range(3, kernel.rank, 2)
    for axis in outside:
        kernel = kernel.reversed(axis)
    kernel = kernel.transpose([0, *outside, 1, *inside])
    results = product(kernel.sizes[: 1 + len(parts)])
    return kernel.reshape([results, *kernel.shape[1 + len(parts) :]])


def _woven(
    made: ShapedValue,
    axes: Sequence[_AxisWindows],
    parts: Sequence[_StridedParts],
    sizes: Sequence[Size],
) -> ShapedValue:
    """An array whose elements along each axis come from its parts in turn."""
    if all(part.stride == 1 for part in parts):
        return made
    filled = [part.filled for part in parts]
    channels = _split(made.size(1), math.prod(filled))
    apart = made.reshape([made.shape[0], channels, *filled, *(part.count for part in parts)])
    count = len(parts)
    order = [axis for k in range(count) for axis in (2 + count + k, 2 + k)]
    woven = apart.transpose([0, 1, *order])
    for k, part in enumerate(parts):
        woven = woven.pad(3 + 2 * k, 0, part.stride - part.filled)
    woven = woven.reshape([*made.shape[:1], channels, *(p.count * p.stride for p in parts)])
    for a, part, size in zip(axes, parts, sizes, strict=True):
        start = a.before + part.before - part.first * part.stride
        woven = woven.slice(a.number, start, start + size)
    return woven


def _of_whole_axes(
    n: Backward,
    dY: ShapedValue,
    W: ShapedValue,
    axes: Sequence[_AxisWindows],
    sizes: Sequence[Size],
    whole: Sequence[int],
) -> ShapedValue:
    """The same where one window is a whole axis: its elements are channels of other axes' windows.

    As a convolution it would multiply mostly by the zeros around the single result.
    """
    others = [k for k in range(len(axes)) if k not in whole]
    kernels = [axes[k].kernel for k in (*whole, *others)]
    lengths = kernels[: len(whole)]
    rows, channels = W.shape[0], product([W.size(1), *lengths])
    order = [0, 1, *(2 + k for k in (*whole, *others))]
    joined = W.transpose(order).reshape([rows, channels, *kernels[len(whole) :]])
    reduced = dY.reshape([*dY.shape[:2], *(dY.shape[2 + k] for k in others)])
    if others:
        numbered = [replace(axes[k], number=2 + number) for number, k in enumerate(others)]
        left = [sizes[k] for k in others]
        made = _of_input(n, reduced, joined, numbered, left, 1)
    else:
        made = reduced @ joined
    made = made.reshape([dY.shape[0], W.shape[1], *lengths, *(sizes[k] for k in others)])
    back = made.transpose([0, 1, *(2 + [*whole, *others].index(k) for k in range(len(axes)))])
    for k in whole:
        back = back.spread(2 + k, axes[k].dilation).slice(2 + k, 0, axes[k].span)
    return back


def _conv(n: Backward) -> None:
    """A convolution."""
    W, dY, groups = n.input(1), n.dy, n.number("group", 1)
    axes = _axes(n, W.sizes[2:])
    if n.wants(1):
        n.give(1, _of_kernel(n, n.x, dY, axes, groups))
    if n.wants(2):
        n.give(2, dY.sum([0, *(each.number for each in axes)]))
    if n.wants(0):
        n.give(0, _of_input(n, dY, W, axes, n.x.sizes[2:], groups))


def _conv_transpose(n: Backward) -> None:
    """A transposed convolution, which computes dX of a convolution."""
    W, dY, groups = n.input(1), n.dy, n.number("group", 1)
    if n.number("auto_pad", "NOTSET") not in ("NOTSET", "VALID") or n.number("output_shape", None):
        raise n.refused("its padding is not given")
    axes = _axes(n, W.sizes[2:])
    if n.wants(0):
        attributes = {
            "pads": _pads(axes),
            "strides": [axis.stride for axis in axes],
            "dilations": [axis.dilation for axis in axes],
            "group": groups,
        }
        n.give(0, n.values.add("Conv", [dY, W], dY.kind, n.x.shape, **attributes))
    if n.wants(1):
        n.give(1, _of_kernel(n, dY, n.x, axes, groups))
    if n.wants(2):
        n.give(2, dY.sum([0, *(each.number for each in axes)]))


def _max_pool(n: Backward) -> None:
    """The maximum of each window."""
    axes, padded = _axes(n, n.number("kernel_shape", [])), n.x
    for axis in axes:
        padded = padded.pad(axis.number, axis.before, axis.behind, -math.inf)
    are_apart = all(axis.stride == axis.kernel and axis.dilation == 1 for axis in axes)
    if are_apart and len(axes) <= _IMAGE and is_static(*padded.sizes):
        gradient = _of_windows_apart(n, padded, axes)
    else:
        gradient = _of_windows(n, padded, axes)
    for axis in axes:
        gradient = gradient.pad(axis.number, -axis.before, -axis.behind)
    n.give(0, gradient)


def _of_windows_apart(
    n: Backward, padded: ShapedValue, axes: Sequence[_AxisWindows]
) -> ShapedValue:
    """The gradient between maxima and their padded input, whose windows lie side by side."""
    x, leading = padded, padded.sizes[:2]
    for axis in axes:
        x = x.slice(axis.number, 0, n.y.size(axis.number) * axis.kernel)
    *outer, columns = n.y.sizes[2:]
    *high, wide = (axis.kernel for axis in axes)
    shape = [product([*leading, *outer]), product(high), columns, wide]
    given = [x.reshape(shape), n.dy.reshape([shape[0], columns])]
    name = n.values.name("maxima")
    n.values.add_op(OP.name, DOMAIN, given, [name], "{}")
    gradient = n.values.typed(name, x.kind, shape).reshape(x.sizes)
    for axis in axes:
        rest = padded.size(axis.number) - x.size(axis.number)
        gradient = gradient.pad(axis.number, 0, rest)
    return gradient


def _of_windows(n: Backward, padded: ShapedValue, axes: Sequence[_AxisWindows]) -> ShapedValue:
    """The gradient for any windows: a sum with a part for each place in them."""
    values = n.values
    parts: list[ShapedValue] = []
    free: ShapedValue | None = None
    for place in itertools.product(*(range(axis.kernel) for axis in axes)):
        offsets = [(axis, k * axis.dilation) for axis, k in zip(axes, place, strict=True)]
        element = padded
        for axis, start in offsets:
            stop = (n.y.size(axis.number) - 1) * axis.stride + start + 1
            element = element.slice(axis.number, start, stop, axis.stride)
        hit = element.equals(n.y)
        part = values.where(hit if free is None else hit & free, n.dy, 0)
        free = ~hit if free is None else free & ~hit
        for axis, start in offsets:
            part = part.spread(axis.number, axis.stride)
            rest = padded.size(axis.number) - part.size(axis.number) - start
            part = part.pad(axis.number, start, rest)
        parts.append(part)
    return values.sum(parts)


def _average_pool(n: Backward) -> None:
    """The mean of each window: dx sums dy over the windows of an element, and divides by K."""
    axes, dy = _axes(n, n.number("kernel_shape", [])), n.dy
    dilations = [axis.dilation for axis in axes]
    attributes = {"kernel_shape": [axis.kernel for axis in axes]}
    attributes |= {"dilations": dilations} if any(each > 1 for each in dilations) else {}
    if any(_pads(axes)) and not n.number("count_include_pad", 0):
        ones = n.values.filled(1, dy.kind, [1, 1, *n.x.sizes[2:]])
        for axis in axes:
            ones = ones.pad(axis.number, axis.before, axis.behind)
        strides = [axis.stride for axis in axes]
        shape = [1, 1, *n.y.shape[2:]]
        dy = dy / n.values.add("AveragePool", [ones], dy.kind, shape, strides=strides, **attributes)
    for axis in axes:
        dy, before, behind = _spread(n, dy, axis, n.x.size(axis.number))
        dy = dy.pad(axis.number, before, behind)
    n.give(0, n.values.add("AveragePool", [dy], dy.kind, n.x.shape, **attributes))


def _global_average(n: Backward) -> None:
    """The mean over all axes behind the channels."""
    count = n.values.number(product(n.x.sizes[2:]), n.dy.kind)
    n.give(0, (n.dy / count).expand(n.x.sizes))


def _global_max(n: Backward) -> None:
    """The maximum over all axes behind the channels: equal ones share dy."""
    is_it = n.x.equals(n.y).cast(n.x.kind)
    n.give(0, is_it * (n.dy / is_it.sum(range(2, n.x.rank), keeps=True)))


WINDOWS: Mapping[str, Callable[[Backward], None]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": _global_average,
    "GlobalMaxPool": _global_max,
}
"""The rules of convolutions and pools."""
