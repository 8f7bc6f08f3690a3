"""Reads the compiler's host program of a module into schedules.

With ``--compile-to=hal`` and command buffers that are neither reused nor indirect, `iree-compile`
prints the host program in terms of the HAL: buffers, command buffers, queues and fences. Here it is
evaluated as far as possible without data : numbers are computed, buffers become spans,
and the commands of queues become steps. Fences and barriers have no meaning, because each step
waits for the previous one.

A host program may also branch on a number that compiled code computed. If it has two possible
values, such as a length of at most one step, the branch becomes a `Choice`. Open sizes of arguments
are those that the function declares, and numbers become formulas of them. Everything else is
refused by name: loops of several steps, unknown ops.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.external_results import Types
from rnn_compiler.lowering.host.formulas import (
    ARITHMETIC,
    Formulas,
    UndecidedError,
    computed,
    width_of,
)
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of, symbol_of
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.executable_library import MOST_WORKGROUPS
from rnn_compiler.schema.open_sizes import Open, Size, is_static, open_names, product
from rnn_compiler.schema.schedule import (
    ANY_MEMORY,
    Choice,
    Copy,
    Dispatch,
    Fill,
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

# Evaluates the ops of a host program, as far as they matter for a schedule.
#
# A value may be known as a number or a formula of open sizes, as a buffer of some bytes, as
# compiled code, or as a command buffer with recorded steps; or it is unknown.

Known: TypeAlias = "Size | float | str | Span | list[Step] | None"
"""The known contents of a value."""


class NoScheduleError(UnsupportedError):
    """A host program is not a list of steps: `what` cannot be in one."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


@dataclass
class Path:
    """One path through a function: the known values, its steps, and its blocks."""

    values: dict[ir.Value, Known] = field(default_factory=dict["ir.Value", "Known"])
    steps: list[Step] = field(default_factory=list["Step"])
    visits: dict[ir.Block, int] = field(default_factory=dict["ir.Block", int])

    def of(self, values: Sequence[ir.Value]) -> list[Known]:
        """The known contents of some values."""
        return [self.values.get(value) for value in values]

    def copy(self) -> Path:
        """A copy of the path so far, without its steps."""
        known = {
            value: [*each] if isinstance(each, list) else each
            for value, each in self.values.items()
        }
        return Path(known, [], dict(self.visits))


@dataclass
class Context:
    """The context of a function's ops.

    Attributes:
        shapes: The shapes of its arguments, if any is open.
        allocated: The sizes of its allocations in bytes.
        result_sizes: The bytes of each result, if it allocates them.
        results: Its results, once they are known.
        is_chosen: Whether each path copies its results to `results`.
        minima: The minima of open sizes, where they are more than 1.
        states: The arguments that are states, by the numbers of the results that continue them.
    """

    function: str
    constants: Mapping[str, Span]
    shapes: Sequence[Sequence[Size]] = ()
    allocated: list[Size] = field(default_factory=list[Size])
    formulas: Formulas = field(init=False)
    result_sizes: Sequence[Size] = ()
    results: list[Span] | None = None
    is_chosen: bool = False
    memory: Memory = ANY_MEMORY
    minima: Mapping[str, int] = field(default_factory=dict[str, int])
    states: Mapping[int, Span] = field(default_factory=dict[int, Span])

    def __post_init__(self) -> None:
        names = open_names(size for shape in self.shapes for size in shape)
        self.formulas = Formulas({name: self.minima.get(name, 1) for name in names})

    def allocate(self, size: Size) -> Span:
        """A new allocation."""
        self.allocated.append(size)
        return Span(Storage.SCRATCH, len(self.allocated) - 1, 0, size)

    def refused(self, what: str) -> UnsupportedError:
        """The error for an unsupported construct."""
        return NoScheduleError(
            f"{self.function}: its host program has {what}, and only those that call compiled code "
            "in a fixed order are supported",
            what,
        )

    def integer(self, value: Known) -> int:
        """A known number."""
        if not isinstance(value, int):
            raise self.refused("a number that only a call brings")
        return value

    def number(self, value: Known) -> Size:
        """A known number, or a formula."""
        return value if isinstance(value, Open) else self.integer(value)

    def word(self, value: Known) -> Size:
        """A number of which only the lowest 32 bits matter."""
        return self.formulas.without_remainder(self.number(value), 2**32)

    def span(self, buffer: Known, offset: Known, length: Known) -> Span:
        """A part of a buffer."""
        start, size = self.number(offset), self.number(length)
        if not isinstance(buffer, Span):
            raise self.refused("a buffer of unknown origin")
        left = buffer.length - start - size
        if not all(self.formulas.at_least(number, 0) for number in (start, size, left)):
            raise self.refused("a part of a buffer that is beyond its end")
        return buffer.part(start, size)


