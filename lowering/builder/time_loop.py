"""The loop over time of every recurrence.

It is a `stablehlo.composite` that is fully described by its types and attributes:

    states..., outputs... of
    stablehlo.composite "rnn_compiler.time_loop" seq_len_max, reads..., states..., others...
        {step = @step, operands = "count read .. state ..", reverse = false, ...}

    @step(t, reads..., states...) -> (states..., rows...)

A step is a private function of its own. The decomposition is a plain `stablehlo.while` that calls
it, writes the rows to the outputs, and masks padding; any consumer of StableHLO can run it.
Lowering reads the composite and writes a loop of its own around the step (`analysis.time_loop`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder
    from rnn_compiler.lowering.builder.value import Value
    from rnn_compiler.schema.open_sizes import Size

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
    outputs: Mapping[str, tuple[tuple[Size, ...], str]],
    step: Step,
    attributes: Mapping[str, bool | int | float | str],
    reverse: bool = False,
    start: Value | None = None,
    lengths: str | None = None,
    like: Value | None = None,
) -> dict[str, Value]:
    """Runs a step for t in start..start+length-1, or from the last of these down.

    Args:
        b: The builder.
        name: The name of the recurrence, ``"lstm_forward"``.
        length: How many steps to run, int64 scalar, known to be in 0..T.
        operands: The values that steps read: sequences ``[T, ...]`` (take ``row(t)``) and weights.
        state: The initial states, each ``[B, N]``.
        outputs: Shape ``(T, B, N)`` and dtype of each sequence the steps write a row of, time t to
            row t - start. Rows that no step writes are 0.
        step: Emits one step; returns the new state and the row of each output.
        attributes: More attributes of the composite.
        reverse: Whether time runs backward.
        start: The first time, int64 scalar; None for 0.
        lengths: The number of steps of each row of the batch, int64 ``[B]``: from that time on the
            row keeps its state, and its row of every output is 0. None if every row has every step.
        like: If sizes are open, a vector as long as the outputs; None if an operand is as long.

    Returns:
        The outputs and the final state, by name.
    """
    results, read = [*outputs, *state], operands
    operands = {key: each for name in read for key, each in read[name].operands(name).items()}

    def zeros() -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key, (shape, dtype) in outputs.items():
            b.formula(f"{key} = 0")
            values[key] = b.full(0, shape, dtype)
        return values

    if any(0 in shape for shape, _ in outputs.values()):  # no step to run, or nothing in a row
        return {**zeros(), **state}

    others = {} if start is None else {"start": start}
    others |= {} if like is None else {"like": like}
    given = {"seq_len_max": length, **operands, **state, **others}
    names = list(given)
    symbol = b.unused_symbol(name)

    def one_step(t: Value, *values: Value) -> list[Value]:
        inside = dict(zip([*operands, *state], values, strict=True))
        reads = {name: value.inside(name, inside) for name, value in read.items()}
        current = {key: inside[key] for key in state}
        new, rows = step(t, reads, current)
        return [*(new[key] for key in state), *(rows[key] for key in outputs)]

    def decomposition(*values: Value) -> list[Value]:
        inside = dict(zip(names, values, strict=True))
        count, reads = inside["seq_len_max"], [inside[key] for key in operands]
        types = [count.type, *(inside[key].type for key in (*operands, *state))]
        made = b.function(f"{symbol}.step", types, ["t", *operands, *state], one_step, private=True)

        def condition(k: Value, *_: Value) -> Value:
            b.formula("more = k < seq_len_max")
            return k.compare("LT", count)

        def body(k: Value, *carry: Value) -> list[Value]:
            current = dict(zip(results, carry, strict=True))
            b.formula("t = seq_len_max - k - 1")
            t = row = count - k - 1 if reverse else k
            if start is not None:
                b.formula("t = start + row")
                t = row + inside["start"]
            b.formula(f"{name} = step t")
            before = [current[key] for key in state]
            after = b.call(f"{symbol}.step", [t, *reads, *before], made)
            new = dict(zip([*state, *outputs], after, strict=True))
            valid = None
            if lengths is not None:
                b.formula("valid = t < lengths")
                valid = inside[lengths].compare("GT", t)
            for key in outputs:
                b.formula(f"{key}[t] = {key} where valid, else 0")
                if valid is not None:
                    nothing = b.full(0, new[key].shape, new[key].dtype)
                    new[key] = valid.select_rows(new[key], nothing)
                current[key] = current[key].with_row(row, new[key])
            for key in state:
                b.formula(f"{key} = new where valid, else as it was")
                if valid is not None:
                    new[key] = valid.select_rows(new[key], current[key])
                current[key] = new[key]
            b.formula("next = k + 1")
            return [k + 1, *current.values()]

        b.formula("k = 0")
        carry = {"k": b.constant(0, "int64"), **zeros(), **{key: inside[key] for key in state}}
        b.formula(f"{name} = for t in 0..seq_len_max-1")
        return list(b.while_loop(carry, condition, body)[1:])

    b.formula(f"{name} = time loop")
    roles = {"seq_len_max": "count", **dict.fromkeys(operands, "read")}
    roles |= {**dict.fromkeys(state, "state"), **{key: key for key in others}}
    roles |= {} if lengths is None else {lengths: "lengths"}
    known = {"step": f"@{symbol}.step", "operands": " ".join(roles.values()), "reverse": reverse}
    values = b.composite(
        "time_loop",
        list(given.values()),
        {"recurrence": name, **known, **attributes},
        decomposition,
        names,
        symbol,
    )
    return dict(zip(results, values, strict=True))
