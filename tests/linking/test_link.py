"""Handwritten user modules: calls become the op, bit for bit; everything else stays unchanged."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import processes
import pytest
from cases import CASES, COMPUTING, assert_same_bits
from linking.modules import declared, function, kind, tool
from numeric.harness import draw, first_variant, module
from quick import only

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text
from rnn_compiler.linking import link_module
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.schema.specs import FunctionSpec

Arrays = dict[str, npt.NDArray[Any]]

SIZES = {"seq_length": 5, "batch_size": 3, "input_size": 4, "num_units": 6}


def lstm(**keywords: Any) -> FunctionSpec:
    return rc.build("BlockLSTMV2", **{**SIZES, **keywords}).functions[0]


def arguments_of(spec: FunctionSpec, seed: int = 0) -> Arrays:
    rng = np.random.default_rng(seed)
    return {
        argument.name: np.full(argument.shape, argument.maximum, argument.dtype)
        if argument.maximum is not None
        else rng.normal(0, 0.5, argument.shape).astype(argument.dtype)
        for argument in spec.arguments
    }


def raw(spec: FunctionSpec, arguments: Arrays, target: str | None = None) -> Any:
    """The results of the op's own program."""
    return rc.runtime.load(rc.compile(rc.modules.Module([spec]), target))(**arguments)


QUICK = "LSTMBlockCell"
LINKED = (QUICK, "BlockLSTMGradV2", "CudnnRNNV3", "onnx.LSTM")
"""Arguments of all kinds: states, a number of steps, lengths, optional inputs."""


@pytest.mark.parametrize("op", only(COMPUTING, *LINKED))
def test_every_op(op: str) -> None:
    """With all non-default attributes: the op's own module, letter by letter, and its call."""
    built = module(op, "float32", first_variant(op))
    (spec,) = built.functions
    linked = link_module(function(spec))
    assert [each.dims for each in linked.linked] == [spec.dims]
    head, main, *own = linked.text.split("  func.func ")
    given = ", ".join(f"%{each.name}" for each in spec.arguments)
    given = given.replace("%host_reserved", "%c")  # a constant, since it is not read
    results = ", ".join(f"%0#{k}" for k in range(len(spec.results)))
    assert f" = call @rnn_compiler_{spec.function}({given}) : " in main
    assert f"    return {results} : " in main
    text = "  func.func ".join((head, *own)).replace(f"@rnn_compiler_{spec.function}", "@f")
    wanted = built.text.replace(f"@{spec.function}", "@f")
    assert text == wanted.replace("func.func @f(", "func.func private @f(")


@functools.cache
def linked_together(*ops: str) -> rc.Program:
    """A user's module with a function for each of some ops."""
    specs = [module(op, "float32", first_variant(op)).functions[0] for op in ops]
    functions = "".join(function(spec, name=spec.function) for spec in specs)
    return rc.runtime.load(rc.link(f"module {{{functions}}}"))


@pytest.mark.slow
@pytest.mark.parametrize("op", only(LINKED, QUICK))
def test_the_same_bits(op: str) -> None:
    """In a module of the user's with others."""
    (spec,) = module(op, "float32", first_variant(op)).functions
    arguments = draw(op, "float32", first_variant(op))
    others = (each for each in LINKED if each != QUICK)
    program = linked_together(*((op,) if op == QUICK else others))
    assert_same_bits(program.functions[spec.function](**arguments), raw(spec, arguments))


@pytest.mark.parametrize(
    "config",
    [
        'mhlo.backend_config = {activations = ["Relu", "Elu"], inputs = ["B"], layout = 0 : i64}',
        'backend_config = "{\\"activations\\": [\\"relu\\", \\"Elu\\"], \\"inputs\\": \\"B\\"}"',
    ],
)
def test_lists_and_optional_inputs_of_onnx(config: str) -> None:
    dims = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
    (spec,) = rc.build("onnx.GRU", **dims, activations="Relu Elu", inputs="B").functions
    artifact = link_module(function(spec, config=config))
    assert artifact.linked[0].attributes["activations"] == "Relu Elu"
    assert [each.name for each in artifact.linked[0].arguments] == ["X", "W", "R", "B"]


