"""Prepares the loops of networks: their arrays are filled and updated in place.

IREE's importer lets a loop that returns a row for each step begin with an array whose open sizes
are 1. IREE also copies the arrays of a loop in each step, unless they are pinned to a device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.attributes import only_device
from rnn_compiler.lowering.codegen.body import ArrayType, Body
from rnn_compiler.lowering.mlir.bindings import block_of, ir, nested_ops, ops_of, shape_of
from rnn_compiler.schema.open_sizes import Size, bound

_BEFORE_STATES = 3
"""Operands of a loop before its first values: two bounds and a step."""


class LoopRows(NamedTuple):
    """The arrays of rows that loops return after their states.

    Attributes:
        shapes: Their shapes, by the name of the loop's node.
        sources: For each size in them, the input that has it, and along which axis.
    """

    shapes: Mapping[str, Sequence[Sequence[Size]]]
    sources: Mapping[str, tuple[str, int]]

    def renamed(self, names: Mapping[str, str]) -> LoopRows:
        """The same of nodes that have other names now."""
        return LoopRows(
            {names.get(name, name): shapes for name, shapes in self.shapes.items()}, self.sources
        )

    def allocate(self, function: ir.Operation, inputs: Sequence[str]) -> None:
        """Lets the loops of a function with such inputs begin with arrays of these shapes."""
        arguments = dict(zip(inputs, block_of(function).arguments, strict=True))
        for loop in nested_ops(function, "scf.for"):
            where = loop.location
            shapes = self.shapes.get(where.name_str, ()) if isinstance(where, ir.NameLoc) else ()
            body = Body.before(loop)
            sizes = {key: body.size(arguments[n], axis) for key, (n, axis) in self.sources.items()}
            first = _BEFORE_STATES + len(loop.results) - len(shapes)
            for number, shape in enumerate(shapes, first):
                before = loop.operands[number]
                found: Any = tuple(bound(size, sizes) for size in shape)
                with loop.location:
                    made = body.empty(ArrayType(found, element(before)))
                loop.operands[number] = body.op("tensor.cast", [made], [before.type]).results[0]


def pin_arrays(function: ir.Operation) -> None:
    """Pins the arrays of all loops of a function, which keep their sizes."""
    for loop in nested_ops(function, "scf.for"):
        block = block_of(loop)
        before, inside, after = Body.before(loop), Body.before(ops_of(block)[0]), Body.after(loop)
        carried = zip(
            loop.operands[_BEFORE_STATES:], block.arguments[1:], loop.results, strict=True
        )
        for first, array, last in [*carried]:
            if not isinstance(first.type, ir.RankedTensorType):
                continue
            with loop.location:
                shape = tuple(
                    size if isinstance(size, int) else before.size(first, axis)
                    for axis, size in enumerate(shape_of(first.type))
                )
                type = ArrayType(shape, element(first))
                _replace(inside, array, "flow.tensor.barrier", type, only_device())
                if type.computed:
                    _replace(after, last, "flow.tensor.tie_shape", type)


def _replace(
    body: Body,
    array: ir.Value,
    op: str,
    type: ArrayType,
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> None:
    """Lets the readers of an array read the result of an op instead, and its known sizes."""
    uses = [(use.owner, use.operand_number) for use in array.uses]
    made = body.array(op, [array, *type.computed], type, attributes)
    for owner, number in uses:
        owner.operands[number] = made.value
