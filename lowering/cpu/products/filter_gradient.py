"""The gradient of a convolution's filters as one dispatch: dot products of gradients and windows.

    dw[f, c i j] = sum over images n and results o of dy[n, f, o] * windows[n, c i j, o]

    for block of channels, and part of the filters, in parallel:
      for block of images:
        copy the lines of these channels and images                               # `windows`
        for tile of filters:
          for channel of the block, row i of a window, some columns j:
            for image of the block, for vector of results o:
              sums[f, j] += dy[n, f, o] * windows[n, c i j, o]                     # in registers
            dw[f, c i j] += the sum of each vector

Images and gradients are read in the order that they have in memory. As a product of matrices, both
would be transposed first, and all windows written to memory. Blocks are such that the windows, and
the gradients for a tile of filters, stay in a second-level cache.

Remainders: the last vector of an image overlaps the previous one; its numbers that were added
before are zeros. The last tile of filters is lower.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.codegen.registers import (
    accumulate,
    add_outer_product,
    lane,
    shuffled,
)
from rnn_compiler.lowering.cpu.products.windows import ImageWindows, WindowCopies

_WORKGROUPS = 8
"""The most workgroups; each has memory for windows of its own."""

_COLUMNS = 3
"""The most columns of a window in a tile."""

_CACHED = 3 << 17
"""The bytes of windows, and of gradients, that a workgroup reads again and again."""


_WIDEST, _LARGEST = 16, 1 << 20
"""The most columns of a window, and the most bytes of the windows of a channel of an image."""


@dataclass(frozen=True)
class FilterGradient(ImageWindows):
    """The gradient of the filters of a convolution."""

    @property
    def is_supported(self) -> bool:
        """Whether windows can be copied in vectors, are narrow, and need little memory.

        The columns of a window are written out in the code.
        """
        return self.is_copied_in_vectors and self.window[1] <= _WIDEST and self._bytes <= _LARGEST

    @property
    def tile(self) -> int:
        """The filters of a tile."""
        return min(self.vectors.rows, self.filters)

    @property
    def images(self) -> int:
        """The most images of a block."""
        of_one = max(self._bytes, 4 * self.tile * math.prod(self.positions))
        return max(1, min(self.batch, _CACHED // of_one))

    @property
    def block(self) -> int:
        """The most channels of a block."""
        return max(1, min(-(-self.channels // _WORKGROUPS), _CACHED // (self.images * self._bytes)))

    @property
    def _bytes(self) -> int:
        """The bytes of the windows of a channel of an image."""
        return self.bytes_of(1, self.positions[0])

    def emit(self, outside: FunctionBuilder, images: Array, gradients: Array) -> Array:
        """Emits the dispatch: unpadded images ``[N*C, rows, columns]``, gradients ``[N*F, o]``.

        The result is ``[F, C * i * j]``.
        """
        return _FilterGradientEmission(self, outside, images, gradients).emit()


class _FilterGradientEmission:
    """Emits the dispatch.

    Attributes:
        blocks: The blocks of channels.
        parts: The parts into which the filters are divided.
        windows: The memory for windows, ``[workgroups * lines of a block, lines * pitch]``.
    """

    def __init__(
        self, sizes: FilterGradient, outside: FunctionBuilder, images: Array, gradients: Array
    ) -> None:
        self.sizes, self.copies = sizes, math.prod(sizes.copies)
        self.blocks = -(-sizes.channels // sizes.block)
        self.parts = min(-(-_WORKGROUPS // self.blocks), -(-sizes.filters // sizes.tile))
        self.workgroups = min(_WORKGROUPS, self.blocks * self.parts)
        self.executable = DispatchBuilder(outside, "filter_gradient", self.workgroups)
        self.body = self.executable.body
        given = map(outside.materialized, (images, gradients))
        self.images, self.gradients = map(self.executable.read, given)
        columns = sizes.channels * math.prod(sizes.window)
        self.result = self.executable.make(ArrayType((sizes.filters, columns), "f32"))
        self.height = sizes.block * sizes.images * self.copies
        memory = self.workgroups * self.height, sizes.lines(sizes.positions[0]) * sizes.pitch
        self.windows = self.executable.make(ArrayType(memory, "f32"))

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        number = self.executable.workgroup()
        self.begin = number * self.height
        items, changed = self.blocks * self.parts, [self.result, self.windows]
        partition(self.body, items, self.workgroups, number, changed, self._item)
        self.executable.dispatch()
        return self.result

    def _item(self, number: Index) -> None:
        """Emits the gradient of a part of the filters for a block of channels."""
        body, sizes, result = self.body, self.sizes, [self.result]
        number = body.index(number)
        share = -(-sizes.filters // (sizes.tile * self.parts)) * sizes.tile
        low = number % self.parts * share
        high = (low + share).at_most(sizes.filters)
        first = number // self.parts * sizes.block
        channels = (sizes.channels - first).at_most(sizes.block)
        window = math.prod(sizes.window)
        zero = body.constant(0, "f32")

        def clear(f: Number) -> None:
            start = first * window
            body.loop(
                start, start + channels * window, 1, result,
                lambda column: body.put(zero, self.result, [f, column])
            )  # fmt: skip

        body.loop(low, high, 1, result, clear)

        def images(begin: Number) -> None:
            count = (sizes.batch - begin).at_most(sizes.images)
            self._copy(first, channels, begin, count)
            windows = body.extract(
                self.windows, [self.begin, 0], (self.height, known(self.windows.shape)[1])
            )
            tall, rest = sizes.tile, sizes.filters % sizes.tile

            def tiles(f: Number, height: int) -> None:
                self._tile(windows, f, height, (first, channels), (begin, count))

            whole = high.at_most(sizes.filters - rest)
            body.loop(low, whole, tall, result, lambda f: tiles(f, tall))
            if rest:  # no iteration or one, of the last part
                last = low.at_least(sizes.filters - rest)
                body.loop(last, high, tall, result, lambda f: tiles(f, rest))

        body.loop(0, sizes.batch, sizes.images, [self.result, self.windows], images)

    def _copy(self, first: Number, channels: Number, begin: Number, count: Number) -> None:
        """Emits the copies of the lines of some channels and images."""
        body, sizes, made = self.body, self.sizes, [self.windows]
        copied = WindowCopies(sizes, body, self.images, self.windows, sizes.positions[0])

        def plane(c: Number, n: Number) -> None:
            number = (begin + n) * sizes.channels + first + c
            to = self.begin + (c * sizes.images + n) * self.copies
            copied.copy(number, body.index(0), to)

        body.loop(
            0, channels, 1, made, lambda c: body.loop(0, count, 1, made, lambda n: plane(c, n))
        )

    def _tile(
        self,
        windows: Array,
        f: Number,
        height: int,
        channels: tuple[Number, Number],
        images: tuple[Number, Number],
    ) -> None:
        """Emits the gradient of some filters for some channels and images."""
        body, sizes, result = self.body, self.sizes, [self.result]
        high, wide = sizes.window
        groups = -(-wide // _COLUMNS)
        cuts = [wide * number // groups for number in range(groups + 1)]

        def row(c: Number, i: Number) -> None:
            for start, end in itertools.pairwise(cuts):
                columns = range(start, end)
                sums = self._sums(windows, (f, c, i), height, columns, images)
                first = ((channels[0] + c) * high + i) * wide
                for number, total in enumerate(sums):
                    at = [f + number // len(columns), first + columns[number % len(columns)]]
                    before = body.element(self.result, at)
                    body.put(before + _total(total), self.result, at)

        body.loop(
            0, channels[1], 1, result, lambda c: body.loop(0, high, 1, result, lambda i: row(c, i))
        )

    def _sums(
        self,
        windows: Array,
        of: tuple[Number, Number, Number],
        height: int,
        columns: Sequence[int],
        images: tuple[Number, Number],
    ) -> list[Number]:
        """Emits the sums over some images, from filter `f` on, for a channel and row of windows."""
        body, sizes, (f, c, i) = self.body, self.sizes, of
        positions, lanes = math.prod(sizes.positions), sizes.vectors.lanes("f32")
        while lanes > positions:
            lanes //= 2

        def image(inside: Body, n: Number, sums: list[Number]) -> list[Number]:
            line = n + Number(inside, c.value, c.element) * sizes.images
            row = Number(inside, i.value, i.element)
            at = [sizes.at(line, row, inside.index(j)) for j in columns]
            before = (n + images[0]) * sizes.filters + f
            rows = [before + k for k in range(height)]

            def add(within: Body, o: Number, sums: list[Number], added: int = 0) -> list[Number]:
                place = sizes.place(o)
                lhs = [within.read(self.gradients, [each, o], lanes) for each in rows]
                rhs = [within.read(windows, [on, place + shift], lanes) for on, shift in at]
                if added:
                    lhs, rhs = ([_without(each, added) for each in side] for side in (lhs, rhs))
                return add_outer_product(sums, lhs, rhs)

            full = positions // lanes * lanes
            sums = accumulate(inside, full, lanes, sums, add)
            if full < positions:
                left = inside.index(positions - lanes)
                sums = add(inside, left, sums, lanes - (positions - full))
            return sums

        zeros = [body.constant(0, "f32", lanes)] * (height * len(columns))
        return accumulate(body, images[1], 1, zeros, image)


def _without(vector: Number, count: int) -> Number:
    """Emits a vector with zeros for its first numbers."""
    lanes = vector.lanes
    zeros = vector.body.constant(0, vector.element, lanes)
    return shuffled(zeros, vector, [k if k < count else lanes + k for k in range(lanes)])


def _total(vector: Number) -> Number:
    """Emits the sum of a vector's numbers, half of them at a time."""
    while vector.lanes > 1:
        half = vector.lanes // 2
        low, high = range(half), range(half, 2 * half)
        vector = shuffled(vector, vector, low) + shuffled(vector, vector, high)
    return lane(vector, 0)
