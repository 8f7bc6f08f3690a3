"""ONNX files: what looks like a recurrent operator and is not, and what else a model may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError

onnx: Any = pytest.importorskip("onnx")
inliner: Any = pytest.importorskip("onnx.inliner")
pytestmark = pytest.mark.usefixtures("networks_imported_here")

node: Callable[..., Any] = onnx.helper.make_node
SIZES = {"LSTM": 16, "GRU": 12, "RNN": 4}
FLOAT = onnx.TensorProto.FLOAT


def recurrent(operator: str = "LSTM", *more: str, **attributes: Any) -> Any:
    attributes = {"hidden_size": 4, "name": operator.lower()} | attributes
    return node(operator, ["x", f"{operator}_W", f"{operator}_R", *more], ["y"], **attributes)


def write(
    path: Path, nodes: Sequence[Any], functions: Sequence[Any] = (), producer: str = ""
) -> Path:
    """A model of some nodes, with weights W and R for each operator and a vector `n`."""
    weights = {"n": np.ones(2, np.float32)}
    for operator, rows in SIZES.items():
        weights |= {f"{operator}_W": np.ones((1, rows, 3), np.float32)}
        weights |= {f"{operator}_R": np.ones((1, rows, 4), np.float32)}
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [value("x", FLOAT, [5, 2, 3])],
        [value("y", FLOAT, None)],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("mine", 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, functions=functions)
    model.producer_name = producer
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("operator", SIZES)
@pytest.mark.parametrize("domain", ["mine", "com.mine.audio"])
def test_operators_of_another_domain(operator: str, domain: str, tmp_path: Path) -> None:
    """They compute what their owner says."""
    path = write(tmp_path / "m.onnx", [recurrent(operator, domain=domain), recurrent(name="own")])
    name = operator.lower()
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    assert str(caught.value) == (
        f"import_model: {name} has the operator {operator} of the domain {domain}, which no op "
        "computes; select the others with layers=['own'] (--layer NAME)"
    )
    assert [layer.name for layer in rc.import_model(path, layers=["own"])] == ["own"]
    (layer,) = rc.import_model(write(path, [recurrent(operator, domain="ai.onnx")]))
    assert layer.name == name


def test_weights_moved_by_operators_of_another_domain(tmp_path: Path) -> None:
    """They are not constants, as it is not known what such a node computes."""
    for domain, lacking in (("mine", ["W"]), ("", [])):
        moved = node("Transpose", ["LSTM_W"], ["V"], perm=[0, 1, 2], domain=domain)
        made = node("LSTM", ["x", "V", "LSTM_R"], ["y"], hidden_size=4)
        (layer,) = rc.import_model(write(tmp_path / "m.onnx", [moved, made]))
        assert [name for name in "W" if any(f"{name} (" in note for note in layer.notes)] == lacking
        assert ("params" in layer.weights) == (not lacking)


@pytest.mark.parametrize(
    ("operator", "more", "attributes", "told"),
    [
        ("LSTM", [], {"peephole": 1}, "the attribute peephole"),
        ("LSTM", [], {"linear_before_reset": 1}, "the attribute linear_before_reset"),
        ("GRU", [], {"input_forget": 1}, "the attribute input_forget"),
        ("RNN", [], {"nonlinearity": "relu"}, "the attribute nonlinearity"),
        ("GRU", ["", "", "", "n"], {}, "the input 'n'"),
        ("RNN", ["", "", "", "", "n"], {"z": 1}, "the attribute z and the input 'n'"),
        ("LSTM", ["", "", "", "", "", "n"], {}, "the input 'n'"),
    ],
)
@pytest.mark.parametrize("read", [rc.import_model, rc.import_network])
def test_what_an_operator_does_not_have(
    operator: str, more: list[str], attributes: Any, told: str, read: Any, tmp_path: Path
) -> None:
    """No attribute and no input is left out without a word."""
    path = write(tmp_path / "m.onnx", [recurrent(operator, *more, **attributes)])
    with pytest.raises(UnsupportedError) as caught:
        read(path)
    if read is rc.import_model or "attribute" in told:
        assert f"{told}, which ONNX's {operator} does not have" in str(caught.value)


def test_what_older_operators_have(tmp_path: Path) -> None:
    path = write(tmp_path / "m.onnx", [recurrent("GRU", output_sequence=1, linear_before_reset=1)])
    assert len(rc.import_model(path)) == 1


@pytest.mark.parametrize("inside", [False, True])
def test_layers_in_functions(inside: bool, tmp_path: Path) -> None:
    """They are named, and imported once the function is inlined; uncalled functions are nothing."""
    lstm = node("LSTM", ["a", "b", "c"], ["d"], hidden_size=4, name="inner")
    body = [lstm]
    if inside:
        graph = onnx.helper.make_graph(
            [lstm], "then", [], [onnx.helper.make_tensor_value_info("d", FLOAT, None)]
        )
        body = [node("If", ["k"], ["d"], then_branch=graph, else_branch=graph)]
        body.insert(
            0, node("Constant", [], ["k"], value=onnx.numpy_helper.from_array(np.array(True)))
        )
    opsets = [onnx.helper.make_opsetid("", 17)]
    function = onnx.helper.make_function("mine", "Block", ["a", "b", "c"], ["d"], body, opsets)
    call = node("Block", ["x", "LSTM_W", "LSTM_R"], ["y"], domain="mine", name="call")
    path = write(tmp_path / "m.onnx", [recurrent("GRU", linear_before_reset=1), call], [function])
    with pytest.raises(UnsupportedError) as caught:
        rc.import_model(path)
    assert (
        "import_model: Block/inner has LSTM in a function, which is not read: inline it with "
        in (str(caught.value))
    )
    assert "select the others with layers=['gru']" in str(caught.value)
    inlined = inliner.inline_local_functions(onnx.load(path))
    onnx.save(inlined, path)
    assert {layer.op for layer in rc.import_model(path)} == {"CudnnRNNV3"}
    path = write(path, [recurrent("GRU", linear_before_reset=1)], [function])
    assert [layer.name for layer in rc.import_model(path)] == ["gru"]


def loop(operator: str) -> Any:
    """A loop whose body is one addition."""
    value = onnx.helper.make_tensor_value_info
    if operator == "Scan":
        body = onnx.helper.make_graph(
            [node("Add", ["c", "e"], ["d"]), node("Identity", ["d"], ["o"])],
            "body",
            [value("c", FLOAT, [2, 3]), value("e", FLOAT, [2, 3])],
            [value("d", FLOAT, [2, 3]), value("o", FLOAT, [2, 3])],
        )
        return node("Scan", ["s", "x"], ["t", "y"], body=body, num_scan_inputs=1)
    body = onnx.helper.make_graph(
        [node("Add", ["c", "c"], ["d"])],
        "body",
        [value("i", 7, []), value("k", 9, []), value("c", FLOAT, [5, 2, 3])],
        [value("k", 9, []), value("d", FLOAT, [5, 2, 3])],
    )
    return node("Loop", ["", "", "x"], ["y"], body=body)


WHOLE = "import the whole network (rc.import_network, import --whole), which recognises them"


@pytest.mark.parametrize(
    ("operator", "producer", "told"),
    [
        ("Loop", "tf2onnx", "tf2onnx writes Keras' GRU, SimpleRNN and masked layers as a Loop: "),
        ("Loop", "pytorch", "its recurrent layers may be written as a Loop: "),
        ("Scan", "pytorch", "its recurrent layers may be written as a Scan: "),
        ("Scan", "", "its recurrent layers may be written as a Scan: "),
        ("Add", "pytorch", "the exporter writes cells and Keras' layers as such operators"),
        ("Add", "", ""),
        ("Add", "tf2onnx", ""),
    ],
)
def test_advice_that_fits_the_exporter(
    operator: str, producer: str, told: str, tmp_path: Path
) -> None:
    others = [node(each, ["x"], [f"y_{each}"]) for each in MANY]
    last = node("Add", ["x", "x"], ["y"]) if operator == "Add" else loop(operator)
    path = write(tmp_path / "m.onnx", [*others, last], producer=producer)
    with pytest.raises(InvalidArgumentError) as caught:
        rc.import_model(path)
    text = str(caught.value)
    assert told in text
    assert (WHOLE in text) == bool(told)
    assert (".keras file" in text) == (told.startswith(("tf2onnx", "the exporter")))
    assert ("dynamo=False" in text) == told.startswith("the exporter")


@pytest.mark.parametrize("operator", ["Loop", "Scan"])
def test_loops_beside_a_layer(operator: str, tmp_path: Path) -> None:
    """They may be layers that an exporter has written so; a loop around the layer is not one."""
    path = write(tmp_path / "m.onnx", [recurrent(), recurrent("GRU"), loop(operator)])
    first, second = rc.import_model(path)
    assert first.notes[-1] == (
        f"the model also has a {operator}, perhaps of other recurrent layers, which is not "
        "imported (import --whole imports all)"
    )
    assert not any("also has" in note for note in second.notes)
    around = loop("Loop")
    around.attribute[0].g.node.append(recurrent())
    assert [layer.notes for layer in rc.import_model(write(path, [around]))] == [()]


MANY = (
    *(
        "Abs",
        "Acos",
        "Asin",
        "Atan",
        "Ceil",
        "Cos",
        "Cosh",
        "Elu",
        "Erf",
        "Exp",
        "Floor",
        "Identity",
    ),
    *("LeakyRelu", "Log", "Neg", "Reciprocal", "Relu", "Round", "Selu", "Shape", "Sigmoid"),
)
"""More operators than a message lists."""
