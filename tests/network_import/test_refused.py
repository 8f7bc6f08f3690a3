"""Unsupported content is refused by the node's name and operator, or the argument's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError

pytest.importorskip("onnx")

from onnx import TensorProto, helper
from quick import first

from rnn_compiler.model_import.reading import run_reader
from rnn_compiler.network_import import checked_sizes, checked_values, process
from rnn_compiler.network_import.graph import Graph
from rnn_compiler.network_import.graph.sizes import fix_sizes, fix_values
from tests.network_import.graphs import (
    H,
    I,
    T,
    lstm_weights,
    model,
    saved,
    tagger,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tagger(), tmp_path_factory.mktemp("models") / "tagger.onnx")


SIZES = {"batch": 1, "sequence": T}


def fixed(path: Path, dims: Any = None, values: Any = None) -> None:
    """A graph after the first steps of `import_network`, without its process."""
    graph = Graph.read(path)
    fix_values(graph, checked_values(values))
    fix_sizes(graph, checked_sizes(dims))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dims": {**SIZES, "btch": 1}}, r"there are batch, sequence, x.*did you mean batch\?"),
        ({"dims": {"x": (1, 4, T)}}, r"'x': expected a shape \[batch, 3, sequence\], got \[1, 4"),
        ({"dims": {"x": (1, I)}}, r"'x': expected a shape"),
        ({"dims": {"batch": 0}}, "'dims': expected a mapping of names to positive sizes"),
        ({"dims": {"batch": 2**31}}, "'dims': expected a mapping of names to positive sizes"),
        ({"dims": {"batch": "1"}}, "'dims': expected a mapping of names to positive sizes"),
        ({"dims": [1]}, "'dims': expected a mapping"),
        ({"dims": SIZES, "values": {"y": 1}}, r"'values': expected an input \(there are x\)"),
        ({"dims": SIZES, "values": {"x": "a"}}, "'values': expected a mapping of names to arrays"),
        ({"dims": SIZES, "values": {"x": np.ones(3)}}, r"'x': expected a value of float32\["),
        ({"dims": SIZES, "values": 3}, "'values': expected a mapping"),
    ],
)
def test_sizes_and_values(path: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        fixed(path, **given)


@pytest.mark.parametrize("dims", [{"x_0": (2, 3)}, {"n_rows": 2}], ids=["input", "axis"])
def test_dims_take_the_names_that_are_listed(dims: Any, tmp_path: Path) -> None:
    """Those of the module, which differ from the model's if these are no identifiers."""
    made = model([helper.make_node("Neg", ["x:0"], ["y"])], {"x:0": ["n rows", 3]}, ["y"], {})
    path = saved(made, tmp_path / "m.onnx")
    (listed,) = rc.import_network(path).functions[0].arguments
    assert (listed.name, listed.formula) == ("x_0", "[n_rows, 3]")
    assert rc.import_network(path, dims=dims).functions[0].arguments[0].shape == (2, 3)


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
def test_errors_come_out_of_the_process(path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"got \[1, 4") as caught:
        rc.import_network(path, dims={"x": (1, 4, T)})
    assert caught.value.argument == "x"


@pytest.mark.parametrize("value", ["model.pt", "nothing.onnx", None, 3, "a\0.onnx"])
def test_paths(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"import_network: 'path': expected the path"):
        rc.import_network(value)


