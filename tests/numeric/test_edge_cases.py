"""Sizes, values, array layouts and ways of calling at the limits of what an op accepts."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import (
    CASES,
    GRADIENT_CASES,
    TOLERANCES,
    assert_close,
    assert_same_bits,
    sizes,
)
from numeric.harness import (
    NOT_ALIKE,
    Arrays,
    draw,
    drop_in,
    expected,
    first_variant,
    first_variants,
    forward_arguments,
    function,
    functions,
    lengths,
    module,
    padded,
    program,
    takes,
)
from numeric.marks import each_op, each_op_and_dtype, each_sequence_op, marks
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops import OPS

BLOCK_LSTM_OPS = [op for op in CASES if op.startswith("BlockLSTM")]


def call(op: str, arguments: dict[str, Any], dtype: str = "float32") -> Arrays:
    """The op at its first variant, as a function of a program."""
    return function(op, dtype, first_variants(op, dtype))(**arguments)._asdict()


def raw_op(op: str, arguments: dict[str, Any], **keywords: Any) -> Any:
    """The same as a raw op."""
    (spec,) = program(op, "float32", first_variant(op)).manifest.functions
    known = {attribute.name for attribute in OPS[op].signature.call_attributes}
    attributes = {name: value for name, value in spec.attributes.items() if name in known}
    return drop_in(op)(**arguments, **attributes, **keywords)


def lstm(dtype: str) -> rc.Program:
    """BlockLSTMV2 at its first variant, compiled alone, which takes a quick test less time."""
    return program("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"))


# Sizes.


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant",
    [
        sizes(1, 1, 4, 7, use_peephole=True, is_training=True),
        sizes(0, 2, 3, 5, use_peephole=True, is_training=True),
        sizes(3, 0, 3, 5, use_peephole=True, is_training=True),
        sizes(3, 2, 0, 5, use_peephole=True, is_training=True),
        sizes(3, 2, 3, 0, use_peephole=True, is_training=True),
        sizes(3, 2, 0, 0, use_peephole=False, is_training=True),
        sizes(0, 0, 0, 0, use_peephole=False, is_training=True),
    ],
    ids=lambda variant: "x".join(map(str, list(variant.values())[:4])),
)
@pytest.mark.parametrize("op", NOT_ALIKE)
def test_smallest_sizes(op: str, variant: dict[str, Any]) -> None:
    if not takes(op, variant):  # as in TensorFlow, LSTMBlockCell takes no empty batch or state
        with pytest.raises(InvalidArgumentError, match=rf"^{op}: .*: expected an int in 1\.\."):
            module(op, "float32", variant)
        return
    variants = {each: variant for each in NOT_ALIKE if takes(each, variant)}
    for steps in {0, variant["seq_length"]}:
        arguments = draw(op, "float32", variant, steps=steps)
        results = function(op, "float32", variants)(**arguments)._asdict()
        assert_close(results, expected(op, "float32", variant, arguments), "float32")


# Values.


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@each_sequence_op
def test_padding_is_not_looked_at(op: str, poison: float) -> None:
    variant = first_variant(op)
    for steps in lengths(variant)[:-1]:
        clean = draw(op, "float32", variant, steps=steps)
        wanted = call(op, clean)
        poisoned = {name: array.copy() for name, array in clean.items()}
        sequences = padded(op, clean)
        assert "x" in sequences
        for name in sequences:
            poisoned[name][steps:] = poison
            assert_same_bits(call(op, {**clean, name: poisoned[name]}), wanted)
        assert_same_bits(call(op, poisoned), wanted)


def test_gradient_looks_at_nothing_else_either() -> None:
    """TensorFlow reads neither `b` nor the last `h`, and the last `cs` for ``wco_grad`` only."""
    steps = 3
    clean = draw("BlockLSTMGradV2", "float32", first_variant("BlockLSTMGradV2"), steps=steps)
    wanted = call("BlockLSTMGradV2", clean)
    for name, index in {"b": ..., "h": steps - 1}.items():
        poisoned = clean[name].copy()
        poisoned[index] = np.nan
        assert_same_bits(call("BlockLSTMGradV2", {**clean, name: poisoned}), wanted)
    cs = clean["cs"].copy()
    cs[steps - 1] = np.nan
    results = call("BlockLSTMGradV2", {**clean, "cs": cs})
    assert np.isnan(results.pop("wco_grad")).all()
    assert_same_bits(results, {name: wanted[name] for name in results})


@each_op_and_dtype
def test_nan_everywhere_leaves_padding_0(op: str, dtype: str) -> None:
    """Also where a NaN row is multiplied with a NaN weight: padding is selected, not computed."""
    variant = first_variant(op)
    for steps in lengths(variant):
        arguments = draw(op, dtype, variant, steps=steps)
        for array in arguments.values():
            if array.dtype.kind != "i":
                array[...] = np.nan
        results = call(op, arguments, dtype)
        for name in padded(op, results):
            assert np.isnan(results[name][:steps]).all(), name
            assert (results[name][steps:] == 0).all(), name
        if "seq_len_max" in arguments and steps == 0:
            assert not any(array.any() for array in results.values()), "no step is not 0"


@pytest.mark.parametrize("name", ["w", "cs_prev", "h_prev", "wci", "h_grad"])
@pytest.mark.parametrize("dtype", first(["float32", "float64"]))
@each_op
def test_nan_in_one_argument(op: str, name: str, dtype: str) -> None:
    """Every other element equals the reference's, which propagates NaN through the formulas."""
    variant = first_variant(op)
    arguments = draw(op, dtype, variant, steps=variant.get("seq_length", 1) - 1)
    if name in arguments:
        arguments[name].flat[0] = np.nan
        with np.errstate(invalid="ignore"):
            wanted = expected(op, dtype, variant, arguments)
        is_read = op != "LSTMBlockCellGrad" or name not in ("w", "h_prev")
        assert any(np.isnan(array).any() for array in wanted.values()) == is_read
        assert_close(call(op, arguments, dtype), wanted, dtype)


