"""Reads pickles as data, without running anything in them.

A pickle is a program for a stack machine. Instructions that create data are executed here. A class
or function becomes a `PickledGlobal`, and a call of one becomes a `PickledCall` with its arguments
and the state set afterwards. Time and memory are bounded by the number of bytes and by
`MOST_INSTRUCTIONS`.

Source: Lib/pickletools.py of CPython.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, cast

__all__ = [
    "MOST_INSTRUCTIONS",
    "PickleError",
    "PickledCall",
    "PickledGlobal",
    "PickledReference",
    "load",
]

MOST_INSTRUCTIONS = 2_000_000
"""More than any model's pickle has: about thirty per tensor."""

_KEYS = (str, int, float, bytes, type(None))
"""Allowed types of keys; hashing others, such as nested tuples, may never end."""


class PickleError(Exception):
    """The pickle is damaged, or has unsupported instructions."""


@dataclass(frozen=True)
class PickledGlobal:
    """A class or function named in a pickle.

    Attributes:
        module: The module that it is in.
        name: Its name.
    """

    module: str
    name: str


@dataclass(eq=False)
class PickledCall:
    """An object that a pickle creates by calling a class or function.

    Attributes:
        function: The class or function.
        arguments: The arguments of the call.
        state: The values of its attributes.
        items: Items set in it as in a dictionary, or appended to it, by position.
    """

    function: Any
    arguments: tuple[Any, ...]
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict[Any, Any])


@dataclass(frozen=True, eq=False)
class PickledReference:
    """Resolves a pickle's references to objects outside of it."""

    key: Any


def load(stream: IO[bytes], stored: list[PickledReference] | None = None) -> Any:
    """Reads the pickle at the current position of a stream, and advances the stream past it.

    Args:
        stream: The bytes.
        stored: Resolves external references, in their order.

    Raises:
        PickleError: It is damaged, too long, or has unsupported instructions.

    Example:
        >>> import collections, io, pickle
        >>> load(io.BytesIO(pickle.dumps([1, {"a": (2.5, None)}])))
        [1, {'a': (2.5, None)}]
        >>> load(io.BytesIO(pickle.dumps(print, 2)))
        PickledGlobal(module='__builtin__', name='print')
    """
    machine = _Machine()
    try:
        for count, (instruction, argument, _) in enumerate(pickletools.genops(stream)):
            if count >= MOST_INSTRUCTIONS:
                raise PickleError(f"it has more than {MOST_INSTRUCTIONS} instructions")
            machine.step(instruction.name, argument)
        if stored is not None:
            stored += machine.stored
        return machine.stack.pop()
    except PickleError:
        raise
    except Exception as error:  # what the stack, numbers and texts of a damaged one lead to
        raise PickleError(f"{type(error).__name__}: {str(error)[:100]}") from error


class _Machine:
    """The stack machine.

    Attributes:
        stack: The stack above the last mark.
        below: The stacks below each mark.
        memo: The memo, by number.
        stored: Resolves external references.
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.stored: list[PickledReference] = []

    def step(self, name: str, argument: Any) -> None:
        """Executes an instruction."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name]())
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        elif name not in _NOTHING:
            raise PickleError(f"it has the instruction {name}")

    def marked(self) -> list[Any]:
        """Pops everything above the last mark."""
        items = self.stack
        self.stack = self.below.pop()
        return items

    def call(self, function: Any, arguments: Any) -> None:
        """Pushes the result of a call."""
        if not isinstance(arguments, tuple):
            raise PickleError("a call has no tuple of arguments")
        arguments = cast(tuple[Any, ...], arguments)
        if function == PickledGlobal("collections", "OrderedDict"):
            made: dict[Any, Any] = {}
            for key, value in arguments[0] if arguments else ():
                _set(made, key, value)
            self.stack.append(made)
        else:
            self.stack.append(PickledCall(function, arguments))


def _refer(machine: _Machine, key: Any) -> None:
    machine.stored.append(PickledReference(key))
    machine.stack.append(machine.stored[-1])


def _set(target: Any, key: Any, value: Any) -> None:
    """Sets an item of an object on the stack."""
    items = target.items if isinstance(target, PickledCall) else target
    if not isinstance(items, dict):
        raise PickleError("an item is set in something that has no items")
    if isinstance(key, _KEYS):
        items[key] = value


