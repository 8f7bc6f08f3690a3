"""A function before and after `stamp_provenance`."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import AVX512, rewritten

from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.passes.stamp_provenance import stamp_provenance
from rnn_compiler.lowering.rewriting.context import LoweringRequest, PassContext
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

BEFORE = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
"""

SPEC = FunctionSpec(
    "Same",
    "f",
    "float32",
    {"num_units": 2},
    {"cell_clip": float("inf"), "n": '"'},
    (TensorSpec("x", "float32", (2,)),),
    (TensorSpec("y", "float32", (2,)),),
)
TARGET = TargetSpec("cpu:some", "local", "x86_64", ("avx", "fma"))


def stamped(*functions: FunctionSpec) -> str:
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(BEFORE)
        request = LoweringRequest(BEFORE, functions, TARGET, "fused", "0")
        stamp_provenance(PassContext(module, request, AVX512, {"strategy": "fused"}))
        assert module.operation.verify()
        return str(module)


def test_a_function_says_what_it_is() -> None:
    """Attributes are JSON, in which infinite numbers are text; private functions say nothing."""
    check(
        stamped(SPEC),
        r"""
        CHECK: func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> attributes {iree.reflection = {
        CHECK-SAME: rnn_compiler.architecture = "x86_64",
        CHECK-SAME: rnn_compiler.arguments = "x: float32[2]",
        CHECK-SAME: rnn_compiler.attributes = "{\22cell_clip\22: \22inf\22, \22n\22: \22\\\22\22}",
        CHECK-SAME: rnn_compiler.dims = "{\22num_units\22: 2}",
        CHECK-SAME: rnn_compiler.dtype = "float32",
        CHECK-SAME: rnn_compiler.features = "avx,fma",
        CHECK-SAME: rnn_compiler.op = "Same",
        CHECK-SAME: rnn_compiler.results = "y: float32[2]",
        CHECK-SAME: rnn_compiler.strategy = "fused",
        CHECK-SAME: rnn_compiler.target = "cpu:some"
        CHECK-NEXT: call @g(%arg0)
        CHECK-NEXT: return
        CHECK: func.func private @g(%arg0: tensor<2xf32>) -> tensor<2xf32> {
        """,
    )


def test_a_function_that_nobody_described_says_nothing() -> None:
    assert stamped() == rewritten(BEFORE)[0]
