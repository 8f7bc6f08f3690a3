"""Positions in arrays, such as indices and lengths: calls touch no memory but their own arrays."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import Call, Loaded, sanitized
from c.calling import run as c_run
from cases import assert_same_bits
from execution import Execute, each_language, ways
from js import calling as js_calling

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.schema.manifest import Manifest

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import TARGET, expected, loaded, lstm_weights, model, saved, weight

ROWS, COLUMNS = 4, 3
SHAPES = {
    "Gather": [2],
    "GatherElements": [2, COLUMNS],
    "GatherND": [2, 1],
    "ScatterElements": [1, COLUMNS],
    "ScatterND": [2, 1],
    "Flatten": [2, 2],
}
"""Operators with indices of rows, and the shapes of these; `Flatten` leads to a Gather."""


def nodes_with(suffix: str = "") -> list[Any]:
    """A node of each operator, which reads the indices ``i_Gather``, .., with a suffix."""
    node: Any = helper.make_node
    indices = {name: f"i_{name}{suffix}" for name in SHAPES}
    nodes = [
        node(name, ["E", indices[name], *(["u_" + name] if "Scatter" in name else [])], [name])
        for name in SHAPES
        if name != "Flatten"
    ]
    nodes += [
        node("Cast", [indices["Flatten"]], ["wide"], to=TensorProto.INT64),
        node("Flatten", ["wide"], ["flat"], axis=0),
        node("Gather", ["E", "flat"], ["Flatten"]),
    ]
    return nodes


TABLE = weight(ROWS, COLUMNS)
CONSTANTS = {
    "E": TABLE,
    "u_ScatterElements": weight(1, COLUMNS),
    "u_ScatterND": weight(2, COLUMNS),
}
INPUTS = {f"i_{name}": shape for name, shape in SHAPES.items()}
KINDS = {f"i_{name}": TensorProto.INT64 for name in SHAPES} | {"i_Flatten": TensorProto.INT32}
DTYPES = {name: np.int32 if name == "i_Flatten" else np.int64 for name in KINDS}


def filled(value: int) -> dict[str, Any]:
    """Every index has this value, except that no two updates go to one place."""
    given = {name: np.full(shape, value, DTYPES[name]) for name, shape in INPUTS.items()}
    given["i_ScatterND"][0] = 0
    return given


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, rc.Module]:
    """The indices are inputs."""
    whole = model(nodes_with(), INPUTS, [*SHAPES], CONSTANTS, dtypes=KINDS)
    path = saved(whole, tmp_path_factory.mktemp("models") / "direct.onnx")
    return whole, rc.import_network(path)


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    """The indices are sums."""
    sums = [helper.make_node("Add", [name, name], [f"{name}_sum"]) for name in INPUTS]
    whole = model([*sums, *nodes_with("_sum")], INPUTS, [*SHAPES], CONSTANTS, dtypes=KINDS)
    return rc.import_network(saved(whole, tmp_path_factory.mktemp("models") / "computed.onnx"))


@pytest.mark.slow
@ways("direct", "c", "js")
def test_computed_indices_beyond_32_bits(execute: Execute, tmp_path: Path) -> None:
    """They are clamped before they are as wide as the processor's addresses."""
    nodes = [
        helper.make_node("Add", ["i", "i"], ["twice"]),
        helper.make_node("Gather", ["E", "twice"], ["y"]),
    ]
    whole = model(nodes, {"i": ["B"]}, ["y"], {"E": TABLE}, dtypes={"i": TensorProto.INT64})
    module = rc.import_network(saved(whole, tmp_path / "m.onnx"))
    beyond = np.array([2**30, 2**31, 2**31 + 1, 2**61])
    for sign, row in ((1, -1), (-1, 0)):
        found = execute(module, {"i": sign * beyond})["y"]
        np.testing.assert_array_equal(found, TABLE[[row] * 4])


