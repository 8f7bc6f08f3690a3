"""C gives the results of TensorFlow's own kernels, with weights packed in the call or before it.

On this machine's processor, and on one for aarch64 under emulation.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from c.calling import Arrays, Loaded
from c.covering import covering, traits_of_op
from c.emulated import Emulated, missing
from cases import ALIKE
from goldens.golden import Golden, read_goldens
from numeric.harness import draw, first_variant, module, renamed
from processors.test_aarch64 import cases

import rnn_compiler as rc

GOLDENS = read_goldens()

ALL = bool(os.environ.get("TEST_ALL_GOLDENS"))
"""Whether slow tests go over every golden on every processor."""

PROCESSORS = ("cpu:generic", "cpu", "cpu:aarch64")
"""Code with few features, with all of this machine's, and for another one."""

FIRST = [*{golden.op: golden for golden in reversed(GOLDENS)}.values()]
"""One of each op."""


def named(name: str) -> Golden:
    return next(golden for golden in GOLDENS if golden.path.stem == name)


SINGLE_STEP = named("32_BlockLSTMGradV2_T1B1I1H1_f32")
"""Its host program branches by the length."""

PACKED = named("30_BlockLSTMV2_T4B4I8H8_f16")
"""It packs its weights."""

PROJECTED = named("pub_12_lstm_bi_l2_proj_var")
"""It alone passes numbers to compiled code, besides functions with open sizes."""

BATCH = 18


def stands_for_itself(golden: Golden) -> bool:
    """Whether no op that is alike has a golden file like it."""
    given = {"input_mode": "linear_input", "dropout": 0, **golden.variant}
    return golden.op not in ALIKE or given["input_mode"] != "linear_input" or given["dropout"] > 0


OTHERS = [golden for golden in GOLDENS if stands_for_itself(golden) and golden not in FIRST]
"""The golden files that may have traits which the first ones lack."""


def dealt(target: str) -> list[list[Golden]]:
    """The goldens for one of `PROCESSORS`, some for each module; those of an op go round.

    What a golden file varies, sizes and attributes, is in the host program and the loops, which one
    printer and one emitter make for all processors. So with those of `test_each_op`, each op has
    every value of its attributes once, on one of the processors, and each processor has every op.
    """
    k = PROCESSORS.index(target)
    chosen = [*covering(OTHERS, traits_of_op, [*FIRST, PROJECTED]), PROJECTED]
    own = sorted(chosen, key=lambda golden: golden.op)[k :: len(PROCESSORS)]
    dealt = {golden.op for golden in own}
    own += [golden for golden in FIRST if stands_for_itself(golden) and golden.op not in dealt]
    own = GOLDENS if ALL else own
    return [own[start : start + BATCH] for start in range(0, len(own), BATCH)]


needs_emulator = pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")


def compiled(goldens: list[Golden], target: str) -> rc.CModule:
    parts = [module(golden.op, golden.dtype, golden.variant) for golden in goldens]
    return rc.compile_c(renamed(*parts), target, name="goldens")


def load(goldens: list[Golden], target: str, folder: Path) -> Loaded:
    return Loaded(compiled(goldens, target), folder)


def check(loaded: Loaded | Emulated, function: str, golden: Golden) -> None:
    """Compares a function's results, and those of its companions, with a golden file's."""
    results = loaded.call(function, golden.inputs)
    golden.assert_matches(results)
    if f"{function}_prepack" in loaded.rows:
        packed = loaded.call(f"{function}_prepack", golden.inputs)
        again = loaded.call(f"{function}_prepacked", {**golden.inputs, **packed})
        for name in results:
            np.testing.assert_array_equal(again[name], results[name], strict=True)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return load([SINGLE_STEP, PACKED], "cpu:x86-64-v3", tmp_path_factory.mktemp("c"))


def test_a_single_step(two: Loaded) -> None:
    """It may run or not, which the host decides."""
    check(two, "case_0", SINGLE_STEP)
    inputs = {**SINGLE_STEP.inputs, "seq_len_max": np.int64(0)}
    results = two.call("case_0", inputs)
    assert not results["x_grad"].any()
    assert not results["w_grad"].any()


def test_packed_weights(two: Loaded) -> None:
    assert {"case_1_prepack", "case_1_prepacked"} <= two.rows.keys()
    check(two, "case_1", PACKED)


@pytest.mark.slow
def test_each_op(tmp_path: Path) -> None:
    """One function for each, in one module."""
    loaded = load(FIRST, "cpu:x86-64-v3", tmp_path)
    for number, golden in enumerate(FIRST):
        check(loaded, f"case_{number}", golden)