@pytest.mark.parametrize("op", [op for op in OPS if "Params" in op])
def test_every_op_of_parameters(op: str) -> None:
    """Their sizes are values of scalars, and here attributes, as arguments are not constants."""
    (spec,) = module(op, "float32", CASES[op].variants[0]).functions
    dims = ", ".join(f"{name} = {size}" for name, size in spec.dims.items())
    known = {attribute.name for attribute in OPS[op].signature.call_attributes}
    dtypes = ", ".join(
        f'{name} = "{value}"' for name, value in (("T", "float32"),) if name in known
    )
    plain = re.search(r"mhlo.backend_config = {(.*?)}", function(spec))
    assert plain is not None
    rows = ", ".join(filter(None, (plain[1], dims, dtypes)))
    linked = link_module(function(spec, config=f"mhlo.backend_config = {{{rows}}}"))
    assert linked.linked[0].results == spec.results


def test_sizes_that_are_constants() -> None:
    text = """
    func.func @main() -> tensor<1xi32> {
      %l = stablehlo.constant dense<2> : tensor<i32>
      %h = stablehlo.constant dense<8> : tensor<i32>
      %i = stablehlo.constant dense<4> : tensor<i64>
      %r = stablehlo.custom_call @rnn_compiler.CudnnRNNParamsSize(%l, %h, %i)
          {mhlo.backend_config = {T = "float32", S = "int32"}}
          : (tensor<i32>, tensor<i32>, tensor<i64>) -> tensor<1xi32>
      return %r : tensor<1xi32>
    }"""
    expected = rc.raw_ops.CudnnRNNParamsSize(
        num_layers=2, num_units=8, input_size=4, T="float32", S="int32"
    )
    assert rc.runtime.load(rc.link(text))().result0 == expected


@pytest.mark.parametrize("symbol", ["rnn_compiler.BlockLSTMV2", "rnn_compiler.block_lstm_v2.enc"])
@pytest.mark.parametrize(
    "attributes", ["use_peephole = true", "mhlo.backend_config = {use_peephole = true}"]
)
def test_declarations(symbol: str, attributes: str) -> None:
    linked = link_module(declared(lstm(), symbol=symbol, attributes=attributes))
    assert linked.linked[0].attributes == {"cell_clip": 0.0, "use_peephole": True}
    assert attributes not in linked.text


@pytest.mark.slow
def test_several_at_once() -> None:
    """Two ops, one of them at two sizes and called twice at one; each once in the module."""
    small = lstm()
    large, cell = (
        module(op, "float32", first_variant(op)).functions[0]
        for op in ("BlockLSTMV2", "GRUBlockCell")
    )
    text = "module @speech {" + "".join(
        (
            function(small, name="first"),
            function(small, name="again"),
            function(large, name="second"),
            declared(cell, symbol="rnn_compiler.GRUBlockCell_0", name="third"),
            "}",
        )
    )
    artifact = rc.link(text)
    linked = artifact.manifest.linked
    assert [(spec.op, spec.dims.get("seq_length")) for spec in linked] == [
        ("BlockLSTMV2", 5),
        ("BlockLSTMV2", 4),
        ("GRUBlockCell", None),
    ]
    program = rc.runtime.load(artifact)
    assert [*program.functions] == ["first", "again", "second", "third"]
    arguments = arguments_of(small)
    assert_same_bits(program.first(**arguments), raw(small, arguments))
    assert_same_bits(program.again(**arguments), raw(small, arguments))
    arguments = arguments_of(large)
    assert_same_bits(program.second(**arguments), raw(large, arguments))
    arguments = arguments_of(cell)
    np.testing.assert_array_equal(program.third(**arguments).result3, raw(cell, arguments).h)


