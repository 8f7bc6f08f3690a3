"""CudnnRNN, V2, V3 and their gradients, beyond the tests of every op.

The golden cases, forward and gradient; a sweep over modes, directions, layers, input modes,
projections, axis orders, sequence lengths and dropout against the float64 reference; properties of
padding, dropout and inference.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import cudnn_reference
import numpy as np
import numpy.typing as npt
import pytest
from cases import assert_close, assert_same_bits, sizes
from goldens.cudnn import GRADIENTS, OUTPUTS, UPSTREAM, CudnnGolden, cast, read_cudnn_goldens
from numeric import golden_programs, harness
from numeric.harness import Arrays, module, program, renamed

import rnn_compiler as rc
from rnn_compiler.lowering.ops import cells, cudnn, layers
from rnn_compiler.modules import Module
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.tensors import DIMENSIONS

GOLDENS = read_cudnn_goldens()

GOLDEN_TOLERANCES = {
    "float64": (1e-10, 1e-10),
    "float32": (5e-5, 5e-5),
    "float16": (2e-2, 6e-2),
}
"""Of outputs and of gradients, relative to the largest expected element, or to 1."""


def assert_within(actual: Any, expected: npt.NDArray[Any], tolerance: float, name: str) -> None:
    got = np.asarray(actual, np.float64)
    assert got.shape == expected.shape, f"{name}: {got.shape} instead of {expected.shape}"
    error = np.abs(got - expected).max(initial=0.0) / np.abs(expected).max(initial=1.0)
    assert error <= tolerance, f"{name}: error {error:.3g}, tolerance {tolerance:.3g}"


# Golden cases.


def golden_cases() -> Iterator[tuple[CudnnGolden, str]]:
    """Each golden case in float64, and one of relu, which the sweep has in float64, in other types.

    The sweep has every other trait of theirs in each type.
    """
    for golden in GOLDENS:
        yield golden, "float64"
        if golden.meta["name"] == "pub_26_relu_uni_l1":
            yield from ((golden, dtype) for dtype in ("float16", "float32"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("golden", "dtype"),
    [pytest.param(g, dtype, id=f"{g.meta['name']}-{dtype}") for g, dtype in golden_cases()],
)
def test_golden(golden: CudnnGolden, dtype: str) -> None:
    """The forward, then the gradient from its results; dropout draws its own mask."""
    inputs = cast(golden.inputs, dtype)
    dims = {DIMENSIONS[letter]: size for letter, size in golden.dims.items()}
    rows = (("op", golden.attributes), ("backprop_op", golden.gradient_attributes))
    calls = [(golden.meta[op], dtype, dims | attributes) for op, attributes in rows]
    if dtype == "float64":
        forward, backward = (golden_programs.function(*call) for call in calls)
    else:
        pair = rc.compile(renamed(*(module(*call) for call in calls)))
        forward, backward = rc.runtime.load(pair).functions.values()
    results = forward(**inputs)
    wanted = golden.arrays
    if golden.mask is not None:
        mask = mask_of(golden, results.reserve_space)
        given = {"mask": mask, **inputs, **golden.attributes}
        wanted = cudnn_reference.cudnn_rnn(version=golden.version, **given)
        given |= golden.select(*UPSTREAM)
        wanted = wanted | cudnn_reference.cudnn_rnn_backprop(**given)
    of_outputs, of_gradients = GOLDEN_TOLERANCES[dtype]
    for name in OUTPUTS:
        assert_within(getattr(results, name), wanted[name], of_outputs, name)
    kept = {k: v for k, v in results._asdict().items() if k in golden.reserved or k in OUTPUTS}
    gradients = backward(**inputs, **kept, **cast(golden.select(*UPSTREAM), dtype))
    for name in GRADIENTS:
        assert_within(getattr(gradients, name), wanted[name], of_gradients, name)


def mask_of(golden: CudnnGolden, reserve_space: Any) -> npt.NDArray[Any]:
    """The dropout mask of a call like a golden one."""
    layers = {name: golden.attributes[name] for name in ("rnn_mode", "direction")}
    T, B, _, H, L = golden.dims.values()
    dims = {"seq_length": T, "batch_size": B, "num_units": H, "num_layers": L}
    return rc.dropout_mask(reserve_space, **layers, **dims)


@pytest.mark.slow
@pytest.mark.parametrize(
    "golden", [g for g in GOLDENS if g.mask is not None], ids=lambda golden: golden.meta["name"]
)
def test_golden_mask(golden: CudnnGolden, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the golden case's own mask in place of the drawn one."""
    assert golden.mask is not None
    elements = golden.mask.ravel().tolist()

    def stored(b: Any, args: Any, rate: float, shape: tuple[int, ...], dtype: str) -> Any:
        assert rate == golden.attributes["dropout"]
        return b.concatenate([b.full(m, (1,), dtype) for m in elements], 0).reshape(*shape)

    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    monkeypatch.setattr(cudnn.rnn, "dropout_mask", stored)
    dims = {DIMENSIONS[letter]: size for letter, size in golden.dims.items()}
    built = rc.build(golden.meta["op"], dtype="float64", **dims, **golden.attributes)
    results = rc.runtime.load(rc.compile(built))(**golden.inputs)
    for name in OUTPUTS:
        assert_within(getattr(results, name), golden.arrays[name], 1e-10, name)
    assert (mask_of(golden, results.reserve_space) == golden.mask).all()
    given = {**golden.inputs, **golden.attributes}
    given |= {"version": golden.version, "mask": golden.mask, "padding": np.nan}
    reserve = cudnn_reference.cudnn_rnn(**given)["reserve_space"]
    valid = ~np.isnan(reserve)
    assert_within(results.reserve_space[valid], reserve[valid], 1e-10, "reserve_space")


