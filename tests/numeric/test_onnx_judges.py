"""ONNX's ops against others: the onnx package's node tests, and ONNX Runtime and onnx.reference.

They need onnx and onnxruntime, and are skipped without.
``TEST_ONNX_SWEEP=200 pytest -m "" ...`` draws 200 configurations instead of the selected ones.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx_reference
import pytest
from numeric.test_onnx import FUNCTIONS, inputs, texts
from onnx_node_tests import node_tests

import rnn_compiler as rc
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of those packages

onnx: Any = pytest.importorskip("onnx", reason="has the node tests and the reference")
helper: Any = pytest.importorskip("onnx.helper")
INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
OUTPUTS = {"LSTM": ("Y", "Y_h", "Y_c"), "GRU": ("Y", "Y_h"), "RNN": ("Y", "Y_h")}
COUNTS = {"LSTM": 3, "GRU": 2, "RNN": 1}
DRAWN = int(os.environ.get("TEST_ONNX_SWEEP", "0"))
TOGETHER = 10
"""The number of configurations per module, which compiles faster than a module for each."""


Call = tuple[str, dict[str, Any], dict[str, Any]]
"""An op, attributes, and inputs by name."""


def compiled(calls: Sequence[Call]) -> list[rc.runtime.Function]:
    """The functions of some calls, with the inputs that each has, compiled together."""
    built: list[tuple[str, dict[str, Any]]] = []
    for number, (kind, attributes, given) in enumerate(calls):
        steps, rows = given["X"].shape[:2][:: -1 if attributes.get("layout") else 1]
        sizes = {"seq_length": steps, "batch_size": rows, "input_size": given["X"].shape[2]}
        sizes["num_units"] = given["R"].shape[2]
        names = [name for name in given if name not in INPUTS[:3]]
        more = {"function": f"case_{number}", "inputs": names}
        built.append((f"onnx.{kind}", {**sizes, **attributes, **more}))
    return [*rc.runtime.load(rc.compile(rc.build(built))).functions.values()]


def test_node_tests() -> None:
    """As they are: a node's attributes and inputs are those of a function."""
    cases, calls = [*node_tests().values()], list[Call]()
    for case in cases:
        (node,), ((given, _),) = case.model.graph.node, case.data_sets
        names = [name for name, text in zip(INPUTS, node.input, strict=False) if text]
        attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        decoded = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
        calls.append((node.op_type, decoded, dict(zip(names, given, strict=True))))
    for case, (*_, named), function in zip(cases, calls, compiled(calls), strict=True):
        (node,), ((_, wanted),) = case.model.graph.node, case.data_sets
        results = function(**named)
        asked = [k for k, text in enumerate(node.output) if text]
        for index, array in zip(asked, wanted, strict=True):
            np.testing.assert_allclose(results[index], array, rtol=1e-5, atol=2e-6)


def configurations(seed: int) -> Iterator[Call]:
    """Ops, attributes and inputs, endlessly; for onnx.reference if ONNX Runtime lacks them."""
    rng = np.random.default_rng(seed)

    def yes(chance: float = 0.5) -> bool:
        return bool(rng.random() < chance)

    for number in itertools.count():
        kind = str(rng.choice(list(OUTPUTS)))
        direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
        attributes: dict[str, Any] = {"direction": direction}
        layout = int(yes(0.25))
        if layout:
            attributes["layout"] = 1
        elif yes(0.7):
            count = COUNTS[kind] * (2 if direction == "bidirectional" else 1)
            names = [str(name) for name in rng.choice(list(ACTIVATIONS), count)]
            attributes["activations"] = names
            for index, parameter in enumerate(("alpha", "beta")):
                numbers = [n for name in names for n in of_function(name)[index]]
                attributes |= {f"activation_{parameter}": numbers} if numbers else {}
        if not layout and yes(0.4):
            attributes["clip"] = float(rng.uniform(0.2, 2.0))
        if kind == "GRU" and yes():
            attributes["linear_before_reset"] = 1
        if kind == "LSTM" and not layout and yes(0.3):
            attributes["input_forget"] = 1
        names = [n for n in INPUTS[3:] if yes() and (kind == "LSTM" or n not in INPUTS[6:])]
        optional = " ".join(n for n in names if not (layout and n == "sequence_lens"))
        sizes = tuple(int(n) for n in rng.integers((1, 1, 1, 1), (8, 6, 9, 20)))
        given = inputs(kind, sizes, optional, seed=number, **attributes)  # type: ignore[arg-type]
        if "sequence_lens" in given:  # a row of none is 0 in ONNX Runtime
            given["sequence_lens"] = np.maximum(given["sequence_lens"], 1)
        yield kind, attributes, given


