"""Imported networks give the results of onnx's reference implementation or of ONNX's text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import TensorProto, helper
from onnx_reference import forward

from tests.network_import.graphs import (
    RNG,
    B,
    H,
    I,
    T,
    close,
    expected,
    loaded,
    lstm_weights,
    model,
    saved,
    tagger,
    weight,
)

FILES = Path(__file__).parents[1] / "model_files"


def run(module: Any, **inputs: Any) -> dict[str, Any]:
    return {name: np.asarray(a) for name, a in loaded(module)(**inputs)._asdict().items()}


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
def test_a_network_with_layers_around_an_lstm(tmp_path: Path) -> None:
    """Sizes are fixed by the names of axes; values computed from them become constants."""
    onnx_model = tagger()
    path = saved(onnx_model, tmp_path / "tag-ger.onnx")
    module = rc.import_network(path, dims={"batch": B, "sequence": T})
    (spec,) = module.functions
    assert module.name == "tag_ger"
    assert spec.function == "main"
    assert [(each.name, each.shape) for each in spec.arguments] == [("x", (B, I, T))]
    assert [(each.name, each.shape) for each in spec.results] == [("tags", (T, B, 4))]
    assert [each.op for each in module.linked] == ["CudnnRNNV3"]
    assert {each.name for each in spec.frozen} == {"K", "lstm_params"}
    x = weight(B, I, T)
    close(run(module, x=x)["tags"], expected(onnx_model, {"x": x})[0])


@pytest.mark.slow
def test_lstms_whose_weights_onnx_runtime_stores_in_int8() -> None:
    """Their states are in int8 there, and here if they shall."""
    stored = np.load(FILES / "onnx_int8.npz")
    for quantize in (None, "int8"):
        module = rc.import_network(FILES / "onnx_int8.onnx", quantize=quantize)
        assert [each.op for each in module.linked] == ["CudnnRNNV3"] * 3
        sizes = [array.nbytes for array in module.parameters.values()]
        assert (max(sizes) < 700) == (quantize == "int8")
    found = run(module, x=stored["x"])
    assert [*found] == ["columns_y", "matrices_y", "gru_y"]
    for name, value in found.items():
        assert np.abs(value - stored[name]).max() < 0.03


@pytest.mark.slow
def test_shapes_of_inputs_fix_sizes_too(tmp_path: Path) -> None:
    path = saved(tagger(), tmp_path / "m.onnx")
    module = rc.import_network(path, dims={"x": (B, I, T)})
    assert module.functions[0].results[0].shape == (T, B, 4)


def every_layer() -> tuple[Any, dict[str, Any]]:
    """A graph with a recurrent node of each kind that is taken; inputs for it."""
    one, gru, two = lstm_weights(), lstm_weights("g", 3), lstm_weights("t", D=2)
    rnn = lstm_weights("r", 1)
    rows = {"layout": 1, "hidden_size": H}
    nodes = [
        helper.make_node(
            "LSTM", ["x", "W", "R", "B", "n", "h", "c"], ["Y", "Yh", "Yc"], name="one",
            hidden_size=H,
        ),
        helper.make_node(
            "GRU", ["x", "gW", "gR", "gB"], ["G", "Gh"], name="gru", hidden_size=H,
            linear_before_reset=1,
        ),
        helper.make_node(
            "LSTM", ["x", "tW", "tR", "tB"], ["D", "Dh", "Dc"], name="both", hidden_size=H,
            direction="bidirectional",
        ),
        helper.make_node(
            "RNN", ["x", "rW", "rR", "rB"], ["V", "Vh"], name="back", hidden_size=H,
            direction="reverse",
        ),
        helper.make_node(
            "LSTM", ["x", "W", "R", "B", "n"], ["N"], name="back_by_length", hidden_size=H,
            direction="reverse",
        ),
        helper.make_node("Transpose", ["x"], ["xr"], name="rows", perm=[1, 0, 2]),
        helper.make_node("LSTM", ["xr", "W", "R", "B"], ["L", "Lh", "Lc"], name="first", **rows),
    ]  # fmt: skip
    outputs = ["Y", "Yh", "Yc", "G", "Gh", "D", "Dh", "Dc", "V", "Vh", "N", "L", "Lh", "Lc"]
    inputs = {
        "x": weight(T, B, I),
        "n": np.array([T, 3], np.int32),
        "h": weight(1, B, H),
        "c": weight(1, B, H),
    }
    made = model(
        nodes,
        {name: array.shape for name, array in inputs.items()},
        outputs,
        {**one, **gru, **two, **rnn},
        dtypes={"n": TensorProto.INT32},
    )
    return made, inputs


def alone(node: Any, weights: dict[str, Any], inputs: dict[str, Any]) -> list[Any]:
    shapes = {name: array.shape for name, array in inputs.items()}
    return expected(model([node], shapes, list(node.output), weights), inputs)


@pytest.mark.slow
def test_recurrent_nodes_of_every_kind(tmp_path: Path) -> None:
    """All with the same name, which ONNX allows."""
    onnx_model, inputs = every_layer()
    for node in onnx_model.graph.node:
        node.name = "layer"
    out = run(rc.import_network(saved(onnx_model, tmp_path / "layers.onnx")), **inputs)
    tensors = {each.name: each for each in onnx_model.graph.initializer}
    from onnx import numpy_helper

    arrays = {name: numpy_helper.to_array(each) for name, each in tensors.items()}
    x = inputs["x"]

    def lstm(prefix: str, d: int, x: Any, states: dict[str, Any] | None = None) -> list[Any]:
        given = {"x": x, **(states or {})}
        names = ["x", "W", "R", "B", *(["", "h", "c"] if states else [])]
        node = helper.make_node("LSTM", names, ["Y", "Yh", "Yc"], hidden_size=H)
        weights = {n: arrays[prefix + n][d : d + 1] for n in "WRB"}
        return alone(node, weights, given)

    for row, length in enumerate(inputs["n"]):
        rows = slice(row, row + 1)
        states = {name: inputs[name][:, rows] for name in ("h", "c")}
        Y, Yh, Yc = lstm("", 0, x[:length, rows], states)
        close(out["Y"][:length, :, rows], Y)
        assert not np.any(out["Y"][length:, :, rows])
        close(out["Yh"][:, rows], Yh)
        close(out["Yc"][:, rows], Yc)
        back, _, _ = lstm("", 0, x[:length, rows][::-1])
        close(out["N"][:length, :, rows], back[::-1])
    forward, backward = lstm("t", 0, x), lstm("t", 1, x[::-1])
    close(out["D"], np.concatenate([forward[0], backward[0][::-1]], 1))
    close(out["Dh"], np.concatenate([forward[1], backward[1]], 0))
    close(out["Dc"], np.concatenate([forward[2], backward[2]], 0))
    node = helper.make_node(
        "GRU", ["x", "W", "R", "B"], ["Y", "Yh"], hidden_size=H, linear_before_reset=1
    )
    G, Gh = alone(node, {n: arrays[f"g{n}"] for n in "WRB"}, {"x": x})
    close(out["G"], G)
    close(out["Gh"], Gh)
    node = helper.make_node("RNN", ["x", "W", "R", "B"], ["Y", "Yh"], hidden_size=H)
    V, Vh = alone(node, {n: arrays[f"r{n}"] for n in "WRB"}, {"x": np.ascontiguousarray(x[::-1])})
    close(out["V"], V[::-1])
    close(out["Vh"], Vh)
    Y, Yh, Yc = lstm("", 0, x)
    close(out["L"], np.transpose(Y, (2, 0, 1, 3)))
    close(out["Lh"], np.transpose(Yh, (1, 0, 2)))
    close(out["Lc"], np.transpose(Yc, (1, 0, 2)))


@pytest.mark.slow
def test_recurrent_nodes_that_cudnn_has_not(tmp_path: Path) -> None:
    """ONNX's own ops: their optional inputs, and weights that are inputs of the graph."""
    gru, two = lstm_weights("g", 3), lstm_weights("t", D=2)
    size = {"hidden_size": H}
    nodes = [
        helper.make_node(
            "GRU", ["x", "gW", "gR", "gB", "n"], ["G", "Gh"], name="older", **size,
        ),
        helper.make_node(
            "LSTM", ["x", "tW", "tR", "", "", "h", "", "P"], ["D", "", "Dc"], name="peepholes",
            direction="bidirectional", clip=0.5, **size,
        ),
        helper.make_node(
            "GRU", ["x", "W", "gR"], ["", "Wh"], name="given", direction="reverse", **size,
        ),
    ]  # fmt: skip
    inputs = {"x": weight(T, B, I), "n": np.array([T, 3], np.int32), "h": weight(2, B, H)}
    inputs["W"] = weight(1, 3 * H, I)
    P = weight(2, 3 * H)
    shapes = {name: array.shape for name, array in inputs.items()}
    kinds = {"n": TensorProto.INT32}
    outputs = ["G", "Gh", "D", "Dc", "Wh"]
    made = model(nodes, shapes, outputs, {**gru, **two, "P": P}, dtypes=kinds)
    module = rc.import_network(saved(made, tmp_path / "ops.onnx"))
    assert [each.op for each in module.linked] == ["onnx.GRU", "onnx.LSTM", "onnx.GRU"]
    out = run(module, **inputs)
    x, n = inputs["x"], inputs["n"]
    found = forward("GRU", X=x, W=gru["gW"], R=gru["gR"], B=gru["gB"], sequence_lens=n)
    close(out["G"], found["Y"])
    close(out["Gh"], found["Y_h"])
    given = {"X": x, "W": two["tW"], "R": two["tR"], "P": P, "initial_h": inputs["h"]}
    found = forward("LSTM", **given, direction="bidirectional", clip=0.5)
    close(out["D"], found["Y"])
    close(out["Dc"], found["Y_c"])
    found = forward("GRU", X=x, W=inputs["W"], R=gru["gR"], direction="reverse")
    close(out["Wh"], found["Y_h"])


