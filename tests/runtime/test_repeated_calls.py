"""Repeated calls, mostly with the previous arguments: bits, checks and memory as for any call."""

from __future__ import annotations

import ctypes
import gc
import threading
import tracemalloc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from numeric.harness import draw

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.op_calls import OpCall
from rnn_compiler.runtime.direct.memory import address_of, aligned_array
from rnn_compiler.runtime.direct.prepared import PreparedCall
from rnn_compiler.runtime.memo import Memo
from rnn_compiler.runtime.program import Program

DIMS = {"seq_length": 2, "batch_size": 1, "input_size": 3, "num_units": 4}


@pytest.fixture(scope="module")
def artifact() -> rc.Artifact:
    return rc.compile(rc.build("BlockLSTMV2", **DIMS), "cpu")


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether calls were repeated, one after another."""
    found: list[bool] = []
    original = Memo.repeat

    def repeat(each: Memo, *arguments: Any) -> Any:
        results = original(each, *arguments)
        found.append(results is not None)
        return results

    monkeypatch.setattr(Memo, "repeat", repeat)
    return found


def given(seed: int = 0) -> dict[str, Any]:
    arrays = draw("BlockLSTMV2", "float32", {**DIMS, "use_peephole": False})
    rng = np.random.default_rng(seed)
    return {**arrays, "x": rng.standard_normal(arrays["x"].shape).astype(np.float32)}


def on_device(program: Program, arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: program.to_device(array) for name, array in arrays.items()}


def wanted(artifact: rc.Artifact, arrays: Mapping[str, Any]) -> Any:
    """The results of an ordinary call."""
    return rc.runtime.load(artifact, "local-sync")(**arrays)


@pytest.mark.parametrize("to_host", [True, False])
@pytest.mark.parametrize("device", ["local-sync", "local-task"])
def test_arrays_on_the_device(
    device: str, to_host: bool, artifact: rc.Artifact, repeated: list[bool]
) -> None:
    """The same ones, then another input each time; no call changes earlier results."""
    program = rc.runtime.load(artifact, device)
    arrays = on_device(program, given())
    found: list[Any] = []
    for seed in (0, 0, 0, 0, 0, 1, 2, 2):
        arrays["x"] = arrays["x"] if seed == 0 else program.to_device(given(seed)["x"])
        found.append((seed, program(**arrays, to_host=to_host)))
    assert repeated[-4:] == [True] * 4
    for seed, results in found:
        assert_same_bits(results, wanted(artifact, given(seed)))


def test_inputs_on_the_host(artifact: rc.Artifact, repeated: list[bool]) -> None:
    """By name and by position, in any layout, from anything that numpy can view."""
    program = rc.runtime.load(artifact, "local-sync")
    weights = on_device(program, {k: given()[k] for k in ("w", "wci", "wcf", "wco", "b")})
    arrays = {**given(), **weights}
    for _ in range(4):
        program(**arrays)
    x = given(1)["x"]
    odd = np.asfortranarray(np.repeat(x, 2, 2))[:, :, ::2]
    others = {name: array for name, array in arrays.items() if name != "x"}
    expected = wanted(artifact, given(1))
    repeated.clear()
    for results in (
        program(**{**arrays, "x": x}),
        program(odd, **others),
        program(memoryview(x), **others),
        program(x=program.to_device(x), **{**others, "seq_len_max": 2}),
        program(x=x, **others),
    ):
        assert_same_bits(results, expected)
    assert repeated == [True] * 5


@pytest.mark.slow
def test_an_argument_that_is_not_read_may_have_any_shape(repeated: list[bool]) -> None:
    """A GRU's `input_c`; the calls were prepared again each time."""
    cell = {"rnn_mode": "gru", "num_layers": 1, "is_training": False}
    program = rc.runtime.load(rc.compile(rc.build("CudnnRNN", **DIMS, **cell), "cpu"))
    arrays = draw("CudnnRNN", "float32", {**DIMS, **cell})
    arrays = on_device(program, {**arrays, "input_c": arrays["input_h"]})
    found = [program(**arrays)[0] for _ in range(4)]
    arrays["input_c"] = program.to_device(np.asarray(arrays["input_h"]) + 1)
    found.append(program(**arrays)[0])
    assert repeated[-2:] == [True] * 2
    assert_same_bits(found[1:], found[:-1])


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[PreparedCall]:
    """The calls whose memory was laid out, which takes a millisecond."""
    made: list[PreparedCall] = []
    original = PreparedCall.__init__

    def init(each: PreparedCall, *arguments: Any) -> None:
        made.append(each)
        original(each, *arguments)

    monkeypatch.setattr(PreparedCall, "__init__", init)
    return made


