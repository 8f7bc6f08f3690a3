"""Sessions in JavaScript keep the states of functions, and store them in blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c.calling import run
from js.calling import needs_node, node
from linking import stateful

import rnn_compiler as rc

pytestmark = needs_node

SCRIPT = """
import { load, InvalidArgumentError } from "./tagger.mjs";
const m = await load();
const failed = (work) => {
  try { work(); } catch (error) { return `${error.constructor.name}: ${error.message}`; }
};
const x = Float32Array.from({ length: 37 }, (_, k) => (k % 5) - 2);
const given = { x, row: new Float32Array([1, 2]), flag: new Uint8Array([1, 0, 1]), rate: 0.25 };
const step = m.train_start();
for (let k = 0; k < 3; k++) step(given);
const said = { names: Object.keys(m), first: step(given) };
step.reset();
for (let k = 0; k < 3; k++) step.train(given);
step.keep();
const block = step.save();
step(given);
said.four = step.state.count[0];
step.revert();
said.three = step.state.count[0];
const other = m.infer_start();
other.load(block);
said.loaded = other.state.count[0];
const { y } = other({ x });
said.y = y.every((each, k) => each === Math.fround(2 * Math.fround(other.state.p[k] * x[k])));
const damaged = block.slice();
damaged[300] ^= 1;
said.damaged = failed(() => other.load(damaged));
damaged[0] ^= 1;
said.foreign = failed(() => other.load(damaged));
said.short = failed(() => other.load(block.slice(1)));
said.nothing = failed(() => other.load("block"));
said.stays = other.state.count[0];
said.shape = failed(() => m.train_start({ p: new Float32Array(3) }));
said.unknown = failed(() => m.train_start({ q: new Float32Array(37) }));
said.passed = failed(() => step({ ...given, p: x }));
said.wrong = failed(() => step({ ...given, x: new Float32Array(36) }));
said.never = failed(() => m.train_start().revert());
said.p = Array.from(step.state.p);
step.state = { count: 7 };
said.seven = step.state.count[0];
said.half = failed(() => (step.state = { count: 9, p: new Float32Array(3) }));
said.same = step.state.count[0];
step.close();
step.close();
said.closed = failed(() => step(given));
said.block = Array.from(block);
console.log(JSON.stringify(said));
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("js")
    module = rc.link_module(stateful.TEXT, stateful.INFER, states=stateful.states())
    rc.compile_js(module, name="tagger").save(folder)
    return json.loads(node(folder, SCRIPT))


def test_calls(said: dict[str, Any]) -> None:
    assert said["names"] == ["train", "infer", "train_start", "infer_start"]
    assert [*said["first"]] == ["old", "late"]
    assert said["y"] is True
    given = {
        "x": np.arange(37, dtype=np.float32) % 5 - 2,
        "row": np.float32([[1, 2]]),
        "flag": np.array([True, False, True]),
        "rate": np.float32(0.25),
    }
    states: dict[str, Any] = stateful.states()
    for _ in range(3):
        states, _ = stateful.train(states, given)
    np.testing.assert_allclose(said["p"], states["p"], rtol=1e-6, atol=1e-6)


def test_states(said: dict[str, Any]) -> None:
    names = ("four", "three", "loaded", "stays", "seven", "same")
    assert [said[each] for each in names] == [4, 3, 3, 3, 7, 7]


def test_errors(said: dict[str, Any]) -> None:
    expected = {
        "damaged": "ArtifactError: block: damaged",
        "foreign": "ArtifactError: block: of another module",
        "short": "ArtifactError: block: 1060 bytes, not 1061",
        "nothing": "InvalidArgumentError: load: 'block': expected a Uint8Array",
        "shape": "InvalidArgumentError: train_start: 'p': expected 37 elements, shape [37], got 3",
        "unknown": "TypeError: train_start() got an unexpected argument 'q'",
        "passed": "TypeError: train() got an unexpected argument 'p'; it takes x, row, flag, rate",
        "wrong": "InvalidArgumentError: train: 'x': expected 37 elements",
        "never": "InvalidArgumentError: revert: 'session': expected a call of keep before",
        "half": "InvalidArgumentError: train_start: 'p': expected 37 elements, shape [37], got 3",
        "closed": "UnsupportedError: train_start: closed",
    }
    assert {name: said[name][: len(text)] for name, text in expected.items()} == expected


