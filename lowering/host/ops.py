"""Evaluates the ops of a host program, as far as they matter for a schedule.

A value may be known as a number or a formula of open sizes, as a buffer of some bytes, as
compiled code, or as a command buffer with recorded steps; or it is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.formulas import (
    ARITHMETIC,
    Formulas,
    UndecidedError,
    computed,
    width_of,
)
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.nodes import listed, nodes_of
from rnn_compiler.schema.dtypes import ELEMENTS
from rnn_compiler.schema.executable_library import MOST_WORKGROUPS
from rnn_compiler.schema.open_sizes import Open, Size, open_names
from rnn_compiler.schema.schedule import (
    ANY_MEMORY,
    Copy,
    Dispatch,
    Fill,
    Memory,
    Span,
    Step,
    Storage,
)

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
        repeats: Whether long loops are repeated, not written out.
        places: Spans of earlier allocations that later ones get, by the numbers of these.
        op: The op that is evaluated.
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
    repeats: bool = False
    places: Mapping[int, Span] = field(default_factory=dict[int, Span])
    op: ir.Operation | None = None

    def __post_init__(self) -> None:
        names = open_names(size for shape in self.shapes for size in shape)
        self.formulas = Formulas({name: self.minima.get(name, 1) for name in names})

    def allocate(self, size: Size) -> Span:
        """A new allocation."""
        number = len(self.allocated)
        placed = self.places.get(number)
        self.allocated.append(0 if placed else size)
        return placed or Span(Storage.SCRATCH, number, 0, size)

    def refused(self, what: str) -> UnsupportedError:
        """The error for an unsupported construct."""
        nodes = nodes_of([self.op] if self.op else [])
        where = f"{self.function}: {listed(nodes)}" if nodes else self.function
        return NoScheduleError(
            f"{where}: its host program has {what}, and only those that call "
            "compiled code in a fixed order are supported",
            what,
        )

    def integer(self, value: Known) -> int:
        """A known number."""
        if not isinstance(value, int):
            raise self.refused("a number known only at run time")
        return value

    def number(self, value: Known) -> Size:
        """A known number, or a formula."""
        return value if isinstance(value, Open) else self.integer(value)

    def word(self, value: Known) -> Size:
        """A number; only its lowest 32 bits matter."""
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
            raise context.refused("sizes that may not pass a check of the host program")
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
        raise context.refused("sizes known only at run time")
    return context.shapes[view.index][axis]


def _allocated(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return context.allocate(context.number(operands[-1]))


def _length(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    (buffer,) = operands
    return buffer.length if isinstance(buffer, Span) else None


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
    "hal.buffer.length": _length,
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
