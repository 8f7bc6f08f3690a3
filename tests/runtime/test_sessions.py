"""Sessions keep the states of functions between calls, and update them in place."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from errors.expect import invalid_argument
from linking import stateful

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, DeviceError, InvalidArgumentError
from rnn_compiler.runtime import direct
from rnn_compiler.runtime.direct.executor import DirectExecutor
from rnn_compiler.runtime.function import Function
from rnn_compiler.runtime.states import read_states, write_states
from rnn_compiler.schema.dtypes import DTYPES


@functools.cache
def artifact(target: str = "cpu", strategy: str | None = None) -> rc.Artifact:
    module = rc.link_module(stateful.TEXT, stateful.INFER)
    return rc.compile(module, target, strategy=strategy)


def program(calls: str = "direct", **made: Any) -> rc.Program:
    """One whose calls are direct, or go through IREE."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_COMPILER_CALLS", calls)
        return rc.runtime.load(artifact(**made), device="local-sync")


def assert_states(found: stateful.Arrays, expected: stateful.Arrays) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == np.asarray(value).dtype, name
        np.testing.assert_allclose(found[name], value, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("calls", ["direct", "iree"])
@pytest.mark.parametrize("target", ["cpu", "cpu:generic"])
def test_steps(calls: str, target: str) -> None:
    """Elementwise updates, exchanged states, results that are or read what a step replaces."""
    session = program(calls, target=target).session(**stateful.states())
    expected = stateful.states()
    for step in range(4):
        given = stateful.arguments(step)
        results = session.train(**given)
        expected, others = stateful.train(expected, given)
        assert results._fields == ("old", "late")
        np.testing.assert_array_equal(results.old, others["old"])
        np.testing.assert_allclose(results.late, others["late"], rtol=1e-5)
        assert_states(session.state, expected)
        y = session.infer(x=given["x"]).y
        np.testing.assert_allclose(y, 2 * session.state["p"] * given["x"], rtol=1e-6)


@pytest.mark.parametrize("strategy", ["portable", "pinned"])
@pytest.mark.slow
def test_other_strategies(strategy: str) -> None:
    session = program(strategy=strategy).session(**stateful.states())
    given = stateful.arguments()
    session.train(**given)
    assert_states(session.state, stateful.train(stateful.states(), given)[0])


@pytest.mark.parametrize("calls", ["direct", "iree"])
def test_a_plain_call_takes_and_returns_the_states(calls: str) -> None:
    """What the caller passed stays as it was, on the host and on the device."""
    loaded, given = program(calls), stateful.arguments()
    states = stateful.states()
    there = {name: loaded.to_device(value) for name, value in states.items()}
    expected, _ = stateful.train(states, given)
    for passed in (states, states, states, there, there, there):
        results = loaded.train(**passed, **given)._asdict()
        assert_states({name: results[name] for name in states}, expected)
        assert_states({name: np.asarray(each) for name, each in passed.items()}, states)


def test_direct_calls_update_in_place() -> None:
    """The memory of a state stays the same, so there is one copy of it."""
    loaded = program()
    assert loaded.manifest.calls == {"train": "direct", "infer": "direct"}
    session = loaded.session(**stateful.states())
    before = {name: each.address for name, each in session.arrays.items()}
    for step in range(3):
        session.train(**stateful.arguments(step))
    assert {name: each.address for name, each in session.arrays.items()} == before


def test_sessions_may_have_many_workgroups(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than plain calls, which prepare a table of them for each size."""
    monkeypatch.setattr(direct.calls, "WORKGROUPS", 0)
    session = program().session(**stateful.states())
    before = {name: each.address for name, each in session.arrays.items()}
    session.train(**stateful.arguments())
    assert {name: each.address for name, each in session.arrays.items()} == before
    monkeypatch.setattr(direct.calls, "WORKGROUPS_OF_SESSIONS", 0)
    session = program().session(**stateful.states())
    before = {name: each.address for name, each in session.arrays.items()}
    session.train(**stateful.arguments())
    assert {name: each.address for name, each in session.arrays.items()} != before


def test_sessions_are_apart() -> None:
    loaded, first = program(), stateful.states()
    one, other = loaded.session(**first), loaded.session(**first)
    one.train(**stateful.arguments())
    assert_states(other.state, first)
    assert_states(first, stateful.states())


def test_wrong_arguments_change_nothing() -> None:
    session = program().session(**stateful.states())
    given = stateful.arguments()
    session.train(**given)
    before = session.state
    with invalid_argument("train", "x", "shape [37]", "shape [36]"):
        session.train(**{**given, "x": np.zeros(36, np.float32)})
    with pytest.raises(TypeError, match="rate"):
        session.train(**{name: value for name, value in given.items() if name != "rate"})
    with pytest.raises(TypeError, match=r"train.*'p'"):
        session.train(**given, p=before["p"])
    assert_states(session.state, before)


def test_wrong_states() -> None:
    loaded, states = program(), stateful.states()
    with invalid_argument("session", "states", "values for the states p, m", "none for ring"):
        loaded.session(**{name: value for name, value in states.items() if name != "ring"})
    with invalid_argument("session", "states", "one of the states p, m", "'momentum'"):
        loaded.session(**states, momentum=0)
    with invalid_argument("session", "p", "shape [37]", "shape [3]"):
        loaded.session(**{**states, "p": np.zeros(3, np.float32)})
    with invalid_argument("session", "count", "int32", "float32"):
        loaded.session(**{**states, "count": np.float32(1.5)})
    plain = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
    with invalid_argument("session", "program", "a program with states", "none"):
        rc.runtime.load(rc.compile(plain, "cpu:generic")).session()


def test_trees_that_are_no_states() -> None:
    session = trained()
    before = session.state
    for wrong in (None, [1, 2], "p"):
        with invalid_argument("session", "states", "trees of arrays, by name", repr(wrong)):
            session.state = wrong  # type: ignore[assignment]
    endless: dict[str, Any] = {}
    endless["p"] = endless
    with invalid_argument("session", "states", "one of the states p, m", "tree_p"):
        session.state = {"tree": endless}
    with invalid_argument("session", "states", "one of the states p, m", "'3'"):
        session.state = {3: np.zeros(37)}  # type: ignore[dict-item]
    with invalid_argument("session", "p", "one value", "p and _['p']"):
        session.state = {"p": before["p"], "_": {"p": before["p"]}}
    assert_states(session.state, before)


def test_leaves_that_are_only_returned() -> None:
    """JAX leaves arguments out that a function does not read."""
    session = trained()
    session.state = {"_": {"late": np.ones(5)}} | {"p": np.ones(37, np.float32)}
    assert session.state["p"].tolist() == [1] * 37


def test_names() -> None:
    session = program().session(**stateful.states())
    with pytest.raises(TypeError, match=r"session.train\(...\), session.infer\(...\)"):
        session(x=1)
    with pytest.raises(AttributeError, match=r"no function 'trian'.*did you mean train"):
        session.trian  # noqa: B018
    assert {"train", "infer", "state", "save"} <= {*dir(session)}
    assert str(session.train.__signature__) == "(*, x, row, flag, rate)"
    assert "Session(train, infer with 13 states)" in repr(session)
    assert "37" in session._repr_html_()


def test_first_values_in_the_artifact(tmp_path: Path) -> None:
    """They need not be given, and others override them."""
    states = stateful.states()
    module = rc.link_module(stateful.TEXT, stateful.INFER, states=states)
    rc.compile(module).save(tmp_path / "m.vmfb")
    loaded = rc.runtime.load(tmp_path / "m.vmfb", device="local-sync")
    assert_states(loaded.session().state, states)
    other = {**states, "p": states["p"] + 1}
    assert_states(loaded.session(p=other["p"]).state, other)


def test_keep_revert_and_reset() -> None:
    session = program().session(**stateful.states())
    with invalid_argument("revert", "session", "a call of keep", "none"):
        session.revert()
    session.train(**stateful.arguments(1))
    kept = session.state
    session.keep()
    session.train(**stateful.arguments(2))
    session.revert()
    assert_states(session.state, kept)
    session.reset()
    assert_states(session.state, stateful.states())
    session.state = {"p": kept["p"]}
    assert_states(session.state, {**stateful.states(), "p": kept["p"]})


def test_threads_take_turns() -> None:
    session = program().session(**stateful.states())
    given, count = stateful.arguments(), 50

    def work() -> None:
        for _ in range(count):
            session.train(**given)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.state["count"] == 4 * count


def trained(steps: int = 3) -> Any:
    session = program().session(**stateful.states())
    for step in range(steps):
        session.train(**stateful.arguments(step))
    return session


def test_checkpoints(tmp_path: Path) -> None:
    session, path = trained(), tmp_path / "a.safetensors"
    session.save(path)
    other = program().session(**stateful.states())
    other.load(path)
    assert_states(other.state, session.state)
    given = stateful.arguments(9)
    np.testing.assert_array_equal(other.train(**given).late, session.train(**given).late)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_is_written_and_read(dtype: str, tmp_path: Path) -> None:
    path, kind = tmp_path / "a.safetensors", DTYPES[dtype].numpy
    states = {
        "a": np.array([[1, 0, 1]], kind),
        "scalar": np.array(1, kind),
        "none": np.ones(0, kind),
    }
    write_states(path, states)
    assert_states(read_states(path, ()), states)


def flipped(data: bytes) -> bytes:
    return data[:-40] + bytes([data[-40] ^ 1]) + data[-39:]


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        lambda data: data[:-1],
        lambda data: data[:9],
        lambda _: b"",
        lambda data: data + b"0",
    ],
    ids=["a bit", "an end", "a header", "empty", "longer"],
)
def test_damaged_checkpoints(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """The states stay as they are."""
    session, path = trained(), tmp_path / "a.safetensors"
    session.save(path)
    path.write_bytes(damage(path.read_bytes()))
    before = session.state
    with pytest.raises(ArtifactError, match=r"a\.safetensors: .*damaged"):
        session.load(path)
    assert_states(session.state, before)


def test_checkpoints_of_others(tmp_path: Path) -> None:
    import safetensors.numpy

    session = trained()
    states, path = session.state, tmp_path / "a.safetensors"
    safetensors.numpy.save_file(states, path)  # which writes no digest
    assert_states(read_states(path, ()), states)
    session.load(path)
    del states["ring"]
    safetensors.numpy.save_file(states, path)
    with invalid_argument("load", "path", "the states p, m", "lacks ring"):
        session.load(path)
    safetensors.numpy.save_file({**states, "ring": np.zeros((2, 2), np.float32)}, path)
    with pytest.raises(InvalidArgumentError, match=r"'ring': expected .*\[6, 2\]"):
        session.load(path)
    with pytest.raises(FileNotFoundError):
        session.load(tmp_path / "none.safetensors")


def test_a_checkpoint_that_cannot_be_written_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, path = trained(), tmp_path / "a.safetensors"
    session.save(path)
    older = path.read_bytes()
    session.train(**stateful.arguments(5))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"a\.safetensors"):
        session.save(path)
    assert path.read_bytes() == older
    assert [each.name for each in tmp_path.iterdir()] == ["a.safetensors"]


NAMED = ("save", "state", "reset", "functions", "arrays", "close", "keep")
COUNT = """
  func.func @NAME(%total: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>) {
    %sum = stablehlo.add %total, %x : tensor<2xf32>
    %twice = stablehlo.add %sum, %sum : tensor<2xf32>
    return %sum, %twice : tensor<2xf32>, tensor<2xf32>
  }"""


@pytest.mark.slow
def test_functions_named_like_what_a_session_has(tmp_path: Path) -> None:
    """They are called by name among its functions, and a warning says so."""
    text = "module {" + "".join(COUNT.replace("NAME", name) for name in NAMED) + "}"
    loaded = rc.runtime.load(rc.compile(rc.link_module(text), "cpu:generic"))
    own = "save, state, reset, functions, arrays, keep: named like what a session has itself"
    with pytest.warns(UserWarning, match=own) as warned:
        session = loaded.session(total=[1, 2])
    assert "call session.functions['save'](...), session.f" in str(warned[0].message)
    assert warned[0].filename == __file__
    for name in NAMED:
        assert session.functions[name](x=[1, 1]).result1.tolist() == [4, 6]
        session.reset()
    assert session.close([1, 1]).result1.tolist() == [4, 6]
    session.save(tmp_path / "a.safetensors")
    session.load(tmp_path / "a.safetensors")
    assert session.state["total"].tolist() == [2, 3]


@pytest.mark.parametrize("path", ["a\0b", 3, None])
def test_paths_that_no_file_has(path: Any) -> None:
    session = program().session(**stateful.states())
    with invalid_argument("save", "path", "a path", repr(path)):
        session.save(path)
    with invalid_argument("load", "path", "a path", repr(path)):
        session.load(path)


@pytest.mark.parametrize("calls", ["direct", "iree"])
def test_a_call_that_fails_midway(calls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The states may be half updated: they are gone until they are given again, all of them."""
    session = program(calls).session(**stateful.states())
    given = stateful.arguments(0)
    session.train(**given)
    session.keep()
    kept = session.state

    def fail(*_: Any) -> Any:
        raise IndexError("no memory left")

    with monkeypatch.context() as patch:
        patch.setattr(DirectExecutor, "run", fail)
        patch.setattr(Function, "call_module", fail)
        with pytest.raises(DeviceError, match=r"train: .*no memory left; the states of the sess"):
            session.train(**given)
    gone = "session: a call failed: the states of the session may be half updated and are gone"
    some = {"count": np.int32(3)}
    for use in (
        lambda: session.train(**given),
        lambda: session.infer(x=given["x"]),
        lambda: session.state,
        session.keep,
        lambda: session.save("never.safetensors"),
        lambda: setattr(session, "state", some),
    ):
        with pytest.raises(DeviceError, match=gone):
            use()
    session.revert()
    assert_states(session.state, kept)
    session.train(**given)
    assert_states(session.state, stateful.train(kept, given)[0])


def test_an_interrupted_call_of_iree(monkeypatch: pytest.MonkeyPatch) -> None:
    session = program("iree").session(**stateful.states())

    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Function, "call_module", interrupt)
        with pytest.raises(KeyboardInterrupt):
            session.train(**stateful.arguments(0))
    with pytest.raises(DeviceError, match="are gone"):
        _ = session.state
    session.state = stateful.states()
    assert_states(session.state, stateful.states())
