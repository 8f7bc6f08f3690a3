"""Axes without a size stay open: one module gives the same results at all sizes."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest

import rnn_compiler as rc
from rnn_compiler.__main__ import main
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.network_import.graph import Graph

pytest.importorskip("onnx")

from execution import ways
from onnx import TensorProto, helper
from quick import first

from tests.network_import.graphs import (
    TARGET,
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

SIZES = ((1, 1), (2, 6), (1, 7), (5, 1), (3, 33), (1, 50))


TAGGER = tagger()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(TAGGER, tmp_path_factory.mktemp("models") / "tagger.onnx")


@pytest.fixture(scope="module")
def module(file: Path) -> rc.Module:
    return rc.import_network(file)


@pytest.mark.slow
def test_any_batch_and_any_length(module: rc.Module) -> None:
    """Under the model's names. Calls work without IREE's runtime, as with known sizes."""
    (spec,) = module.functions
    assert spec.open_dims == ["batch", "sequence"]
    assert [each.formula for each in spec.arguments] == ["[batch, 3, sequence]"]
    assert [each.formula for each in spec.results] == ["[sequence, batch, 4]"]
    program = loaded(module)
    for batch, steps in SIZES:
        x = weight(batch, I, steps)
        close(program(x=x).tags, expected(TAGGER, {"x": x})[0])
    assert program.manifest.calls == {"main": "direct"}
    with pytest.raises(InvalidArgumentError, match=r"batch in 1\.\."):
        program(x=np.zeros((0, I, 3), np.float32))


@pytest.mark.slow
def test_without_a_recurrent_node(tmp_path: Path) -> None:
    made = model(
        [helper.make_node("Tanh", ["x"], ["y"], name="tanh")], {"x": ["rows", 3]}, ["y"], {}
    )
    program = loaded(rc.import_network(saved(made, tmp_path / "tanh.onnx")))
    x = weight(5, 3)
    close(program(x=x).y, np.tanh(x))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["batch", "sequence"])
def test_one_open_axis(name: str, file: Path) -> None:
    """The other is fixed."""
    other = {"batch": {"sequence": T}, "sequence": {"batch": B}}[name]
    module = rc.import_network(file, dims=other)
    assert module.functions[0].open_dims == [name]
    program = loaded(module)
    for size in (1, 5):
        x = weight(*((size, I, T) if name == "batch" else (B, I, size)))
        close(program(x=x).tags, expected(TAGGER, {"x": x})[0])


def windows() -> Any:
    """A convolution without padding, for which two steps are too few, with computed sizes."""
    weights = {"K": weight(8, I, 3), **lstm_weights(size=8), "zero": np.array([0])}
    weights |= {"one": np.array([1]), "two": np.array([2]), "units": np.array([H])}
    nodes = [
        helper.make_node("Conv", ["x", "K"], ["c"], name="conv"),
        helper.make_node("Transpose", ["c"], ["t"], name="transpose", perm=[2, 0, 1]),
        helper.make_node("Shape", ["x"], ["b"], name="batch", start=0, end=1),
        helper.make_node("Concat", ["one", "b", "units"], ["s"], name="sizes", axis=0),
        helper.make_node("ConstantOfShape", ["s"], ["h"], name="state"),
        helper.make_node("LSTM", ["t", "W", "R", "B", "", "h"], ["", "Y"], "lstm", hidden_size=H),
        helper.make_node("Shape", ["c"], ["n"], name="length", start=2, end=3),
        helper.make_node("Mul", ["n", "two"], ["m"], name="double"),
        helper.make_node("Concat", ["m", "b", "one"], ["e"], name="shape", axis=0),
        helper.make_node("Expand", ["Y", "last"], ["z"], name="same"),
        helper.make_node("Expand", ["one_f", "e"], ["ones"], name="ones"),
        helper.make_node("Mul", ["ones", "z"], ["y"], name="product"),
    ]
    weights |= {"last": np.array([1, 1, 1]), "one_f": np.array(1, np.float32)}
    return model(nodes, {"x": ["N", I, "n1"]}, ["y"], weights)


WINDOWS = windows()


@pytest.fixture(scope="module")
def of_windows(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    return rc.import_network(saved(WINDOWS, tmp_path_factory.mktemp("models") / "windows.onnx"))


@pytest.mark.slow
def test_sizes_that_are_computed(of_windows: rc.Module) -> None:
    """Sizes of results are polynomials of the axes; an axis may need to be larger than 1."""
    (spec,) = of_windows.functions
    assert spec.results[0].formula == "[2*n1_ + -4, N, 5]"
    assert spec.least("n1_") == 3
    program = loaded(of_windows)
    for batch, steps in ((1, 3), (2, 4), (3, 17)):
        x = weight(batch, I, steps)
        close(program(x=x).y, expected(WINDOWS, {"x": x})[0])
    with pytest.raises(InvalidArgumentError, match=r"n1_ in 3\.\."):
        program(x=weight(1, I, 2))
    again = loaded(of_windows)
    assert again.manifest.functions[0].least("n1_") == 3


@pytest.mark.slow
def test_open_axes_in_c(of_windows: rc.Module, tmp_path: Path) -> None:
    """Sizes are members of the arguments, checked against the network's minima."""
    made = rc.compile_c(of_windows, TARGET, golden=rc.golden(of_windows, TARGET))
    assert re.search(r"int64_t n1_; +/\* from 3 to", made.header)
    made.save(tmp_path)
    command = ["cc", "-DWINDOWS_SELFTEST_MAIN", "-Wall", "-Werror", "windows_selftest.c"]
    processes.run(*command, "windows.c", "windows.o", "-o", "test", cwd=tmp_path)
    processes.run(tmp_path / "test", cwd=tmp_path)