@each_op_and_dtype
def test_saturated_gates(op: str, dtype: str) -> None:
    variant = first_variant(op)
    arguments = draw(op, dtype, variant, scale=30.0)
    results = call(op, arguments, dtype)
    assert_close(results, expected(op, dtype, variant, arguments), dtype)
    name = next(iter(results))
    if name in ("i", "r"):
        gate = results[name].astype(np.float64)
        assert {0.0, 1.0} & set(gate.round(6).flat)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_huge_pre_activations(dtype: str, sign: int) -> None:
    """Where exp overflows, the gates are exactly 1 or 0, and tanh is 1 or -1."""
    arguments = draw("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"))
    arguments["x"][:] = sign * (1e4 if dtype == "float16" else 1e30)
    arguments["w"][:] = 1
    results = lstm(dtype)(**arguments)._asdict()
    for name in ("i", "f", "o"):
        assert (results[name] == (1 if sign > 0 else 0)).all(), name
    assert (results["ci"] == sign).all()
    for array in results.values():
        assert np.isfinite(array).all()


@pytest.mark.parametrize("dtype", first(["float32", "float16", "float64"]))
def test_clip_keeps_nan_and_bounds_infinity(dtype: str) -> None:
    arguments = draw("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"))
    arguments["cs_prev"][0, 0] = np.nan
    arguments["cs_prev"][1, :2] = [np.inf, -np.inf]
    arguments["wcf"][:2] = [1, -1]  # whose forget gates are 1
    results = lstm(dtype)(**arguments)
    clip = np.array(first_variant("BlockLSTMV2")["cell_clip"]).astype(dtype)
    assert np.isnan(results.cs[:, 0, 0]).all()
    assert np.isnan(results.co[:, 0, 0]).all()
    assert list(results.cs[0, 1, :2]) == [clip, -clip]
    assert (np.abs(results.cs[:, 1]) <= clip).all()  # one row is nothing to another


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["float16", "float32", "float64"]))
def test_denormals(dtype: str) -> None:
    """A cell state of subnormal numbers passes an open forget gate.

    In float16, whose subnormals are not small, it does so exactly; in the types that arithmetic
    runs in it may be flushed to 0, as TensorFlow does. It never becomes anything else.
    """
    arguments = draw("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"))
    tiny = np.finfo(dtype).tiny
    states = (tiny * np.linspace(-0.9, 0.9, arguments["cs_prev"].size)).astype(dtype)
    arguments |= {name: arguments[name] * 0 for name in ("x", "h_prev", "w")}
    arguments["b"] = np.repeat([-100, 100, 0, 100], 5).astype(dtype)  # i = 0, f = 1, ci = 0, o = 1
    arguments["cs_prev"] = states.reshape(2, 5)
    results = lstm(dtype)(**arguments)
    for rows in (results.cs, results.co, results.h):
        for row in rows:
            kept = row == arguments["cs_prev"]
            assert (kept if dtype == "float16" else kept | (row == 0)).all()


