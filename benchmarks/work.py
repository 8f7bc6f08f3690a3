"""The work of a case: operations of its products, and bytes of weights that they must read.

For a layer with G gates, I inputs, H units and D directions, over N rows in all (steps times batch,
or the sum of the lengths):

    operations   passes * 2 * N * (I + H) * G * H * D
    weights      I * G * H * D once, and H * G * H * D at each step, forward and again backward

Every step reads its weights again, because it needs the previous step's state. All other arrays are
small in comparison. More cannot be said without knowing the implementation, so the resulting limit
(`Limit`) is a bound that need not be attainable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.inputs import directions_of, gates_of, sequence_lengths
from benchmarks.rows import Case
from rnn_compiler.schema.dtypes import DTYPES

__all__ = ["Limit", "Work", "work_of"]


@dataclass(frozen=True)
class Work:
    """The work that must be done.

    Attributes:
        operations: Multiplications and additions of the matrix products.
        step_bytes: The recurrent weights of one direction, which each step reads.
        total_bytes: All weights, as often as they are read.
    """

    operations: int
    step_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class Limit:
    """The shortest time in which a machine can do some work.

    Attributes:
        seconds: That time.
        bound: The resource that takes it: ``"products"``, or ``"weights from"`` a cache or memory.
        rate: The machine's rate for that: operations or bytes per second.
    """

    seconds: float
    bound: str
    rate: float


def work_of(case: Case) -> Work:
    """The work of a case; that of a network or a training step is unknown.

    Example:
        >>> from benchmarks.rows import WORKLOADS, Size
        >>> work_of(Case(WORKLOADS["inference"], Size(10, 1, 128, 128)))
        Work(operations=2621440, step_bytes=262144, total_bytes=2883584)
    """
    workload, (T, B, I, H) = case.workload, case.size
    if workload.family in ("network", "step", "fine-tuning"):
        return Work(0, 0, 0)
    gates, directions = gates_of(case), directions_of(case)
    steps, rows = T, T * B
    if workload.lengths:
        lengths = sequence_lengths(case.size)
        steps, rows = int(lengths.max()), int(lengths.sum())
    item = DTYPES[case.dtype].numpy.itemsize
    column = gates * H * item
    times = math.ceil(workload.passes / 2)  # once forward, once backward
    return Work(
        workload.passes * 2 * rows * (I + H) * gates * H * directions,
        H * column,
        directions * (I + times * steps * H) * column,
    )