def _no_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    right = cells.direction.time_loop

    def time_loop(*args: Any, lengths: str, **keywords: Any) -> Any:
        return right(*args, lengths=None, **keywords)

    monkeypatch.setattr(cells.direction, "time_loop", time_loop)


def _one_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    right = cells.direction.time_loop

    def time_loop(*args: Any, reverse: bool, **keywords: Any) -> Any:
        return right(*args, reverse=False, **keywords)

    monkeypatch.setattr(cells.direction, "time_loop", time_loop)


def _no_recurrent_gradient_of_the_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    right = layers.gradient.DirectionGradient.output_before

    def output_before(self: Any) -> Any:
        initial = {"h": self.initial["h"] * 0.0}
        return right(dataclasses.replace(self, initial=initial))

    monkeypatch.setattr(layers.gradient.DirectionGradient, "output_before", output_before)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "wrong"),
    [
        (_no_padding, "output"),
        (_one_direction, "output"),
        (_no_recurrent_gradient_of_the_first_step, "params_backprop"),
    ],
)
def test_goldens_reject_the_compiled(
    plant: Any, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bugs planted in the emitters show in the ragged bidirectional case."""
    (golden,) = [g for g in GOLDENS if g.meta["name"] == "pub_18_gru_bi_l1_var"]
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    plant(monkeypatch)
    gradient = wrong in GRADIENTS
    op = golden.meta["backprop_op" if gradient else "op"]
    attributes = golden.gradient_attributes if gradient else golden.attributes
    dims = {DIMENSIONS[letter]: size for letter, size in golden.dims.items()}
    compiled = rc.runtime.load(rc.compile(rc.build(op, dtype="float64", **dims, **attributes)))
    results = compiled(**(golden.gradient_inputs if gradient else golden.inputs))
    with pytest.raises(AssertionError, match=f"^{wrong}: error"):
        assert_within(getattr(results, wrong), golden.arrays[wrong], 1e-10, wrong)


# The sweep.

LENGTHS = ("full", "ragged", "ragged, shorter", "shorter, NaN as padding", "one step or none, NaN")
PER_TEST = 4

WHOLE = (16, 22, 34, 54, 61, 68, 72, 82, 113, 129, 197, 224, 248, 259, 307, 312, 378, 379)
IN_BLOCKS = (48, 147, 186, 241, 249, 263, 264, 272, 297, 390)
"""Configurations that go back at once, and in blocks of time: together they have every pair of
traits that one of the first 400 has, with as few loops as a search found."""

DRAWN = int(os.environ.get("TEST_CUDNN_SWEEP", "0"))
"""How many are taken in turn instead, half of them in blocks of time."""


def groups() -> dict[str, tuple[Sequence[int], bool]]:
    """Configurations that are compiled together, and whether they go back in blocks of time."""
    if DRAWN:
        drawn = [range(n, min(n + PER_TEST, DRAWN)) for n in range(0, DRAWN, PER_TEST)]
        return {f"{seeds[0]}-{seeds[-1]}": (seeds, k % 2 == 1) for k, seeds in enumerate(drawn)}
    return {
        f"{name}-{n}": (seeds[n : n + PER_TEST], in_blocks)
        for name, seeds, in_blocks in (("whole", WHOLE, False), ("in_blocks", IN_BLOCKS, True))
        for n in range(0, len(seeds), PER_TEST)
    }


def configuration(seed: int) -> tuple[int, str, dict[str, Any]]:
    """A version, a dtype, sizes and attributes; seeds go through the modes and directions in turn.

    Most are float64: its tolerance is the tightest, and its code the quickest to generate. Relu,
    whose slope jumps, is always.
    """
    rng = np.random.default_rng(seed)
    mode = ("lstm", "gru", "rnn_tanh", "rnn_relu")[seed % 4]
    direction = ("unidirectional", "bidirectional")[seed // 4 % 2]
    version = (3, 3, 3, 3, 3, 3, 1, 2)[seed // 8 % 8]
    L = int(rng.choice([1, 2, 3], p=[0.6, 0.35, 0.05]))
    dims = [int(n) for n in rng.integers(1, (6, 5, 6, 7))]
    variant = sizes(*dims, num_layers=L, rnn_mode=mode, direction=direction)
    variant["input_mode"] = str(rng.choice(["linear_input", "skip_input", "auto_select"]))
    if variant["input_mode"] == "skip_input" or rng.random() < 0.2:
        variant["input_size"] = variant["num_units"]
    if L > 1 and rng.random() < 0.4:
        variant["dropout"] = float(rng.choice([0.25, 0.5]))
    if version == 3:
        variant["time_major"] = bool(rng.random() < 0.6)
        if mode == "lstm" and rng.random() < 0.5:
            variant["num_proj"] = int(rng.integers(1, variant["num_units"] + 1))
    dtype = str(rng.choice(["float64", "float32", "float16", "bfloat16"], p=[0.85, *[0.05] * 3]))
    return version, "float64" if mode == "rnn_relu" else dtype, variant


def compiled_together(seeds: Sequence[int]) -> rc.Program:
    """Forward and gradient of several configurations as functions of one program."""
    functions = []
    for seed in seeds:
        version, dtype, variant = configuration(seed)
        suffix = "" if version == 1 else f"V{version}"
        for op in (f"CudnnRNN{suffix}", f"CudnnRNNBackprop{suffix}"):
            (spec,) = module(op, dtype, variant).functions
            functions.append(replace(spec, function=f"{spec.function}_{seed}"))
    return rc.runtime.load(rc.compile(Module(functions)))


def pairs(seed: int, in_blocks: bool) -> set[frozenset[tuple[str, object]]]:
    """Every pair of a configuration's traits: what meets in one function.

    The third layer is like the second, except for dropout and blocks of time.
    """
    version, dtype, variant = configuration(seed)
    reached = {"in blocks": in_blocks, "dropout": variant.get("dropout", 0) > 0}
    traits = {
        **{name: variant.get(name) for name in ("direction", "input_mode", "time_major")},
        **{"version": version, "as wide": variant["input_size"] == variant["num_units"]},
        **{"rnn_mode": variant["rnn_mode"], "num_proj": variant.get("num_proj", 0) > 0},
        **{f"one of {n}": variant[n] == 1 for n in ("seq_length", "batch_size", "num_layers")},
        **{"dtype": dtype, **reached},
    }
    met = [*itertools.combinations(traits.items(), 2)]
    met += [(("num_layers", variant["num_layers"]), trait) for trait in reached.items()]
    return {frozenset(each) for each in met}


@pytest.mark.slow
@pytest.mark.skipif(DRAWN > 0, reason="of the configurations that are chosen")
def test_every_pair_of_traits_is_swept_over() -> None:
    """Of those that occur: dropout, say, needs two layers."""
    chosen = [(seed, in_blocks) for seeds, in_blocks in groups().values() for seed in seeds]
    both = itertools.product(range(400), (False, True))
    swept, occurring = (set().union(*itertools.starmap(pairs, each)) for each in (chosen, both))
    assert swept == occurring


@pytest.mark.slow
@pytest.mark.parametrize("group", groups())
def test_sweep(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each compiled one with five kinds of sequence lengths."""
    seeds, in_blocks = groups()[group]
    if in_blocks:
        monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
        monkeypatch.setattr(layers.blocks_of_time, "SMALLEST_BLOCK", 1)
    functions = iter(compiled_together(seeds).functions.values())
    for seed in seeds:
        forward, backward = next(functions), next(functions)
        for lengths in LENGTHS:
            check_configuration(seed, lengths, forward, backward)


def check_configuration(seed: int, lengths: str, forward: Any, backward: Any) -> None:
    version, dtype, variant = configuration(seed)
    rng = np.random.default_rng([seed, len(lengths)])
    arguments = draw(forward.spec, rng, lengths)
    attributes = {**forward.spec.attributes, **arguments}
    valid = None
    if version == 3:
        T, B = variant["seq_length"], variant["batch_size"]
        valid = np.arange(T)[:, None] < arguments["sequence_lengths"].reshape(1, B)
        valid = valid if variant["time_major"] else valid.T
        if "NaN" in lengths:
            arguments["input"][~valid] = np.nan
    what = f"{configuration(seed)}, {lengths}"
    results = forward(**arguments)._asdict()
    attributes |= {"input": np.nan_to_num(arguments["input"])}
    wanted = cudnn_reference.cudnn_rnn(version=version, **attributes)
    try:
        assert_close(results, wanted, dtype)
        if valid is not None:
            assert (results["output"][~valid] == 0).all(), "output: padding is not 0"
        taken = [argument.name for argument in backward.spec.arguments]
        given = {name: value for name, value in {**arguments, **results}.items() if name in taken}
        for argument in backward.spec.arguments:
            if argument.name not in given:
                given[argument.name] = normal(argument, rng)
        clean = {name: given[name] for name in UPSTREAM}
        clean["output_backprop"] = given["output_backprop"].copy()
        if valid is not None and "NaN" in lengths:
            given["output_backprop"][~valid] = np.nan
        gradients = backward(**given)._asdict()
        mask = None
        if variant.get("dropout"):
            dims = {k: variant[k] for k in ("seq_length", "batch_size", "num_units", "num_layers")}
            layers = {k: variant[k] for k in ("rnn_mode", "direction")}
            projection = variant.get("num_proj", 0)
            mask = rc.dropout_mask(results["reserve_space"], **layers, **dims, num_proj=projection)
        wanted = cudnn_reference.cudnn_rnn_backprop(mask=mask, **{**attributes, **clean})
        assert_close(gradients, wanted, dtype)
        if valid is not None:
            assert (gradients["input_backprop"][~valid] == 0).all(), "input_backprop: padding"
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error


def draw(spec: Any, rng: np.random.Generator, lengths: str = "full") -> Arrays:
    """Arguments for a forward function."""
    arguments: Arrays = {}
    for argument in spec.arguments:
        if argument.name == "sequence_lengths":
            T, (B,) = argument.maximum, argument.shape
            longest = max(1, T - 1) if "shorter" in lengths else T
            longest = 1 if "one step" in lengths else longest
            numbers = np.full(B, T) if lengths == "full" else rng.integers(0, longest + 1, B)
            arguments[argument.name] = numbers.astype(np.int32)
        elif argument.dtype == "int64":
            arguments[argument.name] = rng.integers(-(2**62), 2**62, ())
        else:
            arguments[argument.name] = normal(argument, rng)
    return arguments


def normal(argument: Any, rng: np.random.Generator) -> npt.NDArray[Any]:
    scale = 0.4 if argument.name == "params" else 1.0
    return (rng.standard_normal(argument.shape) * scale).astype(DTYPES[argument.dtype].numpy)


# Dropout.

RATE = 0.25
DROPPED = sizes(9, 8, 5, 64, num_layers=3, rnn_mode="rnn_tanh", dropout=RATE)
SMALL = sizes(3, 2, 4, 4, num_layers=2, rnn_mode="rnn_tanh", dropout=0.5)


def run_dropout(call_counter: int = 0, **seeds: int) -> tuple[Any, npt.NDArray[Any]]:
    """A call with dropout, and its mask."""
    compiled = program("CudnnRNN", "float32", DROPPED)
    arguments = floats_of(compiled.cudnn_rnn.spec)
    results = compiled(**arguments, call_counter=call_counter, **seeds)
    return results, mask_at(DROPPED, results.reserve_space)


def floats_of(spec: Any) -> Arrays:
    """Arguments without seeds."""
    arguments = draw(spec, np.random.default_rng(0))
    return {name: value for name, value in arguments.items() if value.dtype == np.float32}


def mask_at(variant: dict[str, Any], reserve_space: Any) -> npt.NDArray[Any]:
    names = ("seq_length", "batch_size", "num_units", "num_layers", "rnn_mode")
    return rc.dropout_mask(reserve_space, **{name: variant[name] for name in names})


@pytest.mark.slow
def test_dropout_keeps_the_right_fraction_and_scales() -> None:
    """Within five standard deviations, as a whole and at each boundary, step, row and unit."""
    results, mask = run_dropout(seed=7)
    assert mask.shape == (2, 9, 8, 64)
    assert set(np.unique(mask)) == {np.float32(0), np.float32(1 / (1 - RATE))}
    kept = mask > 0
    for axes in [(0, 1, 2, 3), (1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)]:
        fraction = kept.mean(axes)
        trials = kept.size / fraction.size
        assert (np.abs(fraction - (1 - RATE)) < 5 * (RATE * (1 - RATE) / trials) ** 0.5).all()
    assert np.isfinite(results.output).all()


@pytest.mark.slow
def test_dropout_is_determined_by_seeds_and_call() -> None:
    """The same three numbers give the same mask, any other an independent one."""
    calls = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)]
    calls += [(2**63 - 1, -(2**63), 5)]
    masks = []
    for seed, seed2, call in calls:
        _, mask = run_dropout(seed=seed, seed2=seed2, call_counter=call)
        _, again = run_dropout(seed=seed, seed2=seed2, call_counter=call)
        assert (mask == again).all()
        wanted = cudnn_reference.dropout_mask(seed, seed2, call, RATE, mask.shape)
        np.testing.assert_array_equal(mask, wanted.astype(np.float32))
        masks.append(mask > 0)
    agree = RATE**2 + (1 - RATE) ** 2
    for k, mask in enumerate(masks):
        for other in masks[:k]:
            if calls[k] == (0, -1, 0) and (mask == other).all():
                continue  # seed2 extends its sign over seed, as in TensorFlow: that is (-1, -1)
            sigma = (agree * (1 - agree) / mask.size) ** 0.5
            assert abs((mask == other).mean() - agree) < 6 * sigma


