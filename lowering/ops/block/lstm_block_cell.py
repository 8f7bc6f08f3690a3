"""LSTMBlockCell and its gradient: one step of an LSTM.

Layouts: ``x[B, I]``; ``w[I+H, 4H]`` with the rows of x first; blocks of the 4H axis in the order
i, ci, f, o (as in TensorFlow's kernels; its documentation lists another order).

Forward (`lstm.forward`):

    z = [x, h_prev] @ w + b, with forget_bias added to the block of f
    i, cs, f, o, ci, co, h = step(z, cs_prev)

Backward, from saved activations (`lstm.backward`); the values of x, h_prev, w and b are not
read:

    dicfo = gradients of z         cs_prev_grad
    wci_grad = sum(di * cs_prev)   wcf_grad = sum(df * cs_prev)   wco_grad = sum(do * cs)

TensorFlow computes no more. LSTMBlockCellParameterGrad, an op of this package, gives the rest:

    [x_grad, h_prev_grad] = dicfo @ w^T    w_grad = [x, h_prev]^T @ dicfo    b_grad = sum(dicfo)

Source: tensorflow/core/kernels/rnn/lstm_ops.cc (LSTMBlockCellOp, LSTMBlockCellGradOp). Two bugs are
not reproduced: its CPU kernel may overwrite the peephole weights before it reads them, and its GPU
kernel adds the peephole term of cs_prev_grad twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cells import lstm
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, Result, as_given_by

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


_GATE_ORDER = "ICFO"

_INPUTS = (
    Argument("x", "B I", "input"),
    Argument("cs_prev", "B H", "cell state before the step"),
    Argument("h_prev", "B H", "output before the step"),
    *lstm.WEIGHTS,
)

_ACTIVATIONS = lstm.activations("B H")

OP = Signature(
    "LSTMBlockCell",
    "One step of an LSTM, gate order i, ci, f, o",
    arguments=_INPUTS,
    attributes=(lstm.FORGET_BIAS, lstm.cell_clip(3.0), lstm.USE_PEEPHOLE),
    results=_ACTIVATIONS,
    positive=("batch_size", "num_units"),
    weights=("w",),
    gradient=lstm.gradient_by("LSTMBlockCellGrad", "LSTMBlockCellParameterGrad"),
    chunked=Chunked(
        "x",
        tuple(result.name for result in _ACTIVATIONS),
        {"cs_prev": ("cs",), "h_prev": ("h",)},
        steps=False,
    ),
)

GRAD = Signature(
    "LSTMBlockCellGrad",
    "Gradient of LSTMBlockCell with respect to its gates and cell state",
    arguments=(
        *_INPUTS,
        *as_given_by(OP.name, _ACTIVATIONS[:-1]),
        Argument("cs_grad", "B H", "gradient of cs"),
        Argument("h_grad", "B H", "gradient of h"),
    ),
    attributes=(lstm.USE_PEEPHOLE_REQUIRED, WEIGHT_GRAD_DTYPE),
    results=(
        Result("cs_prev_grad", "B H", "gradient of cs_prev"),
        Result(
            "dicfo", "B 4H", "gradient of the gates before activation, in the order i, ci, f, o"
        ),
        *lstm.PEEPHOLE_GRADIENTS,
    ),
)

PARAMETER_GRAD = Signature(
    "LSTMBlockCellParameterGrad",
    "The gradients of LSTMBlockCell that LSTMBlockCellGrad leaves to the caller",
    arguments=(
        Argument("x", "B I", "input, as LSTMBlockCell took it"),
        Argument("h_prev", "B H", "output before the step, as LSTMBlockCell took it"),
        Argument("w", "I+H 4H", "weights, as LSTMBlockCell took them", summed=0),
        Argument("dicfo", "B 4H", "gradient of the gates, as LSTMBlockCellGrad gave it"),
    ),
    attributes=(WEIGHT_GRAD_DTYPE,),
    results=(
        Result("x_grad", "B I", "gradient of x"),
        Result("h_prev_grad", "B H", "gradient of h_prev"),
        Result("w_grad", "I+H 4H", "gradient of w", WEIGHT_GRAD_DTYPE.name),
        Result("b_grad", "4H", "gradient of b", WEIGHT_GRAD_DTYPE.name),
    ),
    in_tensorflow=False,
)


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the forward op."""
    storage, compute = spec.dtype, spec.compute
    bias = lstm.gate_bias(b, spec, args["b"], _GATE_ORDER)
    b.formula("z = [x, h_prev] @ w + b")
    z = args["w"].product_of_parts([args["x"], args["h_prev"]], compute) + bias
    activations, _ = lstm.forward(
        b,
        z,
        args["cs_prev"].to(compute),
        lstm.peepholes(spec, args),
        gate_order=_GATE_ORDER,
        cell_clip=float(spec.attributes["cell_clip"]),
    )
    b.formula(f"row = activations in {storage}")
    return [getattr(activations, result.name).to(storage) for result in spec.results]


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the gradient with respect to gates and cell state."""
    storage, compute = spec.dtype, spec.compute
    wide = {name: args[name].to(compute) for name in (*lstm.SAVED, "cs_prev", "cs")}
    gates, cs_prev_grad = lstm.backward(
        b,
        wide,
        wide["cs_prev"],
        args["cs_grad"].to(compute),
        args["h_grad"].to(compute),
        lstm.peepholes(spec, args),
    )
    gradients = {"cs_prev_grad": cs_prev_grad, "dicfo": gates.concatenate(b, _GATE_ORDER)}
    gradients |= lstm.peephole_gradients(b, spec, gates, wide["cs_prev"], wide["cs"])
    b.formula(f"gradient = in {storage}")
    return [gradients[result.name].to(result.dtype) for result in spec.results]


def parameter_gradients(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the gradients that follow from those of the gates."""
    storage, compute = spec.dtype, spec.compute
    I = spec.dims["input_size"]
    b.formula("xh_grad = dicfo @ w^T")
    xh_grad = args["dicfo"].dot(args["w"], (1, 1), compute).to(storage)
    b.formula("w_grad = [x, h_prev]^T @ dicfo")
    xh = b.concatenate([args["x"], args["h_prev"]], 1)
    wide = spec.results[-1].dtype
    w_grad = xh.dot(args["dicfo"], (0, 0), compute).to(wide)
    b.formula("b_grad = sum(dicfo)")
    b_grad = args["dicfo"].to(compute).sum(0).to(wide)
    b.formula("x_grad = xh_grad[:, :I]")
    return [xh_grad.slice(1, 0, I), xh_grad.slice(1, I, xh_grad.shape[1]), w_grad, b_grad]
