"""Calls in JavaScript: errors, frozen weights, streams, open sizes, files that do not fit."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import processes
import pytest
from js.calling import needs_node, node
from numeric.harness import draw, module

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.js.linking import link

pytestmark = needs_node

SIZES = {"batch_size": 1, "input_size": 8, "num_units": 24}
OUTPUTS = ("cs", "h")

ARGUMENTS = """
const numbers = (n, scale) => Float32Array.from({ length: n }, (_, k) => Math.sin(k * 7) * scale);
const given = (T, B) => ({
  seq_len_max: T, x: numbers(T * B * 8, 1), cs_prev: numbers(B * 24, 0.1),
  h_prev: numbers(B * 24, 0.1), w: numbers(32 * 96, 0.2), wci: numbers(24, 0),
  wcf: numbers(24, 0), wco: numbers(24, 0), b: numbers(96, 0.1),
});
const same = (one, other) => one.length === other.length && one.every((v, k) => v === other[k]);
const message = (act) => { try { act(); } catch (e) { return `${e.name}: ${e.message}`; } };
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module built for 5 steps, and one for any sizes."""
    found = tmp_path_factory.mktemp("js")
    fixed = rc.build("BlockLSTMV2", seq_length=5, outputs=OUTPUTS, **SIZES)
    rc.compile_js(fixed, name="fixed").save(found)
    sizes = {**SIZES, "batch_size": None}
    opened = rc.build("BlockLSTMV2", seq_length=None, outputs=OUTPUTS, **sizes)
    rc.compile_js(opened, name="opened").save(found)
    return found


ERRORS = [
    ("x: numbers(3, 1)", "InvalidArgumentError: BlockLSTMV2: 'x': expected 40 elements, shape"),
    ("x: new Float64Array(40)", "expected dtype float32, a Float32Array, got a Float64Array"),
    ("x: new Int32Array(40)", "expected dtype float32, a Float32Array, got an Int32Array"),
    ("x: [1, 2]", "'x': expected a Float32Array, got an Array; pass Float32Array.from(...)"),
    ("x: 'text'", "'x': expected a Float32Array, got string"),
    ("seq_len_max: 6", "BlockLSTMV2: 'seq_len_max': expected a value in 0..5, got 6"),
    ("seq_len_max: -1n", "expected a value in 0..5, got -1"),
    ("seq_len_max: 1.5", "expected an integer, got 1.5"),
    ("seq_len_max: NaN", "expected an integer, got NaN"),
    ("seq_len_max: {}", "expected a number, got object"),
    ("w: undefined", "TypeError: block_lstm_v2() missing required argument: 'w'"),
    ("weights: 1", "TypeError: block_lstm_v2() got an unexpected argument 'weights'; it takes"),
]
"""Changed arguments, each with a part of the error."""


def test_errors(folder: Path) -> None:
    calls = [f"m.block_lstm_v2({{ ...given(5, 1), {change} }})" for change, _ in ERRORS]
    script = f"""import {{ load }} from "./fixed.mjs";{ARGUMENTS}
    const m = await load();
    for (const call of [{",".join(f"() => {call}" for call in calls)}])
      console.log(message(call));"""
    for told, (change, expected) in zip(node(folder, script).splitlines(), ERRORS, strict=True):
        assert expected in told, change


@pytest.mark.slow
def test_frozen_weights_give_the_same_bits(folder: Path) -> None:
    w = np.sin(7 * np.arange(32 * 96, dtype=np.float64)) * 0.2
    weights = {"w": w.reshape(32, 96).astype(np.float32)}
    module = rc.build("BlockLSTMV2", seq_length=5, outputs=OUTPUTS, **SIZES)
    rc.compile_js(rc.freeze(module, weights), name="frozen").save(folder)
    script = f"""import {{ load }} from "./fixed.mjs";{ARGUMENTS}
    const {{ load: loadFrozen }} = await import("./frozen.mjs");
    const [m, frozen] = [await load(), await loadFrozen()];
    const {{ w, ...rest }} = given(5, 1);
    console.log(same(m.block_lstm_v2(given(5, 1)).h, frozen.block_lstm_v2(rest).h));"""
    assert node(folder, script) == "true\n"


@pytest.mark.parametrize("name", ["fixed", "opened"])
def test_chunks_give_the_bits_of_one_call(folder: Path, name: str) -> None:
    """Of 1, 3, 1, none, and more than the function was built for; from the start again."""
    script = f"""import {{ load }} from "./opened.mjs";{ARGUMENTS}
    const {{ load: other }} = await import("./{name}.mjs");
    const [m, streamed] = [await load(), await other()];
    const {{ seq_len_max, x, ...rest }} = given(17, 1);
    const whole = m.block_lstm_v2(given(17, 1));
    const stream = streamed.block_lstm_v2.stream(rest);
    for (const round of [1, 2]) {{
      const h = [];
      for (const [from, to] of [[0, 1], [1, 4], [4, 5], [5, 5], [5, 17]])
        h.push(...stream({{ x: x.subarray(from * 8, to * 8) }}).h);
      console.log(same(whole.h, h), same(stream.state.h_prev, whole.h.slice(-24)));
      stream.reset();
    }}
    console.log(same(stream.state.h_prev, rest.h_prev));
    console.log(message(() => stream({{ x: numbers(9, 1) }})));
    stream.close();
    console.log(message(() => stream({{ x: numbers(8, 1) }})));"""
    lines = node(folder, script).splitlines()
    assert lines[:3] == ["true true", "true true", "true"]
    assert "InvalidArgumentError: BlockLSTMV2: 'x': expected a multiple of 8 elements" in lines[3]
    assert "UnsupportedError: block_lstm_v2.stream: closed" in lines[4]


SMALL = {"batch_size": 2, "input_size": 3, "num_units": 4}

BATCH_FIRST = [
    ("onnx.LSTM", {**SMALL, "layout": 1, "inputs": "B sequence_lens initial_h initial_c"}, "X Y"),
    ("CudnnRNNV3", {**SMALL, "time_major": False, "is_training": False}, "input output"),
]
"""An op, its sizes and attributes, and its sequences."""


def literal(value: Any) -> str:
    """A number or an array of float32 in JavaScript."""
    listed = np.asarray(value).ravel().tolist()
    return f"Float32Array.from({listed})" if np.ndim(value) else str(listed[0])


@pytest.mark.slow
@pytest.mark.parametrize(("op", "variant", "sequences"), BATCH_FIRST)
@pytest.mark.parametrize("steps", [3, None])
def test_streams_with_the_batch_first(
    op: str, variant: dict[str, Any], sequences: str, steps: int | None, tmp_path: Path
) -> None:
    """Chunks of 2, 4 and 1 steps, joined along the second axis, are one call of a program."""
    rc.compile_js(module(op, "float32", {**variant, "seq_length": steps}), name="m").save(tmp_path)
    variant = {**variant, "seq_length": 7}
    given = draw(op, "float32", variant, steps=7)
    expected = rc.runtime.load(rc.compile(module(op, "float32", variant)))(**given)
    chunk, rows = sequences.split()
    wanted = getattr(expected, rows)
    kept = {k: v for k, v in given.items() if k != chunk and np.asarray(v).dtype.kind == "f"}
    pieces = [literal(each) for each in np.split(given[chunk], [2, 6], axis=1)]
    script = f"""import {{ load }} from "./m.mjs";
    const [{{ stream }}] = Object.values(await load());
    const run = stream({{ {", ".join(f"{k}: {literal(v)}" for k, v in kept.items())} }});
    const found = [{", ".join(pieces)}].map((each) => [...run({{ {chunk}: each }}).{rows}]);
    console.log(JSON.stringify([found, [...Object.values(run.state)[0]]]));"""
    found, state = json.loads(node(tmp_path, script))
    shapes = [(2, count, *wanted.shape[2:]) for count in (2, 4, 1)]
    parts = [np.reshape(each, shape) for each, shape in zip(found, shapes, strict=True)]
    np.testing.assert_allclose(np.concatenate(parts, 1), wanted, 1e-5, 1e-5)
    np.testing.assert_allclose(state, wanted[:, -1].ravel(), 1e-5, 1e-5)


@pytest.mark.slow
def test_sizes_in_any_order(tmp_path: Path) -> None:
    """Of the same elements, 2 rows of 3 steps are not 3 rows of 2, however the sizes are given."""
    names = {"inputs": "", "outputs": "Y"}
    sizes = {"input_size": 3, "num_units": 4}
    opened = {"seq_length": None, "batch_size": None, **sizes, **names}
    rc.compile_js(module("onnx.LSTM", "float32", opened), name="m").save(tmp_path)
    script = f"""import {{ load }} from "./m.mjs";{ARGUMENTS}
    const {{ onnx_lstm }} = await load();
    const rest = {{ X: numbers(18, 1), W: numbers(48, 1), R: numbers(64, 1) }};
    const call = (sizes) => [...onnx_lstm({{ ...rest, ...sizes }}).Y];
    const calls = [{{ batch_size: 2 }}, {{ seq_length: 2 }}, {{ seq_length: 2, batch_size: 3 }}];
    console.log(JSON.stringify(calls.map(call)));"""
    three, *two = json.loads(node(tmp_path, script))
    given = {"X": 18, "W": 48, "R": 64}
    program = rc.runtime.load(rc.compile(module("onnx.LSTM", "float32", opened)))
    for steps, batch, found in ((3, 2, three), *((2, 3, each) for each in two)):
        shapes = {"X": (steps, batch, 3), "W": (1, 16, 3), "R": (1, 16, 4)}
        arrays = {
            name: np.sin(7 * np.arange(size)).astype(np.float32).reshape(shapes[name])
            for name, size in given.items()
        }
        expected = program(**arrays).Y
        np.testing.assert_allclose(found, expected.ravel(), 1e-5, 1e-5)


def test_streams_pack_weights_once(folder: Path) -> None:
    """A chunk runs less code than a call, which packs them; closed streams leave their memory."""
    script = f"""{ARGUMENTS}
    let [calls, grown] = [0, 0];
    const {{ get }} = WebAssembly.Table.prototype;
    WebAssembly.Table.prototype.get = function (k) {{
      const code = get.call(this, k);
      return (...given) => {{ calls++; return code(...given); }};
    }};
    const {{ grow }} = WebAssembly.Memory.prototype;
    WebAssembly.Memory.prototype.grow = function (k) {{ grown += k; return grow.call(this, k); }};
    const counted = (act) => {{ calls = 0; act(); return calls; }};
    const {{ load }} = await import("./opened.mjs");
    const {{ block_lstm_v2 }} = await load();
    const {{ seq_len_max, x, ...rest }} = given(5, 1);
    const one = counted(() => block_lstm_v2(given(5, 1)));
    const stream = block_lstm_v2.stream(rest);
    rest.w.fill(0); // the stream has a copy
    for (const length of [5, 1, 1])
      console.log(one - counted(() => stream({{ x: x.subarray(0, length * 8) }})));
    stream.close();
    grown = 0;
    for (let k = 0; k < 50; k++) {{
      const other = block_lstm_v2.stream(rest);
      other({{ x }});
      other.close();
    }}
    console.log(grown);"""
    *saved, grown = map(int, node(folder, script).split())
    assert all(count > 0 for count in saved)
    assert grown <= 2


def test_any_sizes(folder: Path) -> None:
    """They follow from the arrays; the rows of a batch equal those computed alone."""
    script = f"""import {{ load }} from "./opened.mjs";{ARGUMENTS}
    const m = await load();
    for (const [T, B] of [[1, 1], [5, 3], [40, 2], [5, 3]]) {{
      const {{ h }} = m.block_lstm_v2(given(T, B));
      console.log(h.length === T * B * 24, h.every(Number.isFinite));
    }}
    console.log(message(() => m.block_lstm_v2({{ ...given(5, 3), x: numbers(50, 1) }})));
    console.log(message(() => m.block_lstm_v2({{ ...given(5, 3), seq_length: 4 }})));"""
    lines = node(folder, script).splitlines()
    assert lines[:4] == ["true true"] * 4
    assert "'x': expected a multiple of 24 elements" in lines[4]
    assert "'x': expected a multiple of 32 elements" in lines[5]


@pytest.mark.parametrize("damage", ["missing", "text", "other"])
def test_files_that_do_not_fit(folder: Path, tmp_path: Path, damage: str) -> None:
    for name in ("fixed.mjs", "fixed.wasm"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    if damage == "missing":
        (tmp_path / "fixed.wasm").unlink()
    elif damage == "text":
        (tmp_path / "fixed.wasm").write_bytes(b"<html>")
    else:
        (tmp_path / "fixed.wasm").write_bytes((folder / "opened.wasm").read_bytes())
    script = """import { load } from "./fixed.mjs";
    console.log(await load().catch((error) => `${error.name}: ${error.message}`));"""
    expected = {
        "missing": "ArtifactError: fixed.wasm: cannot be read (ENOENT",
        "text": "UnsupportedError: fixed.wasm: this engine does not compile it; it needs simd128",
        "other": "ArtifactError: fixed.wasm: not of this fixed.mjs: compile again",
    }
    assert expected[damage] in node(tmp_path, script)


@pytest.mark.slow
def test_an_engine_without_a_feature(tmp_path: Path) -> None:
    made = rc.compile_js(rc.build("BlockLSTMV2", seq_length=5, **SIZES), "cpu:wasm32,relaxed-simd")
    made.save(tmp_path)
    script = """import { load } from "./block_lstm_v2.mjs";
    console.log(await load().then(() => "loaded", (error) => `${error.name}: ${error.message}`));"""
    assert "relaxed-simd" in node(tmp_path, script) or "loaded" in node(tmp_path, script)
    assert "loaded" in node(tmp_path, script, "--experimental-wasm-relaxed-simd")


def test_what_is_written(folder: Path, tmp_path: Path, cli: Any) -> None:
    """By the command line too: four small files, the same each time."""
    manifest = json.loads((folder / "fixed.json").read_text())
    assert set(manifest["files"]) == {"fixed.mjs", "fixed.wasm", "fixed.d.ts"}
    assert sum(row["size"] for row in manifest["files"].values()) < 48_000
    types = (folder / "opened.d.ts").read_text()
    assert re.search(r"/\*\* float32 \[seq_length, batch_size, 8\] \*/\n  x: Float32Array;", types)
    dims = ["--dim", "seq_length=5,batch_size=1,input_size=8,num_units=24", "--outputs", "cs,h"]
    command = ["compile", "BlockLSTMV2", "--attr", "use_peephole=false", *dims, "--format", "js"]
    assert "import { load } from" in cli(*command, "-o", tmp_path / "made", "--name", "fixed").out
    assert (tmp_path / "made" / "fixed.wasm").read_bytes()[:4] == b"\0asm"


TYPED = """
import { load, InvalidArgumentError, type BlockLstmV2Stream } from "./opened.mjs";
const m = await load(new URL("./opened.wasm", import.meta.url));
const zeros = (count: number) => new Float32Array(count);
const weights = { w: zeros(32 * 96), wci: zeros(24), wcf: zeros(24), wco: zeros(24), b: zeros(96) };
const states = { cs_prev: zeros(24), h_prev: zeros(24) };
const { h } = m.block_lstm_v2({ seq_len_max: 5n, x: zeros(40), ...states, ...weights });
const stream: BlockLstmV2Stream = m.block_lstm_v2.stream({ batch_size: 1, ...weights });
const last: number | undefined = stream({ x: zeros(8) }).h?.[0];
stream.reset({ h_prev: stream.state.h_prev });
stream.close();
const shapes = m.block_lstm_v2.signature.results.map((each) => each.shape.join());
try {
  // @ts-expect-error: x is missing
  m.block_lstm_v2({ seq_len_max: 5, ...states, ...weights });
} catch (error) {
  if (error instanceof InvalidArgumentError) throw new Error(error.argument + h + last + shapes);
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs tsc, TypeScript's compiler, on PATH")
@pytest.mark.parametrize("module", ["nodenext", "esnext"])
def test_types(folder: Path, tmp_path: Path, module: str) -> None:
    """The names that the documentation gives, as TypeScript finds types: by the file's ending."""
    (tmp_path / "opened.mjs").touch()
    shutil.copy(folder / "opened.d.ts", tmp_path / "opened.d.mts")
    (tmp_path / "use.mts").write_text(TYPED)
    resolution = "bundler" if module == "esnext" else module
    command = ["tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]
    command += ["--module", module, "--moduleResolution", resolution, "use.mts"]
    processes.run(*command, cwd=tmp_path)


def test_what_is_refused() -> None:
    built = rc.build("BlockLSTMV2", seq_length=5, **SIZES)
    with pytest.raises(UnsupportedError, match="compile_js: a module for cpu:cortex-m4 cannot be"):
        rc.compile_js(built, "cpu:cortex-m4")
    with pytest.raises(InvalidArgumentError, match="compile_js: 'name': expected a name of"):
        rc.compile_js(built, name="../x")
    with pytest.raises(InvalidArgumentError, match="compile_js: 'target': expected one of"):
        rc.compile_js(built, "wasm")
    with pytest.raises(InvalidArgumentError, match="compile_js: 'strategy': expected one of"):
        rc.compile_js(built, strategy="fast")
    loop = "its host program has a size, or a number of steps, .*; the fused strategy"
    with pytest.raises(UnsupportedError, match=loop):
        rc.compile_js(built, strategy="portable")
    for damaged in (b"\0asm\1\0\0\0 code_library_query", b"text", b"\0asm\1\0\0\0\0\x09\7linking"):
        with pytest.raises(UnsupportedError, match="does not have the table of its functions"):
            link(damaged, {})


@pytest.mark.slow
@pytest.mark.parametrize("letters", [15, 25])
def test_names_whose_length_is_a_letter(letters: int) -> None:
    """In a table of symbols, the length of a name is the byte before it."""
    name = "g" * letters
    built = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3, name=name)
    assert rc.compile_js(built).name == name
