"""Losses: a number to make smaller, and its gradient.

With weights w of elements, which are the mask times those of classes, and W = sum(w):

    cross_entropy         p = softmax(z)    loss = sum(-w * log(p[target])) / W
                          dz = w * (p - (class = target)) / W
    binary_cross_entropy  loss = sum(w * (max(z, 0) - z * target + log(1 + exp(-|z|)))) / W
                          dz = w * (sigmoid(z) - target) / W
    mean_squared_error    loss = sum(w * (y - target)^2) / W    dy = 2 * w * (y - target) / W
    mean_absolute_error   loss = sum(w * |y - target|) / W      dy = w * sign(y - target) / W

    ctc                   the mean of rows' losses (`training.ctc`)

Without weights, W is the number of elements. If all weights are 0, the loss is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.network_import.graph import onnx
from rnn_compiler.network_import.graph.gradients.values import INT32, ShapedValue, Values
from rnn_compiler.network_import.graph.training.ctc import ctc
from rnn_compiler.network_import.graph.training.logits import logits
from rnn_compiler.schema.open_sizes import Size, product

FLOAT, DOUBLE = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE


class Loss(NamedTuple):
    """A loss of a graph.

    Attributes:
        value: The loss.
        of: The value of the graph that it is computed from.
        gradient: The gradient of that value.
        inputs: Its further inputs, by what they are called.
        ranges: The least and the largest number of integer inputs.
    """

    value: ShapedValue
    of: ShapedValue
    gradient: ShapedValue
    inputs: Mapping[str, ShapedValue]
    ranges: Mapping[str, tuple[Size, Size]]


def inside(kind: int) -> int:
    """The type in which losses and next values are computed."""
    return DOUBLE if kind == DOUBLE else FLOAT


class _Given:
    """What a loss is computed from.

    Attributes:
        values: The values of the graph.
        output: The network's output.
        options: The loss's options.
        inputs: The inputs so far.
        ranges: The ranges of integer ones.
    """

    def __init__(self, values: Values, output: ShapedValue, options: Mapping[str, Any]) -> None:
        self.values = values
        self.output = output
        self.options = options
        self.inputs: dict[str, ShapedValue] = {}
        self.ranges: dict[str, tuple[Size, Size]] = {}

    def input(self, name: str, kind: int, shape: Sequence[Size]) -> ShapedValue:
        """A further input of the function."""
        self.inputs[name] = self.values.input(name, kind, shape)
        return self.inputs[name]

    def mask(self, shape: Sequence[Size], kind: int) -> ShapedValue | None:
        """The weights of elements; None if all count."""
        return self.input("mask", kind, shape) if self.options.get("mask") else None

    def number(self, value: ShapedValue, weight: ShapedValue | None) -> ShapedValue:
        """The sum of an element's losses over that of their weights."""
        return (value if weight is None else value * weight).sum() / self.total(value, weight)

    def total(self, value: ShapedValue, weight: ShapedValue | None) -> ShapedValue:
        """The sum of weights, or 1 if that is 0; the number of elements if there are none."""
        if weight is None:
            return self.values.number(product(value.sizes), value.kind)
        total = weight.sum()
        return self.values.where(total.equals(0), 1, total)

    def finished(self, value: ShapedValue, of: ShapedValue, gradient: ShapedValue) -> Loss:
        return Loss(value, of, gradient.cast(of.kind), self.inputs, self.ranges)


def _cross_entropy(given: _Given) -> Loss:
    axis = int(given.options["axis"])
    rank = given.output.rank
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            "training_step", "loss", f"an axis of the output's {rank}", f"axis {axis}"
        )
    axis %= rank
    of = logits(given.values, given.output, "Softmax", axis)
    z = of.cast(inside(of.kind))
    count = z.size(axis)
    if not isinstance(count, int):
        raise UnsupportedError(
            f"training_step: the axis of classes, {axis} of {given.output.name!r}, is open; fix "
            "its size with dims={...}, or choose another with loss={'name': ..., 'axis': ...}"
        )
    shape = [size for number, size in enumerate(z.sizes) if number != axis]
    target = given.input("target", INT32, shape)
    given.ranges["target"] = (0, count - 1)
    across = [1 if number == axis else size for number, size in enumerate(z.sizes)]
    along = [count if number == axis else 1 for number in range(rank)]
    classes = given.values.constant(range(count), INT32).reshape(along)
    is_target = target.reshape(across).equals(classes).cast(z.kind)
    weight = given.mask(shape, z.kind)
    weight = None if weight is None else weight.reshape(across)
    if given.options.get("class_weights") is not None:
        numbers: list[float] = given.options["class_weights"]
        if len(numbers) != count:
            expected = f"one of each of the {count} classes"
            got = f"{len(numbers)} class_weights"
            raise InvalidArgumentError("training_step", "loss", expected, got)
        of_classes = given.values.constant(numbers, z.kind).reshape(along)
        of_target = (is_target * of_classes).sum([axis], keeps=True)
        weight = of_target if weight is None else weight * of_target
    logs = given.values.add("LogSoftmax", [z], z.kind, z.shape, axis=axis)
    losses = -(is_target * logs).sum([axis], keeps=True)
    gradient = (logs.apply("Exp") - is_target) / given.total(losses, weight)
    gradient = gradient if weight is None else gradient * weight
    return given.finished(given.number(losses, weight), of, gradient)


