"""Numbers computed from open sizes: each equals the same arithmetic on ints."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from rnn_compiler.lowering.host.formulas import (
    LARGEST,
    Formulas,
    UndecidedError,
    expanded,
)
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.open_sizes import formula, open_dimension, value_at

T, B = open_dimension("seq_length"), open_dimension("batch_size")

SIZES = [(t, b) for t in (*range(1, 70), 1000, 10**6) for b in (1, 2, 33)]

MADE: dict[str, tuple[Callable[[Formulas, int, int], int], Callable[[int, int], int]]] = {
    "ceiling": (lambda f, t, b: f.quotient(3 * t * b + 63, 64), lambda t, b: -(-3 * t * b // 64)),
    "ceiling of less": (lambda f, t, b: f.quotient(t - 1, 64) + 1, lambda t, b: (t - 1) // 64 + 1),
    "whole": (lambda f, t, b: f.quotient(128 * t + 63, 64), lambda t, b: 2 * t),
    "aligned": (lambda f, t, b: f.aligned(28 * t, 64), lambda t, b: -(-28 * t // 64) * 64),
    "rest": (lambda f, t, b: f.remainder(100 * t + 7 * b, 64), lambda t, b: (100 * t + 7 * b) % 64),
    "high bits": (lambda f, t, b: f.quotient(t, 2**32), lambda t, b: 0),
    "low bits": (lambda f, t, b: f.remainder(768 * t * b, 2**32), lambda t, b: 768 * t * b % 2**32),
    "by a size": (lambda f, t, b: f.quotient(7 * t, b), lambda t, b: 7 * t // b),
    "by a divisor": (lambda f, t, b: f.quotient(8 * t * b, 2 * b), lambda t, b: 4 * t),
    "no rest": (lambda f, t, b: f.remainder(6 * t * b * b + 3 * b, 3 * b), lambda t, b: 0),
    "by no divisor": (lambda f, t, b: f.quotient(8 * t * b + t, b), lambda t, b: 8 * t + t // b),
    "towards zero": (lambda f, t, b: f.quotient(t - 9, 4), lambda t, b: int((t - 9) / 4)),
    "less": (lambda f, t, b: f.less(t, 7 * b), lambda t, b: int(t < 7 * b)),
    "not less": (lambda f, t, b: f.less(3 * t, t), lambda t, b: 0),
    "equal": (lambda f, t, b: f.equal(t, 2 * b), lambda t, b: int(t == 2 * b)),
    "never equal": (lambda f, t, b: f.equal(t + b, 1), lambda t, b: 0),
    "least": (lambda f, t, b: f.choice(f.less(t, 16), t, 16), lambda t, b: min(t, 16)),
    "the least": (lambda f, t, b: f.least(t, 16 * b), lambda t, b: min(t, 16 * b)),
    "the greatest": (lambda f, t, b: f.greatest(t - 5, b), lambda t, b: max(t - 5, b)),
    "else": (lambda f, t, b: f.choice(1 - f.less(t, 16), 16, t), lambda t, b: min(t, 16)),
    "of formulas": (
        lambda f, t, b: f.quotient(f.aligned(28 * t, 64) * b + f.quotient(t + 7, 8), 4096),
        lambda t, b: (-(-28 * t // 64) * 64 * b + (t + 7) // 8) // 4096,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MADE)
def test_numbers(case: str) -> None:
    """Also their known bounds: minima, and maxima at the largest sizes."""
    make, right = MADE[case]
    formulas = Formulas()
    number = make(formulas, T, B)
    limit = formulas.limit([number])
    assert limit > 10**8
    for t, b in SIZES:
        value = value_at(number, formulas.known, {"seq_length": t, "batch_size": b})
        assert value == right(t, b), (t, b)
        assert formulas.at_least(number, value) <= all(right(*each) >= value for each in SIZES)
    most = min(limit, MAX_DIMENSION)
    computed = [number, *(each for made in formulas.known.values() for each in made.operands)]
    for t, b in ((most, 1), (1, most), (most, max(1, min(most, limit // most)))):
        for each in computed:
            sizes = {"seq_length": t, "batch_size": b}
            assert abs(value_at(each, formulas.known, sizes)) <= LARGEST


def test_quotients_without_rest_have_no_name() -> None:
    """So their products with the divisor are the dividends, of which buffers are parts."""
    formulas = Formulas()
    assert 2 * B * formulas.quotient(8 * T * B, 2 * B) == 8 * T * B
    assert formulas.quotient(-6 * T, 3) == -2 * T
    assert not formulas.known


def test_equal_numbers_are_one() -> None:
    """However they are computed, and so that parts of a buffer are seen to lie in it."""
    formulas = Formulas()
    first = formulas.quotient(T - 1, 64) + 1
    assert first == formulas.quotient(T + 63, 64)
    assert len(formulas.known) == 1
    whole = formulas.aligned(28 * T, 64) + formulas.aligned(12 * T, 64)
    assert formulas.at_least(whole - 28 * T - 12 * T, 0)
    assert not formulas.at_least(whole - 28 * T - 13 * T, 0)
    part = 64 * formulas.quotient(28 * T, 64) - 28 * T
    assert formulas.at_least(part, -63)
    assert not formulas.at_least(part, -62)
    assert formulas.at_least(B * formulas.aligned(12 * T, 64) - 12 * T * B, 0)


@pytest.mark.slow
def test_at_least_is_never_wrong() -> None:
    """Of random numbers."""
    rng = np.random.default_rng(0)
    certain = 0
    for _ in range(300):
        formulas = Formulas()
        a, b, c, d = (int(each) for each in rng.integers(-40, 200, 4))
        number = a * T + b * formulas.quotient(abs(c) * T + 63, 64) + d
        number = formulas.choice(formulas.less(T, 50), number, c * T)
        values = [value_at(number, formulas.known, {"seq_length": t}) for t in range(1, 300)]
        for least in (-1000, -1, 0, 1, 64):
            known = formulas.at_least(number, least)
            certain += known
            assert not known or min(values) >= least
    assert certain > 100


def test_limits() -> None:
    """Where a number would need more bits, and where it may not be as large."""
    formulas = Formulas()
    assert formulas.limit([1000 * T]) == LARGEST  # a size alone is at most MAX_DIMENSION
    assert formulas.limit([2**40 * T]) == LARGEST // 2**40
    both = formulas.limit([1000 * T * B])
    assert LARGEST // 1000 - MAX_DIMENSION < both <= LARGEST // 1000
    assert formulas.limit([8 * T * T]) == math.isqrt(LARGEST // 8)
    tiles = [formulas.quotient(size + 63, 64) for size in (T, B)]
    formulas.require(tiles[0] * tiles[1], 2**32 - 1)
    limit = formulas.limit([])
    assert limit > 2**43  # and not the square of what one size alone may be
    for t in (MAX_DIMENSION, math.isqrt(limit), 2**30):
        assert -(-t // 64) * -(-(limit // t) // 64) < 2**32
    formulas.require(tiles[0], 2**16 - 1)
    limit = formulas.limit([])
    assert (limit + 63) // 64 == 2**16 - 1
    assert (limit + 64 + 63) // 64 == 2**16


def test_limits_of_choices() -> None:
    """The smaller of two is bounded by either; any other choice may be the larger one."""
    for first, second, limit in ((T, 16, LARGEST), (16, T, 100)):
        formulas = Formulas()
        formulas.require(formulas.choice(formulas.less(T, 16), first, second), 100)
        assert formulas.limit([]) == limit


def test_of_two_whose_order_is_known_one_is_left() -> None:
    formulas = Formulas()
    assert (formulas.greatest(T - 1, 0), formulas.greatest(2, T + 1)) == (T - 1, T + 1)
    assert (formulas.least(T - 1, T), formulas.least(T, 1)) == (T - 1, 1)
    assert not formulas.known


def test_steps_of_a_loop() -> None:
    """They are less than the size that ends it."""
    formulas = Formulas()
    step = formulas.counter(1, T)
    assert formulas.at_least(step, 1)
    assert formulas.at_least(8 * B * T - 8 * B * step - 8 * B, 0)
    assert not formulas.at_least(8 * B * T - 8 * B * step - 8 * B, 1)
    assert formulas.least(step, T) == step
    assert str(formulas.remainder(step, 2)) != str(step)


def test_undecided() -> None:
    """Numbers without a formula."""
    formulas = Formulas()
    for make in (
        lambda: formulas.remainder(T - 9, 4),
        lambda: formulas.quotient(T, B - 1),
        lambda: formulas.quotient(T, 0),
    ):
        with pytest.raises(UndecidedError, match="whose sign is known only at run time"):
            make()


def test_text() -> None:
    formulas = Formulas()
    number = 64 * formulas.quotient(28 * T + 63, 64) - 2 * T
    assert formula(number) == "64 * n0 - 2 * seq_length"
    assert expanded(number, formulas.known) == "64*((28*seq_length + 63) / 64) + -2*seq_length"
    assert expanded(512, {}) == 512
    least = formulas.choice(formulas.less(T, 16), T, 16)
    assert expanded(least, formulas.known) == "((seq_length < 16) ? seq_length : 16)"


def test_the_greatest_of_two_is_as_large_as_either() -> None:
    """So that a length may be divided by it."""
    formulas, length = Formulas(), open_dimension("seq_length")
    half = formulas.quotient(length, 2)
    count = formulas.choice(formulas.less(1, half), half, 1)
    assert formulas.at_least(count, 1)
    share = formulas.quotient(length + (count - 1), count)
    assert formulas.at_least(share, 1)
    for size, expected in ((1, (1, 1)), (2, (1, 2)), (9, (4, 3))):
        sizes = {"seq_length": size}
        assert tuple(value_at(each, formulas.known, sizes) for each in (count, share)) == expected
