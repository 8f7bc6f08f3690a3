"""Layers of loops whose step is that of a cell.

They are what the layers of `.keras` files become: CudnnRNNV3, or ONNX's op if that does not compute
the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rnn_compiler.model_import.keras_layers import activation_attributes
from rnn_compiler.model_import.layer import Layer, canonical, checked, cudnn_mode
from rnn_compiler.model_import.loop_cells import Cell, UnknownCellError, onnx_weights
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.weights import from_onnx

REVERSED = "the model reverses the input: pass the steps of each row from its last to its first"

HALVES = {
    "forward": "the model appends the output of backward to its output",
    "backward": "its output is in the order of its input: reverse it, unless the model uses its "
    "last step alone, and append it to that of forward",
}
"""Notes on the halves of a bidirectional layer."""


def layer_of(
    cell: Cell,
    name: str,
    time_axis: int,
    shape: tuple[int | None, int | None],
    notes: Callable[[bool], Iterable[str]],
    path: Path,
) -> Layer:
    """The layer of a loop.

    Args:
        cell: The cell of its step.
        name: The layer's name.
        time_axis: Which axis of the model's input are the steps.
        shape: The number of steps, and the batch size.
        notes: Makes the notes, given whether the op is CudnnRNNV3, whose arguments have other names
            than those of ONNX's ops.
        path: The file, for messages.

    Raises:
        UnknownCellError: Its matrices are of a type that no op has.
    """
    W, R, B = onnx_weights(cell)
    dtype: str = W.dtype.name
    if dtype not in FLOAT_DTYPES:
        raise UnknownCellError(f"matrices of {dtype}")
    kind = f"onnx.{cell.operator}"
    inputs = ["B", "sequence_lens", "initial_h", *(["initial_c"] if len(cell.states) > 1 else [])]
    plain = {"inputs": inputs, "layout": time_axis}
    if cell.operator == "GRU":
        plain["linear_before_reset"] = int(cell.state_bias is not None)
    attributes = canonical(kind, {**plain, **activation_attributes(cell.functions)}, dtype)
    dims: dict[str, int | None] = {
        **{"seq_length": shape[0], "batch_size": shape[1]},
        **{"input_size": W.shape[-1], "num_units": R.shape[-1]},
    }
    mode = cudnn_mode(kind, attributes)
    weights: dict[str, Any] = {"W": W, "R": R, "B": B}
    if mode is not None:
        attributes = {
            **{"rnn_mode": mode, "direction": "unidirectional", "is_training": False},
            "time_major": not time_axis,
        }
        kind, dims["num_layers"] = "CudnnRNNV3", 1
        weights = {"params": from_onnx(W, R, B, rnn_mode=mode)}
    told = tuple(notes(mode is not None))
    return checked(Layer(name, kind, attributes, dims, dtype, weights, told), path)