def at_end(row: int) -> dict[str, Any]:
    """The results of all operators for a row, by numpy."""
    scattered = {name: TABLE.copy() for name in ("ScatterElements", "ScatterND")}
    scattered["ScatterElements"][row] = CONSTANTS["u_ScatterElements"]
    scattered["ScatterND"][[0, row]] = CONSTANTS["u_ScatterND"]
    gathered = {name: TABLE[np.full(shape, row)] for name, shape in SHAPES.items()}
    gathered["GatherElements"] = np.stack([TABLE[row]] * 2)
    gathered["GatherND"] = np.stack([TABLE[row]] * 2)
    gathered["Flatten"] = np.stack([np.stack([TABLE[row]] * 4)])
    return gathered | scattered


@pytest.mark.slow
def test_indices_that_are_arguments(direct: tuple[Any, rc.Module]) -> None:
    """They may count from the end; those beyond the axis are refused before anything runs."""
    whole, module = direct
    ranges = {(a.minimum, a.maximum) for a in module.functions[0].arguments}
    assert ranges == {(-ROWS, ROWS - 1)}
    run = loaded(module)
    for value in (ROWS - 1, -1, 1 - ROWS):
        found = run(**filled(value))._asdict()
        for (name, result), wanted in zip(
            found.items(), expected(whole, filled(value)), strict=True
        ):
            np.testing.assert_array_equal(result, wanted, err_msg=name)
    for name in INPUTS:
        for wrong in (ROWS, -ROWS - 1, 10**9, -(10**9)):
            given = filled(1)
            given[name].flat[-1] = wrong
            with pytest.raises(
                InvalidArgumentError, match=f"'{name}': expected .*-4..3, got {wrong}"
            ):
                run(**given)


@pytest.mark.slow
@each_language
def test_computed_indices_are_clamped(execute: Execute, computed: rc.Module) -> None:
    assert {a.maximum for a in computed.functions[0].arguments} == {None}
    for half, row in ((1, 2), (-1, 2), (2, 3), (10**8, 3), (-3, 0), (-(10**8), 0)):
        given = filled(half)
        given["i_ScatterND"][0] = 0 if row else 1
        wanted = at_end(row)
        if not row:
            wanted["ScatterND"] = TABLE.copy()
            wanted["ScatterND"][[2, 0]] = CONSTANTS["u_ScatterND"]
        assert_same_bits(execute(computed, given), wanted, half)


@pytest.mark.slow
def test_indices_that_c_and_javascript_refuse(
    direct: tuple[Any, rc.Module], tmp_path: Path
) -> None:
    found = Loaded(rc.compile_c(direct[1], TARGET), tmp_path)
    for name in INPUTS:
        for wrong in (ROWS, -ROWS - 1, 10**9):
            given = filled(1)
            given[name].flat[-1] = wrong
            code = Call(found, "direct", given)()
            assert found.error(code) == f"{name}: an element not from -4 to 3"
    if shutil.which("node") is not None:
        rc.compile_js(direct[1], name="refusing").save(tmp_path)
        script = f"""import {{ load }} from "./refusing.mjs";
        const {{ main }} = await load();
        const given = () => ({{ i_Gather: new BigInt64Array(2), i_Flatten: new Int32Array(4),
          i_GatherElements: new BigInt64Array(6), i_GatherND: new BigInt64Array(2),
          i_ScatterElements: new BigInt64Array(3), i_ScatterND: new BigInt64Array(2) }});
        for (const name of {[*INPUTS]})
          for (const wrong of [4, -5, 1e9]) {{
            const all = given();
            all[name][1] = name === "i_Flatten" ? wrong : BigInt(wrong);
            try {{ main(all); }} catch (error) {{ console.log(error.argument, error.message); }}
          }}"""
        lines = js_calling.node(tmp_path, script).splitlines()
        assert len(lines) == 3 * len(INPUTS)
        assert all("expected values in -4..3" in line for line in lines)