KERAS = 'Keras writes one: model.export("model.onnx", format="onnx")'
PROGRAM = 'PyTorch writes one: torch.onnx.export(torch.export.load(path), f="model.onnx")'
TORCH = 'PyTorch writes one: torch.onnx.export(module, inputs, "model.onnx", dynamo=False{})'
SAVED = "tf2onnx writes one: python -m tf2onnx.convert --saved-model 'a model' --output model.onnx"


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (rc.import_network, ""),
        (lambda name: rc.training_step(name, loss="cross_entropy"), ", do_constant_folding=False"),
    ],
    ids=["whole", "train"],
)
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        *((f"m{end}", KERAS) for end in (".keras", ".h5", ".hdf5")),
        *((f"m{end}", TORCH) for end in (".pt", ".pth", ".ckpt", ".bin")),
        ("m.pt2", PROGRAM),
        ("m.safetensors", f"it has only weights; load them into their module. {TORCH}"),
        ("a model", SAVED),
        ("a model/saved_model.pb", SAVED),
        ("m.txt", ""),
    ],
)
def test_models_of_other_kinds(
    name: str,
    remedy: str,
    function: Any,
    options: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remedy writes an ONNX file; for a training step, one with all weights."""
    monkeypatch.chdir(tmp_path)
    Path("a model").mkdir()
    Path("a model/saved_model.pb").touch()
    Path(name).touch()
    with pytest.raises(InvalidArgumentError) as caught:
        function(name)
    assert caught.value.remedy == remedy.format(options)


def test_only_onnx_files_are_trained(tmp_path: Path) -> None:
    (tmp_path / "m.tflite").touch()
    with pytest.raises(InvalidArgumentError, match="export the model from which it was made as ON"):
        rc.training_step(tmp_path / "m.tflite", loss="cross_entropy")


@pytest.mark.slow
def test_shapes_without_open_sizes(tmp_path: Path) -> None:
    """They are named once, also if other inputs have open sizes."""
    nodes = [helper.make_node("Neg", [name], [f"{name}_y"]) for name in ("x", "w")]
    made = model(nodes, {"x": ["rows", 2], "w": [2, 3]}, ["x_y", "w_y"], {})
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    program = rc.runtime.load(rc.compile(module), device="local-sync")
    with pytest.raises(InvalidArgumentError, match=r"'w': expected shape \[2, 3\], got shape \[3"):
        program(x=np.zeros((1, 2), np.float32), w=np.zeros((3, 3), np.float32))


def lstm(**attributes: Any) -> Any:
    node = helper.make_node(
        "LSTM", ["x", "W", "R", "B"], ["Y"], name="my lstm", hidden_size=H, **attributes
    )
    return model([node], {"x": [T, 1, I]}, ["Y"], lstm_weights())


def gru() -> Any:
    names, functions = ["x", "W", "R", "B"], ["Sigmoid", "Mish"]
    node = helper.make_node("GRU", names, ["Y"], name="my gru", activations=functions)
    return model([node], {"x": [T, 1, I]}, ["Y"], lstm_weights(gates=3))


def unknown_operator() -> Any:
    nodes = [helper.make_node("MaxRoiPool", ["x", "r"], ["y"], name="mine", pooled_shape=[1, 1])]
    return model(nodes, {"x": [1, 1, 3, 3], "r": [1, 5]}, ["y"], {})


def columns() -> Any:
    """IREE's compiler complains of a number of the first node, which has no location."""
    nodes = [
        helper.make_node("Col2Im", ["x", "size", "block"], ["i"], name="mine"),
        helper.make_node("Neg", ["i"], ["y"], name="behind"),
    ]
    weights = {"size": np.array([5, 5]), "block": np.array([1, 5])}
    return model(nodes, {"x": [1, 5, 5]}, ["y"], weights, opset=18)


def regions() -> Any:
    names, more = ["x", "r", "b"], {"output_height": 2, "output_width": 2, "sampling_ratio": 2}
    nodes = [helper.make_node("RoiAlign", names, ["y"], name="mine", **more)]
    shapes, kinds = {"x": [1, 1, 6, 6], "r": [2, 4], "b": [2]}, {"b": TensorProto.INT64}
    return model(nodes, shapes, ["y"], {}, dtypes=kinds)


def of_tensorflow() -> Any:
    """What tf2onnx leaves of an op that it does not know."""
    return model(
        [helper.make_node("BlockLSTMV2", ["x"], ["y"], name="mine")], {"x": [1]}, ["y"], {}
    )


def other_domain() -> Any:
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="mine", domain="com.example")]
    made = model(nodes, {"x": [3]}, ["y"], {})
    made.opset_import.append(helper.make_opsetid("com.example", 1))
    return made


def open_branch() -> Any:
    def branch(operator: str) -> Any:
        out = helper.make_tensor_value_info("o", TensorProto.FLOAT, [3, 3])
        return helper.make_graph([helper.make_node(operator, ["x"], ["o"])], operator, [], [out])

    branches = {"then_branch": branch("Neg"), "else_branch": branch("GlobalLpPool")}
    nodes = [helper.make_node("If", ["b"], ["y"], name="choose", **branches)]
    return model(nodes, {"x": [3, 3], "b": []}, ["y"], {}, dtypes={"b": TensorProto.BOOL})


