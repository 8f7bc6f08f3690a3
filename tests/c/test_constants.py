"""Constants of a module are data of the object, bit for bit: of any type, length and form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from c.calling import CPP17, STRICT, Loaded, run
from cases import assert_same_bits
from numeric.harness import draw, module

from rnn_compiler.c_compilation import CModule
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.interface import Member
from rnn_compiler.lowering.c.library import Library, make_library
from rnn_compiler.lowering.compiler.iree_compile import compile_host_program
from rnn_compiler.lowering.host.constants import read_constants
from rnn_compiler.lowering.host.external_results import external_results
from rnn_compiler.lowering.host.functions import read_functions
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.schedule import ANY_MEMORY, Span, Storage
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

ARRAYS: dict[str, npt.NDArray[Any]] = {
    "weights": np.random.default_rng(0).normal(size=(9, 31)).astype(np.float32),
    "halves": np.arange(70).astype(np.float16),
    "bytes": np.arange(-50, 49).astype(np.int8),
    "bits": np.random.default_rng(1).integers(0, 2**16, 70, np.uint16).view(ml_dtypes.bfloat16),
    "few_bits": np.array([0.0, -1.5, np.inf, 3e-5], ml_dtypes.bfloat16),
    "same": np.full(80, 1.5, np.float32),
    "same_bits": np.full(80, -0.37, ml_dtypes.bfloat16),
    "doubles": np.array([1e300, -0.0, np.nan]),
    "longs": np.arange(2**40, 2**40 + 5),
}


def text() -> str:
    """A module whose function returns all constants, and its argument."""
    types: dict[str, str] = {}
    lines: list[str] = []
    for name, array in ARRAYS.items():
        shape = "".join(f"{size}x" for size in array.shape)
        types[name] = f"tensor<{shape}{DTYPES[array.dtype.name].mlir}>"
        data = array.tobytes().hex().upper()
        lines.append(f'%{name} = stablehlo.constant dense<"0x{data}"> : {types[name]}')
    results = ", ".join([*types.values(), "tensor<3xf32>"])
    values = ", ".join([*(f"%{name}" for name in ARRAYS), "%x"])
    body = "\n".join([*lines, f"return {values} : {results}"])
    return f"func.func @everything(%x: tensor<3xf32>) -> ({results}) {{\n{body}\n}}"


def as_module(name: str, library: Library) -> CModule:
    """A library with the parts of a manifest that the tests' calls read."""
    rows = [
        {
            "function": function.name,
            "scratch_size": function.scratch,
            "arguments": [row(member, by_value=not member.shape) for member in function.arguments],
            "results": [row(member, by_value=False) for member in function.results],
        }
        for function in library.functions
    ]
    texts = {f"{name}.h": library.header.encode(), f"{name}.c": library.source.encode()}
    return CModule(name, {**texts, f"{name}.o": library.object}, {"functions": rows})


def row(member: Member, *, by_value: bool) -> dict[str, Any]:
    facts = {key: getattr(member, key) for key in ("name", "dtype", "c_type")}
    return {**facts, "shape": list(member.shape), "by_value": by_value}


def compiled(tmp_path: Path) -> CModule:
    target = resolve_target("cpu:generic")
    module, types = external_results(text())
    made = compile_host_program(module, target, reproducers=tmp_path / "reproducers")
    x = TensorSpec("x", "float32", (3,))
    results = [TensorSpec(name, array.dtype.name, array.shape) for name, array in ARRAYS.items()]
    spec = FunctionSpec(
        "Everything",
        "everything",
        "float32",
        {},
        {},
        (x,),
        (*results, TensorSpec("y", *list_of(x))),
    )
    read = read_functions([spec], types, made.host, {}, ANY_MEMORY)
    library = make_library("all", *read, made.object, target, "Made by a test.")
    return as_module("all", library)


def list_of(spec: TensorSpec) -> tuple[str, tuple[int, ...]]:
    return spec.dtype, spec.shape