def rows_of_an_open_axis(count: str = "B") -> Any:
    """The rows ``i`` of an array ``x``, both of open sizes."""
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"])]
    inputs = {"x": ["T", 3], "i": [count]}
    return model(nodes, inputs, ["y"], {}, dtypes={"i": TensorProto.INT32})


def test_indices_of_an_open_axis(tmp_path: Path) -> None:
    """The range of an argument depends on the size of another one."""
    path = saved(rows_of_an_open_axis(), tmp_path / "m.onnx")
    module = rc.import_network(path)
    assert module.functions[0].arguments[1].range == "-T..T - 1"
    run, x = loaded(module), weight(4, 3)
    np.testing.assert_array_equal(run(x=x, i=np.array([3, -4], np.int32)).y, x[[3, 0]])
    for wrong in (4, -5):
        with pytest.raises(InvalidArgumentError, match=r"'i': expected values in -4\.\.3, got"):
            run(x=x, i=np.array([0, wrong, 1], np.int32))


@pytest.mark.slow
@each_language
def test_positions_in_a_table(agrees: Any) -> None:
    """Of one row for each step, in tables that have fewer than the open axis may have."""
    tables = {f"of{rows}": weight(rows, 3) for rows in (50, 80, 500, 2000)}
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Squeeze", ["n"], ["count"]),
        helper.make_node("Range", ["zero", "count", "one"], ["steps"]),
    ]
    for name in tables:
        nodes.append(helper.make_node("Gather", [name, "steps"], [f"e_{name}"], name=name))
        nodes.append(helper.make_node("Add", ["x", f"e_{name}"], [f"y_{name}"]))
    weights = {"zero": np.array(0), "one": np.array(1), **tables}
    made = model(nodes, {"x": ["steps", 3]}, [f"y_{name}" for name in tables], weights)

    def judged(_: Any, given: dict[str, Any]) -> list[Any]:
        steps = np.arange(len(given["x"]))  # computed positions are clamped
        return [given["x"] + table[np.minimum(steps, len(table) - 1)] for table in tables.values()]

    agrees(made, *({"x": weight(steps, 3)} for steps in (1, 5, 50, 82, 2002)), judge=judged)


@pytest.mark.slow
@ways("direct", "c", "js")
@pytest.mark.parametrize("operator", ["Squeeze", "Unsqueeze", "Transpose"])
def test_rows_of_a_column(operator: str, agrees: Any) -> None:
    """A column of an open array is reshaped or transposed before its rows are taken."""
    attributes = {"perm": [1, 0, 2]} if operator == "Transpose" else {}
    given = ["column", "axis"] if operator != "Transpose" else ["column"]
    nodes = [
        helper.make_node("Slice", ["x", "zero", "one", "last"], ["column"]),
        helper.make_node(operator, given, ["s"], **attributes),
        helper.make_node("Gather", ["s", "i"], ["y"]),
    ]
    weights = {"zero": np.array([0]), "one": np.array([1]), "last": np.array([-1])}
    weights["axis"] = np.array([2 if operator == "Squeeze" else 1])
    inputs, kinds = {"x": ["T", "B", 2], "i": ["K"]}, {"i": TensorProto.INT64}
    made = model(nodes, inputs, ["y"], weights, dtypes=kinds)
    agrees(made, {"x": weight(4, 3, 2), "i": np.array([2, -1, 0])})


@pytest.mark.slow
def test_tuples_of_indices_in_an_open_array(tmp_path: Path) -> None:
    """A kernel gets a size and a negative number as 64 bits, in two halves, in every call."""
    nodes = [helper.make_node("GatherND", ["x", "i"], ["y"])]
    inputs, kinds = {"x": ["T", 3], "i": [2, 2]}, {"i": TensorProto.INT64}
    path = saved(model(nodes, inputs, ["y"], {}, dtypes=kinds), tmp_path / "m.onnx")
    run = loaded(rc.import_network(path))
    for rows in (4, 4, 2, 4):
        x = weight(rows, 3)
        found = run(x=x, i=np.array([[rows - 1, 1], [-1, -3]])).y
        np.testing.assert_array_equal(found, x[[-1, -1], [1, 0]])