def _set_pairs(machine: _Machine, pairs: list[Any]) -> None:
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        _set(machine.stack[-1], key, value)


def _append(machine: _Machine, values: list[Any]) -> None:
    target = machine.stack[-1]
    if isinstance(target, PickledCall):
        target.items.update(enumerate(values, len(target.items)))
    else:
        target.extend(values)


def _keep(make: Callable[[list[Any]], Any]) -> Callable[[_Machine, Any], None]:
    """Replaces everything above the last mark by an object made of it."""

    def action(machine: _Machine, _: Any) -> None:
        items = machine.marked()
        machine.stack.append(make(items))

    return action


def _drop(machine: _Machine, _: Any) -> None:
    machine.marked()


def _mark(machine: _Machine, _: Any) -> None:
    machine.below.append(machine.stack)
    machine.stack = []


def _pop(machine: _Machine, _: Any) -> None:
    if machine.stack:
        machine.stack.pop()
    else:
        machine.marked()


def _tuple(count: int) -> Callable[[_Machine, Any], None]:
    def action(machine: _Machine, _: Any) -> None:
        items = tuple(machine.stack[-count:])
        if len(items) != count:
            raise PickleError("the stack is empty")
        machine.stack[-count:] = [items]

    return action


def _dict(machine: _Machine, _: Any) -> None:
    pairs = machine.marked()
    machine.stack.append({})
    _set_pairs(machine, pairs)


def _global(machine: _Machine, argument: Any) -> None:
    module, _, name = argument.partition(" ")
    machine.stack.append(PickledGlobal(module, name))


def _stack_global(machine: _Machine, _: Any) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise PickleError("a class has no name")
    machine.stack.append(PickledGlobal(module, name))


def _call(machine: _Machine, _: Any) -> None:
    arguments, function = machine.stack.pop(), machine.stack.pop()
    machine.call(function, arguments)


def _call_with_keywords(machine: _Machine, _: Any) -> None:
    machine.stack.pop()
    _call(machine, _)


def _build(machine: _Machine, _: Any) -> None:
    state = machine.stack.pop()
    if isinstance(machine.stack[-1], PickledCall):
        machine.stack[-1].state = state


def _remember(machine: _Machine, argument: Any) -> None:
    machine.memo[len(machine.memo) if argument is None else argument] = machine.stack[-1]


_PUSHED = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE"),
    *("BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
}
"""Instructions that push their argument."""

_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_SET": list,
    "EMPTY_DICT": dict,
}
"""Instructions that push a constant; a set becomes a list of its elements."""

_NOTHING = ("PROTO", "FRAME", "STOP")

_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _mark,
    "POP": _pop,
    "POP_MARK": _drop,
    "DUP": lambda m, _: m.stack.append(m.stack[-1]),
    "PUT": _remember,
    "BINPUT": _remember,
    "LONG_BINPUT": _remember,
    "MEMOIZE": _remember,
    "GET": lambda m, number: m.stack.append(m.memo[number]),
    "BINGET": lambda m, number: m.stack.append(m.memo[number]),
    "LONG_BINGET": lambda m, number: m.stack.append(m.memo[number]),
    "TUPLE": _keep(tuple),
    "TUPLE1": _tuple(1),
    "TUPLE2": _tuple(2),
    "TUPLE3": _tuple(3),
    "LIST": _keep(list),
    "FROZENSET": _keep(list),
    "APPEND": lambda m, _: _append(m, [m.stack.pop()]),
    "APPENDS": lambda m, _: _append(m, m.marked()),
    "ADDITEMS": lambda m, _: _append(m, m.marked()),
    "DICT": _dict,
    "SETITEM": lambda m, _: _set_pairs(m, [m.stack.pop(), m.stack.pop()][::-1]),
    "SETITEMS": lambda m, _: _set_pairs(m, m.marked()),
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _call,
    "NEWOBJ": _call,
    "NEWOBJ_EX": _call_with_keywords,
    "BUILD": _build,
    "PERSID": _refer,
    "BINPERSID": lambda m, _: _refer(m, m.stack.pop()),
}
"""Instructions that pop from the stack."""
