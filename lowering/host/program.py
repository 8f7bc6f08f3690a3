"""Reads the compiler's host program of a module into schedules.

With ``--compile-to=hal`` and command buffers that are neither reused nor indirect, `iree-compile`
prints the host program in terms of the HAL: buffers, command buffers, queues and fences. Here it is
evaluated as far as possible without data: numbers are computed, buffers become spans, and the
commands of queues become steps. Fences and barriers have no meaning, because each step
waits for the previous one.

A host program may also branch on a number that compiled code computed. If it has two possible
values, such as a length of at most one step, the branch becomes a `Choice`. Open sizes of arguments
are those that the function declares, and numbers become formulas of them. A loop that counts to a
known number is followed step by step, so its steps are written out; a long one, and one that counts
to an open number, becomes a `Repeat` (`repeats`). Everything else is refused by name: loops that
end when compiled code says so, unknown ops.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.constants import read_constants, read_loaded
from rnn_compiler.lowering.host.formulas import Formulas, width_of
from rnn_compiler.lowering.host.ops import Context, Known, NoScheduleError, Path, run, segments
from rnn_compiler.lowering.host.repeats import repeat
from rnn_compiler.lowering.host.types import Types
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of, symbol_of
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Open, Size, is_static, product
from rnn_compiler.schema.schedule import (
    ANY_MEMORY,
    Choice,
    Copy,
    Dispatch,
    Loaded,
    Memory,
    Schedule,
    Span,
    Step,
    Storage,
    mapped,
    spans_of,
    steps_in,
)

_MOST_STEPS = 4096
"""Steps of a function, and visits of a block: loops whose counts are known are written out."""

_TOO_MANY, _TOO_LONG = f"more than {_MOST_STEPS:,} steps", "a loop of unknown or large length"
"""Why a loop cannot be written out."""

_FIRST_STEPS = 4
"""The steps of a long loop before those that are repeated; the first ones may differ."""


@dataclass(frozen=True)
class Sizes:
    """The bytes of a function's arguments and results.

    Attributes:
        shapes: The shapes of arguments, if some are open.
        states: The arguments that are updated, each with the result that is its next value.
        minima: The minima of open sizes, where they are more than 1.
    """

    arguments: Sequence[Size]
    results: Sequence[Size]
    shapes: Sequence[Sequence[Size]] = ()
    states: Mapping[int, int] = field(default_factory=dict[int, int])
    minima: Mapping[str, int] = field(default_factory=dict[str, int])


def sizes_of(types: Types) -> Sizes:
    """The sizes of arguments and results."""
    arguments, results = (
        [product(each.shape) * DTYPES[each.dtype].numpy.itemsize for each in tensors]
        for tensors in (types.arguments, types.results)
    )
    shapes = [each.shape for each in types.arguments]
    is_known = is_static(*arguments, *results)
    return Sizes(arguments, results, () if is_known else shapes, types.states, types.minima)


@dataclass(frozen=True)
class HostProgram:
    """A module's host program."""

    schedules: Mapping[str, Schedule]
    constants: tuple[bytes, ...]


def read_host_program(
    text: str,
    functions: Mapping[str, Sizes],
    numbers: Mapping[str, range],
    memory: Memory = ANY_MEMORY,
) -> HostProgram:
    """Reads a host program, which must have these functions and only call compiled code in order.

    `numbers` are the possible values of the scalar that decides how many steps run, for functions
    that have one.
    """
    found, constants = read_schedules(text, functions, numbers, memory)
    schedules: dict[str, Schedule] = {}
    for name, schedule in found.items():
        if isinstance(schedule, NoScheduleError):
            raise schedule
        if [*schedule.results] != _given_results(functions[name]):
            raise UnsupportedError(f"{name}: its host program allocates its results")
        schedules[name] = schedule
    if not all(isinstance(each, bytes) for each in constants):
        raise UnsupportedError("the module reads weights when it is loaded")
    missing = sorted(functions.keys() - schedules.keys())
    if missing:
        raise UnsupportedError(f"the host program lacks {', '.join(missing)}")
    return HostProgram(schedules, tuple(each for each in constants if isinstance(each, bytes)))


