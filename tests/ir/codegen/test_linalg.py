"""Products, zeros and pointwise ops in the dialect `linalg`."""

from __future__ import annotations

import pytest
from ir.codegen.emitting import emitted
from ir.filecheck import check

from rnn_compiler.lowering.codegen import linalg
from rnn_compiler.lowering.codegen.attributes import cpu_tiles
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayType,
    Body,
    Number,
    element_type,
    spare_block,
)
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS


@pytest.mark.parametrize(
    ("axes", "lhs", "rhs", "maps"),
    [
        ((1, 0), "3x5", "5x7", None),
        ((0, 0), "5x3", "5x7", ("(d2, d0)", "(d2, d1)")),
        ((1, 1), "3x5", "7x5", ("(d0, d2)", "(d1, d2)")),
        ((0, 1), "5x3", "7x5", ("(d2, d0)", "(d1, d2)")),
    ],
)
def test_a_product_sums_over_the_axes_that_it_is_told(
    axes: tuple[int, int], lhs: str, rhs: str, maps: tuple[str, str] | None
) -> None:
    """``[3, 7]`` whichever way its operands lie; that of rows with columns needs no maps."""
    after = emitted(
        lambda body, a, b, start: linalg.matmul(body, a, b, start, {}, axes),
        f"tensor<{lhs}xf32>",
        f"tensor<{rhs}xf32>",
        "tensor<3x7xf32>",
    )
    operands = f"ins(%arg0, %arg1 : tensor<{lhs}xf32>, tensor<{rhs}xf32>) outs(%arg2 :"
    if maps is None:
        check(after, f"CHECK: linalg.matmul {operands}")
        return
    check(
        after,
        f"""
        CHECK: [[LHS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> {maps[0]}>
        CHECK: [[RHS:#map[0-9]*]] = affine_map<(d0, d1, d2) -> {maps[1]}>
        CHECK: [[OUT:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
        CHECK: linalg.matmul indexing_maps = {{{{\\[}}}}[[LHS]], [[RHS]], [[OUT]]] {operands}
        """,
    )


def test_a_vector_is_multiplied_as_one() -> None:
    check(
        emitted(
            lambda body, x, w, start: linalg.matmul(body, x, w, start, cpu_tiles([7, 0], [0, 5])),
            *("tensor<5xf32>", "tensor<5x7xf32>", "tensor<7xf32>"),
        ),
        """
        CHECK: #config = #iree_cpu.lowering_config<distribution = [0, 0], \
vector_common_parallel = [7, 0], vector_reduction = [0, 5]>
        CHECK: linalg.vecmat {lowering_config = #config} ins(%arg0, %arg1 : {{.*}} outs(%arg2 :
        """,
    )


def region_of(name: str, text: str) -> str:
    """The ops inside an op, which its short form does not show."""
    with new_context(*PASS_DIALECTS):
        module = ir.Module.parse(text)
        found: list[str] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == name:
                found.append(op.get_asm(print_generic_op_form=True))
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
    (region,) = found
    return region


def test_operands_are_widened_before_they_are_multiplied() -> None:
    """Of 16 bits, summed in float32."""
    after = emitted(
        lambda body, a, b, start: linalg.matmul(body, a, b, start, {}),
        *("tensor<3x5xf16>", "tensor<5x7xbf16>", "tensor<3x7xf32>"),
    )
    check(
        region_of("linalg.matmul", after),
        """
        CHECK: ([[A:%.+]]: f16, [[B:%.+]]: bf16, [[TOTAL:%.+]]: f32):
        CHECK-NEXT: [[WIDEA:%.+]] = "arith.extf"([[A]])
        CHECK-NEXT: [[WIDEB:%.+]] = "arith.extf"([[B]])
        CHECK-NEXT: [[PRODUCT:%.+]] = "arith.mulf"([[WIDEA]], [[WIDEB]])
        CHECK-NEXT: [[SUM:%.+]] = "arith.addf"([[TOTAL]], [[PRODUCT]])
        CHECK-NEXT: "linalg.yield"([[SUM]])
        """,
    )


def test_zeros() -> None:
    """Of sizes known and computed."""
    check(
        emitted(lambda body, n: linalg.zeros(body, ArrayType((3, n), "f32")), "index"),
        """
        CHECK: [[ZERO:%.+]] = arith.constant 0.0{{.*}} : f32
        CHECK: [[EMPTY:%[0-9]+]] = tensor.empty(%arg0) : tensor<3x?xf32>
        CHECK: [[ZEROS:%[0-9]+]] = linalg.fill ins([[ZERO]] : f32) outs([[EMPTY]] :
        CHECK: return [[ZEROS]]
        """,
    )


def test_each_input_has_some_axes_of_the_outputs() -> None:
    """A column and a transposed matrix; two outputs, in order."""

    def body(body: Body, column: Array, matrix: Array, out: Array) -> list[Array]:
        f32 = element_type("f32")
        block = spare_block([f32] * 4)
        inside = Body(block)
        a, b, old, _ = (Number(inside, value, "f32") for value in block.arguments)
        inside.op("linalg.yield", [a + b, old])
        return linalg.generic(body, [(column, (0,)), (matrix, (1, 0))], [out, out], block)

    check(
        emitted(body, "tensor<3xf32>", "tensor<7x3xf32>", "tensor<3x7xf32>"),
        """
        CHECK: [[COLUMN:#map[0-9]*]] = affine_map<(d0, d1) -> (d0)>
        CHECK: [[TURNED:#map[0-9]*]] = affine_map<(d0, d1) -> (d1, d0)>
        CHECK: [[AS_IS:#map[0-9]*]] = affine_map<(d0, d1) -> (d0, d1)>
        CHECK: [[MADE:%[0-9]+]]:2 = linalg.generic {indexing_maps = {{\\[}}[[COLUMN]], [[TURNED]], \
[[AS_IS]], [[AS_IS]]], iterator_types = ["parallel", "parallel"]} \
ins(%arg0, %arg1 : {{.*}}) outs(%arg2, %arg2 :
        CHECK-NEXT: ([[A:%.+]]: f32, [[B:%.+]]: f32, [[OLD:%.+]]: f32, {{%.+}}: f32):
        CHECK-NEXT: [[SUM:%[0-9]+]] = arith.addf [[A]], [[B]]
        CHECK-NEXT: linalg.yield [[SUM]], [[OLD]]
        CHECK: return [[MADE]]#0, [[MADE]]#1
        """,
    )