@pytest.mark.slow
def test_lengths_of_either_width() -> None:
    """Also where the op's own is the other one: 2**32 + 1, cut to 32 bits, would be 1."""
    lstm_spec = lstm()
    rnn = rc.build("CudnnRNNV3", **SIZES, num_layers=1, is_training=False).functions[0]
    text = ""
    for width in ("i32", "i64"):
        changed = {"seq_len_max": f"tensor<{width}>", "sequence_lengths": f"tensor<3x{width}>"}
        text += function(lstm_spec, name=f"lstm_{width}", changed=changed)
        text += function(rnn, name=f"rnn_{width}", changed=changed)
    program = rc.runtime.load(rc.link(text))
    arguments = {**arguments_of(lstm_spec), "seq_len_max": np.array(3)}
    expected = raw(lstm_spec, arguments)
    assert_same_bits(program.lstm_i32(**arguments), expected)
    assert_same_bits(program.lstm_i64(**arguments), expected)
    arguments = {**arguments_of(rnn), "sequence_lengths": np.array([5, 1, 4])}
    expected = raw(rnn, arguments)
    assert_same_bits(program.rnn_i32(**arguments), expected)
    assert_same_bits(program.rnn_i64(**arguments), expected)
    long = {**arguments, "sequence_lengths": np.array([2**32 + 1, 1, 4])}
    assert_same_bits(program.rnn_i64(**long), expected)


@pytest.mark.parametrize(
    "config",
    [
        "mhlo.backend_config = {use_peephole = true, cell_clip = 0.25 : f32}",
        "backend_config = {use_peephole = true, cell_clip = 0.25 : f64}, api_version = 4 : i32",
        'backend_config = "{\\"use_peephole\\": true, \\"cell_clip\\": 0.25}"',
        'backend_config = "", mhlo.backend_config = {use_peephole = true, cell_clip = 0.25}',
    ],
)
def test_configs(config: str) -> None:
    (spec,) = link_module(function(lstm(), config=config)).linked
    assert spec.attributes == {"cell_clip": 0.25, "use_peephole": True}


@pytest.mark.slow
def test_names_and_other_code_stay(tmp_path: Path) -> None:
    """A constant, a loop, a private function, a product that ours would be cut into blocks."""
    spec = lstm()
    other = """
  func.func private @helper(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] :
        (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %y : tensor<64x64xf32>
  }
  func.func public @other(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {iree.reflection = {mine = "kept"}} {
    %y = call @helper(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = stablehlo.constant dense<2.5> : tensor<64x64xf32>
    %z = stablehlo.multiply %y, %c : tensor<64x64xf32>
    return %z : tensor<64x64xf32>
  }"""
    text = f"module @speech attributes {{mine.note = 3 : i32}} {{{function(spec)}{other}}}"
    linked = link_module(text)
    for line in (
        "module @speech attributes {mine.note = 3 : i32}",
        "func.func private @helper(",
        "stablehlo.constant dense<2.500000e+00> : tensor<64x64xf32>",
    ):
        assert line in linked.text
    lowered = lowered_text(linked, "cpu:generic")
    body = lowered[lowered.index("@helper(") :]
    assert "stablehlo.dot_general" in body[: body.index("return")]
    assert "util.optimization_barrier" not in lowered[lowered.index("@other(") :].split("return")[0]
    artifact = rc.compile(linked)
    path = artifact.save(tmp_path / "speech.vmfb")
    x = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    got = rc.runtime.load(path).other(x=x)
    np.testing.assert_allclose(got.result0, x @ x * 2.5, rtol=1e-4, atol=1e-4)
    done = processes.run(tool("iree-dump-module"), path)
    assert "// @speech" in done.stdout
    assert artifact.manifest.name == "speech"
    assert "kept" in done.stdout
    assert "rnn_compiler.linked" in done.stdout


@pytest.mark.parametrize("target", ["cpu:x86_64,x86-64-v3", "cuda:sm_80"])
def test_an_op_is_lowered_as_when_alone(target: str) -> None:
    """The same dispatches, products in blocks too: so it is as fast."""
    sizes = {"seq_length": 32, "batch_size": 16, "input_size": 64, "num_units": 64}
    built = rc.build("BlockLSTMV2", **sizes)
    linked = link_module(function(built.functions[0]))
    made: list[list[str]] = []
    for each in (built, linked):
        text = lowered_text(each, target)
        text = text.replace("rnn_compiler_block_lstm_v2", "block_lstm_v2")
        pattern = r"stream\.executable private @\w+|linalg\.\w+matmul|util\.optimization_barrier"
        made.append(sorted({*re.findall(pattern, text)}))
    assert made[0] == made[1]
    assert made[0]


