"""Replaces loops over known cells, as `jax.lax.scan` exports them, by calls of our ops.

Such a loop counts, reads a row of some arrays in each iteration, writes rows of others, and carries
the states of cells. A copy of it, in which all calls are inlined, is read: if what it carries are
LSTM, GRU and plain cells by their formulas (`analysis.step_cells`), and a step of theirs gives the
same numbers in float64 as the loop's body, the ops take its place. What else the loop computes from
the states stays a loop, which reads them. If anything is in doubt, the whole loop stays as it is.

The loop of a gradient needs the values of all gates, which an op does not return: its forward pass
stays a loop too. `rnn_compiler.jax.fuse_scans` replaces scans before JAX differentiates them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rnn_compiler.lowering.analysis.cell_steps import Function, cell_step, is_same
from rnn_compiler.lowering.analysis.step_cells import ScanCell, mutual, recognized
from rnn_compiler.lowering.analysis.step_values import NotACellError
from rnn_compiler.lowering.analysis.values import defining, element, shape, static_shape
from rnn_compiler.lowering.codegen.attributes import integers
from rnn_compiler.lowering.codegen.body import ArrayType, Body
from rnn_compiler.lowering.linking.calls import PREFIX
from rnn_compiler.lowering.linking.counted_loops import CountedLoop, functions_of, inlined_copy
from rnn_compiler.lowering.linking.scan_steps import (
    ArrayNamespace,
    Emitted,
    HloArray,
    Numbers,
    StepReader,
    evaluated,
)
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, ops_of, remove_unused
from rnn_compiler.schema.dtypes import ELEMENTS, FLOAT_DTYPES
from rnn_compiler.schema.open_sizes import is_static

_PRECISE = 1e-9
"""The largest relative difference of float64 results of the same formula."""


def fuse_scans(module: ir.Module) -> list[str]:
    """Replaces loops over known cells; returns why others are left, by their places."""
    functions = functions_of(module)
    left: list[str] = []
    for loop in nested_ops(module.operation, "stablehlo.while"):
        copy = None
        try:
            copy = inlined_copy(loop, functions)
            if copy is not None and nested_ops(copy, "stablehlo.dot_general"):
                _Scan(copy).replace(loop)
                continue
        except NotACellError as error:
            left.append(f"the loop at {_place(loop)}: {error}")
        if copy is not None:
            copy.erase()
    return left


def _place(op: ir.Operation) -> str:
    """Where an op is in the user's program, as far as its location says."""
    found = re.findall(r'"([^"]+)":(\d+)', str(op.location))
    return ":".join(found[0]) if found else "an unknown place"


@dataclass(frozen=True, eq=False)
class _Row:
    """A row of an array, read or written in each iteration; `backwards` from the last one."""

    array: ir.Value
    backwards: bool


@dataclass(frozen=True, eq=False)
class _LoopVariable:
    """A carried value, or what is known of it at all steps: a row, or a state after its step."""

    value: ir.Value
    row: _Row | None = None


