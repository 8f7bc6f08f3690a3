"""One step of an LSTM and its derivative, shared by every LSTM op.

``s`` is the logistic function, ``*`` is elementwise, row vectors broadcast over the batch. With
z_i, z_ci, z_f, z_o the four blocks of ``[x, h_prev] @ w + b``:

    use_peephole: z_i += cs_prev*wci ; z_f += cs_prev*wcf
    i = s(z_i)   ci = tanh(z_ci)   f = s(z_f)
    cs = i*ci + f*cs_prev
    cell_clip > 0: cs = min(max(cs, -cell_clip), cell_clip)
    co = tanh(cs)
    use_peephole: z_o += cs*wco
    o = s(z_o)
    h = o*co

The derivative uses saved activations only and lets the gradient pass through the clip, as
TensorFlow's kernels do:

    do  = o*(1-o) * h_grad*co
    dcs = (1-co*co) * h_grad*o + cs_grad           (+ do*wco with peephole)
    dci = (1-ci*ci) * dcs*i
    df  = f*(1-f) * dcs*cs_prev
    di  = i*(1-i) * dcs*ci
    cs_prev_grad = dcs*f                           (+ di*wci + df*wcf with peephole)

Source: tensorflow/core/kernels/rnn/lstm_ops.h (LSTMBlockCellFprop, LSTMBlockCellBprop).

ONNX's LSTM is the same with other activation functions (`Functions`): f instead of s, g instead of
the tanh of z_ci, h instead of the tanh of cs; with input_forget, f = 1 - i. Its gradient is 0 where
the input of a function is clipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rnn_compiler.lowering.ops.cells.activations import SIGMOID, TANH, GateFunction
from rnn_compiler.schema.attributes import REQUIRED, WEIGHT_GRAD_DTYPE, Attribute
from rnn_compiler.schema.signatures import Gradient
from rnn_compiler.schema.tensors import Argument, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


GATE_ORDERS: dict[str, tuple[str, str, str, str]] = {
    "ICFO": ("i", "ci", "f", "o"),
    "IFCO": ("i", "f", "ci", "o"),
    "IOFC": ("i", "o", "f", "ci"),
}
"""The gates along the 4H axis of ``w``, ``b`` and the gate gradients.

LSTMBlockCell and BlockLSTM use ICFO, BlockLSTMV2 and cuDNN use IFCO, ONNX uses IOFC.
"""

PEEPHOLES = ("wci", "wcf", "wco")

SAVED = ("i", "f", "o", "ci", "co")
"""The activations that the derivative of a step reads, in addition to the cell states."""

WEIGHTS = (
    Argument("w", "I+H 4H", "weights, rows of x first", summed=0),
    Argument("wci", "H", "peephole weights of the input gate"),
    Argument("wcf", "H", "peephole weights of the forget gate"),
    Argument("wco", "H", "peephole weights of the output gate"),
    Argument("b", "4H", "bias"),
)
"""The weights that every LSTM op takes, in TensorFlow's order."""

PEEPHOLE_GRADIENTS = (
    Result("wci_grad", "H", "gradient of wci; 0 without peephole", WEIGHT_GRAD_DTYPE.name),
    Result("wcf_grad", "H", "gradient of wcf; 0 without peephole", WEIGHT_GRAD_DTYPE.name),
    Result("wco_grad", "H", "gradient of wco; 0 without peephole", WEIGHT_GRAD_DTYPE.name),
)

USE_PEEPHOLE = Attribute("use_peephole", bool, False, "whether wci, wcf and wco are used")
USE_PEEPHOLE_REQUIRED = replace(USE_PEEPHOLE, default=REQUIRED)
FORGET_BIAS = Attribute("forget_bias", float, 1.0, "added to the forget gate's bias")


def cell_clip(default: float) -> Attribute:
    """The attribute `cell_clip`, whose default differs between the ops."""
    return Attribute("cell_clip", float, default, "bound of the cell state; none if not positive")


def gradient_by(*ops: str) -> Gradient:
    """The gradient of a forward op, computed by gradient ops."""
    arguments = ("x", "cs_prev", "h_prev", "w", *PEEPHOLES, "b")
    return Gradient(ops, ("cs", "h"), arguments, "{}_grad")


