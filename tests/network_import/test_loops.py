"""Recurrent layers that a file has as loops, and loops that compute something else."""

from __future__ import annotations

import itertools
import os
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest

pytest.importorskip("onnx")

import onnx.reference
from execution import ways
from onnx import TensorProto, helper, numpy_helper
from quick import every, first

import rnn_compiler as rc
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.folding import fold
from tests.network_import.graphs import B, H, I, T, by_runtime, model, saved, weight
from tests.network_import.step_loops import (
    GATES,
    Step,
    combined,
    gru,
    hard_gru,
    keras_loop,
    linear_rnn,
    lstm,
    lstm_of_parts,
    rnn,
    stepped,
)

OPERATORS = {1: "RNN", 3: "GRU", 4: "LSTM"}

MASK = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 1]], bool)
"""Of B = 2 sequences: padding behind, and padding before with a hole."""

CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def layer(cell: Any, **rest: Any) -> Any:
    """The model of a cell, of fixed sizes."""
    gates = GATES.get(cell, 4)
    states = 2 if gates == 4 else 1
    return keras_loop(cell, rest.pop("shape", (B, T)), gates=gates, states=states, **rest)


def folded(made: Any, tmp_path: Path) -> Graph:
    graph = Graph.read(saved(made, tmp_path / "m.onnx"))
    fold(graph)
    return graph


def check(made: Any, graph: Graph, inputs: Any, close: Any = CLOSE) -> None:
    """Checks that a graph computes what the model does; onnx itself ignores lengths."""
    runtime = pytest.importorskip("onnxruntime")
    got = runtime.InferenceSession(graph.model.SerializeToString()).run(None, inputs)
    for one, other in zip(got, stepped(made, inputs), strict=True):
        np.testing.assert_allclose(one, other, **close)


@pytest.mark.parametrize("mask", ["", "keep", "zero"])
@pytest.mark.parametrize("cell", GATES)
def test_a_loop_that_computes_a_layer_becomes_one(cell: Any, mask: str, tmp_path: Path) -> None:
    """However it splits its weights, and whatever its values are called."""
    made = layer(cell, mask=mask, start=True, rename=lambda name: f"v{zlib.crc32(name.encode())}")
    graph = folded(made, tmp_path)
    kinds = [node.op_type for node in graph.proto.node]
    assert kinds.count(OPERATORS[GATES[cell]]) == 1
    assert not {"Loop", "Tanh"} & {*kinds}
    inputs = {"x": weight(B, T, I)} | ({"mask": MASK} if mask else {})
    inputs |= {f"s{k}": weight(B, H) for k in range(2 if GATES[cell] == 4 else 1)}
    check(made, graph, inputs)


def test_a_hard_sigmoid_keeps_its_slope(tmp_path: Path) -> None:
    """So the weights are those of the file, also where one is no number."""

    def sloped(s: Step, x: str, states: Any) -> Any:
        line = s.add("Mul", rnn(s, x, states, "")[0], s.constant(np.float32(0.2)))
        bounds = (s.constant(np.float32(n)) for n in (0, 1))
        return [s.add("Clip", s.add("Add", line, s.constant(np.float32(0.5))), *bounds)]

    made = keras_loop(sloped, (B, T), gates=1, states=1)
    (matrix,) = (each for each in made.graph.initializer if each.name == "W")
    changed = numpy_helper.to_array(matrix).copy()
    changed[0, 0] = np.nan
    matrix.CopyFrom(numpy_helper.from_array(changed, "W"))
    graph = folded(made, tmp_path)
    (node,) = (each for each in graph.proto.node if each.op_type == "RNN")
    (W,) = (each for each in graph.proto.initializer if each.name == node.input[1])
    np.testing.assert_array_equal(numpy_helper.to_array(W)[0].T, changed)
    found = {each.name: [*each.floats] for each in node.attribute}
    numbers = found["activation_alpha"] + found["activation_beta"]
    np.testing.assert_allclose(numbers, [0.2, 0.5], rtol=1e-7)


def test_gates_that_are_always_open(tmp_path: Path) -> None:
    """They differ for large inputs only."""
    made = layer(lstm)
    (bias,) = (each for each in made.graph.initializer if each.name == "b")
    bias.CopyFrom(numpy_helper.from_array(np.full(4 * H, 20, np.float32), "b"))
    graph = folded(made, tmp_path)
    (node,) = (each for each in graph.proto.node if each.op_type == "LSTM")
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.proto.initializer}
    (W,) = (each for each in made.graph.initializer if each.name == "W")
    i, f, c, o = np.split(numpy_helper.to_array(W).T, 4)
    np.testing.assert_array_equal(arrays[node.input[1]][0], np.concatenate([i, o, f, c]))


