"""Networks that take and return their state are streams, whose chunks equal one long run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from onnx import helper

from rnn_compiler.cli import main
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.network_import.states import checked_states, keeps
from rnn_compiler.runtime.stream_ops import likely_states
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from tests.network_import.graphs import (
    B,
    H,
    I,
    T,
    expected,
    loaded,
    lstm_weights,
    model,
    saved,
    weight,
)

STATES = {"h:0": "h:1", "c:0": "c:1"}


def network(steps: int = T) -> Any:
    """An LSTM with its states, between layers without any."""
    nodes = [
        helper.make_node("Tanh", ["x"], ["t"], name="before"),
        helper.make_node(
            "LSTM", ["t", "W", "R", "B", "", "h:0", "c:0"], ["Y", "h:1", "c:1"], name="lstm",
            hidden_size=H,
        ),
        helper.make_node("Neg", ["Y"], ["y"], name="after"),
    ]  # fmt: skip
    inputs = {"x": [steps, B, I], "h:0": [1, B, H], "c:0": [1, B, H]}
    return model(nodes, inputs, ["y", "h:1", "c:1"], WEIGHTS)


WEIGHTS = lstm_weights()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(network(), tmp_path_factory.mktemp("states") / "m.onnx")


@pytest.fixture(scope="module")
def spec(path: Path) -> FunctionSpec:
    return rc.import_network(path).functions[0]


@pytest.mark.slow
@pytest.mark.parametrize("calls", ["direct", pytest.param("iree", marks=pytest.mark.slow)])
def test_chunks_give_what_one_run_does(
    path: Path, calls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CALLS", calls)
    module = rc.import_network(path, states=STATES)
    program = loaded(module)
    x, h, c = weight(4 * T, B, I), weight(1, B, H), weight(1, B, H)
    y, last, _ = expected(network(4 * T), {"x": x, "h:0": h, "c:0": c})
    stream = program.stream(h_0=h, c_0=c)
    for _ in range(2):
        found = [stream(chunk) for chunk in np.split(x, 4)]
        np.testing.assert_allclose(np.concatenate([each.y for each in found]), y, atol=1e-6)
        np.testing.assert_allclose(stream.state["h_0"].to_host(), last, atol=1e-6)
        np.testing.assert_array_equal(found[-1].h_1, stream.state["h_0"].to_host())
        stream.reset()


@pytest.mark.parametrize(
    ("arguments", "results", "pairs"),
    [
        ("x h c", "y next_c next_h", {"h": "next_h", "c": "next_c"}),
        ("x h0 c0", "y hn cn", {"h0": "hn", "c0": "cn"}),
        ("x a b", "y p q", {"a": "p", "b": "q"}),
        ("x a b", "y p", {}),
        ("h x", "y next_h", {"h": "next_h"}),
        ("h x", "h_out y", {"h": "h_out"}),
        ("state input", "output stateN", {"state": "stateN"}),
        ("c0 x h0", "hn cn y", {"c0": "cn", "h0": "hn"}),
        ("hidden cell audio", "p q r", {"hidden": "q", "cell": "r"}),
        ("a x b", "y b_next a_next", {"a": "a_next", "b": "b_next"}),
        ("x h", "h_next", {}),
    ],
)
def test_names_say_which_output_continues_which_state(
    arguments: str, results: str, pairs: dict[str, str]
) -> None:
    """Exporters sort outputs by name: then the order of the states is another than theirs.

    The chunk may be any input.
    """
    row = {name: TensorSpec(name, "float32", (1, 4)) for name in f"{arguments} {results}".split()}
    spec = FunctionSpec(
        *("network", "network", "float32", {}, {}),
        *(tuple(row[name] for name in names.split()) for names in (arguments, results)),
    )
    assert likely_states(spec) == pairs


@pytest.mark.slow
def test_what_may_be_states_is_said(path: Path, cli: Any) -> None:
    """It is not taken for granted."""
    module = rc.import_network(path)
    assert module.functions[0].chunked is None
    assert likely_states(module.functions[0]) == {"h_0": "h_1", "c_0": "c_1"}
    assert (
        "if these are states and x is the chunk: --state h_0=h_1,c_0=c_1"
        in cli("import", path, "--whole").out
    )
    program = loaded(module)
    with pytest.raises(UnsupportedError, match=r"states=\{'h_0': 'h_1', 'c_0': 'c_1'\}"):
        program.stream()


@pytest.mark.slow
def test_the_readme_says_how_to_stream(path: Path, tmp_path: Path) -> None:
    words = ["import", str(path), "--whole", "--target", "cpu:generic"]
    words += ["--state", "h_0=h_1,c_0=c_1", "-o"]
    assert main([*words, str(tmp_path / "m")]) == 0
    text = (tmp_path / "m" / "README.md").read_text()
    assert 'stream = program.stream(h_0=given["h_0"], c_0=given["c_0"])' in text
    assert 'stream(x=given["x"])' in text
    assert main([*words, str(tmp_path / "c"), "--format", "c"]) == 0
    assert "- as `h_0`, the previous call's `h_1`" in (tmp_path / "c" / "README.md").read_text()


@pytest.mark.parametrize(
    ("states", "message"),
    [
        pytest.param([("h:0", "h:1")], "a mapping", id="no mapping"),
        pytest.param({"h:0": 1}, "a mapping", id="no name"),
        pytest.param({"z": "h:1"}, r"an input \(there are x, h:0, c:0\)", id="no input"),
        pytest.param({"h:0": "z"}, r"an output \(there are y, h:1, c:1\)", id="no output"),
        pytest.param({"x": "h:1"}, r"'x', float32\[6,2,3\]", id="types"),
        pytest.param({"h:0": "h:1", "c:0": "h:1"}, "twice", id="twice"),
        pytest.param({"h:0": "h:1"}, r"got 'x', 'c_0'.*values=", id="two chunks"),
    ],
)
def test_wrong_states_are_refused(spec: FunctionSpec, states: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        keeps(spec, ["x", "h:0", "c:0"], ["y", "h:1", "c:1"], checked_states(states))


@pytest.mark.parametrize("calls", ["direct", pytest.param("iree", marks=pytest.mark.slow)])
def test_states_may_change_places(
    calls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each next state is read before any is written; a result may be an old state."""
    nodes = [
        helper.make_node("Tanh", ["x"], ["y"]),
        *(
            helper.make_node("Identity", [one], [other])
            for one, other in (("s:0", "past"), ("x", "r:1"), ("r:0", "s:1"))
        ),
    ]
    inputs = {name: [B, I] for name in ("x", "r:0", "s:0")}
    file = saved(model(nodes, inputs, ["y", "past", "r:1", "s:1"], {}), tmp_path / "delay.onnx")
    monkeypatch.setenv("RNN_COMPILER_CALLS", calls)
    module = rc.import_network(file, states={"r:0": "r:1", "s:0": "s:1"})
    program = loaded(module)
    x = weight(8, B, I)
    stream = program.stream(r_0=np.zeros((B, I), np.float32), s_0=np.zeros((B, I), np.float32))
    found = [stream(chunk) for chunk in x]
    np.testing.assert_array_equal([each.s_1 for each in found[1:]], x[:-1])
    np.testing.assert_array_equal([each.r_1 for each in found], x)
    assert program.manifest.calls[module.functions[0].function] == "direct"
