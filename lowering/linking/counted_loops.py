"""Loops of StableHLO that count from 0 to a known number, such as those of `jax.lax.scan`.

Short ones without products, such as those of JAX's random keys, are written out: all iterations
then become one dispatch, instead of several each. In the others, indices of consecutive rows, as in
`jax.lax.fori_loop`, are replaced by the loop's counter, which IREE keeps on the host. It would read
other indices from the device in every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from rnn_compiler.lowering.analysis.step_values import NotACellError
from rnn_compiler.lowering.analysis.values import defining, element, shape
from rnn_compiler.lowering.codegen.body import ArrayType, Body
from rnn_compiler.lowering.codegen.stablehlo import converted, full
from rnn_compiler.lowering.linking.indices import array
from rnn_compiler.lowering.linking.scan_steps import name_of, stored
from rnn_compiler.lowering.mlir.bindings import callee_of, ir, nested_ops, ops_of, symbol_of
from rnn_compiler.lowering.rewriting.edits import replace

Numbered = npt.NDArray[np.int64]

_MOST_OPS = 2000
"""The most ops of a loop that is looked at, with those of the functions that it calls."""

_SHORT, _SMALL = 8, 100
"""The most iterations of a loop that is written out, and the most ops of one."""


class NotCountedError(NotACellError):
    """A loop that does not count from 0 to a known number."""


def write_out_short_loops(module: ir.Module) -> None:
    """Writes out the iterations of short loops without products and calls of ops."""
    functions = functions_of(module)
    for loop in nested_ops(module.operation, "stablehlo.while"):
        copy = inlined_copy(loop, functions)
        if copy is None:
            continue
        try:
            counted = CountedLoop(copy)
        except NotCountedError:
            copy.erase()
            continue
        if counted.length <= _SHORT and _is_small(copy):
            replace(loop, *_iterations(counted))
        copy.erase()


_SLICES = ("stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice")


def index_by_counter(module: ir.Module) -> None:
    """Computes the indices of slices in loops from what the loop counts, where that is one op."""
    functions = functions_of(module)
    for loop in nested_ops(module.operation, "stablehlo.while"):
        copy = inlined_copy(loop, functions)
        if copy is None:
            continue
        if _index_by_counter(copy):
            replace(loop, *copy.results)
        else:
            copy.erase()


def _index_by_counter(loop: ir.Operation) -> bool:
    """Rewrites indices of slices in a loop; returns whether it has any."""
    try:
        counted = CountedLoop(loop)
    except NotCountedError:
        return False
    found = False
    for op in [op for op in ops_of(counted.body) if op.name in _SLICES]:
        for number, value in enumerate(op.operands):
            line = None if shape(value) else _line(counted.positions(value))
            if line is not None and value != counted.counter:
                op.operands[number] = _counted(Body.before(op), counted, value, *line)
                found = True
    if found:
        _remove_indices(counted)
    return found


def _remove_indices(loop: CountedLoop) -> None:
    """Stops counting what nothing reads any more."""
    *ops, end = ops_of(loop.body)
    for op in reversed(ops):
        if len(op.results) == 1 and not shape(op.results[0]) and not [*op.results[0].uses]:
            op.erase()
    for number, argument in enumerate(loop.arguments):
        counted, after = loop.counted(argument), loop.following[number]
        uses = [use.owner.operation for use in argument.uses]
        if counted is None or argument == loop.counter or uses != [defining(after)]:
            continue
        last = counted[0] + counted[1] * loop.length
        made = full(Body.before(loop.loop), last, ArrayType((), element(argument)))
        loop.loop.results[number].replace_all_uses_with(made.value)
        end.operands[number] = argument


def _line(positions: Numbered | None) -> tuple[int, int] | None:
    """The first of numbers and the step to each next one, if it is 1, 0 or -1; else None."""
    if positions is None:
        return None
    steps = np.unique(np.diff(positions))  # none for a single iteration
    if len(steps) > 1 or any(abs(steps) > 1):
        return None
    return int(positions[0]), int(steps.sum())


def _counted(body: Body, loop: CountedLoop, like: ir.Value, start: int, step: int) -> ir.Value:
    """Emits what a loop counts, by a single op: IREE computes no more on the host."""
    first = full(body, start, ArrayType((), element(like)))
    counter = converted(body, array(loop.counter), element(like))
    if step == 0:
        return first.value
    if start == 0 and step == 1:
        return counter.value
    name = "stablehlo.add" if step == 1 else "stablehlo.subtract"
    return body.array(name, [first, counter], first.type).value


_OTHERS = frozenset(
    f"stablehlo.{name}"
    for name in ("composite", "convolution", "custom_call", "dot", "dot_general")
)
"""The ops without regions that are more than some arithmetic."""


def _is_small(loop: ir.Operation) -> bool:
    """Whether a loop has few ops, and none that has many iterations itself."""
    ops = [each for each in nested_ops(loop) if each != loop]
    return len(ops) <= _SMALL and not any(len(each.regions) or each.name in _OTHERS for each in ops)


def _iterations(loop: CountedLoop) -> list[ir.Value]:
    """Emits the iterations of a loop before it; returns its results."""
    values = [*loop.loop.operands]
    at = ir.InsertionPoint(loop.loop)
    *ops, end = ops_of(loop.body)
    for _ in range(loop.length):
        copies: dict[ir.Value, ir.Value] = {}
        copies.update(zip(loop.arguments, values, strict=True))
        for op in ops:
            clone(op, copies, at)
        values = [copies.get(each, each) for each in end.operands]
    return values


def functions_of(module: ir.Module) -> dict[str, ir.Operation]:
    """The functions of a module by name."""
    return {symbol_of(op): op for op in ops_of(module.body) if op.name == "func.func"}


def inlined_copy(loop: ir.Operation, functions: Mapping[str, ir.Operation]) -> ir.Operation | None:
    """A copy of a loop before it, without calls; None if it is large, or calls declarations."""
    with ir.InsertionPoint(loop):
        copy = loop.clone().operation
    while calls := nested_ops(copy, "func.call"):
        called = [functions[callee_of(call)] for call in calls]
        if len(nested_ops(copy)) > _MOST_OPS or not all(
            len(each.regions[0].blocks) for each in called
        ):
            copy.erase()
            return None
        for call, function in zip(calls, called, strict=True):
            _inline(call, function)
    return copy


def _inline(call: ir.Operation, function: ir.Operation) -> None:
    """Replaces a call by copies of the function's ops."""
    at = ir.InsertionPoint(call)
    block = function.regions[0].blocks[0]
    copies: dict[ir.Value, ir.Value] = {}
    copies.update(zip(block.arguments, call.operands, strict=True))
    *ops, end = ops_of(block)
    for op in ops:
        clone(op, copies, at)
    replace(call, *(copies[value] for value in end.operands))


