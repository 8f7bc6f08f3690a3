"""Where the rows of a product go: to a matrix of their own, or to their part of a larger one."""

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
    """Where the rows of a product go.

    Attributes:
        whole: The matrix; its type if it is new, and what no product writes is anything.
        steps: The step at which they begin, an int64 scalar; None for the first.
        batch: How many rows a step has.
    """

    whole: Array | ArrayType
    steps: Array | None = None
    batch: Index = 1

    @classmethod
    def part(
        cls, body: Body, sequence: Array, steps: Array, columns: int, of: str, *, is_new: bool
    ) -> Store:
        """A part of a sequence ``[T, B, N]``, or of a new one of as many steps and rows."""
        T, batch, _ = sequence.shape
        if is_new:
            return cls(ArrayType((batch * T, columns), of), steps, batch)
        return cls(collapse(body, sequence, [[0, 1], [2]]), steps, batch)

    def inside(self, outside: Function, executable: Executable) -> tuple[Array, Index]:
        """The matrix in a dispatch that writes to it, and the number of the first row."""
        first: Index = 0
        if self.steps is not None:
            steps = executable.body.element(executable.read(outside.held(self.steps)))
            first = steps.to_index() * executable.size(self.batch)
        if isinstance(self.whole, ArrayType):
            return executable.make(self.whole), first
        return executable.change(outside.held(self.whole)), first