def activations(shape: str) -> tuple[Result, ...]:
    """The results of a forward op, each of a shape, in TensorFlow's order."""
    return (
        Result("i", shape, "input gate"),
        Result("cs", shape, "cell state, clipped"),
        Result("f", shape, "forget gate"),
        Result("o", shape, "output gate"),
        Result("ci", shape, "cell input"),
        Result("co", shape, "tanh of the cell state"),
        Result("h", shape, "output"),
    )


def peepholes(spec: FunctionSpec, args: Mapping[str, Value]) -> dict[str, Value]:
    """The peephole weights in the compute type; none if the op uses none."""
    compute = spec.compute
    names = PEEPHOLES if spec.attributes["use_peephole"] else ()
    return {name: args[name].to(compute) for name in names}


def gate_bias(b: Builder, spec: FunctionSpec, bias: Value, gate_order: str) -> Value:
    """The bias of all gates in the compute type, ``forget_bias`` added where the op has one."""
    compute = spec.compute
    forget_bias = float(spec.attributes.get("forget_bias", 0.0))
    b.formula("b = b + forget_bias in the block of f")
    if not forget_bias:
        return bias.to(compute)
    H = (spec.dims["num_units"],)
    blocks = [
        b.full(forget_bias if gate == "f" else 0.0, H, spec.dtype)
        for gate in GATE_ORDERS[gate_order]
    ]
    return bias.to(compute) + b.concatenate(blocks, 0).to(compute)


class LSTMStep(NamedTuple):
    """The activations of one step, each ``[B, H]``, in TensorFlow's order."""

    i: Value
    cs: Value
    f: Value
    o: Value
    ci: Value
    co: Value
    h: Value


class Functions(NamedTuple):
    """The activation functions of a cell.

    Attributes:
        g: For the cell input.
        h: For the cell state, in the output.
        input_forget: Whether the forget gate is 1 - i.
    """

    f: GateFunction = SIGMOID
    g: GateFunction = TANH
    h: GateFunction = TANH
    input_forget: bool = False


TENSORFLOWS = Functions()


def forward(
    b: Builder,
    z: Value,
    cs_prev: Value,
    peepholes: Mapping[str, Value],
    *,
    gate_order: str,
    cell_clip: float = 0.0,
    functions: Functions = TENSORFLOWS,
) -> tuple[LSTMStep, dict[str, Value]]:
    """One step, from the pre-activations ``z = [x, h_prev] @ w + b``, ``[B, 4H]``.

    `peepholes` are ``wci``, ``wcf`` and ``wco``, ``[H]``, or none; `cell_clip` is off if not
    positive. Returns the activations, and the saved values of i, ci, f and o (`GateFunction.gate`).
    """
    gates: dict[str, Value] = {}
    saved: dict[str, Value] = {}

    def activated(gate: str, of: GateFunction, name: str) -> Value:
        b.formula(f"{gate} = {name}(z_{gate})")
        y, saved[gate] = of.gate(b, gates[gate])
        return y

    for block, gate in enumerate(GATE_ORDERS[gate_order]):
        b.formula(f"z_{gate} = block {block} of z")
        gates[gate] = z.part(1, block, 4)
    if peepholes:
        b.formula("z_i += cs_prev*wci")
        gates["i"] += cs_prev * peepholes["wci"]
        b.formula("z_f += cs_prev*wcf")
        gates["f"] += cs_prev * peepholes["wcf"]
    i = activated("i", functions.f, "s")
    ci = activated("ci", functions.g, "tanh")
    if functions.input_forget:
        b.formula("f = 1 - i")
        f = saved["f"] = 1.0 - i
    else:
        f = activated("f", functions.f, "s")
    b.formula("cs = i*ci + f*cs_prev")
    cs = i * ci + f * cs_prev
    if cell_clip > 0:
        b.formula("cs = min(max(cs, -cell_clip), cell_clip)")
        cs = b.clamp(-cell_clip, cs, cell_clip)
    b.formula("co = tanh(cs)")
    co = functions.h.apply(b, cs)
    if peepholes:
        b.formula("z_o += cs*wco")
        gates["o"] += cs * peepholes["wco"]
    o = activated("o", functions.f, "s")
    b.formula("h = o*co")
    h = o * co
    return LSTMStep(i, cs, f, o, ci, co, h), saved


