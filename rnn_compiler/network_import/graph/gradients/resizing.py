"""The rule of Resize, which is a product with a matrix along each axis: y = M x, dx = M^T dy.

The matrix of an axis has the columns that the node makes of those of an identity. onnx's reference
implementation computes them, so that every mode and coordinate is as ONNX defines it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import onnx
from rnn_compiler.network_import.graph.gradients.node import Backward

_SIZES = 3
"""The position of the input that has sizes; the one before has scales."""


def _resize(n: Backward) -> None:
    """Axis after axis; a whole factor by which elements are repeated is a sum."""
    if n.number("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
        raise n.refused("it crops")
    if not all(isinstance(size, int) for size in (*n.x.shape, *n.y.shape)):
        raise n.refused("its sizes are open")
    gradient = n.dy
    for axis, (before, after) in enumerate(zip(n.x.sizes, n.y.sizes, strict=True)):
        assert isinstance(before, int)
        assert isinstance(after, int)
        matrix = _matrix(n, axis, before, after)
        if np.array_equal(matrix, np.eye(before)):
            continue
        repeated = after // before
        if np.array_equal(matrix, np.repeat(np.eye(before), repeated, 0)):
            apart = [*gradient.shape[:axis], before, repeated, *gradient.shape[axis + 1 :]]
            gradient = gradient.reshape(apart).sum([axis + 1])
        else:
            columns = n.values.constant(matrix, gradient.kind)
            gradient = (gradient.moved(axis, n.x.rank - 1) @ columns).moved(n.x.rank - 1, axis)
    n.give(0, gradient)


def _matrix(n: Backward, axis: int, before: int, after: int) -> Any:
    """The matrix along an axis, ``[after, before]``."""
    given, made = np.eye(before)[:, None, :], [before, 1, after]
    feeds: dict[str, Any] = {"x": given}
    if n.has(_SIZES):
        feeds["numbers"] = np.array(made, np.int64)
        names = ["x", "", "", "numbers"]
    else:
        axes = [int(each) % n.x.rank for each in n.number("axes", range(n.x.rank))]
        scale = n.array(_SIZES - 1)[axes.index(axis)] if axis in axes else 1
        feeds["numbers"] = np.array([1, 1, scale], np.float32)
        names = ["x", "", "numbers"]
    node = onnx.helper.make_node("Resize", names, ["y"])
    node.attribute.extend(each for each in n.node.attribute if each.name != "axes")
    inputs = [
        onnx.helper.make_tensor_value_info(name, _kind(array), list(array.shape))
        for name, array in feeds.items()
    ]
    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.DOUBLE, made)
    alone = onnx.helper.make_graph([node], "axis", inputs, [result])
    model = onnx.helper.make_model(
        alone,
        opset_imports=n.values.graph.model.opset_import,
        ir_version=n.values.graph.model.ir_version,
    )
    (rows,) = onnx.reference.ReferenceEvaluator(model).run(None, feeds)
    return rows[:, 0].T


def _kind(array: Any) -> int:
    return onnx.helper.np_dtype_to_tensor_dtype(array.dtype)


RESIZES: Mapping[str, Callable[[Backward], None]] = {"Resize": _resize}
"""The rule of Resize."""