def _binary_cross_entropy(given: _Given) -> Loss:
    of = logits(given.values, given.output, "Sigmoid")
    z = of.cast(inside(of.kind))
    target = given.input("target", z.kind, z.sizes)
    weight = given.mask(z.sizes, z.kind)
    magnitude = z.apply("Abs")
    softplus = ((-magnitude).apply("Exp") + 1).apply("Log")
    losses = given.values.where(z > 0, z, 0) - z * target + softplus
    gradient = (z.apply("Sigmoid") - target) / given.total(losses, weight)
    gradient = gradient if weight is None else gradient * weight
    return given.finished(given.number(losses, weight), of, gradient)


def _of_difference(
    loss: Callable[[ShapedValue], ShapedValue], slope: Callable[[ShapedValue], ShapedValue]
) -> Callable[[_Given], Loss]:
    """A loss of the difference between output and target."""

    def made(given: _Given) -> Loss:
        y = given.output.cast(inside(given.output.kind))
        difference = y - given.input("target", y.kind, y.sizes)
        weight = given.mask(y.sizes, y.kind)
        losses = loss(difference)
        gradient = slope(difference) / given.total(losses, weight)
        gradient = gradient if weight is None else gradient * weight
        return given.finished(given.number(losses, weight), given.output, gradient)

    return made


def _ctc(given: _Given) -> Loss:
    time, batch = (0, 1) if given.options["time_major"] else (1, 0)
    if given.output.rank != 3:
        expected = "an output of steps, rows and classes"
        got = f"{given.output.name!r} of {given.output.rank} axes"
        raise InvalidArgumentError("training_step", "output", expected, got)
    of = logits(given.values, given.output, "Softmax", 2)
    layout = [time, batch, 2]
    z = of.cast(inside(of.kind)).transpose(layout)
    T, B, C = z.sizes
    labels = given.options["labels"] or T
    if not isinstance(C, int) or not isinstance(labels, int):
        raise UnsupportedError(
            f"training_step: {given.output.name!r} has open sizes: fix the number of classes with "
            "dims={...}, and say with loss={'name': 'ctc', 'labels': N} how many labels a row has"
        )
    blank = given.options["blank"]
    if not -C <= blank < C:
        expected = f"a blank among {C} classes"
        raise InvalidArgumentError("training_step", "loss", expected, str(blank))
    target = given.input("target", INT32, [B, labels])
    steps, counts = (given.input(f"{name}_lengths", INT32, [B]) for name in ("input", "target"))
    given.ranges |= {"target": (0, C - 1), "input_lengths": (0, T), "target_lengths": (0, labels)}
    losses, gradient = ctc(given.values, z, target, steps, counts, blank % C)
    rows = given.values.number(B, z.kind)
    return given.finished(losses.sum() / rows, of, (gradient / rows).transpose(layout))


_LOSSES: Mapping[str, Callable[[_Given], Loss]] = {
    "cross_entropy": _cross_entropy,
    "binary_cross_entropy": _binary_cross_entropy,
    "ctc": _ctc,
    "mean_squared_error": _of_difference(lambda d: d * d, lambda d: d * 2),
    "mean_absolute_error": _of_difference(
        lambda d: d.apply("Abs"),
        lambda d: d.values.where(d > 0, d * 0 + 1, d.values.where(d < 0, d * 0 - 1, 0)),
    ),
}


def loss_of(values: Values, output: ShapedValue, options: Mapping[str, Any]) -> Loss:
    """A loss of an output, by its name and options."""
    if not output.is_float:
        raise InvalidArgumentError(
            "training_step", "output", "an output of floats", f"{output.name!r}, of others"
        )
    values.begin("loss")
    return _LOSSES[options["name"]](_Given(values, output, options))