def clone(op: ir.Operation, copies: dict[ir.Value, ir.Value], at: ir.InsertionPoint) -> None:
    """Emits a copy of an op that reads copies of values, and adds those of its results."""
    with at:
        made = op.clone().operation
    for each in nested_ops(made):
        for number, operand in enumerate(each.operands):
            if operand in copies:
                each.operands[number] = copies[operand]
    copies.update(zip(op.results, made.results, strict=True))


class CountedLoop:
    """A loop whose body has no calls, and that counts from 0 to a known number.

    Attributes:
        body: Its body.
        arguments: The body's arguments.
        following: What they are in the next iteration.
        initial: What they are in the first one.
        fixed: The arguments that never change, with their initial values.
        length: The number of iterations.
    """

    def __init__(self, loop: ir.Operation) -> None:
        self.loop = loop
        self.body = loop.regions[1].blocks[0]
        self.arguments: list[ir.Value] = [*self.body.arguments]
        self.following: list[ir.Value] = [*ops_of(self.body)[-1].operands]
        self.initial: dict[ir.Value, ir.Value] = {}
        self.initial.update(zip(self.arguments, loop.operands, strict=True))
        pairs = zip(self.arguments, self.following, strict=True)
        self.fixed = {each: self.initial[each] for each, after in pairs if each == after}
        self.length = self._length()

    def _constant(self, value: ir.Value) -> int | None:
        """A constant integer."""
        value = self.fixed.get(value, value)
        if isinstance(value.owner, ir.Block) or shape(value) != ():
            return None
        op = defining(value)
        is_known = op.name == "stablehlo.constant" and element(value) in ("i32", "i64")
        return int(stored(op)) if is_known else None

    def counted(self, argument: ir.Value) -> tuple[int, int] | None:
        """The first number and the step of what a counter counts."""
        after = self.following[self.number(argument)]
        if shape(argument) != () or isinstance(after.owner, ir.Block):
            return None
        op = defining(after)
        first = self._constant(self.initial[argument])
        if op.name != "stablehlo.add" or first is None:
            return None
        for one, other in ((0, 1), (1, 0)):
            step = self._constant(op.operands[other])
            if op.operands[one] == argument and step is not None:
                return first, step
        return None

    def number(self, argument: ir.Value) -> int:
        """The position of an argument of the body."""
        return self.arguments.index(argument)

    def _length(self) -> int:
        """The number of iterations."""
        block = self.loop.regions[0].blocks[0]
        (condition,) = ops_of(block)[-1].operands
        test = None if isinstance(condition.owner, ir.Block) else defining(condition)
        if test is not None and test.name == "stablehlo.compare" and "LT" in str(test):
            number = next((k for k, e in enumerate(block.arguments) if e == test.operands[0]), None)
            last = test.operands[1]
            among = next((k for k, each in enumerate(block.arguments) if each == last), None)
            limit = self._constant(last if among is None else self.arguments[among])
            counted = None if number is None else self.counted(self.arguments[number])
            if counted == (0, 1) and limit is not None and limit > 0:
                self.counter = self.arguments[number or 0]
                return limit
        raise NotCountedError("it does not count from 0 to a known number")

    def positions(self, value: ir.Value) -> Numbered | None:
        """An integer in each iteration, if it is computed from what the loop counts."""
        known = self._constant(value)
        if known is not None:
            return np.full(self.length, known)
        if isinstance(value.owner, ir.Block):
            counted = self.counted(value) if value in self.initial else None
            return None if counted is None else counted[0] + counted[1] * np.arange(self.length)
        op = defining(value)
        operands = [self.positions(each) for each in op.operands]
        given = [each for each in operands if each is not None]
        if len(given) < len(operands) or not operands:
            return None
        match name_of(op), given:
            case "add", [a, b]:
                return a + b
            case "subtract", [a, b]:
                return a - b
            case (("convert" | "reshape"), [a]):
                return a
            case "compare", [a, b] if "LT" in str(op.attributes["comparison_direction"]):
                return (a < b).astype(np.int64)
            case "select", [a, b, c]:
                return np.where(a, b, c)
            case _:
                return None
