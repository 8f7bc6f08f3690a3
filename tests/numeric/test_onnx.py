"""ONNX's LSTM, GRU and RNN: cases that the sweeps over all ops do not cover.

Every function and any optional inputs against the float64 reference; cuDNN's cells bit for bit
against CudnnRNNV3; and every strategy on sizes that do not divide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_reference
import pytest
from cases import CASES, assert_close
from errors.expect import invalid_argument
from numeric.harness import Arrays, draw, expected, module, renamed
from quick import SWEEP, first

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.ops.cells.activations import ACTIVATIONS
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

KINDS = ("LSTM", "GRU", "RNN")
OPTIONAL = ("B", "sequence_lens", "initial_h", "initial_c", "P")
EVERY = "B sequence_lens initial_h"

FUNCTIONS: dict[str, tuple[list[float], list[float]]] = {
    "Affine": ([0.7], [0.2]),
    "ScaledTanh": ([1.3], [0.6]),
    "ThresholdedRelu": ([0.3], []),
}
"""Alpha and beta, where ONNX's defaults are not meant."""


def inputs(
    kind: str,
    sizes: tuple[int, int, int, int],
    optional: str,
    *,
    dtype: str = "float32",
    seed: int = 0,
    **attributes: Any,
) -> Arrays:
    """Random inputs by name; `optional` is which of the optional ones."""
    T, B, I, H = sizes  # noqa: E741
    D, g = (
        (2 if attributes.get("direction") == "bidirectional" else 1),
        len(onnx_reference.GATES[kind]),
    )
    batch_first = bool(attributes.get("layout"))
    state = (B, D, H) if batch_first else (D, B, H)
    shapes = {
        **{"X": (B, T, I) if batch_first else (T, B, I), "W": (D, g * H, I), "R": (D, g * H, H)},
        **{"B": (D, 2 * g * H), "initial_h": state, "initial_c": state, "P": (D, 3 * H)},
    }
    rng = np.random.default_rng(seed)
    found: Arrays = {}
    for name in ("X", "W", "R", *OPTIONAL):
        if name == "sequence_lens" and name in optional.split():
            found[name] = rng.integers(0, T + 1, B).astype(np.int32)
        elif name in ("X", "W", "R", *optional.split()):
            scale = 0.5 if name in ("W", "R") else 0.8
            found[name] = (rng.standard_normal(shapes[name]) * scale).astype(dtype)
    return found


