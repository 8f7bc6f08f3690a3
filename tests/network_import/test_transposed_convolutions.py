"""Transposed convolutions, with groups and padding that IREE's importer does not take."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("onnx")

from execution import Execute, each_language
from onnx import helper

import rnn_compiler as rc
from tests.network_import.graphs import expected, folded, model, saved, weight


class Case(NamedTuple):
    """The shapes of an array and its filters, attributes, and the padding that these mean."""

    given: tuple[int, ...]
    filters: tuple[int, ...]
    attributes: dict[str, Any]
    pads: tuple[int, ...] = ()


CASES = {
    "depthwise": Case((2, 4, 7), (4, 1, 3), {"group": 4, "strides": [2]}),
    "two results of each channel": Case((2, 4, 7), (4, 2, 3), {"group": 4, "strides": [2]}),
    "two axes": Case(
        (1, 4, 5, 6),
        (4, 1, 3, 2),
        {"group": 4, "strides": [2, 3], "output_padding": [1, 2], "dilations": [2, 1]},
        (1, 0, 0, 1),
    ),
    "groups, padding on one side": Case(
        (1, 4, 5, 6), (4, 3, 3, 2), {"group": 2, "strides": [2, 3]}, (1, 0, 0, 1)
    ),
    "more zeros behind": Case(
        (1, 4, 5), (4, 1, 2), {"group": 4, "strides": [3], "output_padding": [2]}
    ),
    "one number, less behind": Case((1, 4, 5), (4, 3, 1), {"strides": [2]}, (0, 1)),
    "more padding than the filter reaches": Case((1, 4, 9), (4, 3, 3), {}, (3, 2)),
    "the odd one behind": Case(
        (1, 4, 5), (4, 1, 3), {"group": 4, "strides": [2], "auto_pad": "SAME_UPPER"}, (0, 1)
    ),
    "the odd one before": Case(
        (1, 4, 5), (4, 1, 3), {"group": 4, "strides": [2], "auto_pad": "SAME_LOWER"}, (1, 0)
    ),
    "a given shape": Case((1, 4, 5), (4, 3, 3), {"strides": [2], "output_shape": [10]}, (1, 0)),
    "left to IREE": Case((1, 4, 7), (4, 3, 3), {"strides": [2]}, (1, 1)),
}


def transposed(x: Any, w: Any, b: Any, case: Case) -> Any:
    """Adds each element times the filters to the elements of the result that these cover."""
    count, groups = x.ndim - 2, case.attributes.get("group", 1)
    ones, none = [1] * count, [0] * count
    strides, dilations = (case.attributes.get(name, ones) for name in ("strides", "dilations"))
    more, pads = case.attributes.get("output_padding", none), case.pads or 2 * count * (0,)
    whole = [
        (n - 1) * s + (k - 1) * d + 1 + e
        for n, k, s, d, e in zip(x.shape[2:], w.shape[2:], strides, dilations, more, strict=True)
    ]
    y = np.zeros((x.shape[0], groups * w.shape[1], *whole))
    inside = x.shape[1] // groups
    for place in itertools.product(*map(range, x.shape[2:])):
        for tap in itertools.product(*map(range, w.shape[2:])):
            at = tuple(
                p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations, strict=True)
            )
            for g in range(groups):
                rows, made = (slice(g * n, (g + 1) * n) for n in (inside, w.shape[1]))
                y[(slice(None), made, *at)] += x[(slice(None), rows, *place)] @ w[(rows, ..., *tap)]
    cut = [slice(pads[k], size - pads[k + count]) for k, size in enumerate(whole)]
    return y[(..., *cut)] + b.reshape(-1, *ones)


def network() -> tuple[Any, dict[str, Any], list[Any]]:
    """A network with all cases, inputs for it, and its results."""
    nodes: list[Any] = []
    inputs: dict[str, Any] = {}
    weights: dict[str, Any] = {}
    wanted: list[Any] = []
    for k, case in enumerate(CASES.values()):
        x, w = weight(*case.given), weight(*case.filters)
        b = weight(case.attributes.get("group", 1) * w.shape[1])
        implied = {"auto_pad", "output_shape"}.intersection(case.attributes)
        pads = {"pads": case.pads} if case.pads and not implied else {}
        names = [f"x{k}", f"w{k}", f"b{k}"]
        made = helper.make_node(
            "ConvTranspose", names, [f"y{k}"], f"n{k}", **case.attributes, **pads
        )
        nodes.append(made)
        inputs[names[0]] = x
        weights |= {names[1]: w, names[2]: b}
        wanted.append(transposed(x, w, b, case))
    shapes = {name: array.shape for name, array in inputs.items()}
    return model(nodes, shapes, [f"y{k}" for k in range(len(CASES))], weights), inputs, wanted


MODEL, INPUTS, WANTED = network()


def test_they_become_convolutions(tmp_path: Path) -> None:
    graph = folded(MODEL, tmp_path / "m.onnx")
    assert [node.op_type for node in graph.proto.node].count("ConvTranspose") == 1
    found = expected(graph.model, INPUTS)
    for name, got, wanted in zip(CASES, found, WANTED, strict=True):
        assert got.shape == wanted.shape, name
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.slow
@each_language
def test_compiled(execute: Execute, tmp_path: Path) -> None:
    module = rc.import_network(saved(MODEL, tmp_path / "m.onnx"))
    found = execute(module, INPUTS).values()
    for name, got, wanted in zip(CASES, found, WANTED, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.slow
@each_language
def test_open_sizes(execute: Execute, tmp_path: Path) -> None:
    case = CASES["depthwise"]
    w, b = weight(*case.filters), weight(4)
    names = ["x", "w", "b"]
    node = helper.make_node("ConvTranspose", names, ["y"], "n", **case.attributes)
    made = model([node], {"x": ["batch", 4, "length"]}, ["y"], {"w": w, "b": b})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    for shape in ((2, 4, 7), (1, 4, 1)):
        x = weight(*shape)
        wanted = transposed(x, w, b, case)
        np.testing.assert_allclose(execute(module, {"x": x})["y"], wanted, rtol=1e-5, atol=1e-5)