@pytest.mark.slow
def test_iree_run_module_runs_it(tmp_path: Path) -> None:
    spec = lstm()
    arguments = arguments_of(spec)
    path = rc.link(f"module @speech {{{function(spec)}}}").save(tmp_path / "speech.vmfb")
    inputs: list[str] = []
    for name, array in arguments.items():
        np.save(tmp_path / f"{name}.npy", array)
        inputs.append(f"--input=@{tmp_path / name}.npy")
    outputs = [f"--output=@{tmp_path / result.name}.out.npy" for result in spec.results]
    command = [
        tool("iree-run-module"),
        f"--module={path}",
        "--device=local-sync",
        "--function=main",
    ]
    processes.run(*command, *inputs, *outputs)
    got = np.load(tmp_path / "h.out.npy")
    np.testing.assert_array_equal(got, raw(spec, arguments).h)


@pytest.mark.slow
def test_the_manifest_describes_the_users_functions(tmp_path: Path) -> None:
    spec = lstm()
    artifact = rc.link(function(spec))
    (described,) = artifact.manifest.functions
    assert (described.op, described.function, described.dims) == ("main", "main", {})
    assert [a.name for a in described.arguments] == [a.name for a in spec.arguments]
    assert [r.name for r in described.results] == [r.name for r in spec.results]
    data = json.loads((artifact.save(tmp_path / "m.vmfb").parent / "m.vmfb.json").read_text())
    assert data["linked"][0]["op"] == "BlockLSTMV2"
    assert rc.runtime.read_artifact(tmp_path / "m.vmfb") == artifact


@pytest.mark.slow
def test_the_cache_tells_modules_apart() -> None:
    """The same functions around the same op, and other code between."""
    spec = lstm()
    text = function(spec)
    doubled = text.replace("return %r#0", "%d = stablehlo.add %r#0, %r#0 : TYPE\n return %d")
    doubled = doubled.replace("TYPE", kind(spec.results[0]))
    arguments = arguments_of(spec)
    for _ in range(2):
        one, two = (rc.runtime.load(rc.link(each))(**arguments) for each in (text, doubled))
        np.testing.assert_array_equal(two.i, 2 * one.i)


def test_names_of_arguments() -> None:
    """As they are written, where that leads to names: not numbers, keywords, or names twice."""
    kind = "tensor<2xf32>"
    text = f"""{function(lstm(), name="rnn")}
    func.func @"other"(%w : {kind}, // %no
      %lambda: {kind}, %0: {kind}, %arg7: {kind},\t%f: {kind} loc("%far"), %w.1 :{kind})
        -> {kind} {{ return %w : {kind} }}
    func.func @twice(%a: {kind} loc("b"), %b: {kind}, %c: {kind} loc("python.py":1:1)) -> {kind} {{
      return %b : {kind}
    }}"""
    _, other, twice = link_module(text).functions
    names = ["w", "arg1", "arg2", "arg3", "far", "w_1"]
    assert [each.name for each in other.arguments] == names
    assert [each.name for each in twice.arguments] == ["b", "arg1", "arg2"]