def test_a_block_of_javascript_in_c(said: dict[str, Any], tmp_path: Path) -> None:
    """Both write the same blocks."""
    module = rc.link_module(stateful.TEXT, stateful.INFER, states=stateful.states())
    rc.compile_c(module, "cpu:generic", name="tagger").save(tmp_path)
    (tmp_path / "block.bin").write_bytes(bytes(said["block"]))
    (tmp_path / "main.c").write_text(
        '#include "tagger.h"\n#include <stdio.h>\n'
        "static struct tagger_state state;\n"
        "static unsigned char block[TAGGER_STATE_BLOCK_SIZE];\n"
        "int main(void)\n{\n"
        '    FILE *file = fopen("block.bin", "rb");\n'
        "    size_t size = fread(block, 1, sizeof block, file);\n"
        "    int code = tagger_state_from_block(&state, block);\n"
        '    printf("%d %d %d", size == sizeof block, code, (int)state.count);\n'
        "    return fclose(file);\n}\n"
    )
    run("gcc", "main.c", "tagger.c", "tagger.o", "-o", "main", folder=tmp_path)
    assert run("./main", folder=tmp_path) == "1 0 3"


@pytest.mark.slow
def test_a_module_without_first_values_needs_them(tmp_path: Path) -> None:
    rc.compile_js(rc.link_module(stateful.TEXT), name="m").save(tmp_path)
    script = """
        import { load } from "./m.mjs";
        const m = await load();
        const p = new Float32Array(37);
        try { m.main_start({ p }); } catch (error) { console.log(error.message); }
    """
    said = node(tmp_path, script)
    assert said.startswith("main_start() missing required arguments: 'm', 'big', 'count'")


@pytest.mark.slow
def test_types() -> None:
    module = rc.link_module(stateful.TEXT, stateful.INFER, states=stateful.states())
    text = rc.compile_js(module, name="tagger").types
    for line in (
        "  train_start(states?: FirstStates): TrainSession;",
        "export interface TrainSession extends TrainStep, Session {",
        "  readonly infer: InferStep;",
        '  (given: Omit<InferArguments, "p">): Omit<InferResults, never>;',
    ):
        assert line in text.splitlines()
    without = rc.compile_js(rc.link_module(stateful.TEXT), name="m").types
    assert "  main_start(states: FirstStates): MainSession;" in without


@pytest.mark.slow
def test_functions_named_like_what_a_session_has(tmp_path: Path) -> None:
    """They are members of its functions alone."""
    count = """
      func.func @NAME(%total: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2xf32>)
          -> tensor<2xf32> {
        %sum = stablehlo.add %total, %x : tensor<2xf32>
        return %sum : tensor<2xf32>
      }"""
    names = ["save", "state", "functions", "name", "length", "close", "add"]
    text = "module {" + "".join(count.replace("NAME", name) for name in names) + "}"
    rc.compile_js(rc.link_module(text, states={"total": [0, 1]}), name="m").save(tmp_path)
    script = """
import { load } from "./m.mjs";
const step = (await load()).add_start();
const x = new Float32Array([1, 1]);
for (const name of Object.keys(step.functions)) step.functions[name]({ x });
step.name({ x });
step.add({ x });
const kept = step.save();
step({ x });
step.load(kept);
console.log(JSON.stringify([Object.keys(step.functions), Array.from(step.state.total)]));
"""
    assert json.loads(node(tmp_path, script)) == [names, [9, 10]]
    types = (tmp_path / "m.d.ts").read_text()
    assert "readonly functions: { readonly save: SaveStep; readonly state: StateStep;" in types
