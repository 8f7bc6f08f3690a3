"""One direction of one layer: any cell, over a padded sequence, forward and backward.

A `Cell` is one step and its derivative; the rest is the same for all cells and is here. Each row of
the batch has the steps t = 0..len-1, in this order or, in the reverse direction, from the last to
the first. With m the cell's result, R ``[gH, h]`` the recurrent weights and Wp ``[P, H]`` those of
a projection:

    forward    m, c = step(zx[t], h @ R^T, h, c)       h = m @ Wp^T, or m without a projection
    backward   dh += dy[t]      dm = dh @ Wp, or dh
               dx_gates[t], dr_gates[t], dh, dc = derivative(dm, dc, the values the step saved)
               dh += dr_gates[t] @ R

At invalid steps, row t of every output is 0 and h, c, dh and dc do not change, even if the padding
holds NaN. `time_loop` gets the lengths and takes care of that; a step only describes valid rows.

Each call is one `time_loop`. Every value in it is ``[B, N]``; weights are read in their own layout,
and the only products are ``h @ R^T``, ``m @ Wp^T``, ``dh @ Wp`` and ``dr_gates @ R``. A cell may
split R by rows into several matrices: R is then the first, and the cell multiplies by the others.

16-bit types are used for storage: h, c, saved values, and gate gradients. Products are summed, and
everything else is computed, in float32, including dh and dc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from rnn_compiler.lowering.builder.time_loop import Values, time_loop
from rnn_compiler.lowering.ops.cells.cell import Cell, Times
from rnn_compiler.lowering.ops.cells.valid_steps import TimeBlock, ValidSteps
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Open, Size

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


class _GateColumns(NamedTuple):
    """The columns of a layer's output that belong to one direction."""

    first: int
    width: Size

    def of(self, row: Value) -> Value:
        """These columns of a row of the layer."""
        return row.slice(1, self.first, self.first + self.width)


