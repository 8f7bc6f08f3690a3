"""A dispatch whose every binding, loop and workgroup is written by hand.

A `flow.dispatch.region` leaves to IREE what its bindings are and how its work is cut up. Here it is
a `stream.executable` and a `flow.dispatch` of it instead: what it makes is written where it will
lie, and some memory can be had as a `memref`, for atomic operations.

It is also there once, however often it is dispatched. IREE makes a function of a region wherever
one is and compares them afterwards, which was a third of the time that a gradient in blocks of time
took to compile.
"""

from __future__ import annotations

from rnn_compiler.lowering.kernel.attributes import (
    binding_type,
    cpu_pipeline,
    integers,
    segments,
    tensor_binding_type,
)
from rnn_compiler.lowering.kernel.body import Array, ArrayType, Body, known, spare_block
from rnn_compiler.lowering.kernel.function import Function, create_function, set_function_type
from rnn_compiler.lowering.kernel.number import Number, element_type
from rnn_compiler.lowering.mlir import ir, ops_of

__all__ = ["Executable"]

_UNNAMED = "dispatch"
"""Its name until it is placed; so that those alike are."""

_TILED, _PLAIN = "DoubleTilingExpert", "Default"
"""Pipelines of IREE: for bodies with an op that says its tile sizes, and for those without one, for
which IREE 3.13 fails to build the first."""


def _says_tiles(op: ir.Operation) -> bool:
    """Whether an op, or one in it, says its tile sizes."""
    blocks = [block for region in op.regions for block in region.blocks]
    return "lowering_config" in op.attributes or any(
        _says_tiles(each) for block in blocks for each in ops_of(block)
    )