def texts(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes as the reference takes them."""
    lists = (list, tuple)
    return {k: " ".join(map(str, v)) if isinstance(v, lists) else v for k, v in attributes.items()}


def check(kind: str, given: Arrays, **attributes: Any) -> None:
    results = getattr(rc.onnx_ops, kind)(**given, **attributes)._asdict()
    exact = onnx_reference.forward(kind, **given, **texts(attributes))
    assert_close(results, exact, given["X"].dtype.name)


# Where the cell is cuDNN's.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rnn_mode", "attributes"),
    [
        ("LSTM", "lstm", {"direction": "bidirectional"}),
        ("GRU", "gru", {"linear_before_reset": 1}),
        ("RNN", "rnn_tanh", {}),
        ("RNN", "rnn_relu", {"direction": "bidirectional", "activations": "Relu Relu"}),
    ],
)
def test_bits_of_cudnn(kind: str, rnn_mode: str, attributes: dict[str, Any]) -> None:
    """With rows of any lengths; gates have another order, and nothing else.

    Gradients have the numbers of CudnnRNNBackpropV3 and not the bits, as sums over gates have
    another order; an RNN has one gate.
    """
    direction = attributes.get("direction", "unidirectional")
    trained = rnn_mode != "rnn_relu"  # which differs from tanh only in its function
    names = EVERY + " initial_c" * (kind == "LSTM")
    ours = [(f"onnx.{kind}", {**attributes, "inputs": names, "is_training": trained})]
    mode = {"rnn_mode": rnn_mode, "direction": direction}
    theirs = [("CudnnRNNV3", {**mode, "is_training": trained})]
    if trained:
        ours.append((f"onnx.{kind}Grad", {**attributes, "inputs": names}))
        theirs.append(("CudnnRNNBackpropV3", mode))
    sizes = {"seq_length": 7, "batch_size": 5, "input_size": 6, "num_units": 8, "num_layers": 1}
    program = rc.runtime.load(rc.compile(rc.build([*ours, *theirs], **sizes)))
    functions = {each.spec.op: each for each in program.functions.values()}

    given = inputs(kind, (7, 5, 6, 8), names, **attributes)
    found = functions[f"onnx.{kind}"](**given)
    same = {
        "input": given["X"],
        "input_h": given["initial_h"],
        "input_c": given.get("initial_c", np.zeros_like(given["initial_h"])),
        "params": rc.weights.from_onnx(given["W"], given["R"], given["B"], rnn_mode=rnn_mode),
        "sequence_lengths": given["sequence_lens"],
    }
    wanted = functions["CudnnRNNV3"](**same)
    assert np.array_equal(side_by_side(found.Y), wanted.output)
    assert np.array_equal(found.Y_h, wanted.output_h)
    assert kind != "LSTM" or np.array_equal(found.Y_c, wanted.output_c)
    if not trained:
        return

    assert np.array_equal(found.reserve_space.ravel(), wanted.reserve_space.ravel())
    dy = np.random.default_rng(3).standard_normal(found.Y.shape).astype(np.float32)
    back = functions[f"onnx.{kind}Grad"](
        **given, Y=found.Y, Y_grad=dy, reserve_space=found.reserve_space
    )
    right = functions["CudnnRNNBackpropV3"](
        **same,
        **wanted._asdict(),
        output_backprop=side_by_side(dy),
        output_h_backprop=np.zeros_like(wanted.output_h),
        output_c_backprop=np.zeros_like(wanted.output_c),
    )
    params = rc.weights.from_onnx(back.W_grad, back.R_grad, back.B_grad, rnn_mode=rnn_mode)
    for one, other in (
        (back.X_grad, right.input_backprop),
        (back.initial_h_grad, right.input_h_backprop),
        (params, right.params_backprop),
    ):
        assert kind != "RNN" or np.array_equal(one, other)
        np.testing.assert_allclose(one, other, atol=1e-5 * np.abs(other).max())


def side_by_side(sequence: Any) -> Any:
    """ONNX's sequence with its directions as in CudnnRNN."""
    return np.concatenate([*sequence.transpose(1, 0, 2, 3)], 2)


# Functions.


def dealt(kind: str) -> list[list[str]]:
    """Every function once, in as many lists as fill the places of two directions."""
    places = 2 * len(onnx_reference.DEFAULTS[kind])
    names = [*ACTIVATIONS, *ACTIVATIONS]
    return [names[first : first + places] for first in range(0, len(ACTIVATIONS), places)]


def in_two_directions(names: Sequence[str]) -> dict[str, Any]:
    """Attributes of functions, with a number for each that takes one."""
    numbers: dict[str, list[float]] = {"alpha": [], "beta": []}
    for name in names:
        given = dict(zip(numbers, FUNCTIONS.get(name, ([], [])), strict=True))
        for parameter, default in ACTIVATIONS[name].parameters.items():
            numbers[parameter] += given[parameter] or [default or 0.0]
    return {
        **{"direction": "bidirectional", "activations": [*names]},
        **{f"activation_{parameter}": found for parameter, found in numbers.items()},
    }


@pytest.mark.slow
def test_every_function() -> None:
    """In float32, behind a clip; the derivative's tests have them in float64, in another op too."""
    rows = [in_two_directions(names) | {"clip": 1.5} for names in dealt("LSTM")]
    more = {"inputs": "B initial_h", "is_training": False}
    built = [("onnx.LSTM", {**row, **more, "function": f"case_{k}"}) for k, row in enumerate(rows)]
    program = rc.runtime.load(rc.compile(rc.build(built, **DIMS)))
    for row, function in zip(rows, program.functions.values(), strict=True):
        given = inputs("LSTM", (3, 2, 4, 5), "B initial_h", direction="bidirectional")
        results = function(**given)._asdict()
        assert_close(results, onnx_reference.forward("LSTM", **given, **texts(row)), "float32")


@pytest.mark.slow
def test_numbers_go_to_the_functions_that_take_one() -> None:
    """In order, and defaults when there are none left; names in any case, as in ONNX Runtime."""
    attributes: dict[str, Any] = {
        "activations": ["tanh", "leakyrelu", "hardsigmoid", "ELU"],
        "activation_alpha": [0.5, 0.3],
        "direction": "bidirectional",
    }
    given = inputs("GRU", (3, 2, 3, 4), "", **attributes)
    results = rc.onnx_ops.GRU(**given, **attributes)
    names = "Tanh LeakyRelu HardSigmoid Elu"
    known = {"activations": names, "activation_alpha": "0.5 0.3 1.0", "direction": "bidirectional"}
    assert_close(results._asdict(), onnx_reference.forward("GRU", **given, **known), "float32")
    spec = rc.build("onnx.GRU", **DIMS, **attributes).functions[0]
    assert spec.attributes["activations"] == names
    assert spec.attributes["activation_alpha"] == "0.5 0.3"


@pytest.mark.slow
def test_a_forward_rnn_takes_the_first_of_two_functions() -> None:
    """ONNX's default has two for any direction; each may have its number."""
    given = inputs("RNN", (3, 2, 4, 5), "")
    two = {"activations": ["LeakyRelu", "LeakyRelu"], "activation_alpha": [0.1, 0.3]}
    one = {"activations": "LeakyRelu", "activation_alpha": "0.1"}
    results = rc.onnx_ops.RNN(**given, **two)._asdict()
    assert_close(results, onnx_reference.forward("RNN", **given, **one), "float32")


DIMS = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}


