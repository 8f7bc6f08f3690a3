"""Scatters of one update a batch into zeros, such as gradients of `take_along_axis`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from execution import Execute, ways

import rnn_compiler as rc


class Scatter(NamedTuple):
    """A scatter, and the axis that it indexes."""

    array: tuple[int, ...]
    indices: tuple[int, ...]
    update: tuple[int, ...]
    numbers: str
    axis: int
    index: str = "i32"
    of: str = "f32"


BATCHES = "input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], "
SCATTERS = {
    "last axis": Scatter(
        *((3, 2, 5), (3, 2, 1, 1), (3, 2, 1)),
        f"inserted_window_dims = [2], {BATCHES}scatter_dims_to_operand_dims = [2], "
        "index_vector_dim = 3",
        2,
    ),
    "no batch": Scatter(
        *((2, 3, 4), (1,), (2, 3)),
        "update_window_dims = [0, 1], inserted_window_dims = [2], "
        "scatter_dims_to_operand_dims = [2], index_vector_dim = 0",
        2,
    ),
    "first axis, turned": Scatter(
        *((300, 2, 3), (3, 2), (3, 2)),
        "inserted_window_dims = [0], input_batching_dims = [1, 2], "
        "scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [0], "
        "index_vector_dim = 2",
        *(0, "i8"),
    ),
    "rows": Scatter(
        *((2, 5, 3), (2, 1), (2, 3)),
        "update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], "
        "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
        "index_vector_dim = 1",
        *(1, "ui64", "i32"),
    ),
}


def text(scatter: Scatter, start: str = "0", body: str = "%s") -> str:
    array, indices, update = (
        "x".join([*map(str, sizes), kind])
        for sizes, kind in [
            (scatter.array, scatter.of),
            (scatter.indices, scatter.index),
            (scatter.update, scatter.of),
        ]
    )
    number = f"{start}.0" if scatter.of == "f32" else start
    return f"""
func.func @main(%i: tensor<{indices}>, %u: tensor<{update}>) -> tensor<{array}> {{
  %e = stablehlo.constant dense<{number}> : tensor<{array}>
  %r = "stablehlo.scatter"(%e, %i, %u) <{{
      scatter_dimension_numbers = #stablehlo.scatter<{scatter.numbers}>}}> ({{
    ^bb0(%a: tensor<{scatter.of}>, %b: tensor<{scatter.of}>):
      %s = stablehlo.add %a, %b : tensor<{scatter.of}>
      stablehlo.return {body} : tensor<{scatter.of}>
  }}) : (tensor<{array}>, tensor<{indices}>, tensor<{update}>) -> tensor<{array}>
  return %r : tensor<{array}>
}}"""


def scattered(name: str, i: npt.NDArray[Any], u: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What StableHLO defines: an update beyond the array is dropped."""
    case = SCATTERS[name]
    given = i.reshape(i.shape[:2] if name in ("last axis", "first axis, turned") else i.shape)
    made = np.zeros(case.array, u.dtype)
    for place in np.ndindex(*case.array):
        others = [k for axis, k in enumerate(place) if axis != case.axis]
        index, update = {
            "last axis": lambda m, n: (given[m, n], u[m, n, 0]),
            "no batch": lambda m, n: (given[0], u[m, n]),
            "first axis, turned": lambda m, n: (given[n, m], u[n, m]),
            "rows": lambda m, n: (given[m, 0], u[m, n]),
        }[name](*others)
        if int(index) == place[case.axis]:
            made[place] += update
    return made


@pytest.mark.parametrize("name", SCATTERS)
@ways("direct", "c", "js", quick=("direct",))
def test_a_selection(name: str, execute: Execute) -> None:
    case, rng = SCATTERS[name], np.random.default_rng(0)
    kinds = {"i32": np.int32, "i8": np.int8, "ui64": np.uint64, "f32": np.float32}
    u = rng.integers(-9, 9, case.update).astype(kinds[case.of])
    u.ravel()[:2] = -u.dtype.type(0), 7
    i = rng.integers(0, min(case.array[case.axis], 128), case.indices).astype(kinds[case.index])
    module = rc.link_module(text(case))
    assert "stablehlo.scatter" not in module.text
    far = np.iinfo(i.dtype).max if case.array[case.axis] < 128 else -1
    for first in (i.ravel()[0], far):
        i.ravel()[0] = first
        (found,) = execute(module, {"i": i, "u": u}).values()
        wanted = scattered(name, i, u)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


@pytest.mark.parametrize(
    "changed",
    [
        text(SCATTERS["last axis"], start="1"),
        text(SCATTERS["last axis"], body="%b"),
        text(SCATTERS["last axis"]._replace(indices=(3, 2, 2, 1), update=(3, 2, 2))),
    ],
    ids=["not into zeros", "not a sum", "two updates"],
)
def test_others_stay_scatters(changed: str) -> None:
    assert "stablehlo.scatter" in rc.link_module(changed).text
