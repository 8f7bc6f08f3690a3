"""The blocks of time of the backward pass of CudnnRNN and ONNX's ops, and their order.

The gates' gradients are the largest temporary by far: undivided, they alone would be almost half of
what the op is given and returns. Four blocks or so, twice as many if a step has two sets of them;
of equal length, if that can be, so that one loop serves all, and of two steps at least; fewer if
there is little to save, as each block reads and writes all sums of weights.

Where sizes are open, there are as many blocks as there may be. Their length is computed by the same
rule when the function runs, from its sizes alone:

    count = max(1, min(the most, the share, the bytes, T / 2))      length = ceil(T / count)

So of a short sequence the first ones have all steps, and the others, which begin where it ends,
none: their loops and products do nothing. The host does the same steps for every length, and waits
for no number from the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.ops.cells.valid_steps import TimeBlock
from rnn_compiler.lowering.ops.cudnn.layers import Layers
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Size, open_dimension, product, static

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["blocks_of_time", "from_the_end"]

SMALLEST_BLOCK = 1 << 16
"""Bytes of gates' gradients from which on a block of time is worth its own loop and products."""

SHARE = 12
"""There are as many blocks, up to the most, as make one a part in so many of all that there is."""

MANY_BLOCKS = 4 << 20
"""Bytes of gates' gradients of known sizes up to which there are twice as many blocks. A block's
products copy what they sum; more blocks cost no time here, and up to a tenth for larger ones."""

BLOCK_LENGTH = "block_length"
"""The open dimension that is the length of a block."""


def blocks_of_time(net: Layers) -> list[TimeBlock]:
    """The blocks of time of the backward pass, the first one first."""
    T, B = net.spec.dims["seq_length"], net.spec.dims["batch_size"]
    sets = net.gate_gradients
    size = T * B * net.gate_rows * sets * DTYPES[net.spec.dtype].numpy.itemsize
    tensors = (*net.spec.arguments, *net.spec.results)
    total = sum(product(each.shape) * DTYPES[each.dtype].numpy.itemsize for each in tensors)
    share = SHARE * size * net.num_directions
    if net.spec.open_dims:
        return _open_blocks(net, 4 * sets, share, total)
    length, size, share, total = static((T, size, share, total))
    times = 2 if size <= MANY_BLOCKS else 1
    most = -(-times * share // total)
    count = max(1, min(4 * sets * times, most, size // SMALLEST_BLOCK, length // 2))
    if count > 1:
        near = range(-(-3 * count // 4), min(2 * count, length // 2 + 1))
        equal = [n for n in near if length % n == 0]
        count = min(equal, key=lambda n: (abs(n - count), -n), default=count)
    return [TimeBlock(length * n // count, length * (n + 1) // count) for n in range(count)]


def _open_blocks(net: Layers, most: int, share: Size, total: Size) -> list[TimeBlock]:
    """Emits where blocks of open sizes begin, and their length; gives the blocks.

    Args:
        net: The network.
        most: How many there are.
        share: The bytes of gates' gradients, `SHARE` times.
        total: Those of all that there is.
    """
    b = net.b
    b.formula("block_length = T / how many blocks have steps")
    steps = b.constant(net.spec.dims["seq_length"], "int64")
    shares, everything = b.constant(share, "int64"), b.constant(total, "int64")
    smallest = SHARE * net.num_directions * SMALLEST_BLOCK
    count = b.constant(most, "int64")
    for limit in ((shares + (everything - 1)) / everything, shares / smallest, steps / 2):
        count = count.binary("minimum", limit)
    count = count.binary("maximum", 1)
    length = (steps + (count - 1)) / count
    b.define(BLOCK_LENGTH, length)
    made: list[TimeBlock] = []
    for number in range(most):
        b.formula("start = of the block, or T")
        start = (length * number).binary("minimum", steps)
        made.append(_block(net, f"block_{number}", start))
    return made


def from_the_end(net: Layers, blocks: Sequence[TimeBlock]) -> Sequence[TimeBlock]:
    """Blocks of time, the last one first; of open sizes, the last that has steps.

    Those without steps follow, and begin where the sequence ends.
    """
    if not net.spec.open_dims:
        return blocks[::-1]
    b, made = net.b, list[TimeBlock]()
    steps = b.constant(net.spec.dims["seq_length"], "int64")
    length = b.constant(open_dimension(BLOCK_LENGTH), "int64")
    last = (steps + (length - 1)) / length - 1
    for number in range(len(blocks)):
        b.formula("start = of the last block but some, or T")
        place = last - number
        is_none = (0 - place).binary("maximum", 0).binary("minimum", 1)
        start = place.binary("maximum", 0) * length + is_none * steps
        made.append(_block(net, f"block_from_end_{number}", start))
    return made


def _block(net: Layers, name: str, start: Value) -> TimeBlock:
    """A block of open length that begins at a step, which gets a name."""
    net.b.define(name, start)
    first = open_dimension(name)
    return TimeBlock(first, first + open_dimension(BLOCK_LENGTH))
