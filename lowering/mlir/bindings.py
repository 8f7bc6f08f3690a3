"""The MLIR bindings of IREE's compiler: the only place that imports them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from typing import Any

from rnn_compiler.base.installation import import_failure
from rnn_compiler.lowering.mlir.marks import KEPT
from rnn_compiler.schema.open_sizes import Size, open_dimension

try:
    from iree.compiler import ir
except ImportError as error:  # its library is large: limits on memory can be too small for it
    raise import_failure(error, "iree.compiler") from error

__all__ = [
    "UNNAMED",
    "block_of",
    "bodies",
    "callee_of",
    "contraction",
    "end_of",
    "function_of",
    "ir",
    "is_private",
    "nested_ops",
    "new_context",
    "ops_of",
    "reached",
    "remove_unused",
    "run_passes",
    "shape_of",
    "sizes_in_mlir",
    "symbol_of",
    "symbols_in",
]

# For each op, the bindings import the Python module of its dialect. IREE has none for StableHLO and
# torch and searches for it again at every op, which takes half of the time of a rewrite.
for _dialect in ("iree.compiler.dialects.stablehlo", "iree.compiler.dialects.torch"):
    if _dialect not in sys.modules and find_spec(_dialect) is None:
        sys.modules[_dialect] = module_from_spec(ModuleSpec(_dialect, None))


UNNAMED = open_dimension("?")
"""An open size of a value in a module: types do not name open sizes."""

SCATTER_OF_ROWS = (
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
)
"""How a scatter of rows into a matrix counts its axes."""

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def shape_of(type: ir.Type) -> tuple[Size, ...]:
    """The shape of a tensor type."""
    sizes = ir.RankedTensorType(type).shape
    return tuple(UNNAMED if size == _DYNAMIC else size for size in sizes)


def sizes_in_mlir(sizes: Iterable[object]) -> list[int]:
    """Sizes or positions for MLIR, which has a special number for those that are not ints."""
    return [size if isinstance(size, int) else _DYNAMIC for size in sizes]


_WALK_ORDER: Any = vars(ir)["WalkOrder"]


def new_context(*dialects: str) -> ir.Context:
    """A context with some dialects loaded; parsing loads others as needed.

    Loading all fifty of IREE's, as `ir.Context` does, takes 9 ms; those of the passes take 2.
    Giving `ir.Context` their names would also import their Python modules, which takes 0.1 s.
    MLIR's thread pool does not survive a fork: a child would wait forever for its threads. Our
    modules are too small for several threads to save time.
    """
    context = ir.Context(load_on_create_dialects=[])
    context.enable_multithreading(False)
    loading: Any = context  # the stubs lack the following
    for dialect in dialects:
        loading.get_dialect_descriptor(dialect)
    return context


def ops_of(block: ir.Block) -> list[ir.Operation]:
    """The ops of a block as operations, not as views, some of which have another `name`.

    ``block.operations`` makes views first, and imports the Python module of each dialect for them.
    """
    found: list[ir.Operation] = []
    parent: Any = block.owner.operation  # the stubs lack an order of walk
    if not any(each == block for region in parent.regions for each in region.blocks):
        parent = parent.parent  # the owner of a block that is branched to is the branch

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op == parent:
            return ir.WalkResult.ADVANCE
        if op.block == block:
            found.append(op)
        return ir.WalkResult.SKIP

    parent.walk(visit, _WALK_ORDER.PRE_ORDER)
    return found


def block_of(op: ir.Operation) -> ir.Block:
    """The block of an op that has one, such as a function."""
    return op.regions[0].blocks[0]


def bodies(module: ir.Module) -> list[ir.Block]:
    """The blocks of a module's functions and executables."""
    return [
        region.blocks[0]
        for op in ops_of(module.body)
        for region in op.regions
        if len(region.blocks)
    ]


def end_of(function: ir.Operation) -> ir.Operation:
    """The op that returns from a function."""
    points: Any = ir.InsertionPoint  # the stubs lack the following
    return points.at_block_terminator(block_of(function)).ref_operation


def function_of(op: ir.Operation) -> ir.Operation:
    """The function that an op is in; a function itself."""
    while op.name != "func.func":
        op = op.parent
    return op


def contraction(axes: tuple[int, int]) -> dict[str, ir.Attribute]:
    """The attribute of StableHLO's product of two arrays: the axis of each to sum over."""
    left, right = axes
    text = f"lhs_contracting_dimensions = [{left}], rhs_contracting_dimensions = [{right}]"
    return {"dot_dimension_numbers": ir.Attribute.parse(f"#stablehlo.dot<{text}>")}


def symbol_of(op: ir.Operation) -> str:
    """The symbol of an op, such as a function; empty if it has none."""
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def callee_of(call: ir.Operation) -> str:
    """The symbol of the function that a `func.call` calls."""
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def is_private(function: ir.Operation) -> bool:
    """Whether a function can be called only from its own module."""
    name = "sym_visibility"
    return name in function.attributes and (
        ir.StringAttr(function.attributes[name]).value != "public"
    )


def nested_ops(op: ir.Operation, *names: str) -> list[ir.Operation]:
    """An op and those nested in it, inner ones first; only those of `names`, if any are given."""
    found: list[ir.Operation] = []

    def visit(each: ir.Operation) -> ir.WalkResult:
        if not names or each.name in names:
            found.append(each)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


def symbols_in(op: ir.Operation) -> list[str]:
    """The symbols of the same module that an op and the ops nested in it refer to."""
    return [
        symbol
        for each in nested_ops(op)
        for name in each.attributes
        for symbol in _referred(each.attributes[name])
    ]


def reached(ops: Mapping[str, ir.Operation], symbols: Iterable[str]) -> set[str]:
    """The symbols of some ops, and of those that they refer to, such as by calls."""
    found, waiting = set[str](), [*symbols]
    while waiting:
        symbol = waiting.pop()
        if symbol in ops and symbol not in found:
            found.add(symbol)
            waiting += symbols_in(ops[symbol])
    return found


def _referred(value: ir.Attribute) -> list[str]:
    if isinstance(value, ir.ArrayAttr):
        return [symbol for each in value for symbol in _referred(each)]
    if isinstance(value, ir.FlatSymbolRefAttr):
        return [value.value]
    return [value.value[0]] if isinstance(value, ir.SymbolRefAttr) else []


def remove_unused(block: ir.Block) -> bool:
    """Removes ops whose results are unused, if any; ops without results have effects and stay."""
    found = False
    for op in reversed(ops_of(block)[:-1]):
        is_used = any(True for result in op.results for _ in result.uses)
        if len(op.results) and not is_used and KEPT not in op.attributes:
            op.erase()
            found = True
    return found


def run_passes(module: ir.Module, pipeline: str) -> None:
    """Runs passes of the compiler on a module; ir.MLIRError has their diagnostics."""
    from iree.compiler.passmanager import PassManager

    PassManager.parse(pipeline).run(module.operation)
