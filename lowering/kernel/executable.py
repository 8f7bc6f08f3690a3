"""The text of a dispatch whose every binding, loop and workgroup is written by hand.

A `flow.dispatch.region` leaves to IREE what its bindings are and how its work is cut up. Here it is
a `stream.executable` and a `flow.dispatch` of it instead: what it makes is written where it will
lie, and some memory can be had as a `memref`, for atomic operations.

It is also there once, however often it is dispatched. IREE makes a function of a region wherever
one is and compares them afterwards, which was a third of the time that a gradient in blocks of time
took to compile.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.kernel.body import Array, Text, tensor

__all__ = ["Executable", "with_executables"]

_TENSOR = "!iree_tensor_ext.dispatch.tensor"
_PIPELINE = "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>"


class Executable:
    """A dispatch.

    Attributes:
        text: What every workgroup does.
    """

    def __init__(self, outside: Text, kind: str, workgroups: int) -> None:
        """Starts one.

        Args:
            outside: Where it is dispatched.
            kind: What it is; a part of its name.
            workgroups: How many workgroups run it.
        """
        self._outside, self._workgroups = outside, workgroups
        name = f'@"{outside.symbol}_{kind}'
        number = sum(symbol.startswith(name) for symbol, _ in outside.executables)
        self._symbol = f'{name}{f"_{number}" if number else ""}"'
        self.text = Text()
        self._operands: list[tuple[str, str]] = []
        self._parameters: list[tuple[str, str]] = []
        self._made: list[tuple[Array, str, str]] = []
        self._changed: list[tuple[Array, str, str]] = []
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
        return self._loaded(array, self._binding(kind), kind)

    def change(self, array: Array) -> Array:
        """An array from outside, parts of which the dispatch changes, as it is inside."""
        self._operands.append((array.name, array.type))
        kind = f"{_TENSOR}<readwrite:{array.type}>"
        binding = self._binding(kind)
        inside = self._loaded(array, binding, kind)
        self._changed.append((inside, array.name, binding))
        return inside

    def _loaded(self, array: Array, binding: str, kind: str) -> Array:
        """All of a binding."""
        name = self.text(f"{_TENSOR[1:]}.load {binding}, {_whole(array)} : {kind} -> {array.type}")
        return Array(name, array.shape, array.element)

    def make(self, shape: Sequence[int], element: str) -> Array:
        """An array that the dispatch makes; what it holds at first is anything."""
        kind = f"{_TENSOR}<readwrite:{tensor(shape, element)}>"
        parameter, binding = self._subspan(kind)
        array = self._loaded(Array("", tuple(shape), element), binding, kind)
        self._made.append((array, parameter, binding))
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

    def dispatch(self) -> None:
        """Emits the dispatch outside.

        What `make` and `change` have given are the arrays outside from here on.
        """
        text, outside = self.text, self._outside
        results: list[tuple[Array, str]] = []
        for array, parameter, binding in self._made:
            results.append((array, array.type))
            self._parameters.append((parameter, "!stream.binding"))
            self._store(array, binding)
        for array, operand, binding in self._changed:
            results.append((array, f"{operand} as {array.type}"))
            self._store(array, binding)
        names = ", ".join(name for name, _ in self._operands)
        kinds = ", ".join(kind for _, kind in self._operands)
        result = outside.name()
        outside.lines.append(
            f"{result}:{len(results)} = flow.dispatch {self._symbol}::{self._symbol}({names}) : "
            f"({kinds}) -> ({', '.join(kind for _, kind in results)})"
        )
        for number, (array, _) in enumerate(results):
            array.name = f"{result}#{number}"
        parameters = ", ".join(f"{name}: {kind}" for name, kind in self._parameters)
        body = "\n".join(text.lines)
        executable = f"""stream.executable private {self._symbol} {{
stream.executable.export public {self._symbol} workgroups() -> (index, index, index) {{
%count = arith.constant {self._workgroups} : index
%one = arith.constant 1 : index
stream.return %count, %one, %one : index, index, index
}}
builtin.module {{
func.func {self._symbol}({parameters}) attributes {{translation_info = {_PIPELINE}}} {{
{body}
return
}}
}}
}}"""
        outside.executables.append((self._symbol, executable))

    def _store(self, array: Array, binding: str) -> None:
        """Emits the end of what is done to a binding."""
        self.text.lines.append(
            f"{_TENSOR[1:]}.store {array.name}, {binding}, {_whole(array)} : "
            f"{array.type} -> {_TENSOR}<readwrite:{array.type}>"
        )


def with_executables(function: str, text: Text, made: dict[str, str]) -> str:
    """A function and the executables that it dispatches, but for those alike that there are.

    Args:
        function: The text of the function.
        text: What it is made of.
        made: The symbols of the executables so far, by their text without it; has those that are
            new afterwards.
    """
    new: list[str] = []
    for symbol, executable in text.executables:
        alike = made.setdefault(executable.replace(symbol, ""), symbol)
        if alike == symbol:
            new.append(executable)
        else:
            function = function.replace(symbol, alike)
    return "\n".join([function, *new])


def _whole(array: Array) -> str:
    """Where all of an array is."""
    zeros, ones = [0] * len(array.shape), [1] * len(array.shape)
    return f"offsets = {zeros}, sizes = {list(array.shape)}, strides = {ones}"