@pytest.mark.slow
def test_other_types_of_a_users_own() -> None:
    text = """
    func.func @main(%p: tensor<3xi1>, %q: tensor<3xui8>, %r: tensor<3xi16>, %s: tensor<ui32>)
        -> (tensor<3xi1>, tensor<3xui8>, tensor<3xi16>, tensor<ui32>) {
      %a = stablehlo.not %p : tensor<3xi1>
      %b = stablehlo.add %q, %q : tensor<3xui8>
      %c = stablehlo.negate %r : tensor<3xi16>
      %d = stablehlo.divide %s, %s : tensor<ui32>
      return %a, %b, %c, %d : tensor<3xi1>, tensor<3xui8>, tensor<3xi16>, tensor<ui32>
    }""" + function(lstm(), name="rnn")
    program = rc.runtime.load(rc.link(text))
    numbers = np.array([1, 200, 3])
    got = program.main(p=np.array([True, False, True]), q=numbers, r=[-1, 2, 3], s=4_000_000_000)
    np.testing.assert_array_equal(got.result0, [False, True, False])
    np.testing.assert_array_equal(got.result1, (2 * numbers).astype(np.uint8))
    np.testing.assert_array_equal(got.result2, [1, -2, -3])
    assert got.result3 == 1
    for wrong in ([1, 0, 1], [0.5, 1.0, 1.0]):
        with pytest.raises(rc.errors.InvalidArgumentError, match="main: 'p': expected bool"):
            program.main(p=wrong, q=numbers, r=[1, 2, 3], s=1)
    with pytest.raises(rc.errors.InvalidArgumentError, match="integers that fit uint8, got 256"):
        program.main(p=[True] * 3, q=np.array([1, 2, 256]), r=[1, 2, 3], s=1)


@pytest.mark.slow
def test_a_call_within_a_loop() -> None:
    """Three steps of a cell in the user's own loop."""
    cell = rc.build("LSTMBlockCell", batch_size=2, input_size=4, num_units=4).functions[0]
    names = {a.name: f"%{a.name}" for a in cell.arguments} | {"cs_prev": "%c", "h_prev": "%h"}
    call = ", ".join(names.values())
    types = ", ".join(kind(a) for a in cell.arguments)
    results = ", ".join(kind(r) for r in cell.results)
    given = ", ".join(f'%{a.name}: {kind(a)} loc("{a.name}")' for a in cell.arguments)
    text = f"""
    func.func @main({given}) -> tensor<2x4xf32> {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %r:3 = stablehlo.while(%k = %zero, %c = %cs_prev, %h = %h_prev)
          : tensor<i32>, tensor<2x4xf32>, tensor<2x4xf32>
      cond {{
        %go = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %n = stablehlo.add %k, %one : tensor<i32>
        %s:7 = stablehlo.custom_call @rnn_compiler.LSTMBlockCell({call}) : ({types}) -> ({results})
        stablehlo.return %n, %s#1, %s#6 : tensor<i32>, tensor<2x4xf32>, tensor<2x4xf32>
      }}
      return %r#2 : tensor<2x4xf32>
    }}"""
    arguments = arguments_of(cell)
    got = rc.runtime.load(rc.link(text))(**arguments).result0
    state = {"cs_prev": arguments["cs_prev"], "h_prev": arguments["h_prev"]}
    for _ in range(3):
        out = raw(cell, {**arguments, **state})
        state = {"cs_prev": out.cs, "h_prev": out.h}
    np.testing.assert_allclose(got, state["h_prev"], rtol=1e-5, atol=1e-7)


SHARED = {"seq_length": 3, "batch_size": 1, "input_size": 128, "num_units": 128}
"""Enough units for threads to share each step with counters."""


def repeated(body: Callable[[Callable[[str, str], str]], str]) -> str:
    """A module that calls an op more than once.

    Args:
        body: Its text, given what prints a call: by the name of its results, and its sequence.
    """
    spec = lstm(**SHARED)
    types = ", ".join(kind(a) for a in spec.arguments)
    results = ", ".join(kind(r) for r in spec.results)
    given = ", ".join(f'%{a.name}: {kind(a)} loc("{a.name}")' for a in spec.arguments)

    def call(name: str, sequence: str) -> str:
        operands = ", ".join(sequence if a.name == "x" else f"%{a.name}" for a in spec.arguments)
        op = "stablehlo.custom_call @rnn_compiler.BlockLSTMV2"
        return f"%{name}:7 = {op}({operands}) : ({types}) -> ({results})"

    x = kind(spec.results[-1])
    return f"func.func @main({given}) -> {x} {{ {body(call).replace('TENSOR', x)} }}"


def in_a_row(call: Callable[[str, str], str]) -> str:
    return f"{call('first', '%x')} {call('second', '%first#6')} return %second#6 : TENSOR"


