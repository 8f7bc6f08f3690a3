"""`from_cell`: every cell gives its framework's numbers, and what does not fit is named."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import cudnn_reference
import numpy as np
import onnx_reference
import pytest
from weights.cell_formulas import FORMULAS, B, H, I, T, inputs, outputs, parameters
from weights.cell_page import rows

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import cells

GOLDENS = sorted((Path(__file__).parents[1] / "goldens" / "cells").glob("*.npz"))


def computed(layer: rc.Layer, x: Any) -> Any:
    """The outputs of the layer's op as the references define it, ``[T, B, D * H]`` in float64."""
    attributes, x = layer.attributes, np.asarray(x, np.float64)
    weights = {name: np.asarray(array, np.float64) for name, array in layer.weights.items()}
    rows = x.shape[1]
    if layer.op == "CudnnRNNV3":
        units, mode = layer.dims["num_units"], attributes["rnn_mode"]
        both = attributes["direction"] == "bidirectional"
        layers, proj = (layer.dims["num_layers"] or 0) * (1 + both), attributes["num_proj"]
        return cudnn_reference.cudnn_rnn(
            version=3,
            input=x,
            input_h=np.zeros((layers, rows, proj or units)),
            input_c=np.zeros((layers, rows, units) if mode == "lstm" else ()),
            sequence_lengths=np.full(rows, len(x), np.int32),
            params=weights["params"],
            rnn_mode=mode,
            direction=attributes["direction"],
            input_mode="linear_input",
            num_proj=proj,
            dropout=0.0,
            is_training=False,
        )["output"]
    Y = onnx_reference.forward(layer.op.removeprefix("onnx."), X=x, **weights, **attributes)["Y"]
    return Y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)