@pytest.mark.parametrize("mask", ["", "keep"])
@pytest.mark.parametrize("cell", [gru, lstm, rnn, hard_gru])
def test_weights_that_each_step_rounds_to_float16(cell: Any, mask: str, tmp_path: Path) -> None:
    """As Keras' mixed_float16 has them."""
    made = layer(cell, mask=mask, half=True)
    assert {each.data_type for each in made.graph.initializer if each.name == "R"} == {1}
    graph = folded(made, tmp_path)
    assert OPERATORS[GATES[cell]] in graph.operators()
    inputs = {"x": weight(B, T, I)} | ({"mask": MASK} if mask else {})
    check(made, graph, inputs, {"rtol": 4e-3, "atol": 2e-3})


@pytest.mark.parametrize("alpha", first([1.0, -0.5]))
def test_a_threshold_is_not_reached_by_an_equal_number(alpha: float, tmp_path: Path) -> None:
    """ONNX' operator takes x if x > alpha, the function of its layers if x >= alpha."""

    def cell(s: Step, x: str, states: Any) -> Any:
        (end,) = rnn(s, x, states, "ThresholdedRelu")
        s.nodes[-1].attribute.append(helper.make_attribute("alpha", alpha))
        return [end]

    made = keras_loop(cell, (B, T), gates=1)
    for each in made.graph.initializer:
        array = numpy_helper.to_array(each)
        if each.name in ("W", "R", "b"):
            each.CopyFrom(numpy_helper.from_array(array * 0, each.name))
    (bias,) = (each for each in made.graph.initializer if each.name == "b")
    above = np.nextafter(np.float32(alpha), np.float32(2))
    sums = np.resize(np.float32([alpha, above, alpha - 1]), H)
    bias.CopyFrom(numpy_helper.from_array(sums, "b"))
    graph = folded(made, tmp_path)
    assert "RNN" in graph.operators()
    program = rc.runtime.load(rc.compile(rc.import_network(tmp_path / "m.onnx"), "cpu"))
    y = program(np.zeros((B, T, I), np.float32))[0]
    np.testing.assert_array_equal(y, np.broadcast_to(np.where(sums > alpha, sums, 0), y.shape))


@pytest.mark.parametrize("mask", ["", "keep"])
@pytest.mark.parametrize("cell", [gru, lstm, linear_rnn])
def test_steps_that_count_down(cell: Any, mask: str, tmp_path: Path) -> None:
    made = layer(cell, mask=mask, down=True)
    graph = folded(made, tmp_path)
    assert OPERATORS[GATES[cell]] in graph.operators()
    check(made, graph, {"x": weight(B, T, I)} | ({"mask": MASK} if mask else {}))


def counted(made: Any, first: str, bound: int) -> Any:
    """A model whose steps read rows from one on, while the row's number is above another."""
    loop = next(node for node in made.graph.node if node.op_type == "Loop")
    body = loop.attribute[0].g
    loop.input[0], loop.input[2] = "", first
    (following,) = (node for node in body.node if node.output[0] == body.output[1].name)
    (go,) = (node for node in body.node if node.output[0] == body.output[0].name)
    following.op_type = "Sub"
    go.op_type = "Greater"
    go.input[:] = [following.output[0], "bound"]
    body.initializer.append(numpy_helper.from_array(np.int32(bound), "bound"))
    return made


@pytest.mark.parametrize(("bound", "count"), [(-1, T), (1, T - 2)])
def test_a_counter_that_falls_to_a_bound(bound: int, count: int, tmp_path: Path) -> None:
    """As in TensorFlow's foldr. The first rows may be left out."""
    made = counted(layer(gru), "last row", bound)
    graph = folded(made, tmp_path)
    assert "GRU" in graph.operators()
    x = weight(B, T, I)
    runtime = pytest.importorskip("onnxruntime")
    one, other = (
        runtime.InferenceSession(each.SerializeToString()).run(None, {"x": x})
        for each in (graph.model, made)
    )
    assert one[0].shape == (B, count, H)
    for got, wanted in zip(one, other, strict=True):
        np.testing.assert_allclose(got, wanted, **CLOSE)


def test_rows_that_an_array_does_not_have(tmp_path: Path) -> None:
    """Numbers below 0 count from the end, which no slice of rows does."""
    made = counted(layer(gru), "last row", -3)
    graph = folded(made, tmp_path)
    assert "GRU" not in graph.operators()