def in_a_loop(call: Callable[[str, str], str]) -> str:
    return f"""
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %loop:2 = stablehlo.while(%k = %zero, %y = %x) : tensor<i32>, TENSOR cond {{
        %more = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        %next = stablehlo.add %k, %one : tensor<i32>
        {call("step", "%y")}
        stablehlo.return %next, %step#6 : tensor<i32>, TENSOR
      }}
      return %loop#1 : TENSOR"""


def in_a_composite_of_a_loop(call: Callable[[str, str], str]) -> str:
    """The loop's body is a user's composite, whose decomposition calls the op."""
    spec = lstm(**SHARED)
    names = ", ".join(f"%{a.name}" for a in spec.arguments).replace("%x", "%y")
    types = ", ".join(kind(a) for a in spec.arguments)
    given = ", ".join(f"%{a.name}: {kind(a)}" for a in spec.arguments)
    composite = (
        f'%step:7 = stablehlo.composite "user.step" {names} {{decomposition = @step}} : ({types}) '
        f"-> ({', '.join(kind(r) for r in spec.results)})"
    )
    loop = in_a_loop(lambda *_: composite)
    results = ", ".join(f"%s#{k}" for k in range(7))
    kinds = ", ".join(kind(r) for r in spec.results)
    return (
        f"{loop} }} func.func private @step({given}) -> ({kinds}) "
        f"{{ {call('s', '%x')} return {results} : {kinds}"
    )


@pytest.mark.slow
@pytest.mark.parametrize("body", [in_a_row, in_a_loop, in_a_composite_of_a_loop])
def test_an_op_again(body: Any) -> None:
    """Each call counts its steps from zero; in a loop of the user, nothing is counted.

    The input differs in each call, so that a call that reads too early is not right by chance.
    """
    spec = lstm(**SHARED)
    artifact = rc.link(repeated(body), "cpu:generic")
    for device in ("local-sync", "local-task"):
        program = rc.runtime.load(artifact, device=device)
        for seed in range(3):
            arguments = arguments_of(spec, seed)
            first = raw(spec, arguments, "cpu:generic").h
            expected = raw(spec, {**arguments, "x": first}, "cpu:generic").h
            got = program(**arguments).result0
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6, err_msg=device)


WEIGHTS_IN_A_LOOP = """
func.func @main(%n: tensor<i64>, %x: X, %c: C, %h: C, %w: W, %p: P, %b: B) -> X {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %loop:3 = stablehlo.while(%k = %zero, %y = %x, %v = %w) : tensor<i32>, X, W cond {
    %more = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %k, %one : tensor<i32>
    %kept:2 = stablehlo.optimization_barrier %y, %v : X, W
    %r:7 = stablehlo.custom_call
      @rnn_compiler.BlockLSTMV2(%n, %kept#0, %c, %h, %kept#1, %p, %p, %p, %b)
      : (tensor<i64>, X, C, C, W, P, P, P, B) -> (X, X, X, X, X, X, X)
    %u = stablehlo.negate %v : W
    stablehlo.return %next, %r#6, %u : tensor<i32>, X, W
  }
  return %loop#1 : X
}"""
"""A loop that changes the input and the weights; the barrier is what `jax.checkpoint` emits."""


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_weights_that_a_loop_carries(dtype: str) -> None:
    spec = lstm(**SHARED, dtype=dtype)
    kinds = dict(zip("XCWPB", (kind(spec.arguments[k]) for k in (1, 2, 4, 5, 8)), strict=True))
    text = re.sub(r"\b[XCWPB]\b", lambda match: kinds[match[0]], WEIGHTS_IN_A_LOOP)
    program = rc.runtime.load(rc.link(text, "cpu:generic"), device="local-task")
    for seed in range(3):
        arguments = arguments_of(spec, seed)
        first = raw(spec, arguments, "cpu:generic").h
        second = {**arguments, "x": first, "w": -arguments["w"]}
        expected = raw(spec, second, "cpu:generic").h
        names = {"n": "seq_len_max", "c": "cs_prev", "h": "h_prev", "p": "wci"}
        given = {name: arguments[names.get(name, name)] for name in "nxchwpb"}
        got = program(**given).result0
        tolerance = 1e-5 if dtype == "float32" else 2e-2
        sides = (each.astype(np.float32) for each in (got, expected))
        np.testing.assert_allclose(*sides, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("body", "counted"),
    [(in_a_row, True), (in_a_loop, False), (in_a_composite_of_a_loop, False)],
)
def test_steps_are_counted_unless_in_a_loop(body: Any, counted: bool) -> None:
    """There IREE would give all iterations one array of counters."""
    text = lowered_text(link_module(repeated(body)), "cpu:generic")
    assert bool(re.findall(r"flow\.tensor\.splat .*xi32>", text)) == counted


