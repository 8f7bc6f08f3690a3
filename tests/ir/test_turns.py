"""Turns that workgroups share: each part is done once and in order, and nobody waits for ever.

A fault in the counters would hang compiled code, so their code is interpreted op by op. Workgroups
are coroutines that stop at each atomic operation, and a schedule decides which of them goes on.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from ir.codegen.emitting import given, module_of
from numeric.mutants import mutant

from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder, Part
from rnn_compiler.lowering.cpu.fused_loop import work_sharing
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import Turns
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS

TURNS, MOST = 3, 1_000
"""The turns after the first, and the changes of workgroups after which they hang."""

BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.divui": operator.floordiv,
    "arith.remui": operator.mod,
    "arith.andi": operator.and_,
    "arith.shrui": operator.rshift,
}
Done = tuple[int, int]
"""A turn, and a part of it."""


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        yield


def shared(parts: int, *, is_open: bool, kind: Any = Turns) -> ir.Module:
    """A module with a loop whose turns have some parts, each of which writes its turn."""
    function = FunctionBuilder("f", [ir.Type.parse("tensor<8xi32>"), ir.IndexType.get()])
    array, number = given(function)
    executable = DispatchBuilder(function, "loop", parts)
    body, to = executable.body, executable.change(array)
    turns = kind(executable, executable.given(number) if is_open else parts, Part(1, 2))

    def take(turn: Any) -> None:
        turns.take(turn, [to], lambda own: body.put(turn.to_integer("i32"), to, [own]))

    take(body.index(0))
    body.loop(turns.over(1), TURNS, 1, [to], lambda turn: take(turn + 1))
    executable.dispatch()
    function.finish([to])
    return module_of(function)


def dispatch_of(module: ir.Module) -> ir.Block:
    """The code that each workgroup runs."""
    (made,) = [op for op in ops_of(module.body) if op.name == "stream.executable"]
    (inner,) = [op for op in ops_of(block_of(made)) if op.name == "builtin.module"]
    (dispatch,) = ops_of(block_of(inner))
    return block_of(dispatch)


class Workgroup:
    """A workgroup; it stops before each atomic operation and each part."""

    def __init__(self, number: int, indices: list[int], counts: dict[int, int]) -> None:
        self.number, self.indices, self.counts = number, indices, counts
        self.done: list[Done] = []

    def run(self, block: ir.Block) -> Generator[None]:
        values = dict[ir.Value, Any]()
        indices = iter(self.indices)
        for argument in block.arguments:
            if str(argument.type) == "index":
                values[argument] = next(indices)
        yield from self._block(block, values)

    def _block(self, block: ir.Block, values: dict[ir.Value, Any]) -> Generator[None, None, Any]:
        for op in ops_of(block):
            name, given = op.name, [values.get(each) for each in op.operands]
            if name in ("scf.yield", "scf.condition"):
                return given
            if name == "memref.atomic_rmw":
                yield
                value, _, where = given
                before = self.counts.get(where, 0)
                adds = int(op.attributes["kind"]) == 1
                self.counts[where] = before + value if adds else max(before, value)
                made = before
            elif name == "scf.for":
                for index in range(*given[:3]):
                    values[op.regions[0].blocks[0].arguments[0]] = index
                    yield from self._block(op.regions[0].blocks[0], values)
                continue
            elif name == "scf.while":
                while (yield from self._block(op.regions[0].blocks[0], values)) == [True]:
                    pass
                continue
            elif name == "tensor.insert":
                yield  # to do a part takes time
                self.done.append((given[0], given[2]))
                continue
            else:
                made = self._value(op, given)
            for result in op.results:
                values[result] = made

    def _value(self, op: ir.Operation, given: list[Any]) -> Any:
        if op.name == "arith.constant":
            value = op.attributes["value"]
            return [*value] if isinstance(value, ir.DenseElementsAttr) else value.value
        if op.name in BINARY:
            return BINARY[op.name](*given)
        if op.name == "arith.cmpi":
            assert int(op.attributes["predicate"]) == 2, "slt"
            return given[0] < given[1]
        if op.name == "math.cttz":
            return (given[0] & -given[0]).bit_length() - 1
        if op.name == "arith.select":
            return given[1] if given[0] else given[2]
        if op.name == "tensor.extract":
            return given[0][given[1]]
        if op.name in ("arith.index_cast", "arith.index_castui"):
            return int(given[0])
        if op.name == "stream.dispatch.workgroup.id":
            return self.number
        assert not op.name.startswith("arith."), f"not interpreted: {op}"
        return None


def run(module: ir.Module, workgroups: int, indices: list[int], seed: int) -> list[Done]:
    """The parts in the order in which they are done; seed 0 runs one workgroup after the other."""
    counts, draw = dict[int, int](), random.Random(seed)
    all_of_them = [Workgroup(number, indices, counts) for number in range(workgroups)]
    done: list[Done] = []
    for each in all_of_them:
        each.done = done
    running = [each.run(dispatch_of(module)) for each in all_of_them]
    for _ in range(MOST):
        if not running:
            return done
        one = draw.choice(running) if seed else running[0]
        for _ in range(draw.randint(1, 20)):  # the others are stopped meanwhile
            if next(one, "ended") == "ended":
                running.remove(one)
                break
    raise AssertionError("workgroups wait for each other")


def check(parts: int, *, is_open: bool, kind: Any = Turns) -> None:
    """Runs the turns of a loop in some orders."""
    module = shared(parts, is_open=is_open, kind=kind)
    for seed in range(8):
        done = run(module, parts, [parts, 1000] if is_open else [1000], seed)
        assert sorted(done) == [(turn, own) for turn in range(TURNS + 1) for own in range(parts)]
        turns = [turn for turn, _ in done]
        assert turns == sorted(turns), "a turn begins when the one before is over"


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 4, 8])
def test_each_part_of_each_turn_is_done_once(parts: int, is_open: bool) -> None:
    check(parts, is_open=is_open)


MUTANTS = {
    "parts are not counted": ("self._atomic(_ADD, self._one, zero)", "pass"),
    "parts are counted twice": ("_ADD, self._one, zero", "_ADD, self._one + self._one, zero"),
    "the count is a maximum": ("_ADD, self._one, zero", "_MAXIMUM, self._one, zero"),
    "a goal beyond the turn": ("goal = next_turn *", "goal = (next_turn + self._one) *"),
    "a goal before the turn": ("goal = next_turn *", "goal = turn.to_integer('i32') *"),
    "turns begin at none": ('to_integer("i32") + self._one', "to_integer('i32')"),
    "nobody waits": ("at.wait_while(lambda: self._done(zero) < goal)", "pass"),
    "one counter for all parts": ("(own + 1) * _LINE", "own * 0 + _LINE"),
    "a part's counter is that of the sum": ("(own + 1) * _LINE", "own * _LINE"),
    "everybody does a part": ("(before < next_turn).to_index()", "1"),
    "nobody does a part": ("(before < next_turn)", "(next_turn < before)"),
    "workgroups stay at their first part": ("index * self._step + self._first", "self._first + 0"),
    "parts are skipped": (
        "return ((start - down) % parts, parts - 1 if down else 1)",
        "return 0, 2",
    ),
    "a turn is taken for over": (
        "self._done().to_index(), self.parts) - 1",
        "self._done().to_index(), 1)",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_faults_are_seen(name: str) -> None:
    kind = mutant(work_sharing, *MUTANTS[name])["Turns"]
    with pytest.raises(AssertionError):
        check(4, is_open=False, kind=kind)
