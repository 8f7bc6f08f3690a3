"""Crops the inputs of convolutions and pools to the part that their windows read.

Requires: a portable module.
Matches: everywhere, `stablehlo.convolution` and `stablehlo.reduce_window` of known sizes without
dilated inputs, and convolutions and pools of linalg, along axes of known sizes. With strides, the
last columns of an input, or of its padding, may be read by no window: first the padding is made
smaller, then the input is cropped.
Ensures: windows reach the end of their input.

IREE treats such an input as larger if there is a single window: it then writes and reads beyond
arrays, without a diagnostic (`tests/traps/test_single_window.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.values import array_of, ints, shape, static_shape
from rnn_compiler.lowering.codegen.body import Body
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.schema.open_sizes import Size, is_static, static_size

_LINALG = re.compile(
    r"linalg\.(?:depthwise_)?(?:conv|pooling)_(?:\dd_)?(?P<input>n[gcdhw]+)"
    r"(?:_(?P<window>[gfcmdhwo]+))?(?:_|$)"
)
"""Convolutions and pools by the axes of their input and of their filters; the windows of a pool are
the shape of its second operand."""

_STABLEHLO = re.compile(r"\[(?P<input>[^]]*)\]x\[(?P<window>[^]]*)\]->")


class _CroppedAxis(NamedTuple):
    """An axis that windows move along.

    Attributes:
        axis: Its number in the input.
        dilation: The distance of two numbers in a window.
    """

    axis: int
    windows: int
    window: int
    stride: int
    dilation: int

    @property
    def reach(self) -> int:
        """The part of the padded input that the windows read, as a size."""
        return (self.windows - 1) * self.stride + (self.window - 1) * self.dilation + 1


def windows_reach_the_end(context: PassContext) -> str | None:
    """Windows of convolutions and pools read their input to its end."""
    return first(
        str(op)
        for op, number, axes in _inputs(context)
        if _cropped(op, op.operands[number], axes)
        != (tuple(shape(op.operands[number])), _padding(op, len(axes)))
    )


@pass_with(requires=(), ensures=(windows_reach_the_end,))
def crop_inputs(context: PassContext) -> None:
    """Crops the inputs of all windows of a module."""
    for op, number, axes in _inputs(context):
        _cut(op, number, axes)  # only the first of an op makes the padding smaller


def _inputs(context: PassContext) -> Iterator[tuple[ir.Operation, int, Sequence[_CroppedAxis]]]:
    """The inputs that windows read: the ops, their operands' numbers and the axes of windows."""
    for op in nested_ops(context.module.operation):
        axes = _axes(op)
        for number in range(len(op.results) if axes else 0):
            yield op, number, axes


def _axes(op: ir.Operation) -> Sequence[_CroppedAxis]:
    """The axes that an op moves windows along, if it is one whose inputs may be cropped."""
    is_linalg = _LINALG.match(op.name) is not None
    if not is_linalg and op.name not in _READERS:
        return ()
    values = (*op.operands, *op.results)  # zero points are not tensors
    sizes = [
        size for each in values if isinstance(each.type, ir.ShapedType) for size in shape(each)
    ]
    if 0 in sizes or not is_static(*sizes if not is_linalg else shape(op.operands[1])):
        return ()
    return _linalg(op) if is_linalg else _READERS[op.name](op)


def _linalg(op: ir.Operation) -> Sequence[_CroppedAxis]:
    """The axes of known sizes of an op of linalg, whose input is padded already."""
    names = _LINALG.match(op.name)
    assert names is not None
    sizes = static_shape(op.operands[1])
    if names["window"]:
        sizes = [sizes[k] for k, axis in enumerate(names["window"]) if axis in "dhw"]
    moved = [k for k, axis in enumerate(names["input"]) if axis in "dhw"]
    given, counts = shape(op.operands[0]), shape(op.results[0])
    strides, dilations = (
        [*ir.DenseIntElementsAttr(op.attributes[name])] for name in ("strides", "dilations")
    )
    axes = zip(moved, sizes, strides, dilations, strict=True)
    return [
        _CroppedAxis(axis, static_size(counts[axis]), *rest)
        for axis, *rest in axes
        if is_static(given[axis], counts[axis])
    ]


def _convolution(op: ir.Operation) -> Sequence[_CroppedAxis]:
    numbers = _STABLEHLO.search(str(op.attributes["dimension_numbers"]))
    assert numbers is not None  # the bindings have no class for it
    given, window = (
        [each.strip() for each in numbers[name].split(",")] for name in ("input", "window")
    )
    _, _, result = str(op.attributes["dimension_numbers"]).partition("->")
    made = [each.strip() for each in result.strip("[]>").split(",")]
    count = len(given) - 2
    if _ones(op, "lhs_dilation", count) != [1] * count:
        return ()
    strides, dilations = (_ones(op, name, count) for name in ("window_strides", "rhs_dilation"))
    sizes, counts = static_shape(op.operands[1]), static_shape(op.results[0])
    return [
        _CroppedAxis(
            given.index(str(k)),
            counts[made.index(str(k))],
            sizes[window.index(str(k))],
            strides[k],
            dilations[k],
        )
        for k in range(count)
    ]


def _pool(op: ir.Operation) -> Sequence[_CroppedAxis]:
    windows = ints(op, "window_dimensions")
    count = len(windows)
    if _ones(op, "base_dilations", count) != [1] * count:
        return ()
    strides, dilations = (_ones(op, name, count) for name in ("window_strides", "window_dilations"))
    counts = static_shape(op.results[0])
    return [_CroppedAxis(k, counts[k], windows[k], strides[k], dilations[k]) for k in range(count)]


_READERS = {"stablehlo.convolution": _convolution, "stablehlo.reduce_window": _pool}


def _ones(op: ir.Operation, name: str, count: int) -> list[int]:
    """A list of integers; ones if it is missing."""
    return ints(op, name) if name in op.attributes else [1] * count


def _cropped(
    op: ir.Operation, value: ir.Value, axes: Sequence[_CroppedAxis]
) -> tuple[tuple[Size, ...], list[list[int]]]:
    """The sizes and the padding of an input without the end that no window reads.

    At least one number is left.
    """
    sizes, pads = [*shape(value)], _padding(op, len(axes))
    for each, pad in zip(axes, pads, strict=True):
        size = static_size(sizes[each.axis])
        unread = size + sum(pad) - each.reach
        from_padding = min(unread, max(pad[1], 0))
        pad[1] -= from_padding
        sizes[each.axis] = size - min(unread - from_padding, size - 1)
    return (*sizes,), pads


def _cut(op: ir.Operation, number: int, axes: Sequence[_CroppedAxis]) -> None:
    """Crops an operand along some axes; the op may pad it first."""
    value = op.operands[number]
    given = tuple(shape(value))
    sizes, pads = _cropped(op, value, axes)
    if op.name in _READERS:
        text = f"dense<{pads}> : tensor<{len(pads)}x2xi64>"
        op.attributes["padding"] = ir.Attribute.parse(text)
    if sizes != given:
        body = Body.before(op)
        array = array_of(body, value)
        kept = [n if isinstance(n, int) else own for n, own in zip(sizes, array.shape, strict=True)]
        op.operands[number] = body.extract(array, [0] * len(given), kept).value


def _padding(op: ir.Operation, count: int) -> list[list[int]]:
    """The padding before and after each axis; an op of linalg has none."""
    if "padding" not in op.attributes:
        return [[0, 0] for _ in range(count)]
    flat = [*ir.DenseIntElementsAttr(op.attributes["padding"])]
    return [flat[2 * k : 2 * k + 2] for k in range(count)]
