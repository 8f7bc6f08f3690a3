"""Packs weights once instead of at every call: hoists all values computed from weights alone.

Requires: a module whose time loops and products have been rewritten; frozen weights are parameters
(`freeze_weights`).
Matches: public functions ``@f`` that compute values from their weights alone: from arguments that
are weights (`FunctionSpec.weights`), or from frozen ones. Each gets

    @f_prepacked(arguments, packed) -> results      # the rest of @f: the same numbers

which is asynchronous: it returns before the results are ready, and in IREE's calling convention
(`iree.abi.model`) it also takes a fence to wait for and one to signal. When weights are packed
depends on when they are known:

| weights | who packs | |
|---|---|---|
| arguments | ``@f_prepack(weights) -> packed``, once for many calls | ``@f`` is unchanged |
| frozen | an initializer, into ``@f.packed.0``, .. | ``@f`` and ``@f_prepacked`` read those |
| frozen, in C or JS | `rnn_compiler.source_compilation`, by ``@f_prepack`` | they are constants |

For frozen weights ``@f_prepack() -> packed`` returns the packed arrays, to be moved to huge pages.

The packed values are those that a dispatch reads (a `flow.tensor.clone`, see `codegen.body`) and
that are computed from weights and constants by more than a change of shape. Packing is done in
private functions, so these are inlined here; the dispatches are shared in the payload. For C, whose
weights are known (`LoweringRequest.known_weights`), parts of them that are read in place are
included: then nothing else of the weights needs to be kept. An archive holds the original weights,
for every processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rnn_compiler.lowering.analysis.control_flow import has_control_flow
from rnn_compiler.lowering.analysis.hoistable import hoistable, parts_read
from rnn_compiler.lowering.codegen.executable import create_function, set_function_type
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    end_of,
    ir,
    ops_of,
    remove_unused,
    symbol_of,
)
from rnn_compiler.lowering.mlir.marks import KEPT
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import (
    PassContext,
    frozen_weights_are_parameters,
    products_are_rewritten,
    time_loops_are_rewritten,
)
from rnn_compiler.lowering.rewriting.edits import (
    add_global,
    called_by,
    load_global,
    replace,
    spliced,
)
from rnn_compiler.schema.specs import FunctionSpec


def weights_are_hoisted(context: PassContext) -> str | None:
    """A function that takes packed weights packs none."""
    symbols = ir.SymbolTable(context.module.operation)
    for spec in context.request.functions:
        if spec.prepacked not in symbols:
            continue
        function = symbols[spec.prepacked].operation
        taken = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        arguments = block_of(function).arguments
        if hoistable(function, _frozen(function) if spec.frozen else [arguments[k] for k in taken]):
            return spec.prepacked
    return None


@pass_with(
    requires=(time_loops_are_rewritten, products_are_rewritten, frozen_weights_are_parameters),
    ensures=(weights_are_hoisted,),
)
def hoist_weights(context: PassContext) -> None:
    """Splits the functions that pack weights."""
    for spec in context.request.functions:
        if spec.function in context.request.portable:
            continue
        if spec.frozen:
            _pack_at_load(context.module, spec)
        elif spec.weights and not _is_taken(context.module, spec):
            _add_companions(context, spec)


class Split(NamedTuple):
    """A function split in two.

    Attributes:
        pack: A function that computes and returns the values that depend on weights alone.
        rest: A copy of the whole function.
        made: The packed values in `rest`, by the ops that read them.
        parts: The other results of `pack`: the parts of weights that ops in `rest` read.
    """

    pack: ir.Operation
    rest: ir.Operation
    made: Sequence[ir.Operation]
    parts: Sequence[ir.Operation]

    @property
    def kinds(self) -> list[ir.Type]:
        """The types of the packed weights."""
        return [op.results[0].type for op in (*self.made, *self.parts)]

    def give(self, packed: Sequence[ir.Value]) -> None:
        """Makes the rest read the packed weights instead of computing them."""
        for op, value in zip(self.made, packed, strict=False):
            op.operands[0] = value
        for op, value in zip(self.parts, packed[len(self.made) :], strict=True):
            op.results[0].replace_all_uses_with(value)
        remove_unused(block_of(self.rest))


def _split(
    module: ir.Module,
    spec: FunctionSpec,
    symbol: str,
    weights: Callable[[ir.Operation], Sequence[ir.Value]],
    *,
    known: bool = False,
) -> Split | None:
    """Splits a function; None if there is nothing to hoist."""
    pack = _inlined_copy(module, spec.function, symbol)
    rest = _inlined_copy(module, spec.function, spec.prepacked)

    def found(function: ir.Operation) -> tuple[list[ir.Operation], list[ir.Operation]]:
        values = weights(function)
        return hoistable(function, values), parts_read(function, values) if known else []

    made, parts = found(pack)
    if not (made or parts) or has_control_flow(rest):  # not supported in asynchronous functions
        pack.erase()
        rest.erase()
        return None
    _returning(pack, [op.results[0] for op in (*made, *parts)])
    _remove_checks(block_of(pack))
    remove_unused(block_of(pack))
    return Split(pack, rest, *found(rest))


def _inlined_copy(module: ir.Module, symbol: str, name: str) -> ir.Operation:
    """A copy of a function under another name, with all that it calls inlined."""
    symbols = ir.SymbolTable(module.operation)
    function = symbols[symbol].operation
    copy = function.clone(ip=ir.InsertionPoint(function))
    copy.attributes["sym_name"] = ir.StringAttr.get(name)
    calls = ops_of(block_of(copy))
    while calls:
        call = calls.pop()
        callee = called_by(call)
        if callee:
            calls += spliced(call, symbols[callee].operation.clone(ip=ir.InsertionPoint(copy)))
    return copy


def _returning(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Makes a function return other values."""
    end_of(function).erase()
    ir.Operation.create(
        "func.return", operands=list(values), ip=ir.InsertionPoint(block_of(function))
    )


