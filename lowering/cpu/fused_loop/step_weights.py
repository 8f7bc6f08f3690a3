"""The weights of a step: the columns that a group's products need, packed into panels.

A step slices its products (the gates of one ``h @ w``) and may take columns from several matrices,
but a tile needs the same few units of every gate. So the columns are concatenated, if
necessary, and packed once per call, before the dispatch. If a step has a single row and there is
only one step, it reads them once, unpacked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.analysis.time_loop import TimeLoop
from rnn_compiler.lowering.codegen.attributes import integer, integers
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, known
from rnn_compiler.lowering.codegen.executable import Part
from rnn_compiler.lowering.codegen.function import Function
from rnn_compiler.lowering.codegen.number import Index
from rnn_compiler.lowering.codegen.stablehlo import converted, transposed
from rnn_compiler.lowering.cpu.fused_loop.plan import Group, Panels
from rnn_compiler.lowering.cpu.packing import pack
from rnn_compiler.lowering.cpu.tiles.register_tiles import min_columns
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = ["StepWeights", "step_weights"]


@dataclass(frozen=True)
class StepWeights:
    """The weights of a group's products with one left-hand side.

    Attributes:
        panels: The products.
        array: ``[N/P, K, G*P]``, panels of all gates, or ``[G, N/P, K, P]``, panels of each gate;
            or the same of groups. Of single numbers, if there is a single panel, ``[K, G*N]``.
            Unpacked (`Panels.in_place`), ``[K, G*N]`` or ``[G*N, K]``.
    """

    panels: Panels
    array: Array

    @property
    def parts(self) -> int:
        """The number of arrays that a panel consists of: one, or one for each gate."""
        return known(self.array.shape)[0] if len(self.array.shape) == 4 else 1

    @property
    def width(self) -> int:
        """The columns of a gate in a panel."""
        columns = self.panels.format.columns(known(self.array.shape)[-1])
        return columns * self.parts // len(self.panels.columns)

    def panel(self, body: Body, part: int, number: Index) -> Array:
        """Emits one part of a panel, by their numbers."""
        if len(self.array.shape) == 2:
            return self.array
        gate = [part] if len(self.array.shape) == 4 else []
        return body.extract(self.array, [*gate, number, 0, 0], known(self.array.shape)[-2:])


def step_weights(
    outside: Function,
    vectors: VectorUnit,
    loop: TimeLoop,
    arguments: Mapping[ir.Value, Array],
    group: Group,
    panels: Panels,
    part: Part,
    *,
    interleaved: bool,
) -> StepWeights:
    """Emits the packing of the columns that products with one left-hand side need.

    Args:
        outside: The function that gets the ops.
        vectors: The vector unit.
        loop: The time loop.
        arguments: The arguments of its function.
        group: The group of the products.
        panels: The products.
        part: How the loop is called.
        interleaved: Whether a panel holds the columns of all gates.

    Raises:
        Refused: Only some of the weights are transposed.
    """
    products = [loop.products[value] for value, _ in panels.columns]
    if len({product.transposed for product in products}) != 1:
        raise Refused("products of mixed orientation")
    axis = 0 if products[0].transposed else 1
    weights = [arguments[product.weight] for product in products]
    starts = [column for _, column in panels.columns]
    matrix = weights[0]
    whole = starts == list(range(0, known(matrix.shape)[axis], group.gate_width))
    if not whole or any(weight is not matrix for weight in weights):
        matrix = _side_by_side(outside, weights, starts, group.gate_width, axis)
    format = panels.format
    if matrix.element != format.weight:
        if not part.is_in_loop:  # each of several loops with these weights converts them
            matrix = outside.opaque(matrix)
        matrix = converted(outside, matrix, format.weight)
    if panels.in_place:
        return StepWeights(panels, outside.materialized(matrix))
    if group.panel < group.gate_width or format.is_grouped:
        panel = max(group.panel, min_columns(format))  # a panel that is the only one is padded
        gates = len(panels.columns)
        matrix = pack(outside, vectors, format, matrix, axis, panel, gates, interleaved=interleaved)
    elif axis == 0:
        matrix = transposed(outside, matrix)
    return StepWeights(panels, outside.materialized(matrix))


def _side_by_side(
    body: Body, weights: Sequence[Array], starts: Sequence[int], size: int, axis: int
) -> Array:
    """Emits some columns of several matrices as one matrix."""
    columns: list[Array] = []
    for weight, start in zip(weights, starts, strict=True):
        sizes, first = [*known(weight.shape)], [0, 0]
        first[axis], sizes[axis] = start, size
        attributes = {
            "start_indices": integers(first),
            "limit_indices": integers([a + b for a, b in zip(first, sizes, strict=True)]),
            "strides": integers([1, 1]),
        }
        type = ArrayType(tuple(sizes), weight.element)
        columns.append(body.array("stablehlo.slice", [weight], type, attributes))
    if len(columns) == 1:
        return columns[0]
    total = [*known(columns[0].shape)]
    total[axis] *= len(columns)
    type = ArrayType(tuple(total), columns[0].element)
    return body.array("stablehlo.concatenate", columns, type, {"dimension": integer(axis)})
