"""Random bits of a counter-based generator, Philox 4x32, at sizes known or open.

StableHLO's own generator has a result of known size. If the size is open, the same bits are
computed element by element from its formulas (Salmon et al., Parallel random numbers: as easy as
1, 2, 3), as 32-bit numbers in int64: each element computes all 128 bits and takes its own 32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.builder import Type, Value
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.open_sizes import Open, Size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder


_ROUNDS = 10
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_LOW = 2**32 - 1


def random_bits(b: Builder, key: Value, counter: Value, count: Size) -> Value:
    """Philox 4x32 bits ``[count]``, 32 per element, as uint32 or in int64.

    The counter advances by one for every 128 bits.
    """
    if isinstance(count, Open):
        return _bits_of(b, key, counter, b.iota((count,), 0))
    if not count:
        return b.full(0, (0,), "uint32")
    state = b.concatenate([key.reshape(1), counter.reshape(1)], 0).bitcast("uint64")
    result = Type((count,), "uint32")
    algorithm = ir.Attribute.parse("#stablehlo<rng_algorithm PHILOX>")
    op = b.create(
        "stablehlo.rng_bit_generator",
        [state],
        [state.type, result],
        {"rng_algorithm": algorithm},
    )
    return Value(b, op.results[1], result)


def _bits_of(b: Builder, key: Value, counter: Value, element: Value) -> Value:
    """The bits of elements by their numbers, in int64.

    The state is the counter's two words and the key's two, as in XLA's generator, which has the key
    in the counter's upper half too.
    """
    counter = counter.broadcast_to(element.shape) + _high(element, 2)
    keys = [word.broadcast_to(element.shape) for word in (_low(key), _high(key))]
    c0, c1, c2, c3 = _low(counter), _high(counter), *keys
    for number in range(_ROUNDS):
        k0, k1 = (_low(word + weyl * number) for word, weyl in zip(keys, _WEYL, strict=True))
        p0, p1 = (word * by for word, by in zip((c0, c2), _MULTIPLIERS, strict=True))
        c0, c1 = _high(p1).binary("xor", c1).binary("xor", k0), _low(p1)
        c2, c3 = _high(p0).binary("xor", c3).binary("xor", k1), _low(p0)
    lane = element.binary("and", 3)
    even = b.select(lane.compare("EQ", 0), c0, c2)
    odd = b.select(lane.compare("EQ", 1), c1, c3)
    return b.select(lane.binary("and", 1).compare("EQ", 0), even, odd)


def _low(word: Value) -> Value:
    return word.binary("and", _LOW)


def _high(word: Value, bits: int = 32) -> Value:
    return word.binary("shift_right_logical", bits)
