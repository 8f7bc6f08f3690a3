"""PyTorch: the state dict of torch.nn.LSTM, torch.nn.GRU and torch.nn.RNN, and of their cells.

Per layer k and direction, with the gates in cuDNN's order and nothing transposed:

    weight_ih_l{k} [gH, in]   weight_hh_l{k} [gH, h]   bias_ih_l{k} [gH]   bias_hh_l{k} [gH]

and ``weight_hr_l{k} [P, H]`` with proj_size = P. The names of the backward direction end in
``_reverse``. Without bias, the biases are 0. The states of torch's modules are ``[num_layers * D,
B, h]`` regardless of batch_first, like those of the CudnnRNN ops with time_major=True.

LSTMCell, GRUCell and RNNCell have one layer and direction, and names without ``_l0``.

Source: torch/nn/modules/rnn.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.attributes import dimension
from rnn_compiler.schema.cudnn_layout import Block, Layout
from rnn_compiler.weights.stacked import (
    Array,
    ArrayReader,
    Stack,
    checked_layout,
    gates_of,
    pack,
    rows_of,
    units_of,
    unpack,
)

_FIELDS = {
    "weight_ih": "input",
    "weight_hh": "recurrent",
    "bias_ih": "input_bias",
    "bias_hh": "recurrent_bias",
    "weight_hr": "projection",
}
"""Torch's names for the fields of a `Stack`, in torch's order."""


def from_torch(
    state_dict: Mapping[str, Any],
    *,
    rnn_mode: str,
    num_layers: int | None = None,
    bidirectional: bool | None = None,
    prefix: str = "",
) -> Array:
    """The parameter buffer of a torch.nn.LSTM, GRU, RNN, LSTMCell, GRUCell or RNNCell.

    Args:
        state_dict: The module's `state_dict`; its values may also be numpy arrays.
        rnn_mode: "lstm" for LSTM, "gru" for GRU, "rnn_tanh" or "rnn_relu" for RNN.
        num_layers: The number of layers; default: derived from the names.
        bidirectional: Whether each layer runs in both directions; default: derived from the names.
        prefix: The module's position in a larger model, ``"encoder.rnn."``; names that do not start
            with it are ignored.

    Returns:
        params, 1-D, of the dtype of the weights.

    Raises:
        InvalidArgumentError: An array is missing or unknown, or has the wrong dtype or shape.

    Example:
        >>> import numpy as np
        >>> state_dict = {
        ...     "weight_ih_l0": np.full((12, 3), 1.0), "weight_hh_l0": np.full((12, 4), 2.0),
        ...     "bias_ih_l0": np.full(12, 3.0), "bias_hh_l0": np.full(12, 4.0),
        ... }
        >>> params = from_torch(state_dict, rnn_mode="gru")
        >>> params.shape, params[[0, 36, 84, 96]].tolist()
        ((108,), [1.0, 2.0, 3.0, 4.0])
    """
    read = ArrayReader("from_torch")
    rows = rows_of(gates := gates_of(read.function, rnn_mode))
    if num_layers is not None:
        num_layers = dimension(read.function, "num_layers", num_layers, 1)
    given, num_layers, bidirectional = _checked_names(state_dict, num_layers, bidirectional, prefix)
    first = read.array("weight_ih_l0", given["weight_ih_l0"], f"[{rows}, input_size]")
    num_proj = 0
    if "weight_hr_l0" in given:
        num_proj = len(read.array("weight_hr_l0", given["weight_hr_l0"], "[proj_size, num_units]"))
    layout = checked_layout(
        read.function,
        rnn_mode=rnn_mode,
        num_layers=num_layers,
        num_units=units_of(read.function, "weight_ih_l0", gates, len(first)),
        input_size=first.shape[1],
        bidirectional=bidirectional,
        num_proj=num_proj,
    )
    if "weight_hr_l0" in given and not layout.projects:
        expected = f"proj_size in 1..num_units - 1 = 1..{layout.num_units - 1}"
        raise InvalidArgumentError(read.function, "weight_hr_l0", expected, str(num_proj))
    formulas = {
        "weight_ih": f"[{rows}, input_size]",
        "weight_hh": f"[{rows}, {'proj_size' if layout.projects else 'num_units'}]",
        "bias_ih": f"[{rows}]",
        "bias_hh": f"[{rows}]",
        "weight_hr": "[proj_size, num_units]",
    }
    stacks: list[Stack] = []
    suffixes = _suffixes(num_layers, bidirectional)
    for suffix, pseudo_layer in zip(suffixes, layout.pseudo_layers, strict=True):
        arrays = {
            field: read.array(name, given[name], formulas[stem], getattr(pseudo_layer, field).shape)
            for stem, field in _FIELDS.items()
            for name in [stem + suffix]
            if name in given
        }
        stacks.append(Stack(**arrays))
    return pack(layout, stacks)


def to_torch(
    params: Any,
    *,
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    bidirectional: bool = False,
    num_proj: int = 0,
    prefix: str = "",
) -> dict[str, Array]:
    """The state dict of a parameter buffer; the inverse of `from_torch`.

    Args:
        params: The buffer, 1-D, of a CudnnRNN op with input_mode "linear_input".
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        num_layers: The number of layers.
        num_units: Size of the state; torch's hidden_size.
        input_size: Size of the input.
        bidirectional: Whether each layer runs in both directions.
        num_proj: Size of the projected output, torch's proj_size; 0 for none.
        prefix: The prefix of the names.

    Returns:
        New arrays by torch's names, in torch's order. `torch.from_numpy` converts each, except
        bfloat16, which needs ``array.view("uint16")`` and torch's ``view(torch.bfloat16)``.

    Raises:
        InvalidArgumentError: A size is invalid or does not match the buffer.

    Example:
        >>> import numpy as np
        >>> state_dict = to_torch(np.arange(108.0), rnn_mode="gru", num_layers=1, num_units=4,
        ...                       input_size=3)
        >>> {name: array.shape for name, array in state_dict.items()}
        {'weight_ih_l0': (12, 3), 'weight_hh_l0': (12, 4), 'bias_ih_l0': (12,),
         'bias_hh_l0': (12,)}
    """
    layout = checked_layout(
        "to_torch",
        rnn_mode=rnn_mode,
        num_layers=num_layers,
        num_units=num_units,
        input_size=input_size,
        bidirectional=bidirectional,
        num_proj=num_proj,
    )
    stacks = unpack("to_torch", layout, params)
    suffixes = _suffixes(layout.num_layers, bidirectional)
    return {
        f"{prefix}{stem}{suffix}": getattr(stack, field)
        for suffix, stack in zip(suffixes, stacks, strict=True)
        for stem, field in _FIELDS.items()
        if getattr(stack, field) is not None
    }


def blocks_of_parameters(layout: Layout) -> dict[str, Block]:
    """The block of the buffer for each array of a state dict, by torch's name, in torch's order."""
    suffixes = _suffixes(layout.num_layers, layout.num_directions == 2)
    return {
        stem + suffix: getattr(pseudo_layer, field)
        for suffix, pseudo_layer in zip(suffixes, layout.pseudo_layers, strict=True)
        for stem, field in _FIELDS.items()
        if getattr(pseudo_layer, field) is not None
    }


def _suffixes(num_layers: int, bidirectional: bool) -> Iterator[str]:
    """The name suffix of each pseudo-layer."""
    for layer in range(num_layers):
        yield f"_l{layer}"
        if bidirectional:
            yield f"_l{layer}_reverse"


def _checked_names(
    state_dict: Mapping[str, Any], num_layers: int | None, bidirectional: bool | None, prefix: str
) -> tuple[dict[str, Any], int, bool]:
    """The arrays of a state dict without their prefix, checked to be complete.

    Also returns the number of layers, and whether they run in both directions.
    """
    if not isinstance(state_dict, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        expected, got = "a mapping of names to arrays", describe(state_dict)
        raise InvalidArgumentError("from_torch", "state_dict", expected, got)
    names = [name for name in state_dict if str(name).startswith(prefix)]
    ends = {str(name)[len(prefix) :]: name for name in names}
    of_cell = "weight_ih" in ends
    given = {
        f"{end}_l0" if of_cell and end in _FIELDS else end: state_dict[name]
        for end, name in ends.items()
    }
    layers, both = layers_told(given)
    num_layers = layers if num_layers is None else num_layers
    bidirectional = both if bidirectional is None else bidirectional
    optional = {"bias_ih": "bias_", "bias_hh": "bias_", "weight_hr": "weight_hr_"}
    stems = [
        stem
        for stem in _FIELDS
        if stem not in optional or any(name.startswith(optional[stem]) for name in given)
    ]
    module = f"with num_layers={num_layers}, bidirectional={bidirectional}"
    wanted: set[str] = set()
    for suffix in _suffixes(num_layers, bidirectional):
        for name in (stem + suffix for stem in stems):
            if name not in given:
                expected = f"{describe(prefix + name)}, which a module {module} has"
                got = f"only {describe(names if names else list(state_dict))}"
                remedy = _remedy(state_dict, prefix)
                raise InvalidArgumentError("from_torch", "state_dict", expected, got, remedy)
            wanted.add(name)
    for name in given:
        if name not in wanted:
            expected = f"only what a module {module} has"
            got = f"{describe(prefix + name)} too"
            remedy = "prefix='NAME.' ignores names that do not start with it"
            raise InvalidArgumentError("from_torch", "state_dict", expected, got, remedy)
    return given, num_layers, bidirectional


def _remedy(state_dict: Mapping[str, Any], prefix: str) -> str:
    """The prefixes with which the names of a state dict are those of a module."""
    matches = map(_FIRST.fullmatch, map(str, state_dict))
    known = [match[1] for match in matches if match and match[1] != prefix]
    if not known:
        return ""
    told = ", ".join(f"prefix={each[:80]!r}" for each in known[:_MOST_TOLD])
    return f"pass {'one of ' if known[1:] else ''}{told} (--prefix {known[0][:80]})"


def layers_told(names: Iterable[str]) -> tuple[int, bool]:
    """The number of layers and whether they run in both directions, derived from array names."""
    found = [match for match in map(_NUMBERED.fullmatch, names) if match]
    last = max((int(match[1]) for match in found), default=0)
    return last + 1, any(match[2] for match in found)


_NUMBERED = re.compile(r"weight_ih_l(\d{1,9})(_reverse)?")
_FIRST = re.compile(r"(.*\.)weight_ih(?:_l0)?")
_MOST_TOLD = 10