@pytest.fixture(scope="module")
def packing() -> rc.Artifact:
    """A function that packs weights which stay on the device, at the second call."""
    return rc.compile(rc.build("onnx.GRU", **DIMS), "cpu")


@pytest.mark.slow
@pytest.mark.parametrize("prepack", [True, False])
def test_new_weights_each_time_are_bound_to_the_same_memory(
    prepack: bool, packing: rc.Artifact, prepared: list[PreparedCall]
) -> None:
    arrays = draw("onnx.GRU", "float32", DIMS)
    sets = [{**arrays, "R": arrays["R"] * scale} for scale in range(3)]
    expected = [wanted(packing, each) for each in sets]
    prepared.clear()
    program = rc.runtime.load(packing, "local-sync", prepack=prepack)
    assert program.onnx_gru.prepacks == prepack
    for turn in range(10):
        given = on_device(program, sets[turn % 3])
        assert_same_bits(program(**given), expected[turn % 3])
    assert len(prepared) == 1


@pytest.mark.slow
def test_other_arguments_in_turn_are_bound_to_the_same_memory(
    prepared: list[PreparedCall],
) -> None:
    """With initial states and without."""
    program = rc.runtime.load(rc.compile(rc.build("onnx.LSTM", **DIMS), "cpu"), "local-sync")
    arrays = draw("onnx.LSTM", "float32", DIMS)
    without = {name: each for name, each in arrays.items() if not name.startswith("initial_")}
    for _ in range(5):
        program(**arrays)
        program(**without)
    assert len(prepared) == 1


def test_the_second_call_is_repeated(packing: rc.Artifact, repeated: list[bool]) -> None:
    """The third with weights on the device, which the second one packs."""
    program = rc.runtime.load(packing, "local-sync")
    arrays = draw("onnx.GRU", "float32", DIMS)
    for _ in range(3):
        program(**arrays)
    there = on_device(program, arrays)
    for _ in range(4):
        program(**there)
    assert repeated == [False, True, True, False, False, True, True]


def test_a_call_in_the_callers_memory_in_between(artifact: rc.Artifact) -> None:
    """As torch makes them. The next call binds its arguments anew."""
    program = rc.runtime.load(artifact, "local-sync")
    arrays = on_device(program, given())
    for _ in range(3):
        expected = program(**arrays)
    others = [*on_device(program, {**given(), "w": given()["w"] * 0}).values()]
    calls, _ = program.block_lstm_v2.direct_calls(others)
    assert calls is not None
    memory = [aligned_array(size) for size in calls.blocks]
    calls.on([*(each.address for each in others), *map(address_of, memory)])
    assert_same_bits(program(**arrays), expected)


def test_wrong_arguments_are_refused(artifact: rc.Artifact, repeated: list[bool]) -> None:
    program = rc.runtime.load(artifact, "local-sync")
    arrays = on_device(program, given())
    for _ in range(4):
        program(**arrays)
    assert repeated[-1]
    for name, value in (
        ("x", np.zeros((2, 1, 4), np.float32)),
        ("x", np.zeros((2, 1, 3))),
        ("x", program.to_device(np.zeros((2, 2, 3), np.float32))),
        ("x", None),
        ("seq_len_max", 3),
        ("seq_len_max", np.int64(-1)),
        ("w", np.zeros((7, 17), np.float32)),
    ):
        with pytest.raises(InvalidArgumentError, match=name):
            program(**{**arrays, name: value})
    with pytest.raises(TypeError, match="missing"):
        program(**{name: array for name, array in arrays.items() if name != "x"})
    with pytest.raises(TypeError, match="y"):
        program(**arrays, y=1)
    assert_same_bits(program(**arrays), wanted(artifact, given()))


