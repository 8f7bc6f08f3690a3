"""Gives a function that packs its weights two companions, so that they can be packed once.

Requires: a module whose time loops and products have been rewritten.
Matches: public functions ``@f`` with arguments that are weights (`FunctionSpec.weights`), none of
them frozen (`pack_at_load` has those). Each stays as it is, and gets two more beside it if it
computes something of its weights alone:

    @f_prepack(weights) -> packed                   # all that depends on the weights alone
    @f_prepacked(arguments, packed) -> results      # what is left of @f: the same numbers

The latter is asynchronous: it returns before the results are there, and in IREE's calling
convention (`iree.abi.model`) also takes a fence to wait for and one to signal then.

Packed is what a dispatch reads (a `flow.tensor.clone`, see `codegen.body`) and is made from weights
and constants by more than looking at them in another shape. Packing is done in private functions,
so these are inlined in the companions. All three share their dispatches in the payload. Where the
weights are known (`PassContext.known_weights`), parts of them that are read as they lie are packed
too: then nothing else of the weights needs to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.analysis.hoistable import hoistable, parts_read
from rnn_compiler.lowering.codegen.function import set_function_type
from rnn_compiler.lowering.mlir import block_of, end_of, ir, remove_unused
from rnn_compiler.lowering.passes.context import PassContext
from rnn_compiler.lowering.passes.edits import (
    inlined_copy,
    make_asynchronous,
    remove_checks,
    returning,
)
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["prepack_weights"]


def prepack_weights(context: PassContext) -> None:
    """Adds the companions."""
    for spec in context.functions:
        places = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        if not places or spec.frozen or _is_taken(context.module, spec):
            continue
        prepack = inlined_copy(context.module, spec.function, spec.prepack)
        prepacked = inlined_copy(context.module, spec.function, spec.prepacked)
        for attribute in ("arg_attrs", "res_attrs"):  # a user's, of other arguments
            if attribute in prepack.attributes:
                del prepack.attributes[attribute]
        known = spec.function in context.known_weights
        made, parts = _packed(prepack, places, known)
        if not (made or parts) or _has_loops(prepacked):
            prepack.erase()
            prepacked.erase()
            continue
        returning(prepack, [op.results[0] for op in (*made, *parts)])
        made, parts = _packed(prepacked, places, known)
        for clone in made:
            clone.operands[0] = _add_argument(prepacked, clone.results[0].type)
        for part in parts:
            argument = _add_argument(prepacked, part.results[0].type)
            part.results[0].replace_all_uses_with(argument)
        remove_checks(block_of(prepack))
        for function in (prepack, prepacked):
            remove_unused(block_of(function))
        _keep_arguments(prepack, places)
        for function in (prepack, prepacked):
            set_function_type(function, [value.type for value in end_of(function).operands])
        make_asynchronous(prepacked)


def _packed(
    function: ir.Operation, places: Sequence[int], known: bool
) -> tuple[list[ir.Operation], list[ir.Operation]]:
    """What is computed from weights, and which parts of them are read as they are."""
    weights = [block_of(function).arguments[k] for k in places]
    return hoistable(function, weights), parts_read(function, weights) if known else []


def _is_taken(module: ir.Module, spec: FunctionSpec) -> bool:
    """Whether a user's module has a function of a companion's name."""
    symbols = ir.SymbolTable(module.operation)
    return spec.prepack in symbols or spec.prepacked in symbols


def _has_loops(function: ir.Operation) -> bool:
    """Whether a user's loops are in it, which IREE takes in no function that is asynchronous."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("stablehlo.while", "stablehlo.if", "stablehlo.case"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return bool(found)


def _add_argument(function: ir.Operation, kind: ir.Type) -> ir.Value:
    """A new last argument of a function."""
    return block_of(function).add_argument(kind, ir.Location.name("packed"))


def _keep_arguments(function: ir.Operation, kept: Sequence[int]) -> None:
    """Removes all arguments but some; nothing uses them."""
    block = block_of(function)
    for k in reversed(range(len(block.arguments))):
        if k not in kept:
            block.erase_argument(k)