def tuples(tmp_path: Path) -> tuple[Any, rc.Module]:
    """Indices of three axes of sizes 5, T and 2, direct and from columns."""
    node = helper.make_node
    nodes = [
        node("GatherND", ["x", "i"], ["y"]),
        node("ScatterND", ["x", "i", "u"], ["z"]),
        node("Unsqueeze", ["j", "axis"], ["column"]),
        node("Cast", ["k"], ["wide"], to=TensorProto.INT64),
        node("Concat", ["column", "wide"], ["jk"], axis=-1),
        node("GatherND", ["x", "jk"], ["w"]),
    ]
    inputs = {"x": [5, "T", 2], "i": [2, 3], "u": [2], "j": [2], "k": [2, 1]}
    kinds = {"i": TensorProto.INT64, "j": TensorProto.INT64, "k": TensorProto.INT32}
    whole = model(nodes, inputs, ["y", "z", "w"], {"axis": np.array([1])}, dtypes=kinds)
    return whole, rc.import_network(saved(whole, tmp_path / "tuples.onnx"))


RIGHT: dict[str, Any] = {
    "x": weight(5, 3, 2),
    "i": np.array([[-5, 2, 1], [4, -3, -2]]),
    "u": weight(2),
    "j": np.array([4, -5]),
    "k": np.array([[-3], [2]], np.int32),
}
BEYOND = [("i", (0, 0), 5), ("i", (1, 0), -6), ("i", (0, 1), 3), ("i", (1, 1), -4)]
BEYOND += [("i", (0, 2), 2), ("i", (1, 2), -3), ("j", (1,), 5), ("k", (1, 0), 3)]
"""Indices that are beyond the axis of their column, and not beyond the largest one."""


def test_each_index_of_a_tuple_has_a_range(tmp_path: Path) -> None:
    """Of the axis that it is for, also where columns are concatenated."""
    whole, module = tuples(tmp_path)
    i, j, k = (module.functions[0].arguments[n] for n in (1, 3, 4))
    assert i.range == "-5..4 and -T..T - 1 and -2..1 along the last axis"
    assert (j.range, k.range) == ("-5..4", "-T..T - 1")
    manifest = rc.compile(module, TARGET).manifest
    assert Manifest.from_json(manifest.to_json()).functions[0].arguments[1] == i
    run = loaded(module)
    for got, wanted in zip(run(**RIGHT), expected(whole, RIGHT), strict=True):
        np.testing.assert_array_equal(got, wanted)
    for name, place, wrong in BEYOND:
        given = {**RIGHT, name: RIGHT[name].copy()}
        given[name][place] = wrong
        with pytest.raises(
            InvalidArgumentError, match=f"'{name}': expected values in .*got {wrong}"
        ):
            run(**given)


@pytest.mark.slow
def test_tuples_that_c_and_javascript_refuse(tmp_path: Path) -> None:
    _, module = tuples(tmp_path)
    found = Loaded(rc.compile_c(module, TARGET, name="c"), tmp_path)
    sizes = {"T": 3}
    assert Call(found, "c", RIGHT | sizes)() == 0
    lines = []
    for name, place, wrong in BEYOND:
        given = {**RIGHT, name: RIGHT[name].copy()} | sizes
        given[name][place] = wrong
        code = Call(found, "c", given)()
        assert found.error(code).startswith(f"{name}: an element not from -"), (name, wrong)
        flat = np.ravel_multi_index(place, RIGHT[name].shape)
        number = wrong if name == "k" else f"{wrong}n"
        lines.append(f"[{name!r}, {flat}, {number}],")
    if shutil.which("node") is None:
        return
    rc.compile_js(module, name="refusing").save(tmp_path)
    script = f"""import {{ load }} from "./refusing.mjs";
    const {{ main }} = await load();
    const given = () => ({{ x: new Float32Array(30), u: new Float32Array(2), k: new Int32Array(2),
      i: new BigInt64Array(6), j: new BigInt64Array(2) }});
    main(given());
    for (const [name, place, wrong] of [{"".join(lines)}]) {{
      const all = given();
      all[name][place] = wrong;
      try {{ main(all); }} catch (error) {{ console.log(error.argument, error.message); }}
    }}"""
    printed = js_calling.node(tmp_path, script).splitlines()
    assert [line.split()[0] for line in printed] == [name for name, _, _ in BEYOND]
    assert "expected values in -5..4 and -3..2 and -2..1 along the last axis, got 5" in printed[0]