def test_goldens_are_dealt() -> None:
    """Each processor has every op but those that others stand for, and together they have the rest.

    The rest is every trait of an op that any of its goldens has, with fewer steps than there are,
    none, and NaN as padding among them.
    """
    each = {target: [*itertools.chain(*dealt(target))] for target in PROCESSORS}
    for goldens in each.values():
        assert {golden.op for golden in GOLDENS} - {golden.op for golden in goldens} <= {*ALIKE}
    together = [*FIRST, *itertools.chain(*each.values())]
    found, wanted = ({*itertools.chain(*map(traits_of_op, some))} for some in (together, OTHERS))
    assert found >= wanted
    for what in ("some", "none"):
        assert ("BlockLSTMGradV2", "steps", what) in found
    assert ("BlockLSTMGradV2", "NaN", True) in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "goldens"),
    [
        pytest.param(target, goldens, id=f"{target}-{number}")
        for target in PROCESSORS[:2]
        for number, goldens in enumerate(dealt(target))
    ],
)
def test_every_golden(target: str, goldens: list[Golden], tmp_path: Path) -> None:
    loaded = load(goldens, target, tmp_path)
    for number, golden in enumerate(goldens):
        check(loaded, f"case_{number}", golden)


@pytest.mark.slow
@needs_emulator
@pytest.mark.parametrize(
    ("dtype", "target", "cpu"),
    [
        ("bfloat16", "cpu:aarch64", "cortex-a53"),
        ("float16", "cpu:aarch64,fullfp16,dotprod,lse", "neoverse-n1"),
        ("bfloat16", "cpu:aarch64,bf16,i8mm", "max"),
        ("float64", "cpu:aarch64", "cortex-a72"),
    ],
)
def test_each_dtype_on_aarch64(dtype: str, target: str, cpu: str, tmp_path: Path) -> None:
    """An op of each family, forward and gradient, by turns the one or the other."""
    lstm, lstm_gradient, stack, stack_gradient = cases(dtype)
    pairs = [lstm, stack_gradient], [lstm_gradient, stack]
    goldens = pairs[target != "cpu:aarch64"]
    parts = [module(golden.op, dtype, golden.variant) for golden in goldens]
    made = rc.compile_c(renamed(*parts), target, name="goldens")
    emulated = Emulated(made, tmp_path, cpu=cpu)
    for number, golden in enumerate(goldens):
        check(emulated, f"case_{number}", golden)


@pytest.mark.slow
@needs_emulator
def test_a_processor_that_lacks_a_feature_is_told(tmp_path: Path) -> None:
    """By code 2, and not by an illegal instruction."""
    made = compiled([PACKED], "cpu:aarch64,fullfp16")
    call = Emulated(made, tmp_path, cpu="cortex-a53")
    with pytest.raises(AssertionError, match="this processor lacks a feature that the code needs"):
        check(call, "case_0", PACKED)


@pytest.mark.slow
@needs_emulator
@pytest.mark.parametrize("goldens", dealt("cpu:aarch64"), ids=itertools.count())
def test_every_golden_on_aarch64(goldens: list[Golden], tmp_path: Path) -> None:
    """On a processor that has nothing but the baseline."""
    emulated = Emulated(compiled(goldens, "cpu:aarch64"), tmp_path, cpu="cortex-a53")
    for number, golden in enumerate(goldens):
        check(emulated, f"case_{number}", golden)


@pytest.mark.slow
def test_the_bits_are_those_of_the_runtime(tmp_path: Path) -> None:
    """The same code runs in an artifact; results that are padding too, of each dtype.

    With open sizes, `test_open_sizes.test_one_function_for_all_sizes` compares other ops.
    """
    dtypes = {
        "BlockLSTMV2": "float16",
        "CudnnRNNBackpropV3": "bfloat16",
        "GRUBlockCellGrad": "float64",
    }
    made = renamed(*(module(op, dtype, first_variant(op)) for op, dtype in dtypes.items()))
    loaded = Loaded(rc.compile_c(made, name="same"), tmp_path)
    program = rc.runtime.load(rc.compile(made), device="local-sync")
    for spec in made.functions:
        given: Arrays = draw(spec.op, spec.dtype, first_variant(spec.op), steps=3)
        expected = program.functions[spec.function](**given)._asdict()
        for name, value in loaded.call(spec.function, given).items():
            wanted = np.asarray(expected[name])
            assert value.tobytes() == wanted.tobytes(), f"{spec.op}: {name}"
