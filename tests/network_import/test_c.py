"""Networks in C and JavaScript: names, weights that are constants, arrays of every dtype."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from c.calling import Loaded
from execution import Execute, ways
from js import calling as js_calling

import rnn_compiler as rc
from rnn_compiler.schema.dtypes import DTYPES as ALL_DTYPES

pytest.importorskip("onnx")

import onnx

from rnn_compiler.c_compilation import prefixed
from tests.network_import.graphs import TARGET, B, T, expected, model, saved, tagger, weight


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    path = saved(tagger(), tmp_path_factory.mktemp("models") / "tagger.onnx")
    return rc.import_network(path, dims={"batch": B, "sequence": T})


@pytest.mark.slow
def test_a_network_in_c(module: rc.Module, tmp_path: Path) -> None:
    samples = rc.golden(module, TARGET)
    made = rc.compile_c(module, TARGET, golden=samples)
    (function,) = made.manifest["functions"]
    assert function["function"] == "tagger"
    assert [each["name"] for each in function["arguments"]] == ["x"]
    made.save(tmp_path)
    command = ["cc", "-DTAGGER_SELFTEST_MAIN", "-Wall", "-Werror", "tagger_selftest.c", "tagger.c"]
    processes.run(*command, "tagger.o", "-o", "test", cwd=tmp_path)
    processes.run(tmp_path / "test", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["GRU", "LSTM"])
@ways("c", "js")
def test_networks_in_int8(execute: Execute, kind: str, tmp_path: Path) -> None:
    """C and JavaScript have the numbers of a program, which multiplies by the same bytes."""
    rng, gates = np.random.default_rng(0), {"GRU": 3, "LSTM": 4}[kind]
    weights = {
        name: rng.standard_normal((1, gates * 5, columns)).astype(np.float32) * 0.5
        for name, columns in (("W", 4), ("R", 5))
    }
    node: Any = onnx.helper.make_node
    nodes = [node(kind, ["x", "W", "R"], ["Y"], hidden_size=5)]
    path = saved(model(nodes, {"x": [7, 1, 4]}, ["Y"], weights), tmp_path / "small.onnx")
    module = rc.import_network(path, quantize="int8")
    given = {"x": rng.standard_normal((7, 1, 4)).astype(np.float32)}
    expected = rc.runtime.load(rc.compile(module))(**given).Y
    np.testing.assert_allclose(execute(module, given)["Y"], expected, 1e-5, 1e-5)
    exact = rc.runtime.load(rc.compile(rc.import_network(path)))(**given).Y
    assert 1e-5 < np.abs(expected - exact).max() < 0.05


@pytest.mark.slow
def test_a_prefix_is_the_functions_whole_name(module: rc.Module) -> None:
    (spec,) = prefixed(module, "tagger")[0].functions
    assert spec.function == "tagger"


@pytest.mark.slow
def test_thawed_modules_take_their_weights_again(module: rc.Module) -> None:
    """After the others."""
    (spec,) = module.thawed().functions
    assert [each.name for each in spec.arguments] == ["x", "K", "lstm_params"]
    assert spec.weights == ("K", "lstm_params")
    assert not spec.frozen


@pytest.mark.slow
def test_renamed_modules_keep_their_weights(module: rc.Module) -> None:
    other = module.renamed({"main": "tag"})
    assert [spec.function for spec in other.functions] == ["tag"]
    assert other.parameters.keys() == {"tag.K", "tag.lstm_params"}
    assert "@main" not in other.located_text
    assert "@tag.K" in other.located_text
    assert "@main" not in other.thawed().located_text


DTYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float64")


@pytest.fixture(scope="module")
def selecting(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    """Where x > 0 and a mask holds, unless all is off, arrays of each dtype; a scalar elsewhere."""
    node: Any = onnx.helper.make_node
    nodes: list[Any] = [
        node("Greater", ["x", "zero"], ["positive"]),
        node("And", ["positive", "m"], ["masked"]),
        node("And", ["masked", "on"], ["both"]),
    ]
    inputs: dict[str, Any] = {"x": [2, 3], "m": [2, 3], "on": []}
    types: Any = onnx.TensorProto
    kinds: dict[str, int] = dict.fromkeys(("m", "on", "both"), types.BOOL)
    for each in DTYPES:
        nodes.append(node("Where", ["both", each, f"other_{each}"], [f"some_{each}"]))
        inputs |= {each: [2, 3], f"other_{each}": []}
        kind = getattr(types, {"float64": "DOUBLE"}.get(each, each.upper()))
        kinds |= dict.fromkeys((each, f"other_{each}", f"some_{each}"), kind)
    results = ["both", *(f"some_{each}" for each in DTYPES)]
    whole = model(nodes, inputs, results, {"zero": np.float32(0)}, dtypes=kinds)
    return rc.import_network(saved(whole, tmp_path_factory.mktemp("models") / "selecting.onnx"))


@pytest.mark.slow
@ways("c", "js")
def test_every_dtype(selecting: rc.Module, execute: Execute) -> None:
    """Booleans are bytes; unsigned integers keep their largest numbers."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3)).astype(np.float32)
    given: dict[str, Any] = {"x": x, "m": np.array([[1, 0, 1], [1, 1, 0]], bool)}
    for name in DTYPES:
        kind: Any = np.dtype(name)
        most: Any = 0.5 if kind.kind == "f" else np.iinfo(kind).max
        given |= {name: np.full((2, 3), most, kind), f"other_{name}": np.array(7, kind)}
    for on in (True, False):
        found = execute(selecting, {**given, "on": np.array(on)})
        both = (x > 0) & given["m"] & on
        np.testing.assert_array_equal(found.pop("both"), both)
        for name in DTYPES:
            expected: Any = np.where(both, given[name], given[f"other_{name}"])
            np.testing.assert_array_equal(found[f"some_{name}"], expected)
            assert found[f"some_{name}"].dtype == expected.dtype


