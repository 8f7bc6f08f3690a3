"""Packs frozen weights once, when a module is loaded.

Requires: a module whose time loops and products have been rewritten, and whose frozen weights are
parameters (`freeze_weights`).
Matches: public functions ``@f`` with frozen weights that they pack. What `prepack_weights` has its
companions do, a `util.initializer` does here, when IREE loads the module:

    @f.packed.0, ...                    what is computed from frozen weights alone
    @f(arguments) -> results            reads it
    @f_prepacked(arguments) -> results  the same, asynchronously, as of `prepack_weights`
    @f_prepack() -> packed              where it lies, to be moved to huge pages

So the archive holds the weights as they are, for every processor, and each packs them in its way.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.hoistable import hoistable
from rnn_compiler.lowering.codegen.function import create_function, set_function_type
from rnn_compiler.lowering.mlir import block_of, ir, ops_of, remove_unused, symbol_of
from rnn_compiler.lowering.passes.context import PassContext
from rnn_compiler.lowering.passes.edits import (
    inlined_copy,
    make_asynchronous,
    remove_checks,
    returning,
)
from rnn_compiler.lowering.passes.freeze_weights import add_global, load_global
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["pack_at_load"]


def pack_at_load(context: PassContext) -> None:
    """Rewrites the functions that pack frozen weights."""
    for spec in context.functions:
        if spec.frozen:
            _rewrite(context.module, spec)


def _rewrite(module: ir.Module, spec: FunctionSpec) -> None:
    symbol = spec.function
    function = ir.SymbolTable(module.operation)[symbol].operation
    pack = inlined_copy(module, symbol, f"{symbol}.pack")
    made = hoistable(pack, _frozen(pack))
    if not made:
        pack.erase()
        return
    ready = inlined_copy(module, symbol, spec.prepacked)
    symbols: list[str] = []
    for number, clone in enumerate(hoistable(ready, _frozen(ready))):
        symbols.append(f"{symbol}.packed.{number}")
        kind = clone.results[0].type
        add_global(symbols[-1], kind, ir.InsertionPoint(pack))
        clone.operands[0] = load_global(symbols[-1], kind, ir.InsertionPoint(clone))
    remove_unused(block_of(ready))
    returning(pack, [clone.results[0] for clone in made])
    remove_checks(block_of(pack))
    remove_unused(block_of(pack))
    for number in reversed(range(len(block_of(pack).arguments))):
        block_of(pack).erase_argument(number)
    kinds = [clone.results[0].type for clone in made]
    set_function_type(pack, kinds)
    pack.attributes["sym_visibility"] = ir.StringAttr.get("private")
    _store(pack, symbols, kinds)
    _show(function, spec.prepack, symbols, kinds)
    same = ready.clone(ip=ir.InsertionPoint(function))
    same.attributes["sym_name"] = ir.StringAttr.get(symbol)
    make_asynchronous(ready)
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
    """Adds the function that gives what is packed."""
    function, block = create_function(symbol)
    ir.InsertionPoint(before).insert(function)
    at = ir.InsertionPoint(block)
    values = [load_global(each, kind, at) for each, kind in zip(symbols, kinds, strict=True)]
    ir.Operation.create("func.return", operands=values, ip=at)
    set_function_type(function, kinds)
