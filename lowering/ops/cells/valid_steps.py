"""The valid steps of a padded batch, in a sequence or in a block of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rnn_compiler.schema.open_sizes import Open, Size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


class TimeBlock(NamedTuple):
    """A block of time, up to before `stop`. Steps past the end of the sequence do not run."""

    start: Size
    stop: Size

    @property
    def length(self) -> Size:
        """The number of steps."""
        return self.stop - self.start


@dataclass(frozen=True)
class ValidSteps:
    """The valid steps of a padded batch.

    Attributes:
        count: The number of steps of the longest row, int64 scalar.
        lengths: The number of steps of each row, int64 ``[B]``; None if every row has every step.
    """

    seq_length: Size
    count: Value
    lengths: Value | None

    @staticmethod
    def of_lengths(b: Builder, seq_length: Size, given: Value | None) -> ValidSteps:
        """The steps of rows of given lengths, int32 ``[B]``, clamped to 0..T; None for all."""
        if given is None:
            b.formula("n = T")
            return ValidSteps(seq_length, b.constant(seq_length, "int64"), None)
        # The maximum is taken before clamping, which saves a dispatch, and in int32, because IREE
        # fails on int64 for GPUs.
        b.formula("n = min(max(0, all sequence_lengths), T)")
        count = b.clamp(0, given.max(0), seq_length)
        b.formula("lengths = min(max(sequence_lengths, 0), T)")
        lengths = b.clamp(0, given, seq_length)
        return ValidSteps(seq_length, count.to("int64"), lengths.to("int64"))

    def of(self, b: Builder, block: TimeBlock) -> Value:
        """The number of steps of the longest row in a block of time, int64 scalar."""
        count = self.count
        if self.lengths is not None and isinstance(block.length, Open):
            # IREE computes a scalar minus a size on the host (tests/traps/test_open_sizes.py).
            count = self.lengths
        steps = b.clamp(0, count - block.start, block.length)
        return steps.max(0) if steps.shape else steps

    def valid(self, b: Builder, t: Value) -> Value | None:
        """The rows that have a step `t`, as a mask ``[B]``; None for all."""
        if self.lengths is None:
            return None
        b.formula("valid = t < lengths")
        return self.lengths.compare("GT", t)

    def where_valid(self, b: Builder, rows: Value, block: TimeBlock | None = None) -> Value:
        """A sequence ``[T, B, ...]``, or a block of time of one, with 0 for padding."""
        if self.lengths is None:
            return rows
        b.formula("valid = t < lengths")
        t = b.iota(rows.shape[:2], 0)
        if block is not None and block.start:
            t += block.start
        return rows.masked(t.compare("LT", self.lengths))