def test_an_open_axis_in_c(tmp_path: Path) -> None:
    path = saved(rows_of_an_open_axis(), tmp_path / "m.onnx")
    found = Loaded(rc.compile_c(rc.import_network(path), TARGET), tmp_path)
    given: dict[str, Any] = {"x": weight(4, 3), "i": np.array([3, -4], np.int32), "T": 4, "B": 2}
    np.testing.assert_array_equal(found.call("m", given)["y"], given["x"][[3, 0]])
    code = Call(found, "m", given | {"i": np.array([3, 4], np.int32)})()
    assert found.error(code) == "i: an element not from -T to T - 1"


@js_calling.needs_node
def test_open_axes_in_javascript(tmp_path: Path) -> None:
    """Indices beyond an axis, and an axis that is not equal to another."""
    path = saved(rows_of_an_open_axis("T"), tmp_path / "m.onnx")
    rc.compile_js(rc.import_network(path), name="m").save(tmp_path)
    script = """import { load } from "./m.mjs";
    const { main } = await load();
    for (const i of [[2, -3, 0], [2, 3, 0], [-4, 0, 0], [0, 1], [0, 1, 2, 0]])
      try {
        console.log(main({ x: new Float32Array(9), i: Int32Array.from(i) }).y.length);
      } catch (error) { console.log(error.message); }"""
    assert js_calling.node(tmp_path, script).splitlines() == [
        "9",
        "main: 'i': expected values in -3..2, got 3",
        "main: 'i': expected values in -3..2, got -4",
        "main: 'i': expected 3 elements, shape [T] = [3], got 2",
        "main: 'i': expected 3 elements, shape [T] = [3], got 4",
    ]


def test_constants_beyond_their_axis(tmp_path: Path) -> None:
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], name="rows")]
    path = saved(model(nodes, {"x": [4, 3]}, ["y"], {"i": np.array([1, 4])}), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"node 'rows' \(Gather\): expected .*-4..3, got"):
        rc.import_network(path)


@pytest.mark.slow
def test_constants_of_an_open_axis(tmp_path: Path) -> None:
    """Calls refuse arrays that are too short for them."""
    nodes: list[Any] = [
        helper.make_node("Gather", ["x", "i"], ["y"]),
        helper.make_node("LSTM", ["z", "W", "R", "B", "n"], ["Y"], hidden_size=5),
    ]
    constants = {"i": np.array([1, -4]), "n": np.full(2, 3, np.int32), **lstm_weights()}
    whole = model(nodes, {"x": ["rows", 3], "z": ["steps", 2, 3]}, ["y", "Y"], constants)
    module = rc.import_network(saved(whole, tmp_path / "m.onnx"))
    (spec,) = module.functions
    assert [spec.least(dim) for dim in ("rows", "steps")] == [4, 3]
    run = loaded(module)
    for rows, steps, wrong in ((3, 3, "x"), (4, 2, "z")):
        with pytest.raises(InvalidArgumentError, match=f"'{wrong}': expected shape"):
            run(x=weight(rows, 3), z=weight(steps, 2, 3))


