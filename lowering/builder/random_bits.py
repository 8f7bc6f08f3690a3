"""Random bits, of StableHLO's counter-based generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.value import Type, Value
from rnn_compiler.lowering.mlir import ir

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder

__all__ = ["random_bits"]


def random_bits(b: Builder, key: Value, counter: Value, count: int) -> Value:
    """Philox 4x32 bits, uint32 ``[count]``; the counter advances by one for every 128 bits.

    Args:
        b: The builder.
        key: The key, int64 scalar.
        counter: Where to start, int64 scalar.
        count: How many numbers.
    """
    state = b.concatenate([key.reshape(1), counter.reshape(1)], 0).bitcast("uint64")
    result = Type((count,), "uint32")
    if not count:
        return b.full(0, (0,), "uint32")
    algorithm = ir.Attribute.parse("#stablehlo<rng_algorithm PHILOX>")
    op = b.create(
        "stablehlo.rng_bit_generator",
        [state],
        [state.type, result],
        {"rng_algorithm": algorithm},
    )
    return Value(b, op.results[1], result)
