"""A private function under construction, with its dispatches.

It belongs to no module until it is inserted, so a rewrite that is refused half-way leaves no trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rnn_compiler.lowering.codegen.body import Array, Body
from rnn_compiler.lowering.codegen.number import Number
from rnn_compiler.lowering.mlir.bindings import ir

if TYPE_CHECKING:
    from rnn_compiler.lowering.codegen.executable import Executable

__all__ = ["Function", "create_function", "set_function_type", "unused_symbol"]


def create_function(symbol: str, **attributes: ir.Attribute) -> tuple[ir.Operation, ir.Block]:
    """A function without a type, and its block; it belongs to no module."""
    op = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(symbol),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [])),
            **attributes,
        },
        regions=1,
        loc=ir.Location.unknown(),
        ip=False,
    )
    return op, op.regions[0].blocks.append()


def set_function_type(function: ir.Operation, results: Sequence[ir.Type]) -> None:
    """Sets a function's type from its arguments and results."""
    arguments = [argument.type for argument in function.regions[0].blocks[0].arguments]
    kind = ir.FunctionType.get(arguments, list(results))
    function.attributes["function_type"] = ir.TypeAttr.get(kind)


def unused_symbol(module: ir.Operation, name: str) -> str:
    """A symbol that is not yet used in a module, whose functions may have any names."""
    symbols = ir.SymbolTable(module)
    while name in symbols:
        name += "_"
    return name


class Function(Body):
    """A function whose body is being written.

    Attributes:
        symbol: Its name.
        arguments: Its arguments.
        prefix: The prefix of its executables' names.
        executables: The executables that it dispatches.
    """

    def __init__(
        self, symbol: str, types: Sequence[ir.Type], location: ir.Location | None = None
    ) -> None:
        private = ir.StringAttr.get("private")
        self._function, block = create_function(symbol, sym_visibility=private)
        super().__init__(block, location)
        self.symbol, self.prefix = symbol, symbol.replace(".", "_")
        self.arguments = [block.add_argument(kind, self.location) for kind in types]
        self.executables: list[Executable] = []
        self._kinds: Counter[str] = Counter()

    def name_executable(self, kind: str) -> str:
        """A name for an executable of some kind."""
        number, name = self._kinds[kind], f"{self.prefix}_{kind}"
        self._kinds[kind] += 1
        return f"{name}_{number}" if number else name

    def call(
        self, other: Function, operands: Sequence[Array | Number], arrays: Sequence[Array]
    ) -> None:
        """Emits a call of another function that changes arrays."""
        callee: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(other.symbol)}
        types = [array.value.type for array in arrays]
        made = self.op("func.call", operands, types, callee).results
        for array, value in zip(arrays, made, strict=True):
            array.value = value

    def finish(self, results: Sequence[Array | Number]) -> None:
        """Emits the end of the function."""
        self.op("func.return", results)
        set_function_type(self._function, [result.value.type for result in results])

    def insert_at(self, at: ir.InsertionPoint, made: dict[str, str]) -> None:
        """Puts the function into a module, with the executables that the module lacks.

        Args:
            at: The insertion point.
            made: The names of the module's executables by their text; the new ones are added.
        """
        at.insert(self._function)
        module = at.block.owner
        for executable in self.executables:
            key = executable.operation.get_asm()
            is_new = key not in made
            made.setdefault(key, unused_symbol(module, executable.name))
            executable.rename(made[key])
            if is_new:
                at.insert(executable.operation)
