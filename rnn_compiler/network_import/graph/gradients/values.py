"""Computes with the values of a graph, as numpy does with arrays: each operation adds a node.

    values = Values(graph, shapes, axes)
    y = values["y"]
    dx = values["dy"] * y * (1 - y)

Sizes may be open. A shape of several open sizes is computed from those of the graph's inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import FLOATS, Graph, onnx
from rnn_compiler.network_import.graph.axes import OpenAxis
from rnn_compiler.network_import.graph.computed_sizes import SizeNodes
from rnn_compiler.schema.open_sizes import Size, is_static, product

BOOL, INT32, INT64 = onnx.TensorProto.BOOL, onnx.TensorProto.INT32, onnx.TensorProto.INT64

_LAST = (1 << 31) - 1
"""An end of slices that lies behind every array."""


class Values:
    """The values of a graph, with nodes that compute further ones.

    Attributes:
        graph: The graph.
        made: The nodes so far, each after those that it reads.
        empty: The names of values of the graph that have no elements.
        padded: By the name of a value: another one that it is with zeros around, the axis, and how
            many zeros come before.
    """

    def __init__(
        self, graph: Graph, shapes: Mapping[str, Sequence[Size | None]], axes: Sequence[OpenAxis]
    ) -> None:
        self.graph = graph
        self.made: list[Any] = []
        types = graph.types().items()
        kinds = {name: kind.tensor_type.elem_type for name, kind in types}
        kinds |= {name: tensor.data_type for name, tensor in graph.constants().items()}
        known = {**graph.shapes(), **shapes}
        self._known = {
            name: ShapedValue(self, name, kind, tuple(known[name]))
            for name, kind in kinds.items()
            if name in known
        }
        self.padded: dict[str, tuple[ShapedValue, int, int]] = {}
        self.empty = {name for name, kind in types if _is_empty(kind)}
        self._taken = {*kinds, *(name for node in graph.proto.node for name in node.output)}
        self._prefix = ""
        self._constants: dict[tuple[Any, ...], ShapedValue] = {}
        self._vectors: dict[tuple[Size, ...], str] = {}
        self._sizes = SizeNodes(graph, {axis.key: axis.sources[0] for axis in axes})

    def __getitem__(self, name: str) -> ShapedValue:
        if name not in self._known:
            raise UnsupportedError(
                f"training_step: {self._made_by(name)}the type of {name!r} is not known at import; "
                "correct the model's node, or the sizes in dims={...}"
            )
        return self._known[name]

    def unknown_size(self, name: str, axis: int) -> UnsupportedError:
        """The error for a size that is not known, with the node that makes it so."""
        makers = {each: node for node in self.graph.proto.node for each in node.output}
        source, passed = name, set[str]()
        while source in makers and source not in passed:
            passed.add(source)
            read = (each for each in makers[source].input if each in self._known)
            unknown = [each for each in read if None in self._known[each].shape]
            if not unknown:
                break
            source = unknown[0]
        return UnsupportedError(
            f"training_step: {self._made_by(source)}the size of axis {axis} of {name!r} is not "
            "known at import, and a gradient needs it; fix open sizes with dims={...} or --dim, or "
            "train only weights behind the node"
        )

    def _made_by(self, name: str) -> str:
        """The node that makes a value, as messages begin with it."""
        nodes = [node for node in self.graph.proto.node if name in node.output]
        return f"{self.graph.named(nodes[0])}: " if nodes else ""

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def begin(self, prefix: str) -> None:
        """Lets the names of new values begin with a text."""
        self._prefix = prefix

    def name(self, what: str) -> str:
        """A new name."""
        stem = name = f"{self._prefix}.{what}"
        number = 0
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name

    def typed(self, name: str, kind: int, shape: Iterable[Size | None]) -> ShapedValue:
        """Notes the type of a value."""
        sizes = tuple(shape)
        known = [size if isinstance(size, int) else None for size in sizes]
        made = onnx.helper.make_tensor_value_info(name, kind, known)
        self.graph.proto.value_info.append(made)
        return self.know(name, kind, sizes)

    def input(self, title: str, kind: int, shape: Iterable[Size]) -> ShapedValue:
        """A further input of the graph."""
        value = self.know(self.name(title), kind, shape)
        known = [size if isinstance(size, int) else None for size in value.shape]
        made = onnx.helper.make_tensor_value_info(value.name, kind, known)
        self.graph.proto.input.append(made)
        return value

    def know(self, name: str, kind: int, shape: Iterable[Size | None]) -> ShapedValue:
        """A value of the graph whose type is known."""
        self._taken.add(name)
        self._known[name] = value = ShapedValue(self, name, kind, tuple(shape))
        return value

    def add(
        self,
        operator: str,
        inputs: Sequence[ShapedValue | str],
        kind: int,
        shape: Iterable[Size | None],
        **attributes: Any,
    ) -> ShapedValue:
        """Adds a node with one result of a type."""
        name = self.name(operator.lower())
        names = [each if isinstance(each, str) else each.name for each in inputs]
        self.made.append(onnx.helper.make_node(operator, names, [name], name, **attributes))
        return self.typed(name, kind, shape)

    def add_op(
        self,
        op: str,
        domain: str,
        inputs: Sequence[ShapedValue],
        outputs: Sequence[str],
        config: str,
    ) -> None:
        """Adds a node for one of our ops, whose results are typed by the caller."""
        names = [each.name for each in inputs]
        name = f"{self._prefix}/{op}"
        made = onnx.helper.make_node(op, names, outputs, name, domain=domain, backend_config=config)
        self.made.append(made)

    def constant(self, array: Any, kind: int) -> ShapedValue:
        """A constant; equal ones are the same."""
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
        data: Any = np.asarray(array, dtype)
        key = kind, data.shape, data.tobytes()
        if key not in self._constants:
            name = self.name("constant")
            self.graph.proto.initializer.append(onnx.numpy_helper.from_array(data, name))
            self._known[name] = self._constants[key] = ShapedValue(self, name, kind, data.shape)
        return self._constants[key]

    def vector(self, sizes: Sequence[Size]) -> str:
        """A vector of sizes."""
        if is_static(*sizes):
            return self.constant(sizes, INT64).name
        key = tuple(sizes)
        if key not in self._vectors:
            self._vectors[key] = self.name("sizes")
            self._sizes.vector(self._vectors[key], sizes)
            self.made += self._sizes.made
            self._sizes.made.clear()
        return self._vectors[key]

    def number(self, size: Size, kind: int) -> ShapedValue:
        """A size as a number of a float type."""
        if isinstance(size, int):
            return self.constant(size, kind)
        vector = self.typed(self.vector([size]), INT64, [1])
        return vector.reshape([]).cast(kind)

    def where(
        self, condition: ShapedValue, then: ShapedValue | float, otherwise: ShapedValue | float
    ) -> ShapedValue:
        """The one or the other, for each element."""
        kind = next(each.kind for each in (then, otherwise) if isinstance(each, ShapedValue))
        pair = [
            each if isinstance(each, ShapedValue) else self.constant(each, kind)
            for each in (then, otherwise)
        ]
        shape = broadcast(condition.shape, broadcast(pair[0].shape, pair[1].shape))
        return self.add("Where", [condition, *pair], kind, shape)

    def concatenate(self, parts: Sequence[ShapedValue], axis: int) -> ShapedValue:
        """Some values side by side."""
        if len(parts) == 1:
            return parts[0]
        sizes = [part.size(axis) for part in parts]
        shape = [*parts[0].shape]
        shape[axis] = sum(sizes[1:], sizes[0])
        return self.add("Concat", parts, parts[0].kind, shape, axis=axis)

    def filled(self, number: float, kind: int, shape: Sequence[Size]) -> ShapedValue:
        """A value whose elements are all one number."""
        return self.constant(number, kind).expand(shape)

    def sum(self, parts: Sequence[ShapedValue]) -> ShapedValue:
        """The sum of values of one shape; parts of one axis with zeros around are concatenated."""
        padded = [self.padded[part.name] for part in parts if part.name in self.padded]
        if len(padded) == len(parts) > 1 and len({axis for _, axis, _ in padded}) == 1:
            padded.sort(key=lambda each: each[2])
            axis, end = padded[0][1], 0
            for value, _, before in padded:
                end = before + value.size(axis) if before == end else None
            if end == parts[0].shape[axis]:
                return self.concatenate([value for value, *_ in padded], axis)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


class ShapedValue:
    """A value of a graph.

    Attributes:
        values: The values of its graph.
        name: Its name.
        kind: The number of its element type in ONNX.
        shape: Its sizes, None for those that are not known in terms of the open ones.
    """

    def __init__(
        self, values: Values, name: str, kind: int, shape: tuple[Size | None, ...]
    ) -> None:
        self.values = values
        self.name = name
        self.kind = kind
        self.shape = shape

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        """Whether it can have a gradient."""
        return self.kind in FLOATS

    @property
    def is_empty(self) -> bool:
        """Whether it is known to have no elements."""
        return self.name in self.values.empty

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The shape, all of whose sizes are known."""
        return tuple(self.size(axis) for axis in range(self.rank))

    def size(self, axis: int) -> Size:
        """The size of an axis, which is known."""
        size = self.shape[axis]
        if size is None:
            raise self.values.unknown_size(self.name, axis % self.rank)
        return size

    # Functions of each element

    def _with(
        self, operator: str, other: ShapedValue | float, kind: int | None = None
    ) -> ShapedValue:
        right = self._like(other)
        shape = broadcast(self.shape, right.shape)
        return self.values.add(operator, [self, right], kind or self.kind, shape)

    def _like(self, other: ShapedValue | float) -> ShapedValue:
        """A value, or a number as one of this type."""
        return other if isinstance(other, ShapedValue) else self.values.constant(other, self.kind)

    def apply(self, operator: str, kind: int | None = None, **attributes: Any) -> ShapedValue:
        """An operator for each element."""
        return self.values.add(operator, [self], kind or self.kind, self.shape, **attributes)

    def __neg__(self) -> ShapedValue:
        return self.apply("Neg")

    def __add__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("Add", other)

    __radd__ = __add__

    def __sub__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("Sub", other)

    def __rsub__(self, other: float) -> ShapedValue:
        return self._like(other) - self

    def __mul__(self, other: ShapedValue | float) -> ShapedValue:
        return self if isinstance(other, (int, float)) and other == 1 else self._with("Mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("Div", other)

    def __rtruediv__(self, other: float) -> ShapedValue:
        return self._like(other) / self

    def __gt__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("Greater", other, BOOL)

    def __lt__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("Less", other, BOOL)

    def __ge__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("GreaterOrEqual", other, BOOL)

    def __le__(self, other: ShapedValue | float) -> ShapedValue:
        return self._with("LessOrEqual", other, BOOL)

    def __and__(self, other: ShapedValue) -> ShapedValue:
        return self._with("And", other)

    def __or__(self, other: ShapedValue) -> ShapedValue:
        return self._with("Or", other)

    def __invert__(self) -> ShapedValue:
        return self.apply("Not")

    def equals(self, other: ShapedValue | float) -> ShapedValue:
        """Where elements are equal."""
        return self._with("Equal", other, BOOL)

    def power(self, exponent: ShapedValue | float) -> ShapedValue:
        """A power; of negative numbers it is NaN."""
        return self._with("Pow", exponent)

    def cast(self, kind: int) -> ShapedValue:
        """The elements in another type."""
        return self if kind == self.kind else self.apply("Cast", kind, to=kind)

    # Reductions and products

    def sum(self, axes: Sequence[int] | None = None, *, keeps: bool = False) -> ShapedValue:
        """The sum over some axes, by default all; `keeps` leaves them with a size of 1."""
        numbers = sorted(axis % self.rank for axis in (range(self.rank) if axes is None else axes))
        if not numbers:
            return self
        shape = [1 if axis in numbers else size for axis, size in enumerate(self.shape)]
        if not keeps:
            shape = [size for axis, size in enumerate(self.shape) if axis not in numbers]
        given = self.values.constant(numbers, INT64)
        return self.values.add("ReduceSum", [self, given], self.kind, shape, keepdims=int(keeps))

    def mean(self, axes: Sequence[int], *, keeps: bool = False) -> ShapedValue:
        """The mean over some axes."""
        count = self.values.number(product(self.size(axis) for axis in axes), self.kind)
        return self.sum(axes, keeps=keeps) / count

    def summed_to(self, shape: Sequence[Size | None]) -> ShapedValue:
        """The sum over the axes along which an array of a shape was broadcast to this one's."""
        extra = self.rank - len(shape)
        wide = [
            extra + axis
            for axis, size in enumerate(shape)
            if size == 1 and self.shape[extra + axis] != 1
        ]
        total = self.sum([*range(extra), *wide], keeps=True)
        return total.reshape(total.shape[extra:]) if extra else total

    def __matmul__(self, other: ShapedValue) -> ShapedValue:
        """The product of matrices of at least two axes, whose others are broadcast."""
        leading = broadcast(self.shape[:-2], other.shape[:-2])
        shape = [*leading, self.shape[-2], other.shape[-1]]
        return self.values.add("MatMul", [self, other], self.kind, shape)

    # Shapes

    def reshape(self, shape: Sequence[Size | None]) -> ShapedValue:
        """The same elements in another shape."""
        if tuple(shape) == self.shape:
            return self
        opened = [size for size in shape if not isinstance(size, int)]
        if len(opened) <= 1:
            numbers = [size if isinstance(size, int) else -1 for size in shape]
            sizes = self.values.constant(np.array(numbers, np.int64), INT64).name
        elif None in opened:
            raise UnsupportedError(
                f"training_step: {self.name!r} has sizes that are not known at import, and a "
                "gradient needs them; fix open sizes with dims={...} or --dim"
            )
        else:
            sizes = self.values.vector([size for size in shape if size is not None])
        return self.values.add("Reshape", [self, sizes], self.kind, shape)

    def expand(self, shape: Sequence[Size]) -> ShapedValue:
        """The elements repeated in a shape to which this one's is broadcast."""
        if tuple(shape) == self.shape:
            return self
        return self.values.add("Expand", [self, self.values.vector(shape)], self.kind, shape)

    def transpose(self, order: Sequence[int]) -> ShapedValue:
        """Its axes in another order."""
        if [*order] == [*range(self.rank)]:
            return self
        shape = [self.shape[axis] for axis in order]
        return self.values.add("Transpose", [self], self.kind, shape, perm=[*order])

    @property
    def transposed(self) -> ShapedValue:
        """Its last two axes exchanged."""
        *leading, rows, columns = range(self.rank)
        return self.transpose([*leading, columns, rows])

    def moved(self, axis: int, to: int) -> ShapedValue:
        """An axis moved to another place."""
        order = [each for each in range(self.rank) if each != axis]
        order.insert(to, axis)
        return self.transpose(order)

    def slice(self, axis: int, start: Size, stop: Size, step: int = 1) -> ShapedValue:
        """Each `step`-th element from `start` to before `stop` of an axis, counted from 0."""
        if (start, stop, step) == (0, self.shape[axis], 1):
            return self
        count = stop - start
        if step > 1:
            if not isinstance(count, int):
                raise UnsupportedError(
                    f"training_step: {self.name!r} is read in steps of {step} along an open axis; "
                    "fix open sizes with dims={...} or --dim"
                )
            count = -(-count // step)
        shape = [*self.shape]
        shape[axis] = count
        bounds = [self.values.vector([each]) for each in (start, stop)]
        others = [self.values.constant([each], INT64).name for each in (axis, step)]
        return self.values.add("Slice", [self, *bounds, *others], self.kind, shape)

    def reversed(self, axis: int) -> ShapedValue:
        """The elements of an axis from the last to the first."""
        bounds = [self.values.constant([each], INT64) for each in (-1, -_LAST - 1, axis, -1)]
        return self.values.add("Slice", [self, *bounds], self.kind, self.shape)

    def pad(self, axis: int, before: Size, behind: Size, number: float = 0) -> ShapedValue:
        """Numbers before and behind the elements of an axis; negative counts cut elements off."""
        counts = [before, behind]
        if counts == [0, 0]:
            return self
        if any(isinstance(count, int) and count < 0 for count in counts):
            cut = [count if isinstance(count, int) and count < 0 else 0 for count in counts]
            size = self.size(axis)
            rest = [count if not isinstance(count, int) else max(count, 0) for count in counts]
            return self.slice(axis, -cut[0], size + cut[1]).pad(axis, rest[0], rest[1], number)
        shape = [*self.shape]
        shape[axis] = before + self.size(axis) + behind
        pads: list[Size] = [0] * (2 * self.rank)
        pads[axis], pads[axis + self.rank] = before, behind
        inputs = [self, self.values.vector(pads), self.values.constant(number, self.kind)]
        made = self.values.add("Pad", inputs, self.kind, shape)
        if number == 0 and isinstance(before, int):
            self.values.padded[made.name] = self, axis, before
        return made

    def spread(self, axis: int, step: int) -> ShapedValue:
        """The elements of an axis `step` apart, with zeros between and behind them."""
        if step == 1:
            return self
        apart = self.reshape([*self.shape[: axis + 1], 1, *self.shape[axis + 1 :]])
        size = self.size(axis) * step
        return apart.pad(axis + 1, 0, step - 1).reshape(
            [*self.shape[:axis], size, *self.shape[axis + 1 :]]
        )


def _is_empty(kind: Any) -> bool:
    """Whether arrays of a type have no elements."""
    return any(
        axis.HasField("dim_value") and not axis.dim_value for axis in kind.tensor_type.shape.dim
    )


def broadcast(left: Sequence[Size | None], right: Sequence[Size | None]) -> tuple[Size | None, ...]:
    """The shape of what is computed from two arrays element by element."""
    rank = max(len(left), len(right))
    pairs = zip(
        [1] * (rank - len(left)) + [*left], [1] * (rank - len(right)) + [*right], strict=True
    )
    return tuple(b if a == 1 or (a is None and b != 1) else a for a, b in pairs)
