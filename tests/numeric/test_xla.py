"""The portable module has the same meaning in XLA: jaxlib's CPU client runs its text."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from cases import CASES, assert_close
from numeric.harness import (
    NOT_ALIKE,
    Arrays,
    draw,
    first_variant,
    first_variants,
    function,
    lengths,
    module,
)
from numeric.marks import each_op_and_dtype, marks
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.schema.dtypes import FLOAT_DTYPES

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
backends = pytest.importorskip("jax.extend.backend")


def compile_with_xla(portable: rc.Module) -> Callable[[Arrays], Arrays]:
    """The only function of a module; XLA wants it called main."""
    (spec,) = portable.functions
    head = f"func.func @{spec.function}("
    text = str(portable)
    assert text.count(head) == 1
    client = backends.get_backend("cpu")
    (device, *_) = client.local_devices()
    executable = client.compile_and_load(text.replace(head, "func.func @main("), [device])

    def run(arguments: Arrays) -> Arrays:
        with jax.enable_x64(True):
            operands = [jax.device_put(arguments[tensor.name], device) for tensor in spec.arguments]
            results = executable.execute_sharded(operands).disassemble_into_single_device_arrays()
        names = [tensor.name for tensor in spec.results]
        return {name: np.asarray(array) for name, (array,) in zip(names, results, strict=True)}

    return run


EACH = list(zip(NOT_ALIKE, itertools.cycle(FLOAT_DTYPES), strict=False))


@pytest.mark.parametrize(
    ("op", "dtype"), [pytest.param(*each, marks=marks(*each)) for each in EACH]
)
def test_xla_agrees(op: str, dtype: str) -> None:
    """Each op in one type: what a type adds, widening and tanh in float64, is common to all ops.

    That is in the builder, and each type has several ops here.
    """
    variant = first_variant(op)
    run = compile_with_xla(module(op, dtype, variant))
    for steps in lengths(variant):
        arguments = draw(op, dtype, variant, steps=steps)
        theirs = run(arguments)
        ours = function(op, dtype, first_variants(op, dtype))(**arguments)._asdict()
        for name, array in ours.items():
            assert theirs[name].dtype == array.dtype
        assert_close(ours, theirs, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", first(["float32", "bfloat16"]))
def test_xla_runs_frozen_modules(dtype: str) -> None:
    """Their weights are constants."""
    variant = first_variant("BlockLSTMV2")
    arguments = draw("BlockLSTMV2", dtype, variant)
    weights = {name: arguments.pop(name) for name in ("w", "wci", "b", "seq_len_max")}
    frozen = rc.freeze(module("BlockLSTMV2", dtype, variant), weights)
    theirs = compile_with_xla(frozen)(arguments)
    ours = rc.raw_ops.BlockLSTMV2(**arguments, **weights, **frozen.functions[0].attributes)
    assert_close(ours._asdict(), theirs, dtype)


@each_op_and_dtype
def test_module_is_portable(op: str, dtype: str) -> None:
    """Only StableHLO and func, in code, types and attributes."""
    dialects: set[str] = set()

    def visit(operation: ir.Operation) -> ir.WalkResult:
        dialects.add(operation.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    for variant in CASES[op].variants if dtype in ("float32", "bfloat16") else [first_variant(op)]:
        text = str(module(op, dtype, variant))
        assert "iree" not in text
        with new_context():
            ir.Module.parse(text).operation.walk(visit)
    assert dialects == {"builtin", "func", "stablehlo"}
