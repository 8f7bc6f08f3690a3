"""Modules that do not fit: the error names op, argument, the expected and the actual value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from errors.expect import invalid_argument
from linking.modules import declared, function

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.linking import link_module

SIZES = {"seq_length": 5, "batch_size": 3, "input_size": 4, "num_units": 6}
LSTM = rc.build("BlockLSTMV2", **SIZES).functions[0]
GRAD = rc.build("BlockLSTMGradV2", **SIZES, use_peephole=False).functions[0]


@pytest.mark.parametrize(
    "source",
    [
        b"ML\xefR" + bytes(range(256)),
        "module {",
        "not {mlir}",
        "func.func @f(",
        "module { stablehlo.nonsense }\n",
        "\ud800{",
    ],
    ids=range(6),
)
def test_what_is_no_module(source: str | bytes) -> None:
    with invalid_argument("link", "module", "a module of StableHLO, as text or bytecode", ""):
        link_module(source)


def test_a_file_that_is_no_module_is_named(tmp_path: Path) -> None:
    path = tmp_path / "first values.npz"
    path.write_text("not {mlir}")
    with invalid_argument("link", "module", "a module of StableHLO", f"{path}:1:1: error"):
        link_module(function(LSTM), path)


def test_ops_of_unknown_dialects() -> None:
    text = 'func.func @f(%a: tensor<2xf32>) { "foo.bar"(%a) : (tensor<2xf32>) -> ()\n return }'
    with invalid_argument("link", "module", "ops of dialects that IREE has", "unregistered"):
        link_module(text)


def test_shardings() -> None:
    with pytest.raises(InvalidArgumentError, match="export the function without shardings"):
        link_module('module { sdy.mesh @mesh = <["d"=1]> }')


@pytest.mark.parametrize("source", [None, 5, "", ["module {}"]], ids=repr)
def test_what_is_no_source(source: Any) -> None:
    with invalid_argument("link", "text_or_path", "MLIR as a string or bytes, or the path", ""):
        rc.link(source)


def test_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rc.link(tmp_path / "none.mlir")
    with pytest.raises(FileNotFoundError):
        rc.link("none.mlir")
    with pytest.raises(IsADirectoryError):
        rc.link(tmp_path)
    with invalid_argument("link", "text_or_path", "MLIR, or the path of a file", ""):
        rc.link("a\0b")
    with pytest.raises(OSError, match="not a regular file"):
        rc.link("/dev/null")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module {\n}", "a public function"),
        (b"", "a public function"),
    ],
)
def test_nothing_to_link(text: str | bytes, expected: str) -> None:
    with invalid_argument("link", "module", expected, "none"):
        link_module(text)


SCALAR = "(%a: tensor<f32>) -> tensor<f32>"
RECURSIVE = {
    "calls": "%b = func.call @{} (%a) : (tensor<f32>) -> tensor<f32>",
    "composites": '%b = stablehlo.composite "a.b" %a {{decomposition = @{}}} '
    ": (tensor<f32>) -> tensor<f32>",
}


@pytest.mark.parametrize("way", RECURSIVE)
@pytest.mark.parametrize(
    ("callees", "cycle"),
    [
        ({"f": "f"}, "@f -> @f"),
        ({"main": "f", "f": "g", "g": "h", "h": "g"}, "@g -> @h -> @g"),
    ],
    ids=["one", "two"],
)
def test_recursion(way: str, callees: dict[str, str], cycle: str) -> None:
    """Compilers inline calls, which recursion does not allow."""
    functions = function(LSTM, name="lstm")
    for name, callee in callees.items():
        body = RECURSIVE[way].format(callee)
        functions += f"func.func @{name}{SCALAR} {{ {body}\n return %b : tensor<f32> }}\n"
    with pytest.raises(InvalidArgumentError) as caught:
        link_module(functions)
    assert (caught.value.argument, caught.value.got) == (cycle.split()[0], cycle)
    assert "stablehlo.while" in caught.value.remedy


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ("rnn_compiler.BlockLSTMV3", "did you mean BlockLSTM"),
        ("rnn_compiler.lstm", ""),
        ("rnn_compiler.", ""),
    ],
)
def test_unknown_ops(target: str, remedy: str) -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"link: 'op': expected (one of LSTM|an op)"
    ) as caught:
        link_module(function(LSTM, target=f'"{target}"'))
    assert caught.value.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("config", "argument", "expected", "got"),
    [
        ("peephole = true", "peephole", "an attribute of the op (cell_clip, use_p", "no such one"),
        ("cell_clip = [1, 2]", "cell_clip", "a truth value, a number or a string", "[1, 2]"),
        ('cell_clip = "high"', "cell_clip", "", "'high'"),
        ("use_peephole = 3", "use_peephole", "", "3"),
        ("num_units = 7", "num_units", "6, as its tensors say", "7"),
    ],
)
def test_attributes(config: str, argument: str, expected: str, got: str) -> None:
    with invalid_argument("BlockLSTMV2", argument, expected, got):
        link_module(function(LSTM, config=f"mhlo.backend_config = {{{config}}}"))


@pytest.mark.parametrize("config", ["{", "[]", "3", "[" * 100_000])
def test_a_config_that_is_no_json(config: str) -> None:
    with invalid_argument(
        "BlockLSTMV2", "backend_config", "a dictionary of attributes, or JSON", ""
    ):
        link_module(function(LSTM, config=f'backend_config = "{config}"'))


def test_a_value_in_json_that_is_none() -> None:
    with invalid_argument("BlockLSTMV2", "cell_clip", "a truth value, a number", "None"):
        link_module(function(LSTM, config='backend_config = "{\\"cell_clip\\": null}"'))


def test_an_attribute_without_a_default() -> None:
    with invalid_argument("BlockLSTMGradV2", "use_peephole", "a value, as the op has no", "none"):
        link_module(function(GRAD, config=""))
    with invalid_argument("BlockLSTMGradV2", "use_peephole", "a value, as the op has no", "none"):
        link_module(declared(GRAD, symbol="rnn_compiler.BlockLSTMGradV2", attributes=""))


@pytest.mark.parametrize(
    ("changed", "argument", "expected", "got"),
    [
        ({"b": "tensor<25xf32>"}, "b", "float32[24], [4 * num_units]", "float32[25]"),
        ({"w": "tensor<10x24xf64>"}, "w", "float32[10,24], [input_size + ", "float64[10,24]"),
        ({"x": "tensor<5x3xf32>"}, "x", "rank 3, shape", "rank 2, shape [5, 3]"),
        ({"x": "tensor<5x3x4xi32>"}, "x", "a tensor of float16 or", "int32[5,3,4]"),
        ({"x": "tensor<?x3x4xf32>"}, "operand 1", "a tensor of static sizes", "tensor<?x3x4xf32>"),
        ({"x": "tensor<5x3x4xcomplex<f32>>"}, "operand 1", "a tensor of f16, ", "complex"),
        ({"seq_len_max": "tensor<f32>"}, "seq_len_max", "int64[]", "float32[]"),
        ({"seq_len_max": "tensor<1xi64>"}, "seq_len_max", "int64[]", "int64[1]"),
        ({"h": "tensor<5x3x7xf32>"}, "h", "float32[5,3,6]", "float32[5,3,7]"),
        ({"cs": "tensor<5x3x6xf16>"}, "cs", "float32[5,3,6]", "float16[5,3,6]"),
    ],
)
def test_tensors(changed: dict[str, str], argument: str, expected: str, got: str) -> None:
    """Those of the function around it are whatever they are."""
    owner = "main" if "?" in got or "complex" in got else "BlockLSTMV2"
    name = argument if owner != "main" else "x"
    with invalid_argument(owner, name, expected, got):
        link_module(function(LSTM, changed=changed))


def test_how_many() -> None:
    text = function(LSTM)
    fewer = text.replace("(%0, %1, ", "(%1, ", 1)
    fewer = fewer.replace(": (tensor<i64>, ", ": (", 1)
    with invalid_argument("BlockLSTMV2", "x", "rank 3", "rank 2"):
        link_module(fewer)
    none = """func.func @f() -> tensor<f32> {
      %r = stablehlo.custom_call @rnn_compiler.BlockLSTMV2() : () -> tensor<f32>
      return %r : tensor<f32>
    }"""
    with invalid_argument("BlockLSTMV2", "x", "a tensor of float16 or", "a call with 0 operands"):
        link_module(none)
    one = """func.func @f(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
        %c: tensor<7x4xf32>, %b: tensor<8xf32>, %d: tensor<4xf32>) -> tensor<2x4xf32> {
      %r = stablehlo.custom_call @rnn_compiler.GRUBlockCell(%x, %h, %w, %c, %b, %d)
          : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>,
             tensor<4xf32>) -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }"""
    with invalid_argument("GRUBlockCell", "results", "all 4 (r, u, c, h)", "1"):
        link_module(one)
    more = one.replace("%b, %d)", "%b, %d, %d)").replace("tensor<4xf32>)", "KIND)", 1)
    more = more.replace("tensor<4xf32>)", "tensor<4xf32>, tensor<4xf32>)")
    more = more.replace("KIND", "tensor<4xf32>")
    with invalid_argument("GRUBlockCell", "operands", "6 (x, h_prev, w_ru, w_c, b_ru, b_c)", "7"):
        link_module(more)


def test_the_command_line(tmp_path: Path, cli: Any) -> None:
    """One line, and exit code 2 if the module is at fault."""
    path = tmp_path / "user.mlir"
    assert "No such file" in cli("link", path, code=1).err
    path.write_text(function(LSTM, changed={"b": "tensor<25xf32>"}))
    out, err = cli("link", path, "--json", code=2)
    assert "BlockLSTMV2: 'b': expected float32[24]" in out
    assert len(err.splitlines()) == 1


def test_an_error_has_all_its_parts() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        link_module(function(LSTM, config="mhlo.backend_config = {use_peepholes = true}"))
    assert caught.value.op == "BlockLSTMV2"
    assert caught.value.argument == "use_peepholes"
    assert caught.value.remedy == "did you mean use_peephole?"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("time_loop", ""),
        ("product", ""),
        ("product", 'form = "rows", operands = "x"'),
        ("product", 'form = "rows", operands = 1 : i64'),
        ("time_loop", "step = 1 : i64, operands = [], reverse = 0 : i64"),
    ],
)
def test_composites_of_our_names_by_hand_stay_as_they_are(name: str, attributes: str) -> None:
    """A user's composite may lack attributes that lowering reads from its own, or have others."""
    text = """
    func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>,
        tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
        -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    func.func @main(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
        %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
      %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc) : (tensor<2x3xf32>,
        tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
        -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      %t = stablehlo.composite "rnn_compiler.NAME" %r#3
        {decomposition = @twice, composite_attributes = {ATTRIBUTES}}
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
      return %t : tensor<2x4xf32>
    }
    func.func private @twice(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %y = stablehlo.add %x, %x : tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }"""
    text = text.replace("NAME", name).replace("ATTRIBUTES", attributes)
    assert rc.link(text).manifest.strategy == "fused"
