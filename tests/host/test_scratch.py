"""Temporaries in scratch memory: those in use at the same time do not overlap."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rnn_compiler.lowering.host.formulas import Formulas
from rnn_compiler.lowering.host.program import offsets_of
from rnn_compiler.schema.open_sizes import open_dimension
from rnn_compiler.schema.schedule import Choice, Copy, Dispatch, Span, Step, Storage

T = open_dimension("seq_length")


def scratch(number: int) -> Span:
    return Span(Storage.SCRATCH, number, 0, 8)


def dispatch(*numbers: int) -> Step:
    return Dispatch("kernel", (1, 1, 1), (), tuple(map(scratch, numbers)))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.lists(st.lists(st.integers(0, 7), max_size=3), max_size=10),
)
def test_no_two_temporaries_overlap_in_time_and_place(
    sizes: list[int], uses: list[list[int]]
) -> None:
    uses = [[each for each in used if each < len(sizes)] for used in uses]
    steps = [dispatch(*used) for used in uses]
    starts, end = offsets_of(steps, dict(enumerate(sizes)), Formulas(), 64)
    assert isinstance(end, int)
    assert end <= sum(-(-size // 64) * 64 for size in sizes)
    numbers = {each for used in uses for each in used}
    times = {n: [k for k, used in enumerate(uses) if n in used] for n in numbers}
    for n, at in times.items():
        start = starts[n]
        assert isinstance(start, int)
        assert start % 64 == 0
        assert start + sizes[n] <= end
        for m, when in times.items():
            other = starts[m]
            assert isinstance(other, int)
            if m != n and at[0] <= when[-1] and when[0] <= at[-1]:
                assert start + sizes[n] <= other or other + sizes[m] <= start


def test_one_after_the_other_lie_in_one_place() -> None:
    steps = [dispatch(0, 1), dispatch(1), dispatch(1, 2), Copy(scratch(2), scratch(3))]
    starts, end = offsets_of(steps, {0: 100, 1: 64, 2: 128, 3: 64}, Formulas(), 64)
    assert (starts, end) == ({0: 0, 1: 128, 2: 0, 3: 128}, 192)


def test_all_ways_of_a_choice_are_one_time() -> None:
    steps = [dispatch(0), Choice(scratch(1), {0: (dispatch(0),), 1: (dispatch(2),)})]
    starts, end = offsets_of(steps, {0: 64, 1: 64, 2: 64}, Formulas(), 64)
    assert sorted(starts.values()) == [0, 64, 128]
    assert end == 192


def test_open_sizes_follow() -> None:
    steps = [dispatch(0), dispatch(1), dispatch(2)]
    starts, end = offsets_of(steps, {0: 64 * T, 1: 64, 2: 64}, Formulas(), 64)
    assert (starts, end) == ({0: 64, 1: 0, 2: 0}, 64 * T + 64)