def loop() -> Any:
    """Halves a number until it is below one."""
    inside = [
        helper.make_node("Mul", ["state", "half"], ["next"]),
        helper.make_node("Less", ["one", "next"], ["on"]),
    ]
    given = [("i", TensorProto.INT64), ("c", TensorProto.BOOL), ("state", TensorProto.FLOAT)]
    made = [("on", TensorProto.BOOL), ("next", TensorProto.FLOAT)]
    values = [[helper.make_tensor_value_info(*each, []) for each in some] for some in (given, made)]
    body = helper.make_graph(inside, "body", *values)
    node = helper.make_node("Loop", ["", "true", "x"], ["y"], name="again", body=body)
    weights = {"true": np.array(True), "half": np.float32(0.5), "one": np.float32(1)}
    return model([node], {"x": []}, ["y"], weights)


def sequences(rows: int | str) -> Any:
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "x"], ["s"], name="mine"),
        helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0),
    ]
    return model(nodes, {"x": [rows, 3]}, ["y"], {})


def test_outputs_that_are_sequences(tmp_path: Path) -> None:
    made = model([helper.make_node("SplitToSequence", ["x"], ["s"])], {"x": ["rows", 3]}, ["s"], {})
    made.graph.output[0].CopyFrom(
        helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    )
    with pytest.raises(
        InvalidArgumentError, match=r"'s': expected an array, got an output that is"
    ):
        rc.import_network(saved(made, tmp_path / "m.onnx"))


def unknown_size() -> Any:
    nodes = [
        helper.make_node("NonZero", ["x"], ["n"], name="mine"),
        helper.make_node("Neg", ["n"], ["y"]),
    ]
    return model(nodes, {"x": ["rows", 3]}, ["y"], {}, dtypes={"y": TensorProto.INT64})


def padded(reader: str) -> Any:
    """Rows, padded by their number modulo four, or without as many; an RNN reads padded columns."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"], end=1),
        helper.make_node("Mod", ["shape", "four"], ["rest"]),
    ]
    if reader == "Slice":
        nodes.append(helper.make_node("Slice", ["x", "rest", "four"], ["y"], name="mine"))
    else:
        ends = ["rest", "zero", "zero"] if reader == "Pad" else ["zero", "zero", "rest"]
        made = "y" if reader == "Pad" else "p"
        nodes += [
            helper.make_node("Concat", ["zero", "zero", "zero", *ends], ["amounts"], axis=0),
            helper.make_node("Pad", ["x", "amounts"], [made], name="mine"),
        ]
    weights = {"zero": np.array([0]), "four": np.array([4])}
    if reader == "RNN":
        nodes += [
            helper.make_node("RNN", ["p", "W", "R"], ["h"], name="its reader", hidden_size=5),
            helper.make_node("ReduceSum", ["h"], ["y"], keepdims=0),
        ]
        weights |= {"W": np.ones((1, 5, 3), np.float32), "R": np.ones((1, 5, 5), np.float32)}
    return model(nodes, {"x": ["rows", 2, 3]}, ["y"], weights, opset=17)


def slow(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("onnx_model", "message"),
    [
        (lstm(activations=["Relu", "Tanh"]), r"'my lstm' \(LSTM\) has activations=2, Relu, Tanh"),
        (sequences(2), r"node 'mine' \(SequenceConstruct\): sequences of arrays are not supported"),
        (sequences("rows"), r"node 'mine' \(Seq.*\): sequences of arrays are not supported"),
        (unknown_size(), r"node 'mine' \(NonZero\) has a result of unknown type or shape.*--dim"),
        (
            padded("Pad"),
            r"'mine' \(Pad\): the size of .* 'amounts', which .*axis 'rows' .*--dim rows",
        ),
        (
            padded("Slice"),
            r"'mine' \(Slice\): the size of .* 'rest', which .*axis 'rows'.*--dim rows",
        ),
        (
            padded("RNN"),
            r"'its reader' \(RNN\) has an input, 'p', whose last size is not .* --dim rows=N",
        ),
        (of_tensorflow(), r"node 'mine' \(BlockLSTMV2\): .*it is TensorFlow's.*import FOLDER\)"),
        slow(lstm(clip=-1.0), r"node 'my lstm' \(LSTM\) has clip=-1.0, where a number above 0"),
        slow(gru(), r"node 'my gru' \(GRU\) has activations='Mish', where a list of Relu, "),
        slow(unknown_operator(), r"node 'mine' \(MaxRoiPool\) is not taken by IREE"),
        (columns(), r"node 'mine' \(Col2Im\) is not taken by IREE"),
        (regions(), r"node 'mine' \(RoiAlign\) is not taken by IREE"),
        slow(other_domain(), r"node 'mine' \(com.example.Relu\): operators of other domains"),
        slow(open_branch(), r"node '.*' \(GlobalLpPool\) is not taken by IREE.*by other operators"),
        slow(loop(), r"node 'again' \(Loop\) is not taken by IREE.*number of its iter"),
    ],
)
def test_nodes(onnx_model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(onnx_model, tmp_path / "m.onnx"))


def test_a_result_whose_size_depends_on_numbers(tmp_path: Path) -> None:
    """IREE's importer never sees such an operator, which it need not survive."""
    nodes = [helper.make_node("Unique", ["x"], ["y"], name="mine", sorted=1)]
    path = saved(model(nodes, {"x": [3, 3]}, ["y"], {}), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedError, match=r"'mine' \(Unique\): .* depends on numbers that"):
        rc.import_network(path)


