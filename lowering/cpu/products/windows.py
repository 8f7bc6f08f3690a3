"""The windows of images as copies of their lines, for dispatches that read them in vectors.

    windows[c i j, o] = image[c, o * stride + (i, j) * dilation - padding]    # line by line

Where windows are next to each other, a line is written once for all rows `i`, or columns `j`, of
the windows, which read it at other places. A vector of results then lies within a row, unless the
lines of a window's next row follow each other as the results do. The padding is written too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from rnn_compiler.lowering.analysis.values import ZERO, ints, shape
from rnn_compiler.lowering.codegen.body import Array, Body, Number, known
from rnn_compiler.lowering.codegen.registers import read_every
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit


@dataclass(frozen=True)
class ImageWindows:
    """The sizes of a convolution in float32 of known sizes.

    Attributes:
        batch: N, the number of images.
        channels: C.
        filters: F, at least 2.
        positions: The rows and columns of a result.
        strides: The distance of windows along rows and columns.
        dilations: The distance of numbers in a window.
        padding: The rows and columns of zeros before an image.
    """

    vectors: VectorUnit
    batch: int
    channels: int
    filters: int
    positions: tuple[int, int]
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    _: KW_ONLY
    padding: tuple[int, int] = (0, 0)

    @property
    def is_copied_in_vectors(self) -> bool:
        """Whether lines are long enough, and read in steps that vectors have."""
        return self.vectors.has_memory and self.positions[1] >= 4 and self.strides[1] <= 2

    @property
    def shared(self) -> tuple[bool, bool]:
        """Whether the rows, and the columns, of a window read the same lines."""
        is_whole = self.positions[1] % self.vectors.lanes("f32") == 0
        return is_whole or self.strides[0] == 1, is_whole and self.strides[1] == 1

    @property
    def copies(self) -> tuple[int, int]:
        """The copies of a line, for the rows and the columns of a window."""
        high, wide = ((1 if s else n) for s, n in zip(self.shared, self.window, strict=True))
        return high, wide

    @property
    def pitch(self) -> int:
        """The numbers of a line."""
        reach = (self.window[1] - 1) * self.dilations[1]
        return self.positions[1] + (reach if self.shared[1] else 0)

    def lines(self, rows: int) -> int:
        """The lines of a channel for some rows of a result, for each copy."""
        if not self.shared[0]:
            return rows
        return (rows - 1) * self.strides[0] + (self.window[0] - 1) * self.dilations[0] + 1

    def bytes_of(self, channels: int, rows: int) -> int:
        """The bytes of the windows of some channels, for some rows of a result."""
        return 4 * channels * math.prod(self.copies) * self.lines(rows) * self.pitch

    def at(self, line: Number, i: Number, j: Number) -> tuple[Number, Number]:
        """The line with the numbers at `i, j` of windows, from a channel's first; and from where.

        For a result the numbers begin at `place` behind it.
        """
        shift = line.body.index(0)
        for axis, (k, distance) in enumerate(((i, self.pitch), (j, 1))):
            if self.shared[axis]:
                shift = k * (self.dilations[axis] * distance) + shift
            else:
                line = line * self.window[axis] + k
        return line, shift

    def place(self, column: Number) -> Number:
        """Where a line has the first number of a window, for a column of the results."""
        step = self.pitch * (self.strides[0] if self.shared[0] else 1)
        wide = self.positions[1]
        return column if step == wide else column // wide * step + column % wide


class WindowCopies:
    """Emits copies of lines into memory for windows.

    Attributes:
        body: The body of the dispatch.
        images: The unpadded images, ``[N*C, rows, columns]``.
        made: The memory, ``[lines of channels and copies, lines * pitch]``.
        rows: The rows of the result whose windows are copied at a time.
    """

    def __init__(
        self, sizes: ImageWindows, body: Body, images: Array, made: Array, rows: int
    ) -> None:
        self.sizes, self.body, self.images, self.made = sizes, body, images, made
        self.lines = sizes.lines(rows)

    def copy(self, plane: Number, row: Number, to: Number) -> None:
        """Emits the copies of a channel's lines, for results from a row on, to lines from `to`."""
        body, sizes, windows = self.body, self.sizes, [self.made]
        (high, wide), (down, apart) = sizes.copies, (sizes.strides[0], sizes.dilations[0])
        step = 1 if sizes.shared[0] else down

        def line(i: Number, j: int, number: Number) -> None:
            at = [to + i * wide + j, number * sizes.pitch]
            self._copy_line([plane, row * down + number * step + i * apart], j, at)

        for j in range(wide):
            body.loop(
                0, high, 1, windows, lambda i, j=j: body.loop(
                    0, self.lines, 1, windows, lambda number: line(i, j, number)
                )
            )  # fmt: skip

    def _copy_line(self, at: Sequence[Number], j: int, to: Sequence[Number]) -> None:
        """Emits the copy of a line from the row `at` of the padded image, from column `j` on."""
        body, sizes, made = self.body, self.sizes, self.made
        above, before = sizes.padding
        high, wide = known(self.images.shape)[1:]
        step, first = sizes.strides[1], j * sizes.dilations[1] - before
        count = sizes.pitch
        low = min(count, max(0, -(first // step)))  # those between are no padding
        end = max(low, min(count, (wide - 1 - first) // step + 1))

        def zeros(column: int, lanes: int) -> None:
            column = min(column, count - lanes)
            body.write(body.constant(0, "f32", lanes), made, [to[0], to[1] + column])

        lanes = self._lanes(count)
        for column in (*range(0, low, lanes), *range(end, count, lanes)):
            zeros(column, lanes)
        if low == end:
            return
        lanes, row = self._lanes(end - low), at[1] - above
        inside = row.at_least(0).at_most(high - 1)
        last = (sizes.positions[0] - 1) * sizes.strides[0]
        last += (sizes.window[0] - 1) * sizes.dilations[0] - above
        is_padded = above > 0 or last >= high

        def vector(column: Number) -> None:
            column = column.at_most(end - lanes)
            start = column * step + body.index(first) if first else column * step
            value = read_every(body, step, self.images, [at[0], inside, start], lanes)
            if is_padded:
                is_image = body.broadcast(body.compare("eq", row, inside), lanes)
                value = body.select(is_image, value, body.constant(0, "f32", lanes))
            body.write(value, made, [to[0], to[1] + column])

        body.loop(low, end, lanes, [made], vector)

    def _lanes(self, count: int) -> int:
        """The lanes of vectors for a number of columns."""
        lanes = self.sizes.vectors.lanes("f32")
        while lanes > count:
            lanes //= 2
        return lanes


def unpadded(images: ir.Value) -> tuple[ir.Value, tuple[int, int]]:
    """Images without their zeros around them, and the rows and columns of zeros before them."""
    if not isinstance(images.owner, ir.Block) and images.owner.name == "tensor.pad":
        pad = images.owner.operation
        low, high = (ints(pad, f"static_{side}") for side in ("low", "high"))
        (value,) = ops_of(pad.regions[0].blocks[0])[-1].operands
        is_zero = str(constant_number(value)) == ZERO
        if is_zero and not any((*low[:2], *high[:2])) and min(*low, *high) >= 0:
            rows, columns = (0, *low[2:])[-2:]
            return pad.operands[0], (rows, columns)
    return images, (0, 0)


def constant_number(value: ir.Value) -> ir.Attribute | None:
    """A constant number, or the only one of an array without axes; None for other values."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "arith.constant":
        return None
    number = value.owner.attributes["value"]
    if not isinstance(value.type, ir.RankedTensorType):
        return number
    return None if shape(value) else ir.DenseElementsAttr(number).get_splat_value()
