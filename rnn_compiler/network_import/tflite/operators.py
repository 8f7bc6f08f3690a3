"""A rule for each operator of TensorFlow Lite: the ONNX nodes that compute it.

Images have their channels last in TensorFlow Lite, and behind the batch in ONNX.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from rnn_compiler.model_import.tflite_reader import RESERVE, STACK, Operator
from rnn_compiler.network_import.tflite.layers import assign, fused, loop, read_variable, stacked
from rnn_compiler.network_import.tflite.network import Network, Rule, Rules

_FURTHEST = 2**31 - 1

_SAME = 0
_NONE = 0
_CLIPS = {2: (-1.0, 1.0), 3: (0.0, 6.0)}
"""The bounds of RELU_N1_TO_1 and RELU6."""


def _activated(n: Network, value: str, activation: int) -> str:
    """A value after the function that an operator applies to its result."""
    if activation in _CLIPS:
        bounds = [n.constant(np.array(bound, np.float32)) for bound in _CLIPS[activation]]
        return n.node("Clip", [value, *bounds])
    names = {1: "Relu", 4: "Tanh"}
    if activation == _NONE:
        return value
    if activation not in names:
        raise n.refused(f"an activation that is not known (number {activation})")
    return n.node(names[activation], [value])


def _plain(operator: str, **attributes: Any) -> Rule:
    """The same operator in ONNX, perhaps with a function of its result."""

    def rule(n: Network, op: Operator) -> None:
        inputs = [n.value(number) for number in op.inputs if number >= 0]
        n.gives(op, n.node(operator, inputs, **attributes))

    return rule


def _arithmetic(operator: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        left, right = (n.value(number) for number in op.inputs)
        activation = n.file.options(op, "Activated")["activation"]
        n.gives(op, _activated(n, n.node(operator, [left, right]), activation))

    return rule


def _clipped(bounds: tuple[float, float]) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        limits = [n.constant(np.array(bound, np.float32)) for bound in bounds]
        n.gives(op, n.node("Clip", [n.value(op.inputs[0]), *limits]))

    return rule


def _composed(compose: Callable[[Network, list[str]], str]) -> Rule:
    """An operator that is a formula of its inputs."""

    def rule(n: Network, op: Operator) -> None:
        n.gives(op, compose(n, [n.value(number) for number in op.inputs]))

    return rule


def _number(n: Network, value: float) -> str:
    return n.constant(np.array(value, np.float32))


def _hard_swish(n: Network, x: list[str]) -> str:
    moved = n.node("Clip", [n.node("Add", [x[0], _number(n, 3)]), _number(n, 0), _number(n, 6)])
    return n.node("Mul", [x[0], n.node("Div", [moved, _number(n, 6)])])


def _squared_difference(n: Network, x: list[str]) -> str:
    difference = n.node("Sub", x)
    return n.node("Mul", [difference, difference])


def _leaky(n: Network, op: Operator) -> None:
    alpha = n.file.options(op, "LeakyRelu")["alpha"]
    n.gives(op, n.node("LeakyRelu", [n.value(op.inputs[0])], alpha=alpha))


def _gelu(n: Network, op: Operator) -> None:
    x = n.value(op.inputs[0])
    half = n.node("Mul", [x, _number(n, 0.5)])
    if n.file.options(op, "Gelu")["approximate"]:
        cube = n.node("Mul", [n.node("Mul", [x, x]), x])
        inner = n.node("Add", [x, n.node("Mul", [cube, _number(n, 0.044715)])])
        tail = n.node("Tanh", [n.node("Mul", [inner, _number(n, (2 / np.pi) ** 0.5)])])
    else:
        tail = n.node("Erf", [n.node("Mul", [x, _number(n, 0.5**0.5)])])
    n.gives(op, n.node("Mul", [half, n.node("Add", [tail, _number(n, 1)])]))


def _fully_connected(n: Network, op: Operator) -> None:
    options = n.file.options(op, "FullyConnected")
    if options["format"]:
        raise n.refused("weights in another format")
    source, matrix, *bias = op.inputs
    weights, x = n.array(matrix), n.value(source)
    if weights is None:
        weights_t = n.node("Transpose", [n.value(matrix)], perm=[1, 0])
    else:
        if weights.ndim != 2:
            raise ValueError(f"weights of the shape {list(weights.shape)}")
        weights_t = n.constant(weights.T)
    if len(n.shape(source)) != 2 and len(n.shape(op.outputs[0])) == 2:
        features = n.shape(matrix)[1]
        x = n.node("Reshape", [x, n.constant(np.array([-1, features], np.int64))])
    y = n.node("MatMul", [x, weights_t])
    if bias and bias[0] >= 0:
        y = n.node("Add", [y, n.value(bias[0])])
    n.gives(op, _activated(n, y, options["activation"]))


def _batch_matmul(n: Network, op: Operator) -> None:
    options = n.file.options(op, "BatchMatMul")
    sides: list[str] = []
    for number, turned in zip(op.inputs, (options["left"], options["right"]), strict=True):
        value, rank = n.value(number), len(n.shape(number))
        order = [*range(rank - 2), rank - 1, rank - 2]
        sides.append(n.node("Transpose", [value], perm=order) if turned else value)
    n.gives(op, n.node("MatMul", sides))


# Images.

_FIRST, _LAST = [0, 3, 1, 2], [0, 2, 3, 1]


def _image(n: Network, op: Operator, operator: str, more: Sequence[str], **attributes: Any) -> str:
    """A node on an image with its channels first, whose result has them last again."""
    x = n.node("Transpose", [n.value(op.inputs[0])], perm=_FIRST)
    return n.node("Transpose", [n.node(operator, [x, *more], **attributes)], perm=_LAST)


def _window(options: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of strides and padding."""
    return {
        "strides": [options["stride_h"] or 1, options["stride_w"] or 1],
        "auto_pad": "SAME_UPPER" if options["padding"] == _SAME else "VALID",
    }


