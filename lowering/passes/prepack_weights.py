"""Gives a function that packs its weights two companions, so that they can be packed once.

Requires: a module whose time loops and products have been rewritten.
Matches: public functions ``@f`` with arguments that are weights (`FunctionSpec.weights`). Each
stays as it is, and gets two more beside it if it computes something of its weights alone:

    @f_prepack(weights) -> packed                   # all that depends on the weights alone
    @f_prepacked(arguments, packed) -> results      # what is left of @f: the same numbers

The latter is for callers in a hurry: it returns before the results are there, and in IREE's calling
convention (`iree.abi.model`) also takes a fence to wait for and one to signal then.

Packed is what a dispatch reads (a `flow.tensor.clone`, see `kernel.body`) and is made from weights
and constants by more than looking at them in another shape. Packing is done in private functions,
so these are inlined in the companions. All three share their dispatches in the payload.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.kernel.function import set_function_type
from rnn_compiler.lowering.mlir import block_of, ir, ops_of
from rnn_compiler.lowering.passes.lowering import Lowering

__all__ = ["prepack_weights"]

_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}
"""Ops that call a function, and the attribute that names it."""

_VIEWS = {
    "flow.tensor.bitcast",
    "flow.tensor.clone",
    "stablehlo.reshape",
    "stablehlo.slice",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "util.optimization_barrier",
}
"""Ops that compute nothing."""


def prepack_weights(lowering: Lowering) -> None:
    """Adds the companions."""
    for spec in lowering.functions:
        weights = [k for k, each in enumerate(spec.arguments) if each.name in spec.weights]
        if not weights:
            continue
        prepack = _inlined(lowering.module, spec.function, spec.prepack)
        prepacked = _inlined(lowering.module, spec.function, spec.prepacked)
        packed = _packed(prepack, weights)
        if not packed:
            prepack.erase()
            prepacked.erase()
            continue
        _return(prepack, [clone.results[0] for clone in packed])
        for clone in _packed(prepacked, weights):
            clone.operands[0] = _add_argument(prepacked, clone.results[0].type)
        for function in (prepack, prepacked):
            _remove_unused(function)
        _keep_arguments(prepack, weights)
        for function in (prepack, prepacked):
            set_function_type(function, [value.type for value in _end(function).operands])
        _make_asynchronous(prepacked)


def _end(function: ir.Operation) -> ir.Operation:
    """The op that a function returns by."""
    return ops_of(block_of(function))[-1]


def _inlined(module: ir.Module, symbol: str, name: str) -> ir.Operation:
    """A copy of a function under another name, with all that it calls inlined."""
    symbols = ir.SymbolTable(module.operation)
    function = symbols[symbol].operation
    copy = function.clone(ip=ir.InsertionPoint(function))
    copy.attributes["sym_name"] = ir.StringAttr.get(name)
    calls = ops_of(block_of(copy))
    while calls:
        call = calls.pop()
        if call.name not in _CALLS:
            continue
        callee = ir.FlatSymbolRefAttr(call.attributes[_CALLS[call.name]]).value
        body = symbols[callee].operation.clone(ip=ir.InsertionPoint(copy))
        for argument, operand in zip(block_of(body).arguments, call.operands, strict=True):
            argument.replace_all_uses_with(operand)
        *ops, end = ops_of(block_of(body))
        for result, value in zip(call.results, end.operands, strict=True):
            result.replace_all_uses_with(value)
        for op in ops:
            op.move_before(call)
        calls += ops
        call.erase()
        body.erase()
    return copy


def _packed(function: ir.Operation, weights: Sequence[int]) -> list[ir.Operation]:
    """The clones of what is computed from weights alone and read by something else, in order."""
    arguments = block_of(function).arguments
    computed: dict[ir.Value, bool] = {
        arguments[k]: False for k in weights
    }  # of all that depends on weights alone
    constant: set[ir.Value] = set()
    needed: set[ir.Value] = set()
    clones: list[ir.Operation] = []
    for op in ops_of(block_of(function)):
        read = _read(op) - constant
        if not read:
            constant.update(op.results)
        elif read <= computed.keys():
            here = op.name not in _VIEWS or any(computed[value] for value in read)
            computed.update(dict.fromkeys(op.results, here))
            if op.name == "flow.tensor.clone" and here:
                clones.append(op)
        else:
            needed |= read & computed.keys()
    return [clone for clone in clones if clone.results[0] in needed]


def _read(op: ir.Operation) -> set[ir.Value]:
    """The values from outside that an op reads, those that its regions read included."""
    read, inside = set[ir.Value](), set[ir.Value]()

    def visit(each: ir.Operation) -> ir.WalkResult:
        read.update(each.operands)
        if each != op:
            inside.update(each.results)
        for region in each.regions:
            for block in region.blocks:
                inside.update(block.arguments)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return read - inside


def _add_argument(function: ir.Operation, kind: ir.Type) -> ir.Value:
    """A new last argument of a function."""
    return block_of(function).add_argument(kind, ir.Location.name("packed"))


def _return(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Makes a function return other values."""
    _end(function).erase()
    ir.Operation.create(
        "func.return", operands=list(values), ip=ir.InsertionPoint(block_of(function))
    )


def _remove_unused(function: ir.Operation) -> None:
    """Removes what nothing in a function uses; nothing in it has an effect."""
    for op in reversed(ops_of(block_of(function))[:-1]):
        if not any(True for result in op.results for _ in result.uses):
            op.erase()


def _keep_arguments(function: ir.Operation, kept: Sequence[int]) -> None:
    """Removes all arguments but some; nothing uses them."""
    block = block_of(function)
    for k in reversed(range(len(block.arguments))):
        if k not in kept:
            block.erase_argument(k)


def _make_asynchronous(function: ir.Operation) -> None:
    """Lets a function return before its results are there; a `func.func` cannot be told to."""
    end = _end(function)
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