def rounded() -> Any:
    """Adds half the number of steps to a result without steps."""
    nodes = [
        helper.make_node("MaxPool", ["x"], ["p"], name="pool", kernel_shape=[2], strides=[2]),
        helper.make_node("Shape", ["p"], ["s"], name="shape", start=2, end=3),
        helper.make_node("Cast", ["s"], ["sum"], name="half", to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["x"], ["total"], name="total"),
        helper.make_node("Add", ["total", "sum"], ["y"], name="add"),
    ]
    return model(nodes, {"x": [1, I, "time"]}, ["y"], {})


def every_other_step() -> Any:
    node = helper.make_node("MaxPool", ["x"], ["y"], name="pool", kernel_shape=[2], strides=[2])
    return model([node], {"x": [1, I, "time"]}, ["y"], {})


def steps_of_eight() -> Any:
    node = helper.make_node("Conv", ["x", "K"], ["y"], name="conv", strides=[8])
    return model([node], {"x": ["batch", 1, "samples"]}, ["y"], {"K": weight(6, 1, 16)})


def same_size(operator: str, stride: int, padding: str) -> Any:
    """Averages over pools that are padded to the size of their input, or half of it."""
    windows = {"kernel_shape": [3 if stride > 1 else 2], "strides": [stride], "auto_pad": padding}
    nodes = [
        helper.make_node(operator, ["x"], ["p"], name="pool", **windows),
        helper.make_node("GlobalAveragePool", ["p"], ["y"], name="mean"),
    ]
    return model(nodes, {"x": ["batch", I, "time"]}, ["y"], {})


def halves() -> Any:
    """Takes a vector apart in the middle."""
    node = helper.make_node("Reshape", ["x", "two"], ["y"], name="halves")
    nodes = [node, helper.make_node("Reshape", ["z", "one"], ["w"], name="flat")]
    sizes = {"two": np.array([2, -1]), "one": np.array([-1])}
    return model(nodes, {"z": ["batch", 2], "x": ["length"]}, ["y", "w"], sizes)


def sums() -> Any:
    """A Scan that returns the last sum, and every sum."""
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "abcd"}
    nodes = [
        helper.make_node("Add", ["a", "b"], ["c"]),
        helper.make_node("Identity", ["c"], ["d"]),
    ]
    a, b, c, d = values.values()
    body = helper.make_graph(nodes, "body", [a, b], [c, d])
    node = helper.make_node(
        "Scan", ["start", "x"], ["last", "each"], name="sums", body=body, num_scan_inputs=1
    )
    return model([node], {"start": [2], "x": ["time", 2]}, ["last", "each"], {})