class Executable:
    """A dispatch.

    Attributes:
        name: What it will be called if there is none like it.
        operation: The executable; it belongs to no module yet.
        body: What every workgroup does.
    """

    def __init__(self, outside: Function, kind: str, workgroups: int) -> None:
        """Starts one.

        Args:
            outside: Where it is dispatched.
            kind: What it is; a part of its name.
            workgroups: How many workgroups run it.
        """
        self.name = outside.name_executable(kind)
        self._outside, self._workgroups = outside, workgroups
        self._function, self._block = create_function(_UNNAMED)
        self.body = Body(self._block, outside.location)
        self._zero = self.body.index(0)
        self._operands: list[ir.Value] = []
        self._read: dict[ir.Value, int] = {}
        self._made: list[tuple[Array, ir.Value, ir.Value]] = []
        self._changed: list[tuple[Array, int, ir.Value]] = []

    # Operands.

    def given(self, number: Number) -> Number:
        """A number from outside, as it is inside."""
        parameter = self._parameter(number.value, number.value.type)
        return Number(self.body, parameter, number.element)

    def read(self, array: Array) -> Array:
        """An array from outside, as it is inside."""
        binding = self._bound(array, tensor_binding_type("readonly", array.type.mlir))
        inside = self._loaded(array.type, binding)
        self._read[inside.value] = len(self._operands) - 1
        return inside

    def memory(self, array: Array) -> ir.Value:
        """What `read` gave as a memref, for hints of what will be read."""
        parameter = self._block.arguments[self._read[array.value]]
        kind = ir.MemRefType.get(list(known(array.shape)), element_type(array.element))
        return self._subspan(parameter, kind)

    def change(self, array: Array) -> Array:
        """An array from outside, parts of which the dispatch changes, as it is inside."""
        binding = self._bound(array, tensor_binding_type("readwrite", array.type.mlir))
        inside = self._loaded(array.type, binding)
        self._changed.append((inside, len(self._operands) - 1, binding))
        return inside

    def make(self, type: ArrayType) -> Array:
        """An array that the dispatch makes; what it holds at first is anything.

        What it makes is bound after all that it is given.
        """
        parameter = spare_block([binding_type()]).arguments[0]
        binding = self._subspan(parameter, tensor_binding_type("readwrite", type.mlir))
        array = self._loaded(type, binding)
        self._made.append((array, parameter, binding))
        return array

    def shared(self, size: int, number: int, count: int) -> tuple[ir.Value, Number]:
        """Some ``i32`` that all workgroups see, zeros at first.

        Of several executables' each has a part of one buffer, which IREE is told is only read: tied
        to a result, it would be copied.

        Args:
            size: How many.
            number: Which part of the buffer.
            count: How many parts it has.

        Returns:
            A memref, and the index at which they begin.
        """
        type = ArrayType((size * count,), "i32")
        zero = self._outside.constant(0, "i32")
        zeros = self._outside.array("flow.tensor.splat", [zero], type)
        first = self.given(self._outside.index(size * number))
        memory = ir.MemRefType.get([size * count], element_type("i32"))
        return self._bound(zeros, memory), first

    def workgroup(self) -> Number:
        """The number of the workgroup."""
        axis = {"dimension": ir.IntegerAttr.get(ir.IndexType.get(), 0)}
        return self.body.number("stream.dispatch.workgroup.id", [], "index", attributes=axis)

    def _parameter(self, operand: ir.Value, kind: ir.Type) -> ir.Value:
        self._operands.append(operand)
        return self._block.add_argument(kind, self.body.location)

    def _bound(self, array: Array, kind: ir.Type) -> ir.Value:
        """The binding of an array from outside, as a value of some type."""
        return self._subspan(self._parameter(array.value, binding_type()), kind)

    def _subspan(self, parameter: ir.Value, kind: ir.Type) -> ir.Value:
        return self.body.op("stream.binding.subspan", [parameter, self._zero], [kind]).results[0]

    def _loaded(self, type: ArrayType, binding: ir.Value) -> Array:
        """All of a binding."""
        attributes = _whole(type, 1)
        return self.body.array("iree_tensor_ext.dispatch.tensor.load", [binding], type, attributes)

    # The dispatch.

    def dispatch(self) -> None:
        """Emits the dispatch outside.

        What `make` and `change` have given are the arrays outside from here on.
        """
        for array, parameter, binding in self._made:
            parameter.replace_all_uses_with(
                self._block.add_argument(binding_type(), self.body.location)
            )
            self._store(array, binding)
        for array, _, binding in self._changed:
            self._store(array, binding)
        self.body.op("func.return")
        set_function_type(self._function, [])
        pipeline = _TILED if _says_tiles(self._function) else _PLAIN
        self._function.attributes["translation_info"] = cpu_pipeline(pipeline)
        results = [*(made[0] for made in self._made), *(changed[0] for changed in self._changed)]
        ties = [*(-1 for _ in self._made), *(operand for _, operand, _ in self._changed)]
        self._dispatch = self._outside.op(
            "flow.dispatch",
            self._operands,
            [array.type.mlir for array in results],
            {
                "entry_points": ir.ArrayAttr.get([ir.SymbolRefAttr.get([_UNNAMED, _UNNAMED])]),
                "operandSegmentSizes": segments(0, len(self._operands), 0, 0),
                "tied_operands": ir.ArrayAttr.get(
                    [ir.IntegerAttr.get(ir.IndexType.get(), tie) for tie in ties]
                ),
            },
        )
        for array, value in zip(results, self._dispatch.results, strict=True):
            array.value = value
        self.operation = self._executable()
        self._outside.executables.append(self)

    def rename(self, name: str) -> None:
        """Gives the executable a name, and the dispatch the same."""
        self._dispatch.attributes["entry_points"] = ir.ArrayAttr.get(
            [ir.SymbolRefAttr.get([name, name])]
        )
        for op in (self.operation, self._export, self._function):
            op.attributes["sym_name"] = ir.StringAttr.get(name)
        self._export.attributes["function_ref"] = ir.FlatSymbolRefAttr.get(name)

    def _store(self, array: Array, binding: ir.Value) -> None:
        """Emits the end of what is done to a binding."""
        attributes = _whole(array.type, 2)
        self.body.op(
            "iree_tensor_ext.dispatch.tensor.store", [array, binding], attributes=attributes
        )

    def _executable(self) -> ir.Operation:
        location, name = self.body.location, ir.StringAttr.get(_UNNAMED)
        executable = ir.Operation.create(
            "stream.executable",
            attributes={"sym_name": name, "sym_visibility": ir.StringAttr.get("private")},
            regions=1,
            loc=location,
            ip=False,
        )
        inside = Body(executable.regions[0].blocks.append(), location)
        self._export = inside.op(
            "stream.executable.export",
            attributes={
                "sym_name": name,
                "function_ref": ir.FlatSymbolRefAttr.get(_UNNAMED),
                "sym_visibility": ir.StringAttr.get("public"),
            },
            regions=1,
        )
        export = Body(self._export.regions[0].blocks.append(), location)
        count, one = export.index(self._workgroups), export.index(1)
        export.op("stream.return", [count, one, one])
        module = inside.op("builtin.module", regions=1)
        module.regions[0].blocks.append().append(self._function)
        inside.op("stream.executable.end")
        return executable


def _whole(type: ArrayType, operands: int) -> dict[str, ir.Attribute]:
    """Where all of an array is, for an op with so many operands."""
    sizes = [size for size in type.shape if isinstance(size, int)]
    return {
        "operandSegmentSizes": segments(*[1] * operands, 0, 0, 0, 0),
        "static_offsets": integers([0] * len(sizes)),
        "static_sizes": integers(sizes),
        "static_strides": integers([1] * len(sizes)),
    }
