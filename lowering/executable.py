"""The text of a dispatch whose every binding, loop and workgroup is written by hand.

A `flow.dispatch.region` leaves to IREE what its bindings are and how its work is cut up. Here it is
a `stream.executable` and a `flow.dispatch` of it instead: what it makes is written where it will
lie, and some memory can be had as a `memref`, for atomic operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.dispatch import Array, Text, tensor

__all__ = ["Executable"]

_TENSOR = "!iree_tensor_ext.dispatch.tensor"


class Executable:
    """A dispatch.

    Attributes:
        text: What every workgroup does.
    """

    def __init__(self, outside: Text, symbol: str, workgroups: int) -> None:
        """Starts one.

        Args:
            outside: Where it is dispatched.
            symbol: Its name.
            workgroups: How many workgroups run it.
        """
        self._outside, self._symbol, self._workgroups = outside, symbol, workgroups
        self.text = Text(outside)
        self._operands: list[tuple[str, str]] = []
        self._parameters: list[tuple[str, str]] = []
        self._made: list[tuple[Array, str, str]] = []
        self._zero = self.text.index(0)

    def _subspan(self, kind: str) -> tuple[str, str]:
        """A parameter that is a binding, and its value of some type."""
        parameter = self.text.name()
        value = self.text(
            f"stream.binding.subspan {parameter}[{self._zero}] : !stream.binding -> {kind}"
        )
        return parameter, value

    def _binding(self, kind: str) -> str:
        """The binding of the last operand, as a value of some type; gives its name."""
        parameter, value = self._subspan(kind)
        self._parameters.append((parameter, "!stream.binding"))
        return value

    def given(self, name: str, kind: str) -> str:
        """A number from outside; gives its name inside."""
        self._operands.append((name, kind))
        parameter = self.text.name()
        self._parameters.append((parameter, kind))
        return parameter

    def read(self, array: Array) -> Array:
        """An array from outside, as it is inside."""
        self._operands.append((array.name, array.type))
        kind = f"{_TENSOR}<readonly:{array.type}>"
        binding = self._binding(kind)
        where = _whole(array)
        name = self.text(f"{_TENSOR[1:]}.load {binding}, {where} : {kind} -> {array.type}")
        return Array(name, array.shape, array.element)

    def make(self, shape: Sequence[int], element: str) -> Array:
        """An array that the dispatch makes; what it holds at first is anything."""
        array = Array("", tuple(shape), element)
        kind = f"{_TENSOR}<readwrite:{array.type}>"
        parameter, binding = self._subspan(kind)
        self._made.append((array, parameter, binding))
        array.name = self.text(
            f"{_TENSOR[1:]}.load {binding}, {_whole(array)} : {kind} -> {array.type}"
        )
        return array

    def shared(self, size: int, number: int, count: int) -> tuple[str, str]:
        """Some ``i32`` that all workgroups see, zeros at first.

        IREE is told that they are only read. Were they tied to a result, no other result could be
        made where it belongs in a larger array (`EmplaceAllocations` in 3.13 leaves a dispatch with
        a tied operand alone), and as equal zeros may be one buffer, each dispatch has a part of its
        own.

        Args:
            size: How many.
            number: Which of those that have such numbers this is.
            count: How many there are.

        Returns:
            The name of a memref, and that of the index at which they begin.
        """
        kind = tensor((size * count,), "i32")
        zero = self._outside("arith.constant 0 : i32")
        zeros = self._outside(f"flow.tensor.splat {zero} : {kind}")
        first = self.given(self._outside.index(size * number), "index")
        self._operands.append((zeros, kind))
        return self._binding(f"memref<{size * count}xi32>"), first

    def workgroup(self) -> str:
        """The number of the workgroup."""
        return self.text("stream.dispatch.workgroup.id[0] : index")

    def dispatch(self) -> str:
        """Emits the dispatch outside; gives the executable.

        What `make` has given are the arrays outside from here on.
        """
        text, outside = self.text, self._outside
        made = [array for array, _, _ in self._made]
        for array, _, binding in self._made:
            text.lines.append(
                f"{_TENSOR[1:]}.store {array.name}, {binding}, {_whole(array)} : "
                f"{array.type} -> {_TENSOR}<readwrite:{array.type}>"
            )
        names = ", ".join(name for name, _ in self._operands)
        kinds = ", ".join(kind for _, kind in self._operands)
        results = ", ".join(array.type for array in made)
        result, symbol = outside.name(), f'@"{self._symbol}"'
        outside.lines.append(
            f"{result}:{len(made)} = flow.dispatch {symbol}::{symbol}({names}) : "
            f"({kinds}) -> ({results})"
        )
        for number, array in enumerate(made):
            array.name = f"{result}#{number}"
        bindings = [(parameter, "!stream.binding") for _, parameter, _ in self._made]
        parameters = ", ".join(f"{name}: {kind}" for name, kind in [*self._parameters, *bindings])
        body = "\n".join(text.lines)
        return f"""stream.executable private {symbol} {{
stream.executable.export public {symbol} workgroups() -> (index, index, index) {{
%count = arith.constant {self._workgroups} : index
%one = arith.constant 1 : index
stream.return %count, %one, %one : index, index, index
}}
builtin.module {{
func.func {symbol}({parameters}) {{
{body}
return
}}
}}
}}"""


def _whole(array: Array) -> str:
    """Where all of an array is."""
    zeros, ones = [0] * len(array.shape), [1] * len(array.shape)
    return f"offsets = {zeros}, sizes = {list(array.shape)}, strides = {ones}"