def at_most(count: int) -> Any:
    """Takes the first rows of many."""
    node = helper.make_node("Slice", ["x", "first", "last", "first"], ["y"], name="cut")
    ends = {"first": np.array([0]), "last": np.array([count])}
    return model([node], {"x": ["rows", 3]}, ["y"], ends)


def squeezed(many: int) -> Any:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], name="shape", start=0, end=1),
        helper.make_node("Less", ["s", "many"], ["few"], name="less"),
        helper.make_node("Squeeze", ["few"], ["choice"], name="squeeze"),
        helper.make_node(
            "If", ["choice"], ["y"], name="choose",
            then_branch=_branch("Neg"), else_branch=_branch("Abs"),
        ),
    ]  # fmt: skip
    return model(nodes, {"x": ["rows", 3]}, ["y"], {"many": np.array([many])})


def _branch(operator: str) -> Any:
    out = helper.make_tensor_value_info("o", TensorProto.FLOAT, None)
    return helper.make_graph([helper.make_node(operator, ["x"], ["o"])], operator, [], [out])


@pytest.mark.parametrize(
    ("make", "message"),
    first(
        [
            (
                rounded,
                r"node 'half' \(Cast\) reads an array .* axis 'time' cannot be open: .*'time': N",
            ),
            (
                every_other_step,
                r"node 'pool' \(MaxPool\) rounds a size .* axis 'time' cannot be open",
            ),
            (
                steps_of_eight,
                r"node 'conv' \(Conv\) rounds a size .* axis 'samples' cannot be open",
            ),
            (
                halves,
                r"node 'halves' \(Reshape\).* no shape at some sizes .* axis 'length' cannot",
            ),
            (
                partial(same_size, "MaxPool", 2, "SAME_UPPER"),
                r"node 'pool' \(MaxPool\) depends on the size of an input, so axis 'time'",
            ),
            (
                partial(squeezed, 100),
                r"node '.*' \(.*\) depends on the size of an input, so axis 'rows'",
            ),
            (
                partial(squeezed, 5000),
                r"node '.*' \(.*\) changes at a size of .*axis 'rows'",
            ),
            (
                partial(at_most, 5000),
                r"node 'cut' \(Slice\) gives no result, or another, at a size of .*axis 'rows'",
            ),
        ],
        6,
    ),
)
def test_axes_that_cannot_be_open(make: Any, message: str, tmp_path: Path) -> None:
    """The message names the axis, the node that needs it, and the remedy."""
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(make(), tmp_path / "network.onnx"))


def test_a_constant_position_beyond_its_table(tmp_path: Path) -> None:
    """It depends on no size, and is found by what looks at positions at all sizes."""
    weights = {"table": weight(3, 4), "at": np.array([5])}
    nodes = [
        helper.make_node("Gather", ["table", "at"], ["row"], name="gather"),
        helper.make_node("Add", ["x", "row"], ["y"]),
    ]
    network = saved(model(nodes, {"x": ["rows", 4]}, ["y"], weights), tmp_path / "network.onnx")
    with pytest.raises(UnsupportedError, match=r"positions in -3\.\.2, got the constant 5"):
        rc.import_network(network)


@pytest.mark.parametrize("rows", ["rows", 2])
def test_a_constant_that_cannot_be_computed(rows: Any, tmp_path: Path) -> None:
    """Also if nothing reads it; branches before it stay whole."""
    table = helper.make_tensor_value_info("row", TensorProto.FLOAT, [4])
    taken = helper.make_graph([helper.make_node("Neg", ["a"], ["row"])], "taken", [], [table])
    other = helper.make_graph([helper.make_node("Neg", ["b"], ["row"])], "other", [], [table])
    nodes = [
        helper.make_node("If", ["yes"], ["z"], then_branch=taken, else_branch=other),
        helper.make_node("If", ["no"], ["w"], then_branch=taken, else_branch=other),
        helper.make_node("Reshape", ["a", "three"], ["unused"], name="reshape"),
        helper.make_node("Sum", ["x", "z", "w"], ["y"]),
    ]
    weights = {"a": weight(4), "b": weight(4), "three": np.array([3])}
    weights |= {"yes": np.array(True), "no": np.array(False)}
    network = saved(model(nodes, {"x": [rows, 4]}, ["y"], weights), tmp_path / "network.onnx")
    with pytest.raises(UnsupportedError, match=r"reshape.* cannot be computed"):
        rc.import_network(network)


