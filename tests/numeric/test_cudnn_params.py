"""The ops around CudnnRNN's parameter buffer: nothing is computed, so no bit changes."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import product
from typing import Any

import cudnn_params_reference as reference
import numpy as np
import numpy.typing as npt
import pytest
from cases import assert_same_bits

import rnn_compiler as rc
from rnn_compiler.modules import Module
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES

MODES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
DIRECTIONS = ("unidirectional", "bidirectional")

SIZES = {  # what cuDNN gives
    ("lstm", 1, 6, 4, "uni", "linear_input", 0): 288,
    ("lstm", 2, 6, 4, "uni", "linear_input", 0): 624,
    ("lstm", 2, 5, 3, "bi", "linear_input", 0): 1080,
    ("lstm", 1, 4, 4, "uni", "skip_input", 0): 96,
    ("lstm", 2, 6, 4, "bi", "linear_input", 2): 816,
    ("gru", 1, 6, 4, "uni", "linear_input", 0): 216,
    ("gru", 2, 5, 3, "bi", "linear_input", 0): 810,
    ("gru", 2, 5, 5, "bi", "skip_input", 0): 720,
    ("gru", 2, 5, 5, "bi", "auto_select", 0): 720,
    ("gru", 2, 5, 3, "bi", "auto_select", 0): 810,
    ("rnn_tanh", 3, 5, 3, "bi", "linear_input", 0): 440,
    ("rnn_relu", 1, 1, 1, "uni", "skip_input", 0): 3,
    ("lstm", 3, 128, 64, "bi", "linear_input", 0): 989184,
    ("lstm", 2, 6, 4, "uni", "linear_input", 6): 624,
}


def network(
    rnn_mode: str = "lstm",
    num_layers: int = 2,
    num_units: int = 3,
    input_size: int = 2,
    direction: str = "unidirectional",
    input_mode: str = "linear_input",
    num_proj: int = 0,
) -> dict[str, Any]:
    return dict(locals())


def counts(how: dict[str, Any]) -> dict[str, int]:
    """The attributes of CudnnRNNParamsToCanonicalV2."""
    layers = how["num_layers"] * (1 + (how["direction"] == "bidirectional"))
    biases = 2 * MODES[how["rnn_mode"]] * layers
    projections = layers * (0 < how["num_proj"] < how["num_units"])
    return {"num_params_weights": biases + projections, "num_params_biases": biases}


def split_sizes(how: dict[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Splits sizes into arguments of a call and attributes."""
    sizes = {name: how[name] for name in ("num_layers", "num_units", "input_size")}
    return sizes, {name: value for name, value in how.items() if name not in sizes}


def size_of(how: dict[str, Any]) -> int:
    return int(reference.params_size(**how)["params_size"][0])


def buffer(how: dict[str, Any], dtype: str = "float32") -> npt.NDArray[Any]:
    """Random bits: numbers of all kinds, NaN among them."""
    kind = DTYPES[dtype].numpy
    bits = np.random.default_rng(0).bytes(size_of(how) * kind.itemsize)
    return np.frombuffer(bits, kind)


def named(out: Any) -> dict[str, npt.NDArray[Any]]:
    """Both lists of a call, element by element."""
    return {
        f"{name}_{k}": array
        for name in ("weights", "biases")
        for k, array in enumerate(getattr(out, name))
    }


def both_ways(how: dict[str, Any]) -> Module:
    ops = ["CudnnRNNParamsToCanonicalV2", "CudnnRNNCanonicalToParamsV2"]
    return rc.build(ops, **how, **counts(how))


@functools.cache
def compiled(how: tuple[tuple[str, Any], ...]) -> rc.Program:
    return rc.runtime.load(rc.compile(both_ways(dict(how))))


def program(how: dict[str, Any]) -> rc.Program:
    """Both conversions, as one program."""
    return compiled(tuple(how.items()))


