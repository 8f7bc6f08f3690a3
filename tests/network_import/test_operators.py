"""Operators of which IREE's importer takes only some forms, or computes others wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from execution import each_language, ways
from quick import first

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import by_runtime, model, weight

_NODE: Any = helper.make_node


def _integers(*shape: int, dtype: Any = np.uint8) -> Any:
    return np.random.default_rng(1).integers(0, 60, shape).astype(dtype)


@pytest.mark.slow
@each_language
def test_products_of_quantized_matrices(agree: Any) -> None:
    """Of stacks the importer computed other numbers: stacks, a stack with a matrix, matrices."""
    shapes = [((2, 3, 4), (2, 4, 5), 1), ((2, 3, 4), (4, 5), 5), ((3, 4), (4, 5), 1)]
    cases = [
        (_quantized_product(x, w, columns, dtype), [{"x": weight(*x, scale=1)}])
        for x, w, columns in shapes
        for dtype in (np.uint8, np.int8)
    ]
    agree(cases, atol=1e-4)


def _quantized_product(x: Any, w: Any, columns: int, dtype: Any) -> Any:
    several = (columns,) if columns > 1 else ()
    numbers = {
        **{"s": np.float32(0.02), "z": np.array(3, dtype), "w": _integers(*w, dtype=dtype)},
        "ws": np.linspace(0.01, 0.05, columns, dtype=np.float32).reshape(several),
        **{"wz": np.full(several, 2, dtype), "ys": np.float32(0.0731), "yz": np.array(9, dtype)},
    }
    nodes = [
        _NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
        _NODE("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "ys", "yz"], ["r"]),
        _NODE("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    return model(nodes, {"x": x}, ["y"], numbers, opset=21)


@pytest.mark.slow
@each_language
def test_quantization_in_16_bits_without_sign(agrees: Any) -> None:
    parameters = {"s": np.linspace(3e-4, 9e-4, 4, dtype=np.float32)}
    parameters["z"] = np.array([0, 5, 3000, 65535], np.uint16)
    nodes = [
        _NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
        _NODE("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    made = model(nodes, {"x": ["rows", 4]}, ["y"], parameters, opset=21)
    agrees(made, {"x": weight(3, 4, scale=30)}, {"x": weight(1, 4)})


@pytest.mark.slow
@each_language
def test_the_last_of_equal_extremes(agrees: Any) -> None:
    cases = {
        f"{operator}{axis}": (operator, axis, keepdims)
        for operator in ("ArgMax", "ArgMin")
        for axis, keepdims in ((0, 0), (-1, 1))
    }
    nodes = [
        _NODE(operator, ["x"], [name], axis=axis, keepdims=keepdims, select_last_index=1)
        for name, (operator, axis, keepdims) in cases.items()
    ]
    dtypes = dict.fromkeys(cases, TensorProto.INT64)
    made = model(nodes, {"x": ["a", "b"]}, [*cases], {}, dtypes=dtypes)
    calls = [{"x": np.round(weight(*shape, scale=2))} for shape in ((4, 9), (1, 2))]
    agrees(made, *calls, judge=lambda _, given: [_last(*c, given["x"]) for c in cases.values()])


def _last(operator: str, axis: int, keepdims: int, x: Any) -> Any:
    turned = np.flip(x, axis)
    index = x.shape[axis] - 1 - getattr(np, operator.lower())(turned, axis)
    return np.expand_dims(index, axis) if keepdims else index


@pytest.mark.slow
@each_language
def test_local_responses(agrees: Any) -> None:
    """Windows may be wider than the channels."""
    cases = {f"y{rank}_{size}": (rank, size) for rank in (2, 4) for size in (1, 2, 5)}
    axes = ["n", "c", "h", "w"]
    nodes = [
        _NODE("LRN", [f"x{rank}"], [name], size=size, alpha=0.3, beta=0.6, bias=2.0)
        for name, (rank, size) in cases.items()
    ]
    made = model(nodes, {f"x{rank}": axes[:rank] for rank in (2, 4)}, [*cases], {})

    def judged(x: Any, size: int) -> Any:
        sums = np.zeros_like(x)
        for c in range(x.shape[1]):
            window = x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1]
            sums[:, c] = (window**2).sum(1)
        return x / (2 + 0.3 / size * sums) ** 0.6

    calls = [
        {f"x{rank}": weight(*shape[:rank], scale=2) for rank in (2, 4)}
        for shape in ((2, 3, 2, 3), (1, 1, 1, 1))
    ]
    judge = lambda _, a: [judged(a[f"x{rank}"], size) for rank, size in cases.values()]  # noqa: E731
    agrees(made, *calls, judge=judge)


@pytest.mark.slow
@ways("direct")
def test_vectors_of_zeros_are_normalized(agrees: Any) -> None:
    x = weight(2, 3, 4)
    x[0, 1] = 0
    nodes = [_NODE("LpNormalization", ["x"], [f"y{p}"], p=p) for p in (1, 2)]
    norms = [np.linalg.norm(x, p, -1, keepdims=True) for p in (1, 2)]
    wanted = [np.where(norm == 0, 0, x / np.maximum(norm, 1e-30)) for norm in norms]
    made = model(nodes, {"x": ["n", 3, 4]}, ["y1", "y2"], {})
    agrees(made, {"x": x}, judge=lambda *_: wanted)


@pytest.mark.slow
@ways("c")
def test_backward_slices_of_open_axes_in_c(agrees: Any) -> None:
    bounds = {"a": -1, "b": -(2**31), "first": 0, "last": -1, "d": -1}
    nodes = [
        _NODE("Slice", ["x", "a", "b", axis, "d"], [f"y_{axis}"]) for axis in ("first", "last")
    ]
    weights = {name: np.array([number]) for name, number in bounds.items()}
    made = model(nodes, {"x": ["t", "b", "i"]}, ["y_first", "y_last"], weights)
    agrees(made, {"x": weight(4, 2, 3)}, {"x": weight(1, 1, 1)}, rtol=0, atol=0)


@pytest.mark.slow
@ways("direct", "c", quick=("c",))
def test_rows_of_a_single_column(agrees: Any) -> None:
    """IREE does not compile gathers from slices whose last axis has a size of 1."""
    bounds = {"first": np.array([7]), "end": np.array([8]), "last": np.array([-1])}
    nodes = [
        _NODE("Slice", ["x", "first", "end", "last"], ["column"]),
        _NODE("Gather", ["column", "rows"], ["y"], axis=0),
    ]
    made = model(nodes, {"x": [6, 3, 8]}, ["y"], bounds | {"rows": np.array([5, 3, 1])})
    agrees(made, {"x": weight(6, 3, 8)})


_EQUATIONS = {
    "...i,ij->...j": [("t", "b", 4), (4, 3)],
    "tbi,ij->tbj": [("t", "b", 4), (4, 3)],
    "tbi,sbi->bts": [("t", "b", 4), ("s", "b", 4)],
    "bqhd,bkhd->bhqk": [("b", "t", 2, 4), ("b", "s", 2, 4)],
    "bhqk,bkhd->bqhd": [("b", 2, "t", "s"), ("b", "s", 2, 4)],
    "btd,dhe->bthe": [("b", "t", 4), (4, 2, 3)],
    "bthe,hed->btd": [("b", "t", 2, 3), (2, 3, 4)],
    "...ij,...jk->...ik": [("b", 3, "t", 4), ("b", 3, 4, 2)],
    "b...,b...->...": [("b", 3, "t"), ("b", 3, "t")],
    "abc,ad->bcd": [("a", "b", 2), ("a", 3)],
    "ij,k->k": [("i", 3), ("s",)],
    "i,i->": [("i",), ("i",)],
    "i,j->ij": [("i",), ("j",)],
    "tbi->bti": [("t", "b", "i")],
    "tbi->b": [("t", "b", 4)],
    "ij,ki": [("i", "j"), ("s", "i")],
    "bj,ji,j->bi": [("b", "j"), ("j", 3), ("j",)],
}
"""Equations, and the shapes of their factors."""

_SIZES = [(5, 3, 2, 4, 6, 7), (1, 2, 1, 3, 2, 4)]


@pytest.mark.slow
@ways("direct", "c")
def test_sums_of_products_of_open_axes(agree: Any) -> None:
    """The importer takes no ellipses over open axes, and joins no two of them."""
    cases: list[Any] = []
    for equation, factors in _EQUATIONS.items():
        shapes = {f"x{k}": shape for k, shape in enumerate(factors)}
        made = model([_NODE("Einsum", [*shapes], ["y"], equation=equation)], shapes, ["y"], {})
        calls = [
            {name: weight(*(axes.get(n, n) for n in shape)) for name, shape in shapes.items()}
            for axes in (dict(zip("tbsija", n, strict=True)) for n in _SIZES)
        ]
        cases.append((made, calls))
    agree(
        cases, judge=lambda m, a: [np.einsum(m.graph.node[0].attribute[0].s.decode(), *a.values())]
    )


@pytest.mark.slow
@ways("direct")
@pytest.mark.parametrize("given", first([{}, {"alpha": 1.5}]))
def test_the_constants_of_selu(given: Any, agrees: Any) -> None:
    """They are not rounded to six digits."""
    made = model([helper.make_node("Selu", ["x"], ["y"], **given)], {"x": [50]}, ["y"], {})
    agrees(made, {"x": np.linspace(-3, 3, 50, dtype=np.float32)}, rtol=2e-7, atol=1e-7)


@each_language
def test_constants_as_first_inputs(agree: Any) -> None:
    """Their types were not known to what rewrites operators: QLinearMatMul and Pad computed other
    numbers, and the others were not imported, or not compiled."""
    stack = _integers(2, 3, 4)
    parameters = {"s": np.float32(0.02), "z": np.array(3, np.uint8), "a": stack}
    product = [
        _NODE("QuantizeLinear", ["x", "s", "z"], ["q"]),
        _NODE("QLinearMatMul", ["a", "s", "z", "q", "s", "z", "s", "z"], ["r"]),
        _NODE("DequantizeLinear", ["r", "s", "z"], ["y"]),
    ]
    around = {"a": weight(3, 4), "p": np.array([0, -1, 0, 1])}
    image = {"a": weight(2, 4, 3), "bias": weight(4)}
    lengths = {"a": weight(5, 3)}
    reversal = _NODE("ReverseSequence", ["a", "x"], ["y"], time_axis=0, batch_axis=1)
    groups = _NODE("GroupNormalization", ["a", "x", "bias"], ["y"], num_groups=2)
    cases = [
        (product, np.asarray(weight(2, 4, 5, scale=1)), parameters),
        ([_NODE("Pad", ["a", "p", "x"], ["y"])], np.array(0.5, np.float32), around),
        ([groups], weight(4), image),
        ([reversal], np.array([5, 2, 1]), lengths),
    ]
    agree(
        [
            (
                model(
                    *(nodes, {"x": x.shape}, ["y"], constants),
                    dtypes={"x": helper.np_dtype_to_tensor_dtype(x.dtype)},
                    opset=21,
                ),
                [{"x": x}],
            )
            for nodes, x, constants in cases
        ],
        atol=1e-4,
        judge=by_runtime,
    )


@pytest.mark.slow
@ways("direct", "c", quick=("direct",))
def test_scatters_into_slices_of_open_axes(agrees: Any) -> None:
    nodes = [
        _NODE("Slice", ["x", "start", "stop", "axis"], ["part"]),
        _NODE("ScatterElements", ["part", "at", "u"], ["y"], axis=2),
    ]
    constants = {name: np.array([n]) for name, n in (("start", 0), ("stop", 2), ("axis", 2))}
    inputs: dict[str, Any] = {"x": ["b", "t", 3], "at": ["b", "t", 1], "u": ["b", "t", 1]}
    made = model(nodes, inputs, ["y"], constants, dtypes={"at": TensorProto.INT64})
    calls = [
        {"x": weight(b, t, 3), "at": np.arange(b * t).reshape(b, t, 1) % 2, "u": weight(b, t, 1)}
        for b, t in ((2, 5), (1, 1))
    ]
    agrees(made, *calls)