_MEANINGLESS = {
    *("hal.buffer.assert", "hal.buffer_usage", "hal.command_buffer.execution_barrier"),
    *("hal.command_buffer.finalize", "hal.device.allocator", "hal.device.queue.dealloca"),
    *("hal.buffer_view.assert", "hal.element_type", "hal.encoding_type", "hal.fence.await"),
    *("hal.fence.create", "hal.fence.join", "hal.memory_type", "util.null"),
    *("util.status.check_ok", "cf.br", "cf.cond_br", "util.return"),
}
"""Ops without an effect on the result here."""


def run(context: Context, path: Path, op: ir.Operation) -> None:
    """Runs an op; UnsupportedError if it is unknown, or computes with data."""
    if op.name in _MEANINGLESS:
        return
    operands = path.of(list(op.operands))
    if op.name in ARITHMETIC:
        numbers = [context.number(each) for each in operands]
        try:
            path.values[op.results[0]] = computed(context.formulas, op, numbers)
        except UndecidedError as error:
            raise context.refused(str(error)) from error
    elif op.name in _RECORDED:
        commands, *rest = operands
        if not isinstance(commands, list):
            raise context.refused("a command buffer of unknown origin")
        commands.append(_RECORDED[op.name](context, op, [commands, *rest]))
    elif op.name in _QUEUED:
        path.steps += _QUEUED[op.name](context, op, operands)
    elif op.name in _VALUES:
        path.values[op.results[0]] = _VALUES[op.name](context, op, operands)
    elif op.name == "cf.assert":
        if context.number(operands[0]) != 1:
            raise context.refused("sizes of which it is not known that they are as they must be")
    else:
        raise context.refused(op.name)


def segments(op: ir.Operation, operands: Sequence[Known]) -> list[Sequence[Known]]:
    """The operands of an op, group by group."""
    groups: list[Sequence[Known]] = []
    start = 0
    for size in ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]):
        groups.append(operands[start : start + size])
        start += size
    return groups


def _symbol(attribute: ir.Attribute) -> str:
    """The last name of a reference, ``@executable::@variant::@name``."""
    return str(attribute).rpartition("@")[2].strip('"')


# Ops with a value.