@pytest.mark.slow
def test_lengths_of_recurrent_layers(tmp_path: Path) -> None:
    """Those that are arguments are checked; the rest are clamped. Reversals have them, too."""
    nodes: list[Any] = [
        helper.make_node("LSTM", ["x", "W", "R", "B", "n"], ["y"], hidden_size=5),
        helper.make_node("Add", ["m", "m"], ["twice"]),
        helper.make_node("LSTM", ["x", "W", "R", "B", "twice"], ["z"], hidden_size=5),
        helper.make_node("ReverseSequence", ["x", "k"], ["r"], time_axis=0, batch_axis=1),
        helper.make_node("Cast", ["twice"], ["wide"], to=TensorProto.INT64),
        helper.make_node("ReverseSequence", ["x", "wide"], ["s"], time_axis=0, batch_axis=1),
    ]
    kinds = {"n": TensorProto.INT32, "m": TensorProto.INT32, "k": TensorProto.INT64}
    shapes = {"x": [6, 2, 3], "n": [2], "m": [2], "k": [2]}
    whole = model(nodes, shapes, ["y", "z", "r", "s"], lstm_weights(), dtypes=kinds)
    run = loaded(rc.import_network(saved(whole, tmp_path / "m.onnx")))
    given: dict[str, Any] = {
        "x": weight(6, 2, 3),
        "n": np.array([6, 0], np.int32),
        "m": np.array([3, 0], np.int32),
    }
    given["k"] = np.array([6, 1])
    first = run(**given)
    np.testing.assert_array_equal(first.y, first.z)
    np.testing.assert_array_equal(first.r[:, 0], given["x"][::-1, 0])
    beyond = run(**given | {"m": np.array([2**30 - 1, -4], np.int32)})
    np.testing.assert_array_equal(beyond.z, first.z)
    np.testing.assert_array_equal(beyond.s, first.s)
    for name, dtype in (("n", np.int32), ("k", np.int64)):
        for wrong in (7, -1):
            message = f"'{name}': expected values in 0..6, got {wrong}"
            with pytest.raises(InvalidArgumentError, match=re.escape(message)):
                run(**given | {name: np.array([6, wrong], dtype)})


@pytest.mark.slow
def test_lengths_of_reversals_of_open_steps(tmp_path: Path) -> None:
    nodes = [helper.make_node("ReverseSequence", ["x", "k"], ["y"], time_axis=1, batch_axis=0)]
    shapes, kinds = {"x": ["B", "T", 3], "k": ["B"]}, {"k": TensorProto.INT64}
    path = saved(model(nodes, shapes, ["y"], {}, dtypes=kinds), tmp_path / "m.onnx")
    module = rc.import_network(path)
    assert module.functions[0].arguments[1].range == "0..T"
    run, x = loaded(module), weight(2, 4, 3)
    found = run(x=x, k=np.array([4, 0])).y
    np.testing.assert_array_equal(found, [x[0, ::-1], x[1]])
    with pytest.raises(InvalidArgumentError, match=r"'k': expected values in 0\.\.4, got 5"):
        run(x=x, k=np.array([4, 5]))


@pytest.mark.slow
@pytest.mark.parametrize("operator", ["SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"])
def test_labels_of_losses(operator: str, tmp_path: Path) -> None:
    """They are classes, or the number of those that the loss leaves out, and nothing between."""
    node: Any = helper.make_node
    more: list[dict[str, int]] = [{}, {"ignore_index": -100}, {"ignore_index": 4}]
    nodes = [
        node(operator, ["x", f"l{k}"], [f"y{k}"], reduction="none", **attributes)
        for k, attributes in enumerate(more)
    ]
    labels = [f"l{k}" for k in range(3)]
    shapes = {"x": ["rows", 3], **{key: ["rows"] for key in labels}}
    kinds = dict.fromkeys(labels, TensorProto.INT64)
    whole = model(nodes, shapes, ["y0", "y1", "y2"], {}, dtypes=kinds)
    module = rc.import_network(saved(whole, tmp_path / "m.onnx"))
    assert [a.range for a in module.functions[0].arguments[1:]] == [
        *("0..2", "0..2 or -100", "0..2 or 4"),
    ]
    run = loaded(module)
    given: dict[str, Any] = {"x": weight(3, 3), "l0": np.arange(3)}
    given |= {"l1": np.array([1, -100, 2]), "l2": np.array([4, 2, 0])}
    for got, wanted in zip(run(**given), expected(whole, given), strict=True):
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-6)
    for name, wrong, more_of in (
        ("l0", 3, ""),
        ("l1", -5, " or -100"),
        ("l1", -101, " or -100"),
        ("l2", 3, " or 4"),
    ):
        message = f"'{name}': expected values in 0..2{more_of}, got {wrong}"
        with pytest.raises(InvalidArgumentError, match=re.escape(message)):
            run(**given | {name: np.array([0, wrong, 1])})