@pytest.mark.slow
def test_a_self_test_of_every_dtype(selecting: rc.Module, tmp_path: Path) -> None:
    made = rc.compile_c(selecting, TARGET, name="s", golden=rc.golden(selecting, TARGET))
    made.save(tmp_path)
    command = ["cc", "-DS_SELFTEST_MAIN", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    processes.run(*command, "s_selftest.c", "s.c", "s.o", "-o", "t", cwd=tmp_path)
    processes.run(tmp_path / "t", cwd=tmp_path)


REFUSED = {
    "m: [...]": "a Uint8Array",
    "m: Uint8Array.of(1, 0, 1, 1, 2, 0)": "values in 0..1",
    "uint8: new Int32Array(6)": "dtype uint8, a Uint8Array",
    "uint16: new Int32Array(6)": "convert it to Uint16Array",
    "other_uint8: 256": "a number of uint8",
    "other_uint64: -1": "a number of uint64",
}
"""Arguments in JavaScript, each with a part of the error."""


@pytest.mark.slow
@js_calling.needs_node
def test_numbers_that_a_dtype_does_not_have_are_refused(
    selecting: rc.Module, tmp_path: Path
) -> None:
    made = rc.compile_js(selecting, name="m")
    made.save(tmp_path)
    (row,) = made.manifest["functions"]
    values = [
        f"{each['name']}: {f'new {js_type(each)}(6)' if each['shape'] else '0'}"
        for each in row["arguments"]
    ]
    calls = "".join(
        f"try {{ main({{...given, {each.replace('[...]', '[]')}}}); console.log('none'); }} "
        "catch (error) { console.log(`${error.name}: ${error.message}`); }\n"
        for each in REFUSED
    )
    script = f"""\
import {{ load }} from "./m.mjs";
const {{ main }} = await load();
const given = {{ {", ".join(values)} }};
console.log(main({{...given, m: Uint8Array.of(1, 1, 1, 1, 1, 1)}}).both.length);
{calls}"""
    first, *errors = js_calling.node(tmp_path, script).splitlines()
    assert first == "6"
    for error, message in zip(errors, REFUSED.values(), strict=True):
        assert error.startswith("InvalidArgumentError: "), error
        assert message in error


@pytest.mark.slow
@ways("js")
def test_a_network_that_only_copies(execute: Execute, tmp_path: Path) -> None:
    """Its module has no code, but a memory. A name may be one that all objects have."""
    nodes = [onnx.helper.make_node("Identity", ["valueOf"], ["y"])]
    path = saved(model(nodes, {"valueOf": [3]}, ["y"], {}), tmp_path / "copies.onnx")
    given = {"valueOf": np.arange(3, dtype=np.float32)}
    found = execute(rc.import_network(path), given)
    np.testing.assert_array_equal(found["y"], given["valueOf"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "axes", [("code", "results", "new", "function"), ("Math", "size_t", "constructor")]
)
@ways("c", "js")
def test_axes_may_have_any_name(execute: Execute, axes: Sequence[str], tmp_path: Path) -> None:
    """Printed code has variables for open sizes, under other names than its own."""
    names = [f"x{k}" for k in range(len(axes))]
    nodes = [onnx.helper.make_node("ReduceSum", [x], [f"y_{x}"], keepdims=0) for x in names]
    shapes = {x: [axis, 3] for x, axis in zip(names, axes, strict=True)}
    path = saved(model(nodes, shapes, [f"y_{x}" for x in names], {}), tmp_path / "sum.onnx")
    given = {x: np.arange(6, dtype=np.float32).reshape(2, 3) + k for k, x in enumerate(names)}
    found = execute(rc.import_network(path), given)
    assert [each.item() for each in found.values()] == [15 + 6 * k for k in range(len(axes))]


@pytest.mark.slow
@ways("js")
def test_an_input_and_an_output_of_similar_names(execute: Execute, tmp_path: Path) -> None:
    """They differ once both are names in Python, C and JavaScript."""
    nodes = [onnx.helper.make_node("Concat", ["x", "x"], ["x_"], axis=0)]
    path = saved(model(nodes, {"x": [1, 3]}, ["x_"], {}), tmp_path / "twice.onnx")
    module = rc.import_network(path)
    assert [each.name for each in module.functions[0].results] == ["x_1"]
    found = execute(module, {"x": np.ones((1, 3), np.float32)})
    assert found["x_1"].tolist() == [[1, 1, 1]] * 2


@pytest.mark.slow
@ways("c")
def test_arrays_named_by_words_of_c(execute: Execute, tmp_path: Path) -> None:
    """They get another name at import, the same one in every language."""
    names = {"int": "main", "double": "namespace", "NULL": "linux"}
    nodes = [onnx.helper.make_node("Neg", [given], [taken]) for given, taken in names.items()]
    path = saved(
        model(nodes, dict.fromkeys(names, (3,)), [*names.values()], {}), tmp_path / "w.onnx"
    )
    module = rc.import_network(path)
    spec = module.functions[0]
    assert [each.name for each in spec.arguments] == [f"{each}_" for each in names]
    assert [each.name for each in spec.results] == [f"{each}_" for each in names.values()]
    numbers = {f"{given}_": np.arange(3, dtype=np.float32) + k for k, given in enumerate(names)}
    found = execute(module, numbers)
    for given, taken in names.items():
        np.testing.assert_array_equal(found[f"{taken}_"], -numbers[f"{given}_"])


@pytest.mark.slow
def test_arrays_named_like_variables_of_c(tmp_path: Path) -> None:
    """Compilers do not warn of a variable that only seems to be read. Long names are cut."""
    long = "x/" * 200
    nodes = [onnx.helper.make_node("Neg", ["memory"], [long])]
    path = saved(model(nodes, {"memory": [3]}, [long], {}), tmp_path / "variables.onnx")
    made, name = rc.compile_c(rc.import_network(path), TARGET), "x_" * 44 + "x"
    assert f"\n *         out_{name}[3];" in made.header  # a line of its own, but one word
    found = Loaded(made, tmp_path).call("variables", {"memory": np.arange(3, dtype=np.float32)})
    assert found[name].tolist() == [0, -1, -2]


@pytest.mark.slow
@js_calling.needs_node
def test_states_that_are_numbers(tmp_path: Path) -> None:
    """A stream and `reset` take a number, or begin as they did at first."""
    nodes = [onnx.helper.make_node("Add", ["x", "s"], ["next"])]
    path = saved(model(nodes, {"x": [], "s": []}, ["next"], {}), tmp_path / "sum.onnx")
    rc.compile_js(rc.import_network(path, states={"s": "next"}), name="m").save(tmp_path)
    script = """import { load } from "./m.mjs";
    const stream = (await load()).main.stream({ s: 2 });
    for (const state of [{ s: 5 }, { s: undefined }, {}]) {
      stream.reset(state);
      console.log(stream({ x: 1 }).next[0]);
    }"""
    assert js_calling.node(tmp_path, script).split() == ["6", "3", "3"]


@pytest.mark.slow
@js_calling.needs_node
def test_16_bit_floats_are_passed_as_bits(tmp_path: Path) -> None:
    kinds = {"s": onnx.TensorProto.FLOAT16, "y": onnx.TensorProto.FLOAT16}
    nodes = [onnx.helper.make_node("Identity", ["s"], ["y"])]
    path = saved(model(nodes, {"s": []}, ["y"], {}, dtypes=kinds), tmp_path / "half.onnx")
    rc.compile_js(rc.import_network(path), name="m").save(tmp_path)
    script = """import { load } from "./m.mjs";
    const { main } = await load();
    console.log(main({ s: Uint16Array.of(0x3e00) }).y[0]);
    try { main({ s: 1.5 }); } catch (error) { console.log(error.message); }"""
    bits, error = js_calling.node(tmp_path, script).splitlines()
    assert int(bits) == 0x3E00
    assert "expected a Uint16Array of one element, its bits, got number" in error


@pytest.mark.slow
def test_a_product_of_sizes_beyond_64_bits(tmp_path: Path) -> None:
    """It is refused, though the bits that are left would be within the limit."""
    nodes = [onnx.helper.make_node("Relu", ["x"], ["y"])]
    path = saved(model(nodes, {"x": ["a", "b", "c"]}, ["y"], {}), tmp_path / "three.onnx")
    loaded = Loaded(rc.compile_c(rc.import_network(path), TARGET), tmp_path)
    measure, sizes = loaded.library.three_measure, (ctypes.c_size_t * 3)()
    found = measure(*map(ctypes.c_int64, (2**21 + 1, 2**22, 2**21)), sizes)
    assert "a * b * c" in loaded.error(found)
    assert not measure(*map(ctypes.c_int64, (2**10, 2**20, 2**10)), sizes)
    assert sizes[0] == 4 * 2**40


@pytest.mark.slow
def test_numbers_that_are_inputs(tmp_path: Path) -> None:
    """Host programs do not read them: what surrounds an open axis, scales and zero points."""
    make, names = onnx.helper.make_node, ["xs", "xz", "w", "ws", "wz", "ys", "yz"]
    nodes = [
        make("Pad", ["x", "pads", "v"], ["y"]),
        make("QLinearMatMul", ["q", *names], ["product"]),
    ]
    shapes = {"x": ["b", "t"], "v": [], "q": ["b", 2, 4], "w": ["b", 4, 3]}
    shapes |= {name: [1] for name in names if name != "w"}
    kinds = dict.fromkeys(("q", "w", "xz", "wz", "yz", "product"), onnx.TensorProto.UINT8)
    pads = {"pads": np.array([1, 2, 0, 3], np.int64)}
    made = model(nodes, shapes, ["y", "product"], pads, dtypes=kinds)
    module = rc.import_network(saved(made, tmp_path / "read.onnx"))
    loaded = Loaded(rc.compile_c(module, TARGET), tmp_path)
    for sizes in ({"b": 1, "t": 1}, {"b": 2, "t": 5}):
        given: dict[str, Any] = {}
        for number, (name, shape) in enumerate(shapes.items()):
            array = weight(*(sizes.get(str(size), size) for size in shape)) + 1
            is_whole = name in kinds
            given[name] = np.asarray(array * 50 if is_whole else array, np.float32)
            given[name] = given[name].astype(np.uint8) if is_whole else given[name] + number
        given["ys"] = given["ys"] * np.float32(400)
        found, wanted = loaded.call("read", given), expected(made, given)
        for name, array in zip(("y", "product"), wanted, strict=True):
            np.testing.assert_array_equal(found[name], array)


def js_type(tensor: dict[str, Any]) -> str:
    return ALL_DTYPES[tensor["dtype"]].javascript


@pytest.mark.slow
def test_booleans_are_zero_or_one(tmp_path: Path) -> None:
    """Compiled code relies on it, so other bytes are refused in C and in JavaScript."""
    types = onnx.TensorProto
    nodes = [onnx.helper.make_node("Not", ["m"], ["y"])]
    made = model(nodes, {"m": [3]}, ["y"], {}, dtypes=dict.fromkeys("my", types.BOOL))
    module = rc.import_network(saved(made, tmp_path / "inverted.onnx"))
    loaded = Loaded(rc.compile_c(module, TARGET), tmp_path)
    assert loaded.call("inverted", {"m": np.array([True, False, True])})["y"].tolist() == [0, 1, 0]
    wrong = np.array([1, 2, 0], np.uint8).view(bool)
    with pytest.raises(AssertionError, match="m: an element not from 0 to 1"):
        loaded.call("inverted", {"m": wrong})
    if shutil.which("node") is not None:
        in_js = js_calling.Loaded(rc.compile_js(module, name="inverted"), tmp_path)
        with pytest.raises(AssertionError, match=r"expected values in 0\.\.1, got 2"):
            in_js.call("main", {"m": wrong})