EVERY_NETWORK = [
    network(mode, layers, 3, size, direction, how)
    for mode, layers, direction, (size, how) in product(
        MODES, (1, 2, 3), DIRECTIONS, ((2, "linear_input"), (3, "skip_input"))
    )
] + [
    network("lstm", layers, 5, size, direction, how, 2)
    for layers, direction, (size, how) in product(
        (1, 2, 3), DIRECTIONS, ((3, "auto_select"), (5, "auto_select"))
    )
]

each_mode_and_direction = pytest.mark.parametrize(
    ("mode", "direction"), [*product(MODES, DIRECTIONS)]
)


# Values.


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if k in (0, len(SIZES) - 1) else pytest.mark.slow)
        for k, row in enumerate(SIZES)
    ],
    ids=lambda row: "-".join(map(str, row)),
)
def test_params_size(row: tuple[Any, ...]) -> None:
    mode, layers, units, size, direction, how, projected = row
    sizes, attributes = split_sizes(
        network(mode, layers, units, size, f"{direction}directional", how, projected)
    )
    assert size_of(sizes | attributes) == SIZES[row]
    S = "int64" if layers == 1 else "int32"
    out = rc.raw_ops.CudnnRNNParamsSize(**sizes, T="float32", S=S, **attributes)
    assert out.dtype == S
    assert out.tolist() == [SIZES[row]]


@pytest.mark.slow
@each_mode_and_direction
def test_round_trip(mode: str, direction: str) -> None:
    """Through functions of one program, two for each network.

    A third of the networks: one and two layers in two directions, one and three in one direction,
    each with an input that is multiplied and one that is not, also where there are projections.
    """
    networks = [n for n in EVERY_NETWORK if (n["rnn_mode"], n["direction"]) == (mode, direction)]
    networks = networks[direction == "unidirectional" :: 3]
    specs = [
        replace(spec, function=f"{spec.function}_{number}")
        for number, how in enumerate(networks)
        for spec in both_ways(how).functions
    ]
    functions = iter(rc.runtime.load(rc.compile(Module(specs))).functions.values())
    for how in networks:
        to_canonical, from_canonical = next(functions), next(functions)
        params = buffer(how)
        sizes, _ = split_sizes(how)
        out = to_canonical(params=params, **sizes)
        assert out._fields == ("weights", "biases")
        assert type(out.weights) is type(out.biases) is list
        assert_same_bits(named(out), reference.params_to_canonical(params=params, **how), how)
        back = from_canonical(**out._asdict(), **sizes)
        assert_same_bits(back._asdict(), {"params": params}, how)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", FLOAT_DTYPES)
def test_every_dtype_through_raw_ops(dtype: str) -> None:
    """V1, which has no projection and takes a single number of counts."""
    how = (
        network("gru", 2, 3, 3, input_mode="skip_input")
        if dtype in ("float16", "float64")
        else network(direction="bidirectional")
    )
    del how["num_proj"]
    sizes, attributes = split_sizes(how)
    params = buffer(how, dtype)
    count = counts(how | {"num_proj": 0})["num_params_biases"]
    out = rc.raw_ops.CudnnRNNParamsToCanonical(
        **sizes, params=params, num_params=count, **attributes, dropout=0.5, seed=1, seed2=-2
    )
    assert_same_bits(named(out), reference.params_to_canonical(params=params, **how))
    back = rc.raw_ops.CudnnRNNCanonicalToParams(**sizes, **out._asdict(), **attributes)
    assert_same_bits({"params": back}, {"params": params})


@pytest.mark.slow
def test_v2_through_raw_ops() -> None:
    how = network(num_proj=1)
    sizes, attributes = split_sizes(how)
    params = buffer(how)
    out = rc.raw_ops.CudnnRNNParamsToCanonicalV2(
        **sizes, params=params, **counts(how), **attributes
    )
    assert_same_bits(named(out), reference.params_to_canonical(params=params, **how))
    back = rc.raw_ops.CudnnRNNCanonicalToParamsV2(**sizes, **out._asdict(), **attributes)
    assert_same_bits({"params": back}, {"params": params})


