"""CudnnRNNV3's definition on converted weights gives each framework's own results."""

from __future__ import annotations

from typing import Any

import cudnn_reference
import numpy as np
import pytest
from cases import assert_close
from weights.converter_golden import GOLDENS, ConverterGolden


def run(golden: ConverterGolden, **arguments: Any) -> cudnn_reference.Results:
    """The reference at the golden's sizes; missing states are zeros, missing lengths all steps."""
    meta = golden.meta
    x = arguments["input"]
    time_major = arguments.get("time_major", True)
    T, B = x.shape[:2] if time_major else x.shape[1::-1]
    both = golden.sizes.get("bidirectional", False)
    units, layers = meta["num_units"], meta.get("num_layers", 1) * (1 + both)
    mode = meta.get("rnn_mode", "lstm")
    state = (layers, B, units) if time_major else (B, layers, units)
    params = golden.params_from(golden.weights)
    defaults: dict[str, Any] = {
        "input_h": np.zeros(state, x.dtype),
        "input_c": np.zeros(state if mode == "lstm" else (), x.dtype),
        "sequence_lengths": np.full(B, T, np.int32),
    }
    return cudnn_reference.cudnn_rnn(
        version=3,
        **{**defaults, **arguments},
        params=params,
        rnn_mode=mode,
        direction="bidirectional" if both else "unidirectional",
        input_mode="linear_input",
        num_proj=meta.get("num_proj", 0),
        dropout=0.0,
        is_training=False,
    )


def of(family: str) -> Any:
    goldens = [golden for golden in GOLDENS if golden.meta["family"] == family]
    return pytest.mark.parametrize("golden", goldens, ids=lambda golden: golden.name)


def given(golden: ConverterGolden, **names: str) -> dict[str, Any]:
    """The arrays of a golden under the op's names, those that it has."""
    return {name: golden.arrays[key] for name, key in names.items() if key in golden.arrays}


def check(out: dict[str, Any], golden: ConverterGolden, wanted: dict[str, Any]) -> None:
    assert_close({name: out[name] for name in wanted}, wanted, golden.meta["dtype"])


@of("torch")
def test_torch(golden: ConverterGolden) -> None:
    out = run(
        golden,
        **given(golden, input="input", input_h="h0", sequence_lengths="sequence_lengths"),
        **given(golden, input_c="c0"),
    )
    check(out, golden, given(golden, output="output", output_h="h_n", output_c="c_n"))


@of("onnx")
def test_onnx(golden: ConverterGolden) -> None:
    states = {"input_h": "initial_h", "sequence_lengths": "sequence_lens"}
    states |= {"input_c": "initial_c"} if golden.meta["rnn_mode"] == "lstm" else {}
    out = run(golden, **given(golden, input="X", **states))
    output = golden.arrays["Y"].transpose(0, 2, 1, 3)
    wanted = {"output": output.reshape(*output.shape[:2], -1)}
    check(out, golden, wanted | given(golden, output_h="Y_h", output_c="Y_c"))


@of("blocklstm")
def test_block_lstm(golden: ConverterGolden) -> None:
    states = given(golden, input_h="h_prev", input_c="cs_prev")
    states = {name: array[None] for name, array in states.items()}
    out = run(golden, **given(golden, input="x"), **states)
    h, cs = golden.arrays["h"], golden.arrays["cs"]
    check(out, golden, {"output": h, "output_h": h[-1:], "output_c": cs[-1:]})


@of("keras")
def test_keras(golden: ConverterGolden) -> None:
    """Only valid steps: Keras repeats the last output where the op gives 0."""
    arguments = given(golden, input="input", sequence_lengths="sequence_lengths")
    if golden.meta["go_backwards"]:
        assert golden.arrays["valid"].all()
        arguments["input"] = arguments["input"][:, ::-1]
    out = run(golden, **arguments, time_major=False)
    valid = golden.arrays["valid"][..., None]
    assert not (out["output"] * ~valid).any()
    states = [a for name, a in golden.arrays.items() if name.startswith("state")]
    step = 2 if golden.meta["rnn_mode"] == "lstm" else 1
    wanted = {"output_h": np.stack(states[::step], 1)}
    wanted |= {"output_c": np.stack(states[1::step], 1)} if step == 2 else {}
    check(out, golden, wanted)
    masked = {"output": out["output"] * valid}
    assert_close(masked, {"output": golden.arrays["output"] * valid}, golden.meta["dtype"])
