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

Left as they are: products with a unit axis or fewer than `SMALLEST` multiplications, and whatever is
no product of matrices. 16-bit operands are widened first to the type of the result, in which the
products are summed.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import re

from rnn_compiler.lowering.dispatch import Array, Text, pack, span, tile_matmul
from rnn_compiler.lowering.hlo import ir
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
    lhs, rhs = (
        _array(operand, f"%{name}") for name, operand in zip("ab", op.operands, strict=True)
    )
    numbers = str(op.attributes["dot_dimension_numbers"])
    axes = [int(axis) for axis in re.findall(r"contracting_dimensions = \[(\d+)\]", numbers)]
    if "batching" in numbers or len(axes) != 2 or (len(lhs.shape), len(rhs.shape)) != (2, 2):
        return
    rows, inner, columns = lhs.shape[1 - axes[0]], lhs.shape[axes[0]], rhs.shape[1 - axes[1]]
    element = str(ir.RankedTensorType(op.results[0].type).element_type)
    if min(rows, inner, columns) < 2 or rows * inner * columns < SMALLEST:
        return
    key = f"{lhs.type} {rhs.type} {element} {axes}"
    if key not in made:
        made[key] = f"panel_product_{len(made)}"
        text = _function(made[key], vectors, lhs, rhs, (axes[0], axes[1]), element)
        parsed = ir.Module.parse(text)
        parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint.at_block_begin(module.body))
    call = ir.Operation.create(
        "func.call",
        operands=list(op.operands),
        results=[op.results[0].type],
        attributes={"callee": ir.FlatSymbolRefAttr.get(made[key])},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def _array(value: ir.Value, name: str) -> Array:
    kind = ir.RankedTensorType(value.type)
    return Array(name, tuple(kind.shape), str(kind.element_type))


def _function(
    symbol: str,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    axes: tuple[int, int],
    element: str,
) -> str:
    """The text of a function that multiplies two matrices."""
    text = Text()
    parameters = f"%a: {lhs.type}, %b: {rhs.type}"
    lhs, rhs = (_widened(text, array, element) for array in (lhs, rhs))
    rows, inner, columns = lhs.shape[1 - axes[0]], lhs.shape[axes[0]], rhs.shape[1 - axes[1]]
    result = Array("", (rows, columns), element)
    panel = vectors.panel(columns, 4, element)
    packed = pack(text, rhs, 1 - axes[1], panel) if panel < columns else None
    if packed is None and axes[1] == 1:
        rhs = _transposed(text, rhs)
    tile = min(2 * vectors.rows, rows)
    block = min(-(-BLOCK // tile) * tile, rows // tile * tile)
    if axes[0] == 0:
        if rows % tile:
            lhs = _transposed(text, lhs)
        else:
            lhs = pack(text, lhs, 1, tile)
    text.lines.append(f"%result = flow.dispatch.region -> ({result.type}) {{")
    result.name = text(f"tensor.empty() : {result.type}")
    blocks = -(-rows // block)
    part = Array(text.name(), (block, columns), element)
    text.lines.append(
        f"%all = scf.forall (%block) in ({blocks}) shared_outs(%out = {result.name}) -> "
        f"({result.type}) {{"
    )
    start = text(f"arith.muli %block, {text.index(block)} : index")
    first = text(f"arith.minsi {start}, {text.index(rows - block)} : index")
    where = span([first, "0"], (block, columns))
    part.name = text(f"tensor.extract_slice %out{where} : {result.type} to {part.type}")

    def tiles(column: str, width: int, number: str | None) -> None:
        weight = Array(rhs.name, (inner, width), element)
        if packed is not None:
            weight = Array("", (inner, panel), element)
            weight.name = text(
                f"tensor.extract_slice {packed.name}{span([number or '0', '0', '0'], (1, inner, panel))}"
                f" : {packed.type} to {weight.type}"
            )
        row, inside = text.name(), text.name()
        done = text.name()
        text.lines.append(
            f"{done} = scf.for {row} = {text.index(0)} to {text.index(block)} step "
            f"{text.index(tile)} iter_args({inside} = {part.name}) -> ({part.type}) {{"
        )
        at = text(f"arith.addi {first}, {row} : index")
        if len(lhs.shape) == 3:
            piece = Array("", (inner, tile), element)
            number_of_tile = text(f"arith.divui {at}, {text.index(tile)} : index")
            where = span([number_of_tile, "0", "0"], (1, inner, tile))
        else:
            piece, where = Array("", (tile, inner), element), span([at, "0"], (tile, inner))
        piece.name = text(f"tensor.extract_slice {lhs.name}{where} : {lhs.type} to {piece.type}")
        product = tile_matmul(text, vectors, piece, weight, lhs_transposed=len(lhs.shape) == 3)
        if product.shape[1] != width:
            whole, product = product, Array("", (tile, width), element)
            product.name = text(
                f"tensor.extract_slice {whole.name}{span(['0', '0'], product.shape)} : {whole.type} "
                f"to {product.type}"
            )
        written = text(
            f"tensor.insert_slice {product.name} into {inside}{span([row, column], product.shape)} : "
            f"{product.type} into {part.type}"
        )
        text.lines.append(f"scf.yield {written} : {part.type}\n}}")
        part.name = done

    full, rest = divmod(columns, panel)
    if packed is None:
        tiles("0", columns, None)
    else:
        number, inside, done = text.name(), text.name(), text.name()
        text.lines.append(
            f"{done} = scf.for {number} = {text.index(0)} to {text.index(full)} step {text.index(1)} "
            f"iter_args({inside} = {part.name}) -> ({part.type}) {{"
        )
        part.name = inside
        tiles(text(f"arith.muli {number}, {text.index(panel)} : index"), panel, number)
        text.lines.append(f"scf.yield {part.name} : {part.type}\n}}")
        part.name = done
        if rest:
            tiles(str(full * panel), rest, text.index(full))
    text.lines.append(
        "scf.forall.in_parallel {\n"
        f"tensor.parallel_insert_slice {part.name} into %out{where} : {part.type} into {result.type}\n}}"
        "\n} {mapping = [#iree_linalg_ext.split_reduction_mapping<0>]}"
    )
    text.lines.append(f"flow.return %all : {result.type}\n}}\nreturn %result : {result.type}")
    body = "\n".join(text.lines)
    return f"func.func private @{symbol}({parameters}) -> {result.type} {{\n{body}\n}}"


def _widened(text: Text, array: Array, element: str) -> Array:
    if array.element == element:
        return array
    wide = Array("", array.shape, element)
    wide.name = text(f"stablehlo.convert {array.name} : ({array.type}) -> {wide.type}")
    return wide


def _transposed(text: Text, array: Array) -> Array:
    turned = Array("", array.shape[::-1], array.element)
    turned.name = text(
        f"stablehlo.transpose {array.name}, dims = [1, 0] : ({array.type}) -> {turned.type}"
    )
    return turned