def recurrent(*inputs: str, **shapes: Any) -> Any:
    """An LSTM of 5 units with some optional inputs."""
    names = ("sequence_lens", "initial_h", "initial_c")
    given = [name if name in inputs else "" for name in names]
    node = helper.make_node("LSTM", ["x", "W", "R", "B", *given], ["y"], "enc", hidden_size=H)
    zeros = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Concat", ["one", "s", "units"], ["sizes"], axis=0),
        helper.make_node("ConstantOfShape", ["sizes"], ["initial_c"]),
    ]
    weights = {**lstm_weights(), "one": np.array([1]), "units": np.array([7])}
    if "x" not in shapes:  # it is constant
        weights["x"] = weight(T, 3, I)
    if "initial_h" not in shapes:
        weights["initial_h"] = weight(1, 1, H)
    nodes = [*([] if "initial_c" in shapes or "initial_c" not in inputs else zeros), node]
    return model(nodes, shapes, ["y"], weights, dtypes={"sequence_lens": TensorProto.INT32})


STATES = ("initial_h", "initial_c")
ROWS = r"node 'enc' \(LSTM\): '{}': expected the shape \[{}\] for the rows of 'X', got \[{}\]"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            recurrent("initial_c", x=[T, "N", I]),
            "node 'enc' .*has initial_c of 7 units and weights of 5",
        ),
        (
            recurrent("initial_h", x=[T, "N", I]),
            ROWS.format("initial_h", "1, N, 5", "1, 1, 5") + ", so axis 'N' .*--dim N=",
        ),
        (
            recurrent(*STATES, x=[T, 1, I], initial_h=[1, "h", H], initial_c=[1, None, H]),
            ROWS.format("initial_h", "1, 1, 5", "1, h, 5") + ".*dim h=N .*initial_c=NxN",
        ),
        (
            recurrent("sequence_lens", x=[T, "N", I], sequence_lens=[2]),
            ROWS.format("sequence_lens", "N", "2"),
        ),
        (recurrent("initial_h", x=[T, 2, I]), ROWS.format("initial_h", "1, 2, 5", "1, 1, 5")),
        (
            recurrent("initial_h", initial_h=[1, 2, H]),
            ROWS.format("initial_h", "1, 3, 5", "1, 2, 5"),
        ),
    ],
)
def test_inputs_of_a_recurrent_node(made: Any, message: str, tmp_path: Path) -> None:
    """All have the same rows, also zeros that the graph computes."""
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(made, tmp_path / "network.onnx"))


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["N", 2])
def test_values_named_after_a_recurrent_node(rows: int | str, tmp_path: Path) -> None:
    """As other nodes' values are named that are computed around it."""
    names = ["enc.Y", "enc.output_h", "enc.output_c"]
    node = helper.make_node("LSTM", ["enc.output", "W", "R", "B"], names, "enc", hidden_size=H)
    made = model([node], {"enc.output": [T, rows, I]}, names, lstm_weights())
    program = loaded(rc.import_network(saved(made, tmp_path / "network.onnx")))
    x = weight(T, 2, I)
    for got, wanted in zip(program(enc_output=x), expected(made, {"enc.output": x}), strict=True):
        close(got, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["turn.0", "turn.2", "turn.starts", "turn.0.rows"])
def test_values_named_after_a_node(name: str, tmp_path: Path) -> None:
    """They meet none of those that a rewrite of the node names; messages keep its name."""
    nodes = [
        helper.make_node("Slice", ["x", "first", "end", "axis", "first"], [name], name="turn"),
        helper.make_node("Tanh", [name], ["y"], name="tanh"),
    ]
    weights = {"first": np.array([-1]), "end": np.array([-(2**40)]), "axis": np.array([1])}
    network = model(nodes, {"x": ["B", 5, I]}, ["y"], weights)
    x = weight(4, 5, I)
    program = loaded(rc.import_network(saved(network, tmp_path / "m.onnx")))
    close(program(x)[0], np.tanh(x[:, ::-1]))
    graph = Graph.read(saved(network, tmp_path / "m.onnx"))
    assert not name.startswith(f"{graph.proto.node[0].name}.")
    assert graph.named(graph.proto.node[0]) == "node 'turn' (Slice)"


