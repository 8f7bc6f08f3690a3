"""CTCScores: the recursion of the CTC loss over time, in the logarithms of probabilities.

For each row, a sequence of I states, which are blanks and labels in turn, and scores e of them at
each step. A path stays in a state, goes to the next one, or to the one after that:

    a[t, s] = e[t, s] + log(exp(a[t-1, s]) + exp(a[t-1, s-1]) + exp(a[t-1, s-2] + skip[s]))

with a[-1] = start. Impossible is -1e30, a number, so that differences are numbers too. `skip` is 0
or impossible. The states s-1 and s-2 are found by a product with a matrix of zeros and ones.

In the reverse direction, time runs from the last valid step to the first, and either the states
are given in reverse, too, or the matrix finds s+1 and s+2. Past its length, a row keeps `start`,
and gives 0.

Source: A. Graves et al., Connectionist Temporal Classification, ICML 2006, sections 4.1 and 4.2.
Imported networks use this op to train (`network_import.graph.training.ctc`), and so does
`rnn_compiler.jax.ctc_loss`; it is in no list of ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rnn_compiler.lowering.builder.time_loop import Values, time_loop
from rnn_compiler.lowering.ops.cells.valid_steps import ValidSteps
from rnn_compiler.schema.attributes import Attribute
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import Argument, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec

IMPOSSIBLE = -1e30
"""The logarithm of a probability of 0."""

PLACES = 8
"""The states of a row are best a multiple of this: the last ones have no class, and no path ends
there. Compiled code takes half the time for 24 states that it takes for 21."""

OP = Signature(
    "CTCScores",
    "The recursion of the CTC loss",
    arguments=(
        Argument("e", "T B I", "scores of the states"),
        Argument("skip", "T B I", "0 where the state before may be left out, else impossible"),
        Argument("start", "B I", "scores before the first step"),
        Argument("shift", "I 2I", "the matrix that shifts states by one and by two"),
        Argument("first", "2I", "impossible where a shifted state does not exist, else 0"),
        Argument("lengths", "B", "steps of each row", dtype="int32", minimum=0, maximum="T"),
    ),
    attributes=(Attribute("reverse", bool, False, "whether time runs backwards"),),
    results=(Result("a", "T B I", "logarithms of probabilities"),),
    in_tensorflow=False,
)


def shifts(places: int, *, reverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """The arguments `shift` and `first`, of paths forward or back."""
    shift, first = np.zeros((places, 2 * places)), np.zeros(2 * places)
    for by, offset in ((1, 0), (2, places)):
        shift[:, offset : offset + places] = np.eye(places, k=-by if reverse else by)
        start = offset + (places - by if reverse else 0)
        first[start : start + by] = IMPOSSIBLE
    return shift, first


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the op."""
    steps = ValidSteps.of_lengths(b, spec.dims["seq_length"], args["lengths"])
    assert steps.lengths is not None

    def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
        a = state["a"]
        b.formula("one_two = a @ shift + first")
        shifted = a.dot(reads["shift"], (1, 0), spec.compute) + reads["first"]
        one, two = shifted.split(1, 2)
        b.formula("two = two + skip")
        two = two + reads["skip"].row(t)
        b.formula("most = max(a, one, two)")
        most = maximum(b, maximum(b, a, one), two)
        b.formula("total = exp(a - most) + exp(one - most) + exp(two - most)")
        parts = [b.op("exponential", [each - most], each.type) for each in (a, one, two)]
        above = parts[0] + parts[1] + parts[2] - 1.0
        b.formula("a = e + most + log(total)")
        new = reads["e"].row(t) + most + b.op("log_plus_one", [above], above.type)
        return {"a": new}, {"scores": new}

    given = {name: args[name] for name in ("e", "skip", "shift", "first")}
    results = time_loop(
        b,
        "ctc_scores",
        length=steps.count,
        operands={**given, "lengths": steps.lengths},
        state={"a": args["start"]},
        outputs={"scores": (args["e"].shape, spec.dtype)},
        step=step,
        reverse=bool(spec.attributes["reverse"]),
        lengths="lengths",
    )
    return [results["scores"]]


def maximum(b: Builder, x: Value, y: Value) -> Value:
    """The larger one, for each element."""
    return b.op("maximum", [x, y], x.type)