def test_a_rewritten_node_whose_size_depends_on_numbers(tmp_path: Path) -> None:
    nodes = [helper.make_node("CenterCropPad", ["x", "s"], ["y"], name="mine")]
    dtypes = {"s": TensorProto.INT64}
    made = model(nodes, {"x": [3, 3], "s": [2]}, ["y"], {}, dtypes=dtypes, opset=18)
    with pytest.raises(UnsupportedError, match=r"node 'mine' \(CenterCropPad\): the size of out"):
        rc.import_network(saved(made, tmp_path / "m.onnx"))


@pytest.mark.parametrize("way", [rc.compile_c, pytest.param(rc.compile_js, marks=pytest.mark.slow)])
def test_what_c_and_javascript_refuse_names_the_node(way: Any, tmp_path: Path) -> None:
    """By its name and operator in the file, though one of our ops has replaced it."""
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], name="first"),
        helper.make_node("LSTM", ["r", "W", "R", "B", "n"], ["h"], name="enc", hidden_size=5),
        helper.make_node("Exp", ["h"], ["y"], name="last"),
    ]
    kinds = {"n": TensorProto.INT32}
    made = model(nodes, {"x": [6, 2, 3], "n": [2]}, ["y"], lstm_weights(), dtypes=kinds)
    module = rc.import_network(saved(made, tmp_path / "m.onnx"))
    said = rf"{way.__name__}: (m|main): node 'enc' \(LSTM\): its host program has a size, or"
    with pytest.raises(UnsupportedError, match=said):
        way(module, name="m", strategy="portable")


ENDING = """
import os, signal, sys
from pathlib import Path

(Path(sys.argv[1]) / "operators.json").write_text('["Relu", "Neg"]')
os.kill(os.getpid(), signal.SIGFPE)
"""


