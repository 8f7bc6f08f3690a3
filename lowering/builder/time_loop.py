"""The loop over time of every recurrence.

It is a `stablehlo.composite` that is fully described by its types and attributes:

    outputs..., states... =
    stablehlo.composite "rnn_compiler.time_loop" seq_len_max, reads..., states..., others...
        {step = @step, operands = "count read .. state ..", reverse = false}

    @step(t, reads..., states...) -> (states..., rows...)

A step is a private function of its own. The decomposition is a plain `stablehlo.while` that calls
it, writes the rows to the outputs, and masks padding; any consumer of StableHLO can run it.
Lowering reads the composite and writes a loop of its own around the step (`analysis.time_loop`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.mlir.composite_attributes import LoopAttributes

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Type, Value
    from rnn_compiler.schema.open_sizes import Size


Values = Mapping[str, "Value"]
"""Values by name."""

Outputs = Mapping[str, "tuple[tuple[Size, ...], str]"]
"""The shape and dtype of each output by name."""

Step = Callable[["Value", Values, Values], tuple[Values, Values]]
"""One step: from the time ``t``, the operands and the state to the new state and output rows."""


def time_loop(
    b: Builder,
    name: str,
    *,
    length: Value,
    operands: Values,
    state: Values,
    outputs: Outputs,
    step: Step,
    reverse: bool = False,
    start: Value | None = None,
    lengths: str | None = None,
    like: Value | None = None,
) -> dict[str, Value]:
    """Runs a step for t in start..start+length-1, or from the last of these down; 0 <= length <= T.

    Operands are sequences ``[T, ...]``, of which steps take ``row(t)``, and weights; states are
    ``[B, N]``. At time t a step writes row t - start of each output ``(T, B, N)``; rows that no
    step writes are 0. Past its number of steps, ``lengths[b]``, a row of the batch keeps its state,
    and its rows of the outputs are 0. If sizes are open and no operand is as long as the outputs,
    `like` is.
    """
    if any(0 in shape for shape, _ in outputs.values()):  # no step to run, or nothing in a row
        return {**_zeros(b, outputs), **state}
    flat = {key: each for name in operands for key, each in operands[name].operands(name).items()}
    others = {} if start is None else {"start": start}
    others |= {} if like is None else {"like": like}
    given = {"seq_len_max": length, **flat, **state, **others}
    symbol = b.unused_symbol(name)
    loop = _LoopOp(
        b, name, f"{symbol}.step", operands, [*flat], [*state], outputs, lengths, reverse
    )
    b.formula(f"{name} = time loop")
    roles = {"seq_len_max": "count", **dict.fromkeys(flat, "read")}
    roles |= {**dict.fromkeys(state, "state"), **{key: key for key in others}}
    roles |= {} if lengths is None else {lengths: "lengths"}
    values = b.composite(
        "time_loop",
        list(given.values()),
        LoopAttributes(loop.symbol, [*roles.values()], reverse).values(),
        lambda *values: loop.decomposition(step, dict(zip(given, values, strict=True))),
        list(given),
        symbol,
    )
    return dict(zip([*outputs, *state], values, strict=True))


def _zeros(b: Builder, outputs: Outputs) -> dict[str, Value]:
    """The outputs before the first step."""
    values: dict[str, Value] = {}
    for key, (shape, dtype) in outputs.items():
        b.formula(f"{key} = 0")
        values[key] = b.full(0, shape, dtype)
    return values


@dataclass(frozen=True)
class _LoopOp:
    """The plain loop that calls a step."""

    b: Builder
    name: str
    symbol: str
    read: Values
    flat: Sequence[str]
    state: Sequence[str]
    outputs: Outputs
    lengths: str | None
    reverse: bool

    def decomposition(self, step: Step, inside: Values) -> list[Value]:
        """Emits the step as a function, and the loop; returns the outputs and the final states."""
        b, count = self.b, inside["seq_len_max"]
        names = [*self.flat, *self.state]
        types = [count.type, *(inside[key].type for key in names)]

        def one_step(t: Value, *values: Value) -> list[Value]:
            given = dict(zip(names, values, strict=True))
            reads = {name: value.inside(name, given) for name, value in self.read.items()}
            new, rows = step(t, reads, {key: given[key] for key in self.state})
            return [*(new[key] for key in self.state), *(rows[key] for key in self.outputs)]

        made = b.function(self.symbol, types, ["t", *names], one_step, private=True)

        def condition(k: Value, *_: Value) -> Value:
            b.formula("more = k < seq_len_max")
            return k.compare("LT", count)

        def body(k: Value, *carry: Value) -> list[Value]:
            return self._iteration(k, carry, inside, made)

        b.formula("k = 0")
        carry = {"k": b.constant(0, "int64"), **_zeros(b, self.outputs)}
        carry |= {key: inside[key] for key in self.state}
        b.formula(f"{self.name} = for t in 0..seq_len_max-1")
        return list(b.while_loop(carry, condition, body)[1:])

    def _iteration(
        self, k: Value, carry: Sequence[Value], inside: Values, made: Sequence[Type]
    ) -> list[Value]:
        """Emits an iteration: a step, whose rows go to the outputs where they are valid."""
        b, count = self.b, inside["seq_len_max"]
        current = dict(zip([*self.outputs, *self.state], carry, strict=True))
        b.formula("t = seq_len_max - k - 1")
        t = row = count - k - 1 if self.reverse else k
        if "start" in inside:
            b.formula("t = start + row")
            t = row + inside["start"]
        b.formula(f"{self.name} = step t")
        reads = [inside[key] for key in self.flat]
        before = [current[key] for key in self.state]
        after = b.call(self.symbol, [t, *reads, *before], made)
        new = dict(zip([*self.state, *self.outputs], after, strict=True))
        valid = None
        if self.lengths is not None:
            b.formula("valid = t < lengths")
            valid = inside[self.lengths].compare("GT", t)
        for key in self.outputs:
            b.formula(f"{key}[t] = {key} where valid, else 0")
            if valid is not None:
                nothing = b.full(0, new[key].shape, new[key].dtype)
                new[key] = valid.select_rows(new[key], nothing)
            current[key] = current[key].with_row(row, new[key])
        for key in self.state:
            b.formula(f"{key} = new where valid, else as it was")
            if valid is not None:
                new[key] = valid.select_rows(new[key], current[key])
            current[key] = new[key]
        b.formula("next = k + 1")
        return [k + 1, *current.values()]
