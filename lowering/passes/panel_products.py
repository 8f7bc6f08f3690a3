"""Gives every large matrix product outside the time loops a dispatch that keeps to the caches.

Matches `stablehlo.dot_general` of two matrices with one contracted axis in a public function, and
puts a call of a private function in its place. That function packs the right-hand side into panels
of columns ``[N/P, K, P]`` (and a left-hand side that comes as ``[K, M]`` into panels of rows), then

    for block of R rows, in parallel:
      for panel, for tile of rows in the block:
        result[tile, panel] = lhs[tile, K] @ packed[panel]          # linalg.matmul

so that a block of the left-hand side stays in the second-level cache and a panel in the first while
every product is summed in registers. The last block overlaps the one before it instead of being
shorter: it computes the same numbers again.

Left as they are: products with a unit axis or fewer than `SMALLEST` multiplications, and whatever
is no product of two matrices. 16-bit operands are widened first to the type of the result, in which
the products are summed.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Callable

from rnn_compiler.lowering.dispatch import Array, Text, pack, span, tile_matmul, transposed
from rnn_compiler.lowering.hlo import ir
from rnn_compiler.lowering.recurrence import element, shape
from rnn_compiler.lowering.vectors import VectorUnit

__all__ = ["panel_products"]

SMALLEST = 1 << 15
"""Multiplications from which a product gets panels; below, packing costs as much as it saves."""

BLOCK = 128
"""Rows of a block."""


def panel_products(module: ir.Module, vectors: VectorUnit) -> None:
    """Rewrites the matrix products of a module's public functions.

    Args:
        module: The module, changed in place.
        vectors: The vector unit of the target.
    """
    with module.context, ir.Location.unknown():
        made: dict[str, str] = {}
        for function in list(module.body.operations):
            if "sym_visibility" in function.attributes:
                continue
            for op in list(function.regions[0].blocks[0].operations):
                if op.operation.name == "stablehlo.dot_general":
                    _rewrite(module, op.operation, vectors, made)


def _rewrite(
    module: ir.Module, op: ir.Operation, vectors: VectorUnit, made: dict[str, str]
) -> None:
    lhs, rhs = _array("%a", op.operands[0]), _array("%b", op.operands[1])
    numbers = str(op.attributes["dot_dimension_numbers"])
    axes = [int(axis) for axis in re.findall(r"contracting_dimensions = \[(\d+)\]", numbers)]
    if "batching" in numbers or len(axes) != 2 or (len(lhs.shape), len(rhs.shape)) != (2, 2):
        return
    rows, inner, columns = lhs.shape[1 - axes[0]], lhs.shape[axes[0]], rhs.shape[1 - axes[1]]
    of = element(op.results[0])
    if min(rows, inner, columns) < 2 or rows * inner * columns < SMALLEST:
        return
    operands = [_widened(operand, of, op) for operand in op.operands]
    lhs, rhs = _array("%a", operands[0]), _array("%b", operands[1])
    key = f"{lhs.type} {rhs.type} {axes}"
    if key not in made:
        made[key] = f"panel_product_{len(made)}"
        text = _function(made[key], vectors, lhs, rhs, (axes[0], axes[1]))
        parsed = ir.Module.parse(text)
        parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint.at_block_begin(module.body))
    call = ir.Operation.create(
        "func.call",
        operands=operands,
        results=[op.results[0].type],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def _widened(value: ir.Value, of: str, before: ir.Operation) -> ir.Value:
    """A matrix in another element type, converted before an op."""
    if element(value) == of:
        return value
    return ir.Operation.create(
        "stablehlo.convert",
        operands=[value],
        results=[ir.RankedTensorType.get(shape(value), ir.Type.parse(of))],
        ip=ir.InsertionPoint(before),
        loc=before.location,
    ).results[0]


def _array(name: str, value: ir.Value) -> Array:
    return Array(name, shape(value), element(value))


def _function(
    symbol: str,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    axes: tuple[int, int],
) -> str:
    """The text of a function that multiplies two matrices, contracting an axis of each."""
    text = Text()
    parameters = f"%a: {lhs.type}, %b: {rhs.type}"
    product = _Product(text, vectors, lhs, rhs, axes)
    result = product.emit()
    body = "\n".join([*text.lines, f"return {result.name} : {result.type}"])
    return f"func.func private @{symbol}({parameters}) -> {result.type} {{\n{body}\n}}"


class _Product:
    """Emits the product of two matrices of one element type.

    Attributes:
        lhs: ``[M, K]``; ``[M/rows, K, rows]`` if it came as ``[K, M]`` and tiles divide it.
        rhs: ``[K, N]``; ``[N/P, K, P]`` if it takes more than one panel.
        tile: How many rows a tile has.
        block: How many rows a block has.
        panel: How many columns a panel has.
    """

    def __init__(
        self, text: Text, vectors: VectorUnit, lhs: Array, rhs: Array, axes: tuple[int, int]
    ) -> None:
        self.text, self.vectors = text, vectors
        self.rows, self.inner = lhs.shape[1 - axes[0]], lhs.shape[axes[0]]
        self.columns = rhs.shape[1 - axes[1]]
        self.tile = min(2 * vectors.rows, self.rows)
        self.block = min(-(-BLOCK // self.tile), self.rows // self.tile) * self.tile
        self.panel = vectors.panel(self.columns, 4, rhs.element)
        if self.panel < self.columns:
            rhs = pack(text, rhs, 1 - axes[1], self.panel)
        elif axes[1] == 1:
            rhs = transposed(text, rhs)
        if axes[0] == 0 and self.rows % self.tile == 0:
            lhs = pack(text, lhs, 1, self.tile)
        elif axes[0] == 0:
            lhs = transposed(text, lhs)
        self.lhs, self.rhs = text.held(lhs), text.held(rhs)

    def emit(self) -> Array:
        """Emits the dispatch."""
        text = self.text
        result = Array("%result", (self.rows, self.columns), self.rhs.element)
        part = Array("", (self.block, self.columns), result.element)
        text.lines.append(f"{result.name} = flow.dispatch.region -> ({result.type}) {{")
        empty, group, shared = text(f"tensor.empty() : {result.type}"), text.name(), text.name()
        text.lines.append(
            f"%blocks = scf.forall ({group}) in ({-(-self.rows // self.block)}) "
            f"shared_outs({shared} = {empty}) -> ({result.type}) {{"
        )
        start = text(f"arith.muli {group}, {text.index(self.block)} : index")
        first = text(f"arith.minsi {start}, {text.index(self.rows - self.block)} : index")
        where = span([first, "0"], part.shape)
        part.name = text(f"tensor.extract_slice {shared}{where} : {result.type} to {part.type}")
        self._block(part, first)
        text.lines.append(
            "scf.forall.in_parallel {\n"
            f"tensor.parallel_insert_slice {part.name} into {shared}{where} : "
            f"{part.type} into {result.type}\n}}\n"
            "} {mapping = [#iree_linalg_ext.split_reduction_mapping<0>]}\n"
            f"flow.return %blocks : {result.type}\n}}"
        )
        return result

    def _block(self, part: Array, first: str) -> None:
        """Emits all panels of a block of rows."""
        text = self.text
        if self.panel == self.columns:
            self._rows(part, first, "0", self.columns, self.rhs)
            return
        full, rest = divmod(self.columns, self.panel)

        def panel(number: str, column: str, width: int) -> None:
            weight = Array("", (self.inner, self.panel), self.rhs.element)
            where = span([number, "0", "0"], (1, *weight.shape))
            weight.name = text(
                f"tensor.extract_slice {self.rhs.name}{where} : {self.rhs.type} to {weight.type}"
            )
            self._rows(part, first, column, width, weight)

        def each(number: str) -> None:
            column = text(f"arith.muli {number}, {text.index(self.panel)} : index")
            panel(number, column, self.panel)

        self._for(full, 1, part, each)
        if rest:
            panel(str(full), str(full * self.panel), rest)

    def _rows(self, part: Array, first: str, column: str, width: int, weight: Array) -> None:
        """Emits all rows of a block, for one panel."""
        text, inner, tile = self.text, self.inner, self.tile
        packed = len(self.lhs.shape) == 3

        def rows(row: str) -> None:
            at = text(f"arith.addi {first}, {row} : index")
            if packed:
                at = text(f"arith.divui {at}, {text.index(tile)} : index")
                lhs, where = Array("", (inner, tile), weight.element), [at, "0", "0"]
                sizes: tuple[int, ...] = (1, inner, tile)
            else:
                lhs, where, sizes = (
                    Array("", (tile, inner), weight.element),
                    [at, "0"],
                    (tile, inner),
                )
            lhs.name = text(
                f"tensor.extract_slice {self.lhs.name}{span(where, sizes)} : "
                f"{self.lhs.type} to {lhs.type}"
            )
            product = tile_matmul(text, self.vectors, lhs, weight, lhs_transposed=packed)
            if product.shape[1] != width:
                whole, product = product, Array("", (tile, width), weight.element)
                product.name = text(
                    f"tensor.extract_slice {whole.name}{span(['0', '0'], product.shape)} : "
                    f"{whole.type} to {product.type}"
                )
            part.name = text(
                f"tensor.insert_slice {product.name} into "
                f"{part.name}{span([row, column], product.shape)} : {product.type} into {part.type}"
            )

        self._for(self.block, tile, part, rows)

    def _for(self, high: int, step: int, part: Array, body: Callable[[str], None]) -> None:
        """Emits a loop from 0 that carries the block of the result."""
        text = self.text
        bounds = [text.index(n) for n in (0, high, step)]
        induction, inside, result = text.name(), text.name(), text.name()
        text.lines.append(
            f"{result} = scf.for {induction} = {bounds[0]} to {bounds[1]} step {bounds[2]} "
            f"iter_args({inside} = {part.name}) -> ({part.type}) {{"
        )
        part.name = inside
        body(induction)
        text.lines.append(f"scf.yield {part.name} : {part.type}\n}}")
        part.name = result