class _Scan(CountedLoop):
    """A loop whose states may be those of cells."""

    def __init__(self, loop: ir.Operation) -> None:
        super().__init__(loop)
        pairs = [*zip(self.arguments, self.following, strict=True)]
        self.written = {
            number: written
            for number, (each, after) in enumerate(pairs)
            if (written := self._written(each, after)) is not None
        }
        self.states = {
            each: after
            for number, (each, after) in enumerate(pairs)
            if each not in self.fixed and number not in self.written
            if self.counted(each) is None
        }
        if not self.states:
            raise NotACellError("it carries no states")
        for each in self.states:
            kind = ELEMENTS.get(element(each))
            if kind is None or kind.name not in FLOAT_DTYPES or not is_static(*shape(each)):
                raise NotACellError("it carries other values than states of cells")

    # Rows.

    def _row(self, array: ir.Value, indices: Sequence[ir.Value]) -> _Row | None:
        """The row at some indices, if each iteration takes the next one of all."""
        first, *others = [self.positions(each) for each in indices] or [None]
        if first is None or any(each is None or each.any() for each in others):
            return None
        if shape(array)[:1] != (self.length,):
            return None
        every = np.arange(self.length)
        if np.array_equal(first, every):
            return _Row(array, backwards=False)
        return _Row(array, backwards=True) if np.array_equal(first, every[::-1]) else None

    def _read(self, op: ir.Operation) -> _Row | None:
        """The row that an op reads, without the axis of iterations."""
        if op.name != "stablehlo.reshape" or isinstance(op.operands[0].owner, ir.Block):
            return None
        cut = defining(op.operands[0])
        if cut.name != "stablehlo.dynamic_slice":
            return None
        array, *indices = cut.operands
        outside = self.fixed.get(array)
        if outside is None:
            if isinstance(array.owner, ir.Block) or defining(array).block == self.body:
                return None
            outside = array
        if static_shape(op.results[0]) != static_shape(outside)[1:]:
            return None
        return self._row(outside, indices)

    def _written(self, argument: ir.Value, after: ir.Value) -> tuple[ir.Value, _Row] | None:
        """What an iteration writes into a row of an array that nothing else reads."""
        if isinstance(after.owner, ir.Block) or len([*argument.uses]) != 1:
            return None
        op = defining(after)
        if op.name != "stablehlo.dynamic_update_slice" or op.operands[0] != argument:
            return None
        _, part, *indices = op.operands
        row = self._row(self.initial[argument], indices)
        if row is None or isinstance(part.owner, ir.Block):
            return None
        made = defining(part)
        if made.name not in ("stablehlo.reshape", "stablehlo.broadcast_in_dim"):
            return None
        value = made.operands[0]
        return (value, row) if static_shape(value) == static_shape(argument)[1:] else None

    @cached_property
    def _rows(self) -> dict[ir.Value, _LoopVariable]:
        """The values of the body that are rows of arrays."""
        found = {op.results[0]: self._read(op) for op in ops_of(self.body) if len(op.results) == 1}
        return {value: _LoopVariable(value, row) for value, row in found.items() if row is not None}

    def _before(self, targets: Iterable[ir.Value], known: Iterable[ir.Value]) -> set[ir.Value]:
        """The values of the body from which others are computed, up to known ones."""
        stop, found, waiting = {*known}, set[ir.Value](), [*targets]
        while waiting:
            value = waiting.pop()
            if value in found:
                continue
            found.add(value)
            inside = not isinstance(value.owner, ir.Block) and defining(value).block == self.body
            if value not in stop and inside:
                for op in nested_ops(defining(value)):
                    waiting += op.operands
        return found

    # Cells.

    @cached_property
    def _groups(self) -> list[list[ir.Value]]:
        """The states of each cell, each cell after those that it needs."""
        return mutual(
            {
                each: {*self._before([after], self._rows)} & {*self.states}
                for each, after in self.states.items()
            }
        )

    def _cells(self, library: ArrayNamespace) -> list[ScanCell]:
        """The cells."""
        variables = {each: _LoopVariable(each) for each in self.states}
        reader = StepReader(library, self.body, {**self._rows, **variables}, self.fixed)
        found: list[ScanCell] = []
        for group in self._groups:
            after = {variables[each]: reader.value(self.states[each]) for each in group}
            found.append(recognized(after, static_shape(group[0])[:-1]))
            known = {self.states[each]: _LoopVariable(self.states[each]) for each in group}
            reader = StepReader(library, self.body, {**reader.variables, **known}, self.fixed)
        return found

    def _check(self) -> list[ScanCell]:
        """The cells, if a step of each gives the numbers of the body, in float64."""
        numbers = Numbers()
        cells = self._cells(numbers)
        outside = {each: numbers.outside(value) for each, value in self.fixed.items()}
        drawn = {
            each: numbers.drawn(each, static_shape(each)) for each in (*self.states, *self._rows)
        }
        known = {**outside, **drawn}
        for cell, group in zip(cells, self._groups, strict=True):
            units = static_shape(group[0])[-1]
            x = np.concatenate([known[each.variable.value] for each in cell.inputs], -1)
            h, c = cell.state.value, cell.memory and cell.memory.value
            functions: list[Function] = [(each, ()) for each in cell.functions]
            made = cell_step(
                *(cell.op, cell.onnx_weights(numbers, np.float64, units), functions, x),
                *(known[h], known[c] if c is not None else None),
                is_linear_before_reset=cell.linear_before_reset,
            )
            carried: list[ir.Value] = [h] if c is None else [h, c]
            for each, one in zip(carried, made, strict=True):
                after = self.states[each]
                other = evaluated(numbers, after, known, self.body)
                if not is_same(one, other, _PRECISE):
                    raise NotACellError("its numbers are not those of the cell that it looks like")
                known[after] = other
        return cells

    # Ops.

    def replace(self, loop: ir.Operation) -> None:
        """Replaces a loop, of which this one is a copy, by ops."""
        checked = self._check()
        states = {*self.states, *self.states.values()}
        left = {
            number: value
            for number, (value, _) in self.written.items()
            if value not in states and any(True for _ in loop.results[number].uses)
        }
        inside = self._before(self.states.values(), [*self.states, *self._rows])
        remaining = self._before(left.values(), [*states, *self._rows])
        shared = (inside & remaining) - {*states, *self._rows}
        if any(self._changes(each) for each in shared):
            raise NotACellError(
                "values of its gates are read besides its states, as a gradient reads them; "
                "if it is, export the function within rnn_compiler.jax.fuse_scans()"
            )
        read = {*remaining, *(value for value, _ in self.written.values())}
        body = Body.before(self.loop)
        library = Emitted(body)
        stacks: dict[ir.Value, HloArray] = {}
        for cell, seen in zip(self._cells(library), checked, strict=True):
            assert cell.op == seen.op
            memory = cell.memory
            if memory is not None and not {memory.value, self.states[memory.value]}.isdisjoint(
                read
            ):
                cell = cell.returning_every_c()
            self._run(cell, library, loop, stacks)
        for number, (value, row) in self.written.items():
            if value in stacks:
                made = stacks[value].reverse() if row.backwards else stacks[value]
                loop.results[number].replace_all_uses_with(made.value)
        for number, argument in enumerate(self.arguments):
            if argument in self.fixed:
                loop.results[number].replace_all_uses_with(self.fixed[argument])
        if left or any(True for result in loop.results for _ in result.uses):
            self._keep(loop, stacks, remaining)
        else:
            self.loop.erase()
        loop.erase()

    def _changes(self, value: ir.Value) -> bool:
        """Whether a value is computed from what changes in the loop."""
        origins = self._before([value], [])
        return any(
            isinstance(each.owner, ir.Block) and each in self.initial and each not in self.fixed
            for each in origins
        )

    def _run(
        self, cell: ScanCell, library: Emitted, loop: ir.Operation, stacks: dict[ir.Value, HloArray]
    ) -> None:
        """Emits the op of a cell; adds its states before and after all steps to `stacks`."""
        carried = [each.value for each in (cell.state, cell.memory) if each is not None]
        sizes = static_shape(carried[0])
        rows, units = math.prod(sizes[:-1]), sizes[-1]
        x = library.concatenate(
            [
                self._sequence(each.variable, stacks, library).reshape(
                    self.length, rows, each.units
                )
                for each in cell.inputs
            ],
            2,
        )
        first = [
            HloArray(library.body, self.initial[each]).reshape(rows, units) for each in carried
        ]
        every, last = (_block_lstm if cell.every_c else _onnx)(cell, library, x, first)
        for each, start, after, end in zip(carried, first, every, last, strict=True):
            loop.results[self.number(each)].replace_all_uses_with(end.reshape(*sizes).value)
            if after is not None:
                of_start = start.reshape(1, *sizes)
                stacks[self.states[each]] = after.reshape(self.length, *sizes)
                earlier = stacks[self.states[each]][0 : self.length - 1]
                parts = [of_start, earlier] if self.length > 1 else [of_start]
                stacks[each] = library.concatenate(parts)

    def _sequence(
        self, variable: _LoopVariable, stacks: Mapping[ir.Value, HloArray], library: Emitted
    ) -> HloArray:
        """An input at all steps, in their order."""
        if variable.row is None:
            return stacks[variable.value]
        array = HloArray(library.body, variable.row.array)
        return array.reverse() if variable.row.backwards else array

    def _keep(
        self, loop: ir.Operation, stacks: Mapping[ir.Value, HloArray], remaining: set[ir.Value]
    ) -> None:
        """Keeps this loop for what else it computes from states, which it reads from arrays."""
        ops = ops_of(self.body)
        start, end = Body.before(ops[0]), ops[-1]
        for value in {*self.states, *self.states.values()} & remaining:
            sizes = static_shape(value)
            zero = start.array("stablehlo.constant", [], _scalar(self.counter), _zero(self.counter))
            part = {"slice_sizes": integers([1, *sizes])}
            indices = [self.counter, *[zero.value] * len(sizes)]
            kind = ArrayType((1, *sizes), element(value))
            row = start.array(
                "stablehlo.dynamic_slice", [stacks[value].value, *indices], kind, part
            )
            made = HloArray(start, row.value).reshape(*sizes)
            value.replace_all_uses_with(made.value)
        for number, argument in enumerate(self.arguments):
            value, _ = self.written.get(number, (None, None))
            if argument in self.states or (value is not None and value in stacks):
                end.operands[number] = argument
        while remove_unused(self.body):
            pass
        for number, result in enumerate(self.loop.results):
            loop.results[number].replace_all_uses_with(result)


