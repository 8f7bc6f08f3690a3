"""A convolution of images as one dispatch: products of filters and windows, some at a time.

    for block of rows of the result's images, in parallel:
      for some of these rows, as many as fit a cache:
        windows[c i j, o] = image[c, o * stride + (i, j) * dilation - padding]  # row by row
        for panel of their columns:
          for tile of filters:
            sums = filters[tile] @ windows[:, panel]                            # in registers
            result[tile, panel] = epilogue(sums)

All windows of an image are many times as large as the image. A workgroup reuses its memory for
some of them, so that they stay in a second-level cache. The padding is written there too, and the
elementwise functions that follow the convolution, from its bias to an activation, are applied to
the sums (`Epilogue`): neither the padded image nor the sums are in memory.

Remainders: the last tile of filters, panel of columns, rows of an image and vector of a row overlap
the previous ones and compute some numbers again. The bits of a sum are the same in all these cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.codegen.registers import (
    accumulate_unrolled,
    add_outer_product,
    read_every,
)
from rnn_compiler.lowering.cpu.products.epilogue import FILTER, NO_EPILOGUE, Epilogue
from rnn_compiler.lowering.cpu.tiles.register_tiles import starts_of
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["ImageConvolution"]

_WORKGROUPS = 8
"""The most workgroups; each has memory for windows of its own."""

_PANEL = 3
"""The registers of columns of a tile. A tile has a quarter as many rows as there are registers, so
that three quarters of them hold sums."""

_CACHED, _LARGEST = 5 << 16, 3 << 18
"""The bytes of windows that a workgroup copies at a time, unless those of a row are more, and the
most for a row."""


@dataclass(frozen=True)
class ImageConvolution:
    """The sizes of a convolution in float32 of known sizes.

    Attributes:
        vectors: The vector unit.
        batch: N, the number of images.
        channels: C.
        filters: F, at least 2.
        positions: The rows and columns of a result.
        window: The rows and columns of a window.
        strides: The distance of windows along rows and columns.
        dilations: The distance of numbers in a window.
        padding: The rows and columns of zeros before an image.
        epilogue: What follows it.
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
    epilogue: Epilogue = NO_EPILOGUE

    @property
    def is_supported(self) -> bool:
        """Whether windows can be copied in vectors, and a row's windows fit the cache."""
        fits = self._bytes(1) <= _LARGEST and self.vectors.has_memory
        return fits and self.positions[1] >= 4 and self.strides[1] <= 2

    @property
    def inner(self) -> int:
        """K, the numbers of a window."""
        return self.channels * self.window[0] * self.window[1]

    def _bytes(self, rows: int) -> int:
        return 4 * self.inner * rows * self.positions[1]

    @property
    def rows(self) -> int:
        """The rows of a result to compute at a time, chosen for the smallest remainders."""
        high, wide = self.positions
        lanes = self.vectors.lanes("f32")
        panel = _PANEL * lanes

        def computed(rows: int) -> int:
            full, rest = divmod(rows * wide, panel)
            left = -(-rest // lanes) * lanes
            return -(-high // rows) * (full * panel + left)

        fitting = [rows for rows in range(1, high + 1) if self._bytes(rows) <= _CACHED]
        return min(fitting, key=computed, default=1)

    def emit(
        self, outside: Function, images: Array, filters: Array, inputs: Sequence[Array]
    ) -> Array:
        """Emits the dispatch.

        Args:
            outside: The function that gets it.
            images: Without the padding, ``[N*C, rows, columns]``.
            filters: ``[F, K]``.
            inputs: The inputs of the epilogue, ``[F]`` or ``[N*F, positions]``.

        Returns:
            ``[N*F, positions]``.
        """
        return _Emission(self, outside, images, filters, inputs).emit()


class _Emission:
    """Emits the dispatch.

    Attributes:
        sizes: The sizes of the convolution.
        body: The code of a workgroup.
        inputs: The inputs of the epilogue, by name.
        windows: The memory for windows, ``[workgroups * K, columns]``.
        begin: The first row of this workgroup.
        result: The result.
    """

    def __init__(
        self,
        sizes: ImageConvolution,
        outside: Function,
        images: Array,
        filters: Array,
        inputs: Sequence[Array],
    ) -> None:
        self.sizes, self.rows, self.wide = sizes, sizes.rows, sizes.positions[1]
        self.blocks = -(-sizes.positions[0] // self.rows)
        self.workgroups = min(_WORKGROUPS, sizes.batch * self.blocks)
        self.executable = Executable(outside, "convolution", self.workgroups)
        self.body = self.executable.body
        given = map(outside.materialized, (images, filters, *inputs))
        self.images, self.filters, *read = map(self.executable.read, given)
        self.inputs = dict(zip((name for name, _ in sizes.epilogue.inputs), read, strict=True))
        positions = sizes.positions[0] * self.wide
        self.result = self.executable.make(
            ArrayType((sizes.batch * sizes.filters, positions), "f32")
        )
        memory = self.workgroups * sizes.inner, self.rows * self.wide
        self.windows = self.executable.make(ArrayType(memory, "f32"))

    def emit(self) -> Array:
        """Emits the dispatch; returns its result."""
        number = self.executable.workgroup()
        self.begin = number * self.sizes.inner
        carried = [self.result, self.windows]
        blocks = self.sizes.batch * self.blocks
        partition(self.body, blocks, self.workgroups, number, carried, self._block)
        self.executable.dispatch()
        return self.result

    def _block(self, number: Index) -> None:
        """Emits the results of some rows of an image."""
        body, sizes = self.body, self.sizes
        number = body.index(number)
        image, block = number // self.blocks, number % self.blocks
        row = (block * self.rows).at_most(sizes.positions[0] - self.rows)
        body.loop(0, sizes.channels, 1, [self.windows], lambda c: self._copy(image, c, row))
        columns, lanes = self.rows * self.wide, sizes.vectors.lanes("f32")
        height, panel = sizes.vectors.tile_height(sizes.filters), _PANEL * lanes

        def tiles(first: Number) -> None:
            first = first.at_most(sizes.filters - height)
            lhs = body.extract(self.filters, [first, 0], (height, sizes.inner))

            def tile(column: Number, width: int) -> None:
                at = [image * sizes.filters + first, row * self.wide + column]
                rhs = body.extract(self.windows, [self.begin, column], (sizes.inner, width))
                self._tile(lhs, rhs, first, at)

            full, rest = divmod(columns, panel)
            body.loop(0, full * panel, panel, [self.result], lambda column: tile(column, panel))
            if rest:
                width = min(columns, -(-rest // lanes) * lanes)
                tile(body.index(columns - width), width)

        body.loop(0, sizes.filters, height, [self.result], tiles)

    def _tile(self, lhs: Array, rhs: Array, first: Number, at: Sequence[Number]) -> None:
        """Emits the product of some filters and windows, and the epilogue of its sums."""
        body, lanes = self.body, self.sizes.vectors.lanes("f32")
        (height, inner), columns = known(lhs.shape), starts_of(known(rhs.shape)[1], lanes)

        def add(inside: Body, k: Number, sums: list[Number]) -> list[Number]:
            windows = [inside.read(rhs, [k, column], lanes) for column in columns]
            numbers = (inside.element(lhs, [row, k]) for row in range(height))
            return add_outer_product(sums, (inside.broadcast(x, lanes) for x in numbers), windows)

        sums = [body.constant(0, "f32", lanes)] * (height * len(columns))
        sums = accumulate_unrolled(body, inner, self.sizes.vectors.tile_unrolled, sums, add)
        places = ((at[0] + row, at[1] + column) for row in range(height) for column in columns)
        for total, place in zip(sums, places, strict=True):
            body.write(total, self.result, place)
        if self.sizes.epilogue.steps:
            body.loop(
                0, height, 1, [self.result],
                lambda row: self._finish(first + row, [at[0] + row, at[1]], columns),
            )  # fmt: skip

    def _finish(self, filter: Number, at: Sequence[Number], columns: Sequence[int]) -> None:
        """Emits the epilogue of a row of a tile, whose sums have been written.

        Vectors may overlap: all sums are read before a result is written.
        """
        body, lanes, epilogue = self.body, self.sizes.vectors.lanes("f32"), self.sizes.epilogue
        places = [[at[0], at[1] + column] for column in columns]

        def number(name: str, axes: Sequence[int], place: Sequence[Number]) -> Number:
            if axes == FILTER:
                return body.broadcast(body.element(self.inputs[name], [filter]), lanes)
            return body.read(self.inputs[name], place, lanes)

        sums = [body.read(self.result, place, lanes) for place in places]
        for total, place in zip(sums, places, strict=True):
            given = {name: number(name, axes, place) for name, axes in epilogue.inputs}
            body.write(epilogue.emit(body, total, given), self.result, place)

    def _copy(self, image: Number, channel: Number, row: Number) -> None:
        """Emits the copies of a channel's windows."""
        body, sizes = self.body, self.sizes
        (high, wide), down, apart = sizes.window, sizes.strides[0], sizes.dilations[0]
        plane, windows = image * sizes.channels + channel, [self.windows]

        def line(i: Number, j: int, number: Number) -> None:
            to = [self.begin + (channel * high + i) * wide + j, number * self.wide]
            self._copy_row([plane, (row + number) * down + i * apart], j, to)

        for j in range(wide):
            body.loop(
                0, high, 1, windows, lambda i, j=j: body.loop(
                    0, self.rows, 1, windows, lambda number: line(i, j, number)
                )
            )  # fmt: skip

    def _copy_row(self, at: Sequence[Number], j: int, to: Sequence[Number]) -> None:
        """Emits the copy of a number of each window of a row, from the padded row `at`."""
        body, sizes, (above, before) = self.body, self.sizes, self.sizes.padding
        high, wide = known(self.images.shape)[1:]
        step, first = sizes.strides[1], j * sizes.dilations[1] - before
        low = min(self.wide, max(0, -(first // step)))  # the windows between read no padding
        end = max(low, min(self.wide, (wide - 1 - first) // step + 1))

        def zeros(column: int, lanes: int) -> None:
            column = min(column, self.wide - lanes)
            body.write(body.constant(0, "f32", lanes), self.windows, [to[0], to[1] + column])

        lanes = self._lanes(self.wide)
        for column in (*range(0, low, lanes), *range(end, self.wide, lanes)):
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
            body.write(value, self.windows, [to[0], to[1] + column])

        body.loop(low, end, lanes, [self.windows], vector)

    def _lanes(self, count: int) -> int:
        """The lanes of vectors for a number of columns."""
        lanes = self.sizes.vectors.lanes("f32")
        while lanes > count:
            lanes //= 2
        return lanes
