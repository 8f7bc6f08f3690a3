"""Compilation in forked processes, whose parents have compiled, never hangs."""

from __future__ import annotations

from pathlib import Path

import processes
import pytest

# MLIR prints a loop in several threads, if it may, and a single step in one.
FORKED = """
import multiprocessing, signal
import rnn_compiler as rc

def compiled(num_units):
    sizes = dict(seq_length=2, batch_size=1, input_size=1, num_units=num_units)
    return rc.compile(rc.build("BlockLSTMV2", **sizes), "cpu").payload

def child():
    signal.alarm(200)
    print(len(compiled(2)) > 0, flush=True)

compiled(1)
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join()
print(process.exitcode)
"""


@pytest.mark.slow
def test_a_child_compiles_what_its_parent_has_not(tmp_path: Path) -> None:
    variables = {"RNN_COMPILER_CACHE_DIR": str(tmp_path), "RNN_COMPILER_LOG": "error"}
    done = processes.python(FORKED, flags=["-W", "ignore"], variables=variables)
    assert (done.stdout.split(), done.stderr) == (["True", "0"], "")