def _remove_checks(block: ir.Block) -> None:
    """Removes what a function that only packs has no use for: checks, and values that are kept."""
    for op in ops_of(block):
        if op.name == "cf.assert" or KEPT in op.attributes:
            op.erase()


def _remove_barriers(block: ir.Block) -> None:
    """Removes the barriers of arrays, behind which IREE does not know how large a global is."""
    for op in ops_of(block):
        if op.name == "util.optimization_barrier" and isinstance(
            op.results[0].type, ir.RankedTensorType
        ):
            replace(op, op.operands[0])


def _make_asynchronous(function: ir.Operation) -> None:
    """Makes a function asynchronous, as a `util.func`: a `func.func` cannot be."""
    end = end_of(function)
    ir.Operation.create("util.return", operands=[*end.operands], ip=ir.InsertionPoint(end))
    end.erase()
    attributes = {name: function.attributes[name] for name in ("sym_name", "function_type")}
    attributes["iree.abi.model"] = ir.StringAttr.get("coarse-fences")
    attributes["sym_visibility"] = ir.StringAttr.get("public")
    made = ir.Operation.create(
        "util.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(function)
    )
    block_of(function).append_to(made.regions[0])
    function.erase()


# Weights that are arguments.


def _add_companions(context: PassContext, spec: FunctionSpec) -> None:
    """Adds the function that packs weights, and the one that takes them packed."""
    indices = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
    known = spec.function in context.request.known_weights

    def weights(function: ir.Operation) -> list[ir.Value]:
        return [block_of(function).arguments[k] for k in indices]

    split = _split(context.module, spec, spec.prepack, weights, known=known)
    if split is None:
        return
    location = ir.Location.name("packed")
    split.give([block_of(split.rest).add_argument(kind, location) for kind in split.kinds])
    _keep_arguments(split.pack, indices)
    for function in (split.pack, split.rest):
        set_function_type(function, [value.type for value in end_of(function).operands])
    _make_asynchronous(split.rest)


def _is_taken(module: ir.Module, spec: FunctionSpec) -> bool:
    """Whether a user's module has a function of a companion's name."""
    symbols = ir.SymbolTable(module.operation)
    return spec.prepack in symbols or spec.prepacked in symbols


def _keep_arguments(function: ir.Operation, kept: Sequence[int]) -> None:
    """Removes all arguments except for some; the others are unused."""
    for attribute in ("arg_attrs", "res_attrs"):  # a user's, for other arguments
        if attribute in function.attributes:
            del function.attributes[attribute]
    block = block_of(function)
    for k in reversed(range(len(block.arguments))):
        if k not in kept:
            block.erase_argument(k)


# Frozen weights.


def _pack_at_load(module: ir.Module, spec: FunctionSpec) -> None:
    """Adds the initializer that packs, and makes the function read the packed weights."""
    split = _split(module, spec, f"{spec.function}.pack", _frozen)
    if split is None:
        return
    function = ir.SymbolTable(module.operation)[spec.function].operation
    pack, rest, made, _ = split
    _remove_barriers(block_of(pack))
    symbols = [f"{spec.function}.packed.{number}" for number in range(len(made))]
    for symbol, kind in zip(symbols, split.kinds, strict=True):
        add_global(symbol, kind, ir.InsertionPoint(pack))
    split.give(
        [
            load_global(symbol, kind, ir.InsertionPoint(clone))
            for symbol, kind, clone in zip(symbols, split.kinds, made, strict=True)
        ]
    )
    _keep_arguments(pack, ())
    set_function_type(pack, split.kinds)
    pack.attributes["sym_visibility"] = ir.StringAttr.get("private")
    _store(pack, symbols, split.kinds)
    _show(function, spec.prepack, symbols, split.kinds)
    same = rest.clone(ip=ir.InsertionPoint(function))
    same.attributes["sym_name"] = ir.StringAttr.get(spec.function)
    _make_asynchronous(rest)
    function.erase()


def _frozen(function: ir.Operation) -> list[ir.Value]:
    """The frozen weights that a function reads."""
    return [op.results[0] for op in ops_of(block_of(function)) if op.name == "util.global.load"]


def _store(pack: ir.Operation, symbols: list[str], kinds: list[ir.Type]) -> None:
    """Adds the initializer that packs, after the function that it calls."""
    made = ir.Operation.create(
        "util.initializer",
        attributes={"function_type": ir.TypeAttr.get(ir.FunctionType.get([], []))},
        regions=1,
        ip=ir.InsertionPoint.after(pack),
    )
    at = ir.InsertionPoint(made.regions[0].blocks.append())
    callee = {"callee": ir.FlatSymbolRefAttr.get(symbol_of(pack))}
    call = ir.Operation.create("func.call", kinds, [], callee, ip=at)
    for symbol, value in zip(symbols, call.results, strict=True):
        attributes = {"global": ir.FlatSymbolRefAttr.get(symbol)}
        ir.Operation.create("util.global.store", [], [value], attributes, ip=at)
    ir.Operation.create("util.return", ip=at)


def _show(before: ir.Operation, symbol: str, symbols: list[str], kinds: list[ir.Type]) -> None:
    """Adds the function that returns the packed weights."""
    function, block = create_function(symbol)
    ir.InsertionPoint(before).insert(function)
    at = ir.InsertionPoint(block)
    values = [load_global(each, kind, at) for each, kind in zip(symbols, kinds, strict=True)]
    ir.Operation.create("func.return", operands=values, ip=at)
    set_function_type(function, kinds)