def of_function(name: str) -> tuple[list[float], list[float]]:
    """Its numbers: those of all functions that have some, as ONNX Runtime has other defaults."""
    known = FUNCTIONS | {
        "LeakyRelu": ([0.2], []),
        "Elu": ([0.8], []),
        "HardSigmoid": ([0.3], [0.4]),
    }
    return known.get(name, ([], []))


def theirs(kind: str, attributes: dict[str, Any], given: dict[str, Any]) -> list[Any]:
    """Results of a node by other implementations."""
    ort: Any = pytest.importorskip("onnxruntime")
    names = [name if name in given else "" for name in INPUTS]
    while not names[-1]:
        names.pop()
    hidden = given["R"].shape[2]
    node = helper.make_node(kind, names, OUTPUTS[kind], hidden_size=hidden, **attributes)
    float32, int32 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT32
    rows = [
        helper.make_tensor_value_info(n, int32 if n == "sequence_lens" else float32, a.shape)
        for n, a in given.items()
    ]
    made = [helper.make_tensor_value_info(name, float32, None) for name in OUTPUTS[kind]]
    graph = helper.make_graph([node], kind, rows, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    model.ir_version = 10
    if attributes.get("layout"):
        evaluator: Any = pytest.importorskip("onnx.reference").ReferenceEvaluator
        return evaluator(model).run(None, given)
    ort.set_default_logger_severity(3)
    return ort.InferenceSession(model.SerializeToString()).run(None, given)


CHOSEN = {0: (0, 1, 2, 3, 4, 5, 8), 1: (0, 1, 4, 5, 7, 8), 2: (0, 8), 3: (4, 6)}
"""Those of the first 40 that have every pair of traits that one of the 40 has, by seed."""


def part_of(seed: int) -> list[Call]:
    return list(itertools.islice(configurations(seed), TOGETHER))


def pairs(kind: str, attributes: dict[str, Any], given: dict[str, Any]) -> set[frozenset[Any]]:
    """Every pair of a configuration's traits."""
    traits: dict[str, Any] = {"kind": kind, "direction": attributes["direction"]}
    traits |= {name: attributes.get(name, 0) for name in ("layout", "linear_before_reset")}
    traits |= {name: name in attributes for name in ("input_forget", "clip", "activations")}
    traits |= {name: name in given for name in INPUTS[3:]}
    return {frozenset(pair) for pair in itertools.combinations(traits.items(), 2)}


@pytest.mark.skipif(DRAWN > 0, reason="of the configurations that are chosen")
def test_every_pair_of_traits_is_compared() -> None:
    parts = {seed: [pairs(*row) for row in part_of(seed)] for seed in CHOSEN}
    compared = [parts[seed][number] for seed, numbers in CHOSEN.items() for number in numbers]
    assert set().union(*compared) == set().union(*itertools.chain(*parts.values()))


def groups() -> list[list[tuple[int, int]]]:
    """Configurations that are compiled together: seeds, and which one of each."""
    if DRAWN:
        return [[(seed, k) for k in range(TOGETHER)] for seed in range(-(-DRAWN // TOGETHER))]
    chosen = [(seed, number) for seed, numbers in CHOSEN.items() for number in numbers]
    return [chosen[k : k + TOGETHER] for k in range(0, len(chosen), TOGETHER)]


@pytest.mark.parametrize("group", groups(), ids=lambda group: f"{group[0]}-{group[-1]}")
def test_any_configuration(group: list[tuple[int, int]]) -> None:
    """Compiled together, with the inputs that each has."""
    pytest.importorskip("onnxruntime")  # before anything is compiled
    parts = {seed: part_of(seed) for seed, _ in group}
    calls = [parts[seed][number] for seed, number in group]
    for (kind, attributes, given), function in zip(calls, compiled(calls), strict=True):
        results = function(**given)
        exact = onnx_reference.forward(kind, **given, **texts(attributes))
        largest = max(float(np.abs(each).max()) for each in exact.values())
        if largest > 100:  # unbounded functions: what rounding does grows as the numbers do
            continue
        others = theirs(kind, attributes, given)
        for name, one, other in zip(OUTPUTS[kind], results, others, strict=True):
            what = kind, name, attributes
            assert np.abs(one - exact[name]).max() <= 2e-5 * max(1.0, largest), what
            if "Softplus" in attributes.get("activations", []):  # ONNX Runtime's overflows
                other = np.where(np.isfinite(other), other, one)
            assert np.abs(one - other).max() <= 2e-5 * max(1.0, largest), what
