"""Two small kernels as MLIR for IREE: sums of products in registers, and a sum over an array.

Both take a number of repetitions. Sums start from different numbers; otherwise the compiler would
merge them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    *("PAIRS", "SUMS", "TILES", "TILE_SUMS", "Step", "fused", "pairs", "products", "quads"),
    *("reads", "row_bytes", "tiles"),
]

SUMS = 12
"""Enough for two units with a latency of six; with two more they fit into sixteen registers."""

PAIRS = "avx512bf16"
"""The processor feature that multiplies pairs of bfloat16 and adds them to float32."""

TILES = {"bfloat16": ("amx-bf16", "tdpbf16ps"), "int8": ("amx-int8", "tdpbssd")}
"""By dtype, the feature of a matrix unit and its instruction."""

TILE_SUMS = 6
"""The tiles of sums: of eight, one is for the factors."""


@dataclass(frozen=True)
class Step:
    """How `products` multiplies and adds.

    Attributes:
        sums: The element type of sums.
        factor: The type of the factors, which have the bits of a register.
        text: The ops that compute ``%nK`` from the sum ``%sK`` and the factors ``%p``.
    """

    sums: str
    factor: str
    text: str


def fused(lanes: int) -> Step:
    """float32, by fused multiply-add."""
    type = f"vector<{lanes}xf32>"
    return Step("f32", type, f"%n{{k}} = vector.fma %p, %s{{k}}, %p : {type}")


def pairs() -> Step:
    """Pairs of bfloat16, which are multiplied and added to float32."""
    return Step("f32", "vector<32xbf16>", _call(f"{_PAIRED}.512", 16, "f32", "vector<32xbf16>"))


def quads(lanes: int) -> Step:
    """Four int8 numbers per lane, which are multiplied and added to int32."""
    factor = f"vector<{4 * lanes}xi8>"
    return Step("i32", factor, _call(f"{_QUADS}.{32 * lanes}", lanes, "i32", factor))


_PAIRED = "llvm.x86.avx512bf16.dpbf16ps"
_QUADS = "llvm.x86.avx512.vpdpbusd"


def _call(name: str, lanes: int, sums: str, factor: str) -> str:
    type = f"vector<{lanes}x{sums}>"
    return (
        f'%n{{k}} = llvm.call_intrinsic "{name}"(%s{{k}}, %p, %p) : '
        f"({type}, {factor}, {factor}) -> {type}"
    )


_VECTORS = 16
"""The number of vectors that `reads` adds in one iteration."""


def row_bytes(lanes: int) -> int:
    """Bytes in a row of the argument of `reads`."""
    return 4 * lanes * _VECTORS


def products(name: str, lanes: int, step: Step) -> str:
    """``name(array [SUMS + 1, lanes], times)``: each vector times the last, plus itself.

    Args:
        name: The function's.
        lanes: Numbers in a register, of float32.
        step: How it multiplies and adds.
    """
    own, bits = f"vector<{lanes}x{step.sums}>", f"vector<{lanes}xf32>"
    starts = [f"%b{k} = {_read(f'%c{k}', '%c0', _array(lanes), lanes)}" for k in range(SUMS)]
    starts += [f"%i{k} = vector.bitcast %b{k} : {bits} to {own}" for k in range(SUMS)]
    carried = ", ".join(f"%s{k} = %i{k}" for k in range(SUMS))
    types = ", ".join([own] * SUMS)
    writes: list[str] = []
    for k in range(SUMS):
        writes.append(f"%e{k} = vector.bitcast %r#{k} : {own} to {bits}")
        writes.append(
            f"%w{k + 1} = vector.transfer_write %e{k}, %w{k}[%c{k}, %c0] {{in_bounds = [true]}} : "
            f"{bits}, {_array(lanes)}"
        )
    body = [
        *_constants(SUMS + 1),
        f"%f = {_read(f'%c{SUMS}', '%c0', _array(lanes), lanes)}",
        f"%p = vector.bitcast %f : {bits} to {step.factor}",
        *starts,
        f"%r:{SUMS} = scf.for %k = %c0 to %times step %c1 iter_args({carried}) -> ({types}) {{",
        *(step.text.format(k=k) for k in range(SUMS)),
        f"scf.yield {', '.join(f'%n{k}' for k in range(SUMS))} : {types}",
        "}",
        f"%w0 = tensor.empty() : {_array(lanes)}",
        *writes,
    ]
    return _function(name, _array(lanes), _array(lanes), body, f"%w{SUMS}")


def tiles(name: str, instruction: str) -> str:
    """``name(array [SUMS + 1, 16], times)``: a tile times itself, added to zeros.

    All 16 rows of the tile are the last vector of the array. The results are the first rows of the
    sums, again and again. The process must have permission to use tiles.
    """
    array, vector, amx = _array(16), "vector<16xf32>", "!llvm.x86_amx"
    shape, place = "%sixteen, %bytes", "%at, %bytes_apart"
    carried = ", ".join(f"%s{k} = %z{k}" for k in range(TILE_SUMS))
    types = ", ".join([amx] * TILE_SUMS)

    def call(what: str, operands: str, kinds: str, result: str = "()") -> str:
        return f'llvm.call_intrinsic "llvm.x86.{what}.internal"({operands}) : ({kinds}) -> {result}'

    product = "%sixteen, %bytes, %bytes, {}, %p, %q", f"i16, i16, i16, {amx}, {amx}, {amx}"
    writes: list[str] = []
    for k in range(SUMS + 1):
        operands = f"{shape}, {place}, %r#{k % TILE_SUMS}"
        writes.append(call("tilestored64", operands, f"i16, i16, !llvm.ptr, i64, {amx}"))
        writes.append(f"%e{k} = vector.load %tile[%c0, %c0] : memref<16x16xf32>, {vector}")
        writes.append(
            f"%w{k + 1} = vector.transfer_write %e{k}, %w{k}[%c{k}, %c0] {{in_bounds = [true]}} : "
            f"{vector}, {array}"
        )
    load = call("tileloadd64", f"{shape}, {place}", "i16, i16, !llvm.ptr, i64", amx)
    body = [
        *_constants(16),
        "%sixteen = llvm.mlir.constant(16 : i16) : i16",
        "%bytes = llvm.mlir.constant(64 : i16) : i16",
        "%bytes_apart = llvm.mlir.constant(64 : i64) : i64",
        f"%f = {_read(f'%c{SUMS}', '%c0', array, 16)}",
        "%tile = memref.alloca() : memref<16x16xf32>",
        *(f"vector.store %f, %tile[%c{k}, %c0] : memref<16x16xf32>, {vector}" for k in range(16)),
        "%index = memref.extract_aligned_pointer_as_index %tile : memref<16x16xf32> -> index",
        "%address = arith.index_cast %index : index to i64",
        "%at = llvm.inttoptr %address : i64 to !llvm.ptr",
        f"%p = {load}",
        f"%q = {load}",
        *(f"%z{k} = {call('tilezero', shape, 'i16, i16', amx)}" for k in range(TILE_SUMS)),
        f"%r:{TILE_SUMS} = scf.for %k = %c0 to %times step %c1 iter_args({carried}) "
        f"-> ({types}) {{",
        *(
            f"%n{k} = {call(instruction, product[0].format(f'%s{k}'), product[1], amx)}"
            for k in range(TILE_SUMS)
        ),
        f"scf.yield {', '.join(f'%n{k}' for k in range(TILE_SUMS))} : {types}",
        "}",
        f"%w0 = tensor.empty() : {array}",
        *writes,
    ]
    return _function(name, array, array, body, f"%w{SUMS + 1}")


def reads(name: str, lanes: int) -> str:
    """``name(array [any, 16 * lanes], times)``: the sum of all vectors, a number of times.

    It reads back and forth, so that data still in a near cache is read first: weights may be read
    like this too.
    """
    array = f"tensor<?x{lanes * _VECTORS}xf32>"
    vector = f"vector<{lanes}xf32>"
    types = ", ".join([vector] * _VECTORS)
    sums = [f"%s{k}" for k in range(_VECTORS)]
    step: list[str] = []
    for k in range(_VECTORS):
        step.append(f"%v{k} = {_read('%row', f'%o{k}', array, lanes)}")
        step.append(f"%n{k} = arith.addf %s{k}, %v{k} : {vector}")
    outer = ", ".join(f"%t{k} = %zero" for k in range(_VECTORS))
    inner = ", ".join(f"{s} = %t{k}" for k, s in enumerate(sums))
    total = [
        f"%a{k + 1} = arith.addf {f'%a{k}' if k else '%r#0'}, %r#{k + 1} : {vector}"
        for k in range(_VECTORS - 1)
    ]
    body = [
        *_constants(2),
        *(f"%o{k} = arith.constant {k * lanes} : index" for k in range(_VECTORS)),
        f"%zero = arith.constant dense<0.0> : {vector}",
        "%c2 = arith.constant 2 : index",
        "%last = arith.subi %rows, %c1 : index",
        f"%r:{_VECTORS} = scf.for %k = %c0 to %times step %c1 iter_args({outer}) -> ({types}) {{",
        "%odd = arith.remui %k, %c2 : index",
        "%fro = arith.cmpi eq, %odd, %c1 : index",
        f"%q:{_VECTORS} = scf.for %j = %c0 to %rows step %c1 iter_args({inner}) -> ({types}) {{",
        "%back = arith.subi %last, %j : index",
        "%row = arith.select %fro, %back, %j : index",
        *step,
        f"scf.yield {', '.join(f'%n{k}' for k in range(_VECTORS))} : {types}",
        "}",
        f"scf.yield {', '.join(f'%q#{k}' for k in range(_VECTORS))} : {types}",
        "}",
        *total,
        f"%w0 = tensor.empty() : tensor<{lanes}xf32>",
        f"%w1 = vector.transfer_write %a{_VECTORS - 1}, %w0[%c0] {{in_bounds = [true]}} : "
        f"{vector}, tensor<{lanes}xf32>",
    ]
    return _function(name, array, f"tensor<{lanes}xf32>", body, "%w1")


def _array(lanes: int) -> str:
    return f"tensor<{SUMS + 1}x{lanes}xf32>"


def _read(row: str, column: str, array: str, lanes: int) -> str:
    return (
        f"vector.transfer_read %array[{row}, {column}], %pad {{in_bounds = [true]}} : "
        f"{array}, vector<{lanes}xf32>"
    )


def _constants(count: int) -> list[str]:
    indices = [f"%c{k} = arith.constant {k} : index" for k in range(count)]
    return ["%pad = arith.constant 0.0 : f32", *indices]


def _function(name: str, array: str, result: str, body: list[str], value: str) -> str:
    """A function of one dispatch."""
    return "\n".join(
        [
            f"func.func @{name}(%array: {array}, %n: i64) -> {result} {{",
            "%axis = arith.constant 0 : index",
            f"%rows = tensor.dim %array, %axis : {array}",
            "%times = arith.index_cast %n : i64 to index",
            f"%result = flow.dispatch.region -> ({result}) {{",
            *filter(None, body),
            f"flow.return {value} : {result}",
            "}",
            f"return %result : {result}",
            "}",
        ]
    )