def test_every_constant_arrives(tmp_path: Path) -> None:
    """An argument that is a result is copied."""
    made = compiled(tmp_path)
    loaded = Loaded(made, tmp_path / "all")
    x = np.array([1, 2, 3], np.float32)
    results = loaded.call("everything", {"x": x})
    assert_same_bits(results, {**ARRAYS, "y": x})
    assert "extern const unsigned char all_constant_0[];" in made.source
    run("g++", *CPP17, *STRICT, "-c", "all.c", "-o", "out.o", folder=tmp_path / "all")


@pytest.mark.slow
def test_frozen_arguments_are_constants(tmp_path: Path) -> None:
    """A function that is left without arguments has a struct without any."""
    given = draw("GRUBlockCell", "float32", CELL)
    (spec,) = module("GRUBlockCell", "float32", CELL).functions
    target = resolve_target("cpu:generic")
    text = module("GRUBlockCell", "float32", CELL).located_text
    text = rewrite(LoweringRequest(text, [spec], target, FUSED, "0")).text
    text, types = external_results(text)
    made = compile_host_program(text, target, reproducers=tmp_path / "reproducers")
    program = (made.object, target, "Made by a test.")
    read = read_functions([spec], types, made.host, {}, ANY_MEMORY)
    plain = Loaded(as_module("plain", make_library("plain", *read, *program)), tmp_path / "a")
    expected = plain.call("gru_block_cell", given)
    for kept in (["x", "h_prev"], []):
        frozen = {name: array for name, array in given.items() if name not in kept}
        read = read_functions([spec], types, made.host, {"gru_block_cell": frozen}, ANY_MEMORY)
        library = make_library("frozen", *read, *program)
        assert [member.name for member in library.functions[0].arguments] == kept
        assert len(library.functions) == 1
        loaded = Loaded(as_module("frozen", library), tmp_path / f"b{len(kept)}")
        results = loaded.call("gru_block_cell", given)
        assert_same_bits(results, expected)


CELL = {"batch_size": 2, "input_size": 3, "num_units": 20}

FORMS = {
    "dense<[1, -2]> : tensor<2xi4>": None,
    "dense<[1, -2]> : tensor<2xi16>": np.array([1, -2], np.int16),
    "dense<-0.375> : tensor<3xbf16>": np.full(3, -0.375, ml_dtypes.bfloat16),
    "dense<[[1.0, 0x7F80], [-2.0, 3.0e-05]]> : tensor<2x2xbf16>": np.array(
        [[1, np.inf], [-2, 3e-5]], ml_dtypes.bfloat16
    ),
    "dense<2.5> : tensor<4xf16>": np.full(4, 2.5, np.float16),
    "dense<true> : tensor<4xi1>": np.ones(4, bool),
    "#util.composite<7xi8, [dense<1> : tensor<3xi8>, dense<0> : vector<4xi8>]>": np.array(
        [1, 1, 1, 0, 0, 0, 0], np.int8
    ),
    "#util.composite<8xi8, [dense<1> : tensor<3xi8>, #util.byte_pattern<0> : tensor<5xi8>]>": None,
}
"""Forms of constants with their numbers; None for unknown forms."""


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_constant(form: str) -> None:
    """Equal numbers are written once, and bfloat16 is unknown to the compiler's bindings."""
    text = f"""
    util.global private @w : !hal.buffer
    util.initializer {{
      %c = util.buffer.constant : !util.buffer = {form}
      %b = util.null : !hal.buffer
      util.global.store %b, @w : !hal.buffer
      util.return
    }}"""
    expected = FORMS[form]
    with new_context(), ir.Location.unknown():
        if expected is None:
            with pytest.raises(UnsupportedError, match="a constant of unknown form"):
                read_constants(ir.Module.parse(text))
            return
        constants, stored = read_constants(ir.Module.parse(text))
    assert constants == (expected.tobytes(),)
    assert stored == {"w": Span(Storage.CONSTANT, 0, 0, expected.nbytes)}