@pytest.mark.parametrize("dtype", first(["float32", "float64"]))
def test_small_numbers_keep_their_digits(dtype: str) -> None:
    """Where tanh(z) is z, it is so to the last digits, which a tolerance relative to 1 misses."""
    arguments = draw("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"), scale=0.0)
    for name in ("cs_prev", "h_prev", "w"):
        arguments[name][:] = 0
    tiny = np.array([1e-5, -1e-7, 1e-10, -1e-20, 3e-30]).astype(dtype)
    arguments["b"][:] = np.concatenate([0 * tiny, 0 * tiny, tiny, 0 * tiny])
    results = lstm(dtype)(**arguments)._asdict()
    ci = np.tanh(tiny)
    cs = ci / 2
    co = np.tanh(cs)
    h = co / (1 + np.exp(-cs * arguments["wco"]))
    for name, exact in {"ci": ci, "cs": cs, "co": co, "h": h}.items():
        error = np.abs(results[name][0] / exact - 1).max()
        assert error <= 16 * np.finfo(dtype).eps, f"{name}: relative error {error:.3g}"


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["bfloat16", "float16"]))
def test_16_bit_sums_are_single_precision(dtype: str) -> None:
    """Summed in 16 bits, each one would be lost next to the first, large product.

    So would the only one beside it in the product of the inputs.
    """
    large = 2048.0 if dtype == "float16" else 256.0
    arguments = draw("BlockLSTMV2", dtype, first_variant("BlockLSTMV2"))
    arguments["cs_prev"][:] = 0
    arguments["w"][:] = 1
    arguments["x"][:] = [large, 1, 0]
    arguments["h_prev"][:] = [1, 1, 1, 1, 0]
    arguments["b"][:] = -(large + 4)  # leaves 1
    gate = lstm(dtype)(**arguments).i[0].astype(np.float64)
    assert np.abs(gate - 1 / (1 + np.exp(-1.0))).max() < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["float16", "bfloat16"]))
def test_16_bit_gradients_sum_in_single_precision(dtype: str) -> None:
    """The gate gradients of ``ci`` are a large number and ones, for every sum and axis."""
    large = 2048.0 if dtype == "float16" else 256.0
    B, H = 64, 16
    variant = sizes(1, B, 1, H, use_peephole=False)
    arguments = {name: 0 * a for name, a in draw("BlockLSTMGradV2", dtype, variant).items()}
    for name in ("x", "h_prev", "w", "i", "cs_grad"):
        arguments[name][:] = 1
    arguments["cs_grad"][0, 0, 0] = large
    results = program("BlockLSTMGradV2", dtype, variant)(**{**arguments, "seq_len_max": 1})
    over_batch, over_units = large + B - 1, large + H - 1
    for got, wanted in [
        (results.b_grad[2 * H], over_batch),
        (results.w_grad[0, 2 * H], over_batch),
        (results.w_grad[1, 2 * H], over_batch),
        (results.x_grad[0, 0, 0], over_units),
        (results.h_prev_grad[0, 0], over_units),
    ]:
        assert got == np.asarray(wanted).astype(got.dtype)


# Arrays, in and out.