def nested(flat: dict[str, Any], separator: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, array in flat.items():
        *names, last = path.split(separator)
        inner = tree
        for name in names:
            inner = inner.setdefault(name, {})
        inner[last] = array
    return tree


def test_each_cell_has_a_formula() -> None:
    """The formulas are the list of what is tested; Bi is tested through its own golden file."""
    assert set(rc.weights.cells()) == set(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name: str) -> None:
    arrays, x = parameters(name), inputs()
    layer = rc.weights.from_cell(name, nested(arrays, "."))
    assert layer.dtype == "float64"
    assert (layer.dims["input_size"], layer.dims["num_units"]) == (I, H)
    np.testing.assert_allclose(computed(layer, x), outputs(name, arrays, x), rtol=0, atol=1e-13)


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_frameworks(path: Path) -> None:
    """The framework's own outputs, recorded from it in float32; MindSpore's tanh is less exact."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    cases = json.loads(str(arrays.pop("meta")))["cases"]
    for number, case in enumerate(cases):
        trees = [
            nested(
                {
                    name.split("|", 2)[2]: array
                    for name, array in arrays.items()
                    if name.startswith(f"{number}|{k}|")
                },
                "|",
            )
            for k in range(case["trees"])
        ]
        given = trees if len(trees) > 1 else trees[0]
        layer = rc.weights.from_cell(case["name"], given, **case["options"])
        assert layer.dtype == "float32"
        found = computed(layer, arrays[f"{number}|x"])
        assert np.abs(found - arrays[f"{number}|y"]).max() < 1e-6, case


@pytest.mark.slow
def test_arrays_under_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under another cell's name, arrays are refused, or give the same layer.

    But where cells differ in their functions alone, which arrays do not show: Keras of several
    ages, and cells with tanh or relu. Messages do not look for the cell that has these names.
    """
    monkeypatch.setattr(cells, "of_another_cell", lambda error, *_: error)
    held: dict[str, Any] = {}
    for path in GOLDENS:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        for number, case in enumerate(json.loads(str(arrays.pop("meta")))["cases"]):
            start = f"{number}|0|"
            flat = {n.split("|", 2)[2]: a for n, a in arrays.items() if n.startswith(start)}
            if case["trees"] == 1 and not case["options"]:
                held.setdefault(case["name"], nested(flat, "|"))
    ages = dict.fromkeys(("keras1", "keras2", "tf_keras"), "keras")
    confused: set[tuple[str, str]] = set()
    for name, tree in held.items():
        own = rc.weights.from_cell(name, tree)
        for other in rc.weights.cells():
            try:
                layer = rc.weights.from_cell(other, tree)
            except InvalidArgumentError:
                continue
            if not same(layer, own):
                packages = (each.split(".")[0] for each in (name, other))
                first, second = (ages.get(each, each) for each in packages)
                confused.add((first, second))
    assert confused == {(each, each) for each in ("keras", "mxnet", "chainer")}


def test_each_framework_is_recorded() -> None:
    """But for Deeplearning4j and CNTK, which no longer install."""
    recorded: set[str] = set()
    for path in GOLDENS:
        with np.load(path) as file:
            recorded |= {case["name"] for case in json.loads(str(file["meta"]))["cases"]}
    missing = {name for name in rc.weights.cells() if name not in recorded}
    assert {name for name in missing if not name.startswith(("dl4j.", "cntk."))} == set()


@pytest.mark.slow
def test_a_layer_compiles() -> None:
    """Both ops, through the build of the layer, at open and fixed sizes."""
    x = inputs().astype(np.float32)
    for name, result in (("haiku.LSTM", "output"), ("haiku.GRU", "Y")):
        arrays = {key: array.astype(np.float32) for key, array in parameters(name).items()}
        layer = rc.weights.from_cell(name, nested(arrays, "."))
        program = rc.runtime.load(rc.compile(layer.build(seq_length=T, batch_size=B)))
        given: dict[str, Any] = {layer.signature.arguments[0].name: x}
        given |= {"sequence_lengths": np.full(B, T, np.int32)} if result == "output" else {}
        found = getattr(program(**given), result)
        wanted = outputs(name, arrays, x.astype(np.float64))
        assert np.abs(found.reshape(wanted.shape) - wanted).max() < 1e-6


HAIKU = parameters("haiku.GRU")
KERAS = parameters("keras.layers.LSTM")


def same(one: rc.Layer, other: rc.Layer) -> bool:
    return (
        one.op == other.op
        and dict(one.attributes) == dict(other.attributes)
        and all((one.weights[name] == other.weights[name]).all() for name in one.weights)
    )


@dataclasses.dataclass
class Cell:
    """As Equinox has them: fields are arrays, None, or no part of the tree."""

    weight_ih: Any
    weight_hh: Any
    bias: Any
    bias_n: Any = None
    hidden_size: int = dataclasses.field(default=H, metadata={"static": True})


class Leaf:
    """An array of a framework, which numpy cannot view."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def asnumpy(self) -> Any:
        return self._array


class Module:
    def __init__(self, arrays: dict[str, Any]) -> None:
        self._arrays = arrays

    def state_dict(self) -> dict[str, Any]:
        return self._arrays


def test_trees() -> None:
    """The same arrays in every tree that a framework may have them in."""
    wanted = rc.weights.from_cell("haiku.GRU", HAIKU)
    for tree in (
        {"gru": HAIKU},
        {"encoder/~/gru": HAIKU},
        {f"gru/{name}": array for name, array in HAIKU.items()},
        {"model": {"layers": [HAIKU]}},
        {name: Leaf(array) for name, array in HAIKU.items()},
        Module(HAIKU),
    ):
        assert same(rc.weights.from_cell("haiku.GRU", tree), wanted), tree
    arrays = parameters("equinox.nn.GRUCell")
    wanted = rc.weights.from_cell("equinox.nn.GRUCell", arrays)
    assert same(rc.weights.from_cell("equinox.nn.GRUCell", Cell(**arrays)), wanted)
    names = {"kernel": "0", "recurrent_kernel": "1", "bias": "2"}
    wanted = rc.weights.from_cell("keras.layers.LSTM", KERAS)
    for tree in (list(KERAS.values()), {names[name]: array for name, array in KERAS.items()}):
        assert same(rc.weights.from_cell("keras.layers.LSTM", tree), wanted)
    named = {f"lstm/lstm_cell/{name}:0": array for name, array in KERAS.items()}
    assert same(rc.weights.from_cell("keras.layers.LSTM", named), wanted)


def test_part_of_a_tree() -> None:
    other = {name: 2 * array for name, array in HAIKU.items()}
    tree = {"a": {"gru": HAIKU}, "b": {"gru": other}, "head": {"w": np.ones((2, 2))}}
    for prefix in ("a.", "a", "a/gru", "a.gru.", "a/gru/"):
        found = rc.weights.from_cell("haiku.GRU", tree, prefix=prefix)
        assert same(found, rc.weights.from_cell("haiku.GRU", HAIKU))
    found = rc.weights.from_cell("haiku.GRU", tree, prefix=["a", "b"], bidirectional=True)
    assert same(found, rc.weights.from_cell("haiku.GRU", [HAIKU, other], bidirectional=True))
    assert not same(found, rc.weights.from_cell("haiku.GRU", [other, HAIKU], bidirectional=True))


def test_what_is_no_weight() -> None:
    """Keys of random numbers, arrays that are there twice, states before the first step."""
    name, twice = "flax.nnx.GRUCell", "paddle.nn.GRU"
    tree = {"cell": nested(parameters(name), "."), "rngs": {"count": 3, "key": object()}}
    assert rc.weights.from_cell(name, tree).weights["params"].size == 3 * H * (I + H + 2)
    arrays = parameters(twice)
    again = {f"0.cell.{key.removesuffix('_l0')}": array for key, array in arrays.items()}
    plain = rc.weights.from_cell(twice, arrays)
    assert same(rc.weights.from_cell(twice, {**arrays, **again}), plain)
    arrays = parameters("lasagne.layers.GRULayer")
    for state, notes in ((np.zeros((1, H)), 0), (np.ones((1, H)), 1)):
        layer = rc.weights.from_cell("lasagne.layers.GRULayer", {**arrays, "hid_init": state})
        assert ["hid_init" in note for note in layer.notes] == [True] * notes


def test_layers_and_directions() -> None:
    """Each layer takes what the one before gives, both directions side by side."""
    name, x = "equinox.nn.LSTMCell", inputs()
    first = [parameters(name), {key: -array for key, array in parameters(name).items()}]
    rng = np.random.default_rng(2)
    shapes = {key: (array.shape[0], 2 * H) for key, array in first[0].items()}
    above = {**first[0], "weight_ih": rng.normal(0, 0.5, shapes["weight_ih"])}
    second = [above, {key: 0.5 * array for key, array in above.items()}]
    layer = rc.weights.from_cell(name, [*first, *second], bidirectional=True)
    assert layer.dims["num_layers"] == 2
    y = x
    for forward, backward in (first, second):
        halves = outputs(name, forward, y), outputs(name, backward, y[::-1])[::-1]
        y = np.concatenate(halves, -1)
    np.testing.assert_allclose(computed(layer, x), y, rtol=0, atol=1e-13)


def test_activations() -> None:
    """Those of the framework that has the cell: hard_sigmoid has two slopes."""
    for name, slope in (("keras.layers.LSTM", 1 / 6), ("tf_keras.layers.LSTM", 0.2)):
        layer = rc.weights.from_cell(name, KERAS, recurrent_activation="hard_sigmoid")
        assert layer.op == "onnx.LSTM"
        assert float(layer.attributes["activation_alpha"]) == pytest.approx(slope, abs=1e-7)
    hard = rc.weights.from_cell("keras2.layers.LSTM", KERAS)
    assert float(hard.attributes["activation_alpha"]) == pytest.approx(0.2, abs=1e-7)
    plain = rc.weights.from_cell("keras2.layers.LSTM", KERAS, recurrent_activation="sigmoid")
    assert plain.op == "CudnnRNNV3"
    arrays = parameters("torch.nn.RNN")
    relu = rc.weights.from_cell("torch.nn.RNN", arrays, activation="relu")
    assert relu.attributes["rnn_mode"] == "rnn_relu"


def test_forget_bias() -> None:
    """An option of TensorFlow 1's cells, whose optimizers have arrays beside those of the cell."""
    name = "tensorflow.nn.rnn_cell.BasicLSTMCell"
    arrays, x = parameters(name), inputs()
    shifted = {**arrays, "bias": arrays["bias"].copy()}
    shifted["bias"][2 * H : 3 * H] -= 0.25
    for given in (shifted, {**shifted, "kernel/Adam": x, "kernel/Adam_1": x}):
        tree = {f"rnn/basic_lstm_cell/{key}": array for key, array in given.items()}
        layer = rc.weights.from_cell(name, tree, forget_bias=1.25)
        wanted = outputs(name, arrays, x)
        np.testing.assert_allclose(computed(layer, x), wanted, rtol=0, atol=1e-13)


def changed(arrays: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {name: array for name, array in {**arrays, **more}.items() if array is not None}


TORCH = {**parameters("torch.nn.LSTM")}
TWO = {
    **TORCH,
    **{key.replace("_l0", "_l1"): array for key, array in TORCH.items()},
    "weight_ih_l1": TORCH["weight_hh_l0"],
}
NAMED = "flax.nnx.GRUCell"


@pytest.mark.parametrize(
    ("name", "parameters", "options", "told"),
    [
        ("haiku.Gru", HAIKU, {}, "'name': expected a cell .* did you mean haiku.GRU?"),
        ("GRU", HAIKU, {}, r"'name': .* rc.weights.cells\(\) lists them"),
        (3, HAIKU, {}, "'name': expected a cell of a framework"),
        ("haiku.GRU", 3, {}, "'parameters': expected arrays by name: .* pass nnx.state"),
        ("haiku.GRU", {}, {}, "expected 'w_i', an array of haiku.GRU .* an empty tree"),
        ("haiku.GRU", [], {}, "expected 'w_i'"),
        (
            "haiku.GRU",
            changed(HAIKU, more=np.ones(3)),
            {},
            r"expected only the arrays of haiku.GRU: w_i, w_h, b, got 'more' \[3\] too",
        ),
        ("haiku.GRU", changed(HAIKU, b=None), {}, r"expected 'b', .*got only w_i, w_h"),
        (
            "haiku.GRU",
            changed(HAIKU, w_h=HAIKU["w_h"].T),
            {},
            r"'w_h': expected shape \[num_units, 3 \* num_units\] = \[4, 12\], "
            r"got shape \[12, 4\]; transpose w_h",
        ),
        ("haiku.GRU", changed(HAIKU, w_i=HAIKU["w_i"].T), {}, "transpose w_i"),
        (
            "haiku.GRU",
            {name: array.T for name, array in HAIKU.items()},
            {},
            "transpose w_i, w_h",
        ),
        ("haiku.GRU", changed(HAIKU, b=np.float32(HAIKU["b"])), {}, "'b': expected dtype float64"),
        ("haiku.GRU", changed(HAIKU, b="b"), {}, "'b': expected dtype float64"),
        ("haiku.GRU", changed(HAIKU, b=np.ones(13)), {}, r"'b': expected shape .* = \[12\]"),
        ("haiku.GRU", changed(HAIKU, b=np.ones((1, 12))), {}, "'b': expected rank 1"),
        ("haiku.GRU", changed(HAIKU, w_i=np.ones((0, 12))), {}, "'w_i': .* sizes of at least 1"),
        ("haiku.GRU", {"x": HAIKU, "y": HAIKU}, {}, "pass one of prefix='x.', 'y.'"),
        (
            "haiku.GRU",
            {f"gru_{name}": array for name, array in HAIKU.items()},
            {},
            "pass prefix='gru_'",
        ),
        ("haiku.GRU", {"x": HAIKU}, {"prefix": "z"}, "expected 'w_i', .*; pass prefix='x.'"),
        ("haiku.GRU", HAIKU, {"prefix": 3}, "'prefix': expected a prefix"),
        ("haiku.GRU", [HAIKU], {"prefix": ["x", "y"]}, "'prefix': expected one prefix"),
        ("haiku.GRU", HAIKU, {"bidirectional": "yes"}, "'bidirectional': expected a bool"),
        ("haiku.GRU", HAIKU, {"bidirectional": True}, "a forward and a backward cell"),
        ("haiku.GRU", HAIKU, {"activation": "swish"}, "'activation': expected one of linear, "),
        ("haiku.LSTM", HAIKU, {"forget_bias": 0.0}, "'forget_bias': expected none, as it is no "),
        (
            "tensorflow.nn.rnn_cell.LSTMCell",
            parameters("tensorflow.nn.rnn_cell.LSTMCell"),
            {"forget_bias": "1"},
            "'forget_bias': expected",
        ),
        (
            "haiku.VanillaRNN",
            parameters("haiku.VanillaRNN"),
            {"recurrent_activation": "tanh"},
            "'recurrent_activation': expected none, as the cell has no gates",
        ),
        (
            "keras.layers.GRU",
            [np.ones((I, 3 * H)), np.ones((H, 3 * H)), np.ones(3 * H)],
            {},
            r"'bias': expected rank 2, .* or is it keras.layers.GRU\(reset_after=False\)\?",
        ),
        ("keras.layers.LSTM", [*KERAS.values()] * 2, {}, "pass a list of lists of arrays"),
        ("keras.layers.LSTM", [KERAS, KERAS], {}, "expected input_size 4 in layer 1, forward"),
        ("torch.nn.GRU", TORCH, {}, r"'weight_ih': expected shape \[3 \* num_units, input_size\]"),
        ("torch.nn.LSTM", TWO, {"bidirectional": True}, "'bidirectional': expected False, as the"),
        ("torch.nn.LSTM", changed(TWO, bias_hh_l1=None), {}, "'bias_hh' in layer 1, forward"),
        (
            "torch.nn.LSTM",
            {key: array for key, array in TWO.items() if "_l0" not in key},
            {},
            "no arrays of layer 0, forward",
        ),
        ("torch.nn.LSTM", [TWO, TWO], {}, "a cell in each of several trees"),
        (
            "torch.nn.LSTM",
            {f"rnn.{key}": array for key, array in parameters("torch.nn.LSTMCell").items()},
            {},
            r"'rnn.weight_ih' \[16, 3\] too; they are named as in torch.nn.LSTMCell",
        ),
        (
            "torch.nn.LSTMCell",
            {**parameters("torch.nn.LSTMCell"), "weight_ci": np.ones(H)},
            {},
            r"only the arrays of torch.nn.LSTMCell: .*'weight_ci' \[4\] too",
        ),
        ("flax.linen.GRUCell", nested(parameters(NAMED), "."), {}, "'dense_i.kernel'"),
        (
            "nnabla.parametric_functions.lstm",
            {"weight_l0": np.array([None]), "bias": np.ones((1, 1, 4, H))},
            {},
            "'weight': expected dtype",
        ),
        (
            "ncnn.RNN",
            {key: np.concatenate([array] * 3) for key, array in parameters("ncnn.RNN").items()},
            {},
            "expected arrays of 1 or 2 directions, which are their first axis, got 3",
        ),
        (
            "cntk.layers.LSTM",
            {key: array for key, array in parameters("cntk.layers.LSTM").items() if key != "Co"},
            {},
            "expected 'Co'",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit(name: Any, parameters: Any, options: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^from_cell: .*{told}"):
        rc.weights.from_cell(name, parameters, **options)


def test_a_tree_without_end() -> None:
    tree: dict[str, Any] = {}
    tree["inner"] = tree
    shared: dict[str, Any] = {}
    for _ in range(60):  # as many items as 2 to the power of 60, if each were visited
        shared = {"one": shared, "other": shared}
    for each in (tree, shared):
        with pytest.raises(InvalidArgumentError, match="more than 64 levels or 100,000 items"):
            rc.weights.from_cell("haiku.GRU", each)


def test_the_page() -> None:
    """Each row of the page says what the table of cells does."""
    page = Path(__file__).parents[2] / "docs" / "cells.md"
    shown = [line for line in page.read_text().splitlines() if re.match(r"\| `\w+\.", line)]
    assert shown == [row for _, row in rows()]


def test_what_no_op_computes_at_once() -> None:
    upper = {**HAIKU, "w_i": HAIKU["w_h"]}
    with pytest.raises(UnsupportedError, match=r"2 layers .* onnx.GRU; convert each layer"):
        rc.weights.from_cell("haiku.GRU", [HAIKU, upper])
    arrays = {**parameters("cntk.layers.LSTM"), "P": np.ones((H, H))}
    with pytest.raises(UnsupportedError, match=r"a projection .* onnx.LSTM"):
        rc.weights.from_cell("cntk.layers.LSTM", arrays)


@pytest.mark.slow
def test_natural_mistakes_that_arrays_show() -> None:
    """The arrays of each cell are refused by all cells whose arrays have other names.

    TensorFlow's BasicRNNCell and an LSTMCell without peepholes have the same names, and shapes
    that fit both wherever four divides the units.
    """
    kinds = {frozenset(shapes): name for name, (shapes, _, _) in FORMULAS.items()}
    for names, name in kinds.items():
        if name == "tensorflow.nn.rnn_cell.BasicRNNCell":
            continue
        arrays = nested(parameters(name), ".")
        for other in (each for key, each in kinds.items() if key != names):
            with pytest.raises(InvalidArgumentError):
                pytest.fail(f"{other} took {name}'s: {rc.weights.from_cell(other, arrays)}")