@pytest.mark.parametrize(
    ("kind", "attributes", "argument", "expected_", "got"),
    [
        ("LSTM", {"activations": ["Tanh"]}, "activations", "3 functions", "1, Tanh"),
        ("LSTM", {"activations": ["tan"] * 3}, "activations", "a list of Relu, Tanh,", "'tan'"),
        ("LSTM", {"activations": 3}, "activations", "a list of Relu", "3 (int)"),
        ("GRU", {"activation_alpha": ["x"]}, "activation_alpha", "a list of numbers", "'x'"),
        ("GRU", {"activation_alpha": [1.0]}, "activation_alpha", "a number for each", "1.0"),
        ("RNN", {"activations": "ScaledTanh"}, "activation_alpha", "no default", "none"),
        (
            "GRU",
            {"activations": ["Tanh", "Elu"], "activation_alpha": [0.1, 0.2]},
            "activation_alpha",
            "a number for each function that has alpha: Elu",
            "0.1 0.2",
        ),
        ("RNN", {"clip": -1.0}, "clip", "a number above 0", "-1.0"),
        ("RNN", {"direction": "backward"}, "direction", "one of forward, reverse", "'backward'"),
        ("RNN", {"layout": 2}, "layout", "in 0..1", "2"),
        ("LSTM", {"hidden_size": 4}, "hidden_size", "num_units = 5, or 0", "4"),
        ("GRU", {"inputs": ["P"]}, "inputs", "a list of B, sequence_lens, initial_h", "'P'"),
    ],
)
def test_attributes_are_checked(
    kind: str, attributes: dict[str, Any], argument: str, expected_: str, got: str
) -> None:
    with invalid_argument(f"onnx.{kind}", argument, expected_, got):
        rc.build(f"onnx.{kind}", **DIMS, **attributes)


def test_a_clip_of_infinity_is_none() -> None:
    texts = {rc.build("onnx.LSTM", **DIMS, clip=clip).text for clip in (0.0, float("inf"))}
    assert len(texts) == 1


# Optional inputs.


@pytest.mark.slow
@pytest.mark.parametrize("kind", first(KINDS))
def test_what_is_not_passed_is_not_there(kind: str) -> None:
    """A call compiles a function without it; a function that has it takes zeros, or all steps."""
    names = [each.name for each in OPS[f"onnx.{kind}"].signature.arguments if each.optional]
    given = inputs(kind, (4, 2, 3, 5), " ".join(names))
    bare = {name: given[name] for name in ("X", "W", "R")}
    check(kind, bare)
    whole = rc.runtime.load(rc.compile(rc.build(f"onnx.{kind}", **dims(given), inputs=names)))
    assert [*whole.manifest.functions[0].arguments][3:][0].name == names[0]
    results = whole(**bare)._asdict()
    assert_close(results, onnx_reference.forward(kind, **bare), "float32")
    assert_close(whole(**given)._asdict(), onnx_reference.forward(kind, **given), "float32")


