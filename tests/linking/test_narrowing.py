"""Calls of ops compute what is read of them: results that are used, masks that lengths need."""

from __future__ import annotations

import numpy as np
import pytest
from linking.modules import attributes_text, kinds

import rnn_compiler as rc

T, B, I, H = 5, 2, 3, 4  # noqa: E741
SIZES = {"seq_length": T, "batch_size": B, "input_size": I, "num_units": H, "num_layers": 1}
(SPEC,) = rc.build("CudnnRNNV3", **SIZES, rnn_mode="gru").functions


def text(lengths: str, shown: str, name: str = "main") -> str:
    """A call with lengths that are a constant or an argument, and one of its results."""
    names = [each.name for each in SPEC.results]
    *others, last = SPEC.arguments
    assert last.name == "sequence_lengths"
    given = ", ".join(f"%{each.name}: {kinds([each])}" for each in SPEC.arguments)
    constant = f"%lengths = stablehlo.constant {lengths} : {kinds([last])}"
    number = names.index(shown)
    operands = ", ".join([*(f"%{each.name}" for each in others), "%lengths"])
    if not lengths:
        constant, operands = "", operands.replace("%lengths", "%sequence_lengths")
    config = f"{{mhlo.backend_config = {{{attributes_text(SPEC)}}}, api_version = 4 : i32}}"
    return f"""
      func.func @{name}({given}) -> {kinds([SPEC.results[number]])} {{
        {constant}
        %r:{len(names)} = stablehlo.custom_call @rnn_compiler.CudnnRNNV3({operands}) {config}
            : ({kinds(SPEC.arguments)}) -> ({kinds(SPEC.results)})
        return %r#{number} : {kinds([SPEC.results[number]])}
      }}"""


LENGTHS = [
    ("dense<5>", [5, 5]),
    ("dense<[5, 5]>", [5, 5]),
    ("dense<4>", [4, 4]),
    ("dense<[5, 3]>", [5, 3]),
    ("", [5, 3]),
]


@pytest.mark.slow
def test_numbers() -> None:
    """Lengths that are constant and count all steps leave no mask, and unused results no array."""
    cases = [(*row, shown) for row in LENGTHS for shown in ("output", "output_h")]
    texts = [text(lengths, shown, f"f{k}") for k, (lengths, _, shown) in enumerate(cases)]
    module = rc.link_module("\n".join(texts))
    functions = rc.runtime.load(rc.compile(module, "cpu:generic")).functions.values()
    rng = np.random.default_rng(0)
    arrays = {
        each.name: rng.normal(0, 0.5, each.shape).astype(each.dtype) for each in SPEC.arguments
    }
    for case, alone, function in zip(cases, texts, functions, strict=True):
        _, given, shown = case
        (linked,) = rc.link_module(alone).linked
        assert [each.name for each in linked.results] == [shown], case
        masked = "sequence_lengths" in {each.name for each in linked.arguments}
        assert masked == (given != [5, 5]), case
        arrays["sequence_lengths"] = np.int32(given)
        expected = getattr(rc.raw_ops.CudnnRNNV3(**arrays, rnn_mode="gru"), shown)
        found = function(**arrays)[0]
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6, err_msg=str(case))


def test_a_layer_in_inference_keeps_nothing_for_a_gradient() -> None:
    """An op in training whose reserve nothing reads needs as little memory as one in inference."""
    op = {**SIZES, "rnn_mode": "gru", "outputs": ["output"]}
    memory: list[int] = []
    for module in (
        rc.link_module(text("dense<5>", "output")),
        rc.build("CudnnRNNV2", **op, is_training=False),
    ):
        (row,) = rc.compile_c(module, "cpu:cortex-m4", name="m").manifest["functions"][:1]
        memory.append(row["scratch_size"])
    assert memory[0] <= memory[1] + 256


@pytest.mark.slow
def test_microcontrollers_keep_no_products_of_all_steps_in_training() -> None:
    """Each step multiplies its own input, whether weights stay or not."""
    sizes = {"seq_length": 64, "batch_size": 1, "input_size": 2, "num_units": 16, "num_layers": 1}
    made = rc.compile_c(rc.build("CudnnRNNV2", **sizes, rnn_mode="gru"), "cpu:cortex-m4")
    row = made.manifest["functions"][0]
    assert row["scratch_size"] < 64 * 48 * 4
