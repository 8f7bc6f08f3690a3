"""Makes layers of the weights of other frameworks' cells, whose files are not model files.

A cell is described as ONNX's op. It is CudnnRNNV3 if that computes it (`cudnn_mode`), as many
layers as there are, and otherwise ONNX's op, one layer. `weights.cell_table` has a row per cell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.errors import (
    InvalidArgumentError,
    UnsupportedError,
    describe,
    did_you_mean,
)
from rnn_compiler.model_import.keras_layers import (
    OnnxFunction,
    activation_attributes,
    onnx_function,
)
from rnn_compiler.model_import.layer import Layer, canonical, checked, cudnn_mode
from rnn_compiler.schema.attributes import Attribute
from rnn_compiler.schema.cudnn_layout import RNN_MODES
from rnn_compiler.weights.cell_arrays import CellArrays, cell_arrays
from rnn_compiler.weights.cell_layout import CellRow
from rnn_compiler.weights.cell_names import FUNCTION, FoundCells, find_cells
from rnn_compiler.weights.cell_table import CELLS
from rnn_compiler.weights.stacked import ArrayReader, checked_layout, pack, reorder_gates

ACTIVATIONS = (
    *("linear", "relu", "elu", "tanh", "sigmoid", "hard_sigmoid", "softsign", "softplus"),
)
"""The functions that a cell may have, by their names in Keras."""

_FORGET_BIAS = Attribute("forget_bias", float, 1.0, "added to f before its activation")
_KINDS = {"lstm": "LSTM", "gru": "GRU", "rnn": "RNN"}
_DEFAULTS = {"lstm": ["Sigmoid", "Tanh", "Tanh"], "gru": ["Sigmoid", "Tanh"], "rnn": ["Tanh"]}
_INPUTS = ("B", "sequence_lens", "initial_h", "initial_c")
_CUDNN_MODES = {"lstm": "lstm", "gru": "gru", "rnn": "rnn_tanh"}


def cells() -> list[str]:
    """The names that `from_cell` knows, framework by framework.

    Example:
        >>> [name for name in cells() if name.startswith("haiku.")]
        ['haiku.LSTM', 'haiku.GRU', 'haiku.VanillaRNN']
    """
    return list(CELLS)


def from_cell(
    name: str,
    parameters: Any,
    *,
    bidirectional: bool | None = None,
    prefix: str | Sequence[str] = "",
    activation: str | None = None,
    recurrent_activation: str | None = None,
    forget_bias: float | None = None,
) -> Layer:
    """The layer that computes what another framework's cell does, with its weights.

    Args:
        name: The cell, by its framework's own name, ``"flax.nnx.GRUCell"``; `cells` lists them.
        parameters: Its arrays, in any tree: ``nnx.state(cell)``, Haiku's parameters, a module of
            Equinox, a state dict, nested dicts. Several layers are a list of these, each feeding
            the next; with bidirectional=True, each layer's forward cell precedes its backward cell.
            Where arrays of one module have numbers of layers, ``weight_ih_l1``, one dict has all.
        bidirectional: Whether each layer runs in both directions; default: only if names say so.
        prefix: Where the cell is in a larger tree, ``"encoder.gru."``; other names are ignored. A
            list, for several cells in one tree, has one prefix for each.
        activation: The function of the candidate value and the output, if it is not the cell's
            default: linear, relu, elu, tanh, sigmoid, hard_sigmoid, softsign or softplus.
        recurrent_activation: The function of the gates, if it is not the cell's default.
        forget_bias: What a cell of TensorFlow 1 adds to its forget gate, if it is not 1.

    Returns:
        A CudnnRNNV3 if it computes the cell, and otherwise ONNX's op. The framework's arrays are
        copied. Its `build` needs ``seq_length`` and ``batch_size``.

    Raises:
        InvalidArgumentError: The cell is not known. Or an array is missing, not known, or has the
            wrong dtype or shape.
        UnsupportedError: No op computes these layers at once.

    Example:
        >>> arrays = {"w_i": np.ones((3, 15)), "w_h": np.ones((5, 15)), "b": np.ones(15)}
        >>> from_cell("haiku.GRU", {"gru": arrays})
        Layer(gru: onnx.GRU float64, seq_length=?, batch_size=?, input_size=3, num_units=5)
    """
    row = CELLS.get(name) if isinstance(name, str) else None  # pyright: ignore
    if row is None:
        remedy = did_you_mean(name, CELLS) or "rc.weights.cells() lists them"
        expected = "a cell of a framework, such as flax.nnx.GRUCell"
        raise InvalidArgumentError(FUNCTION, "name", expected, describe(name), remedy)
    if not isinstance(bidirectional, (bool, np.bool_, type(None))):  # pyright: ignore
        raise InvalidArgumentError(FUNCTION, "bidirectional", "a bool", describe(bidirectional))
    functions = _functions(row, activation, recurrent_activation)
    if forget_bias is not None:
        if not row.forget_bias_varies:
            expected = f"none, as it is no option of {name}"
            raise InvalidArgumentError(FUNCTION, "forget_bias", expected, describe(forget_bias))
        row = replace(row, forget_bias=_FORGET_BIAS.canonical(FUNCTION, forget_bias, "float64"))
    try:
        found = find_cells(name, row, parameters, prefix, bidirectional)
    except InvalidArgumentError as error:
        raise of_another_cell(error, name, parameters, prefix) from error
    cells = _cells(row, found, name)
    _check_chain(cells, found)
    return _layer(row, cells, found.both, functions, found.notes)


def _cells(row: CellRow, found: FoundCells, name: str) -> list[CellArrays]:
    """The arrays of all cells in one form."""
    read = ArrayReader(FUNCTION)
    cells: list[CellArrays] = []
    for number, arrays in enumerate(found.cells):
        try:
            cells.append(cell_arrays(read, row, arrays, found.label(number)))
        except InvalidArgumentError as error:
            raise _with_remedy(error, _remedy(row, arrays, name)) from error
    return cells


def _with_remedy(error: InvalidArgumentError, remedy: str) -> InvalidArgumentError:
    return InvalidArgumentError(error.op, error.argument, error.expected, error.got, remedy)


def of_another_cell(
    error: InvalidArgumentError, name: str, parameters: Any, prefix: str | Sequence[str]
) -> InvalidArgumentError:
    """The error for names of arrays; if a cell of the same framework has them, it says so."""
    if error.remedy or error.argument != "parameters":
        return error
    fitting: list[str] = []
    package = name.rpartition(".")[0]
    for other, row in CELLS.items():
        if other != name and other.rpartition(".")[0] == package:
            with contextlib.suppress(InvalidArgumentError):
                find_cells(other, row, parameters, prefix, None)
                fitting.append(other)
    return _with_remedy(error, f"they are named as in {' or '.join(fitting)}" if fitting else "")


def _remedy(row: CellRow, arrays: Mapping[str, Any], name: str) -> str:
    """What makes shapes fit: transposed arrays, or a cell in another form of the same layer."""
    matrices = [each for each, array in arrays.items() if array.ndim == 2]
    for turned in (*([each] for each in matrices), matrices):
        changed = {each: arrays[each].T for each in turned}
        with contextlib.suppress(InvalidArgumentError):
            cell_arrays(ArrayReader(FUNCTION), row, {**arrays, **changed}, "")
            return f"transpose {', '.join(turned)}" if turned else ""
    twins = [each for each in CELLS if each.partition("(")[0] == name.partition("(")[0]]
    return "; ".join(f"or is it {each}?" for each in twins if each != name)


def _functions(row: CellRow, activation: Any, recurrent: Any) -> list[OnnxFunction]:
    """The functions of one direction, in ONNX's order."""
    if recurrent is not None and row.kind == "rnn":
        expected = "none, as the cell has no gates"
        raise InvalidArgumentError(FUNCTION, "recurrent_activation", expected, describe(recurrent))
    given = {"activation": activation, "recurrent_activation": recurrent}
    found: dict[str, OnnxFunction] = {}
    for argument, value in given.items():
        function = getattr(row, argument) if value is None else value
        if function not in ACTIVATIONS:
            expected = f"one of {', '.join(ACTIVATIONS)}"
            raise InvalidArgumentError(FUNCTION, argument, expected, describe(function))
        known = onnx_function(function, version=3)
        assert known is not None, function
        is_hard = function == "hard_sigmoid"
        found[argument] = OnnxFunction("HardSigmoid", row.slope, 0.5) if is_hard else known
    gates, new = found["recurrent_activation"], found["activation"]
    return {"lstm": [gates, new, new], "gru": [gates, new], "rnn": [new]}[row.kind]