def dims(given: Arrays) -> dict[str, int]:
    T, B, I = given["X"].shape  # noqa: E741
    return {"seq_length": T, "batch_size": B, "input_size": I, "num_units": given["R"].shape[2]}


def test_inputs_of_a_function() -> None:
    """All but P by default: peepholes take time."""

    def names(**keywords: Any) -> list[str]:
        return [
            each.name for each in rc.build("onnx.LSTM", **DIMS, **keywords).functions[0].arguments
        ]

    assert names() == ["X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c"]
    assert names(inputs=[]) == ["X", "W", "R"]
    assert names(inputs=["P", "B"]) == ["X", "W", "R", "B", "P"]
    assert names(inputs="P B") == names(inputs=("B", "P"))


def test_lengths_are_checked() -> None:
    given = inputs("GRU", (4, 2, 3, 5), "")
    for lengths in ([5, 1], [-1, 1]):
        with invalid_argument("onnx.GRU", "sequence_lens", "values in 0..4", str(lengths[0])):
            rc.onnx_ops.GRU(**given, sequence_lens=np.array(lengths, np.int32))


@pytest.mark.slow
@pytest.mark.parametrize("kind", first(KINDS))
def test_a_row_without_steps_keeps_its_state(kind: str) -> None:
    """And the NaN of padding is not seen."""
    names = "sequence_lens initial_h" + " initial_c" * (kind == "LSTM")
    given = inputs(kind, (4, 2, 3, 5), names)
    given["sequence_lens"][...] = (0, 3)
    results = getattr(rc.onnx_ops, kind)(**given)
    assert not results.Y[:, :, 0].any()
    assert np.array_equal(results.Y_h[:, 0], given["initial_h"][:, 0])
    assert kind != "LSTM" or np.array_equal(results.Y_c[:, 0], given["initial_c"][:, 0])
    poisoned = given["X"].copy()
    for row, length in enumerate(given["sequence_lens"]):
        poisoned[length:, row] = np.nan
    for one, other in zip(
        results, getattr(rc.onnx_ops, kind)(**{**given, "X": poisoned}), strict=True
    ):
        assert np.array_equal(one, other)


# Gradients.


def both(kind: str, optional: str, **attributes: Any) -> tuple[Any, Any]:
    """The forward op and its gradient, in float64, compiled together."""
    pair = [
        (f"onnx.{kind}", {"is_training": True, "function": "there"}),
        (f"onnx.{kind}Grad", {"function": "back"}),
    ]
    sizes = {"seq_length": 4, "batch_size": 3, "input_size": 2, "num_units": 5}
    built = rc.build(pair, dtype="float64", inputs=optional, **sizes, **attributes)
    program = rc.runtime.load(rc.compile(built))
    return program.functions["there"], program.functions["back"]


def assert_is_derivative(kind: str, optional: str, **attributes: Any) -> None:
    """Of every input, along a random direction, by central differences; and that of the reference.

    The step is small enough that no number passes a bend or a clip on its way.
    """
    there, back = both(kind, optional, **attributes)
    given = inputs(kind, (4, 3, 2, 5), optional, dtype="float64", **attributes)
    if "sequence_lens" in given:
        given["sequence_lens"][...] = (4, 2, 1)
    results = there(**given)._asdict()
    reserve = results.pop("reserve_space")
    assert_close(results, onnx_reference.forward(kind, **given, **attributes), "float64")
    rng = np.random.default_rng(7)
    upstream = {f"{name}_grad": rng.standard_normal(y.shape) for name, y in results.items()}
    gradients = back(**given, **upstream, Y=results["Y"], reserve_space=reserve)._asdict()
    exact = onnx_reference.gradient(kind, inputs=optional, **given, **upstream, **attributes)
    assert_close(gradients, exact, "float64")

    def loss(moved: Arrays) -> float:
        values = there(**{**given, **moved})._asdict()
        return sum(float((values[name] * upstream[f"{name}_grad"]).sum()) for name in results)

    for name in (name for name, array in given.items() if array.dtype == np.float64):
        way = rng.standard_normal(given[name].shape)
        step = 1e-6 * way
        slope = (loss({name: given[name] + step}) - loss({name: given[name] - step})) / 2e-6
        along = float((gradients[f"{name}_grad"] * way).sum())
        assert abs(slope - along) <= 1e-6 * max(1.0, abs(along)), name