def test_layers_on_top_of_each_other_in_one_loop(tmp_path: Path) -> None:
    def both(s: Step, x: str, states: Any) -> Any:
        (first,) = rnn(s, x, states[:1])
        sums = s.add("Add", s.add("MatMul", first, "R"), s.add("MatMul", states[1], "R"))
        return [s.add("Tanh", sums), first][::-1]

    made = keras_loop(both, (B, T), gates=1, states=2)
    body = next(n for n in made.graph.node if n.op_type == "Loop").attribute[0].g
    assert [node.op_type for node in body.node].count("Tanh") == 2
    graph = folded(made, tmp_path)
    assert [node.op_type for node in graph.proto.node].count("RNN") == 2
    check(made, graph, {"x": weight(B, T, I)})


def gate_from_the_old_state(s: Step, x: str, states: Any) -> Any:
    """An LSTM whose output is that of the state before."""
    _, c = lstm(s, x, states)
    del s.nodes[-2:]
    return [s.add("Mul", s.nodes[-8].output[0], s.add("Tanh", states[1])), c]


def output_with_the_input(s: Step, x: str, states: Any) -> Any:
    h, c = lstm(s, x, states)
    return [s.add("Add", h, s.add("MatMul", x, s.columns("W", 0))), c]


def doubled_candidate(s: Step, x: str, states: Any) -> Any:
    gates = s.add("Split", s.add("MatMul", x, "W"), count=4, axis=-1)
    return combined(s, [*gates[:2], s.add("Mul", gates[2], gates[2]), gates[3]], states[1])


def other_constant(s: Step, x: str, states: Any) -> Any:
    """A GRU whose update gate is not subtracted from 1."""
    (h,) = gru(s, x, states)
    name = next(name for name, array in s.constants.items() if array.dtype.kind == "f")
    s.constants[name] = np.float32(1.001)
    return [h]


@pytest.mark.parametrize(
    ("cell", "gates", "states"),
    [
        (gate_from_the_old_state, 4, 2),
        (output_with_the_input, 4, 2),
        (doubled_candidate, 4, 2),
        (other_constant, 3, 1),
    ],
)
def test_a_loop_with_another_formula_stays_what_it_is(
    cell: Any, gates: int, states: int, tmp_path: Path
) -> None:
    made = keras_loop(cell, (B, T), gates=gates, states=states)
    graph = folded(made, tmp_path)
    assert not {*OPERATORS.values()} & {*graph.operators()}
    check(made, graph, {"x": weight(B, T, I)})


def test_a_mask_that_keeps_only_the_output_is_none(tmp_path: Path) -> None:
    made = layer(lstm, mask="keep")
    body = next(n for n in made.graph.node if n.op_type == "Loop").attribute[0].g
    states = [body.output[2].name, body.output[3].name]
    fresh = {node.output[0]: node for node in body.node}
    for number, name in enumerate(states):
        new = fresh[fresh[name].input[0]].input[1]
        body.output[2 + number].name = new
    graph = folded(made, tmp_path)
    assert "LSTM" not in graph.operators()
    check(made, graph, {"x": weight(B, T, I), "mask": MASK})


def test_what_is_written_out_has_its_weights_once(tmp_path: Path) -> None:
    """The step splits them, but the same values do not depend on the number of steps."""

    def cell(s: Step, x: str, states: Any) -> Any:
        h, c = lstm_of_parts(s, x, states)
        return [s.add("Add", h, s.add("MatMul", x, s.columns("W", 0))), c]

    sizes = {}
    for steps in (3, 12):
        graph = folded(layer(cell, shape=(B, steps)), tmp_path)
        assert "Tanh" in graph.operators()
        sizes[steps] = sum(len(each.raw_data) for each in graph.proto.initializer)
    assert sizes[12] < sizes[3] + 1000


@pytest.mark.slow
@ways("direct", "c", "js")
@pytest.mark.parametrize("steps", ["T", 400])
def test_a_loop_of_open_or_many_iterations_stays_one(
    steps: int | str, agrees: Any, tmp_path: Path
) -> None:
    made = keras_loop(output_with_the_input, (B, steps), states=2)
    if steps == 400:
        assert "Scan" in folded(made, tmp_path).operators()
    lengths = (1, 2, 9) if steps == "T" else (steps,)
    agrees(made, *({"x": weight(B, length, I)} for length in lengths), judge=by_runtime)


@pytest.mark.slow
def test_loops_share_the_number_of_nodes(tmp_path: Path) -> None:
    """Some of them are written out; the others stay loops."""
    made = keras_loop(output_with_the_input, (B, 150), states=2)
    loop = next(node for node in made.graph.node if node.op_type == "Loop")
    for number in range(2):
        copy = made.graph.node.add()
        copy.CopyFrom(loop)
        copy.name = f"again{number}"
        copy.output[:] = [f"{number}.{name}" for name in loop.output]
        made.graph.output.append(helper.make_tensor_value_info(copy.output[-1], 1, None))
    operators = [node.op_type for node in folded(made, tmp_path).proto.node]
    assert operators.count("Scan") in (1, 2)


