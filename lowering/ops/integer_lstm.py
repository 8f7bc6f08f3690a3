"""IntegerLSTM: TensorFlow Lite's LSTM with all values in integers, with the interpreter's bits.

x and h are int8, c is int16, sums are int32. Blocks of the 4H axis are in the order i, f, o, c. A
real number is (integer - zero point) * scale. `h_prev` and `h_last` are h less its zero point, so
that 0 is the state before the first step.

    z = sat(rescale(x[t] @ w + b_x, input_scales)) + rescale(h @ r + b_h, state_scales), saturated
    i, f, o = logistic(z)    g = tanh(z)                     16 bits, 12 of them behind z's point
    c = clip(sat(round(f * c / 2**15) + round(i * g / 2**(30 + log2 scale of c))))
    h = clamp(rescale(o * tanh(c), output_scale) + zero_point, -128, 127)

The biases include the zero points of x and h times the sums of rows.

Source: tensorflow/lite/kernels/lstm_eval.cc (the 8x8_16 form). Only layers of imported models use
this op; it is in no list of ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.builder.time_loop import Values, time_loop
from rnn_compiler.lowering.ops.cells.fixed_point import (
    logistic,
    rescaled,
    rounding_shift,
    saturated,
    tanh,
)
from rnn_compiler.schema.attributes import REQUIRED, Attribute
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec

GATES = "ifoc"
"""The order of the gates."""


def _scales(name: str, of: str) -> Attribute:
    doc = f"of each gate: scale of {of} times that of its matrix times 2**12"
    return Attribute(name, str, REQUIRED, doc, elements=float)


OP = Signature(
    "IntegerLSTM",
    "LSTM of TensorFlow Lite in int8 and int16",
    arguments=(
        Argument("x", "T B I", "input, time-major", "int8"),
        Argument("h_prev", "B H", "initial output less zero_point", "int16", default=0),
        Argument("c_prev", "B H", "initial cell state", "int16", default=0),
        Argument("w", "I 4H", "matrix of the input", "int8"),
        Argument("r", "H 4H", "matrix of the output", "int8"),
        Argument("b_x", "4H", "biases of the input's sums", "int32"),
        Argument("b_h", "4H", "biases of the output's sums", "int32"),
    ),
    attributes=(
        _scales("input_scales", "x"),
        _scales("state_scales", "h"),
        Attribute("output_scale", float, REQUIRED, "2**-30 over the scale of h"),
        Attribute("zero_point", int, REQUIRED, "zero point of h", bounds=(-128, 127)),
        Attribute("cell_bits", int, REQUIRED, "bits of c before its point", bounds=(0, 9)),
        Attribute("cell_clip", int, 0, "the largest c, or 0", bounds=(0, 32767)),
    ),
    results=(Result("h", "T B H", "output of every step", "int8"),),
    dtypes=("int8",),
    in_tensorflow=False,
    weights=("w", "r", "b_x", "b_h"),
    final_state=(
        Result("h_last", "B H", "output after the last step, less zero_point", "int16"),
        Result("c_last", "B H", "cell state after the last step", "int16"),
    ),
    chunked=Chunked("x", ("h",), {"h_prev": ("h_last",), "c_prev": ("c_last",)}),
)


def forward(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the op."""
    T, B, _, H = spec.dims.values()
    given = spec.attributes
    inputs, states = (
        [float(each) for each in str(given[name]).split()]
        for name in ("input_scales", "state_scales")
    )
    zero, bits, clip = (int(given[name]) for name in ("zero_point", "cell_bits", "cell_clip"))

    def scaled(sums: Value, scales: Sequence[float]) -> Value:
        """Sums of all gates, with 12 bits behind the point."""
        parts = sums.split(1, 4)
        rows = [rescaled(b, part, scale) for part, scale in zip(parts, scales, strict=True)]
        return b.concatenate(rows, 1)

    def step(t: Value, reads: Values, state: Values) -> tuple[Values, Values]:
        b.formula("h = h + zero_point")
        h = (state["h_prev"].to("int32") + zero).to("int8")
        b.formula("zx = x[t] @ w + b_x")
        zx = reads["x"].row(t).dot(reads["w"], (1, 0), "int32") + reads["b_x"]
        b.formula("zh = h @ r + b_h")
        zh = h.dot(reads["r"], (1, 0), "int32") + reads["b_h"]
        b.formula("z = rescale(zx) + rescale(zh)")
        z = saturated(b, saturated(b, scaled(zx, inputs)) + scaled(zh, states))
        b.formula("gates = logistic(z), tanh(z)")
        i, f, o = logistic(b, z.slice(1, 0, 3 * H)).split(1, 3)
        g = tanh(b, z.slice(1, 3 * H, 4 * H), 3)
        b.formula("c = f * c + i * g")
        kept = rounding_shift(b, f * state["c_prev"].to("int32"), 15)
        c = saturated(b, kept + rounding_shift(b, i * g, 15 + bits))
        c = b.clamp(-clip, c, clip) if clip else c
        b.formula("h = o * tanh(c)")
        h = rescaled(b, o * tanh(b, c, bits), float(given["output_scale"])) + zero
        h = b.clamp(-128, h, 127)
        new = {"h_prev": (h - zero).to("int16"), "c_prev": c.to("int16")}
        return new, {"h": h.to("int8")}

    outputs = time_loop(
        b,
        "integer_lstm",
        length=b.constant(T, "int64"),
        operands={name: args[name] for name in ("x", "w", "r", "b_x", "b_h")},
        state={"h_prev": args["h_prev"], "c_prev": args["c_prev"]},
        outputs={"h": ((T, B, H), "int8")},
        step=step,
    )
    outputs |= {"h_last": outputs["h_prev"], "c_last": outputs["c_prev"]}
    return [outputs[result.name] for result in spec.results]
