"""The destination of a product's rows: a new matrix, or a part of a larger one."""

from __future__ import annotations

from dataclasses import dataclass

from rnn_compiler.lowering.codegen.arrays import collapse
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body
from rnn_compiler.lowering.codegen.executable import Executable
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index

__all__ = ["Store"]


@dataclass(frozen=True)
class Store:
    """The destination of a product's rows.

    Attributes:
        whole: The matrix; the type of a new one, which is undefined where no product writes.
        steps: The step at which they begin, an int64 scalar; None for the first.
        batch: The rows of a step.
    """

    whole: Array | ArrayType
    steps: Array | None = None
    batch: Index = 1

    @classmethod
    def part(
        cls, body: Body, sequence: Array, steps: Array, columns: int, of: str, *, is_new: bool
    ) -> Store:
        """A part of a sequence ``[T, B, N]``, or of a new one with the same T and B."""
        T, batch, _ = sequence.shape
        if is_new:
            return cls(ArrayType((batch * T, columns), of), steps, batch)
        return cls(collapse(body, sequence, [[0, 1], [2]]), steps, batch)

    def inside(self, outside: Function, executable: Executable) -> tuple[Array, Index]:
        """The matrix inside a dispatch that writes to it, and the number of the first row."""
        first: Index = 0
        if self.steps is not None:
            steps = executable.body.element(executable.read(outside.materialized(self.steps)))
            first = steps.to_index() * executable.size(self.batch)
        if isinstance(self.whole, ArrayType):
            return executable.make(self.whole), first
        return executable.change(outside.materialized(self.whole)), first
