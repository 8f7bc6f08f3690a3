"""Attention, as ONNX Runtime computes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError

pytest.importorskip("onnx")

from execution import each_language
from onnx import TensorProto, helper
from quick import first

from tests.network_import.graphs import by_runtime, model, saved, weight

JOINED: dict[str, Any] = {"q": ["N", "T", 16], "k": ["N", "T", 8], "v": ["N", "T", 8]}
FOUR: dict[str, Any] = {"q": ["N", 4, "T", 4], "k": ["N", 4, "S", 4], "v": ["N", 4, "S", 3]}
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}
SIZES = {"N": 2, "T": 5, "S": 6}
MASK = np.tri(5, dtype=bool)[::-1] & (np.arange(5) != 2)[:, None]
"""Its third row leaves out every step."""


def attention(shapes: Any, *, mask: int | None = None, **attributes: Any) -> Any:
    names, given, kinds = [*shapes], dict(shapes), {}
    if mask is not None:
        length = shapes["q"][1]
        names, given, kinds = [*names, "m"], given | {"m": [length, length]}, {"m": mask}
    node = helper.make_node("Attention", names, ["y"], name="mine", **attributes)
    return model([node], given, ["y"], {}, opset=23, dtypes=kinds)


FORMS: list[tuple[Any, int | None, Any]] = [
    (JOINED, TensorProto.BOOL, HEADS | {"is_causal": 1}),
    (JOINED, TensorProto.FLOAT, HEADS | {"scale": 0.3}),
    (FOUR, None, {}),
    (FOUR, None, {"is_causal": 1}),
]


@each_language
@pytest.mark.parametrize("forms", first([FORMS[:1], FORMS[1:]]))
@pytest.mark.parametrize("axes", first(["open", "known"]))
def test_numbers(forms: list[tuple[Any, int | None, Any]], axes: str, agree: Any) -> None:
    cases: list[Any] = []
    for shapes, mask, attributes in forms:
        sized = {name: [SIZES.get(n, n) for n in shape] for name, shape in shapes.items()}
        given = {name: weight(*shape, scale=1) for name, shape in sized.items()}
        if mask is not None:
            given["m"] = MASK if mask == TensorProto.BOOL else weight(5, 5)
        each = shapes if axes == "open" else sized
        cases.append((attention(each, mask=mask, **attributes), [given]))
    agree(cases, judge=by_runtime, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"softcap": 2.0, **HEADS}, "expected float32 without softcap"),
        ({"q_num_heads": 4, "kv_num_heads": 3}, "expected heads in groups of equal size"),
    ],
)
def test_other_forms(given: Any, message: str, tmp_path: Path) -> None:
    shapes = JOINED | ({"k": ["N", "T", 12], "v": ["N", "T", 12]} if "softcap" not in given else {})
    path = saved(attention(shapes, **given), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=rf"'mine' \(Attention\): {message}.*; export"):
        rc.import_network(path)
