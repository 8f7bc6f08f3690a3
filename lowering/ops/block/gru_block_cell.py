"""GRUBlockCell and its gradient: one step of a GRU whose reset comes before the matrix product.

Layouts: ``x[B, I]``; ``w_ru[I+H, 2H]`` and ``w_c[I+H, H]`` with the rows of x first; in the 2H axis
the block of r, then that of u.

Forward:

    [z_r, z_u] = [x, h_prev] @ w_ru + b_ru      r = s(z_r)   u = s(z_u)
    c = tanh([x, r*h_prev] @ w_c + b_c)
    h = u*(h_prev - c) + c                      (= u*h_prev + (1-u)*c)

Backward, from saved activations; the values of x, b_ru and b_c are not read:

    d_c_bar = d_h*(1-u) * (1-c*c)
    d_u_bar = d_h*(h_prev-c) * u*(1-u)
    [dx2, d_hr] = d_c_bar @ w_c^T
    d_r_bar = d_hr*h_prev * r*(1-r)
    [dx1, dh1] = [d_r_bar, d_u_bar] @ w_ru^T
    d_x = dx1 + dx2      d_h_prev = dh1 + d_hr*r + d_h*u

TensorFlow computes no more. GRUBlockCellParameterGrad, an op of this package, gives the rest:

    d_w_ru = [x, h_prev]^T @ d_r_bar_u_bar       d_b_ru = sum(d_r_bar_u_bar)
    d_w_c  = [x, r*h_prev]^T @ d_c_bar           d_b_c  = sum(d_c_bar)

Source: tensorflow/core/kernels/rnn/gru_ops.h (GRUCell, GRUCellBprop); the formulas in the op's
documentation have errors that the kernel does not have. CudnnRNN's gru, which resets after the
product, is `cells.cudnn_gru`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE
from rnn_compiler.schema.signatures import Gradient, Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, Result, as_given_by

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


_INPUTS = (
    Argument("x", "B I", "input"),
    Argument("h_prev", "B H", "output before the step"),
    Argument("w_ru", "I+H 2H", "weights of the reset and update gates, rows of x first", summed=0),
    Argument("w_c", "I+H H", "weights of the candidate, rows of x first", summed=0),
    Argument("b_ru", "2H", "bias of the reset and update gates"),
    Argument("b_c", "H", "bias of the candidate"),
)

_ACTIVATIONS = (
    Result("r", "B H", "reset gate"),
    Result("u", "B H", "update gate"),
    Result("c", "B H", "candidate"),
    Result("h", "B H", "output"),
)

_GATE_GRADIENTS = (
    Result("d_c_bar", "B H", "gradient of the candidate before activation"),
    Result("d_r_bar_u_bar", "B 2H", "gradients of the gates before activation"),
)

OP = Signature(
    "GRUBlockCell",
    "One step of a GRU, reset before the matrix product",
    arguments=_INPUTS,
    attributes=(),
    results=_ACTIVATIONS,
    weights=("w_ru", "w_c"),
    gradient=Gradient(
        ("GRUBlockCellGrad", "GRUBlockCellParameterGrad"),
        ("h",),
        tuple(argument.name for argument in _INPUTS),
        "d_{}",
    ),
    chunked=Chunked(
        "x", tuple(result.name for result in _ACTIVATIONS), {"h_prev": ("h",)}, steps=False
    ),
)

GRAD = Signature(
    "GRUBlockCellGrad",
    "Gradient of GRUBlockCell with respect to its input, state and gates",
    arguments=(
        *_INPUTS,
        *as_given_by(OP.name, _ACTIVATIONS[:-1]),
        Argument("d_h", "B H", "gradient of h"),
    ),
    attributes=(),
    results=(
        Result("d_x", "B I", "gradient of x"),
        Result("d_h_prev", "B H", "gradient of h_prev"),
        *_GATE_GRADIENTS,
    ),
)

PARAMETER_GRAD = Signature(
    "GRUBlockCellParameterGrad",
    "The gradients of GRUBlockCell that GRUBlockCellGrad leaves to the caller",
    arguments=(
        Argument("x", "B I", "input, as GRUBlockCell took it"),
        Argument("h_prev", "B H", "output before the step, as GRUBlockCell took it"),
        Argument("r", "B H", "reset gate, as GRUBlockCell gave it"),
        *as_given_by(GRAD.name, _GATE_GRADIENTS),
    ),
    attributes=(WEIGHT_GRAD_DTYPE,),
    results=(
        Result("d_w_ru", "I+H 2H", "gradient of w_ru", WEIGHT_GRAD_DTYPE.name),
        Result("d_w_c", "I+H H", "gradient of w_c", WEIGHT_GRAD_DTYPE.name),
        Result("d_b_ru", "2H", "gradient of b_ru", WEIGHT_GRAD_DTYPE.name),
        Result("d_b_c", "H", "gradient of b_c", WEIGHT_GRAD_DTYPE.name),
    ),
    in_tensorflow=False,
)


def _wide(spec: FunctionSpec, args: Values) -> dict[str, Value]:
    """The arguments in the type that arithmetic runs in."""
    compute = spec.compute
    return {name: value.to(compute) for name, value in args.items()}


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the forward op."""
    storage, compute = spec.dtype, spec.compute
    b.formula(f"wide = in {compute}")
    wide = _wide(spec, args)
    x, h_prev = args["x"], wide["h_prev"]
    b.formula("z = [x, h_prev] @ w_ru + b_ru")
    z = args["w_ru"].product_of_parts([x, args["h_prev"]], compute)
    z_r, z_u = (z + wide["b_ru"]).split(1, 2)
    b.formula("r = s(z_r)")
    r = b.sigmoid(z_r)
    b.formula("u = s(z_u)")
    u = b.sigmoid(z_u)
    b.formula("c = tanh([x, r*h_prev] @ w_c + b_c)")
    z_c = args["w_c"].product_of_parts([x, (r * h_prev).to(storage)], compute)
    c = b.tanh(z_c + wide["b_c"])
    b.formula("h = u*(h_prev - c) + c")
    h = u * (h_prev - c) + c
    return [value.to(storage) for value in (r, u, c, h)]