@pytest.mark.slow
def test_an_importer_that_does_not_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in its place ends itself."""
    program, path = tmp_path / "worker.py", saved(tagger(), tmp_path / "m.onnx")
    program.write_text(ENDING)
    monkeypatch.setattr(
        process,
        "run_reader",
        lambda _, folder, *, seconds: run_reader(program, folder, seconds=seconds),
    )
    with pytest.raises(UnsupportedError, match=r"does not survive .* operators: Relu, Neg$"):
        rc.import_network(path)


MANY = np.array([1 << 20, 1 << 20])
MANY_RANGE = dict(zip("abd", map(np.int64, (0, 1 << 40, 1)), strict=True))


@pytest.mark.parametrize(
    ("operator", "inputs", "weights", "rows"),
    first(
        [
            ("Tile", ["x", "k"], {"k": MANY}, 1),
            ("Expand", ["x", "k"], {"k": MANY}, 1),
            ("ConstantOfShape", ["k"], {"k": MANY}, 1),
            ("ConstantOfShape", ["k"], {"k": MANY}, "rows"),
            ("Range", ["a", "b", "d"], MANY_RANGE, 1),
            ("Range", ["a", "b", "d"], MANY_RANGE, "rows"),
        ],
        4,
    ),
)
def test_arrays_that_few_bytes_ask_for(
    operator: str, inputs: list[str], weights: Any, rows: Any, tmp_path: Path
) -> None:
    """Of 2**40 elements here, which neither the import nor a call could hold."""
    nodes = [
        helper.make_node(operator, inputs, ["big"], name="mine"),
        helper.make_node("Cast", ["big"], ["number"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["number"], ["sum"], keepdims=0),
        helper.make_node("Add", ["x", "sum"], ["y"]),
    ]
    path = saved(model(nodes, {"x": [rows, 1]}, ["y"], weights), tmp_path / "m.onnx")
    message = rf"node 'mine' \({operator}\): expected results of at most 2,147,483,647 elements"
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(path)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (["N", 3, 4], r"'mine' \(Resize\) needs known sizes, so axis 'N' cannot be open"),
        ([2, "C", 4], r"'mine' \(Resize\) needs known sizes, so axis 'C' cannot be open"),
        ([1, 3, 4], r"'mine' \(Resize\): expected axis 0 to keep its size 1, .* got 2; correct"),
        ([2, 1, "T"], r"'mine' \(Resize\): expected axis 1 to keep its size 1, .* got 3; correct"),
    ],
)
def test_images_whose_batch_is_resized(shape: Any, message: str, tmp_path: Path) -> None:
    """IREE takes these, and their calls fail."""
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], name="mine", mode="linear")
    sizes = {"sizes": np.array([2, 3, 8])}
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(model([node], {"x": shape}, ["y"], sizes), tmp_path / "m.onnx"))


@pytest.mark.parametrize(
    ("operator", "attributes", "version"),
    [
        ("Upsample", {"mode": "linear"}, 11),
        ("Split", {"axis": 0, "split": [1, 1]}, 13),
        ("Softmax", {}, 13),
    ],
)
def test_operators_that_changed_in_models_that_cannot_be_converted(
    operator: str, attributes: Any, version: int, tmp_path: Path
) -> None:
    """Since onnx does not convert the statistics of single pixels."""
    ones = {name: np.ones(3, np.float32) for name in ("scale", "mean")}
    scales = {"s": np.array([1, 1, 2, 2], np.float32)}
    names, results = (["p", "s"] if operator == "Upsample" else ["p"]), ["y"]
    results += ["rest"] if operator == "Split" else []
    nodes = [
        helper.make_node(
            "BatchNormalization", ["x", "scale", "mean", "mean", "scale"], ["p"], spatial=0
        ),
        helper.make_node(operator, names, results, name="mine", **attributes),
    ]
    made = model(nodes, {"x": [2, 3, 4, 4]}, ["y"], ones | scales, opset=8)
    message = rf"node 'mine' \({operator}\): expected version {version} .*got version 8.*export"
    with pytest.raises(UnsupportedError, match=message):
        rc.import_network(saved(made, tmp_path / "m.onnx"))


def changed(change: Any, *nodes: Any, opset: int = 17) -> Any:
    """A model whose parts are changed to what onnx cannot write."""
    nodes = nodes or (helper.make_node("Add", ["x", "w"], ["y"], name="mine"),)
    made = model(nodes, {"x": [2, 3]}, ["y"], {"w": np.ones((2, 3), np.float32)}, opset=opset)
    change(made)
    return made


def element_of(what: str, kind: int) -> Any:
    """Gives the input or output another type of elements."""
    return lambda made: setattr(getattr(made.graph, what)[0].type.tensor_type, "elem_type", kind)


def negative_size(made: Any) -> None:
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -2


def sequence_input(made: Any) -> None:
    made.graph.input[0].type.Clear()
    made.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = TensorProto.FLOAT


def unchanged(made: Any) -> None:
    pass


def node(operator: str, *inputs: str, **attributes: Any) -> Any:
    return helper.make_node(operator, inputs, ["y"], name="mine", **attributes)


@pytest.mark.parametrize(
    ("made", "kind", "message"),
    [
        *(
            (
                changed(element_of("input", each)),
                InvalidArgumentError,
                f"'x': expected .*got {got}; export",
            )
            for each, got in (
                (77, "the unknown type 77"),
                (8, "string"),
                (22, "int4"),
                (0, "undefined"),
            )
        ),
        (changed(sequence_input), InvalidArgumentError, "'x': expected .*, got a sequence"),
        (changed(negative_size), ArtifactError, r"input 'x' has the shape \[-2, 3\]"),
        *(
            (
                changed(element_of("output", each)),
                UnsupportedError,
                r"'mine' \(Add\): .* fit each o",
            )
            for each in (77, 7)
        ),
        (changed(unchanged, opset=0), ArtifactError, "it says version 0 of ONNX's operators"),
        (changed(unchanged, node("Einsum", "x", "w")), ArtifactError, "no attribute 'equation'"),
        (
            changed(unchanged, node("Gather", "x", "w", axis=9)),
            UnsupportedError,
            r"'mine' \(Gather",
        ),
        (
            changed(unchanged, node("Conv", "x", "w", kernel_shape=[9, 9, 9])),
            UnsupportedError,
            r"node 'mine' \(Conv\): .* do not fit each other: .*; correct the model, or the sizes",
        ),
        (
            changed(
                unchanged,
                helper.make_node("Cast", ["x"], ["text"], name="words", to=TensorProto.STRING),
                helper.make_node("Cast", ["text"], ["y"], to=TensorProto.FLOAT),
            ),
            UnsupportedError,
            r"node 'words' \(Cast\): its result is an array of string, .*; export the model with",
        ),
    ],
)
def test_types_and_attributes_that_do_not_fit(
    made: Any, kind: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=message) as caught:
        rc.import_network(saved(made, tmp_path / "m.onnx"))
    assert "report this" not in str(caught.value)


def expanding() -> bytes:
    """Each product is of more elements than the last, 2**60 in the end, and none is too large."""
    nodes = [
        helper.make_node("Concat", ["a", "a"], ["v1"], name="v1", axis=0),
        *(
            helper.make_node("Concat", [f"v{k}"] * 2, [f"v{k + 1}"], name=f"v{k + 1}", axis=0)
            for k in range(1, 60)
        ),
        helper.make_node("ReduceSum", ["v60"], ["s"], name="sum", keepdims=0),
        helper.make_node("Add", ["x", "s"], ["y"], name="add"),
    ]
    return model(nodes, {"x": [1]}, ["y"], {"a": np.ones(1, np.float32)}).SerializeToString()


def elsewhere() -> bytes:
    made = tagger()
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "../../../etc/passwd"
    return made.SerializeToString()


def wrong_size() -> bytes:
    made = tagger()
    made.graph.initializer[0].raw_data = b"1234"
    return made.SerializeToString()


def is_refused(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises((ArtifactError, UnsupportedError, InvalidArgumentError)) as caught:
        rc.import_network(path, dims=SIZES if b"batch" in content else None)
    assert "Traceback" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
def test_a_file_that_ends_early(tmp_path: Path) -> None:
    is_refused(tagger().SerializeToString()[:-40], tmp_path / "m.onnx")


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x00" * 1000, id="zeros"),
        pytest.param(elsewhere(), id="elsewhere"),
        pytest.param(wrong_size(), id="wrong size"),
    ],
)
def test_hostile_files(content: bytes, tmp_path: Path) -> None:
    is_refused(content, tmp_path / "m.onnx")


LESS_MEMORY = """
import sys
from pathlib import Path
from rnn_compiler.network_import import worker

worker.SPARE_MEMORY = 1 << 30
sys.exit(worker.main(Path(sys.argv[1])))
"""


@pytest.mark.slow
def test_products_that_need_more_memory_than_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third of the allowed memory, which takes a third of the time to fill."""
    program, path = tmp_path / "worker.py", tmp_path / "m.onnx"
    program.write_text(LESS_MEMORY)
    monkeypatch.setattr(
        process,
        "run_reader",
        lambda _, folder, *, seconds: run_reader(program, folder, seconds=seconds),
    )
    path.write_bytes(expanding())
    with pytest.raises(
        ArtifactError, match=r"takes more than a file of its size may \(MemoryError\)"
    ):
        rc.import_network(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").mkdir()
    with pytest.raises(ArtifactError, match="cannot be read"):
        rc.import_network(tmp_path / "m.onnx")
