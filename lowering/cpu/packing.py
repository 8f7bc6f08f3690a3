"""Packing of matrices into panels of columns, each contiguous.

A tile of a product reads all rows of a few columns. In a matrix of many columns these are far
apart, and where their distance is a power of two they contend for the same few lines of a cache.

IREE 3.13 has `linalg.pack`, as fast as copying is (10 to 30 GB/s, odd sizes included). Where it has
to transpose it is slow (2 to 6 GB/s; 0.5 if tiles do not divide), so that is a dispatch of its own
here, in tiles that fill as many registers as they have columns: 7 to 35 GB/s.
"""

from __future__ import annotations

from rnn_compiler.lowering.kernel.body import (
    Array,
    Text,
    divisor,
    lowering_config,
    tensor,
    zeros,
)
from rnn_compiler.lowering.kernel.executable import Executable
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

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
        text: Where to, outside of a dispatch.
        vectors: The vector unit.
        matrix: ``[K, G*N]``, or ``[G*N, K]`` if `axis` is 0.
        axis: The axis of the columns.
        panel: How many columns of each gate make a panel.
        gates: The number of gates G.
        together: Whether a panel holds the columns of all gates.

    Returns:
        ``[N/P, K, G*P]`` if `together`, else ``[G, N/P, K, P]``.
    """
    if axis == 0:
        return _transposed(text, vectors, matrix, panel, gates, together=together)
    inner, unit = matrix.shape[0], matrix.shape[1] // gates
    count = -(-unit // panel)
    name, element = matrix.name, matrix.element
    padding = ""
    if count * panel != unit:
        zero = text(f"arith.constant 0.0 : {element}")
        padding = f"padding_value({zero} : {element}) "
    if gates == 1:
        source, tiles, order = matrix, (count, inner, panel), [1, 0]
    else:
        source = Array("", (inner, gates, unit), element)
        tiles = (count, inner, gates, panel) if together else (gates, count, inner, panel)
        order = [2, 0, 1] if together else [1, 2, 0]
        source.name = name = text(
            f"tensor.expand_shape {name} [[0], [1, 2]] output_shape {list(source.shape)} : "
            f"{matrix.type} into {source.type}"
        )
    empty = text(f"tensor.empty() : {tensor(tiles, element)}")
    name = text(
        f"linalg.pack {name} {padding}outer_dims_perm = {order} "
        f"inner_dims_pos = [{len(source.shape) - 1}] inner_tiles = [{panel}] "
        f"into {empty} : {source.type} -> {tensor(tiles, element)}"
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
    text: Text, vectors: VectorUnit, matrix: Array, panel: int, gates: int, *, together: bool
) -> Array:
    """Emits the packing of ``[G*N, K]``: a workgroup for each panel, in square tiles.

    Where tiles do not divide K, the last overlaps the one before; of the columns, the last panel
    has a rest, and zeros after it. Tiles of a single column would leave a dispatch of nothing but
    unit axes, which IREE 3.13 does not compile.
    """
    unit, inner = matrix.shape[0] // gates, matrix.shape[1]
    count, of = -(-unit // panel), matrix.element
    lanes = vectors.lanes(of)
    high = min(inner, lanes)
    wide = divisor(panel, lanes) if count > 1 else min(panel, lanes)
    wide = panel if wide == 1 else wide
    rest, padding = unit % wide, count * panel - unit
    executable = Executable(text, "pack", count)
    source = executable.read(text.held(matrix))
    if together or gates == 1:
        packed = executable.make((count, inner, gates * panel), of)
        sizes: tuple[int, ...] = (1, inner, gates * panel)
    else:
        packed = executable.make((gates, count, inner, panel), of)
        sizes = (gates, 1, inner, panel)
    text, number = executable.text, executable.workgroup()
    starts = ["0"] * len(sizes)
    starts[-3] = number
    part = text.extract(packed, starts, sizes)
    first = text(f"arith.muli {number}, {text.index(panel)} : index")
    end = full = text.index(panel)
    if padding:
        left = text(f"arith.subi {text.index(unit)}, {first} : index")
        end = full = text(f"arith.minsi {left}, {end} : index")
    if rest:
        tail = text(f"arith.remui {end}, {text.index(wide)} : index")
        full = text(f"arith.subi {end}, {tail} : index")

    def place(gate: str, k: str, column: str) -> list[str]:
        if len(sizes) == 4:
            return [gate, "0", k, column]
        at = text(f"arith.muli {gate}, {text.index(panel)} : index")
        return ["0", k, text(f"arith.addi {at}, {column} : index")]

    def tile(gate: str, k: str, column: str, width: int) -> None:
        row = text(f"arith.muli {gate}, {text.index(unit)} : index")
        row = text(f"arith.addi {row}, {first} : index")
        row = text(f"arith.addi {row}, {column} : index")
        small = text.extract(source, [row, k], (width, high))
        to = place(gate, k, column)
        target = text.extract(part, to, (high, width))
        text.insert(_transpose(text, small, target), part, to)

    def zero(gate: str, k: str, column: str) -> None:
        to = place(gate, k, column)
        text.insert(zeros(text, vectors, text.extract(part, to, (high, padding))), part, to)

    def columns(gate: str, k: str) -> None:
        if inner % high:
            k = text(f"arith.minsi {k}, {text.index(inner - high)} : index")
        text.loop(0, full, wide, [part], lambda column: tile(gate, k, column, wide))
        if rest:  # no turn or one, as the padding
            text.loop(full, end, rest, [part], lambda column: tile(gate, k, column, rest))
        if padding:
            text.loop(end, panel, padding, [part], lambda column: zero(gate, k, column))

    def gate(number: str) -> None:
        text.loop(0, inner, high, [part], lambda k: columns(number, k))

    text.loop(0, gates, 1, [part], gate)
    text.insert(part, packed, starts)
    executable.dispatch()
    return packed


def _transpose(text: Text, tile: Array, target: Array) -> Array:
    """Emits the transpose of a tile, in the place of a target."""
    config = lowering_config(target.shape, (0, 0))
    maps = "affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>"
    element, unused = text.name(), text.name()
    name = text(
        f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"], '
        f"lowering_config = {config}}} ins({tile.name} : {tile.type}) "
        f"outs({target.name} : {target.type}) {{\n"
        f"^bb0({element}: {tile.element}, {unused}: {tile.element}):\n"
        f"linalg.yield {element} : {tile.element}\n}} -> {target.type}"
    )
    return Array(name, target.shape, target.element)
