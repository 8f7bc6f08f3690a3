"""Takes open axes for one that a node requires to be equal; calls then compare their sizes.

Files without names of axes, such as most of TensorFlow's, give each input open axes of its own.
Neither ONNX's shape inference nor IREE compares them. Nor do they compare an open axis with the
sizes of weights, or with a constant shape: compiled code would read beyond the smaller array.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.onnx_layers import OPERATORS
from rnn_compiler.network_import.graph import Graph, attributes_of, value_in
from rnn_compiler.network_import.graph.axes import OpenAxis, shown
from rnn_compiler.network_import.graph.recurrent_sizes import compared, is_axis
from rnn_compiler.schema.open_sizes import Open, Size, names_in, product

_Shape = Sequence[Size | None]
_Shapes = Mapping[str, _Shape]
_Pairs = Iterator[tuple[Size | None, Size | None]]


def joined_axes(
    graph: Graph, shapes: _Shapes, vectors: _Shapes, axes: Sequence[OpenAxis]
) -> list[OpenAxis]:
    """The axes of a graph, in which those that must be equal are one.

    It has the name of the first that has a name. `vectors` has the sizes in constants, such as
    the shape to which an array is expanded.
    """
    groups = {axis.key: [axis] for axis in axes}
    for node in (*graph.proto.node, *graph.replaced):
        pairs = _expanded(node, shapes, vectors) if node.op_type == "Expand" else ()
        for one, other in (*pairs, *_equal_sizes(node, shapes)):
            keys = [name for s in (one, other) if is_axis(s) for name in names_in(s)]
            if len(keys) == 2 and groups[keys[0]] is not groups[keys[1]]:
                group = groups[keys[0]] + groups[keys[1]]
                groups |= dict.fromkeys((axis.key for axis in group), group)
    found: list[OpenAxis] = []
    for axis in axes:
        group = sorted(groups[axis.key], key=axes.index)
        if group[0] is axis:
            name = next((each.name for each in group if each.name), "")
            found.append(OpenAxis(name, axis.key, [each for one in group for each in one.sources]))
    return found


def _expanded(node: Any, shapes: _Shapes, vectors: _Shapes) -> _Pairs:
    """The sizes of an array and of the shape to which it is expanded."""
    x, shape = node.input
    if x in shapes and shape in vectors:
        yield from _elementwise([shapes[x], vectors[shape]])


def check_equal_sizes(graph: Graph, shapes: _Shapes, axes: Sequence[OpenAxis] = ()) -> None:
    """Checks that sizes are equal that must be, for operators that ONNX does not check."""
    for node in (*graph.proto.node, *graph.replaced):
        if node.op_type in OPERATORS:
            continue
        expected = "inputs with equal sizes along an axis"
        pairs = [*_equal_sizes(node, shapes)]
        if node.op_type == "Reshape":
            expected = "as many elements in its result as in its input"
            pairs = [_counted(node, shapes)]
        for one, other in pairs:
            if None not in (one, other) and one != other:
                sizes = " and ".join(shown([size], axes)[1:-1] for size in (one, other))
                keys = names_in(one) ^ names_in(other) or names_in(one)
                found = [str(axis) for axis in axes if axis.key in keys]
                remedy = f", so {' and '.join(found)}" if found else "; check its inputs"
                raise UnsupportedError(
                    f"import_network: {graph.named(node)}: expected {expected}, got {sizes}{remedy}"
                )


def _counted(node: Any, shapes: _Shapes) -> tuple[Size | None, Size | None]:
    """The numbers of elements of a Reshape's result and of its input."""
    made, given = (shapes.get(name, (None,)) for name in (node.output[0], node.input[0]))
    return (
        None if None in made else product(size for size in made if size is not None),
        None if None in given else product(size for size in given if size is not None),
    )


def _equal_sizes(node: Any, shapes: _Shapes) -> _Pairs:
    """Pairs of sizes of a node's inputs that must be equal."""
    given: list[_Shape | None] = [shapes.get(name) if name else [] for name in node.input]
    if not node.domain and node.op_type in OPERATORS:
        for _, expected, got in compared(node, shapes):
            yield from zip(expected, got, strict=False)
        return
    if node.op_type == "Scan":
        yield from _steps(attributes_of(node), given)
        return
    known = [shape for shape in given if shape is not None]
    if node.domain or None in given[:3] or (len(known) < len(given) and not _is_list(node)):
        return
    if node.op_type in ("GatherElements", "ScatterElements"):
        attributes = attributes_of(node)
        axis = value_in(attributes, "axis", 0) % max(len(known[0]), 1)
        for k, (size, indices) in enumerate(zip(known[0], known[1], strict=False)):
            is_smaller = isinstance(size, int) and isinstance(indices, int) and indices <= size
            if k != axis and not is_smaller:
                yield size, indices
        yield from zip(*known[1:3], strict=False) if len(known) > 2 else ()
    elif node.op_type in ("GatherND", "ScatterND"):
        attributes, count = attributes_of(node), known[1][-1]
        first = value_in(attributes, "batch_dims", 0)
        yield from zip(known[0][:first], known[1][:first], strict=False)
        if len(known) > 2 and isinstance(count, int):
            yield from zip([*known[1][:-1], *known[0][count:]], known[2], strict=False)
    elif node.op_type == "Einsum":
        yield from _summed(attributes_of(node)["equation"].s.decode(), known)
    elif node.op_type in _OF_SHAPES:
        yield from _OF_SHAPES[node.op_type](attributes_of(node), known)


