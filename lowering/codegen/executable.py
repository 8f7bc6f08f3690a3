"""A dispatch whose bindings, loops and workgroups are written explicitly.

For a `flow.dispatch.region`, IREE decides on bindings and tiling. Here a `stream.executable` and a
`flow.dispatch` of it are emitted instead: results are written in their final place, and memory can
be bound as a `memref`, for atomic operations.

The executable also exists once, however often it is dispatched. IREE outlines every region and
compares the functions afterwards, which took a third of the compile time of a gradient in blocks of
time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rnn_compiler.lowering.codegen.attributes import (
    binding_type,
    cpu_pipeline,
    integer,
    integers,
    segments,
    tensor_binding_type,
)
from rnn_compiler.lowering.codegen.body import (
    Array,
    ArrayMemory,
    ArrayType,
    Body,
    Index,
    Number,
    Place,
    element_type,
    spare_block,
)
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops, sizes_in_mlir

# A private function under construction, with its dispatches.
#
# It belongs to no module until it is inserted, so a rewrite that is refused half-way leaves no
# trace.


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


class FunctionBuilder(Body):
    """A function whose body is being written."""

    def __init__(
        self, symbol: str, types: Sequence[ir.Type], location: ir.Location | None = None
    ) -> None:
        private = ir.StringAttr.get("private")
        self._function, block = create_function(symbol, sym_visibility=private)
        super().__init__(block, location)
        self.symbol, self.prefix = symbol, symbol.replace(".", "_")
        self.arguments = [block.add_argument(kind, self.location) for kind in types]
        self.executables: list[DispatchBuilder] = []
        self._kinds: Counter[str] = Counter()

    def name_executable(self, kind: str) -> str:
        """A name for an executable of some kind."""
        number, name = self._kinds[kind], f"{self.prefix}_{kind}"
        self._kinds[kind] += 1
        return f"{name}_{number}" if number else name

    def call(
        self, other: FunctionBuilder, operands: Sequence[Array | Number], arrays: Sequence[Array]
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

        `made` has the names of the module's executables by their text; the new ones are added.
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


_LINE = 64
"""The size of a cache line in bytes."""

_UNNAMED = "dispatch"
"""Its name until it is inserted, so that equal executables have equal text."""

_TILED, _PLAIN = "DoubleTilingExpert", "Default"
"""IREE's pipelines for bodies with an op that specifies tile sizes, and for those without one, for
which IREE cannot build the first."""


class Part(NamedTuple):
    """A part of a buffer shared by executables.

    Attributes:
        is_repeated: Whether the function of the executable may be called more than once. IREE
            merges equal splats, so once the calls are inlined they would share a buffer that is
            zero only for the first call. An opaque zero keeps the splats apart.
        is_in_loop: Whether it may be called from a user's loop. There a buffer that is zero in the
            first iteration is not zero in the next, and IREE rejects an opaque zero, so nothing is
            counted: one workgroup does all. No array is opaque either: IREE would not wait for it.
    """

    number: int
    total: int
    is_repeated: bool = False
    is_in_loop: bool = False


class _Written(NamedTuple):
    """An array that a dispatch writes to.

    Attributes:
        array: The array inside; after the dispatch, the array outside.
        outside: Its type outside, where open sizes are other values.
        tie: The operand that it is tied to; -1 if it is a new array.
        start: The column outside that is the first one inside.
    """

    array: Array
    binding: ir.Value
    outside: ArrayType
    tie: int = -1
    start: int = 0


def _says_tiles(op: ir.Operation) -> bool:
    """Whether an op, or one nested in it, specifies tile sizes."""
    return any("lowering_config" in each.attributes for each in nested_ops(op))


class DispatchBuilder:
    """A dispatch.

    Attributes:
        name: Its name, unless the module already has an equal executable.
    """

    def __init__(self, outside: FunctionBuilder, kind: str, workgroups: Index) -> None:
        """Starts a dispatch of workgroups, whose number is known or computed outside."""
        self.name = outside.name_executable(kind)
        self._outside, self._workgroups = outside, workgroups
        self._function, self._block = create_function(_UNNAMED)
        # Parameters that come last. They belong to the function from the beginning: freeing them
        # before their uses, as when a loop is refused half-way, would crash the process.
        self._later = self._function.regions[0].blocks.append()
        self.body = Body(self._block, outside.location)
        self._zero = self.body.index(0)
        self._operands: list[ir.Value] = []
        self._operand_sizes: list[Number] = []
        self._sizes: dict[ir.Value, Number] = {}
        self._read: dict[ir.Value, int] = {}
        self._made: list[_Written] = []
        self._changed: list[_Written] = []

    # Operands.

    def given(self, number: Number) -> Number:
        """A number from outside, as a value inside."""
        parameter = self._parameter(number.value, number.value.type)
        return Number(self.body, parameter, number.element)

    def size(self, size: Index) -> Index:
        """A size from outside, as a value inside."""
        if isinstance(size, int):
            return size
        if size.value not in self._sizes:
            self._sizes[size.value] = self.given(size)
        return self._sizes[size.value]

    def read(self, array: Array) -> Array:
        """An array from outside, as a value inside."""
        type = self._type(array.type)
        binding = self._bound(array, tensor_binding_type("readonly", type.mlir), type)
        inside = self._loaded(type, binding, type)
        self._read[inside.value] = len(self._operands) - 1
        return inside

    def memory(self, array: Array) -> ir.Value:
        """An array returned by `read` as a memref, for prefetches."""
        parameter = self._block.arguments[self._read[array.value]]
        return self._subspan(parameter, _memref_type(array.type), array.type)

    def change(self, array: Array, columns: tuple[int, int] | None = None) -> Array:
        """An array from outside, or columns of it, that the dispatch changes, as a value inside."""
        type = self._type(array.type)
        binding = self._bound(array, tensor_binding_type("readwrite", type.mlir), type)
        start, count = columns or (0, type.shape[-1])
        part = ArrayType((*type.shape[:-1], count), type.element)
        inside = self._loaded(part, binding, type, start)
        tie = len(self._operands) - 1
        self._changed.append(_Written(inside, binding, array.type, tie, start))
        return inside

    def make(self, type: ArrayType) -> Array:
        """A new array, uninitialized.

        New arrays are bound after all operands. The sizes of `type` are those outside.
        """
        parameter = self._later.add_argument(binding_type(), self.body.location)
        inside = self._type(type)
        binding = self._subspan(parameter, tensor_binding_type("readwrite", inside.mlir), inside)
        array = self._loaded(inside, binding, inside)
        self._made.append(_Written(array, binding, type))
        return array

    def shared(self, size: int, part: Part) -> tuple[ir.Value, Number]:
        """Counters, ``i32`` shared by all workgroups and first 0: a memref, and where they begin.

        Executables have parts of one buffer, which is declared as read only: if it were tied to a
        result, IREE would copy it.
        """
        type = ArrayType((size * part.total,), "i32")
        zero = self._outside.constant(0, "i32")
        if part.is_repeated:
            zero = self._outside.number("util.optimization_barrier", [zero], "i32")
        zeros = self._outside.array("flow.tensor.splat", [zero], type)
        first = self.given(self._outside.index(size * part.number))
        memory = ir.MemRefType.get([size * part.total], element_type("i32"))
        return self._bound(zeros, memory, type), first

    def workgroup(self) -> Number:
        """The number of the workgroup."""
        axis = {"dimension": ir.IntegerAttr.get(ir.IndexType.get(), 0)}
        return self.body.number("stream.dispatch.workgroup.id", [], "index", attributes=axis)

    def _parameter(self, operand: ir.Value, kind: ir.Type) -> ir.Value:
        self._operands.append(operand)
        return self._block.add_argument(kind, self.body.location)

    def _type(self, type: ArrayType) -> ArrayType:
        """A type with sizes from outside, as a type inside."""
        return ArrayType(tuple(map(self.size, type.shape)), type.element)

    def _bound(self, array: Array, kind: ir.Type, type: ArrayType) -> ir.Value:
        """The binding of an array from outside, as a value of some type."""
        parameter = self._parameter(array.value, binding_type())
        self._operand_sizes += array.type.computed
        return self._subspan(parameter, kind, type)

    def _subspan(self, parameter: ir.Value, kind: ir.Type, type: ArrayType) -> ir.Value:
        operands = [parameter, self._zero, *type.computed]
        return self.body.op("stream.binding.subspan", operands, [kind]).results[0]

    def _loaded(
        self, type: ArrayType, binding: ir.Value, whole: ArrayType, start: int = 0
    ) -> Array:
        """A binding, or its columns from a given one on."""
        attributes, sizes = _span(type, 1, start), type.computed
        made = self.body.array(
            "iree_tensor_ext.dispatch.tensor.load", [binding, *sizes, *sizes], type, attributes
        )
        made.place = Place(self._memory(binding, whole)).at([start])
        return made

    def _memory(self, binding: ir.Value, type: ArrayType) -> ArrayMemory:
        """The memory of a binding with an array of some type."""

        def subspan() -> ir.Operation:
            assert not isinstance(binding.owner, ir.Block)
            op = binding.owner.operation
            return Body.after(op).op(op.name, [*op.operands], [_memref_type(type)])

        return ArrayMemory(type.shape, subspan)

    @property
    def beginning(self) -> Body:
        """The place before all other code of the dispatch."""
        return Body.beginning(self._block, self._outside.location)

    def stack(self, type: ArrayType) -> Array:
        """An array on the stack, uninitialized, whose value is a memref."""
        attributes = {"operandSegmentSizes": segments(0, 0), "alignment": integer(_LINE)}
        op = self.beginning.op("memref.alloca", [], [_memref_type(type)], attributes)
        place = Place(ArrayMemory(type.shape, lambda: op))
        return Array(op.results[0], type.shape, type.element, place)

    # The dispatch.

    def dispatch(self) -> None:
        """Emits the dispatch outside.

        From here on, the arrays that `make` and `change` returned are those outside.
        """
        for parameter in self._later.arguments:
            parameter.replace_all_uses_with(
                self._block.add_argument(binding_type(), self.body.location)
            )
        self._later.append_to(spare_block().region)  # freed because nothing references it
        written = [*self._made, *self._changed]
        for each in written:
            self._store(each.array, each.binding, each.start)
        self.body.op("func.return")
        set_function_type(self._function, [])
        pipeline = _TILED if _says_tiles(self._function) else _PLAIN
        self._function.attributes["translation_info"] = cpu_pipeline(pipeline)
        results = [each.array for each in written]
        for each in written:
            each.array.type = each.outside
        workload = [] if isinstance(self._workgroups, int) else [self._workgroups]
        sizes = [size for array in results for size in array.type.computed]
        self._dispatch = self._outside.op(
            "flow.dispatch",
            [*workload, *self._operands, *self._operand_sizes, *sizes],
            [array.type.mlir for array in results],
            {
                "entry_points": ir.ArrayAttr.get([ir.SymbolRefAttr.get([_UNNAMED, _UNNAMED])]),
                "operandSegmentSizes": segments(
                    len(workload), len(self._operands), len(self._operand_sizes), len(sizes)
                ),
                "tied_operands": ir.ArrayAttr.get(
                    [ir.IntegerAttr.get(ir.IndexType.get(), each.tie) for each in written]
                ),
            },
        )
        for array, value in zip(results, self._dispatch.results, strict=True):
            array.value = value
        self.operation = self._executable()
        self._outside.executables.append(self)

    def rename(self, name: str) -> None:
        """Renames the executable and its reference in the dispatch."""
        self._dispatch.attributes["entry_points"] = ir.ArrayAttr.get(
            [ir.SymbolRefAttr.get([name, name])]
        )
        for op in (self.operation, self._export, self._function):
            op.attributes["sym_name"] = ir.StringAttr.get(name)
        self._export.attributes["function_ref"] = ir.FlatSymbolRefAttr.get(name)

    def _store(self, array: Array, binding: ir.Value, start: int) -> None:
        """Emits the store that ends the writes to a binding."""
        attributes, sizes = _span(array.type, 2, start), array.type.computed
        operands = [array, binding, *sizes, *sizes]
        self.body.op("iree_tensor_ext.dispatch.tensor.store", operands, attributes=attributes)

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
        workload = [] if isinstance(self._workgroups, int) else [ir.IndexType.get()]
        block = self._export.regions[0].blocks.append(*workload)
        export = Body(block, location)
        count = Number(export, block.arguments[0], "index") if workload else None
        count, one = count or export.index(self._workgroups), export.index(1)
        export.op("stream.return", [count, one, one])
        module = inside.op("builtin.module", regions=1)
        module.regions[0].blocks.append().append(self._function)
        inside.op("stream.executable.end")
        return executable


def _memref_type(type: ArrayType) -> ir.Type:
    """The type of the memory of an array."""
    return ir.MemRefType.get(sizes_in_mlir(type.shape), element_type(type.element))


def _span(type: ArrayType, operands: int, start: int) -> dict[str, ir.Attribute]:
    """The attributes for an array from a column on, for an op with operands before its sizes."""
    rank, computed = len(type.shape), len(type.computed)
    return {
        "operandSegmentSizes": segments(*[1] * operands, computed, 0, computed, 0),
        "static_offsets": integers([start if axis == rank - 1 else 0 for axis in range(rank)]),
        "static_sizes": integers(sizes_in_mlir(type.shape)),
        "static_strides": integers([1] * rank),
    }
