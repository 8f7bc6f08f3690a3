"""The gradients of the filters of convolutions, which are dispatches of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from execution import Execute, ways
from onnx import helper

from rnn_compiler.compilation import lowered_text
from rnn_compiler.linking import linked_network
from rnn_compiler.lowering.networks.from_onnx import linalg_of_onnx
from tests.network_import.gradients import backward, results
from tests.network_import.graphs import model, weight

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "rows of whole vectors": ((2, 8, 9, 32), (16, 8, 3, 3), {"pads": [1, 1, 1, 1]}),
    "vectors of several rows": ((3, 10, 9, 11), (13, 10, 3, 2), {"pads": [1, 0, 0, 1]}),
    "steps of two": ((2, 8, 20, 33), (9, 8, 3, 5), {"strides": [2, 2], "pads": [1, 2, 0, 2]}),
    "steps in rows of whole vectors": ((1, 9, 21, 34), (8, 9, 3, 3), {"strides": [2, 1]}),
    "elements apart": ((2, 8, 13, 14), (8, 8, 3, 3), {"dilations": [2, 3], "pads": [2, 3, 2, 3]}),
    "elements that no window reads": ((2, 8, 12, 24), (8, 8, 3, 3), {"strides": [2, 2]}),
    "a channel": ((4, 1, 12, 20), (32, 1, 3, 3), {"pads": [1, 1, 1, 1]}),
    "less than a vector": ((40, 8, 4, 6), (16, 8, 3, 3), {}),
    "blocks of images": ((5, 2, 66, 66), (9, 2, 3, 3), {}),
    "a sequence": ((3, 24, 131), (19, 24, 5), {"strides": [2], "pads": [2, 3]}),
    "a sequence of whole vectors": ((4, 12, 36), (8, 12, 5), {}),
    "windows of one number": ((2, 16, 8, 9), (32, 16, 1, 1), {}),
    "channels left over": ((2, 17, 8, 8), (8, 17, 3, 3), {"pads": [1, 1, 1, 1]}),
}
"""The sizes of images and filters, and the attributes."""

QUICK = ("steps of two", "blocks of images", "a sequence", "channels left over")

OTHERS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "groups": ((2, 8, 12, 12), (16, 4, 3, 3), {"group": 2}),
    "steps of three": ((2, 8, 12, 40), (16, 8, 3, 3), {"strides": [1, 3]}),
    "wide windows": ((4, 2, 200), (16, 2, 33), {}),
    "few numbers": ((1, 2, 5, 5), (2, 2, 3, 3), {}),
}
"""The same of convolutions whose gradients are no dispatches."""


def gradients(names: Iterable[str], folder: Path) -> tuple[rc.Module, list[tuple[Any, Any]]]:
    """A module with a function for each case; the arguments and the result of each."""
    models: dict[str, Any] = {}
    calls: list[tuple[Any, Any]] = []
    for number, name in enumerate(names):
        images, filters, attributes = {**CASES, **OTHERS}[name]
        node = helper.make_node("Conv", ["x", "w"], ["y"], name="conv", **attributes)
        one = model([node], {"x": images, "w": filters}, ["y"], {})
        made = backward(one, ["w"], folder)
        given = {each.name: weight(*(d.dim_value for d in each.type.tensor_type.shape.dim))
                 for each in made.graph.input}  # fmt: skip
        models[f"f{number}"] = made
        calls.append((given, results(made, given)[0]))
    return linked_network(linalg_of_onnx(models, "gradients")), calls


@pytest.mark.slow
@pytest.mark.parametrize(("names", "target"), [((*CASES, *OTHERS), "cpu"), (CASES, "cpu:generic")])
def test_every_kind(names: Iterable[str], target: str, tmp_path: Path) -> None:
    module, calls = gradients(names, tmp_path)
    program = rc.runtime.load(rc.compile(module, target), device="local-sync")
    for number, (name, (given, want)) in enumerate(zip(names, calls, strict=True)):
        found = getattr(program, f"f{number}")(**_named(module, number, given))[0]
        np.testing.assert_allclose(found, want, 1e-4, 1e-4, err_msg=name)


def _named(module: rc.Module, number: int, given: dict[str, Any]) -> dict[str, Any]:
    arguments = module.functions[number].arguments
    return {each.name: array for each, array in zip(arguments, given.values(), strict=True)}


@pytest.mark.slow
@ways("c", "js", "cortex-m4")
def test_other_targets(execute: Execute, tmp_path: Path) -> None:
    module, calls = gradients(QUICK, tmp_path)
    for number, (given, want) in enumerate(calls):
        (found,) = execute(module, _named(module, number, given), number).values()
        np.testing.assert_allclose(found, want, 1e-4, 1e-4, err_msg=QUICK[number])


def test_which_are_dispatches(tmp_path: Path) -> None:
    module, _ = gradients((*CASES, *OTHERS), tmp_path)
    text = lowered_text(module, "cpu:x86-64-v3", last="filter_gradients")
    assert text.count("call @filter_gradient_") == len(CASES)
    assert text.count("linalg.conv") == len(OTHERS)
