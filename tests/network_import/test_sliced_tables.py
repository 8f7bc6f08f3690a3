"""Constant tables of which an open size says how many rows are taken, as learned positions are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import each_language

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError

pytest.importorskip("onnx")

import onnx
from onnx import helper

from tests.network_import.graphs import close, expected, loaded, model, saved, weight


def positions(rows: int, *, first: int = 0) -> Any:
    """Adds a row of a table to each step, after as many that are left out."""
    made = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Add", ["s", "first"], ["end"]),
        helper.make_node("Slice", ["table", "first", "end", "one"], ["p"], name="positions"),
        helper.make_node("Add", ["x", "p"], ["y"]),
    ]
    numbers = {"first": np.array([first]), "one": np.array([1]), "table": weight(1, rows, 3)}
    return model(made, {"x": ["batch", "time", 3]}, ["y"], numbers)


@pytest.mark.slow
@each_language
@pytest.mark.parametrize(("rows", "first"), [(40, 0), (2000, 5)])
def test_as_many_rows_as_steps(rows: int, first: int, agrees: Any) -> None:
    """Tables may be smaller and larger than the sizes at which the import looks at a graph."""
    calls = [{"x": weight(2, T, 3)} for T in (1, 7, rows - first)]
    assert agrees(positions(rows, first=first), *calls).functions[0].maxima == {
        "time": rows - first
    }


@pytest.mark.slow
def test_more_steps_than_rows(tmp_path: Path) -> None:
    module = rc.import_network(saved(positions(9), tmp_path / "m.onnx"))
    rc.compile(module).save(tmp_path / "m.vmfb")
    with pytest.raises(InvalidArgumentError, match=r"'x': expected .* time in 1\.\.9, got"):
        rc.runtime.load(tmp_path / "m.vmfb")(x=weight(2, 10, 3))
    source = rc.compile_c(module)
    assert re.search(r"int64_t time; +/\* from 1 to 9 \*/", source.header)
    assert ".time = 9," in source.header, "the example"


@pytest.mark.slow
def test_a_table_that_is_taken_whole(tmp_path: Path) -> None:
    """Constant sizes may ask for more rows than there are."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Slice", ["table", "zero", "s", "one"], ["p"]),
        helper.make_node("Concat", ["p", "x"], ["y"], axis=1),
    ]
    numbers = {"zero": np.array([0]), "one": np.array([1]), "table": weight(1, 4, 3)}
    made = model(nodes, {"x": [1, 7, "width"]}, ["y"], numbers)
    x = weight(1, 7, 3)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"), dims={"width": 3})
    close(loaded(module)(x=x).y, expected(made, {"x": x})[0])
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    made.graph.node[2].CopyFrom(helper.make_node("Concat", ["x", "x"], ["y"], axis=1))
    made.graph.output.append(onnx.ValueInfoProto(name="p", type=made.graph.output[0].type))
    module = rc.import_network(saved(made, tmp_path / "m.onnx"), dims={"width": 3})
    assert loaded(module)(x=weight(2, 7, 3)).p.shape == (1, 4, 3)


def test_as_many_rows_as_two_sizes_say(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Concat", ["x", "z"], ["both"], axis=1),
        helper.make_node("Shape", ["both"], ["s"], start=1, end=2),
        helper.make_node("Slice", ["table", "zero", "s", "one"], ["p"], name="positions"),
        helper.make_node("Add", ["both", "p"], ["y"]),
    ]
    numbers = {"zero": np.array([0]), "one": np.array([1]), "table": weight(1, 400, 3)}
    made = model(nodes, {"x": [1, "a", 3], "z": [1, "b", 3]}, ["y"], numbers)
    path = saved(made, tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'positions' \(Slice\) .*400 .* axis 'a' cannot"):
        rc.import_network(path)
    assert rc.import_network(path, dims={"a": 3}).functions[0].maxima == {"b": 397}
