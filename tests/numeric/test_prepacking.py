"""Weights packed once: the same bits as packed at every call, and only while they do not change.

Ops of all families, sizes that panels and rows do not divide, one and several layers, both
directions; 16-bit weights, which are stored widened.
"""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import gc
import threading
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits, sizes
from numeric.harness import draw, module
from quick import first

import rnn_compiler as rc

STACK = {"is_training": False, "num_layers": 2}
LAYER = {"is_training": False, "num_layers": 1}
SINGLE = ("CudnnRNN", "float32", sizes(5, 1, 33, 65, **LAYER))
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("BlockLSTM", "float16", sizes(5, 1, 3, 100, use_peephole=True)),
    ("BlockLSTMV2", "float32", sizes(6, 14, 24, 70, use_peephole=False)),
    ("BlockLSTMV2", "float64", sizes(3, 17, 40, 33, use_peephole=True)),
    ("LSTMBlockCell", "float16", {"batch_size": 9, "input_size": 70, "num_units": 65}),
    ("GRUBlockCell", "float16", {"batch_size": 33, "input_size": 40, "num_units": 48}),
    SINGLE,
    ("CudnnRNN", "bfloat16", sizes(4, 3, 64, 64, rnn_mode="gru", **LAYER)),
    ("CudnnRNNV2", "float64", sizes(4, 9, 20, 40, direction="bidirectional", **LAYER)),
    ("CudnnRNNV3", "float32", sizes(5, 6, 48, 64, num_proj=33, **LAYER)),
    ("CudnnRNNV3", "float16", sizes(5, 2, 7, 130, rnn_mode="rnn_tanh", **STACK)),
    ("BlockLSTMV2", "bfloat16", sizes(4, 5, 7, 33, use_peephole=False)),
]

Arrays = dict[str, Any]


def program_of(
    op: str, dtype: str, variant: dict[str, Any], device: str = "local-sync", **options: Any
) -> rc.Program:
    return rc.runtime.load(rc.compile(module(op, dtype, variant), "cpu"), device, **options)


def with_weights(program: rc.Program, arguments: Arrays) -> Arrays:
    """The arguments, those that are weights on the device."""
    (function,) = program.functions.values()
    assert function.prepacks
    return {
        name: program.to_device(value) if name in function.spec.weights else value
        for name, value in arguments.items()
    }


