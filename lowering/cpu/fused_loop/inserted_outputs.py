"""Outputs of time loops that are inserted into a larger array, such as the output of a layer.

The loop then writes its columns of that array, and has no array of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rnn_compiler.lowering.analysis.time_loop import Columns, TimeLoop
from rnn_compiler.lowering.analysis.values import ints
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.marks import COLUMNS

__all__ = ["with_inserted_outputs"]


def with_inserted_outputs(
    loop: TimeLoop, operands: Sequence[ir.Value], results: Sequence[ir.Value]
) -> tuple[TimeLoop, list[ir.Value], list[ir.Value]]:
    """A time loop that writes outputs into the arrays that they are inserted into.

    Args:
        loop: The loop.
        operands: The operands of its call.
        results: The results of its composite.

    Returns:
        The loop, whose last arguments are these arrays; the operands; and the values that its
        results replace: for such an output, the array that contains it.
    """
    arguments, outputs = [*loop.arguments], [*loop.outputs]
    given, made = [*operands], [*results]
    for number, result in enumerate(results[: len(outputs)]):
        users = [use.owner for use in result.uses]
        if len(users) != 1 or COLUMNS not in users[0].attributes:
            continue
        array, (*_, column) = users[0].operands[1], ints(users[0], "static_offsets")
        outputs[number] = replace(outputs[number], columns=Columns(array, column))
        arguments.append(array)
        given.append(array)
        made[number] = users[0].results[0]
    return replace(loop, arguments=arguments, outputs=outputs), given, made
