"""What networks compute at small open sizes, if they compare these with a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution import ways

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import close, loaded, model, saved, weight


@pytest.mark.slow
@ways("direct", "c", "js", quick=("c",))
def test_sizes_on_both_sides_of_a_number(agrees: Any) -> None:
    """Padding to nine rows, at either end, is negative for more; a condition is true for fewer."""
    none, value = [0], np.float32(0.5)
    nodes = [
        helper.make_node("Shape", ["x"], ["rows"], start=1, end=2),
        helper.make_node("Sub", ["nine", "rows"], ["more"]),
        helper.make_node("Concat", ["none", "none", "none", "none", "more", "none"], ["e"], axis=0),
        helper.make_node("Concat", ["none", "more", "none", "none", "none", "none"], ["b"], axis=0),
        helper.make_node("Pad", ["x", "e", "value"], ["behind"]),
        helper.make_node("Pad", ["x", "b"], ["before"]),
        helper.make_node("Less", ["rows", "five"], ["is_short"]),
        helper.make_node("Where", ["is_short", "x", "z"], ["one"]),
    ]
    weights = {"nine": np.array([9]), "five": np.array([5]), "none": np.array(none), "value": value}
    inputs = {"x": ["batch", "time", 3], "z": ["batch", "time", 3]}
    made = model(nodes, inputs, ["behind", "before", "one"], weights)

    def judged(_: Any, given: dict[str, Any]) -> list[Any]:
        x, z = given["x"], given["z"]
        behind = np.concatenate([x, np.full((len(x), 9, 3), value)], axis=1)[:, :9]
        before = np.concatenate([np.zeros((len(x), 9, 3), np.float32), x], axis=1)[:, -9:]
        return [behind, before, x if x.shape[1] < 5 else z]

    calls = ({"x": weight(2, n, 3), "z": weight(2, n, 3)} for n in (1, 4, 5, 8, 9, 10, 70))
    agrees(made, *calls, judge=judged, rtol=0, atol=0)


def test_a_number_that_changes_at_a_size(tmp_path: Path) -> None:
    """Where it cannot be computed in calls, those of smaller sizes are refused."""
    nodes = [
        helper.make_node("Shape", ["x"], ["rows"], start=0, end=1),
        helper.make_node("Min", ["rows", "five"], ["count"]),
        helper.make_node("Cast", ["count"], ["scale"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x", "scale"], ["y"]),
    ]
    made = model(nodes, {"x": ["time", 3]}, ["y"], {"five": np.array([5])})
    run, x = loaded(rc.import_network(saved(made, tmp_path / "m.onnx"))), weight(5, 3)
    close(run(x=x).y, 5 * x)
    with pytest.raises(InvalidArgumentError, match=r"'x': expected shape .*time in 5\.\."):
        run(x=x[:4])
