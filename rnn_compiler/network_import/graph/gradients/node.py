"""A node as the rules see it: its inputs, its results, and the gradients of these."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

import numpy as np

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.network_import.graph import attributes_of, onnx
from rnn_compiler.network_import.graph.gradients.values import ShapedValue, Values

Gradients: TypeAlias = "dict[str, ShapedValue]"


class Backward:
    """A node whose inputs get gradients.

    Attributes:
        values: The values of the graph.
        node: The node.
        gradients: The gradients of inputs so far, by name.
    """

    def __init__(
        self,
        values: Values,
        node: Any,
        results: Sequence[ShapedValue | None],
        wanted: Collection[str],
    ) -> None:
        self.values = values
        self.node = node
        self.gradients: dict[str, list[ShapedValue]] = {}
        self._results = results
        self._wanted = wanted

    @property
    def x(self) -> ShapedValue:
        """The first input."""
        return self.input(0)

    @property
    def y(self) -> ShapedValue:
        """The first result."""
        return self.values[self.node.output[0]]

    @property
    def dy(self) -> ShapedValue:
        """The gradient of the first result, which is the only one that has a gradient."""
        (found,) = [each for each in self._results if each is not None]
        return found

    def result_gradient(self, number: int) -> ShapedValue | None:
        """The gradient of a result; None if nothing depends on it."""
        return self._results[number]

    def has(self, number: int) -> bool:
        """Whether the node has an input."""
        return number < len(self.node.input) and bool(self.node.input[number])

    def input(self, number: int) -> ShapedValue:
        """An input."""
        return self.values[self.node.input[number]]

    def wants(self, number: int) -> bool:
        """Whether an input gets a gradient."""
        return self.has(number) and self.node.input[number] in self._wanted

    def give(self, number: int, gradient: ShapedValue) -> None:
        """Adds the gradient of an input, summed over the axes along which the node repeats it."""
        given = self.input(number)
        gradient = gradient.summed_to(given.shape).reshape(given.shape).cast(given.kind)
        self.gradients.setdefault(given.name, []).append(gradient)

    def array(self, number: int) -> Any:
        """The numbers of a constant input; None if the node lacks it."""
        if not self.has(number):
            return None
        tensor = self.values.graph.constants().get(self.node.input[number])
        if tensor is None:
            raise self.refused(f"its input {self.node.input[number]!r} is no constant")
        return onnx.numpy_helper.to_array(tensor)

    def number(self, name: str, default: Any) -> Any:
        """An attribute: a number, numbers, or a text."""
        attributes = attributes_of(self.node)
        if name not in attributes:
            return default
        value = onnx.helper.get_attribute_value(attributes[name])
        return value.decode() if isinstance(value, bytes) else value

    def axes(self, position: int, rank: int) -> list[int] | None:
        """The axes that an input or the attribute `axes` has; None if neither is given."""
        given = self.number("axes", None)
        if given is None and self.has(position):
            given = np.asarray(self.array(position)).ravel().tolist()
        return None if given is None else [int(axis) % rank for axis in given]

    def refused(self, what: str) -> UnsupportedError:
        """The error for a form whose gradient is not known."""
        return UnsupportedError(
            f"training_step: {self.values.graph.named(self.node)}: no rule for its gradient is "
            f"known if {what}; train only weights behind it, with train=[...] or "
            "--trainable"
        )
