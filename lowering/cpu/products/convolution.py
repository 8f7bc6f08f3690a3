"""A convolution of images as one dispatch: products of filters and windows, some at a time.

    for block of panels of the result's images, as many as fit a cache, in parallel:
      windows[c i j, o] = image[c, o * stride + (i, j) * dilation - padding]    # `windows`
      for tile of filters:
        for panel of the block:
          sums = filters[tile] @ windows[:, panel]                              # in registers
          result[tile, panel] = epilogue(sums)

All windows of an image are many times as large as the image. A workgroup reuses its memory for
some of them, so that they stay in a second-level cache. The padding is written there too, and the
elementwise functions that follow the convolution, from its bias to an activation, are applied to
the sums (`Epilogue`): neither the padded image nor the sums are in memory.

Windows of a single number, side by side and without padding, are the image: it is read in place.

A panel is some vectors of the result, whose rows follow each other; it may begin within a row. The
last block of an image has the vectors that are left over.

Remainders: the last tile of filters and the last vector of an image overlap the previous ones and
compute some numbers again. The bits of a sum are the same in all these cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, known
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import first_of, partition
from rnn_compiler.lowering.codegen.registers import (
    accumulate,
    accumulate_unrolled,
    add_outer_product,
)
from rnn_compiler.lowering.cpu.products.epilogue import FILTER, NO_EPILOGUE, Epilogue
from rnn_compiler.lowering.cpu.products.windows import ImageWindows, WindowCopies
from rnn_compiler.lowering.cpu.tiles import starts_of

_WORKGROUPS = 8
"""The most workgroups; each has memory for windows of its own."""

_PANEL = 3
"""The registers of columns of a tile. A tile has a quarter as many rows as there are registers, so
that three quarters of them hold sums."""

_CACHED, _LARGEST = 6 << 16, 3 << 18
"""The bytes of windows that a workgroup copies at a time, unless those of a panel are more, and the
most for a row."""

_SHARED = 4
"""The fewest blocks of a convolution, for threads to share."""

_TILES_COPIED_FOR = 12
"""The fewest tiles of filters for which windows are copied twice, in a fiftieth of the time that
their products take."""


@dataclass(frozen=True)
class ImageConvolution(ImageWindows):
    """A convolution, and what follows it."""

    _: KW_ONLY
    epilogue: Epilogue = NO_EPILOGUE

    @property
    def is_supported(self) -> bool:
        """Whether windows can be copied in vectors, and those of a row fit the cache."""
        row = -(-self.vectors.lanes("f32") // self.positions[1])  # or rows with a vector in all
        return self.bytes_of(self.channels, row) <= _LARGEST and self.is_copied_in_vectors

    @property
    def is_in_place(self) -> bool:
        """Whether the windows are the images, which are not copied."""
        return (*self.window, *self.strides) == (1, 1, 1, 1)

    @property
    def inner(self) -> int:
        """K, the numbers of a window."""
        return self.channels * self.window[0] * self.window[1]

    @property
    def panel(self) -> int:
        """The results of a panel."""
        return _PANEL * self.vectors.lanes("f32")

    @property
    def panels(self) -> int:
        """The whole panels of an image."""
        return math.prod(self.positions) // self.panel

    @property
    def blocks(self) -> int:
        """The blocks of panels of an image."""
        most = max(1, self.panels)
        fewest = min(most, -(-_SHARED // self.batch))
        sizes = range(fewest, most + 1)
        return min(
            sizes, key=lambda count: max(_CACHED, self.bytes_of(self.channels, self.rows(count)))
        )

    def rows(self, blocks: int) -> int:
        """The most rows of the result that a block has numbers of."""
        high, wide = self.positions
        starts = [first_of(n, self.panels, blocks) * self.panel for n in range(blocks)]
        ends = [*starts[1:], high * wide]
        return max(
            (end - 1) // wide - start // wide + 1 for start, end in zip(starts, ends, strict=True)
        )

    def emit(
        self, outside: FunctionBuilder, images: Array, filters: Array, inputs: Sequence[Array]
    ) -> Array:
        """Emits the dispatch: unpadded images ``[N*C, rows, columns]`` and filters ``[F, K]``.

        Images that are read in place are ``[N*C, positions]``. The result is ``[N*F, positions]``;
        the inputs of the epilogue are ``[F]`` or ``[N*F, positions]``.
        """
        return _ConvolutionEmission(self, outside, images, filters, inputs).emit()


class _ConvolutionEmission:
    """Emits the dispatch.

    Attributes:
        windows: The memory for windows, ``[workgroups * C * copies, lines * pitch]``; None if
            images are read in place.
        begin: The first row of this workgroup.
        parts: The parts into which the filters are divided: where nothing is copied for each, or
            where there are few blocks, so that two threads have the same to do.
        sums: The memory for the sums of a tile before the epilogue, of each workgroup.
    """

    def __init__(
        self,
        sizes: ImageConvolution,
        outside: FunctionBuilder,
        images: Array,
        filters: Array,
        inputs: Sequence[Array],
    ) -> None:
        self.sizes, self.blocks, self.wide = sizes, sizes.blocks, sizes.positions[1]
        self.rows = sizes.rows(self.blocks)
        self.tile = sizes.vectors.tile_height(sizes.filters)
        self.parts, blocks = 1, sizes.batch * self.blocks
        tiles = -(-sizes.filters // self.tile)
        if sizes.is_in_place:
            self.parts = min(-(-_WORKGROUPS // blocks), tiles)
        elif blocks < _SHARED and tiles >= _TILES_COPIED_FOR and sizes.vectors.has_threads:
            self.parts = 2
        self.workgroups = min(_WORKGROUPS, blocks * self.parts)
        self.executable = DispatchBuilder(outside, "convolution", self.workgroups)
        self.body = self.executable.body
        given = map(outside.materialized, (images, filters, *inputs))
        self.images, self.filters, *read = map(self.executable.read, given)
        self.inputs = dict(zip((name for name, _ in sizes.epilogue.inputs), read, strict=True))
        positions = sizes.positions[0] * self.wide
        self.result = self.executable.make(
            ArrayType((sizes.batch * sizes.filters, positions), "f32")
        )
        self.lines, self.height = sizes.lines(self.rows), sizes.channels * math.prod(sizes.copies)
        self.windows: Array | None = None
        if not sizes.is_in_place:
            memory = self.workgroups * self.height, self.lines * sizes.pitch
            self.windows = self.executable.make(ArrayType(memory, "f32"))
        self.sums: Array | None = None
        if sizes.epilogue.steps:
            memory = self.workgroups * self.tile, sizes.panel
            self.sums = self.executable.make(ArrayType(memory, "f32"))

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        number = self.executable.workgroup()
        self.begin, self.slot = number * self.height, number * self.tile
        self.written = [self.result, *([self.sums] if self.sums else [])]
        changed = [*self.written, *([self.windows] if self.windows else [])]
        blocks = self.sizes.batch * self.blocks * self.parts
        partition(self.body, blocks, self.workgroups, number, changed, self._block)
        self.executable.dispatch()
        return self.result

    def _block(self, number: Index) -> None:
        """Emits the results of some panels of an image, and of a part of the filters."""
        body, sizes = self.body, self.sizes
        number, height, panel = body.index(number), self.tile, sizes.panel
        low: Index = 0
        high: Index = sizes.filters
        if self.parts > 1:
            share = -(-sizes.filters // (height * self.parts)) * height
            low = number % self.parts * share
            number, high = number // self.parts, (low + share).at_most(high)
        image, block = number // self.blocks, number % self.blocks
        begin, end = (
            body.index(first_of(each, sizes.panels, self.blocks)) * panel
            for each in (block, block + 1)
        )
        row = (begin // self.wide).at_most(sizes.positions[0] - self.rows)
        windows, before = self._windows(image, row), row * self.wide
        positions = math.prod(sizes.positions)
        lanes = sizes.vectors.lanes("f32")
        width = min(positions, -(-(positions % panel) // lanes) * lanes)

        def tiles(first: Number) -> None:
            first = first.at_most(sizes.filters - height)
            lhs = body.extract(self.filters, [first, 0], (height, sizes.inner))

            def tile(at: Number, width: int) -> None:
                result = [image * sizes.filters + first, at]
                self._tile(lhs, windows, first, result, at - before, starts_of(width, lanes))

            if sizes.panels:
                body.loop(begin, end, panel, self.written, lambda at: tile(at, panel))
            if width:  # no iteration or one, of the last block
                others = body.index(self.blocks - 1) - block
                left = (others * positions + (positions - width)).at_most(positions)
                body.loop(left, positions, width, self.written, lambda at: tile(at, width))

        body.loop(low, high, height, self.written, tiles)

    def _windows(self, image: Number, row: Number) -> Array:
        """The windows of the results of some rows: a part of an image, or copies of its lines."""
        body, sizes = self.body, self.sizes
        if self.windows is None:
            at = [image * sizes.channels, row * self.wide]
            return body.extract(self.images, at, (sizes.channels, self.rows * self.wide))
        made, copies = self.windows, math.prod(sizes.copies)
        copied = WindowCopies(sizes, body, self.images, made, self.rows)

        def channel(c: Number) -> None:
            copied.copy(image * sizes.channels + c, row, self.begin + c * copies)

        body.loop(0, sizes.channels, 1, [made], channel)
        return body.extract(made, [self.begin, 0], (self.height, self.lines * sizes.pitch))

    def _tile(
        self,
        lhs: Array,
        windows: Array,
        first: Number,
        at: Sequence[Number],
        column: Number,
        columns: Sequence[int],
    ) -> None:
        """Emits the product of some filters and windows, and the epilogue of its sums."""
        body, sizes, lanes = self.body, self.sizes, self.sizes.vectors.lanes("f32")
        high, wide = sizes.window
        places, height = [sizes.place(column + each) for each in columns], known(lhs.shape)[0]

        def add(inside: Body, given: list[Number], sums: list[Number]) -> list[Number]:
            c, *k = (Number(inside, each.value, each.element) for each in given)
            line, shift = sizes.at(c, k[0], k[1])
            number = (c * high + k[0]) * wide + k[1]
            rhs = [inside.read(windows, [line, shift + place], lanes) for place in places]
            numbers = (inside.element(lhs, [row, number]) for row in range(height))
            return add_outer_product(sums, (inside.broadcast(x, lanes) for x in numbers), rhs)

        def row(inside: Body, above: list[Number], sums: list[Number]) -> list[Number]:
            return accumulate_unrolled(
                inside, wide, sizes.vectors.tile_unrolled, sums,
                lambda inside, j, sums: add(inside, [*above, j], sums),
            )  # fmt: skip

        def channel(inside: Body, c: Number, sums: list[Number]) -> list[Number]:
            return accumulate(
                inside, high, 1, sums, lambda inside, i, sums: row(inside, [c, i], sums)
            )

        sums = [body.constant(0, "f32", lanes)] * (height * len(columns))
        if sizes.window == (1, 1):
            zero = body.index(0)
            sums = accumulate_unrolled(
                body, sizes.channels, sizes.vectors.tile_unrolled, sums,
                lambda inside, c, sums: add(inside, [c, zero, zero], sums),
            )  # fmt: skip
        else:
            sums = accumulate(body, sizes.channels, 1, sums, channel)
        self._write(sums, first, at, columns)

    def _write(
        self, sums: Sequence[Number], first: Number, at: Sequence[Number], columns: Sequence[int]
    ) -> None:
        """Emits the epilogue of a tile.

        Its sums are in memory of the workgroup before: the last tile of filters overlaps one that
        another workgroup may write at the same time, and only results are equal.
        """
        body, lanes, epilogue = self.body, self.sizes.vectors.lanes("f32"), self.sizes.epilogue
        target, row, column = (self.sums, self.slot, 0) if self.sums else (self.result, *at)
        places = [(row + number, column + each) for number in range(self.tile) for each in columns]
        for total, place in zip(sums, places, strict=True):
            body.write(total, target, place)
        if self.sums is None:
            return
        memory = self.sums

        def finish(number: Number) -> None:
            for each in columns:
                place = [at[0] + number, at[1] + each]
                given = {
                    name: body.broadcast(body.element(self.inputs[name], [first + number]), lanes)
                    if axes == FILTER
                    else body.read(self.inputs[name], place, lanes)
                    for name, axes in epilogue.inputs
                }
                total = body.read(memory, [self.slot + number, each], lanes)
                body.write(epilogue.emit(body, total, given), self.result, place)

        body.loop(0, self.tile, 1, [self.result], finish)
