"""A network that C or JavaScript has trained is written as an ONNX file by Python."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from c.calling import C11, STRICT, run
from js.calling import needs_node, node
from onnx import helper

import rnn_compiler as rc
from tests.network_import.graphs import by_runtime, model, saved, weight

IN_C = r"""
#include "learner.h"
#include <stdio.h>

alignas(LEARNER_ALIGNMENT) static float x[60], target[16], loss[1], y[16];
alignas(LEARNER_ALIGNMENT) static unsigned char scratch[TRAIN_SCRATCH_SIZE + INFER_SCRATCH_SIZE];
static struct learner_state state;
static unsigned char block[LEARNER_STATE_BLOCK_SIZE];

int main(void)
{
    const struct train_arguments batch = {.x = x, .target = target, .learning_rate = 0.05f};
    const struct train_results results = {.loss = loss, .y = y};
    const struct infer_arguments seen = {.x = x};
    const struct infer_results shown = {.y = y};
    for (int k = 0; k < 60; k++)
        x[k] = (float)(k % 7) / 4 - 1;
    for (int k = 0; k < 16; k++)
        target[k] = (float)(k % 3) - 1;
    learner_initial_state(&state);
    int code = 0;
    for (int step = 0; step < 20 && !code; step++)
        code = train(&batch, &results, &state, scratch);
    if (!code)
        code = infer(&seen, &shown, &state, scratch);
    learner_state_to_block(&state, block);
    FILE *file = fopen("states.bin", "wb");
    fwrite(block, 1, sizeof block, file);
    fclose(file);
    for (int k = 0; k < 16; k++)
        printf("%.9g ", (double)y[k]);
    return code;
}
"""

IN_JS = """
import { writeFileSync } from "node:fs";
import { load } from "./learner.mjs";
const m = await load();
const x = Float32Array.from({ length: 60 }, (_, k) => Math.fround((k % 7) / 4 - 1));
const target = Float32Array.from({ length: 16 }, (_, k) => (k % 3) - 1);
const step = m.train_start();
for (let k = 0; k < 20; k++) step.train({ x, target, learning_rate: 0.05 });
writeFileSync("states.bin", step.save());
console.log(Array.from(step.infer({ x }).y).join(" "));
"""

X = (np.arange(60, dtype=np.float32) % 7 / 4 - 1).reshape(5, 4, 3)


def network() -> Any:
    """An LSTM and a dense layer."""
    nodes = [
        helper.make_node("LSTM", ["x", "lstm.W", "lstm.R"], ["h", "last"], hidden_size=2),
        helper.make_node("Squeeze", ["last", "first"], ["state"]),
        helper.make_node("Gemm", ["state", "fc.weight", "fc.bias"], ["y"]),
    ]
    weights = {"lstm.W": weight(1, 8, 3), "lstm.R": weight(1, 8, 2)}
    weights |= {"fc.weight": weight(2, 4), "fc.bias": weight(4), "first": np.array([0], np.int64)}
    return model(nodes, {"x": [5, 4, 3]}, ["y"], weights)


@functools.cache
def step(folder: Path) -> rc.Module:
    return rc.training_step(saved(network(), folder / "m.onnx"), loss="mean_squared_error")


def check(module: rc.Module, folder: Path, printed: str) -> None:
    """Python reads the states, and ONNX Runtime infers from the file as the device did."""
    expected = np.array(printed.split(), np.float32).reshape(4, 4)
    session = rc.runtime.load(rc.compile(module)).session()
    assert abs(session.infer(x=X).y - expected).max() > 0.1  # it has learned
    session.load(folder / "states.bin")
    np.testing.assert_allclose(session.infer(x=X).y, expected, rtol=1e-5, atol=1e-6)
    assert session.state["step"] == 20
    session.save_block(folder / "again.bin")
    assert (folder / "again.bin").read_bytes() == (folder / "states.bin").read_bytes()
    made = session.save_onnx(folder / "trained.onnx")
    pytest.importorskip("onnxruntime")
    (found,) = by_runtime(onnx.load(made), {"x": X})
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_a_network_trained_in_c(tmp_path: Path) -> None:
    module = step(tmp_path)
    rc.compile_c(module, name="learner").save(tmp_path)
    (tmp_path / "main.c").write_text(IN_C)
    run("gcc", *C11, *STRICT, "main.c", "learner.c", "learner.o", "-o", "main", folder=tmp_path)
    check(module, tmp_path, run("./main", folder=tmp_path))


@pytest.mark.slow
@needs_node
def test_a_network_trained_in_javascript(tmp_path: Path) -> None:
    module = step(tmp_path)
    rc.compile_js(module, name="learner").save(tmp_path)
    check(module, tmp_path, node(tmp_path, IN_JS))