@pytest.mark.slow
def test_seeds_may_be_left_out_of_a_program() -> None:
    """They keep their values from `build`, by default 0."""
    _, mask = run_dropout()
    _, zero = run_dropout(seed=0, seed2=0, call_counter=0)
    assert (mask == zero).all()
    compiled = program("CudnnRNN", "float32", {**SMALL, "seed": 3})
    third = mask_at(SMALL, compiled(**floats_of(compiled.cudnn_rnn.spec)).reserve_space)
    wanted = cudnn_reference.dropout_mask(3, 0, 0, SMALL["dropout"], third.shape)
    np.testing.assert_array_equal(third, wanted.astype(np.float32))


@pytest.mark.slow
def test_a_new_seed_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    floats = floats_of(module("CudnnRNN", "float32", SMALL).functions[0])
    attributes = {"rnn_mode": "rnn_tanh", "dropout": 0.5}
    first = rc.raw_ops.CudnnRNN(**floats, **attributes)

    def fail(*_: object) -> NoReturn:
        raise AssertionError("compiled again")

    monkeypatch.setattr("rnn_compiler.op_calls.compile", fail)
    spaces = [first.reserve_space]
    for seeds in ({"seed": 1}, {"seed2": 1}, {"call_counter": 1}, {"seed": np.int64(9)}):
        spaces.append(rc.raw_ops.CudnnRNN(**floats, **attributes, **seeds).reserve_space)
    for k, space in enumerate(spaces):
        assert not any((space == other).all() for other in spaces[:k])


