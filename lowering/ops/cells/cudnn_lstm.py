"""The LSTM of cuDNN, in gate order i, f, n, o, and of ONNX: one step and its derivative.

    z = zx + r      zx = W x + bW + bR      r = R h_before

A step saves i, f, n and o, or the inputs of their functions (`activations`), and the cell state c;
co = h(c) is recomputed. Only the block ops have a cell clip and a forget bias; only ONNX's LSTM has
peepholes here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells import lstm
from rnn_compiler.lowering.ops.cells.cell import Derivative, PlainCell, StepResult, Times
from rnn_compiler.schema.cudnn_layout import RNN_MODES

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value


@dataclass(frozen=True)
class LSTMCell(PlainCell):
    """The `Cell` of lstm.

    Attributes:
        gate_order: The order of its gates, a key of `lstm.GATE_ORDERS`.
    """

    gate_order: str = "IFCO"
    functions: lstm.Functions = lstm.Functions()  # noqa: RUF009 - it is a constant

    name = "lstm"
    saved = RNN_MODES["lstm"].saved
    has_cell_state = True

    def step(
        self, b: Builder, x: Value, r: Value, state: Values, parameters: Values, times: Times
    ) -> StepResult:
        """Emits one step."""
        b.formula("z = zx + r")
        z = x + r
        step, saved = lstm.forward(
            b,
            z,
            state["c"],
            _peepholes(parameters),
            gate_order=self.gate_order,
            functions=self.functions,
        )
        gates = (saved[name] for name in ("i", "f", "ci", "o"))
        return StepResult(step.h, step.cs, (*gates, step.cs))

    def derivative(
        self, b: Builder, reads: Values, dh: Value, dc: Value | None, times: Times
    ) -> Derivative:
        """Emits its derivative."""
        assert dc is not None
        b.formula("co = tanh(c)")
        saved = {name: reads[name] for name in ("i", "f", "o")}
        saved |= {"ci": reads["n"], "cs": reads["c"]}
        saved["co"] = self.functions.h.apply(b, reads["c"])
        gates, dc = lstm.backward(
            b, saved, reads["c_before"], dc, dh, _peepholes(reads), self.functions
        )
        vectors: dict[str, Value] = {}
        if "wci" in reads:
            b.formula("d_wci = di*c_before, of each row")
            vectors = {"wci": gates.i * reads["c_before"], "wcf": gates.f * reads["c_before"]}
            vectors["wco"] = gates.o * reads["c"]
        return Derivative(gates.concatenate(b, self.gate_order), None, None, dc, vectors)

    def outputs(self, b: Builder, saved: Value) -> Value:
        """Emits o * h(c) of all steps."""
        b.formula("m = o * tanh(c)")
        *_, o, c = saved.split(2, len(self.saved))
        return o * self.functions.h.apply(b, c)


def _peepholes(values: Values) -> dict[str, Value]:
    return {name: values[name] for name in lstm.PEEPHOLES if name in values}
