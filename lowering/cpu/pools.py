"""A pool of images as one dispatch: the maximum, or the sum, of small windows in registers.

    for plane of the images, in parallel:
      for row of the result:
        for vector of columns:
          result[row, vector] = reduce(image[row * stride + i, vector * stride + j] for i, j)

The last vector of a row overlaps the previous one. IREE reads strided windows number by number.
"""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.lowering.codegen.body import Array, ArrayType, Index, Number
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import partition
from rnn_compiler.lowering.codegen.registers import read_every
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_WORKGROUPS = 8
"""The most workgroups."""

_UNROLLED = 16
"""The most numbers of a window, which are read one after the other."""


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