def _constant(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    attribute = op.attributes["value"]
    if str(attribute.type) in ELEMENTS and not str(attribute.type).startswith("i"):
        return float(ir.FloatAttr(attribute).value)
    return int(ir.IntegerAttr(attribute).value)


def _bits(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    """The bits of a float, as an integer."""
    (value,) = operands
    if not isinstance(value, float):
        raise context.refused(op.name)
    kind = ELEMENTS[str(op.operands[0].type)].numpy
    return int.from_bytes(np.array(value, kind).tobytes(), "little", signed=True)


def _global(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return context.constants.get(_symbol(op.attributes["global"]))


def _first(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    if len(operands) != 1:
        raise context.refused(f"{op.name} of several values")
    return operands[0]


def _part(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    buffer, offset, length = operands[:3]
    return context.span(buffer, offset, length)


def _size(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    """A size of an argument, as declared by the function: calls pass no other."""
    (view,) = operands
    axis = ir.IntegerAttr(op.attributes["index"]).value
    if not isinstance(view, Span) or view.storage is not Storage.ARGUMENT or not context.shapes:
        raise context.refused("sizes that only a call brings")
    return context.shapes[view.index][axis]


def _allocated(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return context.allocate(context.number(operands[-1]))


def _new_commands(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return []


def _code(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return _symbol(op.attributes["entry_point"])


# Ops that record or execute steps.


def _dispatch(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Step:
    groups = segments(op, operands)
    (kernel,), (x,), (y,), (z,), constants, buffers, offsets, lengths = groups[2:]
    if not isinstance(kernel, str):
        raise context.refused("a call of unknown code")
    groups = context.number(x), context.number(y), context.number(z)
    for count, most in zip(groups, MOST_WORKGROUPS, strict=True):
        context.formulas.require(count, most)
    return Dispatch(
        kernel,
        groups,
        tuple(context.word(each) for each in constants),
        tuple(map(context.span, buffers, offsets, lengths)),
    )


def _copy(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Step:
    source, begin, target, start, length = operands[-5:]
    return Copy(context.span(source, begin, length), context.span(target, start, length))


def _fill(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Step:
    target, offset, length, value = operands[-4:]
    size = width_of(op.operands[-1]) // 8
    pattern = context.integer(value) & ((1 << 8 * size) - 1)
    return Fill(context.span(target, offset, length), pattern.to_bytes(size, "little"))


def _execute(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Sequence[Step]:
    commands = operands[-1]
    if not isinstance(commands, list):
        raise context.refused("a command buffer of unknown origin")
    return commands


_VALUES: Mapping[str, Callable[[Context, ir.Operation, Sequence[Known]], Known]] = {
    "arith.bitcast": _bits,
    "arith.constant": _constant,
    "hal.allocator.allocate": _allocated,
    "hal.buffer.subspan": _part,
    "hal.buffer_view.buffer": _first,
    "hal.buffer_view.create": _part,
    "hal.buffer_view.dim": _size,
    "hal.command_buffer.create": _new_commands,
    "hal.device.queue.alloca": _allocated,
    "hal.executable.lookup.function": _code,
    "util.global.load": _global,
    "util.optimization_barrier": _first,
}

_RECORDED: Mapping[str, Callable[[Context, ir.Operation, Sequence[Known]], Step]] = {
    "hal.command_buffer.copy_buffer": _copy,
    "hal.command_buffer.dispatch": _dispatch,
    "hal.command_buffer.fill_buffer": _fill,
}

_QUEUED: Mapping[str, Callable[[Context, ir.Operation, Sequence[Known]], Sequence[Step]]] = {
    "hal.device.queue.copy": lambda context, op, operands: [_copy(context, op, operands)],
    "hal.device.queue.execute": _execute,
    "hal.device.queue.fill": lambda context, op, operands: [_fill(context, op, operands)],
}


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


# Reads the constants of a host program, which become buffers when it is loaded.
#
# IREE packs all constants of a module into one, and stores it to a global in an initializer:
#
#     util.initializer {
#       %c = util.buffer.constant <alignment = 64> : !util.buffer = #util.composite<16640xi8, [...]>
#       ...                                     // imported in place, or else copied
#       util.global.store %buffer, @__constant_tensor_64xf32 : !hal.buffer

_COMPOSITE = re.compile(r"#util\.composite<(\d+)xi8, \[(.*?),?\s*\]>", re.DOTALL)

_RAW = re.compile(r'dense<"0x([0-9A-F]*)">')
_NUMBER = re.compile(r"0x[0-9A-F]+|-?\d[0-9.eE+-]*")
_BFLOAT16: Any = DTYPES["bfloat16"].numpy.type


def read_constants(module: ir.Module) -> tuple[tuple[bytes, ...], Mapping[str, Span]]:
    """The constants of a module, and the span of them in each global."""
    constants: list[bytes] = []
    stored: dict[str, Span] = {}
    for op in ops_of(module.body):
        if op.name != "util.initializer":
            continue
        inside = list(_ops_inside(op))
        values = [each for each in inside if each.name == "util.buffer.constant"]
        data = [_bytes(each) for each in values if not _is_text(each)]
        stores = [
            each
            for each in inside
            if each.name == "util.global.store" and str(each.operands[0].type) == "!hal.buffer"
        ]
        if len(data) < len(values):  # names of parameters, which others read (`read_loaded`)
            stores = [each for each in stores if isinstance(each.operands[0].owner, ir.Block)]
        if not data and not stores:
            continue
        if len(data) != 1 or any(each.name == "hal.buffer.subspan" for each in inside):
            raise UnsupportedError("the module computes constants when it is loaded")
        whole = Span(Storage.CONSTANT, len(constants), 0, len(data[0]))
        constants += data
        for each in stores:
            stored[ir.FlatSymbolRefAttr(each.attributes["global"]).value] = whole
    return tuple(constants), stored


def read_loaded(module: ir.Module, first: int) -> tuple[list[Loaded], Mapping[str, Span]]:
    """The constants of a module from frozen weights, numbered from `first`, and their globals."""
    found: list[Loaded] = []
    stored: dict[str, Span] = {}
    for op in ops_of(module.body):
        inside = list(_ops_inside(op)) if op.name == "util.initializer" else []
        if not any(each.name == "io_parameters.load" for each in inside):
            continue
        for each in inside:
            if each.name != "util.global.store" or str(each.operands[0].type) != "!hal.buffer":
                continue
            if isinstance(each.operands[0].owner, ir.Block):  # a constant, imported or copied
                continue
            loaded = _loaded(each.operands[0])
            stored[ir.FlatSymbolRefAttr(each.attributes["global"]).value] = Span(
                Storage.CONSTANT, first + len(found), 0, loaded.size
            )
            found.append(loaded)
    return found, stored


def _loaded(value: ir.Value) -> Loaded:
    """The source of an initializer's buffer: a parameter, or values computed from some."""
    op = _operation(value)
    results: list[ir.Value] = [*op.results]
    number = results.index(value)
    operands = list(op.operands)
    if op.name != "io_parameters.load":
        return Loaded(_index(operands[-1]))
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    keys = operands[sum(counts[:5]) :][: counts[5]]
    key = ir.StringAttr(_operation(keys[number]).attributes["value"]).value
    return Loaded(_index(operands[len(operands) - counts[9] + number]), key)


def _index(value: ir.Value) -> int:
    return ir.IntegerAttr(_operation(value).attributes["value"]).value


def _operation(value: ir.Value) -> ir.Operation:
    """The op that defines a value; UnsupportedError if it depends on a branch."""
    owner: Any = value.owner
    if isinstance(owner, ir.Block):
        raise UnsupportedError("the module branches when it is loaded")
    return owner.operation


def _is_text(op: ir.Operation) -> bool:
    return isinstance(op.attributes["value"], ir.StringAttr)


def _ops_inside(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from ops_of(block)


def _bytes(op: ir.Operation) -> bytes:
    """The bytes of a constant."""
    value = op.attributes["value"]
    found = _COMPOSITE.fullmatch(str(value))
    if found is None:
        return _element_bytes(value)
    parts = ir.ArrayAttr(ir.Attribute.parse(f"[{found[2]}]"))
    data = b"".join(map(_element_bytes, parts))
    if len(data) != int(found[1]):
        raise UnsupportedError("the module's constants are not understood")
    return data


def _element_bytes(attribute: ir.Attribute) -> bytes:
    """The bytes of an array of numbers, row-major and little-endian, like the compiling machine."""
    try:
        elements: Any = ir.DenseElementsAttr(attribute)
        kind = ELEMENTS[str(ir.ShapedType(attribute.type).element_type)]
    except (ValueError, KeyError) as error:
        raise UnsupportedError(f"a constant of unknown form ({error})") from error
    if kind.name == "bfloat16":
        return _bfloat16_bytes(str(attribute), math.prod(ir.ShapedType(attribute.type).shape))
    array: npt.NDArray[Any] = np.array(elements)
    return array.astype(kind.numpy).tobytes()


def _bfloat16_bytes(text: str, count: int) -> bytes:
    """The bytes of an array of bfloat16, parsed from text: the bindings do not support it."""
    raw = _RAW.match(text)
    if raw is not None:
        bits = np.frombuffer(bytes.fromhex(raw[1]), np.uint16)
    else:
        words = _NUMBER.findall(text[: text.rindex(":")])
        bits = np.array(
            [
                int(word, 16) if word.startswith("0x") else _BFLOAT16(float(word)).view(np.uint16)
                for word in words
            ],
            np.uint16,
        )
    return np.broadcast_to(bits, count).tobytes()


_MOST_VISITS = 2
"""Visits of a block: a loop of one step visits its head once before and once after it."""


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
            try:
                sizes = functions[name]
                context = Context(name, known, sizes.shapes, memory=memory, minima=sizes.minima)
                found[name] = _read(context, op, sizes, numbers.get(name, range(0)))
            except NoScheduleError as error:
                found[name] = error
    return found, (*constants, *loaded)


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
    path = Path(dict(zip(values, given, strict=False)))
    _follow(context, path, ops_of(block_of(function)), numbers)
    found = context.results or []
    if is_given and not _are_same(found, results):
        raise context.refused("results in memory of its own")
    return _relocated(context, path.steps, results if is_given else found, sizes)


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
    if not sizes.shapes:
        return Schedule(context.function, scratch, steps, blocks=blocks, results=where)
    computed = [*sizes.arguments, *sizes.results, scratch, *blocks, *_numbers_in(steps)]
    limit = context.formulas.limit(computed)
    known = context.formulas.known
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
                    taken.values[op.results[0]] = value
                    _follow(context, taken, ops[position + 1 :], numbers)
                    cases[value] = tuple(taken.steps)
                buffer, offset = path.of(list(op.operands))
                size = max(1, width_of(op.results[0]) // 8)
                path.steps.append(Choice(context.span(buffer, offset, size), cases))
                return
            run(context, path, op)
        end = ops[-1]
        if end.name == "util.return":
            found = [each for each in path.of(list(end.operands)) if isinstance(each, Span)]
            if len(found) != len(end.operands):
                raise context.refused("a result of unknown origin")
            _continue_states(context, path, found)
            if context.is_chosen:  # each path puts them elsewhere
                pairs = zip(found, context.results or (), strict=True)
                path.steps += [Copy(source, target) for source, target in pairs if source != target]
            elif context.results is None or _are_same(found, context.results):
                context.results = found
            else:
                raise context.refused("results in memory of its own")
            return
        ops = _branched(context, path, end)


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
        if isinstance(condition, Open):
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
