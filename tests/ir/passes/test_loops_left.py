"""Time loops that passes leave unchanged, and the recorded reasons: one case per reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from ir.rewriting import AVX512, edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.analysis.values import operand_at
from rnn_compiler.lowering.codegen.body import known
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.passes.fuse_time_loops import fuse_time_loops
from rnn_compiler.lowering.passes.pin_time_loops import pin_time_loops
from rnn_compiler.lowering.targets.gpu import Gpu

LOWERING = Path(__file__).parents[3] / "lowering"

WHOLE, WEIGHT, WIDE = "tensor<2x4xf32>", "tensor<4x4xf32>", "tensor<2x8xf32>"
INT8 = f"{WHOLE}, {WEIGHT}, {WEIGHT}"
TWICE_WIDE = f"%wide = stablehlo.concatenate %sum, %sum, dim = 1 : ({WHOLE}, {WHOLE}) -> {WIDE}"


class Case(NamedTuple):
    """A loop that is left.

    Attributes:
        reason: The reason.
        edits: What is other than in `LOOP`.
        by: The passes that leave it.
    """

    reason: str
    edits: tuple[tuple[str, str], ...]
    by: str = "fuse pin"


def instead(step: str) -> tuple[tuple[str, str], ...]:
    """Another step than `tanh`; gives ``%next``, of ``%sum`` and all that was before it."""
    return (("%next = stablehlo.tanh %sum : tensor<2x4xf32>", step),)


SCALED = (
    (
        "stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]",
        """stablehlo.composite "rnn_compiler.product" %h, %w, %w {
          composite_attributes = {
            form = "rows", axis = 0 : i64, operands = "lhs rhs scale"},
          decomposition = @product, version = 1 : i32}""",
    ),
    (f": ({WHOLE}, {WEIGHT}) -> {WHOLE}\n  %sum", f": ({INT8}) -> {WHOLE}\n  %sum"),
    (
        "func.func private @rnn.loop.step(",
        f"""func.func private @product(
          %l: {WHOLE}, %r: {WEIGHT}, %s: {WEIGHT}
        ) -> {WHOLE} {{
          return %l : {WHOLE}
        }}
        func.func private @rnn.loop.step(""",
    ),
)
"""A product with scales of its weights, which are float32."""


CASES = [
    # What it carries.
    Case(
        "states of different batch sizes",
        (
            ("read state", "read state state"),
            ("%w: tensor<4x4xf32>, %h", "%w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %h"),
            ("%w, %h", "%w, %v, %h"),
            ("tensor<4x4xf32>, tensor<2x4xf32>)", f"{WEIGHT}, {WEIGHT}, {WHOLE})"),
            ("(tensor<3x2x4xf32>, tensor<2x4xf32>)", f"(tensor<3x2x4xf32>, {WEIGHT}, {WHOLE})"),
            ("(tensor<2x4xf32>, tensor<2x4xf32>)", f"({WEIGHT}, {WHOLE}, {WHOLE})"),
            ("%0:2", "%0:3"),
            ("%0#1 : tensor<3x2x4xf32>", f"%0#1, %0#2 : tensor<3x2x4xf32>, {WEIGHT}"),
            ("%new:2", "%new:3"),
            ("%new#1", "%new#2"),
            ("%new#0", "%new#1"),
            (
                "%done#1, %done#2 : tensor<3x2x4xf32>",
                f"%done#1, %v, %done#2 : tensor<3x2x4xf32>, {WEIGHT}",
            ),
            (
                "return %next, %next : tensor<2x4xf32>",
                f"return %v, %next, %next : {WEIGHT}, {WHOLE}",
            ),
        ),
    ),
    Case(
        "a unit axis",
        (("x4xf32", "x1xf32"), ("4x1xf32", "1x1xf32"), ("2, 4]", "2, 1]")),
        "fuse",
    ),
    # Its products.
    Case(
        "a product that is not one of matrices",
        instead(
            f"""%sums = stablehlo.dot_general %w, %w, contracting_dims = [0] x [0]
              : ({WEIGHT}, {WEIGHT}) -> {WEIGHT}
            %next = stablehlo.tanh %sum : {WHOLE}"""
        ),
    ),
    Case(
        "a product with a matrix that the step computes",
        instead(
            f"""%w2 = stablehlo.add %w, %w : {WEIGHT}
            %next = stablehlo.dot_general %sum, %w2, contracting_dims = [1] x [0]
              : ({WHOLE}, {WEIGHT}) -> {WHOLE}"""
        ),
    ),
    Case(
        "products of mixed orientation",
        instead(
            f"""%wh = stablehlo.dot_general %h, %w, contracting_dims = [1] x [1]
              : ({WHOLE}, {WEIGHT}) -> {WHOLE}
            %next = stablehlo.add %sum, %wh : {WHOLE}"""
        ),
        "fuse",
    ),
    Case(
        "products of several types",
        instead(
            f"""%rounded = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
              : ({WHOLE}, {WEIGHT}) -> tensor<2x4xbf16>
            %next = stablehlo.convert %rounded : (tensor<2x4xbf16>) -> {WHOLE}"""
        ),
        "fuse",
    ),
    Case(
        "products of several types",
        (
            ("read read", "read read read"),
            ("%w: tensor<4x4xf32>, %h", "%w: tensor<4x4xf32>, %v: tensor<4x4xbf16>, %h"),
            ("%w, %h", "%w, %v, %h"),
            ("tensor<4x4xf32>, tensor<2x4xf32>)", f"{WEIGHT}, tensor<4x4xbf16>, {WHOLE})"),
            *instead(
                f"""%next = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0]
                  : ({WHOLE}, tensor<4x4xbf16>) -> {WHOLE}"""
            ),
        ),
        "fuse",
    ),
    Case("weights in int8", SCALED, "pin"),
    Case("scales of weights that are not in int8", SCALED, "fuse"),
    # What a step computes.
    Case("stablehlo.sine in a step", instead(f"%next = stablehlo.sine %sum : {WHOLE}")),
    Case(
        "stablehlo.popcnt in a step",
        (("%row =", "%u = stablehlo.popcnt %t : tensor<i64>\n%row ="), ("%x, %t", "%x, %u")),
    ),
    Case(
        "stablehlo.negate of i64 in a step",
        (("%row =", "%u = stablehlo.negate %t : tensor<i64>\n%row ="), ("%x, %t", "%x, %u")),
    ),
    Case(
        "stablehlo.not of i64 in a step",
        (("%row =", "%u = stablehlo.not %t : tensor<i64>\n%row ="), ("%x, %t", "%x, %u")),
    ),
    Case(
        "a conversion from f32 to i32",
        instead(
            f"""%whole = stablehlo.convert %sum : ({WHOLE}) -> tensor<2x4xi32>
            %next = stablehlo.convert %whole : (tensor<2x4xi32>) -> {WHOLE}"""
        ),
    ),
    Case(
        "a constant of several numbers",
        instead(
            f"""%steps = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]>
              : {WHOLE}
            %next = stablehlo.add %sum, %steps : {WHOLE}"""
        ),
    ),
    Case(
        "a reshape in a step",
        instead(f"%next = stablehlo.reshape %sum : ({WHOLE}) -> {WHOLE}"),
    ),
    Case(
        "a whole array as a value of a step",
        instead(f"%next = stablehlo.reshape %h : ({WHOLE}) -> {WHOLE}"),
    ),
    Case(
        "a slice of rows in a step",
        instead(
            f"""%part = stablehlo.slice %w [2:4, 0:4] : ({WEIGHT}) -> {WHOLE}
            %next = stablehlo.add %sum, %part : {WHOLE}"""
        ),
    ),
    Case(
        "a slice with gaps in a step",
        instead(
            f"""{TWICE_WIDE}
            %next = stablehlo.slice %wide [0:2, 0:8:2] : ({WIDE}) -> {WHOLE}"""
        ),
    ),
    Case(
        "stablehlo.constant as a vector of sizes",
        instead(
            f"""%from = stablehlo.constant dense<0> : tensor<2xi64>
            %to = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
            %by = stablehlo.constant dense<1> : tensor<2xi64>
            %next = stablehlo.real_dynamic_slice %sum, %from, %to, %by
              : ({WHOLE}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> {WHOLE}"""
        ),
    ),
    Case(
        "a concatenation of rows in a step",
        instead(
            f"""%top = stablehlo.slice %sum [0:1, 0:4] : ({WHOLE}) -> tensor<1x4xf32>
            %next = stablehlo.concatenate %top, %top, dim = 0
              : (tensor<1x4xf32>, tensor<1x4xf32>) -> {WHOLE}"""
        ),
    ),
    Case(
        "a unit axis that is repeated in a step",
        instead(
            f"""%top = stablehlo.slice %sum [0:1, 0:4] : ({WHOLE}) -> tensor<1x4xf32>
            %next = stablehlo.broadcast_in_dim %top, dims = [0, 1] : (tensor<1x4xf32>) -> {WHOLE}"""
        ),
    ),
    Case(
        "a part of a row in a step",
        instead(
            f"""%some = stablehlo.dynamic_slice %x, %t, %zero, %t, sizes = [1, 2, 2]
              : (tensor<3x2x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x2xf32>
            %half = stablehlo.reshape %some : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
            %next = stablehlo.concatenate %half, %half, dim = 1
              : (tensor<2x2xf32>, tensor<2x2xf32>) -> {WHOLE}"""
        ),
    ),
    # What a GPU's dispatches write.
    Case(
        "a unit axis, on which IREE computes other numbers",
        (("x4xf32", "x1xf32"), ("4x1xf32", "1x1xf32"), ("2, 4]", "2, 1]")),
        "pin",
    ),
    Case(
        "a state of several parts",
        instead(
            f"""%left = stablehlo.slice %sum [0:2, 0:2] : ({WHOLE}) -> tensor<2x2xf32>
            %next = stablehlo.concatenate %left, %left, dim = 1
              : (tensor<2x2xf32>, tensor<2x2xf32>) -> {WHOLE}"""
        ),
        "pin",
    ),
]

PASSES = {"fuse": (fuse_time_loops, AVX512), "pin": (pin_time_loops, Gpu())}


@pytest.mark.parametrize("by", PASSES)
def test_the_loop_itself_is_taken(by: str) -> None:
    """Else none of the cases below would show its reason."""
    each, processor = PASSES[by]
    after, left = rewritten(LOOP, each, processor=processor)
    assert left == {}
    assert "stablehlo.while" not in after


@pytest.mark.parametrize(
    ("case", "by"),
    [
        pytest.param(case, by, id=f"{number}-{by}-{case.reason.replace(' ', '_')}")
        for number, case in enumerate(CASES)
        for by in case.by.split()
    ],
)
def test_a_loop_of_another_form_is_left_and_the_reason_noted(case: Case, by: str) -> None:
    """Nothing of the module changes: neither a function nor an executable is left behind."""
    each, processor = PASSES[by]
    text = edited(LOOP, *case.edits)
    after, left = rewritten(text, each, processor=processor)
    assert left == {"rnn.loop": case.reason}
    assert after == rewritten(text)[0]


UNKNOWN_SIZE = "a size that is not known when code is generated"
CROSSING = "a part that crosses a concatenation"


def test_reasons_that_no_loop_leads_to() -> None:
    """Their callers ask for sizes and parts that are there."""
    text = f"""func.func @f(%a: {WHOLE}) -> {WIDE} {{
      %ab = stablehlo.concatenate %a, %a, dim = 1 : ({WHOLE}, {WHOLE}) -> {WIDE}
      return %ab : {WIDE}
    }}"""
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        concatenation = ops_of(block_of(ops_of(module.body)[0]))[0]
        assert operand_at(concatenation, 5) == (concatenation.operands[1], 1)
        with pytest.raises(Refused, match=CROSSING):
            operand_at(concatenation, 8)
        size = FunctionBuilder("f", []).index(3)
        assert known([1, 2]) == (1, 2)
        with pytest.raises(Refused, match=UNKNOWN_SIZE):
            known([1, size])


def reasons() -> Iterator[str]:
    """All that `Refused` is raised with in lowering, as regular expressions."""
    for path in LOWERING.rglob("*.py"):
        text = path.read_text()
        if "Refused(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Refused":
                (reason,) = node.args
                parts = reason.values if isinstance(reason, ast.JoinedStr) else [reason]
                yield "".join(
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[\\w.]+"
                    for part in parts
                )


@pytest.mark.parametrize("reason", sorted(set(reasons())))
def test_every_reason_has_a_case(reason: str) -> None:
    shown = [*(case.reason for case in CASES), UNKNOWN_SIZE, CROSSING]
    assert any(re.fullmatch(reason, each) for each in shown)