def _is_list(node: Any) -> bool:
    """Whether all inputs of a node mean the same."""
    return node.op_type in (*_ELEMENTWISE, "Concat", "Einsum")


def _steps(attributes: Mapping[str, Any], given: Sequence[_Shape | None]) -> _Pairs:
    """The numbers of steps of a scan's inputs; its states come before them."""
    count = attributes["num_scan_inputs"].i
    axes: Sequence[int] = [0] * count
    if "scan_input_axes" in attributes:
        axes = attributes["scan_input_axes"].ints
    rows = zip(given[len(given) - count :], axes, strict=False)
    first, *others = [shape[axis] if shape else None for shape, axis in rows]
    yield from ((first, size) for size in others)


def _convolution(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The channels of an array and of the filters, of all groups, and those of the bias."""
    x, filters, *bias = known
    if len(x) > 1 and len(filters) > 1:
        yield x[1], filters[1] and filters[1] * _groups(attributes)
        yield from ((filters[0], shape[0]) for shape in bias[:1] if shape)
        yield from _windows(attributes, filters)


def _windows(attributes: Mapping[str, Any], filters: _Shape) -> _Pairs:
    """The sizes of windows, which a convolution may have as an attribute too."""
    if "kernel_shape" in attributes:
        yield from zip(attributes["kernel_shape"].ints, filters[2:], strict=False)


def _quantized_convolution(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The sizes of a quantized convolution; each filter may have a scale and a zero point."""
    x, x_scale, x_zero, filters, scales, zeros, y_scale, y_zero, *bias = known
    yield from _convolution(attributes, [x, filters, *bias])
    yield from _broadcast(filters[:1], scales, zeros)
    yield from _single(x_scale, x_zero, y_scale, y_zero)


def _integer_convolution(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The sizes of a convolution of integers; each filter may have a zero point."""
    x, filters, *zeros = known
    yield from _convolution(attributes, [x, filters])
    yield from _single(*zeros[:1])
    yield from _broadcast(filters[:1], *zeros[1:])


def _single(*shapes: _Shape) -> _Pairs:
    """Open sizes of arrays that have one element for a whole array, or for its known rows."""
    yield from ((1, size) for shape in shapes for size in shape if isinstance(size, Open))


def _integer_matrices(known: Sequence[_Shape]) -> _Pairs:
    """The sizes of two matrices of integers, whose zero points have known sizes."""
    yield from _matrices(known)
    yield from _single(*known[2:])


def _quantized_matrices(known: Sequence[_Shape]) -> _Pairs:
    """The sizes of two quantized matrices, whose scales and zero points have known sizes."""
    a, a_scale, a_zero, b, *others = known
    yield from _integer_matrices([a, b, a_scale, a_zero, *others])


def _channels(known: Sequence[_Shape]) -> _Pairs:
    """The channels of an array, and the numbers for each of them."""
    x, *parameters = known
    if len(x) > 1:
        yield from ((x[1], shape[0]) for shape in parameters if shape)


def _lengths(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The rows of an array, and their lengths."""
    x, lengths = known
    axis = value_in(attributes, "batch_axis", 1)
    yield x[axis], lengths[0]


def _rotations(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The cosines and sines of rotated pairs of numbers."""
    x, cosines, sines, *positions = known
    numbers = value_in(attributes, "rotary_embedding_dim", 0)
    heads = value_in(attributes, "num_heads", 0)
    yield from zip(cosines, sines, strict=False)
    if cosines[-1] is not None:
        pairs = 2 * cosines[-1]
        yield (numbers, pairs) if numbers else (x[-1], pairs * (heads or 1 if len(x) == 3 else 1))
    of_rows = [x[0], x[-2] if len(x) == 4 else x[1]]
    given = [shape for shape in positions if shape]  # none if they are left out
    yield from zip(of_rows, *(given or [cosines[:2]]), strict=True)


def _transposed_convolution(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The same for filters whose first axis is that of the array."""
    x, filters, *bias = known
    if len(x) > 1 and len(filters) > 1:
        yield x[1], filters[0]
        channels = filters[1] and filters[1] * _groups(attributes)
        yield from ((channels, shape[0]) for shape in bias[:1] if shape)
        yield from _windows(attributes, filters)


def _groups(attributes: Mapping[str, Any]) -> int:
    """The number of groups of a convolution."""
    return value_in(attributes, "group", 1)


def _classes(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The sizes of scores and of their labels, and those of the weights of classes."""
    scores, labels, *weights = known
    yield from zip([*scores[:1], *scores[2:]], labels, strict=False)
    yield from ((scores[1], shape[0]) for shape in weights[:1] if len(scores) > 1 and shape)


def _elementwise(known: Sequence[_Shape]) -> _Pairs:
    """The sizes of arrays that are broadcast to each other; a size of 1 fits all."""
    for column in itertools.zip_longest(*(shape[::-1] for shape in known), fillvalue=1):
        first, *others = [size for size in column if size != 1] or [None]
        yield from ((first, size) for size in others)


def _matrices(known: Sequence[_Shape]) -> _Pairs:
    """The sizes of two stacks of matrices that are multiplied."""
    a, b = known[:2]
    if len(a) > 1 and len(b) > 1:
        yield a[-1], b[-2]
        yield from _elementwise([a[:-2], b[:-2]])


def _joined_arrays(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The sizes of arrays that are concatenated, but along their axis."""
    axis = attributes["axis"].i % max(len(known[0]), 1)
    for shape in known[1:]:
        sizes = zip(known[0], shape, strict=False)
        yield from (pair for number, pair in enumerate(sizes) if number != axis)


def _broadcast(to: _Shape, *parameters: _Shape) -> _Pairs:
    """The last axes of an array and those of parameters that are broadcast to them."""
    for shape in parameters:
        yield from ((n, size) for n, size in zip(to[::-1], shape[::-1], strict=False) if size != 1)


def _gemm(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The sizes of a matrix product and of what is added to it."""
    a, b = (
        shape[::-1] if name in attributes and attributes[name].i else shape
        for name, shape in zip(("transA", "transB"), known, strict=False)
    )
    yield a[1], b[0]
    yield from _broadcast([a[0], b[1]], *known[2:])


def _scales(attributes: Mapping[str, Any], known: Sequence[_Shape]) -> _Pairs:
    """The size of an axis, and the numbers of scales and of zero points along it."""
    axis = value_in(attributes, "axis", 1)
    if len(known[1]) == 1 and -len(known[0]) <= axis < len(known[0]):
        yield from _broadcast([known[0][axis]], known[1])
    yield from zip(*known[1:3], strict=False) if len(known) > 2 else ()


_ELEMENTWISE = (
    *("Add", "Sub", "Mul", "Div", "Pow", "Mod", "Min", "Max", "Mean", "Sum", "Where"),
    *("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"),
)
"""Operators whose inputs are broadcast to each other."""

_OF_SHAPES: Mapping[str, Callable[[Mapping[str, Any], Sequence[_Shape]], _Pairs]] = {
    "Conv": _convolution,
    "ConvInteger": _integer_convolution,
    "ConvTranspose": _transposed_convolution,
    "QLinearConv": _quantized_convolution,
    "MatMulInteger": lambda _, known: _integer_matrices(known),
    "QLinearMatMul": lambda _, known: _quantized_matrices(known),
    **dict.fromkeys(
        ("InstanceNormalization", "BatchNormalization"),
        lambda _, known: _channels(known),
    ),
    "ReverseSequence": _lengths,
    "RotaryEmbedding": _rotations,
    **dict.fromkeys(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), _classes),
    "Gemm": _gemm,
    "LayerNormalization": lambda _, known: _broadcast(*known),
    "PRelu": lambda _, known: _broadcast(*known),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), _scales),
    **dict.fromkeys(_ELEMENTWISE, lambda _, known: _elementwise(known)),
    "Concat": _joined_arrays,
    "MatMul": lambda _, known: _matrices(known),
}
"""Pairs of sizes that must be equal, by operators, from their attributes and inputs' shapes."""


def _summed(equation: str, shapes: Sequence[_Shape]) -> _Pairs:
    """The sizes of equal letters of a sum of products; a size of 1 fits all."""
    sizes: dict[str, Size | None] = {}
    for term, shape in zip(
        equation.split("->")[0].replace(" ", "").split(","), shapes, strict=False
    ):
        before, dots, after = term.partition("...")
        ends = [*zip(before, shape, strict=False)]
        if dots:
            last = len(shape) - len(after)
            ends += zip(after, shape[last:], strict=False)
            ends += [(f".{last - k}", shape[k]) for k in range(len(before), last)]
        for letter, size in ends:
            if size != 1:
                yield sizes.setdefault(letter, size), size
