"""Rewrites ops of a user's module that IREE mishandles or does not know."""

from __future__ import annotations

import math
import re

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.analysis.control_flow import may_repeat
from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of
from rnn_compiler.lowering.rewriting.edits import replace


def remove_barriers(module: ir.Module) -> None:
    """Removes the barriers in loops and in private functions, which loops may call.

    They keep the compiler from moving ops across them, for `jax.checkpoint`, and change no value.
    For values that a loop carries, IREE drops the wait for the previous iteration: with several
    threads, ops after it read unwritten memory (`tests/traps/test_barriers_in_loops.py`).
    """
    barriers = nested_ops(module.operation, "stablehlo.optimization_barrier")
    for barrier in [each for each in barriers if may_repeat(each)]:
        replace(barrier, *barrier.operands)


def keep_equal_elements_in_order(module: ir.Module) -> None:
    """Makes sorts stable, as StableHLO's `is_stable` demands and JAX expects of every sort.

    IREE exchanges two neighbours unless the comparison holds, so it turns equal ones around each
    time it meets them. "Not after" in place of "before" leaves them where they are. It does not
    compile an axis that counts from the last one, which is StableHLO's default.
    """
    for op in nested_ops(module.operation, "stablehlo.sort"):
        axis = (
            ir.IntegerAttr(op.attributes["dimension"]).value if "dimension" in op.attributes else -1
        )
        op.attributes["dimension"] = integer(axis % max(len(shape(op.operands[0])), 1))
        block = block_of(op)
        arguments = [*block.arguments]
        exchanged: dict[ir.Value, ir.Value] = {a: arguments[k ^ 1] for k, a in enumerate(arguments)}
        for each in nested_ops(op):
            for k, operand in enumerate(each.operands):
                each.operands[k] = exchanged.get(operand, operand)
        end = ops_of(block)[-1]
        (is_after,) = end.operands
        at = ir.InsertionPoint(end)
        made = ir.Operation.create(
            "stablehlo.not", [is_after.type], [is_after], ip=at, loc=op.location
        )
        end.operands[0] = made.results[0]


def widen_comparisons(module: ir.Module) -> None:
    """Converts the operands of comparisons of small integer scalars to 32 bits.

    The host program computes such conditions of loops and branches. It reads integers of 8 and 16
    bits without their sign (`tests/traps/test_small_integers_of_loops.py`).
    """
    for op in nested_ops(module.operation, "stablehlo.compare"):
        if shape(op.operands[0]) == () and element(op.operands[0]) in ("i8", "i16"):
            kind = ir.Type.parse("tensor<i32>")
            for k, operand in enumerate(op.operands):
                at = ir.InsertionPoint(op)
                wide = ir.Operation.create(
                    "stablehlo.convert", [kind], [operand], ip=at, loc=op.location
                )
                op.operands[k] = wide.results[0]


_SHARDINGS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")

_DEVICES = re.compile(r"devices=\[([\d,]*)\]")


def remove_shardings(module: ir.Module) -> None:
    """Replaces the results of shardings over one device by their operands; others are an error.

    Older versions of JAX write them as calls, newer ones in a dialect (`reading`).
    """
    for op in nested_ops(module.operation, "stablehlo.custom_call"):
        if ir.StringAttr(op.attributes["call_target_name"]).value not in _SHARDINGS:
            continue
        sharding = ""
        if "mhlo.sharding" in op.attributes:
            sharding = ir.StringAttr(op.attributes["mhlo.sharding"]).value
        counts = [math.prod(map(int, each.split(","))) for each in _DEVICES.findall(sharding)]
        if max(counts, default=1) > 1 or op.operands[0].type != op.results[0].type:
            raise InvalidArgumentError(
                "link",
                "module",
                "a module for one device",
                f"the sharding {sharding!r}",
                "export the function without shardings and meshes of several devices",
            )
        replace(op, op.operands[0])