def branching() -> Any:
    """Two branches, by a rate; one has a convolution that leaves a column of padding unread."""

    def branch(name: str, nodes: list[Any], result: str) -> Any:
        out = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        return helper.make_graph(nodes, name, [], [out])

    fast = branch(
        "fast",
        [
            helper.make_node("Conv", ["x", "K"], ["c"], pads=[1, 1], strides=[2], kernel_shape=[3]),
            helper.make_node("Relu", ["c"], ["o"]),
        ],
        "o",
    )
    slow = branch("slow", [helper.make_node("Neg", ["x"], ["o"])], "o")
    nodes = [
        helper.make_node("Equal", ["rate", "fast"], ["is_fast"], name="equal"),
        helper.make_node(
            "If", ["is_fast"], ["y"], name="choose", then_branch=fast, else_branch=slow
        ),
    ]
    weights = {"K": weight(8, 4, 3), "fast": np.array(16000)}
    return model(
        nodes, {"x": [1, 4, 4], "rate": []}, ["y"], weights, dtypes={"rate": TensorProto.INT64}
    )


@pytest.mark.slow
@pytest.mark.parametrize("rate", [16000, pytest.param(8000, marks=pytest.mark.slow)])
def test_a_value_chooses_a_branch(tmp_path: Path, rate: int) -> None:
    onnx_model = branching()
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"), values={"rate": rate})
    assert [each.name for each in module.functions[0].arguments] == ["x"]
    assert not module.linked
    x = weight(1, 4, 4)
    close(run(module, x=x)["y"], expected(onnx_model, {"x": x, "rate": np.array(rate)})[0])


