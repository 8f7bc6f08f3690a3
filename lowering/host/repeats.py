"""Reads the loops of a host program whose number of steps follows from open sizes.

The first steps, which all calls have, are followed one after the other, like those of other loops
(`program`). From then on each step does the same: what changes are its number, and the memory of
the arrays that it takes from the step before. Such an array becomes a ring of two: a step reads one
and writes the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.host.ops import Context, Known, Path, run
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.schedule import Copy, Repeat, Span, Step, Storage

Branched = Callable[[Context, Path, ir.Operation], Sequence[ir.Operation]]
"""Gives the ops of the block that the last op of another branches to."""


def repeat(
    context: Context, path: Path, end: ir.Operation, branched: Branched
) -> Sequence[ir.Operation]:
    """Adds the loop that a branch on open sizes begins; returns the ops of the block behind it."""
    header, (compare, *_) = end.block, end.operands
    arguments: list[ir.Value] = [*header.arguments]
    numbers = [] if isinstance(compare.owner, ir.Block) else [*compare.owner.operands]
    if len(numbers) < 2 or numbers[0] not in arguments:
        raise context.refused("steps that depend on open sizes")
    counts, limit = arguments.index(numbers[0]), context.number(path.values.get(numbers[1]))
    return _HostLoop(context, path, branched, header, end, counts, limit).repeated()


@dataclass(frozen=True)
class _HostLoop:
    """A loop before some step.

    Attributes:
        header: The block that each step begins with.
        end: Its last op, which branches into the step or out of the loop.
        counts: Which of the header's arguments is the number of the step.
        limit: The number at which the loop ends.
    """

    context: Context
    path: Path
    branched: Branched
    header: ir.Block
    end: ir.Operation
    counts: int
    limit: Size

    def repeated(self) -> Sequence[ir.Operation]:
        """Adds the loop; returns the ops of the block behind it."""
        context, path, formulas = self.context, self.path, self.context.formulas
        given = path.of([*self.header.arguments])
        first = context.integer(given[self.counts])
        if not formulas.at_least(self.limit, first):
            raise context.refused("a loop that may have no step")
        counter, start = formulas.counter(first, self.limit), len(context.allocated)
        _, then = self._step(counter, {})
        changed = self._changed(given, then, counter)
        owners = {span.index - start: k for k, span in changed.items() if self._is_new(span, start)}
        del context.allocated[start:]
        rings = {k: _Ring.of(context, span.length) for k, span in changed.items()}

        def taken(number: Size) -> dict[int, Span]:
            turn = formulas.remainder(number, 2)
            return {k: ring.array(turn) for k, ring in rings.items()}

        for k, array in taken(first).items():
            path.steps.append(Copy(self._array(given[k]), array))
        left = {k: ring.array(1 - formulas.remainder(counter, 2)) for k, ring in rings.items()}
        start, places = len(context.allocated), context.places
        context.places = {**places, **{start + n: left[k] for n, k in owners.items()}}
        steps, then = self._step(counter, taken(counter))
        context.places = places
        steps += [Copy(self._array(then[k]), left[k]) for k in left if then[k] != left[k]]
        path.steps.append(Repeat(str(counter), first, self.limit, tuple(steps)))
        self._enter(path, self.limit, taken(self.limit))
        return self.branched(context, path, self.end)

    def _enter(self, path: Path, number: Size, taken: Mapping[int, Span]) -> None:
        """Evaluates the header at some step, whose arrays lie in other places."""
        arguments = [*self.header.arguments]
        path.values |= {arguments[k]: array for k, array in taken.items()}
        path.values[arguments[self.counts]] = number
        for op in ops_of(self.header):
            run(self.context, path, op)

    def _step(self, number: Size, taken: Mapping[int, Span]) -> tuple[list[Step], list[Known]]:
        """What a step does, and the values that it gives to the next one."""
        path, end = self.path.copy(), self.end
        path.visits.pop(self.header, None)  # it is not read as a loop again
        self._enter(path, number, taken)
        while True:
            ops = self.branched(self.context, path, end)
            for op in ops:
                if op.name == "hal.buffer.load":
                    raise self.context.refused("a loop whose steps depend on computed numbers")
                run(self.context, path, op)
            end = ops[-1]
            if end.name == "cf.br" and end.successors[0] == self.header:
                return path.steps, path.of(list(end.operands))

    def _changed(
        self, given: Sequence[Known], then: Sequence[Known], counter: Size
    ) -> dict[int, Span]:
        """The arrays that a step gives to the next one in other places than it got them."""
        found: dict[int, Span] = {}
        for k, (now, after) in enumerate(zip(given, then, strict=True)):
            if isinstance(now, Span) and isinstance(after, Span) and now != after:
                found[k] = after
                is_known = now.length == after.length
            else:
                is_known = after == (counter + 1 if k == self.counts else now)
            if not is_known:
                raise self.context.refused("a loop whose steps differ")
        return found

    def _array(self, value: Known) -> Span:
        if not isinstance(value, Span):
            raise self.context.refused("a buffer of unknown origin")
        return value

    def _is_new(self, span: Span, start: int) -> bool:
        """Whether a span is an allocation, after the first ones."""
        is_scratch = span.storage is Storage.SCRATCH and span.index >= start
        return is_scratch and (span.offset, span.length) == (0, self.context.allocated[span.index])


@dataclass(frozen=True)
class _Ring:
    """Memory for two arrays."""

    memory: Span
    slot: Size
    length: Size

    @staticmethod
    def of(context: Context, length: Size) -> _Ring:
        """A new ring for arrays of some bytes."""
        slot = context.formulas.aligned(length, context.memory.alignment)
        return _Ring(context.allocate(2 * slot), slot, length)

    def array(self, turn: Size) -> Span:
        """The array of a turn, 0 or 1."""
        return self.memory.part(self.slot * turn, self.length)
