"""The text of functions with hand-made dispatches: names, tiles, matrix products.

What the passes that write dispatches share. Matrix products in one are
`linalg.matmul` (`linalg.vecmat` for a single row) with tile sizes that divide.

IREE gives a dispatch one pipeline, which its function names (`executable`); ops say only their tile
sizes (`lowering_config`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rnn_compiler.lowering.targets.vector_unit import VectorUnit

__all__ = [
    "Array",
    "Text",
    "converted",
    "divisor",
    "lowering_config",
    "span",
    "tensor",
    "tile_matmul",
    "transposed",
    "vector",
    "zeros",
]


def tensor(shape: Sequence[int], element: str) -> str:
    """A tensor type."""
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def vector(lanes: int, element: str) -> str:
    """A vector type; that of a scalar if it has no lanes."""
    return f"vector<{lanes}x{element}>" if lanes else element


@dataclass
class Array:
    """A tensor that the text has a name for.

    Attributes:
        name: Its name now; writing a part of it gives it another.
        shape: Its shape.
        element: Its element type.
    """

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        """Its type."""
        return tensor(self.shape, self.element)


class Text:
    """Lines of MLIR, and names for values.

    Attributes:
        lines: The lines so far.
        symbol: The name of the function; those of its executables start with it.
        executables: The symbols and texts of what is dispatched (`executable`).
    """

    def __init__(self, names: Text | None = None, *, symbol: str = "f") -> None:
        """Starts without a line; names continue those of another text, if one is given."""
        self.lines: list[str] = []
        self.symbol = symbol
        self.executables: list[tuple[str, str]] = []
        self._numbers: itertools.count[int] = names._numbers if names else itertools.count()

    def name(self) -> str:
        """A new name."""
        return f"%v{next(self._numbers)}"

    def __call__(self, text: str) -> str:
        """Emits an op with one result, given by the text after the ``=``; gives its name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def held(self, array: Array) -> Array:
        """Emits a clone, never carried out: what makes an array stays out of what reads it."""
        name = self(f"flow.tensor.clone {array.name} : {array.type}")
        return Array(name, array.shape, array.element)

    def pinned(self, array: Array) -> Array:
        """Emits a barrier: nothing is known of the array, not even that nobody reads it."""
        name = self(f"util.optimization_barrier {array.name} : {array.type}")
        return Array(name, array.shape, array.element)

    def extract(self, array: Array, starts: Sequence[str], sizes: Sequence[int]) -> Array:
        """Emits a part of an array; as many of its first axes as `sizes` lacks are dropped."""
        part = Array("", tuple(sizes), array.element)
        where = span(starts, (*[1] * (len(starts) - len(sizes)), *sizes))
        part.name = self(f"tensor.extract_slice {array.name}{where} : {array.type} to {part.type}")
        return part

    def insert(self, part: Array, array: Array, starts: Sequence[str]) -> None:
        """Emits the writing of a part of an array, which has another name then."""
        where = span(starts, (*[1] * (len(starts) - len(part.shape)), *part.shape))
        array.name = self(
            f"tensor.insert_slice {part.name} into {array.name}{where} : "
            f"{part.type} into {array.type}"
        )

    def read(self, array: Array, starts: Sequence[str], lanes: int) -> str:
        """Emits the reading of a vector from the last axis of an array; gives its name."""
        zero = self(f"arith.constant {0.0 if 'f' in array.element else 0} : {array.element}")
        places = ", ".join(self.indices(starts))
        return self(
            f"vector.transfer_read {array.name}[{places}], {zero} {{in_bounds = [true]}} : "
            f"{array.type}, {vector(lanes, array.element)}"
        )

    def write(self, value: str, lanes: int, array: Array, starts: Sequence[str]) -> None:
        """Emits the writing of a vector to the last axis of an array, which has a new name then."""
        places = ", ".join(self.indices(starts))
        array.name = self(
            f"vector.transfer_write {value}, {array.name}[{places}] {{in_bounds = [true]}} : "
            f"{vector(lanes, array.element)}, {array.type}"
        )

    def loop(
        self,
        low: int | str,
        high: int | str,
        step: int,
        carried: Sequence[Array],
        body: Callable[[str], None],
    ) -> None:
        """Emits a loop.

        Args:
            low: Where it starts, a number or a name.
            high: Where it ends.
            step: How far it goes at a time.
            carried: The arrays that its body writes to; they have other names in it and after it.
            body: Emits the body, given the index.
        """
        bounds = [self.index(n) if isinstance(n, int) else n for n in (low, high, step)]
        induction, result = self.name(), self.name()
        types = ", ".join(array.type for array in carried)
        inside = [self.name() for _ in carried]
        pairs = ", ".join(f"{new} = {a.name}" for new, a in zip(inside, carried, strict=True))
        self.lines.append(
            f"{result}:{len(carried)} = scf.for {induction} = {bounds[0]} to {bounds[1]} "
            f"step {bounds[2]} iter_args({pairs}) -> ({types}) {{"
        )
        for array, name in zip(carried, inside, strict=True):
            array.name = name
        body(induction)
        self.lines.append(f"scf.yield {', '.join(a.name for a in carried)} : {types}\n}}")
        for number, array in enumerate(carried):
            array.name = f"{result}#{number}"

    def when(self, condition: str, carried: Sequence[Array], body: Callable[[], None]) -> None:
        """Emits what is done on a condition, to arrays that have other names after it."""
        result, before = self.name(), [array.name for array in carried]
        types = ", ".join(array.type for array in carried)
        self.lines.append(f"{result}:{len(carried)} = scf.if {condition} -> ({types}) {{")
        body()
        self.lines.append(f"scf.yield {', '.join(a.name for a in carried)} : {types}")
        self.lines.append(f"}} else {{\nscf.yield {', '.join(before)} : {types}\n}}")
        for number, array in enumerate(carried):
            array.name = f"{result}#{number}"

    def index(self, value: int) -> str:
        """Emits a constant index."""
        return self(f"arith.constant {value} : index")

    def indices(self, places: Sequence[str]) -> list[str]:
        """Emits the constants among some indices, themselves numbers or names."""
        return [self.index(int(place)) if place.isdigit() else place for place in places]

    def plus(self, first: str, second: str) -> str:
        """Emits the sum of two indices, themselves numbers or names."""
        if first.isdigit():
            return self.add(second, int(first))
        if second.isdigit():
            return self.add(first, int(second))
        return self(f"arith.addi {first}, {second} : index")

    def add(self, start: str, offset: int) -> str:
        """Emits an index, itself a number or a name, plus a number."""
        if start.isdigit():
            return str(int(start) + offset)
        return self(f"arith.addi {start}, {self.index(offset)} : index") if offset else start

    def times(self, index: str, factor: int) -> str:
        """Emits an index, itself a number or a name, times a number."""
        if index.isdigit():
            return str(int(index) * factor)
        return self(f"arith.muli {index}, {self.index(factor)} : index")