def read_schedules(
    text: str,
    functions: Mapping[str, Sizes],
    numbers: Mapping[str, range],
    memory: Memory = ANY_MEMORY,
) -> tuple[dict[str, Schedule | NoScheduleError], tuple[bytes | Loaded, ...]]:
    """The schedules of those functions that have one, and the constants that they read."""
    with new_context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise UnsupportedError(f"its host program is not understood ({error})") from error
        constants, known = read_constants(module)
        loaded, globals_ = read_loaded(module, len(constants))
        known = {**known, **globals_}
        found: dict[str, Schedule | NoScheduleError] = {}
        for op in ops_of(module.body):
            name = symbol_of(op) if op.name == "util.func" else ""
            if name not in functions:
                continue
            sizes, values = functions[name], numbers.get(name, range(0))
            context = Context(name, known, sizes.shapes, memory=memory, minima=sizes.minima)
            found[name] = _schedule(context, op, sizes, values)
    return found, (*constants, *loaded)


def _schedule(
    context: Context, function: ir.Operation, sizes: Sizes, numbers: range
) -> Schedule | NoScheduleError:
    """The schedule of a function, or why it has none; long loops are written out if possible."""
    repeating = replace(context, allocated=[], repeats=True)
    try:
        return _read(context, function, sizes, numbers)
    except NoScheduleError as error:
        if error.what in (_TOO_MANY, _TOO_LONG):
            with contextlib.suppress(NoScheduleError):
                return _read(repeating, function, sizes, numbers)
        return error


def _read(context: Context, function: ir.Operation, sizes: Sizes, numbers: range) -> Schedule:
    """The schedule of a function.

    Its arguments come first, then the caller's memory for results, if any, and the fences of an
    asynchronous function.
    """
    values = block_of(function).arguments
    spans = [Span(Storage.ARGUMENT, k, 0, size) for k, size in enumerate(sizes.arguments)]
    results = _given_results(sizes)
    blocks = [span for span in results if span.storage is Storage.RESULT]
    kinds = [str(value.type) for value in values]
    views, others = kinds[: len(spans)], kinds[len(spans) :]
    is_given = bool(results) and others == ["!hal.buffer"] * len(blocks)
    if views != ["!hal.buffer_view"] * len(spans) or (
        not is_given and set(others) - {"!hal.fence"}
    ):
        raise context.refused("other arguments than the module")
    given = [*spans, *blocks] if is_given else spans
    context.result_sizes = () if is_given else sizes.results
    context.states = {result: spans[argument] for argument, result in sizes.states.items()}
    if is_given:
        context.results, context.is_chosen = results, True
    path = Path(dict(zip(values, given, strict=False)))
    _follow(context, path, ops_of(block_of(function)), numbers)
    return _relocated(context, path.steps, context.results or [], sizes)


def _given_results(sizes: Sizes) -> list[Span]:
    """The spans of results each of which is a block of the caller's memory, or a state."""
    states = {result: argument for argument, result in sizes.states.items()}
    found: list[Span] = []
    for number, size in enumerate(sizes.results):
        block = number - sum(each < number for each in states)
        found.append(
            Span(Storage.ARGUMENT, states[number], 0, size)
            if number in states
            else Span(Storage.RESULT, block, 0, size)
        )
    return found


def _are_same(spans: Sequence[Span], others: Sequence[Span]) -> bool:
    """Whether spans are the same bytes; empty ones are."""
    pairs = zip(spans, others, strict=True)
    return all(one == other or not other.length for one, other in pairs)