def _scalar(like: ir.Value) -> ArrayType:
    return ArrayType((), element(like))


def _zero(like: ir.Value) -> dict[str, ir.Attribute]:
    kind = _scalar(like).mlir
    number = ir.IntegerAttr.get(ir.RankedTensorType(kind).element_type, 0)
    return {"value": ir.DenseElementsAttr.get_splat(kind, number)}


_Run = tuple[list[HloArray | None], list[HloArray]]
"""The states after all steps, or None for c, and after the last one."""


def _onnx(cell: ScanCell, library: Emitted, x: HloArray, first: Sequence[HloArray]) -> _Run:
    """Emits the call of an op of ONNX."""
    (steps, rows, _), units, dtype = x.shape, first[0].shape[-1], x.type.element
    weights = cell.onnx_weights(library, dtype, units)
    given = [x, *(each.reshape(1, *each.shape) for each in (*weights, *first))]
    names = ("B", "initial_h", "initial_c")[: len(given) - 3]
    config = f'activations = "{" ".join(cell.functions)}", inputs = "{" ".join(names)}"'
    if cell.op == "GRU":
        config += f", linear_before_reset = {int(cell.linear_before_reset)} : i64"
    kinds = [(steps, 1, rows, units), *[(1, rows, units)] * len(first)]
    y, *last = _called(f"onnx.{cell.op}", library, given, kinds, config)
    every = [y.reshape(steps, rows, units), *[None for _ in first[1:]]]
    return every, [each.reshape(rows, units) for each in last]


