"""The loop over time that every recurrence runs in.

It is emitted as a `stablehlo.composite` whose decomposition is a plain `stablehlo.while`: any
consumer of StableHLO runs the latter, and lowering for IREE recognises the former by its attribute
`reverse` (`analysis.time_loop`) instead of matching patterns in a loop. Attributes `lengths` and
`start` say which operands are those, so that lowering may leave out the rows that a step would not
change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value

__all__ = ["Step", "Values", "time_loop"]

Values = Mapping[str, "Value"]
"""Values by name."""

Step = Callable[["Value", Values, Values], tuple[Values, Values]]
"""One step: from the time ``t``, the operands and the state to the new state and output rows."""


def time_loop(
    b: Builder,
    name: str,
    *,
    length: Value,
    operands: Values,
    state: Values,
    outputs: Mapping[str, tuple[tuple[int, ...], str]],
    step: Step,
    attributes: Mapping[str, bool | int | float | str],
    reverse: bool = False,
    start: Value | None = None,
    lengths: str | None = None,
    room: Value | None = None,
) -> dict[str, Value]:
    """Runs a step for t in start..start+length-1, or from the last of these down.

    Args:
        b: The builder.
        name: The name of the recurrence, ``"lstm_forward"``.
        length: How many steps to run, int64 scalar, known to be in 0..T.
        operands: What the steps read: sequences ``[T, ...]`` (take ``row(t)``) and weights.
        state: What one step hands to the next, before the first.
        outputs: Shape ``(T, ...)`` and dtype of each sequence the steps write a row of, time t to
            row t - start. Rows that no step writes are 0.
        step: Emits one step; gives the new state and the row of each output.
        attributes: What there is to know about the step beyond its types, for lowering.
        reverse: Whether time runs backward.
        start: The first time, int64 scalar; None for 0.
        lengths: The operand, int64 ``[B]``, that says how many steps each row of the batch has: at
            a time t of that or more, the step leaves the row's state as it is and writes 0 to the
            row of every output. None if there is none such.
        room: Where sizes are open, a vector as long as the outputs; None if the operands tell that.

    Returns:
        The outputs and the final state, by name.
    """
    results = [*outputs, *state]

    def zeros() -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key, (shape, dtype) in outputs.items():
            b.formula(f"{key} = 0")
            values[key] = b.full(0, shape, dtype)
        return values

    if any(0 in shape for shape, _ in outputs.values()):  # no step to run, or nothing in a row
        return {**zeros(), **state}

    def decomposition(*values: Value) -> list[Value]:
        trip_count = values[0]
        named = dict(zip(names[1:], values[1:], strict=True))
        reads = {key: named[key] for key in operands}

        def condition(k: Value, *_: Value) -> Value:
            b.formula("more = k < seq_len_max")
            return k.compare("LT", trip_count)

        def body(k: Value, *carry: Value) -> list[Value]:
            current = dict(zip(results, carry, strict=True))
            b.formula("t = seq_len_max - k - 1")
            t = row = trip_count - k - 1 if reverse else k
            if start is not None:
                b.formula("t = start + row")
                t = row + named["start"]
            new_state, rows = step(t, reads, {key: current[key] for key in state})
            written: list[Value] = []
            for key in outputs:
                b.formula(f"{key}[t] = {key}")
                written.append(current[key].with_row(row, rows[key]))
            b.formula("next = k + 1")
            return [k + 1, *written, *(new_state[key] for key in state)]

        b.formula("k = 0")
        carry = {"k": b.constant(0, "int64"), **zeros(), **{key: named[key] for key in state}}
        b.formula(f"{name} = for t in 0..seq_len_max-1")
        return list(b.while_loop(carry, condition, body)[1:])

    b.formula(f"{name} = time loop")
    named_operands = {**operands, **state, **({} if start is None else {"start": start})}
    named_operands |= {} if room is None else {"room": room}
    names = ["seq_len_max", *named_operands]
    known = {} if room is None else {"room": names.index("room")}
    if lengths is not None:
        known |= {"lengths": names.index(lengths)}
        known |= {} if start is None else {"start": names.index("start")}
    values = b.composite(
        name,
        [length, *named_operands.values()],
        {"reverse": reverse, **known, **attributes},
        decomposition,
        names,
    )
    return dict(zip(results, values, strict=True))
