"""Makes frozen weights parameters of the module, which IREE reads from an archive at load time.

Requires: a portable module.
Matches: the private functions without a body that return frozen weights (`builder.module`). Each
becomes a `util.global` of the same symbol, whose value is the parameter of that name in the scope
`SCOPE`, and each call of it a `util.global.load`.
Ensures: every function of the module has a body.

The values are neither in the module nor in the payload, but in the archive next to it.
"""

from __future__ import annotations

from rnn_compiler.lowering.mlir.bindings import bodies, callee_of, ir, ops_of, symbol_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, frozen_weights_are_parameters
from rnn_compiler.lowering.rewriting.edits import add_global, load_global, replace


@pass_with(requires=(), ensures=(frozen_weights_are_parameters,))
def freeze_weights(context: PassContext) -> None:
    """Replaces the functions that return weights, and their calls."""
    symbols = {
        spec.parameter(each.name) for spec in context.request.functions for each in spec.frozen
    }
    for block in bodies(context.module):
        for op in ops_of(block):
            if op.name != "func.call":
                continue
            symbol = callee_of(op)
            if symbol in symbols:
                loaded = load_global(symbol, op.results[0].type, ir.InsertionPoint(op), op.location)
                replace(op, loaded)
    for op in ops_of(context.module.body):
        symbol = symbol_of(op)
        if symbol in symbols:
            (kind,) = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value).results
            at = ir.InsertionPoint.at_block_begin(context.module.body)  # before its readers
            add_global(symbol, kind, at, parameter=symbol)
            op.erase()