def _relocated(
    context: Context, steps: Sequence[Step], results: Sequence[Span], sizes: Sizes
) -> Schedule:
    """A schedule of steps, whose allocations are replaced by blocks or by scratch memory."""
    own = {span.index for span in results if span.storage is Storage.SCRATCH}
    order = {number: k for k, number in enumerate(sorted(own))}
    sizes_of_scratch = {n: size for n, size in enumerate(context.allocated) if n not in own}
    starts, scratch = offsets_of(
        steps, sizes_of_scratch, context.formulas, context.memory.alignment
    )

    def relocated(span: Span) -> Span:
        if span.storage is not Storage.SCRATCH:
            return span
        if span.index in order:
            return Span(Storage.RESULT, order[span.index], span.offset, span.length)
        return Span(Storage.SCRATCH, 0, starts[span.index] + span.offset, span.length)

    steps = mapped(steps, relocated)
    if [*results] == _given_results(sizes):
        blocks = tuple(span.length for span in results if span.storage is Storage.RESULT)
    else:
        blocks = tuple(context.allocated[n] for n in order)
    where = tuple(map(relocated, results))
    for size in (*sizes.arguments, *sizes.results, scratch, *blocks):
        _check_size(context, size)
    known = context.formulas.known
    if not sizes.shapes:
        return Schedule(context.function, scratch, steps, known, 0, blocks, where)
    computed = [*sizes.arguments, *sizes.results, scratch, *blocks, *_numbers_in(steps)]
    limit = context.formulas.limit(computed)
    return Schedule(context.function, scratch, steps, known, limit, blocks, where)


def _check_size(context: Context, size: Size) -> None:
    """Checks that an array fits into memory."""
    most = context.memory.largest
    if isinstance(size, Open):
        context.formulas.require(size, most)
    elif size > most:
        raise UnsupportedError(
            f"{context.function}: an array or its scratch memory has {size:,} bytes, "
            f"and this target has addresses for {most:,}; choose smaller sizes"
        )


def _numbers_in(steps: Sequence[Step]) -> Iterator[Size]:
    """All numbers in steps."""
    for step in steps_in(steps):
        if isinstance(step, Dispatch):
            yield from (*step.workgroups, *step.constants)
        for span in spans_of(step):
            yield from (span.offset, span.length)


