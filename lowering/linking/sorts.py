"""Makes a user's sorts stable, as StableHLO's `is_stable` demands and JAX expects of every sort.

IREE exchanges two neighbours unless the comparison holds, so it turns equal ones around each time
it meets them. "Not after" in place of "before" leaves them where they are. It does not compile an
axis that counts from the last one, which is StableHLO's default.
"""

from __future__ import annotations

from rnn_compiler.lowering.analysis.values import shape
from rnn_compiler.lowering.codegen.attributes import integer
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of


def keep_equal_elements_in_order(module: ir.Module) -> None:
    """Lets each comparison of a sort say that its first element does not come after its second."""
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
