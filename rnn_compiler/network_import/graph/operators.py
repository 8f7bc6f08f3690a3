"""Rewrites operators of which IREE's importer takes only some forms, or computes others wrongly.

It computes wrong numbers for QLinearMatMul of stacks of matrices, and NaN where LpNormalization has
a norm of 0; DepthToSpace it takes for the mode DCR, which divides the channels in another way than
CRD does. It takes the last index of equal maxima, and LRN, only with known sizes, LRN not of
matrices, and nothing that computes uint16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import FLOATS, Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement, rewrites

_AXES_ARE_INPUTS = 18
"""The first version of ReduceL1, ReduceL2 and ReduceMean whose axes are an input."""

_BEFORE_ALL = -(1 << 31)
"""The end of a backward slice that goes to the first element."""

_MOST_SLICES = 64
"""The largest window of an LRN that is written as a sum of slices."""


def _last_index(made: Replacement, node: Any, kind: Any) -> bool:
    """The last index of equal extremes, as the first one from the end."""
    attributes = attributes_of(node)
    if "select_last_index" not in attributes or not attributes["select_last_index"].i:
        return False
    axis, kept = (
        value_in(attributes, name, default) for name, default in (("axis", 0), ("keepdims", 1))
    )
    axis %= len(shape_of(kind) or [0])
    bounds = (made.constant([number]) for number in (-1, _BEFORE_ALL, axis, -1))
    turned = made.add("Slice", node.input[0], *bounds)
    index = made.add(node.op_type, turned, axis=axis, keepdims=kept)
    size = made.add("Shape", node.input[0], start=axis, end=axis + 1)
    last = made.add("Sub", made.add("Reshape", size, made.constant([])), made.constant(1))
    made.add("Sub", last, index)
    return True


def _selu(made: Replacement, node: Any, kind: Any) -> bool:
    """A Selu whose constants are written in it: IREE's importer rounds the default ones."""
    schema = onnx.defs.get_schema("Selu", made.graph.opset).attributes
    given = {name: attribute.f for name, attribute in attributes_of(node).items()}
    missing = {name: each.default_value.f for name, each in schema.items() if name not in given}
    if missing:
        made.add("Selu", *node.input, **given, **missing)
    return bool(missing)


def _local_responses(made: Replacement, node: Any, kind: Any) -> bool:
    """An LRN: ``x / (bias + alpha / size * s) ** beta``, where s sums squares of channels."""
    attributes = attributes_of(node)
    size = attributes["size"].i
    if size > _MOST_SLICES:
        return False
    alpha, beta, bias = (
        value_in(attributes, name, default)
        for name, default in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    )
    add, (x,) = made.add, node.input
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
    around = [0] * (2 * len(shape_of(kind) or []))
    around[1], around[len(around) // 2 + 1] = (size - 1) // 2, size // 2
    padded = add("Pad", add("Mul", x, x), made.constant(around), made.constant(0, dtype))
    total = ""
    for first in range(size):
        end = first - size + 1 or (1 << 63) - 1
        bounds = (made.constant([number]) for number in (first, end, 1))
        part = add("Slice", padded, *bounds)
        total = add("Add", total, part) if total else part
    mean = add("Mul", total, made.constant(alpha / size, dtype))
    below = add("Pow", add("Add", mean, made.constant(bias, dtype)), made.constant(beta, dtype))
    add("Div", x, below)
    return True


def _normalized(made: Replacement, node: Any, kind: Any) -> bool:
    """An LpNormalization, which is 0 where the norm is 0."""
    attributes = attributes_of(node)
    axis = value_in(attributes, "axis", -1)
    order = value_in(attributes, "p", 2)
    norm = _norm(made, node.input[0], order, [axis])
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)
    zero, one = (made.constant(number, dtype) for number in (0, 1))
    is_zero = made.add("Equal", norm, zero)
    made.add("Div", node.input[0], made.add("Where", is_zero, one, norm))
    return True


def _norm(made: Replacement, x: str, order: int, axes: list[int]) -> str:
    """The norm of order 1 or 2 along some axes, which stay with a size of 1."""
    operator = f"ReduceL{order}"
    if made.graph.opset < _AXES_ARE_INPUTS:
        return made.add(operator, x, axes=axes, keepdims=1)
    return made.add(operator, x, made.constant(axes), keepdims=1)


def _whole(made: Replacement, node: Any, kind: Any) -> bool:
    """A OneHot of whole numbers: IREE's importer does not survive constant floats."""
    indices, *others = node.input
    is_float = kind.tensor_type.elem_type in FLOATS
    if not is_float or indices not in made.graph.constants():
        return False
    made.add("OneHot", made.add("Cast", indices, to=onnx.TensorProto.INT64), *others)
    made.nodes[-1].attribute.extend(node.attribute)
    return True


