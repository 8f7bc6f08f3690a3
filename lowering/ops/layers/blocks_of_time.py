"""The blocks of time of the backward pass of CudnnRNN and ONNX's ops, and their order.

The gradients of the gates are by far the largest temporary: undivided, they would take almost half
as much memory as all arguments and results. There are about four blocks, or eight if a step has two
sets of these gradients. Each has at least two steps, and all have equal lengths if possible, so
that they share one loop. If there is little memory to save there are fewer, because each block
reads and writes all sums of weights.

If sizes are open, the number of blocks is fixed. Their length is computed by the same rule when the
function runs, from its sizes alone:

    count = max(1, min(most, by share, by bytes, T / 2))      length = ceil(T / count)

In a short sequence the first blocks then have all steps. The others begin at its end and have none,
so their loops and products do nothing. The host performs the same steps for every length, and waits
for no number from the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.ops.cells.valid_steps import TimeBlock
from rnn_compiler.lowering.ops.layers.layers import RecurrentOp
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Size, open_dimension, product, static

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Value


SMALLEST_BLOCK = 1 << 16
"""Bytes of gradients of gates from which a block of time is worth its own loop and products."""

SHARE = 12
"""A block's gradients of gates take about this fraction of the arguments and results, 1 in 12."""

MANY_BLOCKS = 4 << 20
"""Bytes of gradients of gates up to which there are twice as many blocks, if sizes are known. A
block's products copy their operands. More blocks cost no time here, but up to a tenth for larger
ones."""

BLOCK_LENGTH = "block_length"
"""The open dimension for the length of a block."""


def blocks_of_time(net: RecurrentOp) -> list[TimeBlock]:
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


def _open_blocks(net: RecurrentOp, most: int, share: Size, total: Size) -> list[TimeBlock]:
    """Emits the starts and the length of at most `most` blocks of open sizes.

    `share` is the bytes of all gradients of gates, times `SHARE`; `total` those of all arguments
    and results.
    """
    b = net.b
    b.formula("block_length = T / the number of blocks with steps")
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
        b.formula("start = start of the block, or T")
        start = (length * number).binary("minimum", steps)
        made.append(_block(net, f"block_{number}", start))
    return made


def from_the_end(net: RecurrentOp, blocks: Sequence[TimeBlock]) -> Sequence[TimeBlock]:
    """Blocks of time, the last one first; if sizes are open, the last one that has steps.

    Blocks without steps follow, and begin at the end of the sequence.
    """
    if not net.spec.open_dims:
        return blocks[::-1]
    b, made = net.b, list[TimeBlock]()
    steps = b.constant(net.spec.dims["seq_length"], "int64")
    length = b.constant(open_dimension(BLOCK_LENGTH), "int64")
    last = (steps + (length - 1)) / length - 1
    for number in range(len(blocks)):
        b.formula("start = start of this block from the end, or T")
        index = last - number
        is_none = (0 - index).binary("maximum", 0).binary("minimum", 1)
        start = index.binary("maximum", 0) * length + is_none * steps
        made.append(_block(net, f"block_from_end_{number}", start))
    return made


def _block(net: RecurrentOp, name: str, start: Value) -> TimeBlock:
    """A block of open length that begins at a step, which becomes an open dimension."""
    net.b.define(name, start)
    first = open_dimension(name)
    return TimeBlock(first, first + open_dimension(BLOCK_LENGTH))
