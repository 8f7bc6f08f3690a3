"""The signatures of ONNX's LSTM, GRU and RNN, and of their gradients.

Names, order and defaults are ONNX's (https://onnx.ai/onnx/operators, opset 22). With D directions
and g gates:

    X [T, B, I]    W [D, gH, I]    R [D, gH, H]    B [D, 2gH]    P [D, 3H], LSTM only
    sequence_lens [B]    initial_h, initial_c [D, B, H]
    Y [T, D, B, H]    Y_h, Y_c [D, B, H]    reserve_space [D, T, B, kH], with is_training

With layout=1, B is the first axis of X, Y and the states. Gates are in the order i, o, f, c,
peepholes in the order i, o, f, and GRU's gates z, r, h.

All inputs but X, W and R are optional. `inputs` lists those of a function: by default all but P,
and in a call those that are passed. A call may still omit them: they then count as 0, and
`sequence_lens` as T.

`reserve_space` holds the values of each step that the gradient needs: for LSTM i, f, c, o and the
cell state, k = 5; for GRU z, r, h, k = 3, or with linear_before_reset r, z, h and ``H R_h^T +
Rb_h``, k = 4; for RNN nothing, or the function's input, k = 1. The gradient reads `Y` too. For each
gate it is the value or, if the derivative cannot be computed from that, the input of its function
(`ops.cells.activations`).

A gradient op takes the inputs of its forward op, `Y`, the gradients of all results (zeros if
omitted) and `reserve_space`. It returns the gradient of every float input, ``X_grad``, ....
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS
from rnn_compiler.lowering.ops.onnx.cells import DIRECTIONS, cells_of
from rnn_compiler.lowering.ops.onnx.kinds import KINDS, Kind
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE, Attribute
from rnn_compiler.schema.signatures import Gradient, Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, OpTensor, Result, as_given_by

_WEIGHTS = ("W", "R", "B", "P")

_COMMON = (
    Attribute(
        "direction",
        str,
        "forward",
        "reverse runs from the last step to the first, bidirectional both ways",
        choices=tuple(DIRECTIONS),
    ),
    Attribute(
        "activations",
        str,
        "",
        "the functions f, g, h of LSTM, f, g of GRU, f of RNN, for each direction; Sigmoid, Tanh, "
        "Tanh by default, of RNN Tanh",
        choices=tuple(ACTIVATIONS),
        elements=str,
    ),
    Attribute(
        "activation_alpha",
        str,
        "",
        "the alpha of each function that has one, in their order; ONNX's defaults if fewer",
        elements=float,
    ),
    Attribute(
        "activation_beta",
        str,
        "",
        "the beta of each function that has one, in their order; ONNX's defaults if fewer",
        elements=float,
    ),
    Attribute("clip", float, 0.0, "bound of the arguments of f and g; none if 0"),
    Attribute("hidden_size", int, 0, "equals num_units; 0 takes it from the sizes"),
    Attribute("layout", int, 0, "1 has the batch as first axis", bounds=(0, 1)),
)

_IS_TRAINING = Attribute("is_training", bool, False, "whether to save what the gradient needs")


def _inputs(kind: Kind) -> Attribute:
    """The attribute that lists the optional inputs of a function."""
    names = ("B", "sequence_lens", "initial_h", *kind.inputs)
    return Attribute(
        "inputs",
        str,
        " ".join(name for name in names if name != "P"),
        "the optional inputs that the function has",
        choices=names,
        elements=str,
        is_implied=True,
    )


def _forms(
    name: str, gradient: bool, attributes: Mapping[str, Any]
) -> tuple[tuple[OpTensor, ...], tuple[OpTensor, ...]]:
    """The arguments and results of an op with given attributes."""
    D, kind = len(DIRECTIONS[attributes["direction"]]), KINDS[name]
    gates = kind.gates if kind.gates > 1 else ""
    state, sequence, output = f"{D} B H", "T B I", f"T {D} B H"
    if attributes["layout"]:
        state, sequence, output = f"B {D} H", "B T I", f"B T {D} H"
    lengths = "number of valid steps of each row; the rest is padding"
    optional = (
        Argument(
            "B", f"{D} {2 * kind.gates}H", "biases of W, then of R; None for zeros", default=0
        ),
        Argument("sequence_lens", "B", lengths, dtype="int32", minimum=0, maximum="T", default="T"),
        Argument("initial_h", state, "output before the first step; None for zeros", default=0),
        Argument("initial_c", state, "cell state before the first step; None for zeros", default=0),
        Argument("P", f"{D} 3H", "peephole weights of i, o, f; None for none", default=0),
    )
    taken = attributes["inputs"].split()
    arguments = (
        Argument("X", sequence, "input"),
        Argument("W", f"{D} {gates}H I", "weights of the input, gate by gate", summed=2),
        Argument("R", f"{D} {gates}H H", "weights of the previous output, gate by gate", summed=2),
        *(replace(each, optional=True) for each in optional if each.name in taken),
    )
    results = [
        Result("Y", output, "output; 0 for padding"),
        Result("Y_h", state, "output after the last step"),
    ]
    if kind.has_cell_state:
        results.append(Result("Y_c", state, "cell state after the last step"))
    saved = max(len(cell.saved) for cell in cells_of(f"onnx.{name}", attributes))
    width = f"{saved}H" if saved else "0"
    reserve = Result("reserve_space", f"{D} T B {width}", "what the gradient needs")
    if not gradient:
        return arguments, (*results, *((reserve,) if attributes["is_training"] else ()))
    upstream = [
        Argument(
            f"{each.name}_grad", each.shape, f"gradient of {each.name}; None for zeros", default=0
        )
        for each in results
    ]
    given = as_given_by(f"onnx.{name}", (results[0], reserve))
    gradients = [
        Result(
            f"{each.name}_grad",
            each.shape,
            f"gradient of {each.name}",
            WEIGHT_GRAD_DTYPE.name if each.name in _WEIGHTS else None,
        )
        for each in arguments
        if each.dtype is None
    ]
    return (*arguments, given[0], *upstream, given[1]), tuple(gradients)


def _derived(op: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """Checks that `hidden_size` is num_units; there are no derived sizes."""
    if known["hidden_size"] not in (0, known["num_units"]):
        expected = f"num_units = {known['num_units']}, or 0"
        raise InvalidArgumentError(op, "hidden_size", expected, str(known["hidden_size"]))
    return {}


def _signature(name: str, *, gradient: bool) -> Signature:
    kind, last = KINDS[name], WEIGHT_GRAD_DTYPE if gradient else _IS_TRAINING
    inputs = _inputs(kind)
    attributes = (*_COMMON, *kind.attributes, inputs, last)
    forms = partial(_forms, name, gradient)
    every = {a.name: a.default for a in attributes} | {"inputs": " ".join(inputs.choices)}
    arguments, results = forms(every)
    states = {"initial_h": ("Y_h",)} | ({"initial_c": ("Y_c",)} if kind.has_cell_state else {})
    op, summary = f"onnx.{name}", f"ONNX's {name}: a layer in one or two directions"
    return Signature(
        f"{op}Grad" if gradient else op,
        f"All gradients of {op}" if gradient else summary,
        arguments=arguments,
        attributes=attributes,
        results=results,
        positive=("seq_length", "num_units"),
        in_tensorflow=False,
        forms=forms,
        derived=_derived,
        weights=() if gradient else _WEIGHTS,
        gradient=None if gradient else _gradient(op, arguments, results),
        chunked=None if gradient else Chunked("X", ("Y",), states, "sequence_lens"),
    )


def _gradient(op: str, arguments: Sequence[OpTensor], results: Sequence[OpTensor]) -> Gradient:
    names = tuple(each.name for each in results)
    floats = tuple(each.name for each in arguments if each.dtype is None)
    return Gradient((f"{op}Grad",), names, floats, "{}_grad", training=_IS_TRAINING.name)


OPS = tuple(_signature(name, gradient=False) for name in KINDS)
"""onnx.LSTM, onnx.GRU, onnx.RNN."""

GRADIENTS = tuple(_signature(name, gradient=True) for name in KINDS)
"""onnx.LSTMGrad, onnx.GRUGrad, onnx.RNNGrad."""
