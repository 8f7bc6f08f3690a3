"""Cells made of ordinary ops are recognised only if each of their ops is as expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_import.files import FILES

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.messages import parse

LSTM, GRU = "first/while/basic_lstm_cell", "second/while/gru_cell"
CELLS = [LSTM, GRU, "third/while/lstm_cell", "fourth/while/lstm_cell"]


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> list[str]:
    """The layers of a graph of four cells of which a node is changed."""
    path = folder / "model.pb"
    made = parse("Graph", (FILES / "cells_frozen.pb").read_bytes(), path)
    change({node.name: node for node in made.node})
    path.write_bytes(made.SerializeToString())
    return [layer.name for layer in rc.import_model(path)]


def op(name: str, value: str) -> Callable[[dict[str, Any]], object]:
    def change(nodes: dict[str, Any]) -> None:
        nodes[name].op = value

    return change


def inputs(name: str, *values: str) -> Callable[[dict[str, Any]], object]:
    def change(nodes: dict[str, Any]) -> None:
        del nodes[name].input[:]
        nodes[name].input.extend(values)

    return change


def constant(name: str, value: Any) -> Callable[[dict[str, Any]], object]:
    def change(nodes: dict[str, Any]) -> None:
        for attribute in nodes[name].attr:
            if attribute.key == "value":
                held = attribute.value.tensor
                held.Clear()
                held.dtype = 1 if isinstance(value, float) else 3
                held.content = np.array(
                    value, np.float32 if held.dtype == 1 else np.int32
                ).tobytes()

    return change


def both(*changes: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    def change(nodes: dict[str, Any]) -> None:
        for each in changes:
            each(nodes)

    return change


def test_as_it_is(tmp_path: Path) -> None:
    assert changed(tmp_path, lambda nodes: None) == CELLS
    swapped = inputs(f"{LSTM}/Mul_2", f"{LSTM}/Sigmoid_2", f"{LSTM}/Tanh_1")
    summed = inputs(f"{GRU}/add", f"{GRU}/mul_2", f"{GRU}/mul_1")
    assert changed(tmp_path, both(swapped, summed)) == CELLS, "the order of sums and products"


@pytest.mark.parametrize(
    ("cell", "change"),
    [
        (LSTM, op(f"{LSTM}/Tanh", "Relu")),
        (LSTM, op(f"{LSTM}/Tanh_1", "Relu")),
        (LSTM, op(f"{LSTM}/Sigmoid_1", "HardSigmoid")),
        (LSTM, op(f"{LSTM}/Add_1", "Sub")),
        (LSTM, op(f"{LSTM}/Mul_1", "Maximum")),
        (LSTM, inputs(f"{LSTM}/Tanh", f"{LSTM}/split")),
        (LSTM, inputs(f"{LSTM}/Sigmoid_2", f"{LSTM}/split:2")),
        (LSTM, inputs(f"{LSTM}/Add", f"{LSTM}/split:2", f"{LSTM}/split:2")),
        (LSTM, inputs(f"{LSTM}/Tanh_1", f"{LSTM}/Mul_1")),
        (LSTM, constant(f"{LSTM}/concat/axis", 0)),
        (LSTM, constant(f"{LSTM}/Const", 0)),
        (GRU, op(f"{GRU}/Tanh", "Relu")),
        (GRU, op(f"{GRU}/Sigmoid", "Relu")),
        (GRU, constant(f"{GRU}/sub/x", 2.0)),
        (GRU, inputs(f"{GRU}/mul", f"{GRU}/split:1", "second/while/Identity_3")),
        (GRU, inputs(f"{GRU}/mul_1", f"{GRU}/split:1", f"{GRU}/Tanh")),
        (GRU, inputs(f"{GRU}/sub", f"{GRU}/split:1", f"{GRU}/sub/x")),
        (GRU, inputs(f"{GRU}/mul_1", f"{GRU}/split", "second/while/Identity_3")),
        (GRU, inputs(f"{GRU}/concat_1", f"{GRU}/mul", f"{GRU}/mul", f"{GRU}/concat_1/axis")),
        (GRU, inputs(f"{GRU}/MatMul", f"{GRU}/concat")),
    ],
)
def test_what_is_no_cell(cell: str, change: Any, tmp_path: Path) -> None:
    """It is not found, or found and refused by name."""
    others = [name for name in CELLS if name != cell]
    try:
        found, message = changed(tmp_path, change), ""
    except UnsupportedError as error:
        found, message = others, str(error)
    assert found == others
    if message:
        assert message.startswith(f"import_model: {cell} has ")
        assert f"with layers={others}" in message