def converted(text: Text, array: Array, element: str) -> Array:
    """Emits an array's conversion to an element type, if it has another."""
    if array.element == element:
        return array
    result = Array("", array.shape, element)
    result.name = text(f"stablehlo.convert {array.name} : ({array.type}) -> {result.type}")
    return result


def transposed(text: Text, matrix: Array) -> Array:
    """Emits a matrix's transpose."""
    result = Array("", matrix.shape[::-1], matrix.element)
    result.name = text(
        f"stablehlo.transpose {matrix.name}, dims = [1, 0] : ({matrix.type}) -> {result.type}"
    )
    return result


def span(starts: Sequence[str], sizes: Sequence[int]) -> str:
    """Where a slice is: its offsets, sizes and strides."""
    return f"[{', '.join(starts)}] [{', '.join(map(str, sizes))}] [{', '.join('1' for _ in sizes)}]"


def divisor(size: int, bound: int) -> int:
    """The largest divisor of a size that is not above a bound."""
    return next(d for d in range(min(size, bound), 0, -1) if size % d == 0)


def lowering_config(parallel: Sequence[int], reduction: Sequence[int] = ()) -> str:
    """Tile sizes of an op's parallel and reduced axes."""
    levels = [f"vector_common_parallel = {list(parallel)}"]
    if reduction:
        none = [0] * len(parallel)
        levels = [f"distribution = {none}", *levels, f"vector_reduction = {list(reduction)}"]
    return f"#iree_cpu.lowering_config<{', '.join(levels)}>"


