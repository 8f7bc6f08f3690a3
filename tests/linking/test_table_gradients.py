"""Gradients of tables, of which a step of training reads and writes some rows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from execution import Execute, ways

import rnn_compiler as rc
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

STATE = "%{}: tensor<TABLE> {{tf.aliasing_output = {} : i32}}"
GIVEN = "%at: tensor<Bxi32>, %dy: tensor<BxIxf32>, %rate: tensor<TABLE>"
SCATTER = """
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %start, dims = [] : (tensor<f32>) -> tensor<TABLE>
  %one = stablehlo.reshape %at : (tensor<Bxi32>) -> tensor<Bx1xi32>
  %g = "stablehlo.scatter"(%zeros, %one, %dy) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<TABLE>, tensor<Bx1xi32>, tensor<BxIxf32>) -> tensor<TABLE>
  %squares = stablehlo.multiply %g, %g : tensor<TABLE>
  %norm = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<TABLE>, tensor<f32>) -> tensor<f32>
"""
PLAIN = f"""
func.func @NAME({STATE.format("w_NAME", 0)}, {GIVEN}) -> (tensor<TABLE>, tensor<f32>) {{
  {SCATTER}
  %step = stablehlo.multiply %rate, %g : tensor<TABLE>
  %next = stablehlo.subtract %w_NAME, %step : tensor<TABLE>
  return %next, %norm : tensor<TABLE>, tensor<f32>
}}
"""
"""Rows whose gradient is 0 stay."""

MOMENTUM = f"""
func.func @NAME({STATE.format("w_NAME", 0)}, {STATE.format("m_NAME", 1)}, {GIVEN})
    -> (tensor<TABLE>, tensor<TABLE>, tensor<f32>) {{
  {SCATTER}
  %half = stablehlo.constant dense<0.5> : tensor<TABLE>
  %kept = stablehlo.multiply %m_NAME, %half : tensor<TABLE>
  %moment = stablehlo.add %kept, %g : tensor<TABLE>
  %step = stablehlo.multiply %rate, %moment : tensor<TABLE>
  %next = stablehlo.subtract %w_NAME, %step : tensor<TABLE>
  return %next, %moment, %norm : tensor<TABLE>, tensor<TABLE>, tensor<f32>
}}
"""
"""Every row changes."""


def text(plan: str, rows: int, columns: int, count: int, name: str = "main") -> str:
    sizes = {"TABLE": f"{rows}x{columns}xf32", "BxI": f"{count}x{columns}", "Bx": f"{count}x"}
    for old, new in {**sizes, "NAME": name}.items():
        plan = plan.replace(old, new)
    return plan


TABLE = text(PLAIN, 4100, 4, 9)
CASES = [(PLAIN, 4100, 4, 9), (PLAIN, 800, 21, 31), (MOMENTUM, 800, 21, 31), (MOMENTUM, 520, 32, 1)]


@ways("direct", "c", "js", quick=("direct",))
def test_updates_of_tables(execute: Execute) -> None:
    """Of rows shorter and longer than a vector; some come twice, and the first and the last."""
    texts = [text(*case, f"step{number}") for number, case in enumerate(CASES)]
    module = rc.link_module("\n".join(texts))
    rng = np.random.default_rng(0)
    for number, (plan, rows, columns, count) in enumerate(CASES):
        w, m, rate = (rng.standard_normal((rows, columns)).astype(np.float32) for _ in range(3))
        dy = rng.standard_normal((count, columns)).astype(np.float32)
        at = rng.integers(0, rows, count).astype(np.int32)
        at[: count // 2] = at[count // 2 : count // 2 * 2]
        at[-1], at[0] = rows - 1, 0
        g = np.zeros((rows, columns))
        np.add.at(g, at, dy)
        names, before, change = [f"w_step{number}"], [w], g
        if plan is MOMENTUM:
            change = 0.5 * m.astype(np.float64) + g
            names, before = [*names, f"m_step{number}"], [w, m]
        after = [w - rate * change, change][: len(names)]
        wanted = {**dict(zip(names, after, strict=True)), f"result{len(names)}": (g * g).sum()}
        given = {**dict(zip(names, before, strict=True)), "at": at, "dy": dy, "rate": rate}
        found = execute(module, given, number)
        for name, right in wanted.items():
            got = np.reshape(found[name], np.shape(right))
            np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-5, err_msg=name)


SELECTIONS = {
    "rows": ("3x4xf32", "8xi32", "8x4xf32", 0, 3),
    "columns": ("8x5xf32", "4xi32", "8x4xf32", 1, 5),
    "numbers": ("3xf32", "8x4xi32", "8x4xf32", 0, 3),
    "a vector": ("3xf32", "8xi32", "8xf32", 0, 3),
}


def selection(name: str, function: str) -> str:
    of, at, table, axis, _ = SELECTIONS[name]
    select = f'torch_index_select"(%e, %i) {{dim = {axis} : i64, batch_dims = 0 : i64}}'
    return f"""