DEALT = [("LSTM", names) for names in dealt("LSTM")]
DEALT += [("GRU", names) for names in (dealt("GRU") if SWEEP else dealt("GRU")[:1])]
DEALT += [("RNN", ["Sigmoid", "ScaledTanh"])]
"""Every function in an op; the others treat all in the same way."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "names"), first(DEALT), ids=lambda each: "".join(each))
def test_derivative_of_every_function(kind: str, names: list[str]) -> None:
    """Each from its saved value or input."""
    optional = {"LSTM": "B P", "GRU": "B initial_h", "RNN": "B"}[kind]
    assert_is_derivative(kind, optional, **texts(in_two_directions(names)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "names"),
    first(
        [
            ("RNN", "ThresholdedRelu Elu"),
            ("LSTM", "LeakyRelu ThresholdedRelu Elu Elu LeakyRelu ThresholdedRelu"),
            ("GRU", "LeakyRelu ThresholdedRelu Elu LeakyRelu"),
        ]
    ),
)
def test_derivative_from_the_input(kind: str, names: str) -> None:
    """In every position: if alpha is not positive, a value does not determine its input."""
    alpha = " ".join(["-0.4"] * len(names.split()))
    assert_is_derivative(
        kind, "B", activations=names, activation_alpha=alpha, direction="bidirectional"
    )


@pytest.mark.slow
def test_a_threshold_is_reached_by_an_equal_number() -> None:
    """Of a layer; ONNX' operator of that name leaves the threshold itself out."""
    sums = np.float32([[0.5, 0.75, 0.25]])
    weights = {"W": np.zeros((1, 3, 2), np.float32), "R": np.zeros((1, 3, 3), np.float32)}
    given = {"X": np.zeros((1, 1, 2), np.float32), "B": np.pad(sums, [(0, 0), (0, 3)]), **weights}
    names = {"activations": ["ThresholdedRelu"], "activation_alpha": [0.5]}
    np.testing.assert_array_equal(rc.onnx_ops.RNN(**given, **names).Y_h[0], [[0.5, 0.75, 0]])


@pytest.mark.slow
def test_saturated_functions_have_no_gradient() -> None:
    """Where they end at an alpha that bfloat16 rounds: kept rounded, it is not where they end."""
    sizes = {"seq_length": 3, "batch_size": 2, "input_size": 1, "num_units": 4}
    attributes = {"activations": "ScaledTanh Elu", "activation_alpha": "1.2 0.8"}
    attributes |= {"activation_beta": "0.9", "direction": "bidirectional", "inputs": ""}
    pair = [
        ("onnx.RNN", {"is_training": True, "function": "there"}),
        ("onnx.RNNGrad", {"function": "back"}),
    ]
    program = rc.runtime.load(rc.compile(rc.build(pair, dtype="bfloat16", **sizes, **attributes)))
    given = inputs("RNN", (3, 2, 1, 4), "", dtype="bfloat16", direction="bidirectional")
    given["X"][...], given["W"][...] = -50, 1
    out = program.functions["there"](**given)
    gradients = program.functions["back"](
        **given, Y=out.Y, Y_grad=np.ones_like(out.Y), reserve_space=out.reserve_space
    )
    for name, array in gradients._asdict().items():
        assert not array.any(), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "attributes"),
    first(
        [
            ("GRU", {"linear_before_reset": 1, "clip": 0.4}),
            ("LSTM", {"direction": "reverse", "input_forget": 1, "layout": 1}),
            ("LSTM", {"clip": 0.6}),
            ("GRU", {"direction": "reverse", "clip": 0.6, "layout": 1}),
            ("RNN", {"direction": "bidirectional", "clip": 0.5}),
        ]
    ),
)
def test_derivative_with_attributes(kind: str, attributes: dict[str, Any]) -> None:
    assert_is_derivative(kind, EVERY + " initial_c P" * (kind == "LSTM"), **attributes)