@pytest.mark.parametrize(
    "changed", [{"num_layers": 1}, {"is_training": False}, {"dropout": 0.0}], ids=str
)
def test_without_dropout_there_are_no_seeds(changed: dict[str, Any]) -> None:
    """One layer has no boundary, and inference drops nothing: the module is that without.

    With one layer, a function takes seeds, and does nothing with them.
    """
    built = module("CudnnRNN", "float32", {**SMALL, **changed})
    plain = module("CudnnRNN", "float32", {**SMALL, **changed, "dropout": 0.0})
    seeds = "".join(f", %{name}: tensor<i64>" for name in ("seed", "seed2", "call_counter"))
    assert built.text.count(seeds) == (changed == {"num_layers": 1})
    assert built.text.replace(seeds, "") == plain.text
    assert "rng_bit_generator" not in plain.text


@pytest.mark.slow
def test_everything_may_be_dropped() -> None:
    """With dropout 1, the second layer sees nothing, and nothing passes back."""
    variant = {**SMALL, "dropout": 1.0}
    rng = np.random.default_rng(0)
    compiled = program("CudnnRNN", "float64", variant)
    arguments = draw(compiled.manifest.functions[0], rng)
    results = compiled(**arguments)._asdict()
    wanted = cudnn_reference.cudnn_rnn(version=1, **{**variant_attributes(variant), **arguments})
    assert_close(results, wanted, "float64")
    backward = program("CudnnRNNBackprop", "float64", variant)
    given = {**arguments, **results}
    taken = backward.manifest.functions[0].arguments
    given = {a.name: given[a.name] if a.name in given else normal(a, rng) for a in taken}
    gradients = backward(**given | {"output_h_backprop": 0 * given["output_h_backprop"]})
    assert not gradients.input_backprop.any()
    assert gradients.params_backprop.any()