@pytest.mark.parametrize("num_proj", [0, 3])
def test_v2_without_projection_is_v1(num_proj: int) -> None:
    """TensorFlow's V2 fails there; cuDNN takes num_proj = num_units for none."""
    how = network(num_proj=num_proj)
    v1 = rc.build("CudnnRNNCanonicalToParams", **{k: v for k, v in how.items() if k != "num_proj"})
    v2 = rc.build("CudnnRNNCanonicalToParamsV2", **how)
    assert v2.text.replace("params_v2", "params") == v1.text
    build = functools.partial(rc.build, "CudnnRNNParamsToCanonicalV2", **how)
    assert build(**counts(how)).functions[0].results[-1].name == "biases_15"


@pytest.mark.parametrize("op", ["CudnnRNN", "CudnnRNNV3"])
def test_the_size_is_that_of_the_op(op: str) -> None:
    for how in EVERY_NETWORK:
        if how["num_proj"] and op != "CudnnRNNV3":
            continue
        attributes = (
            how if op == "CudnnRNNV3" else {k: v for k, v in how.items() if k != "num_proj"}
        )
        (spec,) = rc.build(op, seq_length=1, batch_size=1, **attributes).functions
        (params,) = [argument for argument in spec.arguments if argument.name == "params"]
        assert params.shape == (size_of(how),)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("T", "S"),
    [  # each is read by itself
        ("half", np.int32),
        (np.float32, "int64"),
        (np.dtype("f8"), np.dtype(">i8")),
        ("bf16", "int64"),
    ],
)
def test_every_spelling_of_a_dtype(T: Any, S: Any) -> None:
    sizes, _ = split_sizes(network())
    out = rc.raw_ops.CudnnRNNParamsSize(**sizes, T=T, S=S)
    assert out.tolist() == [size_of(network())]
    assert out.dtype == np.dtype(S).newbyteorder("=")


@pytest.mark.slow
def test_tensorflows_dtypes() -> None:
    class DType:
        as_numpy_dtype = np.int64

    sizes, _ = split_sizes(network())
    out = rc.raw_ops.CudnnRNNParamsSize(**sizes, T="float32", S=DType())
    assert out.dtype == np.int64


# Ways of calling.

HOW = network(direction="bidirectional", num_proj=2)
SPLIT_SIZES, ATTRIBUTES = split_sizes(HOW)


def canonical() -> dict[str, list[npt.NDArray[Any]]]:
    out = program(HOW).cudnn_rnn_params_to_canonical_v2(params=buffer(HOW))
    return out._asdict()


