"""`rc.weights`: every framework's weights are converted to the right buffer, and back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from weights.converter_golden import GOLDENS, ConverterGolden

import rnn_compiler as rc
from rnn_compiler import weights
from rnn_compiler.schema.cudnn_layout import RNN_MODES, Layout

DTYPES = ("float16", ml_dtypes.bfloat16, "float32", "float64")
H, I = 5, 3  # noqa: E741

EVERY_MODE = [
    {"rnn_mode": mode, "num_layers": layers, "bidirectional": both}
    for mode, layers, both in product(RNN_MODES, (1, 2, 3), (False, True))
]

each_golden = pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
each_mode = pytest.mark.parametrize(
    "mode", EVERY_MODE, ids=lambda mode: "-".join(map(str, mode.values()))
)


def flat(given: Any) -> list[Any]:
    """The arrays of a framework's weights, in order."""
    if isinstance(given, Mapping):
        return list(given.values())
    if isinstance(given, (list, tuple)):
        return [array for item in given for array in flat(item)]
    return [given]


def assert_same(actual: Any, wanted: Any) -> None:
    """The same names, shapes, dtypes and bits."""
    if isinstance(wanted, Mapping):
        assert list(actual) == list(wanted)
    arrays = flat(actual)
    assert len(arrays) == len(flat(wanted))
    for got, want in zip(arrays, flat(wanted), strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert got.tobytes() == want.tobytes()


def layout_of(mode: dict[str, Any], num_proj: int = 0) -> Layout:
    return Layout(
        rnn_mode=mode["rnn_mode"],
        num_layers=mode["num_layers"],
        num_units=H,
        input_size=I,
        direction="bidirectional" if mode["bidirectional"] else "unidirectional",
        num_proj=num_proj,
    )


def distinct(layout: Layout, dtype: Any = "float64") -> Any:
    """A buffer of small whole numbers, of which the neighbours differ in every dtype."""
    return (np.arange(layout.size) % 251 - 125).astype(dtype)


# What the frameworks gave.


@each_golden
def test_golden(golden: ConverterGolden) -> None:
    params = golden.params_from(golden.weights)
    assert_same(params, golden.arrays["params"])
    assert params.flags.owndata
    assert params.flags.c_contiguous


def test_goldens_cover() -> None:
    assert len(GOLDENS) == 23
    assert {golden.meta["family"] for golden in GOLDENS} == {"torch", "keras", "onnx", "blocklstm"}


def nothing_lost(golden: ConverterGolden) -> bool:
    """Whether the framework's weights come back as they were: torch's absent biases as zeros."""
    return golden.meta.get("bias", True) and golden.meta.get("forget_bias", 0) == 0


@each_golden
def test_golden_comes_back(golden: ConverterGolden) -> None:
    back = golden.weights_from(golden.arrays["params"])
    if nothing_lost(golden):
        assert_same(back, golden.weights)
    assert_same(golden.params_from(back), golden.arrays["params"])


# Every mode, direction and number of layers.


@each_mode
@pytest.mark.parametrize("num_proj", [0, 2])
def test_torch_round_trip(mode: dict[str, Any], num_proj: int) -> None:
    if num_proj and mode["rnn_mode"] != "lstm":
        return
    params = distinct(layout_of(mode, num_proj))
    state_dict = weights.to_torch(params, **mode, num_units=H, input_size=I, num_proj=num_proj)
    assert_same(weights.from_torch(state_dict, **mode), params)
    D = 1 + mode["bidirectional"]
    names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", *(["weight_hr"] if num_proj else [])]
    ends = [f"_l{k}{end}" for k in range(mode["num_layers"]) for end in ("", "_reverse")[:D]]
    assert list(state_dict) == [name + end for end in ends for name in names]
    for index, end in enumerate(ends):
        pseudo_layer = layout_of(mode, num_proj).pseudo_layers[index]
        rows = [
            pseudo_layer.input,
            pseudo_layer.recurrent,
            pseudo_layer.input_bias,
            pseudo_layer.recurrent_bias,
        ]
        rows += [pseudo_layer.projection] if pseudo_layer.projection else []
        for name, block in zip(names, rows, strict=True):
            assert_same(state_dict[name + end], block.of(params))


@each_mode
def test_onnx_round_trip(mode: dict[str, Any]) -> None:
    params = distinct(layout_of(mode))
    nodes = weights.to_onnx(params, **mode, num_units=H, input_size=I)
    assert_same(weights.from_onnx(*nodes, rnn_mode=mode["rnn_mode"]), params)
    assert isinstance(nodes.W, list) == (mode["num_layers"] > 1)


@each_mode
def test_keras_round_trip(mode: dict[str, Any]) -> None:
    """Keras may have one bias instead of two; its own weights are restored bit for bit."""
    params = distinct(layout_of(mode))
    layers = weights.to_keras(params, **mode, num_units=H, input_size=I)
    again = weights.from_keras(layers, **mode)
    for pseudo_layer in layout_of(mode).pseudo_layers:
        biases = pseudo_layer.input_bias.of(params), pseudo_layer.recurrent_bias.of(params)
        if mode["rnn_mode"] != "gru":
            biases = np.zeros(len(biases[0])), biases[0] + biases[1]
        for block, bias in zip(
            (pseudo_layer.input_bias, pseudo_layer.recurrent_bias), biases, strict=True
        ):
            block.of(params)[...] = bias
    assert_same(again, params)
    assert_same(weights.to_keras(again, **mode, num_units=H, input_size=I), layers)


@each_mode
@pytest.mark.parametrize("framework", ["keras", "onnx"])
def test_layers_are_stacked(framework: str, mode: dict[str, Any]) -> None:
    """Each layer of several equals the layer alone, which the golden files cover."""
    params = distinct(layout_of(mode))
    to, back = getattr(weights, f"to_{framework}"), getattr(weights, f"from_{framework}")
    sizes = {"num_units": H, "input_size": I}
    whole = to(params, **mode, **sizes)
    L, D = mode["num_layers"], 1 + mode["bidirectional"]
    if framework == "keras":
        layers = [[whole[k * 3 * D : (k + 1) * 3 * D]] for k in range(L)]
        keywords = {"rnn_mode": mode["rnn_mode"], "bidirectional": mode["bidirectional"]}
    else:
        layers = [[array[k] for array in whole] if L > 1 else list(whole) for k in range(L)]
        keywords = {"rnn_mode": mode["rnn_mode"]}
    together = weights.to_torch(
        back(whole, **mode) if framework == "keras" else back(*whole, **keywords), **mode, **sizes
    )
    for k, layer in enumerate(layers):
        alone = weights.to_torch(
            back(*layer, **keywords),
            **(mode | {"num_layers": 1}),
            num_units=H,
            input_size=D * H if k else I,
        )
        for name, array in alone.items():
            assert_same(together[name.replace("_l0", f"_l{k}")], array)


@pytest.mark.parametrize("forget_bias", [0.0, 1.0, -0.5])
@pytest.mark.parametrize("version", [1, 2])
def test_block_lstm_round_trip(version: int, forget_bias: float) -> None:
    rng = np.random.default_rng(0)
    w, b = rng.integers(-9, 9, (I + H, 4 * H)) + 0.0, rng.integers(-9, 9, 4 * H) + 0.0
    how = {"input_size": I, "version": version}
    how |= {"forget_bias": forget_bias} if version == 1 else {}
    params = weights.from_block_lstm(w, b, **how)
    assert_same(weights.to_block_lstm(params, num_units=H, **how), (w, b))
    plain = weights.from_block_lstm(w, b, input_size=I, version=version)
    f = slice(-8 * H + H, -8 * H + 2 * H)
    assert np.array_equal(params[f] - plain[f], np.full(H, how.get("forget_bias", 0.0)))
    split = params + 0
    split[-8 * H : -4 * H] -= 2  # the same in sum
    split[-4 * H :] += 2
    assert_same(weights.to_block_lstm(split, num_units=H, **how), (w, b))


def test_absent_biases_are_0() -> None:
    ones, zeros = np.ones((1, 15, I)), np.zeros((1, 30))
    R = np.ones((1, 15, H))
    assert_same(
        weights.from_onnx(ones, R, rnn_mode="gru"),
        weights.from_onnx(ones, R, zeros, rnn_mode="gru"),
    )
    for mode, bias in (("gru", (2, 15)), ("lstm", (20,)), ("rnn_relu", (5,))):
        arrays = [np.ones((I, bias[-1])), np.ones((H, bias[-1]))]
        without = weights.from_keras(arrays, rnn_mode=mode)
        assert_same(without, weights.from_keras([*arrays, np.zeros(bias)], rnn_mode=mode))


# Arrays of every kind.


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@each_golden
def test_dtype_is_kept(golden: ConverterGolden, dtype: Any) -> None:
    params = golden.arrays["params"].astype(dtype)
    given = golden.weights_from(params)
    assert {array.dtype for array in flat(given)} == {np.dtype(dtype)}
    assert golden.params_from(given).dtype == dtype


def test_bytes_in_any_order() -> None:
    """Strided, Fortran-ordered, big-endian and read-only arrays; results are native and own."""
    golden = GOLDENS[-1]
    state_dict = {
        name: np.asfortranarray(array.astype(array.dtype.newbyteorder(">")))
        for name, array in golden.weights.items()
    }
    for array in state_dict.values():
        array.flags.writeable = False
    params = golden.params_from(state_dict)
    assert_same(params, golden.arrays["params"])
    params.flags.writeable = False
    back = golden.weights_from(params[::-1][::-1])
    for array in back.values():
        assert array.flags.writeable
        assert not np.shares_memory(array, params)


class Tensor:
    """Behaves like torch's tensors: refuses numpy until detached and on the CPU."""

    def __init__(self, array: Any, dtype: str, ready: int = 0) -> None:
        self.array, self.dtype, self.ready = array, dtype, ready

    def detach(self) -> Tensor:
        return Tensor(self.array, self.dtype, 1)

    def cpu(self) -> Tensor:
        assert self.ready == 1
        return Tensor(self.array, self.dtype, 2)

    def float(self) -> Tensor:
        return Tensor(self.array.astype(np.float32), "torch.float32", self.ready)

    def numpy(self) -> Any:
        if self.ready != 2 or self.dtype == "torch.bfloat16":
            raise TypeError("can't convert")
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_torchs_tensors(dtype: Any) -> None:
    mode = {"rnn_mode": "lstm", "num_layers": 1}
    params = distinct(layout_of(mode | {"bidirectional": False}), dtype)
    state_dict = weights.to_torch(params, **mode, num_units=H, input_size=I)
    name = f"torch.{np.dtype(dtype).name}"
    tensors = {key: Tensor(array, name) for key, array in state_dict.items()}
    assert_same(weights.from_torch(tensors, **mode), params)


def test_prefix() -> None:
    mode = {"rnn_mode": "gru", "num_layers": 2, "bidirectional": True}
    params = distinct(layout_of(mode))
    part = weights.to_torch(params, **mode, num_units=H, input_size=I, prefix="encoder.rnn.")
    assert next(iter(part)) == "encoder.rnn.weight_ih_l0"
    model = {"embedding.weight": np.ones((9, I)), **part, "encoder.norm.bias": np.ones(3)}
    assert_same(weights.from_torch(model, **mode, prefix="encoder.rnn."), params)
    with pytest.raises(
        rc.errors.InvalidArgumentError, match=r"got only \['embedding.weight', 'encoder.rnn"
    ):
        weights.from_torch(model, **mode, prefix="decoder.")


# Errors.

LSTM = {"rnn_mode": "lstm", "num_layers": 1}
SIZES = {"num_units": H, "input_size": I}


def state_dict(**changes: Any) -> dict[str, Any]:
    """The state dict of an LSTM, with arrays replaced, or left out where they are None."""
    arrays = weights.to_torch(np.zeros(200, np.float32), **LSTM, **SIZES) | changes
    return {name: array for name, array in arrays.items() if array is not None}


ZEROS = np.zeros(200, np.float32)
ERRORS: dict[str, tuple[Any, str, str, str]] = {
    "no mapping": (lambda: weights.from_torch([], **LSTM), "state_dict", "a mapping", "[]"),
    "missing": (
        lambda: weights.from_torch(state_dict(weight_hh_l0=None), **LSTM),
        "state_dict",
        "'weight_hh_l0', which a module with num_layers=1, bidirectional=False has",
        "only ['weight_ih_l0', ",
    ),
    "half a bias": (
        lambda: weights.from_torch(state_dict(bias_ih_l0=None), **LSTM),
        "state_dict",
        "'bias_ih_l0'",
        "only",
    ),
    "too few layers": (
        lambda: weights.from_torch(state_dict(), rnn_mode="lstm", num_layers=2**31 - 1),
        "state_dict",
        "'weight_ih_l1', which a module with num_layers=2147483647,",
        "only",
    ),
    "too many layers": (
        lambda: weights.from_torch(state_dict(weight_ih_l1=ZEROS), **LSTM),
        "state_dict",
        "only what a module with num_layers=1, bidirectional=False has",
        "'weight_ih_l1' too",
    ),
    "bidirectional": (
        lambda: weights.from_torch(
            state_dict(weight_ih_l0_reverse=ZEROS), **LSTM, bidirectional=False
        ),
        "state_dict",
        "bidirectional=False",
        "'weight_ih_l0_reverse' too",
    ),
    "gru as lstm": (
        lambda: weights.from_torch(state_dict(), rnn_mode="rnn_tanh", num_layers=1),
        "weight_hh_l0",
        "shape [num_units, num_units] = [20, 20]",
        "shape [20, 5]",
    ),
    "torch rows": (
        lambda: weights.from_torch(state_dict(weight_ih_l0=np.zeros((21, I))), **LSTM),
        "weight_ih_l0",
        "4 * num_units",
        "21",
    ),
    "torch rank": (
        lambda: weights.from_torch(state_dict(weight_ih_l0=ZEROS), **LSTM),
        "weight_ih_l0",
        "rank 2, shape [4 * num_units, input_size]",
        "shape [200]",
    ),
    "torch bias": (
        lambda: weights.from_torch(state_dict(bias_hh_l0=ZEROS), **LSTM),
        "bias_hh_l0",
        "shape [4 * num_units] = [20]",
        "shape [200]",
    ),
    "torch dtype": (
        lambda: weights.from_torch(state_dict(bias_hh_l0=np.zeros(20)), **LSTM),
        "bias_hh_l0",
        "dtype float32, as 'weight_ih_l0' has",
        "dtype float64",
    ),
    "torch no floats": (
        lambda: weights.from_torch(state_dict(weight_ih_l0=np.zeros((20, I), int)), **LSTM),
        "weight_ih_l0",
        "dtype float16 or bfloat16 or float32 or float64",
        "dtype int64",
    ),
    "torch no array": (
        lambda: weights.from_torch(state_dict(weight_ih_l0="a"), **LSTM),
        "weight_ih_l0",
        "dtype float16",
        "dtype <U1",
    ),
    "torch projection": (
        lambda: weights.from_torch(state_dict(weight_hr_l0=np.zeros((H, H), np.float32)), **LSTM),
        "weight_hr_l0",
        "proj_size in 1..num_units - 1 = 1..4",
        "5",
    ),
    "gru with projection": (
        lambda: weights.from_torch(
            {
                "weight_ih_l0": np.zeros((15, I)),
                "weight_hh_l0": np.zeros((15, 2)),
                "weight_hr_l0": np.zeros((2, H)),
            },
            rnn_mode="gru",
            num_layers=1,
        ),
        "num_proj",
        "0, as only rnn_mode 'lstm' has projections",
        "2",
    ),
    "mode": (
        lambda: weights.from_torch({}, rnn_mode="LSTM", num_layers=1),
        "rnn_mode",
        "one of rnn_relu, rnn_tanh, lstm, gru",
        "'LSTM'",
    ),
    "mode kind": (lambda: weights.from_keras([], rnn_mode=["lstm"]), "rnn_mode", "one of", "['l"),
    "layers kind": (
        lambda: weights.from_torch({}, rnn_mode="lstm", num_layers=1.0),
        "num_layers",
        "an int in 1..2147483647",
        "1.0 (float)",
    ),
    "bidirectional kind": (
        lambda: weights.to_onnx(ZEROS, rnn_mode="lstm", **SIZES, bidirectional=2),
        "bidirectional",
        "a bool",
        "2",
    ),
    "params size": (
        lambda: weights.to_torch(ZEROS[1:], **LSTM, **SIZES),
        "params",
        "shape [params_size] = [200]",
        "shape [199]",
    ),
    "params rank": (
        lambda: weights.to_keras(ZEROS[None], rnn_mode="lstm", **SIZES),
        "params",
        "shape [params_size] = [200]",
        "shape [1, 200]",
    ),
    "params of too many layers": (
        lambda: weights.to_torch(ZEROS, rnn_mode="lstm", num_layers=2**31 - 1, **SIZES),
        "params",
        "shape [params_size] = [",
        "shape [200]",
    ),
    "num_units": (
        lambda: weights.to_keras(ZEROS, rnn_mode="lstm", num_units=0, input_size=I),
        "num_units",
        "an int in 1..",
        "0",
    ),
    "num_proj": (
        lambda: weights.to_torch(ZEROS, **LSTM, **SIZES, num_proj=6),
        "num_proj",
        "0..num_units = 0..5",
        "6",
    ),
    "keras count": (
        lambda: weights.from_keras([ZEROS], rnn_mode="lstm"),
        "weights",
        "3 arrays (kernel, recurrent_kernel and bias, 1 times; 2 without bias), with num_layers=1",
        "1 arrays",
    ),
    "keras no list": (
        lambda: weights.from_keras({}, rnn_mode="lstm"),
        "weights",
        "a list of arrays",
        "dict",
    ),
    "keras reset_after": (
        lambda: weights.from_keras(
            [np.zeros((I, 15)), np.zeros((H, 15)), np.zeros(15)], rnn_mode="gru"
        ),
        "weights[2]",
        "the bias of GRU(reset_after=True), shape [2, 3 * num_units] = [2, 15]",
        "the bias of reset_after=False, shape [15]",
    ),
    "keras lstm as gru": (
        lambda: weights.from_keras(
            [np.zeros((I, 24)), np.zeros((6, 24)), np.zeros(24)], rnn_mode="gru"
        ),
        "weights[1]",
        "shape [num_units, 3 * num_units] = [8, 24]",
        "shape [6, 24]",
    ),
    "keras upper kernel": (
        lambda: weights.from_keras(
            [np.zeros((I, H)), np.zeros((H, H)), np.zeros((I, H)), np.zeros((H, H))],
            rnn_mode="rnn_tanh",
            num_layers=2,
        ),
        "weights[2]",
        "= [5, 5]",
        "shape [3, 5]",
    ),
    "onnx directions": (
        lambda: weights.from_onnx(np.zeros((3, H, I)), np.zeros((3, H, H)), rnn_mode="rnn_tanh"),
        "W",
        "1 or 2 directions",
        "shape [3, 5, 3]",
    ),
    "onnx R": (
        lambda: weights.from_onnx(np.zeros((1, 20, I)), np.zeros((1, 20, 6)), rnn_mode="lstm"),
        "R",
        "shape [num_directions, 4 * num_units, num_units] = [1, 20, 5]",
        "shape [1, 20, 6]",
    ),
    "onnx B": (
        lambda: weights.from_onnx(
            np.zeros((1, 20, I)), np.zeros((1, 20, H)), np.zeros((1, 20)), rnn_mode="lstm"
        ),
        "B",
        "= [1, 40]",
        "shape [1, 20]",
    ),
    "onnx lists": (
        lambda: weights.from_onnx([ZEROS, ZEROS], [ZEROS], rnn_mode="lstm"),
        "R",
        "one array per node, 2 as W has",
        "1 arrays",
    ),
    "onnx no nodes": (lambda: weights.from_onnx([], [], rnn_mode="lstm"), "W", "at least 1", "0"),
    "onnx half a list": (
        lambda: weights.from_onnx([ZEROS], ZEROS, rnn_mode="lstm"),
        "R",
        "a list of arrays, as W is",
        "ndarray",
    ),
    "block version": (
        lambda: weights.from_block_lstm(ZEROS, ZEROS, input_size=I, version=3),
        "version",
        "1 or 2",
        "3",
    ),
    "block forget bias": (
        lambda: weights.from_block_lstm(ZEROS, ZEROS, input_size=I, forget_bias=1.0),
        "forget_bias",
        "0, as BlockLSTMV2 has no forget_bias",
        "1.0",
    ),
    "block w": (
        lambda: weights.from_block_lstm(np.zeros((8, 20)), np.zeros(20), input_size=4),
        "w",
        "shape [input_size + num_units, 4 * num_units] = [9, 20]",
        "shape [8, 20]",
    ),
    "block b": (
        lambda: weights.from_block_lstm(np.zeros((8, 20)), np.zeros(5), input_size=3),
        "b",
        "shape [4 * num_units] = [20]",
        "shape [5]",
    ),
}


@pytest.mark.parametrize(("call", "argument", "expected", "got"), ERRORS.values(), ids=ERRORS)
def test_errors(call: Any, argument: str, expected: str, got: str) -> None:
    with pytest.raises(rc.errors.InvalidArgumentError) as caught:
        call()
    error = caught.value
    assert error.op in weights.__all__
    assert error.argument == argument
    assert expected in error.expected
    assert got in error.got
    assert "\n" not in str(error)
