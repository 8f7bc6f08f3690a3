"""Layers of loops whose step is that of a cell.

They are what the layers of `.keras` files become: CudnnRNNV3, or ONNX's op if that does not compute
the cell. Two loops that read the same sequence in both directions are one layer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rnn_compiler.model_import.cell_search import function_attributes
from rnn_compiler.model_import.keras_layers import notes_on_masks
from rnn_compiler.model_import.layer import (
    CUDNN_NAMES,
    ONNX_NAMES,
    STREAMED,
    Layer,
    canonical,
    checked,
    cudnn_mode,
)
from rnn_compiler.model_import.loop_cells import LoopCell, onnx_weights
from rnn_compiler.weights import from_onnx

REVERSED = "the model reverses the input: pass the steps of each row from its last to its first"

HALVES = {
    "forward": "the model appends the output of backward to its output",
    "backward": "its output is in the order of its input: reverse it, unless the model uses its "
    "last step alone, and append it to that of forward",
}
"""Notes on the halves of a bidirectional layer."""

BOTH = (
    "both directions of a layer, which are loops of their own in the model; it combines their "
    "outputs, side by side unless merge_mode says otherwise; here both have the order of the input"
)
"""A note on two loops that are one layer."""


@dataclass(frozen=True, eq=False)
class DirectedLoop:
    """A loop, of which another one may be the other direction.

    Attributes:
        cell: The cell of its step.
        sequence: What stands for the array that it reads, in whichever direction.
        is_reversed: Whether it reads that from the last step to the first.
        starts: What each state is before the first step, unless it is zeros: ``"kept"`` from call
            to call, a ``"constant"``, or ``"passed"``.
    """

    cell: LoopCell
    sequence: Hashable
    is_reversed: bool
    starts: Sequence[str]


D = TypeVar("D", bound=DirectedLoop)


def joined(loops: Sequence[D]) -> list[tuple[D, ...]]:
    """Loops, and pairs of them that are both directions of a layer, forward first.

    These have the same cell, but for its numbers, and read the same sequence. Of several loops the
    nearest one is the other direction.
    """
    others: dict[D, D] = {}
    for k, backward in enumerate(loops):
        alike = [
            (abs(place - k), place, each)
            for place, each in enumerate(loops)
            if backward.is_reversed and not each.is_reversed and each not in others
            if each.sequence == backward.sequence and _form(each.cell) == _form(backward.cell)
        ]
        if alike:
            forward = min(alike)[2]
            others |= {forward: backward, backward: forward}
    pairs = [(each, others[each]) if each in others else (each,) for each in loops]
    return [pair for pair in pairs if len(pair) == 1 or not pair[0].is_reversed]


def _form(cell: LoopCell) -> Hashable:
    """A cell without its numbers."""
    found = cell.found
    form = found.operator, (*found.functions,), found.is_linear_before_reset
    return form, found.x.width, found.h.width, cell.dtype.name, cell.mask is None


def layer_of(
    loops: Sequence[DirectedLoop],
    name: str,
    time_axis: int,
    shape: tuple[int | None, int | None],
    notes: Iterable[str],
    path: Path,
) -> Layer:
    """The layer of a loop, or of both that `joined` found.

    The shape is the number of steps and the batch size.
    """
    columns = zip(*(onnx_weights(each.cell) for each in loops), strict=True)
    arrays: list[Any] = [np.concatenate(each) for each in columns]
    W, R, B = arrays
    cell, is_both = loops[0].cell.found, len(loops) > 1
    dtype: str = W.dtype.name
    kind = f"onnx.{cell.operator}"
    inputs = ["B", "sequence_lens", "initial_h", *(["initial_c"] if cell.c is not None else [])]
    plain = {"inputs": inputs, "layout": time_axis}
    plain |= {"direction": "bidirectional"} if is_both else {}
    if cell.operator == "GRU":
        plain["linear_before_reset"] = int(cell.is_linear_before_reset)
    functions = [function for each in loops for function in each.cell.found.functions]
    attributes = canonical(kind, {**plain, **function_attributes(functions)}, dtype)
    dims: dict[str, int | None] = {
        **{"seq_length": shape[0], "batch_size": shape[1]},
        **{"input_size": W.shape[-1], "num_units": R.shape[-1]},
    }
    mode = cudnn_mode(kind, attributes)
    weights: dict[str, Any] = {"W": W, "R": R, "B": B}
    if mode is not None:
        attributes = {
            "rnn_mode": mode,
            "direction": "bidirectional" if is_both else "unidirectional",
            **{"is_training": False, "time_major": not time_axis},
        }
        kind, dims["num_layers"] = "CudnnRNNV3", 1
        weights = {"params": from_onnx(W, R, B, rnn_mode=mode)}
    names = ONNX_NAMES if mode is None else CUDNN_NAMES
    told = (*([BOTH] if is_both else []), *_notes(loops, names), *notes)
    return checked(Layer(name, kind, attributes, dims, dtype, weights, told), path)


def _notes(loops: Sequence[DirectedLoop], names: Mapping[str, str]) -> Iterable[str]:
    """What the model does before the first step, in terms of an op's names."""
    first = loops[0]
    if first.is_reversed:
        yield REVERSED if first.cell.mask is None else f"{REVERSED}, masked ones at the end"
    if first.cell.mask is not None:
        yield from notes_on_masks(["the model masks steps"], names)
    yield from dict.fromkeys(note for each in loops for note in _starting(each.starts, names))


def _starting(starts: Sequence[str], names: Mapping[str, str]) -> Iterable[str]:
    """What the states of a loop are before the first step."""
    for state, start in zip(("initial_h", "initial_c"), starts, strict=False):
        if start == "kept":
            yield f"stateful: pass the states that a call gives to the next{STREAMED}"
            break
        if start:
            always = ": always the same array" if start == "constant" else ""
            yield f"the model passes an initial state, which is {names[state]}{always}"
