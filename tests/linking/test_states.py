"""Donated arguments become states, by name in all functions of a module; results get names."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from errors.expect import invalid_argument
from linking import stateful
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import CompileWarning


def simple(*, donated: str = "", result: str = "", kind: str = "2xf32", name: str = "main") -> str:
    """A function of one argument and one result."""
    of, info = f"tensor<{kind}>", f' {{jax.result_info = "{result}"}}' if result else ""
    attributes = f" {{{donated}}}" if donated else ""
    return f"""module @jit_step {{
      func.func public @{name}(%w: {of}{attributes}, %x: {of}) -> ({of}{info}, {of}) {{
        %r = stablehlo.add %w, %x : {of}
        return %r, %x : {of}, {of}
      }}
    }}"""


ALIAS, DONOR = "tf.aliasing_output = 0 : i32", "jax.buffer_donor = true"


def test_states_and_names_of_several_functions() -> None:
    module = rc.link_module(stateful.TEXT, stateful.INFER)
    train, infer = module.functions
    assert (train.function, infer.function) == ("train", "infer")
    assert train.states == tuple(stateful.TYPES)
    assert infer.states == ("p",)
    assert [each.name for each in train.results] == [*stateful.TYPES, "old", "late"]
    assert [each.name for each in infer.results] == ["y"]
    assert train.continued == {k: k for k in range(len(stateful.TYPES))}
    assert infer.continued == {}
    assert not module.linked


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("", "result0"),
        ("result", "result0"),
        ("result[0]", "result0"),
        ("result[1][0]", "result0"),
        ("result['loss']", "loss"),
        ("result['params']['w']", "params_w"),
        ("result[0]['w']", "result_0_w"),
        ("result.mu['w']", "mu_w"),
        ("result['x y']", "x_y"),
        ("result['for']", "result_for"),
        ("result['for_']", "for_"),
        ("result['self']", "result0"),
    ],
)
def test_names_of_results(info: str, name: str) -> None:
    (spec,) = rc.link_module(simple(result=info)).functions
    assert spec.results[0].name == name


@pytest.mark.parametrize(("donated", "result"), [(ALIAS, ""), (DONOR, "result['w']")])
def test_a_donated_argument(donated: str, result: str) -> None:
    """The text names the result, by its number or its path."""
    (spec,) = rc.link_module(simple(donated=donated, result=result)).functions
    assert spec.states == ("w",)
    assert [each.name for each in spec.results] == ["w", "result1"]


def test_the_only_result_of_a_donors_type() -> None:
    text = simple(donated=DONOR).replace("tensor<2xf32>) {", "tensor<1xf32>) {")
    text = text.replace("%x: tensor<2xf32>)", "%x: tensor<2xf32>, %y: tensor<1xf32>)")
    types = "tensor<2xf32>, tensor"
    text = text.replace(f"return %r, %x : {types}<2xf32>", f"return %r, %y : {types}<1xf32>")
    (spec,) = rc.link_module(text).functions
    assert spec.states == ("w",)


def test_a_donated_argument_that_nothing_continues() -> None:
    """Two results have its type, so the choice is not known; it is said."""
    with pytest.warns(CompileWarning, match=r"main: the donated argument w is no state: .* 2 of"):
        (spec,) = rc.link_module(simple(donated=DONOR)).functions
    assert spec.states == ()


def test_names_of_functions(tmp_path: Path) -> None:
    """A function main is called like its module, or like its file, if there are others."""
    file = tmp_path / "predict.mlir"
    file.write_text(simple().replace(" @jit_step", ""))
    module = rc.link_module(simple(donated=ALIAS), file, simple(name="other"))
    assert [spec.function for spec in module.functions] == ["step", "predict", "other"]
    assert [spec.states for spec in module.functions] == [("w",)] * 3
    assert [spec.function for spec in rc.link_module(simple()).functions] == ["main"]


def test_wrong_states() -> None:
    with invalid_argument("main", "w", "a result of its shape and type", "= 9"):
        rc.link_module(simple(donated="tf.aliasing_output = 9 : i32"))
    other = simple(donated=ALIAS, kind="3xf32", name="other")
    with invalid_argument("other", "w", "float32[2], as in step", "float32[3]"):
        rc.link_module(simple(donated=ALIAS), other)
    with invalid_argument("link", "module", "functions of different names", "two called step"):
        rc.link_module(simple(), simple())
    expected = (
        r"other: the argument w is no state: it is float32\[3\], and .* float32\[2\], as in step"
    )
    with pytest.warns(CompileWarning, match=expected) as told:
        plain = rc.link_module(simple(donated=ALIAS), simple(kind="3xf32", name="other"))
    assert len(told) == 1
    assert plain.functions[1].states == ()


def test_initial_values() -> None:
    text = simple(donated=ALIAS)
    module = rc.link_module(text, states={"w": [1, 2]})
    assert module.initial["w"].tolist() == [1, 2]
    assert module.initial["w"].dtype == np.float32
    with invalid_argument("link", "states", "one of the states w", "'v'"):
        rc.link_module(text, states={"v": np.zeros(2)})
    with invalid_argument("link", "w", "shape [2]", "shape [3]"):
        rc.link_module(text, states={"w": [1, 2, 3]})
    with invalid_argument("link", "states", "a module with states", "'w'"):
        rc.link_module(simple(), states={"w": np.zeros(2)})


def test_a_state_is_no_weight() -> None:
    """It changes, so it is neither frozen nor packed for many calls."""
    module = rc.link_module(simple(donated=ALIAS))
    with invalid_argument("main", "weights", "one of x", "'w'"):  # says how states get values
        rc.freeze(module, {"w": np.zeros(2, np.float32)})


def test_nothing_is_said_of_states_that_are_kept() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rc.link_module(simple(donated=ALIAS))


@pytest.mark.slow
def test_the_command_line(tmp_path: Path, cli: Any) -> None:
    """Several files, first values, and what is said of states."""
    for name, text in (("train", stateful.TEXT), ("infer", stateful.INFER)):
        (tmp_path / f"{name}.mlir").write_text(text)
    np.savez(tmp_path / "states.npz", **stateful.states())
    files = [tmp_path / "train.mlir", tmp_path / "infer.mlir", "--states", tmp_path / "states.npz"]
    out = tmp_path / "m.vmfb"
    said = cli("link", *files, "-o", out).out
    assert "functions: train, infer" in said
    assert "states: p, m, big, count" in said
    assert "first values of states: " in said
    loaded = rc.runtime.load(out, device="local-sync")
    session = loaded.session()
    assert session.state["count"] == 0
    assert "\nstate  dtype    shape   formula\np      float32  37\n" in cli("inspect", out).out
    written = ("--format", "c", "-o", tmp_path / "c", "--target", "cpu:generic")
    said = cli("link", *files, *written).out
    assert "states: 1,664 bytes, struct train_state" in said
    assert "states        1,664 bytes" in cli("inspect", tmp_path / "c").out


@pytest.mark.parametrize(
    ("form", "written"),
    first(
        [
            ("c", {"learner.h", "learner.c", "learner.o", "learner.json"}),
            ("vmfb", {"learner.vmfb", "learner.vmfb.json", "learner.irpa"}),
            ("js", {"learner.mjs", "learner.wasm", "learner.d.ts", "learner.json"}),
        ]
    ),
)
def test_the_name_of_the_files(
    form: str, written: set[str], tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "step.mlir").write_text(simple(donated=ALIAS))
    np.savez("first.npz", w=np.zeros(2, np.float32))
    words = ("link", "step.mlir", "--states", "first.npz", "--format", form)
    said = cli(*words, "--name", "learner").out
    folder = tmp_path / ("" if form == "vmfb" else "learner")
    assert written <= {each.name for each in folder.iterdir()}
    if form == "c":
        assert "struct learner_state" in said
        assert "LEARNER_ALIGNMENT" in (folder / "learner.h").read_text()
    for name in ("../learner", "2nd", "while", ""):
        printed = cli(*words, "--name", name, code=2).err
        assert "link: 'name': expected a name of at most 100 letters, digits and _" in printed
        assert f"no word of C or C++, got '{name}'; give another: --name" in printed


@pytest.mark.slow
@pytest.mark.parametrize("form", ["vmfb", "c", "js"])
def test_bad_states_write_nothing(form: str, tmp_path: Path, cli: Any) -> None:
    """First values of another shape or name, and functions whose states differ."""
    texts = {
        "step": simple(donated=ALIAS),
        "other": simple(donated=ALIAS, kind="3xf32", name="other"),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    np.savez(tmp_path / "long.npz", w=np.zeros(3, np.float32))
    np.savez(tmp_path / "named.npz", v=np.zeros(2, np.float32))
    np.savez(tmp_path / "tree.npz", params=np.array({"w": np.zeros(2)}))
    made = tmp_path / "made"
    options = ("--format", form, "-o", made)
    for given, message in (
        (("--states", tmp_path / "long.npz"), "link: 'w': expected shape [2], got shape [3]"),
        (("--states", tmp_path / "named.npz"), "link: 'states': expected one of the states w"),
        (
            ("--states", tmp_path / "tree.npz"),
            f"load: 'path': expected arrays of numbers, got {tmp_path / 'tree.npz'}, in which "
            "'params' has Python objects, such as a dict; store one array for each, named by its "
            "path, such as params_w for params['w']",
        ),
        ((tmp_path / "other.mlir",), "other: 'w': expected float32[2], as in step, got float32[3]"),
    ):
        err = cli("link", tmp_path / "step.mlir", *given, *options, code=2).err
        assert message in err
        assert not made.exists()


@pytest.mark.parametrize(
    ("results", "continued"),
    [
        (("['m']['w']", "['p']['w']"), {0: 1, 1: 0}),
        (("['loss']", "['m']['w']", "['p']['w']"), {0: 2, 1: 1}),
        (("[0]['w']", "[1]['w']"), {0: 0, 1: 1}),
        (("[0]", "[1]['w']", "[2]['w']"), {0: 1, 1: 2}),
        (("[0]", "[1]"), {0: 0, 1: 1}),
        (("['m']['w']", "['next']['w']"), {0: 1, 1: 0}),
        (("['next']['w']", "['norm']", "['m']['w']"), {0: 0, 1: 2}),
        (("['new_m']['w']", "['new_p']['w']"), {}),
        (("[0]", "[1]", "[2]"), {}),
    ],
)
def test_results_that_continue_arguments(
    results: tuple[str, ...], continued: dict[int, int]
) -> None:
    """By their names and paths, whatever result JAX lets an argument's memory become."""
    of = "tensor<2xf32>"
    given = ", ".join(
        f"%arg{k}: {of} {{tf.aliasing_output = {k} : i32}} loc(\"{name}['w']\")"
        for k, name in enumerate("pm")
    )
    returned = ", ".join(f'{of} {{jax.result_info = "result{each}"}}' for each in results)
    text = f"""module @jit_step {{
      func.func public @main({given}, %x: {of}) -> ({returned}) {{
        return {", ".join(["%x"] * len(results))} : {", ".join([of] * len(results))}
      }}
    }}"""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        (spec,) = rc.link_module(text).functions
    assert spec.continued == continued
    assert [str(each.message).split(":")[2] for each in said] == [
        f" the donated argument {name}_w is no state"
        for number, name in enumerate("pm")
        if number not in continued
    ]


def test_paths_below_arguments() -> None:
    """The optimizer's arrays, returned before the parameters, have longer paths than theirs."""
    of = "tensor<2xf32>"
    text = f"""module @jit_step {{
      func.func public @main(%a: {of} {{tf.aliasing_output = 0 : i32}} loc("params['w']"),
          %b: {of} {{jax.buffer_donor = true}} loc("opt[0].mu['w']"))
          -> ({of} {{jax.result_info = "result[0][0].mu['w']"}},
              {of} {{jax.result_info = "result[1]['w']"}}) {{
        return %b, %a : {of}, {of}
      }}
    }}"""
    (spec,) = rc.link_module(text).functions
    assert spec.continued == {0: 1, 1: 0}