def _product(made: Replacement, node: Any, kind: Any) -> bool:
    """A QLinearMatMul: a MatMulInteger, quantized again."""
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = node.input
    shapes = made.graph.shapes()
    if any(shapes.get(name) not in ([], [1]) for name in (a_scale, a_zero, scale, zero)):
        return False
    total = made.add("MatMulInteger", a, b, a_zero, b_zero)
    number = made.add("Cast", total, to=onnx.TensorProto.FLOAT)
    number = made.add("Mul", number, made.add("Mul", a_scale, b_scale))
    scalar = (made.add("Reshape", name, made.constant([])) for name in (scale, zero))
    made.add("QuantizeLinear", number, *scalar)
    return True


def _rounded(made: Replacement, node: Any, kind: Any) -> bool:
    """A DequantizeLinear of what a QuantizeLinear made uint16, which stays a float."""
    if kind.tensor_type.elem_type != onnx.TensorProto.UINT16:
        return False
    makers = {name: each for each in made.graph.proto.node for name in each.output}
    maker = makers.get(node.input[0])
    if maker is None or maker.op_type != "QuantizeLinear" or _is_blocked(node, maker):
        return False
    shapes = made.graph.shapes()
    sizes = [shapes.get(each.input[1]) for each in (maker, node)]
    if any(size is None or len(size) > 1 for size in sizes):
        return False
    add, rank, small = made.add, len(shape_of(kind) or []), onnx.TensorProto.FLOAT

    def parameters(each: Any) -> list[str]:
        """The scale, and the zero point if there is one, as floats along their axis."""
        axis = (attributes_of(each)["axis"].i if "axis" in attributes_of(each) else 1) % rank
        along = [1] * axis + [-1] + [1] * (rank - axis - 1) if shapes[each.input[1]] else []
        casts = (add("Cast", name, to=small) for name in each.input[1:])
        return [add("Reshape", name, made.constant(along)) for name in casts]

    scale, *zero = parameters(maker)
    number = add("Round", add("Div", add("Cast", maker.input[0], to=small), scale))
    number = add("Add", number, *zero) if zero else number
    limits = (made.constant(bound, np.float32) for bound in (0, np.iinfo(np.uint16).max))
    number = add("Clip", number, *limits)
    scale, *zero = parameters(node)
    number = add("Mul", add("Sub", number, *zero) if zero else number, scale)
    add("Cast", number, to=made.graph.all_types()[node.input[1]].tensor_type.elem_type)
    return True


def _is_blocked(*nodes: Any) -> bool:
    """Whether nodes have scales for blocks of elements."""
    attributes = map(attributes_of, nodes)
    return any("block_size" in each and each["block_size"].i for each in attributes)


_FORMS: Mapping[str, Callable[[Replacement, Any, Any], bool]] = {
    **dict.fromkeys(("ArgMax", "ArgMin"), _last_index),
    "LRN": _local_responses,
    "Selu": _selu,
    "LpNormalization": _normalized,
    "OneHot": _whole,
    "QLinearMatMul": _product,
    "DequantizeLinear": _rounded,
}
"""Functions that add an operator's replacement, and return whether there is one."""


@rewrites(*_FORMS, least_opset=15)  # from which Shape takes single sizes
def plain_operators(graph: Graph, node: Any, kind: Any) -> list[Any]:
    """The nodes that compute an operator; itself if it has a form that is taken."""
    made = Replacement(graph, node)
    is_other = shape_of(kind) is not None and _FORMS[node.op_type](made, node, kind)
    return made.finished() if is_other else [node]


@rewrites("DepthToSpace")
def plain_depth(graph: Graph, node: Any, kind: Any) -> list[Any] | None:
    """The nodes that move blocks of channels to the image, as PyTorch's PixelShuffle does."""
    attributes, sizes = attributes_of(node), shape_of(kind) or [None]
    if None in sizes or "mode" not in attributes or attributes["mode"].s != b"CRD":
        return None
    side = attributes["blocksize"].i
    rows, channels, height, width = (size or 0 for size in sizes)
    made = Replacement(graph, node)
    left = [rows, channels // side**2]
    apart = made.constant([*left, side, side, height, width])
    x = made.add("Reshape", node.input[0], apart)
    x = made.add("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    made.add("Reshape", x, made.constant([*left, height * side, width * side]))
    return made.finished()