@pytest.mark.slow
def test_other_weights(artifact: rc.Artifact) -> None:
    """In turn, and where the first are freed."""
    program = rc.runtime.load(artifact, "local-sync")
    for turn in range(6):
        arrays = given()
        arrays["w"] = arrays["w"] * (turn % 3)
        there = on_device(program, arrays)
        for _ in range(1 + turn):
            assert_same_bits(program(**there), wanted(artifact, arrays))
        del there
        gc.collect()


@pytest.mark.slow
def test_an_array_is_freed_and_then_omitted() -> None:
    """Its memory, which may be another's by then, is not read any more."""
    program = rc.runtime.load(rc.compile(rc.build("onnx.LSTM", **DIMS), "cpu"), "local-sync")
    spec = program.onnx_lstm.spec
    arrays: dict[str, Any] = {
        each.name: program.to_device(np.full(each.static_shape, 0.5, np.float32))
        for each in spec.arguments
        if each.dtype == "float32"
    }
    states = dict.fromkeys(("initial_h", "initial_c"))
    expected = program(**{**arrays, **states})
    for _ in range(4):
        program(**arrays)
    for name in states:
        del arrays[name]
    gc.collect()
    others = [program.to_device(np.full((1, 1, 4), 7, np.float32)) for _ in range(32)]
    assert_same_bits(program(**arrays, **states), expected)
    del others


def test_weights_that_somebody_may_write_to(artifact: rc.Artifact) -> None:
    """Exported by DLPack: later writes count."""
    program = rc.runtime.load(artifact, "local-sync")
    arrays = on_device(program, given())
    for _ in range(4):
        program(**arrays)
    np.from_dlpack(arrays["w"])
    ctypes.memset(arrays["w"].address, 0, arrays["w"].nbytes)
    assert_same_bits(program(**arrays), wanted(artifact, {**given(), "w": given()["w"] * 0}))


def test_results_go_anywhere(artifact: rc.Artifact) -> None:
    """Into IREE's calls and other frameworks, and copies: each is an independent array."""
    program = rc.runtime.load(artifact, "local-sync")
    arrays = on_device(program, given())
    for _ in range(4):
        results = program(**arrays, to_host=False)
    expected = wanted(artifact, given())
    views = [np.from_dlpack(each) for each in results]
    assert_same_bits(views, expected)
    assert_same_bits([each.copy() for each in results], expected)
    assert_same_bits([each.fetch() for each in results], expected)
    assert not any(np.shares_memory(a, b) for a in views for b in views if a is not b)
    with pytest.raises(ValueError, match="read-only"):
        results.h.to_host()[...] = 0
    through = program.block_lstm_v2.launch([*on_device(program, {**given()}).values()])
    assert_same_bits(through, expected)
    state = {**arrays, "h_prev": results.h.row(1), "cs_prev": results.cs.row(1)}
    again = {**given(), "h_prev": expected.h[1], "cs_prev": expected.cs[1]}
    assert_same_bits(program(**state), wanted(artifact, again))


def test_threads_at_once(artifact: rc.Artifact) -> None:
    program = rc.runtime.load(artifact, "local-sync")
    arrays = on_device(program, given())
    expected = [wanted(artifact, given(seed)) for seed in range(4)]
    wrong: list[int] = []

    def call(seed: int) -> None:
        x = given(seed)["x"]
        for _ in range(200):
            found = program(**{**arrays, "x": x})
            if any(a.tobytes() != b.tobytes() for a, b in zip(found, expected[seed], strict=True)):
                wrong.append(seed)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


LARGE = {"seq_length": 2, "batch_size": 64, "input_size": 3, "num_units": 70}
"""Results of 36 KB, and a matrix of 82 KB."""


