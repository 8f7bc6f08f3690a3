"""Packing of matrices into panels of columns, each contiguous.

A tile of a product reads all rows of a few columns. In a matrix of many columns these are far
apart, and where their distance is a power of two they contend for the same few lines of a cache.

IREE 3.13 has `linalg.pack`, but is slow at it where it has to transpose (2 to 6 GB/s). So that is a
dispatch of its own here, in tiles that fill as many registers as they have columns: 7 to 26 GB/s.
"""

from __future__ import annotations

from collections.abc import Callable

from rnn_compiler.lowering.dispatch import Array, Text, lowering_config, tensor
from rnn_compiler.lowering.vectors import VectorUnit

__all__ = ["pack"]


def pack(
    text: Text,
    vectors: VectorUnit,
    matrix: Array,
    axis: int,
    panel: int,
    gates: int = 1,
    *,
    together: bool = True,
) -> Array:
    """Emits the packing of a matrix into panels, zeros after the last column.

    Args:
        text: Where to, outside of a region.
        vectors: The vector unit.
        matrix: ``[K, G*N]``, or ``[G*N, K]`` if `axis` is 0.
        axis: The axis of the columns.
        panel: How many columns of each gate make a panel.
        gates: The number of gates G.
        together: Whether a panel holds the columns of all gates.

    Returns:
        ``[N/P, K, G*P]`` if `together`, else ``[G, N/P, K, P]``.
    """
    inner, unit = matrix.shape[1 - axis], matrix.shape[axis] // gates
    lanes = vectors.lanes(matrix.element)
    if axis == 0 and unit % panel == 0 and panel % lanes == 0 and inner % lanes == 0:
        return _transposed(text, lanes, matrix, panel, gates, together=together)
    count = -(-unit // panel)
    name, element = matrix.name, matrix.element
    padding = ""
    if count * panel != unit:
        zero = text(f"arith.constant 0.0 : {element}")
        padding = f"padding_value({zero} : {element}) "
    if gates == 1:
        source, tiles = matrix, (count, inner, panel)
        position, order = axis, [axis, 1 - axis]
    else:
        shape = (gates, unit, inner) if axis == 0 else (inner, gates, unit)
        groups = "[[0, 1], [2]]" if axis == 0 else "[[0], [1, 2]]"
        source = Array("", shape, element)
        tiles = (count, inner, gates, panel) if together else (gates, count, inner, panel)
        source.name = name = text(
            f"tensor.expand_shape {name} {groups} output_shape {list(shape)} : "
            f"{matrix.type} into {source.type}"
        )
        position = 1 if axis == 0 else 2
        order = [position, 2, 0] if axis == 0 else [position, 0, 1]
        if not together:
            order = [order[-1], *order[:-1]]
    empty = text(f"tensor.empty() : {tensor(tiles, element)}")
    name = text(
        f"linalg.pack {name} {padding}outer_dims_perm = {order} inner_dims_pos = [{position}] "
        f"inner_tiles = [{panel}] into {empty} : {source.type} -> {tensor(tiles, element)}"
    )
    if gates > 1 and not together:
        return Array(name, tiles, element)
    packed = Array(name, (count, inner, gates * panel), element)
    if gates > 1:
        packed.name = text(
            f"tensor.collapse_shape {name} [[0], [1], [2, 3]] : {tensor(tiles, element)} into "
            f"{packed.type}"
        )
    return packed


def _transposed(
    text: Text, lanes: int, matrix: Array, panel: int, gates: int, *, together: bool
) -> Array:
    """Emits the packing of ``[G*N, K]`` by tiles that divide it."""
    unit, inner = matrix.shape[0] // gates, matrix.shape[1]
    count, of = unit // panel, matrix.element
    source = text.held(matrix)
    if together or gates == 1:
        packed = Array("", (count, inner, gates * panel), of)
        sizes: tuple[int, ...] = (1, inner, gates * panel)
    else:
        packed = Array("", (gates, count, inner, panel), of)
        sizes = (gates, 1, inner, panel)
    region = text.name()
    text.lines.append(f"{region} = flow.dispatch.region -> ({packed.type}) {{")
    whole = Array(text(f"tensor.empty() : {packed.type}"), packed.shape, of)

    def panels(number: str, shared: Array) -> tuple[Array, list[str]]:
        starts = ["0"] * len(shared.shape)
        starts[-3] = number
        part = text.extract(shared, starts, sizes)
        first = text(f"arith.muli {number}, {text.index(panel)} : index")

        def loop(high: int, step: int, body: Callable[[str], None]) -> None:
            text.loop(0, high, step, [part], body)

        def tile(gate: str, k: str, column: str) -> None:
            row = text(f"arith.muli {gate}, {text.index(unit)} : index")
            row = text(f"arith.addi {row}, {first} : index")
            row = text(f"arith.addi {row}, {column} : index")
            small = text.extract(source, [row, k], (lanes, lanes))
            if len(part.shape) == 3:
                at = text(f"arith.muli {gate}, {text.index(panel)} : index")
                to = ["0", k, text(f"arith.addi {at}, {column} : index")]
            else:
                to = [gate, "0", k, column]
            target = text.extract(part, to, small.shape)
            text.insert(Array(_transpose(text, small, target.name), small.shape, of), part, to)

        def columns(gate: str, k: str) -> None:
            loop(panel, lanes, lambda column: tile(gate, k, column))

        loop(gates, 1, lambda gate: loop(inner, lanes, lambda k: columns(gate, k)))
        return part, starts

    text.in_parallel(count, whole, panels)
    text.lines.append(f"flow.return {whole.name} : {packed.type}\n}}")
    return Array(region, packed.shape, of)


def _transpose(text: Text, tile: Array, target: str) -> str:
    """Emits the transpose of a square tile, in the place of a target; gives its name."""
    config = (
        f"#iree_codegen.compilation_info<lowering_config = {lowering_config(tile.shape, (0, 0))}, "
        "translation_info = "
        "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>"
    )
    maps = "affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>"
    element, unused = text.name(), text.name()
    return text(
        f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"], '
        f"compilation_info = {config}}} "
        f"ins({tile.name} : {tile.type}) outs({target} : {tile.type}) {{\n"
        f"^bb0({element}: {tile.element}, {unused}: {tile.element}):\n"
        f"linalg.yield {element} : {tile.element}\n}} -> {tile.type}"
    )
