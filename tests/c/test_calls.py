"""Calls of C: rejected arguments and their messages, threads, and memory that stays unchanged."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest
from c.calling import Arrays, Call, Loaded, aligned
from cases import assert_same_bits, sizes
from numeric.harness import draw, module

import rnn_compiler as rc

VARIANT = sizes(32, 16, 8, 40, use_peephole=False)


@pytest.fixture(scope="module")
def arguments() -> Arrays:
    return draw("BlockLSTMV2", "float32", VARIANT)


@pytest.fixture(scope="module")
def expected(arguments: Arrays) -> Arrays:
    """The artifact's results, bit for bit."""
    program = rc.runtime.load(rc.compile(module("BlockLSTMV2", "float32", VARIANT)))
    results = program(**arguments)._asdict()
    return {name: np.asarray(value) for name, value in results.items()}


@pytest.mark.slow
def test_the_bits_are_those_of_the_artifact(
    loaded: Loaded, arguments: Arrays, expected: Arrays
) -> None:
    assert_same_bits(loaded.call("block_lstm_v2", arguments), expected)


def fault(loaded: Loaded, call: Call) -> str:
    """The message of an error; checks that nothing was written."""
    before = {name: array.tobytes() for name, array in call.results.items()}
    code = call()
    assert code != 0
    assert {name: array.tobytes() for name, array in call.results.items()} == before
    return loaded.error(code)


ARRAYS = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b", "i", "cs", "h", "scratch")


@pytest.mark.slow
@pytest.mark.parametrize("name", ARRAYS)
def test_null_pointers(loaded: Loaded, arguments: Arrays, name: str) -> None:
    call = Call(loaded, "block_lstm_v2", arguments)
    call.pointers[name] = 0
    assert fault(loaded, call) == f"{name}: a null pointer"


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("by", [1, 4, 32])
def test_misaligned_pointers(loaded: Loaded, arguments: Arrays, name: str, by: int) -> None:
    call = Call(loaded, "block_lstm_v2", arguments)
    array = {**call.arguments, **call.results, "scratch": call.scratch}[name]
    call.pointers[name] = array.ctypes.data + by
    assert fault(loaded, call) == f"{name}: not aligned to 64 bytes"


@pytest.mark.parametrize(
    ("written", "other"),
    [("h", "x"), ("h", "i"), ("scratch", "w"), ("scratch", "h"), ("cs", "cs_prev")],
)
def test_overlaps(loaded: Loaded, arguments: Arrays, written: str, other: str) -> None:
    """With an argument, a result or the scratch memory; the message names the written array."""
    call = Call(loaded, "block_lstm_v2", arguments)
    array = {**call.arguments, **call.results}[other]
    call.pointers[written] = array.ctypes.data + (array.nbytes - 1) // 64 * 64
    assert fault(loaded, call) == f"{written}: overlaps another array"


