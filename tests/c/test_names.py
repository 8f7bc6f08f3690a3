"""Modules with functions of the same name in one program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from c.calling import C11, STRICT, run

import rnn_compiler as rc
from rnn_compiler.cli import main

CELL = {"batch_size": 1, "input_size": 3, "num_units": 4}

PROGRAM = """\
#include <stdalign.h>
#include <stdio.h>

#include "decoder.h"
#include "encoder.h"

alignas(64) static float x[3], h[4], w_ru[7 * 8], w_c[7 * 4], b_ru[8], b_c[4];
alignas(64) static float r[4], u[4], c[4], y[4];
alignas(64) static unsigned char scratch[ENCODER_GRU_BLOCK_CELL_SCRATCH_SIZE];

int main(void)
{
    const struct encoder_gru_block_cell_arguments arguments = {x, h, w_ru, w_c, b_ru, b_c};
    const struct encoder_gru_block_cell_results results = {r, u, c, y};
    const struct decoder_gru_block_cell_arguments others = {x, h, w_ru, w_c, b_ru, b_c};
    const struct decoder_gru_block_cell_results same = {r, u, c, y};
    h[0] = 8;
    puts(encoder_error(encoder_gru_block_cell(&arguments, &results, scratch)));
    printf("%g\\n", y[0]);
    puts(decoder_error(decoder_gru_block_cell(&others, &same, scratch)));
    printf("%g\\n", y[0]);
    return ENCODER_GRU_BLOCK_CELL_SCRATCH_SIZE != DECODER_GRU_BLOCK_CELL_SCRATCH_SIZE;
}
"""


@pytest.mark.slow
def test_two_modules_with_one_function(tmp_path: Path) -> None:
    """By default a name in C is the function's; prefix= puts the module's before it."""
    module = rc.build("GRUBlockCell", **CELL)
    for name in ("encoder", "decoder"):
        made = rc.compile_c(module, "cpu:generic", name=name, prefix=True)
        assert [row["function"] for row in made.manifest["functions"]] == [f"{name}_gru_block_cell"]
        made.save(tmp_path)
    (tmp_path / "main.c").write_text(PROGRAM)
    files = ["main.c", *(f"{name}.{end}" for name in ("encoder", "decoder") for end in "co")]
    run("gcc", *C11, *STRICT, *files, "-o", "main", folder=tmp_path)
    assert run("./main", folder=tmp_path).split() == ["no", "error", "4"] * 2


@pytest.mark.slow
def test_what_goes_with_a_function_has_its_name(tmp_path: Path) -> None:
    """Frozen weights, and the self test; a name that begins so stays."""
    folder = tmp_path / "encoder"
    dims = "--dim=seq_length=32,batch_size=16,input_size=8,num_units=40"
    given = ["--format", "c", "--prefix", "--golden", "--name", "encoder", "-o", str(folder)]
    assert main(["compile", "BlockLSTMV2", dims, "--attr=use_peephole=false", *given]) == 0
    files = ["encoder_selftest.c", "encoder.c", "encoder.o"]
    run("gcc", *C11, *STRICT, "-DENCODER_SELFTEST_MAIN", *files, "-o", "test", folder=folder)
    assert "encoder_block_lstm_v2_prepacked" in run("./test", folder=folder)
    sizes = {"num_layers": 1, "num_units": 2, "input_size": 3}
    module = rc.build("CudnnRNNParamsSize", **sizes, S="int32", function="encoder_step")
    made = rc.compile_c(module, "cpu:generic", name="encoder", prefix=True)
    assert made.manifest["functions"][0]["function"] == "encoder_step"


def test_a_prefix_is_for_c(cli: Any) -> None:
    printed = cli("compile", "GRUBlockCell", "--prefix", code=2).err
    assert "--prefix is for C: add --format c" in printed
