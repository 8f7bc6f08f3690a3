"""The attributes of our composites, and composites that only have their names."""

from __future__ import annotations

import pytest

from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of
from rnn_compiler.lowering.mlir.composite_attributes import LoopAttributes, ProductAttributes
from rnn_compiler.lowering.mlir.composites import (
    attributes_in_mlir,
    composite_name,
    loop_attributes,
    product_attributes,
)

LOOP = LoopAttributes("f.loop.step", ["count", "read", "state"], reverse=True)
PRODUCTS = (
    ProductAttributes("rows", ["lhs", "rhs", "lengths"], axis=1, start=3),
    ProductAttributes("rows", ["lhs", "rhs", "scale"]),
    ProductAttributes("outer_sums", ["lhs", "lhs", "rhs", "count"]),
    ProductAttributes(
        "outer_sums", ["lhs", "lhs", "rhs", "rhs", "into"], offsets=(0, 20), is_added=True
    ),
)


def composite(name: str, attributes: str, operands: int) -> ir.Operation:
    given = ", ".join(["%x"] * operands)
    types = ", ".join(["tensor<f32>"] * operands)
    module = ir.Module.parse(
        f"""
        func.func @f(%x: tensor<f32>) -> tensor<f32> {{
          %0 = stablehlo.composite "{name}" {given} {{
            composite_attributes = {attributes}, decomposition = @g
          }} : ({types}) -> tensor<f32>
          return %0 : tensor<f32>
        }}
        func.func private @g({", ".join(f"%{k}: tensor<f32>" for k in range(operands))})
            -> tensor<f32> {{
          return %0 : tensor<f32>
        }}
        """
    )
    return ops_of(block_of(ops_of(module.body)[0]))[0]


def test_attributes_are_read_as_they_are_written() -> None:
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        loop = composite("rnn_compiler.time_loop", str(attributes_in_mlir(LOOP.values())), 3)
        assert (composite_name(loop), loop_attributes(loop)) == ("time_loop", LOOP)
        for attributes in PRODUCTS:
            text = str(attributes_in_mlir(attributes.values()))
            op = composite("rnn_compiler.product", text, len(attributes.roles))
            assert (composite_name(op), product_attributes(op)) == ("product", attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        "{}",
        '{operands = "lhs rhs"}',
        '{form = "rows", operands = "lhs rhs lengths"}',
        "{form = []}",
    ],
)
def test_a_composite_with_a_name_of_ours_but_other_attributes_is_a_users(attributes: str) -> None:
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        op = composite("rnn_compiler.product", attributes, 2)
        assert composite_name(op) == "rnn_compiler.product"
        assert composite_name(composite("user.product", attributes, 2)) == "user.product"
