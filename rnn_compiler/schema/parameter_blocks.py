"""The arrays inside a vector of parameters: what `cudnn_layout` and ONNX's ops lay out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rnn_compiler.schema.open_sizes import Size, product

__all__ = ["Block", "Part", "PseudoLayer"]


@dataclass(frozen=True)
class Part:
    """A row-major array inside a buffer, of sizes that are known or open.

    Attributes:
        offset: Its first element.
        shape: Its shape.
    """

    offset: Size
    shape: tuple[Size, ...]

    @property
    def size(self) -> Size:
        """The number of elements."""
        return product(self.shape)

    @property
    def stop(self) -> Size:
        """Its end, in elements."""
        return self.offset + self.size

    def of(self, buffer: Any) -> Any:
        """This part of a buffer; a view where the buffer is numpy's.

        Example:
            >>> import numpy as np
            >>> Part(2, (2, 3)).of(np.arange(10)).tolist()
            [[2, 3, 4], [5, 6, 7]]
        """
        return buffer[self.offset : self.stop].reshape(self.shape)


@dataclass(frozen=True)
class Block(Part):
    """A row-major array inside the buffer of parameters, whose sizes are known."""

    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """The index after its last element."""
        return self.offset + self.size

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The strides in elements."""
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))


@dataclass(frozen=True)
class PseudoLayer:
    """One direction of one layer, with the places of its parameters, its gates stacked.

    Attributes:
        layer: Which layer, from 0.
        direction: 0 forward, 1 backward.
        input: W, ``[gH, in]``; ``[gH, 0]`` if the input skips it.
        recurrent: R, ``[gH, h]``.
        projection: Wp, ``[P, H]``, or None.
        input_bias: bW, ``[gH]``.
        recurrent_bias: bR, ``[gH]``.
    """

    layer: int
    direction: int
    input: Block
    recurrent: Block
    projection: Block | None
    input_bias: Block
    recurrent_bias: Block