WINDOWS = """
func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>,
    tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func @step(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
    %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>,
    %c: tensor<1x3x64xf32>, %k: tensor<2x64x32xf32>, %p: tensor<1x4x3xf32>)
    -> (tensor<2x4xf32>, tensor<1x1x32xf32>, tensor<1x4x1xf32>) {
  %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc) : (tensor<2x3xf32>,
    tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %y = stablehlo.convolution(%c, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x3x64xf32>, tensor<2x64x32xf32>) -> tensor<1x1x32xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = "stablehlo.reduce_window"(%p, %lowest) <{window_dimensions = array<i64: 1, 1, 2>,
    window_strides = array<i64: 1, 1, 2>}> ({
    ^bb0(%one: tensor<f32>, %two: tensor<f32>):
      %larger = stablehlo.maximum %one, %two : tensor<f32>
      stablehlo.return %larger : tensor<f32>
  }) : (tensor<1x4x3xf32>, tensor<f32>) -> tensor<1x4x1xf32>
  return %r#3, %y, %m : tensor<2x4xf32>, tensor<1x1x32xf32>, tensor<1x4x1xf32>
}
"""


@pytest.mark.slow
def test_a_users_single_windows_read_no_more_than_their_size() -> None:
    program = rc.runtime.load(rc.link(WINDOWS, "cpu:generic"), device="local-sync")
    rng = np.random.default_rng(0)
    given = {
        each.name: rng.normal(0, 0.5, each.shape).astype("f")
        for each in program.functions["step"].spec.arguments
    }
    out = program(**given)
    expected = np.einsum("nkc,kcf->nf", given["c"][:, :2], given["k"])[:, None]
    np.testing.assert_allclose(out[1], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(out[2], given["p"][:, :, :2].max(2, keepdims=True))


IN_INT8 = """
func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>,
    tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
func.func @step(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
    %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
  %w2 = stablehlo.add %wc, %wc : tensor<7x4xf32>
  %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %w2, %b, %bc) : (tensor<2x3xf32>,
    tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %r#3 : tensor<2x4xf32>
}"""


@pytest.mark.slow
def test_weights_in_int8_are_those_that_ops_take_as_they_are() -> None:
    rng = np.random.default_rng(0)
    shapes = {"w": (7, 8), "wc": (7, 4), "b": (8,), "bc": (4,)}
    weights = {name: rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}
    doubled = link_module(IN_INT8)
    names = [each.name for each in rc.freeze(doubled, weights, quantize="int8").functions[0].frozen]
    assert names == ["w", "w.scale", "wc", "b", "bc"]
    straight = IN_INT8.replace("add %wc, %wc", "add %bc, %bc : tensor<4xf32> //")
    straight = straight.replace("%w2,", "%wc,")
    frozen = rc.freeze(link_module(straight), weights, quantize="int8")
    taken = {each.name: each.dtype for each in frozen.linked[0].arguments}
    assert (taken["w_ru"], taken["w_c"], taken["w_c.scale"]) == ("int8", "int8", "float32")
    x, h = (rng.standard_normal((2, size)).astype(np.float32) for size in (3, 4))
    cell = rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4, outputs=["h"])
    own = {k: weights[v] for k, v in {"w_ru": "w", "w_c": "wc", "b_ru": "b", "b_c": "bc"}.items()}
    alone = rc.freeze(cell, own, quantize="int8")
    expected = rc.runtime.load(rc.compile(alone))(x=x, h_prev=h)
    found = rc.runtime.load(rc.compile(frozen))(x=x, h=h)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