@pytest.mark.slow
def test_outputs_that_are_constants_or_inputs(tmp_path: Path) -> None:
    """Exporters write such outputs; a stored constant may be larger than folding computes."""
    x, table = weight(2, 3), weight(40, 3)
    nodes = [
        helper.make_node("Identity", ["x"], ["same"], name="same"),
        helper.make_node("Shape", ["x"], ["shape"], name="shape"),
        helper.make_node("Identity", ["table"], ["rows"], name="rows"),
    ]
    outputs = ["same", "shape", "rows"]
    kinds = {"shape": TensorProto.INT64}
    made = model(nodes, {"x": [2, 3]}, outputs, {"table": table}, dtypes=kinds)
    out = run(rc.import_network(saved(made, tmp_path / "m.onnx")), x=x)
    close(out["same"], x)
    close(out["shape"], np.array([2, 3]))
    close(out["rows"], table)


@pytest.mark.slow
def test_two_networks_without_recurrent_layers_are_two_entries_of_the_cache(tmp_path: Path) -> None:
    """They differ in nothing but their text."""
    x = RNG.standard_normal(4).astype(np.float32)
    for operator in ("Neg", "Exp"):
        nodes = [helper.make_node(operator, ["x"], ["y"], name="only")]
        onnx_model = model(nodes, {"x": [4]}, ["y"], {})
        module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
        close(run(module, x=x)["y"], expected(onnx_model, {"x": x})[0])


@pytest.mark.slow
def test_a_scan(tmp_path: Path) -> None:
    """A recurrent layer whose step is a separate graph."""

    def value(name: str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [B, H])

    step = [
        helper.make_node("MatMul", ["h", "R"], ["hr"]),
        helper.make_node("Add", ["hr", "row"], ["s"]),
        helper.make_node("Tanh", ["s"], ["next"]),
        helper.make_node("Identity", ["next"], ["out"]),
    ]
    values = ("h", "row"), ("next", "out")
    body = helper.make_graph(step, "step", *([value(name) for name in each] for each in values))
    node = helper.make_node("Scan", ["h0", "x"], ["last", "y"], body=body, num_scan_inputs=1)
    shapes = {"h0": (B, H), "x": (T, B, H)}
    onnx_model = model([node], shapes, ["last", "y"], {"R": weight(H, H)})
    module = rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))
    inputs = {name: weight(*shape) for name, shape in shapes.items()}
    for got, wanted in zip(
        run(module, **inputs).values(), expected(onnx_model, inputs), strict=True
    ):
        close(got, wanted)