@pytest.mark.slow
def test_arrays_side_by_side_do_not_overlap(
    loaded: Loaded, arguments: Arrays, expected: Arrays
) -> None:
    call = Call(loaded, "block_lstm_v2", arguments)
    size = call.results["h"].nbytes
    both = aligned(np.zeros(2 * size // 4, np.float32))
    call.pointers["h"], call.pointers["co"] = both.ctypes.data, both.ctypes.data + size
    assert call() == 0
    assert both[: size // 4].tobytes() == expected["h"].tobytes()
    assert both[size // 4 :].tobytes() == expected["co"].tobytes()


@pytest.mark.parametrize("steps", [-1, 33, 2**40, -(2**63)])
def test_lengths_out_of_range(loaded: Loaded, arguments: Arrays, steps: int) -> None:
    call = Call(loaded, "block_lstm_v2", {**arguments, "seq_len_max": np.int64(steps)})
    assert fault(loaded, call) == "seq_len_max: not from 0 to 32"


@pytest.fixture(scope="module")
def loaded_cells(cells: rc.CModule, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(cells, tmp_path_factory.mktemp("cells"))


@pytest.mark.slow
def test_elements_out_of_range(loaded_cells: Loaded) -> None:
    """Lengths of rows are an array."""
    given = draw("CudnnRNNV3", "bfloat16", sizes(5, 3, 4, 8, is_training=False))
    loaded_cells.call("cudnn_rnn_v3", given)
    for lengths in ([5, 5, 6], [-1, 5, 5]):
        call = Call(loaded_cells, "cudnn_rnn_v3", {**given, "sequence_lengths": np.int32(lengths)})
        assert fault(loaded_cells, call) == "sequence_lengths: an element not from 0 to 5"


def test_null_structs(loaded: Loaded) -> None:
    code = loaded.library.block_lstm_v2(None, None, None)
    assert loaded.error(code) == "arguments or results: a null pointer"


def test_codes_of_nobody(loaded: Loaded) -> None:
    assert loaded.error(0) == "no error"
    assert loaded.error(-7) == loaded.error(10_000) == "no code of lstm"


@pytest.mark.parametrize("steps", [0, 1, 31])
def test_fewer_steps(loaded: Loaded, arguments: Arrays, steps: int) -> None:
    """Rows of padding are zeros, whatever was in the memory before."""
    results = loaded.call("block_lstm_v2", {**arguments, "seq_len_max": np.int64(steps)})
    assert not results["h"][steps:].any()
    assert results["h"][:steps].all()


def test_nothing_else_is_written(loaded: Loaded, arguments: Arrays) -> None:
    """Neither arguments nor the bytes around each array."""
    call = Call(loaded, "block_lstm_v2", arguments)
    arrays = {**call.arguments, **call.results, "scratch": call.scratch}
    spaces = {name: _space(array) for name, array in arrays.items() if array.shape}
    for space, inside in spaces.values():
        space[~inside] = 0xA5
    before = {name: array.tobytes() for name, array in call.arguments.items()}
    assert call() == 0
    assert {name: array.tobytes() for name, array in call.arguments.items()} == before
    for name, (space, inside) in spaces.items():
        assert (space[~inside] == 0xA5).all(), name


def _space(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The bytes around an array, and the range that belongs to it."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    inside = np.zeros(base.nbytes, bool)
    start = array.ctypes.data - base.ctypes.data
    inside[start : start + array.nbytes] = True
    return base.reshape(-1).view(np.uint8), inside


@pytest.mark.slow
def test_packed_weights(loaded: Loaded, arguments: Arrays, expected: Arrays) -> None:
    packed = loaded.call("block_lstm_v2_prepack", arguments)
    assert_same_bits(loaded.call("block_lstm_v2_prepacked", {**arguments, **packed}), expected)


@pytest.mark.slow
def test_weights_that_are_no_longer_read_may_be_missing(
    loaded: Loaded, loaded_cells: Loaded
) -> None:
    """They alone; the product of all steps of an lstm still reads w."""
    null = {
        (function, argument["name"])
        for rows in (loaded.rows, loaded_cells.rows)
        for function, row in rows.items()
        for argument in row["arguments"]
        if argument["may_be_null"]
    }
    assert null == {("lstm_block_cell_prepacked", "w")}
    variant = {"batch_size": 8, "input_size": 16, "num_units": 64}
    given = draw("LSTMBlockCell", "bfloat16", variant)
    given |= loaded_cells.call("lstm_block_cell_prepack", given)
    call = Call(loaded_cells, "lstm_block_cell_prepacked", given)
    call.pointers["w"] = 0
    assert call() == 0
    assert_same_bits(call.results, loaded_cells.call("lstm_block_cell", given))
    program = rc.runtime.load(
        rc.compile(module("LSTMBlockCell", "bfloat16", variant), "cpu:generic")
    )
    results = program(**draw("LSTMBlockCell", "bfloat16", variant))._asdict()
    assert_same_bits(call.results, {name: np.asarray(value) for name, value in results.items()})


@pytest.mark.slow
def test_several_threads(loaded: Loaded, arguments: Arrays, expected: Arrays) -> None:
    """Each thread has its own results and scratch memory."""
    calls = [Call(loaded, "block_lstm_v2", arguments) for _ in range(4)]
    codes: list[int] = []

    def work(call: Call) -> None:
        for _ in range(25):
            codes.append(call())

    threads = [threading.Thread(target=work, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 100
    for call in calls:
        assert_same_bits(call.results, expected)


WORK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, WORK, ctypes.c_void_p)


@pytest.mark.slow
def test_workgroups_in_any_order(loaded: Loaded, arguments: Arrays, expected: Arrays) -> None:
    counts: list[int] = []

    @RUN
    def backwards(context: Any, count: int, work: Any, job: Any) -> int:
        counts.append(count)
        return sum(work(job, k) for k in reversed(range(count)))

    call = Call(loaded, "block_lstm_v2", arguments)
    assert call(backwards) == 0
    assert max(counts) > 1
    assert_same_bits(call.results, expected)


def test_workgroups_on_threads(loaded: Loaded, arguments: Arrays, expected: Arrays) -> None:
    """All at the same time."""

    @RUN
    def at_once(context: Any, count: int, work: Any, job: Any) -> int:
        threads = [threading.Thread(target=work, args=[job, k]) for k in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return 0

    call = Call(loaded, "block_lstm_v2", arguments)
    assert call(at_once) == 0
    assert_same_bits(call.results, expected)


def test_a_run_that_fails(loaded: Loaded, arguments: Arrays) -> None:
    call = Call(loaded, "block_lstm_v2", arguments)
    code = call(RUN(lambda *_: 7))
    assert loaded.error(code) == "a workgroup, or the function that runs them, gave an error"
