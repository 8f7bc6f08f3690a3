"""Rows of all lengths have the bits of code that computes every row at every step.

That code is this package's own, from the same module, without everything that uses lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cudnn_reference
import numpy as np
import numpy.typing as npt
import pytest
from cases import assert_close, sizes
from numeric import harness
from numeric.harness import Arrays, together
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.cpu.fused_loop.plan import LoopPlan
from rnn_compiler.lowering.cpu.fused_loop.work_sharing import RowOrder
from rnn_compiler.lowering.passes import products
from rnn_compiler.schema.dtypes import DTYPES

FORWARD, GRADIENT = OPS = ("CudnnRNNV3", "CudnnRNNBackpropV3")

SKIPPED = sizes(8, 40, 33, 33, rnn_mode="rnn_relu", input_mode="skip_input")

CASES = [
    # Packed weights; batch-major sequences; many tiles, all of them full; two layers; a projection,
    # and products of pairs, which padding is not left out of.
    # A batch of one tile is not among them: there nothing is known of lengths.
    ("float32", sizes(32, 41, 70, 130)),
    ("float32", sizes(20, 17, 33, 65, rnn_mode="gru", time_major=False)),
    ("float64", sizes(5, 128, 32, 32, rnn_mode="rnn_tanh", direction="bidirectional")),
    ("float16", {**SKIPPED, "num_layers": 2, "dropout": 0.3}),
    ("bfloat16", sizes(7, 35, 5, 40, num_proj=16)),  # more than one tile of a matrix unit
]


def compiled(dtype: str, variant: dict[str, Any], ops: Sequence[str] = OPS) -> rc.Artifact:
    return rc.compile(together(dtype, dict.fromkeys(ops, variant)), "cpu", strategy="fused")


def loaded(artifact: rc.Artifact, device: str = "local-sync") -> rc.Program:
    return rc.runtime.load(artifact, device)


@pytest.fixture
def uncached(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    return monkeypatch


def knowing_nothing(patch: pytest.MonkeyPatch) -> None:
    """Disables the use of lengths in lowering."""
    never = property(lambda _: False, lambda *_: None)
    patch.setattr(LoopPlan, "by_length", never, raising=False)  # which instances set
    patch.setattr(products, "MIN_LISTED_ROWS", 1 << 40)


def lengths(T: int, B: int) -> Iterator[npt.NDArray[Any]]:
    """Lengths in any order, in both, equal, full, of none, and of one row alone."""
    drawn = np.random.default_rng(T).integers(0, T + 1, B)
    yield drawn
    yield np.sort(drawn)
    yield np.sort(drawn)[::-1]
    yield from (np.full(B, n) for n in (T, T // 2, 0))
    yield np.where(np.arange(B) == B // 2, T - 1, 0)


def arguments(program: rc.Program, dtype: str, seed: int) -> Arrays:
    """Numbers for all arguments that the forward op does not give."""
    rng = np.random.default_rng(seed)
    made: Arrays = {}
    for function in reversed(program.functions.values()):
        for tensor in function.spec.arguments:
            scale = 0.2 if tensor.name == "params" else 1
            of = DTYPES[tensor.dtype].numpy if tensor.dtype == dtype else np.dtype(tensor.dtype)
            made[tensor.name] = (scale * rng.standard_normal(tensor.shape)).astype(of)
    return made


def results(program: rc.Program, given: Arrays, steps: npt.NDArray[Any]) -> Arrays:
    """The results of both ops, with NaN in the padding of their arguments."""
    forward, *_ = functions = [*program.functions.values()]
    major = forward.spec.attributes["time_major"]
    given = {**given, "sequence_lengths": steps.astype(np.int32)}
    for name in {"input", "output_backprop"} & given.keys():
        given[name] = given[name].copy()
        rows = given[name] if major else given[name].swapaxes(0, 1)
        rows[np.arange(rows.shape[0])[:, None] >= steps] = np.nan
    made: dict[str, Any] = {}
    for function in functions:
        taken = [argument.name for argument in function.spec.arguments]
        made |= function(**{name: given[name] for name in taken})._asdict()
        given |= {name: np.asarray(value) for name, value in made.items()}
    return {name: np.asarray(value) for name, value in made.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("batch", "strategy"), first([(40, "fused"), (3, "fused"), (3, "portable")])
)
def test_short_rows_of_both_directions(batch: int, strategy: str) -> None:
    """One tile of rows, masked, and several, sorted by length; a rest of panels; the plain loop."""
    variant = sizes(4, batch, 2, 33, direction="bidirectional")
    module = harness.module(FORWARD, "float32", variant)
    program = loaded(rc.compile(module, "cpu", strategy=strategy))
    given = harness.arguments_of(FORWARD, "float32", variant, 4)
    given["sequence_lengths"] = (np.arange(batch) * 3 % 5).astype(np.int32)
    found = program(**given)
    for name, value in harness.expected(FORWARD, "float32", variant, given).items():
        if name.startswith("output"):
            np.testing.assert_allclose(getattr(found, name), value, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_gradient_of_short_rows() -> None:
    """In blocks of two, two and three steps, of which the last alone has enough rows to list.

    The padding of its arguments holds NaN.
    """
    variant = sizes(7, 100, 33, 18, num_proj=9, direction="bidirectional")
    given = harness.arguments_of(GRADIENT, "float32", variant, 7)
    right = harness.expected(GRADIENT, "float32", variant, given)
    for name in ("input", "output", "output_backprop"):
        given[name][np.arange(7)[:, None] >= given["sequence_lengths"]] = np.nan
    (spec,) = harness.module(FORWARD, "float32", variant).functions
    taken = harness.forward_arguments(GRADIENT, given) | {"input": np.nan_to_num(given["input"])}
    saved = cudnn_reference.cudnn_rnn(version=3, padding=np.nan, **{**spec.attributes, **taken})
    given["reserve_space"] = saved["reserve_space"].astype("float32")
    found = loaded(compiled("float32", variant, [GRADIENT]))(**given)._asdict()
    assert_close(found, right, "float32")


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "variant"), CASES)
def test_the_bits_are_those_of_doing_every_row(
    dtype: str, variant: dict[str, Any], uncached: pytest.MonkeyPatch
) -> None:
    artifact = compiled(dtype, variant)
    program, shared = loaded(artifact), loaded(artifact, "local-task")
    knowing_nothing(uncached)
    plain = compiled(dtype, variant)
    assert plain.payload != artifact.payload
    every = loaded(plain)
    given = arguments(program, dtype, seed=1)
    for steps in lengths(variant["seq_length"], variant["batch_size"]):
        expected = results(every, given, steps)
        for found in (results(program, given, steps), results(shared, given, steps)):
            for name, value in found.items():
                assert np.isfinite(value.astype(np.float64)).all(), (name, steps)
                np.testing.assert_array_equal(value, expected[name], f"{name} {steps}")


@pytest.mark.slow
def test_a_mistake_about_the_order_shows(uncached: pytest.MonkeyPatch) -> None:
    """Rows in the batch's order, one too few at every step, states from the wrong row of a ring."""
    mistakes = {
        "row": lambda _, body, place: body.index(place),
        "count": lambda order, body, row: body.element(order.active, [row]).to_index() - 1,
        "_steps": lambda order, body, place, _: body.element(order.steps, [place]).to_index() + 1,
    }
    variant, steps = sizes(4, 19, 5, 8), np.arange(19) % 5
    right = loaded(compiled("float32", variant, [FORWARD]))
    given = arguments(right, "float32", seed=1)
    expected = results(right, given, steps)
    for method, mistake in mistakes.items():
        with uncached.context() as patch:
            patch.setattr(RowOrder, method, mistake)
            wrong = loaded(compiled("float32", variant, [FORWARD]))
        found = results(wrong, given, steps)
        assert not all(np.array_equal(found[name], value) for name, value in expected.items())