LAYOUTS: dict[str, Callable[[npt.NDArray[Any]], Any]] = {
    "fortran": lambda a: a.copy(order="F"),
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    "reversed": lambda a: a[::-1].copy()[::-1] if a.ndim else a,
    "unaligned": lambda a: (
        np.frombuffer(b"." + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape)
    ),
    "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "memoryview": lambda a: memoryview(a),
    "array protocol": lambda a: type("Tensor", (), {"__array__": lambda self, *_, **__: a})(),
    "subclass": lambda a: np.ma.masked_array(a),
    "list": lambda a: a.tolist(),
    "numpy scalars": lambda a: a[()] if a.ndim == 0 else a,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@each_op
def test_any_layout(op: str, layout: str) -> None:
    arguments = draw(op, "float32", first_variant(op))
    wanted = call(op, arguments)
    given = {name: LAYOUTS[layout](array) for name, array in arguments.items()}
    before = {name: np.array(value) for name, value in given.items()}
    assert_same_bits(call(op, given), wanted)
    assert_same_bits(raw_op(op, given)._asdict(), wanted)
    for name, array in before.items():
        assert np.array_equal(array, np.array(given[name])), f"{name} was changed"


@each_op
def test_broadcast_views_and_shared_arguments(op: str) -> None:
    """One array for every argument of its shape, itself a view with stride 0."""
    arguments = draw(op, "float32", first_variant(op))
    shared: Arrays = {}
    for name, array in arguments.items():
        if array.dtype == np.float32:
            view = np.broadcast_to(np.float32(0.25), array.shape)
            arguments[name] = shared.setdefault(str(array.shape), view)
    assert len(shared) < len(arguments) - 1 or op not in BLOCK_LSTM_OPS
    wanted = call(op, {name: np.array(array) for name, array in arguments.items()})
    assert_same_bits(call(op, arguments), wanted)
    assert_same_bits(raw_op(op, arguments)._asdict(), wanted)
    compiled = program(op, "float32", first_variant(op))
    on_device = {shape: compiled.to_device(array) for shape, array in shared.items()}
    for name, array in arguments.items():
        if array.dtype == np.float32:
            arguments[name] = on_device[str(array.shape)]
    assert_same_bits(call(op, arguments), wanted)
    assert_same_bits(raw_op(op, arguments)._asdict(), wanted)


@pytest.mark.parametrize(
    ("seq_length", "steps"), [(4, 4), (4, 0), (0, 0)], ids=["some", "none", "T0"]
)
@each_op
def test_results_are_independent(op: str, seq_length: int, steps: int) -> None:
    """Writing to a result changes no other result, input or later call.

    Where there is no step, results are all 0: equal, and still not the same memory.
    """
    variant = {**first_variant(op), "seq_length": seq_length}
    if not takes(op, variant):
        return
    compiled = program(op, "float32", variant)
    arguments = draw(op, "float32", variant, steps=steps)
    wanted = {name: array.copy() for name, array in compiled(**arguments)._asdict().items()}
    devices = {name: compiled.to_device(array) for name, array in arguments.items()}
    for inputs in (arguments, devices):
        before = {name: np.array(value) for name, value in inputs.items()}
        results = compiled(**inputs)._asdict()
        assert_same_bits(results, wanted)
        for (name, array), (other_name, other) in combinations(results.items(), 2):
            assert not np.shares_memory(array, other), f"{name} is {other_name}"
        for name, array in results.items():
            assert array.flags.writeable
            for input_name, value in inputs.items():
                assert not np.shares_memory(array, np.asarray(value)), f"{name} is {input_name}"
            rest = {other: a.copy() for other, a in results.items() if other != name}
            array.fill(-7)
            assert_same_bits(results, rest)
        for name, array in before.items():
            assert np.array_equal(np.asarray(inputs[name]), array), f"{name} was changed"
        assert_same_bits(compiled(**inputs)._asdict(), wanted)


@pytest.mark.usefixtures("own_garbage")
@each_op
def test_results_outlive_the_call(op: str) -> None:
    """So do views of them and device arrays, when the call and its program have been freed."""
    variant = first_variant(op)
    compiled = functions("float32", first_variants(op, "float32"))[op]
    arguments = draw(op, "float32", variant)
    wanted = {name: array.copy() for name, array in call(op, arguments).items()}
    whole = compiled(**arguments)._asdict()
    rows = {name: last_row(array) for name, array in compiled(**arguments)._asdict().items()}
    kept = compiled(**arguments, to_host=False)._asdict()
    mapped = compiled(**arguments, to_host=False)._asdict()
    mapped = {name: last_row(np.asarray(value)) for name, value in mapped.items()}
    del compiled
    gc.collect()
    other = draw(op, "float32", variant, seed=1)
    for _ in range(20):  # whatever was freed is now used again
        call(op, other)
    last = {name: last_row(array) for name, array in wanted.items()}
    assert_same_bits(whole, wanted)
    assert_same_bits(rows, last)
    assert_same_bits({name: np.asarray(value) for name, value in kept.items()}, wanted)
    assert_same_bits(mapped, last)


def last_row(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view of the last row, or of a scalar."""
    return array[-1:] if array.ndim else array


# Ways of calling.


@pytest.mark.parametrize(
    "op",
    [pytest.param(op, marks=marks(op)) for op, case in GRADIENT_CASES.items() if case.cotangents],
)
def test_results_stay_on_the_device(op: str) -> None:
    """From the forward to the gradient without a copy to the host, through programs and raw ops."""
    case = GRADIENT_CASES[op]
    assert case.forward is not None
    arguments = draw(op, "float32", first_variant(op))
    inputs = forward_arguments(op, arguments)
    activations = call(case.forward, inputs)
    wanted = call(op, arguments | {k: v for k, v in activations.items() if k in arguments})

    def compiled(op: str, arguments: dict[str, Any], **keywords: Any) -> Any:
        return program(op, "float32", first_variant(op))(**arguments, **keywords)

    for run in (compiled, raw_op):
        kept = run(case.forward, inputs, to_host=False)._asdict()
        assert all(isinstance(value, rc.runtime.DeviceArray) for value in kept.values())
        given = arguments | {k: v for k, v in kept.items() if k in arguments}
        gradients = run(op, given, to_host=False)._asdict()
        assert_same_bits({name: value.to_host() for name, value in gradients.items()}, wanted)
        assert_same_bits({name: value.to_host() for name, value in kept.items()}, activations)


@each_op_and_dtype
def test_calls_repeat_bit_for_bit(op: str, dtype: str) -> None:
    variant = first_variant(op)
    arguments = draw(op, dtype, variant)
    wanted = call(op, arguments, dtype)
    call(op, draw(op, dtype, variant, seed=1), dtype)
    assert_same_bits(call(op, arguments, dtype), wanted)


@pytest.mark.parametrize("device", ["local-sync", "local-task"])
@each_op
def test_threads(op: str, device: str) -> None:
    """Four threads call one program at once, each with separate inputs."""
    variant = first_variant(op)
    compiled = rc.runtime.load(rc.compile(module(op, "float32", variant)), device)
    arguments = [draw(op, "float32", variant, seed=seed) for seed in range(4)]
    wanted = [call(op, each) for each in arguments]

    def work(k: int) -> None:
        for _ in range(50):
            assert_same_bits(compiled(**arguments[k])._asdict(), wanted[k])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


@pytest.mark.slow
def test_threads_at_a_cold_raw_op() -> None:
    """Four threads are the first to ask for a size."""
    variant = sizes(2, 3, 4, 5)
    arguments = draw("BlockLSTMV2", "float32", variant)
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(rc.raw_ops.BlockLSTMV2, **arguments) for _ in range(4)]
    first, *others = [call.result()._asdict() for call in calls]
    assert_close(first, expected("BlockLSTMV2", "float32", variant, arguments), "float32")
    for results in others:
        assert_same_bits(results, first)


@pytest.mark.parametrize("steps", [-(2**63), -1, 5, 2**63 - 1])
@each_sequence_op
def test_steps_out_of_range(op: str, steps: int) -> None:
    """An error, on the host and on the device.

    The compiled function, which others call without our checks, takes the nearest number there is.
    """
    variant = first_variant(op)
    arguments = draw(op, "float32", variant)
    compiled = program(op, "float32", variant)
    for number in (steps, compiled.to_device(np.int64(steps))):
        with pytest.raises(rc.errors.InvalidArgumentError, match=r"'seq_len_max'.*0\.\.4"):
            call(op, {**arguments, "seq_len_max": number})
    nearest = call(op, {**arguments, "seq_len_max": min(max(steps, 0), variant["seq_length"])})
    (function,) = compiled.functions.values()
    unchecked = {**arguments, "seq_len_max": np.array(steps)}
    results = function.invoke([unchecked[argument.name] for argument in function.spec.arguments])
    assert_same_bits(results._asdict(), nearest)