def variant_attributes(variant: dict[str, Any]) -> dict[str, Any]:
    (spec,) = module("CudnnRNN", "float64", variant).functions
    return spec.attributes


# Inference, and what the modules hold.


def test_inference_saves_nothing() -> None:
    """`reserve_space` is a scalar; the loop writes the output alone."""
    variant = sizes(3, 2, 4, 5, is_training=False)
    for op in ("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"):
        built = module(op, "float32", variant)
        for result in built.functions[0].results:
            if result.name in ("reserve_space", "host_reserved"):
                assert result.shape == ()
        assert str(built).count("stablehlo.dynamic_update_slice") == 1


def loops(text: str, name: str) -> int:
    """The number of time loops of a name in a module text."""
    return len(re.findall(rf"time_loop.* decomposition = @\w+\.{name}\b", text))


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
def test_directions_and_layers_are_loops_of_their_own(mode: str, direction: str) -> None:
    """One composite each, with one product in it; those of a layer do not read each other."""
    variant = sizes(3, 2, 4, 5, num_layers=2, rnn_mode=mode, direction=direction)
    D = 1 + (direction == "bidirectional")
    for op, name in (("CudnnRNNV3", "forward"), ("CudnnRNNBackpropV3", "backward")):
        text = str(module(op, "float32", variant))
        assert loops(text, f"{mode}_{name}") == 2 * D
        main, *private = text.split("func.func private")
        steps = [each for each in private if re.match(rf".*\.{mode}_{name}.*\.step\(", each)]
        assert len(steps) == 2 * D
        for step in steps:
            assert step.count("dot_general") == 1
            assert "transpose" not in step
            assert step.count("stablehlo.reduce") == 0
        composites = [line for line in main.splitlines() if loops(line, f"{mode}_{name}")]
        for layer in range(2):
            group = composites[layer * D : (layer + 1) * D]
            for line, other in itertools.permutations(group, 2):
                result = other.partition(":")[0].split()[0]
                assert result not in line.partition("=")[2]


