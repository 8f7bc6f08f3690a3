"""Modules from `rc.build`: the portable module of each op, as text.

The sizes differ from each other, also as products, so that a type in a check names one tensor:
x [3, 2, 4], states [2, 5], w [9, 20]; flattened over time 6 rows.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
from cases import COMPUTING
from ir.filecheck import check
from numeric.harness import module as build

import rnn_compiler as rc
from rnn_compiler.lowering.builder.module import module_text
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.ops import OPS

BLOCK_DIMS = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
COUNTS = dict.fromkeys(("num_params", "num_params_weights", "num_params_biases"), 8)
DIMS: dict[str, Any] = {**BLOCK_DIMS, **COUNTS, "num_layers": 1, "S": "int32"}
DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}

FORWARD = "BlockLSTMV2"
BACKWARD = "BlockLSTMGradV2"


def text(op: str, **keywords: Any) -> str:
    dtype = keywords.pop("dtype", "float32")
    return str(build(op, dtype, {"use_peephole": True, **DIMS, **keywords}))


def operations(module_text: str) -> list[tuple[str, str]]:
    """The name and the location of every op of a module, nested ones too."""
    rows: list[tuple[str, str]] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        rows.append((op.operation.name, str(op.location)))
        return ir.WalkResult.ADVANCE

    with new_context():
        ir.Module.parse(module_text).operation.walk(visit)
    return [row for row in rows if row[0] != "builtin.module"]


@pytest.mark.parametrize(("dtype", "t"), DTYPES.items())
def test_forward_signature(dtype: str, t: str) -> None:
    """TensorFlow's arguments and results, by name and in TensorFlow's order."""
    check(
        text(FORWARD, dtype=dtype),
        f"""
        CHECK: module {{
        CHECK-NEXT{{LITERAL}}: func.func @block_lstm_v2(%seq_len_max: tensor<i64>, \
%x: tensor<3x2x4x{t}>, %cs_prev: tensor<2x5x{t}>, %h_prev: tensor<2x5x{t}>, \
%w: tensor<9x20x{t}>, %wci: tensor<5x{t}>, %wcf: tensor<5x{t}>, %wco: tensor<5x{t}>, \
%b: tensor<20x{t}>) -> ({", ".join([f"tensor<3x2x5x{t}>"] * 7)}) {{
        CHECK-NOT: func.func @
        """,
    )


@pytest.mark.parametrize(("dtype", "t"), DTYPES.items())
def test_backward_signature(dtype: str, t: str) -> None:
    """TensorFlow's arguments and results, by name and in TensorFlow's order."""
    saved = ", ".join(
        f"%{name}: tensor<3x2x5x{t}>"
        for name in ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")
    )
    check(
        text(BACKWARD, dtype=dtype),
        f"""
        CHECK: module {{
        CHECK-NEXT{{LITERAL}}: func.func @block_lstm_grad_v2(%seq_len_max: tensor<i64>, \
%x: tensor<3x2x4x{t}>, %cs_prev: tensor<2x5x{t}>, %h_prev: tensor<2x5x{t}>, \
%w: tensor<9x20x{t}>, %wci: tensor<5x{t}>, %wcf: tensor<5x{t}>, %wco: tensor<5x{t}>, \
%b: tensor<20x{t}>, {saved}) -> (tensor<3x2x4x{t}>, tensor<2x5x{t}>, tensor<2x5x{t}>, \
tensor<9x20x{t}>, tensor<5x{t}>, tensor<5x{t}>, tensor<5x{t}>, tensor<20x{t}>) {{
        CHECK-NOT: func.func @
        """,
    )


def test_forward_projects_the_input_once() -> None:
    """One product of all T * B rows before the loop; in the loop only the recurrent one."""
    check(
        text(FORWARD),
        """
        CHECK-LABEL: func.func @block_lstm_v2(
        CHECK: [[W:%[a-z_0-9]+]] = stablehlo.slice %w [0:4, 0:20]
        CHECK: dot_general
        CHECK-SAME: , [[W]], {{.*}} -> tensor<6x20xf32>
        CHECK-NOT: dot_general
        CHECK: stablehlo.composite "rnn_compiler.time_loop"
        CHECK-NOT: dot_general
        CHECK-LABEL: func.func private @block_lstm_v2.lstm_forward(
        CHECK: stablehlo.while
        CHECK-NOT: dot_general
        CHECK-LABEL: func.func private @block_lstm_v2.lstm_forward.step(
        CHECK: dot_general
        CHECK-SAME: , %w_h, {{.*}} -> tensor<2x20xf32>
        CHECK-NOT: dot_general
        """,
    )


def test_backward_sums_over_time_outside_the_loop() -> None:
    """The loop has one product; x_grad and w_grad are one each, over all T * B rows."""
    check(
        text(BACKWARD),
        """
        CHECK-LABEL: func.func @block_lstm_grad_v2(
        CHECK-NOT: dot_general
        CHECK: stablehlo.composite "rnn_compiler.time_loop"
        CHECK: dot_general
        CHECK-SAME: -> tensor<6x4xf32>
        CHECK: dot_general
        CHECK-SAME: -> tensor<9x20xf32>
        CHECK-NOT: dot_general
        CHECK-LABEL: func.func private @block_lstm_grad_v2.lstm_backward(
        CHECK: stablehlo.while
        CHECK-NOT: dot_general
        CHECK-LABEL: func.func private @block_lstm_grad_v2.lstm_backward.step(
        CHECK: dot_general
        CHECK-SAME: -> tensor<2x5xf32>
        CHECK-NOT: dot_general
        """,
    )


@pytest.mark.parametrize(
    ("op", "name", "reads", "reverse"),
    [(FORWARD, "lstm_forward", 6, "false"), (BACKWARD, "lstm_backward", 13, "true")],
)
def test_recurrence_is_a_composite(op: str, name: str, reads: int, reverse: str) -> None:
    """Its attributes tell the step and the states; its meaning is a plain loop of that step."""
    function = OPS[op].signature.function
    check(
        text(op),
        f"""
        CHECK-LABEL: func.func @{function}(
        CHECK-NOT: stablehlo.while
        CHECK: stablehlo.composite "rnn_compiler.time_loop"
        CHECK-SAME{{LITERAL}}: {{composite_attributes = {{\
operands = "count {"read " * reads}state state", reverse = {reverse}, \
step = @{function}.{name}.step}}, \
decomposition = @{function}.{name}, version = 1 : i32}}
        CHECK-NOT: stablehlo.{{{{while|composite}}}}
        CHECK-LABEL: func.func private @{function}.{name}(
        CHECK: stablehlo.while
        CHECK: func.call @{function}.{name}.step(
        CHECK-NOT: stablehlo.{{{{while|composite}}}}
        CHECK-LABEL: func.func private @{function}.{name}.step(%t: tensor<i64>,
        CHECK-NOT: stablehlo.{{{{while|composite}}}}
        """,
    )


def test_the_output_of_each_direction_is_copied_once() -> None:
    """Not for each block of time: those of both directions alternate in Y."""
    sizes = {"seq_length": 64, "batch_size": 16, "input_size": 16, "num_units": 32}
    made = str(rc.build("onnx.LSTMGrad", direction="bidirectional", **sizes))
    assert len(re.findall(r"optimization_barrier %\w+ : tensor<64x16x32xf32>", made)) == 2


def test_without_peephole_its_ops_are_absent() -> None:
    """No op reads wci, wcf or wco; their gradients are constants."""
    check(
        text(FORWARD, use_peephole=False),
        """
        CHECK-LABEL: func.func @block_lstm_v2({{.*}}) {
        CHECK-NOT: %wc
        CHECK-LABEL: func.func private @block_lstm_v2.lstm_forward(
        CHECK-NOT: %wc
        CHECK: broadcast_in_dim %b,
        CHECK-NOT: broadcast_in_dim
        """,
    )
    check(
        text(BACKWARD, use_peephole=False),
        """
        CHECK-LABEL: func.func @block_lstm_grad_v2(
        CHECK-NOT: across dimensions = [0, 1]
        CHECK: [[ZERO:%wci_grad[_0-9]*]] = stablehlo.constant dense<0.000000e+00> : tensor<5xf32>
        CHECK-NOT: across dimensions = [0, 1]
        CHECK: return {{.*}}, [[ZERO]], [[ZERO]], [[ZERO]], %b_grad
        CHECK-LABEL: func.func private @block_lstm_grad_v2.lstm_backward(
        CHECK-NOT: %wc
        CHECK-NOT: broadcast_in_dim
        """,
    )


@pytest.mark.parametrize("cell_clip", [0.0, -0.0, -1.0, -1e-30])
def test_nothing_is_clipped_unless_cell_clip_is_positive(cell_clip: float) -> None:
    check(
        text(FORWARD, cell_clip=cell_clip),
        """
        CHECK-LABEL: func.func private @block_lstm_v2.lstm_forward(
        CHECK-NOT: stablehlo.{{clamp|minimum|maximum}}
        """,
    )


@pytest.mark.parametrize("op", COMPUTING)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_no_op_computes_in_16_bits(op: str, dtype: str) -> None:
    """Also without a loop."""
    operators = "add|subtract|multiply|divide|negate|logistic|tanh|clamp|reduce|exponential"
    narrow = rf"stablehlo\.({operators}|dot_general)\b.*[x<]{DTYPES[dtype]}>$"
    assert not re.findall(narrow, text(op, dtype=dtype), re.MULTILINE)
    assert re.findall(narrow.replace(DTYPES[dtype], "f32"), text(op, dtype=dtype), re.MULTILINE)


@pytest.mark.parametrize("op", COMPUTING)
def test_float64_stays_float64(op: str) -> None:
    """No value is narrowed, and no op is used that IREE has in single precision only."""
    check(text(op, dtype="float64"), "CHECK: f64\nCHECK-NOT: f32\nCHECK-NOT: stablehlo.tanh")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("op", "use_peephole"),
    [(op, use) for op in OPS for use in (False, True) if not use or "LSTM" in op],
)
def test_module_is_portable_and_round_trips(op: str, dtype: str, use_peephole: bool) -> None:
    """Printed text parses, verifies and prints as itself; it holds only StableHLO and functions."""
    module = build(op, dtype, {"use_peephole": use_peephole, **DIMS})
    with new_context():
        parsed = ir.Module.parse(module.text)
        assert parsed.operation.verify()
        assert ir.Module.parse(str(parsed)).operation.verify()
    assert module_text(module.located_text) == module.text
    names = [name for name, _ in operations(module.text)]
    assert {name.partition(".")[0] for name in names} == {"stablehlo", "func"}
    assert "stablehlo.custom_call" not in names
    assert names == [name for name, _ in operations(module.located_text)]


@pytest.mark.parametrize("op", OPS)
def test_every_op_is_located(op: str) -> None:
    """A compiler error then names the op, and the step of its formula."""
    rows = operations(build(op, "float32", {"use_peephole": True, **DIMS}).located_text)
    unnamed = [row for row in rows if f'"{op}: ' not in row[1] and row[0] != "func.func"]
    assert unnamed == []


@pytest.mark.parametrize(
    ("op", "operation", "steps"),
    [
        (FORWARD, "stablehlo.logistic", ["i = s(z_i)", "f = s(z_f)", "o = s(z_o)"]),
        (FORWARD, "stablehlo.tanh", ["ci = tanh(z_ci)", "co = tanh(cs)"]),
        (
            FORWARD,
            "stablehlo.dot_general",
            ["zx = x @ w[:I]", "z = zx[t] + b + h_prev @ w[I:]"],
        ),
        (FORWARD, "stablehlo.composite", ["lstm_forward = time loop"]),
        (FORWARD, "stablehlo.while", ["lstm_forward = for t in 0..seq_len_max-1"]),
        (
            BACKWARD,
            "stablehlo.dot_general",
            [
                "x_grad = dgates @ w[:I]^T",
                "w_grad = [x, h_prev]^T @ dgates",
                "dh = dgates @ w[I:]^T",
            ],
        ),
        (BACKWARD, "stablehlo.composite", ["lstm_backward = time loop"]),
    ],
)
def test_locations_name_the_formula(op: str, operation: str, steps: list[str]) -> None:
    rows = operations(rc.build(op, use_peephole=True, **BLOCK_DIMS).located_text)
    found = [location for name, location in rows if name == operation]
    assert len(found) == len(steps)
    for location, step in zip(found, steps, strict=True):
        assert f'"{op}: {step}"' in location


def test_several_ops_are_one_function_each() -> None:
    """In the requested order, each with its own and the common keywords."""
    module = rc.build([BACKWARD, (FORWARD, {"cell_clip": 0.3})], use_peephole=True, **BLOCK_DIMS)
    assert [spec.op for spec in module.functions] == [BACKWARD, FORWARD]
    assert module.functions[1].attributes == {"cell_clip": 0.3, "use_peephole": True}
    check(
        module.text,
        """
        CHECK: func.func @block_lstm_grad_v2(
        CHECK: func.func private @block_lstm_grad_v2.lstm_backward(
        CHECK: func.func private @block_lstm_grad_v2.lstm_backward.step(
        CHECK: func.func @block_lstm_v2(
        CHECK: func.func private @block_lstm_v2.lstm_forward(
        CHECK: func.func private @block_lstm_v2.lstm_forward.step(
        CHECK-NOT: func.func
        """,
    )


@functools.cache
def all_together() -> list[str]:
    return rc.build(list(OPS), use_peephole=True, **DIMS).text.splitlines()


@pytest.mark.parametrize("op", OPS)
def test_each_function_is_as_if_alone(op: str) -> None:
    """A function does not depend on the others in its module."""
    together = all_together()
    alone = text(op).splitlines()[1:-1]
    start = together.index(alone[0])
    assert together[start : start + len(alone)] == alone


@pytest.mark.parametrize("op", [FORWARD, BACKWARD])
@pytest.mark.parametrize("empty", ["seq_length", "batch_size", "num_units"])
def test_empty_tensors_need_no_loop(op: str, empty: str) -> None:
    """Without steps or elements, there is no recurrence."""
    check(
        text(op, **{empty: 0}),
        "CHECK: return\nCHECK-NOT: stablehlo.{{while|composite|dot_general|logistic}}",
    )


@pytest.mark.parametrize("op", [FORWARD, BACKWARD])
def test_empty_input_needs_no_projection(op: str) -> None:
    """With I = 0 only the recurrent product is left, and in the gradient that of the states."""
    dots = [n for n, _ in operations(text(op, input_size=0)) if n == "stablehlo.dot_general"]
    assert len(dots) == {FORWARD: 1, BACKWARD: 2}[op]


def test_building_twice_gives_the_same_text() -> None:
    assert text(BACKWARD, dtype="float16") == text(BACKWARD, dtype="float16")


def test_save_writes_the_text(tmp_path: Path) -> None:
    module = rc.build(FORWARD, **BLOCK_DIMS)
    assert module.save(tmp_path / "lstm.mlir").read_text() == str(module) == module.text
    assert repr(module) == "Module(block_lstm_v2)"