def test_states_of_a_fixed_batch_need_that_batch(tmp_path: Path) -> None:
    """As Keras exports stateful layers: states of B rows, and an input with an open batch."""
    made = layer(rnn, shape=("batch", T))
    made.graph.initializer.append(numpy_helper.from_array(weight(B, H), "state"))
    loop = next(node for node in made.graph.node if node.op_type == "Loop")
    loop.input[3] = "state"
    path = saved(made, tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'initial_h': expected .* 'batch' cannot be open"):
        rc.import_network(path)
    assert [each.op for each in rc.import_network(path, dims={"batch": B}).linked] == ["CudnnRNNV3"]


@pytest.mark.parametrize(("operator", "bound", "count"), [("Less", 4.0, 4), ("LessOrEqual", 4, 5)])
def test_conditions_on_counters(operator: str, bound: float, count: int, tmp_path: Path) -> None:
    """A counter from 0 is compared after it is increased; bounds need not be whole."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["k", "one"], ["k+1"]),
            helper.make_node(operator, ["k+1", "bound"], ["on"]),
            helper.make_node("Add", ["v", "v"], ["v+v"]),
        ],
        "body",
        [helper.make_tensor_value_info(*each, []) for each in
         (("i", 7), ("c", 9), ("k", 1), ("v", 1))],
        [helper.make_tensor_value_info(*each, []) for each in (("on", 9), ("k+1", 1), ("v+v", 1))],
    )  # fmt: skip
    node = helper.make_node("Loop", ["", "", "zero", "x"], ["", "y"], name="again", body=body)
    numbers = {"one": np.float32(1), "bound": np.float32(bound), "zero": np.float32(0)}
    made = model([node], {"x": []}, ["y"], numbers)
    graph = folded(made, tmp_path)
    assert [each.op_type for each in graph.proto.node].count("Add") == count
    inputs = {"x": np.float32(1)}
    assert onnx.reference.ReferenceEvaluator(graph.model).run(None, inputs)[0] == 2.0**count


@pytest.mark.slow
@pytest.mark.parametrize("times", [0, 2])
def test_rows_of_no_iteration(times: int, tmp_path: Path) -> None:
    """The states keep their first values."""
    values = [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, [])]
    values += [(name, TensorProto.FLOAT, [2]) for name in "sto"]
    i, go, s, t, o = (helper.make_tensor_value_info(*each) for each in values)
    nodes = [helper.make_node("Exp", ["s"], ["t"]), helper.make_node("Identity", ["t"], ["o"])]
    body = helper.make_graph(nodes, "body", [i, go, s], [go, t, o])
    node = helper.make_node("Loop", ["times", "", "x"], ["y", "rows"], name="again", body=body)
    made = model([node], {"x": [2]}, ["y", "rows"], {"times": np.array(times)})
    program = rc.runtime.load(rc.compile(rc.import_network(saved(made, tmp_path / "m.onnx"))))
    x = weight(2)
    for got, wanted in zip(program(x=x), by_runtime(made, {"x": x}), strict=True):
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, **CLOSE)
    alone = model([node], {"x": [2], "z": ["n"]}, ["y"], {"times": np.array(times)})
    rc.import_network(saved(alone, tmp_path / "alone.onnx"))  # without the rows
    if not times:
        opened = model([node], {"x": [2], "z": ["n"]}, ["rows"], {"times": np.array(0)})
        with pytest.raises(UnsupportedError, match=r"'again' \(Loop\): expected at least one iter"):
            rc.import_network(saved(opened, tmp_path / "open.onnx"))


@pytest.mark.parametrize(
    "directions",
    [
        {},
        {"scan_input_directions": [1]},
        {"scan_input_directions": [1], "scan_output_directions": [1]},
    ],
)
def test_a_scan_that_computes_a_layer_becomes_one(directions: Any, tmp_path: Path) -> None:
    """As torch exports its scan; ONNX also has scans from the last row to the first."""
    step = Step()
    h, c = lstm(step, "x_t", ["h", "c"])
    out = step.add("Identity", h)
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        step.nodes,
        "body",
        [value("h", 1, [B, H]), value("c", 1, [B, H]), value("x_t", 1, [B, I])],
        [value(name, 1, [B, H]) for name in (h, c, out)],
    )
    inputs, outputs = ["h0", "c0", "x"], ["last", "lastc", "y"]
    node = helper.make_node("Scan", inputs, outputs, name="scan", body=body, num_scan_inputs=1)
    node.attribute.extend(helper.make_attribute(*each) for each in directions.items())
    weights = {"W": weight(I, 4 * H), "R": weight(H, 4 * H), "b": weight(4 * H)}
    given = {"h0": [B, H], "c0": [B, H], "x": [T, B, I]}
    made = model([node], given, outputs, weights)
    graph = folded(made, tmp_path)
    assert "LSTM" in graph.operators()
    assert "Scan" not in graph.operators()
    inputs = {name: weight(*shape) for name, shape in given.items()}
    runtime = pytest.importorskip("onnxruntime")
    one, other = (
        runtime.InferenceSession(each.SerializeToString()).run(None, inputs)
        for each in (graph.model, made)
    )
    for got, wanted in zip(one, other, strict=True):
        np.testing.assert_allclose(got, wanted, **CLOSE)


@pytest.mark.slow
def test_batch_and_time_may_be_open(tmp_path: Path) -> None:
    made = layer(gru, shape=("batch", "time"))
    program = rc.runtime.load(rc.compile(rc.import_network(saved(made, tmp_path / "m.onnx"))))
    for shape in ((2, 5), (1, 1), (3, 8)):
        inputs = {"x": weight(*shape, I)}
        y, last = stepped(made, inputs)
        out = program(**inputs)
        np.testing.assert_allclose(out.y, y, **CLOSE)
        np.testing.assert_allclose(out.last0, last, **CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mask", "shape"),
    every(
        itertools.product(("keep", "zero"), ((B, T), ("batch", "time"))),
        *(("keep", (B, T)), ("zero", ("batch", "time"))),
    ),
)
def test_masks_with_holes(mask: str, shape: Any, tmp_path: Path) -> None:
    made = layer(lstm, shape=shape, mask=mask)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    inputs = {"x": weight(B, T, I), "mask": MASK}
    out = rc.runtime.load(rc.compile(module))(**inputs)
    for got, wanted in zip((out.y, out.last0, out.last1), stepped(made, inputs), strict=True):
        np.testing.assert_allclose(got, wanted, **CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("way", [rc.compile_c, rc.compile_js])
def test_masks_in_c_and_javascript(way: Any, tmp_path: Path) -> None:
    made = layer(gru, mask="keep")
    assert way(rc.import_network(saved(made, tmp_path / "m.onnx")))


@pytest.mark.slow
@pytest.mark.parametrize(
    "layer",
    [
        "GRU(5)",
        "GRU(5, reset_after=False, return_sequences=True)",
        "GRU(5, go_backwards=True, recurrent_activation='hard_sigmoid', return_sequences=True)",
        "SimpleRNN(5, activation='relu', return_sequences=True)",
        "LSTM(5, recurrent_dropout=0.1)",
        "Bidirectional(GRU(5, return_sequences=True))",
        "RNN([LSTMCell(5), GRUCell(5)], return_sequences=True)",
        "GRU(5, activation=None, return_sequences=True)",
        "LSTM(5, recurrent_activation=None, return_sequences=True)",
        "Masking(), LSTM(5, return_sequences=True)",
        "Masking(), Bidirectional(GRU(5))",
        "Masking(), RNN(LSTMCell(5), return_sequences=True, zero_output_for_mask=True)",
    ],
)
def test_layers_that_keras_exports(layer: str, tmp_path: Path) -> None:
    """With tf2onnx, which writes all of these as loops."""
    if find_spec("tensorflow") is None or find_spec("tf2onnx") is None:
        pytest.skip("needs Keras with TensorFlow, and tf2onnx")
    x = weight(B, T, I)
    x[~MASK] = 0
    np.save(tmp_path / "x.npy", x)
    script = _EXPORT.format(layer=layer)
    env = {**os.environ, "KERAS_BACKEND": "tensorflow"}
    processes.python(script, cwd=tmp_path, env=env)
    module = rc.import_network(tmp_path / "m.onnx")
    assert {each.op for each in module.linked} <= {"onnx.LSTM", "onnx.GRU", "onnx.RNN"}
    (got,) = rc.runtime.load(rc.compile(module))(x)
    np.testing.assert_allclose(got, np.load(tmp_path / "y.npy"), **CLOSE)


_EXPORT = """
import keras, numpy as np
from keras.layers import *
x = np.load("x.npy")
model = keras.Sequential([keras.Input((None, x.shape[-1])), {layer}])
np.save("y.npy", model(x))
model.export("m.onnx", format="onnx", verbose=False)
"""