_CALL = """#include "{name}.h"
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

{arrays}

int main(void)
{{
    static alignas(64) char scratch[{scratch} + 1];
    const struct {name}_arguments arguments = {{ {arguments} }};
    const struct {name}_results results = {{ {results} }};
    int code = {name}(&arguments, &results, scratch);
    puts({name}_error(code));
    return 0;
}}
"""
"""A program whose arrays have zones around them that no code may touch."""


def program(made: rc.CModule, value: int) -> str:
    """The program that calls a function with one value for all integers."""
    (row,) = made.manifest["functions"]
    name: Any = row["function"]
    arrays: list[str] = []
    for kind in ("arguments", "results"):
        for each in row[kind]:
            count = math.prod(each["shape"])
            numbers = ", ".join([str(value)] * count) if kind == "arguments" else "0"
            arrays.append(
                f"static alignas(64) {each['c_type']} {kind[0]}_{each['name']}[{count}]"
                f" = {{{numbers}}};"
            )
    members = {
        kind: ", ".join(f".{each['name']} = {kind[0]}_{each['name']}" for each in row[kind])
        for kind in ("arguments", "results")
    }
    return _CALL.format(name=name, arrays="\n".join(arrays), scratch=row["scratch_size"], **members)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["direct", "computed"])
def test_address_sanitizer_is_silent(
    kind: str, direct: tuple[Any, rc.Module], computed: rc.Module, tmp_path: Path
) -> None:
    """Around arrays of every operator, with indices just beyond their axes and far beyond."""
    made = rc.compile_c(direct[1] if kind == "direct" else computed, TARGET)
    made.save(tmp_path)
    compiler = sanitized("clang", tmp_path)
    for value in (1, ROWS, -ROWS - 1, 10**9, -(10**9)):
        (tmp_path / "main.c").write_text(program(made, value))
        flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-w")
        files = ("main.c", f"{kind}.c", f"{kind}.o")
        c_run(compiler, "-std=c11", *flags, *files, "-o", "main", folder=tmp_path)
        said = c_run("./main", folder=tmp_path)
        is_refused = kind == "direct" and value != 1
        assert ("an element not from -4 to 3" in said) == is_refused, said
        assert is_refused or said == "no error\n"


@pytest.mark.slow
@ways("direct", "c", "js")
def test_positions_as_floats(agrees: Any) -> None:
    """Their number is whole, so that the host program needs no floats."""
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Gather", ["sizes", "zero"], ["count"]),
        helper.make_node("Cast", ["count"], ["limit"], to=TensorProto.FLOAT),
        helper.make_node("Range", ["first", "limit", "step"], ["steps"]),
        helper.make_node("Unsqueeze", ["steps", "one"], ["column"]),
        helper.make_node("Add", ["x", "column"], ["y"]),
    ]
    weights = {"zero": np.array(0), "one": np.array([1]), "first": np.float32(0)}
    made = model(nodes, {"x": ["time", 3]}, ["y"], {**weights, "step": np.float32(1)})
    agrees(made, {"x": weight(2, 3)}, {"x": weight(9, 3)})
