"""Plans the writes of a time loop's steps on a GPU: their arrays and dispatches.

A step writes its results into arrays that the loop carries: row t of an output, and a row of a
state's ring (`state_ring`). Steps from n on leave outputs unchanged and write a row of the rings
that is never read.

A dispatch writes one row of each of its arrays in place. IREE supports this for one slice of an
array per dispatch, and not for a value that is written twice
(`tests/traps/test_region_returns_twice.py`). So a value of several adjacent gates that is
multiplied is an array ``[.., B, G, U]``; values that are only stored get one array per gate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.time_loop import Output, State, TimeLoop
from rnn_compiler.lowering.analysis.values import element, gate_width, static_shape, width
from rnn_compiler.lowering.analysis.walk import Lead, Write
from rnn_compiler.lowering.codegen.body import ArrayType
from rnn_compiler.lowering.gpu import state_ring
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.schema.open_sizes import static, static_size

__all__ = ["Group", "Plan", "gate_count"]


def gate_count(value: ir.Value) -> int:
    """The number of gates that lie side by side in a value."""
    return width(value) // gate_width(value)


@dataclass
class Group:
    """The writes of one dispatch.

    Attributes:
        gate_width: The width of a gate, U.
        gates: The gates side by side, G; other values are written G times.
        writes: Its writes.
    """

    gate_width: int
    gates: int
    writes: list[Write] = field(default_factory=list[Write])


class Plan:
    """The writes of a time loop's steps.

    Attributes:
        batch: The batch size.
        arrays: The arrays that the loop carries, by key.
        outputs: The keys of each output's arrays: one, or one for each gate.
        states: The key of each state's array.
        rows: The array of each left-hand side of a product, and the row of its first axis.
        levels: The dispatches of each level of a step.
    """

    def __init__(self, loop: TimeLoop) -> None:
        """Plans the steps of a loop.

        Raises:
            Refused: The steps cannot write in place.
        """
        if any(product.scale is not None for product in loop.products.values()):
            raise Refused("weights in int8")
        self._loop, self.batch = loop, static_size(loop.batch_size)
        self.arrays: dict[str, ArrayType] = {}
        self.outputs: list[list[str]] = [[] for _ in loop.outputs]
        self.states: dict[ir.Value, str] = {}
        self.rows: dict[ir.Value, tuple[str, Lead]] = {}
        levels = 1 + max(map(loop.level, loop.roots()))
        self.levels = [self._level(level) for level in range(levels)]

    def _level(self, level: int) -> list[Group]:
        """Plans the writes of a level, and their arrays."""
        loop = self._loop
        groups: dict[tuple[int, int], Group] = {}
        multiplied = [
            p.lhs
            for p in loop.products.values()
            if loop.is_computed(p) and loop.level(p.lhs) == level
        ]
        gates = {
            gate_width(value): gate_count(value) for value in multiplied if gate_count(value) > 1
        }

        def add(wide: int, count: int, write: Write) -> None:
            if wide == 1:
                raise Refused("a unit axis, on which IREE computes other numbers")
            groups.setdefault((wide, count), Group(wide, count)).writes.append(write)

        for number, output in enumerate(loop.outputs):
            if loop.level(output.row) == level:
                writes = self._output(f"output{number}", output, gates)
                self.outputs[number] = [write.array for _, _, write in writes]
                for each in writes:
                    add(*each)
        for number, state in enumerate(loop.states):
            if loop.level(state.next) == level:
                add(*self._state(f"state{number}", state, gates))
        for value in multiplied:
            if value not in self.rows:
                key = f"scratch{len(self.arrays)}"
                self.arrays[key] = self._ring(value, gate_count(value))
                self.rows[value] = (key, "next")
                add(gate_width(value), gate_count(value), Write(value, key, "next"))
        return list(groups.values())

    def _output(
        self, key: str, output: Output, gates: Mapping[int, int]
    ) -> list[tuple[int, int, Write]]:
        """Plans an output: one array if a product reads it, otherwise one for each gate."""
        steps, batch, _ = sizes = static(output.shape)
        wide, count = gate_width(output.row), gate_count(output.row)
        if count > 1 and gates.get(wide) != count:
            keys = [f"{key}.{gate}" for gate in range(count)]
            self.arrays |= {each: ArrayType((steps, batch, wide), output.element) for each in keys}
            return [
                (wide, 1, Write(output.row, each, "time", gate * wide))
                for gate, each in enumerate(keys)
            ]
        sizes = (steps, batch, count, wide) if count > 1 else sizes
        self.arrays[key] = ArrayType(sizes, output.element)
        self.rows.setdefault(output.row, (key, "time"))
        return [(wide, count, Write(output.row, key, "time"))]

    def _state(self, key: str, state: State, gates: Mapping[int, int]) -> tuple[int, int, Write]:
        """Plans a state: the dispatch that computes gates, if any, writes it once for each gate."""
        wide = gate_width(state.next)
        if wide != width(state.next):
            raise Refused("a state of several parts")
        is_put = state.next in self._loop.products and self._loop.lengths is None
        copies = 1 if is_put else gates.get(wide, 1)
        self.arrays[key] = self._ring(state.value, copies)
        self.states[state.value] = key
        self.rows[state.value] = (key, "current")
        return wide, copies, Write(state.next, key, "next", state=state.value)

    def _ring(self, value: ir.Value, gates: int) -> ArrayType:
        """The ring of a state, or of another left-hand side of a product."""
        batch, columns = static_shape(value)
        sizes = (gates, gate_width(value)) if gates > 1 else (columns,)
        return ArrayType((state_ring.ROWS, batch, *sizes), element(value))