RESHAPES = {
    "flat": lambda a: a.reshape(-1),
    "column": lambda a: a.reshape(-1, 1),
    "more axes": lambda a: a.reshape(1, *a.shape, 1),
    "strided": lambda a: np.stack([a, a], -1).reshape(*a.shape, 2)[..., 0],
    "swapped": lambda a: a.astype(">f4"),
    "tuple": lambda a: a,
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", RESHAPES)
def test_only_the_number_of_elements_counts(shape: str) -> None:
    lists = {k: [RESHAPES[shape](a) for a in arrays] for k, arrays in canonical().items()}
    if shape == "tuple":
        lists = {name: tuple(arrays) for name, arrays in lists.items()}  # type: ignore[misc]
    params = {"params": buffer(HOW)}
    back = program(HOW).cudnn_rnn_canonical_to_params_v2(**lists)
    assert_same_bits(back._asdict(), params)
    back = rc.raw_ops.CudnnRNNCanonicalToParamsV2(**SPLIT_SIZES, **lists, **ATTRIBUTES)
    assert_same_bits({"params": back}, params)


@pytest.mark.slow
def test_results_stay_on_the_device() -> None:
    params = {"params": buffer(HOW)}
    both = program(HOW)
    out = both.cudnn_rnn_params_to_canonical_v2(**params, to_host=False)
    assert all(isinstance(each, rc.runtime.DeviceArray) for each in out.weights + out.biases)
    back = both.cudnn_rnn_canonical_to_params_v2(**out._asdict(), to_host=False)
    assert_same_bits({"params": back.params.to_host()}, params)
    flat = [both.to_device(each.to_host().reshape(-1)) for each in out.weights]
    back = both.cudnn_rnn_canonical_to_params_v2(weights=flat, biases=out.biases)
    assert_same_bits(back._asdict(), params)


@pytest.mark.slow
def test_results_are_independent() -> None:
    both = program(HOW)
    params = both.to_device(buffer(HOW))
    wanted = named(both.cudnn_rnn_params_to_canonical_v2(params=params))
    for name in wanted:
        results = named(both.cudnn_rnn_params_to_canonical_v2(params=params))
        results[name].view(np.uint32).fill(7)
        assert_same_bits({**results, name: wanted[name]}, wanted)
        assert params.to_host().tobytes() == buffer(HOW).tobytes()


@pytest.mark.slow
def test_sizes_may_be_left_out_of_a_program_that_has_them() -> None:
    both = program(HOW)
    params = {"params": buffer(HOW)}
    wanted = named(both.cudnn_rnn_params_to_canonical_v2(**params))
    for sizes in (SPLIT_SIZES, {k: np.int32(v) for k, v in SPLIT_SIZES.items()}):
        assert_same_bits(named(both.cudnn_rnn_params_to_canonical_v2(**params, **sizes)), wanted)


@pytest.mark.slow
def test_lists_are_lists_in_a_pickle() -> None:
    import pickle

    out = program(HOW).cudnn_rnn_params_to_canonical_v2(params=buffer(HOW))
    again = pickle.loads(pickle.dumps(out))
    assert_same_bits(named(again), named(out))


# Errors.


def zeros(how: dict[str, Any]) -> dict[str, Any]:
    parts = reference.params_to_canonical(params=np.zeros(size_of(how), np.float32), **how)
    names = ("weights", "biases")
    return {name: [a for key, a in parts.items() if key.startswith(name)] for name in names}


LISTS = zeros(HOW)
PARAMS = np.zeros(size_of(HOW), np.float32)

BUILDS: dict[str, tuple[str, dict[str, Any], str, str, str]] = {
    "skip": ("", network(input_mode="skip_input"), "input_size", "num_units = 3", "2"),
    "proj gru": ("", network("gru", num_proj=2), "num_proj", "0, as only rnn_mode 'lstm'", "2"),
    "proj too large": ("", network(num_proj=4), "num_proj", "in 0..num_units = 0..3", "4"),
    "proj negative": ("", network(num_proj=-1), "num_proj", "an int, in 0..", "-1"),
    "mode": ("", network("LSTM"), "rnn_mode", "one of rnn_relu, rnn_tanh, lstm, gru", "'LSTM'"),
    "direction": ("", network(direction="both"), "direction", "one of unidir", "'both'"),
    "input mode": ("", network(input_mode="skip"), "input_mode", "one of linear", "'skip'"),
    "dropout": ("", network() | {"dropout": 1.5}, "dropout", "in 0..1", "1.5"),
    "seed": ("", network() | {"seed": 1.5}, "seed", "an int", "1.5"),
    "layers": ("", network(num_layers=0), "num_layers", "an int in 1..", "0"),
    "units": ("", network(num_units=0), "num_units", "an int in 1..", "0"),
    "input": ("", network(input_size=-1), "input_size", "an int in 0..", "-1"),
    "weights": (
        "CudnnRNNParamsToCanonicalV2",
        network() | {"num_params_weights": 15, "num_params_biases": 16},
        "num_params_weights",
        "16 = 8 for each of num_layers * 1 direction with rnn_mode 'lstm'",
        "15",
    ),
    "weights of projections": (
        "CudnnRNNParamsToCanonicalV2",
        HOW | {"num_params_weights": 32, "num_params_biases": 32},
        "num_params_weights",
        "36 = 9 for each of num_layers * 2 directions",
        "32",
    ),
    "biases": (
        "CudnnRNNParamsToCanonicalV2",
        network() | {"num_params_weights": 16, "num_params_biases": 0},
        "num_params_biases",
        "16 = 8",
        "0",
    ),
    "size": (
        "CudnnRNNParamsSize",
        network("rnn_relu", 1, 46340, 1) | {"S": "int32"},
        "S",
        "int64, as the size 2147534620 is no int32",
        "int32",
    ),
    "S": ("CudnnRNNParamsSize", network() | {"S": "int16"}, "S", "one of int32, int64", "'int16'"),
    "S kind": ("CudnnRNNParamsSize", network() | {"S": None}, "S", "one of int32, int64", "None"),
    "dtype": ("", network() | {"dtype": "int32"}, "dtype", "one of float16, ", "'int32'"),
}


@pytest.mark.parametrize("row", BUILDS.values(), ids=BUILDS)
def test_builds_are_checked(row: tuple[str, dict[str, Any], str, str, str]) -> None:
    op, how, argument, expected, got = row
    op = op or "CudnnRNNCanonicalToParamsV2"
    with pytest.raises(rc.errors.InvalidArgumentError) as caught:
        rc.build(op, **how)
    assert (caught.value.op, caught.value.argument) == (op, argument)
    assert expected in caught.value.expected
    assert got in caught.value.got


def test_too_many_tensors_are_refused_at_once() -> None:
    how = network(num_layers=2**31 - 1, num_units=1, input_size=1)
    with pytest.raises(rc.errors.UnsupportedError, match=r"^CudnnRNNCanonicalToParamsV2: 'num_lay"):
        rc.build("CudnnRNNCanonicalToParamsV2", **how)
    sizes, _ = split_sizes(how)
    with pytest.raises(rc.errors.InvalidArgumentError, match="'S': expected int64"):
        rc.raw_ops.CudnnRNNParamsSize(**sizes, T="float32", S="int32")
    for each, S in ((how, "int64"), (network("rnn_relu", 1, 46339, 1), "int32")):
        out = rc.build("CudnnRNNParamsSize", **each, S=S)
        assert str(size_of(each)) in out.text


CALLS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "no list": ({"weights": LISTS["weights"][0]}, "weights", "a list of ", "ndarray"),
    "none": ({"biases": None}, "biases", "a list of ", "NoneType"),
    "empty": ({"weights": []}, "weights", "a list of ", ""),
    "short": ({"biases": LISTS["biases"][1:]}, "biases", "a list of 32 tensors", "one of 31"),
    "long": ({"weights": LISTS["weights"] * 2}, "weights", "a list of 36 tensors", "one of 72"),
    "elements": (
        {"weights": [*LISTS["weights"][:-1], np.zeros((3, 3), np.float32)]},
        "weights_35",
        "6 elements, as shape [2, 3] has",
        "shape [3, 3]",
    ),
    "scalar": (
        {"biases": [np.float32(0), *LISTS["biases"][1:]]},
        "biases_0",
        "3 elements, as shape [3] has",
        "shape []",
    ),
    "other dtype": (
        {"biases": [*LISTS["biases"][:-1], np.zeros(3)]},
        "biases_31",
        "dtype float32",
        "dtype float64",
    ),
    "no floats": (
        {"weights": [np.zeros(6, int), *LISTS["weights"][1:]]},
        "weights_0",
        "dtype float",
        "dtype int64",
    ),
    "ragged": (
        {"weights": [[[1.0], [1.0, 2.0]], *LISTS["weights"][1:]]},
        "weights_0",
        "float32 numbers",
        "ragged",
    ),
    "layers rank": ({"num_layers": [2]}, "num_layers", "a scalar, []", "shape [1]"),
    "layers float": ({"num_layers": 2.0}, "num_layers", "int32 numbers", "2.0"),
    "layers range": ({"num_layers": 2**31}, "num_layers", "int32 numbers", "2147483648"),
}