def _convolution(kind: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        options = n.file.options(op, kind)
        source, kernel, *bias = op.inputs
        weights = n.array(kernel)
        if weights is None or weights.ndim != 4:
            raise n.refused("a kernel that the model computes")
        channels = n.shape(source)[3]
        if channels is None:
            raise n.refused("an open number of channels")
        by_channel = kind == "DepthwiseConv2D"
        groups = channels if by_channel else max(1, channels // weights.shape[3])
        more = [n.constant(weights.transpose([3, 0, 1, 2] if by_channel else [0, 3, 1, 2]))]
        more += [n.value(number) for number in bias if number >= 0]
        dilations = [options["dilation_h"] or 1, options["dilation_w"] or 1]
        given = {**_window(options), "dilations": dilations, "group": groups}
        n.gives(op, _activated(n, _image(n, op, "Conv", more, **given), options["activation"]))

    return rule


def _pool(operator: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        options = n.file.options(op, "Pool2D")
        shape = [options["height"], options["width"]]
        y = _image(n, op, operator, [], kernel_shape=shape, **_window(options))
        n.gives(op, _activated(n, y, options["activation"]))

    return rule


def _softmax(n: Network, op: Operator) -> None:
    beta, x = n.file.options(op, "Softmax")["beta"], n.value(op.inputs[0])
    x = x if beta in (0, 1) else n.node("Mul", [x, _number(n, beta)])
    n.gives(op, n.node("Softmax", [x], axis=-1))


# Shapes and positions.


def _vector(n: Network, numbers: Sequence[int]) -> str:
    return n.constant(np.array(numbers, np.int64))


def _reshape(n: Network, op: Operator) -> None:
    source, *given = op.inputs
    if given:
        sizes = n.sizes(given[0])
    else:
        shape = [-1 if size is None else size for size in n.shape(op.outputs[0])]
        if shape.count(-1) > 1:
            raise n.refused("a shape with several open sizes")
        sizes = _vector(n, shape)
    n.gives(op, n.node("Reshape", [n.value(source), sizes]))


def _squeeze(n: Network, op: Operator) -> None:
    axes = [int(axis) for axis in n.file.options(op, "Squeeze")["axes"]]
    more = [_vector(n, axes)] if axes else []
    n.gives(op, n.node("Squeeze", [n.value(op.inputs[0]), *more]))


def _expand(n: Network, op: Operator) -> None:
    n.gives(op, n.node("Unsqueeze", [n.value(op.inputs[0]), n.sizes(op.inputs[1])]))


def _transpose(n: Network, op: Operator) -> None:
    order = n.integers(op.inputs[1])
    n.gives(op, n.node("Transpose", [n.value(op.inputs[0])], perm=order))


def _concatenation(n: Network, op: Operator) -> None:
    options = n.file.options(op, "Concatenation")
    y = n.node("Concat", [n.value(number) for number in op.inputs], axis=options["axis"])
    n.gives(op, _activated(n, y, options["activation"]))


def _pack(n: Network, op: Operator) -> None:
    axis = n.file.options(op, "Axis")["axis"]
    parts = [n.node("Unsqueeze", [n.value(each), _vector(n, [axis])]) for each in op.inputs]
    n.gives(op, n.node("Concat", parts, axis=axis))


def _unpack(n: Network, op: Operator) -> None:
    axis, x = n.file.options(op, "Axis")["axis"], n.value(op.inputs[0])
    parts = n.several("Split", [x], len(op.outputs), axis=axis)
    n.gives(op, *(n.node("Squeeze", [part, _vector(n, [axis])]) for part in parts))


def _split(n: Network, op: Operator) -> None:
    axis = n.integers(op.inputs[0])[0]
    n.gives(op, *n.several("Split", [n.value(op.inputs[1])], len(op.outputs), axis=axis))


def _split_sizes(n: Network, op: Operator) -> None:
    (axis,), sizes = n.integers(op.inputs[2]), n.integers(op.inputs[1])
    size = n.shape(op.inputs[0])[axis]
    if -1 in sizes and size is not None:
        sizes[sizes.index(-1)] = size - sum(sizes) - 1
    given = [n.value(op.inputs[0]), _vector(n, sizes)]
    n.gives(op, *n.several("Split", given, len(op.outputs), axis=axis))


def _slice(n: Network, op: Operator) -> None:
    starts, sizes = n.integers(op.inputs[1]), n.integers(op.inputs[2])
    ends = [
        _FURTHEST if size == -1 else start + size for start, size in zip(starts, sizes, strict=True)
    ]
    n.gives(op, n.node("Slice", [n.value(op.inputs[0]), _vector(n, starts), _vector(n, ends)]))


def _strided_slice(n: Network, op: Operator) -> None:
    masks = n.file.options(op, "StridedSlice")
    if masks["ellipsis_mask"] or masks["new_mask"]:
        raise n.refused("a slice with new axes or an ellipsis")
    starts, ends, strides = (n.integers(number) for number in op.inputs[1:4])
    dropped: list[int] = []
    for axis, stride in enumerate(strides):
        bit = 1 << axis
        if masks["shrink_mask"] & bit:
            dropped.append(axis)
            ends[axis] = starts[axis] + 1 if starts[axis] != -1 else _FURTHEST
            continue
        if masks["begin_mask"] & bit:
            starts[axis] = 0 if stride > 0 else _FURTHEST
        if masks["end_mask"] & bit:
            ends[axis] = _FURTHEST if stride > 0 else -_FURTHEST
    axes = range(len(starts))
    places = [_vector(n, each) for each in (starts, ends, axes, strides)]
    y = n.node("Slice", [n.value(op.inputs[0]), *places])
    n.gives(op, n.node("Squeeze", [y, _vector(n, dropped)]) if dropped else y)


def _gather(n: Network, op: Operator) -> None:
    options = n.file.options(op, "Gather")
    if options["batch_axes"]:
        raise n.refused("a gather with batch axes")
    given = [n.value(number) for number in op.inputs]
    n.gives(op, n.node("Gather", given, axis=options["axis"]))


def _embedding(n: Network, op: Operator) -> None:
    n.gives(op, n.node("Gather", [n.value(op.inputs[1]), n.value(op.inputs[0])], axis=0))


def _reverse(n: Network, op: Operator) -> None:
    axes = n.integers(op.inputs[1])
    places = [[-1] * len(axes), [-_FURTHEST] * len(axes), axes, [-1] * len(axes)]
    n.gives(op, n.node("Slice", [n.value(op.inputs[0]), *(_vector(n, each) for each in places)]))


def _pad(n: Network, op: Operator) -> None:
    pairs: Any = n.array(op.inputs[1])
    if pairs is None or pairs.ndim != 2:
        raise n.refused("padding that the model computes")
    ends = _vector(n, pairs.T.ravel().tolist())
    value = [n.value(number) for number in op.inputs[2:]]
    n.gives(op, n.node("Pad", [n.value(op.inputs[0]), ends, *value]))


def _repeated(operator: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        n.gives(op, n.node(operator, [n.value(op.inputs[0]), n.sizes(op.inputs[1])]))

    return rule


def _fill(n: Network, op: Operator) -> None:
    n.gives(op, n.node("Expand", [n.value(op.inputs[1]), n.sizes(op.inputs[0])]))


def _zeros_like(n: Network, op: Operator) -> None:
    zero = n.constant(np.array(0, n.tensor(op.outputs[0]).dtype))
    n.gives(op, n.node("Expand", [zero, n.node("Shape", [n.value(op.inputs[0])])]))


def _sizes_of(n: Network, op: Operator) -> None:
    shape = n.node("Shape", [n.value(op.inputs[0])])
    n.gives(op, _cast(n, shape, n.tensor(op.outputs[0]).dtype))


def _cast(n: Network, value: str, dtype: str) -> str:
    """A value in another type of elements."""
    kinds = {"float32", "float16", "int32", "int64", "bool"}
    if dtype not in kinds:
        raise n.refused(f"a conversion to {dtype}")
    return n.node("Cast", [value], to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def _converted(n: Network, op: Operator) -> None:
    n.gives(op, _cast(n, n.value(op.inputs[0]), n.tensor(op.outputs[0]).dtype))


def _dequantize(n: Network, op: Operator) -> None:
    """Weights of float16 or int8, which are constants as float32."""
    array = n.array(op.inputs[0])
    if array is None:
        raise n.refused("values in integers")
    n.gives(op, n.constant(array))


def _reduction(operator: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        axes, keep = n.integers(op.inputs[1]), int(n.file.options(op, "Reducer")["keep"])
        x, dtype = n.value(op.inputs[0]), n.tensor(op.inputs[0]).dtype
        if dtype == "bool":
            x = _cast(n, x, "int32")
        if operator == "ReduceSum":
            y = n.node(operator, [x, _vector(n, axes)], keepdims=keep)
        else:
            y = n.node(operator, [x], axes=axes, keepdims=keep)
        n.gives(op, _cast(n, y, "bool") if dtype == "bool" else y)

    return rule


def _extreme(operator: str) -> Rule:
    def rule(n: Network, op: Operator) -> None:
        (axis,) = n.integers(op.inputs[1])
        found = n.node(operator, [n.value(op.inputs[0])], axis=axis, keepdims=0)
        n.gives(op, _cast(n, found, n.tensor(op.outputs[0]).dtype))

    return rule


def _not_equal(n: Network, x: list[str]) -> str:
    return n.node("Not", [n.node("Equal", x)])


_TABLE: Sequence[tuple[int, str, Rule]] = (
    *((0, "ADD", _arithmetic("Add")), (18, "MUL", _arithmetic("Mul"))),
    *((41, "SUB", _arithmetic("Sub")), (42, "DIV", _arithmetic("Div"))),
    (1, "AVERAGE_POOL_2D", _pool("AveragePool")),
    (2, "CONCATENATION", _concatenation),
    (3, "CONV_2D", _convolution("Conv2D")),
    (4, "DEPTHWISE_CONV_2D", _convolution("DepthwiseConv2D")),
    (6, "DEQUANTIZE", _dequantize),
    (7, "EMBEDDING_LOOKUP", _embedding),
    (8, "FLOOR", _plain("Floor")),
    (9, "FULLY_CONNECTED", _fully_connected),
    (14, "LOGISTIC", _plain("Sigmoid")),
    (16, "LSTM", fused),
    (17, "MAX_POOL_2D", _pool("MaxPool")),
    (19, "RELU", _plain("Relu")),
    (20, "RELU_N1_TO_1", _clipped(_CLIPS[2])),
    (21, "RELU6", _clipped(_CLIPS[3])),
    (22, "RESHAPE", _reshape),
    (25, "SOFTMAX", _softmax),
    (28, "TANH", _plain("Tanh")),
    *((34, "PAD", _pad), (60, "PADV2", _pad)),
    (36, "GATHER", _gather),
    (39, "TRANSPOSE", _transpose),
    (40, "MEAN", _reduction("ReduceMean")),
    (43, "SQUEEZE", _squeeze),
    (44, "UNIDIRECTIONAL_SEQUENCE_LSTM", fused),
    (45, "STRIDED_SLICE", _strided_slice),
    (47, "EXP", _plain("Exp")),
    (49, "SPLIT", _split),
    (50, "LOG_SOFTMAX", _plain("LogSoftmax", axis=-1)),
    (52, "BIDIRECTIONAL_SEQUENCE_LSTM", fused),
    (53, "CAST", _converted),
    (54, "PRELU", _plain("PRelu")),
    *((55, "MAXIMUM", _plain("Max")), (57, "MINIMUM", _plain("Min"))),
    *((56, "ARG_MAX", _extreme("ArgMax")), (79, "ARG_MIN", _extreme("ArgMin"))),
    *((58, "LESS", _plain("Less")), (63, "LESS_EQUAL", _plain("LessOrEqual"))),
    *((61, "GREATER", _plain("Greater")), (62, "GREATER_EQUAL", _plain("GreaterOrEqual"))),
    *((71, "EQUAL", _plain("Equal")), (72, "NOT_EQUAL", _composed(_not_equal))),
    *((59, "NEG", _plain("Neg")), (101, "ABS", _plain("Abs"))),
    *((64, "SELECT", _plain("Where")), (123, "SELECT_V2", _plain("Where"))),
    (65, "SLICE", _slice),
    *((66, "SIN", _plain("Sin")), (108, "COS", _plain("Cos"))),
    *((69, "TILE", _repeated("Tile")), (130, "BROADCAST_TO", _repeated("Expand"))),
    (70, "EXPAND_DIMS", _expand),
    *((73, "LOG", _plain("Log")), (75, "SQRT", _plain("Sqrt"))),
    (74, "SUM", _reduction("ReduceSum")),
    (76, "RSQRT", _composed(lambda n, x: n.node("Reciprocal", [n.node("Sqrt", x)]))),
    (77, "SHAPE", _sizes_of),
    (78, "POW", _plain("Pow")),
    *((81, "REDUCE_PROD", _reduction("ReduceProd")), (82, "REDUCE_MAX", _reduction("ReduceMax"))),
    *((89, "REDUCE_MIN", _reduction("ReduceMin")), (91, "REDUCE_ANY", _reduction("ReduceMax"))),
    *((83, "PACK", _pack), (88, "UNPACK", _unpack)),
    *((84, "LOGICAL_OR", _plain("Or")), (86, "LOGICAL_AND", _plain("And"))),
    (87, "LOGICAL_NOT", _plain("Not")),
    (93, "ZEROS_LIKE", _zeros_like),
    (92, "SQUARE", _composed(lambda n, x: n.node("Mul", [x[0], x[0]]))),
    (94, "FILL", _fill),
    (98, "LEAKY_RELU", _leaky),
    (99, "SQUARED_DIFFERENCE", _composed(_squared_difference)),
    (102, "SPLIT_V", _split_sizes),
    (104, "CEIL", _plain("Ceil")),
    (105, "REVERSE_V2", _reverse),
    (111, "ELU", _plain("Elu")),
    (116, "ROUND", _plain("Round")),
    (117, "HARD_SWISH", _composed(_hard_swish)),
    (119, "WHILE", loop),
    (126, "BATCH_MATMUL", _batch_matmul),
    (129, "CALL_ONCE", lambda n, op: None),
    (140, "REDUCE_ALL", _reduction("ReduceMin")),
    (142, "VAR_HANDLE", lambda n, op: None),
    (143, "READ_VARIABLE", read_variable),
    (144, "ASSIGN_VARIABLE", assign),
    (150, "GELU", _gelu),
    (RESERVE, "FlexTensorListReserve", lambda n, op: None),
    (STACK, "FlexTensorListStack", stacked),
)
"""The operators that are taken: their numbers, names and rules."""

RULES: Rules = {number: (name, rule) for number, name, rule in _TABLE}
"""The rules by the operators' numbers."""
