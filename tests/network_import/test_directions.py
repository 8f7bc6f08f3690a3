"""Two nodes that read one sequence in both directions become one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
import onnx.compose
from execution import ways
from onnx import helper, numpy_helper

import rnn_compiler as rc
from rnn_compiler.network_import.graph import attributes_of
from tests.network_import.graphs import (
    H,
    close,
    expected,
    folded,
    loaded,
    model,
    saved,
    weight,
)
from tests.network_import.step_loops import gru, keras_loop, stepped

T, B, I = 6, 2, 3  # noqa: E741
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
MERGES = {"concat": "Concat", "sum": "Add", "mul": "Mul", "none": ""}


class Network:
    """Writes a network whose layers have a node for each direction."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.layers = 0
        self.weights: dict[str, Any] = {
            **{"first": np.array([-1]), "end": np.array([-(1 << 31)]), "one": np.array([1])},
            **{"zero": np.array([0]), "last": np.array(-1), "far": np.array([1 << 31])},
        }

    def add(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        name = f"{operator}_{len(self.nodes)}"
        made = [f"{name}_out{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, made, name=name, **attributes))
        return made

    def reversed(self, x: str) -> str:
        return self.add("Slice", x, "first", "end", "zero", "first")[0]

    def layer(
        self, operator: str, x: str, size: int, *states: str, units: int = H, **rest: Any
    ) -> Any:
        """Y, Y_h and for an LSTM Y_c, from the states if they are given."""
        gates, given = GATES[operator], [x]
        for name, shape in (
            *(("W", (1, gates * units, size)), ("R", (1, gates * units, units))),
            ("B", (1, 2 * gates * units)),
        ):
            given.append(f"{name}{self.layers}")
            self.weights[given[-1]] = weight(*shape)
        self.layers += 1
        outputs = 3 if operator == "LSTM" else 2
        more = ["", *states] if states else []
        return self.add(operator, *given, *more, outputs=outputs, hidden_size=units, **rest)

    def rows(self, Y: str) -> str:
        return self.add("Squeeze", Y, "one")[0]

    def both(self, operator: str, x: str, size: int, merge: str, **rest: Any) -> list[str]:
        """All rows of a layer of both directions, whose input is time-major."""
        one = self.rows(self.layer(operator, x, size, **rest)[0])
        other = self.rows(self.layer(operator, self.reversed(x), size, **rest)[0])
        other = self.reversed(other)
        axis = {"axis": 2} if merge == "concat" else {}
        return self.add(MERGES[merge], one, other, **axis) if MERGES[merge] else [one, other]

    def model(self, inputs: dict[str, Any], outputs: list[str]) -> Any:
        return model(self.nodes, inputs, outputs, self.weights)


def nodes_of(made: Any, path: Path) -> list[Any]:
    """The recurrent nodes that are left; none of the others reverses anything if all are joined."""
    graph = folded(made, path)
    nodes = [*graph.proto.node]
    found = [each for each in nodes if each.op_type in GATES]
    if all(direction(each) == "bidirectional" for each in found):
        steps = [
            graph.constants()[n.input[4]]
            for n in nodes
            if len(n.input) > 4 and n.op_type == "Slice"
        ]
        assert all(numpy_helper.to_array(each).tolist() == [1] for each in steps)
    return found


def direction(node: Any) -> str:
    found = attributes_of(node).get("direction")
    return "forward" if found is None else found.s.decode()


def layers(operator: str, merge: str, **rest: Any) -> Any:
    """A batch-major network of one layer, and a second one on its result if that is one array."""
    net = Network()
    x = net.add("Transpose", "x", perm=[1, 0, 2])[0]
    y = net.both(operator, x, I, merge, **rest)
    if len(y) == 1:
        y = net.both(operator, y[0], 2 * H if merge == "concat" else H, merge, **rest)
    return net.model({"x": [B, T, I]}, y)


def last_rows() -> Any:
    """Each direction's last row alone, taken in several ways, from states that are inputs."""
    net = Network()
    states = ["h", "c"]
    one = net.layer("LSTM", "x", I, *states)
    other = net.layer("LSTM", net.reversed("x"), I, *states)
    taken = [
        *(net.add("Gather", net.rows(each[0]), "last", axis=0)[0] for each in (one, other)),
        net.add("Slice", net.rows(other[0]), "first", "far", "zero")[0],
    ]
    sizes = {"x": [T, B, I], "h": [1, B, H], "c": [1, B, H]}
    return net.model(sizes, [*taken, *one[1:], *other[1:]])


@pytest.mark.parametrize(
    ("operator", "merge", "rest"),
    [
        ("LSTM", "concat", {}),
        ("GRU", "sum", {"linear_before_reset": 1}),
        ("RNN", "mul", {}),
        ("LSTM", "none", {}),
    ],
)
def test_layers(operator: str, merge: str, rest: Any, tmp_path: Path) -> None:
    """However their results are combined, and one on top of the other."""
    made = layers(operator, merge, **rest)
    found = nodes_of(made, tmp_path / "m.onnx")
    assert [direction(each) for each in found] == ["bidirectional"] * (1 if merge == "none" else 2)


@pytest.mark.slow
@ways("direct", "c", "js")
def test_numbers(agree: Any, tmp_path: Path) -> None:
    """Also of rows that are taken alone."""
    (last,) = nodes_of(last_rows(), tmp_path / "m.onnx")
    assert direction(last) == "bidirectional"
    given = {"x": weight(T, B, I), "h": weight(1, B, H), "c": weight(1, B, H)}
    cases = [(layers(each, "concat"), [{"x": weight(B, T, I)}]) for each in ("LSTM", "GRU")]
    module = agree([*cases, (last_rows(), [given])])
    assert {spec.attributes["direction"] for spec in module.linked} == {"bidirectional"}


def test_functions(tmp_path: Path) -> None:
    """Those of one direction are written twice, unless numbers of theirs are left out."""
    names, given = ["HardSigmoid", "Elu", "Tanh"], {"activation_beta": [0.4]}
    made = layers("LSTM", "none", activations=names, activation_alpha=[0.3, 0.8], **given)
    (node,) = nodes_of(made, tmp_path / "m.onnx")
    found = {name: helper.get_attribute_value(each) for name, each in attributes_of(node).items()}
    assert found["activations"] == [each.encode() for each in names] * 2
    np.testing.assert_allclose(found["activation_alpha"], [0.3, 0.8] * 2)
    np.testing.assert_allclose(found["activation_beta"], [0.4] * 2)
    made = layers("LSTM", "none", activations=names, activation_alpha=[0.3], **given)
    assert len(nodes_of(made, tmp_path / "m.onnx")) == 2


def two_nodes(weights: Any, **rest: Any) -> tuple[Any, Network]:
    """Nodes that read forward and backward, the second by its input unless `rest` says so."""
    net = Network()
    one = net.layer("GRU", "x", I)
    other = net.layer("GRU", "x" if rest else net.reversed("x"), I, **rest)
    net.weights |= weights
    Y = other[0] if rest else net.reversed(other[0])
    return net.model({"x": [T, B, I]}, [*one, Y, other[1]]), net


@pytest.mark.slow
@ways("direct")
def test_the_attribute(agree: Any, tmp_path: Path) -> None:
    """A second node with direction="reverse", which has the rows in order."""
    made, net = two_nodes({}, direction="reverse")
    twin, _ = two_nodes(net.weights)
    for each in (made, twin):
        (node,) = nodes_of(each, tmp_path / "m.onnx")
        assert direction(node) == "bidirectional"
    agree([(made, [{"x": weight(T, B, I)}])], judge=lambda _, given: expected(twin, given))


def other_pairs() -> dict[str, Any]:
    """Pairs of nodes that are not both directions of one layer."""
    inputs, nets = (
        {"x": [T, B, I]},
        {name: Network() for name in ("state", "units", "kind", "rows")},
    )
    outputs: dict[str, list[str]] = {}
    for name, net in nets.items():
        net.weights["h"] = weight(1, B, H)
        Y, h, *_ = net.layer("GRU", "x", I, *(["h"] if name == "state" else []))
        turned = net.reversed("x")
        if name == "state":
            other = net.layer("GRU", turned, I, h)
        elif name == "units":
            other = net.layer("GRU", turned, I, units=H + 1)
        else:
            other = net.layer("RNN" if name == "kind" else "GRU", turned, I)
        rows = other[0] if name == "rows" else net.reversed(other[0])
        outputs[name] = [Y, rows]
    return {name: net.model(inputs, outputs[name]) for name, net in nets.items()}


@pytest.mark.slow
@ways("direct")
def test_other_pairs(agree: Any, tmp_path: Path) -> None:
    """The second has a state from the first, other units, another cell, or rows in its own order.

    Nodes of which one is computed from the other cannot be one.
    """
    cases = other_pairs()
    for made in cases.values():
        assert [direction(each) for each in nodes_of(made, tmp_path / "m.onnx")] == ["forward"] * 2
    agree([(cases["state"], [{"x": weight(T, B, I)}])])


def crossed() -> Any:
    """Two layers that read one sequence; a direction of each has the other's last state."""
    net = Network()
    net.weights["h"] = weight(1, B, H)
    turned, kind = net.reversed("x"), {"linear_before_reset": 1}
    one = net.layer("GRU", "x", I, "h")
    two = net.layer("GRU", "x", I, "h", **kind)
    back_one = net.layer("GRU", turned, I, two[1])
    back_two = net.layer("GRU", turned, I, one[1], **kind)
    rows = [net.reversed(each[0]) for each in (back_one, back_two)]
    return net.model({"x": [T, B, I]}, [one[0], two[0], *rows])


@pytest.mark.slow
@ways("direct")
def test_crossed_states(agree: Any, tmp_path: Path) -> None:
    """Either layer can be one node, but not both: each would be computed from the other."""
    made = crossed()
    found = sorted(direction(each) for each in nodes_of(made, tmp_path / "m.onnx"))
    assert found == ["bidirectional", "forward", "forward"]
    agree([(made, [{"x": weight(T, B, I)}])])


def of_loops() -> tuple[Any, list[Any]]:
    """Two loops whose input and output ReverseSequence reverses, as tf2onnx writes them; and each.

    How many steps the second output has, its shape says alone.
    """
    halves = [keras_loop(gru, ("B", "T"), gates=3) for _ in range(2)]
    parts = [onnx.compose.add_prefix(each, f"m{k}_") for k, each in enumerate(halves)]
    for part in parts:  # whose results then have a known number of axes
        (loop,) = (node for node in part.graph.node if node.op_type == "Loop")
        row = attributes_of(loop)["body"].g.output[-1]
        row.CopyFrom(helper.make_tensor_value_info(row.name, onnx.TensorProto.FLOAT, ["rows", H]))
    nodes = [helper.make_node("Identity", ["x"], ["m0_x"])]
    nodes += [*turned_by_lengths("x", "m1_x"), *parts[0].graph.node, *parts[1].graph.node]
    nodes += turned_by_lengths("m1_y", "back")
    nodes.append(helper.make_node("Concat", ["m0_y", "back"], ["y"], axis=2))
    held = [each for part in parts for each in part.graph.initializer]
    weights = {each.name: numpy_helper.to_array(each) for each in held}
    weights |= {"first axis": np.array([0]), "second axis": np.array(1)}
    return model(nodes, {"x": ["B", "T", I]}, ["y"], weights), halves


def turned_by_lengths(x: str, result: str) -> list[Any]:
    """The nodes that reverse all steps of a batch-major array."""
    return [
        helper.make_node("Shape", [x], [f"{result}.shape"]),
        helper.make_node("Gather", [f"{result}.shape", "second axis"], [f"{result}.steps"]),
        helper.make_node("Gather", [f"{result}.shape", "first axis"], [f"{result}.batch"]),
        helper.make_node("Expand", [f"{result}.steps", f"{result}.batch"], [f"{result}.lengths"]),
        helper.make_node(
            *("ReverseSequence", [x, f"{result}.lengths"], [result]), time_axis=1, batch_axis=0
        ),
    ]


@pytest.mark.slow
def test_loops_of_any_length(tmp_path: Path) -> None:
    """Both directions are one op, with batch and time open."""
    made, (one, other) = of_loops()
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    (spec,) = module.linked
    assert (spec.op, spec.attributes["direction"]) == ("onnx.GRU", "bidirectional")
    program = loaded(module)
    for size in ((B, T), (3, 4)):
        x = weight(*size, I)
        wanted = [stepped(one, {"x": x})[0], stepped(other, {"x": x[:, ::-1].copy()})[0][:, ::-1]]
        close(program(x=x)[0], np.concatenate(wanted, 2))
