"""A convolution of images as one dispatch: products of filters and windows, some at a time.

    for block of rows of the result's images, in parallel:
      for some of these rows, as many as fit a cache:
        windows[c i j, o] = image[c, o * stride + (i, j) * dilation]       # copied row by row
        for panel of their columns:
          for tile of filters:
            result[tile, panel] = filters[tile] @ windows[:, panel]        # sums in registers

All windows of an image are many times as large as the image. A workgroup reuses its memory for
some of them, so that they stay in a second-level cache.

Remainders: the last tile of filters, panel of columns, rows of an image and vector of a row overlap
the previous ones and compute some numbers again. The bits of a sum are the same in all these cases.
"""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index, Number
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.codegen.registers import every_other
from rnn_compiler.lowering.cpu.tiles.matmul import tile_matmul
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.lowering.targets.weight_formats import plain

__all__ = ["ImageConvolution"]

_WORKGROUPS = 8
"""The most workgroups; each has memory for windows of its own."""

_CACHED = 3 << 18
"""The most bytes of windows that a workgroup copies at a time."""


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
    """

    vectors: VectorUnit
    batch: int
    channels: int
    filters: int
    positions: tuple[int, int]
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]

    @property
    def is_supported(self) -> bool:
        """Whether windows can be copied in vectors, and a row's windows fit the cache."""
        fits = self._bytes(1) <= _CACHED and self.vectors.has_memory
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
        lanes, panel = self.vectors.lanes("f32"), self.vectors.width("f32")

        def computed(rows: int) -> int:
            full, rest = divmod(rows * wide, panel)
            left = 0 if not rest else lanes if rest <= lanes else panel
            return -(-high // rows) * (full * panel + left)

        fitting = [rows for rows in range(1, high + 1) if self._bytes(rows) <= _CACHED]
        return min(fitting, key=computed)

    def emit(self, outside: Function, images: Array, filters: Array) -> Array:
        """Emits the dispatch.

        Args:
            outside: The function that gets it.
            images: Padded, ``[N*C, rows, columns]``.
            filters: ``[F, K]``.

        Returns:
            ``[N*F, positions]``.
        """
        return _Emission(self, outside, images, filters).emit()


class _Emission:
    """Emits the dispatch.

    Attributes:
        sizes: The sizes of the convolution.
        body: The code of a workgroup.
        windows: The memory for windows, ``[workgroups * K, columns]``.
        begin: The first row of this workgroup.
        result: The result.
    """

    def __init__(
        self, sizes: ImageConvolution, outside: Function, images: Array, filters: Array
    ) -> None:
        self.sizes, self.rows, self.wide = sizes, sizes.rows, sizes.positions[1]
        self.blocks = -(-sizes.positions[0] // self.rows)
        self.workgroups = min(_WORKGROUPS, sizes.batch * self.blocks)
        self.executable = Executable(outside, "convolution", self.workgroups)
        self.body = self.executable.body
        given = map(outside.materialized, (images, filters))
        self.images, self.filters = map(self.executable.read, given)
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
        columns, panel = self.rows * self.wide, sizes.vectors.width("f32")

        def tiles(column: Number, width: int) -> None:
            rhs = body.extract(self.windows, [self.begin, column], (sizes.inner, width))
            height = sizes.vectors.tile_height(sizes.filters)

            def tile(first: Number) -> None:
                first = first.at_most(sizes.filters - height)
                lhs = body.extract(self.filters, [first, 0], (height, sizes.inner))
                made = tile_matmul(body, sizes.vectors, plain("f32"), lhs, rhs)
                at = [image * sizes.filters + first, row * self.wide + column]
                body.insert(made, self.result, at)

            body.loop(0, sizes.filters, height, [self.result], tile)

        full, rest = divmod(columns, panel)
        body.loop(0, full * panel, panel, [self.result], lambda column: tiles(column, panel))
        if rest:
            lanes = sizes.vectors.lanes("f32")
            width = min(columns, lanes if rest <= lanes else panel)
            tiles(body.index(columns - width), width)

    def _copy(self, image: Number, channel: Number, row: Number) -> None:
        """Emits the copies of a channel's windows."""
        body, sizes, windows = self.body, self.sizes, [self.windows]
        (high, wide), (down, _), (apart, beside) = sizes.window, sizes.strides, sizes.dilations
        plane = image * sizes.channels + channel

        def line(i: Number, j: Number, number: Number) -> None:
            at = [plane, (row + number) * down + i * apart, j * beside]
            to = [self.begin + (channel * high + i) * wide + j, number * self.wide]
            self._copy_row(at, to)

        body.loop(
            0, high, 1, windows, lambda i: body.loop(
                0, wide, 1, windows, lambda j: body.loop(
                    0, self.rows, 1, windows, lambda number: line(i, j, number)
                )
            )
        )  # fmt: skip

    def _copy_row(self, at: list[Number], to: list[Number]) -> None:
        """Emits the copy of one number of each window of a row."""
        body, lanes = self.body, self.sizes.vectors.lanes("f32")
        while lanes > self.wide:
            lanes //= 2
        step = self.sizes.strides[1]

        def vector(column: Number) -> None:
            column = column.at_most(self.wide - lanes)
            start = at[2] + column * step
            value = body.read(self.images, [*at[:2], start], lanes)
            if step == 2:  # the second begins at an odd number: no read goes beyond the last window
                after = body.read(self.images, [*at[:2], start + (lanes - 1)], lanes)
                value = every_other(value, after)
            body.write(value, self.windows, [to[0], to[1] + column])

        body.loop(0, self.wide, lanes, [self.windows], vector)
