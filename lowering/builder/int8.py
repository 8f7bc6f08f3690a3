"""Products with weights in int8.

    largest = max(2^-100, |rows[k]| of all k)                        of each row
    numbers = (int32(rows * (127 * 2^16 / largest)) + 2^15) >> 16    -127 .. 127
    product = float32(numbers @ weights) * ((largest / 127) * scale)

with a `scale` for each column, and sums in int32. A row with a NaN or an infinity gives NaN. This
is the composite ``product`` of form ``rows`` (`builder.products`) with another operand, ``scale``.

Numbers are rounded in fixed point with 16 fractional bits, which gives the same result
everywhere. In float32, IREE rounds ties away from 0 for `round_nearest_even`, except on x86-64, and
fuses multiplications and additions if the processor has an instruction for that
(`tests/traps/test_int8_arithmetic.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.builder import Value
from rnn_compiler.lowering.mlir.composite_attributes import ProductAttributes
from rnn_compiler.schema.int8 import (
    BIAS,
    FRACTION_BITS,
    LARGEST,
    LEAST,
    SCALE,
    Matrix,
)
from rnn_compiler.schema.open_sizes import Size, product, static_size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.schema.cudnn_layout import Block
    from rnn_compiler.schema.specs import FunctionSpec


class Int8Matrix(Value):
    """A matrix in int8, or one for each direction: its numbers and their scales.

    Attributes:
        scale: The scales, float32, of the matrix's shape without an axis.
        axis: That axis, over which products sum.
    """

    __slots__ = ("axis", "scale")

    is_int8 = True

    def __init__(self, numbers: Value, scale: Value, axis: int) -> None:
        super().__init__(numbers.builder, numbers.ssa, numbers.type)
        self.scale, self.axis = scale, axis

    @property
    def _numbers(self) -> Value:
        return Value(self.builder, self.ssa, self.type)

    def slice(self, axis: int, start: Size, stop: Size) -> Value:
        """The part from `start` to `stop` along one axis."""
        scale = self.scale
        if axis != self.axis:
            scale = scale.slice(axis - (axis > self.axis), start, stop)
        return Int8Matrix(self._numbers.slice(axis, start, stop), scale, self.axis)

    def reshape(self, *shape: Size) -> Value:
        """The matrix without its first axis, of size 1."""
        dropped = len(self.shape) - len(shape)
        return Int8Matrix(
            self._numbers.reshape(*shape),
            self.scale.reshape(*self.scale.shape[dropped:]),
            self.axis - dropped,
        )

    def operands(self, name: str) -> dict[str, Value]:
        """The numbers and the scales, as operands of a composite."""
        return {name: self._numbers, name + SCALE: self.scale}

    def inside(self, name: str, given: Mapping[str, Value]) -> Value:
        """The matrix inside the composite."""
        return Int8Matrix(given[name], given[name + SCALE], self.axis)

    def product_of(self, lhs: Value, axes: tuple[int, int], dtype: str) -> Value:
        """The product of rows ``[.., K]`` and the matrix, ``[.., N]`` of float32."""
        assert axes == (len(lhs.shape) - 1, self.axis)
        b, axis = self.builder, self.axis
        if 0 in (*lhs.shape, *self.shape):
            return b.full(0, (*lhs.shape[:-1], self.shape[1 - axis]), dtype)

        def decomposition(rows: Value, weights: Value, scale: Value) -> list[Value]:
            return [_product(b, rows, weights, scale, axis)]

        operands = [lhs.to("float32"), self._numbers, self.scale]
        names = ("lhs", "rhs", "scale")
        attributes = ProductAttributes("rows", names, axis).values()
        (made,) = b.composite("product", operands, attributes, decomposition, names)
        return made


def _product(b: Builder, rows: Value, weights: Value, scale: Value, axis: int) -> Value:
    """The product, in plain StableHLO."""
    *lead, K = rows.shape
    M, N = product(lead), weights.shape[1 - axis]
    rows = rows.reshape(M, K)
    b.formula("largest = max(2^-100, |rows|)")
    magnitudes = b.op("abs", [rows], rows.type).max(1)
    largest = b.op("maximum", [magnitudes, b.full(LEAST, (M,), "float32")], magnitudes.type)
    b.formula("numbers = (int32(rows * (127 * 2^16 / largest)) + 2^15) >> 16")
    factor = b.full(LARGEST << FRACTION_BITS, (M,), "float32") / largest
    fixed = (rows * factor.broadcast_in_dim(rows.shape, (0,))).to("int32") + (
        1 << (FRACTION_BITS - 1)
    )
    bits = b.full(FRACTION_BITS, fixed.shape, "int32")
    numbers = b.op("shift_right_arithmetic", [fixed, bits], fixed.type).to("int8")
    b.formula("row_scale = largest / 127, or NaN")
    is_finite = largest.compare("LT", math.inf)
    row_scale = b.select(is_finite, largest / LARGEST, b.full(math.nan, (M,), "float32"))
    b.formula("product = (numbers @ weights) * (row_scale * scale)")
    sums = numbers.dot(weights, (1, axis), "int32").to("float32")
    scales = row_scale.broadcast_in_dim((M, N), (0,)) * scale.broadcast_in_dim((M, N), (1,))
    return (sums * scales).reshape(*lead, N)


class Int8Stack(Value):
    """Two matrices in int8, one above the other: for inputs and for states.

    Attributes:
        scale: The scales of both, ``[2, N]``.
        height: The rows of the first.
    """

    __slots__ = ("height", "scale")

    def __init__(self, numbers: Value, scale: Value, height: int) -> None:
        super().__init__(numbers.builder, numbers.ssa, numbers.type)
        self.scale, self.height = scale, height

    def slice(self, axis: int, start: Size, stop: Size) -> Value:
        """One of the matrices, by its rows."""
        number = int(static_size(stop) > self.height)
        assert (axis, start) == (0, number * self.height)
        numbers = Value(self.builder, self.ssa, self.type).slice(0, start, stop)
        scale = self.scale.slice(0, number, number + 1).reshape(self.shape[1])
        return Int8Matrix(numbers, scale, 0)

    def product_of_parts(self, parts: Sequence[Value], dtype: str) -> Value:
        """The sum of the products of inputs and states, each with its matrix."""
        x, h = parts
        end, H = x.shape[1], h.shape[1]
        products = x.dot(self.slice(0, 0, end), (1, 0), dtype)
        return products + h.dot(self.slice(0, end, end + H), (1, 0), dtype)


class Int8Buffer(Value):
    """CudnnRNN's `params`: matrices in int8, then biases in float32.

    Attributes:
        bias: The biases; None if there are only matrices.
    """

    __slots__ = ("_first_rows", "bias", "scale")

    def __init__(
        self, numbers: Value, scale: Value, bias: Value | None, matrices: Sequence[Block]
    ) -> None:
        super().__init__(numbers.builder, numbers.ssa, numbers.type)
        self.scale, self.bias = scale, bias
        self._first_rows: dict[Size, int] = {}
        row = 0
        for each in matrices:
            if each.size:
                self._first_rows[each.offset] = row
                row += each.shape[0]

    def region(self, offset: Size, shape: Sequence[Size]) -> Value:
        """The matrix or bias at an offset of the buffer."""
        count = product(shape)
        row = self._first_rows.get(offset)
        if row is None:
            assert self.bias is not None
            start = offset - self.shape[0]
            return self.bias.slice(0, start, start + count)
        numbers = Value(self.builder, self.ssa, self.type).slice(0, offset, offset + count)
        scale = self.scale.slice(0, row, row + shape[0])
        return Int8Matrix(numbers.reshape(*shape), scale, 1)


def with_int8(spec: FunctionSpec, given: dict[str, Value]) -> dict[str, Value]:
    """The arguments of a function, with the parts of each one in int8 combined (`schema.int8`)."""
    arguments = {name: value for name, value in given.items() if "." not in name}
    for tensor in spec.arguments:
        name, matrix = tensor.name, Matrix(spec, tensor)
        if name + SCALE not in given:
            continue
        numbers, scale = given[name], given[name + SCALE]
        if blocks := matrix.blocks:
            arguments[name] = Int8Buffer(numbers, scale, given.get(name + BIAS), blocks)
        elif matrix.height is not None:
            arguments[name] = Int8Stack(numbers, scale, matrix.height)
        else:
            arguments[name] = Int8Matrix(numbers, scale, matrix.axis)
    return arguments