# Lowering.


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loops_are_fused(dtype: str) -> None:
    """Of whatever functions; those of GRU's two products too."""
    ops = [f"onnx.{kind}" for kind in KINDS]
    built = renamed(*(module(op, dtype, variant) for op in ops for variant in CASES[op].variants))
    target = resolve_target("cpu")
    assert not rewrite(
        LoweringRequest(built.text, built.functions, target, "fused", "1")
    ).plain_loops


RESET_FIRST: tuple[str, dict[str, Any]] = ("GRU", {"inputs": "sequence_lens initial_h"})
"""A step of two products, one of them of reset values."""

LSTM = ("LSTM", {"activations": "HardSigmoid Softsign Elu", "inputs": "B sequence_lens P"})
GRU = ("GRU", {"linear_before_reset": 1, "direction": "reverse"})
RNN = ("RNN", {"activations": "Softplus", "clip": 2.0})

LOWERED: dict[str, list[tuple[str, tuple[int, ...], tuple[str, dict[str, Any]]]]] = {
    "fused": [
        ("float32", (5, 1, 3, 4), RESET_FIRST),
        ("float32", (6, 2, 3, 33), RESET_FIRST),
        ("float32", (7, 9, 5, 65), RESET_FIRST),
        ("bfloat16", (7, 9, 5, 65), RESET_FIRST),
        ("bfloat16", (3, 1, 2, 2), RESET_FIRST),
        ("float16", (5, 1, 3, 4), RESET_FIRST),
        ("float16", (3, 17, 2, 130), RESET_FIRST),
        ("float64", (9, 33, 2, 20), RESET_FIRST),
        ("float32", (3, 17, 2, 130), LSTM),
        ("bfloat16", (6, 2, 3, 33), GRU),
        ("float32", (9, 33, 2, 20), RNN),
    ],
    "pinned": [
        ("float32", (7, 9, 5, 65), RESET_FIRST),
        ("float16", (6, 2, 3, 33), RESET_FIRST),
        ("float64", (6, 2, 3, 33), LSTM),
        ("bfloat16", (3, 17, 2, 130), GRU),
        ("float32", (6, 2, 3, 33), RNN),
    ],
}
"""Every size; 16 bits with one row and with several, whose products have different forms."""


@pytest.mark.slow
@pytest.mark.parametrize("strategy", LOWERED)
def test_strategies(strategy: str) -> None:
    """Compiled together: steps with two products, and steps with one, whose loops are cuDNN's."""
    calls = [
        (f"onnx.{kind}", dtype, {**dict(zip(DIMS, shape, strict=True)), **more})
        for dtype, shape, (kind, more) in LOWERED[strategy]
    ]
    parts = [module(*call) for call in calls]
    program = rc.runtime.load(rc.compile(renamed(*parts), "cpu", strategy=strategy))
    for call, function in zip(calls, program.functions.values(), strict=True):
        _, dtype, variant = call
        given = draw(*call, seed=1)
        if "sequence_lens" in given:
            steps, rows = variant["seq_length"], variant["batch_size"]
            given["sequence_lens"] = np.arange(rows, dtype=np.int32) * 7 % (steps + 1)
        assert_close(function(**given)._asdict(), expected(*call, given), dtype)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [{}, {"seq_length": None, "batch_size": None}], ids=["", "open"])
def test_what_a_reset_first_saves(sizes: dict[str, Any]) -> None:
    """Rows of several lengths in several tiles; of open sizes the code is another."""
    dims = {"seq_length": 7, "batch_size": 33, "input_size": 5, "num_units": 33}
    variant = {**dims, "is_training": True, "inputs": "B sequence_lens initial_h"}
    given = draw("onnx.GRU", "float32", variant)
    given["sequence_lens"] = np.arange(33, dtype=np.int32) * 7 % 8
    program = rc.runtime.load(rc.compile(rc.build("onnx.GRU", **{**variant, **sizes})))
    assert program.manifest.plain_loops == {}
    assert_close(
        program(**given)._asdict(), onnx_reference.forward("GRU", **variant, **given), "float32"
    )
