"""BlockLSTM, BlockLSTMV2 and their gradients: an LSTM over a whole sequence.

Layouts: time-major ``x[T, B, I]``; ``w[I+H, 4H]`` with the rows of x first; blocks of the 4H axis
in the order i, ci, f, o (BlockLSTM) or i, f, ci, o (BlockLSTMV2). One `seq_len_max` n applies to
the whole batch; rows ``t >= n`` of every output are 0, and rows ``t >= n`` of inputs are not read,
so they may hold NaN.

Forward. The input projection of all steps is one matrix product, then the time loop adds the
recurrent part (`lstm.forward`):

    zx = x @ w[:I]
    for t in 0..n-1: i, cs, f, o, ci, co, h [t] = step(zx[t] + b + h[t-1] @ w[I:], cs[t-1])

where b includes BlockLSTM's forget_bias in the block of f.

Backward. The loop stores only the gate gradients (`lstm.backward`). Everything that can be a single
product over all steps follows it:

    for t in n-1..0: dgates[t], dc = step'(.., cs_grad[t] + dc, h_grad[t] + dgates[t+1] @ w[I:]^T)
    x_grad = dgates @ w[:I]^T      w_grad = [x, h_prev]^T @ dgates      b_grad = sum(dgates)
    wci_grad = sum(di * cs_prev)   wcf_grad = sum(df * cs_prev)         wco_grad = sum(do * cs)

16-bit types are used for storage: for every output row, hence also for the state that the next step
reads, and for the gate gradients. Products are summed, and activations computed, in float32.

Source: tensorflow/core/kernels/rnn/lstm_ops.cc (BlockLSTMOp, BlockLSTMGradOp). Rows that TensorFlow
leaves uninitialised are defined as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.products import Products
from rnn_compiler.lowering.builder.time_loop import Values, time_loop
from rnn_compiler.lowering.ops.cells import lstm
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, Result, as_given_by

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


_GATE_ORDER = {
    "BlockLSTM": "ICFO",
    "BlockLSTMGrad": "ICFO",
    "BlockLSTMV2": "IFCO",
    "BlockLSTMGradV2": "IFCO",
}

_INPUTS = (
    Argument("seq_len_max", "", "steps to run", dtype="int64", minimum=0, maximum="T"),
    Argument("x", "T B I", "input, time-major"),
    Argument("cs_prev", "B H", "initial cell state"),
    Argument("h_prev", "B H", "initial output"),
    *lstm.WEIGHTS,
)

_ACTIVATIONS = lstm.activations("T B H")

_FINAL_STATE = (
    Result("cs_last", "B H", "cell state after the last step"),
    Result("h_last", "B H", "output after the last step"),
)

_CHUNKED = Chunked(
    "x",
    tuple(result.name for result in _ACTIVATIONS),
    {"cs_prev": ("cs_last", "cs"), "h_prev": ("h_last", "h")},
    "seq_len_max",
)

_GRADIENTS = (
    Result("x_grad", "T B I", "gradient of x"),
    Result("cs_prev_grad", "B H", "gradient of cs_prev"),
    Result("h_prev_grad", "B H", "gradient of h_prev"),
    Result("w_grad", "I+H 4H", "gradient of w", WEIGHT_GRAD_DTYPE.name),
    *lstm.PEEPHOLE_GRADIENTS,
    Result("b_grad", "4H", "gradient of b", WEIGHT_GRAD_DTYPE.name),
)

OP_V1 = Signature(
    "BlockLSTM",
    "LSTM over a sequence, gate order i, ci, f, o",
    arguments=_INPUTS,
    attributes=(lstm.FORGET_BIAS, lstm.cell_clip(3.0), lstm.USE_PEEPHOLE),
    results=_ACTIVATIONS,
    weights=("w",),
    final_state=_FINAL_STATE,
    gradient=lstm.gradient_by("BlockLSTMGrad"),
    chunked=_CHUNKED,
)

OP_V2 = Signature(
    "BlockLSTMV2",
    "LSTM over a sequence, gate order i, f, ci, o",
    arguments=_INPUTS,
    attributes=(lstm.cell_clip(0.0), lstm.USE_PEEPHOLE),
    results=_ACTIVATIONS,
    weights=("w",),
    final_state=_FINAL_STATE,
    gradient=lstm.gradient_by("BlockLSTMGradV2"),
    chunked=_CHUNKED,
)


def _gradient_of(op: Signature, name: str) -> Signature:
    return Signature(
        name,
        f"Gradient of {op.name}",
        arguments=(
            *_INPUTS,
            *as_given_by(op.name, _ACTIVATIONS),
            Argument("cs_grad", "T B H", "gradient of cs"),
            Argument("h_grad", "T B H", "gradient of h"),
        ),
        attributes=(lstm.USE_PEEPHOLE_REQUIRED, WEIGHT_GRAD_DTYPE),
        results=_GRADIENTS,
    )


GRAD_V1 = _gradient_of(OP_V1, "BlockLSTMGrad")
GRAD_V2 = _gradient_of(OP_V2, "BlockLSTMGradV2")


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a forward op."""
    storage, compute = spec.dtype, spec.compute
    T, B, I, H = spec.dims.values()
    gate_order = _GATE_ORDER[spec.op]
    cell_clip = float(spec.attributes["cell_clip"])

    b.formula("n = min(max(seq_len_max, 0), T)")
    n = b.clamp(0, args["seq_len_max"], T)
    b.formula("w_x = w[:I]")
    w_x = args["w"].slice(0, 0, I)
    b.formula("w_h = w[I:]")
    w_h = args["w"].slice(0, I, I + H)
    bias = lstm.gate_bias(b, spec, args["b"], gate_order)
    b.formula("zx = x @ w[:I]")
    zx = Products(b).rows(args["x"], w_x, 0, compute)

    def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
        b.formula("z = zx[t] + b + h_prev @ w[I:]")
        z = reads["zx"].row(t) + reads["b"] + state["h_prev"].dot(reads["w_h"], (1, 0), compute)
        activations, _ = lstm.forward(
            b,
            z,
            state["cs_prev"].to(compute),
            lstm.peepholes(spec, reads),
            gate_order=gate_order,
            cell_clip=cell_clip,
        )
        b.formula(f"row = activations in {storage}")
        rows = {name: value.to(storage) for name, value in activations._asdict().items()}
        return {"cs_prev": rows["cs"], "h_prev": rows["h"]}, rows

    outputs = time_loop(
        b,
        "lstm_forward",
        length=n,
        operands={"zx": zx, "b": bias, "w_h": w_h}
        | {name: args[name] for name in _peepholes_read(spec)},
        state={"cs_prev": args["cs_prev"], "h_prev": args["h_prev"]},
        outputs=dict.fromkeys(lstm.LSTMStep._fields, ((T, B, H), storage)),
        step=step,
    )
    outputs |= {"cs_last": outputs["cs_prev"], "h_last": outputs["h_prev"]}
    return [outputs[result.name] for result in spec.results]


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits a gradient op."""
    compute = spec.compute
    T, B, I, H = spec.dims.values()

    b.formula("n = min(max(seq_len_max, 0), T)")
    n = b.clamp(0, args["seq_len_max"], T)
    loop = _backward_loop(b, spec, args, n)
    dgates = loop["dgates"]
    b.formula("ran = t < n")
    ran = b.iota((T, B), 0).compare("LT", n)

    def before(first: Value, rows: Value) -> Value:
        """The state before each step: `first`, then the rows of the previous steps."""
        return b.concatenate([first.reshape(1, *first.shape), rows], 0).slice(0, 0, T)

    flat = dgates.reshape(T * B, 4 * H)
    b.formula("x_grad = dgates @ w[:I]^T")
    x_grad = flat.dot(args["w"].slice(0, 0, I), (1, 1), compute).reshape(T, B, I).masked(ran)
    b.formula("w_grad = [x, h_prev]^T @ dgates")
    if spec.open_dims:
        h_prev = before(args["h_prev"], args["h"])
        w_grad = Products(b, count=n).outer_sum([args["x"], h_prev], dgates, compute)
    else:
        parts = [args["x"].masked(ran), before(args["h_prev"], args["h"]).masked(ran)]
        xh = b.concatenate(parts, 2).reshape(T * B, I + H)
        w_grad = xh.dot(flat, (0, 0), compute)
    b.formula("b_grad = sum(dgates)")
    gradients = {
        "x_grad": x_grad,
        "cs_prev_grad": loop["dc"],
        "h_prev_grad": loop["dh"],
        "w_grad": w_grad,
        "b_grad": flat.to(compute).sum(0),
    }
    gradients |= lstm.peephole_gradients(
        b,
        spec,
        lstm.GateGradients.split(b, dgates.to(compute), _GATE_ORDER[spec.op]),
        before(args["cs_prev"], args["cs"]).masked(ran).to(compute),
        args["cs"].masked(ran).to(compute),
    )
    b.formula(f"gradient = sums in {spec.dtype}")
    return [gradients[result.name].to(result.dtype) for result in spec.results]


def _backward_loop(b: Builder, spec: FunctionSpec, args: Values, n: Value) -> dict[str, Value]:
    """Emits the loop of a gradient op over the n steps that ran."""
    storage, compute = spec.dtype, spec.compute
    T, B, I, H = spec.dims.values()
    gate_order = _GATE_ORDER[spec.op]
    b.formula("w_h = w[I:]")
    w_h = args["w"].slice(0, I, I + H)

    def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
        b.formula("cs_prev = cs[t-1] if t > 0 else cs_prev")
        cs_prev = b.select(t.compare("EQ", 0), reads["cs_prev"], reads["cs"].row(t - 1))
        saved: dict[str, Value] = {}
        for name in lstm.SAVED:
            b.formula(f"{name} = {name}[t]")
            saved[name] = reads[name].row(t).to(compute)
        b.formula("cs_grad = cs_grad[t] + dc")
        cs_grad = reads["cs_grad"].row(t).to(compute) + state["dc"]
        b.formula("h_grad = h_grad[t] + dh")
        h_grad = reads["h_grad"].row(t).to(compute) + state["dh"]
        gates, dc = lstm.backward(
            b, saved, cs_prev.to(compute), cs_grad, h_grad, lstm.peepholes(spec, reads)
        )
        dgates = gates.concatenate(b, gate_order).to(storage)
        b.formula("dh = dgates @ w[I:]^T")
        dh = dgates.dot(reads["w_h"], (1, 1), compute)
        return {"dc": dc, "dh": dh}, {"dgates": dgates}

    b.formula("zero = 0")
    zero = b.full(0, (B, H), compute)
    names = (*lstm.SAVED, "cs", "cs_prev", "cs_grad", "h_grad", *_peepholes_read(spec))
    return time_loop(
        b,
        "lstm_backward",
        length=n,
        operands={"w_h": w_h} | {name: args[name] for name in names},
        state={"dc": zero, "dh": zero},
        outputs={"dgates": ((T, B, 4 * H), storage)},
        step=step,
        reverse=True,
    )


def _peepholes_read(spec: FunctionSpec) -> tuple[str, ...]:
    return lstm.PEEPHOLES if spec.attributes["use_peephole"] else ()
