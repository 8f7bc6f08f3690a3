"""Finds the ops to hoist out of a function's calls: those that depend on weights alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rnn_compiler.lowering.analysis.values import static_shape
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of

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


def hoistable(function: ir.Operation, weights: Iterable[ir.Value]) -> list[ir.Operation]:
    """The clones whose inputs are weights alone and that other ops read, in order.

    Weights are arguments, or results of ops that read nothing; nothing is left to inline.
    """
    computed, needed = _from_weights(function, weights)
    found = [op for op in ops_of(block_of(function)) if op.name == "flow.tensor.clone"]
    return [op for op in found if computed.get(op.results[0]) and op.results[0] in needed]


def parts_read(function: ir.Operation, weights: Sequence[ir.Value]) -> list[ir.Operation]:
    """The views of parts of weights that other ops read, in order.

    A weight is left out if it is also read whole, or if its parts together are as large.
    """
    computed, needed = _from_weights(function, weights)
    origin = {weight: weight for weight in weights}
    views: dict[ir.Value, list[ir.Operation]] = {weight: [] for weight in weights}
    for op in ops_of(block_of(function)):
        if not len(op.results) or computed.get(op.results[0], True):
            continue
        origin[op.results[0]] = weight = origin[op.operands[0]]
        if op.results[0] in needed:
            views[weight].append(op)
    return [
        op
        for weight, ops in views.items()
        if weight not in needed and sum(_size(op.results[0]) for op in ops) < _size(weight)
        for op in ops
    ]


def _size(value: ir.Value) -> int:
    return math.prod(static_shape(value))


def _from_weights(
    function: ir.Operation, weights: Iterable[ir.Value]
) -> tuple[dict[ir.Value, bool], set[ir.Value]]:
    """The values that depend on weights alone, with whether they are computed; those also read."""
    computed = dict.fromkeys(weights, False)
    constant: set[ir.Value] = set()
    needed: set[ir.Value] = set()
    for op in ops_of(block_of(function)):
        read = _read(op) - constant
        if not computed.keys().isdisjoint(op.results):
            continue
        if not read:
            constant.update(op.results)
        elif read <= computed.keys():
            here = op.name not in _VIEWS or any(computed[value] for value in read)
            computed.update(dict.fromkeys(op.results, here))
        else:
            needed |= read & computed.keys()
    return computed, needed


def _read(op: ir.Operation) -> set[ir.Value]:
    """The values from outside that an op and its regions read."""
    read, inside = set[ir.Value](), set[ir.Value]()
    for each in nested_ops(op):
        read.update(each.operands)
        if each != op:
            inside.update(each.results)
        for region in each.regions:
            for block in region.blocks:
                inside.update(block.arguments)
    return read - inside