@pytest.mark.slow
@pytest.mark.parametrize("seq_length", [39, 40])
def test_gate_gradients_are_made_in_blocks_of_time(seq_length: int) -> None:
    """Blocks of equal length share one dispatch; the products are added up in one vector."""
    variant = sizes(seq_length, 32, 64, 64, direction="bidirectional")
    text = str(module("CudnnRNNBackprop", "float32", variant))
    blocks = {39: 13, 40: 8}[seq_length]
    assert loops(text, "lstm_backward") == 2 * blocks
    assert text.count('stablehlo.composite "rnn_compiler.product"') == 2 * blocks
    assert text.count("stablehlo.optimization_barrier") == blocks
    assert f"tensor<{seq_length}x32x256xf32>" not in text
    small = str(module("CudnnRNNBackprop", "float32", sizes(4, 3, 5, 6)))
    assert loops(small, "lstm_backward") == 1
    assert "stablehlo.optimization_barrier" not in small


@pytest.mark.slow
def test_blocks_of_16_bit_types_are_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block's loop converts the same weights."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    variant = sizes(40, 16, 16, 32)
    both = renamed(*(module("CudnnRNNBackprop", each, variant) for each in ("float16", "bfloat16")))
    assert both.text.count("stablehlo.optimization_barrier") > 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", rc.errors.CompileWarning)
        assert rc.compile(both).manifest.strategy == "fused"


