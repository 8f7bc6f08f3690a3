"""The ops of a host program that mean something, and what is known after each.

Of a value it is known what number it is, which bytes it is a buffer of, which code it stands for,
or what has been recorded in it; or nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.schedule import (
    Copy,
    Dispatch,
    Fill,
    Place,
    Span,
    Step,
    aligned,
)
from rnn_compiler.lowering.mlir import ir

__all__ = ["Context", "Known", "Path", "run", "segments", "width_of"]

Known: TypeAlias = "int | str | Span | list[Step] | None"
"""What is known of a value."""


@dataclass
class Path:
    """One way through a function: what is known, the steps on it, and the blocks it came by."""

    values: dict[ir.Value, Known] = field(default_factory=dict["ir.Value", "Known"])
    steps: list[Step] = field(default_factory=list["Step"])
    visits: dict[ir.Block, int] = field(default_factory=dict["ir.Block", int])

    def of(self, values: Sequence[ir.Value]) -> list[Known]:
        """What is known of some values."""
        return [self.values.get(value) for value in values]

    def copy(self) -> Path:
        """The same as far as here, without its steps."""
        known = {
            value: [*each] if isinstance(each, list) else each
            for value, each in self.values.items()
        }
        return Path(known, [], dict(self.visits))


@dataclass
class Context:
    """What the ops of a function share.

    Attributes:
        function: Its symbol.
        constants: What the module's globals are.
        scratch: How many bytes it has allocated.
    """

    function: str
    constants: Mapping[str, Span]
    scratch: int = 0

    def refused(self, what: str) -> UnsupportedError:
        """The error that says what is in the way."""
        return UnsupportedError(
            f"compile_c: {self.function}: its host program has {what}, and C is made of those that "
            "call compiled code in a fixed order"
        )

    def integer(self, value: Known) -> int:
        """A number that is known."""
        if not isinstance(value, int):
            raise self.refused("a number that only a call brings")
        return value

    def span(self, buffer: Known, offset: Known, length: Known) -> Span:
        """A part of a buffer."""
        start, size = self.integer(offset), self.integer(length)
        if not isinstance(buffer, Span):
            raise self.refused("a buffer of unknown origin")
        if start < 0 or size < 0 or start + size > buffer.length:
            raise self.refused("a part of a buffer that is beyond its end")
        return buffer.part(start, size)


_MEANINGLESS = {
    *("hal.buffer.assert", "hal.buffer_usage", "hal.command_buffer.execution_barrier"),
    *("hal.command_buffer.finalize", "hal.device.allocator", "hal.device.queue.dealloca"),
    *("hal.buffer_view.assert", "hal.element_type", "hal.encoding_type", "hal.fence.await"),
    *("hal.fence.create", "hal.fence.join", "hal.memory_type", "util.null"),
    *("util.status.check_ok", "cf.br", "cf.cond_br", "util.return"),
}
"""Ops that say nothing of what is computed, or that are not for here."""

_REASONS = {"hal.buffer_view.dim": "sizes that only a call brings"}


def _selected(condition: int, first: int, second: int) -> int:
    return first if condition else second


_ARITHMETIC: Mapping[str, Callable[..., int]] = {
    "arith.addi": int.__add__,
    "arith.subi": int.__sub__,
    "arith.muli": int.__mul__,
    "arith.shrui": int.__rshift__,
    "arith.shli": int.__lshift__,
    "arith.ori": int.__or__,
    "arith.andi": int.__and__,
    "arith.trunci": int,
    "arith.extui": int,
    "arith.extsi": int,
    "arith.index_cast": int,
    "arith.index_castui": int,
    "arith.select": _selected,
}
"""On integers; results are brought to the width of their type."""

_UNSIGNED = ("arith.shrui", "arith.extui", "arith.index_castui")
"""Those that take numbers for unsigned ones."""

_COMPARISONS: Sequence[Callable[[int, int], bool]] = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
)
"""By MLIR's numbers: eq, ne, slt, sle, sgt, sge."""


def run(context: Context, path: Path, op: ir.Operation) -> None:
    """Runs an op.

    Raises:
        UnsupportedError: It is none of those that are known, or computes with data.
    """
    if op.name in _MEANINGLESS:
        return
    operands = path.of(list(op.operands))
    if op.name in _ARITHMETIC:
        numbers = [context.integer(each) for each in operands]
        if op.name in _UNSIGNED:
            numbers[0] &= (1 << width_of(op.operands[0])) - 1
        value = op.results[0]
        path.values[value] = _wrapped(_ARITHMETIC[op.name](*numbers), width_of(value))
    elif op.name in _RECORDED:
        commands, *rest = operands
        if not isinstance(commands, list):
            raise context.refused("a command buffer of unknown origin")
        commands.append(_RECORDED[op.name](context, op, [commands, *rest]))
    elif op.name in _QUEUED:
        path.steps += _QUEUED[op.name](context, op, operands)
    elif op.name in _VALUES:
        path.values[op.results[0]] = _VALUES[op.name](context, op, operands)
    else:
        raise context.refused(_REASONS.get(op.name, op.name))


def width_of(value: ir.Value) -> int:
    """The bits of an integer; an index has 64."""
    return 64 if str(value.type) == "index" else ir.IntegerType(value.type).width


def segments(op: ir.Operation, operands: Sequence[Known]) -> list[Sequence[Known]]:
    """The operands of an op, group by group."""
    groups: list[Sequence[Known]] = []
    start = 0
    for size in ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]):
        groups.append(operands[start : start + size])
        start += size
    return groups


def _wrapped(number: int, width: int) -> int:
    """A number as a signed integer of some bits; a truth value is 0 or 1."""
    number &= (1 << width) - 1
    return number - (1 << width) if width > 1 and number >> (width - 1) else number


def _symbol(attribute: ir.Attribute) -> str:
    """The last name of a reference, ``@executable::@variant::@name``."""
    return str(attribute).rpartition("@")[2].strip('"')


# What gives a value.


def _constant(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    attribute = op.attributes["value"]
    return None if str(attribute.type).startswith("f") else int(ir.IntegerAttr(attribute).value)


def _compared(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    number = ir.IntegerAttr(op.attributes["predicate"]).value
    if number >= len(_COMPARISONS):
        raise context.refused("a comparison of unsigned numbers")
    return int(_COMPARISONS[number](*(context.integer(each) for each in operands)))


def _global(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return context.constants.get(_symbol(op.attributes["global"]))


def _first(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    if len(operands) != 1:
        raise context.refused(f"{op.name} of several values")
    return operands[0]


def _part(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    buffer, offset, length = operands[:3]
    return context.span(buffer, offset, length)


def _allocated(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    offset, size = context.scratch, context.integer(operands[-1])
    context.scratch += aligned(size)
    return Span(Place.SCRATCH, 0, offset, size)


def _new_commands(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return []


def _code(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Known:
    return _symbol(op.attributes["entry_point"])


# What is recorded, or done by a queue.


def _dispatch(context: Context, op: ir.Operation, operands: Sequence[Known]) -> Step:
    groups = segments(op, operands)
    (kernel,), (x,), (y,), (z,), constants, buffers, offsets, lengths = groups[2:]
    if not isinstance(kernel, str):
        raise context.refused("a call of unknown code")
    return Dispatch(
        kernel,
        (context.integer(x), context.integer(y), context.integer(z)),
        tuple(context.integer(each) & 0xFFFFFFFF for each in constants),
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
    "arith.cmpi": _compared,
    "arith.constant": _constant,
    "hal.buffer.subspan": _part,
    "hal.buffer_view.buffer": _first,
    "hal.buffer_view.create": _part,
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