@dataclass(frozen=True)
class Direction:
    """One direction of one layer.

    Attributes:
        recurrent: R, ``[gH, h]``.
        projection: Wp, ``[P, H]``, or None.
        parameters: Other vectors that steps read, in the compute type, by name.
    """

    b: Builder
    cell: Cell
    storage: str
    steps: ValidSteps
    reverse: bool
    recurrent: Value
    projection: Value | None
    parameters: Values = field(default_factory=dict[str, "Value"])

    @property
    def _compute(self) -> str:
        return DTYPES[self.storage].compute

    @property
    def _weights(self) -> dict[str, Value]:
        weights = self.cell.weights(self.b, self.recurrent)
        projection = {} if self.projection is None else {"w_p": self.projection}
        return {**weights, **projection, **self.parameters, **self._lengths}

    @property
    def more_states(self) -> list[str]:
        """The states of the backward loop other than the gradients of h and c, each ``[B, H]``."""
        direct = ["dh_direct"] if self.cell.is_direct_apart else []
        return [*direct, *(f"d_{name}" for name in self.parameters)]

    def _times(self, reads: Values, axis: int) -> Times:
        """Products with the weights of a step, summed over one of their axes."""

        def times(name: str, rows: Value) -> Value:
            return rows.to(self.storage).dot(reads[name], (1, axis), self._compute)

        return times

    @property
    def _lengths(self) -> dict[str, Value]:
        return {} if self.steps.lengths is None else {"lengths": self.steps.lengths}

    def forward(
        self, zx: Value, biases: Values, state: Values, *, training: bool
    ) -> dict[str, Value]:
        """Emits the forward loop.

        From ``zx [T, B, gH]``, without its bias ``b`` and in the compute type, and the states
        before the first step: ``y [T, B, h]``; the final ``h`` and ``c``; when training,
        ``activations``, the saved values side by side, ``[T, B, kH]``.
        """
        b, cell, storage, compute = self.b, self.cell, self.storage, self._compute
        T, B, _ = zx.shape
        H = (self.recurrent if self.projection is None else self.projection).shape[1]
        saves = training and len(cell.saved) > 0

        def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
            b.formula("zx = zx[t] + b")
            x = reads["zx"].row(t) + reads["b"]
            b.formula("r = h @ R^T")
            times = self._times(reads, 1)
            r = times("w_r", state["h"])
            wide = {name: value.to(compute) for name, value in state.items()}
            vectors = {name: reads[name] for name in (*biases, *self.parameters)}
            result = cell.step(b, x, r, wide, vectors, times)
            b.formula(f"h = h in {storage}")
            h = result.h.to(storage)
            if "w_p" in reads:
                b.formula("h = m @ Wp^T")
                h = h.dot(reads["w_p"], (1, 1), compute).to(storage)
            new = {"h": h}
            if result.c is not None:
                b.formula(f"c = c in {storage}")
                new["c"] = result.c.to(storage)
            rows = {"y": h}
            if saves:
                b.formula(f"activations = {', '.join(cell.saved)}")
                parts = [part.to(storage) for part in result.saved]
                rows["activations"] = b.concatenate(parts, 1)
            return new, rows

        widths = {"y": self.recurrent.shape[1]}
        widths |= {"activations": len(cell.saved) * H} if saves else {}
        return time_loop(
            b,
            f"{cell.name}_forward",
            length=self.steps.count,
            operands={"zx": zx, **self._weights, **biases},
            state=state,
            outputs={name: ((T, B, width), storage) for name, width in widths.items()},
            step=step,
            reverse=self.reverse,
            lengths=None if self.steps.lengths is None else "lengths",
        )

    def backward(
        self,
        dy: Value,
        y: Value,
        columns: int,
        activations: Value | None,
        initial: Values,
        gradients: Values,
        block: TimeBlock,
    ) -> dict[str, Value]:
        """Emits the backward loop over a block of time, of which only the steps in `steps` are run.

        `dy` and `y` are the layer's, ``[T, B, D*h]``; `columns` is this direction's first column.
        `gradients` are those of the state after the block's last step. Returns ``dx_gates [n, B,
        gH]``; ``dr_gates`` of the same shape if it differs; with a projection, ``dh_rows [n, B,
        P]``, the gradient of its result; `gradients` of the state before the block's first step.
        """
        b, cell, storage, compute = self.b, self.cell, self.storage, self._compute
        B = y.shape[1]
        rows, h = self.recurrent.shape
        own = _GateColumns(columns, h)
        sequences = {"dy": dy} | ({"y": y} if cell.reads else {})
        sequences |= {} if activations is None else {"activations": activations}
        first = {"h_0": initial["h"].to(compute)} if "h_before" in cell.reads else {}
        first |= {"c_0": initial["c"].to(compute)} if cell.has_cell_state else {}

        def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
            values = self._values(t, reads, own)
            b.formula("dh = dy[t] + dh")
            dh = own.of(reads["dy"].row(t)).to(compute) + state["dh"]
            if "dh_direct" in state:
                dh += state["dh_direct"]
            dm = dh
            written: dict[str, Value] = {}
            if "w_p" in reads:
                b.formula(f"dh_rows = dh in {storage}")
                written["dh_rows"] = dh.to(storage)
                b.formula("dm = dh @ Wp")
                dm = written["dh_rows"].dot(reads["w_p"], (1, 0), compute)
            new, gates = self._derivative(values, dm, reads, state)
            return new, {**written, **gates}

        names = {"dx_gates": rows} | ({"dr_gates": rows} if cell.splits_recurrent else {})
        names |= {"dh_rows": h} if self.projection is not None else {}
        b.formula("n = the number of valid steps of the block")
        whole = block.length == self.steps.seq_length
        length = self.steps.count if whole else self.steps.of(b, block)
        is_apart = not whole and isinstance(block.length, Open)
        like = b.full(0, (block.length,), "int8") if is_apart else None
        return time_loop(
            b,
            f"{cell.name}_backward",
            length=length,
            operands={**sequences, **self._weights, **first},
            state=gradients,
            outputs={name: ((block.length, B, width), storage) for name, width in names.items()},
            step=step,
            reverse=not self.reverse,
            start=None if whole else b.constant(block.start, "int64"),
            like=like,
            lengths=None if self.steps.lengths is None else "lengths",
        )

    def _values(self, t: Value, reads: Values, own: _GateColumns) -> dict[str, Value]:
        """Emits the values of step t that the cell's derivative reads, in the compute type."""
        b, cell, compute = self.b, self.cell, self._compute
        steps = ValidSteps(self.steps.seq_length, self.steps.count, reads.get("lengths"))

        def saved(name: str, row: Value) -> Value:
            """One of the activations of a step."""
            return row.part(1, cell.saved.index(name), len(cell.saved))

        def previous(name: str, initial: Value) -> Value:
            """The state before the step: a row of the previous step, or the initial one."""
            b.formula(f"{name}_before = {name} of the step before, or the initial one")
            time = t + 1 if self.reverse else t - 1
            array = reads["activations" if name == "c" else name].row(time)
            row = (saved(name, array) if name == "c" else own.of(array)).to(compute)
            if not self.reverse:
                return b.select(t.compare("EQ", 0), initial, row)
            has_next = steps.valid(b, time)
            if has_next is None:
                return b.select(t.compare("EQ", steps.seq_length - 1), initial, row)
            return has_next.select_rows(row, initial)

        values: dict[str, Value] = {}
        if cell.saved:
            b.formula("row = activations[t]")
            row = reads["activations"].row(t)
            for name in cell.saved:
                b.formula(f"{name} = {name}[t]")
                values[name] = saved(name, row).to(compute)
        if "h" in cell.reads:
            b.formula("h = y[t]")
            values["h"] = own.of(reads["y"].row(t)).to(compute)
        if "h_before" in cell.reads:
            values["h_before"] = previous("y", reads["h_0"])
        if cell.has_cell_state:
            values["c_before"] = previous("c", reads["c_0"])
        return values | {name: reads[name] for name in self.parameters}

    def _derivative(
        self, values: Values, dm: Value, reads: Values, state: Values
    ) -> tuple[dict[str, Value], dict[str, Value]]:
        """Emits the gradients of the state before a step, and the rows of its gates' gradients."""
        b, cell, storage = self.b, self.cell, self.storage
        times = self._times(reads, 0)
        derivative = cell.derivative(b, values, dm, state.get("dc"), times)
        b.formula(f"dx_gates = dx_gates in {storage}")
        through = derivative.input.to(storage)
        written = {"dx_gates": through}
        if derivative.recurrent is not None:
            b.formula(f"dr_gates = dr_gates in {storage}")
            through = derivative.recurrent.to(storage)
            written |= {"dr_gates": through} if cell.splits_recurrent else {}
        b.formula("dh = dr_gates @ R")
        new = {"dh": times("w_r", through)}
        if derivative.h is not None and cell.is_direct_apart:
            new["dh_direct"] = derivative.h
        elif derivative.h is not None:
            new["dh"] += derivative.h
        for name in self.parameters:
            b.formula(f"d_{name} += of the step")
            new[f"d_{name}"] = state[f"d_{name}"] + derivative.vectors[name]
        if derivative.c is not None:
            new["dc"] = derivative.c
        return new, written
