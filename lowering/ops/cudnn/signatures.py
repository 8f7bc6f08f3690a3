"""The signatures of CudnnRNN, V2, V3 and their gradients.

The versions differ little: V2 adds `host_reserved`; V3 adds `sequence_lengths`, `num_proj` and
`time_major`. The shapes depend on the attributes (`_forms`); with ``D`` directions, hidden size
``h`` (num_proj with a projection, else num_units) and time_major:

    input [T, B, I]                        output [T, B, D*h]
    input_h, output_h [L*D, B, h]          input_c, output_c [L*D, B, H], lstm only
    params [params_size]                   reserve_space [reserve_size], when training

time_major=false swaps the first two axes of all but the last two. In the modes without a cell
state, `input_c`, `output_c` and `output_c_backprop` may have any shape and are not read, and the
results `output_c` and `input_c_backprop` are scalar zeros. In inference, `reserve_space` is a
scalar zero. `host_reserved` describes cuDNN's algorithm in TensorFlow; here it is zeros, and
ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rnn_compiler.lowering.ops.cudnn import dropout
from rnn_compiler.schema.attributes import WEIGHT_GRAD_DTYPE, Attribute
from rnn_compiler.schema.cudnn_layout import (
    DIRECTIONS,
    INPUT_MODES,
    RNN_MODES,
    Layout,
    ReserveLayout,
)
from rnn_compiler.schema.open_sizes import Size
from rnn_compiler.schema.signatures import Gradient, Signature
from rnn_compiler.schema.specs import Chunked
from rnn_compiler.schema.tensors import Argument, OpTensor, Result

MODES = (
    Attribute("rnn_mode", str, "lstm", "the cell of each layer", choices=tuple(RNN_MODES)),
    Attribute(
        "input_mode",
        str,
        "linear_input",
        "skip_input adds the input to each gate; auto_select does so if input_size = num_units",
        choices=INPUT_MODES,
    ),
    Attribute(
        "direction",
        str,
        "unidirectional",
        "the output of a bidirectional layer is that of both directions side by side; states then "
        "have two rows per layer, forward and backward",
        choices=tuple(DIRECTIONS),
    ),
    dropout.RATE,
    *dropout.SEEDS,
)
NUM_PROJ = Attribute(
    "num_proj", int, 0, "lstm only: size of the projected output; 0 for none", bounds=(0, 2**31 - 1)
)
_IS_TRAINING = Attribute(
    "is_training", bool, True, "whether to apply dropout, and to save values for the gradient"
)
_TIME_MAJOR = Attribute("time_major", bool, True, "false swaps time or layer with the batch")


def reserve_of(op: str, known: Mapping[str, Any]) -> ReserveLayout:
    """The layout of `reserve_space`, from dimensions and attributes."""
    sizes = known["seq_length"], known["batch_size"]
    return ReserveLayout(Layout.of(op, known), *sizes, known["dropout"])


def _derived(op: str, known: Mapping[str, Any]) -> dict[str, Size]:
    reserve = reserve_of(op, known)
    return {"params_size": reserve.layout.size, "reserve_size": reserve.size}


def _forms(
    version: int, gradient: bool, attributes: Mapping[str, Any]
) -> tuple[tuple[OpTensor, ...], tuple[OpTensor, ...]]:
    """The arguments and results of an op with given attributes."""
    D = "2" if attributes["direction"] == "bidirectional" else ""
    has_cell_state = RNN_MODES[attributes["rnn_mode"]].has_cell_state
    time_major = attributes.get("time_major", True)
    hidden = "P" if has_cell_state and attributes.get("num_proj") else "H"
    training = attributes.get("is_training", True)

    def sequence(width: str) -> str:
        return f"T B {width}" if time_major else f"B T {width}"

    def state(width: str) -> str:
        return f"{D}L B {width}" if time_major else f"B {D}L {width}"

    cells = state("H") if has_cell_state else ""
    inputs = (
        Argument("input", sequence("I"), "input of the first layer"),
        Argument(
            "input_h",
            state(hidden),
            "initial output, of each direction of each layer; None for zeros",
            default=0,
        ),
        Argument(
            "input_c",
            cells,
            "initial cell state; lstm only; None for zeros",
            ignored=not has_cell_state,
            default=0,
        ),
        Argument(
            "params",
            "N",
            "all matrices, then all biases, each by layer, direction, input or state, and gate; "
            "rnn_compiler.weights converts them",
            summed=1,
        ),
    )
    lengths = (
        Argument(
            "sequence_lengths",
            "B",
            "number of valid steps of each row; the rest is padding",
            dtype="int32",
            minimum=0,
            maximum="T",
        ),
    )
    outputs = (
        Result("output", sequence(f"{D}{hidden}"), "output of the last layer; 0 for padding"),
        Result("output_h", state(hidden), "output after the last step"),
        Result("output_c", cells, "cell state after the last step; lstm only"),
    )
    reserve = Result("reserve_space", "R" if training else "", "what the gradient needs")
    shape = "2" if version == 2 and training else ""
    host = Result("host_reserved", shape, "zeros, for compatibility with TensorFlow", dtype="int8")
    inputs += lengths if version == 3 else ()
    if not gradient:
        drops = training and attributes["dropout"] > 0
        arguments = inputs + (dropout.OPERANDS if drops else ())
        return arguments, (*outputs, reserve, *((host,) if version > 1 else ()))
    values = (*outputs, reserve, host)
    return _gradient_form(version, inputs, values, has_cell_state=has_cell_state)


def _gradient_form(
    version: int, inputs: Sequence[OpTensor], values: Sequence[OpTensor], *, has_cell_state: bool
) -> tuple[tuple[OpTensor, ...], tuple[OpTensor, ...]]:
    """The arguments and results of a gradient op, from those of its forward op."""
    op = f"CudnnRNN{_SUFFIXES[version]}"
    unused = "host_reserved" if has_cell_state else "host_reserved output_c"
    given = [
        Argument(
            each.name,
            each.shape,
            f"{each.doc}, as {op} gave it",
            each.dtype,
            ignored=each.name in unused.split(),
        )
        for each in values
    ]
    upstream = [
        Argument(
            f"{each.name}_backprop",
            each.shape,
            f"gradient of {each.name}",
            ignored=each.name in unused.split(),
        )
        for each in values[:3]
    ]
    results = [
        Result(f"{name}_backprop", shape, f"gradient of {name}", dtype)
        for name, shape, dtype in (
            ("input", inputs[0].shape, None),
            ("input_h", inputs[1].shape, None),
            ("input_c", inputs[2].shape, None),
            ("params", "N", WEIGHT_GRAD_DTYPE.name),
        )
    ]
    arguments = (*inputs, *given[:3], *upstream, *given[3 : 4 + (version > 1)])
    return arguments, tuple(results)


_SUFFIXES = {1: "", 2: "V2", 3: "V3"}


def _signature(version: int, gradient: bool) -> Signature:
    op = f"CudnnRNN{_SUFFIXES[version]}"
    summary = "Stacked RNN over a padded batch: lstm, gru, tanh or relu; one or two directions"
    attributes = (
        *MODES,
        *((NUM_PROJ,) if version == 3 else ()),
        *(() if gradient else (_IS_TRAINING,)),
        *((_TIME_MAJOR,) if version == 3 else ()),
        WEIGHT_GRAD_DTYPE if gradient else dropout.CALL_COUNTER,
    )
    forms = partial(_forms, version, gradient)
    arguments, results = forms({a.name: a.default for a in attributes})
    return Signature(
        f"CudnnRNNBackprop{_SUFFIXES[version]}" if gradient else op,
        f"All four gradients of {op}" if gradient else summary,
        arguments=arguments,
        attributes=attributes,
        results=results,
        positive=("seq_length", "num_units", "num_layers"),
        forms=forms,
        derived=_derived,
        weights=() if gradient else ("params",),
        gradient=None if gradient else _gradient(version),
        chunked=None if gradient else _chunked(version),
    )


def _gradient(version: int) -> Gradient:
    results = ("output", "output_h", "output_c")
    arguments = ("input", "input_h", "input_c", "params")
    op, unread = f"CudnnRNNBackprop{_SUFFIXES[version]}", ("output_h", "output_c")
    return Gradient((op,), results, arguments, "{}_backprop", unread)


def _chunked(version: int) -> Chunked:
    states = {"input_h": ("output_h",), "input_c": ("output_c",)}
    return Chunked("input", ("output",), states, "sequence_lengths" if version == 3 else None)


OPS = tuple(_signature(version, gradient=False) for version in _SUFFIXES)
"""CudnnRNN, CudnnRNNV2, CudnnRNNV3."""

GRADIENTS = tuple(_signature(version, gradient=True) for version in _SUFFIXES)
"""CudnnRNNBackprop, CudnnRNNBackpropV2, CudnnRNNBackpropV3."""