func.func @{function}(%w_{function}: tensor<{table}> {{tf.aliasing_output = 0 : i32}},
    %e: tensor<{of}>, %i: tensor<{at}>) -> tensor<{table}> {{
  %g = "stablehlo.{select} : (tensor<{of}>, tensor<{at}>) -> tensor<{table}>
  %next = stablehlo.subtract %w_{function}, %g : tensor<{table}>
  return %next : tensor<{table}>
}}"""


@ways("direct", "c", "js", quick=("direct",))
def test_selections_of_the_user(execute: Execute) -> None:
    """Their last row is one as all others, and they may have any axes."""
    texts = [selection(name, f"step{number}") for number, name in enumerate(SELECTIONS)]
    module = rc.link_module("\n".join(texts))
    rng = np.random.default_rng(0)
    for number, (of, at, table, axis, most) in enumerate(SELECTIONS.values()):
        e, i, w = ([int(n) for n in each.split("x")[:-1]] for each in (of, at, table))
        e, w = (rng.standard_normal(each).astype(np.float32) for each in (e, w))
        i = rng.integers(0, most, i).astype(np.int32)
        i.flat[0] = most - 1
        found = execute(module, {f"w_step{number}": w, "e": e, "i": i}, number)
        np.testing.assert_allclose(found[f"w_step{number}"], w - np.take(e, i, axis), rtol=1e-6)


def test_a_function_that_scatters_twice() -> None:
    """The second scatter, whose result it returns, is that of the table."""
    head, rest = TABLE.split("  %zero = ", 1)
    inner, rest = rest.split("  %squares", 1)
    small = inner.replace("4100x4xf32", "3x3x4xf32").replace("%g", "%boxes")
    small = small.replace("inserted_window_dims = [0]", "inserted_window_dims = [0, 1]")
    small = small.replace("operand_dims = [0]", "operand_dims = [0, 1]")
    small = small.replace("%one,", "%pairs,").replace(
        "tensor<9x1xi32>, tensor<9x4", "tensor<9x2xi32>, tensor<9x4"
    )
    for name in ("zero", "start", "zeros", "one", "sum"):
        small = re.sub(rf"%{name}\b", f"%{name}_of_rows", small)
    pairs = [[row // 3, row % 3] for row in range(9)]
    called = f"""
func.func private @added(%at: tensor<9xi32>, %dy: tensor<9x4xf32>) -> tensor<4100x4xf32> {{
  %pairs = stablehlo.constant dense<{pairs}> : tensor<9x2xi32>
  %zero_of_rows = {small}
  %rows = stablehlo.reshape %boxes : (tensor<3x3x4xf32>) -> tensor<9x4xf32>
  %zero = {inner.replace("%one, %dy", "%one, %rows")}
  return %g : tensor<4100x4xf32>
}}"""
    call = (
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n  %g = call @added(%at, %dy)"
        " : (tensor<9xi32>, tensor<9x4xf32>) -> tensor<4100x4xf32>"
    )
    given = f"{head}  {call}\n  %squares{rest}{called}"
    lowered = _lowered(given)
    main = lowered[lowered.index("@main(") :].split("\n  }")[0]
    scattered = re.findall(r"}\) : \(tensor<(\w+)>, tensor<9x1xi32>, ", main)
    assert scattered == ["9x4xf32"]
    program = rc.runtime.load(rc.link(given))
    rng = np.random.default_rng(0)
    w, rate = (rng.standard_normal((4100, 4)).astype(np.float32) for _ in range(2))
    dy = rng.standard_normal((9, 4)).astype(np.float32)
    at = np.array([1, 0, 3, 3, 8, 2, 1, 7, 5], np.int32)
    g = np.zeros((4100, 4))
    np.add.at(g, at, dy)
    found = program(w_main=w, at=at, dy=dy, rate=rate)
    np.testing.assert_allclose(found[0], w - rate * g, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[1], (g * g).sum(), rtol=1e-5)


def test_the_gradient_is_not_stored() -> None:
    """The update reads the rows that were added, and so does the sum of squares."""
    lowered = _lowered(TABLE)
    main = lowered[lowered.index("@main(") :]
    assert "call @table_rows" in main
    assert not any(name in main for name in ("torch_index_select", "stablehlo.scatter"))
    assert not re.search(r"stablehlo.(multiply|subtract) .*4100x4xf32", main)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(
            ("%start = stablehlo.constant dense<0.0>", "%start = stablehlo.constant dense<1.0>"),
            id="added to ones",
        ),
        pytest.param(("%sum = stablehlo.add", "%sum = stablehlo.maximum"), id="largest rows"),
        pytest.param(("return %next, %norm", "return %g, %norm"), id="a result"),
        pytest.param(
            ("= stablehlo.subtract %w_main, %step", "= stablehlo.tanh %g"), id="another op"
        ),
        pytest.param(("4100x", "410x"), id="a small table"),
        pytest.param(("<9x", "<2000x"), id="many rows"),
        pytest.param((" {tf.aliasing_output = 0 : i32}", ""), id="no state"),
    ],
)
def test_others_are_left(edit: tuple[str, str]) -> None:
    given = TABLE
    assert edit[0] in given
    assert "call @table_rows" not in _lowered(given.replace(*edit))


def _lowered(given: str) -> str:
    module, target = rc.link_module(given), resolve_target("cpu:generic")
    request = LoweringRequest(module.text, module.functions, target, "fused", "0", is_users=True)
    return rewrite(request, "update_states", reproducers=Path()).text
