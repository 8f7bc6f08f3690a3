"""Dropout masks from a counter-based generator, Philox 4x32, the same on every device.

The mask depends only on the shape and three integers: `seed` and `seed2`, which form the key
``seed << 32 | seed2`` as in TensorFlow's kernel, and `call_counter`, the upper half of the counter,
whose lower half numbers the elements. Calls with different counters, modulo 2**32, draw from
disjoint parts of the sequence.

An element is dropped if its 32 bits are below ``rate * 2**32``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.schema.attributes import Attribute
from rnn_compiler.schema.open_sizes import Size, product
from rnn_compiler.schema.tensors import Argument

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.lowering.builder.time_loop import Values


_INT64 = (-(2**63), 2**63 - 1)

RATE = Attribute(
    "dropout",
    float,
    0.0,
    "probability that an element between two layers is dropped in training",
    bounds=(0, 1),
)

SEEDS = (
    Attribute(
        "seed", int, 0, "first half of the dropout mask's seed", bounds=_INT64, at_run_time=True
    ),
    Attribute(
        "seed2", int, 0, "second half of the dropout mask's seed", bounds=_INT64, at_run_time=True
    ),
)

CALL_COUNTER = Attribute(
    "call_counter",
    int,
    0,
    "which call this is, not TensorFlow's: each value draws another dropout mask",
    bounds=_INT64,
    at_run_time=True,
)

OPERANDS = tuple(
    Argument(each.name, "", each.doc, dtype="int64", default=0) for each in (*SEEDS, CALL_COUNTER)
)
"""The additional arguments of a compiled function with dropout."""


def dropout_mask(
    b: Builder, args: Values, rate: float, shape: tuple[Size, ...], dtype: str
) -> Value:
    """Multipliers: 0 with probability `rate`, else ``1 / (1 - rate)``."""
    # This imports the MLIR bindings, which importers of `OPERANDS` do not need.
    from rnn_compiler.lowering.builder.random_bits import random_bits

    count = product(shape)
    b.formula("mask = 0")
    dropped = b.full(0, (count,), dtype)
    if rate == 1:
        return dropped.reshape(*shape)
    b.formula("key = seed << 32 | seed2")
    key = args["seed"].binary("shift_left", 32).binary("or", args["seed2"])
    b.formula("counter = call_counter << 32")
    counter = args["call_counter"].binary("shift_left", 32)
    b.formula("bits = philox(key, counter)")
    bits = random_bits(b, key, counter, count)
    b.formula("mask = 0 where bits < rate * 2**32, else 1/(1-rate)")
    is_dropped = bits.compare("LT", min(round(rate * 2**32), 2**32 - 1))
    kept = b.full(1 / (1 - rate), (count,), dtype)
    return b.select(is_dropped, dropped, kept).reshape(*shape)