def _block_lstm(cell: ScanCell, library: Emitted, x: HloArray, first: Sequence[HloArray]) -> _Run:
    """Emits the call of BlockLSTM, which returns c of every step."""
    (steps, rows, _), units, dtype = x.shape, first[0].shape[-1], x.type.element
    w, b = cell.block_lstm_weights(library, dtype, units)
    count, peephole = library.full((), steps, "i64"), library.full((units,), 0.0, dtype)
    h, c = first
    config = "forget_bias = 0.0 : f64, cell_clip = 0.0 : f64, use_peephole = false"
    given = [count, x, c, h, w, peephole, peephole, peephole, b]
    made = _called("BlockLSTM", library, given, [(steps, rows, units)] * 7, config)
    every = [made[6], made[1]]
    last = [each[steps - 1 : steps].reshape(rows, units) for each in every]
    return [*every], last


def _called(
    op: str,
    library: Emitted,
    given: Sequence[HloArray],
    sizes: Sequence[Sequence[int]],
    config: str,
) -> list[HloArray]:
    """Emits the call of an op."""
    kinds = [ArrayType((*each,), given[1].type.element).mlir for each in sizes]
    attributes = {
        "call_target_name": ir.StringAttr.get(PREFIX + op),
        "mhlo.backend_config": ir.Attribute.parse("{" + config + "}"),
    }
    values = [each.value for each in given]
    made = library.body.op("stablehlo.custom_call", values, kinds, attributes)
    return [HloArray(library.body, each) for each in made.results]