@pytest.mark.slow
def test_blocks_of_a_single_step_are_not_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over an array of one row gave wrong numbers as one dispatch."""
    variant = sizes(3, 3, 2, 2, rnn_mode="gru")
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    (spec,) = module("CudnnRNNBackprop", "float64", variant).functions
    rng = np.random.default_rng(0)
    given = {argument.name: normal(argument, rng) for argument in spec.arguments}
    results: list[Any] = []
    for length in (3, 1):
        blocks = [layers.gradient.TimeBlock(t, t + length) for t in range(0, 3, length)]
        monkeypatch.setattr(layers.gradient, "blocks_of_time", lambda _, blocks=blocks: blocks)
        compiled = rc.runtime.load(rc.compile(Module([spec])))
        results.append(compiled(**given)._asdict())
    for name, whole in results[0].items():
        assert_within(results[1][name], whole, 1e-12, name)


@pytest.mark.slow
def test_gradient_of_a_single_step_of_a_single_row() -> None:
    """IREE uses a wrong shape to convert a state that it reshapes after a loop of one step."""
    op = "CudnnRNNBackprop"
    kinds = {"lstm": "float16", "gru": "bfloat16", "rnn_tanh": "float16"}
    cases = [(dtype, sizes(1, 1, 4, 5, rnn_mode=mode)) for mode, dtype in kinds.items()]
    compiled = rc.runtime.load(rc.compile(renamed(*(module(op, *case) for case in cases))))
    for case, function in zip(cases, compiled.functions.values(), strict=True):
        given = harness.draw(op, *case)
        results = function(**given)._asdict()
        assert_close(results, harness.expected(op, *case, given), case[0])


@pytest.mark.parametrize("seq_length", [4, 400])
def test_gradient_without_input(seq_length: int) -> None:
    """An input of no elements has a gradient of none, in one block of time and in several."""
    variant = sizes(seq_length, 8, 0, 33, direction="bidirectional")
    text = str(module("CudnnRNNBackpropV3", "float32", variant))
    assert f"-> (tensor<{seq_length}x8x0xf32>" in text


@pytest.mark.slow
def test_padding_of_the_saved_output_is_not_looked_at() -> None:
    """Nor are activations of padding, in `reserve_space`."""
    variant = sizes(4, 3, 3, 5, rnn_mode="gru", direction="bidirectional")
    rng = np.random.default_rng(0)
    forward = program("CudnnRNNV3", "float64", variant)
    backward = program("CudnnRNNBackpropV3", "float64", variant)
    arguments = draw(forward.manifest.functions[0], rng)
    arguments["sequence_lengths"] = np.array([0, 2, 4], np.int32)
    results = forward(**arguments)._asdict()
    given = {**arguments, **results}
    taken = backward.manifest.functions[0].arguments
    given = {a.name: given[a.name] if a.name in given else normal(a, rng) for a in taken}
    wanted = backward(**given)._asdict()
    (spec,) = forward.manifest.functions
    padded = cudnn_reference.cudnn_rnn(
        version=3, padding=np.nan, **{**spec.attributes, **arguments}
    )["reserve_space"]
    assert np.isnan(padded).any()
    given["reserve_space"] = np.where(np.isnan(padded), np.nan, given["reserve_space"])
    given["output"] = given["output"].copy()
    for b, length in enumerate(arguments["sequence_lengths"]):
        given["output"][length:, b] = np.nan
    assert_same_bits(backward(**given), wanted)