@pytest.mark.parametrize("row", CALLS.values(), ids=CALLS)
def test_calls_are_checked(
    row: tuple[dict[str, Any], str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, argument, expected, got = row
    function = program(HOW).cudnn_rnn_canonical_to_params_v2
    monkeypatch.setattr("rnn_compiler.op_calls.compile", None)
    arguments = {**SPLIT_SIZES, **LISTS, **changed}
    raw_op = functools.partial(rc.raw_ops.CudnnRNNCanonicalToParamsV2, **ATTRIBUTES)
    for call in (function, raw_op):
        with pytest.raises(rc.errors.InvalidArgumentError) as caught:
            call(**arguments)
        assert (caught.value.op, caught.value.argument) == ("CudnnRNNCanonicalToParamsV2", argument)
        assert expected in caught.value.expected
        assert got in caught.value.got


def test_sizes_may_be_of_any_integer_dtype_and_a_program_knows_them() -> None:
    """None is as good as not given to a program; a raw op has nothing else to know a size by."""
    function = program(HOW).cudnn_rnn_canonical_to_params_v2
    expected = function(**SPLIT_SIZES, **LISTS).params
    sizes = {name: np.int64(size) for name, size in SPLIT_SIZES.items()}
    np.testing.assert_array_equal(function(**sizes, **LISTS).params, expected)
    unknown = dict.fromkeys(SPLIT_SIZES)
    np.testing.assert_array_equal(function(**unknown, **LISTS).params, expected)
    with pytest.raises(rc.errors.InvalidArgumentError, match="num_layers"):
        rc.raw_ops.CudnnRNNCanonicalToParamsV2(**unknown, **LISTS, **ATTRIBUTES)


@pytest.mark.parametrize("name", SPLIT_SIZES)
def test_sizes_are_those_of_the_build(name: str) -> None:
    """Of a program; a raw op is built for them, and finds that the tensors do not fit."""
    wrong = {**SPLIT_SIZES, name: SPLIT_SIZES[name] + 1}
    expected = f"{SPLIT_SIZES[name]}, which the function was built for"
    with pytest.raises(rc.errors.InvalidArgumentError, match=rf"{name}': expected {expected}, got"):
        program(HOW).cudnn_rnn_canonical_to_params_v2(**wrong, **LISTS)
    with pytest.raises(rc.errors.InvalidArgumentError, match=r"'(weights|biases)(_0)?': expected"):
        rc.raw_ops.CudnnRNNCanonicalToParamsV2(**wrong, **LISTS, **ATTRIBUTES)
    op = functools.partial(rc.raw_ops.CudnnRNNParamsToCanonicalV2, **ATTRIBUTES, **counts(HOW))
    with pytest.raises(rc.errors.InvalidArgumentError, match=r"'(params|num_params_weights)': exp"):
        op(**wrong, params=PARAMS)


@pytest.mark.parametrize("params", [PARAMS[1:], PARAMS[None], np.zeros(0, np.float32)], ids=len)
def test_the_size_of_params_is_checked(params: Any) -> None:
    expected = rf"params': expected shape \[params_size\] = \[{len(PARAMS)}\], got shape"
    with pytest.raises(rc.errors.InvalidArgumentError, match=expected):
        program(HOW).cudnn_rnn_params_to_canonical_v2(params=params)
    op = functools.partial(rc.raw_ops.CudnnRNNParamsToCanonicalV2, **ATTRIBUTES, **counts(HOW))
    with pytest.raises(rc.errors.InvalidArgumentError, match=expected):
        op(**SPLIT_SIZES, params=params)


def test_keywords_are_checked() -> None:
    sizes = {"num_layers": 1, "num_units": 3, "input_size": 2}
    with pytest.raises(TypeError, match=r"^CudnnRNNParamsSize\(\) missing .* 'T', 'S'$"):
        rc.raw_ops.CudnnRNNParamsSize(**sizes)
    with pytest.raises(TypeError, match="unexpected keyword argument 'T'"):
        rc.build("CudnnRNNParamsSize", **sizes, T="float32", S="int32")
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights_0'"):
        program(HOW).cudnn_rnn_canonical_to_params_v2(**LISTS, weights_0=1)
    with pytest.raises(TypeError, match="missing required keyword argument: 'biases'"):
        program(HOW).cudnn_rnn_canonical_to_params_v2(weights=LISTS["weights"])
    with pytest.raises(rc.errors.InvalidArgumentError, match="'T': expected one of float16"):
        rc.raw_ops.CudnnRNNParamsSize(**sizes, T="int32", S="int32")