def zeros(text: Text, vectors: VectorUnit, array: Array) -> Array:
    """Emits zeros in the place of an array.

    They are distributed, in name only: where a single op is, IREE 3.13 repeats the loops that make
    what that op reads, writing and all, in its tiles.
    """
    zero = text(f"arith.constant 0.0 : {array.element}")
    columns = divisor(array.shape[-1], vectors.width(array.element))
    config = lowering_config([1] * (len(array.shape) - 1) + [columns], [0] * len(array.shape))
    axes = ", ".join(f"d{axis}" for axis in range(len(array.shape)))
    iterators = ", ".join(['"parallel"'] * len(array.shape))
    name = text(
        f"linalg.generic {{indexing_maps = [affine_map<({axes}) -> ({axes})>], "
        f"iterator_types = [{iterators}], lowering_config = {config}}} "
        f"outs({array.name} : {array.type}) {{\n^bb0({text.name()}: {array.element}):\n"
        f"linalg.yield {zero} : {array.element}\n}} -> {array.type}"
    )
    return Array(name, array.shape, array.element)


def tile_matmul(
    text: Text,
    vectors: VectorUnit,
    lhs: Array,
    rhs: Array,
    start: Array | None = None,
    *,
    lhs_transposed: bool = False,
) -> Array:
    """Emits the product of a few rows with a panel.

    Args:
        text: Where to.
        vectors: The vector unit.
        lhs: ``[K]``, ``[rows, K]``, or ``[K, rows]`` if it is transposed.
        rhs: ``[K, P]``.
        start: What the product is added to, ``[rows, P]``; None for zeros.
        lhs_transposed: Whether `lhs` is. Its tiles are higher and less wide then, since its rows
            fill registers too.
    """
    inner, width = rhs.shape
    element = rhs.element
    rows = lhs.shape[lhs_transposed : lhs_transposed + 1] if len(lhs.shape) == 2 else ()
    result = Array("", (*rows, width), element)
    columns = vectors.columns(width, element) if rows else width
    tallest = vectors.rows
    if lhs_transposed and columns == vectors.width(element):
        columns, tallest = columns // 2, 2 * tallest
    parallel = [*(divisor(n, tallest) for n in rows), columns, 0]
    reduction = [*(0 for _ in parallel[:-1]), divisor(inner, 4)]
    config = lowering_config(parallel, reduction)
    if start is None:
        zero = text(f"arith.constant 0.0 : {element}")
        empty = text(f"tensor.empty() : {result.type}")
        fill = f"linalg.fill ins({zero} : {element}) outs({empty} : {result.type})"
        start = Array(text(f"{fill} -> {result.type}"), result.shape, element)
    op = "linalg.matmul" if rows else "linalg.vecmat"
    if lhs_transposed:
        maps = ("(d2, d0)", "(d2, d1)", "(d0, d1)")
        maps = ", ".join(f"affine_map<(d0, d1, d2) -> {m}>" for m in maps)
        op = f"{op} indexing_maps = [{maps}]"
    result.name = text(
        f"{op} {{lowering_config = {config}}} ins({lhs.name}, {rhs.name} : {lhs.type}, {rhs.type}) "
        f"outs({start.name} : {result.type}) -> {result.type}"
    )
    return result