def _check_chain(cells: Sequence[CellArrays], found: FoundCells) -> None:
    """Checks that each layer takes the output of the one before, and all have one size."""
    first, directions = cells[0], 1 + found.both
    for number, each in enumerate(cells):
        inputs = first.inputs if number < directions else directions * first.state
        for what, size, wanted in (
            ("num_units", each.units, first.units),
            ("size of the state", each.state, first.state),
            ("input_size", each.inputs, inputs),
        ):
            if size != wanted:
                expected = f"{what} {wanted} in {found.label(number).rstrip(': ')}"
                raise InvalidArgumentError(FUNCTION, "parameters", expected, str(size))


def _layer(
    row: CellRow,
    cells: Sequence[CellArrays],
    both: bool,
    functions: Sequence[OnnxFunction],
    notes: Sequence[str],
) -> Layer:
    """The layer of some cells, which are consistent."""
    first, directions = cells[0], 1 + both
    op = f"onnx.{_KINDS[row.kind]}"
    inputs = [*_INPUTS, *([] if first.peepholes is None else ["P"])]
    dtype = first.stack.input.dtype.name
    plain = [each.name for each in functions] == _DEFAULTS[row.kind]
    given = {
        **({} if plain else activation_attributes([*functions] * directions)),
        "direction": "bidirectional" if both else "forward",
        "inputs": [each for each in inputs if row.kind == "lstm" or each != "initial_c"],
        **({"linear_before_reset": int(not row.resets_first)} if row.kind == "gru" else {}),
    }
    attributes = canonical(op, given, dtype)
    dims: dict[str, int | None] = {"seq_length": None, "batch_size": None}
    dims |= {"input_size": first.inputs, "num_units": first.units}
    mode = cudnn_mode(op, attributes)
    layers = len(cells) // directions
    projection = first.stack.projection
    if mode is not None:
        layout = checked_layout(
            FUNCTION,
            rnn_mode=mode,
            num_layers=layers,
            num_units=first.units,
            input_size=dims["input_size"],
            bidirectional=both,
            num_proj=0 if projection is None else len(projection),
        )
        op, dims["num_layers"] = "CudnnRNNV3", layers
        attributes = {
            "rnn_mode": mode,
            "direction": "bidirectional" if both else "unidirectional",
            "num_proj": 0 if projection is None else len(projection),
            "is_training": False,
            "time_major": True,
        }
        weights = {"params": pack(layout, [each.stack for each in cells])}
    elif layers > 1 or projection is not None:
        what = f"{layers} layers at once" if layers > 1 else "a projection"
        remedy = "; convert each layer by a call of its own" if layers > 1 else ""
        raise UnsupportedError(
            f"{FUNCTION}: no op computes {what} of a {row.kind} like this one, "
            f"whose op is {op}{remedy}"
        )
    else:
        weights = _onnx_weights(row, cells)
    made = Layer(row.kind, op, attributes, dims, dtype, weights, tuple(notes))
    return checked(made, Path(FUNCTION))


def _onnx_weights(row: CellRow, cells: Sequence[CellArrays]) -> dict[str, Any]:
    """The arrays of ONNX's op: W, R, B and, if there are any, P."""
    order = RNN_MODES[_CUDNN_MODES[row.kind]].onnx
    rows = [
        [reorder_gates(array, 0, row.gates, order) for array in each.stack[:4]] for each in cells
    ]
    w, r, input_bias, bias = (np.stack(arrays) for arrays in zip(*rows, strict=True))
    weights = {"W": w, "R": r, "B": np.concatenate([input_bias, bias], 1)}
    peepholes = [each.peepholes for each in cells if each.peepholes is not None]
    return {**weights, **({"P": np.stack(peepholes)} if peepholes else {})}