def test_messages_keep_the_names_of_the_file(tmp_path: Path) -> None:
    """Also of nodes that values are named after, at each size that is tried."""
    pool = {"kernel_shape": [2], "strides": [2], "name": "pool"}
    nodes = [
        helper.make_node("MaxPool", ["x"], ["pool.0"], **pool),
        helper.make_node("Neg", ["pool.0"], ["y"], name="negate"),
    ]
    network = model(nodes, {"x": [1, I, "time"]}, ["y"], {})
    with pytest.raises(UnsupportedError, match=r"node 'pool' \(MaxPool\) rounds a size"):
        rc.import_network(saved(network, tmp_path / "m.onnx"))


@pytest.mark.slow
def test_a_single_window_beside_an_open_axis(tmp_path: Path) -> None:
    """Which leaves a part of its input unread."""
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[1, 2], strides=[1, 2])
    network = model([node], {"x": [3, 2, "time", 3]}, ["y"], {})
    x = weight(3, 2, 4, 3)
    found = loaded(rc.import_network(saved(network, tmp_path / "m.onnx")))(x=x).y
    np.testing.assert_array_equal(found, x[..., :2].max(-1, keepdims=True))


@pytest.mark.slow
def test_a_constant_input_of_a_recurrent_node(tmp_path: Path) -> None:
    """As a decoder with learned inputs has it."""
    made = recurrent("initial_h", initial_h=[1, 3, H])
    program = loaded(rc.import_network(saved(made, tmp_path / "network.onnx")))
    h = weight(1, 3, H)
    close(program(initial_h=h).y, expected(made, {"initial_h": h})[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("operator", "padding"),
    [(a, b) for a in ("MaxPool", "AveragePool") for b in ("SAME_UPPER", "SAME_LOWER")],
)
def test_pools_that_keep_a_size(operator: str, padding: str, tmp_path: Path) -> None:
    """Windows of two, the last or the first of which has a single number."""
    made = same_size(operator, 1, padding)
    program = loaded(rc.import_network(saved(made, tmp_path / "network.onnx")))
    of_window = np.max if operator == "MaxPool" else np.mean
    before = 1 if padding == "SAME_LOWER" else 0
    for batch, steps in ((2, 6), (1, 7), (3, 1)):
        x = weight(batch, I, steps)
        windows = (x[..., max(k - before, 0) : k - before + 2] for k in range(steps))
        pools = np.stack([of_window(each, -1) for each in windows], -1)
        close(program(x=x).y, pools.mean(-1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [True, False])
def test_branches_that_calls_choose(chosen: bool, tmp_path: Path) -> None:
    """Their values have open sizes, too."""
    branches = {
        f"{name}_branch": helper.make_graph(
            [
                helper.make_node(operator, ["x"], [f"{name}1"], name=f"{name} 1"),
                helper.make_node("Add", [f"{name}1", "x"], [f"{name}2"], name=f"{name} 2"),
            ],
            name,
            [],
            [helper.make_tensor_value_info(f"{name}2", TensorProto.FLOAT, None)],
        )
        for name, operator in (("then", "Exp"), ("else", "Abs"))
    }
    node = helper.make_node("If", ["c"], ["y"], name="choose", **branches)
    dtypes = {"c": TensorProto.BOOL}
    made = model([node], {"c": [], "x": ["batch", 2]}, ["y"], {}, dtypes=dtypes)
    program = loaded(rc.import_network(saved(made, tmp_path / "network.onnx")))
    for batch in (1, 4):
        given = {"c": np.array(chosen), "x": weight(batch, 2)}
        close(program(**given).y, expected(made, given)[0])


@pytest.mark.slow
@ways("c")
def test_the_last_step_of_a_reversed_layer(agrees: Any) -> None:
    """As Keras exports `go_backwards` along an open axis."""
    bounds = {"last": [-1], "before all": [-(1 << 31)], "zero": [0], "one": [1], "end": [2**31 - 1]}
    weights = {**lstm_weights(), **{name: np.array(each) for name, each in bounds.items()}}
    nodes = [
        helper.make_node("Transpose", ["x"], ["xt"], perm=[1, 0, 2]),
        helper.make_node("Slice", ["xt", "last", "before all", "zero", "last"], ["turned"]),
        helper.make_node("LSTM", ["turned", "W", "R", "B"], ["all"], hidden_size=H),
        helper.make_node("Squeeze", ["all", "one"], ["steps"]),
        helper.make_node("Slice", ["steps", "last", "end", "zero"], ["row"]),
        helper.make_node("Squeeze", ["row", "zero"], ["y"]),
    ]
    made = model(nodes, {"x": ["batch", "time", I]}, ["y"], weights)
    agrees(made, {"x": weight(2, 5, I)}, {"x": weight(1, 1, I)})


@pytest.mark.slow
def test_the_results_of_a_scan(tmp_path: Path) -> None:
    made = sums()
    program = loaded(rc.import_network(saved(made, tmp_path / "network.onnx")))
    for steps in (1, 3):
        given = {"start": weight(2), "x": weight(steps, 2)}
        for got, wanted in zip(program(**given), expected(made, given), strict=True):
            close(got, wanted)


@pytest.mark.slow
def test_a_stream_has_known_sizes(file: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"'states'.*batch, sequence open; pass dims="):
        rc.import_network(file, states={"x": "tags"})


@pytest.mark.slow
def test_the_command_line(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It lists sizes by name; the README's code runs."""
    command = ["import", str(file), "--whole", "--target", TARGET, "--json", "-o"]
    assert main([*command, str(tmp_path / "out")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["inputs"][0]["sizes"] == ["batch", 3, "sequence"]
    text = (tmp_path / "out" / "README.md").read_text()
    assert "float32[sequence,batch,4]" in text
    code = text.partition("```python\n")[2].partition("```")[0]
    path = str(tmp_path / "out" / "tagger.vmfb")
    exec(code.replace('"tagger.vmfb"', repr(path)), {})


@ways("direct", "c", quick=("direct",))
def test_open_axes_that_are_joined(agrees: Any) -> None:
    """Of the same rank before and after; IREE's importer would keep the first axis alone."""
    rows = {"rows": np.array([-1, 1]), "row": np.array([1, -1])}
    nodes = [helper.make_node("Reshape", ["x", name], [f"{name}_of_x"]) for name in rows]
    made = model(nodes, {"x": ["a", "b"]}, ["rows_of_x", "row_of_x"], rows)
    agrees(made, {"x": weight(3, 4)}, {"x": weight(1, 7)})


@pytest.mark.slow
@ways("c")
def test_slices_to_the_end_in_c(agrees: Any) -> None:
    """Ends that are no sizes are not compared with sizes: C knows what is left without."""
    ends = {f"end{end}": np.array([end]) for end in (2**31 - 1, 2**31, 2**63 - 1)}
    weights = {"one": np.array([1]), "axis": np.array([0]), **ends, **lstm_weights()}
    nodes: list[Any] = []
    for end in ends:
        nodes.append(helper.make_node("Slice", ["x", "one", end, "axis"], [f"rows_{end}"]))
        given = [f"rows_{end}", "W", "R", "B"]
        nodes.append(helper.make_node("LSTM", given, [f"y_{end}"], hidden_size=H))
    made = model(nodes, {"x": ["time", "batch", I]}, [f"y_{end}" for end in ends], weights)
    agrees(made, {"x": weight(4, 2, I)})


@pytest.mark.slow
def test_a_shape_of_which_0_is_no_copy(tmp_path: Path) -> None:
    """PyTorch's newer exporter always sets `allowzero`."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=0, end=1),
        helper.make_node("Concat", ["s", "sizes"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"], allowzero=1),
    ]
    made = model(nodes, {"x": ["time", 6]}, ["y"], {"sizes": np.array([3, 2])})
    x = weight(4, 6)
    run = loaded(rc.import_network(saved(made, tmp_path / "m.onnx")))
    close(run(x=x).y, expected(made, {"x": x})[0])