def _follow(
    context: Context,
    path: Path,
    ops: Sequence[ir.Operation],
    numbers: range,
) -> None:
    """Evaluates ops and the blocks that they branch to, up to the end of the function."""
    while True:
        for position, op in enumerate(ops):
            context.op = op
            if op.name == "hal.buffer.load":
                values = range(2) if width_of(op.results[0]) == 1 else numbers
                if not 0 < len(values) <= 2:
                    raise context.refused("a size, or a number of steps, that a call computes")
                if context.result_sizes and context.results is None:
                    context.results = [
                        context.states.get(number) or context.allocate(size)
                        for number, size in enumerate(context.result_sizes)
                    ]
                    context.is_chosen = True
                cases: dict[int, tuple[Step, ...]] = {}
                for value in values:
                    taken = path.copy()
                    taken.visits = {k: max(n, _MOST_STEPS - 1) for k, n in path.visits.items()}
                    taken.values[op.results[0]] = value
                    _follow(context, taken, ops[position + 1 :], numbers)
                    cases[value] = tuple(taken.steps)
                buffer, offset = path.of(list(op.operands))
                size = max(1, width_of(op.results[0]) // 8)
                path.steps.append(Choice(context.span(buffer, offset, size), cases))
                return
            run(context, path, op)
        if len(path.steps) > _MOST_STEPS:
            raise context.refused(_TOO_MANY)
        end = ops[-1]
        if end.name == "util.return":
            found = [each for each in path.of(list(end.operands)) if isinstance(each, Span)]
            if len(found) != len(end.operands):
                raise context.refused("a result of unknown origin")
            _continue_states(context, path, found)
            if context.is_chosen:  # each path puts them elsewhere
                path.steps += _moved(context, found)
            elif context.results is None or _are_same(found, context.results):
                context.results = found
            else:
                raise context.refused("results in memory of its own")
            return
        ops = _branched(context, path, end)


def _moved(context: Context, results: Sequence[Span]) -> Iterator[Copy]:
    """The copies of results to where they belong."""
    for source, target in zip(results, context.results or (), strict=True):
        if source == target or not target.length:
            continue
        if source.storage is Storage.RESULT or source.length != target.length:
            raise context.refused("results in memory of its own")
        yield Copy(source, target)


def _continue_states(context: Context, path: Path, results: list[Span]) -> None:
    """Copies the next values of states to where the states are, as the last steps.

    A result that is in a state's memory, perhaps because it is another state, is saved before.
    """
    states = context.states
    moved = [number for number in states if results[number] != states[number]]
    overwritten = {states[number].index for number in moved}
    for number, span in enumerate(results):
        stays = number in states and number not in moved
        if span.storage is Storage.ARGUMENT and span.index in overwritten and not stays:
            results[number] = context.allocate(span.length)
            path.steps.append(Copy(span, results[number]))
    for number in moved:
        if states[number].length:
            path.steps.append(Copy(results[number], states[number]))
        results[number] = states[number]


def _branched(context: Context, path: Path, end: ir.Operation) -> Sequence[ir.Operation]:
    """The ops of the block that the last op of another branches to."""
    given: Sequence[Known] = path.of(list(end.operands))
    block = end.successors[0] if len(end.successors) else None
    if end.name == "cf.cond_br":
        (condition,), first, second = segments(end, given)
        is_long = context.repeats and path.visits.get(end.block, 0) > _FIRST_STEPS
        if isinstance(condition, Open) or (is_long and condition):
            return repeat(context, path, end, _branched)
        known = context.integer(condition)
        block, given = end.successors[0 if known else 1], first if known else second
    if block is None or end.name not in ("cf.br", "cf.cond_br"):
        raise context.refused(end.name)
    path.visits[block] = path.visits.get(block, 0) + 1
    if path.visits[block] > _MOST_STEPS:
        raise context.refused(_TOO_LONG)
    path.values.update(zip(block.arguments, given, strict=True))
    return ops_of(block)


# Lays out the temporaries of a function in scratch memory.
#
# Steps run one after the other, and temporaries that are not live at the same time may overlap.
# Each, largest first, gets the lowest offset that is free from the step that first writes it to
# the step that last reads it. Temporaries with open sizes follow without overlapping.


def offsets_of(
    steps: Sequence[Step], sizes: Mapping[int, Size], formulas: Formulas, alignment: int
) -> tuple[dict[int, Size], Size]:
    """Lays out temporaries; returns the offset of each by number, and the bytes of all of them."""
    aligned = {number: formulas.aligned(size, alignment) for number, size in sizes.items()}
    used = _used(steps)
    known = {n: size for n, size in aligned.items() if isinstance(size, int) and n in used}
    starts: dict[int, int] = {}
    for number in sorted(known, key=lambda number: (-known[number], number)):
        first, last = used[number]
        others = [n for n in starts if used[n][0] <= last and first <= used[n][1]]
        start = 0
        for other in sorted(others, key=starts.__getitem__):
            if start + known[number] <= starts[other]:
                break
            start = max(start, starts[other] + known[other])
        starts[number] = start
    offsets: dict[int, Size] = dict.fromkeys(sizes, 0)
    offsets |= starts
    end: Size = max((start + known[n] for n, start in starts.items()), default=0)
    for number, size in aligned.items():
        if not isinstance(size, int):
            offsets[number], end = end, end + size
    return offsets, end


def _used(steps: Sequence[Step]) -> dict[int, tuple[int, int]]:
    """The first and the last step that use each temporary."""
    used: dict[int, tuple[int, int]] = {}
    for position, step in enumerate(steps):
        for each in steps_in((step,)):
            for span in spans_of(each):
                if span.storage is Storage.SCRATCH:
                    first, _ = used.get(span.index, (position, position))
                    used[span.index] = (first, position)
    return used