def packings(program: rc.Program, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one each time that the program's function packs weights."""
    (function,) = program.functions.values()
    pack, done = function.prepacking.run_prepack, list[int]()
    monkeypatch.setattr(
        function.prepacking, "run_prepack", lambda weights: (done.append(1), pack(weights))[1]
    )
    return done


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_same_bits(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called without packed weights, once, and with them; other inputs use the same weights."""
    op, dtype, variant = CASES[number]
    program = program_of(op, dtype, variant, ("local-sync", "local-task")[number % 2])
    done = packings(program, monkeypatch)
    kept = with_weights(program, draw(op, dtype, variant, seed=1))
    for call in range(4):
        inputs = draw(op, dtype, variant, seed=call)
        weights = {name: np.asarray(kept[name]) for name in program.manifest.functions[0].weights}
        expected = program(**inputs | weights)
        assert_same_bits(program(**inputs | {name: kept[name] for name in weights}), expected)
    assert done == [1]


@pytest.mark.slow
def test_weights_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers that share a program each keep theirs; new ones are packed at their second call."""
    op, dtype, variant = SINGLE
    program = program_of(op, dtype, variant)
    done = packings(program, monkeypatch)
    layers = [draw(op, dtype, variant, seed=seed) for seed in range(3)]
    kept = [with_weights(program, layer) for layer in layers]
    for call in range(4):
        for layer, arguments in zip(layers, kept, strict=True):
            assert_same_bits(program(**arguments), program(**layer))
        assert len(done) == (0 if call == 0 else 3)


@pytest.mark.slow
def test_all_weights_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one of two matrices is replaced, or is not a device array, no packed weights are used."""
    op, dtype, variant = "GRUBlockCell", "float16", CASES[4][2]
    program = program_of(op, dtype, variant)
    done = packings(program, monkeypatch)
    first, second = (draw(op, dtype, variant, seed=seed) for seed in range(2))
    kept = with_weights(program, first)
    for _ in range(2):
        program(**kept)
    assert done == [1]
    mixed = kept | {"w_c": program.to_device(second["w_c"])}
    assert_same_bits(program(**mixed), program(**first | {"w_c": second["w_c"]}))
    assert_same_bits(program(**kept | {"w_c": second["w_c"]}), program(**mixed))
    assert done == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("number", first([4, 5]))
def test_what_is_packed_goes_with_the_weights(number: int) -> None:
    op, dtype, variant = CASES[number]
    program = program_of(op, dtype, variant)
    arguments = with_weights(program, draw(op, dtype, variant))
    for _ in range(2):
        program(**arguments)
    (function,) = program.functions.values()
    assert len(function.prepacking.entries) == 1
    del arguments
    gc.collect()
    assert len(function.prepacking.entries) == 0


@pytest.mark.slow
def test_weights_of_another_device_are_ordinary_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    op, dtype, variant = SINGLE
    program, other = (program_of(op, dtype, variant, d) for d in ("local-sync", "local-task"))
    done = packings(program, monkeypatch)
    arguments = draw(op, dtype, variant)
    elsewhere = with_weights(other, arguments)
    for _ in range(3):
        assert_same_bits(program(**elsewhere), program(**arguments))
    assert not done


@pytest.mark.slow
def test_companions_are_those_of_the_manifest() -> None:
    """A manifest that does not know which arguments are weights has no use for companions."""
    op, dtype, variant = SINGLE
    artifact = rc.compile(module(op, dtype, variant), "cpu")
    arguments = draw(op, dtype, variant)
    for weights in ((), ("nix",), ("params", "nix")):
        (spec,) = artifact.manifest.functions
        changed = dataclasses.replace(spec, weights=weights)
        manifest = dataclasses.replace(artifact.manifest, functions=(changed,))
        program = rc.runtime.load(rc.Artifact(manifest, artifact.payload), "local-sync")
        assert not program.cudnn_rnn.prepacks
        kept = {name: program.to_device(value) for name, value in arguments.items()}
        for _ in range(3):
            assert_same_bits(program(**kept), program(**arguments))


@pytest.mark.slow
def test_not_for_memory_that_others_may_write() -> None:
    """An array exported to another framework stays an ordinary argument."""
    op, dtype, variant = SINGLE
    program = program_of(op, dtype, variant)
    arguments = with_weights(program, draw(op, dtype, variant))
    for _ in range(2):
        program(**arguments)
    view = np.from_dlpack(arguments["params"])
    ctypes.memset(view.__array_interface__["data"][0], 0, view.nbytes)
    assert_same_bits(program(**arguments), program(**arguments | {"params": np.zeros_like(view)}))
    (function,) = program.functions.values()
    assert len(function.prepacking.entries) == 0


@pytest.mark.slow
def test_arrays_on_the_device_stay_as_they_are() -> None:
    """They cannot be written to through numpy, and a copy is the array itself."""
    op, dtype, variant = SINGLE
    array = program_of(op, dtype, variant).to_device(np.arange(6.0, dtype=np.float32))
    assert copy.copy(array) is array
    assert copy.deepcopy(array) is array
    for view in (array.to_host(), np.asarray(array), array.to_host()[1:]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.flags.writeable = True


@pytest.mark.slow
def test_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept on request, nor for weights passed as numpy arrays."""
    op, dtype, variant = SINGLE
    arguments = draw(op, dtype, variant)
    program = program_of(op, dtype, variant, prepack=False)
    (function,) = program.functions.values()
    assert not function.prepacks
    program = program_of(op, dtype, variant)
    done = packings(program, monkeypatch)
    for _ in range(3):
        program(**arguments)
    assert not done


@pytest.mark.slow
def test_without_memory_to_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function itself still runs, and packing is not tried again."""
    op, dtype, variant = SINGLE
    program = program_of(op, dtype, variant)
    (function,) = program.functions.values()
    tried: list[int] = []

    def pack(weights: object) -> object:
        tried.append(1)
        raise RuntimeError("RESOURCE_EXHAUSTED")

    monkeypatch.setattr(function.prepacking, "run_prepack", pack)
    arguments = draw(op, dtype, variant)
    kept = with_weights(program, arguments)
    for _ in range(3):
        assert_same_bits(program(**kept), program(**arguments))
    assert tried == [1]


def test_threads() -> None:
    """Many callers of the same weights, from the first call on."""
    op, dtype, variant = SINGLE
    program = program_of(op, dtype, variant, "local-task")
    arguments = draw(op, dtype, variant)
    expected = program(**arguments)
    wrong: list[BaseException] = []

    def call(kept: Arrays) -> None:
        try:
            for _ in range(20):
                assert_same_bits(program(**kept), expected)
        except BaseException as error:
            wrong.append(error)

    for _ in range(5):
        kept = with_weights(program, arguments)
        threads = [threading.Thread(target=call, args=(kept,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not wrong
