"""Pools of images, and gradients of their maxima, as dispatches with small windows in registers.

    for plane of the images, in parallel:
      for row of the result:
        for vector of columns:
          result[row, vector] = reduce(image[row * stride + i, vector * stride + j] for i, j)

For a gradient, in which windows lie side by side, the numbers of each window are compared in their
order, and the gradient of its maximum is written to the first largest one, 0 to the others.

The last vector of a row overlaps the previous one. IREE reads strided windows number by number.
"""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Index, Number
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.codegen.registers import interleave, read_every
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_WORKGROUPS = 8
"""The most workgroups."""

_UNROLLED, _COMPARED = 16, 9
"""The most numbers of a window, which are read one after the other; and if all are compared."""


@dataclass(frozen=True)
class ImagePool:
    """The sizes of a pool in float32.

    Attributes:
        reduction: The op that joins two numbers of a window, of `arith`.
        planes: N*C, the number of images and channels.
        strides: The distance of windows along rows and columns.
        dilations: The distance of numbers in a window.
    """

    vectors: VectorUnit
    reduction: str
    planes: int
    positions: tuple[int, int]
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]

    @property
    def is_supported(self) -> bool:
        """Whether rows are read in vectors, and windows are small."""
        high, wide = self.window
        return self.positions[1] >= 4 and self.strides[1] <= 2 and high * wide <= _UNROLLED

    def emit(self, outside: FunctionBuilder, images: Array) -> Array:
        """Emits the dispatch: padded ``[planes, rows, columns]`` to ``[planes, rows, columns]``."""
        workgroups = min(_WORKGROUPS, self.planes)
        executable = DispatchBuilder(outside, "pool", workgroups)
        body, number = executable.body, executable.workgroup()
        read = executable.read(outside.materialized(images))
        result = executable.make(ArrayType((self.planes, *self.positions), "f32"))
        rows, wide = self.positions
        lanes = self.vectors.lanes("f32")
        while lanes > wide:
            lanes //= 2

        def reduced(plane: Index, row: Number, column: Number) -> Number:
            total: Number | None = None
            for i in range(self.window[0]):
                for j in range(self.window[1]):
                    at = [
                        row * self.strides[0] + i * self.dilations[0],
                        column * self.strides[1] + j * self.dilations[1],
                    ]
                    each = read_every(body, self.strides[1], read, [plane, *at], lanes)
                    if total is None:
                        total = each
                    else:
                        total = body.number(self.reduction, [total, each], "f32", lanes)
            assert total is not None
            return total

        def vector(plane: Index, row: Number, column: Number) -> None:
            column = column.at_most(wide - lanes)
            body.write(reduced(plane, row, column), result, [plane, row, column])

        def image(plane: Index) -> None:
            body.loop(
                0, rows, 1, [result], lambda row: body.loop(
                    0, wide, lanes, [result], lambda column: vector(plane, row, column)
                )
            )  # fmt: skip

        partition(body, self.planes, workgroups, number, [result], image)
        executable.dispatch()
        return result


@dataclass(frozen=True)
class MaximaGradient:
    """The sizes of the gradient of maxima in float32, over windows side by side.

    Attributes:
        rows: The rows of windows in all images.
        columns: The windows in a row.
        window: The rows and columns of a window.
    """

    vectors: VectorUnit
    rows: int
    columns: int
    window: tuple[int, int]

    @property
    def is_supported(self) -> bool:
        """Whether rows are read in vectors, and windows are small."""
        high, wide = self.window
        return self.columns >= 4 and wide <= 2 and 1 < high * wide <= _COMPARED

    def emit(self, outside: FunctionBuilder, images: Array, gradients: Array) -> Array:
        """Emits the dispatch, for images ``[rows, high, columns * wide]``, of their shape."""
        workgroups = min(_WORKGROUPS, self.rows)
        executable = DispatchBuilder(outside, "pool_gradient", workgroups)
        body, number = executable.body, executable.workgroup()
        x, dy = (executable.read(outside.materialized(each)) for each in (images, gradients))
        (high, wide), columns = self.window, self.columns
        result = executable.make(ArrayType((self.rows, high, columns * wide), "f32"))
        lanes = self.vectors.lanes("f32")
        while lanes > columns:
            lanes //= 2

        def vector(row: Index, column: Number) -> None:
            column = column.at_most(columns - lanes)
            total, zero = body.read(dy, [row, column], lanes), body.constant(0, "f32", lanes)

            def numbers(place: int) -> Number:
                at = [row, place // wide, column * wide + place % wide]
                return read_every(body, wide, x, at, lanes)

            most, parts = numbers(0), [total]
            for place in range(1, high * wide):
                each = numbers(place)
                larger = body.compare("ult", most, each)  # as "not at least", NaN included
                most = body.select(larger, each, most)
                parts = [body.select(larger, zero, part) for part in parts]
                parts.append(body.select(larger, total, zero))
            for line in range(high):
                of_line = parts[line * wide : (line + 1) * wide]
                whole = interleave(*of_line) if wide > 1 else of_line[0]
                body.write(whole, result, [row, line, column * wide])

        def of_row(row: Index) -> None:
            body.loop(0, columns, lanes, [result], lambda column: vector(row, column))

        partition(body, self.rows, workgroups, number, [result], of_row)
        executable.dispatch()
        return result
