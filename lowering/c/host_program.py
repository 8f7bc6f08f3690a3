"""Reads the compiler's host program of a module into schedules.

With ``--compile-to=hal`` and command buffers that are neither reused nor indirect, `iree-compile`
3.13 gives the host program in terms of the HAL: buffers, command buffers, queues and fences. Here
it is run as far as it can be without its data (`host_ops`): numbers are computed, buffers are
places, and what a queue executes becomes steps. Fences and barriers have no meaning where each step
waits for the one before.

A host program may also read a number that compiled code computed, and go on by it. Where that is
one of two, such as a length of at most one step, it is a `Choice`. Where sizes are open, those of
the arguments are what the function says they are, and numbers become formulas of them. All else is
refused by name: loops of several steps, ops that are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.constants import read_constants
from rnn_compiler.lowering.c.host_arithmetic import width_of
from rnn_compiler.lowering.c.host_ops import Context, Known, Path, run, segments
from rnn_compiler.lowering.c.schedule import (
    Choice,
    Dispatch,
    Place,
    Schedule,
    Span,
    Step,
    spans_of,
    steps_in,
)
from rnn_compiler.lowering.mlir import block_of, ir, new_context, ops_of, symbol_of
from rnn_compiler.schema.open_sizes import is_open

__all__ = ["HostProgram", "Sizes", "read_host_program"]

_MOST_VISITS = 2
"""Of a block: a loop of one step comes by its head once before and once after."""


@dataclass(frozen=True)
class Sizes:
    """How many bytes each argument and result of a function has.

    Attributes:
        arguments: Those of arguments.
        results: Those of results.
        shapes: The shapes of arguments, where some are open.
    """

    arguments: Sequence[int]
    results: Sequence[int]
    shapes: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class HostProgram:
    """A module's host program.

    Attributes:
        schedules: Its functions, by their symbols.
        constants: Bytes that these read.
    """

    schedules: Mapping[str, Schedule]
    constants: tuple[bytes, ...]


def read_host_program(
    text: str, functions: Mapping[str, Sizes], numbers: Mapping[str, range]
) -> HostProgram:
    """Reads a host program.

    Args:
        text: Its text.
        functions: The functions that it must have.
        numbers: Of those with a scalar that decides how many steps run, the values of that.

    Raises:
        UnsupportedError: It does something else than to call compiled code in order.
    """
    with new_context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise UnsupportedError(
                f"compile_c: its host program is not understood ({error})"
            ) from (error)
        constants, known = read_constants(module)
        schedules: dict[str, Schedule] = {}
        for op in ops_of(module.body):
            name = symbol_of(op) if op.name == "util.func" else ""
            if name in functions:
                schedules[name] = _read(known, op, functions[name], numbers.get(name, range(0)))
    missing = sorted(functions.keys() - schedules.keys())
    if missing:
        raise UnsupportedError(f"compile_c: the host program lacks {', '.join(missing)}")
    return HostProgram(schedules, constants)


def _read(
    constants: Mapping[str, Span], function: ir.Operation, sizes: Sizes, numbers: range
) -> Schedule:
    """The schedule of a function: its arguments come first, then the buffers of its results."""
    context = Context(symbol_of(function), constants, sizes.shapes)
    values = block_of(function).arguments
    spans = [Span(Place.ARGUMENT, k, 0, size) for k, size in enumerate(sizes.arguments)]
    results = [Span(Place.RESULT, k, 0, size) for k, size in enumerate(sizes.results)]
    kinds = ["!hal.buffer_view"] * len(spans) + ["!hal.buffer"] * len(results)
    if [str(value.type) for value in values] != kinds:
        raise context.refused("other arguments than the module")
    path = Path(dict(zip(values, [*spans, *results], strict=True)))
    _follow(context, path, ops_of(block_of(function)), results, numbers)
    steps = tuple(path.steps)
    if not sizes.shapes:
        return Schedule(context.function, context.scratch, steps)
    computed = [*sizes.arguments, *sizes.results, context.scratch, *_numbers_in(steps)]
    limit = context.formulas.limit(computed)
    return Schedule(context.function, context.scratch, steps, context.formulas.known, limit)


def _numbers_in(steps: Sequence[Step]) -> Iterator[int]:
    """All numbers of steps."""
    for step in steps_in(steps):
        if isinstance(step, Dispatch):
            yield from (*step.workgroups, *step.constants)
        for span in spans_of(step):
            yield from (span.offset, span.length)


def _follow(
    context: Context,
    path: Path,
    ops: Sequence[ir.Operation],
    results: Sequence[Span],
    numbers: range,
) -> None:
    """Runs ops, and those of the blocks that they branch to, up to the function's end."""
    while True:
        for position, op in enumerate(ops):
            if op.name == "hal.buffer.load":
                values = range(2) if width_of(op.results[0]) == 1 else numbers
                if not 0 < len(values) <= 2:
                    raise context.refused("a loop over steps whose number a call brings")
                cases: dict[int, tuple[Step, ...]] = {}
                for value in values:
                    taken = path.copy()
                    taken.values[op.results[0]] = value
                    _follow(context, taken, ops[position + 1 :], results, numbers)
                    cases[value] = tuple(taken.steps)
                buffer, offset = path.of(list(op.operands))
                size = max(1, width_of(op.results[0]) // 8)
                path.steps.append(Choice(context.span(buffer, offset, size), cases))
                return
            run(context, path, op)
        end = ops[-1]
        if end.name == "util.return":
            for found, wanted in zip(path.of(list(end.operands)), results, strict=True):
                if wanted.length and found != wanted:
                    raise context.refused("results in memory of its own")
            return
        ops = _branched(context, path, end)


def _branched(context: Context, path: Path, end: ir.Operation) -> Sequence[ir.Operation]:
    """The ops of the block that the last op of another branches to."""
    given: Sequence[Known] = path.of(list(end.operands))
    block = end.successors[0] if len(end.successors) else None
    if end.name == "cf.cond_br":
        (condition,), first, second = segments(end, given)
        if is_open(condition):
            raise context.refused("steps that depend on open sizes")
        known = context.integer(condition)
        block, given = end.successors[0 if known else 1], first if known else second
    if block is None or end.name not in ("cf.br", "cf.cond_br"):
        raise context.refused(end.name)
    path.visits[block] = path.visits.get(block, 0) + 1
    if path.visits[block] > _MOST_VISITS:
        raise context.refused("a loop over several steps")
    path.values.update(zip(block.arguments, given, strict=True))
    return ops_of(block)
