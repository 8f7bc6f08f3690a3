"""Where memory is scarce, steps of a single row multiply their inputs, if the products let them."""

from __future__ import annotations

import pytest
from ir.rewriting import edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

SMALL = VectorUnit(bits=64, registers=16, has_memory=False)

PRODUCT = """stablehlo.dot_general %rows, %v, contracting_dims = [1] x [0]
    : (tensor<3x6xf32>, tensor<6x4xf32>) -> tensor<3x4xf32>
"""
RESHAPED = "  %rows = stablehlo.reshape %in : (tensor<3x1x6xf32>) -> tensor<3x6xf32>\n"
ONE_ROW = edited(
    LOOP,
    *(("3x2x4", "3x1x4"), ("2x4x", "1x4x"), ("[1, 2, 4]", "[1, 1, 4]")),
    ("func.func @rnn(%n: tensor<i64>, %x: tensor<3x1x4xf32>,", "func.func @rnn(%n: tensor<i64>,"),
    (
        "%h0: tensor<1x4xf32>)\n",
        "%h0: tensor<1x4xf32>, %in: tensor<3x1x6xf32>, %v: tensor<6x4xf32>)\n",
    ),
    (
        "  %0:2 = stablehlo.composite",
        f"""{RESHAPED}  %product = {PRODUCT}
  %x = stablehlo.reshape %product : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
  %0:2 = stablehlo.composite""",
    ),
)
"""A row whose inputs ``x[t]`` are products, ``in[t] @ v``."""

STATE, READ = "tensor<1x4xf32>", "stablehlo.dynamic_slice %x, %t, %zero, %zero"


def products_outside(*edits: tuple[str, str]) -> int:
    """The number of products before the loop, once it is fused."""
    after, left = rewritten(edited(ONE_ROW, *edits), fuse_time_loops, processor=SMALL)
    assert left == {}
    (main,) = [each for each in after.split("func.func ") if each.startswith("@rnn(")]
    return main.count("dot_general") + main.count("stablehlo.composite")


def test_products_are_of_steps() -> None:
    """A row that is read twice is multiplied once."""
    assert products_outside() == 0
    again = f"  %again = stablehlo.reshape %row : (tensor<1x1x4xf32>) -> {STATE}\n  %hw ="
    twice = f"%twice = stablehlo.add %x_t, %again : {STATE}\n  %sum = stablehlo.add %twice,"
    assert products_outside(("  %hw =", again), ("%sum = stablehlo.add %x_t,", twice)) == 0


KEPT = {
    "a row of another step": [(READ, READ.replace("%t", "%zero"))],
    "a matrix that has no row per step": [
        (RESHAPED, ""),
        ("%in: tensor<3x1x6xf32>", "%rows: tensor<3x6xf32>"),
    ],
    "rows of a block of time": [
        ("read read state", "read read state start"),
        ("%n, %x, %w, %h0 {", "%n, %x, %w, %h0, %n {"),
        (
            f"tensor<4x4xf32>, {STATE})\n    -> (",
            f"tensor<4x4xf32>, {STATE}, tensor<i64>)\n    -> (",
        ),
        (f"%h0: {STATE}\n)", f"%h0: {STATE}, %start: tensor<i64>\n)"),
    ],
    "an array that the product is put into": [
        (
            PRODUCT,
            """stablehlo.composite "rnn_compiler.product" %rows, %v, %into {
    composite_attributes = {form = "rows", operands = "lhs rhs into", axis = 0 : i64},
    decomposition = @put, version = 1 : i32
  } : (tensor<3x6xf32>, tensor<6x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
""",
        ),
        ("%v: tensor<6x4xf32>)\n", "%v: tensor<6x4xf32>, %into: tensor<3x4xf32>)\n"),
        (
            "func.func private @rnn.loop(",
            """func.func private @put(
  %rows: tensor<3x6xf32>, %v: tensor<6x4xf32>, %into: tensor<3x4xf32>
) -> tensor<3x4xf32> {
  return %into : tensor<3x4xf32>
}
func.func private @rnn.loop(""",
        ),
    ],
    "no output": [
        (f"-> (tensor<3x1x4xf32>, {STATE})", f"-> {STATE}"),
        ("%0:2 = stablehlo.composite", "%0 = stablehlo.composite"),
        (f"return %0#0, %0#1 : tensor<3x1x4xf32>, {STATE}", f"return %0 : {STATE}"),
        (f"return %done#1, %done#2 : tensor<3x1x4xf32>, {STATE}", f"return %done#2 : {STATE}"),
        (f"-> ({STATE}, {STATE})", f"-> {STATE}"),
        ("%new:2 = ", "%new = "),
        ("%new#1", "%new"),
        ("%new#0", "%new"),
        (f"return %next, %next : {STATE}, {STATE}", f"return %next : {STATE}"),
    ],
}


@pytest.mark.parametrize("reason", KEPT)
def test_what_steps_do_not_read_row_by_row_is_multiplied_before(reason: str) -> None:
    assert products_outside(*KEPT[reason]) == 1