def backward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the gradient with respect to input, state and gates."""
    storage, compute = spec.dtype, spec.compute
    I, H = spec.dims["input_size"], spec.dims["num_units"]
    b.formula(f"wide = in {compute}")
    wide = _wide(spec, args)
    r, u, c, h_prev, d_h = (wide[name] for name in ("r", "u", "c", "h_prev", "d_h"))
    b.formula("d_c_bar = d_h*(1-u) * (1-c*c)")
    d_c_bar = (d_h * (1.0 - u) * (1.0 - c * c)).to(storage)
    b.formula("d_u_bar = d_h*(h_prev-c) * u*(1-u)")
    d_u_bar = (d_h * (h_prev - c) * u * (1.0 - u)).to(storage)
    b.formula("dx2_d_hr = d_c_bar @ w_c^T")
    dx2_d_hr = d_c_bar.dot(args["w_c"], (1, 1), compute)
    dx2, d_hr = dx2_d_hr.slice(1, 0, I), dx2_d_hr.slice(1, I, I + H)
    b.formula("d_r_bar = d_hr*h_prev * r*(1-r)")
    d_r_bar = (d_hr * h_prev * r * (1.0 - r)).to(storage)
    b.formula("d_r_bar_u_bar = [d_r_bar, d_u_bar]")
    d_r_bar_u_bar = b.concatenate([d_r_bar, d_u_bar], 1)
    b.formula("dx1_dh1 = d_r_bar_u_bar @ w_ru^T")
    dx1_dh1 = d_r_bar_u_bar.dot(args["w_ru"], (1, 1), compute)
    dx1, dh1 = dx1_dh1.slice(1, 0, I), dx1_dh1.slice(1, I, I + H)
    b.formula("d_x = dx1 + dx2")
    d_x = (dx1 + dx2).to(storage)
    b.formula("d_h_prev = dh1 + d_hr*r + d_h*u")
    d_h_prev = (dh1 + d_hr * r + d_h * u).to(storage)
    return [d_x, d_h_prev, d_c_bar, d_r_bar_u_bar]


def parameter_gradients(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the gradients of the weights and biases."""
    storage, compute = spec.dtype, spec.compute
    wide, result = _wide(spec, args), spec.results[0].dtype
    b.formula("d_w_ru = [x, h_prev]^T @ d_r_bar_u_bar")
    xh = b.concatenate([args["x"], args["h_prev"]], 1)
    d_w_ru = xh.dot(args["d_r_bar_u_bar"], (0, 0), compute).to(result)
    b.formula("d_w_c = [x, r*h_prev]^T @ d_c_bar")
    xrh = b.concatenate([args["x"], (wide["r"] * wide["h_prev"]).to(storage)], 1)
    d_w_c = xrh.dot(args["d_c_bar"], (0, 0), compute).to(result)
    b.formula("d_b_ru = sum(d_r_bar_u_bar)")
    d_b_ru = wide["d_r_bar_u_bar"].sum(0).to(result)
    b.formula("d_b_c = sum(d_c_bar)")
    d_b_c = wide["d_c_bar"].sum(0).to(result)
    return [d_w_ru, d_w_c, d_b_ru, d_b_c]