class GateGradients(NamedTuple):
    """The gradients of the pre-activations of the gates, each ``[..., H]``."""

    i: Value
    ci: Value
    f: Value
    o: Value

    @staticmethod
    def split(b: Builder, dgates: Value, gate_order: str) -> GateGradients:
        """The blocks of a ``[..., 4H]`` tensor."""
        b.formula("dgates = [di, dci, df, do] in the order " + gate_order)
        blocks = dgates.split(len(dgates.shape) - 1, 4)
        return GateGradients(**dict(zip(GATE_ORDERS[gate_order], blocks, strict=True)))

    def concatenate(self, b: Builder, gate_order: str) -> Value:
        """A ``[B, 4H]`` tensor with these blocks."""
        b.formula("dgates = [di, dci, df, do] in the order " + gate_order)
        return b.concatenate([getattr(self, gate) for gate in GATE_ORDERS[gate_order]], 1)


def backward(
    b: Builder,
    saved: Mapping[str, Value],
    cs_prev: Value,
    cs_grad: Value,
    h_grad: Value,
    peepholes: Mapping[str, Value],
    functions: Functions = TENSORFLOWS,
) -> tuple[GateGradients, Value]:
    """The derivative of one step: the gradients of the gates and of `cs_prev`.

    `saved` has ``i``, ``f``, ``o``, ``ci`` and ``co``, each ``[B, H]``; with other functions than
    TensorFlow's, the values saved by `forward`, and ``cs``.
    """
    of = functions
    b.formula("i = value of the gate")
    i, o = (of.f.value(b, saved[name]) for name in ("i", "o"))
    f = saved["f"] if of.input_forget else of.f.value(b, saved["f"])
    ci, co = of.g.value(b, saved["ci"]), saved["co"]
    b.formula("do = o*(1-o) * h_grad*co")
    do = of.f.gradient(b, saved["o"], o, h_grad, co)
    b.formula("dcs = (1-co*co) * h_grad*o + cs_grad")
    dcs = of.h.gradient(b, saved.get("cs", co), co, h_grad, o) + cs_grad
    if peepholes:
        b.formula("dcs += do*wco")
        dcs += do * peepholes["wco"]
    b.formula("dci = (1-ci*ci) * dcs*i")
    dci = of.g.gradient(b, saved["ci"], ci, dcs, i)
    if of.input_forget:
        b.formula("di = i*(1-i) * dcs*(ci - cs_prev)")
        di = of.f.gradient(b, saved["i"], i, dcs, ci - cs_prev)
        b.formula("df = 0")
        df = b.full(0, di.shape, di.dtype)
    else:
        b.formula("df = f*(1-f) * dcs*cs_prev")
        df = of.f.gradient(b, saved["f"], f, dcs, cs_prev)
        b.formula("di = i*(1-i) * dcs*ci")
        di = of.f.gradient(b, saved["i"], i, dcs, ci)
    b.formula("cs_prev_grad = dcs*f")
    cs_prev_grad = dcs * f
    if peepholes:
        b.formula("cs_prev_grad += di*wci + df*wcf")
        cs_prev_grad += di * peepholes["wci"] + df * peepholes["wcf"]
    return GateGradients(di, dci, df, do), cs_prev_grad


def peephole_gradients(
    b: Builder,
    spec: FunctionSpec,
    gates: GateGradients,
    cs_prev: Value,
    cs: Value,
) -> dict[str, Value]:
    """The gradients of the peephole weights, summed over all axes but the last; else 0."""
    if not spec.attributes["use_peephole"]:
        b.formula("wci_grad = 0")
        zero = b.full(0, cs.shape[-1:], cs.dtype)
        return dict.fromkeys(("wci_grad", "wcf_grad", "wco_grad"), zero)
    axes = range(len(cs.shape) - 1)
    b.formula("wci_grad = sum(di * cs_prev)")
    wci_grad = (gates.i * cs_prev).sum(*axes)
    b.formula("wcf_grad = sum(df * cs_prev)")
    wcf_grad = (gates.f * cs_prev).sum(*axes)
    b.formula("wco_grad = sum(do * cs)")
    wco_grad = (gates.o * cs).sum(*axes)
    return {"wci_grad": wci_grad, "wcf_grad": wcf_grad, "wco_grad": wco_grad}