def at_address(array: Any, remainder: int) -> Any:
    """A copy of an array at an address with a given remainder by 64."""
    memory = np.empty(array.nbytes + 128, np.uint8)
    start = (remainder - memory.ctypes.data) % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.slow
def test_large_arrays(repeated: list[bool]) -> None:
    """Weights from numpy, wherever they lie, and large results: no call changes earlier ones."""
    large = rc.compile(rc.build("BlockLSTMV2", **LARGE), "cpu")
    program = rc.runtime.load(large, "local-sync")
    arrays = draw("BlockLSTMV2", "float32", {**LARGE, "use_peephole": False})
    found: list[tuple[Any, Any]] = []
    for number in range(9):
        w = arrays["w"] * np.float32(1 + number // 3)
        arrays = {**arrays, "w": at_address(w, 4 if number % 2 else 0)}
        expected = wanted(large, arrays)
        repeated.clear()
        for to_host in (True, False):
            for _ in range(3):
                found.append((program(**arrays, to_host=to_host), expected))
        assert repeated[-1]
    for form in (np.ndarray.tolist, memoryview):  # arrays that nobody else keeps
        found.append((program(**{**arrays, "w": form(arrays["w"])}), expected))
    for results, expected in found:
        assert_same_bits(results, expected)
    memory = [np.asarray(result).ctypes.data for results, _ in found for result in results]
    assert len({*memory}) == len(memory)


@pytest.mark.slow
def test_copies_of_large_arrays_are_not_kept() -> None:
    """A matrix of 1.5 MB that compiled code cannot use where it is."""
    dims = {"batch_size": 1, "input_size": 3, "num_units": 300}
    program = rc.runtime.load(rc.compile(rc.build("LSTMBlockCell", **dims), "cpu"), "local-sync")
    arrays = draw("LSTMBlockCell", "float32", dims)
    results: list[Any] = []
    tracemalloc.start()
    for place in (0, 0, 0, 4, 4, 4):
        given = {**arrays, "w": at_address(arrays["w"], place)}
        results.append(program(**given))
        del given
        if len(results) == 3:
            before, _ = tracemalloc.get_traced_memory()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 100_000
    for each in results:
        assert_same_bits(each, results[0])


@pytest.mark.slow
def test_raw_ops(artifact: rc.Artifact, repeated: list[bool]) -> None:
    """Calls with the types of earlier ones reuse their functions; others and bad values do not."""

    op = OpCall(OPS["BlockLSTMV2"].signature)  # that no other test has called

    def call(**changes: Any) -> Any:
        return op(**{**given(), "use_peephole": False, **changes})

    expected = wanted(artifact, given())
    for _ in range(4):
        assert_same_bits(call(), expected)
    assert repeated == [False, False, True, True, True]  # `wanted`, and all but the first call
    found = call(seq_len_max=1)  # a number that came as an array before
    assert_same_bits(found, wanted(artifact, {**given(), "seq_len_max": np.int64(1)}))
    for steps in (np.int64(1), np.int64(2), np.int64(1)):
        assert_same_bits(
            call(seq_len_max=steps), wanted(artifact, {**given(), "seq_len_max": steps})
        )
    with pytest.raises(InvalidArgumentError, match=r"'seq_len_max': expected a value in 0\.\.2"):
        call(seq_len_max=np.int64(3))
    with pytest.raises(InvalidArgumentError, match="'x': expected rank 3"):
        call(cs_prev=np.zeros((1, 4), np.float32), x=np.zeros((2, 1, 3, 1), np.float32))
    with pytest.raises(TypeError, match="cell_clap"):
        call(cell_clap=0.0)
    for clip in (0.125, 0.25, 0.125):
        h = call(cell_clip=clip).cs
        assert np.abs(h).max() == clip
    with rc.target("cpu", device="local-task"):
        assert call(to_host=False).h.device.uri == "local-task"
    assert call(to_host=False).h.device.uri == "local-sync"
